"""For each label a function that rises with its lead, and is otherwise as the documents have it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.models.calibration import Calibration, read_finite, shift_scores
from tercet.models.classifier import normalize_scores
from tercet.models.temperature import Temperature

Steps = tuple[Floats, Floats]  # leads in order, and the share of documents with this lead that have the label


@dataclass(frozen=True, eq=False)
class Isotonic(Calibration):
    """For each label the share of documents with such a lead over the best of the others; then they are made to sum to 1.

    The least lead has one more document, which belongs to each label for its part: what never happened in n documents may
    still happen in one of n. The probabilities by one temperature have a say, too, as if they were another one: they decide
    between labels whose shares are equal.
    """

    steps: tuple[Steps | None, ...]  # None for a label that was not there: it has the probability by temperature
    temperature: Temperature
    n_documents: int
    way: ClassVar[str] = "isotonic"

    def apply(self, log_joint: Floats) -> Floats:
        usual = self.temperature.apply(log_joint)
        if log_joint.shape[1] == 1:
            return usual
        leads, shares = find_leads(log_joint), np.exp(usual)
        for place, steps in enumerate(self.steps):
            if steps is not None:
                shares[:, place] += self.n_documents * np.interp(leads[:, place], *steps)
            else:
                shares[:, place] *= 1 + self.n_documents
        with np.errstate(divide="ignore"):
            return normalize_scores(np.where(np.isneginf(log_joint), -np.inf, np.log(shares)))

    def pick(self, places: Integers) -> "Isotonic":
        known = (*self.steps, None)
        return Isotonic(tuple(known[place] for place in places.tolist()), self.temperature, self.n_documents)

    def to_dict(self) -> dict[str, Any]:
        steps = [None if each is None else [column.tolist() for column in each] for each in self.steps]
        return {"way": self.way, "steps": steps, "factor": self.temperature.factor, "documents": self.n_documents}

    @classmethod
    def _read(cls, values: Mapping[str, Any]) -> Self:
        steps = tuple(None if each is None else _read_steps(each) for each in values["steps"])
        return cls(steps, Temperature._read(values), int(values["documents"]))

    @classmethod
    def _fit(cls, log_joint: Floats, codes: Integers, weights: Floats, start: Self | None) -> Self:
        leads = find_leads(shift_scores(log_joint))
        unseen = 1 / log_joint.shape[1]
        steps = tuple(fit_steps(leads[:, k], codes == k, weights, unseen) for k in range(log_joint.shape[1]))
        return cls(steps, Temperature._fit(log_joint, codes, weights, None), len(codes))


def find_leads(log_joint: Floats) -> Floats:
    """How far the score of each label lies above the best of the others.

    >>> find_leads(np.array([[-1.0, -3.0, -7.0]]))
    array([[ 2., -2., -6.]])
    """
    if log_joint.shape[1] == 1:
        return np.zeros_like(log_joint)
    places, best = np.arange(len(log_joint)), log_joint.argmax(axis=1)
    top = log_joint[places, best]
    others = log_joint.copy()
    others[places, best] = -np.inf
    leads = log_joint - top[:, None]
    leads[places, best] = top - others.max(axis=1)
    return np.asarray(leads, np.float64)


def fit_steps(leads: Floats, has_label: npt.NDArray[np.bool_], weights: Floats, unseen: float) -> Steps:
    """Pool adjacent violators, and keep the corners alone; the least lead has the label so much more often.

    >>> fit_steps(np.array([-3.0, -2.0, -1.0, 1.0]), np.array([False, False, False, True]), np.ones(4), unseen=0.5)
    (array([-3., -1.,  1.]), array([0.14285714, 0.14285714, 1.        ]))
    """
    from scipy.optimize import isotonic_regression

    found, which = np.unique(leads, return_inverse=True)
    total, own = np.bincount(which, weights), np.bincount(which, weights * has_label)
    total[0], own[0] = total[0] + unseen, own[0] + unseen
    shares = isotonic_regression(own / total, weights=total).x
    is_same = shares[1:] == shares[:-1]
    is_inner = np.concatenate([[False], is_same]) & np.concatenate([is_same, [False]])
    return found[~is_inner], np.asarray(shares[~is_inner], np.float64)


def _read_steps(written: Any) -> Steps:
    leads, shares = (read_finite(column) for column in written)
    if len(leads) != len(shares) or not len(leads) or (np.diff(leads) <= 0).any() or (np.diff(shares) < 0).any():
        raise ValueError("a calibration has steps that do not rise")
    return leads, shares

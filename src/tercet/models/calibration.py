"""Calibration: scores → reliable probabilities. Of all predictions with probability 0.8, 80 % are right.

Four methods, each fitted to documents that were held out: one temperature, a temperature that depends on the document's length,
Platt scaling, and isotonic regression. `fit_calibration` fits one of them, and `cross_fit` also chooses among them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.errors import InvalidOption
from tercet.kernel import engine
from tercet.models.classifier import normalize_scores
from tercet.options import check_choice, is_int, is_number
from tercet.registry import register

FOLDS = 5
MAX_NUMBER = 1e100  # the largest number of a calibration in a file: scores times such a number are finite
MAX_GROWTH = 3.0
MIN_CHOOSING, MAX_CHOOSING = 1000, 1 << 15  # documents, and documents × labels, that choose among the methods
MIN_DOCUMENTS = 50  # and 10 for each label: with fewer documents, "auto" fits one number only

Steps = tuple[Floats, Floats]  # leads in rising order, and the share of documents with this lead that have the label


class PairOdds(NamedTuple):
    """P(a) / (P(a) + P(b)) = (1 - doubt) / (1 + exp(-odds)) + doubt / 2, with odds = factor · (score a - score b) + offset."""

    factor: float = 1.0
    offset: float = 0.0
    doubt: float = 0.0


class Calibration:
    """Turns scores into log P(label | document). A subclass is registered by the name of its method."""

    registered_name: ClassVar[str]

    @property
    def method(self) -> str:
        return self.registered_name

    @property
    def formula(self) -> str:
        """How P(label | document) comes from the scores."""
        raise NotImplementedError

    def apply(self, log_joint: Floats) -> Floats:
        """log P(label | document), documents × labels, from scores. A score of -inf stays -inf."""
        raise NotImplementedError

    def derive_odds(self, log_joint: Floats, a: int, b: int) -> PairOdds | None:
        """How the probability of one label against another comes from the scores of a document.

        None if other labels have a say in it.
        """
        return None

    def pick(self, positions: Integers) -> "Calibration":
        """The calibration for the labels at these positions. -1 is a label that was unknown at fitting: it has no offset."""
        raise NotImplementedError

    def fits(self, n_labels: int) -> bool:
        """Whether it is for so many labels."""
        return True

    def to_dict(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        raise NotImplementedError

    @classmethod
    def _fit(cls, log_joint: Floats, codes: Integers, weights: Floats) -> Self:
        """The calibration fitted to these documents; their own labels must be possible."""
        raise NotImplementedError


def fit_calibration(log_joint: Floats, codes: Integers, method: str = "auto", weights: Floats | None = None) -> Calibration:
    """The calibration of these scores, fitted to held-out documents and the positions of their labels.

    - `temperature`: one factor for all scores. The order of the labels does not change.
    - `length`: a factor that gets smaller with the length of the document; an offset for each label; a small probability that
      the label is random. It is for scores that grow with the document, as those of naive Bayes do.
    - `platt`: Platt scaling: a sigmoid for two labels, a softmax for more: one factor, and an offset for each label.
    - `isotonic`: for each label any rising function of its lead over the best of the other labels.
    - `auto`: the method with the best likelihood on the left-out fold, in cross-validation with five folds. A part of the
      documents chooses, if they are many.

    The kernel adds up in the order of the documents. Sort them first, if the order of their arrival must not matter.

    >>> sure, codes = np.tile([0.0, -9.0], (400, 1)), np.repeat([0, 1], [300, 100])
    >>> np.exp(fit_calibration(sure, codes, "temperature").apply(sure[:1])).round(2)
    array([[0.75, 0.25]])
    """
    if method == "auto":
        return cross_fit(log_joint, codes, method, weights).calibration
    own = log_joint[np.arange(len(codes)), codes]
    is_usable = np.isfinite(own) if weights is None else np.isfinite(own) & (weights > 0)
    if not is_usable.any():
        raise InvalidOption(
            "there is nothing to calibrate on: no two documents have the same label. "
            "Use calibrate=None, or calibrate on other documents."
        )
    relative = np.ones(int(is_usable.sum())) if weights is None else weights[is_usable] / weights[is_usable].mean()
    child = METHODS[check_choice("calibrate", method, tuple(METHODS))]
    return child._fit(np.ascontiguousarray(log_joint[is_usable], np.float64), codes[is_usable], relative)


class CrossFitted(NamedTuple):
    """A calibration, and for each fold the calibration that is fitted to the other folds."""

    calibration: Calibration
    without: tuple[Calibration, ...]
    log_proba: Floats  # of each document, by the calibration without its fold

    def apply(self, log_joint: Floats, folds: Integers) -> Floats:
        """log P(label | document) by the calibration without the document's fold; fold -1 uses the calibration of all folds."""
        log_proba = np.empty_like(log_joint)
        for fold in np.flatnonzero(np.bincount(folds + 1, minlength=1)) - 1:
            in_fold = folds == fold
            log_proba[in_fold] = (self.calibration if fold < 0 else self.without[fold]).apply(log_joint[in_fold])
        return log_proba


def deal_by_label(codes: Integers, n_folds: int = FOLDS) -> Integers:
    """The fold of each document. The documents of each label take turns, so that all folds have the same shares of labels.

    Otherwise a label that is frequent in a fold is rare in the others, and the estimate of a model that knows nothing is worse
    than chance. Sort the documents first, because their order decides.

    >>> deal_by_label(np.array([0, 1, 0, 1, 1, 0, 1]))
    array([0, 3, 1, 4, 0, 2, 1])
    """
    folds = np.empty(len(codes), np.int64)
    folds[np.argsort(codes, kind="stable")] = np.arange(len(codes)) % n_folds
    return folds


def cross_fit(
    log_joint: Floats, codes: Integers, method: str, weights: Floats | None = None, folds: Integers | None = None
) -> CrossFitted:
    """The method, cross-fitted; with "auto" the method with the best log-probability of the left-out documents' labels."""
    folds = deal_by_label(codes) if folds is None else folds
    if method != "auto":
        return _cross_fit(log_joint, codes, method, weights, folds)
    return _cross_fit(log_joint, codes, choose_method(log_joint, codes, weights, folds), weights, folds)


def choose_method(log_joint: Floats, codes: Integers, weights: Floats | None, folds: Integers) -> str:
    """The method with the best log-probability of the left-out documents' labels; ties go to the first.

    If there are many documents, every second, third … of them chooses: a fit takes as long as there are scores.
    """
    n_labels = log_joint.shape[1]
    if n_labels < 2 or len(codes) < max(MIN_DOCUMENTS, 10 * n_labels):
        return next(iter(METHODS))
    step = max(1, len(codes) // max(MIN_CHOOSING, 10 * n_labels, MAX_CHOOSING // n_labels))
    some = slice(None, None, step)
    scores, own, own_weights = log_joint[some], codes[some], None if weights is None else weights[some]
    fitted = (_cross_fit(scores, own, method, own_weights, folds[some]) for method in METHODS)
    losses = [measure_loss(each.log_proba, own, own_weights) for each in fitted]
    return list(METHODS)[int(np.argmin(losses))]


def _cross_fit(log_joint: Floats, codes: Integers, method: str, weights: Floats | None, folds: Integers) -> CrossFitted:
    calibration = fit_calibration(log_joint, codes, method, weights)
    is_usable = np.isfinite(log_joint[np.arange(len(codes)), codes])
    if weights is not None:
        is_usable &= weights > 0
    without = []
    for fold in range(int(folds.max()) + 1):
        rest = folds != fold
        rest_weights = None if weights is None else weights[rest]
        can_fit = is_usable[rest].any()
        without.append(fit_calibration(log_joint[rest], codes[rest], method, rest_weights) if can_fit else calibration)
    fitted = CrossFitted(calibration, tuple(without), log_joint)
    return fitted._replace(log_proba=fitted.apply(log_joint, folds))


def measure_loss(log_proba: Floats, codes: Integers, weights: Floats | None = None) -> float:
    """The mean of -log P(own label). Documents whose own label is impossible are skipped: no calibration can change that."""
    own = log_proba[np.arange(len(codes)), codes]
    is_usable = np.isfinite(own)
    used = is_usable.astype(np.float64) if weights is None else np.where(is_usable, weights, 0.0)
    return float(-np.average(own[is_usable], weights=used[is_usable])) if used.any() else np.inf


@register("calibration", "temperature")
@dataclass(frozen=True)
class Temperature(Calibration):
    """P(label | document) ∝ exp(factor · score). The factor is 1 / temperature; the order of the labels does not change.

    >>> np.exp(Temperature(0.1).apply(np.array([[0.0, -10.0]]))).round(2)
    array([[0.73, 0.27]])
    """

    factor: float

    @property
    def formula(self) -> str:
        return f"P is proportional to exp({self.factor:.6g} · score)"

    def apply(self, log_joint: Floats) -> Floats:
        return normalize_scores(log_joint * self.factor)

    def derive_odds(self, log_joint: Floats, a: int, b: int) -> PairOdds:
        return PairOdds(self.factor)

    def pick(self, positions: Integers) -> "Temperature":
        return self

    def to_dict(self) -> dict[str, Any]:
        return {"factor": self.factor}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        return cls(_read_factor(written))

    @classmethod
    def _fit(cls, log_joint: Floats, codes: Integers, weights: Floats) -> Self:
        """The factor with the best likelihood. A weak pull to 1 prevents extreme factors if documents are few."""
        return cls(round_digits(engine.fit_temperature(log_joint, codes, weights)))


@register("calibration", "softmax")
@dataclass(frozen=True)
class Softmax(Calibration):
    """P(label | document) ∝ exp(score), for scores that are already calibrated. It has nothing to fit."""

    @property
    def formula(self) -> str:
        return "P is proportional to exp(score)"

    def apply(self, log_joint: Floats) -> Floats:
        return normalize_scores(log_joint)

    def derive_odds(self, log_joint: Floats, a: int, b: int) -> PairOdds:
        return PairOdds()

    def pick(self, positions: Integers) -> "Softmax":
        return self

    def to_dict(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        return cls()


@register("calibration", "length")
@dataclass(frozen=True, eq=False)
class LengthCalibration(Calibration):
    """P(label | document) = (1 - doubt) · softmax(score / (1 + rate · length ** growth) + offset) + doubt / labels.

    Naive Bayes counts every term as new evidence, but terms repeat each other: the longer a document, the less each term adds.
    The length is |the best score|, which grows with the number of terms. A document without terms keeps its scores. The doubt
    is the share of documents whose label the text cannot tell, for example because the label is wrong.

    >>> half = LengthCalibration(rate=1.0, growth=0.5, offsets=np.zeros(2), doubt=0.0)
    >>> np.exp(half.apply(np.array([[-0.7, -0.7], [-4.0, -7.0], [-10_000.0, -10_003.0]]))).round(2)
    array([[0.5 , 0.5 ],
           [0.73, 0.27],
           [0.51, 0.49]])
    """

    rate: float
    growth: float
    offsets: Floats
    doubt: float

    @property
    def formula(self) -> str:
        hardness = f"(1 + {self.rate:.6g} · |best score|^{self.growth:.6g})"
        softmax = f"softmax(score / {hardness} + offset of the label)"
        return f"P = (1 - {self.doubt:.6g}) · {softmax} + {self.doubt:.6g} / number of labels"

    def apply(self, log_joint: Floats) -> Floats:
        scores = np.ascontiguousarray(log_joint, np.float64)
        return engine.calibrate_by_length(scores, self.rate, self.growth, self.doubt, self.offsets)

    def derive_odds(self, log_joint: Floats, a: int, b: int) -> PairOdds | None:
        if self.doubt and len(log_joint) > 2:
            return None
        with np.errstate(over="ignore"):
            hardness = np.minimum(1 + self.rate * np.abs(log_joint.max()) ** self.growth, np.finfo(np.float64).max)
        return PairOdds(float(1 / hardness), float(self.offsets[a] - self.offsets[b]), self.doubt)

    def fits(self, n_labels: int) -> bool:
        return len(self.offsets) == n_labels

    def pick(self, positions: Integers) -> "LengthCalibration":
        return LengthCalibration(self.rate, self.growth, pick_offsets(self.offsets, positions), self.doubt)

    def to_dict(self) -> dict[str, Any]:
        return {"rate": self.rate, "growth": self.growth, "doubt": self.doubt, "offsets": self.offsets.tolist()}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        rate, growth, doubt = (read_number(written[name]) for name in ("rate", "growth", "doubt"))
        if rate < 0 or not 0 <= growth <= MAX_GROWTH or not 0 <= doubt < 1:
            raise ValueError("a calibration by length has numbers out of bounds")
        return cls(rate, growth, read_numbers(written["offsets"]), doubt)

    @classmethod
    def _fit(cls, log_joint: Floats, codes: Integers, weights: Floats) -> Self:
        """The numbers with the best likelihood, with a weak pull of the offsets to 0, for labels with few documents.

        If the offsets gain less than chance would (by the Bayesian information criterion), they are all 0, and the order of
        the labels does not change.
        """
        rate, growth, doubt, offsets = engine.fit_length(log_joint, codes, weights)
        return cls(round_digits(rate), round_digits(growth), round_all(offsets), round_digits(doubt))


@register("calibration", "platt")
@dataclass(frozen=True, eq=False)
class Platt(Calibration):
    """Platt scaling: P(label | document) ∝ exp(factor · score + offset of the label), a softmax for more than two labels."""

    factor: float
    offsets: Floats

    @property
    def formula(self) -> str:
        return f"P is proportional to exp({self.factor:.6g} · score + offset of the label)"

    def apply(self, log_joint: Floats) -> Floats:
        return normalize_scores(log_joint * self.factor + self.offsets)

    def derive_odds(self, log_joint: Floats, a: int, b: int) -> PairOdds:
        return PairOdds(self.factor, float(self.offsets[a] - self.offsets[b]))

    def fits(self, n_labels: int) -> bool:
        return len(self.offsets) == n_labels

    def pick(self, positions: Integers) -> "Platt":
        return Platt(self.factor, pick_offsets(self.offsets, positions))

    def to_dict(self) -> dict[str, Any]:
        return {"factor": self.factor, "offsets": self.offsets.tolist()}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        return cls(_read_factor(written), read_numbers(written["offsets"]))

    @classmethod
    def _fit(cls, log_joint: Floats, codes: Integers, weights: Floats) -> Self:
        """The best likelihood of Platt's targets: the own label has (n + 1) / (n + 2) instead of 1 if n documents have it.

        The loss is convex. The factor stays above 0, so that probabilities rise with the scores.
        """
        factor, offsets = engine.fit_platt(log_joint, codes, weights)
        return cls(round_digits(factor), round_all(offsets))


@register("calibration", "isotonic")
@dataclass(frozen=True, eq=False)
class Isotonic(Calibration):
    """For each label the share of documents with this lead over the best other label; then all are scaled to the sum 1.

    One document, which belongs to all labels in equal parts, is added at the smallest lead, because an event that never
    happened in n documents may still happen. The probabilities by one temperature count as one more document, to decide
    between labels with equal shares.
    """

    steps: tuple[Steps | None, ...]  # None for a label that was unknown at fitting: it has the probability by temperature
    temperature: Temperature
    n_documents: int

    @property
    def formula(self) -> str:
        return "P rises in steps with the lead of the label over the best other label, as in held-out documents"

    def apply(self, log_joint: Floats) -> Floats:
        by_temperature = self.temperature.apply(log_joint)
        if log_joint.shape[1] == 1:
            return by_temperature
        leads, shares = compute_leads(log_joint), np.exp(by_temperature)
        for position, steps in enumerate(self.steps):
            if steps is not None:
                shares[:, position] += self.n_documents * np.interp(leads[:, position], *steps)
            else:
                shares[:, position] *= 1 + self.n_documents
        with np.errstate(divide="ignore"):
            return normalize_scores(np.where(np.isneginf(log_joint), -np.inf, np.log(shares)))

    def fits(self, n_labels: int) -> bool:
        return len(self.steps) == n_labels

    def pick(self, positions: Integers) -> "Isotonic":
        known = (*self.steps, None)
        return Isotonic(tuple(known[position] for position in positions.tolist()), self.temperature, self.n_documents)

    def to_dict(self) -> dict[str, Any]:
        steps = [None if each is None else [column.tolist() for column in each] for each in self.steps]
        return {"steps": steps, "factor": self.temperature.factor, "documents": self.n_documents}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        steps = tuple(None if each is None else _read_steps(each) for each in written["steps"])
        n_documents = written["documents"]
        if not is_int(n_documents) or not 0 <= n_documents <= 1 << 53:
            raise ValueError("a calibration has no number of documents")
        return cls(steps, Temperature(_read_factor(written)), n_documents)

    @classmethod
    def _fit(cls, log_joint: Floats, codes: Integers, weights: Floats) -> Self:
        leads = compute_leads(shift_scores(log_joint))
        unseen = 1 / log_joint.shape[1]
        steps = tuple(fit_steps(leads[:, k], codes == k, weights, unseen) for k in range(log_joint.shape[1]))
        return cls(steps, Temperature._fit(log_joint, codes, weights), len(codes))


# The names of the methods in files. "auto" tries them in this order; ties go to the first.
METHODS: dict[str, type[Calibration]] = {
    "temperature": Temperature,
    "length": LengthCalibration,
    "platt": Platt,
    "isotonic": Isotonic,
}


def compute_leads(log_joint: Floats) -> Floats:
    """The score of each label minus the best score of the other labels.

    >>> compute_leads(np.array([[-1.0, -3.0, -7.0]]))
    array([[ 2., -2., -6.]])
    """
    if log_joint.shape[1] == 1:
        return np.zeros_like(log_joint)
    documents, best = np.arange(len(log_joint)), log_joint.argmax(axis=1)
    top = log_joint[documents, best]
    others = log_joint.copy()
    others[documents, best] = -np.inf
    leads = log_joint - top[:, None]
    leads[documents, best] = top - others.max(axis=1)
    return np.asarray(leads, np.float64)


def fit_steps(leads: Floats, has_label: Flags, weights: Floats, unseen: float) -> Steps:
    """Isotonic regression (pool adjacent violators), reduced to its corners.

    A document of weight `unseen` that has the label is added at the smallest lead.

    >>> fit_steps(np.array([-3.0, -2.0, -1.0, 1.0]), np.array([False, False, False, True]), np.ones(4), unseen=0.5)
    (array([-3., -1.,  1.]), array([0.14285714, 0.14285714, 1.        ]))
    """
    return engine.fit_steps(np.ascontiguousarray(leads), has_label.astype(np.uint8), weights, unseen)


def _read_steps(written: Any) -> Steps:
    leads, shares = (read_numbers(column) for column in written)
    if len(leads) != len(shares) or not len(leads) or (np.diff(leads) <= 0).any() or (np.diff(shares) < 0).any():
        raise ValueError("a calibration has steps that do not rise")
    if shares[0] < 0 or shares[-1] > 1:
        raise ValueError("a calibration has shares that are not from 0 to 1")
    return leads, shares


def _read_factor(written: Mapping[str, Any]) -> float:
    factor = read_number(written["factor"])
    if factor <= 0:
        raise ValueError("the factor of a calibration must be above 0")
    return factor


def read_numbers(values: Any) -> Floats:
    """A list of numbers from a file. Raises ValueError if it is not a list, or if a number is not finite or too large.

    >>> read_numbers([1, 0.5])
    array([1. , 0.5])
    """
    if not isinstance(values, list) or not all(is_number(value) and abs(value) <= MAX_NUMBER for value in values):
        raise ValueError("a calibration has numbers that are not finite or too large")
    return np.array(values, np.float64)


def read_number(value: Any) -> float:
    return float(read_numbers([value])[0])


def shift_scores(log_joint: Floats) -> Floats:
    """Scores for fitting: all finite, and the best score of each row is 0."""
    return np.asarray(np.maximum(log_joint - log_joint.max(axis=1, keepdims=True), -1e6), np.float64)


def pick_offsets(offsets: Floats, positions: Integers) -> Floats:
    """The offsets of the labels at these positions; 0 for position -1."""
    return np.append(offsets, 0.0)[positions]


def round_digits(value: float) -> float:
    """The value with six digits: enough for the data, and the same on all machines.

    >>> round_digits(0.12345678)
    0.123457
    """
    return float(f"{value:.6g}")


def round_all(values: Floats) -> Floats:
    return np.array([round_digits(value) for value in values.tolist()])

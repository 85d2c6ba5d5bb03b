"""P(document | label) of naive Bayes: its kinds, the smoothings that each allows, and how the prior is added."""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.counts.units import ONE
from tercet.errors import InvalidOption
from tercet.kernel import engine
from tercet.models.smoothing import Additive, Smoothing

Kind = Literal["multinomial", "binary", "bernoulli", "complement"]


@dataclass(frozen=True)
class Likelihood:
    """The options of P(document | label) apart from the smoothing.

    `is_open`: terms may be added and removed, as in texts; a matrix keeps its columns. `kept` has a 1 for each selected term.
    """

    kind: Kind
    vocabulary: str = "union"
    unknown: str = "ignore"
    is_open: bool = False
    min_documents: int = 0
    kept: npt.NDArray[np.uint8] | None = None

    def with_smoothing(self, smoothing: Smoothing) -> engine.Model:
        self._check(smoothing)
        return engine.Model(
            likelihood=self.kind,
            smoothing=smoothing.registered_name,
            value=smoothing.value,
            open=self.is_open,
            shared=self.vocabulary == "shared",
            unknown_term=self.unknown == "unk",
            min_documents=self.min_documents * ONE,
            kept=self.kept,
        )

    def _check(self, smoothing: Smoothing) -> None:
        only_additive = self.kind in ("bernoulli", "complement")
        if only_additive and not isinstance(smoothing, Additive):
            raise InvalidOption(
                f"kind={self.kind!r} has no {type(smoothing).__name__} smoothing: give a number, for example 1.0."
            )
        if self.kind == "complement" and smoothing.value == 0:
            raise InvalidOption(
                "kind='complement' needs smoothing > 0: a term that only one label has would have infinite weight."
            )
        if only_additive and self.vocabulary == "shared":
            raise InvalidOption(f"kind={self.kind!r} has no vocabulary='shared': it is for multinomial and binary.")
        if self.unknown == "unk" and (only_additive or not isinstance(smoothing, Additive) or smoothing.value == 0):
            raise InvalidOption(
                "unknown='unk' needs kind='multinomial' or 'binary' with a number > 0 as smoothing: the unknown term has no "
                "counts, only a pseudo-count."
            )


def warn_of_lost(n_lost: int, n: int, stacklevel: int = 3) -> None:
    """Warn that in `n_lost` of n documents every label has probability 0, so that only the prior decides."""
    if n_lost:
        warnings.warn(
            f"{n_lost} of {n} documents have probability 0 under every label, and get the prior: no label has "
            "all of their terms. Use a smoothing above 0.",
            RuntimeWarning,
            stacklevel=stacklevel + 1,
        )


def add_prior(scores: Floats, prior: Any) -> tuple[Floats, int]:
    """log P(label) + log P(document | label), and the number of lost documents, for which every label is impossible.

    A lost document gets the prior alone.
    """
    joint = np.asarray(scores + prior, np.float64)
    lost = np.isneginf(joint).all(axis=1)
    if lost.any():
        joint[lost] = np.broadcast_to(prior, joint.shape)[lost]
    return joint, int(lost.sum())


def join_prior(scores: Floats, prior: Any) -> Floats:
    """log P(label) + log P(document | label), with a warning about lost documents."""
    joint, n_lost = add_prior(scores, prior)
    warn_of_lost(n_lost, len(joint))
    return joint

"""The kinds of naive Bayes: which smoothing each can have, which terms it sees, and what to do where no label is possible."""

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
    """P(document | label) without its smoothing: all that a model of the kernel needs beside that.

    `is_open`: texts bring and lose terms, while a matrix keeps its columns. `kept` has a 1 for each term that was selected.
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
            smoothing=smoothing.name,
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
            raise InvalidOption("kind='complement' needs smoothing > 0: a term of one label alone would weigh without limit.")
        if only_additive and self.vocabulary == "shared":
            raise InvalidOption(f"kind={self.kind!r} has no vocabulary='shared': it is for multinomial and binary.")
        if self.unknown == "unk" and (only_additive or not isinstance(smoothing, Additive) or smoothing.value == 0):
            raise InvalidOption(
                "unknown='unk' needs kind='multinomial' or 'binary' with a number > 0 as smoothing: the unknown term has no "
                "counts, so a pseudo-count is all it can have."
            )


def warn_of_lost(n_lost: int, n: int, stacklevel: int = 3) -> None:
    """Where every label is out, only the prior is left to decide."""
    if n_lost:
        warnings.warn(
            f"{n_lost} of {n} documents have probability 0 under every label, and get the prior: no label has "
            "all of their terms. A smoothing above 0 mends it.",
            RuntimeWarning,
            stacklevel=stacklevel + 1,
        )


def add_prior(scores: Floats, prior: Any) -> tuple[Floats, int]:
    """log P(label) + log P(document | label), and in how many documents every label is out: there it is the prior alone."""
    joint = np.asarray(scores + prior, np.float64)
    lost = np.isneginf(joint).all(axis=1)
    if lost.any():
        joint[lost] = np.broadcast_to(prior, joint.shape)[lost]
    return joint, int(lost.sum())


def join_prior(scores: Floats, prior: Any) -> Floats:
    """The same, with a warning where every label is out."""
    joint, n_lost = add_prior(scores, prior)
    warn_of_lost(n_lost, len(joint))
    return joint

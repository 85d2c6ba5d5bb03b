"""Bayes' rule in logarithms: log P(label) + log P(document | label), up to a constant log P(label | document).

P(label) is the prior, as an option and from the numbers of documents. P(document | label) is the likelihood of naive Bayes:
its kinds, and the smoothings that each kind allows.

A document may be impossible under every label: with smoothing 0, or with given probabilities of 0. Then log P(label) +
log P(document | label) is -inf for each label, and P(document) is 0. P(label | document) would be 0 / 0. Instead the prior is
taken, which is all that is known: it decides, and its probabilities are shown, with a warning.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tercet.arrays import Flags, Floats
from tercet.counts.labels import Labels
from tercet.counts.units import ONE
from tercet.errors import InvalidOption, MissingLabel, NoPrior, bad_option
from tercet.kernel import engine
from tercet.models.smoothing import Additive, Smoothing

Kind = Literal["multinomial", "binary", "bernoulli", "complement"]


@dataclass(frozen=True)
class Likelihood:
    """The options of P(document | label) apart from the smoothing.

    `is_open`: terms may be added and removed, as in texts; a matrix keeps its columns. `kept` has a 1 for each selected term.
    `terms` are the terms by their numbers, or the number of columns; None if only the options are to be checked.
    """

    kind: Kind
    vocabulary: str = "union"
    unknown: str = "ignore"
    is_open: bool = False
    min_documents: int = 0
    kept: npt.NDArray[np.uint8] | None = None
    terms: Sequence[str] | int | None = None

    def with_smoothing(self, smoothing: Smoothing) -> engine.Model:
        self._check(smoothing)
        terms = () if self.terms is None and self.is_open else self.terms
        return engine.Model(
            likelihood=self.kind,
            smoothing=smoothing.registered_name,
            value=smoothing.value,
            open=self.is_open,
            shared=self.vocabulary == "shared",
            unknown_term=self.unknown == "unk",
            min_documents=self.min_documents * ONE,
            kept=self.kept,
            pseudo_counts=None if terms is None else smoothing.own_counts(terms),
        )

    def _check(self, smoothing: Smoothing) -> None:
        only_additive = self.kind in ("bernoulli", "complement")
        if only_additive and not isinstance(smoothing, Additive):
            raise InvalidOption(
                f"kind={self.kind!r} has no {type(smoothing).__name__} smoothing: give a number, for example 1.0."
            )
        if self.kind == "bernoulli" and smoothing.per_term is not None:
            raise InvalidOption(
                "kind='bernoulli' has no pseudo-counts of single terms: it counts documents with and without a term. "
                "Give a number, or use kind='binary'."
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


def log_prior(prior: Any, labels: Labels, n_documents: Floats) -> Floats:
    """The logarithm of P(label) for each label; -inf for a label of probability 0.

    `"empirical"` is the share of the documents, `"uniform"` the same for all; or a mapping from label to probability, or
    a sequence in the order of the labels.

    >>> np.exp(log_prior("empirical", np.array(["ham", "spam"]), np.array([3.0, 1.0]))).round(2)
    array([0.75, 0.25])
    """
    _check_name(prior)
    if isinstance(prior, str):
        # Without any document all labels are equal.
        counts = n_documents if prior == "empirical" and n_documents.any() else np.ones(len(labels))
        probabilities = counts / counts.sum()
    else:
        probabilities = _check_probabilities(prior, labels)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probabilities), np.float64)


def log_priors_left(prior: Any, labels: Labels, left: Floats, *, only_present: bool) -> Floats:
    """The log prior for each row of `left`: the numbers of documents of each label that are left when some are left out.

    With `only_present` a label without documents is impossible. `prior` None means no prior. If no document is left, all
    labels are equal.
    """
    _check_name(prior)
    none_left = ~(left > 0).any(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        if isinstance(prior, str) and (prior == "empirical" or only_present):
            votes = np.where(none_left, 1.0, left if prior == "empirical" else left > 0)
            return np.asarray(np.log(votes / votes.sum(axis=1, keepdims=True)), np.float64)
    given = np.zeros(len(labels)) if prior is None else log_prior(prior, labels, left[0])
    return np.asarray(np.where(only_present & (left <= 0) & ~none_left, -np.inf, given), np.float64)


def check_prior(kind: str, logs: Floats) -> Floats:
    """The log prior of a naive Bayes of this kind. Raises NoPrior for complement, which has none."""
    if kind == "complement":
        raise NoPrior("kind='complement' has no prior: it compares the terms of each label with those of all other labels.")
    return logs


def _check_name(prior: Any) -> None:
    if isinstance(prior, str) and prior not in ("empirical", "uniform"):
        raise bad_option("prior", "empirical, uniform, a mapping or a sequence", prior, "no other prior is known.")


def _check_probabilities(prior: Any, labels: Labels) -> Floats:
    if isinstance(prior, Mapping):
        missing = [label for label in labels.tolist() if label not in prior]
        if missing:
            raise InvalidOption(f"prior has no probability for the label {missing[0]!r}: each label needs one.")
        whole = _check_sum(np.array(list(prior.values()), np.float64))
        values = np.array([prior[label] for label in labels.tolist()], np.float64)
        if len(values) == len(whole):
            return values
        # Scale to the sum 1 without the labels that are gone. If the other labels have probability 0, all are equal.
        return values / values.sum() if values.sum() > 0 else np.full(len(values), 1 / max(len(values), 1))
    values = np.asarray(prior, np.float64)
    if values.shape != (len(labels),):
        kind = MissingLabel if values.shape > (len(labels),) else InvalidOption
        raise kind(f"Number of priors must match number of classes: got {values.shape}, there are {len(labels)} labels.")
    return _check_sum(values)


def _check_sum(values: Floats) -> Floats:
    if not np.isfinite(values).all() or (values < 0).any():
        raise InvalidOption(f"Priors must be non-negative, got {values.tolist()}.")
    if not np.isclose(values.sum(), 1.0):
        raise InvalidOption(f"The sum of the priors should be 1, got {values.sum():g}.")
    return values


def warn_of_lost(n_lost: int, n: int, stacklevel: int = 3) -> None:
    """Warn that in `n_lost` of n documents every label has probability 0, so that only the prior decides."""
    warnings.warn(
        f"{n_lost} of {n} documents have probability 0 under every label, and get the prior: no label has "
        "all of their terms. Use a smoothing above 0.",
        RuntimeWarning,
        stacklevel=stacklevel + 1,
    )


def add_prior(scores: Floats, prior: Any) -> tuple[Floats, Flags]:
    """The scores that decide, and for each document whether it is lost: every label is impossible.

    They are log P(label) + log P(document | label). A lost document gets only the prior.

    >>> add_prior(np.array([[-1.0, -np.inf], [-np.inf, -np.inf]]), np.array([-0.5, -1.0]))
    (array([[-1.5, -inf], [-0.5, -1. ]]), array([False,  True]))
    """
    joint = np.asarray(scores + prior, np.float64)
    lost: Flags = np.asarray(np.isneginf(joint).all(axis=1))
    if lost.any():
        joint[lost] = np.broadcast_to(prior, joint.shape)[lost]
    return joint, lost


def no_evidence(kind: str) -> InvalidOption:
    """The error for a model without P(document)."""
    return InvalidOption(
        f"{kind} has scores and no probabilities of documents: use a NaiveBayes of kind multinomial, binary or bernoulli."
    )


def sum_labels(log_likelihood: Floats, log_prior: Floats) -> Floats:
    """log P(document) = log Σ P(label) P(document | label), for each document; -inf if it is impossible under every label.

    >>> sum_labels(np.log([[0.1, 0.4]]), np.log([0.5, 0.5])).round(6)
    array([-1.386294])
    """
    return np.asarray(np.logaddexp.reduce(log_likelihood + log_prior, axis=1), np.float64)


def join_prior(scores: Floats, prior: Any) -> Floats:
    """The scores that decide, with a warning about lost documents."""
    joint, lost = add_prior(scores, prior)
    if lost.any():
        warn_of_lost(int(lost.sum()), len(joint))
    return joint

"""P(label) before a document is seen."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.counts.labels import Labels
from tercet.errors import InvalidOption, bad_option


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


def _check_name(prior: Any) -> None:
    if isinstance(prior, str) and prior not in ("empirical", "uniform"):
        raise bad_option("prior", "empirical, uniform, a mapping or a sequence", prior, "nothing else is known.")


def _check_probabilities(prior: Any, labels: Labels) -> Floats:
    if isinstance(prior, Mapping):
        missing = [label for label in labels.tolist() if label not in prior]
        if missing:
            raise InvalidOption(f"prior has no probability for the label {missing[0]!r}: each label needs one.")
        whole = _check_sum(np.array(list(prior.values()), np.float64))
        values = np.array([prior[label] for label in labels.tolist()], np.float64)
        if len(values) == len(whole):
            return values
        # Scale to the sum 1 without the labels that are not there any more. If the others have 0, all are equal.
        return values / values.sum() if values.sum() > 0 else np.full(len(values), 1 / max(len(values), 1))
    values = np.asarray(prior, np.float64)
    if values.shape != (len(labels),):
        raise InvalidOption(
            f"Number of priors must match number of classes: got {values.shape}, there are {len(labels)} labels."
        )
    return _check_sum(values)


def _check_sum(values: Floats) -> Floats:
    if not np.isfinite(values).all() or (values < 0).any():
        raise InvalidOption(f"Priors must be non-negative, got {values.tolist()}.")
    if not np.isclose(values.sum(), 1.0):
        raise InvalidOption(f"The sum of the priors should be 1, got {values.sum():g}.")
    return values

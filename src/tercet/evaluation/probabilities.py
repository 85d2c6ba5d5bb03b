"""Gold labels with the probability that a system gave to each label, and metrics of them; each metric by its name.

Log-loss, Brier score, ROC-AUC, average precision, calibration error.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels
from tercet.errors import InvalidMatrix
from tercet.evaluation.checked_labels import check_weights, encode_label_column, encode_label_columns
from tercet.evaluation.metrics import PROBABILITY_NAMES, average_defined, divide, find_label_index, unknown_metric
from tercet.options import check_count

TOLERANCE = 1e-3  # probabilities come rounded, or in single precision; fastText adds 0.00001 to each


@dataclass(frozen=True, eq=False)
class ProbabilisticPredictions:
    """Gold labels and probabilities, checked once. The metrics of probabilities take it.

    >>> forecast = ProbabilisticPredictions.of(["ham", "spam"], [[0.9, 0.1], [0.5, 0.5]])
    >>> forecast.labels, forecast.gold
    (array(['ham', 'spam'], dtype='<U4'), array([0, 1]))
    """

    labels: Labels  # of the columns
    gold: Integers  # the column of each document's gold label
    probabilities: Floats  # documents × labels
    weights: Floats

    @classmethod
    def of(cls, gold: Any, probabilities: Any, labels: Any = None, weights: Any = None) -> Self:
        """`labels` names the columns. Without it a data frame's column names do, or the columns are gold's labels, sorted."""
        values = _read_matrix(probabilities)
        gold = list(gold) if isinstance(gold, Iterator) else gold  # it is read twice
        labels = _name_columns(gold, probabilities) if labels is None else labels
        columns, (codes,) = encode_label_columns({"gold": gold}, labels)
        if values.shape[1] != len(columns):
            origin = f"gold has {len(columns)} labels" if labels is None else f"{len(columns)} labels are named"
            raise InvalidMatrix(
                f"probabilities have {values.shape[1]} columns and {origin}: which column is which label? "
                "Pass labels, with one for each column, in their order."
            )
        if len(values) != len(codes):
            raise InvalidMatrix(f"gold has {len(codes)} labels and probabilities have {len(values)} rows: pass one for each.")
        _check_values(values)
        return cls(columns, codes, values, check_weights(weights, len(codes)))

    @property
    def gold_probabilities(self) -> Floats:
        """The probability that each document's gold label was given."""
        return self.probabilities[np.arange(len(self.gold)), self.gold]

    def take(self, documents: Any) -> "ProbabilisticPredictions":
        """The forecast of these documents only, with the same columns."""
        return ProbabilisticPredictions(
            self.labels, self.gold[documents], self.probabilities[documents], self.weights[documents]
        )


def _read_matrix(probabilities: Any) -> Floats:
    try:
        values = np.asarray(probabilities, np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidMatrix(f"probabilities must be numbers, documents × labels: {error}.") from None
    if values.ndim != 2:
        raise InvalidMatrix(
            f"probabilities must be documents × labels, got shape {values.shape}: each label needs a column. "
            "For two labels pass np.column_stack([1 - p, p]), if p is the probability of the second label."
        )
    return values


def _name_columns(gold: Any, probabilities: Any) -> Any:
    """The names of a data frame's columns if gold's labels are among them; None if there are no such names."""
    names = getattr(probabilities, "column_names", None)  # Arrow's name for them: its `columns` are the data
    names = getattr(probabilities, "columns", None) if names is None else names
    if names is None or not set(encode_label_column("gold", gold)[0].tolist()) <= set(names):
        return None
    return list(names)


def _check_values(values: Floats) -> None:
    # Written so that NaN is found, too.
    is_bad = ~((values >= 0) & (values <= 1 + TOLERANCE))
    if is_bad.any():
        row, column = np.argwhere(is_bad)[0]
        raise InvalidMatrix(
            f"the probability in row {row}, column {column} (counted from 0) is {values[row, column]}: it must be a number "
            "from 0 to 1. Convert other scores to probabilities first."
        )
    sums = values.sum(axis=1)
    bad = np.flatnonzero(np.abs(sums - 1) > TOLERANCE)
    if len(bad):
        raise InvalidMatrix(
            f"the probabilities in row {bad[0]} (counted from 0) sum to {sums[bad[0]]:.6g}, not 1: is a label missing? "
            "Divide each row by its sum if they are shares of something else."
        )


ProbabilityScore = Callable[[ProbabilisticPredictions, Floats | None], Floats]


# The mean loss of a document


def log_loss(forecast: ProbabilisticPredictions, weights: Floats | None = None) -> Floats:
    """The mean of -log P(gold label), in nats.

    >>> float(log_loss(ProbabilisticPredictions.of(["ham", "spam"], [[0.9, 0.1], [0.5, 0.5]])).round(4))
    0.3993
    """
    return _average_documents(forecast, log_losses(forecast), weights)


def log_losses(forecast: ProbabilisticPredictions) -> Floats:
    """-log P(gold label) of each document. A probability of 0 counts as 2⁻⁵², as in scikit-learn: no loss is infinite."""
    smallest = np.finfo(np.float64).eps
    return np.asarray(-np.log(forecast.gold_probabilities.clip(smallest, 1 - smallest)))


def brier(forecast: ProbabilisticPredictions, weights: Floats | None = None) -> Floats:
    """The Brier score in its original form: the mean of Σ (P(label) - [label is gold])², from 0 to 2.

    For two labels scikit-learn and others report half of it.

    >>> float(brier(ProbabilisticPredictions.of(["ham", "spam"], [[0.9, 0.1], [0.5, 0.5]])).round(4))
    0.26
    """
    return _average_documents(forecast, squared_errors(forecast), weights)


def squared_errors(forecast: ProbabilisticPredictions) -> Floats:
    """Σ (P(label) - [label is gold])² of each document."""
    own = forecast.gold_probabilities
    squares = np.einsum("ij,ij->i", forecast.probabilities, forecast.probabilities)
    return np.asarray((1 - own) ** 2 + (squares - own**2).clip(0))


def _average_documents(forecast: ProbabilisticPredictions, values: Floats, weights: Floats | None = None) -> Floats:
    """The weighted mean of one value for each document; NaN where all weights are 0."""
    weights = forecast.weights if weights is None else weights
    return divide(weights @ values, weights.sum(axis=-1))


# How well the probability of a label ranks its documents before all others: one number for each label


class RankWeights(NamedTuple):
    """The weight of a label's own documents and of the others at each rank, from the highest probability to the lowest."""

    own: Floats  # (..., distinct probabilities)
    others: Floats


def rank_documents(forecast: ProbabilisticPredictions, label_index: int, weights: Floats | None = None) -> RankWeights:
    """Documents with the same probability share a rank.

    >>> rank_documents(ProbabilisticPredictions.of(["b", "a", "a"], [[0.9, 0.1], [0.2, 0.8], [0.9, 0.1]]), label_index=0)
    RankWeights(own=array([1., 1.]), others=array([1., 0.]))
    """
    weights = forecast.weights if weights is None else weights
    descending = -forecast.probabilities[:, label_index]
    order = np.argsort(descending)
    starts = np.flatnonzero(np.diff(descending[order], prepend=-np.inf))
    ranked, is_own = weights[..., order], forecast.gold[order] == label_index
    own = np.add.reduceat(ranked * is_own, starts, axis=-1)
    return RankWeights(own, np.add.reduceat(ranked * ~is_own, starts, axis=-1))


def roc_auc(forecast: ProbabilisticPredictions, weights: Floats | None = None) -> Floats:
    """For each label the probability that a document of it ranks before a document of another label; a tie counts as 1/2.

    Undefined (NaN) for a label that no document has, or that all documents have.

    >>> roc_auc(ProbabilisticPredictions.of(["a", "b", "a"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]))
    array([0.5, 0.5])
    """
    return np.stack([_measure_area(rank_documents(forecast, k, weights)) for k in range(len(forecast.labels))], axis=-1)


def average_precision(forecast: ProbabilisticPredictions, weights: Floats | None = None) -> Floats:
    """For each label the mean, over its documents, of the precision among all documents that rank as high or higher.

    It is the area under the steps of the precision-recall curve. Undefined (NaN) for a label that no document has.

    >>> average_precision(ProbabilisticPredictions.of(["a", "b", "a"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])).round(3)
    array([0.833, 0.5 ])
    """
    return np.stack([_average_precisions(rank_documents(forecast, k, weights)) for k in range(len(forecast.labels))], axis=-1)


def _measure_area(ranks: RankWeights) -> Floats:
    own, others = ranks
    before = np.cumsum(own, axis=-1) - own / 2
    return divide((others * before).sum(axis=-1), own.sum(axis=-1) * others.sum(axis=-1))


def _average_precisions(ranks: RankWeights) -> Floats:
    own, others = ranks
    found = np.cumsum(own, axis=-1)
    precision = divide(found, found + np.cumsum(others, axis=-1), zero_division=0.0)  # 0/0 only before any document
    return divide((own * precision).sum(axis=-1), own.sum(axis=-1))


# Calibration: are answers with a probability of 0.8 right in 80 % of the cases?


@dataclass(frozen=True, eq=False)
class Reliability:
    """Documents by the probability of their most probable label, in bins of equal width; NaN in an empty bin."""

    edges: Floats  # of the bins: (0, 0.1], (0.1, 0.2] …
    counts: Floats  # documents in each bin, or their weights
    confidence: Floats  # mean probability of the most probable label
    accuracy: Floats  # share of documents for which that label is right


def reliability_table(forecast: ProbabilisticPredictions, n_bins: int = 10) -> Reliability:
    """Accuracy beside mean confidence in each bin.

    >>> predictions = ProbabilisticPredictions.of(["a", "b", "b"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    >>> reliability_table(predictions, n_bins=2).accuracy.round(2)
    array([ nan, 0.67])
    """
    bins, confidence, is_right = bin_documents(forecast, n_bins)
    counts, confident, right = (
        np.bincount(bins, forecast.weights * values, minlength=n_bins).astype(np.float64)
        for values in (np.ones(len(bins)), confidence, is_right)
    )
    return Reliability(np.linspace(0, 1, n_bins + 1), counts, divide(confident, counts), divide(right, counts))


def calibration_error(forecast: ProbabilisticPredictions, weights: Floats | None = None, *, n_bins: int = 10) -> Floats:
    """Expected calibration error (ECE): the mean over documents of |accuracy - mean confidence| of their bin.

    It depends on the number of bins. In small samples it is above 0 even for a perfectly calibrated model.

    >>> predictions = ProbabilisticPredictions.of(["a", "b", "b"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    >>> float(calibration_error(predictions, n_bins=2).round(3))
    0.1
    """
    weights = forecast.weights if weights is None else weights
    bins, confidence, is_right = bin_documents(forecast, n_bins)
    # Documents of a bin are put side by side, so that any number of resamples is summed at once.
    order = np.argsort(bins, kind="stable")
    starts = np.flatnonzero(np.diff(bins[order], prepend=-1))
    gaps = np.add.reduceat((weights * (is_right - confidence))[..., order], starts, axis=-1)
    return divide(np.abs(gaps).sum(axis=-1), weights.sum(axis=-1))


def bin_documents(forecast: ProbabilisticPredictions, n_bins: int) -> tuple[Integers, Floats, Floats]:
    """The bin of each document, its confidence, and 1 where the most probable label (the first of several) is right."""
    check_count("n_bins", n_bins)
    predicted = forecast.probabilities.argmax(axis=1)
    confidence = forecast.probabilities[np.arange(len(predicted)), predicted]
    inner = np.linspace(0, 1, n_bins + 1)[1:-1]
    return np.searchsorted(inner, confidence), confidence, (predicted == forecast.gold).astype(np.float64)


# Metrics by name


@dataclass(frozen=True)
class ProbabilityMetric:
    """A named function from a forecast and weights (..., documents) to numbers (...). An undefined number is NaN.

    >>> metric = PROBABILITY_METRICS["roc_auc"]
    >>> forecast = ProbabilisticPredictions.of(["a", "b", "a"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    >>> metric(forecast), metric(forecast, np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]))
    (array(0.5), array([1., 0.]))
    """

    name: str
    score: ProbabilityScore
    label_score: ProbabilityScore | None = None  # (..., labels): the numbers that it averages, or picks one of
    label_index: int | None = None  # the index of the label that it picks

    def __call__(self, forecast: ProbabilisticPredictions, weights: Floats | None = None) -> Floats:
        """One number; with weights of resamples, one for each resample."""
        return self.score(forecast, weights)


def find_probability_metric(name: Any, labels: Labels) -> ProbabilityMetric:
    """A metric of `PROBABILITY_METRICS`, or of one label: `roc_auc:spam`, `average_precision:spam`.

    >>> find_probability_metric("roc_auc:spam", np.array(["ham", "spam"])).label_index
    1
    """
    if isinstance(name, ProbabilityMetric):
        return name
    head, colon, label = str(name).partition(":")
    known = PROBABILITY_METRICS.get(head)
    if known is None or (colon and known.label_score is None):
        raise unknown_metric(name, [*PROBABILITY_METRICS, "roc_auc:LABEL", "average_precision:LABEL"])
    if not colon or known.label_score is None:
        return known
    label_index = find_label_index(str(name), label, labels)
    return ProbabilityMetric(str(name), partial(_score_label, known.label_score, label_index), known.label_score, label_index)


def _score_label(
    score: ProbabilityScore, label_index: int, forecast: ProbabilisticPredictions, weights: Floats | None
) -> Floats:
    return np.asarray(score(forecast, weights)[..., label_index])


def _average_labels(score: ProbabilityScore, forecast: ProbabilisticPredictions, weights: Floats | None) -> Floats:
    return average_defined(score(forecast, weights))


_WHOLE: tuple[Any, ...] = (log_loss, brier, calibration_error)
_RANKED = (roc_auc, average_precision)
_METRICS = {each.__name__: ProbabilityMetric(each.__name__, each) for each in _WHOLE} | {
    each.__name__: ProbabilityMetric(each.__name__, partial(_average_labels, each), each) for each in _RANKED
}
PROBABILITY_METRICS: dict[str, ProbabilityMetric] = {name: _METRICS[name] for name in PROBABILITY_NAMES}

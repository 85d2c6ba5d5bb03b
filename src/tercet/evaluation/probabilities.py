"""Gold labels with the probability that a system gave to each label."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels
from tercet.errors import InvalidMatrix
from tercet.evaluation.checked_labels import check_weights, encode_label_column, encode_label_columns

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

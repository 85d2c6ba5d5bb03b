"""Predictions as lines (tab-separated, CSV, JSON) or rows of a table. A row that could not be read has an empty prediction."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.report.forms import simplify
from tercet.report.tables import defuse_formula, join_cells, name_apart, write_object

# The best labels with their probabilities, in order. The label is None if the model abstains.
Ranked = list[tuple[Any, float]]
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def rank_labels(labels: Sequence[Any], probabilities: Floats, n: int) -> list[Ranked]:
    """The n most probable labels of each document; of equal ones, the first in sorted order.

    >>> rank_labels(["ham", "spam"], np.array([[0.25, 0.75]]), 2)
    [[('spam', 0.75), ('ham', 0.25)]]
    """
    if n == 1 and len(probabilities) == 1:  # NumPy takes longer for one text
        row = probabilities[0].tolist()
        best_value = max(row)
        return [[(labels[row.index(best_value)], best_value)]]
    if n == 1:
        best, values = probabilities.argmax(axis=1).tolist(), probabilities.max(axis=1).tolist()
        return [[(labels[index], value)] for index, value in zip(best, values, strict=True)]
    order = np.argsort(-probabilities, axis=1, kind="stable")[:, :n]
    sorted_values = np.take_along_axis(probabilities, order, axis=1)
    return [
        [(labels[index], value) for index, value in zip(indices, values, strict=True)]
        for indices, values in zip(order.tolist(), sorted_values.tolist(), strict=True)
    ]


def keep_probable(ranked: Ranked, threshold: float) -> Ranked:
    """The labels with at least this probability.

    >>> keep_probable([("spam", 0.75), ("ham", 0.25)], 0.3)
    [('spam', 0.75)]
    """
    return [(label, probability) for label, probability in ranked if probability >= threshold]


def abstain(ranked: Ranked, threshold: float) -> Ranked:
    """No label if the best has less than this probability.

    >>> abstain([("spam", 0.75)], 0.9)
    [(None, 0.75)]
    """
    return ranked if ranked[0][1] >= threshold else [(None, ranked[0][1])]


class PredictionLines:
    """Predictions as rows of a table or as lines, each after the columns of the input that are kept."""

    def __init__(self, n: int, kept: Sequence[str] = ()) -> None:
        self.n, self.kept = n, tuple(kept)
        self._written = name_apart(self._list_names(), self.kept, "predicted")

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return [*self.kept, *self._written.values()]

    def head(self) -> str:
        """What is written before all predictions."""
        return ""

    def spell(self, label: str) -> str:
        """A label as it is written on a line."""
        return label

    def write(self, ranked: Sequence[Ranked | None], kept: Sequence[Mapping[str, Any]]) -> str:
        """A line for each prediction; its labels are spelled already. None is a row that could not be read."""
        return "".join(map(self.write_one, ranked, kept))

    def write_one(self, ranked: Ranked | None, kept: Mapping[str, Any]) -> str:
        raise NotImplementedError

    def make_row(self, ranked: Ranked | None, kept: Mapping[str, Any]) -> dict[str, Any]:
        """The values of all columns."""
        return dict(zip(self.names, [*(kept.get(name) for name in self.kept), *self._list_values(ranked)], strict=True))

    def _list_names(self) -> list[str]:
        """The names of the columns of a prediction, as many labels as may be printed."""
        return ["label", "probability", *(f"{name}_{k}" for k in range(2, self.n + 1) for name in ("label", "probability"))]

    def _list_values(self, ranked: Ranked | None) -> list[Any]:
        """The values of these columns."""
        values = [value for pair in ranked or () for value in pair]
        return values + [None] * (2 * self.n - len(values))


class TextLines(PredictionLines):
    """Lines of cells. A probability has six digits."""

    def _list_values(self, ranked: Ranked | None) -> list[Any]:
        return [f"{value:.6f}" if isinstance(value, float) else value or "" for value in super()._list_values(ranked)]

    def _list_cells(self, ranked: Ranked | None, kept: Mapping[str, Any]) -> list[str]:
        spelled = ["" if kept.get(name) is None else self.spell(str(kept[name])) for name in self.kept]
        return spelled + self._list_values(ranked)


class TabLines(TextLines):
    r"""label<TAB>probability

    >>> TabLines(1).write([[("spam", 0.75)], None], [{}, {}])
    'spam\t0.750000\n\t\n'
    >>> TabLines(3).write([[("spam", 0.75), ("ham", 0.25)], [], None], [{}, {}, {}])
    'spam\t0.750000\tham\t0.250000\n\t\n\t\n'
    """

    def spell(self, label: str) -> str:
        return label.translate(ESCAPES)

    def write(self, ranked: Sequence[Ranked | None], kept: Sequence[Mapping[str, Any]]) -> str:
        if self.n > 1 or self.kept:
            return super().write(ranked, kept)
        # A faster path for by far the most frequent case.
        return "".join([f"{row[0][0] or ''}\t{row[0][1]:.6f}\n" if row else "\t\n" for row in ranked])

    def write_one(self, ranked: Ranked | None, kept: Mapping[str, Any]) -> str:
        return "\t".join(self._list_cells(ranked, kept)) + "\n"

    def _list_values(self, ranked: Ranked | None) -> list[Any]:
        """Without a header nothing needs as many cells on each line. A line without a label has two empty cells."""
        return super()._list_values(ranked)[: 2 * max(len(ranked or ()), 1)]


class CsvLines(TextLines):
    r"""CSV with a header, with every value as it is

    >>> lines = CsvLines(2, kept=["label"])
    >>> lines.head() + lines.write([[("spam", 0.75), ("ham", 0.25)]], [{"label": "a, b"}])
    'label,predicted_label,probability,label_2,probability_2\n"a, b",spam,0.750000,ham,0.250000\n'
    """

    def head(self) -> str:
        return join_cells(map(self.spell, self.names))

    def write_one(self, ranked: Ranked | None, kept: Mapping[str, Any]) -> str:
        return join_cells(self._list_cells(ranked, kept))


class SpreadsheetLines(CsvLines):
    r"""CSV with a header that a spreadsheet opens without running what is in it

    >>> SpreadsheetLines(1, kept=["text"]).write([[("-1", 0.75)]], [{"text": "=1+1"}])
    "'=1+1,-1,0.750000\n"
    """

    def spell(self, label: str) -> str:
        return defuse_formula(label)


class JsonLines(PredictionLines):
    r"""A JSON object on each line

    >>> JsonLines(2).write([[("spam", 0.75), ("ham", 0.25)]], [{}])
    '{"label": "spam", "probability": 0.75, "probabilities": {"spam": 0.75, "ham": 0.25}}\n'
    """

    def write_one(self, ranked: Ranked | None, kept: Mapping[str, Any]) -> str:
        return write_object(self.make_row(ranked, {name: simplify(kept.get(name)) for name in self.kept}))

    def _list_names(self) -> list[str]:
        return ["label", "probability", *(["probabilities"] if self.n > 1 else [])]

    def _list_values(self, ranked: Ranked | None) -> list[Any]:
        best = ranked[0] if ranked else (None, None)
        return [*best, *([None if ranked is None else dict(ranked)] if self.n > 1 else [])]


FORMS: dict[str, Callable[[int, Sequence[str]], PredictionLines]] = {
    "tab": TabLines,
    "csv": SpreadsheetLines,
    "csv with formulas": CsvLines,
    "json": JsonLines,
    "parquet": PredictionLines,  # only rows
}

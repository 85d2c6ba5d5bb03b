"""Predictions as lines: tab-separated, CSV or JSON. A row that could not be read gets an empty prediction."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.report.json_values import simplify

# The best labels with their probabilities, in order. The label is None if the model abstains.
Ranked = list[tuple[str | None, float]]
# What a spreadsheet may take for a formula: one of these signs, also after blanks, and something after it; or a tab or a
# carriage return at the beginning. The wide signs of East Asian keyboards count, too. A sign alone is a common label.
FORMULA = re.compile(r"[\s\0\ufeff]*[=+\-@＝＋－＠](?!\Z)|[\t\r]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def rank_labels(labels: Sequence[str], probabilities: Floats, n: int) -> list[Ranked]:
    """The n most probable labels of each document; of equal ones, the first in sorted order.

    >>> rank_labels(["ham", "spam"], np.array([[0.25, 0.75]]), 2)
    [[('spam', 0.75), ('ham', 0.25)]]
    """
    if n == 1:
        best, values = probabilities.argmax(axis=1).tolist(), probabilities.max(axis=1).tolist()
        return [[(labels[place], value)] for place, value in zip(best, values, strict=True)]
    order = np.argsort(-probabilities, axis=1, kind="stable")[:, :n]
    sorted_values = np.take_along_axis(probabilities, order, axis=1)
    return [
        [(labels[place], value) for place, value in zip(places, values, strict=True)]
        for places, values in zip(order.tolist(), sorted_values.tolist(), strict=True)
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
    """Writes predictions as lines, each after the columns of the input that are kept."""

    def __init__(self, n: int, kept: Sequence[str] = ()) -> None:
        self.n, self.kept = n, tuple(kept)

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

    def list_names(self) -> list[str]:
        """The names of the columns of a prediction, as many labels as may be printed."""
        more = [f"{name}_{k}" for k in range(2, self.n + 1) for name in ("label", "probability")]
        return [self._name(name) for name in ("label", "probability", *more)]

    def list_values(self, ranked: Ranked | None) -> list[str | float | None]:
        """The values of these columns."""
        values = [value for pair in ranked or () for value in pair]
        return values + [None] * (2 * self.n - len(values))

    def _cells(self, ranked: Ranked | None, kept: Mapping[str, Any]) -> Iterator[str]:
        yield from ("" if kept.get(name) is None else self.spell(str(kept[name])) for name in self.kept)
        for value in self.list_values(ranked):
            yield f"{value:.6f}" if isinstance(value, float) else value or ""

    def _name(self, name: str) -> str:
        """A name that none of the kept columns has."""
        return f"predicted_{name}" if name in self.kept else name


class TabLines(PredictionLines):
    r"""label<TAB>probability

    >>> TabLines(1).write([[("spam", 0.75)], None], [{}, {}])
    'spam\t0.750000\n\t\n'
    """

    def spell(self, label: str) -> str:
        return label.translate(ESCAPES)

    def write(self, ranked: Sequence[Ranked | None], kept: Sequence[Mapping[str, Any]]) -> str:
        if self.n > 1 or self.kept:
            return super().write(ranked, kept)
        # A faster path for by far the most frequent case.
        return "".join([f"{row[0][0] or ''}\t{row[0][1]:.6f}\n" if row else "\t\n" for row in ranked])

    def write_one(self, ranked: Ranked | None, kept: Mapping[str, Any]) -> str:
        return "\t".join(self._cells(ranked, kept)) + "\n"


class CsvLines(PredictionLines):
    r"""CSV with a header, with every value as it is

    >>> lines = CsvLines(2, kept=["label"])
    >>> lines.head() + lines.write([[("spam", 0.75), ("ham", 0.25)]], [{"label": "a, b"}])
    'label,predicted_label,probability,label_2,probability_2\n"a, b",spam,0.750000,ham,0.250000\n'
    """

    def head(self) -> str:
        return _write_csv([*map(self.spell, self.kept), *self.list_names()])

    def write_one(self, ranked: Ranked | None, kept: Mapping[str, Any]) -> str:
        return _write_csv(list(self._cells(ranked, kept)))


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
        label, probability = ranked[0] if ranked else (None, None)
        row = {name: simplify(kept.get(name)) for name in self.kept}
        row |= {self._name("label"): label, self._name("probability"): probability}
        if self.n > 1:
            row[self._name("probabilities")] = None if ranked is None else dict(ranked)
        return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


FORMS: dict[str, Callable[[int, Sequence[str]], PredictionLines]] = {
    "tab": TabLines,
    "csv": SpreadsheetLines,
    "csv with formulas": CsvLines,
    "json": JsonLines,
    "parquet": PredictionLines,  # its values are written as they are
}


def defuse_formula(value: str) -> str:
    """The value with an apostrophe before it if a spreadsheet would take it for a formula. Numbers stay as they are.

    >>> [defuse_formula(value) for value in ("=cmd()", " @SUM(A1)", "-1.5", "+", "a - b")]
    ["'=cmd()", "' @SUM(A1)", '-1.5', '+', 'a - b']
    """
    return f"'{value}" if FORMULA.match(value) and not NUMBER.fullmatch(value) else value


def restore_formula(value: str) -> str:
    """The value without the apostrophe that `defuse_formula` has put before it.

    >>> [restore_formula(value) for value in ("'=cmd()", "'tis so", "-1.5")]
    ['=cmd()', "'tis so", '-1.5']
    """
    return value[1:] if value.startswith("'") and defuse_formula(value[1:]) == value else value


def _write_csv(cells: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()

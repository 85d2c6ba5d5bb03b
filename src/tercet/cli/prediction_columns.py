"""The columns that `predict` writes, read again: the labels of each document with their probabilities."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tercet.cli.talk import say
from tercet.data.raw_rows import read_number
from tercet.errors import BadSource
from tercet.report.tables import restore_formula

if TYPE_CHECKING:
    from tercet.arrays import Floats

Columns = Mapping[str, Sequence[Any]]
PREFIX, MAX_DEPTH = "predicted_", 3  # `predict` puts the prefix before its columns, as often as the input has such a column
TOLERANCE = 1e-3  # of the sum of probabilities, which are written with six digits


def list_written(name: str) -> list[str]:
    """The names under which `predict` may have written a column, the last prediction first.

    >>> list_written("label")
    ['predicted_predicted_predicted_label', 'predicted_predicted_label', 'predicted_label', 'label']
    """
    return [PREFIX * n + name for n in range(MAX_DEPTH, -1, -1)]


def read_probabilities(path: str, columns: Columns, labels: Sequence[str]) -> "tuple[list[str], Floats] | None":
    """Labels and probabilities (documents × labels), as `predict --proba` writes them; None if they are not there.

    The labels are sorted, and contain these labels. A label that has no probability has 0.

    >>> columns = {"label": ["spam"], "probability": ["0.75"], "label_2": ["ham"], "probability_2": ["0.25"]}
    >>> read_probabilities("answers.csv", columns, ["spam", "ham"])
    (['ham', 'spam'], array([[0.25, 0.75]]))
    """
    import numpy as np

    rows = list_ranked(path, columns)
    if rows is None:
        return None
    if any(abs(sum(row.values()) - 1) > TOLERANCE for row in rows):
        say(f"{path}: the probabilities of a document do not sum to 1, so they are not measured: predict with --proba.")
        return None
    known = sorted({*labels, *(label for row in rows for label in row)})
    return known, np.array([[row.get(label, 0.0) for label in known] for row in rows])


def list_ranked(path: str, columns: Columns) -> list[dict[str, float]] | None:
    """The probabilities of each document by label: from the object in one column, or from pairs of columns; None without."""
    if (written := _find_written("probabilities", columns)) is not None:
        return [_read_object(path, number, cell) for number, cell in enumerate(columns[written], 1)]
    ranks = list(_list_ranks(columns))
    if len(ranks) < 2:  # only the best label
        return None
    cells = zip(*(columns[name] for pair in ranks for name in pair), strict=True)
    return [_read_pairs(path, number, row) for number, row in enumerate(cells, 1)]


def _find_written(name: str, columns: Columns) -> str | None:
    return next((each for each in list_written(name) if each in columns), None)


def _list_ranks(columns: Columns) -> Iterator[tuple[str, str]]:
    """The columns of the best label and its probability, of the second label and its probability, and so on."""
    rank, ending = 1, ""
    while True:
        label, probability = (_find_written(f"{name}{ending}", columns) for name in ("label", "probability"))
        if label is None or probability is None:
            return
        yield label, probability
        rank += 1
        ending = f"_{rank}"


def _read_object(path: str, number: int, cell: Any) -> dict[str, float]:
    if not isinstance(cell, dict):
        raise BadSource(f"{path}: the probabilities of answer {number} are {cell!r}, not an object of labels and numbers.")
    return {str(label): _read_probability(path, number, value) for label, value in cell.items() if value is not None}


def _read_pairs(path: str, number: int, row: Sequence[Any]) -> dict[str, float]:
    pairs = [(label, value) for label, value in zip(row[::2], row[1::2], strict=True) if label not in ("", None)]
    return {restore_formula(str(label)): _read_probability(path, number, value) for label, value in pairs}


def _read_probability(path: str, number: int, cell: Any) -> float:
    value = read_number(cell)
    if value is None:
        raise BadSource(f"{path}: the probability of answer {number} is {cell!r}, not a number.")
    return value

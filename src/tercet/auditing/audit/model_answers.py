"""What an audit compares: documents with their columns of groups, such as gender, and what a model answers to texts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.auditing.audit.group_differences import MISSING
from tercet.categorizer.rules import overrule
from tercet.categorizer.scorer import Scorer
from tercet.counts.labels import Labels, find_labels
from tercet.data.document_batches import join_batches, open_batches
from tercet.data.documents import Documents
from tercet.data.label_rules import fold_label
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, is_missing, shorten, suggest


def read_whole(documents: Any, noun: str = "documents to audit") -> Documents:
    """All documents in memory. It is an error if there are none, or if not all have a label or a value of a column."""
    batches = list(open_batches(documents))
    read = join_batches(batches) if batches else Documents([])
    n = len(read.texts)
    if not n:
        raise InvalidOption(f"there are no {noun}: give at least one.")
    lengths = {f"the column {name!r}": len(cells) for name, cells in read.columns.items()}
    for what, length in (lengths if read.labels is None else {"labels": len(read.labels)} | lengths).items():
        if length != n:
            raise InvalidMatrix(f"{what} has {length} values for {n} documents: each document needs one.")
    return read


def check_columns(columns: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raises InvalidOption if the documents do not have a column."""
    for name in names:
        if name not in columns:
            known = f"there is {shorten(', '.join(map(repr, columns)))}" if columns else "there are no columns beside the text"
            raise InvalidOption(
                f"the documents have no column {name!r}: {known}.{suggest(name, columns)} Name another column, or read the "
                "documents with this one."
            )


class Column(NamedTuple):
    """The values of a column, sorted by their spelling, and the number of each row's value; MISSING for an empty cell."""

    values: list[Any]
    codes: Integers

    @classmethod
    def encode(cls, cells: Sequence[Any]) -> "Column":
        """
        >>> Column.encode(["b", "a", "", None, "b"])
        Column(values=['a', 'b'], codes=array([ 1,  0, -1, -1,  1]))
        """
        keys = list_keys(cells)
        values = sorted((key for key in set(keys) if not is_empty(key)), key=lambda key: (str(key), type(key).__name__))
        numbers = {value: number for number, value in enumerate(values)}
        return cls(values, np.array([numbers.get(key, MISSING) for key in keys], np.int64))

    @property
    def n_missing(self) -> int:
        return int(np.count_nonzero(self.codes == MISSING))

    def check_groups(self, name: str) -> None:
        """Raises InvalidOption if there are not two values."""
        if len(self.values) < 2:
            only = f"only the value {self.values[0]!r}" if self.values else "no values"
            raise InvalidOption(f"the column {name!r} has {only}: a difference needs two groups. Give documents of both.")


def list_keys(cells: Sequence[Any]) -> list[Any]:
    """The values, as text if they can't be hashed."""
    try:
        set(cells)
    except TypeError:
        return list(map(str, cells))
    return list(cells)


def is_empty(cell: Any) -> bool:
    """Whether a cell has no value: None, NaN, or blanks only."""
    return is_missing(cell) or (isinstance(cell, str) and not cell.strip())


def describe_variants(name: str, values: Sequence[Any]) -> Iterator[str]:
    """A sentence about each set of values that differ only by case, blanks and the like.

    >>> list(describe_variants("gender", ["Male", "female", "male"]))
    ["gender: 'Male', 'male' differ only by case, blanks or hyphens, and are compared as different groups."]
    """
    found: dict[str, list[str]] = {}
    for value in map(str, values):
        found.setdefault(fold_label(value), []).append(value)
    for alike in found.values():
        if len(alike) > 1:
            named = shorten(", ".join(map(repr, alike)))
            yield f"{name}: {named} differ only by case, blanks or hyphens, and are compared as different groups."


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers to some documents. A rule changes probabilities and decisions, not the log-odds."""

    documents: Documents
    scores: Floats  # before calibration, documents × labels
    log_proba: Floats  # by the model alone
    proba: Floats  # with rules
    decisions: Integers
    n_ruled: int  # documents that a rule decides

    @classmethod
    def of(cls, scorer: Scorer, documents: Documents) -> "Answers":
        scores = scorer.score_labels(documents)
        log_proba, decided = scorer.to_log_proba(scores), scorer.decide(documents)
        n_ruled = 0 if decided is None else int((decided >= 0).sum())
        proba = np.exp(overrule(log_proba, decided))
        return cls(documents, scores, log_proba, proba, scorer.pick_best(scores, decided), n_ruled)

    def compute_log_odds(self, indices: Sequence[int]) -> Floats:
        """log P(label) - log P(any other label), by the model alone; NaN if the label is impossible or certain."""
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = [np.logaddexp.reduce(np.delete(self.log_proba, index, axis=1), axis=1) for index in indices]
            odds = self.log_proba[:, indices] - np.column_stack(rest)
        return np.where(np.isfinite(odds), odds, np.nan)


def choose_compared(labels: Labels, positive: Any) -> list[int]:
    """The indices of the labels that an audit compares: the positive label if it is named, the last of two, or else all labels.

    >>> choose_compared(np.array(["ham", "spam"]), None), choose_compared(np.array(["a", "b", "c"]), None)
    ([1], [0, 1, 2])
    """
    if len(labels) < 2:
        raise InvalidLabel("the model has only one label, so all texts get it: an audit needs a model with two labels.")
    if positive is not None:
        indices: list[int] = find_labels([positive], labels).tolist()
        return indices
    return [1] if len(labels) == 2 else list(range(len(labels)))

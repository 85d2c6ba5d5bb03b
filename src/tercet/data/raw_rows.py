"""Rows as they stand in a file, before their values are checked; the documents made from them; and what all readers share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tercet.counts.label_sets import check_label_names, split_cell
from tercet.data.documents import DocumentBatch
from tercet.data.label_rules import LabelRules
from tercet.errors import BadRow, InvalidLabel, is_missing

if TYPE_CHECKING:
    from tercet.data.column_choice import Fields
from collections.abc import Iterator

NO_TEXT, NO_LABEL = "it has no text.", "it has no label."
NAME_ONE = "Write one label for each row, or the row once for each of its labels; or name another column with --label."
TYPE_NAMES = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object", bytes: "bytes"}


@dataclass
class RawRows:
    """Rows, column by column, with values of any type. `bad` says what is wrong with a row, by its position."""

    lines: Sequence[int | str]
    texts: list[Any]
    labels: list[Any] | None = None
    weights: list[Any] | None = None
    columns: dict[str, list[Any]] = field(default_factory=dict)
    bad: dict[int, str] = field(default_factory=dict)
    text_columns: tuple[str, ...] = ()
    rows: Sequence[int] = ()  # numbers as a spreadsheet counts rows; empty if they are the lines

    def to_documents(
        self,
        source: str,
        rules: LabelRules,
        numbers: Sequence[str] = (),
        *,
        label_optional: bool = False,
        label_separator: str | None = None,
    ) -> DocumentBatch:
        """The rows that are documents; the others become bad rows.

        A document has a text and, if they are wanted, a label, a weight, and numbers in these columns. Only an optional label
        may be empty. With a separator a document has any number of labels, in a tuple.
        """
        self._check_texts()
        if label_separator is None:
            self._check_labels(rules, label_optional=label_optional)
        elif self.labels is not None:
            self.labels = [self._split_label(row, cell, rules, label_separator) for row, cell in enumerate(self.labels)]
        self._check_weights()
        for name in numbers:
            self._check_numbers(name)
        if not self.bad:
            return self._make_batch(source)
        good = [position for position in range(len(self.texts)) if position not in self.bad]
        kept = replace(
            self,
            lines=_pick(self.lines, good),
            rows=self.rows and _pick(self.rows, good),
            texts=_pick(self.texts, good),
            labels=self.labels and _pick(self.labels, good),
            weights=self.weights and _pick(self.weights, good),
            columns={name: _pick(column, good) for name, column in self.columns.items()},
        )
        return replace(kept._make_batch(source), bad=self._bad_rows(source))

    def _make_batch(self, source: str) -> DocumentBatch:
        more: dict[str, Any] = {"rows": self.rows, "text_columns": self.text_columns}
        return DocumentBatch(self.texts, self.labels, self.weights, self.columns, source, self.lines, **more)

    def refuse_blank_texts(self) -> None:
        """Make rows bad whose text has only blanks. A model learns nothing from them."""
        for position, text in enumerate(self.texts):
            if isinstance(text, str) and (not text or text.isspace()):
                self._refuse(position, NO_TEXT)

    def _bad_rows(self, source: str) -> list[tuple[int, BadRow]]:
        """The bad rows, each with the number of documents before it."""
        rows = sorted(self.bad.items())
        return [(row - n, BadRow(f"{source}{self.lines[row]}", reason)) for n, (row, reason) in enumerate(rows)]

    def _refuse(self, position: int, reason: str) -> None:
        self.bad.setdefault(position, reason)

    def _check_texts(self) -> None:
        if set(map(type, self.texts)) <= {str}:
            return
        for position, text in enumerate(self.texts):
            if is_missing(text):
                self._refuse(position, NO_TEXT)
            elif not isinstance(text, str):
                self._refuse(position, f"its text is {_describe(text)}, not a string.")

    def _check_labels(self, rules: LabelRules, *, label_optional: bool) -> None:
        if self.labels is None:
            return
        if not set(map(type, self.labels)) <= {str}:
            self.labels = [self._spell_label(position, label) for position, label in enumerate(self.labels)]
        self.labels = rules.apply_all(self.labels)
        if "" in self.labels and not label_optional:
            for position, label in enumerate(self.labels):
                if not label:
                    self._refuse(position, NO_LABEL)

    def _split_label(self, position: int, cell: Any, rules: LabelRules, separator: str) -> tuple[str, ...]:
        """The labels of a cell that joins them, or that is a list of them; none if it is missing."""
        try:
            names = split_labels_of(cell, separator)
        except InvalidLabel as error:
            self._refuse(position, str(error))
            return ()
        return tuple(dict.fromkeys(rules.apply_all(names)))

    def _spell_label(self, position: int, label: Any) -> str:
        """The label as a string, which is empty if it is missing."""
        if is_missing(label):
            return ""
        if isinstance(label, list):
            self._refuse(position, f"its label is {_describe(label)}, and a document has one label. {NAME_ONE}")
        elif isinstance(label, dict | bytes):
            self._refuse(position, f"its label is {_describe(label)}, not a name.")
        return spell_label(label)

    def _check_weights(self) -> None:
        for position, weight in enumerate(self.weights or ()):
            number = _read_weight(weight)
            if number is None:
                self._refuse(position, f"its weight is {weight!r}, not a number >= 0.")
            elif self.weights is not None:
                self.weights[position] = number

    def _check_numbers(self, name: str) -> None:
        for position, value in enumerate(self.columns.get(name, ())):
            if read_number(value) is None:
                self._refuse(position, f"its {name!r} is {value!r}, not a number.")


NOTHING_YET = RawRows([], [])  # of a source that is fed: all rows that are complete were given


def spell_label(label: object) -> str:
    """The label as a string.

    >>> spell_label(3), spell_label(True), spell_label("spam")
    ('3', 'true', 'spam')
    """
    return str(label).lower() if isinstance(label, bool) else str(label)


def split_labels_of(cell: Any, separator: str) -> list[str]:
    """The labels of a cell. Raises InvalidLabel if the cell is neither text, nor a number, nor a list of them.

    >>> split_labels_of("sport; art", ";"), split_labels_of(["sport", 3], ";"), split_labels_of(None, ";")
    (['sport', 'art'], ['sport', '3'], [])
    """
    if is_missing(cell):
        return []
    listed = cell if isinstance(cell, list) else None
    if any(isinstance(each, dict | bytes | list) for each in (listed or [cell]) if each is not listed):
        raise InvalidLabel(f"its label is {_describe(cell)}, not a name or a list of names.")
    if listed is None:
        return split_cell(spell_label(cell), separator)
    check_label_names("the row", listed, separator)
    return [spell_label(each) for each in listed]


def read_number(value: Any) -> float | None:
    """The finite number, or None.

    >>> read_number("1.5"), read_number("many"), read_number("nan")
    (1.5, None, None)
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _read_weight(weight: Any) -> float | None:
    number = read_number(weight)
    return number if number is not None and number >= 0 else None


def _describe(value: object) -> str:
    shown = repr(value)
    return f"{TYPE_NAMES.get(type(value), type(value).__name__)} ({shown if len(shown) <= 40 else shown[:37] + '...'})"


def _pick(column: Sequence[Any], positions: list[int]) -> list[Any]:
    return [column[position] for position in positions]


class Reader:
    """Reads one format. The first bytes are looked at when it is made; rows are read when they are asked for."""

    place: str  # comes before the number of a line in messages: "reviews.csv, line "
    guess: list[str]  # what was guessed, in words
    fields: "Fields | None" = None  # the columns that are read; None if the format has no columns
    header: tuple[str, ...] = ()  # all columns of a table, in their order; empty for other formats

    def read_rows(self) -> Iterator[RawRows]:
        raise NotImplementedError

"""Documents: texts with labels, weights and columns, and where each was read.

Several text columns are one text: the cells of a row, with a separator between them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Self

import numpy as np

from tercet.arrays import Floats
from tercet.arrow_columns import check_column, is_arrow, list_cells, to_array
from tercet.errors import BadRow, InvalidLabel, InvalidMatrix, InvalidOption, InvalidText, bad_option, is_missing
from tercet.kernel.text.columns import SEPARATOR


def join_cells(cells: Sequence[str | None]) -> str:
    """One text from the cells of a row. A missing cell is empty, and a separator inside a cell becomes a blank.

    >>> join_cells(["Refund", None, "I want\\x1fmy money back"])
    'Refund\\x1f\\x1fI want my money back'
    """
    return SEPARATOR.join("" if cell is None else cell.replace(SEPARATOR, " ") for cell in cells)


def join_columns(columns: Mapping[str, Sequence[Any]], bad: dict[int, str]) -> list[str | None]:
    """One text for each row; None if all its cells are missing. `bad` gets the rows that have a cell that is not text."""
    texts: list[str | None] = []
    for position, row in enumerate(zip(*columns.values(), strict=True)):
        cells = [None if is_missing(cell) else cell for cell in row]
        for name, cell in zip(columns, cells, strict=True):
            if cell is not None and not isinstance(cell, str):
                bad.setdefault(position, f"its {name!r} is {cell!r}, not a string.")
        is_empty = position in bad or all(cell is None for cell in cells)
        texts.append(None if is_empty else join_cells(cells))
    return texts


def join_given(columns: Mapping[str, Any]) -> list[str]:
    """One text for each document, from columns in memory. Raises InvalidText for a document without text."""
    held = {name: _list_cells(name, column) for name, column in columns.items()}
    sizes = {name: len(cells) for name, cells in held.items()}
    if len(set(sizes.values())) > 1:
        spelled = ", ".join(f"{name!r} has {size}" for name, size in sizes.items())
        raise InvalidText(f"the text columns do not have equally many cells: {spelled}. Each document needs one in each.")
    bad: dict[int, str] = {}
    texts = join_columns(held, bad)
    for position, text in enumerate(texts):
        if text is None:
            reason = bad.get(position, "all its text columns are missing.")
            raise InvalidText(f'document {position} (counted from 0): {reason} Fill it with "" or drop the row.')
    return [text for text in texts if text is not None]


def _list_cells(name: str, column: Any) -> list[Any]:
    if isinstance(column, str | bytes) or not isinstance(column, Iterable):
        raise InvalidText(
            f"the column {name!r} is a single {type(column).__name__}: give a list with one cell for each document."
        )
    return list_cells(check_column(column, f"the cells of {name!r}", InvalidText), f"the cells of {name!r}", InvalidText)


NUMBERED = re.compile(r", (?:line|row) (\d+)\Z")
N_SHORT, SHORT = 2, 40  # texts, and characters of each, that a line of Python shows
N_SHOWN, MAX_CELL_LENGTH = 5, 80  # documents, and characters of a cell, that a notebook shows


@dataclass(frozen=True)
class Documents:
    """Texts, and optionally a label, a weight, and columns of numbers or names for each text.

    `text_columns` names the columns that each text joins (see `join`). With one name or none, a text is a plain text.

    >>> documents = Documents(["Cheap watches", "See you"], labels=["spam", "ham"], columns={"links": [7, 0]})
    >>> documents
    Documents(2 documents: 'Cheap watches', 'See you'; labels; columns 'links')
    >>> documents.numbers(["links"])
    array([[7.], [0.]])
    """

    texts: Any
    labels: Any = None
    weights: Any = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    text_columns: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        names = self.text_columns
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise bad_option("text_columns", "a list of names", names, "each is a column that the texts join.")
        object.__setattr__(self, "text_columns", tuple(names))
        self._check_columns()

    def _check_columns(self) -> None:
        """Raise an error if a column of Arrow is damaged."""
        for name, fault in (("texts", InvalidText), ("labels", InvalidLabel), ("weights", InvalidMatrix)):
            object.__setattr__(self, name, check_column(getattr(self, name), f"the {name}", fault))
        if any(map(is_arrow, self.columns.values())):
            checked = {key: check_column(own, f"the cells of {key!r}", InvalidMatrix) for key, own in self.columns.items()}
            object.__setattr__(self, "columns", checked)

    @classmethod
    def join(
        cls, texts: Mapping[str, Any], labels: Any = None, weights: Any = None, columns: Mapping[str, Any] | None = None
    ) -> "Documents":
        """Documents with several text columns, by their names. A missing cell is an empty text.

        >>> documents = Documents.join({"subject": ["Refund", None], "body": ["Where is it?", "See you"]}, ["bill", "ham"])
        >>> documents.texts, documents.text_columns
        (['Refund\\x1fWhere is it?', '\\x1fSee you'], ('subject', 'body'))
        """
        if not isinstance(texts, Mapping) or not texts:
            raise bad_option(
                "texts", 'columns by name, {"subject": [...], "body": [...]}', texts, "each is analysed on its own."
            )
        return Documents(join_given(texts), labels, weights, columns or {}, text_columns=tuple(texts))

    def pick(self, positions: Sequence[int]) -> Self:
        """The documents at these positions.

        >>> Documents(["a", "b", "c"], labels=["x", "y", "x"]).pick([2, 0]).texts
        ['c', 'a']
        """
        labels, weights = (None if each is None else _pick(each, positions) for each in (self.labels, self.weights))
        columns = {name: _pick(column, positions) for name, column in self.columns.items()}
        return replace(self, texts=_pick(self.texts, positions), labels=labels, weights=weights, columns=columns)

    def numbers(self, names: list[str]) -> Floats:
        """These columns as an array, documents × columns. A value that is not a finite number is an error."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            known = ", ".join(map(repr, self.columns)) or "none"
            raise InvalidOption(f"the documents have no column {missing[0]!r}: there is {known}. Name one of these.")
        columns = [_read_numbers(name, self.columns[name]) for name in names]
        if len({len(column) for column in columns}) > 1:
            sizes = ", ".join(f"{name!r} has {len(column)}" for name, column in zip(names, columns, strict=True))
            raise InvalidMatrix(
                f"the columns do not have equally many numbers: {sizes}. Each document needs one number in each column."
            )
        return np.column_stack(columns)

    def place(self, position: int) -> str:
        """Where the document was read, for messages; an empty string if that is not known."""
        return ""

    def __repr__(self) -> str:
        """The number of documents, and the beginnings of the first texts. Texts that can be read only once are not read."""
        if not hasattr(self.texts, "__len__"):
            return f"{type(self).__name__}(…)"
        shown = [show_beginning(text) for text in islice(self.texts, N_SHORT)]
        more = ["…"] if len(self.texts) > N_SHORT else []
        has = [name for name in ("labels", "weights") if getattr(self, name) is not None]
        has += [f"columns {', '.join(map(repr, self.columns))}"] if self.columns else []
        has += [f"text columns {', '.join(map(repr, self.text_columns))}"] if len(self.text_columns) > 1 else []
        n = f"{len(self.texts)} document{'' if len(self.texts) == 1 else 's'}"
        return f"{type(self).__name__}({'; '.join([f'{n}: ' + ', '.join([*shown, *more]) if shown else n, *has])})"

    def _repr_html_(self) -> str:
        """The number of documents, and the first of them. Texts that can be read only once are not read."""
        from tercet.characters import show_line  # on first use: only a notebook needs them
        from tercet.html_fragments import write_frame, write_heading, write_note, write_table

        if not hasattr(self.texts, "__len__"):
            return write_frame(write_heading("Documents that can be read only once"))
        shown = {"text": self.texts, "label": self.labels, "weight": self.weights, **self.columns}
        known = {name: list(islice(column, N_SHOWN)) for name, column in shown.items() if column is not None}
        known = {name: cells for name, cells in known.items() if len(cells) == len(known["text"])}
        if len(self.text_columns) > 1:
            known["text"] = [str(text).replace(SEPARATOR, " · ") for text in known["text"]]
        rows = [[show_line(cell, MAX_CELL_LENGTH) for cell in cells] for cells in zip(*known.values(), strict=True)]
        n = len(self.texts)
        more = f"… {n - N_SHOWN} more" if n > N_SHOWN else ""
        title = f"{type(self).__name__}: {n} document{'' if n == 1 else 's'}"
        return write_frame(write_heading(title), write_table(list(known), rows, numbers=()), write_note(more))


def show_beginning(text: object) -> str:
    """The beginning of a text, as Python writes it.

    >>> show_beginning("Where is it?\\x1fI want my money back, and I want it now")
    "'Where is it? · I want my money back, an…'"
    """
    shown = (text.decode(errors="replace") if isinstance(text, bytes) else str(text)).replace(SEPARATOR, " · ")
    return repr(shown if len(shown) <= SHORT else f"{shown[: SHORT - 1].rstrip()}…")


def _pick(column: Any, positions: Sequence[int]) -> list[Any]:
    return [column[position] for position in positions]


def _is_number(value: Any) -> bool:
    """Whether the value can be read as a number; files hold numbers as text."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return not isinstance(value, bytes)


def _read_numbers(name: str, column: Any) -> Floats:
    what = f"the cells of {name!r}"
    try:
        values = to_array(column, what, InvalidMatrix, np.float64)
    except (InvalidMatrix, TypeError, ValueError) as error:
        for position, value in enumerate(list_cells(column, what, InvalidMatrix)):
            if is_missing(value) or not _is_number(value):
                where = f"the column {name!r} has {value!r} at {position} (counted from 0)"
                raise InvalidMatrix(f"{where}: that is not a number. Fill it or drop the row.") from error
        raise
    if values.ndim != 1:
        raise InvalidMatrix(f"the column {name!r} has shape {values.shape}: it must have one dimension, one number a document.")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        where = f"the column {name!r} has {values[bad[0]]} at {bad[0]} (counted from 0)"
        raise InvalidMatrix(f"{where}: a normal distribution can't be fitted to it. Fill it or drop the row.")
    return values


def name_file(place: str) -> str:
    """The file of a place.

    >>> name_file("reviews.csv, line 17"), name_file("mails/spam/3.txt")
    ('reviews.csv', 'mails/spam/3.txt')
    """
    return NUMBERED.sub("", place)


def name_row(place: str, row: int | None) -> str:
    """The file and the row, as a spreadsheet counts rows; the place itself if each document is a file.

    >>> name_row("reviews.csv, line 17", 5), name_row("mails/spam/3.txt", None)
    ('reviews.csv, row 5', 'mails/spam/3.txt')
    """
    return place if row is None else f"{name_file(place)}, row {row}"


@dataclass(frozen=True, repr=False)
class DocumentBatch(Documents):
    """Documents that were read together, and the bad rows between them.

    A bad row is kept with the position of the document that follows it. `rows` are the numbers of the rows as a spreadsheet
    counts them: the header is row 1, and a row may have several lines. If it is empty, they are the `lines`.

    >>> batch = DocumentBatch(["Cheap watches", "See you"], source="mails.csv, line ", lines=[2, 5], rows=[2, 3])
    >>> batch.place(1), batch.row(1), len(batch)
    ('mails.csv, row 3', 3, 2)
    """

    source: str = ""
    lines: Sequence[int | str] = ()
    bad: list[tuple[int, BadRow]] = field(default_factory=list)
    rows: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.texts)

    def place(self, position: int) -> str:
        return name_row(f"{self.source}{self.lines[position]}", self.row(position)) if self.lines else ""

    def row(self, position: int) -> int | None:
        """The number of the document's row; None if each document is a file."""
        number = (self.rows or self.lines)[position]
        return number if isinstance(number, int) else None

    def pick(self, positions: Sequence[int]) -> Self:
        """The documents at these positions, without bad rows."""
        rows = _pick(self.rows, positions) if self.rows else ()
        return replace(super().pick(positions), lines=_pick(self.lines, positions), rows=rows, bad=[])

    def before(self, position: int) -> "DocumentBatch":
        """The documents before this position, without bad rows."""
        return self.pick(range(position))

"""Tables of results: rows with named columns, which are worked out when they are read."""

from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Integers
from tercet.characters import align_columns, show_line
from tercet.data_frames import make_frame
from tercet.html_fragments import write_frame, write_heading, write_note, write_table

N_SHOWN = 40  # rows
BLOCK = 1 << 16  # rows that are worked out together


class Values(Protocol):
    """Values that can become a list or an Arrow array."""

    def tolist(self) -> list[Any]: ...

    def to_arrow(self) -> Any: ...


@dataclass(frozen=True, eq=False)
class Listed:
    """Any Python values.

    >>> Listed(["ham", "\\ud800"]).to_arrow().to_pylist()
    ['ham', '\\\\ud800']
    """

    values: Sequence[Any]

    def __getitem__(self, rows: slice) -> "Listed":
        return Listed(self.values[rows])

    def tolist(self) -> list[Any]:
        return list(self.values)

    def to_arrow(self) -> Any:
        """An Arrow array. Values that no type of Arrow holds are written as text."""
        if self.values and all(isinstance(value, str) for value in self.values):
            return PackedTexts.of(self.values).to_arrow()
        import pyarrow as pa

        try:
            return pa.array(self.values)
        except (pa.ArrowException, ValueError, TypeError, OverflowError):
            return PackedTexts.of(list(map(str, self.values))).to_arrow()


@dataclass(frozen=True, eq=False)
class PackedTexts:
    """Texts in UTF-8: text i is content[ends[i]] … content[ends[i + 1]]. Lone surrogates are encoded, too.

    >>> PackedTexts(np.array([0, 2, 5]), np.frombuffer(b"tobee", np.uint8)).tolist()
    ['to', 'bee']
    """

    ends: Integers
    content: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "PackedTexts":
        """These texts, with escapes for lone surrogates."""
        encoded = [text.encode("utf-8", "backslashreplace") for text in texts]
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(ends, np.frombuffer(b"".join(encoded), np.uint8))

    def tolist(self) -> list[str]:
        content = self.content.tobytes()
        return [content[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(self.ends.tolist())]

    def to_arrow(self) -> Any:
        import pyarrow as pa

        buffers = [None, pa.py_buffer(self.ends), pa.py_buffer(self.content)]
        texts = pa.Array.from_buffers(pa.large_string(), len(self.ends) - 1, buffers)
        try:
            texts.validate(full=True)
        except pa.ArrowInvalid:  # a surrogate, which Arrow does not allow
            return PackedTexts.of(self.tolist()).to_arrow()
        return texts


@dataclass(frozen=True, eq=False)
class Coded:
    """A column in which values repeat: row i has values[codes[i]].

    >>> Coded(Listed(["ham", "spam"]), np.array([1, 0, 1]))[1:].tolist()
    ['ham', 'spam']
    """

    values: Values
    codes: Integers

    def __getitem__(self, rows: slice) -> "Coded":
        return Coded(self.values, self.codes[rows])

    def tolist(self) -> list[Any]:
        values = self.values.tolist()
        return [values[code] for code in self.codes.tolist()]

    def to_arrow(self) -> Any:
        return self.values.to_arrow().take(wrap_numbers(self.codes))


def wrap_numbers(numbers: Array) -> Any:
    """An Arrow array over the same memory. `pyarrow.array` would import pandas, which takes a second.

    >>> wrap_numbers(np.array([1, 2])).to_pylist()
    [1, 2]
    """
    import pyarrow as pa

    buffers = [None, pa.py_buffer(np.ascontiguousarray(numbers))]
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), buffers)


class Rows(Protocol):
    """The rows of a table."""

    def __len__(self) -> int: ...

    def read(self, begin: int, end: int) -> Mapping[str, Values | Array]:
        """The columns of the rows from `begin` to `end`. A column of numbers is an array."""


@dataclass(frozen=True, eq=False, repr=False)
class RowTable(Sequence[Any]):
    """Rows with names for their columns. A row is a named tuple. The table can't be changed.

    It holds what is needed to work out a row, so a table of a million rows takes little memory until all rows are asked for.
    """

    title: str
    columns: tuple[str, ...]
    rows: Rows
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        """The row at this index, or the rows of a slice in a list."""
        indices = range(len(self))[index]
        if isinstance(indices, int):
            return self._list_rows(indices, indices + 1)[0]
        if indices.step != 1:
            return [self[each] for each in indices]
        return self._list_rows(indices.start, max(indices.start, indices.stop))

    def __iter__(self) -> Iterator[Any]:
        for begin in range(0, len(self), BLOCK):
            yield from self._list_rows(begin, min(begin + BLOCK, len(self)))

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns by name, each a list."""
        return {name: column.tolist() for name, column in self._read_all()}

    def to_frame(self) -> Any:
        """The rows as a data frame of pandas or polars."""
        read = {name: column if isinstance(column, np.ndarray) else column.tolist() for name, column in self._read_all()}
        return make_frame(read)

    def to_arrow(self) -> Any:
        """The rows as a pyarrow.Table. If there are many rows, this takes much less time than a data frame."""
        import pyarrow as pa

        read = self._read_all()
        return pa.table({name: wrap_numbers(c) if isinstance(c, np.ndarray) else c.to_arrow() for name, c in read})

    def __repr__(self) -> str:
        cells, numbers = self._show_rows()
        shown = [self.title, align_columns([self.columns, *cells], numbers), self._count_more(), *self.notes]
        return "\n".join(filter(None, shown))

    def _repr_html_(self) -> str:
        cells, numbers = self._show_rows()
        notes = map(write_note, (self._count_more(), *self.notes))
        return write_frame(write_heading(self.title), write_table(self.columns, cells, numbers=numbers), *notes)

    def _read_all(self) -> Iterator[tuple[str, Values | Array]]:
        read = self.rows.read(0, len(self))
        return ((name, read[name]) for name in self.columns)

    def _list_rows(self, begin: int, end: int) -> list[Any]:
        row, read = _make_row_type(self.columns), self.rows.read(begin, end)
        return [row(*values) for values in zip(*(read[name].tolist() for name in self.columns), strict=True)]

    def _show_rows(self) -> tuple[list[list[str]], list[int]]:
        """The first rows as text, and the indices of the columns that hold numbers."""
        rows = self[:N_SHOWN]
        numbers = [k for k in range(len(self.columns)) if rows and all(_is_number(row[k]) for row in rows)]
        return [[_show_cell(value) for value in row] for row in rows], numbers

    def _count_more(self) -> str:
        return f"… {len(self) - N_SHOWN:,} more rows" if len(self) > N_SHOWN else ""


@dataclass(frozen=True, eq=False, repr=False)
class ColumnRows:
    """Rows whose columns are there already: arrays, or other columns that can be sliced.

    >>> rows = ColumnRows({"label": Coded(Listed(["ham"]), np.zeros(2, int)), "n": np.array([3, 2])}, 2)
    >>> table = RowTable("two rows", ("label", "n"), rows)
    >>> table[1], len(table), table.to_dict()
    (Row(label='ham', n=2), 2, {'label': ['ham', 'ham'], 'n': [3, 2]})
    >>> table
    two rows
    label  n
    ham    3
    ham    2
    """

    columns: Mapping[str, Any]
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    def read(self, begin: int, end: int) -> Mapping[str, Values | Array]:
        return {name: column[begin:end] for name, column in self.columns.items()}


@lru_cache(maxsize=64)
def _make_row_type(columns: tuple[str, ...]) -> Any:
    return namedtuple("Row", columns)


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _show_cell(value: Any) -> str:
    """
    >>> _show_cell(0.123456), _show_cell(3), _show_cell("hen "), _show_cell(None)
    ('0.1235', '3', 'hen␣', '–')
    """
    if value is None:
        return "–"
    return f"{value + 0.0:.4g}" if isinstance(value, float) else show_line(value)  # -0.0 is 0

"""Several text columns as one text: the cells of a row, with a separator between them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tercet.errors import InvalidText, is_missing
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
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)

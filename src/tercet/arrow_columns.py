"""Columns of Arrow that a program passes in, or that a file holds: checked before anything reads their cells.

Offsets, indices and lengths of Arrow say where cells lie in memory. pyarrow takes them as they are, so a wrong one makes it
read memory that is not the column's, which ends the process.
"""

from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.errors import TercetError


def is_arrow(values: Any) -> bool:
    """Whether these are values of Arrow, polars or pandas that are held as Arrow has them.

    >>> import pyarrow as pa
    >>> is_arrow(pa.array(["a"])), is_arrow(["a"]), is_arrow(np.array([1]))
    (True, False, False)
    """
    if not hasattr(values, "__arrow_c_stream__") and not hasattr(values, "__arrow_c_array__"):
        return False
    dtype = getattr(values, "dtype", None)
    return not isinstance(dtype, np.dtype) and str(dtype).lower() != "object"  # pandas and polars have such columns, too


def check_column(values: Any, what: str, fault: type[TercetError]) -> Any:
    """The values, which can be read safely now; anything that is not of Arrow as it is. A damaged column raises `fault`.

    What can be read only once, such as a reader of batches, becomes a column of pyarrow.

    >>> from tercet.errors import InvalidText
    >>> import pyarrow as pa
    >>> text = pa.array([b"caf\\xe9"]).view(pa.string())
    >>> check_column(text, "the texts", InvalidText)
    Traceback (most recent call last):
    tercet.errors.InvalidText: the texts are a damaged column of Arrow (Invalid UTF8 sequence at string index 0): reading it ...
    """
    if not is_arrow(values):
        return values
    column = open_column(values, what, fault)
    return values if hasattr(values, "__len__") else column


def open_column(values: Any, what: str, fault: type[TercetError]) -> Any:
    """The same, always as an array or a chunked array of pyarrow."""
    import pyarrow as pa

    try:
        column = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.chunked_array(values)
        column.validate(full=True)
    except Exception as error:
        raise fault(describe_damage(what, error)) from error
    return column


def list_cells(column: Any, what: str, fault: type[TercetError]) -> list[Any]:
    """The cells of a checked column as Python has them. Those that it can't hold, such as the year 20000, are texts.

    >>> import pyarrow as pa
    >>> list_cells(pa.array([2**50], pa.timestamp("ms")), "the dates", TercetError), list_cells(("a", "b"), "", TercetError)
    (['<value out of range: 1125899906842624>'], ['a', 'b'])
    """
    if not hasattr(column, "to_pylist"):
        return list(column)
    with suppress(Exception):  # of datetime, zoneinfo, decimal, or somebody's own type
        cells: list[Any] = column.to_pylist()
        return cells
    try:
        spelled: list[Any] = column.cast("string").to_pylist()
    except Exception as error:
        raise fault(f"{what} hold {column.type} that can't be read: {shorten_reason(error)}. Convert them to text.") from error
    return spelled


def to_array(values: Any, what: str, fault: type[TercetError], dtype: Any = None) -> npt.NDArray[Any]:
    """The values of a column, list or array as an array of NumPy. A damaged column raises `fault`."""
    if not is_arrow(values):
        return np.asarray(values, dtype)
    column = open_column(values, what, fault)
    try:
        return np.asarray(values if hasattr(values, "__array__") else column, dtype)
    except Exception as error:
        raise fault(f"{what} hold {column.type} that can't be read: {shorten_reason(error)}. Convert them.") from error


def describe_damage(what: str, error: Exception) -> str:
    return (
        f"{what} are a damaged column of Arrow ({shorten_reason(error)}): reading it could end the process. Make it anew from "
        "its source; its method validate(full=True) must not raise an error."
    )


def shorten_reason(error: Exception) -> str:
    """The first line of what another library says, without its full stop."""
    return next(iter(str(error).splitlines()), "").strip().rstrip(".") or type(error).__name__

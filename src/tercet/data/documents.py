"""Documents: texts with what belongs to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.errors import InvalidMatrix, InvalidOption, is_missing


@dataclass(frozen=True)
class Documents:
    """Texts, and for each a label, a weight, and columns of numbers or names, as far as there are any.

    >>> documents = Documents(["Cheap watches", "See you"], labels=["spam", "ham"], columns={"links": [7, 0]})
    >>> documents.numbers(["links"])
    array([[7.], [0.]])
    """

    texts: Any
    labels: Any = None
    weights: Any = None
    columns: Mapping[str, Any] = field(default_factory=dict)

    def numbers(self, names: list[str]) -> npt.NDArray[np.float64]:
        """These columns side by side, documents × columns: finite numbers, or an error."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            known = ", ".join(map(repr, self.columns)) or "none"
            raise InvalidOption(f"the documents have no column {missing[0]!r}: there is {known}. Name one of these.")
        columns = [_read_numbers(name, self.columns[name]) for name in names]
        if len({len(column) for column in columns}) > 1:
            sizes = ", ".join(f"{name!r} has {len(column)}" for name, column in zip(names, columns, strict=True))
            raise InvalidMatrix(f"the columns have not as many rows of numbers each: {sizes}. Each document needs one of each.")
        return np.column_stack(columns)


def _is_number(value: Any) -> bool:
    """A file has its numbers as text."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return not isinstance(value, bytes)


def _read_numbers(name: str, column: Any) -> npt.NDArray[np.float64]:
    try:
        values = np.asarray(column, np.float64)
    except (TypeError, ValueError) as error:
        for position, value in enumerate(column):
            if is_missing(value) or not _is_number(value):
                where = f"the column {name!r} has {value!r} at {position} (counted from 0)"
                raise InvalidMatrix(f"{where}: that is no number. Fill it or drop the row.") from error
        raise
    if values.ndim != 1:
        raise InvalidMatrix(f"the column {name!r} has shape {values.shape}: it must have one dimension, one number a document.")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        where = f"the column {name!r} has {values[bad[0]]} at {bad[0]} (counted from 0)"
        raise InvalidMatrix(f"{where}: no normal distribution has such a value. Fill it or drop the row.")
    return values

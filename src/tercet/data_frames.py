"""Results as a data frame of pandas or polars, whichever is there."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from tercet.arrays import Array
from tercet.characters import replace_surrogates
from tercet.errors import MissingExtra

LIBRARIES = ("pandas", "polars")


def make_frame(columns: Mapping[str, Sequence[Any] | Array]) -> Any:
    """A data frame with these columns: of the library that is imported already, or else of the first that is installed.

    If both are imported, it is of pandas.

    >>> make_frame({"label": ["ham", "spam"], "n": [3, 2]}).shape
    (2, 2)
    """
    imported = [name for name in LIBRARIES if name in sys.modules]
    for name in imported or LIBRARIES:
        with suppress(ModuleNotFoundError):
            return _fill_frame(import_module(name).DataFrame, columns)
    raise MissingExtra("a data frame needs pandas or polars, and neither is installed: pip install pandas", name="pandas")


def add_columns(own: Mapping[str, Sequence[Any]], columns: Sequence[Mapping[str, Any]]) -> dict[str, Sequence[Any]]:
    """Columns of a frame, and beside them those of the documents. A name that is taken already is left out.

    >>> add_columns({"gold": ["ham"]}, [{"id": 7, "gold": "spam"}])
    {'gold': ['ham'], 'id': [7]}
    """
    names = dict.fromkeys(name for each in columns for name in each if name not in own)
    return {**own, **{name: [each.get(name) for each in columns] for name in names}}


def _fill_frame(kind: Any, columns: Mapping[str, Sequence[Any] | Array]) -> Any:
    try:
        return kind(dict(columns))
    except UnicodeEncodeError:  # a lone surrogate: the texts of new versions of pandas, and those of polars, are UTF-8
        return kind({name: [replace_surrogates(v) if isinstance(v, str) else v for v in own] for name, own in columns.items()})

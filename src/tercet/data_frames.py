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


def _fill_frame(kind: Any, columns: Mapping[str, Sequence[Any] | Array]) -> Any:
    try:
        return kind(dict(columns))
    except UnicodeEncodeError:  # a lone surrogate: the texts of new versions of pandas, and those of polars, are UTF-8
        return kind({name: [replace_surrogates(v) if isinstance(v, str) else v for v in own] for name, own in columns.items()})

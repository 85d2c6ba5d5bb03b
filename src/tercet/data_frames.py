"""Results as a data frame of pandas or polars, whichever is there."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from tercet.arrays import Array
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
            return import_module(name).DataFrame(dict(columns))
    raise MissingExtra("a data frame needs pandas or polars, and neither is installed: pip install pandas", name="pandas")

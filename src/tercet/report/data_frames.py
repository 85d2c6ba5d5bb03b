"""Data frames of results about documents, with the columns of the documents beside them."""

from collections.abc import Mapping, Sequence
from typing import Any

from tercet.data_frames import make_frame

__all__ = ["add_columns", "make_frame"]


def add_columns(own: Mapping[str, Sequence[Any]], columns: Sequence[Mapping[str, Any]]) -> dict[str, Sequence[Any]]:
    """Columns of a frame, and beside them those of the documents. A name that is taken already is left out.

    >>> add_columns({"gold": ["ham"]}, [{"id": 7, "gold": "spam"}])
    {'gold': ['ham'], 'id': [7]}
    """
    names = dict.fromkeys(name for each in columns for name in each if name not in own)
    return {**own, **{name: [each.get(name) for each in columns] for name in names}}

"""Labels ↔ values that JSON can hold."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tercet.counts.labels import Labels
from tercet.errors import InvalidLabel


def write_labels(labels: Labels) -> dict[str, Any]:
    """Labels keep their type.

    >>> write_labels(np.array(["ham", "spam"])), read_labels(write_labels(np.array([2, 10])))
    ({'type': 'text', 'values': ['ham', 'spam']}, array([ 2, 10]))
    """
    kind, values = labels.dtype.kind, labels.tolist()
    if kind in "iubf":
        return {"type": labels.dtype.newbyteorder("<").str, "values": values}
    if kind == "S":
        return {"type": "bytes", "values": [value.decode("latin-1") for value in values]}
    if not all(isinstance(value, str | int) for value in values):
        raise InvalidLabel(f"labels such as {values[0]!r} can't be stored in a file: they are no text and no number. Use str.")
    return {"type": "text" if kind == "U" else "object", "values": values}


def read_labels(written: Mapping[str, Any]) -> Labels:
    kind, values = written["type"], list(written["values"])
    if values != sorted(set(values)):
        raise ValueError("the labels are not in order")
    if kind == "bytes":
        return np.array([value.encode("latin-1") for value in values])
    if kind in ("text", "object"):
        return np.array(values, dtype=str if kind == "text" else object)
    dtype = np.dtype(kind)
    if dtype.kind not in "iubf":
        raise ValueError(f"there are no labels of the type {kind}")
    return np.array(values, dtype)

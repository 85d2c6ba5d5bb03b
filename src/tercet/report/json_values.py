"""Results as JSON values: no NaN, no infinity, no NumPy types."""

import math
from typing import Any

import numpy as np

from tercet.characters import replace_surrogates
from tercet.evaluation.intervals import Estimate


def simplify(value: Any) -> Any:
    """Numbers, strings, lists and mappings that JSON knows; None for an undefined number.

    >>> simplify({"f1": float("nan"), "labels": (1, "a")})
    {'f1': None, 'labels': [1, 'a']}
    """
    if isinstance(value, Estimate):
        value = vars(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf" and np.isfinite(value).all():
        return value.tolist()  # large tables of numbers: nothing in them needs a change
    value = value.tolist() if hasattr(value, "tolist") else value  # NumPy arrays and numbers
    if isinstance(value, dict):
        return {str(name): simplify(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [simplify(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, int) else replace_surrogates(str(value))

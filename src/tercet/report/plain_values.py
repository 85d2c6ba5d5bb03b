"""Results as JSON knows them: no NaN, no infinity, no NumPy."""

import math
from typing import Any

from tercet.evaluation.intervals import Estimate
from tercet.report.characters import replace_surrogates


def simplify(value: Any) -> Any:
    """Numbers, text, lists and mappings of JSON; None where a number is undefined.

    >>> simplify({"f1": float("nan"), "labels": (1, "a")})
    {'f1': None, 'labels': [1, 'a']}
    """
    if isinstance(value, Estimate):
        value = vars(value)
    value = value.tolist() if hasattr(value, "tolist") else value  # NumPy's
    if isinstance(value, dict):
        return {str(name): simplify(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [simplify(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, int) else replace_surrogates(str(value))

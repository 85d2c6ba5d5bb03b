"""What to beware of in an interval."""

from typing import Any

import numpy as np
import numpy.typing as npt

# With fewer gold documents of a label an interval that rests on it covers too little: benchmarks/coverage.py shows how little.
FEWEST = 10
CROSS_VALIDATED = "from cross-validation: the interval covers the choice of the tested documents, not of those to learn from"
SELECTED = {
    "": "",
    "fixed": "selection held fixed: all documents chose the terms, the one that is left out among them",
    "anew": "terms are selected anew without each fold",
}


def note_rare_labels(labels: npt.NDArray[Any], n_gold: npt.ArrayLike, fewest: int = FEWEST) -> str:
    """The note of a metric that rests on every label, if some have few gold documents; else nothing.

    A label without any gold document is not counted: the metric is undefined for it, or does without it.

    >>> note_rare_labels(np.array(["ham", "spam"]), [494, 6])
    "unreliable: rests on few gold documents of 'spam' (6)"
    """
    counts = np.asarray(n_gold)
    (rare,) = np.nonzero((counts > 0) & (counts < fewest))
    if not len(rare):
        return ""
    names = labels[rare[:3]].tolist()
    shown = ", ".join(f"{name!r} ({count:g})" for name, count in zip(names, counts[rare[:3]], strict=True))
    more = f" and {len(rare) - 3} more labels" if len(rare) > 3 else ""
    return f"unreliable: rests on few gold documents of {shown}{more}"

"""Mean and spread of a metric over the folds of a cross-validation."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Spread(NamedTuple):
    """Mean, standard deviation (by n - 1), lowest and highest value, over the folds where the metric is defined.

    The deviation is no standard error of the mean: the folds share most of their training documents, so their values are not
    independent.
    """

    mean: float
    deviation: float
    low: float
    high: float
    n_folds: int


def measure_spread(values: Sequence[float]) -> Spread:
    """The spread of the values, one for each fold; NaN for a fold where the metric is undefined.

    >>> measure_spread([0.5, 0.75, float("nan")])
    Spread(mean=0.625, deviation=0.1767766952966369, low=0.5, high=0.75, n_folds=2)
    """
    known = [value for value in values if not np.isnan(value)]
    if not known:
        return Spread(np.nan, np.nan, np.nan, np.nan, 0)
    deviation = float(np.std(known, ddof=1)) if len(known) > 1 else np.nan
    return Spread(float(np.mean(known)), deviation, min(known), max(known), len(known))

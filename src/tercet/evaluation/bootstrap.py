"""The interval of any metric by drawing documents again and again, as often as they are.

A confusion metric needs the number of documents in each cell only, so a resample is one draw of the cells: 10,000 resamples
of a million documents cost no more than those of a thousand.
"""

import numpy as np

from tercet.arrays import Floats
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.pool import ConfusionMetric, Pool
from tercet.evaluation.replicates import estimate_accelerations, make_estimates
from tercet.evaluation.resampling import DEFAULT, Resampling

MOST_LEFT_OUT = 2000  # of more kinds of units a sample is left out, one by one: the skew needs no more


def bootstrap_metric(pool: Pool, metric: ConfusionMetric, plan: Resampling = DEFAULT) -> Estimate:
    """A metric of confusion matrices with its bootstrap interval.

    >>> def accuracy(matrices):
    ...     return np.trace(matrices, axis1=-2, axis2=-1) / matrices.sum(axis=(-2, -1))
    >>> print(bootstrap_metric(Pool.of_counts([[40, 10], [5, 45]]), accuracy))
    0.850 [0.770, 0.910]
    """
    return bootstrap_metrics(pool, lambda matrices: metric(matrices)[..., None], plan)[0]


def bootstrap_metrics(pool: Pool, metrics: ConfusionMetric, plan: Resampling = DEFAULT) -> list[Estimate]:
    """Several metrics from the same draws, so for the price of one: `metrics` gives a row of values for each matrix.

    >>> def recalls(matrices):
    ...     return np.diagonal(matrices, axis1=-2, axis2=-1) / matrices.sum(axis=-1)
    >>> print(*bootstrap_metrics(Pool.of_counts([[40, 10], [5, 45]]), recalls))
    0.800 [0.661, 0.896] 0.900 [0.786, 0.962]
    """
    return make_estimates(
        evaluate_total(pool, metrics),
        draw_replicates(pool, metrics, plan),
        find_accelerations(pool, metrics, plan),
        plan,
    )


def evaluate_total(pool: Pool, metrics: ConfusionMetric) -> Floats:
    """The values of all documents."""
    return np.asarray(metrics(pool.total[None])[0], np.float64)


def draw_replicates(pool: Pool, metrics: ConfusionMetric, plan: Resampling) -> Floats:
    """The values of each resample, resamples × metrics."""
    return np.concatenate([metrics(matrices) for matrices in pool.resample(plan.resamples, plan.seed)])


def find_accelerations(pool: Pool, metrics: ConfusionMetric, plan: Resampling) -> Floats:
    """How skewed each metric is, from its values without one unit: the same for all units of a kind."""
    weights = pool.sizes
    if plan.method != "bca" or pool.n_units == 1:  # without its only unit nothing is left
        return np.zeros(len(evaluate_total(pool, metrics)))
    if len(weights) > MOST_LEFT_OUT:
        weights = np.random.default_rng(plan.seed).multinomial(MOST_LEFT_OUT, weights / pool.n_units)
    (kinds,) = np.nonzero(weights)
    values = np.concatenate([metrics(matrices) for matrices in pool.leave_out(kinds)])
    return estimate_accelerations(values, weights[kinds].astype(np.float64), pool.n_units)

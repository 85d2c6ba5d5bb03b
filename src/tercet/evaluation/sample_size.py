"""How many documents it would take to show a difference, were it of the size that was seen."""

import math

from tercet.evaluation.intervals import find_quantile

LEVEL, POWER = 0.05, 0.8


def find_needed_discordant(a_only: int, b_only: int, n: int, *, level: float = LEVEL, power: float = POWER) -> int | None:
    """For accuracy, by the normal approximation of McNemar's test; None if the accuracies are equal.

    >>> find_needed_discordant(4, 2, 10)
    116
    """
    difference, discordant = (a_only - b_only) / n, (a_only + b_only) / n
    if difference == 0:
        return None
    under_null = find_quantile(1 - level / 2) * math.sqrt(discordant)
    in_truth = find_quantile(power) * math.sqrt(discordant - difference**2)
    return math.ceil(((under_null + in_truth) / difference) ** 2)


def find_needed(difference: float, standard_error: float, n: int, *, level: float = LEVEL, power: float = POWER) -> int | None:
    """For any metric: the error shrinks with √n until the difference stands out; None if it never does.

    >>> find_needed(0.2, standard_error=0.24, n=10)
    114
    """
    if not (abs(difference) > 0 and math.isfinite(standard_error)):
        return None
    errors = find_quantile(1 - level / 2) + find_quantile(power)
    return math.ceil(n * (errors * standard_error / difference) ** 2)

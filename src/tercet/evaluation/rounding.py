"""Rounded numbers that never claim more than the number: 0.99996 is not shown as 1.000."""

import math
import re

MOST_DIGITS = 7  # after the point, where fewer would show a number as 0 or 1 that is neither
NOISE = 1e-12  # a number that is nearer to 0 or 1 differs from it by rounding errors only
_FIXED = re.compile(r"([+]?)\.(\d+)([f%])")


def format_rounded(value: float, spec: str = ".3f", exact: tuple[int, ...] = (-1, 0, 1)) -> str:
    """The number with as many digits as `spec` says, or with more: only 0 and 1 themselves are shown as 0.000 and 1.000.

    `exact` has the numbers for which this holds. `spec` is a format such as ".3f", "+.3f" or ".1%"; any other is used as it is.

    >>> format_rounded(0.61549), format_rounded(0.99996), format_rounded(-0.00004), format_rounded(1.0)
    ('0.615', '0.99996', '-0.00004', '1.000')
    >>> format_rounded(0.99996, ".1%"), format_rounded(1 - 1e-9), format_rounded(1e-9)
    ('99.996%', '>0.9999999', '<0.0000001')
    """
    parts = _FIXED.fullmatch(spec)
    nearest = round(value) if math.isfinite(value) else 2
    if not parts or nearest not in exact or abs(value - nearest) < NOISE:
        return f"{value:{spec}}"
    sign, digits, unit = parts.groups()
    places = 2 if unit == "%" else 0
    for n_digits in range(int(digits), MOST_DIGITS + 1):
        if round(value, n_digits + places) != nearest:
            return f"{value:{sign}.{n_digits}{unit}}"
    step = math.copysign(10.0 ** -(MOST_DIGITS + places), value)
    bound = step if nearest == 0 else nearest - step
    return f"{'<' if value < bound else '>'}{bound:{sign}.{MOST_DIGITS}{unit}}"

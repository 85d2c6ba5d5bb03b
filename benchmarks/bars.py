"""A measured value beside the bar that it should reach."""

import operator

SIGNS = {">=": operator.ge, "<=": operator.le, "<": operator.lt, ">": operator.gt, "=": operator.eq}


def row(name: str, value: float, unit: str, bar: str = "", note: str = "") -> bool:
    """Print a line, and say whether the value reached its bar, such as "< 1.3"; without one it is merely shown."""
    reached = True
    if bar:
        sign, limit = bar.split()
        reached = SIGNS[sign](value, float(limit))
    verdict = "" if not bar else "met" if reached else "MISSED"
    print(f"{name:<46}{value:>9.4g} {unit:<12}{bar:<10}{verdict:<8}{note}".rstrip(), flush=True)
    return reached


def skip(name: str, reason: str) -> None:
    print(f"{name:<46}skipped: {reason}", flush=True)

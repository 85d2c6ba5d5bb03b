"""The signature printed beside a number: the recipe with which anyone can repeat the number."""

import sys
from collections.abc import Iterable, Sequence

from tercet.evaluation.intervals import Estimate
from tercet.evaluation.resampling import Resampling


def write_signature(
    names: Sequence[str], n: int, estimates: Iterable[Estimate], plan: Resampling | None, **more: object
) -> str:
    """Without a plan nothing is resampled.

    >>> write_signature(["accuracy"], 25000, [Estimate(0.9, 0.88, 0.92, 0.95, "wilson")], Resampling())
    'accuracy|n:25000|interval:wilson95|resamples:10000|seed:0|tercet:0.1.0'
    """
    version = sys.modules["tercet"].__version__  # not imported: the package imports this room
    methods = "+".join(dict.fromkeys(f"{each.method}{100 * each.confidence:g}" for each in estimates))
    parts = [f"{name}:{value}" for name, value in more.items() if value]
    drawn = [] if plan is None else [f"resamples:{plan.resamples}", f"seed:{plan.seed}"]
    return "|".join(["+".join(names), f"n:{n}", *parts, f"interval:{methods}", *drawn, f"tercet:{version}"])

"""The options that say what is measured, and with which intervals."""

from collections.abc import Callable
from typing import Any

import click

METRIC = "accuracy, macro_f1, f1:LABEL, f2:LABEL, recall:LABEL and others. Give it again for each further metric."

level_option = click.option(
    "--level",
    "confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level of the intervals. At 0.99, a difference between systems is claimed if p < 0.01.",
)
resamples_option = click.option(
    "--resamples", type=click.INT, default=10_000, show_default=True, help="Number of resamples of the bootstrap and of tests."
)
seed_option = click.option("--seed", type=click.INT, default=0, show_default=True, help="Random seed for the resamples.")


def measuring_options(metric: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that adds the options. The words about the metrics come before the list of their names."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        named = click.option("--metric", "metrics", multiple=True, metavar="NAME", help=f"{metric}: {METRIC}")
        for option in (seed_option, resamples_option, level_option, named):
            function = option(function)
        return function

    return add

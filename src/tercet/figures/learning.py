"""How good a model becomes, the more it learns."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tercet.errors import InvalidOption
from tercet.evaluation.intervals import Estimate
from tercet.figures.style import draw_curve, make_figure, mark_of, name_panels, show_name, write_legend
from tercet.report.svg_pictures import shorten_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def learning_curve(
    sizes: Sequence[int], estimates: Sequence[Estimate] | Mapping[str, Sequence[Estimate]], *, metric: str = "accuracy"
) -> "Figure":
    """A metric against the number of documents that were learned, with its interval; several curves by name.

    `tercet.measure_learning_curve` finds sizes and estimates.

    >>> from tercet.evaluation.intervals import wilson
    >>> learning_curve([10, 100], [wilson(6, 10), wilson(9, 10)])
    <Figure size 520x390 with 1 Axes>
    """
    figure, (axes,) = make_figure()
    curves = name_panels(estimates)
    for place, (name, curve) in enumerate(curves.items()):
        if len(curve) != len(sizes):
            raise InvalidOption(f"{len(sizes)} sizes and {len(curve)} estimates: each size needs one.")
        draw_curve(axes, sizes, curve, mark_of(place), show_name(name))
    axes.set_xscale("log")
    axes.minorticks_off()
    ticks = choose_ticks(sizes)
    axes.set_xticks(ticks, [shorten_count(tick) for tick in ticks])
    axes.set(xlabel="documents learned", ylabel=metric)
    if len(curves) > 1:
        write_legend(figure)
    return figure


def choose_ticks(sizes: Sequence[int]) -> list[int]:
    """Those that can be written side by side below a logarithmic axis; the largest is always there.

    >>> choose_ticks([10, 11, 100, 1000, 1001])
    [11, 100, 1001]
    """
    ordered = sorted(sizes, reverse=True)
    ratio = max(1.7, (ordered[0] / ordered[-1]) ** 0.125 * 0.999)
    kept = ordered[:1]
    for size in ordered:
        if size * ratio <= kept[-1]:
            kept.append(size)
    return kept[::-1]

"""What can be read in a picture."""

from itertools import combinations
from typing import Any

from matplotlib.figure import Figure
from matplotlib.text import Text


def list_texts(figure: Figure) -> list[Any]:
    """All that is written in it; ticks beyond the ends of an axis are not drawn."""
    figure.draw_without_rendering()
    unseen = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                if not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                    unseen |= {tick.label1, tick.label2}
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip() and text not in unseen]


def find_clashes(figure: Figure) -> list[str]:
    """Texts that lie over each other or leave the picture."""
    boxes = [(text.get_text(), text.get_window_extent().padded(-0.5)) for text in list_texts(figure)]
    over = [f"{a} | {b}" for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)]
    page = figure.bbox.padded(1)
    return over + [f"{text} leaves" for text, box in boxes if not all(page.contains(*corner) for corner in (box.p0, box.p1))]

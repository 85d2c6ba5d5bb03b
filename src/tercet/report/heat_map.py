"""The confusion matrix as a picture: blue where the answer is right, orange where it is wrong."""

import numpy as np
import numpy.typing as npt

from tercet.evaluation.confusion import Confusion
from tercet.report.characters import show_line
from tercet.report.sheet import show_count
from tercet.report.svg import BLUE, ORANGE, draw_box, draw_text, write_picture

MOST_LABELS = 30


def draw_heat_map(confusion: Confusion) -> str:
    """A row for each gold label, a column for each predicted one; the colour is the cell's share of its row.

    Of more labels than can be read, those that are mistaken for one another most often.
    """
    n_all, chosen = len(confusion.labels), choose_labels(confusion, MOST_LABELS)
    labels = [show_line(confusion.labels.tolist()[place], 16) for place in chosen]
    counts = confusion.counts[np.ix_(chosen, chosen)]
    sums = confusion.support[chosen]
    side = 36 if len(labels) <= 12 else 18
    left, top = 110, 90
    shapes = [draw_text(left - 6, top - 8, "gold ↓ predicted →", anchor="end", width=20)]
    for i, label in enumerate(labels):
        shapes.append(draw_text(left - 6, top + (i + 0.6) * side, label, anchor="end"))
        shapes.append(draw_text(left + (i + 0.6) * side, top - 6, label, turned=True))
        for j, other in enumerate(labels):
            count, share = counts[i, j], counts[i, j] / sums[i] if sums[i] else 0.0
            x, y = left + j * side, top + i * side
            title = f"gold {label}, predicted {other}: {show_count(count)} ({share:.1%})"
            shapes.append(draw_box(x, y, side - 1, side - 1, BLUE if i == j else ORANGE, 0.06 + 0.74 * share, title))
            if side > 30 and count:
                shapes.append(draw_text(x + side / 2, y + side * 0.6, shorten_count(count), anchor="middle"))
    size = len(labels) * side
    title = "confusion" if n_all <= MOST_LABELS else f"confusion of the {MOST_LABELS} most mistaken of {n_all} labels"
    return write_picture(left + size + 50, top + size + 4, title, shapes)


def choose_labels(confusion: Confusion, n: int) -> npt.NDArray[np.int64]:
    """The places of the labels in the fullest wrong cells; of equals, those with most gold documents.

    >>> choose_labels(Confusion.of(["a", "a", "b", "c", "d"], ["a", "a", "b", "d", "d"]), 2).tolist()
    [2, 3]
    """
    wrong = np.array(confusion.counts, np.float64)
    np.fill_diagonal(wrong, 0)
    fullest = np.maximum(wrong.max(axis=0), wrong.max(axis=1))
    return np.sort(np.lexsort((-confusion.support, -fullest))[:n])


def shorten_count(count: float) -> str:
    """
    >>> shorten_count(950.0), shorten_count(12_345.0), shorten_count(2_500_000.0)
    ('950', '12k', '2.5M')
    """
    if count < 10_000:
        return f"{count:.4g}"
    return f"{count / 1e3:.0f}k" if count < 1e6 else f"{count / 1e6:.1f}M"

"""The SVG pictures of a report: confusion matrix, F1 of each label, reliability diagram.

All use the page's own text colour, so they suit dark and light pages.
"""

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from tercet.characters import show_line
from tercet.evaluation.confusion import Confusion, find_most_confused_labels
from tercet.evaluation.intervals import wilson
from tercet.evaluation.probability_metrics import Reliability
from tercet.evaluation.rounding import format_rounded
from tercet.evaluation.sample import LabelRow
from tercet.report.tables import show_count, show_estimate

BLUE, ORANGE, GREY = "rgb(0,114,178)", "rgb(230,140,0)", "rgb(128,128,128)"
MOST_LABELS = 30  # of more labels the picture shows only some
BAR_LEFT, BAR_WIDTH, BAR_STEP = 110, 260, 20
SIDE, LEFT, TOP = 220, 40, 10  # of the reliability diagram


def draw_confusion(confusion: Confusion) -> str:
    """A heat map: a row for each gold label, a column for each predicted label; blue is right, orange is wrong.

    The stronger the colour, the larger the cell's share of its row. With many labels, only the most confused ones are shown.
    """
    n_all, chosen = len(confusion.labels), find_most_confused_labels(confusion, MOST_LABELS)
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
            title = f"gold {label}, predicted {other}: {show_count(count)} ({format_rounded(share, '.1%')})"
            shapes.append(draw_box(x, y, side - 1, side - 1, BLUE if i == j else ORANGE, 0.06 + 0.74 * share, title))
            if side > 30 and count:
                shapes.append(draw_text(x + side / 2, y + side * 0.6, shorten_count(count), anchor="middle"))
    size = len(labels) * side
    title = "confusion" if n_all <= MOST_LABELS else f"confusion of the {MOST_LABELS} most mistaken of {n_all} labels"
    return write_picture(left + size + 50, top + size + 4, title, shapes)


def draw_label_bars(rows: Sequence[LabelRow]) -> str:
    """F1 of each label as a bar with its interval, the lowest first. Undefined ones are left out."""
    known = sorted((row for row in rows if not math.isnan(row.f1.value)), key=lambda row: row.f1.value)
    shown = known[:MOST_LABELS]
    shapes = [draw_text(BAR_LEFT + BAR_WIDTH * tick, 10, f"{tick:g}", anchor="middle") for tick in (0, 0.5, 1)]
    for k, row in enumerate(shown):
        shapes += _draw_label_bar(row, 18 + k * BAR_STEP)
    title = "f1 of each label" if len(known) <= MOST_LABELS else f"f1, the {MOST_LABELS} lowest of {len(known)} labels"
    return write_picture(BAR_LEFT + BAR_WIDTH + 16, 18 + len(shown) * BAR_STEP, title, shapes)


def _draw_label_bar(row: LabelRow, y: float) -> list[str]:
    title = f"{show_line(row.label)}: {show_estimate(row.f1)}"
    shapes = [
        draw_text(BAR_LEFT - 6, y + 11, row.label, anchor="end"),
        draw_box(BAR_LEFT, y, BAR_WIDTH, BAR_STEP - 6, "currentColor", 0.08),
        draw_box(BAR_LEFT, y, max(BAR_WIDTH * row.f1.value, 0.5), BAR_STEP - 6, BLUE, 0.6, title),
    ]
    if not math.isnan(row.f1.low):
        low, high = BAR_LEFT + BAR_WIDTH * row.f1.low, BAR_LEFT + BAR_WIDTH * row.f1.high
        shapes += [
            draw_line(low, y + 7, high, y + 7),
            draw_line(low, y + 3, low, y + 11),
            draw_line(high, y + 3, high, y + 11),
        ]
    return shapes


def draw_reliability(table: Reliability, confidence: float = 0.95) -> str:
    """How often answers are right, by their probability: on the diagonal the two agree.

    Each bin that has documents is a dot, with the interval of its accuracy. The more documents, the larger the dot.
    """
    shapes = [draw_line(LEFT, TOP, LEFT, TOP + SIDE), draw_line(LEFT, TOP + SIDE, LEFT + SIDE, TOP + SIDE)]
    shapes.append(draw_line(LEFT, TOP + SIDE, LEFT + SIDE, TOP, dashed=True, color=GREY))
    for tick in (0, 0.5, 1):
        shapes.append(draw_text(LEFT + tick * SIDE, TOP + SIDE + 14, f"{tick:g}", anchor="middle"))
        shapes.append(draw_text(LEFT - 5, TOP + (1 - tick) * SIDE + 4, f"{tick:g}", anchor="end"))
    shapes.append(draw_text(LEFT + SIDE / 2, TOP + SIDE + 28, "probability of the answer", anchor="middle", width=30))
    total = table.counts.sum()
    for count, probability, accuracy in zip(table.counts, table.confidence, table.accuracy, strict=True):
        if math.isnan(accuracy):
            continue
        interval = wilson(float(min(accuracy, 1.0) * count), float(count), confidence)
        x = LEFT + probability * SIDE
        shapes.append(draw_line(x, TOP + (1 - interval.low) * SIDE, x, TOP + (1 - interval.high) * SIDE, color=BLUE))
        title = f"{show_count(count)} documents, probability {format_rounded(probability)}, right {interval}"
        shapes.append(draw_dot(x, TOP + (1 - accuracy) * SIDE, 3 + 5 * math.sqrt(count / total), BLUE, title))
    return write_picture(LEFT + SIDE + 12, TOP + SIDE + 34, "reliability: how often right", shapes)


def shorten_count(count: float) -> str:
    """
    >>> shorten_count(950.0), shorten_count(12_345.0), shorten_count(2_500_000.0)
    ('950', '12k', '2.5M')
    """
    if count < 10_000:
        return f"{count:.4g}"
    return f"{count / 1e3:.0f}k" if count < 1e6 else f"{count / 1e6:.1f}M"


# Shapes


def write_picture(width: float, height: float, title: str, shapes: list[str]) -> str:
    """A picture with a heading above it."""
    name = escape(title)
    return (
        f'<figure style="margin:0;max-width:100%"><figcaption style="font-weight:bold">{name}</figcaption>'
        f'<svg role="img" aria-label="{name}" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'style="max-width:100%;height:auto" font-size="11" font-family="sans-serif" fill="currentColor">'
        + "".join(shapes)
        + "</svg></figure>"
    )


def draw_text(x: float, y: float, text: object, *, anchor: str = "start", turned: bool = False, width: int = 16) -> str:
    """
    >>> draw_text(1, 2, "<a>")
    '<text x="1" y="2" text-anchor="start">&lt;a&gt;</text>'
    """
    turn = f' transform="rotate(-60 {x:g} {y:g})"' if turned else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{turn}>{escape(show_line(text, width))}</text>'


def draw_box(x: float, y: float, width: float, height: float, color: str, opacity: float, title: str = "") -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:.4g}" height="{height:.4g}" fill="{color}" '
        f'fill-opacity="{opacity:.3g}">{_write_title(title)}</rect>'
    )


def draw_line(x1: float, y1: float, x2: float, y2: float, *, color: str = "currentColor", dashed: bool = False) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<line x1="{x1:.5g}" y1="{y1:.5g}" x2="{x2:.5g}" y2="{y2:.5g}" stroke="{color}"{dash}/>'


def draw_dot(x: float, y: float, radius: float, color: str, title: str = "") -> str:
    shape = f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{radius:.3g}" fill="{color}" fill-opacity=".8">'
    return f"{shape}{_write_title(title)}</circle>"


def _write_title(title: str) -> str:
    return f"<title>{escape(title)}</title>" if title else ""

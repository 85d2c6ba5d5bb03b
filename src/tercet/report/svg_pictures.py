"""The SVG pictures of a report: confusion matrix, F1 of each label, reliability diagram.

All use the page's own text colour, so they suit dark and light pages.
"""

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from tercet.characters import measure_columns, show_line, show_lines
from tercet.evaluation.confusion import Confusion, list_most_confused_labels
from tercet.evaluation.intervals import format_rounded, wilson
from tercet.evaluation.probabilities import Reliability
from tercet.evaluation.sample import LabelRow
from tercet.html_fragments import escape_text
from tercet.report.tables import show_count, show_estimate

BLUE, ORANGE, GREY = "rgb(0,114,178)", "rgb(230,140,0)", "rgb(128,128,128)"
MAX_LABELS = 30  # labels in a picture; of more labels it shows only some
NAME = 16  # characters of the name of a label
LETTER, DIGIT = 6.4, 0.58  # width of a letter of a name in pixels, and of a digit as a share of its size
MIN_DIGIT_SIZE = 7.0  # pixels; smaller digits can't be read
MAX_TITLE_LENGTH = 100  # characters of a label in a tooltip
TURN = 60  # degrees, of the names of columns
SCALE, SCALE_STEP = (0.0, 0.25, 0.5, 0.75, 1.0), 26  # of the legend: shares, and pixels of each
BAR_LEFT, BAR_WIDTH, BAR_STEP = 110, 260, 20
SIDE, LEFT, TOP = 220, 40, 10  # of the reliability diagram


def draw_confusion(confusion: Confusion) -> str:
    """A heat map: a row for each gold label, a column for each predicted label; blue is right, orange is wrong.

    The stronger the colour, the larger the cell's share of its row; a legend shows the scale. A cell has its number, if that
    is not too long. With many labels, only the most confused ones are shown. The full names of labels are in the tooltips.
    """
    n_all, chosen = len(confusion.labels), list_most_confused_labels(confusion, MAX_LABELS)
    known = confusion.labels.tolist()
    whole = [show_line(known[index], MAX_TITLE_LENGTH) for index in chosen]
    names = show_lines([known[index] for index in chosen], NAME)
    counts, sums = confusion.pick(chosen), confusion.support[chosen]
    shares = np.divide(counts, sums[:, None], out=np.zeros_like(counts), where=sums[:, None] > 0)
    side, room = _choose_side(len(names)), LETTER * max(map(measure_columns, names))
    left, top = max(110, room + 12), max(50, room * math.sin(math.radians(TURN)) + 16)
    shapes = [draw_text(left - 6, top - 8, "gold ↓ predicted →", anchor="end", width=20)]
    for i, (name, title) in enumerate(zip(names, whole, strict=True)):
        shapes.append(draw_text(left - 6, top + i * side + side / 2 + 4, name, anchor="end", title=title))
        shapes.append(draw_text(left + i * side + side / 2 + 4, top - 6, name, turned=True, title=title))
    for (i, j), share in np.ndenumerate(shares):
        count = float(counts[i, j])
        title = f"gold {whole[i]}, predicted {whole[j]}: {show_count(count)} ({format_rounded(share, '.1%')})"
        shapes += _draw_cell(left + j * side, top + i * side, side, i == j, share, count, title)
    size = len(names) * side
    shapes += _draw_scale(left, top + size + 14)
    title = "confusion" if n_all <= MAX_LABELS else f"confusion of the {MAX_LABELS} most mistaken of {n_all} labels"
    width = left + max(size + room * math.cos(math.radians(TURN)) + 8, len(SCALE) * SCALE_STEP + 20)
    return write_picture(math.ceil(width), math.ceil(top + size + 70), title, shapes)


def _choose_side(n_labels: int) -> int:
    """Pixels of a cell: with more labels, cells are smaller."""
    return 36 if n_labels <= 12 else 30 if n_labels <= 20 else 24


def _draw_cell(x: float, y: float, side: float, is_right: bool, share: float, count: float, title: str) -> list[str]:
    """A cell, with its number if the digits are large enough to be read."""
    box = draw_box(x, y, side - 1, side - 1, BLUE if is_right else ORANGE, _shade(share), title)
    number = shorten_count(count)
    size = min(11.0, (side - 3) / (DIGIT * len(number)))
    if not count or size < MIN_DIGIT_SIZE:
        return [box]
    return [box, draw_text(x + side / 2 - 0.5, y + side / 2 + size * 0.36, number, anchor="middle", size=size)]


def _shade(share: float) -> float:
    """The opacity of a cell. The strongest colour still lets dark and light text be read."""
    return 0.06 + 0.54 * share


def _draw_scale(left: float, y: float) -> list[str]:
    """The legend: which colour is which share of a row."""
    shapes = []
    for row, (name, color) in enumerate({"right": BLUE, "wrong": ORANGE}.items()):
        shapes.append(draw_text(left - 6, y + row * 16 + 11, name, anchor="end"))
        shapes += [
            draw_box(left + k * SCALE_STEP, y + row * 16, SCALE_STEP - 1, 14, color, _shade(share))
            for k, share in enumerate(SCALE)
        ]
    shapes.append(draw_text(left - 6, y + 46, "share of its row", anchor="end"))
    for k in (0, len(SCALE) - 1):
        shapes.append(draw_text(left + (k + 0.5) * SCALE_STEP, y + 46, f"{SCALE[k]:.0%}", anchor="middle"))
    return shapes


def draw_label_bars(rows: Sequence[LabelRow]) -> str:
    """F1 of each label as a bar with its interval, the lowest first. Undefined ones are left out."""
    known = sorted((row for row in rows if not math.isnan(row.f1.value)), key=lambda row: row.f1.value)
    shown = known[:MAX_LABELS]
    names = show_lines([row.label for row in shown], NAME)
    shapes = [draw_text(BAR_LEFT + BAR_WIDTH * tick, 10, f"{tick:g}", anchor="middle") for tick in (0, 0.5, 1)]
    for k, (row, name) in enumerate(zip(shown, names, strict=True)):
        shapes += _draw_label_bar(row, name, 18 + k * BAR_STEP)
    title = "f1 of each label" if len(known) <= MAX_LABELS else f"f1, the {MAX_LABELS} lowest of {len(known)} labels"
    return write_picture(BAR_LEFT + BAR_WIDTH + 16, 18 + len(shown) * BAR_STEP, title, shapes)


def _draw_label_bar(row: LabelRow, name: str, y: float) -> list[str]:
    whole = show_line(row.label, MAX_TITLE_LENGTH)
    title = f"{whole}: {show_estimate(row.f1)}"
    shapes = [
        draw_text(BAR_LEFT - 6, y + 11, name, anchor="end", title=whole),
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
        documents = f"{show_count(count)} document{'' if count == 1 else 's'}"
        title = f"{documents}, probability {format_rounded(probability)}, right {interval}"
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
    name = escape_text(title)
    return (
        f'<figure style="margin:0;max-width:100%"><figcaption style="font-weight:bold">{name}</figcaption>'
        f'<svg role="img" aria-label="{name}" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'style="max-width:100%;height:auto" font-size="11" font-family="sans-serif" fill="currentColor">'
        + "".join(shapes)
        + "</svg></figure>"
    )


def draw_text(
    x: float,
    y: float,
    text: object,
    *,
    anchor: str = "start",
    turned: bool = False,
    width: int = NAME,
    size: float | None = None,
    title: str = "",
) -> str:
    """A text. With a `size` it is the number of a cell, and the tooltip is that of the cell below it.

    >>> draw_text(1, 2, "<a>")
    '<text x="1" y="2" text-anchor="start">&lt;a&gt;</text>'
    """
    more = f' transform="rotate({-TURN} {x:.5g} {y:.5g})"' if turned else ""
    more += f' font-size="{size:.3g}" pointer-events="none"' if size else ""
    shown = escape(show_line(text, width)) + _write_title(title)
    return f'<text x="{x:.5g}" y="{y:.5g}" text-anchor="{anchor}"{more}>{shown}</text>'


def draw_box(x: float, y: float, width: float, height: float, color: str, opacity: float, title: str = "") -> str:
    return (
        f'<rect x="{x:.5g}" y="{y:.5g}" width="{width:.4g}" height="{height:.4g}" fill="{color}" '
        f'fill-opacity="{opacity:.3g}">{_write_title(title)}</rect>'
    )


def draw_line(x1: float, y1: float, x2: float, y2: float, *, color: str = "currentColor", dashed: bool = False) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<line x1="{x1:.5g}" y1="{y1:.5g}" x2="{x2:.5g}" y2="{y2:.5g}" stroke="{color}"{dash}/>'


def draw_dot(x: float, y: float, radius: float, color: str, title: str = "") -> str:
    shape = f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{radius:.3g}" fill="{color}" fill-opacity=".8">'
    return f"{shape}{_write_title(title)}</circle>"


def _write_title(title: str) -> str:
    return f"<title>{escape_text(title)}</title>" if title else ""

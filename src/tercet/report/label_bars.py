"""F1 of each label as a bar with its interval."""

import math
from collections.abc import Sequence

from tercet.report.characters import show_line
from tercet.report.label_rows import LabelRow
from tercet.report.sheet import show_estimate
from tercet.report.svg import BLUE, draw_box, draw_line, draw_text, write_picture

MOST_LABELS = 30
LEFT, WIDTH, STEP = 110, 260, 20


def draw_label_bars(rows: Sequence[LabelRow]) -> str:
    """The worst first, since these are what to look at; undefined ones are left out."""
    known = sorted((row for row in rows if not math.isnan(row.f1.value)), key=lambda row: row.f1.value)
    shown = known[:MOST_LABELS]
    shapes = [draw_text(LEFT + WIDTH * tick, 10, f"{tick:g}", anchor="middle") for tick in (0, 0.5, 1)]
    for k, row in enumerate(shown):
        y = 18 + k * STEP
        shapes.append(draw_text(LEFT - 6, y + 11, row.label, anchor="end"))
        shapes.append(draw_box(LEFT, y, WIDTH, STEP - 6, "currentColor", 0.08))
        title = f"{show_line(row.label)}: {show_estimate(row.f1)}"
        shapes.append(draw_box(LEFT, y, max(WIDTH * row.f1.value, 0.5), STEP - 6, BLUE, 0.6, title))
        if not math.isnan(row.f1.low):
            low, high = LEFT + WIDTH * row.f1.low, LEFT + WIDTH * row.f1.high
            shapes += [
                draw_line(low, y + 7, high, y + 7),
                draw_line(low, y + 3, low, y + 11),
                draw_line(high, y + 3, high, y + 11),
            ]
    title = "f1 of each label" if len(known) <= MOST_LABELS else f"f1, the {MOST_LABELS} lowest of {len(known)} labels"
    return write_picture(LEFT + WIDTH + 16, 18 + len(shown) * STEP, title, shapes)

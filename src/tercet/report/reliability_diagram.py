"""How sure the answers were, and how often they were right: on the diagonal these agree."""

import math

from tercet.evaluation.intervals import wilson
from tercet.evaluation.reliability import Reliability
from tercet.report.sheet import show_count
from tercet.report.svg import BLUE, draw_dot, draw_line, draw_text, write_picture

SIDE, LEFT, TOP = 220, 40, 10


def draw_reliability(table: Reliability, confidence: float = 0.95) -> str:
    """A dot for each bin that has documents, the larger the more, with the interval of its accuracy."""
    shapes = [draw_line(LEFT, TOP, LEFT, TOP + SIDE), draw_line(LEFT, TOP + SIDE, LEFT + SIDE, TOP + SIDE)]
    shapes.append(draw_line(LEFT, TOP + SIDE, LEFT + SIDE, TOP, dashed=True, color="rgb(128,128,128)"))
    for tick in (0, 0.5, 1):
        shapes.append(draw_text(LEFT + tick * SIDE, TOP + SIDE + 14, f"{tick:g}", anchor="middle"))
        shapes.append(draw_text(LEFT - 5, TOP + (1 - tick) * SIDE + 4, f"{tick:g}", anchor="end"))
    shapes.append(draw_text(LEFT + SIDE / 2, TOP + SIDE + 28, "probability of the answer", anchor="middle", width=30))
    total = table.counts.sum()
    for count, sure, right in zip(table.counts, table.confidence, table.accuracy, strict=True):
        if math.isnan(right):
            continue
        interval = wilson(float(min(right, 1.0) * count), float(count), confidence)
        x = LEFT + sure * SIDE
        shapes.append(draw_line(x, TOP + (1 - interval.low) * SIDE, x, TOP + (1 - interval.high) * SIDE, color=BLUE))
        title = f"{show_count(count)} documents, probability {sure:.3f}, right {interval}"
        shapes.append(draw_dot(x, TOP + (1 - right) * SIDE, 3 + 5 * math.sqrt(count / total), BLUE, title))
    return write_picture(LEFT + SIDE + 12, TOP + SIDE + 34, "reliability: how often right", shapes)

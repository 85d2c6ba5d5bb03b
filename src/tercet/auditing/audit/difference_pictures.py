"""SVG pictures of differences: estimates with their intervals around 0, and signed bars."""

import math
from collections.abc import Sequence

from tercet.characters import measure_columns, show_line, show_lines
from tercet.evaluation.intervals import Estimate
from tercet.report.svg_pictures import (
    BLUE,
    GREY,
    LETTER,
    MAX_TITLE_LENGTH,
    ORANGE,
    draw_box,
    draw_dot,
    draw_line,
    draw_text,
    write_picture,
)
from tercet.report.tables import show_estimate, show_number

WIDTH, STEP, TOP, GAP = 300, 20, 22, 12  # pixels: of the scale, of a row, above the rows, beside the names
MAX_NAME_LENGTH = 48  # characters


def draw_differences(title: str, rows: Sequence[tuple[str, Estimate]]) -> str:
    """A dot with its interval for each difference. A dashed line is no difference."""
    known = [(name, estimate) for name, estimate in rows if not math.isnan(estimate.value)]
    ends = [end for _, each in known for end in (each.value, each.low, each.high) if math.isfinite(end)]
    scale = _Scale([name for name, _ in known], ends)
    shapes = scale.draw(len(known))
    for k, (name, estimate) in enumerate(known):
        y = TOP + k * STEP + STEP / 2
        color = BLUE if estimate.value >= 0 else ORANGE
        shapes.append(scale.draw_name(name, y))
        low, high = (scale.compute_x(end) for end in (estimate.low, estimate.high))
        shapes += [draw_line(low, y, high, y, color=color), *(draw_line(x, y - 4, x, y + 4, color=color) for x in (low, high))]
        shapes.append(
            draw_dot(
                scale.compute_x(estimate.value),
                y,
                4,
                color,
                f"{show_line(name, MAX_TITLE_LENGTH)}: {show_estimate(estimate, sign='+')}",
            )
        )
    return write_picture(scale.width, TOP + len(known) * STEP + 4, title, shapes)


def draw_bars(title: str, rows: Sequence[tuple[str, float]]) -> str:
    """A bar for each value: to the right if it is positive, to the left if it is negative."""
    scale = _Scale([name for name, _ in rows], [value for _, value in rows])
    shapes = scale.draw(len(rows))
    for k, (name, value) in enumerate(rows):
        y, zero, end = TOP + k * STEP + 3, scale.compute_x(0.0), scale.compute_x(value)
        tooltip = f"{show_line(name, MAX_TITLE_LENGTH)}: {show_number(value, '+')}"
        shapes.append(scale.draw_name(name, y + STEP / 2 - 3))
        shapes.append(
            draw_box(min(zero, end), y, max(abs(end - zero), 0.5), STEP - 6, BLUE if value >= 0 else ORANGE, 0.6, tooltip)
        )
    return write_picture(scale.width, TOP + len(rows) * STEP + 4, title, shapes)


class _Scale:
    """A horizontal scale that includes 0, with room for names on its left."""

    def __init__(self, names: Sequence[str], values: Sequence[float]) -> None:
        self._names = dict(zip(names, show_lines(names, MAX_NAME_LENGTH), strict=True))
        self._left = max([80.0, *(LETTER * measure_columns(name) for name in self._names.values())]) + GAP
        self._low, self._high = min([0.0, *values]), max([0.0, *values])
        self._span = (self._high - self._low) or 1.0

    @property
    def width(self) -> int:
        return math.ceil(self._left + WIDTH + 3 * GAP)

    def compute_x(self, value: float) -> float:
        """The x of a value. Infinite values are at the ends."""
        return self._left + GAP + WIDTH * (min(max(value, self._low), self._high) - self._low) / self._span

    def draw(self, n_rows: int) -> list[str]:
        """The numbers of the scale, and a dashed line at 0. Numbers too near to 0 are left out."""
        zero = self.compute_x(0.0)
        ends = [end for end in (self._low, self._high) if abs(self.compute_x(end) - zero) > 40]
        numbers = [draw_text(self.compute_x(end), 12, show_number(end, "+"), anchor="middle") for end in ends]
        line = draw_line(zero, TOP - 4, zero, TOP + n_rows * STEP, color=GREY, dashed=True)
        return [*numbers, draw_text(zero, 12, "0", anchor="middle"), line]

    def draw_name(self, name: str, y: float) -> str:
        title = show_line(name, MAX_TITLE_LENGTH)
        return draw_text(self._left, y + 4, self._names[name], anchor="end", width=MAX_NAME_LENGTH, title=title)

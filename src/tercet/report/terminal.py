"""A text with its evidence in colours, for a terminal."""

import os
import sys
from collections.abc import Sequence

from tercet.report.characters import show_text
from tercet.report.highlights import FAINT, Highlight, measure_strengths

# Each step catches the eye more than the one before on a dark ground and on a light one: letters, bold letters, a ground
# of its own, a brighter ground. Blue and orange differ for colour-blind eyes, too; what speaks against is also underlined.
FOR = ("38;5;33", "1;38;5;33", "38;5;231;48;5;25", "1;38;5;231;48;5;27")
AGAINST = ("4;38;5;166", "1;4;38;5;166", "4;38;5;231;48;5;130", "1;4;38;5;16;48;5;208")


def paint_text(text: str, highlights: Sequence[Highlight]) -> str:
    r"""The text with the escape sequences of its colours, and with no others.

    >>> paint_text("so bitter", [Highlight(3, 9, 1.5)])
    'so \x1b[1;38;5;231;48;5;27mbitter\x1b[0m'
    """
    painted, place = [], 0
    strengths = measure_strengths(piece.value for piece in highlights)
    for (start, end, value), strength in zip(highlights, strengths, strict=True):
        painted += [show_text(text[place:start]), _paint(show_text(text[start:end]), value, strength)]
        place = end
    return "".join([*painted, show_text(text[place:])])


def wants_color() -> bool:
    """Whether standard output is a terminal that knows colours, and nobody has set NO_COLOR."""
    is_refused = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not is_refused and sys.stdout is not None and sys.stdout.isatty()


def _paint(piece: str, value: float, strength: float) -> str:
    if strength < FAINT:
        return piece
    colors = AGAINST if value < 0 else FOR
    color = colors[min(int(strength * len(colors)), len(colors) - 1)]
    # Line by line: a ground that is open at a line feed is painted up to the margin.
    return "\n".join(f"\x1b[{color}m{line}\x1b[0m" if line else "" for line in piece.split("\n"))

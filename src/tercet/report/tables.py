"""The content of a report or a comparison as text in tables, before it becomes plain text, Markdown, LaTeX or HTML."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.characters import show_text
from tercet.evaluation.rounding import format_rounded

if TYPE_CHECKING:
    from tercet.evaluation.intervals import Estimate

Cells = tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """A table: title, column names, rows. The first column has names, the others have numbers."""

    title: str
    header: Cells
    rows: tuple[Cells, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", show_text(self.title))
        object.__setattr__(self, "header", show_texts(self.header))
        object.__setattr__(self, "rows", tuple(map(show_texts, self.rows)))


@dataclass(frozen=True)
class Sheet:
    """A headline, tables, the notes below them, and the signature."""

    headline: str
    grids: tuple[Grid, ...]
    notes: tuple[str, ...]
    signature: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "headline", show_text(self.headline))
        object.__setattr__(self, "notes", show_texts(self.notes))
        object.__setattr__(self, "signature", show_text(self.signature))


def show_texts(texts: Iterable[str]) -> Cells:
    """All that is shown is made safe here, for every form: labels and names may hold anything."""
    return tuple(map(show_text, texts))


_UNDEFINED = re.compile(r"undefined in \d+ of \d+ resamples")


class Footnotes:
    """Numbered notes, each listed once, in the order of their first use.

    >>> notes = Footnotes()
    >>> notes.mark("few documents"), notes.mark("skewed"), notes.mark("few documents"), notes.mark("")
    ('¹', '²', '¹', '')
    """

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}

    def mark(self, text: str) -> str:
        if not text:
            return ""
        self.texts.setdefault(text)
        number = str(list(self.texts).index(text) + 1)
        return number.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))

    def list(self) -> list[str]:
        return [f"{self.mark(text)} {text}" for text in self.texts]


def show_number(value: float, sign: str = "") -> str:
    """
    >>> show_number(0.61549), show_number(float("nan")), show_number(0.2, "+"), show_number(0.99996)
    ('0.615', '–', '+0.200', '0.99996')
    """
    return "–" if math.isnan(value) else format_rounded(value, f"{sign}.3f")


def show_estimate(estimate: "Estimate", notes: Footnotes | None = None, sign: str = "") -> str:
    """
    >>> from tercet.evaluation.intervals import Estimate
    >>> show_estimate(Estimate(0.5, 0.4, 0.6, 0.95, "wilson"))
    '0.500 [0.400, 0.600]'
    """
    # The number of resamples differs from label to label: without it hundreds of labels share one note.
    mark = notes.mark(_UNDEFINED.sub("undefined in some resamples", estimate.note)) if notes else ""
    if math.isnan(estimate.low):
        return show_number(estimate.value, sign) + mark
    low, high = (show_number(bound, sign) for bound in (estimate.low, estimate.high))
    return f"{show_number(estimate.value, sign)} [{low}, {high}]{mark}"


def pluralize(n: int, noun: str) -> str:
    """The number with its noun.

    >>> pluralize(1, "document"), pluralize(20, "label")
    ('1 document', '20 labels')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def show_count(value: float) -> str:
    """
    >>> show_count(25000.0), show_count(2.5)
    ('25000', '2.5')
    """
    return f"{value:.0f}" if value == round(value) else f"{value:.4g}"

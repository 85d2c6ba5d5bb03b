"""Evidence laid over the text: pieces that do not overlap, each with its share of the values."""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from tercet.report.evidence import Evidence, Span, add_up

FAINT = 1 / 16  # of the strongest: what is weaker would only make the text motley


class Highlight(NamedTuple):
    """A piece of the text, in code points, and what falls on it."""

    start: int
    end: int
    value: float


def cut_highlights(evidence: Iterable[Evidence], n_characters: int) -> list[Highlight]:
    """The text cut at the borders of all spans, in order of place; pieces without evidence are left out.

    A term's value is shared equally among its spans, and a span's share among its pieces by their length, so the values
    add up to those of all evidence that has spans. An empty span counts as the character that follows it, at the end of
    the text as the last one; only in an empty text there is none, and the piece is empty.

    >>> cut_highlights([Evidence("ab", ((0, 2),), 1.0), Evidence("bc", ((1, 3),), 3.0)], n_characters=3)
    [Highlight(start=0, end=1, value=0.5), Highlight(start=1, end=2, value=2.0), Highlight(start=2, end=3, value=1.5)]
    """
    on_spans: dict[Span, list[float]] = defaultdict(list)
    for item in evidence:
        for span in item.spans:
            on_spans[_widen(span, n_characters)].append(item.value / len(item.spans))
    borders = sorted({border for span in on_spans for border in span})
    on_pieces: dict[Span, list[float]] = defaultdict(list)
    for span, shares in on_spans.items():
        share = add_up(shares)
        for piece, part in _cut(span, borders):
            on_pieces[piece].append(share * part)
    return [Highlight(*piece, add_up(on_pieces[piece])) for piece in sorted(on_pieces)]


def measure_strengths(values: Iterable[float]) -> list[float]:
    """How strong each is beside the strongest, from 0 to 1. Beside an infinite one the strongest finite one is half as strong.

    >>> measure_strengths([1.0, -4.0]), measure_strengths([1.0, -4.0, -math.inf, math.nan])
    ([0.25, 1.0], [0.125, 0.5, 1.0, 0.0])
    """
    values = list(values)
    strongest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    top = 0.5 if any(map(math.isinf, values)) else 1.0
    return [1.0 if math.isinf(value) else top * abs(value) / strongest if abs(value) > 0 else 0.0 for value in values]


def _widen(span: Span, n_characters: int) -> Span:
    start, end = span
    if start < end or not n_characters:
        return span
    start = min(start, n_characters - 1)
    return start, start + 1


def _cut(span: Span, borders: list[int]) -> list[tuple[Span, float]]:
    """The pieces of a span between the borders, each with its part of the length."""
    start, end = span
    if start == end:
        return [(span, 1.0)]
    inside = borders[bisect_left(borders, start) : bisect_left(borders, end) + 1]
    return [((left, right), (right - left) / (end - start)) for left, right in pairwise(inside)]

"""What each term of a text adds to a decision, and how it is laid over the text."""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tercet.errors import InvalidOption
from tercet.kernel.text.columns import split_columns

Span = tuple[int, int]
FAINT = 1 / 16  # of the strongest: weaker evidence is not coloured, or the text would be hard to read


class Evidence(NamedTuple):
    """What a term adds to the log-odds of one label against another.

    `value` is for all its occurrences in the text together. `spans` are the places (start, end) of every token of every
    occurrence, in code points. Evidence without a place in the text has no spans: a column of numbers, or all absent terms.

    The evidence of character n-grams is folded into the word that they stand in. Then `parts` has the word and its n-grams, as
    the model counts them, and `value` is their sum.
    """

    term: str
    spans: tuple[Span, ...]
    value: float
    parts: tuple["Evidence", ...] = ()


class Section(NamedTuple):
    """A column of the text: its name, and where it begins and ends. A plain text is one section without a name."""

    name: str
    start: int
    end: int


def split_sections(text: str, columns: Sequence[str]) -> list[Section]:
    """The columns of a text that joins them.

    >>> split_sections("Hi\\x1fSee you", ["subject", "body"])
    [Section(name='subject', start=0, end=2), Section(name='body', start=3, end=10)]
    """
    if not columns:
        return [Section("", 0, len(text))]
    return [Section(name, *span) for name, span in zip(columns, split_columns(text, len(columns)), strict=True)]


def find_section(sections: Sequence[Section], span: Span) -> Section:
    """The column that a span is in."""
    return next(section for section in reversed(sections) if section.start <= span[0])


def sort_evidence(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The strongest first, for or against; ties by term. NumPy numbers become plain ones, so that JSON takes them.

    >>> [item.term for item in sort_evidence([Evidence("hen", (), 1), Evidence("fox", (), -2), Evidence("dog", (), 1)])]
    ['fox', 'dog', 'hen']
    """
    plain = [
        Evidence(term, tuple((int(start), int(end)) for start, end in spans), float(value), sort_evidence(parts))
        for term, spans, value, parts in evidence
    ]
    return tuple(sorted(plain, key=lambda item: (-_measure(item.value), *item)))


def join_parts(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The terms as the model counts them, each once: a term that is a part of several words has the sum of their values.

    >>> fox = Evidence("fox", ((0, 3),), 3.0, (Evidence("char:fo", ((0, 2),), 1.0), Evidence("char:ox", ((1, 3),), 2.0)))
    >>> join_parts([fox, Evidence("ox", ((4, 6),), 2.0, (Evidence("char:ox", ((4, 6),), 2.0),))])[0]
    Evidence(term='char:ox', spans=((1, 3), (4, 6)), value=4.0, parts=())
    """
    of_term: dict[str, list[Evidence]] = defaultdict(list)
    for item in evidence:
        for part in item.parts or (item,):
            of_term[part.term].append(part)
    joined = (
        Evidence(term, tuple(sorted(span for part in parts for span in part.spans)), add_up(part.value for part in parts))
        for term, parts in of_term.items()
    )
    return sort_evidence(joined)


def check_spans(evidence: Iterable[Evidence], n_characters: int) -> None:
    """Raise InvalidOption for a span that is not inside the text."""
    for term, spans, _, parts in evidence:
        check_spans(parts, n_characters)
        for start, end in spans:
            if not 0 <= start <= end <= n_characters:
                raise InvalidOption(
                    f"the span ({start}, {end}) of the term {term!r} is not inside a text of {n_characters} characters: "
                    "its value could not be shown. Count spans in code points of the text that is explained."
                )


def add_up(values: Iterable[float]) -> float:
    """The sum, rounded once; 0 if both +inf and -inf are among the values: each label is impossible, so neither is better.

    >>> add_up([0.1] * 10), add_up([1.0, -math.inf]), add_up([1.0, math.inf, -math.inf])
    (1.0, -inf, 0.0)
    """
    values = list(values)
    if has_both_infinities(values):
        return 0.0
    try:
        return math.fsum(values)
    except OverflowError:  # math.fsum refuses sums that are too large for it
        return sum(values)


def has_both_infinities(values: Sequence[float]) -> bool:
    return math.inf in values and -math.inf in values


def _measure(value: float) -> float:
    return math.inf if math.isnan(value) else abs(value)  # nan has no order of its own


# Evidence laid over the text


class Highlight(NamedTuple):
    """A piece of the text, in code points, and its share of the evidence."""

    start: int
    end: int
    value: float


def cut_highlights(evidence: Iterable[Evidence], n_characters: int) -> list[Highlight]:
    """The text cut at the borders of all spans, in order; the pieces do not overlap. Pieces without evidence are left out.

    A term's value is shared equally among its spans, and a span's share among its pieces by their length. So the values add
    up to the sum of all evidence that has spans. An empty span counts as the character that follows it, or the last character
    at the end of the text. Only in an empty text it remains empty.

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


class Piece(NamedTuple):
    """A highlight, or the text between two highlights, which has no value and no strength."""

    text: str
    value: float = 0.0
    strength: float = 0.0


def split_text(
    text: str, highlights: Sequence[Highlight], sections: Sequence[Section] = ()
) -> Iterator[tuple[str, list[Piece]]]:
    """The columns that are not empty, each with its name and its pieces. A plain text has no name.

    >>> list(split_text("so bitter", [Highlight(3, 9, 1.5)]))
    [('', [Piece(text='so ', value=0.0, strength=0.0), Piece(text='bitter', value=1.5, strength=1.0)])]
    """
    measured = list(zip(highlights, measure_strengths(piece.value for piece in highlights), strict=True))
    for section in sections or [Section("", 0, len(text))]:
        pieces, position = [], section.start
        for (start, end, value), strength in measured:
            if section.start <= start and end <= section.end:
                pieces += [Piece(text[position:start]), Piece(text[start:end], value, strength)]
                position = end
        if not section.name or section.start < section.end:
            yield section.name, [piece for piece in (*pieces, Piece(text[position : section.end])) if piece.text]


def measure_strengths(values: Iterable[float]) -> list[float]:
    """Each value's size relative to the largest, from 0 to 1. If some are infinite, the largest finite one has 1/2.

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
    """The pieces of a span between the borders, each with its share of the length."""
    start, end = span
    if start == end:
        return [(span, 1.0)]
    inside = borders[bisect_left(borders, start) : bisect_left(borders, end) + 1]
    return [((left, right), (right - left) / (end - start)) for left, right in pairwise(inside)]

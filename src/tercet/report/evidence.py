"""What each term of a text says about a decision."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from tercet.errors import InvalidOption

Span = tuple[int, int]


class Evidence(NamedTuple):
    """What a term adds to the log-odds of one label against another.

    `value` is for all its occurrences in the text together; `spans` are the places (start, end) of every token of every
    occurrence, in code points. There are none where something else speaks: a column of numbers, or all absent terms.
    """

    term: str
    spans: tuple[Span, ...]
    value: float


def sort_evidence(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The strongest first, whatever it speaks for; ties by term. Numbers become plain ones, so that JSON takes them.

    >>> [item.term for item in sort_evidence([Evidence("hen", (), 1), Evidence("fox", (), -2), Evidence("dog", (), 1)])]
    ['fox', 'dog', 'hen']
    """
    plain = [Evidence(term, tuple((int(start), int(end)) for start, end in spans), float(v)) for term, spans, v in evidence]
    return tuple(sorted(plain, key=lambda item: (-_measure(item.value), item.term, item.spans, item.value)))


def check_places(evidence: Iterable[Evidence], n_characters: int) -> None:
    """Raise InvalidOption for a span that is no place in the text."""
    for term, spans, _ in evidence:
        for start, end in spans:
            if not 0 <= start <= end <= n_characters:
                raise InvalidOption(
                    f"the span ({start}, {end}) of the term {term!r} is no place in a text of {n_characters} characters: its "
                    "value could not be shown. Count spans in code points of the text that is explained."
                )


def add_up(values: Iterable[float]) -> float:
    """The sum, rounded once; nan where +inf meets -inf.

    >>> add_up([0.1] * 10), add_up([1.0, -math.inf]), add_up([math.inf, -math.inf])
    (1.0, -inf, nan)
    """
    values = list(values)
    try:
        return math.fsum(values)
    except (ValueError, OverflowError):  # math.fsum refuses both infinities together, and sums too large for it
        return sum(values)


def _measure(value: float) -> float:
    return math.inf if math.isnan(value) else abs(value)  # nan has no order of its own

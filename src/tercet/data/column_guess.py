"""Guesses at which column is the text and which the label: by name first, then by what is in it."""

from collections.abc import Mapping, Sequence
from typing import Any

from tercet.errors import is_missing

TEXT_NAMES = (
    "text", "review", "review_text", "reviewtext", "review_body", "sentence", "content", "body", "message", "tweet", "document",
    "comment", "comment_text", "description", "question", "post", "article", "abstract", "utterance", "email", "sms", "title",
    "headline", "txt",
)  # fmt: skip
LABEL_NAMES = (
    "label", "labels", "klass", "class", "category", "target", "sentiment", "polarity", "stars", "rating", "overall", "score",
    "lang", "language", "topic", "intent", "emotion", "is_spam", "spam", "tag", "airline_sentiment", "y",
)  # fmt: skip

Sample = Mapping[str, Sequence[Any]]  # the first cells of each column


def guess_text(sample: Sample) -> str | None:
    """The column that is called like a text; else the one with the longest cells on average; None if that is unclear.

    >>> guess_text({"Review": ["Fine."], "stars": ["5"]}), guess_text({"a": ["ham", "spam"], "b": ["See you", "Buy"]})
    ('Review', 'b')
    """
    if found := find_name(sample, TEXT_NAMES):
        return found
    if len(sample) == 1:
        return next(iter(sample))
    lengths = sorted(((mean_length(cells), name) for name, cells in sample.items() if holds_text(cells)), reverse=True)
    is_clear = lengths and (len(lengths) == 1 or lengths[0][0] > lengths[1][0])
    return lengths[0][1] if is_clear else None


def guess_label(sample: Sample) -> str | None:
    """The column that is called like a label; else the one that has few different cells; None if that is unclear.

    >>> guess_label({"id": ["1", "2", "3", "4"], "kind": ["a", "b", "a", "b"]})
    'kind'
    """
    if found := find_name(sample, LABEL_NAMES):
        return found
    numbers = {name: len(set(map(str, cells))) for name, cells in sample.items() if repeats(cells)}
    several = [name for name, n_different in numbers.items() if n_different > 1]
    if several:
        fewest = min(numbers[name] for name in several)
        several = [name for name in several if numbers[name] == fewest]
    candidates = several or list(numbers)
    return candidates[0] if len(candidates) == 1 else None


def is_label_first(sample: Sample) -> bool:
    """Whether it has the form of the well-known benchmark files: "3","title","text", without a header.

    >>> is_label_first({"1": ["3", "4"], "2": ["Oil up", "Goal!"], "3": ["It rose.", "They won."]})
    True
    """
    first, *others = sample.values()
    is_number = all(str(cell).isdecimal() for cell in first)
    are_texts = all(holds_text(cells) and len(set(cells)) > len(cells) / 2 for cells in others)
    return len(others) > 1 and (is_number or repeats(first)) and are_texts


def find_name(sample: Sample, names: Sequence[str]) -> str | None:
    """The column with one of these names, those at the beginning first; upper case or not."""
    spelled = {name.strip().casefold(): name for name in reversed(list(sample))}
    return next((spelled[name] for name in names if name in spelled), None)


def repeats(cells: Sequence[Any]) -> bool:
    """Whether the same few values come again and again; of very few cells nobody knows."""
    n_different = len(set(map(str, cells)))
    return len(cells) < 4 or n_different <= len(cells) / 2


def holds_text(cells: Sequence[Any]) -> bool:
    """Whether there are strings in it that are no numbers."""
    return any(isinstance(cell, str) and not is_numeral(cell) for cell in cells)


def is_numeral(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return not cell.strip()
    return True


def mean_length(cells: Sequence[Any]) -> float:
    texts = [cell for cell in cells if not is_missing(cell)]
    return sum(len(str(cell)) for cell in texts) / max(len(texts), 1)

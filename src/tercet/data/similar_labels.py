"""Labels that are probably one label in several spellings."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tercet.data.label_rules import choose_spelling, fold_label, group_spellings
from tercet.errors import MissingExtra
from tercet.extras import import_extra

FORM, TYPING_ERROR = "form", "typing error"
SHORTEST = 5  # letters of a word in which one other letter may be a typing error: many short words differ in one letter
MOST_FREQUENT = 0.5  # a label with a typing error has at most this share of the documents of the right one
MOST_LABELS = 5000  # that are compared: so many labels are hardly names
WORD = re.compile(r"[^\W_]+")

Words = tuple[str, ...]


class SimilarLabel(NamedTuple):
    """A label that is probably another spelling of a more frequent label."""

    label: str
    better: str
    n_documents: float  # with `label`
    n_better: float  # with `better`
    difference: str  # FORM for case, blanks, hyphens, underscores and Unicode form; or TYPING_ERROR


def find_similar(counts: Mapping[str, float]) -> list[SimilarLabel]:
    """The labels that are probably spellings of others, given how many documents have each label.

    A typing error is one letter too much, too little, wrong or at the place of its neighbour, in a word of five or more
    letters, but not in its first letter. Digits are never typing errors. At most half as many documents have the error.
    Without the package that finds typing errors, only differences of form are found.

    >>> for found in find_similar({"Billing": 90, "billing": 6, "Biling": 4, "A1": 40, "A2": 2}):
    ...     print(found.label, found.better, found.difference)
    Biling Billing typing error
    billing Billing form
    """
    groups = {choose_spelling(group): group for group in group_spellings(counts)}
    better = _find_typing_errors({label: sum(group.values()) for label, group in groups.items()})
    found = []
    for chosen, group in groups.items():
        right, difference = better.get(chosen, chosen), TYPING_ERROR if chosen in better else FORM
        found += [SimilarLabel(label, right, group[label], counts[right], difference) for label in group if label != right]
    return sorted(found, key=lambda similar: (similar.better, similar.label))


def find_nearest(label: str, known: Iterable[str]) -> str | None:
    """The known label that this one is probably a spelling of, or None.

    >>> find_nearest("refund", ["Refund", "Spam"]), find_nearest("Refnud", ["Refund"]), find_nearest("A2", ["A1"])
    ('Refund', 'Refund', None)
    """
    others = sorted(other for other in known if other != label)
    key, is_near = fold_label(label), _load_comparison()
    for other in others:
        if fold_label(other) == key:
            return other
    words = _split_words(label)
    return next((other for other in others if is_near and _has_typing_error(words, _split_words(other), is_near)), None)


def can_find_typing_errors() -> bool:
    """Whether the package is installed."""
    return _load_comparison() is not None


def _find_typing_errors(counts: Mapping[str, float]) -> dict[str, str]:
    """For each label that probably has a typing error the right label. Right labels have none themselves."""
    is_near, better = _load_comparison(), dict[str, str]()
    if is_near is None or len(counts) > MOST_LABELS:
        return better
    words = {label: _split_words(label) for label in counts}
    alike: dict[Any, list[str]] = {}
    for label in sorted(counts, key=lambda label: (-counts[label], label)):  # the frequent labels come first
        for place in _list_places(words[label]):
            others = alike.setdefault(place, [])
            for other in others:
                if counts[label] > MOST_FREQUENT * counts[other]:
                    break
                if _has_typing_error(words[label], words[other], is_near):
                    better.setdefault(label, better.get(other, other))
            others.append(label)
    return better


def _split_words(label: str) -> Words:
    """The words of a label, in small letters.

    >>> _split_words("Tech_Support: E-mail")
    ('tech', 'support', 'e', 'mail')
    """
    return tuple(WORD.findall(unicodedata.normalize("NFKC", label).casefold()))


def _list_places(words: Words) -> list[tuple[int, Words]]:
    """Where a word may have an error: the place, with the other words and the first letter of this one."""
    places = range(len(words))
    return [(i, (*words[:i], words[i][0], *words[i + 1 :])) for i in places if len(words[i]) >= SHORTEST]


def _has_typing_error(one: Words, other: Words, is_near: Any) -> bool:
    """Whether both differ in one word, by one typing error."""
    different = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
    if len(one) != len(other) or len(different) != 1:
        return False
    (a, b), digits = different[0], [[c for c in word if c.isdigit()] for word in different[0]]
    return min(len(a), len(b)) >= SHORTEST and a[0] == b[0] and digits[0] == digits[1] and is_near(a, b, score_cutoff=1) <= 1


def _load_comparison() -> Any:
    """The function that counts typing errors, exchanged neighbours being one; None if the package is not installed."""
    try:
        return import_extra(
            "rapidfuzz.distance", package="rapidfuzz", extra="tables", purpose="labels with typing errors need"
        ).OSA.distance
    except MissingExtra:
        return None

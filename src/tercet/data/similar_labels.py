"""Labels that are probably one label in several spellings."""

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from tercet.data.label_rules import COLUMNS, choose_spelling, fold_label, group_spellings
from tercet.errors import MissingExtra
from tercet.extras import import_extra

FORM, TYPING_ERROR = "form", "typing error"
# Many short words differ in one letter, so a word with a typing error has a few letters more.
MIN_WORD_LETTERS = 5  # of such a word
MIN_SHORT_LETTERS, MIN_LABEL_LETTERS = 4, 8  # or of such a word in a longer label, if a letter is missing or too much
MAX_SHARE_OF_RIGHT = 0.5  # a label with a typing error has at most this share of the documents of the right one
MAX_LABELS, MAX_LENGTH = 10_000, 60  # labels that are compared, and characters of each: longer ones are hardly names
WORD = re.compile(r"[^\W_]+")

Words = tuple[str, ...]
TypoKey = tuple[int, Words]


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
    letters, but not in the first letter of the label. (In a label of eight or more letters four are enough, if a letter is
    missing or too much.) Digits are never typing errors. At most half as many documents have the error.
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


def write_label_map(similar: Iterable[SimilarLabel]) -> str:
    """The lines of a file for `read_label_map`, which replaces the similar labels.

    >>> print(write_label_map([SimilarLabel("biling", "Billing", 4, 90, TYPING_ERROR)]))
    from,to,from_documents,to_documents,difference
    biling,Billing,4,90,typing error
    """
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow([*COLUMNS, "from_documents", "to_documents", "difference"])
    for label, better, *numbers, difference in similar:
        rows.writerow([label, better, *(f"{n:.15g}" for n in numbers), difference])
    return file.getvalue().rstrip("\n")


def find_known_spellings(labels: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """For each of these new labels that is probably another spelling of a known label that known label.

    >>> find_known_spellings(["refund", "Refnud", "A2"], ["Refund", "A1"])
    {'refund': 'Refund', 'Refnud': 'Refund'}
    """
    keys: dict[str, str] = {}
    by_key: dict[TypoKey, list[str]] = {}
    for label in sorted(known):
        keys.setdefault(fold_label(label), label)
        for key in _list_typo_keys(label):
            by_key.setdefault(key, []).append(label)
    nearest = {label: keys.get(fold_label(label)) or _find_right(label, by_key) for label in labels}
    return {label: near for label, near in nearest.items() if near is not None}


def _find_right(label: str, by_key: Mapping[TypoKey, list[str]]) -> str | None:
    others = (other for key in _list_typo_keys(label) for other in by_key.get(key, ()))
    return next((other for other in others if has_typing_error(label, other)), None)


def can_find_typing_errors() -> bool:
    """Whether the package is installed."""
    return _load_comparison() is not None


def _find_typing_errors(counts: Mapping[str, float]) -> dict[str, str]:
    """For each label that probably has a typing error the right label. Right labels have none themselves."""
    better: dict[str, str] = {}
    alike: dict[TypoKey, list[str]] = {}
    if len(counts) > MAX_LABELS:
        return better
    for label in sorted(counts, key=lambda label: (-counts[label], label)):  # the frequent labels come first
        typo_keys = _list_typo_keys(label)
        others = {other: counts[other] for key in typo_keys for other in alike.get(key, ())}
        right = {
            other: n
            for other, n in others.items()
            if counts[label] <= MAX_SHARE_OF_RIGHT * n and has_typing_error(label, other)
        }
        if right:
            found = choose_spelling(right)
            better[label] = better.get(found, found)
        for key in typo_keys:
            alike.setdefault(key, []).append(label)
    return better


@lru_cache(maxsize=1 << 14)  # a label is compared with many others
def _split_words(label: str) -> Words:
    """The words of a label, in small letters.

    >>> _split_words("Tech_Support: E-mail")
    ('tech', 'support', 'e', 'mail')
    """
    return tuple(WORD.findall(unicodedata.normalize("NFKC", label).casefold()))


def _list_typo_keys(label: str) -> list[TypoKey]:
    """Where a label may have a typing error: the position of a word, and all words, this one with or without a letter.

    Labels that differ by one typing error have one of these in common, so few pairs of labels must be compared.
    """
    words = _split_words(label)
    if len(label) > MAX_LENGTH:
        return []
    indices = [i for i, word in enumerate(words) if len(word) >= MIN_SHORT_LETTERS - 1]
    return [(i, (*words[:i], part, *words[i + 1 :])) for i in indices for part in _leave_out(words[i])]


def _leave_out(word: str) -> list[str]:
    """The word, and the word without each of its letters.

    >>> _leave_out("too")
    ['oo', 'to', 'too']
    """
    return sorted({word, *(word[:i] + word[i + 1 :] for i in range(len(word)))})


def has_typing_error(one: str, other: str) -> bool:
    """Whether one typing error makes one label of the other.

    >>> has_typing_error("Tech_Suport", "tech support"), has_typing_error("Level 12345", "Level 12346")
    (True, False)
    """
    words = _split_words(one), _split_words(other)
    different = [i for i, (a, b) in enumerate(zip(*words, strict=False)) if a != b]
    if len(words[0]) != len(words[1]) or len(different) != 1:
        return False
    a, b = (each[different[0]] for each in words)
    return _may_be_error(a, b, max(len("".join(each)) for each in words)) and (different[0] > 0 or a[0] == b[0])


def _may_be_error(a: str, b: str, n_letters: int) -> bool:
    """Whether two words differ by one typing error, in labels of so many letters."""
    longer = max(len(a), len(b))
    is_long = longer >= MIN_WORD_LETTERS or (
        longer >= MIN_SHORT_LETTERS and n_letters >= MIN_LABEL_LETTERS and len(a) != len(b)
    )
    starts_alike = a[0] == b[0] or len(a) != len(b)
    if not is_long or not starts_alike or abs(len(a) - len(b)) > 1 or _pick_digits(a) != _pick_digits(b):
        return False
    count_errors = _load_comparison()
    return count_errors is not None and count_errors(a, b, score_cutoff=1) <= 1


@lru_cache(maxsize=1 << 14)
def _pick_digits(word: str) -> str:
    return "".join(filter(str.isdigit, word))


def name_missing_package() -> str:
    """Why typing errors can't be found, with the command that installs what is missing; empty if they can."""
    try:
        _import_comparison()
    except MissingExtra as error:
        return str(error)
    return ""


def _load_comparison() -> Callable[..., int] | None:
    """The function that counts typing errors, exchanged neighbours being one; None if the package is not installed."""
    try:
        count_errors: Callable[..., int] = _import_comparison().OSA.distance
    except MissingExtra:
        return None
    return count_errors


def _import_comparison() -> Any:
    return import_extra("rapidfuzz.distance", package="rapidfuzz", extra="tables", purpose="typing errors need")

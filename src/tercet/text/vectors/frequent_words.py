"""Frequent words of languages. They come from the package pyspellchecker, of which only the word lists are used.

A new text has words that neither the training texts nor the vocabulary of a sentence encoder have. Frequent words of its
language are known beforehand, so a model can have a number for each of them. The SHA-256 of each list is fixed here: with other
lists, the same documents would give another model.
"""

import gzip
import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tercet.cache_folder import choose_folder
from tercet.extras import import_extra
from tercet.text.vectors.checked_files import read_checked
from tercet.text.vectors.vector_cache import read_cached, write_cached

PACKAGE, VERSION = "pyspellchecker", "0.9.1"
CHECKSUMS = {
    "ar": "eb6d166f55c8c4c11aea93b5c7c9490503f67f82b599d0b671fcf6c9f305ff73",
    "de": "79cacd2a28fa6de9089f12ffaf11c5356353ea08a1f95f078218f1e5947a9414",
    "en": "2474a48af86fd81dccea9edd0bba6cd36dd2ecedc0ae217cefcb233bba28613c",
    "es": "60d27fd15ee2a99e679f6da511d8a141941f270537dee34448d1c51279175171",
    "fr": "04c256f6d06c4cadef640b63002e0e390008265e38d3def97172c292d09a141d",
    "it": "4c6e24595e59b4f802efa2d2e1d244c3d9ce645ae1b2622d4dc98b75ed30fe61",
    "nl": "ba1441ef417b4c0a5e77d1a320866e796924cd9d8439a40851185e5812a2b6c5",
    "pt": "6ee41cf1c071be1d055642b1721493e624ee40d532c77274b881420a76a2a294",
    "ru": "c0b51631290bd2d1bf5e8dd902a67e668a9ef7be009be657395d41901aee7ff3",
}
MAX_CACHED = 1 << 24  # bytes of the lists in the cache folder
MOST = 30_000  # words of a language
UNCOUNTED = 50  # the lists give this count to words that were added without a count

WordLists = Mapping[str, tuple[str, ...]]  # by language


def name_lists() -> str:
    """The lists and the rule by which words are taken: another name, other words."""
    return " ".join([PACKAGE, VERSION, str(MOST), *CHECKSUMS.values()])


def open_installed_lists() -> Callable[[], WordLists]:
    """A function that reads the lists. Raises MissingExtra if they are not installed."""
    package: Any = import_extra("spellchecker", package=PACKAGE, extra="vectors", purpose="word vectors need the word lists of")
    folder = Path(package.__file__).parent / "resources"
    return cache(lambda: read_lists(folder))


def read_lists(folder: Path) -> WordLists:
    """The frequent words of each language. The cache folder keeps them: to read the lists themselves takes a second."""
    key = name_lists()
    path = choose_folder() / f"frequent-words-{hashlib.sha256(key.encode()).hexdigest()[:16]}.txt"
    content = read_cached(path, key, MAX_CACHED)
    if content is None:
        lists = {language: list_frequent(read_counts(folder, language)) for language in CHECKSUMS}
        content = "\n".join(" ".join([language, *words]) for language, words in lists.items()).encode()
        write_cached(path, key, content)
    lines = (line.split(" ") for line in content.decode().split("\n"))
    return {language: tuple(words) for language, *words in lines}


def read_counts(folder: Path, language: str) -> dict[str, int]:
    path = folder / f"{language}.json.gz"
    counts: dict[str, int] = json.loads(gzip.decompress(read_checked(path, CHECKSUMS[language], PACKAGE, VERSION)))
    return counts


def list_frequent(counts: Mapping[str, int], most: int = MOST) -> tuple[str, ...]:
    """The most frequent words that have letters only, in canonical order.

    >>> list_frequent({"owl": 70, "fox": 90, "hen": 80, "don't": 99, "zyzzyva": 50}, most=2)
    ('fox', 'hen')
    """
    counted = [word for word, count in counts.items() if count > UNCOUNTED and word.isalpha() and word == word.lower()]
    return tuple(sorted(sorted(counted, key=lambda word: (-counts[word], word))[:most]))

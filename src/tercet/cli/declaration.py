"""Phrases of the Universal Declaration of Human Rights in several hundred languages, which the package gflanguages has."""

from collections.abc import Iterable
from typing import Any

from tercet.extras import import_extra
from tercet.text.analyzer import Analyzer

FIELDS = ("styles", "tester", "specimen_48", "specimen_36", "specimen_32", "specimen_21", "specimen_16")
FEWEST = 4  # phrases of a language: one of four is held out


def read_declaration() -> dict[str, list[str]]:
    """Languages by name, each with its phrases; those with too few to hold one out are left out."""
    purpose = "the demo reads the Universal Declaration of Human Rights from"
    languages = import_extra("gflanguages", package="gflanguages", extra="demo", purpose=purpose).LoadLanguages()
    phrases: dict[str, list[str]] = {}
    for _, language in sorted(languages.items()):
        if language.HasField("sample_text"):
            phrases.setdefault(language.name, []).extend(_list_phrases(language.sample_text))
    return {name: found for name, found in sorted(phrases.items()) if len(found) >= FEWEST}


def _list_phrases(sample: Any) -> list[str]:
    """The samples of a language overlap, and nothing that is held out may be part of what is learned."""
    lines = keep_longest(line.strip() for field in FIELDS for line in getattr(sample, field).splitlines())
    sentences = [sentence.text for line in lines for sentence in Analyzer.sentences(line)]
    return keep_longest(phrase for sentence in sentences for phrase in cut_phrases(sentence))


def keep_longest(texts: Iterable[str]) -> list[str]:
    """Those that are no part of another, each once.

    >>> keep_longest(["All human", "All human beings", "All human beings", "are born"])
    ['All human beings', 'are born']
    """
    once = list(dict.fromkeys(texts))
    return [text for text in once if not any(text in other for other in once if other != text)]


def cut_phrases(sentence: str, n_words: int = 6) -> list[str]:
    """Runs of about so many words, as even as can be.

    >>> cut_phrases("Everyone has the right to life, liberty and the security of person.")
    ['Everyone has the right to life,', 'liberty and the security of person.']
    """
    words = sentence.split()
    n = max(1, round(len(words) / n_words))
    return [" ".join(words[i * len(words) // n : (i + 1) * len(words) // n]) for i in range(n)]

"""One form for many: stems by the Snowball rules, lemmas by dictionary."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from tercet.errors import MissingExtra
from tercet.extras import import_extra
from tercet.text.languages import CODES, NAMES, find_language

# Algorithms for which there is no code: the first one of all, and the one that Dutch had before.
_ALGORITHMS = ("porter", "dutch_porter")
Forms = Callable[[Sequence[str]], list[str]]
_SURROGATE = re.compile("[\ud800-\udfff]")


def stem_words(words: Sequence[str], language: str) -> list[str]:
    """The stems of the words, in their order; `language` is a code, a name, or `"porter"`, the first stemmer of 1980.

    The rules are made for lower-case words. A word with a lone surrogate, or of more than 200 characters, stays as it is,
    and so does one of which nothing would be left.

    >>> stem_words(["connection", "connected", "connecting"], "en")
    ['connect', 'connect', 'connect']
    """
    return make_stemmer(language)(words)


def lemmatize_words(words: Sequence[str], language: str) -> list[str]:
    """The dictionary forms of the words, in their order; a word that is not known stays as it is.

    A lower-case word has a lower-case lemma, so that it still meets lower-case lists: eurasia, though the dictionary
    has Eurasia.

    >>> lemmatize_words(["runs", "running", "ran", "mice"], "en")
    ['run', 'run', 'run', 'mouse']
    """
    return make_lemmatizer(language)(words)


def make_stemmer(language: str) -> Forms:
    """`stem_words` for a language: what is the same for all words is done once."""
    find = load_stemmer(find_stemmer(language))

    def stem(words: Sequence[str]) -> list[str]:
        kept = [word if _is_word(word) else "" for word in words]
        return [stem or word for stem, word in zip(find(kept), words, strict=True)]

    return stem


def make_lemmatizer(language: str) -> Forms:
    """`lemmatize_words` for a language."""
    code = find_lemma_language(language)
    find = load_lemmas(code)
    return lambda words: [_lemmatize(word, code, find) for word in words]


def find_stemmer(language: object) -> str:
    """The name of a Snowball algorithm: `"english"` for `"en"`."""
    module = _load_stemmers()
    if language in _ALGORITHMS:
        return str(language)
    codes = {CODES[name] for name in module.algorithms() if name in CODES}
    return NAMES[find_language(language, codes, "stems", "a language or 'porter'")]


def find_lemma_language(language: object) -> str:
    """The code under which simplemma knows a language; Norwegian is Bokmål there."""
    known = _load_simplemma().dictionaries.dictionary_factory.SUPPORTED_LANGUAGES
    code = find_language(language, {*known, "no"}, "lemmas", "a language, a mapping from word to lemma, or a Path")
    return "nb" if code == "no" else code


@lru_cache(maxsize=8)
def load_stemmer(name: str) -> Callable[[Sequence[str]], list[str]]:
    """The function that stems words by the algorithm of that name."""
    module = _load_stemmers()
    make: Callable[[str], Any] = module.Stemmer if hasattr(module, "Stemmer") else module.stemmer

    def stem(words: Sequence[str]) -> list[str]:
        # A stemmer holds the word it works on, so two threads can't share one; a new one takes a few microseconds.
        stemmer = make(name)
        # Callers stem each distinct word once, so a cache would only cost.
        stemmer.maxCacheSize = 0
        stems: list[str] = stemmer.stemWords(words)
        return stems

    return stem


@lru_cache(maxsize=4)
def load_lemmas(code: str) -> Callable[[str, str], str | None]:
    """The function from a word and a language to the lemma, or None; the dictionary is read here, 0.2 s for English."""
    # Not the package's Lemmatizer: its cache costs a third of the time, and each distinct word comes once.
    find: Callable[[str, str], str | None] = _load_simplemma().DefaultStrategy().get_lemma
    find("a", code)
    return find


def _lemmatize(word: str, code: str, find: Callable[[str, str], str | None]) -> str:
    try:
        lemma = find(word, code) or word
    except UnicodeEncodeError:
        return word
    return lemma.lower() if lemma != word and word.islower() else lemma


def _is_word(word: str) -> bool:
    # Some rules take the square of the length.
    return len(word) <= 200 and (word.isascii() or _SURROGATE.search(word) is None)


def _load_stemmers() -> Any:
    """PyStemmer, or its twin in plain Python, which is slower and gives the same."""
    try:
        return import_extra("Stemmer", package="PyStemmer", extra="forms", purpose="stems need")
    except MissingExtra as missing:
        try:
            return import_extra("snowballstemmer", package="snowballstemmer", extra="forms", purpose="stems need")
        except MissingExtra:
            raise missing from None


def _load_simplemma() -> Any:
    return import_extra("simplemma.strategies", package="simplemma", extra="forms", purpose="lemmas need")

"""Stems and lemmas: many forms of a word are counted as one.

Stems by the Snowball rules; lemmas by dictionary, by a list, or by WordNet, whose files NLTK reads if they are installed.
"""

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, Self

from tercet.cached import cached_property
from tercet.errors import InvalidFile, MissingExtra, bad_option
from tercet.extras import import_extra
from tercet.registry import register
from tercet.text.language_names import CODES, NAMES, find_language
from tercet.text.word_lists import FrozenValue, check_words, read_lines

WORDNET = "wordnet"  # the name of these lemmas, in place of a language
DEBIAN = Path("/usr/share/wordnet")  # where the package wordnet-base puts the files
NLTK_NAMES = ("corpora/wordnet", "corpora/wordnet.zip/wordnet/")


def find_wordnet() -> Any:
    """The folder of the files, of NLTK's data or else of Debian's package, as NLTK names a folder.

    Raises MissingExtra if NLTK or the files are not installed.
    """
    data = import_extra("nltk.data", package="nltk", extra="forms", purpose="lemmas of WordNet need")
    for name in NLTK_NAMES:
        try:
            return data.find(name)
        except LookupError:
            continue
    if not (DEBIAN / "index.noun").is_file():
        raise MissingExtra(
            "lemmas='wordnet' needs the files of WordNet, which are not installed: apt-get install wordnet-base (Debian, "
            "Ubuntu), or python -m nltk.downloader wordnet. lemmas='en' needs no such files."
        )
    if str(DEBIAN) not in data.path:
        data.path.append(str(DEBIAN))  # NLTK reads only from the folders in this list
    return data.FileSystemPathPointer(str(DEBIAN))


def read_wordnet_version() -> str:
    """The version of WordNet's files; empty if they do not say it."""
    with find_wordnet().join("data.adj").open() as file:
        found = re.search(rb"(?i)wordnet (\d[\d.]*) copyright", file.read(4096))
    return found[1].decode() if found else ""


def lemmatize_by_wordnet(words: Sequence[str]) -> list[str]:
    """The base forms of the words, in their order, by the rules of WordNet (`morphy`).

    The parts of speech are tried in the order noun, verb, adjective, adverb, and the first that WordNet knows is used. An
    unknown word stays as it is.
    """
    reader = load_reader()
    return [reader.morphy(word) or word for word in words]


@lru_cache(maxsize=1)
def load_reader() -> Any:
    """NLTK's reader. It loads the whole index, in about two seconds."""
    base: Any = import_extra("nltk.corpus.reader.wordnet", package="nltk", extra="forms", purpose="lemmas of WordNet need")

    class WordNetReader(base.WordNetCorpusReader):  # type: ignore[misc]
        """Only for lemmas: it does not read two files that Debian leaves out."""

        def open(self, file: str) -> Any:
            return io.StringIO() if file == "lexnames" else super().open(file)  # the names of topics

        def map_wn(self, version: str = "") -> None:
            """No mapping to other versions, which index.sense is for."""

    return WordNetReader(find_wordnet(), omw_reader=False)  # None would mean a warning about other languages


# Algorithms that have no language code: the first stemmer of all, and the former stemmer for Dutch.
_ALGORITHMS = ("porter", "dutch_porter")
FindForms = Callable[[Sequence[str]], list[str]]
_SURROGATE = re.compile("[\ud800-\udfff]")


def stem_words(words: Sequence[str], language: str) -> list[str]:
    """The stems of the words, in their order. `language` is a code, a name, or `"porter"`, Porter's stemmer of 1980.

    The rules are made for lower-case words. A word stays as it is if it has a lone surrogate or more than 200 characters, or
    if its stem would be empty.

    >>> stem_words(["connection", "connected", "connecting"], "en")
    ['connect', 'connect', 'connect']
    """
    return make_stemmer(language)(words)


def lemmatize_words(words: Sequence[str], language: str) -> list[str]:
    """The dictionary forms of the words, in their order. `language` may be `"wordnet"`. An unknown word stays as it is.

    A lower-case word has a lower-case lemma, so that it still matches lower-case lists: eurasia, although the dictionary has
    Eurasia.

    >>> lemmatize_words(["runs", "running", "ran", "mice"], "en")
    ['run', 'run', 'run', 'mouse']
    """
    return make_lemmatizer(language)(words)


def make_stemmer(language: str) -> FindForms:
    """`stem_words` for one language, loaded once."""
    find = load_stemmer(find_stemmer(language))

    def stem(words: Sequence[str]) -> list[str]:
        kept = [word if _can_be_stemmed(word) else "" for word in words]
        return [stem or word for stem, word in zip(find(kept), words, strict=True)]

    return stem


def make_lemmatizer(language: str) -> FindForms:
    """`lemmatize_words` for one language, loaded once."""
    code = find_lemma_language(language)
    if code == WORDNET:
        return lemmatize_by_wordnet
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
    """The code that simplemma uses for a language, where Norwegian is Bokmål; or `"wordnet"`, if WordNet is installed."""
    if isinstance(language, str) and language == WORDNET:
        find_wordnet()
        return WORDNET
    known = _load_simplemma().dictionaries.dictionary_factory.SUPPORTED_LANGUAGES
    code = find_language(language, {*known, "no"}, "lemmas", "a language, 'wordnet', a mapping from word to lemma, or a Path")
    return "nb" if code == "no" else code


@lru_cache(maxsize=8)
def load_stemmer(name: str) -> Callable[[Sequence[str]], list[str]]:
    """The function that stems words by the algorithm of this name."""
    module = _load_stemmers()
    make: Callable[[str], Any] = module.Stemmer if hasattr(module, "Stemmer") else module.stemmer

    def stem(words: Sequence[str]) -> list[str]:
        # A stemmer holds the word it works on, so two threads can't share one. Making one takes a few microseconds.
        stemmer = make(name)
        # Callers stem each distinct word once, so a cache would only cost time.
        stemmer.maxCacheSize = 0
        stems: list[str] = stemmer.stemWords(words)
        return stems

    return stem


@lru_cache(maxsize=4)
def load_lemmas(code: str) -> Callable[[str, str], str | None]:
    """The function from a word and a language to the lemma, or None. The dictionary is read here: 0.2 s for English."""
    # Not the package's Lemmatizer: its cache costs a third of the time, and each distinct word is looked up only once.
    find: Callable[[str, str], str | None] = _load_simplemma().DefaultStrategy().get_lemma
    find("a", code)
    return find


def _lemmatize(word: str, code: str, find: Callable[[str, str], str | None]) -> str:
    try:
        lemma = find(word, code) or word
    except UnicodeEncodeError:
        return word
    return lemma.lower() if lemma != word and word.islower() else lemma


def _can_be_stemmed(word: str) -> bool:
    # The time of some rules grows with the square of the length.
    return len(word) <= 200 and (word.isascii() or _SURROGATE.search(word) is None)


def _load_stemmers() -> Any:
    """PyStemmer, or snowballstemmer in plain Python, which is slower and gives the same stems."""
    try:
        return import_extra("Stemmer", package="PyStemmer", extra="forms", purpose="stems need")
    except MissingExtra as missing:
        try:
            return import_extra("snowballstemmer", package="snowballstemmer", extra="forms", purpose="stems need")
        except MissingExtra:
            raise missing from None


def _load_simplemma() -> Any:
    return import_extra("simplemma.strategies", package="simplemma", extra="forms", purpose="lemmas need")


@register("lemma_list", "lemmas")
class LemmaList(FrozenValue):
    """From a word to its lemma, as a user lists them. A word that is not in the list stays as it is. The name is not compared.

    >>> lemmas = LemmaList({"went": "go", "goes": "go"}, name="mine")
    >>> lemmas
    LemmaList('mine', 2 words)
    >>> lemmas.lemmatize(["she", "went"])
    ['she', 'go']
    """

    content: tuple[tuple[str, str], ...]
    name: str | None

    def __init__(self, lemmas: Mapping[str, str], name: str | None = None) -> None:
        if not isinstance(lemmas, Mapping):
            raise bad_option("lemmas", "a mapping from word to lemma", lemmas, "each word has one lemma.")
        check_words(lemmas.keys(), "lemmas")
        check_words(lemmas.values(), "lemmas")
        self._keep(content=tuple(sorted(lemmas.items())), name=name)

    @cached_property
    def _lemmas(self) -> dict[str, str]:
        return dict(self.content)

    def lemmatize(self, words: Iterable[str]) -> list[str]:
        """The lemmas of the words, in their order."""
        return [self._lemmas.get(word, word) for word in words]

    def __len__(self) -> int:
        return len(self.content)

    def __repr__(self) -> str:
        size = f"{len(self)} word{'' if len(self) == 1 else 's'}"
        return f"LemmaList({size})" if self.name is None else f"LemmaList({self.name!r}, {size})"

    def to_dict(self) -> dict[str, Any]:
        """The lemmas and the name, for JSON. `from_dict` reads them back."""
        return {"lemmas": dict(self.content), "name": self.name}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """
        >>> LemmaList.from_dict({"lemmas": {"mice": "mouse"}, "name": None})
        LemmaList(1 word)
        """
        if not isinstance(written, Mapping) or "lemmas" not in written or not set(written) <= {"lemmas", "name"}:
            raise bad_option("a lemma list", "a mapping with lemmas and name", written, "to_dict writes it in this form.")
        return cls(**written)


def read_lemma_list(path: str | PathLike[str]) -> LemmaList:
    """The lemmas of a UTF-8 file with `lemma<TAB>word` on each line. Lines that begin with `#` are comments.

    If a word has two lemmas, the first one is used.
    """
    file = Path(path)
    lemmas: dict[str, str] = {}
    for number, line in enumerate(read_lines(file), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 2 or not all(fields):
            raise InvalidFile(f"{file.name}, line {number}: {line!r} is not a lemma, a tab and a word.")
        lemmas.setdefault(fields[1], fields[0])
    if not lemmas:
        raise InvalidFile(f"{file.name} has no lemmas: write a lemma, a tab and a word on each line.")
    return LemmaList(lemmas, name=file.stem)

"""Lemmas of WordNet: the base form of an English word, found by NLTK in the files of WordNet, if they are installed."""

import io
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tercet.errors import MissingExtra
from tercet.extras import import_extra

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


def find_wordnet_version() -> str:
    """The version of WordNet's files; empty if they do not say it."""
    with find_wordnet().join("data.adj").open() as file:
        found = re.search(rb"(?i)wordnet (\d[\d.]*) copyright", file.read(4096))
    return found[1].decode() if found else ""


def lemmatize_words(words: Sequence[str]) -> list[str]:
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

    class Reader(base.WordNetCorpusReader):  # type: ignore[misc]
        """Only for lemmas: it does not read two files that Debian leaves out."""

        def open(self, file: str) -> Any:
            return io.StringIO() if file == "lexnames" else super().open(file)  # the names of topics

        def map_wn(self, version: str = "") -> None:
            """No mapping to other versions, which index.sense is for."""

    return Reader(find_wordnet(), omw_reader=False)  # None would mean a warning about other languages

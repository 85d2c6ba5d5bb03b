"""Lemmas of one's own: a list of words and the form each is counted as."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Self

from tercet.errors import InvalidFile, bad_option
from tercet.text.list_files import read_lines
from tercet.text.values import Value
from tercet.text.word_lists import check_words


class LemmaList(Value):
    """From a word to its lemma; a word that is not in the list stays as it is. The name is not compared.

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
        """The lemmas and the name, for JSON: `from_dict` reads them back."""
        return {"lemmas": dict(self.content), "name": self.name}

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Self:
        """
        >>> LemmaList.from_dict({"lemmas": {"mice": "mouse"}, "name": None})
        LemmaList(1 word)
        """
        if not isinstance(options, Mapping) or "lemmas" not in options or not set(options) <= {"lemmas", "name"}:
            raise bad_option("a lemma list", "a mapping with lemmas and name", options, "to_dict writes it so.")
        return cls(**options)


def read_lemma_list(path: str | PathLike[str]) -> LemmaList:
    """The lemmas of a UTF-8 file with `lemma<TAB>word` on each line; lines that begin with `#` are comments.

    Where a word stands under two lemmas, the first one holds.
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
        raise InvalidFile(f"{file.name} has no lemmas: each line would be a lemma, a tab and a word.")
    return LemmaList(lemmas, name=file.stem)

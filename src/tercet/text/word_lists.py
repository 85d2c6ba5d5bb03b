"""Lists of words: for stop words, negation, and whatever a user brings along."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Self

from tercet.errors import InvalidFile, InvalidOption, bad_option
from tercet.text.list_files import read_lines
from tercet.text.values import Value


class WordList(Value):
    """Words, sorted and each once, so that equal lists are equal; the name is for people, and not compared.

    >>> words = WordList(["the", "a", "the"], name="articles")
    >>> words
    WordList('articles', 2 words)
    >>> list(words), "the" in words
    (['a', 'the'], True)
    >>> words == WordList({"a", "the"})
    True
    """

    content: tuple[str, ...]
    name: str | None

    def __init__(self, words: Iterable[str], name: str | None = None) -> None:
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise bad_option("name", "None or a name", name, "it is what the list is called.")
        checked = frozenset(check_words(words))
        self._keep(content=tuple(sorted(checked)), name=name, _members=checked)

    @property
    def words(self) -> tuple[str, ...]:
        return self.content

    def __iter__(self) -> Iterator[str]:
        return iter(self.content)

    def __len__(self) -> int:
        return len(self.content)

    def __contains__(self, word: object) -> bool:
        return word in self._members

    _members: frozenset[str]

    def __repr__(self) -> str:
        size = f"{len(self)} word{'' if len(self) == 1 else 's'}"
        return f"WordList({size})" if self.name is None else f"WordList({self.name!r}, {size})"

    def to_dict(self) -> dict[str, Any]:
        """The words and the name, for JSON: `from_dict` reads them back."""
        return {"words": list(self.content), "name": self.name}

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Self:
        """
        >>> WordList.from_dict({"words": ["ne", "pas"], "name": "fr"})
        WordList('fr', 2 words)
        """
        if not isinstance(options, Mapping) or "words" not in options or not set(options) <= {"words", "name"}:
            raise bad_option("a word list", "a mapping with words and name", options, "to_dict writes it so.")
        return cls(**options)


def check_words(words: Iterable[str], what: str = "words") -> Collection[str]:
    """The words, each a str that can be a word; a lone str would be taken for a list of its letters."""
    if isinstance(words, str | bytes) or not isinstance(words, Iterable):
        raise bad_option(what, "a list of words", words, "one word is a list too: [word].")
    kept = list(words)
    for word in kept:
        if not isinstance(word, str):
            raise bad_option(what, "a list of str", word, "only a str can be found in a text.")
        if not word or word != word.strip():
            raise InvalidOption(f"{what} holds {word!r}, which no token can be: strip the blanks, leave out the empty.")
    return kept


def make_word_list(words: Iterable[str] | WordList, option: str) -> WordList:
    """The list for an option whose words are compared with single tokens: a blank inside one is an error.

    >>> make_word_list(["New York"], "stop_words")
    Traceback (most recent call last):
    tercet.errors.InvalidOption: stop_words holds 'New York', which is not one word: it would never be found. Take it apart.
    """
    made = words if isinstance(words, WordList) else WordList(check_words(words, option))
    if phrase := next(filter(has_blank, made), None):
        raise InvalidOption(f"{option} holds {phrase!r}, which is not one word: it would never be found. Take it apart.")
    return made


def has_blank(word: str) -> bool:
    return re.search(r"\s", word) is not None


def read_word_list(path: str | PathLike[str]) -> WordList:
    """The words of a UTF-8 file, one a line. The list is named after the file.

    Empty lines, those that begin with `#`, and what follows ` #` or ` |` are left out.
    """
    file = Path(path)
    lines = ((number, _strip_comment(line)) for number, line in enumerate(read_lines(file), 1))
    words = [(number, line) for number, line in lines if line]
    for number, word in words:
        if "\t" in word:
            raise InvalidFile(f"{file.name}, line {number}: {word!r} has a tab; a word list has one word a line.")
    if not words:
        raise InvalidFile(f"{file.name} has no words: each would stand on a line of its own, lines with # are comments.")
    return WordList((word for _, word in words), name=file.stem)


def _strip_comment(line: str) -> str:
    return re.sub(r"^#.*|(^|\s+)\|(\s.*)?$|\s[#|].*", "", line.strip()).strip()

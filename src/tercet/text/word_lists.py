"""Lists of words: stop words, negation words, and the lists of users."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn, Self

from tercet.cached import cached_property
from tercet.errors import InvalidFile, InvalidOption, bad_option
from tercet.options import is_list
from tercet.registry import register


class FrozenValue:
    """A value that never changes: the base of word lists, lemma lists and lexicons.

    It is compared and hashed by `content`. The hash of thousands of words is computed once. Subclasses are registered, so that
    an Analyzer can be written with them.
    """

    content: tuple[Any, ...]

    def to_dict(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return self.content == other.content if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((type(self).__name__, self.content))

    def __getstate__(self) -> dict[str, Any]:
        # Leave the hash out: the hash of a str is different in another process.
        return {name: value for name, value in vars(self).items() if name != "_hash"}

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} can't be changed: make a new one.")

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)

    def _keep(self, **attributes: object) -> None:
        vars(self).update(attributes)


@register("word_list", "words")
class WordList(FrozenValue):
    """Words, sorted, each once, so that lists of the same words are equal. The name is for people and is not compared.

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
    _members: frozenset[str]

    def __init__(self, words: Iterable[str], name: str | None = None) -> None:
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise bad_option("name", "None or a name", name, "it is the name of the list.")
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

    def __repr__(self) -> str:
        size = f"{len(self)} word{'' if len(self) == 1 else 's'}"
        return f"WordList({size})" if self.name is None else f"WordList({self.name!r}, {size})"

    def to_dict(self) -> dict[str, Any]:
        """The words and the name, for JSON. `from_dict` reads them back."""
        return {"words": list(self.content), "name": self.name}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """
        >>> WordList.from_dict({"words": ["ne", "pas"], "name": "fr"})
        WordList('fr', 2 words)
        """
        if not isinstance(written, Mapping) or "words" not in written or not set(written) <= {"words", "name"}:
            raise bad_option("a word list", "a mapping with words and name", written, "to_dict writes it in this form.")
        return cls(**written)


def check_words(words: Iterable[str], what: str = "words") -> Collection[str]:
    """The words, each a str that can be a word. A single str is refused: it would be taken for a list of its letters."""
    if isinstance(words, Mapping) or not is_list(words):
        raise bad_option(what, "a list of words", words, "one word is a list too: [word].")
    kept = list(words)
    for word in kept:
        if not isinstance(word, str):
            raise bad_option(what, "a list of str", word, "only a str can be found in a text.")
        if not word or word != word.strip():
            raise InvalidOption(f"{what} holds {word!r}, which no token can be: strip blanks, and leave out empty words.")
    return kept


def make_word_list(words: Iterable[str] | WordList, option: str) -> WordList:
    """The list for an option whose words are compared with single tokens. A word with a blank inside is an error.

    >>> make_word_list(["New York"], "stop_words")
    Traceback (most recent call last):
    tercet.errors.InvalidOption: stop_words holds 'New York', which is not one word: it would never be found. Split it.
    """
    made = words if isinstance(words, WordList) else WordList(check_words(words, option))
    if phrase := next(filter(has_blank, made), None):
        raise InvalidOption(f"{option} holds {phrase!r}, which is not one word: it would never be found. Split it.")
    return made


def has_blank(word: str) -> bool:
    return re.search(r"\s", word) is not None


def read_word_list(path: str | PathLike[str]) -> WordList:
    """The words of a UTF-8 file, one a line. The list is named after the file.

    It skips empty lines, lines that begin with `#`, and the rest of a line after ` #` or ` |`.
    """
    file = Path(path)
    lines = ((number, _strip_comment(line)) for number, line in enumerate(read_lines(file), 1))
    words = [(number, line) for number, line in lines if line]
    for number, word in words:
        if "\t" in word:
            raise InvalidFile(f"{file.name}, line {number}: {word!r} has a tab; a word list has one word a line.")
    if not words:
        raise InvalidFile(f"{file.name} has no words: write one word a line. Lines that begin with # are comments.")
    return WordList((word for _, word in words), name=file.stem)


def _strip_comment(line: str) -> str:
    return re.sub(r"^#.*|(^|\s+)\|(\s.*)?$|\s[#|].*", "", line.strip()).strip()


def read_lines(path: Path) -> list[str]:
    """The lines of a UTF-8 file. If a line is not UTF-8, an InvalidFile names it."""
    raw = read_bytes(path)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InvalidFile(
            f"{path.name}, line {line}: byte 0x{raw[error.start]:02x} is not UTF-8, so its letters are unknown. "
            "Save the file as UTF-8."
        ) from None
    return split_lines(text)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file without a UTF-8 byte order mark; InvalidFile if it can't be read or is not text."""
    try:
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        why = "it is a folder" if path.is_dir() else getattr(error, "strerror", None) or str(error)
        raise InvalidFile(f"{str(path)!r} can't be read ({why}): it should be a file with one word a line.") from None
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidFile(f"{path.name} is UTF-16: its words would never be found in a text. Save the file as UTF-8.")
    if b"\0" in raw:
        line = raw.count(b"\n", 0, raw.index(b"\0")) + 1
        raise InvalidFile(f"{path.name}, line {line}: has a NUL byte, so it is not text. Use a file with one word a line.")
    return raw.removeprefix(b"\xef\xbb\xbf")


def split_lines(text: str) -> list[str]:
    """The lines as editors count them. str.splitlines would also split at a form feed or U+2028."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

"""Lists of words: stop words, negation words in six languages, English function words, and the lists of users.

Stop words are left out. Negation words reverse the meaning of the words after them. Function words carry grammar, not content:
how often a writer uses each of them is typical of the writer.
"""

import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn, Self

from tercet.cached import cached_property
from tercet.errors import InvalidFile, InvalidOption, bad_option
from tercet.extras import import_extra
from tercet.options import is_list
from tercet.registry import register
from tercet.text.language_names import find_language


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


_EXPECTED_STOP_WORDS = "None, a language, a list of words, or Path('stop.txt') for a file"
# The parts of don't, won't, haven't and shan't if a tokenizer splits at the apostrophe. They are also words, so they are not
# in the negation lists. But if they were stop words, no trace of the negation would remain.
_PARTS_OF_NEGATION = {"en": frozenset(("t", "don", "won", "haven", "shan"))}


def resolve_stop_words(value: str | PathLike[str] | Iterable[str] | WordList | None) -> WordList | None:
    """The stop words of a language (`"en"`, `"english"`), of a file (a Path), or of a list; None for None.

    The list of a language does not have negation words or their parts, such as `don t`: without `not`, a review says the
    opposite. The user's own list is used as it is, and a UserWarning names the negation words in it. A stop word is one word:
    a phrase with a blank is refused.

    >>> resolve_stop_words(["the", "a"])
    WordList(2 words)
    >>> "the" in resolve_stop_words("en"), "not" in resolve_stop_words("en")
    (True, False)
    """
    if value is None:
        return None
    if isinstance(value, str):
        return list_stop_words(find_language(value, _load_package().langs(), "stop_words", _EXPECTED_STOP_WORDS))
    if isinstance(value, PathLike):
        return _warn_of_negation(make_word_list(read_word_list(value), "stop_words"))
    if not isinstance(value, Iterable):
        raise bad_option("stop_words", _EXPECTED_STOP_WORDS, value, "it gives the words to leave out.")
    # No warning for a WordList: it was written and read back, or made on purpose.
    words = make_word_list(value, "stop_words")
    return words if isinstance(value, WordList) else _warn_of_negation(words)


@cache
def list_stop_words(code: str) -> WordList:
    """The stop words of a language by its code, without phrases and negation words."""
    stripped = {word.strip() for word in _load_package().stopwords(code)} - {""}
    return WordList((word for word in stripped if not has_blank(word) and not _negates(word, code)), name=code)


def _negates(word: str, code: str) -> bool:
    # A tokenizer may split a word, and then every part would be left out: "no" with "no-one".
    negation, parts = list_negation(code), _PARTS_OF_NEGATION.get(code, frozenset())
    return any(is_negation(part, negation) or part in parts for part in (word, *re.findall(r"\w+", word)))


def _load_package() -> Any:
    return import_extra("stopwordsiso", package="stopwordsiso", extra="forms", purpose="stop words of a language need")


def _warn_of_negation(words: WordList) -> WordList:
    if found := name_negation(words):
        message = f"the stop words contain words that negate: {', '.join(found)}. Without them, “not good” is “good”."
        warnings.warn(message, UserWarning, stacklevel=3)
    return words


# `n't` stands for every word with this ending. The words after it are contractions written without the apostrophe, and the
# part before the apostrophe if a tokenizer splits there. Don, won and haven are left out, because they are words themselves.
_ENGLISH = """
not no never none nobody nothing neither nor nowhere noone without cannot nope nay naught nought
hardly scarcely barely rarely seldom lack lacks lacked lacking n't
aint arent cant couldnt darent didnt doesnt dont hadnt hasnt havent isnt mightnt mustnt neednt oughtnt shant shouldnt wasnt
werent wont wouldnt ain aren couldn didn doesn hadn hasn isn mightn mustn needn oughtn shouldn wasn weren wouldn
"""
_SPANISH = """
no ni nunca jamás jamas nada nadie ningún ningun ninguno ninguna ningunos ningunas tampoco sin apenas
"""
_ITALIAN = """
non no né nè ne' neppure nemmeno neanche manco mai niente nulla nessuno nessuna nessun nessun' senza mica affatto
"""
_GERMAN = """
nicht nich nichts nix nie niemals nimmer nimmermehr nein nee niemand niemanden niemandem niemandes kein keine keinen keinem
keiner keines keins keinerlei keinesfalls keineswegs mitnichten nirgends nirgendwo nirgendwohin nirgendwoher weder ohne kaum
"""
# Left out: plus and personne. They negate only together with ne, and are everyday words without it.
_FRENCH = """
ne n n' n’ pas non ni jamais rien aucun aucune aucuns aucunes aucunement nul nulle nuls nulles nullement guère guere sans
"""
_PORTUGUESE = """
não nao nem nunca jamais nada ninguém ninguem nenhum nenhuma nenhuns nenhumas tampouco sem
"""
_LISTS = {"en": _ENGLISH, "es": _SPANISH, "it": _ITALIAN, "de": _GERMAN, "fr": _FRENCH, "pt": _PORTUGUESE}

LANGUAGES = tuple(_LISTS)
_EXPECTED_NEGATION = "None, a language, a list of languages, or a list of words"


def resolve_negation(value: str | Iterable[str] | WordList | None) -> WordList | None:
    """The negation words of a language or of several, or of a list of words; None for None.

    >>> resolve_negation("english")
    WordList('en', 64 words)
    >>> resolve_negation(["en", "es"])
    WordList('en+es', 79 words)
    >>> resolve_negation(["not", "no"])
    WordList(2 words)
    """
    if value is None:
        return None
    if isinstance(value, WordList):
        return make_word_list(value, "negation")
    if isinstance(value, str):
        return list_negation(find_language(value, _LISTS, "negation", _EXPECTED_NEGATION))
    if not isinstance(value, Iterable):
        raise bad_option("negation", _EXPECTED_NEGATION, value, "it gives the words that negate.")
    words = list(value)
    languages = [word for word in words if _is_language(word)]
    if not languages:
        return make_word_list(words, "negation")
    if len(languages) < len(words):
        raise InvalidOption(
            f"negation must be languages or words, got {words!r}: {languages[0]!r} is a language and others are not. "
            "Pass a WordList if all of them are words."
        )
    codes = sorted({find_language(word, _LISTS, "negation") for word in words})
    return WordList((word for code in codes for word in list_negation(code)), name="+".join(codes))


@cache
def list_negation(code: str) -> WordList:
    """The negation words of a language by its code; an empty list for a language without one here."""
    return WordList(_LISTS.get(code, "").split(), name=code)


def name_negation(words: WordList) -> list[str]:
    """The words that negate in one language, the language that has most of them. Single letters alone are not enough.

    >>> name_negation(WordList(["der", "nicht", "kein", "no"]))
    ['kein', 'nicht']
    """
    found = ([word for word in words if is_negation(word, list_negation(code))] for code in _LISTS)
    best = max(found, key=len)
    return best if any(len(word) > 1 for word in best) else []


def is_negation(word: str, words: WordList) -> bool:
    """Whether a word is in the list, or ends in n't and the list has n't.

    >>> is_negation("wasn't", resolve_negation("en"))
    True
    """
    return word in words or ("n't" in words and word.endswith(("n't", "n’t")))


def _is_language(word: object) -> bool:
    try:
        return bool(find_language(word, _LISTS, "negation"))
    except InvalidOption:
        return False


_ARTICLES = "a an the"
_DETERMINERS = """
this that these those each every either neither some any no all both half several many much more most few fewer fewest
little less least enough such other others another own same what which whose
"""
_PRONOUNS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one oneself who whom whoever whomever whatever whichever
someone somebody something anyone anybody anything everyone everybody everything none nobody nothing
"""
_PREPOSITIONS = """
about above across after against along amid among amongst around as at before behind below beneath beside besides between
beyond by concerning despite down during except for from in inside into like near of off on onto out outside over past per
regarding since through throughout till to toward towards under underneath until unto up upon via with within without
"""
_CONJUNCTIONS = """
and but or nor yet so if unless although though because while whilst whereas whether when whenever where wherever why how
than once lest
"""
_AUXILIARIES = """
am is are was were be been being have has had having do does did doing done will would shall should can could may might
must ought cannot need dare used
"""
_PARTICLES = """
not there here then thus hence therefore however moreover also too only just even still never ever always again very quite
rather almost perhaps
"""

FUNCTION_WORDS = WordList(
    " ".join([_ARTICLES, _DETERMINERS, _PRONOUNS, _PREPOSITIONS, _CONJUNCTIONS, _AUXILIARIES, _PARTICLES]).split(),
    name="function words",
)

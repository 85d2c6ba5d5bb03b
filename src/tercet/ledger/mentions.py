"""Texts of other people that mention a person. An erasure does not delete them: somebody has to decide about each.

A name is looked for as it was given, whatever its case, with any blanks between its words. It is not a part of a longer word:
"Ann" is not in "annual". This holds for digits and for letters that have capitals: in other scripts words have no borders, or
endings. Only the number of such texts is written into the ledger and the certificate. A list of them would point at the person
for ever.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from tercet.ledger.events import DOCUMENT_VERBS, check_name

if TYPE_CHECKING:
    from tercet.ledger.ledger import Ledger


class Mention(NamedTuple):
    """A text that mentions a person: the event that has it, whom it is about, if that is known, and its content."""

    number: int
    subject: str | None
    content: dict[str, Any]


class NamePattern:
    """Finds names in texts.

    >>> names = NamePattern(["Ann Lee", "ann@example.org"])
    >>> [names.is_in(text) for text in ("Thanks, ANN\\n lee!", "Joann Lees", "<Ann@Example.org>", "和Ann Lee去")]
    [True, False, True, True]
    >>> NamePattern(["王小明"]).is_in("我和王小明去")
    True
    """

    def __init__(self, names: Sequence[str]) -> None:
        written = [r"\s+".join(map(re.escape, fold(name).split())) for name in names]
        self._patterns = [re.compile(pattern) for pattern in written]

    def is_in(self, text: str) -> bool:
        folded = fold(text)
        return any(is_whole(folded, found) for pattern in self._patterns for found in pattern.finditer(folded))


def is_whole(text: str, found: "re.Match[str]") -> bool:
    """Whether what was found is not a part of a longer word."""
    start, end = found.span()
    goes_on_before = start > 0 and is_word(text[start - 1]) and is_word(text[start])
    goes_on_after = end < len(text) and is_word(text[end - 1]) and is_word(text[end])
    return not goes_on_before and not goes_on_after


def is_word(character: str) -> bool:
    """Whether it is a digit, or a letter of a script that has capitals."""
    return character.isdigit() or character.upper() != character


def fold(text: str) -> str:
    """A text in which equal words have equal characters, whatever their case and their form."""
    return text.casefold() if text.isascii() else normalize("NFKC", normalize("NFKC", text).casefold())


def find_mentions(
    ledger: "Ledger", names: Sequence[str], *, subject: str | None = None, without: Collection[int] = ()
) -> Iterator[Mention]:
    """The documents and offered texts that have one of these names, but for those about this subject and some events.

    A text that was offered and then learned is listed once, as the offer.
    """
    pattern = NamePattern([check_name("a name", name) for name in names])
    for event in ledger.events():
        is_text = event.verb == "offer" or (event.verb in DOCUMENT_VERBS and event.target is None)
        is_other = event.number not in without and (subject is None or event.subject != subject)
        if not is_text or not is_other or event.is_erased:
            continue
        content = event.details
        if any(pattern.is_in(text) for text in list_texts(content)):
            yield Mention(event.number, event.subject, content)


def list_texts(content: dict[str, Any]) -> Iterator[str]:
    """The text of a document, and the columns that are text."""
    yield content["text"]
    yield from (value for value in content.get("columns", {}).values() if isinstance(value, str))


def list_names(subject: str | None, names: Sequence[str]) -> list[str]:
    """All names of a person, each once. The subject is one of them, unless it is only a number: in a text that may be anything.

    >>> list_names("customer 7", ["Ann Lee"]), list_names("7", ["Ann Lee"])
    (['customer 7', 'Ann Lee'], ['Ann Lee'])
    """
    is_name = subject is not None and any(map(str.isalpha, subject))
    return list(dict.fromkeys([*([subject] if subject is not None and is_name else []), *names]))

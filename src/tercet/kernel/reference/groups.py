"""Things that are written in endless ways and mean one. All of a kind become one placeholder, or are deleted."""

import re
from collections.abc import Iterator

from tercet.kernel.reference.emoji import EMOJI
from tercet.kernel.reference.emoticons import EMOTICON
from tercet.kernel.reference.normalize import Character
from tercet.kernel.reference.rewriting import rewrite_matches

PATTERNS = {
    "emoticons": EMOTICON,
    "emoji": EMOJI,
    "hashtags": re.compile(r"#\S+"),
    "numbers": re.compile(r"\d\d*\.?\d*|\d*\.\d\d*"),
    "urls": re.compile(r"[Hh][Tt][Tt][Pp][Ss]?://\S+"),
    "users": re.compile(r"@\S+"),
}
# Pictures stand side by side, or at a word, without blanks; the others as microTC has them.
PLACEHOLDERS = {
    "emoticons": " _emoticon ",
    "emoji": " _emoji ",
    "hashtags": "_htag",
    "numbers": "_num",
    "urls": "_url",
    "users": "_usr",
}


def replace(characters: list[Character], kind: str, treatment: str) -> Iterator[Character]:
    """
    >>> text = [Character(c, i, i + 1) for i, c in enumerate("no #42!")]
    >>> "".join(c.value for c in replace(text, "numbers", "group"))
    'no #_num!'
    """
    if treatment == "keep":
        return iter(characters)
    placeholder = PLACEHOLDERS[kind]
    written = placeholder if treatment == "group" else placeholder[:1].strip("_")
    return rewrite_matches(characters, PATTERNS[kind], lambda match: written)

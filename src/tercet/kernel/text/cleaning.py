"""Removal of single characters: repetitions that only lengthen a word, and punctuation."""

import re
from collections.abc import Iterator

from tercet.kernel.text.normalize import Character, rewrite_matches
from tercet.kernel.text.tokenize import TWEET_MARKS

PUNCTUATION = re.compile(f"[{re.escape(''.join(sorted(TWEET_MARKS)))}]+")


def shorten_repeats(characters: list[Character], most: int) -> Iterator[Character]:
    """At most `most` copies of a character in a row. Blanks and digits are not shortened.

    The source of the last copy that is kept includes the removed copies.


    >>> text = [Character(c, i, i + 1) for i, c in enumerate("1000 cooool")]
    >>> "".join(c.value for c in shorten_repeats(text, 2))
    '1000 cool'
    """
    begin = 0
    for end in range(1, len(characters) + 1):
        if end < len(characters) and characters[end].value == characters[begin].value:
            continue
        value = characters[begin].value
        if end - begin <= most or value.isspace() or value.isdecimal():
            yield from characters[begin:end]
        else:
            yield from characters[begin : begin + most - 1]
            yield Character(value, characters[begin + most - 1].start, characters[end - 1].end)
        begin = end


def delete_punctuation(characters: list[Character]) -> Iterator[Character]:
    return rewrite_matches(characters, PUNCTUATION, lambda marks: "")

"""What a pattern finds in a text is written anew, and what is written came from the whole match."""

import re
from collections.abc import Callable, Iterator

from tercet.kernel.reference.normalize import Character


def rewrite_matches(characters: list[Character], pattern: re.Pattern[str], write: Callable[[str], str]) -> Iterator[Character]:
    """
    >>> cents = [Character("5", 0, 1), Character("¢", 1, 2)]
    >>> list(rewrite_matches(cents, re.compile("[0-9]+"), lambda number: "#"))
    [Character(value='#', start=0, end=1), Character(value='¢', start=1, end=2)]
    """
    done = 0
    for match in pattern.finditer("".join(c.value for c in characters)):
        begin, end = match.span()
        yield from characters[done:begin]
        for value in write(match[0]):
            yield Character(value, characters[begin].start, characters[end - 1].end)
        done = end
    yield from characters[done:]

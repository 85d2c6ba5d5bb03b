"""Words and phrases that stand in lists: what a text is said to be like when it has them."""

from collections import defaultdict
from collections.abc import Iterator

Entry = tuple[str, ...]


class Lexicon:
    def __init__(self) -> None:
        self._lists: defaultdict[Entry, list[int]] = defaultdict(list)

    def add(self, tokens: list[str], number: int) -> None:
        """An entry of one token or more belongs to a list."""
        if tokens:
            self._lists[tuple(tokens)].append(number)

    def hits(self, tokens: list[str]) -> Iterator[tuple[int, int, int]]:
        """(list, first token, last token) of each entry in a text; by where it ends, then by where it begins."""
        longest = max(map(len, self._lists), default=0)
        for last in range(len(tokens)):
            for first in range(max(0, last - longest + 1), last + 1):
                for number in self._lists.get(tuple(tokens[first : last + 1]), ()):
                    yield number, first, last

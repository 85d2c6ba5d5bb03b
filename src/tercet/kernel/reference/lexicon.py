"""Words and phrases that stand in lists: what a text is said to be like when it has them."""

from collections import defaultdict
from collections.abc import Iterator

Entry = tuple[str, ...]


class Lexicon:
    def __init__(self) -> None:
        self._lists: defaultdict[Entry, list[int]] = defaultdict(list)

    def add(self, tokens: list[str], number: int) -> None:
        """An entry of one token or more belongs to a list."""
        if tokens and number not in self._lists[tuple(tokens)]:
            self._lists[tuple(tokens)].append(number)

    def hits(self, tokens: list[str], clauses: list[int]) -> Iterator[tuple[int, int, int]]:
        """(list, first token, last token) of each entry in one clause; by where it ends, then by where it begins."""
        longest = max(map(len, self._lists), default=0)
        for last in range(len(tokens)):
            for first in range(max(0, last - longest + 1), last + 1):
                if clauses[first] == clauses[last]:
                    yield from ((number, first, last) for number in self._lists.get(tuple(tokens[first : last + 1]), ()))

"""Neutral words: the listed words of a text are replaced by one placeholder before all other steps.

So texts that differ only in listed words are the same text for everything that comes after: n-grams, character n-grams,
patterns, tags.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tercet.cached import cached_property
from tercet.kernel.text.normalize import Character
from tercet.kernel.text.tokenize import split_words

PLACEHOLDER = "_neutral"
MOST_PARTS = 16  # of an entry: African-American has two

Span = tuple[int, int]
Normalize = Callable[[str, int], list[Character]]


@dataclass(frozen=True)
class NeutralText:
    """A text with placeholders, and the places that its listed words had."""

    text: str
    sources: list[Span]

    def locate(self, span: Span) -> Span:
        """The place in the given text of a part of this text. A part of a placeholder comes from the whole word.

        >>> written = NeutralText("_neutral ran", [(0, 2)])  # He ran
        >>> written.locate((0, 8)), written.locate((3, 4)), written.locate((9, 12))
        ((0, 2), (0, 2), (3, 6))
        """
        return self._locate(span[0], is_end=False), self._locate(span[1], is_end=True)

    def _locate(self, place: int, *, is_end: bool) -> int:
        # The last placeholder that begins before an end, or not after a start.
        i = (bisect_left if is_end else bisect_right)(self._begins, place) - 1
        if i < 0:
            return place
        behind = place - self._begins[i] - len(PLACEHOLDER)
        return self.sources[i][1] + behind if behind >= 0 else self.sources[i][is_end]

    @cached_property
    def _begins(self) -> list[int]:
        """Where the placeholders begin."""
        begins, n_more = [], 0
        for start, end in self.sources:
            begins.append(start + n_more)
            n_more += len(PLACEHOLDER) - (end - start)
        return begins


def replace_spans(text: str, spans: Iterable[Span]) -> str:
    """The text with a placeholder at each of these places.

    >>> replace_spans("He saw her.", [(0, 2), (7, 10)])
    '_neutral saw _neutral.'
    """
    pieces, done = [], 0
    for start, end in spans:
        pieces += [text[done:start], PLACEHOLDER]
        done = end
    return "".join([*pieces, text[done:]])


def find_parts(text: str) -> list[Span]:
    """Where words begin and end. In a script without spaces each character is a part of its own.

    >>> find_parts("he's 你好")
    [(0, 2), (3, 4), (5, 6), (6, 7)]
    """
    parts: list[Span] = []
    for token in split_words(text, symbols=False):
        if not parts or token.begin >= parts[-1][1]:  # not a pair of characters
            parts.append((token.begin, token.end))
    return parts


def fold(word: str) -> str:
    """One spelling for the letters that a word may be written with: both kinds of apostrophe, and of the Greek sigma."""
    return word.replace("’", "'").replace("ς", "σ")


class NeutralWords:
    """The listed words.

    `normalize` gives the characters of a text in lower case, as the recipe writes them; so many at the start are not HTML.
    `find_header` says how many characters of a text are the header of an e-mail, which is not HTML.
    """

    def __init__(self, words: Sequence[str], normalize: Normalize, find_header: Callable[[str], int]) -> None:
        self._normalize = normalize
        self._find_header = find_header
        written = ["".join(c.value for c in normalize(word, 0)) for word in words]
        sizes = {fold(word): len(find_parts(word)) for word in written}
        self._words = frozenset(word for word, n_parts in sizes.items() if 0 < n_parts <= MOST_PARTS)
        self._longest = max((sizes[word] for word in self._words), default=0)

    def _find(self, text: str, no_html: int) -> list[Span]:
        """The leftmost listed words. If several begin at one place, the longest."""
        characters = self._normalize(text, no_html)
        plain = fold("".join(c.value for c in characters))
        parts, spans, i = find_parts(plain), list[Span](), 0
        while i < len(parts):
            begin, ends = parts[i][0], [end for _, end in parts[i : i + self._longest]]
            n = next((n for n in range(len(ends), 0, -1) if plain[begin : ends[n - 1]] in self._words), 0)
            if n:
                span = characters[begin].start, characters[ends[n - 1] - 1].end
                # One character may be written as several words: with NFKC, ½ is 1⁄2. It is replaced once.
                if not spans or span[0] >= spans[-1][1]:
                    spans.append(span)
            i += max(n, 1)
        return spans

    def replace(self, text: str) -> NeutralText:
        # A listed word may be, or may not be, the name of a field: only its placeholder decides where the header ends.
        plain = self._replace(text, len(text))
        _, header = plain.locate((0, self._find_header(plain.text)))
        return self._replace(text, header)

    def _replace(self, text: str, no_html: int) -> NeutralText:
        spans = self._find(text, no_html)
        return NeutralText(replace_spans(text, spans), spans)

"""A sentence encoder: texts → pieces → vectors of int8."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tercet.arrays import Integers, SmallIntegers
from tercet.interruption import check_wanted
from tercet.kernel import engine

UNKNOWN_PIECE = 0
BATCH = 2048  # texts between two calls of `watch`


class EncodingProgress(NamedTuple):
    """How many words or texts are encoded."""

    n_done: int
    n_total: int
    what: str

    def __str__(self) -> str:
        return f"encoded {self.n_done:,} of {self.n_total:,} {self.what}"


Watch = Callable[[EncodingProgress], None]
Tokenize = Callable[[str], list[int]]


@dataclass(frozen=True, eq=False)
class TextEncoder:
    """A network with its pieces. `words` are the whole words among the pieces, and `frequencies` their shares of all words.

    `tokenize` gives the numbers of the pieces of a text, `open_network` the network, and `open_lists` frequent words of
    languages. What they read from disk, they read when they are called first.
    """

    identity: str
    dimension: int
    words: tuple[str, ...]
    frequencies: Mapping[str, float]
    tokenize: Tokenize
    open_network: Callable[[], engine.SentenceEncoder]
    open_lists: Callable[[], Mapping[str, tuple[str, ...]]] = dict

    def knows(self, text: str) -> bool:
        """Whether each piece of the text is known."""
        return UNKNOWN_PIECE not in self.tokenize(text)

    def encode_words(
        self, words: Sequence[str], *, threads: int, what: str = "words", watch: Watch | None = None
    ) -> SmallIntegers:
        """The vectors of the words, as words × dimension. Words with an unknown piece have zeros. The progress names `what`."""
        return self._encode(words, self._tokenize_word, threads, what, watch)

    def encode_texts(self, texts: Sequence[str], *, threads: int, watch: Watch | None = None) -> SmallIntegers:
        """The vectors of the texts, as texts × dimension."""
        return self._encode(texts, self.tokenize, threads, "texts", watch)

    def _tokenize_word(self, word: str) -> list[int]:
        """The pieces of a word, or none if one of them is unknown: then the network gives zeros."""
        pieces = self.tokenize(word)
        return [] if UNKNOWN_PIECE in pieces else pieces

    def _encode(self, texts: Sequence[str], tokenize: Tokenize, threads: int, what: str, watch: Watch | None) -> SmallIntegers:
        vectors = np.empty((len(texts), self.dimension), np.int8)
        for first in range(0, len(texts), BATCH):
            check_wanted()
            batch = texts[first : first + BATCH]
            pieces, starts = join_pieces([tokenize(text) for text in batch])
            vectors[first : first + BATCH] = self.open_network().encode(pieces, starts, threads)
            if watch is not None:
                watch(EncodingProgress(first + len(batch), len(texts), what))
        return vectors


def join_pieces(texts: Sequence[Sequence[int]]) -> tuple[Integers, Integers]:
    """The pieces of all texts, and where each text begins.

    >>> [array.tolist() for array in join_pieces([[1, 9, 2], [1, 2]])]
    [[1, 9, 2, 1, 2], [0, 3, 5]]
    """
    joined = np.fromiter((piece for pieces in texts for piece in pieces), np.int64)
    return joined, np.cumsum([0, *map(len, texts)], dtype=np.int64)

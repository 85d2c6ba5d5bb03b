"""Small sentence encoders of any size with random weights: the arguments of `SentenceEncoder`, and a whole `TextEncoder`."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from tercet.kernel import engine
from tercet.text.vectors.named_vectors import TABLES
from tercet.text.vectors.text_encoder import TextEncoder

LETTERS = "abcdefghijklmnopqrstuvwxyz "  # the pieces of an invented text encoder, after those of unknown, begin and end


class Sizes(NamedTuple):
    n_pieces: int = 9
    n_chunks: int = 2
    width: int = 5
    branch_width: int = 3
    windows: tuple[tuple[int, int], ...] = ((2, 0), (3, 1), (5, 2))  # places, left
    blocks: tuple[tuple[int, int], ...] = ((9, 8), (7, 6))  # inner numbers, outer numbers
    output: int = 10


SMALL = Sizes()


def invent_encoder(sizes: Sizes = SMALL, seed: int = 0, size: float = 0.5) -> dict[str, Any]:
    random = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray:
        return (random.uniform(-1, 1, shape) * size).astype(np.float32)

    n, projected = sizes.branch_width, sizes.branch_width * len(sizes.windows)
    n_features = sizes.width + projected
    ends = [sizes.output, *(outer for _, outer in sizes.blocks)]
    return {
        "pieces": random.integers(0, 256, (sizes.n_pieces, sizes.width), np.uint8),
        "scale": draw(sizes.n_chunks) / 64,
        "low": draw(sizes.n_chunks),
        "projection": draw(sizes.width, projected),
        "projection_bias": draw(projected),
        "projection_norm": (draw(projected), draw(projected)),
        "branches": [(left, draw(k * n, n), draw(n), draw(k * n, n), draw(n)) for k, left in sizes.windows],
        "feature_norm": (draw(n_features), draw(n_features)),
        "output": draw(n_features, sizes.output),
        "output_bias": draw(sizes.output),
        "blocks": [
            (draw(first, inner), draw(inner, outer), draw(first, outer))
            for first, (inner, outer) in zip(ends, sizes.blocks, strict=False)
        ],
        "epsilon": 1e-6,
    }


def invent_text_encoder(
    words: tuple[str, ...] = ("fox", "hen", "owl"), seed: int = 0, lists: Mapping[str, tuple[str, ...]] | None = None
) -> TextEncoder:
    """An encoder whose pieces are the letters a to z and the blank. `lists` are frequent words of languages."""
    network = engine.SentenceEncoder(**invent_encoder(Sizes(n_pieces=3 + len(LETTERS)), seed))

    def tokenize(text: str) -> list[int]:
        return [1, *(LETTERS.find(letter) + 3 if letter in LETTERS else 0 for letter in text), 2]

    frequencies = {"fox": 0.0005}
    return TextEncoder(
        f"invented 1 {seed:016x}", network.dimension, words, frequencies, tokenize, lambda: network, lambda: lists or {}
    )


class InventedMeanings:
    """Vectors of some words, and of texts: the sum of those of their words, which the order of the words changes a little.

    It takes the place of a sentence encoder, and says how many texts it has encoded.
    """

    def __init__(self, words: Sequence[str], rows: np.ndarray, name: str = "a") -> None:
        digest = blake2b(repr(words).encode() + rows.tobytes(), digest_size=4).hexdigest()  # files of tests share a process
        self.words, self.identity, self.dimension = tuple(sorted(words)), f"invented {name} {digest}", rows.shape[1]
        self._rows = dict(zip(words, rows, strict=True))
        self.n_encoded = 0
        TABLES[self.identity] = self  # type: ignore[assignment]  # models that name it find it

    def words_for(self, words: Sequence[str], counts: np.ndarray, most: int) -> tuple[str, ...]:
        return self.words

    def known(self, words: Sequence[str]) -> np.ndarray:
        return np.array([word in self._rows for word in words], np.bool_)

    def vectors(self, words: Sequence[str], *, threads: int, watch: Any = None) -> np.ndarray:
        found = [self._rows.get(word, np.zeros(self.dimension)) for word in words]
        return np.array([shrink(row) for row in found], np.int8).reshape(len(words), self.dimension)

    def rarities(self, words: Sequence[str]) -> np.ndarray:
        return np.ones(len(words))

    def encode_texts(self, texts: Sequence[str], *, threads: int, watch: Any = None) -> np.ndarray:
        self.n_encoded += len(texts)
        return np.array([shrink(self._sum(text.split())) for text in texts], np.int8).reshape(len(texts), self.dimension)

    def _sum(self, words: Sequence[str]) -> np.ndarray:
        known = [(self._rows[word], 1 + 0.01 * place) for place, word in enumerate(words) if word in self._rows]
        return np.zeros(self.dimension) + sum(row * size for row, size in known)


def shrink(row: np.ndarray) -> np.ndarray:
    return np.rint(127 * row / (np.abs(row).max() or 1.0))

"""Pieces of words → a vector of int8: the network of the Universal Sentence Encoder (Yang et al. 2020), of any size.

    e = scale · code + low                      a piece is its row of codes; scale and low are those of its chunk
    x = norm(e · projection + bias)             in as many parts as there are branches
    h = relu(bias + Σ x[t + i - left] · Wᵢ) + x    in each branch, over a window of tokens; places outside the text are left out
    c = relu(bias + Σ h[t + i - left] · Wᵢ) + h
    s = Σ norm([e, c of all branches])          over the tokens of the text
    y = (s · output + n · bias) / √n            for n tokens
    y = relu(y · shortcut + relu(y · inner) · outer)    for each block; tanh instead of the outer relu in the last block
    q = round(127 · y / max |y|)                halves go to the even number

All sums have one fixed order (see `encoder_layers.py`), tokens from the first to the last. So a text has the same bytes alone
and among others, on any processor and with any number of threads. A text without tokens has the vector 0, and so has a text
whose numbers overflow.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Integers
from tercet.kernel.base.arguments import expect, expect_below, read_ranges
from tercet.kernel.vectors.encoder_layers import Norm, ResidualBlock, Window, compute_tanh, cut_negative, round_to_bytes
from tercet.kernel.vectors.float_matrix import FloatMatrix

Branch = tuple[int, Array, Array, Array, Array]  # left; matrix and bias of the first layer; those of the second
Block = tuple[Array, Array, Array]  # inner, outer, shortcut


class SentenceEncoder:
    """Piece p is row p of `pieces`, and belongs to chunk p mod n, of n numbers in `scale` and `low`."""

    def __init__(
        self,
        pieces: npt.NDArray[np.uint8],
        scale: Array,
        low: Array,
        projection: Array,
        projection_bias: Array,
        projection_norm: tuple[Array, Array],
        branches: Sequence[Branch],
        feature_norm: tuple[Array, Array],
        output: Array,
        output_bias: Array,
        blocks: Sequence[Block],
        epsilon: float,
    ) -> None:
        expect(pieces.size > 0, "there are no pieces")
        expect(len(scale) == len(low) and len(scale) > 0, "each chunk needs a scale and a low")
        self.pieces, self.scale, self.low = pieces, scale, low
        self.projection, self.projection_bias = FloatMatrix(projection), projection_bias
        expect(len(projection) == pieces.shape[1], "the projection does not fit the pieces")
        expect(len(projection_bias) == projection.shape[1], "the projection needs a bias for each column")
        self.projection_norm = self._make_norm(projection_norm, projection.shape[1], epsilon)
        self.branches = [(Window(left, w1, b1), Window(left, w2, b2)) for left, w1, b1, w2, b2 in branches]
        widths = {len(window.bias) for branch in self.branches for window in branch}
        fits = len(widths) == 1 and len(branches) * sum(widths) == projection.shape[1]
        expect(fits, "the branches do not fit the projection")
        n_features = pieces.shape[1] + projection.shape[1]
        self.feature_norm = self._make_norm(feature_norm, n_features, epsilon)
        self.output, self.output_bias = FloatMatrix(output), output_bias
        expect(len(output) == n_features, "the output does not fit the features")
        expect(len(output_bias) == output.shape[1], "the output needs a bias for each column")
        expect(len(blocks) > 0, "there are no blocks")
        self.blocks = [ResidualBlock(*block) for block in blocks]
        sizes = [output.shape[1], *(block.shortcut.n_columns for block in self.blocks)]
        expect(
            all(n == block.inner.n_rows for n, block in zip(sizes, self.blocks, strict=False)),
            "a block does not fit the one before",
        )

    @staticmethod
    def _make_norm(weights: tuple[Array, Array], n: int, epsilon: float) -> Norm:
        expect(len(weights[0]) == n and len(weights[1]) == n, "a norm needs a gain and a bias for each column")
        return Norm(*weights, epsilon)

    @property
    def dimension(self) -> int:
        return int(self.blocks[-1].shortcut.n_columns)

    def encode(self, ids: Integers, starts: Integers, threads: int = 1) -> npt.NDArray[np.int8]:
        """The vector of each text, as texts × dimension. Text i has the pieces ids[starts[i]:starts[i + 1]]."""
        ranges = read_ranges(starts, len(ids))
        expect_below(ids, len(self.pieces), "there is no such piece")
        vectors = np.zeros((len(ranges), self.dimension), np.int8)
        with np.errstate(all="ignore"):
            for i, (begin, end) in enumerate(ranges):
                vectors[i] = self._encode_text(ids[begin:end])
        return vectors

    def _encode_text(self, ids: Integers) -> npt.NDArray[np.int8]:
        total = np.zeros((1, self.output.n_rows), np.float32)
        for features in self.find_features(ids):
            total += features
        n = np.float32(len(ids))
        row = (n * self.output_bias + self.output.multiply(total)) / np.sqrt(n)
        for block in self.blocks[:-1]:
            row = cut_negative(block.apply(row))
        return round_to_bytes(compute_tanh(self.blocks[-1].apply(row))[0])

    def find_features(self, ids: Integers) -> Array:
        """norm([e, c of all branches]) for each token."""
        chunks = ids % len(self.scale)
        embedded = self.pieces[ids].astype(np.float32) * self.scale[chunks, None] + self.low[chunks, None]
        projected = self.projection_norm.apply(self.projection_bias + self.projection.multiply(embedded))
        parts = np.split(projected, len(self.branches), axis=1)
        read = [second.apply(first.apply(part)) for part, (first, second) in zip(parts, self.branches, strict=True)]
        return self.feature_norm.apply(np.concatenate([embedded, *read], axis=1))

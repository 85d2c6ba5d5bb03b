"""Trained margins: the weight of each term in each margin, in layers, and the scores by them.

A compact file has them in 8 bits: each term has a scale in 16 bits, and rows that terms share are written once. The largest
weight of a term is rounded to 11 bits, and its other weights to steps of 1/127 of the largest. So a weight below 1/254 of the
largest weight of its term is dropped.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Flags, Floats, Integers, read_floats
from tercet.cached import cached_property
from tercet.categorizer.model.shared_rows import Hashes, decode_rows, hash_bytes, mix, share_rows
from tercet.categorizer.model.text_model import Arrays, TermWeights, TrainedState
from tercet.counts.labels import Labels, find_labels, read_labels, write_labels
from tercet.counts.table import CountTable, list_counted_terms
from tercet.counts.weighting import MAX_BLOCKS, Blocks
from tercet.errors import NoPrior
from tercet.kernel import engine
from tercet.registry import names, register
from tercet.store.small_numbers import narrow

if TYPE_CHECKING:
    from tercet.categorizer.evidence.formulas import DecisionFormulas
    from tercet.counts.term_names import TermNames
    from tercet.models.parameters import LearnedTerms

STEPS = 127
MAX_FLOAT32 = float(np.finfo(np.float32).max)

Floats32 = npt.NDArray[np.float32]


class RoundedLayer(NamedTuple):
    """Weights and factors of the rows of one layer."""

    values: Floats32  # rows × margins
    factors: Floats32


def round_layers(layers: Sequence[tuple[Floats32, Floats32]]) -> dict[str, Array]:
    """The rounded weights (terms × margins) and the factors of the terms, for each layer, as arrays for a file.

    >>> arrays = round_layers([(np.array([[1.0, -0.5], [0.25, -0.0009]], np.float32), np.ones(2, np.float32))])
    >>> np.abs(open_layers(arrays, 1, 2)[0][0].values)
    array([[1.      , 0.503937],
           [0.25    , 0.      ]], dtype=float32)
    """
    written: dict[str, Array] = {}
    of_terms: dict[str, Array] = {}  # one row for each term
    for number, (values, factors) in enumerate(layers):
        largest = np.abs(values).max(axis=1, initial=0.0).astype(np.float64)
        top = float(largest.max(initial=0.0))
        scales = (largest / (top or 1.0)).astype(np.float16)
        steps = np.rint(values / np.where(scales > 0, largest, np.inf)[:, None] * STEPS).astype(np.int8)
        book, numbers = np.unique(factors, return_inverse=True)
        own = {"values": steps, "scales": scales, "factor_codes": narrow(numbers.ravel())}
        of_terms |= {f"{number}.{name}": array for name, array in own.items()}
        written |= {f"{number}.largest": np.array([top], np.float32), f"{number}.factor_book": book}
    keys = np.hstack([as_bytes(array) for array in of_terms.values()])

    def are_equal(terms: Integers, others: Integers) -> npt.NDArray[np.bool_]:
        return np.asarray((keys[terms] == keys[others]).all(axis=1), np.bool_)

    codes, indices = share_rows(hash_bytes(keys), are_equal)
    return written | {"codes": codes} | {name: array[indices] for name, array in of_terms.items()}


def open_layers(
    arrays: Mapping[str, Array], n_layers: int, n_margins: int
) -> tuple[list[RoundedLayer], npt.NDArray[np.uint32] | None]:
    """The rounded weights in these arrays, and the row of each term. Without rows, term t has row t.

    Raises ValueError if they are no weights.
    """
    n = len(arrays["0.values"])
    layers = [_open_layer(pick_layer(arrays, number), n, n_margins) for number in range(n_layers)]
    rows = decode_rows(arrays["codes"], n).astype(np.uint32)
    if n_margins == 1:  # the number of a row takes as much memory as its one weight, and more time
        return [RoundedLayer(layer.values[rows], layer.factors[rows]) for layer in layers], None
    return layers, rows


def pick_layer(arrays: Mapping[str, Array], number: int) -> dict[str, Array]:
    """The arrays of one layer, without its number."""
    prefix = f"{number}."
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _open_layer(arrays: Mapping[str, Array], n: int, n_margins: int) -> RoundedLayer:
    steps, factor_codes, book = arrays["values"], arrays["factor_codes"], arrays["factor_book"]
    if steps.dtype != np.int8 or steps.shape != (n, n_margins) or (n and steps.min() < -STEPS):
        raise ValueError(f"the weights must be whole numbers from -{STEPS} to {STEPS} for each margin")
    if factor_codes.dtype.kind != "u" or factor_codes.shape != (n,):
        raise ValueError("each row needs a factor")
    largest, scales = read_floats(arrays, "largest", (1,), MAX_FLOAT32), read_floats(arrays, "scales", (n,), 1.0)
    factors = read_floats(arrays, "factor_book", (book.size,), MAX_FLOAT32).astype(np.float32)[factor_codes]
    if largest[0] < 0 or (scales < 0).any() or (factors < 0).any():
        raise ValueError("a term has a scale or a factor below 0")
    units = float(largest[0]) * scales.astype(np.float64) / STEPS
    return RoundedLayer((units[:, None] * steps).astype(np.float32), factors)


def as_bytes(numbers: Array) -> Array:
    """The bytes of each number, as a row."""
    return np.ascontiguousarray(numbers).view(np.uint8).reshape(len(numbers), numbers.itemsize * math.prod(numbers.shape[1:]))


AT_A_TIME = 1 << 14  # rows that are compared together


class MarginLayer(NamedTuple):
    """Weights of models that weigh counts alike: damped, times a factor for each term, divided by a norm for each block."""

    values: Floats32  # terms × margins
    factors: Floats32  # a factor for each term; 0 for a term that is not used
    damping: str
    norm: str

    def take(self, indices: Integers) -> "MarginLayer":
        """The layer for the terms at these indices; -1 is a term without weight."""
        known = indices >= 0
        values = np.zeros((len(indices), self.values.shape[1]), np.float32)
        factors = np.zeros(len(indices), np.float32)
        values[known], factors[known] = self.values[indices[known]], self.factors[indices[known]]
        return self._replace(values=values, factors=factors)

    def to_arrays(self) -> dict[str, Array]:
        """The rows that terms share, written once, and for each term its code. Factors that are 0 or 1 take one byte.

        Values that `round_values` has rounded take two bytes.
        """
        codes, terms = share_rows(self._hash_rows(), self._have_equal_rows)
        values, factors = self.values[terms], self.factors[terms]
        is_plain = ((factors == 0) | (factors == 1)).all()
        written = {"codes": codes, "values": values, "factors": factors.astype(np.uint8) if is_plain else factors}
        halves, largest = split_values(values)
        return written | {"values": halves, "largest": largest} if (halves * largest == values).all() else written

    @classmethod
    def from_arrays(cls, arrays: Arrays, n_margins: int, damping: str, norm: str) -> "tuple[MarginLayer, Integers]":
        """The rows of a layer in a file, and the row of each term. Raises ValueError if they are no weights."""
        n_rows = len(arrays["factors"])
        is_rounded = "largest" in arrays
        values = read_floats(arrays, "values", (n_rows, n_margins), 1.0 if is_rounded else MAX_FLOAT32).astype(np.float32)
        if is_rounded:
            values *= read_floats(arrays, "largest", (1,), MAX_FLOAT32).astype(np.float32)
        factors = read_floats({"factors": arrays["factors"].astype(np.float32)}, "factors", (n_rows,), MAX_FLOAT32).astype(
            np.float32
        )
        if (factors < 0).any():
            raise ValueError("a term has a factor below 0")
        return cls(values, factors, damping, norm), decode_rows(arrays["codes"], n_rows)

    def _hash_rows(self) -> Hashes:
        hashes = np.zeros(len(self.factors), np.uint64)
        for column in (self.factors, *self.values.T):
            hashes = mix(hashes * np.uint64(3) + np.ascontiguousarray(column).view(np.uint32) + np.uint64(1))
        return hashes

    def _have_equal_rows(self, terms: Integers, others: Integers) -> Flags:
        """Which of these terms have the same factor and values as the others. Some thousand at a time, to save memory."""
        equal: Flags = self.factors[terms] == self.factors[others]
        for begin in range(0, len(terms), AT_A_TIME):
            part = slice(begin, begin + AT_A_TIME)
            equal[part] &= (self.values[terms[part]] == self.values[others[part]]).all(axis=1)
        return equal


def split_values(values: Floats32) -> tuple[npt.NDArray[np.float16], Floats32]:
    """The values as shares of the largest, in 16 bits, and the largest."""
    largest = measure_largest(values)
    return (values / largest).astype(np.float16), largest


def measure_largest(values: Floats32) -> Floats32:
    """The largest size of a value, in an array; 1 if all are 0."""
    largest = max(values.max(initial=0.0), -values.min(initial=0.0))
    return np.array([largest or 1.0], np.float32)


def round_values(values: Floats32) -> Floats32:
    """Round the values of this array to 11 bits. A file has two bytes for each. Values below 3e-8 of the largest become 0.

    >>> round_values(np.array([3.0, 1 / 3, 1e-9], np.float32))
    array([3.        , 0.33325195, 0.        ], dtype=float32)
    """
    largest = measure_largest(values)
    for begin in range(0, len(values), AT_A_TIME):
        part = values[begin : begin + AT_A_TIME]
        part[:] = (part / largest).astype(np.float16) * largest
    return values


def join_rows(layers: Sequence[MarginLayer], rows: Sequence[Integers]) -> tuple[tuple[MarginLayer, ...], Integers]:
    """The layers with the same rows, and the row of each term in all of them; `rows` has its row in each layer.

    >>> one, two = (MarginLayer(np.array([[1.0], [f]], np.float32), np.ones(2, np.float32), "log", "l2") for f in (2, 3))
    >>> layers, joined = join_rows([one, two], [np.array([0, 1, 1, 0]), np.array([0, 0, 1, 0])])
    >>> joined, [layer.values[joined].ravel().tolist() for layer in layers]
    (array([0, 1, 2, 0]), [[1.0, 2.0, 2.0, 1.0], [1.0, 1.0, 3.0, 1.0]])
    """
    if len({len(own) for own in rows}) > 1:
        raise ValueError("the layers of the margins have different terms")
    joined, terms = rows[0], None
    for layer, own in zip(layers[1:], rows[1:], strict=True):
        # A number for each pair of rows, and a term that has it.
        _, terms, joined = np.unique(joined * len(layer.factors) + own, return_index=True, return_inverse=True)
    if terms is None:
        return tuple(layers), joined
    return tuple(layer.take(own[terms]) for layer, own in zip(layers, rows, strict=True)), joined.ravel()


@dataclass(frozen=True, eq=False)
class TrainedMargins(TrainedState):
    """The weight of each term in each margin. Two labels have one margin; more labels have one each, against the others.

    The score of a document is the bias and the sum of its layers.
    """

    labels: Labels
    layers: tuple[MarginLayer, ...]
    bias: Floats  # one for each margin
    blocks: Blocks | None = None  # of each term; None if all terms are in one block
    rows: npt.NDArray[np.uint32] | None = None  # the row of each term in the layers, if terms share rows

    @property
    def n_terms(self) -> int:
        return len(self.layers[0].factors if self.rows is None else self.rows)

    @property
    def fitted(self) -> str:
        return "margins"

    def in_order(self, table: engine.Table) -> Self:
        return self.take(list_counted_terms(table)[0])

    def move(self, table: engine.Table, copy: engine.Table) -> Self:
        numbers = list_counted_terms(copy)[0]
        indices = np.full(len(copy), -1)
        indices[numbers] = np.arange(len(numbers))
        return self.in_order(table).take(indices)

    def take(self, terms: Integers) -> Self:
        """The margins of these terms, in this order. Terms that were learned later, and -1, have no weight."""
        known = np.where(terms < self.n_terms, terms, -1)
        indices = known if self.rows is None else np.where(known < 0, -1, self.rows[known].astype(np.int64))
        blocks = None if self.blocks is None else np.where(known < 0, 0, self.blocks[known]).astype(np.uint8)
        return replace(self, layers=tuple(layer.take(indices) for layer in self.layers), rows=None, blocks=blocks)

    def make_weights(self, kind: str, labels: Labels, table: engine.Table | None = None) -> "MarginWeights":
        """Weights for decisions between these labels. Terms that the table has forgotten are not used any more."""
        columns = find_labels(labels, self.labels)
        kernel = self._kernel if table is None else self._kernel.without_forgotten(table.counts)
        bias = np.concatenate([-self.bias / 2, self.bias / 2]) if len(self.labels) == 2 else self.bias
        return MarginWeights(labels, columns, kind, None, kernel, bias[columns], self)

    @cached_property
    def _kernel(self) -> engine.LinearWeights:
        """The weights of all terms in the kernel. They do not depend on the counts, so all scorers share them."""
        return engine.LinearWeights(list(self.layers), len(self.labels), self.rows, self.blocks)

    def __getstate__(self) -> dict[str, Any]:
        """The parts to pickle, without the kernel."""
        return {name: value for name, value in self.__dict__.items() if name != "_kernel"}

    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Values for JSON, and arrays. Rows that several terms share are written once: see `shared_rows`.

        If all factors of a layer are 0 or 1, each takes one byte.
        """
        assert self.rows is None  # terms in the order of a file have rows of their own
        arrays = {"bias": self.bias, **write_blocks(self.blocks)}
        for number, layer in enumerate(self.layers):
            arrays |= {f"{number}.{name}": array for name, array in layer.to_arrays().items()}
        return self._describe(), arrays

    @classmethod
    def from_file(cls, content: Mapping[str, Any], arrays: Arrays) -> Self:
        labels, kinds, bias = read_common(content, arrays)
        read = [MarginLayer.from_arrays(pick_layer(arrays, n), len(bias), *kind) for n, kind in enumerate(kinds)]
        layers, rows = join_rows([layer for layer, _ in read], [rows for _, rows in read])
        blocks = read_blocks(arrays, len(rows))
        if len(bias) > 1:
            return cls(labels, layers, bias, blocks, rows.astype(np.uint32))
        # The number of a row takes as much memory as its one weight, and more time.
        return cls(labels, tuple(layer.take(rows) for layer in layers), bias, blocks)

    def to_small_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Values for JSON, and arrays, with weights in 8 bits."""
        rounded = round_layers([(layer.values, layer.factors) for layer in self.layers])
        return self._describe(), rounded | {"bias": self.bias, **write_blocks(self.blocks)}

    @classmethod
    def from_small_file(cls, content: Mapping[str, Any], arrays: Arrays) -> Self:
        labels, kinds, bias = read_common(content, arrays)
        opened, rows = open_layers(arrays, len(kinds), len(bias))
        layers = tuple(MarginLayer(*numbers, *kind) for numbers, kind in zip(opened, kinds, strict=True))
        margins = cls(labels, layers, bias, rows=rows)
        return replace(margins, blocks=read_blocks(arrays, margins.n_terms))

    def _describe(self) -> dict[str, Any]:
        kinds = [{"damping": layer.damping, "norm": layer.norm} for layer in self.layers]
        return {"labels": write_labels(self.labels), "layers": kinds}

    def check_table(self, table: CountTable) -> None:
        if self.n_terms != table.counts.n_terms:
            raise ValueError("the margins do not fit the terms")


def read_common(content: Mapping[str, Any], arrays: Arrays) -> tuple[Labels, list[tuple[str, str]], Floats]:
    """The parts of margins that are the same in both kinds of files: labels, damping and norm of each layer, and biases."""
    labels, kinds = read_labels(content["labels"]), [(layer["damping"], layer["norm"]) for layer in content["layers"]]
    n_margins = 1 if len(labels) == 2 else len(labels)
    bias = read_floats(arrays, "bias", (n_margins,), MAX_FLOAT32).astype(np.float64)
    nothing = np.zeros((0, n_margins), np.float32)
    engine.LinearWeights([(nothing, nothing[:, 0], *kind) for kind in kinds], len(labels))  # raises an error for unknown kinds
    return labels, kinds, bias


def write_blocks(blocks: Blocks | None) -> dict[str, Array]:
    """The blocks of terms as arrays: in the order of a file, most neighbours are in the same block.

    >>> written = write_blocks(np.array([0, 0, 1, 1, 1], np.uint8))
    >>> written["block_starts"].tolist(), written["block_numbers"].tolist(), read_blocks(written, 5).tolist()
    ([0, 2], [0, 1], [0, 0, 1, 1, 1])
    """
    if blocks is None:
        return {}
    starts = np.flatnonzero(np.diff(blocks, prepend=np.uint8(MAX_BLOCKS)) != 0)
    return {"block_starts": starts.astype(np.uint32), "block_numbers": blocks[starts]}


def read_blocks(arrays: Arrays, n_terms: int) -> Blocks | None:
    if "block_starts" not in arrays:
        return None
    starts, numbers = arrays["block_starts"].astype(np.int64), arrays["block_numbers"]
    is_good = starts.ndim == numbers.ndim == 1 and numbers.dtype == np.uint8 and len(starts) == len(numbers)
    if not is_good or (numbers == MAX_BLOCKS).any() or len(starts) > n_terms or (len(starts) == 0) != (n_terms == 0):
        raise ValueError("each term needs a block")
    ends = np.append(starts[1:], n_terms)
    if n_terms and (starts[0] != 0 or (ends <= starts).any()):
        raise ValueError("the blocks of the terms are not in order")
    return np.repeat(numbers, ends - starts)


@register("weights", "margins")
@dataclass(frozen=True, eq=False)
class MarginWeights(TermWeights):
    """Trained weights of terms."""

    kernel: engine.LinearWeights
    margins: TrainedMargins  # of all terms, also of those that are forgotten: the kernel does not know them any more

    def term_values(self, terms: Integers) -> Floats:
        return self.kernel.values(terms)[:, self.columns]

    def occurrence_values(self, numbers: Integers, labels: Sequence[int]) -> Floats:
        terms, indices, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        shares = self.row_values(np.array([0, len(terms)]), terms, counts.astype(np.float64))[:, labels]
        return np.asarray((shares / counts[:, None])[indices], np.float64)

    def row_values(self, ends: Integers, terms: Integers, counts: Floats) -> Floats:
        texts = pairwise(ends.tolist())
        shares = [np.zeros((0, self.kernel.n_labels)), *(self.kernel.share(terms[a:b], counts[a:b]) for a, b in texts)]
        return np.concatenate(shares)[:, self.columns]

    def odds_against_rest(self, values: Floats) -> Floats:
        """Each label has a margin against the others. Two labels have one margin, and each label has half of it."""
        return values * (2 if self.kernel.n_labels == 2 else 1)

    def write_formulas(self, a: int, b: int, terms: Integers, counts: Floats) -> "DecisionFormulas":
        from tercet.categorizer.evidence.formulas import MarginFormulas  # on first use: a decision needs no formulas

        prior = float(self.prior[a]), float(self.prior[b])
        return MarginFormulas(self.margins.take(terms), terms, counts, int(self.columns[a]), int(self.columns[b]), prior)

    @property
    def log_prior(self) -> Floats:
        raise NoPrior("margins have no prior: they have a bias for each label, which parameters().bias shows.")

    def list_learned(self, names: "TermNames", counts: CountTable | None) -> "LearnedTerms":
        from tercet.models.parameters import LearnedTerms, keep_values  # on first use: predictions do not need it

        return LearnedTerms(
            kind=self.kind,
            labels=self.labels,
            names=names,
            n_terms=self.kernel.n_terms,
            known=self.kernel.knows,
            values=self.term_values,
            finish=keep_values,
            is_probability=False,
            counts=None if counts is None else counts.counts,
            columns=None if counts is None else find_labels(self.labels, counts.labels),
            bias=self.prior,
        )

    def pack(self, terms: Integers) -> tuple[dict[str, Any], dict[str, Array]]:
        content, arrays = self.margins.take(terms).to_small_file()
        return content | {"kind": self.kind}, arrays

    @classmethod
    def unpack(cls, content: Mapping[str, Any], arrays: Arrays, labels: Labels) -> Self:
        if content["kind"] not in names("model"):
            raise ValueError("the margins are of no known model")
        weights = TrainedMargins.from_small_file(content, arrays).make_weights(content["kind"], labels)
        assert isinstance(weights, cls)
        return weights

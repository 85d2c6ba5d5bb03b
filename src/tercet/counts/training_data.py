"""Labelled documents, batch by batch → encoded labels, weights and numbers, and the counters that add up their terms."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tercet.arrays import Array, Flags, Floats, Integers
from tercet.counts.document_rows import KeptRows, RowBlocks, RowSource
from tercet.counts.fingerprints import HalfPrints, Prints, fingerprint_documents
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, encode_labels, encode_training, keep_labels, merge_labels
from tercet.counts.matrices import read_weights
from tercet.counts.table import CountTable
from tercet.counts.units import ONE, check_total, explain_overflow, to_numbers, to_units
from tercet.errors import InvalidLabel, InvalidMatrix
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.text.analyzer import Analyzer

if TYPE_CHECKING:
    from tercet.counts.kept_documents import KeptDocuments

Encoded = tuple[Labels, Integers]  # sorted labels, and the index of each document's label


@dataclass(frozen=True)
class TrainingData:
    """Labelled documents without their texts, encoded."""

    labels: Labels
    codes: Integers  # the index of each document's label
    weights: Integers | None  # in units of 2⁻²⁰; None if all are 1
    numbers: Floats  # documents × numeric columns
    domains: Encoded | None  # None if no selector needs them
    texts: HalfPrints  # fingerprints of the texts, without labels, texts × 2; empty if they are not needed
    prints: Prints  # fingerprints of the documents
    rows: RowSource | None = None  # the terms of each document, if they are kept
    domain_rows: RowSource | None = None  # the same rows, with the term numbers of the table by domain
    matches: Flags | None = None  # documents × rules: which rules by hand are found in which text; None without rules

    @property
    def units(self) -> Integers:
        """The weight of each document."""
        return np.full(len(self.codes), ONE) if self.weights is None else self.weights

    def check(self) -> "TrainingData":
        """The same data. Raises an error if nothing can be learned from it, or if its weights are too large."""
        if not len(self.codes):
            raise InvalidLabel("there are no labels, so there is nothing to learn: give at least one document.")
        if self.weights is not None and not self.weights.any():
            raise no_weight()
        check_total(len(self.codes) if self.weights is None else float(to_numbers(self.weights).sum()))
        return self

    def moments(self) -> LabelMoments | None:
        """n, Σx and Σx² of the numeric columns, if there are any."""
        if not self.numbers.size:
            return None
        return LabelMoments.of(self.numbers, self.labels, self.codes, to_numbers(self.units), full=False)


class LabelledTexts(NamedTuple):
    """A batch of documents as the user passes it, in any readable container."""

    texts: Any
    labels: Any
    weights: Any = None
    numbers: Floats | None = None  # documents × numeric columns
    domains: Any = None  # the source of each document, if a selector needs it


class GrowingArray:
    """An array that grows as parts are appended. Its rows are contiguous, so nothing has to be joined at the end.

    >>> growing = GrowingArray(np.zeros(0, np.int64))
    >>> growing.append(np.array([3, 1])), growing.append(np.array([2])), growing.take()
    (None, None, array([3, 1, 2]))
    """

    def __init__(self, nothing: Array) -> None:
        self._nothing = nothing
        self._rows, self._n = nothing.copy(), 0

    def append(self, part: Array) -> None:
        end = self._n + len(part)
        if end > len(self._rows):
            # Only an eighth more: resizing moves pages and not bytes, and two copies may not fit in memory.
            self._resize(end + end // 8)
        self._rows[self._n : end] = part
        self._n = end

    def take(self) -> Array:
        """All rows. This array is empty afterwards."""
        self._resize(self._n)
        rows, self._rows, self._n = self._rows, self._nothing.copy(), 0
        return rows

    def _resize(self, n: int) -> None:
        self._rows.resize((n, *self._rows.shape[1:]), refcheck=False)  # nobody else has a reference to it


class ArrivingLabels:
    """Labels that arrive batch by batch. They are numbered as they arrive, and sorted at the end.

    >>> arriving = ArrivingLabels()
    >>> arriving.number(np.array(["spam"]), np.array([0, 0])), arriving.number(np.array(["ham", "spam"]), np.array([0, 1]))
    (array([0, 0]), array([1, 0]))
    >>> arriving.finish()
    (array(['ham', 'spam'], dtype='<U4'), array([1, 1, 0, 1]))
    """

    def __init__(self) -> None:
        self.known: Labels = np.zeros(0, "U1")  # sorted
        self._numbers: dict[Any, int] = {}
        self._codes = GrowingArray(np.zeros(0, np.int64))
        self.last: Integers = np.zeros(0, np.int64)  # the numbers of the last batch

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, labels: Labels, codes: Integers) -> Integers:
        """The number of each document's label; `codes` are the positions of the documents' labels among those of the batch."""
        listed = labels.tolist()
        if labels.dtype.kind != self.known.dtype.kind or not self._numbers.keys() >= set(listed):
            self.known = merge_labels(self.known, labels)  # an error if they have two types
        for label in listed:
            self._numbers.setdefault(label, len(self._numbers))
        self.last = np.array([self._numbers[label] for label in listed], np.int64)[codes]
        self._codes.append(self.last)
        return self.last

    def index_among(self, labels: Labels) -> Integers:
        """For each number the position of its label among these, or -1."""
        indices = {label: index for index, label in enumerate(labels.tolist())}
        return np.array([indices.get(label, -1) for label in self._numbers], np.int64)

    def finish(self) -> tuple[Labels, Integers]:
        """All labels, sorted, and the position of each document's label among them. This object keeps no codes."""
        indices, codes = self.index_among(self.known), self._codes.take()
        return self.known, codes if (indices == np.arange(len(indices))).all() else indices[codes]


@dataclass(frozen=True)
class EncodedBatch:
    """The documents of one batch, encoded."""

    texts: Any
    labels: Labels
    codes: Integers
    weights: Integers | None
    numbers: Floats
    domains: Encoded | None

    @classmethod
    def of(cls, batch: LabelledTexts) -> "EncodedBatch":
        if batch.labels is None:
            raise InvalidLabel("requires y to be passed, but the target y is None: a categorizer learns from labels.")
        labels, codes = encode_labels(batch.labels)
        weights = None if batch.weights is None else to_units(read_weights(batch.weights, len(codes)))
        numbers = np.zeros((len(codes), 0)) if batch.numbers is None else batch.numbers
        if len(numbers) != len(codes):
            raise InvalidMatrix(f"there are {len(codes)} labels and {len(numbers)} rows of numbers: each label needs one.")
        domains = None if batch.domains is None else encode_training(batch.domains, len(codes))
        return cls(batch.texts, labels, codes, weights, numbers, domains)

    def parts(self) -> Iterator[tuple[engine.Texts, slice]]:
        """The texts and their spans. Raises InvalidLabel if there are more or fewer texts than labels."""
        n, end = len(self.codes), 0
        for part in batches(self.texts):
            begin, end = end, end + len(part)
            if end > n:
                break
            yield part, slice(begin, end)
        if end != n:
            found = "more" if end > n else end
            raise InvalidLabel(f"there are {n} labels and {found} texts: each text needs one label. Nothing is learned.")

    def fingerprint(self, texts: HalfPrints, span: slice) -> Prints:
        """The fingerprints of the documents at `span`, from the fingerprints of their texts."""
        codes = self.codes[span]
        weights = np.full(len(codes), ONE) if self.weights is None else self.weights[span]
        domains = None if self.domains is None else (self.domains[0], self.domains[1][span])
        return fingerprint_documents(texts, self.labels, codes, weights, self.numbers[span], domains)


class DataBuilder:
    """Collects encoded batches, and joins them at the end."""

    def __init__(self) -> None:
        self.labels, self.domains = ArrivingLabels(), ArrivingLabels()
        self._weights: list[Integers | None] = []
        self._sizes: list[int] = []
        self._numbers: list[Floats] = []
        self._texts = GrowingArray(np.zeros((0, 2), np.uint64))
        self._prints = GrowingArray(np.zeros(0, "S16"))

    def add(self, batch: EncodedBatch) -> None:
        self.labels.number(batch.labels, batch.codes)
        if batch.domains is not None:
            self.domains.number(*batch.domains)
        self._weights.append(batch.weights)
        self._sizes.append(len(batch.codes))
        self._numbers.append(batch.numbers)

    def add_prints(self, batch: EncodedBatch, span: slice, texts: HalfPrints, *, keep: bool) -> None:
        """Add the fingerprints of documents of the last batch; with `keep`, also the fingerprints of their texts."""
        self._prints.append(batch.fingerprint(texts, span))
        if keep:
            self._texts.append(texts)

    def finish(self) -> TrainingData:
        """All batches joined. The builder drops them, because they may be large."""
        labels, codes = self.labels.finish()
        weights = self._join_weights()
        domains = self.domains.finish() if len(self.domains) else None
        numbers = np.concatenate(self._numbers) if self._numbers else np.zeros((0, 0))
        return TrainingData(labels, codes, weights, numbers, domains, self._texts.take(), self._prints.take())

    def _join_weights(self) -> Integers | None:
        if all(weights is None for weights in self._weights):
            return None
        both = zip(self._weights, self._sizes, strict=True)
        joined = np.concatenate([np.full(n, ONE) if weights is None else weights for weights, n in both])
        return None if (joined == ONE).all() else joined  # the same documents are trained in the same way


class TextBuilder:
    """Copies texts as they arrive."""

    def __init__(self) -> None:
        self._bytes = GrowingArray(np.zeros(0, np.uint8))
        self._sizes = GrowingArray(np.zeros(0, np.int64))

    def add(self, texts: engine.Texts) -> None:
        offsets, joined = texts.join()
        self._bytes.append(joined)
        self._sizes.append(np.diff(offsets))

    def keep(self, data: TrainingData) -> "KeptDocuments":
        """The documents of this data with the texts that were added. This object is empty afterwards."""
        from tercet.counts.kept_documents import JoinedTexts, KeptDocuments  # on first use: most data are not kept

        sizes = self._sizes.take()
        return KeptDocuments.of(data, JoinedTexts(np.concatenate([[0], np.cumsum(sizes)]), self._bytes.take()))


class LabelledCounter:
    """Counts labelled documents into one table, batch by batch; with `keep` it keeps the terms of each document."""

    def __init__(self, labels: ArrivingLabels, analyzer: Analyzer, recipe: engine.Recipe, threads: int, *, keep: bool) -> None:
        self._labels, self._analyzer, self._threads = labels, analyzer, threads
        self._counter = engine.TableCounter(recipe, 0, threads, keep)
        self._blocks = RowBlocks() if keep else None
        self._has_weight = np.zeros(0, np.bool_)  # for each label, whether a document with it has a weight above 0

    def add(self, texts: engine.Texts, span: slice, weights: Integers | None) -> None:
        """Count texts of the batch whose labels came last; `span` is their position in it, weights are in units of 2⁻²⁰."""
        numbers = self._labels.last[span]
        self._note_weights(numbers, weights)
        self._counter.grow_labels(len(self._labels))
        with explain_overflow():
            block = self._counter.add(texts, numbers, weights)
        if self._blocks is not None:
            self._blocks.append(block, texts, weights)

    def take(self) -> tuple[CountTable, KeptRows | None]:
        """The table, without labels whose documents all have weight 0, and the rows of all documents."""
        has_weight = np.zeros(len(self._labels), np.bool_)
        has_weight[: len(self._has_weight)] = self._has_weight
        kept = keep_labels(self._labels.known, has_weight[np.argsort(self._labels.index_among(self._labels.known))])
        with explain_overflow():
            table = self._counter.take(self._labels.index_among(kept), len(kept))
        rows = None
        if self._blocks is not None:
            rows = KeptRows(self._blocks, table, self._counter.take_terms(), self._threads)
        return CountTable(self._analyzer, kept, table), rows

    def _note_weights(self, numbers: Integers, weights: Integers | None) -> None:
        found = np.zeros(len(self._labels), np.bool_)
        found[: len(self._has_weight)] = self._has_weight
        found[numbers if weights is None else numbers[weights > 0]] = True
        self._has_weight = found


def no_weight() -> InvalidMatrix:
    return InvalidMatrix(
        "sample_weight is zero for every document, or below 2⁻²¹, which counts as 0: nothing would be learned."
    )


def fingerprint_labelled(documents: Iterable[LabelledTexts], threads: int) -> Prints:
    """The fingerprints of labelled documents. Texts are not kept."""
    prints = GrowingArray(np.zeros(0, "S16"))
    for batch in map(EncodedBatch.of, documents):
        for part, span in batch.parts():
            prints.append(batch.fingerprint(engine.fingerprint(part, threads), span))
    return prints.take()


def collect_kept(documents: Iterable[LabelledTexts], threads: int) -> "KeptDocuments":
    """Labelled documents as a categorizer keeps them. They are not counted."""
    builder, texts = DataBuilder(), TextBuilder()
    for batch in map(EncodedBatch.of, documents):
        builder.add(batch)
        for part, span in batch.parts():
            builder.add_prints(batch, span, engine.fingerprint(part, threads), keep=False)
            texts.add(part)
    return texts.keep(builder.finish().check())


def encode_documents(documents: Iterable[LabelledTexts], threads: int) -> tuple[TrainingData, list[engine.Texts]]:
    """Labelled documents that will not be learned. All texts are kept in memory."""
    builder, texts = DataBuilder(), []
    for batch in map(EncodedBatch.of, documents):
        builder.add(batch)
        for part, span in batch.parts():
            builder.add_prints(batch, span, engine.fingerprint(part, threads), keep=True)
            texts.append(part)
    return builder.finish().check(), texts

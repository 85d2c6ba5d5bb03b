"""What labelled documents have beside their texts, encoded batch by batch."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.columns import add_measures, read_domains
from tercet.categorizer.document_batches import PlainTexts
from tercet.categorizer.kept_rows import RowSource
from tercet.categorizer.table_model import TableModel
from tercet.counts.fingerprints import HalfPrints, Prints, fingerprint_documents
from tercet.counts.growing_array import GrowingArray
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import ArrivingLabels, Labels, encode_labels
from tercet.counts.matrices import check_weights
from tercet.counts.units import ONE, check_total, to_numbers, to_units
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidMatrix
from tercet.kernel import engine
from tercet.kernel.batches import batches

Encoded = tuple[Labels, Integers]  # labels in order, and the place of each document's


@dataclass(frozen=True)
class Training:
    """All that documents have beside their texts, encoded."""

    labels: Labels
    codes: Integers  # the place of each document's label
    weights: Integers | None  # in units of 2⁻²⁰; none if all are 1
    numbers: Floats  # documents × numeric columns
    domains: Encoded | None  # none if nothing asks for them
    texts: HalfPrints  # fingerprints of the texts alone, texts × 2; empty where nothing asks for them
    prints: Prints  # and of the documents
    rows: RowSource | None = None  # the terms of each document, where they are kept
    domain_rows: RowSource | None = None  # the same under the numbers of the table by domain

    @property
    def units(self) -> Integers:
        """The weight of each document."""
        return np.full(len(self.codes), ONE) if self.weights is None else self.weights

    def moments(self) -> LabelMoments | None:
        """n, Σx and Σx² of the numeric columns, if there are any."""
        if not self.numbers.shape[1]:
            return None
        return LabelMoments.of(self.numbers, self.labels, self.codes, to_numbers(self.units), full=False)


@dataclass(frozen=True)
class Batch:
    """Documents of one batch, encoded."""

    texts: Any
    labels: Labels
    codes: Integers
    weights: Integers | None
    numbers: Floats
    domains: Encoded | None

    @classmethod
    def of(cls, given: Documents, rules: TableModel) -> "Batch":
        """The rules name the columns that are wanted."""
        documents = add_measures(given.texts if isinstance(given, PlainTexts) else given, rules.numeric, rules.measured)
        if given.labels is None:
            raise InvalidLabel("requires y to be passed, but the target y is None: a categorizer learns from labels.")
        labels, codes = encode_labels(given.labels)
        weights = None if given.weights is None else to_units(check_weights(given.weights, len(codes)))
        numbers = documents.numbers(rules.numeric) if rules.numeric else np.zeros((len(codes), 0))
        if len(numbers) != len(codes):
            raise InvalidMatrix(f"there are {len(codes)} labels and {len(numbers)} rows of numbers: each document needs one.")
        domains = None if rules.domain is None else read_domains(documents, rules.domain, len(codes))
        return cls(documents.texts, labels, codes, weights, numbers, domains)

    def parts(self) -> Iterator[tuple[engine.Texts, slice]]:
        """The texts and where they are; an error where there are not as many as labels."""
        n, end = len(self.codes), 0
        for part in batches(self.texts):
            begin, end = end, end + len(part)
            if end > n:
                break
            yield part, slice(begin, end)
        if end != n:
            found = "more" if end > n else end
            raise InvalidLabel(f"there are {n} labels and {found} texts: each text needs one label. Nothing is learned.")

    def fingerprint(self, texts: HalfPrints, place: slice) -> Prints:
        """Of some documents, from those of their texts alone."""
        codes = self.codes[place]
        weights = np.full(len(codes), ONE) if self.weights is None else self.weights[place]
        domains = None if self.domains is None else (self.domains[0], self.domains[1][place])
        return fingerprint_documents(texts, self.labels, codes, weights, self.numbers[place], domains)


class Gathering:
    """What batches have beside their texts, put together in the end."""

    def __init__(self, rules: TableModel) -> None:
        self._rules = rules
        self.labels, self.domains = ArrivingLabels(), ArrivingLabels()
        self._weights: list[Integers | None] = []
        self._sizes: list[int] = []
        self._numbers: list[Floats] = []
        self._texts = GrowingArray(np.zeros((0, 2), np.uint64))
        self._prints = GrowingArray(np.zeros(0, "S16"))

    def add(self, batch: Batch) -> None:
        self.labels.number(batch.labels, batch.codes)
        if batch.domains is not None:
            self.domains.number(*batch.domains)
        self._weights.append(batch.weights)
        self._sizes.append(len(batch.codes))
        self._numbers.append(batch.numbers)

    def add_prints(self, batch: Batch, place: slice, texts: HalfPrints, *, keep: bool) -> None:
        """Of documents of the last batch; with `keep` those of the texts alone, too."""
        self._prints.append(batch.fingerprint(texts, place))
        if keep:
            self._texts.append(texts)

    def finish(self) -> Training:
        """All of it, which is gone from here: there may be much of it."""
        labels, codes = self.labels.finish()
        if not len(codes):
            raise InvalidLabel("there are no labels, so there is nothing to learn: give at least one document.")
        weights = self._join_weights()
        if weights is not None and not weights.any():
            raise InvalidMatrix("sample_weight is below 2⁻²¹ for every document, which counts as 0: nothing would be learned.")
        check_total(len(codes) if weights is None else float(to_numbers(weights).sum()))
        domains = None if self._rules.domain is None else self.domains.finish()
        numbers = np.concatenate(self._numbers)
        return Training(labels, codes, weights, numbers, domains, self._texts.take(), self._prints.take())

    def _join_weights(self) -> Integers | None:
        if all(weights is None for weights in self._weights):
            return None
        both = zip(self._weights, self._sizes, strict=True)
        return np.concatenate([np.full(n, ONE) if weights is None else weights for weights, n in both])

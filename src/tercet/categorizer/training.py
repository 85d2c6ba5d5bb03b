"""What labelled documents have beside their texts, encoded batch by batch."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.categorizer.columns import add_measures, read_domains
from tercet.categorizer.document_batches import PlainTexts
from tercet.categorizer.table_model import TableModel
from tercet.counts.arriving_labels import ArrivingLabels
from tercet.counts.fingerprints import Prints, Words, fingerprint_documents
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, encode_labels
from tercet.counts.matrices import check_weights
from tercet.counts.units import ONE, check_total, to_numbers, to_units
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidMatrix
from tercet.kernel import engine
from tercet.kernel.batches import batches

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Encoded = tuple[Labels, Integers]  # labels in order, and the place of each document's


@dataclass(frozen=True)
class Training:
    """All that documents have beside their texts, encoded."""

    labels: Labels
    codes: Integers  # the place of each document's label
    weights: Integers | None  # in units of 2⁻²⁰; none if all are 1
    numbers: Floats  # documents × numeric columns
    domains: Encoded | None  # none if nothing asks for them
    texts: Words  # their fingerprints, texts × 2; empty where nothing asks for them

    @property
    def units(self) -> Integers:
        """The weight of each document."""
        return np.full(len(self.codes), ONE) if self.weights is None else self.weights

    def fingerprint(self) -> Prints:
        """Of each document, from those of the texts alone."""
        return fingerprint_documents(self.texts, self.labels, self.codes, self.units, self.numbers, self.domains)

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
        n, begin = len(self.codes), 0
        for part in batches(self.texts):
            end = begin + len(part)
            if end > n:
                break
            yield part, slice(begin, end)
            begin = end
        else:
            end = begin
        if end != n:
            found = "more" if end > n else end
            raise InvalidLabel(f"there are {n} labels and {found} texts: each text needs one label. Nothing is learned.")


class Gathering:
    """What batches have beside their texts, put together in the end."""

    def __init__(self, rules: TableModel) -> None:
        self._rules = rules
        self.labels, self.domains = ArrivingLabels(), ArrivingLabels()
        self._weights: list[Integers] = []
        self._numbers: list[Floats] = []
        self._texts: list[Words] = []
        self._is_weighted = False

    def add(self, batch: Batch) -> None:
        self.labels.number(batch.labels, batch.codes)
        if batch.domains is not None:
            self.domains.number(*batch.domains)
        self._is_weighted = self._is_weighted or batch.weights is not None
        self._weights.append(np.full(len(batch.codes), ONE) if batch.weights is None else batch.weights)
        self._numbers.append(batch.numbers)

    def add_texts(self, prints: Words) -> None:
        self._texts.append(prints)

    def finish(self) -> Training:
        labels, codes = self.labels.finish()
        if not len(codes):
            raise InvalidLabel("there are no labels, so there is nothing to learn: give at least one document.")
        weights = np.concatenate(self._weights) if self._is_weighted else None
        if weights is not None and not weights.any():
            raise InvalidMatrix("sample_weight is below 2⁻²¹ for every document, which counts as 0: nothing would be learned.")
        check_total(len(codes) if weights is None else float(to_numbers(weights).sum()))
        texts = np.concatenate([np.zeros((0, 2), np.uint64), *self._texts])
        domains = None if self._rules.domain is None else self.domains.finish()
        return Training(labels, codes, weights, np.concatenate(self._numbers), domains, texts)

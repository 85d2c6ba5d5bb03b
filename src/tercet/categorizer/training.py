"""Labelled documents as they come → all that a categorizer keeps of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.categorizer.columns import add_measures, read_domains
from tercet.categorizer.table_model import TableModel
from tercet.counts.fingerprints import Prints, Words, fingerprint_documents, fingerprint_texts
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, encode_labels
from tercet.counts.matrices import check_weights
from tercet.counts.table import CountTable
from tercet.counts.units import ONE, to_numbers, to_units
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidMatrix
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.text.analyzer import Analyzer

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Training:
    """Documents that are encoded, but not read yet."""

    texts: Any
    labels: Labels
    codes: Integers  # the place of each document's label
    weights: Integers | None  # in units of 2⁻²⁰; none if all are 1
    numbers: Floats  # documents × numeric columns
    domains: tuple[Labels, Integers] | None  # and the place of each document's; none if nothing asks for them

    @classmethod
    def of(cls, texts: Any, labels: Any, sample_weight: Any, rules: TableModel) -> "Training":
        """From texts and labels, or from Documents, which have both; the rules name the columns that are wanted."""
        numeric = rules.numeric
        documents = add_measures(texts, numeric, rules.measured)
        if isinstance(texts, Documents):
            if labels is not None:
                raise InvalidLabel("the Documents have labels of their own, and others are given beside them: which? Give one.")
            labels = texts.labels
            sample_weight = texts.weights if sample_weight is None else sample_weight
        numbers = documents.numbers(numeric) if numeric else np.zeros((0, 0))
        if labels is None:
            raise InvalidLabel("requires y to be passed, but the target y is None: a categorizer learns from labels.")
        known, codes = encode_labels(labels)
        if not len(codes):
            raise InvalidLabel("there are no labels, so there is nothing to learn: give at least one document.")
        weights = None if sample_weight is None else to_units(check_weights(sample_weight, len(codes)))
        if weights is not None and not weights.any():
            raise InvalidMatrix("sample_weight is below 2⁻²¹ for every document, which counts as 0: nothing would be learned.")
        if numeric and len(numbers) != len(codes):
            raise InvalidMatrix(f"there are {len(codes)} labels and {len(numbers)} rows of numbers: each document needs one.")
        domains = None if rules.domain is None else read_domains(documents, rules.domain, len(codes))
        return cls(documents.texts, known, codes, weights, numbers if numeric else np.zeros((len(codes), 0)), domains)

    @property
    def units(self) -> Integers:
        """The weight of each document."""
        return np.full(len(self.codes), ONE) if self.weights is None else self.weights

    def batches(self) -> Iterator[engine.Texts]:
        """The texts; an error where there are not as many as labels."""
        n, n_texts = len(self.codes), 0
        for part in batches(self.texts):
            n_texts += len(part)
            if n_texts > n:
                break
            yield part
        if n_texts != n:
            found = "more" if n_texts > n else n_texts
            raise InvalidLabel(f"there are {n} labels and {found} texts: each text needs one label. Nothing is learned.")

    def fingerprint(self, texts: Words) -> Prints:
        """Of each document, from those of the texts alone."""
        return fingerprint_documents(texts, self.labels, self.codes, self.units, self.numbers, self.domains)

    def moments(self) -> LabelMoments:
        """n, Σx and Σx² of the numeric columns."""
        return LabelMoments.of(self.numbers, self.labels, self.codes, to_numbers(self.units), full=False)


@dataclass(frozen=True)
class Learned:
    """What is kept of documents."""

    table: CountTable
    prints: Prints | None
    moments: LabelMoments | None
    parts: list[engine.Texts]  # the texts, where they are needed again
    domains: CountTable | None = None  # the same documents by domain instead of label


def add_known(a: Any, b: Any) -> Any:
    """The sum of what is kept of two sets of documents; None where it is not kept of both."""
    return None if a is None or b is None else a + b


def read_training(training: Training, analyzer: Analyzer, threads: int, *, remember: bool, keep: bool) -> Learned:
    """One pass over the documents: their counts, and with `remember` their fingerprints; `keep` keeps the texts.

    Where they are counted by domain, too, all texts are held in memory for a second pass.
    """
    prints: list[Words] = []
    parts: list[engine.Texts] = []

    def watch() -> Iterator[engine.Texts]:
        for part in training.batches():
            if remember:
                prints.append(fingerprint_texts([part], threads))
            if keep or training.domains is not None:
                parts.append(part)
            yield part

    table = CountTable.of_batches(
        watch(), training.labels, training.codes, training.weights, analyzer=analyzer, threads=threads
    )
    whole = training.fingerprint(np.concatenate(prints)) if remember else None
    moments = training.moments().pick(table.labels) if training.numbers.shape[1] else None
    domains = None
    if training.domains is not None:
        domains = CountTable.of_batches(parts, *training.domains, training.weights, analyzer=analyzer, threads=threads)
    return Learned(table, whole, moments, parts, domains)

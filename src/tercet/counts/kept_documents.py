"""Kept documents: the learned texts with their labels, weights, numbers and domains, in a multiset that adds up like counts.

In memory and in files they are in the order of their fingerprints. Everything that is trained on them is a function of the
multiset: it does not depend on the order in which they arrived.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Integers, read_floats
from tercet.cached import cached_property
from tercet.counts.fingerprints import Fingerprints, Prints, find_indices, fingerprint_documents
from tercet.counts.labels import Labels, index_labels, keep_labels, merge_labels, read_labels, write_labels
from tercet.counts.training_data import Encoded, LabelledTexts, TrainingData
from tercet.counts.units import ONE, to_numbers
from tercet.kernel import engine

AT_A_TIME = 1 << 13  # documents of a batch
MAX_PARTS = 1 << 10  # parts of documents that came, or went, one by one
MAX_UNITS = 1 << 62  # of a weight
MAX_FLOAT = float(np.finfo(np.float64).max)  # of a number


class JoinedTexts(NamedTuple):
    """All texts in one array of bytes, in UTF-8; text i has the bytes from offsets[i] to offsets[i + 1]."""

    offsets: Integers
    bytes: npt.NDArray[np.uint8]

    @classmethod
    def join(cls, parts: "Sequence[JoinedTexts]") -> "JoinedTexts":
        """The texts of all parts, one part after the other."""
        sizes = [np.diff(part.offsets) for part in parts]
        return cls(np.concatenate([[0], np.cumsum(np.concatenate(sizes))]), np.concatenate([part.bytes for part in parts]))

    def open(self, begin: int = 0, end: int | None = None) -> engine.Texts:
        """The texts from `begin` to `end`, without a copy."""
        n = len(self.offsets) - 1 if end is None else min(end, len(self.offsets) - 1)
        return engine.Texts.from_arrow(self.offsets[begin : n + 1], self.bytes, self.bytes, surrogates=True)


@dataclass(frozen=True, eq=False)
class KeptPart:
    """Documents that were learned together. Texts from a file are unpacked when they are needed."""

    data: TrainingData
    packed: tuple[Array, Array] | None  # the dictionary and the texts, as they are in a file

    @cached_property
    def texts(self) -> JoinedTexts:
        assert self.packed is not None
        return JoinedTexts(*engine.unpack_texts(*self.packed, len(self.data.codes)))

    @classmethod
    def of(cls, data: TrainingData, texts: JoinedTexts) -> "KeptPart":
        part = cls(replace(data, texts=np.zeros((0, 2), np.uint64), rows=None, domain_rows=None), None)
        part.__dict__["texts"] = texts
        return part

    def pick(self, indices: Integers) -> "KeptPart":
        """The documents at these indices, in this order, with the labels that they have."""
        data = self.data
        labels, codes = _pick_labels((data.labels, data.codes), indices)
        weights = None if data.weights is None else data.weights[indices]
        domains = None if data.domains is None else _pick_labels(data.domains, indices)
        weights = None if weights is None or (weights == ONE).all() else weights
        numbers, prints = data.numbers[indices], data.prints[indices]
        picked = replace(data, labels=labels, codes=codes, weights=weights, numbers=numbers, domains=domains, prints=prints)
        return KeptPart.of(picked, JoinedTexts(*self.texts.open().pick(indices).join()))


def _pick_labels(encoded: Encoded, indices: Integers) -> Encoded:
    """The labels of the documents at these indices. A label without a document is left out."""
    labels, codes = encoded
    picked = codes[indices]
    kept = np.bincount(picked, minlength=len(labels)) > 0
    return keep_labels(labels, kept), (np.cumsum(kept) - 1)[picked]


class KeptDocuments:
    """A multiset of documents. It is never changed: `+` and `without` make another one.

    A document has the text that the kernel reads: all columns in one `str`.
    """

    def __init__(self, parts: Sequence[KeptPart], gone: Sequence[Prints] = ()) -> None:
        # Parts, and the fingerprints of documents that are left out of them, as a multiset. One tuple: other threads read it.
        self._content = tuple(parts), tuple(gone)

    @classmethod
    def of(cls, data: TrainingData, texts: JoinedTexts) -> "KeptDocuments":
        return cls([KeptPart.of(data, texts)])

    def __len__(self) -> int:
        parts, gone = self._content
        return sum(len(part.data.codes) for part in parts) - sum(map(len, gone))

    def __add__(self, other: "KeptDocuments") -> "KeptDocuments":
        """The documents of both. Nothing is copied before somebody asks for the documents in order."""
        (parts, gone), (more_parts, more_gone) = self._content, other._content
        joined = KeptDocuments([*parts, *more_parts], [*gone, *more_gone])
        return joined if len(parts) < MAX_PARTS else joined._put_in_order()

    def without(self, prints: Prints) -> "KeptDocuments":
        """The documents that are left without those of these fingerprints. Raises NeverLearned if one is missing."""
        Fingerprints(self.prints).check_known(prints)
        return self.leave_out(prints)

    def leave_out(self, prints: Prints) -> "KeptDocuments":
        """The same, without looking whether one is missing. Nothing is copied, as in a sum."""
        parts, gone = self._content
        left = KeptDocuments(parts, [*gone, prints])
        n_gone = sum(map(len, gone)) + len(prints)
        return left if len(gone) < MAX_PARTS and n_gone <= AT_A_TIME + len(left) else left._put_in_order()

    @property
    def prints(self) -> Prints:
        """The fingerprints of all documents, in no order."""
        parts, gone = self._content
        return self.ordered.data.prints if gone else np.concatenate([part.data.prints for part in parts])

    @property
    def ordered(self) -> KeptPart:
        """All documents in the order of their fingerprints."""
        return self._put_in_order()._content[0][0]

    def _put_in_order(self) -> Self:
        """The same documents in one part, in order. Texts that are left out take no more memory."""
        parts, gone = self._content
        if len(parts) > 1 or gone or not is_ordered(parts[0].data.prints):
            joined = parts[0] if len(parts) == 1 else _join(parts)
            order = np.argsort(joined.data.prints, kind="stable")
            indices = find_indices(joined.data.prints[order], np.sort(np.concatenate([np.zeros(0, "S16"), *gone])))
            self._content = (joined.pick(np.delete(order, indices)),), ()
        return self

    def __getstate__(self) -> dict[str, Any]:
        """The parts to pickle, without texts that are left out."""
        return {"_content": self._put_in_order()._content}

    def batches(self) -> Iterator[LabelledTexts]:
        """The documents in order, to be counted."""
        part = self.ordered
        data = part.data
        for begin in range(0, len(self), AT_A_TIME):
            span = slice(begin, begin + AT_A_TIME)
            weights = None if data.weights is None else to_numbers(data.weights[span])
            domains = None if data.domains is None else data.domains[0][data.domains[1][span]]
            numbers = data.numbers[span] if data.numbers.shape[1] else None
            texts = part.texts.open(begin, begin + AT_A_TIME)
            yield LabelledTexts(texts, data.labels[data.codes[span]], weights, numbers, domains)

    # Files.

    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Values for JSON, and arrays. The fingerprints are written by the categorizer."""
        data = self.ordered.data
        dictionary, texts = self.ordered.packed or engine.pack_texts(self.ordered.texts.open())
        arrays = {"dictionary": dictionary, "texts": texts, "labels": _narrow(data.codes, len(data.labels))}
        content: dict[str, Any] = {"labels": write_labels(data.labels), "domains": None}
        if data.weights is not None:
            arrays["weights"] = data.weights
        if data.numbers.shape[1]:
            arrays["numbers"] = data.numbers
        if data.domains is not None:
            arrays["domains"] = _narrow(data.domains[1], len(data.domains[0]))
            content["domains"] = write_labels(data.domains[0])
        return content, arrays

    @classmethod
    def from_file(
        cls, content: Mapping[str, Any], arrays: Mapping[str, Array], prints: Prints, n_numbers: int, has_domains: bool
    ) -> "KeptDocuments":
        """The documents that `to_file` wrote, in the order of these fingerprints. `check` looks at the texts."""
        n = len(prints)
        known = {"dictionary", "texts", "labels", "weights", "numbers", "domains"}
        if not {"dictionary", "texts", "labels"} <= set(arrays) <= known:
            raise ValueError("parts of the kept documents are missing")
        packed = arrays["dictionary"], arrays["texts"]
        if any(array.dtype != np.uint8 or array.ndim != 1 for array in packed):
            raise ValueError("the kept texts are no bytes")
        numbers = read_floats(arrays, "numbers", (n, n_numbers), MAX_FLOAT) if n_numbers else np.zeros((n, 0))
        weights = _read_weights(arrays["weights"], n) if "weights" in arrays else None
        labels, codes = _read_codes(content["labels"], arrays["labels"], n)
        domains = None if content["domains"] is None else _read_codes(content["domains"], arrays["domains"], n)
        if (has_domains, bool(n_numbers)) != ("domains" in arrays, "numbers" in arrays) or has_domains == (domains is None):
            raise ValueError("the numbers or the domains of the kept documents are missing")
        data = TrainingData(labels, codes, weights, numbers, domains, np.zeros((0, 2), np.uint64), prints)
        return cls([KeptPart(data, packed)])

    def check(self) -> None:
        """Raises ValueError if the texts are damaged, or if the fingerprints are not those of the documents."""
        for part in self._content[0]:
            texts = JoinedTexts(*engine.unpack_texts(*part.packed, len(part.data.codes))) if part.packed else part.texts
            data, halves = part.data, engine.fingerprint(texts.open())
            prints = fingerprint_documents(halves, data.labels, data.codes, data.units, data.numbers, data.domains)
            if not np.array_equal(prints, data.prints):
                raise ValueError("the fingerprints are not those of the kept documents")


def is_ordered(prints: Prints) -> bool:
    return bool((prints[1:] >= prints[:-1]).all())


def _join(parts: Sequence[KeptPart]) -> KeptPart:
    """The documents of all parts, one part after the other."""
    labels, codes = _join_labels([(part.data.labels, part.data.codes) for part in parts])
    domains = None
    if all(part.data.domains is not None for part in parts):
        domains = _join_labels([part.data.domains for part in parts if part.data.domains is not None])
    data = TrainingData(
        labels=labels,
        codes=codes,
        weights=np.concatenate([part.data.units for part in parts]),
        numbers=np.concatenate([part.data.numbers for part in parts]),
        domains=domains,
        texts=np.zeros((0, 2), np.uint64),
        prints=np.concatenate([part.data.prints for part in parts]),
    )
    return KeptPart.of(data, JoinedTexts.join([part.texts for part in parts]))


def _join_labels(encoded: Sequence[Encoded]) -> Encoded:
    known: Labels = encoded[0][0]
    for labels, _ in encoded[1:]:
        known = merge_labels(known, labels)
    return known, np.concatenate([index_labels(labels, known)[codes] for labels, codes in encoded])


def _narrow(codes: Integers, n: int) -> Array:
    """The codes, which are below n, as small unsigned numbers."""
    return codes.astype(next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if n <= np.iinfo(kind).max))


def _read_codes(written: Mapping[str, Any], codes: Array, n: int) -> Encoded:
    """The labels and codes of a file, checked: each label has a document."""
    labels = read_labels(written)
    if codes.dtype.kind != "u" or codes.shape != (n,) or (n and int(codes.max()) >= len(labels)):
        raise ValueError("a kept document has no label")
    counts = np.bincount(codes.astype(np.int64), minlength=len(labels))
    if not counts.all() or codes.dtype != _narrow(np.zeros(0, np.int64), len(labels)).dtype:
        raise ValueError("a label of the kept documents has no document")
    return labels, codes.astype(np.int64)


def _read_weights(weights: Array, n: int) -> Integers:
    if weights.dtype != np.int64 or weights.shape != (n,) or not ((weights >= 0) & (weights <= MAX_UNITS)).all():
        raise ValueError("a kept document has no possible weight")
    if (weights == ONE).all():
        raise ValueError("the kept documents have weights that are all 1")
    return weights

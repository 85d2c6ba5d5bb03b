"""Fingerprints of the learned documents: 128 bits for each, in a multiset that can be added and subtracted like counts.

A fingerprint is made of the text, the label, the weight, the numbers and the domain of a document. It shows whether a document
was learned, but not its content.
"""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Flags, Floats, Integers
from tercet.counts.labels import Labels
from tercet.errors import NeverLearned
from tercet.kernel import engine

Prints = npt.NDArray[np.bytes_]  # 16 bytes each
HalfPrints = npt.NDArray[np.uint64]  # documents × 2: the two halves of each fingerprint


class Fingerprints:
    """A multiset of fingerprints.

    >>> prints = np.array([b"a" * 16, b"b" * 16])
    >>> both = Fingerprints(prints) + Fingerprints(prints[:1])
    >>> both.remove(prints)
    >>> len(both), both == Fingerprints(prints[:1]), both.find_known(prints)
    (1, True, array([ True, False]))
    """

    def __init__(self, prints: Prints | None = None) -> None:
        self._known = np.zeros(0, "S16")  # sorted
        self._new = [] if prints is None else [prints]

    def add(self, prints: Prints) -> None:
        self._new.append(prints)

    def remove(self, prints: Prints) -> None:
        """Remove these fingerprints. Raises NeverLearned, and changes nothing, if one of them is missing."""
        begin, counts = self.find(prints)
        taken = np.repeat(begin, counts) + np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        self._known = np.delete(self._known, taken)

    def find(self, prints: Prints) -> tuple[Integers, Integers]:
        """Where each distinct fingerprint begins in sorted order, and how often it is given.

        Raises NeverLearned if one of them is missing.
        """
        known = self.sorted()
        wanted, first, counts = np.unique(prints, return_index=True, return_counts=True)
        begin, end = np.searchsorted(known, wanted, "left"), np.searchsorted(known, wanted, "right")
        missing = first[end - begin < counts]
        if len(missing):
            reason = "was never learned with this label and weight, or is forgotten already: nothing is changed."
            raise NeverLearned.at(int(missing.min()), reason)
        return begin, counts

    def find_known(self, prints: Prints) -> Flags:
        """Which of these fingerprints are in the multiset."""
        known = self.sorted()
        if not len(known):
            return np.zeros(len(prints), np.bool_)
        found: Flags = known[np.minimum(np.searchsorted(known, prints), len(known) - 1)] == prints
        return found

    def sorted(self) -> Prints:
        """All fingerprints, sorted."""
        if self._new:
            self._known, self._new = np.sort(self.listed()), []
        return self._known

    def listed(self) -> Prints:
        """All fingerprints. Documents that were added together keep their order."""
        only = [part for part in (self._known, *self._new) if len(part)]
        return only[0] if len(only) == 1 else np.concatenate([self._known, *self._new])

    def __add__(self, other: "Fingerprints") -> "Fingerprints":
        return Fingerprints(np.concatenate([self.sorted(), other.sorted()]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprints) and np.array_equal(self.sorted(), other.sorted())

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self._known) + sum(map(len, self._new))


def fingerprint_texts(batches: Iterable[engine.Texts], threads: int) -> HalfPrints:
    """The fingerprints of the texts, without labels and weights."""
    return np.concatenate([np.zeros((0, 2), np.uint64), *(engine.fingerprint(batch, threads) for batch in batches)])


def fingerprint_documents(
    texts: HalfPrints,
    labels: Labels,
    codes: Integers,
    weights: Integers,
    numbers: Floats,
    domains: tuple[Labels, Integers] | None = None,
) -> Prints:
    """The fingerprints of documents: text, label, weight, a row of numbers that may be empty, and a domain or None."""
    prints = texts ^ digest_values("label", labels.tolist())[codes]
    distinct, which = np.unique(weights, return_inverse=True)
    prints ^= digest_values("weight", distinct.tolist())[which]
    if numbers.shape[1]:
        prints ^= digest_values("numbers", numbers.tolist())
    if domains is not None:
        prints ^= digest_values("domain", domains[0].tolist())[domains[1]]
    return prints.astype(">u8").view("S16").ravel()


def assign_by_print(texts: HalfPrints, folds: int, seed: int) -> Integers:
    """The fold of each text, from its fingerprint alone: copies are in the same fold, whatever other documents there are.

    >>> prints = np.array([[1, 5], [2, 5], [3, 9]], np.uint64)
    >>> assign_by_print(prints, 10, 0), assign_by_print(prints[2:], 10, 0), assign_by_print(prints, 10, 1)
    (array([8, 4, 0]), array([0]), array([5, 7, 0]))
    """
    factor, offset = digest_values("folds", [seed])[0]
    mixed = (texts[:, 0] ^ offset) * (factor | np.uint64(1))  # modulo 2⁶⁴; the upper bits depend on all bits
    return np.asarray((mixed >> np.uint64(32)) * np.uint64(folds) >> np.uint64(32), np.int64)


def exchange_labels(prints: Prints, label: Any, other: Any) -> Prints:
    """The fingerprints of documents with this label, as they are with another label."""
    digests = digest_values("label", [label, other])
    halves: HalfPrints = prints.view(">u8").reshape(-1, 2) ^ digests[0] ^ digests[1]
    return halves.astype(">u8").view("S16").ravel()


def digest_values(name: str, values: list[Any]) -> HalfPrints:
    digests = [blake2b(f"{name}:{value!r}".encode("utf-8", "surrogatepass"), digest_size=16).digest() for value in values]
    return np.frombuffer(b"".join(digests), "<u8").reshape(-1, 2)

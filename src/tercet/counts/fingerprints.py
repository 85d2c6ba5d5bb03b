"""Fingerprints of the learned documents: 128 bits for each, in a multiset that can be added and subtracted like counts.

A fingerprint is made of the text, the label, the weight, the numbers and the domain of a document. It shows whether a document
was learned, but not its content.
"""

from collections import Counter
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

MIN_UNSETTLED = 1000  # changes that are not yet sorted in, at least


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
        self._new = [] if prints is None else [prints]  # not yet in `_known` or `_changes`
        self._changes: Counter[bytes] = Counter()  # how many more of each print there are than in `_known`, or fewer
        self._digest = ""  # the digest of the multiset without the changes of `_since`
        self._since: Counter[bytes] = Counter()

    def add(self, prints: Prints) -> None:
        self._new.append(prints)
        self._note(prints, 1)

    def remove(self, prints: Prints) -> None:
        """Remove these fingerprints. Raises NeverLearned, and changes nothing, if one of them is missing."""
        self.check_known(prints)
        add_to_counts(self._changes, prints, -1)
        self._note(prints, -1)
        self._settle()

    def check_known(self, prints: Prints) -> None:
        """Raises NeverLearned if one of these fingerprints is missing. Each must be there as often as it is given."""
        wanted, first, counts = np.unique(prints, return_index=True, return_counts=True)
        missing = first[self._count(wanted) < counts]
        if len(missing):
            reason = "was never learned with this label and weight, or is forgotten already: nothing is changed."
            raise NeverLearned.at(int(missing.min()), reason)

    def find_known(self, prints: Prints) -> Flags:
        """Which of these fingerprints are in the multiset."""
        return np.asarray(self._count(prints) > 0, np.bool_)

    def sorted(self) -> Prints:
        """All fingerprints, sorted."""
        if self._new or self._changes:
            gone = list_prints(-self._changes)
            known, added = np.delete(self._known, find_indices(self._known, gone)), [list_prints(self._changes), *self._new]
            self._known = np.sort(np.concatenate([known, *added]), kind="stable")  # it merges parts that are sorted already
            self._new, self._changes = [], Counter()
        return self._known

    def listed(self) -> Prints:
        """All fingerprints. Documents that were added together keep their order."""
        only = [part for part in (self._known, *self._new) if len(part)]
        return only[0] if len(only) == 1 and not self._changes else self.sorted()

    def digest(self) -> str:
        """32 hexadecimal digits for the multiset. They are computed again only after it has changed."""
        if not self._digest or self._since:
            self._digest, self._since = digest_prints(self.sorted()), Counter()
        return self._digest

    def _count(self, prints: Prints) -> Integers:
        """How many of each of these fingerprints there are."""
        self._settle()
        counts = np.searchsorted(self._known, prints, "right") - np.searchsorted(self._known, prints, "left")
        if self._changes:
            counts = counts + np.array([self._changes[each] for each in prints.tolist()], np.int64)
        return np.asarray(counts, np.int64)

    def _settle(self) -> None:
        """Put everything into one sorted array, or a few new fingerprints into the changes, which takes less time."""
        few, n_new = MIN_UNSETTLED + len(self._known) // 64, sum(map(len, self._new))
        if n_new + len(self._changes) > few:
            self.sorted()
        for prints in self._new:
            add_to_counts(self._changes, prints, 1)
        self._new = []

    def _note(self, prints: Prints, sign: int) -> None:
        """The multiset changes, and with it the digest."""
        if len(prints) + len(self._since) > MIN_UNSETTLED + len(self._known) // 64:
            self._digest = ""
        if self._digest:
            add_to_counts(self._since, prints, sign)

    def __add__(self, other: "Fingerprints") -> "Fingerprints":
        return Fingerprints(np.concatenate([self.sorted(), other.sorted()]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprints) and np.array_equal(self.sorted(), other.sorted())

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self._known) + self._changes.total() + sum(map(len, self._new))


def add_to_counts(counts: Counter[bytes], prints: Prints, n: int) -> None:
    """Count n more of each of these fingerprints. One that counts 0 then is left out."""
    for each in prints.tolist():
        counts[each] += n
        if not counts[each]:
            del counts[each]


def list_prints(counts: Counter[bytes]) -> Prints:
    """Each fingerprint as often as it counts, sorted. One that counts less than 0 is left out."""
    return np.array(sorted((+counts).elements()), "S16")


def find_indices(known: Prints, prints: Prints) -> Integers:
    """The indices of fingerprints among known ones. Both are sorted; those that are there several times get several indices.

    >>> find_indices(np.array([b"a", b"b", b"b", b"b", b"c"]), np.array([b"b", b"b", b"c"]))
    array([1, 2, 4])
    """
    begins = np.searchsorted(known, prints, "left")
    return np.asarray(begins + np.arange(len(prints)) - np.searchsorted(prints, prints, "left"), np.int64)


def digest_prints(prints: Prints) -> str:
    """32 hexadecimal digits for sorted fingerprints."""
    return blake2b(np.ascontiguousarray(prints).tobytes(), digest_size=16).hexdigest()


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

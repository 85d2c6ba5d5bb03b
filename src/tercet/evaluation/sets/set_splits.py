"""Splits and folds of documents with several labels: each part has each label in proportion, as far as that is possible.

Iterative stratification (Sechidis, Tsoumakas, Vlahavas 2011): the label with the fewest documents that are left goes first, and
each of its documents goes to the part that lacks most of this label. Here a label also gets a document in every part if it has
so many. Rounding would leave rare labels out of small parts.
"""

from collections.abc import Sequence

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.label_sets import DocumentLabels
from tercet.errors import InvalidOption
from tercet.evaluation.splits import Split, check_folds, check_shares
from tercet.options import check_seed


def split_sets(
    sets: DocumentLabels, *, dev: float = 0.1, test: float = 0.1, seed: int = 0, groups: Integers | None = None
) -> Split:
    """Train, dev and test documents. With `groups` (the code of each document's group) each group stays in one part.

    >>> split = split_sets(DocumentLabels.of([["a", "b"], ["a"], ["b"], []] * 5), dev=0.0, test=0.4)
    >>> len(split.train), len(split.dev), len(split.test)
    (12, 0, 8)
    """
    check_shares(dev, test)
    shares = {"train": 1 - dev - test, "dev": dev, "test": test}
    named = [name for name, share in shares.items() if share > 0]
    part_of = assign_parts(sets, [shares[name] for name in named], seed, groups)
    found = {name: np.flatnonzero(part_of == part) for part, name in enumerate(named)}
    return Split(*(found.get(name, np.zeros(0, np.int64)) for name in shares))


def assign_set_folds(sets: DocumentLabels, folds: int, seed: int = 0, groups: Integers | None = None) -> Integers:
    """The fold of each document, 0 … folds - 1.

    >>> np.bincount(assign_set_folds(DocumentLabels.of([["a", "b"], ["a"], ["b"], []] * 5), folds=4))
    array([5, 5, 5, 5])
    """
    n = len(sets) if groups is None else len(np.unique(groups))
    check_folds(folds, n, "documents" if groups is None else "groups")
    return assign_parts(sets, [1 / folds] * folds, seed, groups)


def assign_parts(sets: DocumentLabels, shares: Sequence[float], seed: int = 0, groups: Integers | None = None) -> Integers:
    """The part of each document. `shares` are those of the parts."""
    if not len(sets):
        raise InvalidOption("there are no documents to split: give at least two.")
    unit_of = np.arange(len(sets)) if groups is None else np.unique(groups, return_inverse=True)[1]
    return _Stratification(sets, unit_of, np.asarray(shares, np.float64), check_seed(seed)).assign()[unit_of]


class _Stratification:
    """Units (documents, or groups of documents), and how many documents of each label each part still lacks."""

    def __init__(self, sets: DocumentLabels, unit_of: Integers, shares: Floats, seed: int) -> None:
        rng, n_units, n_labels = np.random.default_rng(seed), int(unit_of.max()) + 1, len(sets.labels)
        self.sizes = np.bincount(unit_of, minlength=n_units)
        cells, self.counts = np.unique(unit_of[sets.documents] * n_labels + sets.codes, return_counts=True)
        self.units, self.labels = np.divmod(cells, max(n_labels, 1))
        self.starts = np.searchsorted(self.units, np.arange(n_units + 1))
        self.order = rng.permutation(n_units)
        # The largest units first: later ones can still balance them.
        self.order = self.order[np.argsort(-self.sizes[self.order], kind="stable")]
        self.ties = rng.permutation(len(shares))  # the order of parts that lack equally much
        self.lacking = np.outer(shares, np.bincount(sets.codes, minlength=n_labels))  # parts × labels
        self.lacking_documents = shares * len(sets)
        self.is_there = np.zeros(self.lacking.shape, np.bool_)
        self.n_left = np.bincount(self.labels, minlength=n_labels)  # units of each label that have no part yet
        self.part_of = np.full(n_units, -1)

    def assign(self) -> Integers:
        """The part of each unit."""
        rank = np.empty(len(self.order), np.int64)
        rank[self.order] = np.arange(len(self.order))
        by_label = np.lexsort((rank[self.units], self.labels))
        begins = np.searchsorted(self.labels[by_label], np.arange(len(self.n_left) + 1))
        while self.n_left.any():
            label = int(np.argmin(np.where(self.n_left > 0, self.n_left, np.iinfo(np.int64).max)))
            for unit in self.units[by_label[begins[label] : begins[label + 1]]].tolist():
                if self.part_of[unit] < 0:
                    self._put(unit, self._choose(label))
        for unit in self.order[self.part_of[self.order] < 0].tolist():  # without labels
            self._put(unit, self._pick(self.lacking_documents))
        return self.part_of

    def _choose(self, label: int) -> int:
        """The part that lacks most of the label; of several, the one that lacks most documents."""
        missing, lacking = ~self.is_there[:, label], self.lacking[:, label]
        if np.count_nonzero(missing) >= self.n_left[label]:  # no unit is left over for a part that has the label
            lacking = np.where(missing, lacking, -np.inf)
        is_best = lacking >= lacking.max() - 1e-9
        return self._pick(np.where(is_best, self.lacking_documents, -np.inf))

    def _pick(self, lacking: Floats) -> int:
        """The part with the largest number; ties are random."""
        return int(self.ties[np.argmax(lacking[self.ties] >= lacking.max() - 1e-9)])

    def _put(self, unit: int, part: int) -> None:
        own = slice(self.starts[unit], self.starts[unit + 1])
        labels = self.labels[own]
        self.part_of[unit] = part
        self.lacking[part, labels] -= self.counts[own]
        self.is_there[part, labels] = True
        self.n_left[labels] -= 1
        self.lacking_documents[part] -= self.sizes[unit]

"""Copies of texts: equal texts, and near copies, which share most of their shingles (three words in a row).

A leak is a text that is in both the training and the test documents, so that scores are too high.
"""

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.fingerprints import fingerprint_texts
from tercet.errors import bad_option
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.options import is_number, n_threads


def group_copies(texts: Any, threads: int | None = None) -> Integers:
    """A number for each text, the same for equal texts. As `groups` of splits and folds it keeps copies together.

    >>> group_copies(["to be", "or not", "to be"])
    array([0, 1, 0])
    """
    prints = fingerprint_texts(batches(texts), n_threads(threads))
    _, first, codes = np.unique(prints, axis=0, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes.ravel()]  # numbered in the order of the texts


def find_leaks(train: Any, test: Any, threads: int | None = None) -> Integers:
    """The texts of `test` that are also in `train`: a row (index in train, index in test) for each, in the order of test.

    >>> find_leaks(["to be", "or not"], ["that is", "or not"])
    array([[1, 1]])
    """
    known = fingerprint_texts(batches(train), n_threads(threads))
    asked = fingerprint_texts(batches(test), n_threads(threads))
    _, first, codes = np.unique(np.concatenate([known, asked]), axis=0, return_index=True, return_inverse=True)
    first_equal = first[codes.ravel()[len(known) :]]  # the first equal text; train comes before test
    (leaked,) = np.nonzero(first_equal < len(known))
    return np.column_stack([first_equal[leaked], leaked])


def warn_of_leaks(train: Any, test: Any, threads: int | None = None) -> int:
    """The number of texts of `test` that are also in `train`, with a warning if there are any."""
    leaks = find_leaks(train, test, threads)
    if len(leaks):
        in_train, in_test = leaks[0]
        warnings.warn(
            f"{len(leaks)} test texts are also training texts, the first at {in_test} (in training at {in_train}, counted "
            "from 0): the score will be too high. Drop them, or split with groups=group_copies(texts).",
            UserWarning,
            stacklevel=2,
        )
    return len(leaks)


MIN_THRESHOLD = 0.2  # similarity. Below it, nearly every pair of texts would have to be compared
MAX_MISSED_SHARE = 0.005  # share of the pairs at the threshold that may be missed
N_ROWS = 3  # of a band, as the kernel has it


class NearLeaks(NamedTuple):
    """The test texts that are near copies of training texts, in the order of the test texts.

    - `pairs`: a row for each of them: the position of the most similar training text, and its own position in test.
    - `similarity`: of each pair.
    """

    pairs: Integers
    similarity: Floats


@dataclass(frozen=True, eq=False)
class NearCopies:
    """Pairs of texts that are nearly equal.

    - `pairs`: two positions i < j for each pair, in order. A text with the same words as an earlier text has one pair only:
      with the first text of these words, which stands for all of them.
    - `similarity`: the Jaccard similarity of the shingles of each pair, 1 for the same words.
    - `firsts`: for each text the position of the first text with the same words.
    """

    pairs: Integers
    similarity: Floats
    firsts: Integers

    def groups(self) -> Integers:
        """A number for each text, the same for all texts that pairs link. As `groups` of a split it keeps near copies together.

        >>> find_near_copies(["To be!", "or not", "to be"]).groups()
        array([0, 1, 0])
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n, (left, right) = len(self.firsts), self.pairs.T
        _, components = connected_components(coo_array((np.ones(len(left)), (left, right)), (n, n)), directed=False)
        _, first, codes = np.unique(components, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[codes]  # numbered in the order of the texts

    def leaks(self, n_train: int) -> NearLeaks:
        """The near copies between the first `n_train` texts and the others, which are test texts."""
        crosses = (self.pairs[:, 0] < n_train) & (self.pairs[:, 1] >= n_train)
        (in_train, in_test), similarity = self.pairs[crosses].T, self.similarity[crosses]
        order = np.lexsort((in_train, -similarity, in_test))  # the most similar training text first, then the first
        linked, best = np.unique(in_test[order], return_index=True)
        tests = np.arange(n_train, len(self.firsts))
        asked = np.where(self.firsts[n_train:] < n_train, tests, self.firsts[n_train:])  # copies in test have the same leaks
        is_leak = np.isin(asked, linked)
        chosen = order[best[np.searchsorted(linked, asked[is_leak])]]
        return NearLeaks(np.column_stack([in_train[chosen], tests[is_leak] - n_train]), similarity[chosen])


def find_near_copies(texts: Any, *, threshold: float = 0.5, threads: int | None = None) -> NearCopies:
    """Pairs of texts whose shingles have a Jaccard similarity of at least `threshold`.

    A shingle is three words in a row, in lower case. Texts of fewer than 20 words are near copies only if they have the same
    words in the same order; texts without words, only if they are equal.

    No pair below the threshold is returned. A pair at the threshold is missed with probability 0.005 (MinHash), a more similar
    pair more rarely. A text with more than 16 near copies, such as a form letter, is compared with some of them only, chosen at
    random but always the same: it has at least 16 pairs as a rule, which is enough for `groups()` to join all of them.

    >>> song = "row row row your boat gently down the stream merrily merrily merrily merrily life is but a dream said the hen"
    >>> found = find_near_copies([song, "Row!", song.replace("hen", "duck"), "row"])
    >>> found.pairs.tolist(), found.similarity.round(2).tolist()
    ([[0, 2], [1, 3]], [0.89, 1.0])
    """
    return _compare(batches(texts), threshold, threads)


def find_near_leaks(train: Any, test: Any, *, threshold: float = 0.5, threads: int | None = None) -> NearLeaks:
    """The texts of `test` that are near copies of a text of `train`. `tercet.counts.near_copies.find_leaks` finds equal texts.

    A form letter that is mostly in `test` and rarely in `train` may be missed: see `find_near_copies`. Its `groups()` show it.

    >>> leaks = find_near_leaks(["to be", "or not"], ["that is", "Or not?"])
    >>> leaks.pairs.tolist(), leaks.similarity.tolist()
    ([[1, 1]], [1.0])
    """
    known = list(batches(train))
    return _compare(chain(known, batches(test)), threshold, threads).leaks(sum(map(len, known)))


def _compare(parts: Iterable[engine.Texts], threshold: float, threads: int | None) -> NearCopies:
    n_bands, n, finder = count_bands(threshold), n_threads(threads), engine.NearCopyFinder()
    for part in parts:
        finder.add(part, n)
    for band in range(n_bands):  # Ctrl-C works between the bands
        finder.compare(band, float(threshold), n)
    return NearCopies(*finder.pairs(n), finder.firsts())


def count_bands(threshold: float) -> int:
    """The number of bands b with (1 - threshold³)ᵇ ≤ 0.005, the probability that a pair at the threshold shares no band.

    >>> count_bands(0.5), count_bands(0.8), count_bands(1)
    (40, 8, 1)
    """
    if not is_number(threshold) or not MIN_THRESHOLD <= threshold <= 1:
        reason = "it is the share of their shingles that two near copies have in common. Try 0.5."
        raise bad_option("threshold", f"a number from {MIN_THRESHOLD} to 1", threshold, reason)
    return math.ceil(math.log(MAX_MISSED_SHARE) / math.log1p(-(threshold**N_ROWS))) if threshold < 1 else 1

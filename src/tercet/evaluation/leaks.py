"""Leaks: texts that are in both the training and the test documents, so that scores are too high.

Here texts are copies if they are equal. `tercet/counts/near_copies.py` also finds texts that differ in a few words.
"""

import warnings
from typing import Any

import numpy as np

from tercet.arrays import Integers
from tercet.counts.fingerprints import fingerprint_texts
from tercet.kernel.batches import batches
from tercet.options import n_threads


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
    place = first[codes.ravel()[len(known) :]]  # the first equal text; train comes before test
    (leaked,) = np.nonzero(place < len(known))
    return np.column_stack([place[leaked], leaked])


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

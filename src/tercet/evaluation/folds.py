"""Which documents are held out together."""

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np

from tercet.arrays import Integers
from tercet.counts.labels import encode_labels
from tercet.errors import InvalidOption, bad_option
from tercet.evaluation.seeds import check_seed, derive_seed
from tercet.options import check_count


def assign_folds(codes: Integers, folds: int, seed: int = 0) -> Integers:
    """The fold of each document, 0 … folds - 1: as many of each label in each as can be, and the sizes alike, too.

    >>> assign_folds(np.array([0, 0, 0, 0, 1, 1]), folds=2)
    array([0, 1, 1, 0, 1, 0])
    """
    _check_folds(folds, len(codes), "documents")
    shuffled = np.random.default_rng(check_seed(seed)).permutation(len(codes))
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]  # label by label, at random within each
    return _deal(dealt, folds)


def assign_plain_folds(n: int, folds: int, seed: int = 0, *, shuffle: bool = True) -> Integers:
    """The fold of each of n documents, whatever their labels; without `shuffle` those of a fold are neighbours.

    >>> assign_plain_folds(5, folds=2, shuffle=False)
    array([0, 0, 0, 1, 1])
    """
    _check_folds(folds, n, "documents")
    check_seed(seed)
    if not shuffle:
        return np.sort(np.arange(n) % folds)
    return _deal(np.random.default_rng(seed).permutation(n), folds)


def assign_grouped_folds(groups: Any, folds: int, seed: int = 0) -> Integers:
    """The fold of each document, all of a group (a person's texts, a thread) in one: it is never on both sides.

    The largest group goes first, each to the fold that has the fewest documents yet; the seed orders groups of one size.

    >>> assign_grouped_folds(["ann", "bob", "ann", "cy", "ann"], folds=2)
    array([0, 1, 0, 1, 0])
    """
    _, codes = encode_labels(groups)
    sizes = np.bincount(codes)
    _check_folds(folds, len(sizes), "groups")
    shuffled = np.random.default_rng(check_seed(seed)).permutation(len(sizes))
    fold_of = np.empty(len(sizes), np.int64)
    fewest = [(0, fold) for fold in range(folds)]
    for group in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        size, fold = fewest[0]
        fold_of[group] = fold
        heapq.heapreplace(fewest, (size + int(sizes[group]), fold))
    return fold_of[codes]


def repeat_folds(assign: Callable[[int], Integers], repeats: int, seed: int = 0) -> Integers:
    """Folds again and again, repeats × documents, from any way to assign them by a seed.

    >>> repeat_folds(lambda seed: assign_plain_folds(4, 2, seed), repeats=3).shape
    (3, 4)
    """
    return np.stack([assign(derive_seed(seed, place)) for place in range(check_count("repeats", repeats))])


def _deal(dealt: Integers, folds: int) -> Integers:
    result = np.empty(len(dealt), np.int64)
    result[dealt] = np.arange(len(dealt)) % folds
    return result


def _check_folds(folds: int, n: int, things: str) -> None:
    if check_count("folds", folds) < 2:
        raise bad_option("folds", "an int >= 2", folds, "what is held out must be scored by the rest.")
    if folds > n:
        raise InvalidOption(f"folds={folds} with {n} {things}: some folds would be empty. Use fewer.")

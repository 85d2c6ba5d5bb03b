"""Which documents are held out: train/dev/test splits, every n-th document, and folds for cross-validation."""

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Flags, Integers
from tercet.counts.labels import encode_labels
from tercet.errors import InvalidOption, bad_option
from tercet.options import check_count, check_seed, is_number

# Splits


@dataclass(frozen=True, eq=False)
class Split:
    """The indices of the documents of each part, ascending."""

    train: Integers
    dev: Integers
    test: Integers


def split_documents(labels: Any, *, dev: float = 0.1, test: float = 0.1, seed: int = 0, groups: Any = None) -> Split:
    """Train, dev and test documents. Each part has the labels in proportion; with `groups` each group stays in one part.

    >>> split = split_documents(["ham"] * 6 + ["spam"] * 4, dev=0.2, test=0.2)
    >>> len(split.train), len(split.dev), len(split.test)
    (6, 2, 2)
    """
    if not (_is_share(dev) and _is_share(test) and dev + test < 1):
        raise InvalidOption(
            f"dev={dev!r}, test={test!r} must be shares >= 0.0 that sum to less than 1.0: the rest is for training."
        )
    _, codes = encode_labels(labels)
    group_codes = _encode_groups(groups, len(codes))
    rng = np.random.default_rng(check_seed(seed))
    in_test = _hold_out(codes, group_codes, test, rng)
    (rest,) = np.nonzero(~in_test)
    in_dev = _hold_out(codes[rest], None if group_codes is None else group_codes[rest], dev / (1 - test), rng)
    return Split(rest[~in_dev], rest[in_dev], np.flatnonzero(in_test))


def hold_every_nth(n_documents: int, nth: int, first: int = 0) -> Flags:
    """Which documents are held out: the first and every n-th after it. Use it if the order of documents means nothing.

    >>> hold_every_nth(5, nth=2)
    array([ True, False,  True, False,  True])
    """
    if check_count("nth", nth) < 2 or not 0 <= first < nth:
        raise InvalidOption(f"nth={nth}, first={first}: nth must be 2 or more and first from 0 to nth - 1, or nothing is left.")
    return np.equal(np.arange(check_count("n_documents", n_documents)) % nth, first)


def _hold_out(codes: Integers, group_codes: Integers | None, share: float, rng: np.random.Generator) -> Flags:
    if group_codes is not None:
        return _hold_out_groups(group_codes, share, rng)
    shuffled = rng.permutation(len(codes))
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]  # label by label, at random within each
    held_out = np.empty(len(codes), np.bool_)
    # At even distances, so that every stretch, and with it every label, gives its share to within one document.
    held_out[dealt] = np.diff(np.floor(np.arange(len(codes) + 1) * share + 0.5)) > 0
    return held_out


def _hold_out_groups(group_codes: Integers, share: float, rng: np.random.Generator) -> Flags:
    """Groups in random order; a group is held out if it brings the number of documents nearer to the share."""
    sizes = np.bincount(group_codes)
    n_held_out, held_out = 0, np.zeros(len(sizes), np.bool_)
    for group in rng.permutation(np.flatnonzero(sizes)):
        if n_held_out + sizes[group] / 2 <= share * len(group_codes):
            n_held_out, held_out[group] = n_held_out + sizes[group], True
    return held_out[group_codes]


def _encode_groups(groups: Any, n: int) -> Integers | None:
    if groups is None:
        return None
    _, codes = encode_labels(groups)
    if len(codes) != n:
        raise InvalidOption(f"there are {n} documents and {len(codes)} groups: each document needs one.")
    return codes


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 <= value < 1


# Folds


def assign_folds(codes: Integers, folds: int, seed: int = 0) -> Integers:
    """The fold of each document, 0 … folds - 1, stratified: equal sizes and equal numbers of each label, to within one.

    >>> assign_folds(np.array([0, 0, 0, 0, 1, 1]), folds=2)
    array([0, 1, 1, 0, 1, 0])
    """
    _check_folds(folds, len(codes), "documents")
    shuffled = np.random.default_rng(check_seed(seed)).permutation(len(codes))
    return _deal(shuffled[np.argsort(codes[shuffled], kind="stable")], folds)  # label by label, at random within each


def assign_plain_folds(n: int, folds: int, seed: int = 0, *, shuffle: bool = True) -> Integers:
    """The fold of each of n documents, whatever their labels. Without `shuffle` the documents of a fold are neighbours.

    >>> assign_plain_folds(5, folds=2, shuffle=False)
    array([0, 0, 0, 1, 1])
    """
    _check_folds(folds, n, "documents")
    check_seed(seed)
    if not shuffle:
        return np.sort(np.arange(n) % folds)
    return _deal(np.random.default_rng(seed).permutation(n), folds)


def assign_grouped_folds(groups: Any, folds: int, seed: int = 0) -> Integers:
    """The fold of each document. All documents of a group (a person's texts, a thread) are in the same fold.

    The largest group goes first. Each goes to the fold with the fewest documents so far. The seed orders groups of equal size.

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


def _deal(order: Integers, folds: int) -> Integers:
    result = np.empty(len(order), np.int64)
    result[order] = np.arange(len(order)) % folds
    return result


def _check_folds(folds: int, n: int, things: str) -> None:
    if check_count("folds", folds) < 2:
        raise bad_option("folds", "an int >= 2", folds, "each fold is scored by a model trained on the others.")
    if folds > n:
        raise InvalidOption(f"folds={folds} with {n} {things}: some folds would be empty. Use fewer.")

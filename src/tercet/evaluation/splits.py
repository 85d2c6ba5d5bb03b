"""Which documents are held out: train/dev/test splits, every n-th document, and folds for cross-validation."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Flags, Integers
from tercet.counts.labels import Labels, encode_labels
from tercet.errors import InvalidOption, bad_option
from tercet.evaluation.checked_labels import encode_group_column
from tercet.options import check_count, check_seed, is_number

# Splits


@dataclass(frozen=True, eq=False)
class Split:
    """The indices of the documents of each part, ascending."""

    train: Integers
    dev: Integers
    test: Integers


def split_documents(
    labels: Any, *, dev: float = 0.1, test: float = 0.1, seed: int = 0, groups: Any = None, every: int | None = None
) -> Split:
    """Train, dev and test documents. Each part has the labels in proportion; with `groups` each group stays in one part.

    With `every` the test documents are not drawn by their share: they are every n-th document of each label, from the first.

    >>> split = split_documents(["ham"] * 6 + ["spam"] * 4, dev=0.2, test=0.2)
    >>> len(split.train), len(split.dev), len(split.test)
    (6, 2, 2)
    >>> split_documents(["ham"] * 6 + ["spam"] * 4, dev=0.0, every=4).test
    array([0, 4, 6])
    """
    if every is not None and groups is not None:
        raise InvalidOption(
            f"every={every!r} takes documents by their position, and would divide groups: leave one of them out."
        )
    _, codes = encode_labels(labels)
    group_codes = _encode_groups(groups, len(codes))
    rng = np.random.default_rng(check_seed(seed))
    share = test if every is None else 1 / _check_every(every)
    check_shares(dev, share)
    in_test = _hold_out(codes, group_codes, share, rng) if every is None else hold_every_nth_of_labels(codes, every)
    (rest,) = np.nonzero(~in_test)
    in_dev = _hold_out(codes[rest], None if group_codes is None else group_codes[rest], dev / (1 - share), rng)
    return Split(rest[~in_dev], rest[in_dev], np.flatnonzero(in_test))


def hold_every_nth(n_documents: int, nth: int, first: int = 0) -> Flags:
    """Which documents are held out: the first and every n-th after it. Use it if the order of documents means nothing.

    >>> hold_every_nth(5, nth=2)
    array([ True, False,  True, False,  True])
    """
    if check_count("nth", nth) < 2 or not 0 <= first < nth:
        raise InvalidOption(f"nth={nth}, first={first}: nth must be 2 or more and first from 0 to nth - 1, or nothing is left.")
    return np.equal(np.arange(check_count("n_documents", n_documents)) % nth, first)


def hold_every_nth_of_labels(codes: Integers, every: int) -> Flags:
    """Which documents are held out: of each label the first, and every n-th after it.

    >>> hold_every_nth_of_labels(np.array([0, 0, 1, 0, 1]), every=2)
    array([ True, False,  True,  True, False])
    """
    return np.equal(_rank_in_label(codes) % _check_every(every), 0)


def _rank_in_label(codes: Integers) -> Integers:
    """The position of each document among the documents of its label, from 0."""
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    ranks = np.empty(len(codes), np.int64)
    ranks[order] = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return ranks


def _hold_out(codes: Integers, group_codes: Integers | None, share: float, rng: np.random.Generator) -> Flags:
    """Which documents are held out: of each label its share, to within one document if the groups allow it.

    First come groups of several documents. Then single documents fill up what is missing of each label.
    """
    held_out, alone = np.zeros(len(codes), np.bool_), np.ones(len(codes), np.bool_)
    if group_codes is not None:
        alone = np.equal(np.bincount(group_codes)[group_codes], 1)
        held_out[~alone] = _hold_out_groups(codes[~alone], group_codes[~alone], share, rng)
    sizes = np.bincount(codes)
    missing = share * sizes - np.bincount(codes[held_out], minlength=len(sizes))
    # Sums are rounded, not the parts, so that the labels together have their share, too.
    wanted = np.diff(np.floor(np.cumsum(missing) + 0.5), prepend=0)
    shuffled = rng.permutation(np.flatnonzero(alone))
    held_out[shuffled] = _rank_in_label(codes[shuffled]) < wanted[codes[shuffled]]
    return held_out


def _hold_out_groups(codes: Integers, group_codes: Integers, share: float, rng: np.random.Generator) -> Flags:
    """Groups in random order. A group is held out if that brings the documents held out so far nearer to their share.

    The distance is the sum of squares over the labels of the group and over all documents.
    """
    sizes = np.bincount(group_codes)
    n_labels = int(codes.max(initial=0)) + 1
    cells, counts = np.unique(group_codes * n_labels + codes, return_counts=True)
    begins = np.searchsorted(cells, np.arange(len(sizes) + 1) * n_labels)
    n_seen, n_held_out = np.zeros(n_labels + 1), np.zeros(n_labels + 1)  # of each label, and last of all documents
    held_out = np.zeros(len(sizes), np.bool_)
    for group in rng.permutation(np.flatnonzero(sizes)):
        own = slice(begins[group], begins[group + 1])
        indices, n = np.append(cells[own] % n_labels, n_labels), np.append(counts[own], sizes[group])
        n_seen[indices] += n
        # (held out + n - share · seen)² is at most (held out - share · seen)², summed over the indices
        if np.sum(n * (n + 2 * (n_held_out[indices] - share * n_seen[indices]))) <= 0:
            n_held_out[indices] += n
            held_out[group] = True
    return held_out[group_codes]


def _encode_groups(groups: Any, n: int) -> Integers | None:
    if groups is None:
        return None
    _, codes = encode_labels(groups)
    if len(codes) != n:
        raise InvalidOption(f"there are {n} documents and {len(codes)} groups: each document needs one.")
    return codes


def check_shares(dev: float, test: float) -> None:
    if not (_is_share(dev) and _is_share(test) and dev + test < 1):
        raise InvalidOption(
            f"dev={dev!r}, test={test!r} must be shares >= 0.0 that sum to less than 1.0: the rest is for training."
        )


def _check_every(every: int) -> int:
    if check_count("every", every) < 2:
        raise bad_option("every", "an int >= 2", every, "no document would be left to learn from. Try 4.")
    return every


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 <= value < 1


# Folds


def assign_folds(codes: Integers, folds: int, seed: int = 0) -> Integers:
    """The fold of each document, 0 … folds - 1, stratified: equal sizes and equal numbers of each label, to within one.

    >>> assign_folds(np.array([0, 0, 0, 0, 1, 1]), folds=2)
    array([0, 1, 1, 0, 1, 0])
    """
    check_folds(folds, len(codes), "documents")
    shuffled = np.random.default_rng(check_seed(seed)).permutation(len(codes))
    return _deal(shuffled[np.argsort(codes[shuffled], kind="stable")], folds)  # label by label, at random within each


def assign_plain_folds(n: int, folds: int, seed: int = 0, *, shuffle: bool = True) -> Integers:
    """The fold of each of n documents, whatever their labels. Without `shuffle` the documents of a fold are neighbours.

    >>> assign_plain_folds(5, folds=2, shuffle=False)
    array([0, 0, 0, 1, 1])
    """
    check_folds(folds, n, "documents")
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
    check_folds(folds, len(sizes), "groups")
    shuffled = np.random.default_rng(check_seed(seed)).permutation(len(sizes))
    fold_of = np.empty(len(sizes), np.int64)
    fewest = [(0, fold) for fold in range(folds)]
    for group in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        size, fold = fewest[0]
        fold_of[group] = fold
        heapq.heapreplace(fewest, (size + int(sizes[group]), fold))
    return fold_of[codes]


def read_folds(folds: Any, labels: Labels) -> Integers:
    """The fold of each document, 0 … n - 1, from an array of folds, or from a splitter like those of scikit-learn.

    An array has one value for each document, equal for the documents of a fold. A splitter has a method `split(X, y, groups)`
    that gives pairs of training and test positions. Each document must be in one test set, and learned for all others.

    >>> read_folds(["even", "odd", "even"], np.array(["x", "y", "y"]))
    array([0, 1, 0])
    """
    is_splitter = callable(getattr(folds, "split", None)) and not isinstance(folds, str | bytes)
    fold_of = _ask_splitter(folds, labels) if is_splitter else _read_fold_array(folds, len(labels))
    if fold_of.max(initial=0) < 1:
        raise InvalidOption("all documents are in one fold: no document would be left to learn from. Give at least two folds.")
    return fold_of


def _read_fold_array(folds: Any, n: int) -> Integers:
    if isinstance(folds, str | bytes) or not isinstance(folds, Iterable):
        known = "an int >= 2, an array with the fold of each document, or a splitter of scikit-learn"
        raise bad_option("folds", known, folds, "it says which documents are held out together. Try 10.")
    given = folds if hasattr(folds, "__array__") else list(folds)
    if isinstance(given, list) and any(isinstance(fold, tuple | list | np.ndarray) for fold in given):
        raise InvalidOption(
            "folds is a list of lists, such as pairs of training and test positions: give one list with the fold of each "
            "document instead, such as [0, 1, 0, 1], or a splitter of scikit-learn such as KFold(5)."
        )
    values, codes = encode_group_column("folds", given, n)
    if values.dtype.kind in "if" and values[0] < 0:
        missed = int(np.flatnonzero(codes == 0)[0])
        raise InvalidOption(
            f"folds has {values[0]} for document {missed} (counted from 0), so it would never be held out: number the folds "
            "from 0, or leave the document out."
        )
    return codes


def _ask_splitter(splitter: Any, labels: Labels) -> Integers:
    n = len(labels)
    fold_of = np.full(n, -1)
    try:
        pairs = [_read_positions(train, test, n) for train, test in splitter.split(np.zeros((n, 1)), labels, None)]
    except (ValueError, TypeError, AttributeError) as error:  # AttributeError: the class was given, not an instance
        raise InvalidOption(f"folds={splitter!r} can't split these {n} documents: {error}") from error
    for fold, (train, test) in enumerate(pairs):
        if len(twice := test[fold_of[test] >= 0]):
            raise _bad_splitter(splitter, f"tests document {twice[0]} (counted from 0) twice")
        fold_of[test] = fold
        if len(both := np.intersect1d(train, test)):
            raise _bad_splitter(splitter, f"learns document {both[0]} (counted from 0) and tests it in the same fold")
        if len(lost := np.setdiff1d(np.arange(n), np.union1d(train, test))):
            raise _bad_splitter(splitter, f"neither learns nor tests document {lost[0]} (counted from 0) in one of its folds")
    if len(missed := np.flatnonzero(fold_of < 0)):
        raise _bad_splitter(splitter, f"never tests document {missed[0]} (counted from 0)")
    return fold_of


def _read_positions(train: Any, test: Any, n: int) -> tuple[Integers, Integers]:
    """The positions of training and test documents. Raises ValueError unless they are positions of n documents."""
    sides = np.asarray(train), np.asarray(test)
    for side in sides:
        if side.ndim != 1 or (side.size and (side.dtype.kind not in "iu" or side.min() < 0 or side.max() >= n)):
            raise ValueError(f"it must give positions from 0 to {n - 1}, in two lists for each fold.")
    return sides[0].astype(np.int64), sides[1].astype(np.int64)


def _bad_splitter(splitter: Any, fault: str) -> InvalidOption:
    return InvalidOption(
        f"folds={splitter!r} {fault}: each document must be held out once, by a model that has learned all other folds. Use a "
        "splitter such as KFold, or give the fold of each document."
    )


def _deal(order: Integers, folds: int) -> Integers:
    result = np.empty(len(order), np.int64)
    result[order] = np.arange(len(order)) % folds
    return result


def check_folds(folds: int, n: int, things: str) -> None:
    if check_count("folds", folds) < 2:
        raise bad_option("folds", "an int >= 2", folds, "each fold is scored by a model trained on the others.")
    if folds > n:
        raise InvalidOption(f"folds={folds} with {n} {things}: some folds would be empty. Use fewer.")

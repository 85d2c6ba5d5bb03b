"""Documents for training, for choosing and for testing."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Flags, Integers
from tercet.counts.labels import encode_labels
from tercet.errors import InvalidOption, bad_option
from tercet.evaluation.seeds import check_seed, derive_seed
from tercet.options import check_count, is_number


@dataclass(frozen=True, eq=False)
class Split:
    """Places of the documents of each part, ascending."""

    train: Integers
    dev: Integers
    test: Integers


def split_documents(labels: Any, *, dev: float = 0.1, test: float = 0.1, seed: int = 0, groups: Any = None) -> Split:
    """Train, dev and test, each label's share in each as in all; with `groups` each group is in one part whole.

    >>> split = split_documents(["ham"] * 6 + ["spam"] * 4, dev=0.2, test=0.2)
    >>> len(split.train), len(split.dev), len(split.test)
    (6, 2, 2)
    """
    if not (_is_share(dev) and _is_share(test) and dev + test < 1):
        raise InvalidOption(f"dev={dev!r}, test={test!r} must be shares from 0.0, below 1.0 together: the rest is learned.")
    _, codes = encode_labels(labels)
    units = _encode_groups(groups, len(codes))
    rng = np.random.default_rng(check_seed(seed))
    tested = _hold_out(codes, units, test, rng)
    (rest,) = np.nonzero(~tested)
    chosen = _hold_out(codes[rest], None if units is None else units[rest], dev / (1 - test), rng)
    return Split(rest[~chosen], rest[chosen], np.flatnonzero(tested))


def draw_splits(labels: Any, repeats: int, *, test: float = 0.1, seed: int = 0, groups: Any = None) -> Flags:
    """Which documents are held out, repeats × documents, drawn anew each time; labels in proportion, or groups whole.

    >>> draw_splits(["ham"] * 6 + ["spam"] * 4, repeats=3, test=0.2).sum(axis=1)
    array([2, 2, 2])
    """
    if not (_is_share(test) and test > 0):
        raise bad_option("test", "a share between 0.0 and 1.0", test, "some are held out, and the rest is to learn from.")
    _, codes = encode_labels(labels)
    units = _encode_groups(groups, len(codes))
    seeds = [derive_seed(seed, place) for place in range(check_count("repeats", repeats))]
    return np.stack([_hold_out(codes, units, test, np.random.default_rng(own)) for own in seeds])


def hold_every_nth(n_documents: int, nth: int, first: int = 0) -> Flags:
    """Which documents are held out: the first and each n-th after it. Nothing is drawn, so it suits documents without order.

    >>> hold_every_nth(5, nth=2)
    array([ True, False,  True, False,  True])
    """
    if check_count("nth", nth) < 2 or not 0 <= first < nth:
        raise InvalidOption(f"nth={nth}, first={first}: nth must be 2 or more, first one of 0 … nth - 1, or nothing is left.")
    return np.equal(np.arange(check_count("n_documents", n_documents)) % nth, first)


def _hold_out(codes: Integers, units: Integers | None, share: float, rng: np.random.Generator) -> Flags:
    if units is not None:
        return _hold_out_groups(units, share, rng)
    shuffled = rng.permutation(len(codes))
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]  # label by label, at random within each
    held = np.empty(len(codes), np.bool_)
    # At even distances, so that each stretch, and with it each label, gives its share to within one document.
    held[dealt] = np.diff(np.floor(np.arange(len(codes) + 1) * share + 0.5)) > 0
    return held


def _hold_out_groups(units: Integers, share: float, rng: np.random.Generator) -> Flags:
    """Groups in random order, each that brings the number of documents nearer to the share."""
    sizes = np.bincount(units)
    n_held, held = 0, np.zeros(len(sizes), np.bool_)
    for group in rng.permutation(np.flatnonzero(sizes)):
        if n_held + sizes[group] / 2 <= share * len(units):
            n_held, held[group] = n_held + sizes[group], True
    return held[units]


def _encode_groups(groups: Any, n: int) -> Integers | None:
    if groups is None:
        return None
    _, units = encode_labels(groups)
    if len(units) != n:
        raise InvalidOption(f"there are {n} documents and {len(units)} groups: each document needs one.")
    return units


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 <= value < 1

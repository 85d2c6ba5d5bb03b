"""Counts of n-grams → rows: for each n-gram, how surprising its last symbol is in each language.

Each language has a model of its letters: P(x | h) = (c(hx) - D) / c(h) + D · n(h) / c(h) · P(x | h without its first symbol),
where n(h) is the number of different symbols that follow h (absolute discounting). The row of an n-gram hx has
-log P(x | h) of every language. A text is read with the row of the longest n-gram that is in the table, letter by letter, so
one row for each letter is added. Rows that differ little from the row of the n-gram without its first symbol are left out.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.languages.ngram_counts import Alphabet, Keys, NgramCounts, OrderCounts

DISCOUNT = 0.75
AVERAGE_SHARE = 0.01  # of the average language in the shares of letters, so that no letter is impossible
AVERAGE_LETTERS = 200  # the same in letters, at least: few letters say little about a language
UNIT = 32  # of a cost, in parts of a nat
MAX_COST = 200  # no letter counts more than this against a language
SURPRISE_UNIT = 16
FREQUENCY_POWER = 0.7  # the frequency of an n-gram matters less than in proportion: texts are not like the sources

Shares = npt.NDArray[np.float32]  # n-grams × labels


class NgramRows(NamedTuple):
    """N-grams in rising order. The cost of each for each label, above that of the best label; and the surprise of that one."""

    keys: Keys
    costs: npt.NDArray[np.uint8]
    surprise: npt.NDArray[np.uint8]


class OrderRows(NamedTuple):
    """N-grams of one order: P(last symbol | others), and the share of the n-gram in the text, for each label."""

    keys: Keys
    likelihood: Shares
    shares: Shares


def make_rows(
    counts: Sequence[NgramCounts], alphabet: Alphabet, order: int, fewest: float, sizes: Sequence[int]
) -> list[NgramRows]:
    """Rows for n-grams up to this order: for each size, so many rows at most, the most important ones.

    All single symbols are among them. N-grams that are rarer than `fewest` in every language are not considered.
    """
    orders = estimate_orders(counts, alphabet, order, fewest)
    importance = [np.full(len(orders[0].keys), np.inf)]
    importance += [weigh_rows(longer, shorter, alphabet) for shorter, longer in pairwise(orders)]
    keys, weights = np.concatenate([each.keys for each in orders]), np.concatenate(importance)
    ranked = np.lexsort((keys, -weights))  # equal weights in the order of keys, so that equal counts give equal rows
    likelihood = np.concatenate([each.likelihood for each in orders])
    return [quantize(keys[ranked[:n_rows]], likelihood[ranked[:n_rows]]) for n_rows in sizes]


def estimate_orders(counts: Sequence[NgramCounts], alphabet: Alphabet, order: int, fewest: float) -> list[OrderRows]:
    totals = [max(int(label[1].counts.sum()), 1) for label in counts]
    orders = [estimate_letters(counts, totals)]
    for n in range(2, order + 1):
        keys = choose_ngrams(counts, totals, n, fewest, orders[-1].keys, alphabet.n_bits)
        if not len(keys):
            break
        orders.append(estimate_order(counts, totals, n, keys, orders[-1], alphabet.n_bits))
    return orders


def estimate_letters(counts: Sequence[NgramCounts], totals: Sequence[int]) -> OrderRows:
    """The shares of single symbols, mixed with those of the average language."""
    keys = np.unique(np.concatenate([label[1].keys for label in counts]))
    shares = np.stack([label[1].look_up(keys) / total for label, total in zip(counts, totals, strict=True)], axis=1)
    average = shares.mean(axis=1, keepdims=True) + 1e-7
    pseudo = np.array([max(AVERAGE_LETTERS, AVERAGE_SHARE * total) for total in totals])
    likelihood = (shares * totals + pseudo * average) / (np.array(totals) + pseudo)
    return OrderRows(keys, likelihood.astype(np.float32), shares.astype(np.float32))


def choose_ngrams(
    counts: Sequence[NgramCounts], totals: Sequence[int], n: int, fewest: float, shorter: Keys, n_bits: int
) -> Keys:
    """The n-grams that are frequent enough in some language, and whose last n - 1 symbols are among `shorter`."""
    frequent = [
        label[n].keys[label[n].counts > fewest * total] for label, total in zip(counts, totals, strict=True) if n in label
    ]
    keys = np.unique(np.concatenate(frequent)) if frequent else np.zeros(0, np.uint64)
    return keys[np.isin(drop_first(keys, n, n_bits), shorter)]


def drop_first(keys: Keys, n: int, n_bits: int) -> Keys:
    """The n-grams without their first symbol."""
    return keys & np.uint64((1 << n_bits * (n - 1)) - 1)


def estimate_order(
    counts: Sequence[NgramCounts], totals: Sequence[int], n: int, keys: Keys, shorter: OrderRows, n_bits: int
) -> OrderRows:
    indices = np.searchsorted(shorter.keys, drop_first(keys, n, n_bits))
    contexts = keys >> np.uint64(n_bits)
    likelihood = np.empty((len(keys), len(counts)), np.float32)
    shares = np.empty((len(keys), len(counts)), np.float32)
    for i, (label, total) in enumerate(zip(counts, totals, strict=True)):
        own = label.get(n, OrderCounts(np.zeros(0, np.uint64), np.zeros(0, np.int64)))
        sums, kinds = own.sum_contexts(n_bits)
        found, times = own.look_up(keys), np.maximum(sums.look_up(contexts), 1)
        back = np.where(sums.look_up(contexts) > 0, DISCOUNT * kinds.look_up(contexts) / times, 1.0)
        likelihood[:, i] = np.maximum(found - DISCOUNT, 0) / times + back * shorter.likelihood[indices, i]
        shares[:, i] = found / total
    return OrderRows(keys, likelihood, shares)


def weigh_rows(order: OrderRows, shorter: OrderRows, alphabet: Alphabet) -> Floats:
    """How much is lost if the row of an n-gram is replaced by that of the n-gram without its first symbol.

    The change of each label, above the mean change of all, times how often the label has the n-gram.
    """
    n = derive_order(order.keys, alphabet.n_bits)
    indices = np.searchsorted(shorter.keys, drop_first(order.keys, n, alphabet.n_bits))
    change = compare_labels(order.likelihood)
    change -= compare_labels(shorter.likelihood)[indices]
    change -= change.mean(axis=1, keepdims=True)
    np.abs(change, out=change)
    change *= order.shares**FREQUENCY_POWER
    return np.asarray(change.sum(axis=1, dtype=np.float64))


def derive_order(keys: Keys, n_bits: int) -> int:
    """The number of symbols of n-grams that have one order."""
    return -(-int(keys[0]).bit_length() // n_bits)


def compare_labels(likelihood: Shares) -> Shares:
    """log P of each label below that of the best label, no lower than the highest cost."""
    logs = np.log(likelihood)
    logs -= logs.max(axis=1, keepdims=True)
    return np.maximum(logs, np.float32(-MAX_COST / UNIT))


def quantize(keys: Keys, likelihood: Shares) -> NgramRows:
    best = likelihood.max(axis=1)
    costs = np.rint(-UNIT * compare_labels(likelihood)).astype(np.uint8)
    surprise = np.minimum(np.rint(-SURPRISE_UNIT * np.log(best)), 255).astype(np.uint8)
    order = np.argsort(keys)
    return NgramRows(keys[order], costs[order], surprise[order])

"""How often each n-gram of letters occurs in the words of a language.

A word is a run of letters between two boundaries: `_wort_`. N-grams do not cross a boundary, and have it as their first or
last symbol only. Symbols are small numbers, so an n-gram is one integer: `n_bits` for each symbol, the last symbol lowest.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Integers
from tercet.languages.writing_systems import find_system, fold_case

Keys = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.uint32]  # codes of characters

BOUNDARY, OTHER, FIRST_LETTER = 1, 2, 3  # symbols; OTHER is any letter that is not in the alphabet
KEY_BITS = 40


def count_bits(order: int) -> int:
    """The bits of a symbol, if n-grams of this order fit into a key."""
    return min(16, KEY_BITS // order)


class Alphabet(NamedTuple):
    """The letters of a writing system that have symbols of their own, in order."""

    system: str
    letters: tuple[int, ...]  # codes of characters
    order: int  # of the longest n-grams

    @property
    def n_bits(self) -> int:
        return count_bits(self.order)

    def encode(self, codes: Codes) -> Keys:
        """The symbol of each character, which must be a small letter."""
        letters = np.array(self.letters, np.uint32)
        indices = np.minimum(np.searchsorted(letters, codes), len(letters) - 1)
        return np.where(letters[indices] == codes, indices + FIRST_LETTER, OTHER).astype(np.uint64)


def choose_alphabet(system: str, unigrams: Iterable[Mapping[int, float]], order: int) -> Alphabet:
    """The letters that are most frequent in any language, as many as there are symbols for.

    `unigrams` has the share of each letter, for each language.
    """
    shares: dict[int, float] = {}
    for language in unigrams:
        for code, share in language.items():
            shares[code] = max(share, shares.get(code, 0))
    room = (1 << count_bits(order)) - FIRST_LETTER
    chosen = sorted(shares, key=lambda code: (-shares[code], code))[:room]
    return Alphabet(system, tuple(sorted(chosen)), order)


class OrderCounts(NamedTuple):
    """N-grams of one order, in rising order, and how often each occurs."""

    keys: Keys
    counts: Integers

    @classmethod
    def of(cls, keys: Keys, counts: Integers) -> "OrderCounts":
        """Add up the counts of equal n-grams, and leave out those with count 0."""
        if not len(keys):
            return cls(keys, counts)
        order = np.argsort(keys, kind="stable")  # radix sort
        ordered = keys[order]
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        added = np.add.reduceat(counts[order], starts)
        return cls(ordered[starts][added > 0], added[added > 0])

    def look_up(self, keys: Keys) -> Integers:
        """The counts of these n-grams; 0 for those that are missing."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        indices = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[indices] == keys, self.counts[indices], 0)

    def sum_contexts(self, n_bits: int) -> tuple["OrderCounts", "OrderCounts"]:
        """For each n-gram without its last symbol: how often one follows, and how many different ones do."""
        contexts = self.keys >> np.uint64(n_bits)
        starts = np.flatnonzero(np.r_[True, contexts[1:] != contexts[:-1]]) if len(contexts) else np.zeros(0, np.int64)
        sums = np.add.reduceat(self.counts, starts) if len(starts) else np.zeros(0, np.int64)
        return OrderCounts(contexts[starts], sums), OrderCounts(contexts[starts], np.diff(np.r_[starts, len(contexts)]))


NgramCounts = dict[int, OrderCounts]  # by order


def pack_symbols(symbols: Keys, n_bits: int) -> Keys:
    """Rows of symbols as integers."""
    keys = np.zeros(len(symbols), np.uint64)
    for column in symbols.T:
        keys = keys << np.uint64(n_bits) | column
    return keys


def split_words(text: str) -> list[str]:
    """The words of a text in small letters. A run of letters of one writing system is a word.

    >>> split_words("L'été: 3 Wörter, мир2")
    ['l', 'été', 'wörter', 'мир']
    """
    words, last = [""], ""
    for character in text:
        system = find_system(character)
        if system != last:
            words.append("")
        words[-1] += fold_case(character) if system else ""
        last = system
    return [word for word in words if word]


def count_texts(texts: Iterable[str], alphabet: Alphabet) -> NgramCounts:
    """Count the n-grams of the words of texts that are written in this alphabet."""
    return count_words([word for text in texts for word in split_words(text)], alphabet)


def count_words(words: Iterable[str], alphabet: Alphabet) -> NgramCounts:
    """Count the n-grams of words that are written in this alphabet.

    >>> counts = count_words(["aba"], Alphabet("LATIN", (97, 98), 5))
    >>> {n: dict(zip(found.keys.tolist(), found.counts.tolist())) for n, found in counts.items() if n < 3}
    {1: {1: 1, 3: 2, 4: 1}, 2: {259: 1, 769: 1, 772: 1, 1027: 1}}
    """
    words = [word for word in words if find_system(word[0]) == alphabet.system]
    codes = np.array([ord(c) for word in words for c in f" {word} "], np.uint32)
    symbols = np.where(codes == ord(" "), np.uint64(BOUNDARY), alphabet.encode(codes))
    starts = np.zeros(len(codes), bool)  # the boundary before a word is not read alone
    starts[np.cumsum([0, *(len(word) + 2 for word in words)])[:-1]] = True
    number = np.cumsum(starts)  # the number of the word that a symbol is in
    found: NgramCounts = {}
    for n in range(1, alphabet.order + 1):
        starting = np.arange(max(0, len(symbols) - n + 1))
        inside = starting[number[starting] == number[starting + n - 1]] if n > 1 else starting[~starts]
        keys = pack_symbols(symbols[inside[:, None] + np.arange(n)], alphabet.n_bits)
        found[n] = OrderCounts.of(keys, np.ones(len(keys), np.int64))
    return found if alphabet.order > 1 else {1: drop_boundary(found[1])}


def drop_boundary(letters: OrderCounts) -> OrderCounts:
    """Single letters only. Where words are not written apart, a boundary says nothing."""
    return OrderCounts(letters.keys[letters.keys != BOUNDARY], letters.counts[letters.keys != BOUNDARY])


def add_counts(parts: Iterable[NgramCounts]) -> NgramCounts:
    """The sum of several counts of one alphabet."""
    listed = list(parts)
    if len(listed) == 1:
        return listed[0]
    orders = sorted({n for part in listed for n in part})
    return {
        n: OrderCounts.of(
            np.concatenate([part[n].keys for part in listed if n in part]),
            np.concatenate([part[n].counts for part in listed if n in part]),
        )
        for n in orders
    }


def mark_boundaries(letters: NgramCounts, n_bits: int) -> NgramCounts:
    """Counts of n-grams with the boundaries of words, from counts of n-grams of letters alone.

    An n-gram that nothing follows ends a word: count(g_) = count(g) - Σ count(gx), and count(_g) = count(g) - Σ count(xg).
    This is exact for n-grams up to the highest order that was counted. Whole words are found in the same way.
    """
    bits, mark = np.uint64(n_bits), np.uint64(BOUNDARY)
    parts: dict[int, list[OrderCounts]] = {n: [counts] for n, counts in letters.items()}
    highest = max(letters)
    beginnings: NgramCounts = {}
    for n in range(1, highest):
        shorter, longer = letters[n], letters[n + 1]
        later = OrderCounts.of(longer.keys & np.uint64((1 << n_bits * n) - 1), longer.counts)
        earlier, _ = longer.sum_contexts(n_bits)
        beginnings[n] = OrderCounts.of(
            shorter.keys | mark << np.uint64(n_bits * n), shorter.counts - later.look_up(shorter.keys)
        )
        ends = OrderCounts.of(shorter.keys << bits | mark, shorter.counts - earlier.look_up(shorter.keys))
        parts[n + 1] += [beginnings[n], ends]
    for n in range(1, highest - 1):
        begun, continued = beginnings[n], beginnings[n + 1].sum_contexts(n_bits)[0]
        parts[n + 2].append(OrderCounts.of(begun.keys << bits | mark, begun.counts - continued.look_up(begun.keys)))
    if highest > 1:
        parts[1].append(OrderCounts(np.array([BOUNDARY], np.uint64), np.array([beginnings[1].counts.sum()])))
    return {n: OrderCounts.of(*map(np.concatenate, zip(*found, strict=True))) for n, found in parts.items()}

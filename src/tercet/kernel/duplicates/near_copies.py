"""Pairs of texts that are nearly equal: the Jaccard similarity of their sets of shingles is at least a threshold.

The first text of equal words stands for all its copies. Candidates are found by MinHash: in each band, texts with the same
three smallest hashes are in one bucket, and the similarity of candidates is computed exactly.

Two bounds keep time and memory proportional to the texts. In a bucket, which is sorted at random, a text is compared with the
next REACH texts. Two texts that both have ENOUGH near copies from earlier bands are not compared.
"""

from collections import Counter
from itertools import groupby
from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import make_array
from tercet.kernel.base.documents import Texts
from tercet.kernel.duplicates.shingles import mix_bits, read_shingles

N_ROWS, REACH, ENOUGH = 3, 16, 16


class Distinct(NamedTuple):
    """A text with shingles, the first of its copies."""

    position: int
    shingles: frozenset[int]
    fingerprint: int


class NearCopyFinder:
    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._known: dict[tuple[int, int], int] = {}  # the position of the first text of each fingerprint
        self._texts: list[Distinct] = []
        self._links: set[tuple[int, int]] = set()

    def add(self, texts: Texts, threads: int = 1) -> None:
        for text in texts.texts:
            fingerprint, shingles = read_shingles(text)
            position = len(self._firsts)
            self._firsts.append(self._known.setdefault(fingerprint, position))
            if self._firsts[-1] == position and shingles:
                self._texts.append(Distinct(position, shingles, fingerprint[0]))

    def compare(self, band: int, threshold: float, threads: int = 1) -> None:
        """Compare the texts that are in one bucket of this band."""
        keys = [find_bucket(text.shingles, band) for text in self._texts]
        order = [mix_bits(text.fingerprint ^ salt(band)) for text in self._texts]
        members = sorted(range(len(self._texts)), key=lambda i: (keys[i], order[i], i))
        n_links = Counter(text for link in self._links for text in link)
        for _, group in groupby(members, key=lambda i: keys[i]):
            bucket = list(group)
            for place, a in enumerate(bucket):
                for b in bucket[place + 1 : place + 1 + REACH]:
                    is_full = n_links[a] >= ENOUGH and n_links[b] >= ENOUGH
                    if not is_full and jaccard(self._texts[a].shingles, self._texts[b].shingles) >= threshold:
                        self._links.add((min(a, b), max(a, b)))

    def firsts(self) -> Integers:
        """The position of the first text with the same words, for each text."""
        return make_array(self._firsts)

    def pairs(self, threads: int = 1) -> tuple[Integers, Floats]:
        """The positions (pairs × 2) and the similarities of the pairs that were found, in order.

        A copy has one pair: with the first text of the same words.
        """
        found = {(first, i): 1.0 for i, first in enumerate(self._firsts) if first != i}
        for a, b in self._links:
            left, right = self._texts[a], self._texts[b]
            found[left.position, right.position] = jaccard(left.shingles, right.shingles)
        pairs = sorted(found)
        return np.array(pairs, np.int64).reshape(-1, 2), np.array([found[pair] for pair in pairs], np.float64)


def jaccard(a: frozenset[int], b: frozenset[int]) -> float:
    return len(a & b) / len(a | b)


def find_bucket(shingles: frozenset[int], band: int) -> int:
    bucket = 0
    for row in range(band * N_ROWS, (band + 1) * N_ROWS):
        bucket = mix_bits(bucket ^ min(mix_bits(shingle ^ salt(row)) for shingle in shingles))
    return bucket


def salt(number: int) -> int:
    return mix_bits(mix_bits(number))

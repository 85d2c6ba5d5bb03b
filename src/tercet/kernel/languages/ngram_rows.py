"""Words → costs of languages: for each letter, the row of the longest known n-gram that ends there is added.

An n-gram is an integer of at most 40 bits, its last symbol lowest. The row has a cost for each label, 0 for the best one, and
the surprise is the cost of that one. A letter that is in no known n-gram, alone or not, counts for nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tercet.arrays import Integers
from tercet.kernel.languages.letters import Word

BOUNDARY = 1


@dataclass
class LanguageCosts:
    """What was added up for one text, or for a part of it."""

    costs: Integers  # of each label of the writing system
    surprise: int = 0
    n_events: int = field(default=0)  # letters and ends of words that a row was found for


class NgramTable:
    def __init__(
        self,
        n_bits: int,
        order: int,
        keys: npt.NDArray[np.uint64],
        costs: npt.NDArray[np.uint8],
        surprise: npt.NDArray[np.uint8],
    ) -> None:
        if not 0 < n_bits <= 16 or order < 1 or n_bits * order > 40:
            raise ValueError("the n-grams are too long")
        if len(keys) >= 1 << 24:
            raise ValueError("there are too many n-grams")
        listed = keys.tolist()
        if listed != sorted(set(listed)) or any(not 0 < key < 1 << n_bits * order for key in listed):
            raise ValueError("the n-grams are not in order")
        self.n_bits, self._order = n_bits, order
        self._rows = {key: row for row, key in enumerate(listed)}
        self._costs, self._surprise = costs.astype(np.int64), surprise.tolist()

    @property
    def n_labels(self) -> int:
        return int(self._costs.shape[1])

    def add_words(self, words: Iterable[Word]) -> LanguageCosts:
        total = LanguageCosts(np.zeros(self.n_labels, np.int64))
        for word in words:
            symbols = (BOUNDARY, *word.symbols, BOUNDARY)
            for end in range(2, len(symbols) + 1):
                self._add_row(symbols[max(0, end - self._order) : end], total)
        return total

    def _add_row(self, symbols: tuple[int, ...], total: LanguageCosts) -> None:
        for begin in range(len(symbols)):
            key = 0
            for symbol in symbols[begin:]:
                key = key << self.n_bits | symbol
            row = self._rows.get(key)
            if row is not None:
                total.costs += self._costs[row]
                total.surprise += self._surprise[row]
                total.n_events += 1
                return

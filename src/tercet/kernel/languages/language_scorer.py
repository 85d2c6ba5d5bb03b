"""Text → the writing system of most of its letters, and the cost of each language that is written in it."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tercet.arrays import Integers
from tercet.kernel.base.documents import Texts
from tercet.kernel.languages.letters import LetterTable, Word, read_words
from tercet.kernel.languages.ngram_rows import NgramTable

NO_SYSTEM = 0
Allowed = npt.NDArray[np.uint8]  # 1 for each label that may be answered
System = tuple[
    int, int, int, Integers, npt.NDArray[np.uint64], npt.NDArray[np.uint8], npt.NDArray[np.uint8]
]  # n_bits, order, weight, labels, keys, costs, surprise


class LanguageScorer:
    """Letters of system s + 1 belong to systems[s]. Letters of higher systems have no language here."""

    def __init__(self, letters: npt.NDArray[np.uint32], systems: Sequence[System], n_labels: int) -> None:
        if letters.shape[1] != 4:
            raise ValueError("a run of letters has four numbers")
        if len(systems) >= 255:
            raise ValueError("there are too many writing systems")
        self.letters, self.n_labels = LetterTable(letters), n_labels
        self.tables: list[NgramTable] = []
        self.labels: list[list[int]] = []
        self._weights: list[int] = []
        for number, (n_bits, order, weight, labels, keys, costs, surprise) in enumerate(systems, 1):
            if not len(keys) == len(costs) == len(surprise):
                raise ValueError("each n-gram needs a row")
            if len(labels) != costs.shape[1]:
                raise ValueError("each column needs a label")
            if any(not 0 <= label < n_labels for label in labels.tolist()):
                raise IndexError("there is no such label")
            self.tables.append(NgramTable(n_bits, order, keys, costs, surprise))
            if self.letters.highest.get(number, 0) >> n_bits:
                raise ValueError("a symbol has too many bits")
            self.labels.append(labels.tolist())
            self._weights.append(weight)
        self.system_of_label = {label: s for s, labels in enumerate(self.labels, 1) for label in labels}
        if len(self.system_of_label) < sum(map(len, self.labels)):
            raise ValueError("each label needs one column")

    def find_weight(self, system: int) -> int:
        """The weight of a letter of a writing system."""
        return self._weights[system - 1] if system <= len(self._weights) else 1

    def has_label(self, system: int, allowed: Allowed) -> bool:
        return 0 < system <= len(self.labels) and any(allowed[label] for label in self.labels[system - 1])

    def choose_system(self, words: Sequence[Word], allowed: Allowed, *, forced: bool) -> int:
        """The system with the most letters, by their weights, the first of equals.

        With `forced`, only systems with an allowed language.
        """
        counts: Counter[int] = Counter()
        for word in words:
            counts[word.system] += self.find_weight(word.system) * len(word.symbols)
        systems = [s for s in sorted(counts) if counts[s] and (not forced or self.has_label(s, allowed))]
        return max(systems, key=counts.__getitem__) if systems else NO_SYSTEM

    def score(self, texts: Texts, threads: int = 1) -> tuple[Integers, Integers, Integers, Integers]:
        """The writing system, the letters and ends of words, the surprise, and the costs of its labels (else -1)."""
        n = len(texts.texts)
        systems, events, surprise = (np.zeros(n, np.int64) for _ in range(3))
        costs = np.full((n, self.n_labels), -1, np.int64)
        every = np.ones(self.n_labels, np.uint8)
        for i, text in enumerate(texts.texts):
            words, _ = read_words(text, self.letters)
            system = self.choose_system(words, every, forced=False)
            if self.has_label(system, every):
                total = self.tables[system - 1].add_words(word for word in words if word.system == system)
                systems[i], events[i], surprise[i] = system, total.n_events, total.surprise
                costs[i, self.labels[system - 1]] = total.costs
        return systems, events, surprise, costs

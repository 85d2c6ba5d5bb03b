"""Mixed text → its parts, each in one language.

Each word has a cost in each language. A change of the language costs as much as a few letters, and the sequence of languages
with the lowest sum is found by dynamic programming over the words.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from tercet.kernel.languages.language_scorer import Allowed, LanguageScorer
from tercet.kernel.languages.letters import Word

FOREIGN_COST = 4 * 32.0  # of a letter in a language with another writing system


class Segment(NamedTuple):
    """Words beside each other, and the writing system of their language."""

    words: list[Word]
    system: int


def split_words(words: Sequence[Word], scorer: LanguageScorer, allowed: Allowed, switch_cost: float) -> list[Segment]:
    """The segments with the lowest sum of costs. Of equal sums, the one without a change, or with the first label."""
    words = [word for word in words if scorer.has_label(word.system, allowed)]
    used = {word.system for word in words}
    labels = [label for label in range(scorer.n_labels) if allowed[label] and scorer.system_of_label.get(label, 0) in used]
    costs, path = [0.0] * len(labels), []
    for number, word in enumerate(words):
        best = min(range(len(labels)), key=costs.__getitem__)
        changed = costs[best] + switch_cost
        changes = [number > 0 and changed < cost for cost in costs]
        own = cost_word(word, scorer, labels)
        costs = [(changed if change else cost) + add for change, cost, add in zip(changes, costs, own, strict=True)]
        path.append((best, changes))
    found: list[int] = []
    label = min(range(len(labels)), key=costs.__getitem__) if labels else 0
    for best, changes in reversed(path):
        found.append(label)
        label = best if changes[label] else label
    runs = groupby(zip(words, reversed(found), strict=True), key=lambda pair: pair[1])
    return [Segment([word for word, _ in run], scorer.system_of_label[labels[label]]) for label, run in runs]


def cost_word(word: Word, scorer: LanguageScorer, labels: Sequence[int]) -> list[float]:
    """The cost of a word in each language."""
    total = scorer.tables[word.system - 1].add_words([word])
    own = dict(zip(scorer.labels[word.system - 1], total.costs.tolist(), strict=True))
    return [float(own.get(label, FOREIGN_COST * len(word.symbols))) for label in labels]

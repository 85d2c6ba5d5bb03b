"""How much the texts of a table say about another column: much about a label, little about an age group."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

MOST_TEXTS = 400
MOST_CHARACTERS = 400  # of a text
WORD = re.compile(r"\w+")


def measure_agreement(texts: Sequence[str], labels: Sequence[str]) -> float:
    """By how many standard errors the labels that the words predict agree with the given ones better than by chance.

    Each half of the rows is predicted by the other half, by naive Bayes without a prior. It is about 0 if texts and labels
    have nothing to do with each other, and 0 if there is nothing to compare. Rows without a text or a label are left out.

    >>> texts = ["so good", "good film", "bad film", "so bad"] * 10
    >>> round(measure_agreement(texts, ["+", "+", "-", "-"] * 10), 1)
    6.3
    >>> measure_agreement(texts[:39], ["a", "b", "c"] * 13) < 2
    True
    """
    rows = [(text, label) for text, label in zip(texts, labels, strict=True) if text and label]
    rows = rows[:: max(1, math.ceil(len(rows) / MOST_TEXTS))]
    found = [(list(dict.fromkeys(WORD.findall(text[:MOST_CHARACTERS].casefold()))), label) for text, label in rows]
    # Neighbours often belong together, and rows may alternate: the halves are blocks of three rows.
    halves = [[row for place, row in enumerate(found) if place // 3 % 2 == half] for half in (0, 1)]
    pairs = [pair for half in (0, 1) for pair in _predict(halves[1 - half], halves[half])]
    n = len(pairs)
    given, predicted = Counter(label for label, _ in pairs), Counter(label for _, label in pairs)
    by_chance = sum(given[label] * predicted[label] for label in given) / max(n, 1) ** 2
    agreed = sum(label == other for label, other in pairs)
    return (agreed - n * by_chance) / math.sqrt(n * by_chance * (1 - by_chance)) if 0 < by_chance < 1 else 0.0


def _predict(learned: Sequence[tuple[list[str], str]], asked: Sequence[tuple[list[str], str]]) -> list[tuple[str, str]]:
    """The given and the predicted label of each row that is asked for."""
    totals = Counter(label for _, label in learned)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for words, label in learned:
        for word in words:
            counts[word][label] += 1
    logs = {label: math.log(n + 2) for label, n in totals.items()}
    pairs = []
    for words, label in asked:
        known = [counts[word] for word in words if word in counts]
        scores = {other: -len(known) * log for other, log in logs.items()}
        for seen in known:
            for other, n in seen.items():  # log(0 + 1) is 0 for all others
                scores[other] += math.log(n + 1)
        if scores:
            pairs.append((label, max(scores, key=lambda other: (scores[other], other))))
    return pairs

"""The order in which texts are labelled: first some that are spread over the pool, then those that the model finds hardest."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tercet.arrays import Flags, Floats
from tercet.categorizer.suggestion.clusters import Clusters

N_FIRST = 20  # texts that are labelled before the model has a say
ALIKE = 0.75  # the share of common words of near copies
MAX_CHARACTERS = 2000  # of a text whose words are compared
MAX_COMPARED = 20  # texts that are compared for each that is chosen
WORD = re.compile(r"\w+")


def choose_spread(clusters: Clusters, is_free: Flags, n: int) -> list[int]:
    """The indices of n free texts from as many groups as possible, or fewer if fewer are free.

    The next text is always from the group of which the fewest texts are taken, the largest of these groups. It is the free text
    that is nearest to the centre. Texts that are not free count as taken.

    >>> clusters = Clusters(np.array([0, 0, 0, 1, 1]), np.array([0.3, 0.1, 0.2, 0.5, 0.4]))
    >>> choose_spread(clusters, np.array([True, True, True, True, False]), 3)
    [1, 2, 3]
    """
    sizes = np.bincount(clusters.codes)
    n_taken = np.bincount(clusters.codes, ~is_free, len(sizes)).astype(np.int64)
    nearest = np.lexsort((np.arange(len(is_free)), clusters.distances))
    waiting = {code: iter(nearest[is_free[nearest] & (clusters.codes[nearest] == code)].tolist()) for code in range(len(sizes))}
    chosen: list[int] = []
    while waiting and len(chosen) < n:
        code = min(waiting, key=lambda code: (n_taken[code], -sizes[code], code))
        index = next(waiting[code], None)
        if index is None:
            del waiting[code]
            continue
        chosen.append(index)
        n_taken[code] += 1
    return chosen


def choose_hardest(margins: Floats | Sequence[float], texts: Sequence[str], recent: Sequence[str], n: int) -> list[int]:
    """The indices of the n texts with the smallest margins; ties go to the first.

    A model that is not trained after each label would suggest one near copy after another. So a text comes last if most of its
    words are those of a text before it, or of a recent one.

    >>> choose_hardest([0.8, 0.1, 0.2], ["so good", "good and bad", "bad and good"], [], 2)
    [1, 0]
    """
    ranked = np.argsort(np.asarray(margins, np.float64), kind="stable").tolist()
    seen = [list_words(text) for text in recent]
    chosen: list[int] = []
    for index in ranked[: MAX_COMPARED * n]:
        own = list_words(texts[index])
        if len(chosen) < n and not any(are_alike(own, other) for other in seen):
            chosen.append(index)
            seen.append(own)
    return list(dict.fromkeys((*chosen, *ranked)))[:n]


def list_words(text: str) -> frozenset[str]:
    """The different words at the beginning of a text."""
    return frozenset(WORD.findall(text[:MAX_CHARACTERS].casefold()))


def are_alike(some: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two texts have most of their words in common.

    >>> are_alike(frozenset("abcd"), frozenset("abcde")), are_alike(frozenset("abcd"), frozenset("abce"))
    (True, False)
    """
    return bool(some) and len(some & others) >= ALIKE * len(some | others)


def measure_margins(probabilities: Floats) -> Floats:
    """The difference between the two best probabilities of each text.

    >>> measure_margins(np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]))
    array([0.25, 1.  ])
    """
    second, best = np.partition(probabilities, -2, axis=1)[:, -2:].T
    return np.asarray(best - second, np.float64)


def knows_enough(model: Any) -> bool:
    """Whether a model can say which texts are hard: it has two labels, and has learned N_FIRST documents.

    >>> from tercet import Categorizer
    >>> knows_enough(Categorizer().fit(["so good", "so bad"], ["+", "-"]))
    False
    """
    if model is None or len(model.classes_) < 2:
        return False
    table = getattr(model, "table_", None)  # a compact model has none, and was worth to be kept
    return table is None or float(table.n_documents.sum()) >= N_FIRST

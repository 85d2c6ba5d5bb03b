"""The words of a pool that speak for a label, and which of them may become seeds."""

import numpy as np

from tercet.arrays import Floats
from tercet.categorizer.seeds.prior import STEPS, PoolWords, spell_term
from tercet.categorizer.seeds.seeds import Seeds
from tercet.text.vectors.word_vectors import WordVectors

BACKGROUND = 20.0  # texts of the pool as a whole that are added to each label: rare words must be clearer
MIN_LENGTH = 2  # characters of a word
MIN_CLEARNESS = 1.0


def rank_words(pool: PoolWords, proba: Floats) -> list[list[tuple[str, float]]]:
    """For each label the words that speak for it more than for other labels, the clearest first, with their clearness."""
    clear = measure_clearness(pool, proba)
    usable = np.array([len(word) >= MIN_LENGTH and any(map(str.isalpha, word)) for word in pool.words], np.bool_)
    best, ranked = clear.argmax(axis=0), []
    for place in range(proba.shape[1]):
        own = np.flatnonzero(usable & (best == place) & (clear[place] > MIN_CLEARNESS))
        order = own[np.argsort(-clear[place, own], kind="stable")].tolist()
        ranked.append([(pool.words[i], float(clear[place, i])) for i in order])
    return ranked


MIN_RARITY = 0.7  # of a proposed word: "had", "their" and "only" are below, "work" and "love" are not


def leave_out_common(ranked: list[tuple[str, float]], vectors: WordVectors | None) -> list[tuple[str, float]]:
    """The words that are not among the most frequent ones of their language. Only a sentence encoder knows which are."""
    if vectors is None or not ranked:
        return ranked
    rarities = vectors.rarities([word for word, _ in ranked]).tolist()
    return [pair for pair, rarity in zip(ranked, rarities, strict=True) if rarity >= MIN_RARITY]


def leave_out_seeds(ranked: list[tuple[str, float]], seeds: Seeds, n: int) -> tuple[str, ...]:
    """The first n words that are no seeds yet."""
    known = list_known(seeds)
    return tuple([word for word, _ in ranked if word not in known][:n])


def measure_clearness(pool: PoolWords, proba: Floats) -> Floats:
    """The log-odds of each word in the texts of each label against all others, in standard errors, labels × words.

    A part of the whole pool is added to both sides, so that rare words are not too clear (Monroe et al. 2008).
    """
    counts = (pool.matrix.T @ np.rint(proba * STEPS).astype(np.int64)).T / STEPS
    sizes, in_all = proba.sum(axis=0)[:, None], np.asarray(pool.matrix.sum(axis=0)).ravel() / len(pool.texts)
    own, others = counts + BACKGROUND * in_all, counts.sum(axis=0) - counts + BACKGROUND * in_all
    n_own, n_others = sizes + BACKGROUND, sizes.sum() - sizes + BACKGROUND
    odds = [np.log(part / np.maximum(n - part, 1 / STEPS)) for part, n in ((own, n_own), (others, n_others))]
    return np.asarray((odds[0] - odds[1]) / np.sqrt(1 / own + 1 / others))


def list_known(seeds: Seeds) -> set[str]:
    """The words that are seeds, or parts of a name."""
    phrases = [phrase for own in seeds.labels for phrase in (*own.words, *own.counter_words, *own.name.split())]
    return {spell_term(phrase) for phrase in phrases}

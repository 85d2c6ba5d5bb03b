"""Words that behave like seeds: the right ones, with intervals, whatever the order of the texts."""

import random
from typing import Any

import numpy as np
import pytest
from helpers.two_topics import BANKS, OTHERS, POOL, SPORTS, VECTORS

import tercet
from tercet import WordVectors
from tercet.categorizer.seeds.lexicon import CountedWords, draw_scores, score_resamples
from tercet.errors import InvalidOption, InvalidText

SEEDS = {"play": ["team", "goal"], "money": ["bank", "rate"]}


@pytest.mark.parametrize("vectors", [None, VECTORS])
def test_words_get_the_list_of_the_seeds_that_they_stand_with(vectors: WordVectors | None) -> None:
    found = tercet.induce_lexicon(SEEDS, POOL, vectors=vectors)
    lists = {row.word: row.list for row in found.table if row.low > 0}
    assert {word for word, name in lists.items() if name == "play"} >= set(SPORTS[2:])
    assert {word for word, name in lists.items() if name == "money"} >= set(BANKS[2:])
    assert set(lists).isdisjoint(OTHERS)
    assert found.uses_vectors == (vectors is not None)


def test_the_score_is_inside_its_interval_and_seeds_are_not_repeated() -> None:
    rows = list(tercet.induce_lexicon(SEEDS, POOL, vectors=None).table)
    assert rows
    assert all(row.low <= row.score <= row.high for row in rows)
    assert {row.word for row in rows}.isdisjoint(word for words in SEEDS.values() for word in words)
    assert [row.low for row in rows] == sorted((row.low for row in rows), reverse=True)


def test_order_copies_and_threads_do_not_matter() -> None:
    mixed = [*POOL, *POOL[:9]]
    random.Random(3).shuffle(mixed)
    found = [tercet.induce_lexicon(SEEDS, texts, vectors=VECTORS, threads=n) for texts, n in ((POOL, 1), (mixed, 3))]
    assert found[0].to_dict() == found[1].to_dict()


def test_it_is_a_lexicon_of_an_analyzer() -> None:
    found = tercet.induce_lexicon(SEEDS, POOL, vectors=None)
    terms = tercet.Analyzer(lexicon=found.lexicon).terms("a referee of the bank")
    assert "LEX:play" in terms
    assert "LEX:money" in terms


def test_a_single_list_is_compared_with_all_other_texts() -> None:
    found = tercet.induce_lexicon({"play": SPORTS[:2]}, POOL, vectors=None)
    assert {row.word for row in found.table if row.low > 0} <= set(SPORTS) | {row.word for row in found.table if row.score > 0}
    assert set(SPORTS[2:]) & {row.word for row in found.table}
    assert {row.list for row in found.table} == {"play"}


def test_the_interval_covers_the_log_odds_of_all_texts() -> None:
    """In simulated texts, in which the true log-odds of a word are known."""
    import scipy.sparse as sp

    draw, n, true, covered = np.random.default_rng(0), 400, np.log(0.3 / 0.7) - np.log(0.1 / 0.9), 0
    for trial in range(150):
        lists = draw.random((n, 1)) < 0.5
        has = draw.random((n, 1)) < np.where(lists, 0.3, 0.1)
        evidence = CountedWords(sp.csr_matrix(has.astype(np.int64)), np.hstack([lists, ~lists]))
        low, high = np.quantile(draw_scores(evidence, np.array([0]), trial)[:, 0], [0.025, 0.975])
        covered += bool(low <= true <= high)
        assert low <= score_resamples(evidence, np.ones((1, n), np.int64))[0, 0, 0] <= high
    assert covered >= 135


@pytest.mark.parametrize(
    ("seeds", "complaint"),
    [
        ({}, "a mapping"),
        (["team"], "a mapping"),
        ({"play": ["team"], "money": []}, "'money' has no seeds"),
        ({"play": ["team"], "money": ["Team"]}, "a seed of"),
        ({"play": ["team"], "money": ["blockchain"]}, "no text has more seeds of 'money'"),
        ({"two words": ["team"]}, "Use no blanks"),
    ],
)
def test_bad_seeds_are_refused(seeds: Any, complaint: str) -> None:
    with pytest.raises(InvalidOption, match=complaint):
        tercet.induce_lexicon(seeds, POOL, vectors=None)


def test_no_texts_are_refused() -> None:
    with pytest.raises(InvalidText, match="no texts"):
        tercet.induce_lexicon(SEEDS, [" "], vectors=None)

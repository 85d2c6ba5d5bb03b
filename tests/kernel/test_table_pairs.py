"""Two tables that are read in one pass: the scores are those of two passes."""

from typing import Any

import numpy as np
import pytest
from helpers.analyzer_recipes import STEPS, analyzers
from helpers.invented_texts import collections
from helpers.labelled_documents import some
from hypothesis import assume, given
from hypothesis import strategies as st

from tercet import Analyzer
from tercet.categorizer.model.word_terms import find_word_recipe
from tercet.kernel import _native, reference
from tercet.text.layout import Layout
from tercet.text.recipe import list_options

ALL = Analyzer(
    tokens="words_and_marks",
    word_ngrams=(1, 2),
    skip_grams=((2, 1),),
    char_ngrams=(2, 3),
    char_ngrams_over="words",
    lexicon={"good": ["hen", "the fox"]},
    patterns={"loud": "[A-Z]{3,}"},
    layout=Layout(["subject", "body"], ["mailer"]),
)
TEXTS = ["the hen", "the FOX the hen\x1fa fox, the hen!\x1fgmail", "a fox the hen and the fox " * 3 + "\x1fhen\x1fgmail", ""]
LAYERS = [("raw", "l1"), ("log", "l2")]


def count(kernel: Any, analyzer: Analyzer, texts: list[str]) -> Any:
    counter = kernel.TableCounter(kernel.Recipe(**list_options(analyzer)), 1)
    counter.add(kernel.Texts(texts), np.zeros(len(texts), np.int64))
    return counter.take()


def weigh(kernel: Any, table: Any, n_labels: int, seed: int) -> Any:
    """Weights of the terms of a table that depend on their spelling only."""
    rng, order = np.random.default_rng(seed), table.order()
    n_values, layers = 1 if n_labels == 2 else n_labels, []
    for way in LAYERS:
        values, factors = np.zeros((len(table), n_values), np.float32), np.zeros(len(table), np.float32)
        values[order], factors[order] = rng.normal(size=values.shape), rng.integers(0, 3, len(table))
        layers.append((values, factors, *way))
    return kernel.LinearWeights(layers, n_labels)


class Model:
    """Two tables with their weights."""

    def __init__(self, kernel: Any, analyzer: Analyzer, words: Analyzer, known: list[str], others: list[str], n_labels: int):
        self.kernel, self.prior = kernel, np.arange(n_labels) / 7
        self.table, self.added = count(kernel, analyzer, known), count(kernel, words, others)
        self.weights, self.of_added = weigh(kernel, self.table, n_labels, 1), weigh(kernel, self.added, n_labels, 2)
        self.pair = kernel.TablePair(self.table, self.added, self.of_added)

    def score(self, texts: list[str], threads: int = 1) -> Any:
        scores, n_lost = self.pair.log_joint(self.weights, self.kernel.Texts(texts), self.prior, threads)
        assert n_lost == 0
        best, _ = self.pair.predict(self.weights, self.kernel.Texts(texts), self.prior, threads)
        assert best.tolist() == scores.argmax(axis=1).tolist()
        return scores

    def score_apart(self, texts: list[str]) -> Any:
        made = self.kernel.Texts(texts)
        scores, _ = self.table.log_joint(self.weights, made, self.prior)
        return scores + self.added.log_joint(self.of_added, made, np.zeros(len(self.prior)))[0]


def expect_one_pass(model: Model, texts: list[str]) -> None:
    scores = model.score(texts)
    assert scores.tolist() == model.score_apart(texts).tolist()
    assert scores.tolist() == [model.score([text])[0].tolist() for text in texts]
    assert scores.tolist() == model.score(texts, threads=2).tolist()


@given(analyzers(), collections, collections, collections, st.booleans(), st.sampled_from([2, 3]))
def test_one_pass_scores_as_two(
    analyzer: Analyzer, known: list[str], others: list[str], asked: list[str], has_ngrams: bool, n_labels: int
) -> None:
    words = find_word_recipe(analyzer, has_ngrams=has_ngrams)
    assume(words is not None)
    assert words is not None
    native, plain = (Model(kernel, analyzer, words, known, others, n_labels) for kernel in (_native, reference))
    texts = [*asked, *known, *others]
    assume(texts)
    expect_one_pass(native, texts)
    np.testing.assert_allclose(native.score(texts), plain.score(texts), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("step", STEPS, ids=str)
@pytest.mark.parametrize("has_ngrams", [False, True])
def test_each_step_alone_gives_the_scores_of_two_passes(step: dict[str, Any], has_ngrams: bool) -> None:
    analyzer = ALL.replace(**step) if "tokens" not in step or step["tokens"] != "bytes" else Analyzer(**step)
    words = find_word_recipe(analyzer, has_ngrams=has_ngrams)
    if words is not None:
        expect_one_pass(Model(_native, analyzer, words, TEXTS[:2], TEXTS[1:3], 3), TEXTS)


@pytest.mark.parametrize("has_ngrams", [False, True])
def test_words_n_grams_and_categories_of_the_second_table_count(has_ngrams: bool) -> None:
    words = find_word_recipe(ALL, has_ngrams=has_ngrams)
    assert words is not None
    model = Model(_native, ALL, words, ["nothing"], TEXTS, 2)
    kinds = {("mailer=" in term, " " in term) for term in model.added.terms()}
    assert kinds == {(False, False), (True, False), *([(False, True)] if has_ngrams else [])}
    silent = weigh(_native, model.table, 2, 1)
    n = len(model.added)
    for factors in np.eye(n, dtype=np.float32):  # each term has a say, also if the first table does not know it
        layers = [(np.ones((n, 1), np.float32), factors.copy(), "raw", "none")]
        pair = _native.TablePair(model.table, model.added, _native.LinearWeights(layers, 2))
        assert np.any(pair.log_joint(silent, _native.Texts(TEXTS), np.zeros(2))[0] != 0)


@given(st.lists(st.lists(st.sampled_from(["hen", "fox", "owl", "sat"]), max_size=4).map(" ".join), min_size=1, max_size=3))
@some(0.3)
def test_what_either_table_learns_later_is_found(later: list[str]) -> None:
    words = find_word_recipe(ALL, has_ngrams=True)
    assert words is not None
    model = Model(_native, ALL, words, ["a hen"], ["a hen sat"], 2)
    model.score(later)  # now the words are remembered as unknown
    model.table.add(count(_native, ALL, later))
    model.added.add(count(_native, words, later))
    model.weights, model.of_added = weigh(_native, model.table, 2, 3), weigh(_native, model.added, 2, 4)
    grown = _native.TablePair(model.table, model.added, model.of_added)
    fresh = grown.log_joint(model.weights, _native.Texts(later), model.prior)[0]
    assert fresh.tolist() == model.score_apart(later).tolist()
    used = model.pair.log_joint(model.weights, _native.Texts(later), model.prior)[0]
    old = Model(_native, ALL, words, ["a hen"], ["a hen sat"], 2)
    old.weights, old.table = model.weights, model.table
    assert used.tolist() == old.score_apart(later).tolist()  # terms that are newer than the weights of the pair add nothing


@pytest.mark.parametrize("kernel", [_native, reference])
def test_a_table_is_not_paired_with_itself_and_labels_must_fit(kernel: Any) -> None:
    table, other = (count(kernel, Analyzer(), ["hen"]) for _ in range(2))
    with pytest.raises(ValueError, match="two tables"):
        kernel.TablePair(table, table, weigh(kernel, table, 2, 1))
    pair = kernel.TablePair(table, other, weigh(kernel, other, 3, 1))
    for score in (pair.log_joint, pair.predict):
        with pytest.raises(ValueError, match="the same labels"):
            score(weigh(kernel, table, 2, 1), kernel.Texts(["hen"]), np.zeros(2))


def test_a_reader_that_met_very_many_words_begins_again_with_the_same_scores() -> None:
    words = find_word_recipe(ALL, has_ngrams=True)
    assert words is not None
    model = Model(_native, ALL, words, TEXTS, TEXTS, 2)
    before = model.score(TEXTS)
    many = [" ".join(f"w{i}" for i in range(first, first + 100_000)) for first in range(0, 600_000, 100_000)]
    assert model.score([*many, *TEXTS])[len(many) :].tolist() == before.tolist()
    assert model.score(TEXTS).tolist() == before.tolist()

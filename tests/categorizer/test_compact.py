"""Compact categorizers: terms and weights in few bytes, which are the same after saving and loading."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.analyzer_recipes import analyzers
from helpers.command_line import Shell
from hypothesis import given
from hypothesis import strategies as st

from tercet import NBSVM, Analyzer, Categorizer, LinearSVM, LogisticRegression, NaiveBayes, load
from tercet.categorizer.model import shared_rows
from tercet.categorizer.model.packed_terms import open_terms, open_tree, pack_terms
from tercet.categorizer.model.shared_rows import decode_rows, hash_bytes, share_rows
from tercet.categorizer.model.trained_margins import STEPS, open_layers, round_layers
from tercet.counts.table import CountTable
from tercet.store.model_file import read_model
from tercet.store.small_numbers import read_numbers, write_numbers
from tercet.text.recipe import make_recipe

TEXTS = ["the hen saw the fox", "a fox, a red fox :-)", "the hen does not like it $5", "hens and hens and hens", "", "red"]
LABELS = ["hen", "fox", "hen", "hen", "fox", "fox"]
MODELS: list[Any] = [NBSVM(), LinearSVM(), LogisticRegression(), NaiveBayes(), NaiveBayes("bernoulli", 1.0)]


# Small numbers.


@given(st.lists(st.integers(0, 2**35 - 1)))
def test_small_numbers_are_read_back(numbers: list[int]) -> None:
    written = write_numbers(np.array(numbers, np.int64))
    assert read_numbers(written).tolist() == numbers
    assert len(written) == sum(max(1, -(-number.bit_length() // 7)) for number in numbers)


@given(st.binary(max_size=20))
def test_any_bytes_are_small_numbers_or_refused(content: bytes) -> None:
    written = np.frombuffer(content, np.uint8)
    runs = "".join("x" if byte < 128 else "-" for byte in content).split("x")
    if runs[-1] or max(map(len, runs)) >= 5:
        with pytest.raises(ValueError, match="no end"):
            read_numbers(written)
    else:
        assert all(0 <= number < 2**35 for number in read_numbers(written).tolist())


# Terms.


@given(analyzers(), st.data())
def test_any_part_of_the_terms_is_packed_and_opened(analyzer: Analyzer, data: st.DataObject) -> None:
    table = CountTable.of(TEXTS, LABELS, analyzer=analyzer).table
    order = table.order()
    kept = data.draw(st.lists(st.booleans(), min_size=len(order), max_size=len(order)))
    wanted = order[np.array(kept, np.bool_)]
    terms, packed = pack_terms(table, wanted)
    assert sorted(terms.tolist()) == sorted(wanted.tolist())
    opened = open_terms(make_recipe(analyzer), packed, 2, len(terms))
    opened.check()
    spelled = table.terms()
    assert opened.terms() == [spelled[term] for term in terms.tolist()]
    again, same = pack_terms(opened, opened.order())
    assert same.keys() == packed.keys()
    assert all(np.array_equal(packed[name], same[name]) for name in packed)
    assert [opened.terms()[term] for term in again.tolist()] == opened.terms()


def test_the_order_of_the_documents_does_not_change_a_compact_file(tmp_path: Path) -> None:
    for model in MODELS:
        Categorizer(model=model).fit(TEXTS, LABELS).compact().save(tmp_path / "a.tercet")
        Categorizer(model=model).fit(TEXTS[::-1], LABELS[::-1]).compact().save(tmp_path / "b.tercet")
        a, b = (read_model(tmp_path / name).arrays for name in ("a.tercet", "b.tercet"))
        for name in (name for name in a if name.startswith("terms/") or isinstance(model, NaiveBayes)):
            assert np.array_equal(a[name], b[name]), (model, name)


@pytest.mark.parametrize(
    ("children", "last"),
    [([1], [5]), ([1, 2], [0]), ([3, 0], [0, 0, 0]), ([1], [0]), ([2**34, 0], [0]), ([1, 0, 0, 0], [0]), ([0, 0], [0])],
)
def test_damaged_ngrams_are_refused(children: list[int], last: list[int]) -> None:
    packed = {"ngrams.children": write_numbers(np.array(children)), "ngrams.last": write_numbers(np.array(last))}
    with pytest.raises(ValueError, match=r"tree|last word"):
        open_tree(packed, 2)


# Rows that terms share.


@given(st.lists(st.integers(0, 6)), st.integers(1, 8), st.integers(0, 5))
def test_shared_rows_are_found_again_even_if_hashes_are_equal(rows: list[int], n_hashes: int, most: int) -> None:
    values = np.array(rows, np.int64)
    before, shared_rows.MAX_SHARED = shared_rows.MAX_SHARED, most
    try:
        codes, places = share_rows((values % n_hashes).astype(np.uint64), lambda a, b: values[a] == values[b])
    finally:
        shared_rows.MAX_SHARED = before
    assert values[places][decode_rows(codes, len(places))].tolist() == rows
    assert codes.max(initial=0) <= most
    if n_hashes > 6 and most > 4:
        written = values[places].tolist()
        assert all(written.count(value) == 1 for value in set(written[:4]))


@pytest.mark.parametrize(
    ("codes", "n_rows"),
    [(np.array([2, 0], np.uint8), 2), (np.array([0, 0], np.uint8), 1), (np.zeros(0, np.uint8), 1), (np.array([-1]), 1)],
)
def test_codes_without_rows_are_refused(codes: Any, n_rows: int) -> None:
    with pytest.raises(ValueError, match="row"):
        decode_rows(codes, n_rows)


def test_rows_of_bytes_have_equal_hashes_only_if_they_are_equal() -> None:
    rows = np.random.default_rng(0).integers(0, 3, (2000, 11)).astype(np.uint8)
    assert len(np.unique(hash_bytes(rows))) == len(np.unique(rows, axis=0))


# Rounded weights.


@given(st.integers(1, 4), st.integers(0, 30), st.integers(0, 99))
def test_a_rounded_weight_is_near_the_weight(n_margins: int, n_terms: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = (rng.normal(size=(n_terms, n_margins)) * rng.choice([0, 1e-3, 1, 1e4], (n_terms, 1))).astype(np.float32)
    values = values[rng.integers(0, n_terms, n_terms)] if n_terms else values  # terms with equal weights
    factors = rng.choice([0.0, 1.0, 2.5], n_terms).astype(np.float32)
    arrays = round_layers([(values, factors), (values[::-1], factors)])
    (opened, _), places = open_layers(arrays, 2, n_margins)
    largest = np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    few = largest < largest.max(initial=0.0) * 2.0**-14  # 16 bits have no room for so small a scale in full
    rows = np.arange(n_terms) if places is None else places
    error = np.abs(opened.values[rows] - values)
    assert (error <= largest * (0.5 / STEPS + 2.0**-11) * 1.001 + few * largest.max(initial=0.0) * 2.0**-25).all()
    assert opened.factors[rows].tolist() == factors.tolist()


def test_terms_with_equal_weights_are_written_once() -> None:
    values = np.tile(np.array([[1.0, -0.25], [0.5, 0.5]], np.float32), (100, 1))
    arrays = round_layers([(values, np.ones(200, np.float32))])
    assert len(arrays["0.values"]) == 2
    assert arrays["codes"].dtype == np.uint8


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_loaded_compact_categorizer_predicts_and_explains_identically(model: Any, tmp_path: Path) -> None:
    labels = ["hen", "fox", "cat", "hen", "fox", "cat"]
    for known in (LABELS, labels):
        compact = Categorizer(Analyzer(word_ngrams=(1, 3), char_ngrams=(2, 2)), model).fit(TEXTS, known).compact()
        compact.save(tmp_path / "a.tercet")
        loaded = load(tmp_path / "a.tercet")
        assert loaded.log_joint(TEXTS).tolist() == compact.log_joint(TEXTS).tolist()
        for text in TEXTS:
            explained = loaded.explain(text)
            assert explained == compact.explain(text)
            scores = dict(zip(loaded.classes_.tolist(), loaded.log_joint([text])[0].tolist(), strict=True))
            odds = explained.prior + sum(piece.value for piece in explained.evidence)
            assert odds == pytest.approx(scores[explained.label] - scores[explained.against], abs=1e-12)


def test_a_compact_naive_bayes_has_the_weights_in_32_bits() -> None:
    for model in (NaiveBayes(), NaiveBayes("multinomial", 0.5), NaiveBayes("complement"), NaiveBayes("bernoulli", 1.0)):
        whole = Categorizer(model=model).fit(TEXTS, LABELS)
        assert whole.compact().log_joint(TEXTS) == pytest.approx(whole.log_joint(TEXTS), rel=1e-6)


def test_train_tests_the_compact_model_that_it_writes(shell: Shell) -> None:
    train = "tercet train reviews.csv -o small.tercet --compact --model svm --json"
    tested = json.loads(shell(f"{train} --test test.csv").out)["test"]
    measured = json.loads(shell("tercet evaluate small.tercet test.csv --json").out)
    assert tested["metrics"]["log_loss"] == measured["metrics"]["log_loss"]  # a whole model has another log loss
    assert "has learned 120 of the 120" in shell(f"{train} --test reviews.csv").err


def test_a_compact_svm_of_the_newsgroups_has_less_than_30_megabytes(corpus: Callable[[str], Any], tmp_path: Path) -> None:
    train, test = corpus("20newsgroups/train"), corpus("20newsgroups/test")
    whole = Categorizer(model=LinearSVM()).fit([row["text"] for row in train], [row["label"] for row in train])
    compact = whole.compact()
    compact.save(tmp_path / "small.tercet")
    assert (tmp_path / "small.tercet").stat().st_size < 30_000_000
    texts = [row["text"] for row in test]
    assert (compact.predict(texts) != whole.predict(texts)).sum() <= 3  # of 7532: some predictions are nearly ties


@pytest.mark.parametrize("labels", [["ham", "spam", "spam"], [7, 3, 3]])
def test_every_model_knows_its_majority_label(labels: list[Any], tmp_path: Path) -> None:
    whole = Categorizer("words").fit(["a hen", "a fox", "a sly fox"], labels)
    small = whole.compact()
    for model in (whole, small):
        model.save(tmp_path / "model.tercet")
        for each in (model, pickle.loads(pickle.dumps(model)), load(tmp_path / "model.tercet")):
            assert each.majority_label_ == labels[1]
    assert whole.restrict(labels[:1]).majority_label_ == labels[0]
    assert whole.learn(["hen"] * 5, labels[:1] * 5).majority_label_ == labels[0]


def test_a_compact_file_without_a_majority_label_is_read(tmp_path: Path) -> None:
    given = Categorizer.from_probabilities(["x", "y"], ["hen", "fox"], [[0.5, 0.5], [0.2, 0.8]], [0.3, 0.7])
    given.save(tmp_path / "given.tercet")
    assert load(tmp_path / "given.tercet").majority_label_ is None

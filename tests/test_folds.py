"""Folds and splits: who is on which side, how many, and that nobody is on both."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import InvalidOption, InvalidText
from tercet.evaluation.folds import assign_folds, assign_grouped_folds, assign_plain_folds, repeat_folds
from tercet.evaluation.leaks import find_leaks, group_copies, warn_of_leaks
from tercet.evaluation.split_scores import average_splits, correct_variance
from tercet.evaluation.splits import draw_splits, hold_every_nth, split_documents

codes = st.lists(st.integers(0, 4), min_size=4, max_size=60).map(np.array)
folds = st.integers(2, 4)
seeds = st.integers(0, 5)


@given(codes, folds, seeds)
def test_folds_are_alike_in_size_and_in_labels(labels: Any, n_folds: int, seed: int) -> None:
    for fold_of in (assign_folds(labels, n_folds, seed), assign_plain_folds(len(labels), n_folds, seed)):
        assert np.ptp(np.bincount(fold_of, minlength=n_folds)) <= 1
    stratified = assign_folds(labels, n_folds, seed)
    for label in set(labels.tolist()):
        assert np.ptp(np.bincount(stratified[labels == label], minlength=n_folds)) <= 1


def test_plain_folds_are_drawn_or_neighbours() -> None:
    assert assign_plain_folds(7, 3, shuffle=False).tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert assign_plain_folds(50, 3, seed=1).tolist() == assign_plain_folds(50, 3, seed=1).tolist()
    assert assign_plain_folds(50, 3, seed=1).tolist() != assign_plain_folds(50, 3, seed=2).tolist()


@given(st.lists(st.integers(0, 30), min_size=60, max_size=80).filter(lambda x: len(set(x)) > 4), folds, seeds)
def test_a_group_is_in_one_fold_and_the_sizes_are_balanced(groups: list[int], n_folds: int, seed: int) -> None:
    fold_of = assign_grouped_folds(groups, n_folds, seed)
    assert len(set(zip(groups, fold_of.tolist(), strict=True))) == len(set(groups))
    # The largest goes first to the smallest fold, so no fold is ahead of another by more than one group.
    assert np.ptp(np.bincount(fold_of, minlength=n_folds)) <= np.bincount(groups).max()
    assert fold_of.tolist() == assign_grouped_folds([f"author {group:02}" for group in groups], n_folds, seed).tolist()


def test_repeated_folds_differ_and_share_nothing_between_seeds() -> None:
    labels = np.arange(60) % 3
    first, second = (repeat_folds(lambda own: assign_folds(labels, 5, own), repeats=4, seed=seed) for seed in (0, 1))
    rows = {tuple(row) for row in np.concatenate([first, second]).tolist()}
    assert (first.shape, len(rows)) == ((4, 60), 8)
    grouped = repeat_folds(lambda own: assign_grouped_folds(labels, 3, own), repeats=2)
    assert all(len(set(row[labels == label])) == 1 for row in grouped for label in range(3))


@given(codes, st.floats(0.05, 0.45), st.floats(0.05, 0.45), seeds)
def test_train_dev_and_test_share_nothing_and_have_the_labels_in_proportion(
    labels: Any, dev: float, test: float, seed: int
) -> None:
    split = split_documents(labels, dev=dev, test=test, seed=seed)
    assert sorted([*split.train, *split.dev, *split.test]) == list(range(len(labels)))
    assert len(split.test) == pytest.approx(test * len(labels), abs=0.51)
    assert len(split.dev) == pytest.approx(dev * len(labels), abs=1)
    for label in set(labels.tolist()):
        n = np.count_nonzero(labels == label)
        assert np.count_nonzero(labels[split.test] == label) == pytest.approx(test * n, abs=1)
        assert np.count_nonzero(labels[split.dev] == label) == pytest.approx(dev * n, abs=2)


def test_a_split_may_be_without_dev_or_test() -> None:
    split = split_documents(["a", "b"] * 10, dev=0.0, test=0.25)
    assert (len(split.train), len(split.dev), len(split.test)) == (15, 0, 5)
    assert len(split_documents(["a", "b"] * 10, dev=0.0, test=0.0).train) == 20


@given(st.lists(st.integers(0, 30), min_size=60, max_size=80), seeds)
def test_a_group_is_in_one_part(groups: list[int], seed: int) -> None:
    split = split_documents([0] * len(groups), dev=0.2, test=0.2, seed=seed, groups=groups)
    parts = [set(np.array(groups)[part]) for part in (split.train, split.dev, split.test)]
    assert sum(map(len, parts)) == len(set(groups))
    sizes = [len(split.dev), len(split.test)]
    assert sizes == pytest.approx([0.2 * len(groups)] * 2, abs=float(np.bincount(groups).max()))


def test_random_splits_are_drawn_anew_each_time() -> None:
    labels = ["ham"] * 40 + ["spam"] * 10
    held = draw_splits(labels, repeats=200, test=0.2)
    assert held.shape == (200, 50)
    assert np.all(held[:, :40].sum(axis=1) == 8)
    assert np.all(held[:, 40:].sum(axis=1) == 2)
    assert np.all(np.abs(held.mean(axis=0) - 0.2) < 0.12)  # each document has its chance
    np.testing.assert_array_equal(held, draw_splits(labels, repeats=200, test=0.2))
    groups = np.arange(50) // 5
    whole = draw_splits(labels, repeats=20, test=0.2, groups=groups)
    assert np.all(whole.sum(axis=1) == 10)
    assert all(len(set(row[groups == group])) == 1 for row in whole for group in range(10))


def test_every_nth_is_held_out() -> None:
    assert np.flatnonzero(hold_every_nth(25, nth=10, first=9)).tolist() == [9, 19]
    assert np.sum([hold_every_nth(25, nth=10, first=first) for first in range(10)], axis=0).tolist() == [1] * 25


def test_the_corrected_variance_is_that_of_nadeau_and_bengio() -> None:
    scores = [0.81, 0.79, 0.84, 0.80, 0.78]
    assert correct_variance(scores, 90, 10) == pytest.approx((1 / 5 + 1 / 9) * np.var(scores, ddof=1))
    estimate = average_splits(scores, 90, 10)
    assert estimate.value == pytest.approx(np.mean(scores))
    assert estimate.high - estimate.low == pytest.approx(2 * 2.7764451 * math.sqrt(correct_variance(scores, 90, 10)))


def test_the_corrected_interval_covers_what_the_plain_one_does_not() -> None:
    rng, plain, corrected = np.random.default_rng(0), 0, 0
    for _ in range(300):
        right = rng.random(200) < 0.8  # a system that learns nothing, so only the tested documents vary
        held = draw_splits(np.zeros(200, int), 15, test=0.2, seed=int(rng.integers(1000)))
        scores = [float(right[row].mean()) for row in held]
        estimate = average_splits(scores, 160, 40)
        narrow = 2.145 * np.std(scores, ddof=1) / math.sqrt(15)
        plain += abs(estimate.value - 0.8) < narrow
        corrected += estimate.low < 0.8 < estimate.high
    assert plain / 300 < 0.8 < 0.9 < corrected / 300


# The same text on both sides


@pytest.mark.parametrize("container", [list, np.array, pa.array, iter])
def test_the_same_text_on_both_sides_is_found(container: Any) -> None:
    train, test = ["to be", "or not", "to be", ""], ["To be", "to be", "that is", "", "to be"]
    assert find_leaks(container(train), container(test)).tolist() == [[0, 1], [3, 3], [0, 4]]
    assert find_leaks(container(train[:2]), container(["that is"])).tolist() == []
    assert find_leaks([], container(test)).tolist() == []
    assert group_copies(container(test)).tolist() == [0, 1, 2, 3, 1]


def test_a_leak_is_warned_of_once_with_the_remedy() -> None:
    with pytest.warns(
        UserWarning, match=r"2 texts to test are among those to learn, the first at 1 \(in training at 0"
    ) as said:
        assert warn_of_leaks(["a", "b"], ["c", "a", "b"]) == 2
    assert len(said) == 1
    assert said[0].filename == __file__
    assert warn_of_leaks(["a", "b"], ["c"]) == 0


def test_copies_as_groups_keep_the_sides_apart() -> None:
    texts = [f"text {place % 37}" for place in range(100)]
    fold_of = assign_grouped_folds(group_copies(texts), 5)
    for fold in range(5):
        sides = ([text for text, own in zip(texts, fold_of, strict=True) if (own == fold) == held] for held in (False, True))
        assert len(find_leaks(*sides)) == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: assign_plain_folds(5, 1), "folds must be an int >= 2"),
        (lambda: assign_plain_folds(5, 6), "folds=6 with 5 documents"),
        (lambda: assign_plain_folds(5, 2, seed=-1), "seed must be an int >= 0"),
        (lambda: assign_grouped_folds(["a", "a", "b"], 3), "folds=3 with 2 groups"),
        (lambda: assign_grouped_folds(["a", "b"], 2, seed=None), "seed must be an int >= 0"),  # type: ignore[arg-type]
        (lambda: repeat_folds(lambda seed: assign_plain_folds(4, 2, seed), 0), "repeats must be an int >= 1"),
        (lambda: split_documents([0, 1], dev=0.5, test=0.5), "dev=0.5, test=0.5 must be shares"),
        (lambda: split_documents([0, 1], test=-0.1), "must be shares"),
        (lambda: split_documents([0, 1], test=2), "must be shares"),
        (lambda: split_documents([0, 1], groups=["a"]), "2 documents and 1 groups"),
        (lambda: draw_splits([0, 1], 2, test=0.0), "test must be a share between 0.0 and 1.0"),
        (lambda: hold_every_nth(5, 1), "nth must be 2 or more"),
        (lambda: hold_every_nth(5, 2, first=2), "first one of 0"),
        (lambda: correct_variance([0.5], 9, 1), "two splits at least"),
        (lambda: correct_variance([0.5, 0.6], 0, 1), "n_train=0"),
    ],
)
def test_what_can_not_be_held_out_is_refused(make: Any, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        make()
    with pytest.raises(InvalidText, match="single str"):
        find_leaks("one text", ["another"])

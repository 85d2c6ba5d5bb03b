"""Folds and splits: who is on which side, how many, and that nobody is on both."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.counts.near_copies import find_leaks, group_copies, warn_of_leaks
from tercet.errors import InvalidOption, InvalidText
from tercet.evaluation.splits import assign_folds, assign_grouped_folds, assign_plain_folds, hold_every_nth, split_documents

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


def test_the_largest_group_is_assigned_first() -> None:
    fold_of = assign_grouped_folds(["all of ann"] * 10 + [f"author {k}" for k in range(10)], 2)
    assert np.bincount(fold_of).tolist() == [10, 10]


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


def test_every_nth_is_held_out() -> None:
    assert np.flatnonzero(hold_every_nth(25, nth=10, first=9)).tolist() == [9, 19]
    assert np.sum([hold_every_nth(25, nth=10, first=first) for first in range(10)], axis=0).tolist() == [1] * 25


# The same text on both sides


@pytest.mark.parametrize("container", [list, np.array, pa.array, iter])
def test_the_same_text_on_both_sides_is_found(container: Any) -> None:
    train, test = ["to be", "or not", "to be", ""], ["To be", "to be", "that is", "", "to be"]
    assert find_leaks(container(train), container(test)).tolist() == [[0, 1], [3, 3], [0, 4]]
    assert find_leaks(container(train[:2]), container(["that is"])).tolist() == []
    assert find_leaks([], container(test)).tolist() == []
    assert group_copies(container(test)).tolist() == [0, 1, 2, 3, 1]


def test_a_leak_is_warned_of_once_with_the_remedy() -> None:
    with pytest.warns(UserWarning, match=r"2 test texts are also training texts, the first at 1 \(in training at 0") as said:
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
        (lambda: split_documents([0, 1], dev=0.5, test=0.5), "dev=0.5, test=0.5 must be shares"),
        (lambda: split_documents([0, 1], test=-0.1), "must be shares"),
        (lambda: split_documents([0, 1], test=2), "must be shares"),
        (lambda: split_documents([0, 1], groups=["a"]), "2 documents and 1 groups"),
        (lambda: hold_every_nth(5, 1), "nth must be 2 or more"),
        (lambda: hold_every_nth(5, 2, first=2), "first from 0 to nth - 1"),
    ],
)
def test_what_can_not_be_held_out_is_refused(make: Any, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        make()
    with pytest.raises(InvalidText, match="single str"):
        find_leaks("one text", ["another"])

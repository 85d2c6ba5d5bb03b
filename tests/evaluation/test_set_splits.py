"""Iterative stratification: nobody is in two parts, labels are in proportion, rare labels are in every part if they can be."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.counts.label_sets import DocumentLabels
from tercet.errors import InvalidLabel, InvalidOption
from tercet.evaluation.sets.set_splits import assign_set_folds, split_sets
from tercet.evaluation.splits import split_documents

any_sets = st.lists(st.sets(st.sampled_from("abcdef")), min_size=6, max_size=60).filter(any)


def draw_sets(n: int = 400, n_labels: int = 12, seed: int = 0) -> DocumentLabels:
    rng = np.random.default_rng(seed)
    gold = rng.random((n, n_labels)) < np.geomspace(0.5, 0.01, n_labels)
    return DocumentLabels.of(gold.astype(int))


@given(any_sets, st.floats(0.05, 0.4), st.floats(0.05, 0.4), st.integers(0, 5))
def test_every_document_is_in_one_part(sets: list[set[str]], dev: float, test: float, seed: int) -> None:
    split = split_sets(DocumentLabels.of(sets), dev=dev, test=test, seed=seed)
    assert sorted([*split.train, *split.dev, *split.test]) == list(range(len(sets)))


@given(any_sets, st.integers(2, 4), st.integers(0, 5))
def test_a_label_is_in_every_fold_if_it_has_so_many_documents_and_no_other(
    sets: list[set[str]], n_folds: int, seed: int
) -> None:
    """With one label at most for each document the rule can always be kept."""
    single = [sorted(own)[:1] for own in sets]
    encoded = DocumentLabels.of(single)
    fold_of = assign_set_folds(encoded, n_folds, seed)
    for label in "abcdef":
        folds = {fold for fold, own in zip(fold_of.tolist(), single, strict=True) if label in own}
        assert len(folds) == min(n_folds, sum(label in own for own in single))


def test_rare_labels_are_in_small_parts_too() -> None:
    """Rounding would give all five documents of the label to the training part: 5 · 0.1 is less than one document."""
    sets = DocumentLabels.of([["rare"]] * 5 + [["often"]] * 95)
    for seed in range(5):
        split = split_sets(sets, dev=0.1, test=0.1, seed=seed)
        for part in (split.train, split.dev, split.test):
            assert (part < 5).any()


def test_label_shares_are_much_nearer_than_those_of_a_random_split() -> None:
    sets = draw_sets(2000)

    def measure(split: Any) -> float:
        shares = [sets.take(part).support / len(part) for part in (split.dev, split.test)]
        return float(np.mean(np.abs(shares / (sets.support / len(sets)) - 1)))

    stratified = np.mean([measure(split_sets(sets, seed=seed)) for seed in range(3)])
    random = np.mean([measure(split_documents(np.zeros(2000, int), seed=seed)) for seed in range(3)])
    assert stratified < random / 4


@pytest.mark.parametrize("n_folds", [2, 5])
def test_folds_are_of_nearly_equal_size(n_folds: int) -> None:
    fold_of = assign_set_folds(draw_sets(), n_folds)
    assert np.ptp(np.bincount(fold_of, minlength=n_folds)) <= 0.05 * len(fold_of)


def test_groups_stay_together_and_labels_are_still_in_proportion() -> None:
    sets, groups = draw_sets(), np.arange(400) // 4
    fold_of = assign_set_folds(sets, 4, groups=groups)
    assert len(set(zip(groups.tolist(), fold_of.tolist(), strict=True))) == 100
    frequent = [sets.take(np.flatnonzero(fold_of == fold)).support[0] for fold in range(4)]
    assert np.ptp(frequent) <= 5


def test_the_seed_decides() -> None:
    sets = draw_sets()
    assert assign_set_folds(sets, 3, seed=1).tolist() == assign_set_folds(sets, 3, seed=1).tolist()
    assert assign_set_folds(sets, 3, seed=1).tolist() != assign_set_folds(sets, 3, seed=2).tolist()


def test_bad_shares_and_folds_are_refused() -> None:
    sets = draw_sets(20)
    with pytest.raises(InvalidOption, match="sum to less than 1"):
        split_sets(sets, dev=0.6, test=0.5)
    with pytest.raises(InvalidOption, match="some folds would be empty"):
        assign_set_folds(sets, 21)


# tercet.split


def make_documents(n: int = 60) -> tuple[list[str], list[list[str]]]:
    names = [f"label {k}" for k in range(12)]
    sets = draw_sets(n)
    return [f"text {i}" for i in range(n)], [[names[code] for code in own] for own in sets.to_lists()]


def test_the_side_of_a_document_does_not_depend_on_the_order() -> None:
    texts, labels = make_documents()
    test = set(tercet.split(texts, labels, test=0.3, seed=2).test.texts)
    order = np.random.default_rng(0).permutation(len(texts)).tolist()
    again = tercet.split([texts[i] for i in order], [set(labels[i]) for i in order], test=0.3, seed=2)
    assert set(again.test.texts) == test
    assert 15 <= len(test) <= 21


def test_copies_of_a_text_are_on_one_side_and_labels_stay_with_their_texts() -> None:
    texts, labels = make_documents()
    found = tercet.split([*texts, *texts[:20]], [*labels, *labels[:20]], test=0.3, dev=0.2)
    assert found.n_copies == 40
    assert found.n_leaks == 0
    parts = [set(part.texts) for part in found]
    assert sum(map(len, parts)) == len(set.union(*parts))
    known = dict(zip(texts, labels, strict=True))
    assert all(known[text] == own for part in found for text, own in zip(part.texts, part.labels, strict=True))


def test_an_indicator_matrix_splits_as_its_lists() -> None:
    texts, _ = make_documents()
    sets = draw_sets(60)
    matrix = sets.to_indicator().toarray()
    by_matrix = tercet.split(texts, matrix, test=0.3)
    by_lists = tercet.split(texts, sets.to_lists(), test=0.3)
    assert by_matrix.test.texts == by_lists.test.texts


def test_every_nth_and_other_lengths_are_refused() -> None:
    texts, labels = make_documents()
    with pytest.raises(InvalidOption, match="documents have several"):
        tercet.split(texts, labels, every=3)
    with pytest.raises(InvalidLabel, match="60 texts and 59 sets"):
        tercet.split(texts, labels[1:])


def test_without_stratification_sets_do_not_matter() -> None:
    texts, labels = make_documents()
    assert tercet.split(texts, labels, stratify=False).n_copies == 0

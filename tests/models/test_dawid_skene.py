"""Votes of several teachers: equal to a plain expectation maximisation, and no order of the rows matters."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from tercet.arrays import Floats, Integers
from tercet.models.dawid_skene import (
    MAX_ROUNDS,
    MIN_GOLD,
    SMOOTHING,
    STEPS,
    Combination,
    Panel,
    combine_votes,
    smooth_confusion,
)

STEP = 1 / STEPS


def invent(n: int, n_labels: int, accuracies: list[float], seed: int, coverage: float = 0.8) -> tuple[Integers, list[Floats]]:
    """Right labels, and the votes of independent teachers, one of which gives probabilities."""
    rng = np.random.default_rng(seed)
    right, votes = rng.integers(n_labels, size=n), []
    for accuracy in accuracies:
        said = np.where(rng.random(n) < accuracy, right, rng.integers(n_labels, size=n))
        own = np.eye(n_labels)[said]
        own[rng.random(n) > coverage] = 0.0
        votes.append(own)
    votes[-1] = np.rint((0.75 * votes[-1] + 0.25 / n_labels * votes[-1].sum(axis=1, keepdims=True)) * STEPS) / STEPS
    return right, votes


def hide(right: Integers, n_gold: int) -> Integers:
    return np.where(np.arange(len(right)) < n_gold, right, -1)


def combine(votes: list[Floats], gold: Integers, groups: list[int] | None = None) -> Combination:
    return combine_votes([csr_matrix(own) for own in votes], gold, groups=groups)


def combine_slowly(votes: list[Floats], gold: list[int]) -> list[list[float]]:
    """Dawid and Skene, written row by row, without any array."""
    n, n_labels = len(gold), len(votes[0][0])
    labels = range(n_labels)
    known = [any(own[i].sum() > 0 for own in votes) or gold[i] >= 0 for i in range(n)]

    def clamp(i: int, weights: list[float]) -> list[float]:
        total = sum(weights)
        if gold[i] >= 0:
            return [float(k == gold[i]) for k in labels]
        return [round(weight / total * STEPS) / STEPS if total else 0.0 for weight in weights]

    proba = [clamp(i, [sum(float(own[i][k]) for own in votes) for k in labels]) for i in range(n)]
    for _ in range(MAX_ROUNDS):
        shares = [1.0 + sum(proba[i][k] for i in range(n) if known[i]) for k in labels]
        thetas = []
        for own in votes:
            counts = [[sum(proba[i][k] * float(own[i][m]) for i in range(n)) for m in labels] for k in labels]
            right = (sum(counts[k][k] for k in labels) + 1.4) / (sum(map(sum, counts)) + 2.0)
            wrong = (1 - right) / (n_labels - 1)
            added = [[counts[k][m] + SMOOTHING * (right if k == m else wrong) for m in labels] for k in labels]
            thetas.append([[cell / sum(row) for cell in row] for row in added])
        before, proba = proba, []
        for i in range(n):
            logs = [
                math.log(shares[k] / sum(shares))
                + sum(
                    float(own[i][m]) * math.log(theta[k][m]) for own, theta in zip(votes, thetas, strict=True) for m in labels
                )
                for k in labels
            ]
            proba.append(clamp(i, [math.exp(log - max(logs)) for log in logs]))
        if max(abs(a - b) for x, y in zip(proba, before, strict=True) for a, b in zip(x, y, strict=True)) <= STEP:
            break
    return proba


@pytest.mark.parametrize("n_gold", [0, MIN_GOLD - 1])
@pytest.mark.parametrize("n_labels", [2, 4])
def test_it_is_plain_expectation_maximisation(n_gold: int, n_labels: int) -> None:
    right, votes = invent(60, n_labels, [0.9, 0.7, 0.6], seed=n_labels)
    gold = hide(right, n_gold)
    found = combine(votes, gold).proba
    assert np.abs(found - np.array(combine_slowly(votes, gold.tolist()))).max() <= 2 * STEP


@given(st.integers(0, 2**32), st.integers(1, 3), st.sampled_from([0, 5, 25]))
def test_the_order_of_the_rows_does_not_change_a_bit(seed: int, n_teachers: int, n_gold: int) -> None:
    right, votes = invent(50, 3, [0.8] * n_teachers, seed)
    gold, order = hide(right, n_gold), np.random.default_rng(seed).permutation(50)
    groups = [0] * n_teachers
    found, moved = combine(votes, gold, groups), combine([own[order] for own in votes], gold[order], groups)
    assert (found.proba[order] == moved.proba).all()
    assert (found.shares == moved.shares).all()
    assert all((a == b).all() for a, b in zip(found.confusions, moved.confusions, strict=True))
    assert (found.powers, found.uses_all_rows) == (moved.powers, moved.uses_all_rows)


def test_a_row_that_counts_twice_is_two_rows() -> None:
    right, votes = invent(40, 2, [0.8, 0.7, 0.7], seed=3)
    gold, weights = hide(right, 4), np.array([2, 1] * 20)
    twice = np.repeat(np.arange(40), weights)
    weighted = combine_votes([csr_matrix(own) for own in votes], gold, weights=weights)
    assert (weighted.proba[twice] == combine([own[twice] for own in votes], gold[twice]).proba).all()


def test_gold_labels_stay_whatever_teachers_say() -> None:
    right, votes = invent(80, 3, [0.9, 0.9, 0.9], seed=1)
    gold = np.where(np.arange(80) < 30, (right + 1) % 3, -1)  # all of them contradict the teachers
    assert (combine(votes, gold).proba[:30] == np.eye(3)[gold[:30]]).all()


def test_a_row_that_nobody_has_labelled_has_the_shares_and_no_say() -> None:
    right, votes = invent(60, 2, [0.9, 0.8, 0.7], seed=4, coverage=1.0)
    found = combine(votes, hide(right, 0))
    more = combine([np.concatenate([own, np.zeros((40, 2))]) for own in votes], np.full(100, -1))
    assert (more.proba[:60] == found.proba).all()
    assert np.abs(more.proba[60:] - found.shares).max() <= STEP


def test_a_teacher_that_abstains_everywhere_changes_nothing() -> None:
    right, votes = invent(60, 3, [0.9, 0.8, 0.7], seed=5)
    gold = hide(right, 10)
    assert (combine([*votes, np.zeros((60, 3))], gold).proba == combine(votes, gold).proba).all()


def test_a_perfect_teacher_gives_the_gold_labels() -> None:
    right, votes = invent(300, 4, [0.6, 0.5], seed=6)
    found = combine([np.eye(4)[right], *votes], hide(right, 50))
    assert (found.proba.argmax(axis=1) == right).all()


def test_the_confusion_of_each_teacher_is_found() -> None:
    rng = np.random.default_rng(7)
    right = rng.integers(2, size=4000)
    confusions = [np.array([[0.95, 0.05], [0.3, 0.7]]), np.array([[0.7, 0.3], [0.1, 0.9]]), np.array([[0.8, 0.2], [0.2, 0.8]])]
    votes = [np.eye(2)[(rng.random(4000) > own[right, 0]).astype(int)] for own in confusions]
    for n_gold in (0, 100):
        found = combine(votes, hide(right, n_gold)).confusions
        assert max(np.abs(a - b).max() for a, b in zip(found, confusions, strict=True)) < 0.06


def test_probabilities_are_weaker_than_certain_votes() -> None:
    right, votes = invent(400, 2, [0.9, 0.8, 0.7], seed=8, coverage=1.0)
    unsure = 0.6 * votes[0] + 0.4 * (1 - votes[0])
    sides = [combine([own, votes[1]], hide(right, 60)).proba.max(axis=1).mean() for own in (votes[0], unsure)]
    assert sides[0] > sides[1]


def test_gold_labels_see_that_teachers_have_the_same_errors() -> None:
    right, votes = invent(1000, 3, [0.9, 0.55, 0.5], seed=9, coverage=1.0)
    copied = [votes[0], votes[1], votes[1]]
    fooled, judged = combine(copied, hide(right, 0)), combine(copied, hide(right, 100))
    grouped = combine(copied, hide(right, 100), groups=[0, 1, 1])
    accuracies = [(own.proba.argmax(axis=1) == right).mean() for own in (fooled, judged, grouped)]
    assert min(accuracies[1:]) > accuracies[0] + 0.1
    assert (fooled.uses_all_rows, judged.uses_all_rows, grouped.powers) == (True, False, (1.0, 0.5, 0.5))


def test_two_halves_of_a_teacher_are_the_teacher() -> None:
    right, votes = invent(400, 3, [0.8, 0.7], seed=11)
    gold = hide(right, 40)
    for uses_all_rows in (True, False):
        halves = Panel.of([csr_matrix(votes[k]) for k in (0, 1, 1)], gold, None).combine((1.0, 0.5, 0.5), uses_all_rows)
        whole = Panel.of([csr_matrix(votes[k]) for k in (0, 1)], gold, None).combine((1.0, 1.0), uses_all_rows)
        assert np.abs(halves.proba - whole.proba).max() <= 0.02  # they begin at other majority votes


def test_left_out_rows_are_predicted_as_if_they_had_no_gold_label() -> None:
    right, votes = invent(60, 3, [0.9, 0.6], seed=12)
    panel = Panel.of([csr_matrix(own) for own in votes], right, None)
    found = panel.combine((1.0, 1.0), uses_all_rows=False)
    expected, known = [], []
    for row in range(60):
        gold = np.where(np.arange(60) == row, -1, right)
        without = Panel.of([csr_matrix(own) for own in votes], gold, None).combine((1.0, 1.0), uses_all_rows=False)
        expected.append(-math.log(without.proba[row, right[row]]))
        logs = np.log(found.shares) + sum(own[row] @ np.log(c).T for own, c in zip(votes, found.confusions, strict=True))
        known.append(-math.log(np.exp(logs)[right[row]] / np.exp(logs).sum()))
    errors, careless = (np.abs(np.array(own) - expected).mean() for own in (panel.leave_one_out(found), known))
    assert errors < careless / 3


def test_shares_come_from_all_rows() -> None:
    right, votes = invent(1000, 2, [0.85, 0.8, 0.75], seed=13, coverage=1.0)
    gold = np.where((np.arange(1000) < 200) & ((right == 0) | (np.arange(1000) < 20)), right, -1)  # hardly any of label 1
    panel = Panel.of([csr_matrix(own) for own in votes], gold, None)
    shares = panel.combine((1.0, 1.0, 1.0), uses_all_rows=False).shares
    assert shares[1] == pytest.approx(right.mean(), abs=0.1)


def test_independent_teachers_stay_single_even_if_somebody_groups_them() -> None:
    right, votes = invent(1000, 3, [0.8, 0.75, 0.7], seed=10, coverage=1.0)
    found = combine([*votes[:2], votes[1]], hide(right, 0), groups=[0, 0, 0])
    assert found.powers == (1.0, 1.0, 1.0)  # without gold labels nothing chooses
    assert combine(votes, hide(right, 200), groups=[0, 0, 0]).powers == (1.0, 1.0, 1.0)


def test_few_rows_of_a_label_borrow_from_the_others() -> None:
    counts = np.array([[90.0, 10.0, 0.0], [10.0, 90.0, 0.0], [0.0, 0.0, 1.0]])
    smoothed = smooth_confusion(counts)
    assert smoothed[2, 2] == pytest.approx((1 + SMOOTHING * 182.4 / 203) / (1 + SMOOTHING))
    assert smoothed.sum(axis=1) == pytest.approx(1)

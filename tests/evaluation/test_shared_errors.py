"""The exact test for common errors: equal to Fisher's for one label, and right as often as it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from tercet.evaluation.shared_errors import compare_errors


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_with_one_label_it_is_the_exact_test_of_fisher(pairs: list[tuple[bool, bool]]) -> None:
    wrong, other = (np.array(side) for side in zip(*pairs, strict=True))
    found = compare_errors(np.zeros(len(pairs), np.int64), wrong, other)
    table = [[(a & b).sum() for b in (other, ~other)] for a in (wrong, ~wrong)]
    assert found.p_value == pytest.approx(fisher_exact(table, alternative="greater").pvalue, abs=1e-9)
    assert (found.n, found.n_both) == (len(pairs), table[0][0])
    assert found.expected == pytest.approx(wrong.mean() * other.mean() * len(pairs))


def test_a_label_that_is_hard_for_both_is_no_shared_error() -> None:
    gold = np.repeat([0, 1], 100)
    hard = np.where(gold == 1, 0.5, 0.02)
    rng = np.random.default_rng(0)
    p_values = [compare_errors(gold, rng.random(200) < hard, rng.random(200) < hard).p_value for _ in range(400)]
    assert np.mean(np.array(p_values) < 0.05) <= 0.07
    pooled = [compare_errors(np.zeros(200, np.int64), rng.random(200) < hard, rng.random(200) < hard) for _ in range(20)]
    assert np.mean([own.p_value < 0.05 for own in pooled]) > 0.5  # without the labels it would be one


def test_the_same_errors_are_found() -> None:
    wrong = np.random.default_rng(1).random(100) < 0.2
    assert compare_errors(np.arange(100) % 4, wrong, wrong).p_value < 1e-6

"""Means of differences: exact sums, intervals that agree with their test, and notes where they are unreliable."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tercet.auditing.audit.differences import MAX_RESAMPLED, MeanDifference, estimate_means
from tercet.evaluation.resampling import Resampling


def judge(differences: Any, **plan: Any) -> MeanDifference:
    return estimate_means(np.array(differences, np.float64)[:, None], Resampling(**plan))[0]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8), st.randoms())
def test_differences_that_cancel_have_mean_0(values: list[float], order: Any) -> None:
    both = [*values, *(-value for value in values)]
    order.shuffle(both)
    found = judge(both, resamples=100)
    assert found.estimate.value == 0
    assert found.p_value == 1 or math.isfinite(found.error)
    assert found.estimate.low <= 0 <= found.estimate.high


@pytest.mark.parametrize("n", [120, MAX_RESAMPLED + 1])
def test_intervals_and_tests_of_normal_differences_are_those_of_student(n: int) -> None:
    differences = np.random.default_rng(1).normal(0.3, 1, n) * 3
    found, student = judge(differences), stats.ttest_1samp(differences, 0)
    low, high = student.confidence_interval(0.95)
    assert found.error == pytest.approx(stats.sem(differences))
    assert (found.estimate.low, found.estimate.high) == pytest.approx((low, high), abs=0.1 * (high - low))
    assert found.p_value == pytest.approx(student.pvalue, abs=0.02)
    assert found.estimate.note == ""


@pytest.mark.parametrize("seed", range(10))
def test_the_interval_excludes_0_where_the_test_rejects_it(seed: int) -> None:
    found = judge(np.random.default_rng(seed).exponential(size=40) - 0.7, confidence=0.95, resamples=2000)
    assert (found.p_value < 0.05) == (not found.estimate.low <= 0 <= found.estimate.high)


def test_all_columns_are_estimated_as_if_alone() -> None:
    differences = np.random.default_rng(0).normal(size=(50, 3))
    for together, alone in zip(estimate_means(differences), map(judge, differences.T), strict=True):
        assert together.estimate.value == alone.estimate.value
        assert together.estimate.low == pytest.approx(alone.estimate.low, abs=1e-12)
        assert together.p_value == alone.p_value


def test_equal_differences_have_no_interval_and_the_p_of_the_sign_test() -> None:
    assert judge([0.0] * 9).p_value == 1
    found = judge([0.25] * 5)
    assert (found.estimate.low, found.estimate.high, found.p_value) == (0.25, 0.25, 2 * 0.5**5)
    assert "width is unknown" in found.estimate.note
    assert math.isnan(found.compute_detectable(0.05))
    rounded = judge([0.1 + 0.2, 0.3, 0.3])
    assert "equal" in rounded.estimate.note


def test_one_cell_has_no_interval() -> None:
    found = judge([0.5])
    assert found.p_value == 1
    assert "at least two cells" in found.estimate.note
    assert found.cut((-1, 1)).estimate.low == -1


def test_few_cells_and_few_different_cells_are_flagged() -> None:
    rng = np.random.default_rng(0)
    assert judge(rng.normal(size=10)).estimate.note == "unreliable: only 10 cells"
    few = np.where(np.arange(144) < 29, rng.normal(size=144), 0)
    assert judge(few).estimate.note == "unreliable: 115 of 144 cells have the same difference"
    assert judge(np.where(np.arange(144) < 30, few + 1, 0)).estimate.note == ""
    assert judge(np.where(np.arange(144) < 1, 50, rng.normal(size=144))).estimate.note == ""  # an outlier is no reason
    assert [judge(rng.normal(size=n)).estimate.note for n in (99, 100)] == ["unreliable: only 99 cells", ""]


def test_detectable_differences_are_detected_in_80_percent_of_the_audits() -> None:
    rng, n, level = np.random.default_rng(0), 50, 0.05
    detectable = judge(rng.normal(size=n)).compute_detectable(level)
    shown = stats.ttest_1samp(rng.normal(detectable, 1, (n, 4000)), 0).pvalue < level
    assert shown.mean() == pytest.approx(0.8, abs=0.1)
    one = judge(rng.normal(size=n))
    assert one.compute_detectable(0.01) > one.compute_detectable(0.05)

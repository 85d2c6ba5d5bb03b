"""Intervals of proportions and means against scipy's, and what an Estimate shows."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tercet
from tercet.errors import InvalidOption
from tercet.evaluation.intervals import (
    Estimate,
    clopper_pearson,
    estimate_proportion,
    estimate_student,
    format_rounded,
    note_rare_labels,
    wald,
    wilson,
)


@st.composite
def proportions(draw: Any) -> tuple[int, int]:
    n = draw(st.integers(1, 5000))
    return draw(st.integers(0, n) | st.sampled_from([0, n])), n


def test_the_normal_interval_of_the_textbook() -> None:
    estimate = wald(615, 1000)
    assert (round(estimate.low, 5), round(estimate.high, 5)) == (0.58484, 0.64516)
    assert (estimate.value, estimate.confidence, estimate.method, estimate.note) == (0.615, 0.95, "wald", "")


@given(proportions(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_wilson_and_clopper_pearson_are_those_of_scipy(proportion: tuple[int, int], confidence: float) -> None:
    test = stats.binomtest(*proportion)
    for ours, name in ((wilson, "wilson"), (clopper_pearson, "exact")):
        estimate, theirs = ours(*proportion, confidence), test.proportion_ci(confidence, method=name)
        assert (estimate.low, estimate.high) == pytest.approx((theirs.low, theirs.high), abs=1e-10)


@given(proportions(), st.floats(0.01, 0.999), st.sampled_from(["wald", "wilson", "clopper_pearson"]))
def test_a_proportion_lies_in_its_interval_and_that_within_0_and_1(
    proportion: tuple[int, int], confidence: float, method: str
) -> None:
    estimate = estimate_proportion(*proportion, confidence, method)
    assert 0 <= estimate.low <= estimate.value + 1e-15
    assert estimate.value - 1e-15 <= estimate.high <= 1


def test_nothing_right_is_not_surely_nothing() -> None:
    for interval in (wilson, clopper_pearson):
        assert interval(0, 10).low == 0 == 1 - interval(10, 10).high
        assert interval(0, 10).high == pytest.approx(1 - interval(10, 10).low)
        assert interval(0, 10).high > 0.2


def test_without_documents_a_proportion_is_undefined() -> None:
    estimate = wilson(0, 0)
    assert all(map(math.isnan, (estimate.value, estimate.low, estimate.high)))
    assert "no document" in estimate.note


@given(st.floats(0.01, 0.99), st.floats(1, 1000))
def test_a_weighted_proportion_lies_between_its_whole_neighbours(share: float, n: float) -> None:
    widths = [wilson(share * size, size).high - wilson(share * size, size).low for size in (n, n + 1)]
    assert widths[0] > widths[1] > 0


def test_the_mean_has_the_interval_of_student() -> None:
    values = np.random.default_rng(0).exponential(size=30)
    theirs = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    estimate = estimate_student(values.mean(), stats.sem(values), 30, 0.9, (-math.inf, math.inf))
    assert (estimate.low, estimate.high) == pytest.approx((theirs.low, theirs.high))
    cut = estimate_student(values.mean(), stats.sem(values), 30, 0.9, (1.0, 1.1))
    assert (cut.low, cut.high) == (max(theirs.low, 1.0), min(theirs.high, 1.1))


def test_an_estimate_is_a_number_and_prints_its_interval() -> None:
    estimate = Estimate(0.615, 0.58484, 0.64516, 0.95, "wald")
    assert (float(estimate), str(estimate), f"{estimate:.1%}", f"{estimate}") == (
        0.615,
        "0.615 [0.585, 0.645]",
        "61.5% [58.5%, 64.5%]",
        "0.615 [0.585, 0.645]",
    )
    assert estimate.add_note("few").add_note("odd").note == "few; odd"
    with pytest.raises(AttributeError):
        estimate.value = 1.0  # type: ignore[misc]


@given(
    n_digits=st.integers(0, 17),
    unit=st.sampled_from("f%"),
    sign=st.sampled_from(["", "+"]),
    value=st.floats(-1, 1)
    | st.builds(lambda near, far: near + far, st.sampled_from([-1, 0, 1]), st.floats(-1e-6, 1e-6))
    | st.floats(-100, 100),
)
def test_a_number_is_shown_as_it_is_with_any_number_of_digits(value: float, n_digits: int, unit: str, sign: str) -> None:
    shown = format_rounded(value, f"{sign}.{n_digits}{unit}")
    number = float(shown.lstrip("<>").rstrip("%")) / (100 if unit == "%" else 1)
    step = 10.0 ** -(n_digits + 2 * (unit == "%"))
    if shown[0] in "<>":
        assert (value < number) == (shown[0] == "<")
        assert abs(value - round(value)) < min(step, 1e-7)
    else:
        assert abs(value - number) <= step / 2 + 1e-14 * max(1, abs(value))


def test_an_accuracy_with_ten_digits_is_that_accuracy() -> None:
    report = tercet.evaluate(["a", "b"] * 100, ["a", "b"] * 41 + ["a"] * 118)
    assert f"{report.accuracy:.10f}".startswith("0.7050000000 [0.6384")
    assert f"{report.accuracy:.8%}".startswith("70.50000000% [63.84")


def test_a_metric_that_rests_on_rare_labels_is_called_unreliable() -> None:
    labels = np.array(["a", "b", "c", "d", "e"])
    assert note_rare_labels(labels, [10, 11, 0, 12, 13]) == ""
    note = note_rare_labels(labels, [1, 2, 3, 4, 100])
    assert note == "unreliable: rests on few gold documents of 'a' (1), 'b' (2), 'c' (3) and 1 more labels"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 2), "3 successes of 2"),
        ((-1, 2), "-1 successes"),
        ((math.nan, 2), "nan successes"),
        ((1, math.inf), "of inf"),
        (("1", 2), "'1' successes"),
        ((1, 2, 95), "confidence must be a number between 0 and 1, got 95"),
        ((1, 2, 1.0), "confidence"),
        ((1, 2, 0.95, "jeffreys"), "method must be one of wald, wilson, clopper_pearson"),
    ],
)
def test_what_is_no_proportion_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        estimate_proportion(*arguments)

"""Precision–recall curves and thresholds: scikit-learn as oracle, ties, weights, groups, and bad input."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sklearn.metrics
from helpers.invented_answers import forecasts
from hypothesis import given
from hypothesis import strategies as st

from tercet import evaluate
from tercet.errors import InvalidLabel, InvalidOption
from tercet.evaluation.intervals import wilson
from tercet.evaluation.probabilities import ProbabilisticPredictions
from tercet.evaluation.resampling import DEFAULT
from tercet.evaluation.roc_and_precision_recall import compute_precision_recall_curve, find_threshold, measure_threshold

Case = tuple[Any, Any, Any]


def forecast_of(case: Case) -> ProbabilisticPredictions:
    gold, probabilities, weights = case
    return ProbabilisticPredictions.of(gold, probabilities, range(probabilities.shape[1]), weights)


@given(forecasts())
def test_the_curve_equals_that_of_scikit_learn(case: Case) -> None:
    gold, probabilities, weights = case
    for label, scores in enumerate(probabilities.T):
        curve = compute_precision_recall_curve(forecast_of(case), label)
        if not np.bincount(gold == label, weights, minlength=2)[1]:
            assert np.isnan(curve.recall).all()
            continue
        # scikit-learn adds a last point without a threshold.
        precision, recall, thresholds = sklearn.metrics.precision_recall_curve(gold == label, scores, sample_weight=weights)
        np.testing.assert_allclose(curve.thresholds, thresholds)
        np.testing.assert_allclose(curve.precision, precision[:-1])
        np.testing.assert_allclose(curve.recall, recall[:-1])


@given(forecasts(), st.sampled_from([0.1, 0.5, 0.9, 1.0]))
def test_a_threshold_has_the_precision_and_no_lower_one_has_it(case: Case, wanted: float) -> None:
    gold, probabilities, weights = case
    weights = np.ones(len(gold)) if weights is None else weights
    for label, scores in enumerate(probabilities.T):
        found = find_threshold(forecast_of(case), label, wanted, DEFAULT)
        used = scores[weights > 0]
        precisions = {p: np.average(gold[scores >= p] == label, weights=weights[scores >= p]) for p in used}
        enough = [p for p, precision in precisions.items() if precision >= wanted - 1e-9]
        assert found.best == pytest.approx(max(precisions.values()))
        if not enough:
            assert not found.is_reached
            assert found.threshold == math.inf
            assert found.answered.value == 0
            continue
        lowest = min(enough)
        assert (used >= found.threshold).tolist() == (used >= lowest).tolist()
        assert found.precision.value == pytest.approx(precisions[lowest])
        answered = (scores >= found.threshold) & (weights > 0)
        assert found.answered.value == pytest.approx(weights[answered].sum() / weights.sum())


def invent_report(n: int = 400, **options: Any) -> Any:
    rng = np.random.default_rng(3)
    gold = rng.choice(["ham", "spam"], n)
    spam = np.where(gold == "spam", 0.4, 0.0) + 0.6 * rng.random(n)
    predicted = np.where(spam >= 0.5, "spam", "ham")
    return evaluate(gold, predicted, np.column_stack([1 - spam, spam]), **options), gold, spam


def test_the_intervals_are_wilsons_of_the_documents_behind_each_share() -> None:
    report, gold, spam = invent_report()
    found = report.threshold("spam", precision=0.95)
    answered, is_spam = spam >= found.threshold, gold == "spam"
    right = int((answered & is_spam).sum())
    for estimate, expected in [
        (found.precision, wilson(right, int(answered.sum()))),
        (found.recall, wilson(right, int(is_spam.sum()))),
        (found.answered, wilson(int(answered.sum()), len(gold))),
    ]:
        assert (estimate.value, estimate.low, estimate.high) == (expected.value, expected.low, expected.high)
    assert found.n == 400


def test_a_chosen_threshold_says_that_it_was_chosen_on_these_documents() -> None:
    report, _, _ = invent_report()
    chosen = report.threshold("spam", precision=0.95)
    given_again = report.at_threshold("spam", chosen.threshold)
    assert "chosen on these documents" in chosen.precision.note
    assert given_again.precision.note == ""
    assert (given_again.wanted, given_again.precision.value) == (None, chosen.precision.value)


def test_equal_probabilities_are_answered_together() -> None:
    forecast = ProbabilisticPredictions.of(["a", "a", "b"], [[0.5, 0.5]] * 3)
    assert compute_precision_recall_curve(forecast, "a").thresholds.tolist() == [0.5]
    assert not find_threshold(forecast, "a", 0.9, DEFAULT).is_reached


def test_a_threshold_is_a_short_number_that_can_be_typed() -> None:
    report, _, spam = invent_report()
    found = report.threshold("spam", precision=0.95)
    assert len(str(found.threshold)) < 8
    assert found.threshold not in spam
    assert measure_threshold(report.sample.forecast, "spam", float(str(found.threshold)), DEFAULT).recall == found.recall


def test_weights_and_groups_change_the_intervals_and_not_the_shares_of_equal_weights() -> None:
    rng = np.random.default_rng(0)
    plain = invent_report()[0].threshold("spam")
    doubled = invent_report(weights=np.full(400, 2.0))[0].threshold("spam")
    grouped = invent_report(groups=rng.integers(0, 30, 400))[0].threshold("spam")
    assert doubled.threshold == grouped.threshold == plain.threshold
    assert doubled.precision.value == pytest.approx(plain.precision.value)
    assert grouped.precision.low != plain.precision.low
    weighted = invent_report(weights=rng.random(400))[0].threshold("spam")
    width = plain.answered.high - plain.answered.low
    assert weighted.answered.high - weighted.answered.low > width


def test_a_precision_that_no_threshold_has_is_told_with_the_highest_one() -> None:
    report = evaluate(["a", "b"] * 20, ["a", "a", "b", "b"] * 10, [[0.7, 0.3]] * 40)
    found = report.threshold("a", precision=0.9)
    assert str(found) == "no threshold gives 'a' a precision of 0.9: the highest is 0.500"
    assert found.recall.value == found.answered.value == 0
    assert math.isnan(found.precision.value)


def test_a_precision_that_is_missed_by_a_rounding_error_of_the_weights_is_reached() -> None:
    weighted = ProbabilisticPredictions.of(["a"] * 10 + ["b"] * 2, [[0.5, 0.5]] * 12, weights=[0.1] * 12)
    assert compute_precision_recall_curve(weighted, "a").precision[0] < 10 / 12
    assert find_threshold(weighted, "a", 10 / 12, DEFAULT).threshold == 0.5


def test_a_label_that_no_document_has_is_never_precise() -> None:
    forecast = ProbabilisticPredictions.of(["a", "b"], [[0.7, 0.1, 0.2], [0.1, 0.7, 0.2]], labels=["a", "b", "c"])
    found = find_threshold(forecast, "c", 0.95, DEFAULT)
    assert (found.is_reached, found.best) == (False, 0.0)


@pytest.mark.parametrize("precision", [0, -1, 1.1, math.nan, "0.9", None])
def test_a_precision_that_is_no_share_is_refused(precision: Any) -> None:
    with pytest.raises(InvalidOption, match="precision must be a number above 0 and at most 1"):
        invent_report(20)[0].threshold("spam", precision=precision)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, math.nan, "0.9", None])
def test_a_threshold_that_is_no_probability_is_refused(threshold: Any) -> None:
    with pytest.raises(InvalidOption, match="threshold must be a number from 0 to 1"):
        invent_report(20)[0].at_threshold("spam", threshold)


def test_a_label_without_probabilities_is_refused() -> None:
    with pytest.raises(InvalidLabel, match=r"no probabilities are known for the label 'spma': there is 'ham', 'spam'\."):
        invent_report(20)[0].threshold("spma")
    with pytest.raises(InvalidOption, match="the report has no probabilities"):
        evaluate(["a", "b"], ["a", "b"]).curve("a")


def test_the_thresholds_of_a_report_are_in_every_form() -> None:
    report, _, _ = invent_report()
    chosen = (report.threshold("spam"), evaluate(["a", "b"] * 8, ["a", "a", "b", "b"] * 4, [[0.7, 0.3]] * 16).threshold("a"))
    shown = replace(report, thresholds=chosen)
    assert [each["threshold"] for each in shown.to_dict()["thresholds"]] == [chosen[0].threshold, None]
    for form in (shown.to_table(), shown.to_markdown(), shown.to_html()):
        assert str(chosen[0].threshold) in form
        assert "at most 0.500" in form
        assert "chosen on these documents" in form
        assert "undefined" not in form

"""evaluate(interval=...): each interval by its name, on the metrics that it fits."""

import math
from typing import Any

import numpy as np
import pytest
from helpers.invented_answers import Answers, any_answers, invent_probabilities
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import tercet
from tercet.errors import InvalidOption
from tercet.evaluation.probabilities import PROBABILITY_METRICS
from tercet.evaluation.resampling import INTERVALS
from tercet.report.report import Report

SHARES = ("accuracy", "precision:spam", "recall:spam", "micro_f1")
DRAWN = ("percentile", "bca")


def course() -> tuple[list[str], list[str]]:
    """1000 documents, of which 615 have the right answer."""
    return ["spam"] * 500 + ["ham"] * 500, ["spam"] * 300 + ["ham"] * 200 + ["ham"] * 315 + ["spam"] * 185


def f_beta(gold: Any, predicted: Any, label: str, beta: float) -> float:
    """By precision and recall, as in textbooks."""
    right = np.sum((gold == label) & (predicted == label))
    precision, recall = right / np.sum(predicted == label), right / np.sum(gold == label)
    return float((1 + beta**2) * precision * recall / (beta**2 * precision + recall))


def rank_area(is_own: Any, probability: Any) -> float:
    """The area under the ROC curve, by the rank sum of Wilcoxon."""
    n = np.sum(is_own)
    return float((stats.rankdata(probability)[is_own].sum() - n * (n + 1) / 2) / (n * (len(is_own) - n)))


def measure(interval: str | None, **options: Any) -> Report:
    return tercet.evaluate(*course(), interval=interval, **options)


def test_the_wald_interval_of_the_course() -> None:
    accuracy = measure("wald", metrics=["accuracy"]).accuracy
    assert accuracy.value == 0.615
    assert (round(accuracy.low, 5), round(accuracy.high, 5)) == (0.58484, 0.64516)
    width = 1.96 * math.sqrt(0.615 * 0.385 / 1000)
    assert (accuracy.low, accuracy.high) == pytest.approx((0.615 - width, 0.615 + width), abs=5e-6)


def test_the_percentile_bootstrap_of_the_course() -> None:
    """The 2.5 % and 97.5 % quantiles of the accuracy of resamples, which are binomial."""
    accuracy = measure("percentile", metrics=["accuracy"]).accuracy
    exact = stats.binom(1000, 0.615).ppf([0.025, 0.975]) / 1000
    assert (accuracy.low, accuracy.high) == pytest.approx(exact, abs=0.0015)
    assert accuracy.method == "percentile"


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize(("interval", "theirs"), [("wilson", "wilson"), ("clopper_pearson", "exact")])
def test_intervals_of_shares_are_those_of_scipy(name: str, interval: str, theirs: str) -> None:
    gold, predicted = map(np.array, course())
    is_counted = {"precision:spam": predicted == "spam", "recall:spam": gold == "spam"}.get(name, gold == gold)
    n, right = int(is_counted.sum()), int((is_counted & (gold == predicted)).sum())
    wanted = stats.binomtest(right, n).proportion_ci(0.9, method=theirs)
    found = measure(interval, confidence=0.9)[name]
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-10)
    assert (found.method, found.confidence) == (interval, 0.9)


@pytest.mark.parametrize("interval", DRAWN)
@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "f2:spam"])
def test_bootstrap_intervals_are_those_of_scipy(interval: str, name: str) -> None:
    gold, predicted = (np.array(side)[::10] for side in course())

    def score(rows: Any) -> float:
        g, p = gold[rows], predicted[rows]
        if name == "accuracy":
            return float(np.mean(g == p))
        return f_beta(g, p, "spam", 2) if name == "f2:spam" else (f_beta(g, p, "spam", 1) + f_beta(g, p, "ham", 1)) / 2

    plan = {"n_resamples": 400, "rng": np.random.default_rng(0), "method": interval.replace("bca", "BCa")}
    theirs = stats.bootstrap((np.arange(len(gold)),), score, vectorized=False, **plan).confidence_interval
    ours = tercet.evaluate(gold, predicted, interval=interval)[name]
    width = theirs.high - theirs.low
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.15 * width)
    assert ours.method == interval


@pytest.mark.parametrize("interval", DRAWN)
@pytest.mark.parametrize("has_groups", [False, True])
def test_metrics_of_probabilities_are_bootstrapped_as_scipy_does(interval: str, has_groups: bool) -> None:
    gold, predicted, probabilities = invent_probabilities(200)
    names, groups = list(PROBABILITY_METRICS), np.arange(200) // 2 if has_groups else None
    options: dict[str, Any] = {"metrics": names, "groups": groups, "resamples": 2000}
    report = tercet.evaluate(gold, predicted, probabilities, interval=interval, **options)
    units = np.arange(200).reshape(-1, 2 if has_groups else 1)

    def score(drawn: Any) -> float:
        rows = units[drawn].ravel()
        if name == "log_loss":
            return float(-np.log(probabilities[rows, gold[rows]]).mean())
        return float(np.mean([rank_area(gold[rows] == k, probabilities[rows, k]) for k in range(3)]))

    for name in ("log_loss", "roc_auc"):
        plan = {"n_resamples": 250, "rng": np.random.default_rng(0), "method": interval.replace("bca", "BCa")}
        theirs = stats.bootstrap((np.arange(len(units)),), score, vectorized=False, **plan).confidence_interval
        width = theirs.high - theirs.low
        assert (report[name].low, report[name].high) == pytest.approx((theirs.low, theirs.high), abs=0.2 * width)
    assert {report[name].method for name in names} <= {interval, "spread"}
    assert "true value may be lower" in report["calibration_error"].note


def test_the_interval_of_a_skewed_metric_is_corrected_as_scipy_does() -> None:
    own, gold = np.where(np.arange(40) % 10, 0.95, 0.01), np.repeat([0, 1], 20)
    probabilities = np.where(gold[:, None] == [0, 1], own[:, None], 1 - own[:, None])
    ours = tercet.evaluate(gold, gold, probabilities, metrics=["log_loss"], interval="bca")["log_loss"]
    plan = {"n_resamples": 10_000, "rng": np.random.default_rng(0), "method": "BCa"}
    theirs = stats.bootstrap((-np.log(own),), np.mean, **plan).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=0.03)


def test_an_interval_of_shares_leaves_other_metrics_as_they_are() -> None:
    gold, predicted, probabilities = invent_probabilities()
    usual = tercet.evaluate(gold, predicted, probabilities, resamples=500)
    wald = tercet.evaluate(gold, predicted, probabilities, interval="wald", resamples=500)
    for name in ("macro_f1", "kappa", "f1:0", "log_loss"):
        assert wald[name] == usual[name]
    assert {wald[name].method for name in ("accuracy", "precision:0", "recall:2", "micro_recall")} == {"wald"}
    assert usual.accuracy == tercet.evaluate(gold, predicted, interval="wilson", resamples=500).accuracy


def test_the_report_says_which_number_has_which_interval() -> None:
    report = measure("wald", metrics=["accuracy", "macro_f1"], resamples=100)
    told = "intervals: wald for accuracy, precision, recall; bca for macro_f1, f1, better by"
    for form in (str(report), report.to_markdown(), report.to_html()):
        assert told in form.replace(r"\_", "_")
    assert "|interval:wald95+bca95|" in report.signature
    assert "|interval:wald95|" in report.sign("accuracy")
    assert "|interval:bca95|" in report.sign("macro_f1")
    assert report.to_dict()["metrics"]["accuracy"]["method"] == "wald"
    assert list(report.to_frame()["method"])[:2] == ["wald", "bca"]
    assert "intervals:" not in str(measure(None, resamples=100))


@pytest.mark.parametrize("interval", INTERVALS)
def test_slices_thresholds_and_metrics_asked_for_later_have_the_same_interval(interval: str) -> None:
    gold, predicted, probabilities = invent_probabilities()
    slices = {"half": np.arange(300) % 2}
    report = tercet.evaluate(gold, predicted, probabilities, slices=slices, interval=interval, resamples=200)
    found = [report.slices["half"][1].accuracy, report.at_threshold(0, 0.5).precision, report["recall:1"]]
    assert {estimate.method for estimate in found} == {interval}


@pytest.mark.parametrize("interval", ["wilson", "wald", "clopper_pearson"])
def test_equal_weights_change_no_interval_and_other_weights_keep_its_name(interval: str) -> None:
    plain, weighted = measure(interval, resamples=50), measure(interval, weights=[2.0] * 1000, resamples=50)
    for name in SHARES:
        assert (weighted[name].low, weighted[name].high) == pytest.approx((plain[name].low, plain[name].high))
    uneven = measure(interval, weights=np.arange(1000) % 3 + 1.0, resamples=50).accuracy
    assert uneven.method == interval
    assert uneven.high - uneven.low > plain.accuracy.high - plain.accuracy.low


@pytest.mark.parametrize("interval", INTERVALS)
def test_groups_of_copies_are_as_wide_as_single_documents(interval: str) -> None:
    gold, predicted = course()
    copies = tercet.evaluate(
        np.repeat(gold, 4), np.repeat(predicted, 4), groups=np.arange(4000) // 4, interval=interval, metrics=["accuracy"]
    ).accuracy
    plain = measure(interval, metrics=["accuracy"]).accuracy
    assert copies.method == interval
    assert (copies.low, copies.high) == pytest.approx((plain.low, plain.high), abs=0.002)


@pytest.mark.parametrize("interval", DRAWN)
def test_groups_of_copies_are_drawn_whole_for_metrics_of_probabilities(interval: str) -> None:
    gold, predicted, probabilities = invent_probabilities(200)
    options: dict[str, Any] = {"metrics": ["log_loss", "roc_auc"], "interval": interval, "resamples": 3000}
    plain = tercet.evaluate(gold, predicted, probabilities, **options).estimates
    rows = np.repeat(np.arange(200), 4)
    copies = tercet.evaluate(gold[rows], predicted[rows], probabilities[rows], groups=rows, **options).estimates
    for name, estimate in plain.items():
        width = estimate.high - estimate.low
        assert (copies[name].low, copies[name].high) == pytest.approx((estimate.low, estimate.high), abs=0.1 * width)


def test_the_wald_interval_of_a_share_of_1_says_that_it_has_no_width() -> None:
    report = tercet.evaluate(["a", "b"] * 50, ["a", "b"] * 50, interval="wald", metrics=["accuracy"], resamples=50)
    assert (report.accuracy.low, report.accuracy.high) == (1, 1)
    assert "take wilson" in report.accuracy.note


@given(any_answers(), st.sampled_from(INTERVALS))
@settings(max_examples=60)
@pytest.mark.filterwarnings("ignore::tercet.evaluation.sample.UndefinedMetric")
def test_every_number_lies_in_its_interval_and_names_it(answers: Answers, interval: str) -> None:
    report = tercet.evaluate(*answers[:2], weights=answers.weights, interval=interval, resamples=50)
    for name, estimate in report.estimates.items():
        low, high = report.sample.find(name).bounds  # type: ignore[union-attr]
        if not math.isnan(estimate.low):
            assert low - 1e-9 <= estimate.low <= estimate.value + 1e-9
            assert estimate.value - 1e-9 <= estimate.high <= high + 1e-9
        assert estimate.method in report.sign(name)


@pytest.mark.parametrize("interval", ["jeffreys", "Wald", "", 3, True])
def test_an_unknown_interval_is_refused_with_the_known_ones(interval: Any) -> None:
    with pytest.raises(InvalidOption, match="interval must be one of wald, wilson, clopper_pearson, percentile, bca, got"):
        measure(interval)


@pytest.mark.parametrize("confidence", [0, 1, 1.5, math.nan, "0.95"])
def test_a_confidence_that_is_no_share_is_refused(confidence: Any) -> None:
    with pytest.raises(InvalidOption, match="confidence must be a number between 0 and 1"):
        measure("wald", confidence=confidence)
    with pytest.raises(InvalidOption, match="confidence must be a number between 0 and 1"):
        tercet.compare(["a", "b"], {"x": ["a", "b"], "y": ["b", "b"]}, confidence=confidence)

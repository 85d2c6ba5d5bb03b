"""Documents in groups, with weights, or with many labels: standard errors, coverage, the level of tests, and warnings."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import tercet
from tercet.evaluation.baseline import list_majority_metrics
from tercet.evaluation.confusion import Confusion, sum_cells
from tercet.evaluation.metrics import METRICS, derive_metric, find_metric
from tercet.evaluation.resampling import Resampling, SamplingUnits
from tercet.evaluation.sample import EvaluatedDocuments, Sample
from tercet.evaluation.significance import bootstrap_pair, compare_pair

QUICK = Resampling(resamples=300)
ACCURACY = METRICS["accuracy"]


def invent_groups(rng: np.random.Generator, n_groups: int, n_systems: int = 1) -> tuple[Any, list[Any], Any]:
    """Gold, the answers of equally good systems, and groups of unequal size, each with its own accuracy."""
    groups = np.repeat(np.arange(n_groups), np.maximum(2, 25 * rng.lognormal(0, 0.6, n_groups)).astype(int))
    gold = rng.integers(2, size=len(groups))
    right = rng.beta(3.2, 0.8, size=(n_systems, n_groups))  # 0.8 on average
    return gold, [np.where(rng.random(len(gold)) < own[groups], gold, 1 - gold) for own in right], groups


def estimate_accuracy(gold: Any, predicted: Any, weights: Any = None, groups: Any = None) -> Any:
    documents = EvaluatedDocuments(np.arange(2), gold, predicted, weights, groups)
    return Sample.of_documents(documents, QUICK).estimate(["accuracy"])[0]


# How often


def test_intervals_of_few_groups_cover_the_truth() -> None:
    """By the bootstrap it was 84 % for 8 groups."""
    rng, hits = np.random.default_rng(0), 0
    for _ in range(500):
        gold, (predicted,), groups = invent_groups(rng, 8)
        estimate = estimate_accuracy(gold, predicted, groups=groups)
        hits += estimate.low <= 0.8 <= estimate.high
    assert 0.92 < hits / 500 < 0.99


def test_intervals_of_weighted_documents_cover_the_truth() -> None:
    """Errors have 2.5 times the weight of other documents. With the effective sample size alone it was 85 %."""
    rng, hits, truth = np.random.default_rng(1), 0, 0.95 / (0.95 + 2.5 * 0.05)
    for _ in range(500):
        gold, is_right = rng.integers(2, size=500), rng.random(500) < 0.95
        weights = rng.lognormal(size=500) * np.where(is_right, 1, 2.5)
        estimate = estimate_accuracy(gold, np.where(is_right, gold, 1 - gold), weights=weights)
        hits += estimate.low <= truth <= estimate.high
    assert hits / 500 > 0.9


@pytest.mark.parametrize("n_groups", [8, 20])
def test_the_paired_bootstrap_of_few_groups_keeps_its_level(n_groups: int) -> None:
    """Without the correction it claimed a difference in 13 % of the pairs with 8 groups, and in 9 % with 20."""
    rng, claims, hits = np.random.default_rng(2), 0, 0
    for seed in range(400):
        gold, answers, groups = invent_groups(rng, n_groups, 2)
        units = SamplingUnits.of_documents(gold, answers, 2, groups=groups)
        claims += bootstrap_pair(units, ACCURACY, Resampling(resamples=300, seed=seed)) < 0.05
        if n_groups == 8:
            estimate = compare_pair(units, ACCURACY, "paired_bootstrap", QUICK).estimate
            hits += estimate.low <= 0 <= estimate.high
    assert claims / 400 < 0.075
    assert n_groups > 8 or hits / 400 > 0.92


# What is exact


@given(st.integers(2, 5), st.integers(0, 2**16))
def test_a_derivative_is_the_change_by_a_small_part(n_labels: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix, part = rng.integers(1, 9, (n_labels, n_labels)).astype(float), rng.random((n_labels, n_labels))
    sample = Sample.of(Confusion.from_matrix(np.arange(n_labels), matrix, int(matrix.sum())))
    metrics = [*METRICS.values(), *(find_metric(name, np.arange(n_labels)) for name in ("macro_f2", "weighted_f0.5", "f1:0"))]
    for metric in [*metrics, *list_majority_metrics(sample, METRICS)]:
        if np.isnan(metric(matrix)):
            continue
        derivative = derive_metric(metric, sum_cells(matrix))
        change = sum(float(own @ added) for own, added in zip(derivative, sum_cells(part), strict=True))
        above, below = (float(metric(matrix + sign * 1e-6 * part)) for sign in (1, -1))
        assert change == pytest.approx((above - below) / 2e-6, abs=1e-6), (metric.name, metric.part)


def test_the_error_of_equal_groups_is_that_of_the_mean_of_their_accuracies() -> None:
    rng = np.random.default_rng(3)
    groups, gold = np.repeat(np.arange(20), 10), np.ones(200, np.int64)
    predicted = (rng.random(200) < rng.beta(8, 2, 20)[groups]).astype(np.int64)
    estimate = estimate_accuracy(gold, predicted, groups=groups)
    accuracies = predicted.reshape(20, 10).mean(axis=1)
    value, error = accuracies.mean(), stats.sem(accuracies)
    width = stats.t.ppf(0.975, 19) * error / (value * (1 - value))
    logit = math.log(value / (1 - value))
    assert (estimate.low, estimate.high) == pytest.approx(tuple(1 / (1 + np.exp(-(logit + np.array([-width, width]))))))


@given(st.integers(0, 2**16), st.sampled_from([1e-40, 0.001, 1000.0, 1e40]))
@settings(max_examples=25)
def test_the_scale_of_weights_changes_nothing_and_weight_0_is_no_document(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    gold, weights = rng.integers(3, size=60), rng.lognormal(size=60)
    predicted = np.where(rng.random(60) < 0.8, gold, rng.integers(3, size=60))
    one = tercet.evaluate(gold, predicted, weights=weights, metrics=["accuracy", "macro_f1", "mcc"])
    other = tercet.evaluate(gold, predicted, weights=scale * weights, metrics=["accuracy", "macro_f1", "mcc"])
    longer = tercet.evaluate(
        np.append(gold, gold),
        np.append(predicted, 2 - gold),
        weights=np.append(weights, 0 * weights),
        metrics=list(one.estimates),
    )
    for report in (other, longer):
        for name, estimate in one.estimates.items():
            assert (report[name].value, report[name].low, report[name].high) == pytest.approx(
                (estimate.value, estimate.low, estimate.high), abs=1e-9
            )


def test_if_all_groups_are_right_the_interval_is_that_of_so_many_documents() -> None:
    gold = np.arange(60) % 2
    estimate = estimate_accuracy(gold, gold, groups=np.arange(60) // 4)
    assert (estimate.value, estimate.high, estimate.method) == (1, 1, "wilson")
    assert 0.7 < estimate.low < 0.8  # of 15 documents


def test_many_labels_have_the_intervals_that_the_bootstrap_gives() -> None:
    rng = np.random.default_rng(4)
    gold = rng.integers(300, size=9000)
    predicted = np.where(rng.random(9000) < 0.8, gold, rng.integers(300, size=9000))
    by_errors = tercet.evaluate(gold, predicted)
    drawn = tercet.evaluate(gold, predicted, resamples=1000)
    assert (by_errors.macro_f1.method, drawn.macro_f1.method) == ("logit", "bca")
    for name in ("balanced_accuracy", "macro_f1", "weighted_f1", "mcc", "kappa"):
        ours, theirs = by_errors[name], drawn[name]
        assert ours.value == pytest.approx(theirs.value)
        assert ours.high - ours.low == pytest.approx(theirs.high - theirs.low, rel=0.2)
    assert by_errors.accuracy == drawn.accuracy
    widths = np.array([[row.f1.high - row.f1.low for row in each.rows] for each in (by_errors, drawn)])
    assert np.median(widths[0] / widths[1]) == pytest.approx(1, abs=0.1)


# What the report says


def test_a_group_of_weight_0_is_not_counted() -> None:
    rng = np.random.default_rng(5)
    groups, gold = np.repeat(np.arange(20), 10), rng.integers(2, size=200)
    predicted = np.where(rng.random(200) < 0.8, gold, 1 - gold)
    weights = (groups < 8).astype(np.float64)
    report = tercet.evaluate(gold, predicted, groups=groups, weights=weights, resamples=100)
    assert "unreliable: only 8 groups" in report["accuracy"].note
    assert tercet.compare(gold, {"a": gold, "b": predicted}, groups=groups, weights=weights, resamples=100).n_groups == 8


def test_a_document_of_weight_0_does_not_make_a_rare_label_common() -> None:
    gold, weights = ["a"] * 100 + ["b"] * 20, [1.0] * 102 + [0.0] * 18
    assert "few gold documents of 'b' (2)" in tercet.evaluate(gold, gold, weights=weights, resamples=100)["macro_f1"].note


def test_few_groups_and_few_documents_are_called_unreliable() -> None:
    rng = np.random.default_rng(5)
    gold = np.arange(240) % 2
    predicted = np.where(rng.random(240) < 0.8, gold, 1 - gold)
    few = tercet.evaluate(gold, predicted, groups=np.arange(240) % 6, resamples=100)
    assert all("unreliable: only 6 groups" in estimate.note for estimate in few.estimates.values())
    for form in (str(few), few.to_markdown(), few.to_latex(), few.to_html()):
        assert "unreliable: only 6 groups" in form
    enough = tercet.evaluate(gold, predicted, groups=np.arange(240) % 12, resamples=100)
    assert "unreliable" not in str(enough)
    heavy = tercet.evaluate(gold, predicted, weights=np.where(np.arange(240) < 20, 1.0, 0.001), resamples=100)
    assert "unreliable: only 20 effective documents, by their weights" in str(heavy)
    small = tercet.evaluate(gold[:20], predicted[:20], resamples=100)
    assert all("unreliable: only 20 documents" in estimate.note for estimate in small.estimates.values())
    assert "unreliable" not in str(tercet.evaluate(gold[:30], predicted[:30], resamples=100, metrics=["mcc"]))


def test_a_comparison_of_few_groups_says_so_in_its_sentence() -> None:
    rng = np.random.default_rng(6)
    gold, (a, b), groups = invent_groups(rng, 8, 2)
    assert tercet.compare(gold, {"a": a, "b": b}, groups=groups, resamples=100).sentence.endswith(
        "; unreliable: only 8 groups."
    )
    gold, (a, b), groups = invent_groups(rng, 13, 2)
    assert "unreliable" not in tercet.compare(gold, {"a": a, "b": b}, groups=groups, resamples=100).sentence

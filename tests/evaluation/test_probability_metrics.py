"""Metrics of probabilities: scikit-learn as oracle, laws, reliability, and bad input."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.metrics
from helpers.invented_answers import forecasts
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

import tercet
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, TercetError
from tercet.evaluation.metrics import PROBABILITY_NAMES
from tercet.evaluation.probabilities import (
    PROBABILITY_METRICS,
    ProbabilisticPredictions,
    average_precision,
    brier,
    calibration_error,
    find_probability_metric,
    log_loss,
    reliability_table,
    roc_auc,
)
from tercet.evaluation.sample import UndefinedMetric, describe_undefined_probability_metrics

Case = tuple[Any, Any, Any]
SCORES: dict[str, Callable[..., Any]] = {
    **PROBABILITY_METRICS,
    "each roc_auc": roc_auc,
    "each average_precision": average_precision,
}
each_score = pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
close = partial(np.testing.assert_allclose, rtol=0, atol=1e-12)


def forecast_of(case: Case) -> ProbabilisticPredictions:
    gold, probabilities, weights = case
    return ProbabilisticPredictions.of(gold, probabilities, labels=range(probabilities.shape[1]), weights=weights)


# scikit-learn gives the same


@given(forecasts())
def test_log_loss_and_brier_equal_scikit_learn(case: Case) -> None:
    gold, probabilities, weights = case
    labels = np.arange(probabilities.shape[1])
    close(log_loss(forecast_of(case)), sklearn.metrics.log_loss(gold, probabilities, labels=labels, sample_weight=weights))
    parts = [
        sklearn.metrics.brier_score_loss(gold == label, probabilities[:, label], sample_weight=weights, pos_label=True)
        for label in labels
    ]
    close(brier(forecast_of(case)), sum(parts))


@given(forecasts())
def test_ranking_metrics_equal_scikit_learn_label_by_label(case: Case) -> None:
    gold, probabilities, weights = case
    forecast = forecast_of(case)
    areas, precisions = roc_auc(forecast), average_precision(forecast)
    for label, scores in enumerate(probabilities.T):
        size = np.bincount(gold == label, weights, minlength=2)
        assert np.isnan(areas[label]) == (0 in size)
        assert np.isnan(precisions[label]) == (size[1] == 0)
        if size[1]:
            close(precisions[label], sklearn.metrics.average_precision_score(gold == label, scores, sample_weight=weights))
        if size[1] and size[0]:
            close(areas[label], sklearn.metrics.roc_auc_score(gold == label, scores, sample_weight=weights))


@given(forecasts())
def test_macro_ranking_metrics_equal_scikit_learn(case: Case) -> None:
    gold, probabilities, weights = case
    size = np.bincount(gold, weights, probabilities.shape[1])
    if (size == 0).any() or len(size) < 3:
        return  # with two labels scikit-learn wants one column; without a label it has no mean
    options: Any = {"multi_class": "ovr", "average": "macro", "sample_weight": weights}
    close(PROBABILITY_METRICS["roc_auc"](forecast_of(case)), sklearn.metrics.roc_auc_score(gold, probabilities, **options))
    theirs = sklearn.metrics.average_precision_score(gold, probabilities, average="macro", sample_weight=weights)
    close(PROBABILITY_METRICS["average_precision"](forecast_of(case)), theirs)


@given(forecasts(), st.integers(1, 12))
def test_the_reliability_table_equals_scikit_learn(case: Case, n_bins: int) -> None:
    gold, probabilities, _ = case
    forecast = forecast_of((gold, probabilities, None))
    table = reliability_table(forecast, n_bins)
    is_right = probabilities.argmax(axis=1) == gold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        accuracy, confidence = calibration_curve(is_right, probabilities.max(axis=1), n_bins=n_bins, pos_label=True)
    is_filled = table.counts > 0
    close(table.accuracy[is_filled], accuracy)
    close(table.confidence[is_filled], confidence)
    assert np.isnan(table.accuracy[~is_filled]).all()
    gaps = np.abs(table.accuracy - table.confidence)[is_filled]
    close(calibration_error(forecast, n_bins=n_bins), np.average(gaps, weights=table.counts[is_filled]))


def test_a_bin_has_its_upper_edge() -> None:
    forecast = ProbabilisticPredictions.of(["a", "a", "b"], [[0.5, 0.5], [1.0, 0.0], [0.75, 0.25]])
    table = reliability_table(forecast, n_bins=4)
    assert table.edges.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert table.counts.tolist() == [0, 1, 1, 1]
    assert table.accuracy.tolist()[1:] == [1, 0, 1]
    close(calibration_error(forecast, n_bins=4), (0.5 + 0.75 + 0) / 3)


# Laws of every metric


def assert_same(a: ProbabilisticPredictions, b: ProbabilisticPredictions) -> None:
    for name, score in SCORES.items():
        close(score(a), score(b), err_msg=name)


@given(forecasts(), st.data())
def test_the_order_of_documents_does_not_matter(case: Case, data: st.DataObject) -> None:
    order = np.array(data.draw(st.permutations(range(len(case[0])))))
    shuffled = (case[0][order], case[1][order], None if case[2] is None else case[2][order])
    assert_same(forecast_of(shuffled), forecast_of(case))


@given(forecasts(), st.data())
def test_the_names_of_labels_do_not_matter(case: Case, data: st.DataObject) -> None:
    gold, probabilities, weights = case
    order = np.array(data.draw(st.permutations(range(probabilities.shape[1]))))
    names = np.array([f"λ {label}" for label in order])
    assert_same(ProbabilisticPredictions.of(names[gold], probabilities, names, weights), forecast_of(case))
    moved = ProbabilisticPredictions.of(names[gold], probabilities[:, np.argsort(names)], np.sort(names), weights)
    for name in ("log_loss", "brier", "roc_auc", "average_precision"):  # which of two equal maxima is first has changed
        close(SCORES[name](moved), SCORES[name](forecast_of(case)), err_msg=name)


@given(forecasts(), st.data())
@some(0.5)
def test_a_weight_is_a_repetition_and_a_resample_is_weights(case: Case, data: st.DataObject) -> None:
    gold, probabilities, _ = case
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(gold), max_size=len(gold))))
    times[0] = 1
    plain = forecast_of((gold, probabilities, None))
    repeated = forecast_of((np.repeat(gold, times), np.repeat(probabilities, times, axis=0), None))
    assert_same(forecast_of((gold, probabilities, times)), repeated)
    resamples = np.stack([times, np.ones_like(times), np.zeros_like(times)]).astype(np.float64)
    for name, score in SCORES.items():
        many = score(plain, resamples)
        close(many[:2], [score(repeated), score(plain)], err_msg=name)
        assert np.isnan(many[2]).all()
        close(score(plain, resamples[None]), many[None], err_msg=name)


@each_score
def test_certain_and_right_is_the_best_score(score: Any) -> None:
    value = score(ProbabilisticPredictions.of([0, 1, 2, 0], np.eye(3)[[0, 1, 2, 0]]))
    close(value, 1.0 if score in (roc_auc, average_precision) or "roc" in score.name or "average" in score.name else 0.0)


def test_certain_and_wrong_costs_a_lot_but_not_all() -> None:
    forecast = ProbabilisticPredictions.of(["a", "b"], [[0, 1], [0, 1]])
    close(log_loss(forecast), -np.log(np.finfo(np.float64).eps) / 2)
    assert brier(forecast) == 1.0


# Columns and labels


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_names_of_columns_are_their_labels(frame: Any) -> None:
    forecast = ProbabilisticPredictions.of(["b", "a"], frame({"c": [0.0, 0.1], "b": [0.9, 0.2], "a": [0.1, 0.7]}))
    assert forecast.labels.tolist() == ["c", "b", "a"]
    assert forecast.gold.tolist() == [1, 2]
    assert forecast.probabilities[0].tolist() == [0.0, 0.9, 0.1]
    assert ProbabilisticPredictions.of(iter("ba"), forecast.probabilities, labels=iter("cba")).gold.tolist() == [1, 2]


def test_without_names_the_columns_are_the_sorted_labels_of_gold() -> None:
    for matrix in ([[0.9, 0.1], [0.2, 0.8]], pd.DataFrame([[0.9, 0.1], [0.2, 0.8]]), np.float32([[0.9, 0.1], [0.2, 0.8]])):
        assert ProbabilisticPredictions.of(pd.Series(["b", "a"]), matrix).labels.tolist() == ["a", "b"]


def test_rounded_probabilities_are_good_enough() -> None:
    for row in ([0.333, 0.333, 0.333], [1.00001, 0.00001, 0.00001]):
        assert ProbabilisticPredictions.of(["a"], [row], labels=["a", "b", "c"])


def test_every_name_has_its_metric() -> None:
    assert tuple(PROBABILITY_METRICS) == PROBABILITY_NAMES
    forecast = ProbabilisticPredictions.of(["a", "b", "a"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    assert find_probability_metric("average_precision:b", forecast.labels)(forecast) == 0.5


# Undefined, and bad input


def test_undefined_is_nan_with_one_warning_that_names_the_labels() -> None:
    gold, probabilities, labels = ["a", "b"], [[0.5, 0.4, 0.1], [0.3, 0.6, 0.1]], ["a", "b", "c"]
    with pytest.warns(UndefinedMetric) as caught:
        report = tercet.evaluate(gold, gold, probabilities, labels=labels, resamples=20)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = str(caught[0].message)
    assert "roc_auc is undefined for 'c' (not in gold); average_precision is undefined for 'c' (not in gold)" in message
    assert report.roc_auc.value == report.average_precision.value == 1.0


def test_only_metrics_that_are_asked_for_are_called_undefined() -> None:
    alone = ProbabilisticPredictions.of(["a"], [[1, 0]], ["a", "b"])
    area = find_probability_metric("roc_auc:a", alone.labels)
    assert np.isnan(area(alone))
    assert describe_undefined_probability_metrics(alone, [area]) == ["roc_auc is undefined for 'a' (no others in gold)"]
    forecast = ProbabilisticPredictions.of(["a", "b"], [[0.5, 0.4, 0.1], [0.3, 0.6, 0.1]], labels=["a", "b", "c"])
    metrics = [find_probability_metric(name, forecast.labels) for name in ("log_loss", "brier", "roc_auc:a")]
    assert describe_undefined_probability_metrics(forecast, metrics) == []


BAD: list[tuple[Any, Any, dict[str, Any], type[TercetError], str]] = [
    (["a", "b"], [0.5, 0.5], {}, InvalidMatrix, r"documents × labels, got shape \(2,\): each label needs a column"),
    (["a", "b"], [[0.5, 0.5]], {}, InvalidMatrix, "gold has 2 labels and probabilities have 1 rows"),
    (["a", "b"], [[1.0], [1.0]], {}, InvalidMatrix, "probabilities have 1 columns and gold has 2 labels: which column"),
    (["a", "b"], np.eye(2), {"labels": ["a", "b", "c"]}, InvalidMatrix, "have 2 columns and 3 labels are named"),
    (["a", "b"], np.eye(2), {"labels": ["a", "c"]}, InvalidLabel, r"gold has the label 'b' \(at 1, .* Add it to labels"),
    (["a", None], np.eye(2), {}, InvalidLabel, r"gold: label 1 \(counted from 0\) is None"),
    ([], np.zeros((0, 2)), {}, InvalidLabel, "gold is empty"),
    (["a", "b"], [[0.5, 0.5], [0.5, 0.4]], {}, InvalidMatrix, r"in row 1 \(counted from 0\) sum to 0.9, not 1"),
    (["a", "b"], [[1.5, -0.5], [0.5, 0.5]], {}, InvalidMatrix, r"row 0, column 0 \(counted from 0\) is 1.5: .* from 0 to 1"),
    (["a", "b"], [[0.5, 0.5], [-0.1, 1.1]], {}, InvalidMatrix, "row 1, column 0 .* is -0.1"),
    (["a", "b"], [[0.5, 0.5], [0.5, np.nan]], {}, InvalidMatrix, "row 1, column 1 .* is nan"),
    (["a", "b"], [["x", "y"], ["x", "y"]], {}, InvalidMatrix, "probabilities must be numbers"),
    (["a", "b"], [[0.5, 0.5], [1.0]], {}, InvalidMatrix, "probabilities must be numbers"),
    (["a", "b"], np.eye(2), {"weights": [1]}, InvalidMatrix, "one number for each of 2 documents"),
]


@pytest.mark.parametrize(("gold", "probabilities", "options", "error", "message"), BAD, ids=[case[4][:40] for case in BAD])
def test_bad_input_is_refused_with_what_where_and_what_to_do(
    gold: Any, probabilities: Any, options: Any, error: type[TercetError], message: str
) -> None:
    with pytest.raises(error, match=message):
        ProbabilisticPredictions.of(gold, probabilities, **options)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("logloss", "there is no metric 'logloss'. Did you mean 'log_loss'? There are log_loss, brier"),
        ("brier:a", "there is no metric 'brier:a'"),
        ("roc_auc:c", "asks for the label 'c'"),
        (None, "there is no metric None"),
    ],
)
def test_an_unknown_metric_is_refused_with_the_nearest_known_one(name: Any, message: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        find_probability_metric(name, np.array(["a", "b"]))
    assert message in str(caught.value)


def test_bins_are_counted_from_one() -> None:
    with pytest.raises(InvalidOption, match="n_bins must be an int >= 1"):
        reliability_table(ProbabilisticPredictions.of(["a", "b"], np.eye(2)), n_bins=0)

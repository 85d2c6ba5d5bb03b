"""ROC curves: scikit-learn as oracle, ties, weights, and bad input."""

from typing import Any

import numpy as np
import pytest
import sklearn.metrics
from helpers.invented_answers import forecasts, invent_probabilities
from helpers.picture_texts import find_clashes, list_texts
from hypothesis import given

from tercet import evaluate, figures
from tercet.errors import InvalidLabel, InvalidOption
from tercet.evaluation.probabilities import ProbabilisticPredictions, roc_auc
from tercet.evaluation.roc_and_precision_recall import compute_roc_curve

Case = tuple[Any, Any, Any]


@given(forecasts())
def test_the_curve_equals_that_of_scikit_learn(case: Case) -> None:
    gold, probabilities, weights = case
    forecast = ProbabilisticPredictions.of(gold, probabilities, range(probabilities.shape[1]), weights)
    for label, scores in enumerate(probabilities.T):
        curve = compute_roc_curve(forecast, label)
        others, own = np.bincount(gold == label, weights, minlength=2)
        assert np.isnan(curve.recall).all() == (own == 0)
        assert np.isnan(curve.false_positive_rate).all() == (others == 0)
        if own and others:
            theirs = sklearn.metrics.roc_curve(gold == label, scores, sample_weight=weights, drop_intermediate=False)
            for ours, expected in zip((curve.false_positive_rate, curve.recall, curve.thresholds), theirs, strict=True):
                np.testing.assert_allclose(ours, expected)


@given(forecasts())
def test_the_area_under_the_curve_is_the_metric(case: Case) -> None:
    gold, probabilities, weights = case
    forecast = ProbabilisticPredictions.of(gold, probabilities, range(probabilities.shape[1]), weights)
    for label, area in enumerate(roc_auc(forecast).tolist()):
        curve = compute_roc_curve(forecast, label)
        np.testing.assert_allclose(np.trapezoid(curve.recall, curve.false_positive_rate), area, atol=1e-12)


@pytest.fixture(scope="module")
def report() -> Any:
    gold, predicted, probabilities = invent_probabilities()
    names = np.array(["hen", "fox", "owl"])
    return evaluate(names[gold], names[predicted], probabilities, labels=names, resamples=50)


def test_the_picture_has_the_curve_of_each_label_and_its_area(report: Any) -> None:
    figure = figures.roc(report)
    *lines, diagonal = figure.axes[0].lines
    assert diagonal.get_xydata().tolist() == [[0, 0], [1, 1]]
    for line, label in zip(lines, ["fox", "hen", "owl"], strict=True):
        curve = report.roc_curve(label)
        assert line.get_xydata().tolist() == np.stack([curve.false_positive_rate, curve.recall], axis=1).tolist()
        assert line.get_label() == f"{label}: AUC {report[f'roc_auc:{label}']}"
    assert find_clashes(figure) == []


def test_both_kinds_of_curves_show_the_same_labels_with_their_areas(report: Any) -> None:
    for draw, metric, name in ((figures.roc, "roc_auc", "AUC"), (figures.precision_recall, "average_precision", None)):
        figure = draw(report, ["owl", "hen"])
        shown = [text.get_text() for text in list_texts(figure)]
        for label in ("owl", "hen"):
            assert f"{label}: {name or metric.replace('_', ' ')} {report[f'{metric}:{label}']}" in shown
        assert "2 of 3 labels" in shown
        assert find_clashes(figure) == []


def test_labels_that_are_cut_have_a_line_each_in_the_legend() -> None:
    gold, predicted, probabilities = invent_probabilities()
    names = np.array([f"the department of everything, room {k}" for k in range(3)])
    report = evaluate(names[gold], names[predicted], probabilities, labels=names, resamples=50)
    for figure in (figures.roc(report), figures.precision_recall(report)):
        shown = {text.get_text() for text in list_texts(figure)}
        assert sum(text.startswith("the dep") for text in shown) == 3


@pytest.mark.filterwarnings("ignore:recall is undefined")
def test_documents_of_one_label_have_no_roc_curve() -> None:
    report = evaluate(["a", "a"], ["a", "b"], [[0.9, 0.1], [0.2, 0.8]], labels=["a", "b"], metrics=["accuracy"])
    with pytest.raises(InvalidOption, match="all documents have the same label"):
        figures.roc(report)


def test_labels_that_have_no_curve_are_refused(report: Any) -> None:
    with pytest.raises(InvalidLabel, match="no probabilities are known for the label 'cow'"):
        figures.roc(report, ["cow"])
    with pytest.raises(InvalidOption, match="1 to 7 curves, got 0 labels"):
        figures.roc(report, [])
    with pytest.raises(InvalidOption, match="the report has no probabilities"):
        figures.roc(evaluate(["a", "b"], ["a", "b"]))

"""evaluate: its figures, and what a report says."""

import json
import pickle
from typing import Any

import numpy as np
import pytest
from helpers.invented_answers import Answers, any_answers, invent_probabilities
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import f1_score, log_loss, matthews_corrcoef, roc_auc_score

import tercet
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption
from tercet.evaluation.confusion import Confusion
from tercet.evaluation.intervals import format_rounded
from tercet.evaluation.metrics import Metric
from tercet.evaluation.probabilities import PROBABILITY_METRICS, ProbabilisticPredictions
from tercet.evaluation.sample import Sample, UndefinedMetric
from tercet.evaluation.standard_errors import compute_influences, estimate_probability_metrics
from tercet.report.report import Report


def spread(table: dict[tuple[str, str], int]) -> tuple[list[str], list[str]]:
    """Gold and predicted labels of documents, so many of each pair (gold, predicted)."""
    pairs = [pair for pair, n in table.items() for _ in range(n)]
    return [gold for gold, _ in pairs], [predicted for _, predicted in pairs]


def textbook() -> tuple[list[str], list[str]]:
    labels, rows = ["urgent", "normal", "spam"], [[8, 10, 1], [5, 60, 50], [3, 30, 200]]  # a row for each predicted label
    return spread({(labels[j], labels[i]): rows[i][j] for i in range(3) for j in range(3)})


@pytest.fixture(scope="module")
def report() -> Report:
    return tercet.evaluate(*textbook())


def test_figures_of_the_textbook(report: Report) -> None:
    assert [round(row.precision.value, 2) for row in report.rows] == [0.52, 0.86, 0.42]  # normal, spam, urgent
    assert round(float(report.macro_precision), 2) == 0.60
    assert round(float(report["micro_precision"]), 2) == 0.73


def test_a_million_tweets_without_the_rare_label() -> None:
    gold, predicted = spread({("pie", "other"): 100, ("other", "other"): 999_900})
    with pytest.warns(UndefinedMetric, match="'pie' \\(never predicted\\)"):
        report = tercet.evaluate(gold, predicted)
    assert report.accuracy.value == 0.9999
    assert report["recall:pie"].value == 0
    assert report.baseline.differences["accuracy"].value == 0
    assert report.macro_precision.value == pytest.approx(0.9999 / 2)
    assert report.macro_precision.note.startswith("counts precision 0 for 'pie', which is never predicted")
    for form in (str(report), report.to_markdown(), report.to_latex(), report.to_html()):
        assert "0.9999" in form
        shown = [line for line in form.splitlines() if "1.000" in line]
        assert all("other" in line for line in shown)  # its recall is exactly 1


@pytest.mark.parametrize("value", [0.9999, 0.99999, 1 - 1e-9, 0.00001, 1e-9, -0.9999, -1e-9])
def test_only_0_and_1_are_shown_as_0_and_1(value: float) -> None:
    for spec in (".3f", "+.3f", ".1%"):
        shown = format_rounded(value, spec)
        number = float(shown.strip("<>%")) / (100 if "%" in shown else 1)
        assert number not in (-1, 0, 1)
        assert shown.startswith(("<", ">")) or number == pytest.approx(value, abs=1e-6)
    assert format_rounded(round(value)) in ("0.000", "1.000", "-1.000")


@pytest.mark.parametrize("weights", [[1e300] * 4, [1e-300] * 4, [1e300, 1e-300, 1, 1], [1, 1e51, 1, 1], [1, 1, 1, 1e-51]])
def test_weights_whose_products_overflow_are_refused(weights: list[float]) -> None:
    with pytest.raises(InvalidMatrix, match="Divide all weights by the same number"):
        tercet.evaluate(["a", "b", "a", "b"], ["a", "b", "b", "b"], weights=weights)
    with pytest.raises(InvalidMatrix, match="Divide all weights by the same number"):
        tercet.compare(["a", "b", "a", "b"], {"x": ["a"] * 4, "y": ["b"] * 4}, weights=weights)


@pytest.mark.filterwarnings("error")
@given(st.lists(st.floats(-49, 49), min_size=8, max_size=8), st.integers(0, 2**16))
@settings(max_examples=60)
def test_any_weights_that_are_taken_give_finite_numbers(powers: list[float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    gold, predicted = np.arange(8) % 2, np.where(rng.random(8) < 0.7, np.arange(8) % 2, rng.integers(2, size=8))
    predicted[:2] = [0, 1]
    report = tercet.evaluate(gold, predicted, weights=10.0 ** np.array(powers), resamples=50)
    for estimate in (*report.estimates.values(), *(each for row in report.rows for each in row[1:4])):
        assert np.isfinite(estimate.value)
        assert estimate.low - 1e-12 <= estimate.value <= estimate.high + 1e-12


def test_numbers_are_plain_attributes_with_intervals(report: Report) -> None:
    assert report.n == 367
    assert report.labels.tolist() == ["normal", "spam", "urgent"]
    assert report.confusion.counts.sum() == 367
    assert report.macro_f1 is report["macro_f1"]
    assert report.accuracy.low < report.accuracy.value < report.accuracy.high
    assert [report.accuracy.method, report["recall:spam"].method, report.macro_f1.method] == ["wilson", "wilson", "bca"]
    row = report.rows[1]
    assert (row.label, row.support, row.predicted) == ("spam", 251, 233)
    assert report["f1:spam"] == row.f1
    with pytest.raises(AttributeError, match="no 'acuracy'"):
        _ = report.acuracy


def test_the_majority_stands_in_every_report(report: Report) -> None:
    assert report.baseline.label == "spam"
    assert report.baseline.accuracy.value == pytest.approx(251 / 367)
    assert report.baseline.accuracy.method == "wilson"
    difference = report.baseline.differences["macro_f1"]
    assert difference.value == pytest.approx(report.macro_f1.value - report.baseline["macro_f1"].value)
    assert difference.low < difference.value < difference.high


def test_the_majority_is_that_of_the_training_data() -> None:
    gold, predicted = spread({("a", "a"): 50, ("a", "b"): 10, ("b", "b"): 30, ("b", "a"): 10})
    report = tercet.evaluate(gold, predicted, majority="b", slices={"part": ["x", "y"] * 50})
    assert (report.baseline.label, report.baseline.of, report.baseline.most_frequent) == ("b", "training", "a")
    assert report.baseline.accuracy.value == 0.4
    assert report.baseline.differences["accuracy"].value == pytest.approx(0.4)
    assert {part.baseline.label for part in report.slices["part"].values()} == {"b"}
    note = "The majority label is that of the training data, 'b'. In the test documents 'a' is the most frequent."
    for form in (report.to_table(), report.to_markdown(), report.to_latex()):
        assert note in form
    assert report.to_dict()["baseline"]["of"] == "training"
    same = tercet.evaluate(gold, predicted, majority="a")
    assert "majority label is" not in same.to_table()
    assert tercet.evaluate(gold, predicted).to_dict()["baseline"]["of"] == "test"


def test_a_majority_label_that_the_test_documents_do_not_have_is_always_wrong() -> None:
    gold, predicted = spread({("a", "a"): 50, ("a", "b"): 10, ("b", "b"): 30, ("b", "a"): 10})
    report = tercet.evaluate(gold, predicted, majority="c")
    assert report.baseline.label == "c"
    assert report.labels.tolist() == ["a", "b"]
    assert report.baseline.accuracy.value == report.baseline["macro_f1"].value == 0
    assert report.baseline.differences["accuracy"].value == pytest.approx(report.accuracy.value)
    weighted = tercet.evaluate(gold, predicted, weights=np.linspace(1, 2, 100), majority="c")
    assert weighted.baseline["macro_f1"].value == 0
    assert weighted.baseline.differences["macro_f1"].value == pytest.approx(weighted.macro_f1.value)


def test_a_system_may_be_worse_than_the_majority() -> None:
    report = tercet.evaluate(*spread({("a", "a"): 20, ("a", "b"): 60, ("b", "b"): 20}), metrics=["mcc"], resamples=500)
    difference = report.baseline.differences["accuracy"]
    assert difference.value == pytest.approx(-0.4)
    assert -1 <= difference.low < difference.value < difference.high < 0


def test_no_interval_goes_beyond_the_bounds_of_its_metric() -> None:
    """No resample of 20 documents has all 20 labels, so the interval around the value would end above 1."""
    share_of_labels = Metric("share_of_labels", lambda sums, _: np.mean(sums.gold > 0, axis=-1))
    (estimate,) = Sample.of(Confusion.of(range(20), range(20))).estimate([share_of_labels])
    assert (estimate.method, estimate.value, estimate.high) == ("spread", 1, 1)
    assert 0 <= estimate.low < 1


def test_a_signature_is_what_it_takes_to_repeat_a_number(report: Report) -> None:
    version = tercet.__version__
    assert report.sign("accuracy") == f"accuracy|n:367|interval:wilson95|resamples:10000|seed:0|tercet:{version}"
    one = tercet.evaluate(*textbook(), metrics=["macro_f1"], confidence=0.9, resamples=500, seed=3)
    assert one.signature == f"macro_f1|n:367|interval:bca90|resamples:500|seed:3|tercet:{version}"
    assert "|groups:2|" in tercet.evaluate(*textbook(), groups=np.arange(367) % 2, resamples=50).signature


def test_same_seed_same_output() -> None:
    first, again, other = (tercet.evaluate(*textbook(), resamples=500, seed=seed) for seed in (1, 1, 2))
    assert str(first) == str(again)
    assert first.to_html() == again.to_html()
    assert first.macro_f1 != other.macro_f1
    assert pickle.loads(pickle.dumps(first)).to_dict() == first.to_dict()


def test_a_metric_asked_for_later_is_the_one_that_would_have_been_shown() -> None:
    later, shown = (
        tercet.evaluate(*textbook(), metrics=names, resamples=500) for names in (["accuracy"], ["f0.5:spam", "mcc"])
    )
    assert later["f0.5:spam"] == shown.estimates["f0.5:spam"]
    assert later.mcc == shown.estimates["mcc"]


def test_few_gold_documents_make_a_macro_interval_unreliable() -> None:
    gold, predicted = spread({("a", "a"): 50, ("b", "b"): 50, ("a", "b"): 9, ("c", "c"): 7, ("c", "a"): 2})
    report = tercet.evaluate(gold, predicted, resamples=500)
    assert "unreliable: rests on few gold documents of 'c' (9)" in report.macro_f1.note
    assert not report.accuracy.note
    assert "unreliable" in str(report)


@given(any_answers(most_labels=6))
@settings(max_examples=25, deadline=None)
@pytest.mark.filterwarnings("ignore::tercet.evaluation.sample.UndefinedMetric")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_any_answers_make_a_report_that_json_can_hold(given: Answers) -> None:
    report = tercet.evaluate(given.gold, given.predicted, weights=given.weights, resamples=50)
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False)) == report.to_dict()
    oracle = f1_score(given.gold, given.predicted, average="macro", sample_weight=given.weights, zero_division=np.nan)
    assert report.macro_f1.value == pytest.approx(oracle, abs=1e-12, nan_ok=True)
    for form in (str(report), report.to_markdown(), report.to_latex(), report.to_html()):
        assert "nan" not in form


def test_equal_weights_change_no_interval_of_a_proportion(report: Report) -> None:
    weighted = tercet.evaluate(*textbook(), weights=np.full(367, 2.5), resamples=200)
    assert (weighted.accuracy.low, weighted.accuracy.high) == pytest.approx((report.accuracy.low, report.accuracy.high))
    uneven = tercet.evaluate(*textbook(), weights=np.random.default_rng(0).exponential(size=367), resamples=200)
    assert uneven.accuracy.high - uneven.accuracy.low > report.accuracy.high - report.accuracy.low


def test_groups_drawn_whole_make_intervals_wider(report: Report) -> None:
    gold, predicted = textbook()
    groups = np.arange(367) // 12  # documents of one cell lie side by side, so those of a group are alike
    grouped = tercet.evaluate(gold, predicted, groups=groups, resamples=2000)
    assert grouped.accuracy.method == "logit"
    assert grouped.accuracy.high - grouped.accuracy.low > 1.5 * (report.accuracy.high - report.accuracy.low)


def test_probabilities_are_judged_too() -> None:
    gold, predicted, probabilities = invent_probabilities(2000)
    report = tercet.evaluate(gold, predicted, probabilities, resamples=200)
    assert report.log_loss.value == pytest.approx(log_loss(gold, probabilities))
    assert report.roc_auc.value == pytest.approx(roc_auc_score(gold, probabilities, multi_class="ovr"))
    assert report["roc_auc:2"].value == pytest.approx(roc_auc_score(gold == 2, probabilities[:, 2]))
    assert report.mcc.value == pytest.approx(matthews_corrcoef(gold, predicted))
    assert report.reliability is not None
    assert report.reliability.counts.sum() == 2000
    assert "reliability" in report.to_html()
    for name in PROBABILITY_METRICS:
        assert report[name].low < report[name].value < report[name].high


@pytest.mark.parametrize("name", PROBABILITY_METRICS)
def test_an_influence_is_the_derivative_by_the_weight(name: str) -> None:
    gold, _, probabilities = invent_probabilities(60)
    rounded = probabilities.round(1) + 0.01  # so that ranks are shared
    forecast, metric, step = (
        ProbabilisticPredictions.of(gold, rounded / rounded.sum(axis=1, keepdims=True)),
        PROBABILITY_METRICS[name],
        1e-6,
    )
    weights = 1 + step * np.eye(60)
    slopes = (metric(forecast, weights) - metric(forecast, np.ones((60, 60)))) / step * 60
    np.testing.assert_allclose(compute_influences(forecast, metric), slopes, atol=1e-4)


@pytest.mark.parametrize("size", [1, 4])
def test_the_jackknife_interval_of_a_mean_is_students(size: int) -> None:
    """Groups of equal size count as so many documents, each with the mean of its group; on the scale of the logarithm."""
    gold, predicted, probabilities = invent_probabilities(40)
    groups = None if size == 1 else np.arange(40) // size
    losses = -np.log(probabilities[np.arange(40), gold]).reshape(-1, size).mean(axis=1)
    theirs = stats.ttest_1samp(losses, 0).confidence_interval()
    width = (theirs.high - theirs.low) / 2 / losses.mean()
    expected = (theirs.low, theirs.high) if size == 1 else losses.mean() * np.exp([-width, width])
    ours = tercet.evaluate(gold, predicted, probabilities, groups=groups, metrics=["log_loss"], resamples=20).log_loss
    assert (ours.low, ours.high) == pytest.approx(tuple(expected))


def test_intervals_of_probabilities_cover_the_truth() -> None:
    truth = tercet.evaluate(
        *invent_probabilities(200_000, seed=99), metrics=["log_loss", "roc_auc", "average_precision"], resamples=2
    )
    covered = np.zeros(3)
    for seed in range(100):
        forecast = ProbabilisticPredictions.of(*(invent_probabilities(300, seed)[k] for k in (0, 2)))
        found = estimate_probability_metrics(forecast, [PROBABILITY_METRICS[name] for name in truth.estimates])
        covered += [each.low <= truth[name].value <= each.high for each, name in zip(found, truth.estimates, strict=True)]
    assert np.all(covered >= 88)


def test_a_frame_names_the_columns_of_its_probabilities() -> None:
    import pandas as pd

    gold, predicted, probabilities = invent_probabilities()
    names = np.array(["z", "y", "x"])
    frame = pd.DataFrame(probabilities, columns=names)
    named = tercet.evaluate(names[gold], names[predicted], frame, metrics=["log_loss"], resamples=50)
    assert named.log_loss == tercet.evaluate(gold, predicted, probabilities, metrics=["log_loss"], resamples=50).log_loss


def test_slices_whose_names_begin_alike_look_different() -> None:
    sources = [f"https://reviews.example.org/archive/2025/{name}" for name in ("films", "films", "books", "books")] * 5
    written = str(tercet.evaluate(["a", "b"] * 10, ["a", "b", "b", "a"] * 5, slices={"source": sources}, resamples=50))
    assert all(f"…{name}" in written for name in ("films", "books"))


def test_a_slice_has_a_report_for_each_value() -> None:
    gold, predicted = textbook()
    country = np.where(np.arange(367) % 3 == 0, "it", "at")
    report = tercet.evaluate(gold, predicted, slices={"country": country}, resamples=200)
    parts = report.slices["country"]
    assert list(parts) == ["at", "it"]
    assert sum(part.n for part in parts.values()) == 367
    rows = country == "it"
    alone = tercet.evaluate(np.array(gold)[rows], np.array(predicted)[rows], resamples=200)
    assert parts["it"].to_dict() == alone.to_dict()
    assert "country" in str(report)


def test_held_out_documents_have_a_report_that_says_what_it_covers() -> None:
    texts = ["a b", "b c", "a a", "c c", "a c b", "c b"] * 4
    held = tercet.Categorizer().fit(texts, ["x", "y"] * 12).cross_validate(texts, ["x", "y"] * 12, folds=4, seed=0)
    assert held.report is held.report
    assert held.report.accuracy.value == held.accuracy
    assert "cross-validation" in held.report.note
    assert "cross-validation" in str(held.report)
    assert held.report.log_loss.value > 0


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"metrics": ["makro_f1"]}, InvalidOption, "Did you mean 'macro_f1'"),
        ({"metrics": ["f1:ham"]}, InvalidOption, "'ham'"),
        ({"metrics": ["log_loss"]}, InvalidOption, "needs probabilities"),
        ({"predicted": ["a", "b"]}, InvalidLabel, "gold has 4 labels and predicted has 2"),
        ({"gold": [], "predicted": []}, InvalidLabel, "empty"),
        ({"gold": ["a", None, "b", "b"]}, InvalidLabel, "gold"),
        ({"gold": [1.0, float("nan"), 2.0, 1.0], "predicted": [1, 2, 1, 2]}, InvalidLabel, "gold"),
        ({"probabilities": [[0.5, 0.6]] * 4}, InvalidMatrix, "sum to 1.1, not 1"),
        ({"probabilities": [[0.5, 0.5]] * 3}, InvalidMatrix, "3 rows"),
        ({"probabilities": [0.5] * 4}, InvalidMatrix, "documents × labels"),
        ({"weights": [1, 2]}, InvalidMatrix, "4 documents"),
        ({"groups": [1, 2]}, InvalidLabel, "groups has 2 values for 4 documents"),
        ({"slices": {"day": [1, 2]}}, InvalidLabel, "slice 'day' has 2 values"),
        ({"slices": ["day"]}, InvalidOption, "mapping"),
        ({"confidence": 95}, InvalidOption, "confidence"),
        ({"resamples": 0}, InvalidOption, "resamples"),
        ({"seed": None}, InvalidOption, "seed"),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], error: type[Exception], message: str) -> None:
    options = {"gold": ["a", "b", "a", "b"], "predicted": ["a", "b", "b", "b"]} | change
    with pytest.raises(error, match=message):
        tercet.evaluate(**options)


def test_a_function_of_your_own_has_an_interval_too() -> None:
    def share_of_spam(gold: Any, predicted: Any) -> float:
        return float(np.mean(predicted == "spam"))

    gold, predicted = ["ham"] * 60 + ["spam"] * 40, ["ham"] * 70 + ["spam"] * 30
    report = tercet.evaluate(gold, predicted, metrics=["accuracy", share_of_spam], resamples=500)
    assert report["share_of_spam"].value == pytest.approx(0.3)
    assert 0.2 < report["share_of_spam"].low < 0.3 < report["share_of_spam"].high < 0.42
    assert "share_of_spam" in str(report)
    assert "share_of_spam" in report.signature
    assert tercet.evaluate(gold, predicted, metrics=share_of_spam, resamples=500)["share_of_spam"] == report["share_of_spam"]
    with pytest.raises(InvalidOption, match="would not see the weights"):
        tercet.evaluate(gold, predicted, weights=[2.0] * 100, metrics=[share_of_spam])

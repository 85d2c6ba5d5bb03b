"""Metrics of confusion matrices: textbook figures, scikit-learn as oracle, and the laws that each of them keeps."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from judged import Judged, judged
from learned import some

from tercet.errors import InvalidMatrix, InvalidOption
from tercet.evaluation.confusion import Confusion
from tercet.evaluation.label_metrics import f_score, precision, recall
from tercet.evaluation.margins import sum_margins
from tercet.evaluation.measuring import measure, measure_labels
from tercet.evaluation.metrics import METRICS, Metric, find_metric
from tercet.evaluation.undefined import UndefinedMetric

NAMES = [*METRICS, "macro_f0.5", "weighted_f2", "micro_f3.0", "macro_f0"]
LABEL_SCORES: dict[str, Callable[..., Any]] = {
    "precision": precision,
    "recall": recall,
    **{f"f{beta}": partial(f_score, beta=beta) for beta in (0, 0.5, 1, 2, np.inf)},
}
each_metric = pytest.mark.parametrize("name", NAMES)
each_zero_division = pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
close = partial(np.testing.assert_allclose, rtol=0, atol=1e-12)


def find(name: str) -> Metric:
    return find_metric(name, np.array([]))


def assert_same(a: Any, b: Any) -> None:
    """Every metric has the same value for both confusion matrices."""
    for name in NAMES:
        close(find(name)(a), find(name)(b), err_msg=name)


# Textbook figures


def test_the_three_way_example_of_the_textbook() -> None:
    rows_are_predicted = np.array([[8, 10, 1], [5, 60, 50], [3, 30, 200]])
    confusion = Confusion(np.array(["urgent", "normal", "spam"]), rows_are_predicted.T.astype(float), 367)
    assert measure_labels(confusion).precision.round(2).tolist() == [0.42, 0.52, 0.86]
    assert measure_labels(confusion).recall.round(2).tolist() == [0.5, 0.6, 0.8]
    values = measure(confusion, ["macro_precision", "micro_precision"])
    assert {name: round(value, 2) for name, value in values.items()} == {"macro_precision": 0.60, "micro_precision": 0.73}
    assert confusion.table_of("urgent").tolist() == [[8, 8], [11, 340]]
    assert confusion.table_of("normal").tolist() == [[60, 40], [55, 212]]
    assert confusion.table_of("spam").tolist() == [[200, 51], [33, 83]]
    assert confusion.pool_tables().tolist() == [[268, 99], [99, 635]]


def test_the_million_tweets_of_the_textbook() -> None:
    about_pie = np.zeros(1_000_000, np.int64)
    about_pie[:100] = 1
    confusion = Confusion.of(about_pie, np.zeros_like(about_pie))
    assert measure(confusion, ["accuracy", "recall:1", "f1:1"]) == {"accuracy": 0.9999, "recall:1": 0.0, "f1:1": 0.0}
    assert confusion.majority_label == 0


# scikit-learn gives the same


def scores_of_theirs(case: Judged, average: str | None, beta: float, zero_division: float) -> Any:
    return sklearn.metrics.precision_recall_fscore_support(
        case.gold, case.predicted, beta=beta, average=average, sample_weight=case.weights, zero_division=zero_division
    )


@each_zero_division
@given(case=judged(), beta=st.sampled_from([0.0, 0.5, 1.0, 2.0, np.inf]))
@some(0.4)
def test_scores_of_labels_equal_scikit_learn(case: Judged, beta: float, zero_division: float) -> None:
    ours = measure_labels(Confusion.of(*case), beta, zero_division)
    for own, theirs in zip(
        (ours.precision, ours.recall, ours.f, ours.support), scores_of_theirs(case, None, beta, zero_division), strict=True
    ):
        close(own, theirs)


@each_zero_division
@given(case=judged(), beta=st.sampled_from(["0", "0.5", "1", "2"]))
@some(0.4)
def test_averages_equal_scikit_learn(case: Judged, beta: str, zero_division: float) -> None:
    confusion = Confusion.of(*case)
    for average in ("micro", "macro", "weighted"):
        names = [f"{average}_precision", f"{average}_recall", f"{average}_f{beta}"]
        theirs = scores_of_theirs(case, average, float(beta), zero_division)[:3]
        close(list(measure(confusion, names, zero_division).values()), theirs)


@given(case=judged())
def test_whole_metrics_equal_scikit_learn(case: Judged) -> None:
    ours = measure(Confusion.of(*case), ["accuracy", "balanced_accuracy", "mcc", "kappa"], np.nan)
    options = {"sample_weight": case.weights}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs, about labels that one side lacks
        close(ours["accuracy"], sklearn.metrics.accuracy_score(*case[:2], **options))
        close(ours["balanced_accuracy"], sklearn.metrics.balanced_accuracy_score(*case[:2], **options))
        close(ours["kappa"], sklearn.metrics.cohen_kappa_score(*case[:2], **options))
        if not np.isnan(ours["mcc"]):
            close(ours["mcc"], sklearn.metrics.matthews_corrcoef(*case[:2], **options))


@pytest.mark.filterwarnings("ignore:A single label")
@given(judged(most_labels=3, weights=("none", "whole", "any")))
def test_correlation_is_undefined_only_where_one_side_does_not_vary(case: Judged) -> None:
    counted = slice(None) if case.weights is None else case.weights > 0
    is_constant = [len(np.unique(side[counted])) == 1 for side in case[:2]]
    confusion = Confusion.of(*case)
    assert np.isnan(METRICS["mcc"](confusion.counts)) == any(is_constant)
    is_one_label = all(is_constant) and case.gold[counted][0] == case.predicted[counted][0]
    assert np.isnan(METRICS["kappa"](confusion.counts)) == is_one_label
    # scikit-learn calls an undefined correlation 0.
    if any(is_constant) and case.weights is None:
        assert measure(confusion, ["mcc"], 0.0)["mcc"] == sklearn.metrics.matthews_corrcoef(case.gold, case.predicted)


# Laws of every metric


@given(case=judged(), data=st.data())
def test_the_order_of_documents_does_not_matter(case: Judged, data: st.DataObject) -> None:
    shuffled = case.pick(np.array(data.draw(st.permutations(range(len(case.gold))))))
    assert_same(Confusion.of(*shuffled).counts, Confusion.of(*case).counts)


@given(case=judged())
def test_the_names_of_labels_do_not_matter(case: Judged) -> None:
    labels = np.union1d(case.gold, case.predicted).tolist()
    renamed = Confusion.of(*case.rename({label: -place for place, label in enumerate(labels)})).counts
    counts = Confusion.of(*case).counts
    assert_same(renamed, counts)
    for score in LABEL_SCORES.values():
        close(score(renamed)[::-1], score(counts))


@given(case=judged(weights=("whole",)))
def test_a_weight_is_a_repetition(case: Judged) -> None:
    gold, predicted = (np.repeat(side, case.weights.astype(int)) for side in case[:2])
    repeated = Confusion.of(gold, predicted, labels=np.union1d(case.gold, case.predicted))
    assert_same(repeated.counts, Confusion.of(*case).counts)


@given(case=judged())
def test_a_label_that_nobody_has_changes_nothing(case: Judged) -> None:
    labels = np.union1d(case.gold, case.predicted)
    more = np.array(["none", *labels]) if labels.dtype.kind == "U" else np.array([99, *labels])
    assert_same(Confusion.of(*case, labels=more).counts, Confusion.of(*case).counts)


@given(st.lists(judged(most_labels=5), min_size=1, max_size=4))
@some(0.5)
def test_many_matrices_at_once_give_what_each_gives(cases: list[Judged]) -> None:
    matrices = np.zeros((2, len(cases), 5, 5))
    for k, case in enumerate(cases):
        own = Confusion.of(*case).counts
        matrices[:, k, : len(own), : len(own)] = own
    for name in NAMES:
        together = find(name)(matrices)
        assert together.shape == (2, len(cases))
        close(together, [[find(name)(matrix) for matrix in row] for row in matrices], err_msg=name)
        close(find(name)(sum_margins(matrices)), together, err_msg=name)
    for score in LABEL_SCORES.values():
        close(score(matrices), [[score(matrix) for matrix in row] for row in matrices])


@given(judged(weights=("none",)))
def test_counts_may_be_integers(case: Judged) -> None:
    counts = Confusion.of(*case).counts
    assert_same(counts.astype(np.int64), counts)


@given(judged(weights=("none",)))
def test_all_right_is_one_and_no_value_is_beyond(case: Judged) -> None:
    counts, best = Confusion.of(*case).counts, Confusion.of(case.gold, case.gold).counts
    for name in NAMES:
        value = find(name)(counts)
        assert np.isnan(value) or -1 <= value <= 1, name
        is_constant = name in ("mcc", "kappa") and len(best) == 1
        assert np.isnan(find(name)(best)) if is_constant else find(name)(best) == 1, name


@given(judged())
def test_a_metric_of_one_label_is_that_of_all(case: Judged) -> None:
    confusion = Confusion.of(*case)
    for part, score in LABEL_SCORES.items():
        values = score(confusion.counts)
        for place, label in enumerate(confusion.labels.tolist()[:5]):
            if part != "finf":
                close(find_metric(f"{part}:{label}", confusion.labels)(confusion.counts), values[place])


# 0/0


def test_undefined_is_nan_with_one_warning_that_names_the_labels() -> None:
    confusion = Confusion.of(["a", "b", "b"], ["b", "b", "c"], labels=["a", "b", "c", "d"])
    with pytest.warns(UndefinedMetric) as caught:
        values = measure(confusion)
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "precision is undefined for 'a' (never predicted), 'd' (in neither gold nor predicted)" in message
    assert "recall is undefined for 'c' (not in gold), 'd' (in neither gold nor predicted)" in message
    assert "f1 is undefined for 'd' (in neither gold nor predicted)" in message
    assert caught[0].filename == __file__
    assert values == measure(confusion, zero_division=np.nan)
    with pytest.warns(UndefinedMetric, match="'a'") as caught:
        scores = measure_labels(confusion, beta=2)
    assert len(caught) == 1
    assert np.isnan(scores.precision).tolist() == [True, False, False, True]
    assert np.isnan(scores.f).tolist() == [False, False, False, True]


def test_only_what_is_asked_for_is_warned_of() -> None:
    confusion = Confusion.of([1, 2, 2], [2, 2, 3])
    assert measure(confusion, ["accuracy", "macro_f1", "micro_precision", "balanced_accuracy", "precision:2"])
    with pytest.warns(UndefinedMetric, match=r"^precision is undefined for 1 \(never predicted\)\. What"):
        assert np.isnan(measure(confusion, ["precision:1"])["precision:1"])
    with pytest.warns(UndefinedMetric, match="mcc is undefined: gold or predicted has one label only"):
        measure(Confusion.of([1, 2], [1, 1]), "mcc")
    with pytest.warns(UndefinedMetric, match="kappa is undefined: gold and predicted have the same one"):
        measure(Confusion.of([1, 1], [1, 1]), "kappa")


def test_many_undefined_labels_are_not_all_listed() -> None:
    with pytest.warns(UndefinedMetric, match=r"9 \(never predicted\) and 90 more"):
        measure(Confusion.of(np.arange(101), np.full(101, 100)), ["macro_precision"])


@pytest.mark.parametrize("value", ["ignore", 0.5, None, True, np.inf])
def test_zero_division_is_warn_or_a_number_that_users_know(value: Any) -> None:
    with pytest.raises(InvalidOption, match='zero_division must be "warn"'):
        measure(Confusion.of(["a"], ["a"]), ["accuracy"], zero_division=value)


@each_metric
def test_no_documents_at_all_is_undefined(name: str) -> None:
    assert np.isnan(find(name)(np.zeros((3, 3))))
    assert find(name)(np.zeros((3, 3)), 0.0) == 0


# Bad input


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("makro_f1", "there is no metric 'makro_f1'. Did you mean 'macro_f1'? There are accuracy"),
        ("f1_macro", "Did you mean 'macro_f1'"),
        ("acuracy", "Did you mean 'accuracy'"),
        ("f1", "Did you mean"),
        ("macro_f-1", "Did you mean 'macro_f1'"),
        ("macro_f1:spam", "there is no metric 'macro_f1:spam'"),
        ("accuracy:spam", "there is no metric"),
        ("", "there is no metric ''"),
        (3, "there is no metric 3"),
        (None, "there is no metric None"),
        ("f1:span", "'f1:span' asks for the label 'span', which neither side has. Did you mean 'spam'"),
        ("log_loss", "the metric 'log_loss' needs probabilities"),
        ("roc_auc:spam", "needs probabilities"),
    ],
)
def test_an_unknown_metric_is_refused_with_the_nearest_known_one(name: Any, message: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        find_metric(name, np.array(["ham", "spam"]))
    assert message in str(caught.value)


@pytest.mark.parametrize("beta", [-1, "1", None, np.nan, True])
def test_beta_is_a_number_from_zero(beta: Any) -> None:
    with pytest.raises(InvalidOption, match="beta must be a number >= 0"):
        measure_labels(Confusion.of(["a"], ["a"]), beta=beta)


def test_a_matrix_must_be_square() -> None:
    for shape in [(3,), (2, 3), ()]:
        with pytest.raises(InvalidMatrix, match=r"must be \(..., labels, labels\), got shape"):
            METRICS["accuracy"](np.zeros(shape))

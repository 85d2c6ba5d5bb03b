"""Metrics of confusion matrices: textbook figures, scikit-learn as oracle, and the laws that each of them keeps."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import sklearn.metrics
from helpers.invented_answers import Answers, any_answers
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import InvalidMatrix, InvalidOption
from tercet.evaluation.confusion import Confusion, sum_cells
from tercet.evaluation.metrics import METRICS, Metric, f_score, find_metric, precision, recall
from tercet.evaluation.sample import UndefinedMetric, describe_undefined, warn_undefined

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


def measure(confusion: Confusion, *names: str, zero_division: float = np.nan) -> dict[str, float]:
    return {name: float(find_metric(name, confusion.labels)(confusion.counts, zero_division)) for name in names}


def describe(confusion: Confusion, *names: str) -> str:
    """What the warning says about the metrics of these names."""
    return "; ".join(describe_undefined(confusion, [find_metric(name, confusion.labels) for name in names]))


def assert_same(a: Any, b: Any) -> None:
    """Every metric has the same value for both confusion matrices."""
    for name in NAMES:
        close(find(name)(a), find(name)(b), err_msg=name)


# Textbook figures


def test_the_three_way_example_of_the_textbook() -> None:
    rows_are_predicted = np.array([[8, 10, 1], [5, 60, 50], [3, 30, 200]])
    confusion = Confusion.from_matrix(np.array(["urgent", "normal", "spam"]), rows_are_predicted.T.astype(float), 367)
    assert precision(confusion.counts).round(2).tolist() == [0.42, 0.52, 0.86]
    assert recall(confusion.counts).round(2).tolist() == [0.5, 0.6, 0.8]
    values = measure(confusion, "macro_precision", "micro_precision")
    assert {name: round(value, 2) for name, value in values.items()} == {"macro_precision": 0.60, "micro_precision": 0.73}
    assert confusion.table_of("urgent").tolist() == [[8, 8], [11, 340]]
    assert confusion.table_of("normal").tolist() == [[60, 40], [55, 212]]
    assert confusion.table_of("spam").tolist() == [[200, 51], [33, 83]]
    assert confusion.pool_tables().tolist() == [[268, 99], [99, 635]]


def test_the_million_tweets_of_the_textbook() -> None:
    about_pie = np.zeros(1_000_000, np.int64)
    about_pie[:100] = 1
    confusion = Confusion.of(about_pie, np.zeros_like(about_pie))
    assert measure(confusion, "accuracy", "recall:1", "f1:1") == {"accuracy": 0.9999, "recall:1": 0.0, "f1:1": 0.0}
    assert confusion.majority_label == 0


# scikit-learn gives the same


def scores_of_theirs(case: Answers, average: str | None, beta: float, zero_division: float) -> Any:
    return sklearn.metrics.precision_recall_fscore_support(
        case.gold, case.predicted, beta=beta, average=average, sample_weight=case.weights, zero_division=zero_division
    )


@each_zero_division
@given(case=any_answers(), beta=st.sampled_from([0.0, 0.5, 1.0, 2.0, np.inf]))
@some(0.4)
def test_scores_of_labels_equal_scikit_learn(case: Answers, beta: float, zero_division: float) -> None:
    confusion = Confusion.of(*case)
    f = f_score(confusion.counts, zero_division, beta=beta)
    ours = precision(confusion.counts, zero_division), recall(confusion.counts, zero_division), f, confusion.support
    for own, theirs in zip(ours, scores_of_theirs(case, None, beta, zero_division), strict=True):
        close(own, theirs)


@each_zero_division
@given(case=any_answers(), beta=st.sampled_from(["0", "0.5", "1", "2"]))
@some(0.4)
def test_averages_equal_scikit_learn(case: Answers, beta: str, zero_division: float) -> None:
    confusion = Confusion.of(*case)
    for average in ("micro", "macro", "weighted"):
        names = [f"{average}_precision", f"{average}_recall", f"{average}_f{beta}"]
        theirs = list(scores_of_theirs(case, average, float(beta), zero_division)[:3])
        if np.isnan(zero_division) and average != "micro":
            theirs[0] = average_precision_of_theirs(case, average)
            theirs[2] = theirs[0] if beta == "0" else theirs[2]  # F0 is precision
        close(list(measure(confusion, *names, zero_division=zero_division).values()), theirs)


def average_precision_of_theirs(case: Answers, average: str) -> float:
    """The average of scikit-learn's precisions, with 0 for each gold label that is never predicted."""
    precisions, _, _, support = scores_of_theirs(case, None, 1.0, np.nan)
    known = ~np.isnan(precisions) | (support > 0)
    weights = support if average == "weighted" and np.any(support[known]) else np.ones(len(support))
    return float(np.average(np.nan_to_num(precisions)[known], weights=weights[known]))


@given(case=any_answers(weights=("none",)))
def test_a_label_that_is_never_predicted_has_precision_0_in_averages(case: Answers) -> None:
    for average in ("macro", "weighted"):
        theirs = scores_of_theirs(case, average, 1.0, 0.0)[0]
        close(measure(Confusion.of(*case), f"{average}_precision")[f"{average}_precision"], theirs)


@given(case=any_answers())
def test_whole_metrics_equal_scikit_learn(case: Answers) -> None:
    ours = measure(Confusion.of(*case), "accuracy", "balanced_accuracy", "mcc", "kappa")
    options = {"sample_weight": case.weights}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs, about labels that one side lacks
        close(ours["accuracy"], sklearn.metrics.accuracy_score(*case[:2], **options))
        close(ours["balanced_accuracy"], sklearn.metrics.balanced_accuracy_score(*case[:2], **options))
        close(ours["kappa"], sklearn.metrics.cohen_kappa_score(*case[:2], **options))
        if not np.isnan(ours["mcc"]):
            close(ours["mcc"], sklearn.metrics.matthews_corrcoef(*case[:2], **options))


@pytest.mark.filterwarnings("ignore:A single label")
@given(any_answers(most_labels=3, weights=("none", "whole", "any")))
def test_correlation_is_undefined_only_where_one_side_does_not_vary(case: Answers) -> None:
    counted = slice(None) if case.weights is None else case.weights > 0
    is_constant = [len(np.unique(side[counted])) == 1 for side in case[:2]]
    confusion = Confusion.of(*case)
    assert np.isnan(METRICS["mcc"](confusion.counts)) == any(is_constant)
    is_one_label = all(is_constant) and case.gold[counted][0] == case.predicted[counted][0]
    assert np.isnan(METRICS["kappa"](confusion.counts)) == is_one_label
    # scikit-learn calls an undefined correlation 0.
    if any(is_constant) and case.weights is None:
        assert measure(confusion, "mcc", zero_division=0.0)["mcc"] == sklearn.metrics.matthews_corrcoef(
            case.gold, case.predicted
        )


# Laws of every metric


@given(case=any_answers(), data=st.data())
def test_the_order_of_documents_does_not_matter(case: Answers, data: st.DataObject) -> None:
    shuffled = case.pick(np.array(data.draw(st.permutations(range(len(case.gold))))))
    assert_same(Confusion.of(*shuffled).counts, Confusion.of(*case).counts)


@given(case=any_answers())
def test_the_names_of_labels_do_not_matter(case: Answers) -> None:
    labels = np.union1d(case.gold, case.predicted).tolist()
    renamed = Confusion.of(*case.rename({label: -place for place, label in enumerate(labels)})).counts
    counts = Confusion.of(*case).counts
    assert_same(renamed, counts)
    for score in LABEL_SCORES.values():
        close(score(renamed)[::-1], score(counts))


@given(case=any_answers(weights=("whole",)))
def test_a_weight_is_a_repetition(case: Answers) -> None:
    gold, predicted = (np.repeat(side, case.weights.astype(int)) for side in case[:2])
    repeated = Confusion.of(gold, predicted, labels=np.union1d(case.gold, case.predicted))
    assert_same(repeated.counts, Confusion.of(*case).counts)


@given(case=any_answers())
def test_a_label_that_nobody_has_changes_nothing(case: Answers) -> None:
    labels = np.union1d(case.gold, case.predicted)
    more = np.array(["none", *labels]) if labels.dtype.kind == "U" else np.array([99, *labels])
    assert_same(Confusion.of(*case, labels=more).counts, Confusion.of(*case).counts)


@given(st.lists(any_answers(most_labels=5), min_size=1, max_size=4))
@some(0.5)
def test_many_matrices_at_once_give_what_each_gives(cases: list[Answers]) -> None:
    matrices = np.zeros((2, len(cases), 5, 5))
    for k, case in enumerate(cases):
        own = Confusion.of(*case).counts
        matrices[:, k, : len(own), : len(own)] = own
    for name in NAMES:
        together = find(name)(matrices)
        assert together.shape == (2, len(cases))
        close(together, [[find(name)(matrix) for matrix in row] for row in matrices], err_msg=name)
        close(find(name)(sum_cells(matrices)), together, err_msg=name)
    for score in LABEL_SCORES.values():
        close(score(matrices), [[score(matrix) for matrix in row] for row in matrices])


@given(any_answers(weights=("none",)))
def test_counts_may_be_integers(case: Answers) -> None:
    counts = Confusion.of(*case).counts
    assert_same(counts.astype(np.int64), counts)


@given(any_answers(weights=("none",)))
def test_all_right_is_one_and_no_value_is_beyond(case: Answers) -> None:
    counts, best = Confusion.of(*case).counts, Confusion.of(case.gold, case.gold).counts
    for name in NAMES:
        value = find(name)(counts)
        assert np.isnan(value) or -1 <= value <= 1, name
        is_constant = name in ("mcc", "kappa") and len(best) == 1
        assert np.isnan(find(name)(best)) if is_constant else find(name)(best) == 1, name


@given(any_answers())
def test_a_metric_of_one_label_is_that_of_all(case: Answers) -> None:
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
        warn_undefined(describe_undefined(confusion, METRICS.values()), "Remedy.", stacklevel=1)
    assert len(caught) == 1
    message = str(caught[0].message)
    assert ". Undefined values are NaN. Averages count the precision of a label that is never predicted as 0" in message
    assert message.endswith("leave other undefined values out. Remedy.")
    assert "precision is undefined for 'a' (never predicted), 'd' (in neither gold nor predicted)" in message
    assert "recall is undefined for 'c' (not in gold), 'd' (in neither gold nor predicted)" in message
    assert "f1 is undefined for 'd' (in neither gold nor predicted)" in message
    assert caught[0].filename == __file__
    assert np.isnan(precision(confusion.counts)).tolist() == [True, False, False, True]
    assert np.isnan(f_score(confusion.counts, beta=2)).tolist() == [False, False, False, True]


def test_only_what_is_asked_for_is_warned_of() -> None:
    confusion = Confusion.of([1, 2, 2], [2, 2, 3])
    assert describe(confusion, "accuracy", "macro_f1", "micro_precision", "balanced_accuracy", "precision:2") == ""
    assert describe(confusion, "precision:1") == "precision is undefined for 1 (never predicted)"
    assert np.isnan(measure(confusion, "precision:1")["precision:1"])
    assert describe(Confusion.of([1, 2], [1, 1]), "mcc") == "mcc is undefined: gold or predicted has one label only"
    kappa = describe(Confusion.of([1, 1], [1, 1]), "kappa")
    assert kappa == "kappa is undefined: gold and predicted have the same one label only"


def test_many_undefined_labels_are_not_all_listed() -> None:
    line = describe(Confusion.of(np.arange(101), np.full(101, 100)), "macro_precision")
    assert line.endswith("9 (never predicted) and 90 more")


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
        ("f1:span", "'f1:span' asks for the label 'span', which is in neither gold nor predicted. Did you mean 'spam'"),
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
        f_score(np.eye(2), beta=beta)


def test_a_matrix_must_be_square() -> None:
    for shape in [(3,), (2, 3), ()]:
        with pytest.raises(InvalidMatrix, match=r"must be \(..., labels, labels\), got shape"):
            METRICS["accuracy"](np.zeros(shape))

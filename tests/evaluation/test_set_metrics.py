"""Metrics of sets of labels: scikit-learn's values on any indicator matrices, with empty sets and absent labels."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as oracle

from tercet.counts.label_sets import encode_label_sets
from tercet.errors import InvalidMatrix, InvalidOption
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.sets.confused_labels import count_set_sizes, list_forgotten_pairs, list_mistaken_pairs
from tercet.evaluation.sets.rankings import check_cutoffs, check_scores, rank_documents
from tercet.evaluation.sets.set_answers import SetAnswers
from tercet.evaluation.sets.set_sample import SetSample

Matrices = tuple[Any, Any, Any]


@st.composite
def any_sets(draw: st.DrawFn) -> Matrices:
    """Gold, predicted and scores: documents × labels. Scores have ties; some labels and documents have nothing."""
    n, n_labels = draw(st.integers(1, 12)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shares = draw(st.sampled_from([(0.0, 0.5), (0.3, 0.3), (0.5, 0.0), (0.9, 0.8), (0.1, 0.1)]))
    gold, predicted = (rng.random((n, n_labels)) < share for share in shares)
    scores = rng.integers(0, draw(st.sampled_from([2, 4, 1000])), (n, n_labels)) / 4
    return gold.astype(int), predicted.astype(int), scores


def make_sample(gold: Any, predicted: Any, scores: Any = None, cutoffs: tuple[int, ...] = (), resamples: int = 2) -> SetSample:
    sets = encode_label_sets({"gold": gold, "predicted": predicted})
    ranked = {} if scores is None else rank_documents(sets["gold"], scores, cutoffs)
    return SetSample(SetAnswers(sets["gold"], sets["predicted"]), Resampling(resamples=resamples), ranked)


@given(any_sets())
def test_micro_macro_and_example_averages_are_those_of_scikit_learn(matrices: Matrices) -> None:
    gold, predicted, _ = matrices
    sample = make_sample(gold, predicted)
    for own, theirs in (("micro", "micro"), ("macro", "macro"), ("example", "samples")):
        expected = oracle.precision_recall_fscore_support(gold, predicted, average=theirs, zero_division=0)[:3]
        found = sample.estimate([f"{own}_precision", f"{own}_recall", f"{own}_f1"])
        assert [each.value for each in found] == pytest.approx(expected)
    beta = oracle.fbeta_score(gold, predicted, beta=2, average="macro", zero_division=0)
    assert sample.estimate(["macro_f2"])[0].value == pytest.approx(beta)


@given(any_sets())
def test_subset_accuracy_and_hamming_loss_are_those_of_scikit_learn(matrices: Matrices) -> None:
    gold, predicted, _ = matrices
    exact, loss = make_sample(gold, predicted).estimate(["subset_accuracy", "hamming_loss"])
    assert exact.value == pytest.approx(oracle.accuracy_score(gold, predicted))
    assert loss.value == pytest.approx(oracle.hamming_loss(gold, predicted))


@given(any_sets())
def test_each_label_has_scikit_learns_scores_and_0_by_0_is_undefined(matrices: Matrices) -> None:
    gold, predicted, _ = matrices
    rows = make_sample(gold, predicted).list_rows()
    expected = oracle.precision_recall_fscore_support(gold, predicted, average=None, zero_division=np.nan)
    for name, values in zip(("precision", "recall", "f1"), expected, strict=False):
        assert [getattr(row, name).value for row in rows] == pytest.approx(values.tolist(), nan_ok=True)
    assert [row.support for row in rows] == gold.sum(axis=0).tolist()
    assert [row.predicted for row in rows] == predicted.sum(axis=0).tolist()


@given(any_sets(), st.integers(1, 6))
def test_rankings_are_those_of_scikit_learn(matrices: Matrices, k: int) -> None:
    gold, predicted, scores = matrices
    k = min(k, gold.shape[1])
    names = ["lrap", "coverage_error", "ranking_loss", f"ndcg@{k}", f"precision@{k}"]
    found = [each.value for each in make_sample(gold, predicted, scores, (k,)).estimate(names)]
    expected = [
        oracle.label_ranking_average_precision_score(gold, scores),
        oracle.coverage_error(gold, scores),
        oracle.label_ranking_loss(gold, scores),
        oracle.ndcg_score(gold, scores, k=k),
        np.mean([expect_precision(row, own, k) for row, own in zip(gold, scores, strict=True)]),
    ]
    assert found == pytest.approx(expected)


def expect_precision(gold: Any, scores: Any, k: int) -> float:
    """By the definition: labels above the k-th score, and a fair share of those with exactly this score."""
    lowest = np.sort(scores)[-k]
    above, equal = scores > lowest, scores == lowest
    return float((gold[above].sum() + gold[equal].mean() * (k - above.sum())) / k)


def test_blocks_of_documents_do_not_change_a_ranking(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    gold = encode_label_sets({"gold": (rng.random((50, 7)) < 0.3).astype(int)})["gold"]
    scores = rng.random((50, 7))
    whole = rank_documents(gold, scores, [1, 3])
    monkeypatch.setattr("tercet.evaluation.resampling.BLOCK", 7 * 128 * 3)
    parts = rank_documents(gold, scores, [1, 3])
    for name, values in whole.items():
        np.testing.assert_array_equal(values, parts[name])


def test_single_precision_scores_are_not_copied_as_a_whole_and_rank_alike() -> None:
    scores = np.array([[0.5, 0.25, 0.125]], np.float32)
    assert check_scores(scores, 1, 3) is scores


@pytest.mark.parametrize(
    ("scores", "words"),
    [([[1.0, 2.0]], "shape"), ([["a", "b", "c"]], "numbers"), ([[1.0, np.nan, 2.0]], "NaN")],
)
def test_bad_scores_are_refused_in_one_line(scores: Any, words: str) -> None:
    with pytest.raises(InvalidMatrix, match=words) as caught:
        rank_documents(encode_label_sets({"gold": np.eye(3)[:1]})["gold"], check_scores(scores, 1, 3), [1])
    assert "\n" not in str(caught.value)


def test_sparse_scores_are_refused() -> None:
    from scipy.sparse import csr_array

    with pytest.raises(InvalidMatrix, match="sparse"):
        check_scores(csr_array(np.eye(2)), 2, 2)


@pytest.mark.parametrize("k", [0, 4, "1", [1, 9]])
def test_a_cutoff_is_between_1_and_the_number_of_labels(k: Any) -> None:
    with pytest.raises(InvalidOption, match="from 1 to 3"):
        check_cutoffs(k, 3)


def test_an_unknown_metric_is_refused_with_the_nearest_name() -> None:
    sample = make_sample([["a"], []], [["a"], ["b"]])
    with pytest.raises(InvalidOption, match="Did you mean 'micro_f1'"):
        sample.estimate(["mikro_f1"])
    with pytest.raises(InvalidOption, match="no metric 'lrap'"):
        sample.estimate(["lrap"])


# Intervals


@pytest.fixture(scope="module")
def simulated() -> Matrices:
    rng = np.random.default_rng(5)
    gold = rng.random((300, 8)) < np.linspace(0.05, 0.5, 8)
    predicted = np.where(rng.random(gold.shape) < 0.2, ~gold, gold)
    return gold.astype(int), predicted.astype(int), np.where(gold, 0.4, 0.0) + rng.random(gold.shape)


@pytest.mark.parametrize("name", ["micro_f1", "macro_f1", "example_f1", "hamming_loss", "lrap", "coverage_error", "f1:3"])
def test_intervals_are_those_of_resampled_documents(simulated: Matrices, name: str) -> None:
    """The percentile interval equals that of a plain loop over resamples with scikit-learn's functions, roughly."""
    gold, predicted, scores = simulated
    functions = {
        "micro_f1": lambda rows: oracle.f1_score(gold[rows], predicted[rows], average="micro"),
        "macro_f1": lambda rows: oracle.f1_score(gold[rows], predicted[rows], average="macro"),
        "example_f1": lambda rows: oracle.f1_score(gold[rows], predicted[rows], average="samples", zero_division=0),
        "hamming_loss": lambda rows: oracle.hamming_loss(gold[rows], predicted[rows]),
        "lrap": lambda rows: oracle.label_ranking_average_precision_score(gold[rows], scores[rows]),
        "coverage_error": lambda rows: oracle.coverage_error(gold[rows], scores[rows]),
        "f1:3": lambda rows: oracle.f1_score(gold[rows, 3], predicted[rows, 3]),
    }
    rng = np.random.default_rng(1)
    drawn = np.array([functions[name](rng.integers(300, size=300)) for _ in range(400)])
    sets = encode_label_sets({"gold": gold, "predicted": predicted})
    answers, ranked = SetAnswers(sets["gold"], sets["predicted"]), rank_documents(sets["gold"], scores, [1])
    (found,) = SetSample(answers, Resampling(interval="percentile", resamples=2000), ranked).estimate([name])
    assert found.method == "percentile"
    assert [found.low, found.high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.5 * drawn.std())


@pytest.mark.parametrize("limit", ["MAX_DRAWN_LABELS", "MAX_DRAWN_SUMS", "MAX_DRAWN_DOCUMENTS"])
def test_standard_errors_give_about_the_same_intervals(
    simulated: Matrices, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold, predicted, scores = simulated
    names = ["micro_f1", "macro_f1", "example_recall", "coverage_error", "f1:5"]
    sample = make_sample(gold, predicted, scores, (1,), resamples=2000)
    drawn = sample.estimate(names)
    monkeypatch.setattr(f"tercet.evaluation.sets.set_sample.{limit}", 0)
    by_errors = sample.estimate(names)
    assert any(each.method == "logit" for each in by_errors)
    for one, other in zip(drawn, by_errors, strict=True):
        assert one.value == pytest.approx(other.value)
        width = one.high - one.low
        assert [other.low, other.high] == pytest.approx([one.low, one.high], abs=0.2 * width)


def test_the_order_of_documents_changes_no_number(simulated: Matrices) -> None:
    order = np.random.default_rng(0).permutation(300)
    names = ["micro_f1", "macro_f1", "example_f1", "subset_accuracy", "lrap", "f1:2"]
    plain = make_sample(*simulated, cutoffs=(1,), resamples=200).estimate(names)
    shuffled = make_sample(*(each[order] for each in simulated), cutoffs=(1,), resamples=200).estimate(names)
    assert [each.low for each in plain] == pytest.approx([each.low for each in shuffled])
    assert [each.high for each in plain] == pytest.approx([each.high for each in shuffled])


def test_a_label_that_a_resample_loses_is_left_out_of_its_macro_average() -> None:
    """40 labels have one document each, and all answers are right: no resample is worse than the sample."""
    sets = [[f"label {k}"] for k in range(40)]
    (found,) = make_sample(sets, sets, resamples=500).estimate(["macro_f1"])
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)
    assert "few gold documents" in found.note


def test_few_documents_are_called_unreliable() -> None:
    assert "only 2 documents" in make_sample([["a"], []], [["a"], []]).estimate(["micro_f1"])[0].note


# Confused labels


def test_pairs_count_documents_of_a_missed_label_with_a_wrong_or_another_missed_one() -> None:
    gold = [["a", "b"], ["a"], ["a", "c"], ["b", "c"], []]
    predicted = [["c"], ["b"], ["a", "b"], [], ["a"]]
    sets = encode_label_sets({"gold": gold, "predicted": predicted})
    answers = SetAnswers(sets["gold"], sets["predicted"])
    mistaken = [(pair.gold, pair.predicted, pair.documents, round(pair.share, 2)) for pair in list_mistaken_pairs(answers, 9)]
    assert mistaken == [("a", "b", 1, 0.33), ("a", "c", 1, 0.33), ("b", "c", 1, 0.5), ("c", "b", 1, 0.5)]
    forgotten = [(pair.gold, pair.predicted, pair.documents) for pair in list_forgotten_pairs(answers, 9)]
    assert forgotten == [("a", "b", 1), ("b", "c", 1)]


@given(any_sets())
def test_pairs_are_those_of_the_definition(matrices: Matrices) -> None:
    gold, predicted, _ = matrices
    sets = encode_label_sets({"gold": gold, "predicted": predicted})
    answers = SetAnswers(sets["gold"], sets["predicted"])
    missed, wrong = gold * (1 - predicted), predicted * (1 - gold)
    counted = {(pair.gold, pair.predicted): pair.documents for pair in list_mistaken_pairs(answers, 99)}
    assert counted == {(a, b): n for (a, b), n in np.ndenumerate(missed.T @ wrong) if n}
    together = {(pair.gold, pair.predicted): pair.documents for pair in list_forgotten_pairs(answers, 99)}
    assert together == {(a, b): n for (a, b), n in np.ndenumerate(missed.T @ missed) if n and a < b}


def test_pairs_of_many_labels_are_counted_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    gold, predicted = ((rng.random((40, 30)) < 0.3).astype(int) for _ in range(2))
    sets = encode_label_sets({"gold": gold, "predicted": predicted})
    answers = SetAnswers(sets["gold"], sets["predicted"])
    whole = list_mistaken_pairs(answers, 7), list_forgotten_pairs(answers, 7)
    monkeypatch.setattr("tercet.evaluation.sets.confused_labels.MAX_PAIRS", 50)
    assert (list_mistaken_pairs(answers, 7), list_forgotten_pairs(answers, 7)) == whole


def test_set_sizes_count_gold_and_predicted_documents() -> None:
    sets = encode_label_sets({"gold": [["a", "b"], [], ["a"]], "predicted": [["a"], ["b"], ["a"]]})
    sizes = count_set_sizes(SetAnswers(sets["gold"], sets["predicted"]))
    assert [(row.n_labels, row.gold, row.predicted) for row in sizes] == [(0, 1, 0), (1, 1, 3), (2, 1, 0)]


def test_no_warning_is_raised_for_empty_sets() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_sample([["a"], []], [[], []]).list_rows()

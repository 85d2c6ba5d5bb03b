"""evaluate_sets and compare_sets: the numbers in every form, the same for every form of input, and what they refuse."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, f1_score
from sklearn.preprocessing import MultiLabelBinarizer

import tercet
from tercet.errors import InvalidLabel, InvalidOption, TercetError
from tercet.evaluation.significance import mcnemar

NAMES = [f"label {k}" for k in range(6)]


def draw_sets(n: int = 120, n_systems: int = 2, names: list[str] = NAMES) -> tuple[list[list[str]], list[list[list[str]]]]:
    rng = np.random.default_rng(3)
    gold = rng.random((n, len(names))) < np.linspace(0.6, 0.1, len(names))
    answers = [np.where(rng.random(gold.shape) < 0.1 * (k + 1), ~gold, gold) for k in range(n_systems)]
    spell = [[[names[code] for code in np.flatnonzero(row)] for row in matrix] for matrix in (gold, *answers)]
    return spell[0], spell[1:]


def test_lists_matrices_and_cells_give_the_same_report() -> None:
    gold, (predicted, _) = draw_sets()
    encode = MultiLabelBinarizer(classes=NAMES).fit(gold)
    plain = tercet.evaluate_sets(gold, predicted, resamples=200).to_dict()
    forms: list[tuple[Any, Any, dict[str, Any]]] = [
        (encode.transform(gold), encode.transform(predicted), {"labels": NAMES}),
        (pd.DataFrame(encode.transform(gold), columns=NAMES), [set(own) for own in predicted], {}),
        (["|".join(own) for own in gold], ["|".join(own) for own in predicted], {"separator": "|"}),
    ]
    for own_gold, own_predicted, options in forms:
        assert tercet.evaluate_sets(own_gold, own_predicted, resamples=200, **options).to_dict() == plain


def test_the_worst_label_comes_first_and_the_pairs_and_sizes_are_shown() -> None:
    report = tercet.evaluate_sets([["a", "b"], ["a"], []] * 20, [["a"], ["c"], []] * 20, resamples=200)
    text = str(report)
    assert text.startswith("60 documents, 3 labels; 1.00 gold and 0.67 predicted labels for each document; 95 % intervals")
    lines = text.splitlines()
    labels = lines.index(next(line for line in lines if line.startswith("label ")))
    assert [line[0] for line in lines[labels + 1 : labels + 4]] == ["b", "c", "a"]
    assert "missed  predicted instead  documents  of gold" in text
    assert "never predicted, so averages count precision 0: 'b'" in text
    assert "not in gold, so averages count recall 0: 'c'" in text
    assert report.signature.endswith(f"|resamples:200|seed:0|tercet:{tercet.__version__}")


def test_many_labels_have_a_table_of_the_worst_and_one_of_the_most_frequent() -> None:
    names = [f"label {k:02}" for k in range(40)]
    gold, (predicted, _) = draw_sets(200, names=names)
    report = tercet.evaluate_sets(gold, predicted, resamples=50)
    grids = {grid.header[0]: grid for grid in report.to_sheet().grids}
    for name in ("worst label", "most frequent label"):
        assert len(grids[name].rows) == 16
        assert grids[name].rows[-1][0] == "… 25 more"
    worst = [float(row[3].split()[0]) for row in grids["worst label"].rows[:-1]]
    frequent = [int(row[4]) for row in grids["most frequent label"].rows[:-1]]
    assert worst == sorted(worst)
    assert frequent == sorted(frequent, reverse=True)
    assert len(report.rows) == 40


def test_long_sets_share_a_row() -> None:
    gold = [[f"label {i}" for i in range(k)] for k in range(20)]
    rows = next(
        grid for grid in tercet.evaluate_sets(gold, gold, resamples=20).to_sheet().grids if "of a doc" in grid.title
    ).rows
    assert rows[-1] == ("10 or more", "10", "10")
    assert len(rows) == 11


def test_every_form_has_the_metrics() -> None:
    gold, (predicted, _) = draw_sets()
    report = tercet.evaluate_sets(gold, predicted, np.random.default_rng(0).random((120, 6)), resamples=50, k=[1, 2])
    expected = f1_score(
        *(MultiLabelBinarizer(classes=NAMES).fit_transform(each) for each in (gold, predicted)), average="macro"
    )
    assert report["macro_f1"].value == pytest.approx(expected)
    found = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert found["metrics"]["macro_f1"]["value"] == pytest.approx(expected)
    assert {"precision@2", "ndcg@1", "lrap", "coverage_error", "ranking_loss"} <= set(found["metrics"])
    assert "precision@3" not in found["metrics"]
    for written in (report.to_markdown(), report.to_latex(), report.to_html(), report.to_terminal(color=False)):
        assert "label 0" in written
    assert "<svg" in report.to_html()
    assert len(report.to_frame()) == len(found["metrics"]) + 3 * 6


def test_columns_of_scores_are_found_by_their_names() -> None:
    gold, (predicted, _) = draw_sets()
    scores = pd.DataFrame(np.random.default_rng(0).random((120, 6)), columns=NAMES)
    plain = tercet.evaluate_sets(gold, predicted, scores, resamples=20)["lrap"].value
    turned = tercet.evaluate_sets(gold, predicted, scores[NAMES[::-1]], resamples=20)["lrap"].value
    assert plain == pytest.approx(turned)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"k": 2}, InvalidOption, "no scores"),
        ({"metrics": ["f1:nope"]}, InvalidOption, "Did you mean"),
        ({"metrics": [len]}, InvalidOption, "is a function"),
        ({"metrics": ["micro_f1", "micro_f1"]}, InvalidOption, "two metrics"),
        ({"labels": ["a"]}, InvalidLabel, "which labels does not name"),
        ({"resamples": 1}, InvalidOption, "resamples"),
    ],
)
def test_wrong_options_are_refused_in_one_line(options: Any, error: type[TercetError], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        tercet.evaluate_sets([["a", "b"]], [["a"]], **options)
    assert "\n" not in str(caught.value)


# Comparisons


def test_a_better_system_is_shown_to_be_better_by_every_metric() -> None:
    gold, (a, b) = draw_sets(400)
    for metric in ("micro_f1", "macro_f1", "subset_accuracy", "example_f1", "f1:label 1", "macro_recall"):
        found = tercet.compare_sets(gold, {"a": a, "b": b}, metric, resamples=500)
        assert found.p_value == pytest.approx(1 / 501)
        assert found.low > 0
        own = [tercet.evaluate_sets(gold, each, metrics=[metric], resamples=500)[metric] for each in (a, b)]
        assert [found.scores[name].value for name in "ab"] == pytest.approx([each.value for each in own])
        assert found.difference == pytest.approx(own[0].value - own[1].value)
        assert "a is better than b" in found.sentence


def test_labels_that_only_another_system_predicts_do_not_change_a_macro_average() -> None:
    gold, (a, b) = draw_sets()
    odd = [[*own, f"odd {k % 7}"] for k, own in enumerate(b)]
    found = tercet.compare_sets(gold, {"a": a, "odd": odd}, "macro_f1", resamples=20)
    alone = tercet.evaluate_sets(gold, a, resamples=20)["macro_f1"]
    bounds = [[each.low, each.value, each.high] for each in (found.scores["a"], alone)]
    assert bounds[0] == pytest.approx(bounds[1])
    assert found.scores["odd"].value == pytest.approx(tercet.evaluate_sets(gold, odd, resamples=20)["macro_f1"].value)
    assert found.difference == pytest.approx(found.scores["a"].value - found.scores["odd"].value)


def test_named_labels_count_in_the_macro_averages_of_all_systems() -> None:
    gold, (a, b) = draw_sets()
    found = tercet.compare_sets(gold, {"a": a, "b": b}, "macro_f1", labels=[*NAMES, "x", "y"], resamples=20)
    assert found.difference == pytest.approx(found.scores["a"].value - found.scores["b"].value)
    unnamed = tercet.compare_sets(gold, {"a": a, "b": b}, "macro_f1", resamples=20)
    assert found.difference == pytest.approx(unnamed.difference * 6 / 8)


def test_equal_answers_differ_in_nothing() -> None:
    gold, (a, _) = draw_sets()
    for metric in ("micro_f1", "macro_f1", "subset_accuracy"):
        found = tercet.compare_sets(gold, {"a": a, "again": a}, metric, resamples=50)
        assert (found.difference, found.p_value) == (0.0, 1.0)


def test_mcnemar_counts_documents_that_one_system_has_exactly_right() -> None:
    gold, (a, b) = draw_sets()
    found = tercet.compare_sets(gold, {"a": a, "b": b}, "subset_accuracy", "mcnemar")
    right = [[own == truth for own, truth in zip(each, gold, strict=True)] for each in (a, b)]
    a_only = sum(x and not y for x, y in zip(*right, strict=True))
    b_only = sum(y and not x for x, y in zip(*right, strict=True))
    assert found.p_value == pytest.approx(mcnemar(a_only, b_only))
    encode = MultiLabelBinarizer(classes=NAMES).fit(gold)
    assert found.scores["a"].value == pytest.approx(accuracy_score(encode.transform(gold), encode.transform(a)))
    with pytest.raises(InvalidOption, match="is for subset_accuracy"):
        tercet.compare_sets(gold, {"a": a, "b": b}, "micro_f1", "mcnemar")


def test_several_systems_are_corrected_by_holm_and_further_metrics_are_shown() -> None:
    gold, systems = draw_sets(150, 3)
    named = dict(zip("abc", systems, strict=True))
    found = tercet.compare_sets(gold, named, ["micro_f1", "macro_f1", "hamming_loss"], resamples=99)
    assert len(found.rows) == 3
    assert all(row.adjusted_p >= row.difference.p_value for row in found.rows)
    assert list(found.others) == ["macro_f1", "hamming_loss"]
    assert len(tercet.compare_sets(gold, named, baseline="a", resamples=99).rows) == 2


@pytest.mark.parametrize(
    ("metric", "words"), [("hamming_loss", "is a loss"), ([], "empty list"), ("accuracy", "no metric 'accuracy'")]
)
def test_a_comparison_needs_a_metric_of_which_more_is_better(metric: Any, words: str) -> None:
    gold, (a, b) = draw_sets(20)
    with pytest.raises(InvalidOption, match=words):
        tercet.compare_sets(gold, {"a": a, "b": b}, metric)


def test_the_randomization_test_equals_a_plain_loop_of_swaps() -> None:
    gold, (a, b) = draw_sets(40)
    b = [own if k % 3 else a[k] for k, own in enumerate(b)]
    encode = MultiLabelBinarizer(classes=NAMES).fit(gold)
    truth, first, second = (encode.transform(each) for each in (gold, a, b))
    rng = np.random.default_rng(0)

    def subtract(swapped: Any) -> float:
        x, y = np.where(swapped, second, first), np.where(swapped, first, second)
        return float(f1_score(truth, x, average="macro") - f1_score(truth, y, average="macro"))

    observed = abs(subtract(np.zeros((40, 1), bool)))
    drawn = [abs(subtract(rng.random((40, 1)) < 0.5)) for _ in range(600)]
    expected = (sum(each >= observed - 1e-12 for each in drawn) + 1) / 601
    found = tercet.compare_sets(gold, {"a": a, "b": b}, "macro_f1", resamples=5000).p_value
    assert found == pytest.approx(expected, abs=0.06)

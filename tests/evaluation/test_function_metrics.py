"""Functions of the user as metrics of evaluate and compare."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import tercet
from tercet.errors import InvalidOption
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.significance import compare_by_function


def invent_systems(n: int, **right: float) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(1)
    gold = rng.choice(["ham", "spam", "work"], size=n)
    others = {"ham": "spam", "spam": "work", "work": "ham"}
    wrong = np.array([others[label] for label in gold.tolist()])
    return gold, {name: np.where(rng.random(n) < share, gold, wrong) for name, share in right.items()}


def share_right(gold: Any, predicted: Any) -> float:
    return float(np.mean(gold == predicted))


def saved_minutes(gold: Any, predicted: Any) -> Any:
    return 3 * np.count_nonzero(gold == predicted) - 10 * np.count_nonzero((gold != "spam") & (predicted == "spam"))


@pytest.mark.parametrize("test", ["randomization", "paired_bootstrap", "textbook_bootstrap"])
@pytest.mark.parametrize("has_groups", [False, True])
def test_accuracy_as_a_function_is_compared_as_accuracy_is(test: str, has_groups: bool) -> None:
    gold, answers = invent_systems(400, a=0.86, b=0.80)
    options: dict[str, Any] = {"test": test, "groups": np.arange(400) // 2 if has_groups else None, "resamples": 2000}
    ours, theirs = (tercet.compare(gold, answers, metric, **options) for metric in (share_right, "accuracy"))
    assert ours.difference == pytest.approx(theirs.difference)
    assert ours.p_value == pytest.approx(theirs.p_value, abs=0.015)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.012)
    for name in "ab":
        assert (ours.scores[name].low, ours.scores[name].high) == pytest.approx(
            (theirs.scores[name].low, theirs.scores[name].high), abs=0.012
        )
    assert ours.rows[0].difference.n_needed == pytest.approx(theirs.rows[0].difference.n_needed, rel=0.15)


@pytest.mark.parametrize("test", ["randomization", "paired_bootstrap", "textbook_bootstrap"])
def test_a_few_large_groups_have_the_p_of_accuracy(test: str) -> None:
    gold, answers = invent_systems(90, a=0.90, b=0.75)
    options: dict[str, Any] = {"test": test, "groups": np.arange(90) // 10, "resamples": 4000}
    ours, theirs = (tercet.compare(gold, answers, metric, **options).p_value for metric in (share_right, "accuracy"))
    single = tercet.compare(gold, answers, share_right, test=test, resamples=4000).p_value
    assert ours == pytest.approx(theirs, rel=0.15)
    assert abs(single - theirs) > 0.3 * theirs


def test_the_p_of_randomization_is_that_of_all_swaps() -> None:
    gold, answers = invent_systems(10, a=0.9, b=0.5)
    a, b = answers.values()
    observed = abs(saved_minutes(gold, a) - saved_minutes(gold, b))
    extreme = []
    for swap in itertools.product([False, True], repeat=10):
        first, second = np.where(swap, b, a), np.where(swap, a, b)
        extreme.append(abs(saved_minutes(gold, first) - saved_minutes(gold, second)) >= observed)
    found = tercet.compare(gold, answers, saved_minutes, resamples=4000)
    assert found.p_value == pytest.approx(np.mean(extreme), abs=0.03)


def test_the_test_by_a_function_keeps_its_level() -> None:
    """Two systems that are equally good: at 10 % about one claim in ten, and not more."""
    rejected = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        gold = rng.integers(2, size=60)
        answers = {name: np.where(rng.random(60) < 0.8, gold, 1 - gold) for name in "ab"}
        _, (pair,) = compare_by_function(share_right, gold, answers, plan=Resampling(resamples=99))
        rejected += pair.difference.p_value <= 0.1
    assert 2 <= rejected <= 20  # 99.9 % of all binomial numbers with 100 trials and p = 0.1 are below 20; ties make it cautious


def test_a_function_is_on_its_own_scale_and_a_larger_number_is_better() -> None:
    gold, answers = invent_systems(300, a=0.95, b=0.6)
    comparison = tercet.compare(gold, {"b": answers["b"], "a": answers["a"]}, saved_minutes, resamples=300)
    assert comparison.metric == "saved_minutes"
    assert comparison.difference == saved_minutes(gold, answers["b"]) - saved_minutes(gold, answers["a"])
    assert comparison.sentence.startswith(f"a is better than b by {-comparison.difference:.3f} of saved_minutes, 95 % interval")
    assert "points" not in comparison.sentence
    assert comparison.signature.startswith("saved_minutes|n:300|test:randomization|interval:bca95|resamples:300|seed:0|")
    assert comparison.to_dict()["scores"]["a"]["value"] == saved_minutes(gold, answers["a"])


def test_several_systems_and_a_baseline_are_compared_by_a_function() -> None:
    gold, answers = invent_systems(200, a=0.9, b=0.85, c=0.5)
    rows = tercet.compare(gold, answers, share_right, resamples=200).rows
    assert [(row.first, row.second) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert all(row.adjusted_p >= row.difference.p_value for row in rows)
    against = tercet.compare(gold, answers, share_right, baseline="c", resamples=200).rows
    assert [(row.first, row.second) for row in against] == [("a", "c"), ("b", "c")]


def test_the_first_metric_decides_and_the_others_are_shown() -> None:
    gold, answers = invent_systems(200, a=0.9, b=0.6)
    several = tercet.compare(gold, answers, ["f2:spam", "accuracy", share_right, "accuracy"], resamples=300)
    alone = tercet.compare(gold, answers, "f2:spam", resamples=300)
    assert several.rows == alone.rows
    assert several.scores == alone.scores
    assert several.others["accuracy"]["b"] == tercet.evaluate(gold, answers["b"], resamples=300).accuracy
    assert several.others["share_right"]["a"].value == several.others["accuracy"]["a"].value
    header = next(line for line in str(several).splitlines() if line.startswith("system"))
    assert header.split() == ["system", "f2:spam", "accuracy", "share_right"]
    assert several.signature.startswith("f2:spam+accuracy+share_right|")
    assert several.to_dict()["others"]["accuracy"]["b"]["method"] == "wilson"


def test_a_difference_is_claimed_at_the_level_of_the_confidence() -> None:
    gold, answers = invent_systems(600, a=0.86, b=0.80)
    for metric in ("accuracy", share_right):
        usual = tercet.compare(gold, answers, metric, resamples=2000)
        careful = tercet.compare(gold, answers, metric, resamples=2000, confidence=0.99)
        assert 0.01 < usual.p_value == careful.p_value < 0.05
        assert usual.sentence.startswith("a is better than b by ")
        assert careful.sentence.startswith("no difference in ")
        assert "99 % interval" in careful.sentence
        assert careful.low < usual.low < usual.high < careful.high
        assert careful.rows[0].difference.n_needed > usual.rows[0].difference.n_needed
        assert "interval:bca99" in careful.signature


def test_a_resample_without_a_number_is_left_out_and_counted() -> None:
    def recall_of_rare(gold: Any, predicted: Any) -> float:
        return float(np.sum((gold == "rare") & (predicted == "rare")) / int(np.sum(gold == "rare")))

    gold = ["rare"] * 2 + ["usual"] * 40
    answers = {"a": ["rare"] * 2 + ["usual"] * 40, "b": ["usual"] * 42}
    comparison = tercet.compare(gold, answers, recall_of_rare, resamples=500)
    assert "resamples, which are left out" in comparison.rows[0].difference.estimate.note
    report = tercet.evaluate(gold, answers["a"], metrics=[recall_of_rare], slices={"half": [0] * 21 + [1] * 21}, resamples=100)
    assert report["recall_of_rare"].value == 1
    undefined = report.slices["half"][1].estimates["recall_of_rare"]
    assert math.isnan(undefined.value)
    assert undefined.note.startswith("undefined")


def raise_key_error(gold: Any, predicted: Any) -> float:
    raise KeyError("no such label")


BAD = {
    "raised KeyError \\('no such label'\\) for 4 documents": raise_key_error,
    "raised TypeError": lambda gold: 0.5,
    "returned nan for 4 documents: it must return a finite number": lambda gold, predicted: math.nan,
    "returned inf": lambda gold, predicted: np.float64(math.inf),
    "returned '0.5'": lambda gold, predicted: "0.5",
    "returned None": lambda gold, predicted: None,
    "returned array\\(\\[0.5, 0.5\\]\\)": lambda gold, predicted: np.array([0.5, 0.5]),
    "returned True": lambda gold, predicted: True,
}


@pytest.mark.parametrize("message", BAD)
def test_a_function_that_gives_no_number_is_one_clear_error(message: str) -> None:
    gold, answers = ["x", "y"] * 2, {"a": ["x", "y"] * 2, "b": ["y", "y"] * 2}
    with pytest.raises(InvalidOption, match=f"the metric (<lambda>|raise_key_error) {message}"):
        tercet.compare(gold, answers, BAD[message])
    with pytest.raises(InvalidOption, match=f"the metric (<lambda>|raise_key_error) {message}"):
        tercet.evaluate(gold, answers["a"], metrics=["accuracy", BAD[message]])


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        (share_right, {"weights": [1.0, 2.0]}, "would not see the weights"),
        (share_right, {"test": "mcnemar"}, "this is a function: take randomization"),
        (share_right, {"test": "t"}, "test must be one of"),
        (share_right, {"baseline": "c"}, "not one of the systems"),
        ([lambda gold, predicted: 1.0, lambda gold, predicted: 2.0], {}, "two metrics are named '<lambda>'"),
        ([], {}, "empty list"),
        (3, {}, "there is no metric 3"),
        (["accuracy", "beauty"], {}, "there is no metric 'beauty'. Did you mean 'accuracy'\\? There are accuracy, balanced"),
        ("f2:z", {}, "asks for the label 'z'"),
    ],
)
def test_metrics_that_can_not_be_compared_are_refused(metric: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        tercet.compare(["x", "y"], {"a": ["x", "y"], "b": ["x", "x"]}, metric, **options)


def test_two_functions_of_one_name_are_refused_by_evaluate() -> None:
    with pytest.raises(InvalidOption, match="two metrics are named '<lambda>'"):
        tercet.evaluate(["x", "y"], ["x", "x"], metrics=[lambda gold, predicted: 1.0, lambda gold, predicted: 2.0])


def test_a_function_may_change_its_arrays() -> None:
    def sort_and_count(gold: Any, predicted: Any) -> float:
        value = share_right(gold, predicted)
        gold.sort()
        predicted.sort()
        return value

    gold, answers = invent_systems(100, a=0.9, b=0.7)
    ours, theirs = (tercet.compare(gold, answers, metric, resamples=200) for metric in (sort_and_count, share_right))
    assert (ours.difference, ours.low, ours.high, ours.p_value) == (theirs.difference, theirs.low, theirs.high, theirs.p_value)
    sorting, plain = (
        tercet.evaluate(gold, answers["a"], metrics=[metric], resamples=200).estimates
        for metric in (sort_and_count, share_right)
    )
    assert sorting["sort_and_count"] == plain["share_right"]

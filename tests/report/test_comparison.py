"""compare: what may be claimed, and what may not."""

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet.errors import InvalidLabel, InvalidOption
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.significance import TESTS, ComparedPair, Difference
from tercet.report.comparison import write_claim


def invent_systems(n: int, **right: float) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(0)
    gold = rng.integers(3, size=n)
    answers = {name: np.where(rng.random(n) < share, gold, (gold + 1) % 3) for name, share in right.items()}
    return gold, answers


def test_the_textbooks_ten_documents() -> None:
    right_a, right_b = [1, 1, 1, 0, 1, 0, 1, 1, 0, 1], [1, 0, 1, 1, 0, 1, 0, 1, 0, 0]
    comparison = tercet.compare([1] * 10, {"a": right_a, "b": right_b}, test="textbook_bootstrap")
    assert [score.value for score in comparison.scores.values()] == [0.7, 0.5]
    assert comparison.difference == pytest.approx(0.2)
    assert comparison.sentence.startswith("not shown that a is better than b (20.0 points of accuracy, 95 % interval ")
    assert "one-sided p = 0.2" in comparison.sentence


def test_a_clear_difference_is_claimed_whichever_comes_first() -> None:
    gold, answers = invent_systems(4000, a=0.9, b=0.8)
    comparison = tercet.compare(gold, answers)
    assert comparison.p_value < 0.001
    assert 0 < comparison.low < comparison.difference < comparison.high
    assert comparison.test == "randomization"
    assert comparison.sentence.startswith("a is better than b by ")
    turned = tercet.compare(gold, {"b": answers["b"], "a": answers["a"]})
    assert turned.difference == -comparison.difference
    assert turned.sentence.startswith("a is better than b by ")


def test_an_unclear_difference_says_how_many_documents_it_would_take() -> None:
    gold, answers = invent_systems(300, a=0.82, b=0.80)
    comparison = tercet.compare(gold, answers, metric="macro_f1")
    assert comparison.p_value > 0.05
    assert "no difference in macro_f1 between a and b shown" in comparison.sentence
    assert "you would need about" in comparison.sentence


def test_equal_answers_need_no_number_of_documents() -> None:
    gold, answers = invent_systems(50, a=0.8)
    comparison = tercet.compare(gold, {"a": answers["a"], "b": answers["a"]})
    assert comparison.p_value == 1
    assert "you would need" not in comparison.sentence


def test_a_one_sided_test_never_claims_the_other_side() -> None:
    gold, answers = invent_systems(2000, a=0.7, b=0.9)
    sentence = tercet.compare(gold, answers, test="textbook_bootstrap").sentence
    assert sentence.startswith("not shown that a is better than b (-")
    assert sentence.endswith("one-sided p = 1); this one-sided test does not ask whether b is better.")
    turned = tercet.compare(gold, {"b": answers["b"], "a": answers["a"]}, test="textbook_bootstrap").sentence
    assert turned.startswith("b is better than a by ")
    assert "one-sided p = 0.0001" in turned


def claim(value: float, low: float, high: float, p: float, test: str = "randomization", confidence: float = 0.95) -> str:
    difference = Difference(Estimate(value, low, high, confidence, "bca"), p, test, None)
    return write_claim(ComparedPair("a", "b", difference, p), "accuracy", n=100)


def test_a_claim_needs_a_p_below_the_level_and_puts_the_better_system_first() -> None:
    assert claim(-0.018, -0.027, -0.009, 0.049) == (
        "b is better than a by 1.8 points of accuracy, 95 % interval 0.9 to 2.7, p = 0.049"
    )
    assert claim(-0.018, -0.027, -0.009, 0.05) == (
        "a difference in accuracy between a and b is not certain (-1.8 points, 95 % interval -2.7 to -0.9, p = 0.05): "
        "the interval excludes 0, but the test does not reject equality"
    )
    assert claim(-0.018, -0.027, -0.009, 0.01, "textbook_bootstrap").startswith("not shown that a is better than b")


def test_the_claim_follows_the_confidence() -> None:
    assert claim(0.018, 0.001, 0.035, 0.036, confidence=0.95).startswith("a is better")
    assert claim(0.018, -0.01, 0.045, 0.036, confidence=0.999).startswith("no difference in accuracy")
    gold, answers = invent_systems(600, a=0.85, b=0.80)
    p = tercet.compare(gold, answers).p_value
    assert 0.001 < p < 0.05
    assert "is better than" not in tercet.compare(gold, answers, confidence=0.999).sentence


def test_test_and_interval_that_disagree_are_named() -> None:
    assert claim(0.018, -0.001, 0.036, 0.04).endswith(": the test rejects equality, but the interval contains 0")
    assert claim(0.018, -0.001, 0.036, 0.04, "textbook_bootstrap").endswith("but the interval contains 0")
    assert claim(0.018, 0.001, 0.036, 0.06, "textbook_bootstrap").endswith("but the test does not reject equality")


def test_no_more_documents_are_needed_than_there_are_already() -> None:
    comparison = tercet.compare([1] * 4, {"a": [1] * 4, "b": [0] * 4})
    assert comparison.sentence == (
        "no difference in accuracy between a and b shown (100.0 points, 95 % interval unknown, p = 0.13); "
        "unreliable: only 4 documents."
    )


@given(st.data())
@settings(max_examples=150)
def test_no_sentence_contradicts_its_numbers(data: st.DataObject) -> None:
    """For any two systems, any test, any confidence: what is claimed is what test and interval show."""
    n = data.draw(st.integers(2, 40))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    gold = rng.integers(2, size=n)
    answers = {name: np.where(rng.random(n) < rng.random(), gold, 1 - gold) for name in "ab"}
    test, confidence = data.draw(st.sampled_from(TESTS)), data.draw(st.sampled_from([0.8, 0.95, 0.999]))
    groups = data.draw(st.sampled_from([None, rng.integers(8, size=n)])) if not test.startswith("mcnemar") else None
    found = tercet.compare(gold, answers, test=test, groups=groups, confidence=confidence, resamples=200)
    is_better = " is better than " in found.sentence and not found.sentence.startswith("not shown")
    excludes = not found.low <= 0 <= found.high
    is_possible = found.difference > 0 or test != "textbook_bootstrap"
    assert is_better == (found.p_value < 1 - confidence - 1e-12 and excludes and is_possible)
    assert ("one-sided" in found.sentence) == (test == "textbook_bootstrap")
    if found.sentence.startswith("no difference"):
        assert not excludes or "interval unknown" in found.sentence
    if needed := re.search(r"need about (\d+) ", found.sentence):
        assert int(needed[1]) > (n if groups is None else len(set(groups.tolist())))


@pytest.mark.parametrize("test", ["randomization", "paired_bootstrap", "mcnemar", "mcnemar_exact"])
def test_every_test_sees_what_is_clear(test: str) -> None:
    gold, answers = invent_systems(1000, a=0.9, b=0.8)
    comparison = tercet.compare(gold, answers, test=test)
    assert 0 < comparison.p_value < 0.01
    assert f"|test:{test}|" in comparison.signature


def test_several_systems_are_corrected_for() -> None:
    gold, answers = invent_systems(1000, a=0.9, b=0.89, c=0.5)
    comparison = tercet.compare(gold, answers)
    assert [(row.first, row.second) for row in comparison.rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert all(row.adjusted_p >= row.difference.p_value for row in comparison.rows)
    assert len(comparison.sentence.splitlines()) == 3
    with pytest.raises(InvalidOption, match="take them from rows"):
        _ = comparison.p_value
    against = tercet.compare(gold, answers, baseline="c")
    assert [(row.first, row.second) for row in against.rows] == [("a", "c"), ("b", "c")]


def test_groups_are_drawn_whole() -> None:
    gold, answers = invent_systems(400, a=0.9, b=0.86)
    single = tercet.compare(gold, answers)
    grouped = tercet.compare(
        np.repeat(gold, 5), {name: np.repeat(own, 5) for name, own in answers.items()}, groups=np.arange(2000) // 5
    )
    assert grouped.high - grouped.low == pytest.approx(single.high - single.low, rel=0.1)
    assert grouped.p_value == pytest.approx(single.p_value, abs=0.03)


def test_same_seed_same_output_in_every_form() -> None:
    gold, answers = invent_systems(200, **{"<a> & b_1": 0.9, "b|$": 0.6})
    first, again = (tercet.compare(gold, answers, seed=3) for _ in range(2))
    assert json.loads(json.dumps(first.to_dict(), allow_nan=False)) == again.to_dict()
    assert str(first) == repr(again)
    assert "<a>" not in first.to_html()
    assert r"\textless{}a\textgreater{} \& b\_1" in first.to_latex()
    assert r"b\|\$" in first.to_markdown()
    assert first.signature in str(first)
    assert first.sentence.strip(".") in str(first)


@pytest.mark.parametrize(
    ("systems", "options", "error", "message"),
    [
        ({"a": ["x", "y"]}, {}, InvalidOption, "use evaluate"),
        ([["x", "y"], ["x", "x"]], {}, InvalidOption, "mapping"),
        ({1: ["x", "y"], 2: ["x", "x"]}, {}, InvalidOption, "must be text"),
        ({"a": ["x", "y"], "b": ["x"]}, {}, InvalidLabel, "system 'b' has 1"),
        ({"a": ["x", "y"], "b": ["x", None]}, {}, InvalidLabel, "system 'b'"),
        ({"a": ["x", "y"], "b": ["x", "x"]}, {"metric": "f1"}, InvalidOption, "no metric 'f1'"),
        ({"a": ["x", "y"], "b": ["x", "x"]}, {"test": "t"}, InvalidOption, "test must be"),
        ({"a": ["x", "y"], "b": ["x", "x"]}, {"baseline": "c"}, InvalidOption, "not one of the systems"),
        ({"a": ["x", "y"], "b": ["x", "x"]}, {"test": "mcnemar", "metric": "macro_f1"}, InvalidOption, "for accuracy"),
        ({"a": ["x", "y"], "b": ["x", "x"]}, {"groups": [1]}, InvalidLabel, "groups has 1 values"),
    ],
)
def test_bad_input_is_named(systems: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tercet.compare(["x", "y"], systems, **options)

"""compare: what may be claimed, and what may not."""

import json
from typing import Any

import numpy as np
import pytest

import tercet
from tercet.errors import InvalidLabel, InvalidOption
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.significance import ComparedPair, Difference
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
    assert comparison.sentence.startswith("no difference in accuracy between a and b shown")


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
    assert tercet.compare(gold, answers, test="textbook_bootstrap").sentence.startswith("no difference")


def claim(value: float, low: float, high: float, p: float, test: str = "randomization") -> str:
    difference = Difference(Estimate(value, low, high, 0.95, "bca"), p, test, None)
    return write_claim(ComparedPair("a", "b", difference, p), "accuracy")


def test_a_claim_needs_a_p_below_the_level_and_puts_the_better_system_first() -> None:
    assert claim(-0.018, -0.027, -0.009, 0.049) == (
        "b is better than a by 1.8 points of accuracy, 95 % interval 0.9 to 2.7, p = 0.049"
    )
    assert claim(-0.018, -0.027, -0.009, 0.05).startswith("no difference in accuracy between a and b shown (-1.8 points")
    assert claim(-0.018, -0.027, -0.009, 0.01, "textbook_bootstrap").startswith("no difference")


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

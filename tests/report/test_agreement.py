"""Agreement of judges: Krippendorff's alpha and Cohen's kappa, against definitions, published values and other programs."""

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score

from tercet import measure_agreement
from tercet.errors import InvalidLabel, InvalidOption
from tercet.evaluation.resampling import Resampling
from tercet.report.agreement import JudgedTexts

FEW = Resampling(resamples=200)
LABELS = st.sampled_from(["a", "b", "c", None])


def find_alpha(judgments: dict[str, list[Any]]) -> float:
    """Krippendorff's alpha by its definition: 1 - D_o / D_e, from all pairs of labels that different people gave to a text."""
    texts = [[label for label in column if label is not None] for column in zip(*judgments.values(), strict=True)]
    texts = [labels for labels in texts if len(labels) > 1]
    given_labels = [label for labels in texts for label in labels]
    n = len(given_labels)
    observed = sum(sum(x != y for x, y in permutations(labels, 2)) / (len(labels) - 1) for labels in texts) / n
    expected = sum(x != y for x, y in permutations(given_labels, 2)) / (n * (n - 1))
    return 1 - observed / expected


def split(rows: str) -> dict[str, list[Any]]:
    """A line of labels for each judge; . where there is none."""
    return {f"judge {i}": [None if cell == "." else cell for cell in row.split()] for i, row in enumerate(rows.splitlines())}


# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), and the example of Wikipedia.
FOUR_JUDGES = """1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 ."""
THREE_JUDGES = """. . . . . 3 4 1 2 1 1 3 3 . 3
1 . 2 1 3 3 4 3 . . . . . . .
. . 2 1 3 4 4 . 2 1 1 3 3 . 4"""


@pytest.mark.parametrize(("rows", "published"), [(FOUR_JUDGES, 0.743), (THREE_JUDGES, 0.691)])
def test_alpha_is_the_published_one(rows: str, published: float) -> None:
    found = measure_agreement(split(rows), resamples=50)
    assert round(found.alpha.value, 3) == published
    assert found.alpha.value == pytest.approx(find_alpha(split(rows)), abs=1e-12)


def test_kappa_is_the_published_one() -> None:
    """Two readers of 50 grant proposals: Wikipedia's example."""
    first, second = ["yes"] * 25 + ["no"] * 25, ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    (pair,) = measure_agreement({"a": first, "b": second}).pairs
    assert (round(pair.kappa.value, 12), pair.n, pair.first, pair.second) == (0.4, 50, "a", "b")
    assert pair.kappa.low < 0.4 < pair.kappa.high


@given(st.lists(st.tuples(LABELS, LABELS, LABELS), min_size=3, max_size=12))
def test_alpha_and_kappa_are_their_definitions(rows: list[tuple[Any, ...]]) -> None:
    judgments = dict(zip("xyz", map(list, zip(*rows, strict=True)), strict=True))
    shared = [[label for label in row if label is not None] for row in rows]
    assume(any(len(labels) > 1 for labels in shared))
    judged = JudgedTexts.of(judgments)
    alpha, n = judged.estimate_alpha(FEW)
    assert n == sum(len(labels) > 1 for labels in shared)
    if len({label for labels in shared if len(labels) > 1 for label in labels}) > 1:
        assert alpha.value == pytest.approx(find_alpha(judgments), abs=1e-12)
        triples = [(name, i, label) for name, column in judgments.items() for i, label in enumerate(column) if label]
        task = AnnotationTask(data=[triple for triple in triples if len(shared[triple[1]]) > 1])
        assert alpha.value == pytest.approx(task.alpha(), abs=1e-12)
        assert alpha.low <= alpha.value <= alpha.high or math.isnan(alpha.low)
    else:
        assert math.isnan(alpha.value)
    for pair in judged.estimate_pairs(FEW):
        both = [(x, y) for x, y in zip(judgments[pair.first], judgments[pair.second], strict=True) if x and y]
        assert pair.n == len(both)
        if len({label for labels in both for label in labels}) > 1:
            assert pair.kappa.value == pytest.approx(cohen_kappa_score(*zip(*both, strict=True)), abs=1e-12)
        else:
            assert math.isnan(pair.kappa.value)


def test_the_order_of_texts_and_judges_and_texts_of_one_judge_change_nothing() -> None:
    rng = np.random.default_rng(1)
    columns = [[None if x == 3 else "abc"[x] for x in rng.integers(4, size=40)] for _ in range(3)]
    one = measure_agreement(dict(zip("xyz", columns, strict=True)), resamples=300)
    order = rng.permutation(40)
    turned = dict(zip("zyx", ([column[i] for i in order] for column in columns[::-1]), strict=True))
    assert measure_agreement(turned, resamples=300).alpha == one.alpha
    more = dict(zip("xyz", ([*column, label] for column, label in zip(columns, ["a", None, None], strict=True)), strict=True))
    assert measure_agreement(more, resamples=300).alpha == one.alpha


def test_the_interval_of_alpha_is_that_of_resampled_texts() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(3, size=60)
    columns = [np.where(rng.random(60) < 0.3, rng.integers(3, size=60), truth).tolist() for _ in range(3)]
    columns[2][:30] = [None] * 30
    texts = list(zip(*columns, strict=True))
    drawn = []
    for _ in range(800):
        sample = [texts[i] for i in rng.integers(60, size=60)]
        drawn.append(find_alpha(dict(zip("xyz", map(list, zip(*sample, strict=True)), strict=True))))
    found = JudgedTexts.of(dict(zip("xyz", columns, strict=True))).estimate_alpha(Resampling(interval="percentile"))[0]
    assert [found.low, found.high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.03)


def test_intervals_cover_the_true_value() -> None:
    rng = np.random.default_rng(3)

    def draw(n: int) -> dict[str, Any]:
        truth = rng.integers(2, size=n)
        return {name: np.where(rng.random(n) < 0.2, 1 - truth, truth).tolist() for name in "xyz"}

    true = measure_agreement(draw(200_000), resamples=2).alpha.value
    found = [JudgedTexts.of(draw(80)).estimate_alpha(Resampling(resamples=400))[0] for _ in range(200)]
    assert 0.90 <= np.mean([each.low <= true <= each.high for each in found]) <= 0.99


def test_what_can_not_be_compared_is_undefined_or_refused() -> None:
    apart = measure_agreement({"a": ["x", None], "b": [None, "y"]})
    assert math.isnan(apart.alpha.value)
    assert (apart.n_texts, apart.alpha.note, apart.pairs[0].n) == (0, "undefined: no text has labels of two people", 0)
    assert apart.to_dict()["pairs"][0]["kappa"]["value"] is None
    alone = measure_agreement({"a": ["x", "y"]})
    assert (alone.pairs, alone.n_texts) == ((), 0)
    few = measure_agreement({"a": ["x", "y"] * 3, "b": ["x", "y"] * 3})
    assert "unreliable: only 6 texts" in few.alpha.note
    assert "unreliable: only 6 texts" in str(few)
    for bad in ({}, {"a": [None]}, {"a": ["x"], "b": ["x", "y"]}, {"a": ["x", 1]}):
        with pytest.raises(InvalidLabel):
            measure_agreement(bad)
    with pytest.raises(InvalidOption):
        measure_agreement({"a": ["x"]}, confidence=2)


def test_all_forms_have_the_numbers() -> None:
    found = measure_agreement({"<ann>": [1, 2, 1, 2] * 10, "ben": [1, 2, 2, 2] * 10, "eve": [1, 2, 1, None] * 10})
    assert [(pair.first, pair.second) for pair in found.pairs] == [("<ann>", "ben"), ("<ann>", "eve"), ("ben", "eve")]
    written = found.to_dict()
    assert written["alpha"]["value"] == found.alpha.value
    assert written["pairs"][1] == {"first": "<ann>", "second": "eve", "n": 30, "kappa": written["pairs"][1]["kappa"]}
    assert f"{found.alpha.value:.3f}" in found.to_markdown()
    assert "&lt;ann&gt;" in found.to_html()
    assert found.to_frame().shape == (3, 6)
    assert found.signature.startswith("alpha+kappa|n:40|")

"""Paired tests against exact enumeration and the textbook, their level and power, and what they refuse."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from helpers.confusions import accuracy, count_cells, invent_answers, macro_f1, macro_recall
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tercet.errors import InvalidMatrix, InvalidOption
from tercet.evaluation import resampling
from tercet.evaluation.bootstrap import bootstrap_documents
from tercet.evaluation.resampling import Resampling, SamplingUnits
from tercet.evaluation.significance import (
    TESTS,
    adjust_holm,
    bootstrap_pair,
    compare_pair,
    compare_systems,
    compute_needed,
    compute_needed_discordant,
    count_discordant,
    mcnemar,
    randomize_pair,
)

# The ten documents of the textbook: which of them A has right, and which B.
GOLD = [1] * 10
A = [1, 1, 1, 0, 1, 0, 1, 1, 0, 1]
B = [1, 0, 1, 1, 0, 1, 0, 1, 0, 0]
TEN = SamplingUnits.of_documents(GOLD, [A, B], 2)
QUICK = Resampling(resamples=2000)


def invent_pair(rng: np.random.Generator, n: int, right: tuple[float, float] = (0.7, 0.7)) -> tuple[Any, Any, Any]:
    """Gold and two systems that share half of their luck."""
    gold, other = invent_answers(rng, n, right=0.0)
    luck = rng.random((2, n))
    luck[1] = np.where(rng.random(n) < 0.5, luck[0], luck[1])
    return gold, np.where(luck[0] < right[0], gold, other), np.where(luck[1] < right[1], gold, other)


def test_the_ten_documents_of_the_textbook() -> None:
    assert accuracy(TEN.total).tolist() == [0.7, 0.5]
    assert count_discordant(TEN) == (4, 2)
    found = {test: compare_pair(TEN, accuracy, test) for test in TESTS}
    assert all(difference.estimate.value == pytest.approx(0.2) for difference in found.values())
    # Two-sided: 2 or fewer of 6 coins, or 4 or more. One-sided: with a better on 40 % and worse on 20 %, δ(x⁽ⁱ⁾) >= 0.4.
    assert found["mcnemar_exact"].p_value == pytest.approx(44 / 64)
    assert found["mcnemar"].p_value == pytest.approx(29 / 64)
    assert found["randomization"].p_value == pytest.approx(44 / 64, abs=0.02)
    gains = stats.multinomial(10, [0.4, 0.2, 0.4])
    outcomes = [(a, b) for a in range(11) for b in range(11 - a)]
    beyond = sum(gains.pmf([a, b, 10 - a - b]) for a, b in outcomes if a - b >= 4)
    opposite = sum(gains.pmf([a, b, 10 - a - b]) for a, b in outcomes if a - b <= 0)
    assert found["textbook_bootstrap"].p_value == pytest.approx(beyond, abs=0.02)
    assert found["paired_bootstrap"].p_value == pytest.approx(beyond + opposite, abs=0.02)


@given(st.data())
def test_randomization_is_the_enumeration_of_all_swaps(data: Any) -> None:
    n = data.draw(st.integers(1, 7))
    gold, a, b = (np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))) for _ in range(3))
    group = np.array(data.draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n)) or range(n))
    metric = data.draw(st.sampled_from([accuracy, lambda m: np.nan_to_num(macro_f1(m))]))

    def difference(swapped: Any) -> float:
        first, second = np.where(swapped, b, a), np.where(swapped, a, b)
        return abs(float(metric(count_cells(gold, first)) - metric(count_cells(gold, second))))

    observed = difference(np.zeros(n, bool))
    swaps = [difference(np.array(coins)[group]) for coins in product([False, True], repeat=int(group.max()) + 1)]
    exact = np.mean([each >= observed - 1e-12 for each in swaps])
    ours = randomize_pair(SamplingUnits.of_documents(gold, [a, b], 3, groups=group), metric, Resampling(resamples=1000))
    assert ours == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 1000) + 0.002)


def test_the_interval_is_that_of_drawing_documents() -> None:
    gold, a, b = invent_pair(np.random.default_rng(1), 150, (0.8, 0.6))
    ours = compare_pair(SamplingUnits.of_documents(gold, [a, b], 3), macro_f1).estimate
    theirs = bootstrap_documents(
        lambda g, x, y: macro_f1(count_cells(g, x)) - macro_f1(count_cells(g, y)), [gold, a, b], Resampling(resamples=4000)
    )
    near = (theirs.high - theirs.low) / 16
    assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.value, theirs.low, theirs.high), abs=near)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test(a_only: int, b_only: int) -> None:
    exact = stats.binomtest(a_only, a_only + b_only).pvalue if a_only + b_only else 1.0
    assert mcnemar(a_only, b_only, mid_p=False) == pytest.approx(exact)
    half = stats.binom.pmf(a_only, a_only + b_only, 0.5)
    assert mcnemar(a_only, b_only) == pytest.approx(exact - half if a_only != b_only else 1.0)
    assert mcnemar(a_only, b_only) == mcnemar(b_only, a_only)


def test_p_is_never_0_and_the_same_answers_never_differ() -> None:
    gold = np.arange(300) % 3
    wrong = (gold + 1) % 3
    for test in TESTS[:3]:
        assert compare_pair(SamplingUnits.of_documents(gold, [gold, wrong], 3), macro_f1, test, QUICK).p_value == 1 / 2001
        same = compare_pair(SamplingUnits.of_documents(gold, [wrong, wrong], 3), macro_f1, test, QUICK)
        assert (same.p_value, same.estimate.value, same.n_needed) == (1, 0, None)
        assert "all resamples are equal" in same.estimate.note


def test_each_documents_answers_are_swapped_with_probability_one_half() -> None:
    gold = np.arange(100) % 2
    units = SamplingUnits.of_documents(gold, [gold, 1 - gold], 2)
    swapped = np.concatenate(list(units.swap(20_000, seed=0)))
    differences = accuracy(swapped[:, 0]) - accuracy(swapped[:, 1])
    assert differences.mean() == pytest.approx(0, abs=5 / math.sqrt(100 * 20_000))
    assert differences.std() == pytest.approx(1 / math.sqrt(100), rel=0.02)


def test_exchanging_the_systems_turns_the_sign_only() -> None:
    gold, a, b = invent_pair(np.random.default_rng(1), 200, (0.8, 0.7))
    for metric in (accuracy, macro_f1, macro_recall):
        ab = compare_pair(SamplingUnits.of_documents(gold, [a, b], 3), metric, plan=QUICK)
        ba = compare_pair(SamplingUnits.of_documents(gold, [b, a], 3), metric, plan=QUICK)
        assert ab.estimate.value == -ba.estimate.value
        assert (ab.estimate.low, ab.estimate.high) == pytest.approx((-ba.estimate.high, -ba.estimate.low), abs=0.01)
        assert ab.p_value == pytest.approx(ba.p_value, abs=0.03)


@pytest.mark.parametrize("test", TESTS[:3])
def test_the_seed_alone_decides_whatever_the_blocks(monkeypatch: pytest.MonkeyPatch, test: str) -> None:
    gold, a, b = invent_pair(np.random.default_rng(3), 120, (0.8, 0.7))
    units, plan = SamplingUnits.of_documents(gold, [a, b], 3), Resampling(resamples=300, seed=2)
    once = compare_pair(units, macro_f1, test, plan)
    monkeypatch.setattr(resampling, "BLOCK", 3000)
    assert compare_pair(units, macro_f1, test, plan) == once


def test_many_kinds_are_halved_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = np.tile([1, 2, 3, 7, 8, 9, 40], 200)  # 1,400 kinds
    draws = np.concatenate(list(resampling.draw_halves(sizes, 400, seed=0))).reshape(400, 200, 7)
    kinds = sizes[:7]
    assert draws.max(axis=(0, 1))[:5].tolist() == [1, 2, 3, 7, 8]
    np.testing.assert_allclose(draws.mean(axis=(0, 1)), kinds / 2, atol=0.05)
    np.testing.assert_allclose(draws.var(axis=(0, 1)), kinds / 4, rtol=0.03)
    monkeypatch.setattr(resampling, "BLOCK", 100_000)
    assert np.array_equal(np.concatenate(list(resampling.draw_halves(sizes, 400, seed=0))), draws.reshape(400, -1))


def test_groups_are_swapped_and_drawn_whole() -> None:
    rng = np.random.default_rng(0)
    author = np.repeat(np.arange(30), 10)
    gold = np.zeros(300, np.int64)
    a, b = (rng.random(30)[author] < 0.5).astype(int), (rng.random(30)[author] < 0.3).astype(int)
    alone = compare_pair(SamplingUnits.of_documents(gold, [a, b], 2), accuracy, plan=QUICK)
    whole = compare_pair(SamplingUnits.of_documents(gold, [a, b], 2, groups=author), accuracy, plan=QUICK)
    by_author = a[::10] - b[::10]
    n_up, n_down = int(np.sum(by_author > 0)), int(np.sum(by_author < 0))
    assert whole.p_value == pytest.approx(mcnemar(n_up, n_down, mid_p=False), abs=0.04)
    assert whole.p_value > alone.p_value
    assert whole.estimate.high - whole.estimate.low > 2 * (alone.estimate.high - alone.estimate.low)
    with pytest.raises(InvalidMatrix, match="without groups"):
        count_discordant(SamplingUnits.of_documents(gold, [a, b], 2, groups=author))


def test_an_undefined_metric_has_no_p_and_an_undefined_swap_shows_nothing() -> None:
    undefined = compare_pair(SamplingUnits.of_documents([0, 0], [[0, 0], [0, 1]], 2), macro_recall, plan=QUICK)
    assert math.isnan(undefined.p_value)
    assert math.isnan(undefined.estimate.value)
    assert undefined.n_needed is None

    def precision(matrices: Any) -> Any:
        """Of the label 1. In two of the four swaps below one system never answers it, so that this is 0/0."""
        with np.errstate(invalid="ignore"):
            return matrices[..., 1, 1] / matrices[..., 1].sum(axis=-1)

    units = SamplingUnits.of_documents([1, 0], [[1, 0], [0, 1]], 2)
    assert randomize_pair(units, precision, QUICK) == 1


# Several systems


def test_holm_is_the_smallest_correction_in_steps() -> None:
    assert adjust_holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjust_holm([0.5, 0.9]).tolist() == [1, 1]
    assert adjust_holm([0.02]).tolist() == [0.02]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_never_lowers_and_keeps_the_order(p_values: list[float]) -> None:
    adjusted = adjust_holm(p_values)
    assert np.all((adjusted >= p_values) & (adjusted <= np.minimum(1, np.array(p_values) * len(p_values))))
    assert np.all(np.diff(adjusted[np.argsort(p_values)]) >= 0)


def test_systems_are_compared_in_pairs_or_with_a_baseline() -> None:
    gold, a, b = invent_pair(np.random.default_rng(4), 200, (0.9, 0.6))
    answers = {"a": a, "b": b, "gold": gold}
    pairs = compare_systems(gold, answers, 3, macro_f1, plan=QUICK)
    assert [(pair.first, pair.second) for pair in pairs] == [("a", "b"), ("a", "gold"), ("b", "gold")]
    assert [pair.adjusted_p for pair in pairs] == adjust_holm([pair.difference.p_value for pair in pairs]).tolist()
    against = compare_systems(gold, answers, 3, macro_f1, baseline="b", plan=QUICK)
    assert [(pair.first, pair.second) for pair in against] == [("a", "b"), ("gold", "b")]
    assert against[0].difference == pairs[0].difference


# How many documents


def test_so_many_documents_show_the_difference_in_four_of_five_studies() -> None:
    n = compute_needed_discordant(40, 20, 400)  # 5 points
    assert n is not None
    rng = np.random.default_rng(0)
    counts = rng.multinomial(n, [0.1, 0.05, 0.85], size=2000)
    claims = [mcnemar(int(a_only), int(b_only)) < 0.05 for a_only, b_only, _ in counts]
    assert np.mean(claims) == pytest.approx(0.8, abs=0.03)
    error = math.sqrt((0.15 - 0.05**2) / 400)
    assert compute_needed(0.05, error, 400) == pytest.approx(n, rel=0.03)
    assert compute_needed(0.0, error, 400) is None


def test_for_any_metric_the_number_of_documents_follows_from_the_standard_error() -> None:
    gold, a, b = invent_pair(np.random.default_rng(6), 300, (0.75, 0.7))
    found = compare_pair(SamplingUnits.of_documents(gold, [a, b], 3), macro_f1)
    calls = []

    def subtract(gold: Any, a: Any, b: Any) -> float:
        calls.append(float(macro_f1(count_cells(gold, a)) - macro_f1(count_cells(gold, b))))
        return calls[-1]

    bootstrap_documents(subtract, [gold, a, b], Resampling(resamples=2000, interval="percentile"))
    quantiles = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert found.n_needed == pytest.approx(300 * (quantiles * np.std(calls[1:]) / calls[0]) ** 2, rel=0.15)


# What is refused


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: compare_pair(TEN, accuracy, "t"), InvalidOption, "test must be one of randomization, paired_bootstrap"),
        (lambda: compare_pair(TEN, macro_f1, "mcnemar"), InvalidOption, "test='mcnemar' is for accuracy"),
        (lambda: randomize_pair(SamplingUnits.of_counts([[1]]), accuracy), InvalidMatrix, "two systems"),
        (lambda: randomize_pair(SamplingUnits.of_documents(GOLD, [A, B, A], 2), accuracy), InvalidMatrix, "two systems"),
        (lambda: mcnemar(-1, 2), InvalidOption, "got -1 and 2"),
        (lambda: mcnemar(1.5, 2), InvalidOption, "got 1.5 and 2"),  # type: ignore[arg-type]
        (lambda: compare_systems(GOLD, {"a": A}, 2, accuracy), InvalidOption, "at least two systems, got 1"),
        (
            lambda: compare_systems(GOLD, {"a": A, "b": B}, 2, accuracy, baseline="c"),
            InvalidOption,
            "baseline='c' is not one of",
        ),
    ],
)
def test_what_can_not_be_compared_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


# Level and power; benchmarks/coverage.py measures them on thousands of pairs


def test_tests_keep_their_level() -> None:
    rng, n_nulls = np.random.default_rng(7), 500
    claims = np.zeros(5)
    for seed in range(n_nulls):
        gold, a, b = invent_pair(rng, 200)
        units, plan = SamplingUnits.of_documents(gold, [a, b], 3), Resampling(resamples=400, seed=seed)
        p_values = [
            mcnemar(*count_discordant(units), mid_p=False),
            randomize_pair(units, accuracy, plan),
            mcnemar(*count_discordant(units)),
            randomize_pair(units, macro_f1, plan),
            bootstrap_pair(units, macro_f1, plan),
        ]
        claims += np.array(p_values) < 0.05
    sign, randomization, *others = claims / n_nulls
    assert randomization == pytest.approx(sign, abs=0.015)
    assert others == pytest.approx([0.05] * 3, abs=0.01 + 3 * math.sqrt(0.05 * 0.95 / n_nulls))


def test_power_rises_with_the_documents() -> None:
    rng, powers = np.random.default_rng(9), []
    for n in (100, 400, 1600):
        claims = []
        for seed in range(60):
            gold, a, b = invent_pair(rng, n, (0.75, 0.70))
            plan = Resampling(resamples=300, seed=seed)
            claims.append(randomize_pair(SamplingUnits.of_documents(gold, [a, b], 3), macro_f1, plan) < 0.05)
        powers.append(np.mean(claims))
    assert powers[0] + 0.1 < powers[1] < powers[2] - 0.1
    assert powers[2] > 0.8

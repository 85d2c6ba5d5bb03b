"""Differences between groups: fairlearn's rates, scikit-learn's areas, brute force for intervals and tests, simulated power."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from fairlearn.metrics import MetricFrame, false_negative_rate, false_positive_rate
from scipy.optimize import minimize_scalar
from scipy.stats import norm, t
from sklearn.metrics import accuracy_score, roc_auc_score

from tercet.auditing.audit.differences import (
    ProportionPairs,
    compute_bounds,
    compute_detectable,
    compute_p_values,
    score_differences,
)
from tercet.auditing.audit.group_differences import (
    ACCURACY,
    BNSP,
    BPSN,
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    MISSING,
    SUBGROUP,
    AreaPair,
    GroupColumn,
    GroupDifference,
    JudgedAnswers,
    compare_groups,
)

N = 600
LABELS = np.array(["fine", "toxic"])
GROUPS = ["a", "b", "c"]


def draw_answers(seed: int = 0, n: int = N) -> tuple[JudgedAnswers, Any]:
    """Answers that are worse for the first group, with ties, and the group of each document; the last one has none."""
    rng = np.random.default_rng(seed)
    codes, gold = rng.choice(3, n, p=[0.1, 0.3, 0.6]), (rng.random(n) < 0.4).astype(np.int64)
    scores = np.round(rng.normal(size=n) + 1.5 * gold + 0.6 * (codes == 0), 1)
    codes[-1] = MISSING
    probability = 1 / (1 + np.exp(0.8 - scores))
    answers = JudgedAnswers(LABELS, gold, (probability > 0.5).astype(np.int64), np.column_stack([1 - probability, probability]))
    return answers, codes


@pytest.fixture(scope="module")
def drawn() -> tuple[JudgedAnswers, Any]:
    return draw_answers()


@pytest.fixture(scope="module")
def found(drawn: tuple[JudgedAnswers, Any]) -> dict[tuple[str, str], GroupDifference]:
    answers, codes = drawn
    differences = compare_groups(answers, [GroupColumn("race", GROUPS, codes)], [1])
    return {(each.group, each.metric): each for each in differences}


def make_pairs(*counts: int) -> ProportionPairs:
    return ProportionPairs(*np.array(counts, np.float64)[:, None])


def test_rates_of_groups_and_of_the_others_are_those_of_fairlearn(drawn: Any, found: Any) -> None:
    answers, codes = drawn
    metrics = {ACCURACY: accuracy_score, FALSE_POSITIVES: false_positive_rate, FALSE_NEGATIVES: false_negative_rate}
    is_known = codes != MISSING
    for code, group in enumerate(GROUPS):
        column = (codes == code)[is_known]
        frame = MetricFrame(
            metrics=metrics,
            y_true=answers.gold[is_known],
            y_pred=answers.predicted[is_known],
            sensitive_features=column,
        ).by_group
        for metric in metrics:
            each = found[group, metric]
            assert each.value.value == pytest.approx(frame[metric][True])
            assert each.others.value == pytest.approx(frame[metric][False])
            assert each.difference.value == pytest.approx(frame[metric][True] - frame[metric][False])
        assert found[group, ACCURACY].n == column.sum()


def test_areas_are_those_of_scikit_learn_on_the_documents_that_borkan_takes(drawn: Any, found: Any) -> None:
    answers, codes = drawn
    is_own, scores = answers.gold == 1, answers.probabilities[:, 1]
    for code, group in enumerate(GROUPS):
        inside, outside = codes == code, (codes != code) & (codes != MISSING)
        counted = {
            SUBGROUP: inside,
            BPSN: (outside & is_own) | (inside & ~is_own),
            BNSP: (outside & ~is_own) | (inside & is_own),
        }
        for metric, own in counted.items():
            assert found[group, metric].value.value == pytest.approx(roc_auc_score(is_own[own], scores[own]))
            assert found[group, metric].others.value == pytest.approx(roc_auc_score(is_own[outside], scores[outside]))


def score_by_search(k: int, n: int, others: int, n_others: int, true: float) -> float:
    """Gart and Nam's statistic: the likeliest rates by a search, and the corrected statistic as the root of its equation."""

    def lose(second: float) -> float:
        rates = np.clip([second + true, second], 1e-12, 1 - 1e-12)
        successes, sizes = np.array([k, others]), np.array([n, n_others])
        return -float((successes * np.log(rates) + (sizes - successes) * np.log(1 - rates)).sum())

    least, most = max(0, -true), min(1, 1 - true)
    second = minimize_scalar(lose, bounds=(least, most), method="bounded", options={"xatol": 1e-12}).x
    first = second + true
    variances = first * (1 - first) / n, second * (1 - second) / n_others
    variance = sum(variances) * (n + n_others) / (n + n_others - 1)
    third = variances[0] * (1 - 2 * first) / n - variances[1] * (1 - 2 * second) / n_others
    score, skewness = (k / n - others / n_others - true) / variance**0.5, third / variance**1.5 / 6
    roots = np.roots([skewness, 1, -score - skewness])
    return float(roots[np.argmin(np.abs(roots - score))])  # the root that is continuous where the skewness is 0


@pytest.mark.parametrize("counts", [(9, 20, 2000, 20000), (3, 40, 55, 60), (30, 200, 10, 150), (150, 1000, 700, 9000)])
def test_score_interval_is_that_of_a_brute_force_search(counts: tuple[int, int, int, int]) -> None:
    pairs = make_pairs(*counts)
    for true in (-0.1, 0.0, 0.02, 0.2):
        assert score_differences(pairs, np.array([true]))[0] == pytest.approx(score_by_search(*counts, true), abs=1e-4)
    low, high = compute_bounds(pairs, 0.95)
    assert score_by_search(*counts, float(low[0])) == pytest.approx(norm.ppf(0.975), abs=1e-4)
    assert score_by_search(*counts, float(high[0])) == pytest.approx(-norm.ppf(0.975), abs=1e-4)


def draw_counts(n_pairs: int = 400) -> ProportionPairs:
    """Pairs of samples of all sizes. Many have no success, or no failure."""
    rng = np.random.default_rng(5)
    n, n_others = (np.floor(10 ** rng.uniform(0, most, n_pairs)) for most in (2, 4))
    rates = rng.choice([0, 0.01, 0.2, 0.5, 0.95, 1], (2, n_pairs))
    return ProportionPairs(
        rng.binomial(n.astype(int), rates[0]).astype(float),
        n,
        rng.binomial(n_others.astype(int), rates[1]).astype(float),
        n_others,
    )


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_test_of_rates_rejects_iff_the_interval_excludes_zero(confidence: float) -> None:
    pairs = draw_counts()
    low, high = compute_bounds(pairs, confidence)
    assert ((low >= -1) & (low <= pairs.differences) & (pairs.differences <= high) & (high <= 1)).all()
    np.testing.assert_array_equal(compute_p_values(pairs) < 1 - confidence, (low > 0) | (high < 0))


def test_samples_in_the_other_order_and_failures_in_place_of_successes_give_the_opposite_interval() -> None:
    pairs = draw_counts()
    low, high = compute_bounds(pairs, 0.95)
    for other in (ProportionPairs(*pairs[2:], *pairs[:2]), pairs.flip()):
        np.testing.assert_allclose(compute_p_values(other), compute_p_values(pairs), atol=1e-9)
        np.testing.assert_allclose(compute_bounds(other, 0.95), (-high, -low), atol=1e-6)


def find_by_delong(scores: Any, is_own: Any, first: Any, second: Any) -> tuple[float, float]:
    """The difference of areas, and the p-value by DeLong's variance of the difference of log-odds, from all pairs."""
    change, areas = np.zeros((2, len(scores))), []
    for k, counted in enumerate((first, second)):
        own, other = np.flatnonzero(counted & is_own), np.flatnonzero(counted & ~is_own)
        wins = (scores[own][:, None] > scores[other]) + (scores[own][:, None] == scores[other]) / 2
        area = wins.mean()
        areas.append(area)
        change[k, own] = (wins.mean(axis=1) - area) / len(own) / (area * (1 - area))
        change[k, other] = (wins.mean(axis=0) - area) / len(other) / (area * (1 - area))
    cells = [
        np.flatnonzero((is_own == own) & in_area)
        for own in (False, True)
        for in_area in (first & second, first & ~second, second & ~first)
    ]
    parts = [(np.var((change[0] - change[1])[cell], ddof=1) * len(cell), len(cell) - 1) for cell in cells if len(cell)]
    variance = sum(part for part, _ in parts)
    freedom = variance**2 / sum(part**2 / n for part, n in parts)
    odds = [math.log(area / (1 - area)) for area in areas]
    return areas[0] - areas[1], float(2 * t.sf(abs(odds[0] - odds[1]) / variance**0.5, freedom))


@pytest.mark.parametrize("metric", [SUBGROUP, BPSN, BNSP])
def test_test_of_areas_is_that_of_delong_from_all_pairs(metric: str) -> None:
    answers, codes = draw_answers(seed=3, n=800)
    inside, is_own, scores = codes == 1, answers.gold == 1, answers.probabilities[:, 1]
    first = {SUBGROUP: inside, BPSN: inside ^ is_own, BNSP: inside ^ ~is_own}[metric]
    pair = AreaPair.of(np.unique(scores, return_inverse=True)[1], is_own, first, ~inside)
    estimate, p = pair.compare(0.95)
    difference, expected = find_by_delong(scores, is_own, first, ~inside)
    assert estimate.value == pytest.approx(difference)
    assert p == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(6))
def test_test_of_areas_rejects_iff_the_interval_excludes_zero(seed: int) -> None:
    answers, codes = draw_answers(seed, n=900)
    for each in compare_groups(answers, [GroupColumn("race", GROUPS, codes)], [1], confidence=0.7):
        if not math.isnan(each.p_value):
            assert (each.p_value < 1 - 0.7) == (each.difference.low > 0 or each.difference.high < 0)
            assert each.difference.low <= each.difference.value <= each.difference.high


def test_detectable_rate_is_found_in_four_of_five_samples() -> None:
    rng, n_samples = np.random.default_rng(1), 4000
    for n, n_others, rate, most in ((400, 8000, 0.1, 0.85), (900, 900, 0.03, 0.85), (3000, 3000, 0.0, 0.9)):
        increase = float(compute_detectable(make_pairs(round(n * rate), n, round(n_others * rate), n_others), 0.01)[0])
        counts = rng.binomial(n, rate + increase, n_samples), rng.binomial(n_others, rate, n_samples)
        sizes = np.full(n_samples, float(n)), np.full(n_samples, float(n_others))
        pairs = ProportionPairs(counts[0].astype(float), sizes[0], counts[1].astype(float), sizes[1])
        assert 0.75 < (compute_p_values(pairs) < 0.01).mean() < most


def test_detectable_difference_grows_with_the_number_of_tests_and_shrinks_with_documents(found: Any) -> None:
    answers, codes = draw_answers(n=4 * N)
    one, more = GroupColumn("race", GROUPS, codes), GroupColumn("again", GROUPS, codes)
    single, double = compare_groups(answers, [one], [1]), compare_groups(answers, [one, more], [1])
    for each, other in zip(single, [each for each in double if each.column == "race"], strict=True):
        assert each.detectable < other.detectable
        assert not found[each.group, each.metric].detectable <= each.detectable  # NaN if it is not tested
        assert each.adjusted_p <= other.adjusted_p


def test_of_two_groups_the_smaller_is_compared_once_with_the_other() -> None:
    answers, codes = draw_answers()
    differences = compare_groups(answers, [GroupColumn("race", ["a", "b"], np.where(codes == 2, 0, 1))], [1])
    assert {(each.group, each.against) for each in differences} == {("b", "a")}
    assert len(differences) == 6


def test_small_groups_are_flagged_and_undefined_numbers_are_not_tested() -> None:
    answers, codes = draw_answers()
    codes[:] = np.arange(N) % 2
    codes[answers.gold == 0] = 0
    codes[np.flatnonzero(codes == 1)[1:]] = 2  # one document with the label, and many: both groups have no negatives
    found = {(each.group, each.metric): each for each in compare_groups(answers, [GroupColumn("race", GROUPS, codes)], [1])}
    lonely = found["b", ACCURACY]
    assert (lonely.n, lonely.value.value in (0, 1)) == (1, True)
    assert "unreliable" in lonely.value.note
    assert "unreliable" in lonely.difference.note
    for group, metric in product("bc", (FALSE_POSITIVES, SUBGROUP, BPSN)):
        undefined = found[group, metric]
        assert math.isnan(undefined.difference.value)
        assert math.isnan(undefined.p_value)
        assert math.isnan(undefined.adjusted_p)
        assert "undefined" in undefined.difference.note
    tested = [each for each in found.values() if not math.isnan(each.p_value)]
    smallest = min(tested, key=lambda each: each.p_value)
    assert smallest.adjusted_p == pytest.approx(min(1, smallest.p_value * len(tested)))


def test_areas_that_are_unreliable_are_not_tested() -> None:
    rank = np.arange(400)
    inside, is_own = rank % 4 == 0, rank >= 200
    separated = AreaPair.of(rank, is_own, inside, ~inside)
    tied = AreaPair.of(np.zeros(400, np.int64), is_own, inside, ~inside)
    small = AreaPair.of(rank, rank % 9 < 3, rank < 20, rank >= 20)
    for pair, note in ((separated, "no interval"), (tied, "no interval"), (small, "unreliable")):
        estimate, p = pair.compare(0.95)
        assert estimate.value == pytest.approx(pair.areas[0] - pair.areas[1])
        assert note in estimate.note
        assert math.isnan(p)
    assert separated.compare(0.95)[0].value == 0
    assert math.isnan(small.compute_detectable(0.05))


def test_detectable_area_is_found_in_four_of_five_samples() -> None:
    rng = np.random.default_rng(2)

    def draw(bias: float) -> AreaPair:
        """The BPSN area: negative documents of the group have higher scores by the bias."""
        is_own, inside = rng.random(1200) < 0.15, np.arange(1200) < 400
        scores = rng.normal(size=1200) + 1.3 * is_own + bias * (inside & ~is_own)
        return AreaPair.of(np.argsort(np.argsort(scores)), is_own, inside ^ is_own, ~inside)

    area = norm.cdf(1.3 / 2**0.5)
    decrease = np.median([draw(0.0).compute_detectable(0.01) for _ in range(10)])
    bias = 1.3 - norm.ppf(area - decrease) * 2**0.5
    assert 0.7 < np.mean([draw(bias).compare(0.95)[1] < 0.01 for _ in range(300)]) < 0.9

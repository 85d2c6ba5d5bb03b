"""Drawing cells is drawing documents: intervals against scipy's bootstrap, their coverage, and what can go wrong."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from helpers.confusions import (
    accuracy,
    bootstrap_metric,
    count_cells,
    invent_answers,
    macro_f1,
    macro_recall,
    recalls,
    spread_errors,
)
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption
from tercet.evaluation import resampling
from tercet.evaluation.bootstrap import (
    bootstrap_documents,
    bootstrap_metrics,
    draw_replicates,
    make_estimates,
    measure_accelerations,
)
from tercet.evaluation.intervals import wilson
from tercet.evaluation.resampling import Resampling, SamplingUnits, draw_with_replacement
from tercet.evaluation.sample import UndefinedMetric
from tercet.report.report import evaluate

QUICK = Resampling(resamples=2000)
MATRIX = np.array([[40, 6, 4], [3, 25, 2], [1, 4, 15]])


def documents_of(matrix: Any) -> tuple[Any, Any]:
    cells = np.repeat(np.arange(matrix.size), matrix.ravel())
    return cells // len(matrix), cells % len(matrix)


@pytest.mark.parametrize("metric", [accuracy, macro_f1, macro_recall])
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_the_interval_is_that_of_scipy(metric: Any, method: str) -> None:
    theirs = stats.bootstrap(
        documents_of(MATRIX),
        lambda gold, predicted: metric(count_cells(gold, predicted)),
        vectorized=False,
        paired=True,
        n_resamples=4000,
        method=method.replace("bca", "BCa"),
        rng=np.random.default_rng(0),
    ).confidence_interval
    estimate = bootstrap_metric(SamplingUnits.of_counts(MATRIX), metric, Resampling(interval=method))
    assert estimate.value == metric(MATRIX)
    # An end of the interval is itself uncertain by about √(0.025 · 0.975 / 4000) / density = 0.1 standard errors.
    # Accuracy, moreover, moves in steps of 0.01.
    near = max(0.0101, (theirs.high - theirs.low) / 16)
    assert (estimate.low, estimate.high) == pytest.approx((theirs.low, theirs.high), abs=near)
    assert (estimate.method, estimate.note) == (method, "")


def bca_of_scipy(columns: Any, statistic: Any, replicates: Any) -> tuple[float, float]:
    """scipy's BCa interval from these replicates: the bias, the jackknife and the formula are its own."""
    options: Any = {"vectorized": False, "paired": True, "rng": np.random.default_rng(0)}
    drawn = stats.bootstrap(columns, statistic, n_resamples=2, method="percentile", **options)
    drawn.bootstrap_distribution = replicates
    found = stats.bootstrap(columns, statistic, n_resamples=0, method="BCa", bootstrap_result=drawn, **options)
    return found.confidence_interval.low, found.confidence_interval.high


def test_bca_of_skewed_cells_equals_scipy_on_the_same_resamples() -> None:
    matrix, plan = np.array([[60, 1, 0], [1, 14, 2], [0, 3, 5]]), Resampling(resamples=2000)
    units = SamplingUnits.of_counts(matrix)
    estimate = bootstrap_metric(units, macro_f1, plan)
    replicates = draw_replicates(units, lambda matrices: macro_f1(matrices)[:, None], plan)[:, 0]
    theirs = bca_of_scipy(documents_of(matrix), lambda *sides: macro_f1(count_cells(*sides)), replicates)
    assert (estimate.low, estimate.high) == pytest.approx(theirs, abs=1e-9)
    (symmetric,) = make_estimates(np.array([estimate.value]), replicates[:, None], np.zeros(1), plan)
    assert abs(symmetric.low - estimate.low) > 0.005  # the acceleration matters here


def test_bca_of_skewed_weights_equals_scipy_on_the_same_resamples() -> None:
    rng, plan = np.random.default_rng(3), Resampling(resamples=2000)
    gold, predicted = invent_answers(rng, 60, n_labels=2)
    weights = rng.lognormal(sigma=1.5, size=60)
    units = SamplingUnits.of_documents(gold, [predicted], 2, weights=weights)
    estimate = bootstrap_metric(units, accuracy, plan)
    replicates = draw_replicates(units, lambda matrices: accuracy(matrices)[:, None], plan)[:, 0]
    columns = gold, predicted, weights
    theirs = bca_of_scipy(columns, lambda g, p, w: np.average(g == p, weights=w), replicates)
    assert (estimate.low, estimate.high) == pytest.approx(theirs, abs=1e-9)


def test_bca_of_a_skewed_function_equals_scipy_on_the_same_resamples() -> None:
    values, calls = np.random.default_rng(4).lognormal(size=40), []

    def mean(sample: Any) -> float:
        calls.append(float(np.mean(sample)))
        return calls[-1]

    estimate = bootstrap_documents(mean, [values], Resampling(resamples=1000))
    theirs = bca_of_scipy((values,), np.mean, np.array(calls[1:1001]))  # the first call is for all values
    assert (estimate.low, estimate.high) == pytest.approx(theirs, abs=1e-9)


def test_acceleration_from_a_sample_of_the_units_is_nearly_that_of_all() -> None:
    rng = np.random.default_rng(5)
    gold, predicted = invent_answers(rng, 20_000, n_labels=2)
    weights = rng.exponential(size=20_000)
    units = SamplingUnits.of_documents(gold, [predicted], 2, weights=weights)
    assert len(units.sizes) == 20_000  # many more than are left out
    (found,) = measure_accelerations(units, lambda matrices: accuracy(matrices)[:, None], Resampling())
    is_right = gold == predicted
    values = (weights @ is_right - weights * is_right) / (weights.sum() - weights)
    assert found == pytest.approx(-stats.skew(values) / 6 / np.sqrt(20_000), rel=0.2)


def test_drawing_documents_gives_what_drawing_cells_gives() -> None:
    plan = Resampling(resamples=4000)
    by_cells = bootstrap_metric(SamplingUnits.of_counts(MATRIX), macro_f1, plan)
    by_documents = bootstrap_documents(lambda *sides: macro_f1(count_cells(*sides)), documents_of(MATRIX), plan)
    error = (by_cells.high - by_cells.low) / 4
    assert (by_documents.low, by_documents.high) == pytest.approx((by_cells.low, by_cells.high), abs=0.25 * error)


def test_both_ways_of_drawing_have_the_moments_of_the_multinomial() -> None:
    for scale in (1, 100):  # many kinds for few documents, and few for many
        counts = np.array([[5.0, 1.0], [2.0, 4.0]]) * scale
        (matrices,) = SamplingUnits.of_counts(counts).resample(20_000, seed=3)
        share = counts / counts.sum()
        assert matrices.sum(axis=(1, 2)) == pytest.approx(counts.sum())
        assert matrices.mean(axis=0) == pytest.approx(counts, rel=0.05)
        assert matrices.var(axis=0) == pytest.approx(counts.sum() * share * (1 - share), rel=0.05)


@pytest.mark.parametrize("groups", [None, np.arange(200) // 4])
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_the_seed_alone_decides_whatever_the_blocks(monkeypatch: pytest.MonkeyPatch, groups: Any, method: str) -> None:
    gold, predicted = invent_answers(np.random.default_rng(5), 200)
    units = SamplingUnits.of_documents(gold, [predicted], 3, groups=groups)
    plan = Resampling(resamples=300, seed=4, interval=method)
    once = draw_replicates(units, recalls, plan), bootstrap_metric(units, macro_f1, plan)
    assert once[1] == bootstrap_metric(units, macro_f1, plan)
    assert once[1] != bootstrap_metric(units, macro_f1, Resampling(resamples=300, seed=5, interval=method))
    for size in (1, 5000, 20_000):
        monkeypatch.setattr(resampling, "BLOCK", size)
        np.testing.assert_array_equal(draw_replicates(units, recalls, plan), once[0])
        assert bootstrap_metric(units, macro_f1, plan) == once[1]


def test_few_large_kinds_among_many_small_ones_are_drawn_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = np.array([900, *[1, 3] * 600, 300])
    draws = np.concatenate(list(draw_with_replacement(sizes, 2000, seed=0)))
    assert np.all(draws.sum(axis=1) == sizes.sum())
    np.testing.assert_allclose(draws.mean(axis=0), sizes, atol=0.05 * np.sqrt(sizes.max()))
    spread = sizes * (1 - sizes / sizes.sum())
    np.testing.assert_allclose(draws.var(axis=0), spread, rtol=0.25)
    assert np.cov(draws[:, 0], draws[:, -1])[0, 1] == pytest.approx(-900 * 300 / sizes.sum(), rel=0.25)
    monkeypatch.setattr(resampling, "BLOCK", 2**20)
    assert np.array_equal(draws, np.concatenate(list(draw_with_replacement(sizes, 2000, seed=0))))


def test_blocks_bound_the_memory() -> None:
    tracemalloc = pytest.importorskip("tracemalloc")
    units = SamplingUnits.of_counts(np.random.default_rng(0).multinomial(10_000, np.full(900, 1 / 900)).reshape(30, 30))
    tracemalloc.start()
    bootstrap_metric(units, macro_f1, Resampling(resamples=10_000))  # 72 MB of matrices, as much of draws
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 * 2**20


@given(st.lists(st.integers(0, 4), min_size=9, max_size=9).filter(any), st.sampled_from(["bca", "percentile"]))
def test_an_interval_stays_where_its_metric_can_be(cells: list[int], method: str) -> None:
    units = SamplingUnits.of_counts(np.reshape(cells, (3, 3)))
    for metric in (accuracy, macro_f1, macro_recall):
        estimate = bootstrap_metric(units, metric, Resampling(resamples=50, interval=method))
        if math.isnan(estimate.value):
            assert "undefined" in estimate.note
        else:
            assert estimate.low <= estimate.value <= estimate.high
            assert 0 <= estimate.cut((0, 1)).low <= estimate.cut((0, 1)).high <= 1
            assert estimate.method == "spread" or estimate == estimate.cut((0, 1))


def test_several_metrics_share_the_draws() -> None:
    units = SamplingUnits.of_counts(MATRIX)
    together = bootstrap_metrics(units, recalls, QUICK)
    for place, estimate in enumerate(together):
        alone = bootstrap_metric(units, lambda matrices, place=place: recalls(matrices)[..., place], QUICK)  # type: ignore[misc]
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx((alone.value, alone.low, alone.high), abs=1e-12)


def test_marginal_sums_say_the_same_as_matrices() -> None:
    units = SamplingUnits.of_counts(MATRIX)

    def f1_of_sums(sums: Any) -> Any:
        return np.mean(2 * sums[..., 0, :] / (sums[..., 1, :] + sums[..., 2, :]), axis=-1)

    sums, matrices = bootstrap_metric(units.to_marginal_sums(), f1_of_sums, QUICK), bootstrap_metric(units, macro_f1, QUICK)
    assert (sums.low, sums.high) == pytest.approx((matrices.low, matrices.high), abs=1e-12)


@given(st.data())
def test_marginal_sums_are_those_of_the_matrices_of_each_system(data: Any) -> None:
    n, n_labels, n_systems = data.draw(st.integers(1, 20)), data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    column = st.lists(st.integers(0, n_labels - 1), min_size=n, max_size=n)
    groups = data.draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weights = data.draw(st.none() | st.lists(st.sampled_from([1.0, 0.1, 2.5]), min_size=n, max_size=n))
    gold, answers = data.draw(column), [data.draw(column) for _ in range(n_systems)]
    units = SamplingUnits.of_documents(gold, answers, n_labels, groups=groups, weights=weights)
    total = units.total.reshape(n_systems, n_labels, n_labels)
    for matrix, answer in zip(total, answers, strict=True):
        cells = np.array(gold) * n_labels + answer
        assert matrix.ravel() == pytest.approx(np.bincount(cells, weights, minlength=n_labels**2))
    expected = [[matrix.diagonal(), matrix.sum(axis=1), matrix.sum(axis=0)] for matrix in total]
    assert units.to_marginal_sums().total.ravel() == pytest.approx(np.ravel(expected))
    assert units.n_units == (n if groups is None else len(set(groups)))


# Groups and weights


def test_groups_drawn_whole_widen_the_interval() -> None:
    rng = np.random.default_rng(2)
    author = np.repeat(np.arange(50), 10)
    gold = rng.integers(2, size=500)
    predicted = np.where(rng.random(50)[author] < 0.7, gold, 1 - gold)  # all of an author right, or all wrong
    alone = bootstrap_metric(SamplingUnits.of_documents(gold, [predicted], 2), accuracy, QUICK)
    whole = bootstrap_metric(SamplingUnits.of_documents(gold, [predicted], 2, groups=author.astype(str)), accuracy, QUICK)
    by_author = np.array([np.mean((gold == predicted)[author == each]) for each in range(50)])
    assert whole.value == alone.value
    assert whole.high - whole.low == pytest.approx(4 * by_author.std() / math.sqrt(50), rel=0.1)
    assert alone.high - alone.low == pytest.approx(4 * np.std(gold == predicted) / math.sqrt(500), rel=0.1)
    documents = bootstrap_documents(lambda g, p: np.mean(g == p), [gold, predicted], QUICK, groups=author)
    assert (documents.low, documents.high) == pytest.approx((whole.low, whole.high), abs=0.03)


def test_groups_of_one_are_documents() -> None:
    gold, predicted = invent_answers(np.random.default_rng(2), 300)
    alone = bootstrap_metric(SamplingUnits.of_documents(gold, [predicted], 3), macro_f1, QUICK)
    whole = bootstrap_metric(SamplingUnits.of_documents(gold, [predicted], 3, groups=np.arange(300)), macro_f1, QUICK)
    assert (whole.value, whole.low, whole.high) == pytest.approx((alone.value, alone.low, alone.high), abs=0.006)


def test_weights_give_the_interval_of_the_weighted_documents() -> None:
    rng = np.random.default_rng(8)
    gold, predicted = invent_answers(rng, 200)
    weights = rng.choice([0.1, 1.0, 3.0], 200)
    estimate = bootstrap_metric(SamplingUnits.of_documents(gold, [predicted], 3, weights=weights), accuracy, QUICK)
    theirs = bootstrap_documents(lambda g, p, w: np.average(g == p, weights=w), [gold, predicted, weights], QUICK)
    assert estimate.value == pytest.approx(theirs.value)
    assert (estimate.low, estimate.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_weights_leave_no_dust_in_empty_cells() -> None:
    units = SamplingUnits.of_documents([0, 0, 0, 1], [[0, 0, 0, 1], [1, 1, 1, 1]], 2, weights=[0.1, 0.7, 1 / 3, 1e-3])
    for matrices in (*units.swap(200, seed=0), *units.leave_out(np.arange(4))):
        assert np.all((matrices == 0) | (matrices > 1e-4))


# What can go wrong


def test_equal_resamples_have_an_unknown_width() -> None:
    estimate = bootstrap_metric(SamplingUnits.of_counts([[10, 0], [0, 10]]), accuracy, QUICK)
    assert (estimate.value, estimate.low, estimate.high) == (1, 1, 1)
    assert "width is unknown" in estimate.note


def test_one_document_is_too_few_and_the_note_says_so() -> None:
    for estimate in (
        bootstrap_metric(SamplingUnits.of_counts([[0, 1], [0, 0]]), accuracy, QUICK),
        bootstrap_documents(lambda gold, predicted: np.mean(gold == predicted), [["a"], ["b"]], QUICK),
    ):
        assert (estimate.value, estimate.low, estimate.high) == (0, 0, 0)
        assert "width is unknown" in estimate.note


def test_undefined_resamples_are_left_out_and_counted() -> None:
    estimate = bootstrap_metric(SamplingUnits.of_counts([[20, 5], [0, 1]]), macro_recall, QUICK)
    n_undefined = int(estimate.note.split(" of ")[0].split()[-1])
    assert n_undefined / 2000 == pytest.approx((25 / 26) ** 26, abs=0.04)
    assert 0.7 < estimate.low < estimate.high <= 1
    undefined = bootstrap_metric(SamplingUnits.of_counts([[20, 5], [0, 0]]), macro_recall, QUICK)
    assert math.isnan(undefined.value)
    assert math.isnan(undefined.low)
    assert undefined.note.startswith("undefined")


def test_bca_gives_way_where_it_is_undefined() -> None:
    estimate = bootstrap_metric(SamplingUnits.of_counts([[5, 5], [5, 5]]), lambda m: np.abs(accuracy(m) - 0.5), QUICK)
    assert estimate.method == "bca"  # half of the ties count as below
    estimate = bootstrap_metric(
        SamplingUnits.of_counts([[5, 5], [5, 5]]), lambda m: np.where(accuracy(m) == 0.5, 9, accuracy(m)), QUICK
    )
    assert estimate.method == "bca"


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_a_value_beside_its_resamples_is_held_by_its_interval_and_the_note_says_so(method: str) -> None:
    plan = Resampling(resamples=2000, interval=method)
    rare = bootstrap_documents(lambda x: len(np.unique(x)), [np.arange(20)], plan)  # no resample has all 20
    assert (rare.value, rare.method) == (20, "spread")
    assert rare.low < 20 < 20 + 7 < rare.high  # resamples have about 13: the truth may have as many more
    assert rare.note.startswith("the resamples are biased by -7")


def test_every_estimate_of_many_rare_labels_lies_in_its_own_interval() -> None:
    rng = np.random.default_rng(0)
    gold = np.repeat(np.arange(200), rng.geometric(0.3, 200))
    predicted = np.where(np.bincount(gold)[gold] < 3, 0, gold)  # the rare ones are mistaken, and many resamples lose them
    with pytest.warns(UndefinedMetric, match="never predicted"):
        report = evaluate(gold, predicted, resamples=500)
    found = [*report.estimates.values(), *report.baseline.estimates.values(), *report.baseline.differences.values()]
    found += [estimate for row in report.rows for estimate in row[1:4]]
    assert any(estimate.method == "spread" for estimate in report.estimates.values())
    assert all(math.isnan(each.low) or each.low <= each.value <= each.high for each in found)
    assert all(math.isnan(each.low) or 0 <= each.low <= each.high <= 1 for each in report.estimates.values())


def test_a_function_may_refuse_a_resample_but_not_the_data() -> None:
    def refuse_one_label(gold: Any) -> float:
        if len(set(gold.tolist())) < 2:
            raise ValueError("one label only")
        return float(np.mean(gold))

    assert "resamples, which are left out" in bootstrap_documents(refuse_one_label, [[0, 1, 1, 1]], QUICK).note
    with pytest.raises(ValueError, match="one label only"):
        bootstrap_documents(refuse_one_label, [[1, 1]], QUICK)


def test_probabilities_are_resampled_with_their_documents() -> None:
    rng = np.random.default_rng(0)
    gold, chance = rng.integers(2, size=300), rng.random((300, 2))
    chance /= chance.sum(axis=1, keepdims=True)

    def brier(gold: Any, chance: Any) -> float:
        return float(np.mean((chance[:, 1] - gold) ** 2))

    estimate = bootstrap_documents(brier, [gold, chance], QUICK)
    losses = (chance[:, 1] - gold) ** 2
    assert estimate.high - estimate.low == pytest.approx(2 * 1.96 * losses.std() / math.sqrt(300), rel=0.1)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: SamplingUnits.of_counts([[1, 2]]), InvalidMatrix, "shape \\(1, 2\\)"),
        (lambda: SamplingUnits.of_counts([[0, 0], [0, 0]]), InvalidMatrix, "no document"),
        (lambda: SamplingUnits.of_counts([[0.5, 0], [0, 0]]), InvalidMatrix, "Use SamplingUnits.of_documents with weights"),
        (lambda: SamplingUnits.of_counts([[-1, 0], [0, 2]]), InvalidMatrix, "not whole numbers"),
        (lambda: SamplingUnits.of_counts([[math.nan, 0], [0, 2]]), InvalidMatrix, "not whole numbers"),
        (lambda: SamplingUnits.of_documents([0], [], 2), InvalidLabel, "no answers"),
        (lambda: SamplingUnits.of_documents([0, 1], [[0]], 2), InvalidLabel, "one whole number for each document"),
        (lambda: SamplingUnits.of_documents([], [[]], 2), InvalidLabel, "one whole number for each document"),
        (lambda: SamplingUnits.of_documents(["a"], [["b"]], 2), InvalidLabel, "the place of its label"),
        (lambda: SamplingUnits.of_documents([0], [[2]], 2), InvalidLabel, "0 … 1, got 0 … 2"),
        (lambda: SamplingUnits.of_documents([0], [[1]], 2, groups=[1, 2]), InvalidLabel, "1 documents and 2 groups"),
        (lambda: SamplingUnits.of_documents([0], [[1]], 2, weights=[-1]), InvalidMatrix, "finite numbers >= 0"),
        (lambda: SamplingUnits.of_documents([0], [[1]], 2, weights=[1, 2]), InvalidMatrix, "got shape \\(2,\\)"),
        (lambda: bootstrap_documents(np.mean, [[1], [1, 2]]), InvalidOption, "got lengths \\[1, 2\\]"),
        (lambda: bootstrap_documents(np.mean, [[]]), InvalidOption, "at least one"),
        (lambda: bootstrap_documents(np.mean, [[1, 2]], groups=[1]), InvalidOption, "2 documents and 1 groups"),
        (lambda: Resampling(confidence=1.5), InvalidOption, "confidence"),
        (lambda: Resampling(resamples=1), InvalidOption, "resamples must be an int >= 2"),
        (lambda: Resampling(resamples=0), InvalidOption, "resamples must be an int >= 1"),
        (lambda: Resampling(seed=-1), InvalidOption, "seed must be an int >= 0, got -1"),
        (
            lambda: Resampling(interval="normal"),
            InvalidOption,
            "interval must be one of wald, wilson, clopper_pearson, percentile, bca",
        ),
    ],
)
def test_what_can_not_be_resampled_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


# Coverage; benchmarks/coverage.py measures it on thousands of sets


@pytest.mark.parametrize(
    ("truth", "n_sets"),
    [(spread_errors([1 / 3] * 3, 0.8), 400), (spread_errors([0.87, 0.13], 0.95), 400), (spread_errors([0.05] * 20, 0.8), 120)],
)
def test_default_intervals_cover_the_truth_as_often_as_they_say(truth: Any, n_sets: int) -> None:
    rng, hits = np.random.default_rng(1), np.zeros(3)
    true = [metric(truth) for metric in (accuracy, macro_f1, macro_recall)]
    for seed in range(n_sets):
        counts = rng.multinomial(500, truth.ravel()).reshape(truth.shape)
        both = bootstrap_metrics(
            SamplingUnits.of_counts(counts),
            lambda m: np.stack([macro_f1(m), macro_recall(m)], axis=-1),
            Resampling(resamples=500, seed=seed),
        )
        estimates = [wilson(int(np.trace(counts)), 500), *both]
        hits += [estimate.low <= value <= estimate.high for estimate, value in zip(estimates, true, strict=True)]
    slack = 3 * math.sqrt(0.05 * 0.95 / n_sets)
    assert np.all(np.abs(hits / n_sets - 0.95) < 0.01 + slack)


def test_an_interval_that_rests_on_a_rare_label_covers_too_little() -> None:
    truth = np.array([[0.987 * 0.995, 0.987 * 0.005], [0.013 * 0.75, 0.013 * 0.25]])
    rng, hits = np.random.default_rng(2), 0
    for seed in range(300):
        units = SamplingUnits.of_counts(rng.multinomial(500, truth.ravel()).reshape(2, 2))
        estimate = bootstrap_metric(units, macro_f1, Resampling(resamples=300, seed=seed))
        hits += estimate.low <= float(macro_f1(truth)) <= estimate.high
    assert 0.7 < hits / 300 < 0.87


def test_margins_of_many_labels_take_little_more_than_their_table() -> None:
    counts = np.eye(1000, dtype=np.int64)
    units = SamplingUnits.of_counts(counts)
    tracemalloc.start()
    margins = units.to_marginal_sums()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert margins.total.tolist() == [[1.0] * 1000] * 3
    assert peak < 8 * counts.nbytes

"""The checked sample: weights are inverse probabilities, estimates are unbiased, and intervals cover as often as they say."""

from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.arrays import Floats, Integers
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption
from tercet.evaluation.checked_sample import CheckDesign, CheckedPool, allocate, measure_checked
from tercet.evaluation.intervals import estimate_proportion

LABELS = ["a", "b", "c"]


def make_pool(n: int, seed: int, n_labels: int = 3) -> tuple[Integers, Floats, Integers]:
    """Predicted labels, their probabilities, and gold labels; the probabilities are calibrated."""
    draw = np.random.default_rng(seed)
    probabilities = 1 / (1 + np.exp(-np.abs(draw.normal(2, 1.5, n))))
    predicted = draw.integers(0, n_labels, n)
    is_right = draw.random(n) < probabilities
    return predicted, probabilities, np.where(is_right, predicted, (predicted + 1) % n_labels)


def measure(design: CheckDesign, positions: Integers, gold: Integers) -> CheckedPool:
    return measure_checked(design, positions, [LABELS[code] for code in gold[positions]], LABELS)


pools = st.lists(st.tuples(st.integers(0, 2), st.floats(0, 1)), min_size=1, max_size=200)


@given(pools, st.data())
def test_n_documents_are_drawn_from_every_stratum(pool: list[tuple[int, float]], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, len(pool)))
    design = CheckDesign.of(np.array([label for label, _ in pool]), np.array([share for _, share in pool]), n)
    drawn = design.draw(seed=1)
    assert len(set(drawn.tolist())) == n == design.n
    assert (design.drawn >= 1).all()
    assert (design.drawn <= design.sizes).all()
    assert np.array_equal(np.bincount(design.strata[drawn], minlength=len(design.sizes)), design.drawn)
    assert np.isclose(design.weights[design.strata[drawn]].sum(), len(pool))


@given(pools, st.integers(0, 1000))
def test_the_order_of_the_pool_does_not_change_the_strata(pool: list[tuple[int, float]], seed: int) -> None:
    n, order = -(-len(pool) // 3), np.random.default_rng(seed).permutation(len(pool))
    predicted, probabilities = np.array([label for label, _ in pool]), np.array([share for _, share in pool])
    design, other = CheckDesign.of(predicted, probabilities, n), CheckDesign.of(predicted[order], probabilities[order], n)
    assert np.array_equal(design.strata[order], other.strata)
    assert np.array_equal(design.drawn, other.drawn)


def test_equal_seeds_draw_equal_documents_and_others_do_not() -> None:
    predicted, probabilities, _ = make_pool(300, seed=0)
    design = CheckDesign.of(predicted, probabilities, 40)
    assert np.array_equal(design.draw(seed=3), design.draw(seed=3))
    assert not np.array_equal(design.draw(seed=3), design.draw(seed=4))


@pytest.mark.parametrize("seed", range(3))
def test_the_estimates_are_unbiased_over_all_samples(seed: int) -> None:
    predicted, _, gold = make_pool(9, seed, n_labels=2)
    strata = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
    design = CheckDesign(strata, np.array([4, 5]), np.array([1, 3]), np.array([0.3, 0.1]), predicted)
    accuracy, share = 0.0, 0.0
    samples = list(product(combinations(range(4), 1), combinations(range(4, 9), 3)))
    assert len(samples) == comb(4, 1) * comb(5, 3)
    for parts in samples:
        positions = [position for part in parts for position in part]
        found, weighed = measure(design, np.array(positions), gold), weigh_share(design, positions, gold)
        assert found.shares[0].share.value == pytest.approx(min(max(weighed, 0.0), 1.0))
        accuracy += found.accuracy.value / len(samples)
        share += weighed / len(samples)
    assert accuracy == pytest.approx((predicted == gold).mean())
    assert share == pytest.approx((gold == 0).mean())


def weigh_share(design: CheckDesign, positions: list[int], gold: Integers) -> float:
    """The share of label 0 by the formula: predicted, plus the weights of what is missed, minus those of what is false."""
    weights = design.weights[design.strata[positions]]
    errors = (gold[positions] == 0).astype(float) - (design.predicted[positions] == 0)
    return float((design.predicted == 0).mean() + weights @ errors / len(design.strata))


def test_every_document_of_a_stratum_is_drawn_equally_often() -> None:
    predicted, probabilities, _ = make_pool(40, seed=1)
    design = CheckDesign.of(predicted, probabilities, 10)
    counts = np.bincount(np.concatenate([design.draw(seed=seed) for seed in range(4000)]), minlength=40) / 4000
    assert np.allclose(counts, 1 / design.weights[design.strata], atol=0.035)


def test_a_model_that_is_sure_of_everything_does_not_lead_to_large_weights() -> None:
    probabilities = np.r_[np.full(900, 1.0), np.full(100, 0.5)]
    design = CheckDesign.of(np.zeros(1000, np.int64), probabilities, 100)
    assert design.weights.max() < 1.5 * 10
    assert design.weights.min() < 7


def test_intervals_cover_as_often_as_they_say_and_are_narrower() -> None:
    predicted, probabilities, gold = make_pool(1000, seed=5)
    truth, design = (predicted == gold).mean(), CheckDesign.of(predicted, probabilities, 100)
    found = [measure(design, design.draw(seed=seed), gold) for seed in range(400)]
    assert 0.92 <= np.mean([each.accuracy.low <= truth <= each.accuracy.high for each in found]) <= 0.98
    same = 100 * 999 / 900
    random = estimate_proportion(truth * same, same)
    assert np.mean([each.accuracy.high - each.accuracy.low for each in found]) < 0.95 * (random.high - random.low)
    for code in range(3):
        share = (gold == code).mean()
        assert np.mean([each.shares[code].share.low <= share <= each.shares[code].share.high for each in found]) >= 0.93


def test_no_error_is_not_certainty() -> None:
    predicted, probabilities, _ = make_pool(500, seed=2)
    design = CheckDesign.of(predicted, probabilities, 50)
    found = measure(design, design.draw(), predicted)
    assert found.accuracy.value == found.accuracy.high == 1.0
    assert 0.88 < found.accuracy.low < 0.98
    assert all(row.share.low < row.share.value < row.share.high for row in found.shares)


def test_a_pool_that_is_checked_whole_is_known_exactly() -> None:
    predicted, probabilities, gold = make_pool(60, seed=3)
    design = CheckDesign.of(predicted, probabilities, 60)
    found = measure(design, design.draw(), gold)
    assert found.accuracy.low == found.accuracy.high == pytest.approx((predicted == gold).mean())
    assert [row.share.value for row in found.shares] == pytest.approx((np.bincount(gold) / 60).tolist())
    assert all(row.share.high - row.share.low < 1e-12 for row in found.shares)
    assert found.n == found.n_pool == 60
    assert found.to_dict()["n_random"] == 60


def test_texts_without_an_answer_are_left_out() -> None:
    predicted, probabilities, gold = make_pool(300, seed=4)
    design = CheckDesign.of(predicted, probabilities, 60)
    positions = design.draw()
    answers = [LABELS[code] if index < 25 else None for index, code in enumerate(gold[positions])]
    found = measure_checked(design, positions, answers, LABELS)
    assert found.n == 25
    assert found.accuracy.note == "unreliable: only 25 texts"
    one = measure_checked(design, positions, [LABELS[0], *[None] * 59], LABELS)
    assert one.n == 1
    assert one.accuracy.high - one.accuracy.low > 0.5


def test_a_label_that_the_model_does_not_have_is_an_error_of_the_model() -> None:
    predicted, probabilities, _ = make_pool(300, seed=6)
    design = CheckDesign.of(predicted, probabilities, 60)
    positions = design.draw()
    known = [LABELS[code] for code in predicted[positions]]
    found = measure_checked(design, positions, ["new", *known[1:]], LABELS)
    assert found.unknown == ("new",)
    assert found.accuracy.value < 1
    assert found.shares[-1].label == "new"
    assert found.shares[-1].predicted == 0 < found.shares[-1].share.value


@given(st.lists(st.tuples(st.floats(0.01, 30), st.integers(1, 40)), min_size=1, max_size=12), st.data())
def test_the_allocation_sums_up_within_the_sizes(strata: list[tuple[float, int]], data: st.DataObject) -> None:
    sizes = np.array([size for _, size in strata])
    n = data.draw(st.integers(len(sizes), int(sizes.sum())))
    numbers = allocate(np.array([share for share, _ in strata]), sizes, n)
    assert numbers.sum() == n
    assert ((numbers >= 1) & (numbers <= sizes)).all()


def test_bad_values_are_refused_with_the_remedy() -> None:
    predicted, probabilities = np.array([0, 1]), np.array([0.5, 0.9])
    with pytest.raises(InvalidOption, match="n=3, but the pool has only 2 texts: ask for at most 2"):
        CheckDesign.of(predicted, probabilities, 3)
    with pytest.raises(InvalidOption, match="n must be"):
        CheckDesign.of(predicted, probabilities, 0)
    with pytest.raises(InvalidOption, match="the pool is empty"):
        CheckDesign.of(predicted[:0], probabilities[:0], 1)
    with pytest.raises(InvalidMatrix, match="a probability is not between 0 and 1"):
        CheckDesign.of(predicted, np.array([0.5, np.nan]), 1)
    with pytest.raises(InvalidMatrix, match="2 labels and 1 probabilities"):
        CheckDesign.of(predicted, probabilities[:1], 1)
    design = CheckDesign.of(predicted, probabilities, 2)
    with pytest.raises(InvalidLabel, match="2 texts were drawn and 1 answers given"):
        measure_checked(design, design.draw(), ["a"], LABELS)
    with pytest.raises(InvalidLabel, match="no text has an answer"):
        measure_checked(design, design.draw(), [None, float("nan")], LABELS)

"""Stacking: several models in, one out. The weights are the best of held-out documents, and no document judges itself."""

from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import approx_fprime
from scipy.optimize import minimize as scipy_minimize

from tercet.errors import InvalidOption
from tercet.kernel import _native, reference
from tercet.kernel.calibration.softmax import Pulls, SoftmaxLoss, standardize_scores
from tercet.models import stack as models_stacking
from tercet.models.calibration import deal_by_label, measure_loss
from tercet.models.classifier import normalize_scores
from tercet.models.stack import Stacking, cross_fit_stacking, fit_stacking

over_engines = pytest.mark.parametrize("engine", [_native, reference])


def draw_members(n: int, n_labels: int, noises: tuple[float, ...] = (1.0, 1.5, 3.0), seed: int = 0) -> tuple[Any, Any]:
    """Scores of members that know the label with some noise, members × documents × labels, and the labels."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_labels, n)
    known = np.eye(n_labels)[codes]
    return np.stack([known + noise * rng.normal(size=(n, n_labels)) for noise in noises]), codes


def draw_stars(n: int, seed: int = 0) -> tuple[Any, Any]:
    """Scores for ordered labels: one-vs-rest, a label in the middle can only be told by its neighbours."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 5, n)
    liking = codes - 2 + 0.7 * rng.normal(size=n)
    scores = np.stack([-liking, -0.3 * liking, 0.02 * rng.normal(size=n), 0.3 * liking, liking], axis=1)
    return scores[None], codes


def list_numbers(stacking: Stacking) -> list[float]:
    mix = [] if stacking.mix is None else stacking.mix.ravel().tolist()
    return [*stacking.weights.tolist(), *stacking.offsets.tolist(), *mix]


@st.composite
def held_out(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    shape = draw(st.integers(1, 3)), draw(st.integers(1, 9)), draw(st.integers(1, 4))
    numbers = st.one_of(st.floats(-9, 9), st.just(-np.inf))
    codes = draw(arrays(np.int64, shape[1], elements=st.integers(0, shape[2] - 1)))
    weights = draw(arrays(np.float64, shape[1], elements=st.sampled_from([1.0, 0.0, 0.5, 3.0])))
    weights[draw(st.integers(0, shape[1] - 1))] = 1.0
    return draw(arrays(np.float64, shape, elements=numbers)), codes, weights


@pytest.mark.parametrize("has_mix", [False, True])
@given(problem=held_out())
@some(0.3)
def test_the_native_stack_is_that_of_the_reference(problem: tuple[Any, Any, Any], has_mix: bool) -> None:
    ours, theirs = (np.concatenate(engine.fit_stack(*problem, has_mix)) for engine in (_native, reference))
    assert np.isfinite(ours).all()
    _, deviations = standardize_scores(problem[0], problem[2])
    scale = np.concatenate([deviations, np.ones(len(ours) - len(deviations))])  # a member without scores has any weight
    np.testing.assert_allclose(ours * scale, theirs * scale, atol=1e-3 * max(1, np.abs(theirs * scale).max()))


def make_loss(scores: Any, codes: Any, weights: Any, has_mix: bool) -> tuple[SoftmaxLoss, Any]:
    rows, deviations = standardize_scores(scores, weights)
    n = np.count_nonzero(weights)
    ridge = 1e-3 + 100 / n**2
    pulls = Pulls(spread=ridge, total=0.05 / n, offsets=ridge, mix=30 / n)
    return SoftmaxLoss(rows, codes, weights, np.ones(scores.shape[2]), pulls, has_mix), deviations


@pytest.mark.parametrize(("n_labels", "has_mix"), [(2, False), (4, False), (4, True)])
def test_scipy_finds_no_lower_loss(n_labels: int, has_mix: bool) -> None:
    scores, codes = draw_members(300, n_labels)
    weights = np.random.default_rng(1).random(300)
    loss, deviations = make_loss(scores, codes, weights, has_mix)
    factors, offsets, mix = _native.fit_stack(scores, codes, weights, has_mix)
    at = np.concatenate([factors * deviations, offsets, (mix.reshape(3, -1) * deviations[:, None]).ravel() if has_mix else mix])
    bounds = [(0, None)] * 3 + [(None, None)] * (loss.n_parameters - 3)
    start = np.random.default_rng(2).random(loss.n_parameters)
    found = scipy_minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15, "maxiter": 5000})
    assert loss(at)[0] <= found.fun + 1e-9


def test_the_derivatives_are_those_of_the_loss() -> None:
    scores, codes = draw_members(20, 3)
    loss, _ = make_loss(scores, codes, np.linspace(0.5, 1.5, 20), True)
    at = np.random.default_rng(0).random(loss.n_parameters)
    np.testing.assert_allclose(approx_fprime(at, lambda p: loss(p)[0], 1e-7), loss(at)[1], atol=1e-5)


@pytest.mark.parametrize("n_labels", [2, 4])
def test_a_stack_is_better_than_each_member(n_labels: int) -> None:
    scores, codes = draw_members(1000, n_labels, (1.0, 1.1))
    fresh, gold = draw_members(1000, n_labels, (1.0, 1.1), seed=1)
    both = measure_loss(normalize_scores(fit_stacking(scores, codes).apply(fresh)), gold)
    alone = [measure_loss(normalize_scores(fit_stacking(scores[[m]], codes).apply(fresh[[m]])), gold) for m in (0, 1)]
    assert both < min(alone) - 0.02


def test_a_useless_member_gets_no_weight_and_can_be_dropped() -> None:
    scores, codes = draw_members(500, 3)
    scores[1] = -scores[0]
    stacking = fit_stacking(scores, codes)
    assert stacking.weights[1] == 0
    assert stacking.used.tolist() == [0, 2]
    rest = Stacking(stacking.weights[[0, 2]], stacking.offsets, None if stacking.mix is None else stacking.mix[[0, 2]])
    assert rest.apply(scores[[0, 2]]).tolist() == stacking.apply(scores).tolist()


@pytest.mark.parametrize("draw", [draw_stars, lambda n: draw_members(n, 2)], ids=["mix", "plain"])
def test_a_constant_for_all_labels_of_a_document_changes_nothing(draw: Any) -> None:
    scores, codes = draw(400)
    moved = scores + 8.0 * np.random.default_rng(0).integers(-9, 9, scores.shape[:2])[:, :, None]
    ours, theirs = fit_stacking(scores, codes), fit_stacking(moved, codes)
    np.testing.assert_allclose(ours.apply(scores), theirs.apply(moved), atol=1e-6)


def test_the_unit_of_a_member_does_not_matter() -> None:
    scores, codes = draw_members(400, 3)
    ours, theirs = fit_stacking(scores, codes), fit_stacking(scores * [[[1.0]], [[1024.0]], [[1.0]]], codes)
    np.testing.assert_allclose(ours.weights, theirs.weights * [1, 1024, 1], rtol=1e-5)


def test_a_lost_label_counts_as_the_lowest_score_minus_one() -> None:
    scores, codes = draw_members(200, 3)
    lost, lower = scores.copy(), scores.copy()
    lost[0, 5:40, 1] = -np.inf
    lower[0, 5:40, 1] = scores[0, 5:40][:, [0, 2]].min(axis=1) - 1
    assert list_numbers(fit_stacking(lost, codes)) == list_numbers(fit_stacking(lower, codes))
    stacking = fit_stacking(scores, codes)
    np.testing.assert_allclose(stacking.apply(lost), stacking.apply(lower))
    assert np.isfinite(fit_stacking(np.full((1, 9, 2), -np.inf), np.arange(9) % 2).weights).all()


@pytest.mark.parametrize("right", [True, False])
def test_perfect_members_and_perfectly_wrong_ones_have_finite_weights(right: bool) -> None:
    codes = np.arange(100) % 2
    perfect = np.eye(2)[codes if right else 1 - codes]
    stacking = fit_stacking(perfect[None], codes)
    assert (stacking.weights > 0).tolist() == [right]
    probabilities = np.exp(normalize_scores(stacking.apply(perfect[None]))).max(axis=1)
    assert (probabilities < 0.9999).all()


def test_weights_are_relative_and_a_document_without_weight_does_not_count() -> None:
    scores, codes = draw_members(300, 3)
    weights = np.random.default_rng(0).integers(0, 3, 300).astype(float)
    folds = deal_by_label(codes)
    used = weights > 0
    ours = fit_stacking(scores, codes, weights, folds)
    assert list_numbers(ours) == list_numbers(fit_stacking(scores[:, used], codes[used], weights[used], folds[used]))
    np.testing.assert_allclose(ours.weights, fit_stacking(scores, codes, 4 * weights, folds).weights)


def test_labels_in_an_order_get_a_mix() -> None:
    scores, codes = draw_stars(1000)
    stacking = fit_stacking(scores, codes)
    assert stacking.mix is not None
    fresh, gold = draw_stars(1000, seed=1)
    plain = Stacking(*_native.fit_stack(scores, codes, np.ones(1000), False)[:2])
    losses = [measure_loss(normalize_scores(each.apply(fresh)), gold) for each in (stacking, plain)]
    assert losses[0] < losses[1] - 0.01


def test_many_labels_get_no_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, codes = draw_stars(1000)
    for most, has_mix in ((5, True), (4, False)):
        monkeypatch.setattr(models_stacking, "MAX_MIXED", most)
        assert (fit_stacking(scores, codes).mix is not None) == has_mix


def test_a_mix_is_used_only_if_it_lowers_the_loss_of_other_documents() -> None:
    chosen = []
    for seed in range(8):
        scores, codes = draw_members(200, 3, (0.6,), seed)
        losses = [0.0, 0.0]
        for half in (0, 1):
            inside = deal_by_label(codes) % 2 == half
            for has_mix in (False, True):
                weights, offsets, mix = _native.fit_stack(
                    np.ascontiguousarray(scores[:, ~inside]), codes[~inside], np.ones(sum(~inside)), has_mix
                )
                stacking = Stacking(weights, offsets, mix.reshape(1, 3, 3) if has_mix else None)
                log_proba = normalize_scores(stacking.apply(scores[:, inside]))
                losses[has_mix] -= log_proba[np.arange(len(log_proba)), codes[inside]].sum()
        assert (fit_stacking(scores, codes).mix is not None) == (losses[True] < losses[False])
        chosen.append(losses[True] < losses[False])
    assert {*chosen} == {True, False}


@pytest.mark.parametrize("n_labels", [2, 31])
def test_two_labels_or_very_many_have_no_mix(n_labels: int) -> None:
    assert fit_stacking(*draw_members(400, n_labels)).mix is None


def test_few_documents_have_no_mix() -> None:
    scores, codes = draw_stars(49)
    assert fit_stacking(scores, codes).mix is None


@pytest.mark.parametrize("draw", [draw_stars, lambda n: draw_members(n, 2)], ids=["mix", "plain"])
def test_no_document_has_a_say_in_the_weights_that_judge_it(draw: Any) -> None:
    scores, codes = draw(200)
    folds, weights = deal_by_label(codes), np.random.default_rng(0).random(200)
    fitted = cross_fit_stacking(scores, codes, weights, folds)
    other_scores, other_codes, other_weights = scores.copy(), codes.copy(), weights.copy()
    inside = folds == 3
    other_scores[:, inside], other_codes[inside], other_weights[inside] = -7.0, 0, 2.0
    again = cross_fit_stacking(other_scores, other_codes, other_weights, folds)
    assert list_numbers(again.without[3]) == list_numbers(fitted.without[3])
    assert list_numbers(again.without[2]) != list_numbers(fitted.without[2])
    assert fitted.log_proba[inside].tolist() == normalize_scores(fitted.without[3].apply(scores[:, inside])).tolist()
    assert list_numbers(fitted.stacking) == list_numbers(fit_stacking(scores, codes, weights, folds))
    of_all = fitted.apply(scores, np.full(200, -1))
    assert of_all.tolist() == normalize_scores(fitted.stacking.apply(scores)).tolist()


def test_a_fold_whose_others_weigh_nothing_gets_the_stacking_of_all() -> None:
    scores, codes = draw_members(50, 2)
    fitted = cross_fit_stacking(scores, codes, np.where(deal_by_label(codes) == 2, 1.0, 0.0))
    assert fitted.without[2] is fitted.stacking
    assert fitted.without[1] is not fitted.stacking


@pytest.mark.parametrize("draw", [draw_stars, lambda n: draw_members(n, 2)], ids=["mix", "plain"])
def test_effects_are_the_stacking_as_products_of_matrices(draw: Any) -> None:
    scores, codes = draw(300)
    stacking = fit_stacking(scores, codes)
    np.testing.assert_allclose((scores @ stacking.effects).sum(axis=0) + stacking.offsets, stacking.apply(scores))


def test_without_documents_the_first_member_decides_alone() -> None:
    fitted = cross_fit_stacking(np.zeros((2, 0, 3)), np.zeros(0, np.int64))
    assert (fitted.stacking.weights.tolist(), fitted.without, fitted.log_proba.shape) == ([1.0, 0.0], (), (0, 3))


def test_documents_without_weights_are_an_error() -> None:
    scores, codes = draw_members(30, 2)
    with pytest.raises(InvalidOption, match="nothing to stack"):
        fit_stacking(scores, codes, np.zeros(30))


@over_engines
def test_the_kernel_refuses_what_does_not_fit(engine: Any) -> None:
    scores, codes = draw_members(5, 2)
    ones = np.ones(5)
    for bad in (
        (scores[:, :4], codes, ones),
        (scores, codes, ones[:4]),
        (scores, codes, -ones),
        (scores, codes, ones * np.inf),
        (scores, codes, ones * 0),
        (scores * np.nan, codes, ones),
        (scores + np.inf, codes, ones),
        (scores[:0], codes, ones),
    ):
        with pytest.raises(ValueError, match=r"label|weight|scores"):
            engine.fit_stack(np.ascontiguousarray(bad[0]), *bad[1:], False)
    with pytest.raises(IndexError):
        engine.fit_stack(scores, codes + 2, ones, False)

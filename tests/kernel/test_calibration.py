"""Calibrations in the kernel: native equals reference, and scipy finds nothing better."""

from typing import Any

import numpy as np
import pytest
from helpers.drawn_scores import draw_long_texts, draw_scores
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import approx_fprime, isotonic_regression
from scipy.optimize import minimize as scipy_minimize

from tercet.kernel import _native, reference
from tercet.kernel.calibration.length import LengthLoss
from tercet.kernel.calibration.minimizer import minimize
from tercet.kernel.calibration.softmax import Pulls, SoftmaxLoss, find_spread, shift_scores
from tercet.models.classifier import normalize_scores

over_engines = pytest.mark.parametrize("engine", [_native, reference])
FITS = ["fit_temperature", "fit_platt", "fit_length"]
over_fits = pytest.mark.parametrize("name", FITS)


@st.composite
def held_out(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """Scores of documents whose own labels are possible, their labels and weights."""
    n, n_labels = draw(st.integers(1, 9)), draw(st.integers(1, 4))
    scores = draw(arrays(np.float64, (n, n_labels), elements=st.sampled_from([-np.inf, -300.0, -2.5, -1.0, 0.0, 0.5, 7.0])))
    codes = draw(arrays(np.int64, n, elements=st.integers(0, n_labels - 1)))
    scores[np.arange(n), codes] = np.maximum(scores[np.arange(n), codes], -300.0)
    return scores, codes, draw(arrays(np.float64, n, elements=st.sampled_from([1.0, 0.5, 3.0])))


@over_fits
@given(problem=held_out())
@some(0.2)
def test_native_fits_are_as_good_as_those_of_the_reference(name: str, problem: tuple[Any, Any, Any]) -> None:
    ours, theirs = (getattr(engine, name)(*problem) for engine in (_native, reference))
    assert np.isfinite(join(ours)).all()
    losses = [find_loss(name, fitted, *problem) for fitted in (ours, theirs)]
    assert losses[0] == pytest.approx(losses[1], abs=1e-4, rel=1e-4)


@over_fits
def test_native_fits_are_those_of_the_reference(name: str) -> None:
    for draw in (lambda: draw_scores(200, 3), lambda: draw_long_texts(200), lambda: draw_scores(50, 2)):
        scores, codes = draw()
        weights = np.random.default_rng(0).random(len(codes)) + 0.5
        ours, theirs = (join(getattr(engine, name)(scores, codes, weights)) for engine in (_native, reference))
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)


@given(
    problem=held_out(),
    rate=st.sampled_from([0.0, 0.3, 1e9]),
    growth=st.sampled_from([0.0, 0.5, 3.0]),
    doubt=st.sampled_from([0.0, 1e-9, 0.25, 0.999]),
    shift=st.sampled_from([0.0, -1e6, 50.0]),
)
def test_native_probabilities_are_those_of_the_reference(
    problem: tuple[Any, Any, Any], rate: float, growth: float, doubt: float, shift: float
) -> None:
    scores = problem[0] + shift
    offsets = np.linspace(-1, 2, scores.shape[1])
    ours, theirs = (engine.normalize_scores(scores) for engine in (_native, reference))
    np.testing.assert_allclose(ours, theirs, rtol=1e-14, atol=1e-14)
    ours, theirs = (engine.calibrate_by_length(scores, rate, growth, doubt, offsets) for engine in (_native, reference))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.exp(ours).sum(axis=1), 1.0)
    assert (np.isneginf(ours) == np.isneginf(scores)).all()


@over_engines
def test_scores_without_labels_or_offsets_are_refused(engine: Any) -> None:
    with pytest.raises(ValueError, match="no labels"):
        engine.normalize_scores(np.zeros((2, 0)))
    with pytest.raises(ValueError, match="offset"):
        engine.calibrate_by_length(np.zeros((2, 2)), 1.0, 1.0, 0.0, np.zeros(3))
    assert engine.normalize_scores(np.zeros((0, 2))).shape == (0, 2)


def join(fitted: Any) -> Any:
    return np.hstack(fitted if isinstance(fitted, tuple) else [fitted])


def find_loss(name: str, fitted: Any, scores: Any, codes: Any, weights: Any) -> float:
    """The mean of -log P(own label)."""
    shifted = shift_scores(scores)
    if name == "fit_temperature":
        log_proba = normalize_scores(shifted * fitted)
    elif name == "fit_platt":
        log_proba = normalize_scores(shifted * fitted[0] + fitted[1])
    else:
        rate, growth, doubt, offsets = fitted
        hardness = 1 + rate * np.maximum(np.abs(scores.max(axis=1)), 1e-9) ** growth
        log_proba = normalize_scores(shifted / hardness[:, None] + offsets)
        log_proba = np.log((1 - doubt) * np.exp(log_proba) + doubt / scores.shape[1])
    return float(-np.average(log_proba[np.arange(len(codes)), codes], weights=weights))


def test_scipy_finds_no_better_calibration() -> None:
    scores, codes = draw_long_texts(500)
    weights, n_labels = np.random.default_rng(0).random(500) + 0.5, 3
    loss = LengthLoss(scores, codes, weights)
    bounds = [(-30, 30), (0, 3), (-20, 0)] + [(0, 0)] * n_labels
    found = scipy_minimize(loss, loss.guess(), jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15})
    rate, growth, doubt, offsets = _native.fit_length(scores, codes, weights)
    ours = np.concatenate([[np.log(rate) + growth * loss.middle, growth, np.log(doubt / (1 - doubt))], offsets])
    assert loss(ours)[0] <= found.fun + 1e-9

    shifted = shift_scores(scores)
    scale, own = find_spread(shifted), np.bincount(codes, weights)
    softmax = SoftmaxLoss(shifted[:, None] / scale, codes, weights, (own + 1) / (own + 2), Pulls(), False)
    start = np.append(1.0, np.zeros(n_labels))
    found = scipy_minimize(softmax, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-15})
    factor, offsets = _native.fit_platt(scores, codes, weights)
    assert softmax(np.append(factor * scale, offsets))[0] <= found.fun + 1e-9

    def measure(log_factor: float) -> float:
        log_proba = normalize_scores(shifted * np.exp(log_factor))[np.arange(500), codes]
        return float(log_factor**2 / 2 / 500 - np.average(log_proba, weights=weights))

    best = np.log(_native.fit_temperature(scores, codes, weights))
    assert all(measure(best) <= measure(best + by) for by in (-0.1, -1e-3, 1e-3, 0.1))


def test_the_derivatives_are_those_of_the_loss_with_targets_and_a_pull_of_the_factor() -> None:
    scores, codes = draw_scores(30, 3)
    shifted = shift_scores(scores)
    loss = SoftmaxLoss(
        shifted[:, None], codes, np.linspace(1, 2, 30), np.array([0.9, 0.8, 0.7]), Pulls(factor=0.1, even=3.0), False
    )
    at = np.array([0.3, 0.1, -0.2, 0.4])
    np.testing.assert_allclose(approx_fprime(at, lambda p: loss(p)[0], 1e-7), loss(at)[1], atol=1e-5)


@given(
    leads=arrays(np.float64, st.integers(1, 30), elements=st.sampled_from([-3.0, -1.5, -0.0, 0.0, 0.25, 1.0, 4.0])),
    data=st.data(),
)
@some(0.3)
def test_native_steps_are_those_of_the_reference_and_of_scipy(leads: Any, data: Any) -> None:
    has_label = data.draw(arrays(np.uint8, len(leads), elements=st.integers(0, 1)))
    weights = data.draw(arrays(np.float64, len(leads), elements=st.sampled_from([1.0, 2.0, 0.25])))
    unseen = data.draw(st.sampled_from([0.0, 0.5]))
    ours, theirs = (engine.fit_steps(leads, has_label, weights, unseen) for engine in (_native, reference))
    assert [part.tolist() for part in ours] == [part.tolist() for part in theirs]
    distinct, which = np.unique(leads, return_inverse=True)
    total, own = np.bincount(which, weights), np.bincount(which, weights * has_label)
    total[0], own[0] = total[0] + unseen, own[0] + unseen
    np.testing.assert_allclose(np.interp(distinct, *ours), isotonic_regression(own / total, weights=total).x, atol=1e-12)
    assert (np.diff(ours[0]) > 0).all()


def test_the_minimizer_stays_inside_its_bounds() -> None:
    """Rosenbrock's function, whose minimum (1, 1) is outside."""

    def rosenbrock(x: Any) -> tuple[float, Any]:
        short = x[1] - x[0] ** 2
        return float((1 - x[0]) ** 2 + 100 * short**2), np.array([-2 * (1 - x[0]) - 400 * x[0] * short, 200 * short])

    inside, no_bound = np.array([-2.0, -2.0]), np.full(2, np.inf)
    np.testing.assert_allclose(minimize(rosenbrock, -no_bound, no_bound, inside, 1e-8, 500), [1, 1], atol=1e-6)
    bounded = minimize(rosenbrock, np.array([-3.0, -3.0]), np.array([0.5, 3.0]), inside, 1e-8, 500)
    np.testing.assert_allclose(bounded, [0.5, 0.25], atol=1e-6)


@over_engines
@over_fits
def test_the_kernel_refuses_what_does_not_fit(name: str, engine: Any) -> None:
    fit, (scores, codes), ones = getattr(engine, name), draw_scores(5, 2), np.ones(5)
    for bad in ((scores[:4], codes, ones), (scores, codes, -ones), (scores, codes, 0 * ones), (scores * np.nan, codes, ones)):
        with pytest.raises(ValueError, match=r"label|weight|scores"):
            fit(*bad)
    with pytest.raises(IndexError):
        fit(scores, codes + 2, ones)


@over_engines
def test_steps_of_what_does_not_fit_are_refused(engine: Any) -> None:
    leads, flags, ones = np.arange(3.0), np.ones(3, np.uint8), np.ones(3)
    for bad in (
        (leads[:0], flags[:0], ones[:0]),
        (leads[:2], flags, ones),
        (leads * np.nan, flags, ones),
        (leads, flags, 0 * ones),
    ):
        with pytest.raises(ValueError, match=r"leads|label|weights"):
            engine.fit_steps(*bad, 0.5)

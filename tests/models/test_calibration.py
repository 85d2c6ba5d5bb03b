"""Probabilities that mean what they say: scores in, calibrated probabilities out."""

import json
from typing import Any

import numpy as np
import pytest
from helpers.drawn_scores import draw_long_texts, draw_scores
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import approx_fprime

from tercet.errors import InvalidOption
from tercet.kernel.calibration.length import LengthLoss
from tercet.models import calibration
from tercet.models.calibration import (
    METHODS,
    Isotonic,
    LengthCalibration,
    Temperature,
    compute_leads,
    cross_fit,
    deal_by_label,
    fit_calibration,
    fit_steps,
    measure_loss,
)
from tercet.registry import read, write

Floats = Any


any_scores = st.integers(1, 4).flatmap(
    lambda k: arrays(np.float64, st.tuples(st.integers(1, 12), st.just(k)), elements=st.floats(-1e7, 1e3))
)


@pytest.mark.parametrize("method", METHODS)
@given(scores=any_scores, data=st.data())
@some(0.1)
def test_probabilities_are_finite_and_sum_to_one(method: str, scores: Floats, data: Any) -> None:
    codes = np.array(data.draw(st.lists(st.integers(0, scores.shape[1] - 1), min_size=len(scores), max_size=len(scores))))
    calibration = fit_calibration(scores, codes, method)
    extreme = np.array([[0.0], [-1e7], [-1e-9], [1e3]]) - np.arange(scores.shape[1])
    for asked in (scores, extreme):
        log_proba = calibration.apply(asked)
        assert np.isfinite(log_proba).all()
        np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1, rtol=1e-9)
    again = read("calibration", json.loads(json.dumps(write(calibration))))
    assert again.apply(scores).tolist() == calibration.apply(scores).tolist()


@pytest.mark.parametrize("method", METHODS)
def test_an_impossible_label_stays_impossible(method: str) -> None:
    scores, codes = draw_scores(200, 3)
    scores[codes != 1, 1] = -np.inf
    log_proba = fit_calibration(scores, codes, method).apply(np.array([[-9.0, -np.inf, -12.0], [-np.inf, -5.0, -np.inf]]))
    assert np.isneginf(log_proba).tolist() == [[False, True, False], [True, False, True]]
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1)


@pytest.mark.parametrize("method", METHODS)
def test_a_calibration_makes_scores_likelier_that_are_too_sure(method: str) -> None:
    scores, codes = draw_scores(3000, 4)
    fresh, gold = draw_scores(3000, 4, seed=1)
    before = measure_loss(Temperature(1.0).apply(fresh), gold)
    after = measure_loss(fit_calibration(scores, codes, method).apply(fresh), gold)
    best = measure_loss(Temperature(0.1).apply(fresh), gold)
    assert best <= after < best + 0.03 < before


def test_the_temperature_is_found() -> None:
    scores, codes = draw_scores(20_000, 4, factor=0.05)
    found = fit_calibration(scores, codes, "temperature")
    assert isinstance(found, Temperature)
    assert found.factor == pytest.approx(0.05, rel=0.03)
    losses = [measure_loss(Temperature(found.factor * by).apply(scores), codes) for by in (0.99, 1, 1.01)]
    assert losses[1] == min(losses)


def test_how_scores_grow_with_the_length_is_found() -> None:
    scores, codes = draw_long_texts(20_000)
    found = fit_calibration(scores, codes, "length")
    assert isinstance(found, LengthCalibration)
    lengths = np.array([50.0, 150.0, 500.0])
    np.testing.assert_allclose(1 + found.rate * lengths**found.growth, 1 + 0.1 * lengths**0.8, rtol=0.1)
    assert np.abs(found.offsets).max() < 0.1
    assert found.doubt < 0.01


def test_the_gradient_is_that_of_the_loss() -> None:
    scores, codes = draw_long_texts(60)
    loss, rng = LengthLoss(scores, codes, np.linspace(0.5, 1.5, 60)), np.random.default_rng(0)
    for _ in range(5):
        at = loss.guess() + rng.normal(size=6) * [1, 0.1, 1, 1, 1, 1]
        np.testing.assert_allclose(approx_fprime(at, lambda p: loss(p)[0], 1e-7), loss(at)[1], atol=1e-5)


def test_a_document_without_terms_keeps_its_scores() -> None:
    prior = np.log([[0.7, 0.2, 0.1]])
    by_length = LengthCalibration(rate=0.05, growth=0.8, offsets=np.zeros(3), doubt=0.0)
    np.testing.assert_allclose(np.exp(by_length.apply(prior)), np.exp(prior), atol=0.02)


def test_no_label_is_rarer_than_its_part_of_the_doubt() -> None:
    doubtful = LengthCalibration(rate=0.0, growth=1.0, offsets=np.zeros(2), doubt=0.1)
    scores = np.array([[0.0, -1000.0], [-1000.0, -1000.0], [-5.0, -np.inf]])
    np.testing.assert_allclose(np.exp(doubtful.apply(scores)), [[0.95, 0.05], [0.5, 0.5], [1.0, 0.0]])


def test_the_share_of_random_labels_is_the_doubt() -> None:
    scores, codes = draw_long_texts(6000)
    rng = np.random.default_rng(1)
    codes = np.where(rng.random(6000) < 0.2, rng.integers(0, 3, 6000), codes)
    found = fit_calibration(scores, codes, "length")
    assert isinstance(found, LengthCalibration)
    assert found.doubt == pytest.approx(0.2, abs=0.1)


def test_offsets_are_pulled_to_zero() -> None:
    """A constant that is added to all offsets changes no probability, only the penalty: the mean of their squares."""
    scores, codes = draw_long_texts(60)
    loss = LengthLoss(scores, codes, np.ones(60))
    at = np.append(loss.guess()[:3], [1.0, -2.0, 0.5])
    moved = np.append(at[:3], at[3:] + 3)
    assert loss(moved)[0] - loss(at)[0] == pytest.approx(((moved[3:] ** 2).sum() - (at[3:] ** 2).sum()) / 60)


@pytest.mark.parametrize("weights", [None, "given"])
def test_platt_is_scikit_learns(weights: Any) -> None:
    calibration = pytest.importorskip("sklearn.calibration")
    scores, codes = draw_scores(400, 2)
    document_weights = None if weights is None else np.random.default_rng(0).integers(1, 4, 400).astype(float)
    lead = scores[:, 1] - scores[:, 0] + 3.0
    scores[:, 1] += 3.0
    # Weights are relative here, while with theirs twice the weight is twice as many documents.
    relative = None if document_weights is None else document_weights / document_weights.mean()
    theirs = calibration._SigmoidCalibration().fit(lead, codes, sample_weight=relative)
    ours = np.exp(fit_calibration(scores, codes, "platt", document_weights).apply(scores))[:, 1]
    np.testing.assert_allclose(ours, theirs.predict(lead), atol=2e-4)


def test_isotonic_steps_are_scikit_learns() -> None:
    isotonic = pytest.importorskip("sklearn.isotonic")
    scores, codes = draw_scores(500, 3)
    weights = np.random.default_rng(0).integers(1, 4, 500).astype(float)
    leads = compute_leads(scores)[:, 0].round()  # some are equal
    theirs = isotonic.IsotonicRegression(out_of_bounds="clip").fit(leads, codes == 0, sample_weight=weights)
    steps = fit_steps(leads, codes == 0, weights, unseen=0.0)
    asked = np.linspace(-40, 40, 333)
    np.testing.assert_allclose(np.interp(asked, *steps), theirs.predict(asked), atol=1e-9)
    assert len(steps[0]) < len(np.unique(leads))


def test_isotonic_of_two_labels_is_that_of_one() -> None:
    isotonic = pytest.importorskip("sklearn.isotonic")
    scores, codes = draw_scores(2000, 2)
    lead = scores[:, 1] - scores[:, 0]
    # Half a document at each end is what has never been seen.
    ends, weights = np.array([lead.min(), lead.max()]), np.append(np.ones(2000), [0.5, 0.5])
    theirs = isotonic.IsotonicRegression().fit(np.append(lead, ends), np.append(codes, [1, 0]), weights).predict(lead)
    ours = np.exp(fit_calibration(scores, codes, "isotonic").apply(scores))
    np.testing.assert_allclose(ours[:, 1], theirs, atol=2e-3)  # but for the one document that the temperature counts as


def test_isotonic_calls_nothing_rarer_than_its_documents_can_tell() -> None:
    scores, codes = draw_scores(3000, 4)
    folds = np.arange(3000) % 2
    calibration = fit_calibration(scores[folds == 0], codes[folds == 0], "isotonic")
    assert np.exp(calibration.apply(np.array([[0.0, -1e3, -1e3, -1e3]]))).min() > 1 / (4 * 1501) / 2
    own = np.exp(calibration.apply(scores[folds == 1]))[np.arange(1500), codes[folds == 1]]
    assert (own < 1e-3).sum() <= 5


def test_temperature_never_changes_the_best_label() -> None:
    scores, codes = draw_scores(500, 5)
    found = np.exp(fit_calibration(scores, codes, "temperature").apply(scores))
    assert found.argmax(axis=1).tolist() == scores.argmax(axis=1).tolist()


def test_a_part_of_many_documents_chooses_the_method(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 20 labels and 6000 documents, the four methods are compared on a third of them, and one is fitted to all."""
    rng = np.random.default_rng(0)
    codes, sizes = rng.integers(20, size=6000), []
    scores = rng.normal(size=(6000, 20)) + 4 * (codes[:, None] == np.arange(20))
    fit = calibration._cross_fit

    def watch(log_joint: Any, *given: Any) -> Any:
        sizes.append(len(log_joint))
        return fit(log_joint, *given)

    monkeypatch.setattr(calibration, "_cross_fit", watch)
    chosen = fit_calibration(scores, codes, "auto")
    assert sizes == [2000] * len(METHODS) + [6000]
    assert chosen.to_dict() == fit_calibration(scores, codes, chosen.method).to_dict()


def test_auto_takes_the_method_with_the_best_likelihood_of_what_was_left_out() -> None:
    scores, codes = draw_long_texts(1000)
    losses = {method: measure_loss(cross_fit(scores, codes, method).log_proba, codes) for method in METHODS}
    assert fit_calibration(scores, codes, "auto").method == min(losses, key=losses.__getitem__) == "length"
    # With few documents only one number is fitted.
    assert fit_calibration(scores[:49], codes[:49], "auto").method == "temperature"
    assert fit_calibration(scores[:50], codes[:50], "auto").method == "length"


@pytest.mark.parametrize("method", METHODS)
def test_cross_fitted_answers_come_from_a_fit_without_the_document(method: str) -> None:
    scores, codes = draw_scores(100, 3)
    fitted = cross_fit(scores, codes, method)
    folds = deal_by_label(codes)
    rest = folds != 2
    alone = fit_calibration(scores[rest], codes[rest], method)
    assert fitted.log_proba[~rest].tolist() == alone.apply(scores[~rest]).tolist()
    assert fitted.apply(scores, np.full(100, -1)).tolist() == fitted.calibration.apply(scores).tolist()


def test_a_fold_whose_others_weigh_nothing_gets_the_calibration_of_all() -> None:
    scores, codes = draw_scores(100, 3)
    fitted = cross_fit(scores, codes, "temperature", np.where(deal_by_label(codes) == 2, 1.0, 0.0))
    assert fitted.without == (fitted.calibration,) * 5


def test_weights_are_copies() -> None:
    scores, codes = draw_scores(600, 3)
    weights = np.random.default_rng(0).integers(0, 3, 600)
    for method in ("temperature", "isotonic"):
        weighted = fit_calibration(scores, codes, method, weights.astype(float))
        copies = fit_calibration(np.repeat(scores, weights, axis=0), np.repeat(codes, weights), method)
        np.testing.assert_allclose(np.exp(weighted.apply(scores)), np.exp(copies.apply(scores)), atol=0.02)


@pytest.mark.parametrize("method", METHODS)
def test_some_of_the_labels_can_be_picked_and_new_ones_get_nothing_special(method: str) -> None:
    scores, codes = draw_scores(300, 3)
    calibration = fit_calibration(scores, codes, method)
    assert calibration.pick(np.arange(3)).apply(scores).tolist() == calibration.apply(scores).tolist()
    swapped = calibration.pick(np.array([2, 0])).apply(scores[:, [2, 0]])
    assert swapped.tolist() == calibration.pick(np.array([0, 2])).apply(scores[:, [0, 2]])[:, ::-1].tolist()
    wider = calibration.pick(np.array([0, 1, -1, 2])).apply(np.insert(scores, 2, scores.max(axis=1) - 1, axis=1))
    assert np.isfinite(wider).all()
    np.testing.assert_allclose(np.exp(wider).sum(axis=1), 1)


def test_isotonic_gives_a_new_label_its_probability_by_temperature() -> None:
    even = (np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    calibration = Isotonic((even, None), Temperature(0.1), 7)
    np.testing.assert_allclose(np.exp(calibration.apply(np.array([[-9.0, -9.0]]))), [[0.5, 0.5]])


def test_what_can_not_be_calibrated_is_an_error() -> None:
    scores, codes = draw_scores(30, 2)
    with pytest.raises(InvalidOption, match="one of temperature, length, platt, isotonic, got 'beta'"):
        fit_calibration(scores, codes, "beta")
    scores[np.arange(30), codes] = -np.inf
    for method in ("auto", *METHODS):
        with pytest.raises(InvalidOption, match="nothing to calibrate on"):
            fit_calibration(scores, codes, method)


@pytest.mark.parametrize("method", METHODS)
def test_numbers_of_a_file_that_make_no_sense_are_refused(method: str) -> None:
    written = write(fit_calibration(*draw_scores(100, 2), method))
    for name in set(written) - {"type", "documents"}:
        with pytest.raises((ValueError, TypeError, KeyError)):
            read("calibration", {k: v for k, v in written.items() if k != name})
        bad = [[[0.0, 0.0], [0.1, 0.2]]] * 2 if name == "steps" else [np.nan] * 2 if name == "offsets" else -1.0
        with pytest.raises(ValueError, match="calibration"):
            read("calibration", written | {name: bad})


def test_labels_keep_their_order_unless_the_documents_tell_otherwise() -> None:
    scores, codes = draw_long_texts(2000)
    even = fit_calibration(scores, codes, "length")
    assert isinstance(even, LengthCalibration)
    assert even.offsets.tolist() == [0.0, 0.0, 0.0]
    assert even.apply(scores).argmax(axis=1).tolist() == scores.argmax(axis=1).tolist()
    uneven = fit_calibration(scores - [0.0, 0.0, 40.0], codes, "length")
    assert isinstance(uneven, LengthCalibration)
    assert uneven.offsets[2] > 0.2 > uneven.offsets[0]


@pytest.mark.parametrize("right", [True, False])
def test_a_handful_of_documents_makes_nothing_certain(right: bool) -> None:
    scores = np.array([[0.0, -3.0], [0.0, -3.0], [-3.0, 0.0]])
    codes = np.array([0, 0, 1]) if right else np.array([1, 1, 0])
    probabilities = np.exp(fit_calibration(scores, codes, "auto").apply(scores)).max(axis=1)
    assert (probabilities > 0.5).all()
    assert (probabilities < 0.9999).all()


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_equal_scores_teach_no_certainty(method: str) -> None:
    calibration = fit_calibration(np.zeros((20, 2)), np.arange(20) % 2, method)
    assert np.exp(calibration.apply(np.array([[0.0, -1.0]]))).max() < 0.75

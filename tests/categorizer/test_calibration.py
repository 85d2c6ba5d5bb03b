"""A calibrated categorizer: what it keeps of the laws of the others, and what it adds."""

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import Stream, assert_close, invent

import tercet
from tercet import NBSVM, Categorizer, Documents, NaiveBayes
from tercet.categorizer.fitting import encode_like
from tercet.categorizer.model.bayes_model import BayesModel
from tercet.categorizer.model.calibrator import deal_texts, measure_error, score_documents
from tercet.categorizer.train import train
from tercet.data.document_batches import open_batches
from tercet.errors import BadModelFile, InvalidLabel, InvalidOption, OutOfDate
from tercet.models.calibration import METHODS, cross_fit, fit_calibration
from tercet.models.classifier import normalize_scores
from tercet.store.model_file import read_model, write_model

MODELS = [None, NaiveBayes("multinomial", "auto"), NaiveBayes("bernoulli", 0.5), NaiveBayes("complement")]
DOCUMENTS, FRESH = invent(160), invent(60, seed=5)


def fit(calibrate: str | None = "length", documents: Any = DOCUMENTS, **options: Any) -> Categorizer:
    return Categorizer("words", calibrate=calibrate, **options).fit(*documents)


def save(c: Any, folder: Path) -> bytes:
    (folder / "saved.tercet").unlink(missing_ok=True)  # another categorizer may have saved there since
    c.save(folder / "saved.tercet")
    return (folder / "saved.tercet").read_bytes()


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_the_answer_is_the_most_probable_label(method: str, model: Any) -> None:
    c = fit(method, model=model)
    texts = [*FRESH.texts, "", "words that nobody knows", FRESH.texts[0] * 500]
    probabilities = c.predict_proba(texts)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert c.predict(texts).tolist() == c.classes_[probabilities.argmax(axis=1)].tolist()
    assert [c.predict([text])[0] for text in texts[-4:]] == c.predict(texts)[-4:].tolist()
    assert np.exp(c.predict_log_proba(texts)).tolist() == probabilities.tolist()


def test_scores_and_evidence_are_not_calibrated() -> None:
    c, plain = fit("length"), fit(None)
    assert c.log_joint(FRESH.texts).tolist() == plain.log_joint(FRESH.texts).tolist()
    for text in FRESH.texts[:5]:
        told = c.explain(text)
        scores = dict(zip(c.classes_.tolist(), c.log_joint([text])[0].tolist(), strict=True))
        assert told.label == c.predict([text])[0]
        assert told.prior + sum(e.value for e in told.evidence) == pytest.approx(scores[told.label] - scores[told.against])


@pytest.mark.parametrize("method", METHODS)
def test_the_probability_of_an_explanation_is_the_calibrated_one(method: str) -> None:
    c, plain = fit(method), fit(None)
    for text in FRESH.texts[:5]:
        told, untold = c.explain(text), plain.explain(text)
        shares = dict(zip(c.classes_.tolist(), c.predict_proba([text])[0].tolist(), strict=True))
        expected = shares[told.label] / (shares[told.label] + shares[told.against])
        assert told.probability == told.to_dict()["probability"] == pytest.approx(expected)
        both = f"(calibrated probability {shares[told.label]:.3f} among all 3 labels, {expected:.3f} between these two)"
        assert both in str(told) or not 0.001 < shares[told.label] <= expected < 0.999
        assert "calibrated" not in str(untold) + untold.to_html()


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_any_order_and_number_of_threads_gives_the_same_file(method: str, tmp_path: Path) -> None:
    some = DOCUMENTS + DOCUMENTS.pick(range(0, 160, 7))
    order = np.random.default_rng(0).permutation(len(some.texts)).tolist()
    one, other = fit(method, some, threads=1), fit(method, some.pick(order), threads=3)
    assert save(one, tmp_path) == save(other, tmp_path)
    by_stream = Categorizer("words", calibrate=method).fit(Stream(some.pick(order), 9))
    assert save(by_stream, tmp_path) == save(one, tmp_path)


def test_the_sample_of_many_documents_does_not_depend_on_their_order(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tercet.categorizer.model.calibrator.MAX_DOCUMENTS", 50)
    order = np.random.default_rng(0).permutation(160).tolist()
    one, other = fit("length"), fit("length", DOCUMENTS.pick(order))
    assert one.fitted_.calibrator is not None
    assert one.fitted_.calibrator.sets.n_documents == 50
    assert save(one, tmp_path) == save(other, tmp_path)


@pytest.mark.parametrize("method", METHODS)
def test_it_is_fitted_to_documents_that_are_left_out_with_their_copies(method: str) -> None:
    some = DOCUMENTS + DOCUMENTS.pick(range(0, 160, 3))
    c = fit(method, some)
    left_out = fit(None, some).leave_one_out(*some, copies="all")
    codes = np.searchsorted(c.classes_, some.labels)
    weights = np.array(some.weights) if len(set(some.weights)) > 1 else None
    expected = fit_calibration(left_out.log_joint, codes, method, weights).apply(left_out.log_joint)
    np.testing.assert_allclose(c.leave_one_out(*some, copies="all").probabilities, np.exp(expected), atol=1e-4)
    assert c.fitted_.calibrator is not None
    before = measure_error(np.log(left_out.probabilities), codes, weights)
    assert c.fitted_.calibrator.error_before == pytest.approx(before, abs=1e-5)


def test_learning_and_forgetting_leave_it_and_retuning_renews_it(tmp_path: Path) -> None:
    c = fit("length")
    before = save(c, tmp_path)
    c.learn(*FRESH)
    assert save(c.forget(*FRESH), tmp_path) == before
    c.learn(*FRESH)
    both = DOCUMENTS + FRESH
    assert save(c, tmp_path) != save(fit("length", both), tmp_path)
    assert save(c.retune(*both), tmp_path) == save(fit("length", both), tmp_path)
    assert save(c.set_params(calibrate=None).retune(*both), tmp_path) == save(fit(None, both), tmp_path)


def test_a_sum_is_not_calibrated_by_its_parts() -> None:
    a, b = fit("length"), fit("length", FRESH)
    with pytest.warns(RuntimeWarning, match="the sum is not calibrated"):
        total = a + b
    assert total.predict_proba(FRESH.texts).tolist() == fit(None, DOCUMENTS + FRESH).predict_proba(FRESH.texts).tolist()
    assert total.calibrate == "length"
    with pytest.raises(InvalidOption, match="the categorizer is not calibrated"):
        total.predict_sets(FRESH.texts)
    copy = a + Categorizer("words", calibrate="length").fit(*DOCUMENTS)
    assert copy.describe()["calibration"] == "length"


@pytest.mark.parametrize("theirs", ["length", "platt", None])
def test_the_order_of_a_sum_does_not_change_its_file(theirs: str | None, tmp_path: Path) -> None:
    model = NaiveBayes("multinomial", "table")
    a, b = fit("length", model=model), fit(theirs, FRESH, model=model)
    with pytest.warns(RuntimeWarning, match="the sum is not calibrated"):
        sums = a + b, b + a
    assert save(sums[0], tmp_path) == save(sums[1], tmp_path)
    assert sums[0].calibrate == (theirs if theirs == "length" else None)


def test_the_order_of_a_sum_with_a_chosen_smoothing_does_not_change_its_file(tmp_path: Path) -> None:
    a, b = (fit(None, invent(n, seed=8), model=NaiveBayes("multinomial", "auto")) for n in (60, 80))
    assert a.smoothing_ == b.smoothing_
    assert save(a + b, tmp_path) == save(b + a, tmp_path)
    assert (a + b).out_of_date_ == ("smoothing",)


@pytest.mark.parametrize("method", METHODS)
def test_other_labels_than_it_was_fitted_to(method: str) -> None:
    c = fit(method)
    some = c.classes_[:2].tolist()
    two = c.restrict(some)
    np.testing.assert_allclose(two.predict_proba(FRESH.texts).sum(axis=1), 1)
    with pytest.raises(InvalidOption, match="not those that the categorizer was calibrated on"):
        two.predict_sets(FRESH.texts)
    c.learn(["a new thing"], ["another label"])
    with pytest.warns(OutOfDate, match="its calibration is of the documents before the last change"):
        probabilities = c.predict_proba(FRESH.texts)
    assert probabilities.shape[1] == len(c.classes_)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    with pytest.warns(OutOfDate), pytest.raises(InvalidOption, match="calibrate_on"):
        c.predict_sets(FRESH.texts)
    assert c.forget(["a new thing"], ["another label"]).predict_sets(FRESH.texts)


@pytest.mark.parametrize("method", METHODS)
def test_files_keep_it(method: str, tmp_path: Path) -> None:
    c = fit(method)
    for kept, exact in ((c, True), (c.compact(), False)):
        written = save(kept, tmp_path)
        again = tercet.load(tmp_path / "saved.tercet")
        assert again.predict_proba(FRESH.texts).tolist() == kept.predict_proba(FRESH.texts).tolist()
        assert again.predict_sets(FRESH.texts, 0.8) == kept.predict_sets(FRESH.texts, 0.8)
        assert again.describe() == kept.describe()
        np.testing.assert_allclose(again.predict_proba(FRESH.texts), c.predict_proba(FRESH.texts), atol=0 if exact else 1e-3)
        assert save(again, tmp_path) == written
        assert pickle.loads(pickle.dumps(kept)).predict_sets(FRESH.texts) == kept.predict_sets(FRESH.texts)
    assert isinstance(again, type(c.compact()))


def test_the_file_of_an_uncalibrated_model_holds_no_calibration(tmp_path: Path) -> None:
    fit(None).save(tmp_path / "plain.tercet")
    content = read_model(tmp_path / "plain.tercet").content
    assert (content["calibrate"], content["calibrator"]) == (None, None)


def test_a_calibration_for_other_labels_is_no_model(tmp_path: Path) -> None:
    fit("platt").save(tmp_path / "odd.tercet")
    file = read_model(tmp_path / "odd.tercet")
    content = dict(file.content)
    content["calibrator"]["calibration"]["offsets"].append(1.0)
    write_model(tmp_path / "odd.tercet", content, dict(file.arrays))
    with pytest.raises(BadModelFile):
        tercet.load(tmp_path / "odd.tercet")


def test_it_abstains_below_a_probability() -> None:
    c = fit("length")
    best = c.predict_proba(FRESH.texts).max(axis=1)
    limit = float(np.median(best))
    answers = c.predict(FRESH.texts, abstain_below=limit)
    assert [answer is None for answer in answers] == (best < limit).tolist()
    assert [a for a in answers if a is not None] == c.predict(FRESH.texts)[best >= limit].tolist()
    assert c.predict(FRESH.texts, abstain_below=0).tolist() == c.predict(FRESH.texts).tolist()
    for bad in (-0.1, 1.5, "0.9", True, float("nan")):
        with pytest.raises(InvalidOption, match="abstain_below must be a number from 0 to 1"):
            c.predict(FRESH.texts, abstain_below=bad)  # type: ignore[arg-type]


def test_sets_are_the_labels_above_the_threshold() -> None:
    c = fit("length")
    for coverage in (0.5, 0.9, 1.0):
        threshold, probabilities = c.find_threshold(coverage), c.predict_proba(FRESH.texts)
        sets = c.predict_sets(FRESH.texts, coverage)
        assert [set(found) for found in sets] == [set(c.classes_[row >= threshold].tolist()) for row in probabilities]
        for found, row in zip(sets, probabilities, strict=True):
            assert [row[c.classes_.tolist().index(label)] for label in found] == sorted(row[row >= threshold].tolist())[::-1]
    assert {len(found) for found in c.predict_sets(FRESH.texts, 1.0)} == {len(c.classes_)}
    with pytest.raises(InvalidOption, match="calibrate='auto'"):
        fit(None).predict_sets(FRESH.texts)


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9])
def test_a_label_exactly_at_the_threshold_is_in_the_set(coverage: float) -> None:
    """The threshold is a calibration document's own probability: without that document the promise would not hold."""
    held = invent(200, seed=7)
    c = fit(None).calibrate_on(*held)
    codes = np.searchsorted(c.classes_, held.labels)
    own = c.predict_proba(held.texts)[np.arange(200), codes]
    (at_threshold,) = np.nonzero(own == c.find_threshold(coverage))
    assert len(at_threshold)
    sets = c.predict_sets(held.texts, coverage)
    assert all(held.labels[place] in sets[place] for place in at_threshold)


def test_documents_that_were_not_learned_calibrate_it(tmp_path: Path) -> None:
    held = invent(200, seed=7)
    c = fit(None).calibrate_on(*held)
    order = np.random.default_rng(0).permutation(200).tolist()
    assert save(c, tmp_path) == save(fit(None).calibrate_on(*held.pick(order)), tmp_path)
    assert c.fitted_.calibrator is not None
    assert c.fitted_.calibrator.sets.n_documents == 100
    assert c.log_joint(FRESH.texts).tolist() == fit(None).log_joint(FRESH.texts).tolist()
    assert fit("platt").calibrate_on(*held).describe()["calibration"] == "platt"
    two = c.restrict(c.classes_[:2])
    indices = [i for i, label in enumerate(held.labels) if label in two.classes_]
    assert two.calibrate_on(*held.pick(indices)).predict_sets(FRESH.texts[:1])


@pytest.mark.parametrize("before", [None, "length"])
def test_a_calibration_on_other_documents_is_out_of_date_after_learning(before: str | None) -> None:
    c = fit(before).calibrate_on(*invent(200, seed=7))
    assert c.out_of_date_ == ()
    assert c.learn(*FRESH).out_of_date_ == ("calibration",)
    with pytest.warns(OutOfDate):
        assert c.calibrate_on(*invent(200, seed=7)).out_of_date_ == ()


def test_margins_stay_out_of_date_if_only_the_calibration_is_new() -> None:
    c, both = fit("temperature", model=NBSVM()).learn(*FRESH), DOCUMENTS + FRESH
    c.tells_age = False
    assert "margins" in c.retune(*both).out_of_date_
    assert "margins" in c.calibrate_on(*invent(200, seed=7)).out_of_date_
    assert c.refit(*both).out_of_date_ == ()


def test_columns_of_numbers_take_part() -> None:
    numbers = Documents(DOCUMENTS.texts, DOCUMENTS.labels, columns={"size": [float(len(t)) for t in DOCUMENTS.texts]})
    c = Categorizer("words", numeric=["size"], calibrate="length").fit(numbers)
    np.testing.assert_allclose(c.predict_proba(numbers).sum(axis=1), 1)
    fresh = Documents(FRESH.texts, FRESH.labels, columns={"size": [float(len(t)) for t in FRESH.texts]})
    assert_close(score_documents(c.scorer(), *encode_like(c.fitted_, open_batches(fresh))), c.log_joint(fresh))
    told, plain = c.leave_one_out(numbers), c.set_params(calibrate=None).fit(numbers).leave_one_out(numbers)
    assert told.log_joint.tolist() == plain.log_joint.tolist()
    assert told.probabilities.tolist() != plain.probabilities.tolist()


def test_learned_documents_are_too_easy_to_calibrate_on() -> None:
    with pytest.warns(RuntimeWarning, match="160 of 160 documents were learned before"):
        fit(None).calibrate_on(*DOCUMENTS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(None).calibrate_on(*FRESH)


def test_what_can_not_be_calibrated_changes_nothing() -> None:
    c = fit("length")
    before = c.predict_proba(FRESH.texts).tolist()
    with pytest.raises(InvalidLabel):
        c.calibrate_on(["a text"] * 3, ["no such label"] * 3)
    with pytest.raises(InvalidLabel, match="at least 2 are needed"):
        c.calibrate_on(["a text"], c.classes_[:1])
    assert c.predict_proba(FRESH.texts).tolist() == before
    with pytest.raises(InvalidOption, match="one of auto, temperature, length, platt, isotonic, got 'beta'"):
        fit("beta")
    with pytest.raises(InvalidOption, match="nothing to calibrate on"):
        Categorizer(calibrate="platt").fit(["one", "two"], ["a", "b"])


@pytest.mark.parametrize("model", [None, NBSVM()], ids=str)
def test_auto_leaves_probabilities_as_they_are_if_there_is_nothing_to_calibrate_on(model: Any) -> None:
    texts, labels = ["one", "two"], ["a", "b"]  # no document has the label of another
    c, plain = (Categorizer(model=model, calibrate=method).fit(texts, labels) for method in ("auto", None))
    assert c.describe()["calibration"] is None
    assert c.predict_proba(texts).tolist() == plain.predict_proba(texts).tolist()
    told = Categorizer(model=model, calibrate="auto").cross_validate(texts, labels, folds=2)
    assert told.calibrated is None
    assert train(texts, labels, categorizer=Categorizer(model=model, calibrate="auto")).calibrator is None


def test_each_fold_of_a_calibration_has_the_same_share_of_labels() -> None:
    rng = np.random.default_rng(0)
    texts, codes = rng.integers(0, 1 << 60, (500, 2)).astype(np.uint64), rng.choice(3, 500, p=[0.7, 0.2, 0.1])
    folds = deal_texts(texts, codes)
    sizes = np.array([np.bincount(folds[codes == label], minlength=5) for label in range(3)])
    assert (np.ptp(sizes, axis=1) <= 1).all()
    copies = np.concatenate([folds, folds])
    assert deal_texts(np.concatenate([texts, texts]), np.concatenate([codes, 2 - codes])).tolist() == copies.tolist()


def test_train_leaves_out_each_document_once_for_calibration_and_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    documents, scored = invent(90), []
    score = BayesModel.score_left_out

    def watch(*given: Any) -> Any:
        for part in score(*given):
            scored.extend(part.indices.tolist())
            yield part

    monkeypatch.setattr(BayesModel, "score_left_out", watch)
    whole = train(documents.texts, documents.labels, categorizer=Categorizer(calibrate="auto"))
    assert sorted(scored) == list(range(90))
    scored.clear()
    monkeypatch.setattr("tercet.categorizer.model.calibrator.MAX_DOCUMENTS", 60)  # the calibration uses a sample
    sampled = train(documents.texts, documents.labels, categorizer=Categorizer(calibrate="auto"))
    assert sorted(scored) == list(range(90))
    assert whole.n_documents == sampled.n_documents == 90


def test_train_asks_a_calibration_that_was_not_fitted_to_the_document() -> None:
    c = Categorizer("words", calibrate="length")
    trained = train(Stream(DOCUMENTS, 11), categorizer=c)
    scores = fit(None).leave_one_out(*DOCUMENTS, copies="all").log_joint
    data = encode_like(c.fitted_, open_batches(*DOCUMENTS))[0]
    order = np.argsort(data.prints, kind="stable")
    codes, weights = np.searchsorted(c.classes_, DOCUMENTS.labels)[order], np.array(DOCUMENTS.weights)[order]
    fitted = cross_fit(scores[order], codes, "length", weights, deal_texts(data.texts[order], codes))
    expected = np.zeros((3, 3))
    np.add.at(expected, (codes, fitted.log_proba.argmax(axis=1)), 1)
    assert trained.estimate.confusion.counts.tolist() == expected.tolist()
    assert trained.estimate.recipe["calibration"] == "length"
    assert trained.calibrator is c.fitted_.calibrator
    assert trained.calibrator is not None
    errors = [measure_error(each, codes, weights) for each in (normalize_scores(scores[order]), fitted.log_proba)]
    assert trained.calibrator.summarize() == {"method": "length", "error_before": errors[0], "error_after": errors[1]}
    by_folds = train(Stream(DOCUMENTS, 11), categorizer=c, folds=4)
    assert by_folds.estimate.accuracy.value == pytest.approx(trained.estimate.accuracy.value, abs=0.1)
    assert train(Stream(DOCUMENTS, 11), categorizer=Categorizer("words")).calibrator is None


@pytest.mark.parametrize("asked", [{"seed": 0}, {"seed": 1}, {"folds_by": "fingerprint"}], ids=str)
def test_the_estimate_of_calibrated_margins_uses_the_folds_that_were_asked_for(asked: Any) -> None:
    texts, labels = DOCUMENTS.texts, [FRESH.labels[i % 60] if i % 3 else label for i, label in enumerate(DOCUMENTS.labels)]
    trained = train(texts, labels, categorizer=Categorizer("words", NBSVM(), calibrate="temperature"), folds=5, **asked)
    plain = Categorizer("words", NBSVM()).cross_validate(texts, labels, folds=5, copies="all", **asked)
    assert trained.estimate.confusion.counts.tolist() == plain.report.confusion.counts.tolist()


def test_cross_validation_calibrates_each_fold_by_the_others() -> None:
    c = Categorizer("words", calibrate="temperature")
    told, plain = c.cross_validate(*DOCUMENTS, folds=4), Categorizer("words").cross_validate(*DOCUMENTS, folds=4)
    assert told.log_joint.tolist() == plain.log_joint.tolist()
    ratios = np.log(told.probabilities[:, 0] / told.probabilities[:, 1]) / (told.log_joint[:, 0] - told.log_joint[:, 1])
    assert len(set(ratios.round(6).tolist())) == 4  # a factor for each fold
    assert told.predicted.tolist() == plain.predicted.tolist()


def test_one_label_is_certain() -> None:
    c = Categorizer(calibrate="auto").fit(["a text", "another text"], ["x", "x"])
    assert c.predict_proba(["text"]).tolist() == [[1.0]]
    assert c.predict_sets(["text"]) == [("x",)]


@pytest.mark.parametrize("model", [None, NBSVM()], ids=str)
def test_copies_make_nobody_surer(model: Any) -> None:
    rng = np.random.default_rng(3)
    texts = [" ".join(f"w{i}" for i in rng.integers(0, 300, 12)) for _ in range(240)]
    labels = rng.choice(["a", "b"], 120).tolist()  # nothing to learn
    c = Categorizer("words", model, calibrate="auto").fit(texts[:120] * 4, labels * 4)
    assert c.predict_proba(texts[120:]).max(axis=1).mean() < 0.57

"""Learning is immediate: the next answer is that of weights derived from all counts, in every bit, without deriving them."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import Learned, any_label, learned, plain_texts, some
from hypothesis import example, given
from hypothesis import strategies as st

import tercet
from tercet import NBSVM, Categorizer, Documents, LinearSVM, LogisticRegression, NaiveBayes
from tercet.categorizer.model.bayes_model import BayesModel
from tercet.categorizer.scorer import Scorer
from tercet.errors import InvalidLabel, InvalidOption, NeverLearned, OutOfDate
from tercet.kernel import engine
from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer

EVERY_MODEL = [
    *(
        NaiveBayes(kind, smoothing)  # type: ignore[arg-type]
        for kind in ("multinomial", "binary")
        for smoothing in (Additive(0.3), JelinekMercer(0.4), Dirichlet(7.0), AbsoluteDiscount(0.9), 0)
    ),
    *(NaiveBayes(kind, smoothing) for kind in ("bernoulli", "complement") for smoothing in (1.0, 1e-120)),  # type: ignore[arg-type]
    NaiveBayes("bernoulli", 0),
    NaiveBayes("multinomial", 0.1, unknown="unk"),
    NaiveBayes("binary", 0.1, "uniform", unknown="unk"),
]
MARGINS = [NBSVM(), LinearSVM(), LogisticRegression()]
MANY_WORDS = " ".join(f"w{i}" for i in range(400))  # so that a few texts are not worth it to derive the weights
TEXTS = [
    f"the {animal} {act}s in the {place}" for animal in ("hen", "fox") for act in ("sit", "run") for place in ("den", "nest")
]
LABELS = ["bird", "bird", "bird", "mammal"] * 2
ASKED = ["the hen runs", "a fox", "", "nobody knows w1", "den den den nest"]
stale = pytest.mark.filterwarnings("ignore::tercet.errors.OutOfDate")


def derive(c: Categorizer) -> Scorer:
    """The scorer of a categorizer, with weights that are derived from all counts at once."""
    model = c.fitted_.settings.model
    assert isinstance(model, BayesModel)
    likelihood, smoothing = model.likelihood(None, c.table_), model._resolve_smoothing(c.fitted_.state.trained, c.table_, None)
    kernel = engine.Weights(c.table_.counts, likelihood.with_smoothing(smoothing))
    scorer = c.last_scorer()
    return replace(scorer, weights=replace(scorer.weights, kernel=kernel))


def assert_immediate(c: Categorizer, asked: list[str]) -> None:
    if len(c.classes_):
        derived = derive(c)
        for text in asked:
            assert c.log_joint([text]).tobytes() == derived.log_joint([text]).tobytes()
            c.publish(c.fitted_)  # the scores of an impossible text need all weights; a decision does not
            assert c.predict_proba([text]).tobytes() == np.exp(derived.log_proba([text])).tobytes()
            assert c.last_scorer().weights.reads_counts
            c.publish(c.fitted_)  # the next answer makes its weights again


@pytest.mark.filterwarnings("ignore:.*have probability 0")
@pytest.mark.parametrize("remember", [True, False])
@pytest.mark.parametrize("model", EVERY_MODEL, ids=repr)
@given(first=learned(texts=plain_texts), changes=st.lists(learned(texts=plain_texts, max_size=3), max_size=4), data=st.data())
@some(0.2)
def test_the_answer_after_a_change_is_that_of_derived_weights(
    model: Any, remember: bool, first: Learned, changes: list[Learned], data: st.DataObject
) -> None:
    everything = first + Learned([MANY_WORDS], ["a"], [1.0])
    c = Categorizer("words", model, remember=remember).fit(*everything)
    asked = [*first.texts[:2], "hen nobody knows"]
    assert_immediate(c, asked)
    for change in changes:
        c.learn(*change)
        assert_immediate(c, asked)
        places = data.draw(st.lists(st.sampled_from(range(len(change.texts))), unique=True, min_size=1))
        if data.draw(st.booleans()):
            c.forget(*change.pick(places))
        else:
            new = data.draw(st.lists(any_label, min_size=len(places), max_size=len(places)))
            c.relabel(change.pick(places).texts, change.pick(places).labels, new, change.pick(places).weights)
        assert_immediate(c, asked)


@stale
@pytest.mark.parametrize("calibrate", ["temperature", "platt"])
def test_calibrated_answers_and_numbers_are_immediate(calibrate: str) -> None:
    documents = Documents([*TEXTS, MANY_WORDS], [*LABELS, "bird"], columns={"n": range(9)})
    c = Categorizer(numeric=["n"], calibrate=calibrate).fit(documents)
    new, asked = Documents(["the owl sits"], ["owl"], columns={"n": [3]}), Documents(ASKED[:1], columns={"n": [4]})
    for change in (c.learn, c.forget):
        change(new)
        assert c.out_of_date_ == (("calibration",) if change == c.learn else ())
        derived = derive(c)
        assert c.predict_proba(asked).tobytes() == np.exp(derived.log_proba(asked)).tobytes()
        assert c.last_scorer().weights.reads_counts
        copy = pickle.loads(pickle.dumps(c))
        assert copy.predict_proba(asked).tobytes() == c.predict_proba(asked).tobytes()


@stale
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("model", MARGINS, ids=repr)
def test_margins_follow_a_change_without_a_copy(model: Any, keep: bool, tmp_path: Path) -> None:
    texts, labels = [*TEXTS, "rare words here", "rare words there"], [*LABELS, "bird", "mammal"]
    c = Categorizer(model=model, keep_documents=keep).fit(texts, labels)
    asked = [*ASKED, *texts, "new things here"]
    before = c.predict_proba(asked)
    c.learn(["new things"], ["bird"], later=True)
    assert c.predict_proba(asked).tobytes() == before.tobytes()  # new terms have no weight
    c.forget(texts[-2:-1], labels[-2:-1], later=True)
    forgotten = c.predict_proba(asked)
    assert forgotten[:-3].tobytes() == before[:-3].tobytes()
    assert not np.array_equal(forgotten[-3], before[-3])  # "rare words here" has terms that no document has any more
    copy = pickle.loads(pickle.dumps(c))
    c.save(tmp_path / "model")
    for other in (copy, tercet.load(tmp_path / "model")):
        assert other.predict_proba(asked).tobytes() == forgotten.tobytes()
    c.learn(texts[-2:-1], labels[-2:-1], later=True)
    assert c.predict_proba(asked).tobytes() == before.tobytes()  # a term that comes back has its weight
    explained = c.explain(texts[-2], arithmetic=True)
    assert explained.arithmetic is not None


def test_a_scorer_answers_for_its_moment_whatever_happens_later() -> None:
    c = Categorizer("words").fit([*TEXTS, MANY_WORDS], [*LABELS, "bird"])
    scorers, answers = [], []
    changes: list[Any] = [
        lambda: c.learn(["the owl"], ["aa"]),  # a new first label
        lambda: c.learn(["the owl"], ["zz"]),  # a new last label
        lambda: c.forget(["the owl"], ["aa"]),
        lambda: c.relabel(TEXTS[:1], LABELS[:1], ["mammal"]),
        lambda: c.learn(TEXTS * 3, LABELS * 3),
        lambda: c.forget([MANY_WORDS], ["bird"]),
        lambda: c.fit(["other"], ["x"]),
    ]
    for change in changes:
        scorers.append(c.last_scorer())
        answers.append(derive(c).log_joint(ASKED).tobytes())
        change()
        for scorer, answer in zip(scorers, answers, strict=True):
            assert scorer.log_joint(ASKED).tobytes() == answer
    assert sum(scorer.weights.reads_counts for scorer in scorers) >= 4


def save_bytes(c: Categorizer, folder: Path) -> bytes:
    (folder / "m").unlink(missing_ok=True)
    c.save(folder / "m")
    return (folder / "m").read_bytes()


@stale
@pytest.mark.parametrize("options", [{}, {"keep_documents": True}, {"remember": False}, {"model": LinearSVM()}], ids=repr)
def test_a_relabelling_that_fails_changes_nothing(options: dict[str, Any], tmp_path: Path) -> None:
    texts, labels = [*TEXTS, "the only owl"], [*LABELS, "owl"]
    c = Categorizer(numeric=() if "model" in options else ["n"], **options)
    columns = {} if "model" in options else {"n": range(9)}
    c.fit(Documents(texts, labels, columns=columns))
    before, answers = save_bytes(c, tmp_path), c.predict_proba(Documents(texts, columns=columns))
    one = {name: [8] for name in columns}
    for old, new, error in [
        (["owl"], [7], InvalidLabel),  # labels of two types
        (["bird"], ["owl"], NeverLearned),
        (["hen"], ["owl"], NeverLearned),
    ]:
        with pytest.raises(error):
            c.relabel(Documents(["the only owl"], new, columns=one), old)
        assert save_bytes(c, tmp_path) == before
        assert c.predict_proba(Documents(texts, columns=columns)).tobytes() == answers.tobytes()


def test_a_relabelling_to_a_label_without_a_prior_changes_nothing(tmp_path: Path) -> None:
    c = Categorizer(model=NaiveBayes(prior={"bird": 0.5, "mammal": 0.5})).fit(TEXTS, LABELS)
    before = save_bytes(c, tmp_path)
    with pytest.raises(InvalidOption):
        c.relabel(TEXTS[:1], LABELS[:1], ["fish"])
    assert save_bytes(c, tmp_path) == before


def test_all_documents_may_get_labels_of_another_type() -> None:
    c = Categorizer().fit(["to be", "or not"], ["x", "y"]).relabel(["to be", "or not"], ["x", "y"], [1, 2])
    assert c.classes_.tolist() == [1, 2]
    assert c.table_ == Categorizer().fit(["to be", "or not"], [1, 2]).table_


@stale
def test_a_relabelled_term_keeps_its_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tercet.counts.table, "MIN_FORGOTTEN", 1)
    texts, labels = [*TEXTS, MANY_WORDS], [*LABELS, "mammal"]
    c = Categorizer(model=LinearSVM()).fit(texts, labels)
    before = c.predict_proba([MANY_WORDS])
    c.relabel([MANY_WORDS], ["mammal"], ["bird"])  # most terms are forgotten, and learned again
    assert c.predict_proba([MANY_WORDS]).tobytes() == before.tobytes()


@given(
    learned(texts=plain_texts, labels=st.sampled_from("ab")),
    learned(texts=plain_texts, labels=st.sampled_from("ab"), max_size=2),
)
@example(
    Learned(["x", "x", "y x"], ["a"] * 3, [1.0] * 3), Learned(["y"], ["a"], [1.0])
)  # "x" would be in three of two documents
@example(Learned(["x x"] * 3 + ["y " * 5], ["a"] * 4, [1.0] * 4), Learned(["x " * 5], ["a"], [1.0]))  # in two, but occur once
def test_without_fingerprints_exactly_possible_counts_may_be_left(first: Learned, gone: Learned) -> None:
    c, other = Categorizer("words", remember=False).fit(*first), Categorizer("words", remember=False).fit(*gone)
    try:
        expected = c.table_ - other.table_
        is_possible = expected.is_possible()
    except NeverLearned:
        is_possible = False
    before = c.table_.fingerprint()
    if is_possible:
        assert c.forget(*gone).table_ == expected
    else:
        with pytest.raises(NeverLearned):
            c.forget(*gone)
        assert c.table_.fingerprint() == before


def test_forgetting_what_was_learned_since_training_makes_it_current_again() -> None:
    c = Categorizer(calibrate="temperature").fit(TEXTS, LABELS)
    new = ["the owl"], ["bird"]
    for _ in range(3):
        c.learn(*new)
        assert c.out_of_date_ == ("calibration",)
        with pytest.warns(OutOfDate):
            c.predict(["the owl"])
        c.forget(*new)
        assert c.out_of_date_ == ()
    c.relabel(TEXTS[:1], ["bird"], ["mammal"]).relabel(TEXTS[3:4], ["mammal"], ["bird"])  # the totals are what they were
    assert c.table_.n_documents.tolist() == [6, 2]
    assert c.out_of_date_ == ("calibration",)
    c.relabel(TEXTS[:1], ["mammal"], ["bird"]).relabel(TEXTS[3:4], ["bird"], ["mammal"])
    assert c.out_of_date_ == ()


def test_bulk_predictions_derive_the_weights() -> None:
    c = Categorizer().fit([*TEXTS, MANY_WORDS], [*LABELS, "bird"])
    c.predict(ASKED[:1])
    assert c.last_scorer().weights.reads_counts
    c.predict(TEXTS * 100)
    assert not c.last_scorer().weights.reads_counts
    with pytest.raises(NeverLearned):
        c.forget(["never learned"], ["bird"])
    assert not c.last_scorer().weights.reads_counts  # a change that fails does not cost the derived weights


def test_what_needs_all_weights_works_right_after_a_change(tmp_path: Path) -> None:
    c = Categorizer(calibrate="temperature").fit([*TEXTS, MANY_WORDS], [*LABELS, "bird"])
    fresh = Categorizer(calibrate="temperature").fit([*TEXTS, MANY_WORDS], [*LABELS, "bird"])
    fresh.learn(["the owl"], ["bird"]).forget(["the owl"], ["bird"])
    for ask in (
        lambda each: each.explain(ASKED[0]).to_dict(),
        lambda each: each.most_informative(5),
        lambda each: each.parameters("bird", top=3).to_dict(),
        lambda each: each.compact().predict_proba(ASKED).tolist(),
        lambda each: each.evidence(ASKED).tolist(),
        lambda each: each.perplexity(ASKED[:1], "bird").tolist(),
        lambda each: each.selected_terms().to_dict(),
        lambda each: each.generate("bird", 5),
        lambda each: each.describe(),
    ):
        fresh.publish(fresh.fitted_)
        assert ask(fresh) == ask(c)

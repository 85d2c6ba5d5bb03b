"""Seeds beside labels: they teach a member of the stack as much as held-out labels say, and the model is a function of them."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.evidence_sums import check_sum
from helpers.two_topics import GOLD, POOL, VECTORS, invent_pool
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet import Categorizer, Documents, NaiveBayes, WordVectors
from tercet.categorizer.files.save_load import read_categorizer
from tercet.categorizer.fitting import fit
from tercet.categorizer.held_out.held_out import HeldDocuments
from tercet.categorizer.model.stack_model import HeldOutStack
from tercet.categorizer.model.student_member import SEEDED, USUAL, StudentTrainer, deal_groups
from tercet.categorizer.seeds import seeds as seed_files
from tercet.categorizer.seeds.prior import PENALTY, Meanings, PoolWords, SeedPrior
from tercet.categorizer.seeds.seeds import Seeds
from tercet.data.document_batches import open_batches
from tercet.errors import InvalidOption
from tercet.store.model_file import read_model

SEEDS = {"sports": ["team", "goal", "match"], "business": ["bank", "rate", "loan"]}
WRONG = {"sports": SEEDS["business"], "business": SEEDS["sports"]}
TEXTS = ["goal of the week", "a rate today", "the coach", "the price", "match report", "a bond", "team news", "market news"]
LABELS = ["sports", "business"] * 4
BOTH = pytest.mark.parametrize("vectors", [None, VECTORS])


def make(seeds: Any = SEEDS, vectors: WordVectors | None = None, **options: Any) -> Categorizer:
    return Categorizer(**{"model": "auto", "vectors": vectors, "seeds": seeds, "calibrate": "auto"} | options)


def measure(model: Categorizer) -> float:
    return float(np.mean(model.predict(POOL) == np.array(GOLD)))


def write(model: Categorizer, folder: Path) -> bytes:
    model.save(folder / "written.tercet")
    return (folder / "written.tercet").read_bytes()


def hold_out(texts: list[str], labels: list[str], vectors: WordVectors | None = None) -> tuple[HeldDocuments, HeldOutStack]:
    result = fit(make(vectors=vectors).check_options(), open_batches(texts, labels), keep=True, unlabelled=open_batches(POOL))
    held = HeldDocuments.of(result.fitted.settings, result.fitted.state, result.data)
    return held, held.settings.model.hold_out(held, None, None)  # type: ignore[attr-defined]


@BOTH
def test_seeds_and_texts_without_labels_teach_words_that_no_labelled_text_has(vectors: WordVectors | None) -> None:
    model = make(vectors=vectors).fit(TEXTS[:4], LABELS[:4], unlabelled=POOL)
    assert measure(model) >= 0.95
    assert model.predict(["stadium referee", "loan market"]).tolist() == ["sports", "business"]
    assert any(said.startswith("the seeds count with weight ") for said in model.decisions_)


@BOTH
def test_seeds_alone_teach_too(vectors: WordVectors | None) -> None:
    model = make(vectors=vectors).fit(TEXTS[:4], LABELS[:4])
    assert model.predict(["team", "bank"]).tolist() == ["sports", "business"]
    assert "student of seeds" in [member.name for member in make().fit(TEXTS, LABELS).members_]


@BOTH
def test_wrong_seeds_do_not_count(vectors: WordVectors | None) -> None:
    texts, labels = invent_pool(40, seed=5), ["business", "sports"] * 20
    right, wrong = (make(seeds, vectors).fit(texts, labels, unlabelled=POOL) for seeds in (SEEDS, WRONG))
    assert measure(right) >= 0.95
    assert measure(wrong) >= 0.95
    assert "the labels of held-out documents speak against the seeds: they do not count" in wrong.decisions_


def test_a_few_documents_hardly_pull_the_weight_of_the_seeds() -> None:
    held, stack = hold_out(TEXTS, LABELS)
    assert stack.student is not None
    rows = np.arange(len(TEXTS))
    assert stack.student._weigh_seeds(rows[:1]) == 1.0
    assert stack.student._weigh_seeds(rows) >= 1.0
    assert held.describe(None)["seeds"] == "2 labels, 6 words"


def test_mild_evidence_against_the_seeds_is_not_enough() -> None:
    _, stack = hold_out(TEXTS, LABELS)
    assert stack.student is not None
    student, rows = stack.student, np.arange(len(TEXTS))
    gold = np.append(student.trainer.codes[rows], np.zeros(student.n_unlabelled, np.int64))
    own = gold[:, None] == np.arange(2)
    for wrong, expected in ((0.55, 1.0), (0.99, 0.0)):
        assert replace(student, prior=np.log(np.where(own, 1 - wrong, wrong)))._weigh_seeds(rows) == expected


def test_the_weight_multiplies_what_the_seeds_say(monkeypatch: pytest.MonkeyPatch) -> None:
    _, stack = hold_out(TEXTS, LABELS, VECTORS)
    assert stack.student is not None
    student, n = stack.student, len(TEXTS)
    one_sided = replace(student, prior=np.log(np.tile([0.999999, 0.000001], (n + len(POOL), 1))))

    def teach(student: StudentTrainer, weight: float) -> tuple[list[int], list[float]]:
        monkeypatch.setattr(StudentTrainer, "_weigh_seeds", lambda *_: weight)
        taught, _ = student._teach(np.arange(n), np.array([4, 4]))
        return taught.codes[n : n + len(POOL)].tolist(), taught.weights[n:].tolist()

    assert teach(one_sided, 0.0) == teach(replace(student, prior=None), 0.0)
    assert set(teach(one_sided, 2.0)[0]) == {0}
    assert teach(one_sided, 2.0)[1][len(POOL) :] == [2.0] * 8  # the seeds themselves: six words and two names
    on_terms = replace(student, vectors=None)
    assert not any(teach(on_terms, 0.0)[1])  # what words alone say of other texts teaches nothing
    assert all(teach(on_terms, 1.0)[1])


def test_a_label_that_no_training_document_has_is_not_taught_by_its_seeds() -> None:
    more = {**SEEDS, "zoo": ["lion", "tiger"]}
    texts, labels = [*TEXTS, "a lion"], [*LABELS, "zoo"]
    result = fit(make(more).check_options(), open_batches(texts, labels), keep=True, unlabelled=open_batches(POOL))
    held = HeldDocuments.of(result.fitted.settings, result.fitted.state, result.data)
    student = held.settings.model.hold_out(held, None, None).student  # type: ignore[attr-defined]
    assert student.train(np.arange(8), np.array([4, 4, 1])).labels.tolist() == ["business", "sports"]
    everything = np.arange(9)  # the only text of a label can't be judged without it
    assert student._weigh_seeds(everything) == student._weigh_seeds(student.trainer.find_rows(np.arange(8)))


def test_the_student_of_seeds_has_weights_of_its_own() -> None:
    _, stack = hold_out(TEXTS, LABELS)
    assert stack.student is not None
    assert stack.student.usual is SEEDED
    of_seeds = stack.student.n_labelled + stack.student.n_unlabelled
    rows = replace(stack.student.trainer, codes=stack.student.trainer.codes[:of_seeds])
    assert replace(stack.student, trainer=rows).usual is USUAL
    assert replace(stack.student, n_unlabelled=0).usual is USUAL  # seeds alone say little


def test_the_prior_counts_bias_and_counter_words() -> None:
    centres = np.eye(2)
    plain, moved = (Meanings(centres, np.array(bias), 2.0) for bias in ([0.0, 0.0], [1.0, 0.0]))
    rows = np.array([[0.6, 0.8]], np.float32)
    assert np.allclose(moved.score(rows, 1) - plain.score(rows, 1), [[0.25, -0.25]])
    pool, against = PoolWords.of(POOL, min_texts=2, threads=1), {"words": SEEDS["sports"], "counter_words": ["stadium"]}
    prior = SeedPrior.fit(pool, Seeds.of({**SEEDS, "sports": against}), VECTORS, None, threads=1)
    before, after = (each.score(["stadium news"])[0] for each in (replace(prior, seeds=Seeds.of(SEEDS)), prior))
    assert (before[1] - before[0]) - (after[1] - after[0]) == pytest.approx(PENALTY * prior.temperature)


def test_the_prior_of_a_text_does_not_depend_on_the_texts_beside_it() -> None:
    prior = SeedPrior.fit(PoolWords.of(POOL, min_texts=2, threads=1), Seeds.of(SEEDS), VECTORS, None, threads=1)
    alone = np.concatenate([prior.score([text]) for text in TEXTS])
    assert np.array_equal(prior.score(TEXTS), alone)
    pool = PoolWords.like(POOL, prior.words, threads=1)
    assert np.array_equal(prior.score(POOL), prior.score_pool(pool))


@BOTH
def test_a_held_out_document_has_no_say(vectors: WordVectors | None) -> None:
    texts = [f"{text} {'unheard' if i == 0 else ''}" for i, text in enumerate(TEXTS * 3)]
    labels = LABELS * 3
    held, _ = hold_out(texts, labels, vectors)
    (scored,) = held.score_together(np.arange(5), None)
    own = make(vectors=vectors, calibrate=None).fit(texts[5:], labels[5:], unlabelled=POOL)
    assert np.allclose(scored.scores, own.log_joint(texts[:5]), atol=1e-6)


def test_the_labels_of_other_documents_do_not_choose_the_weight() -> None:
    labels = [*LABELS, *["business", "sports"] * 4]  # the last ones speak against the seeds
    _, stack = hold_out([*TEXTS, *(f"{text} again" for text in TEXTS)], labels)
    assert stack.student is not None
    of_all = np.array([8, 8])
    first = stack.student.train(np.arange(8), of_all)
    assert first.seed_weight >= 1.0
    assert stack.student.train(np.arange(16), of_all).seed_weight < first.seed_weight


@settings(max_examples=8, deadline=None)
@given(
    st.permutations(range(len(TEXTS))), st.integers(1, len(POOL) - 1), st.sampled_from([1, 2]), st.sampled_from([None, VECTORS])
)
def test_order_threads_and_what_was_forgotten_do_not_change_a_byte(
    tmp_path_factory: Any, order: list[int], cut: int, threads: int, vectors: WordVectors | None
) -> None:
    folder, kept = tmp_path_factory.mktemp("seeds"), {"vectors": vectors, "keep_documents": True}
    expected = write(make(**kept).fit(TEXTS, LABELS, unlabelled=POOL), folder)
    mixed = make(dict(reversed(SEEDS.items())), threads=threads, **kept)
    mixed.fit([TEXTS[i] for i in order], [LABELS[i] for i in order], unlabelled=[*POOL[cut:], *POOL[:cut]])
    assert write(mixed, folder) == expected
    mixed.learn(["a stadium for the bank"], ["sports"]).forget(["a stadium for the bank"], ["sports"])
    assert write(mixed, folder) == expected


@BOTH
def test_changed_seeds_give_the_model_that_had_them_from_the_start(tmp_path: Path, vectors: WordVectors | None) -> None:
    kept = {"vectors": vectors, "keep_documents": True}
    models = [make(seeds, **kept).fit(TEXTS, LABELS, unlabelled=POOL if seeds or vectors else None) for seeds in (SEEDS, WRONG)]
    assert write(models[0].change_seeds(WRONG), tmp_path) == write(models[1], tmp_path)
    plain = make(None, **kept).fit(TEXTS, LABELS)
    assert write(make(**kept).fit(TEXTS, LABELS).change_seeds(None), tmp_path) == write(plain, tmp_path)
    assert write(plain.change_seeds(SEEDS), tmp_path) == write(make(**kept).fit(TEXTS, LABELS), tmp_path)


def test_seeds_that_are_refused_change_nothing(tmp_path: Path) -> None:
    model = make(keep_documents=True).fit(TEXTS, LABELS)
    before = write(model, tmp_path)
    with pytest.raises(InvalidOption, match="a seed of 'business' and of 'sports'"):
        model.change_seeds({"sports": ["goal"], "business": ["goal"]})
    assert write(model, tmp_path) == before
    with pytest.raises(InvalidOption, match="does not keep its documents"):
        make().fit(TEXTS, LABELS).change_seeds(SEEDS)
    with pytest.raises(InvalidOption, match="seeds are for model='auto'"):
        Categorizer(model=NaiveBayes(), seeds=SEEDS).fit(TEXTS, LABELS)
    with pytest.raises(InvalidOption, match="does not keep its texts"):
        make().fit(TEXTS, LABELS).refit(TEXTS, LABELS)


@BOTH
def test_files_compact_models_and_pickles_answer_alike(tmp_path: Path, vectors: WordVectors | None) -> None:
    model = make(vectors=vectors, keep_documents=True).fit(TEXTS, LABELS, unlabelled=POOL)
    model.save(tmp_path / "m.tercet")
    loaded = tercet.load(tmp_path / "m.tercet")
    assert loaded.seeds_ == Seeds.of(SEEDS)
    model.compact().save(tmp_path / "small.tercet")
    for other in (loaded, pickle.loads(pickle.dumps(model)), tercet.load(tmp_path / "small.tercet")):
        assert np.array_equal(other.predict_proba(POOL), model.predict_proba(POOL))
    assert write(loaded, tmp_path) == write(model, tmp_path)
    assert write(loaded.refit(), tmp_path) == write(model, tmp_path)
    assert model.describe()["vectors"] == (None if vectors is None else vectors.identity)


@BOTH
def test_prior_and_evidence_are_the_score(vectors: WordVectors | None) -> None:
    model = make(vectors=vectors).fit(TEXTS, LABELS, unlabelled=POOL)
    for text in (POOL[0], "stadium", "", "unheard"):
        check_sum(model, text)
    marks = {line.term.partition(" ")[2] for line in model.explain("stadium referee").evidence}
    assert ("(from seeds and unlabelled texts)" if vectors is None else "(from vectors, seeds and unlabelled texts)") in marks


def test_merged_models_have_the_same_seeds(tmp_path: Path) -> None:
    kept = {"keep_documents": True}
    one, other = (make(**kept).fit(TEXTS[i::2] * 2, LABELS[i::2] * 2) for i in (0, 1))
    whole = make(**kept).fit([*TEXTS[::2] * 2, *TEXTS[1::2] * 2], [*LABELS[::2] * 2, *LABELS[1::2] * 2])
    assert write(one + other, tmp_path) == write(whole, tmp_path)
    with pytest.raises(InvalidOption, match="count differently"):
        _ = one + make(WRONG, **kept).fit(TEXTS, LABELS)


def test_several_text_columns_and_categories_are_no_obstacle() -> None:
    documents = Documents.join({"subject": ["x"] * 8, "body": TEXTS}, LABELS, columns={"mailer": ["mutt"] * 8})
    pool = Documents.join({"subject": ["x"] * len(POOL), "body": POOL}, columns={"mailer": ["pine"] * len(POOL)})
    model = make(categorical=["mailer"]).fit(documents, unlabelled=pool)
    assert float(np.mean(model.predict(pool) == np.array(GOLD))) >= 0.95


def test_labels_of_any_type_have_seeds() -> None:
    model = make({"1": ["team", "goal"], "2": ["bank", "rate"]}).fit(TEXTS, [1, 2] * 4, unlabelled=POOL)
    assert model.predict(["stadium referee", "loan market"]).tolist() == [1, 2]


def test_seeds_without_words_teach_nothing(tmp_path: Path) -> None:
    labels = ["1", "2"] * 4
    for model in (make({"1": [], "2": []}), make({"1": [], "2": []}, VECTORS)):
        write(model.fit(TEXTS, labels), tmp_path)
        assert tercet.load(tmp_path / "written.tercet").predict(["the goal"]).tolist() == ["1"]
    write(make({"1": [], "2": []}).fit(TEXTS, labels, unlabelled=POOL), tmp_path)
    assert tercet.load(tmp_path / "written.tercet").predict(["the goal"]).tolist() == ["1"]


def test_one_text_of_each_label_is_enough() -> None:
    assert measure(make().fit(TEXTS[:2], LABELS[:2], unlabelled=POOL)) >= 0.9


def test_what_can_not_be_used_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    more = SEEDS | {"arts": ["stage"]}
    assert any("labels that have seeds but no document" in said for said in make(more).fit(TEXTS, LABELS).decisions_)
    stems = make(analyzer=tercet.Analyzer(strip_marks=True))
    assert any("the seeds are left out" in said for said in stems.fit(TEXTS, LABELS).decisions_)
    monkeypatch.setattr(seed_files, "MAX_LABELLED", 5)
    assert any("say more than seeds" in said for said in make().fit(TEXTS, LABELS).decisions_)


def test_a_file_with_another_teacher_is_refused(tmp_path: Path) -> None:
    make().fit(TEXTS, LABELS).save(tmp_path / "m.tercet")
    file = read_model(tmp_path / "m.tercet")
    added = file.content["trained"]["added"]
    assert added["taught"] == ["seeds"]
    read_categorizer(file, True)
    for taught in (["a spy"], [], ["seeds", "a spy"]):
        changed = {**file.content, "trained": {**file.content["trained"], "added": {**added, "taught": taught}}}
        with pytest.raises(ValueError, match="another teacher"):
            read_categorizer(file._replace(content=changed), True)
    for seeds in ({"sports": ["goal"]}, 7, {"sports": 1, "business": 2}):
        changed = {**file.content, "settings": {**file.content["settings"], "seeds": seeds}}
        with pytest.raises(InvalidOption):
            read_categorizer(file._replace(content=changed), True)


def test_copies_of_a_text_are_held_out_together() -> None:
    folds = deal_groups(np.array([5, 5, 1, 2, 3, 4, 6, 5]), np.zeros(8, np.int64))
    assert len({folds[0], folds[1], folds[7]}) == 1
    assert sorted(np.bincount(folds).tolist()) == [1, 1, 1, 2, 3]

"""Categorizers that keep their documents: everything in the file is a function of the multiset of documents."""

import copy
import pickle
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import Learned, learned, some
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet import NBSVM, Categorizer, Documents, LinearSVM, LogisticRegression, MostInformative, NaiveBayes
from tercet.categorizer import fitting
from tercet.counts import kept_documents
from tercet.counts.kept_documents import KeptDocuments
from tercet.counts.training_data import LabelledTexts, collect_kept
from tercet.errors import BadModelFile, InvalidLabel, InvalidOption, NeverLearned, OutOfDate, StaleMargins

MODELS: dict[str, dict[str, Any]] = {
    "plain": {},
    "bayes": {"model": NaiveBayes(smoothing="auto"), "calibrate": "auto"},
    "table": {"model": NaiveBayes("multinomial", "table"), "calibrate": "temperature"},
    "nbsvm": {"model": NBSVM(), "calibrate": "temperature"},
    "svm": {"model": LinearSVM(), "calibrate": "platt", "min_documents": 2},
    "logistic": {"model": LogisticRegression()},
}
each_model = pytest.mark.parametrize("model", MODELS)
GROUPS = {"x": ["hen", "egg", "nest", "hay"], "y": ["fox", "den", "tail", "hay"], "z": ["the", "a", "hay", "barn"]}
TEXTS = [f"{words[i % 4]} {words[(i * i) % 3]} the {'é' * (i % 3)} barn" for i in range(12) for words in GROUPS.values()]
LABELS = [label for _ in range(12) for label in GROUPS]
WEIGHTS = [1.0 if i % 5 else 0.25 for i in range(36)]
ALL = Learned(TEXTS, LABELS, WEIGHTS)


def keep(model: str, **options: Any) -> Categorizer:
    return Categorizer(keep_documents=True, **MODELS[model] | options)


def save(categorizer: Any, folder: Path, **options: Any) -> bytes:
    """The bytes of its file, which is there afterwards. An older file is removed first: it may be that of another model."""
    (folder / "a.tercet").unlink(missing_ok=True)
    categorizer.save(folder / "a.tercet", **options)
    return (folder / "a.tercet").read_bytes()


@pytest.fixture(autouse=True)
def _few_documents() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error", OutOfDate)
        yield


@each_model
def test_any_order_splits_and_threads_give_the_same_file(model: str, tmp_path: Path) -> None:
    whole = save(keep(model).fit(*ALL), tmp_path)
    rng = np.random.default_rng(3)
    for threads in (1, 2, 3):
        order = rng.permutation(36)
        assert save(keep(model, threads=threads).fit(*ALL.pick(order)), tmp_path) == whole
        cut = int(rng.integers(14, 30))
        grown = keep(model, threads=threads).fit(*ALL.pick(order[:cut])).learn(*ALL.pick(order[cut:]))
        assert save(grown, tmp_path) == whole


@each_model
def test_the_file_after_forgetting_is_that_of_one_that_never_saw_the_documents(model: str, tmp_path: Path) -> None:
    forgetful = keep(model).fit(*ALL).forget(*ALL.pick(range(28, 36)))
    never = keep(model).fit(*ALL.pick(range(28)))
    assert save(forgetful, tmp_path) == save(never, tmp_path)
    assert forgetful.predict_proba(TEXTS).tolist() == never.predict_proba(TEXTS).tolist()


@each_model
def test_learning_and_forgetting_restores_the_bytes(model: str, tmp_path: Path) -> None:
    c = keep(model).fit(*ALL.pick(range(30)))
    before = save(c, tmp_path)
    new = Learned(["a new hen", "brand new"], ["w", "x"], [1.0, 3.0])
    assert save(c.learn(*new), tmp_path) != before
    assert save(c.forget(*new), tmp_path) == before


@each_model
def test_a_sum_is_trained_on_the_documents_of_both(model: str, tmp_path: Path) -> None:
    parts = [keep(model).fit(*ALL.pick(range(i, 36, 2))) for i in (0, 1)]
    whole = save(keep(model).fit(*ALL), tmp_path)
    assert save(parts[0] + parts[1], tmp_path) == save(parts[1] + parts[0], tmp_path) == whole


@each_model
def test_relabelling_gives_the_file_of_the_new_labels(model: str, tmp_path: Path) -> None:
    right = ALL._replace(labels=["y" if i in (3, 5) else label for i, label in enumerate(LABELS)])
    c = keep(model).fit(*ALL).relabel([TEXTS[3], TEXTS[5]], [LABELS[3], LABELS[5]], ["y", "y"], [WEIGHTS[3], WEIGHTS[5]])
    assert save(c, tmp_path) == save(keep(model).fit(*right), tmp_path)


@each_model
def test_a_change_can_be_trained_later(model: str, tmp_path: Path) -> None:
    c = keep(model).fit(*ALL.pick(range(28)))
    c.learn(*ALL.pick(range(28, 36)), later=True)
    whole = keep(model).fit(*ALL)
    assert c.table_ == whole.table_
    fitted = {"plain": (), "bayes": ("smoothing", "calibration"), "table": ("calibration",), "logistic": ("margins",)}
    assert c.out_of_date_ == fitted.get(model, ("margins", "calibration"))
    if c.out_of_date_:
        with pytest.warns(StaleMargins if "margins" in c.out_of_date_ else OutOfDate, match=r"refit\(\).* anew\."):
            c.predict(TEXTS[:1])
    again = tercet.load(tmp_path / "a.tercet") if save(c, tmp_path) else None
    assert isinstance(again, Categorizer)
    assert again.out_of_date_ == c.out_of_date_
    for each in (c, again):
        assert save(each.refit(), tmp_path) == save(whole, tmp_path)
        assert each.out_of_date_ == ()
    c.forget(*ALL.pick(range(2)), later=True).relabel(TEXTS[2:3], LABELS[2:3], ["y"], WEIGHTS[2:3], later=True)
    right = ALL._replace(labels=["y" if i == 2 else label for i, label in enumerate(LABELS)])
    assert save(c.refit(), tmp_path) == save(keep(model).fit(*right.pick(range(2, 36))), tmp_path)


@each_model
def test_the_record_follows_the_documents(model: str, tmp_path: Path) -> None:
    def train(places: Any) -> Categorizer:
        documents = Documents(*ALL.pick(places))
        return tercet.train(documents, categorizer=keep(model), folds=4, seed=7).categorizer

    c, never = train(range(36)), train(range(28))
    with_all = save(c, tmp_path)
    assert save(c.forget(*ALL.pick(range(28, 36))), tmp_path) == save(never, tmp_path)
    assert c.is_current_
    assert save(c.learn(*ALL.pick(range(28, 36))), tmp_path) == with_all
    parts = [train(range(i, 36, 2)) for i in (0, 1)]
    assert save(parts[0] + parts[1], tmp_path) == with_all


@each_model
def test_forgetting_what_was_never_learned_changes_nothing(model: str, tmp_path: Path) -> None:
    c = keep(model).fit(*ALL)
    before = save(c, tmp_path)
    for texts, labels, weights in (
        ([TEXTS[1], "never"], [LABELS[1], "x"], [WEIGHTS[1], 1.0]),
        ([TEXTS[1]], [LABELS[2]], [1.0]),
        ([TEXTS[0]] * 9, [LABELS[0]] * 9, [WEIGHTS[0]] * 9),
    ):
        with pytest.raises(NeverLearned, match="document"):
            c.forget(texts, labels, weights)
    with pytest.raises(NeverLearned, match="never learned"):
        c.relabel(["never"], ["x"], ["y"])
    assert save(c, tmp_path) == before


@given(learned(min_size=3, max_size=8), st.randoms(use_true_random=False), st.booleans())
@some(0.2)
def test_any_documents_are_kept_and_forgotten_exactly(documents: Learned, random: Any, calibrated: bool) -> None:
    places = list(range(len(documents.texts)))
    random.shuffle(places)
    model = NaiveBayes(smoothing="auto") if calibrated else None
    c = Categorizer(model=model, keep_documents=True).fit(*documents)
    kept = c.fitted_.state.documents
    assert kept is not None
    assert np.array_equal(kept.ordered.data.prints, c.fitted_.state.prints.sorted())  # type: ignore[union-attr]
    c.forget(*documents.pick(places[1:]))
    one = Categorizer(model=model, keep_documents=True).fit(*documents.pick(places[:1]))
    assert c.fitted_.state.is_same(one.fitted_.state)
    assert c.fitted_.state.documents.to_file()[0] == one.fitted_.state.documents.to_file()[0]  # type: ignore[union-attr]
    ours, theirs = (each.fitted_.state.documents.to_file()[1] for each in (c, one))  # type: ignore[union-attr]
    assert {name: array.tobytes() for name, array in ours.items()} == {name: array.tobytes() for name, array in theirs.items()}


def invent_documents(n: int) -> Learned:
    """Enough documents for a stack, some with a wrong label."""
    rng = np.random.default_rng(5)
    labels = [list(GROUPS)[i % 3] for i in range(n)]
    texts = [" ".join(rng.choice([*GROUPS[label], "and", "a", "barn"], size=rng.integers(3, 9))) for label in labels]
    return Learned(texts, ["x" if rng.random() < 0.1 else label for label in labels], [1.0] * n)


def test_the_best_model_learns_and_forgets_exactly(tmp_path: Path) -> None:
    documents, rng = invent_documents(90), np.random.default_rng(2)

    def make(threads: int | None = None) -> Categorizer:
        return Categorizer(model="auto", calibrate="auto", keep_documents=True, threads=threads)

    whole = save(make(1).fit(*documents), tmp_path)
    for threads, cut in ((2, 60), (3, 30)):  # 30 documents are too few for a stack
        order = rng.permutation(90)
        first, rest = documents.pick(order[:cut]), documents.pick(order[cut:])
        few = save(make(threads).fit(*first), tmp_path)
        c = make(threads).fit(*first).learn(*rest)
        assert save(c, tmp_path) == whole
        assert save(c.forget(*rest), tmp_path) == few
    assert save(make().fit(*first) + make().fit(*rest), tmp_path) == whole
    trained = tercet.train(Documents(*documents), categorizer=make()).categorizer
    never = tercet.train(Documents(*first), categorizer=make()).categorizer
    assert save(trained.forget(*rest), tmp_path) == save(never, tmp_path)


def test_columns_numbers_domains_and_measures_are_kept(tmp_path: Path) -> None:
    columns = {"stars": list(range(36)), "place": ["a", "b", "c"] * 12, "mailer": ["mutt", None] * 18}
    documents = Documents.join({"subject": TEXTS, "body": TEXTS[::-1]}, LABELS, WEIGHTS, columns)
    select = MostInformative(20, by="ld", domain="place")

    def fit(places: Any) -> Categorizer:
        c = Categorizer(
            numeric=["stars", "n_words"],
            categorical=["mailer"],
            fields=True,
            select=select,
            calibrate="temperature",
            keep_documents=True,
        )
        return c.fit(documents.pick(places))

    c = fit(range(36)).forget(documents.pick(range(20, 36)))
    assert save(c, tmp_path) == save(fit(range(20)), tmp_path)
    again = tercet.load(tmp_path / "a.tercet")
    assert save(again.learn(documents.pick(range(20, 36))), tmp_path) == save(fit(range(36)), tmp_path)  # type: ignore[func-returns-value]


def test_a_loaded_pickled_or_copied_categorizer_keeps_them(tmp_path: Path) -> None:
    c = keep("nbsvm").fit(*ALL.pick(range(30)))
    whole = save(keep("nbsvm").fit(*ALL), tmp_path)
    save(c, tmp_path)
    for load in (
        lambda: tercet.load(tmp_path / "a.tercet"),
        lambda: tercet.load(tmp_path / "a.tercet", verify=False, mapped=True),
    ):
        save(c, tmp_path)
        other: Any = load()
        assert other.keep_documents
        assert save(other.learn(*ALL.pick(range(30, 36))), tmp_path) == whole
    for other in (pickle.loads(pickle.dumps(c)), copy.copy(c), copy.deepcopy(c)):
        assert save(other.learn(*ALL.pick(range(30, 36))), tmp_path) == whole
    assert not c.restrict(["x", "y"]).learn(["new"], ["x"]).predict(TEXTS).tolist().count("z")


def test_pruned_compact_and_anonymous_models_have_no_texts(tmp_path: Path) -> None:
    c = keep("svm").fit(["confidential barn"] * 2 + TEXTS, ["x"] * 2 + LABELS)
    assert b"confidential" in save(c, tmp_path)
    for other in (c.prune(), c.compact()):
        save(other, tmp_path)
        loaded: Any = tercet.load(tmp_path / "a.tercet")
        assert not getattr(loaded, "keeps_documents_", False)
    save(c, tmp_path, fingerprints=False)
    loaded = tercet.load(tmp_path / "a.tercet")
    assert not loaded.keeps_documents_
    assert not loaded.remembers_


def test_documents_that_cannot_be_trained_are_refused_and_nothing_changes(tmp_path: Path) -> None:
    c = keep("nbsvm").fit(*ALL)
    before = save(c, tmp_path)
    with pytest.raises(InvalidLabel, match="later=True"):
        c.forget(*ALL)
    others = [i for i, label in enumerate(LABELS) if label != "x"]
    with pytest.raises(InvalidLabel):
        c.forget(*ALL.pick(others))
    assert save(c, tmp_path) == before
    assert not len(c.forget(*ALL, later=True).table_)
    assert save(c.learn(*ALL), tmp_path) == before


def test_everything_can_be_forgotten_and_learned_again(tmp_path: Path) -> None:
    for model in ("plain", "table"):
        c = tercet.train(Documents(*ALL), categorizer=keep(model)).categorizer
        before = save(c, tmp_path)
        assert b"hen" not in save(c.forget(*ALL), tmp_path)
        again = tercet.load(tmp_path / "a.tercet")
        for each in (c, again):
            with pytest.raises(NeverLearned, match="everything that was learned is forgotten"):
                each.predict(TEXTS)
            assert save(each.learn(*ALL), tmp_path) == before  # type: ignore[func-returns-value]


def test_without_kept_documents_what_was_fitted_is_marked(tmp_path: Path) -> None:
    for model in ("bayes", "table", "nbsvm"):
        c = Categorizer(**MODELS[model]).fit(*ALL.pick(range(30)))
        before = save(c, tmp_path)
        c.learn(*ALL.pick(range(30, 36)))
        assert c.is_stale_
        assert "calibration" in c.out_of_date_
        save(c, tmp_path)
        assert tercet.load(tmp_path / "a.tercet").out_of_date_ == c.out_of_date_  # type: ignore[union-attr]
        with pytest.warns(OutOfDate, match="from all its documents"):
            c.predict(TEXTS[:1])
        assert save(c.forget(*ALL.pick(range(30, 36))), tmp_path) == before  # the same documents again
        c.learn(*ALL.pick(range(30, 36))).refit(*ALL)
        assert save(c, tmp_path) == save(Categorizer(**MODELS[model]).fit(*ALL), tmp_path)
        with pytest.raises(InvalidOption, match="keep_documents=True"):
            c.refit()


def test_keep_documents_needs_fingerprints() -> None:
    with pytest.raises(InvalidOption, match="remember=False"):
        Categorizer(keep_documents=True, remember=False).fit(*ALL)
    with pytest.raises(InvalidOption, match="keep_documents"):
        Categorizer(keep_documents="yes").fit(*ALL)  # type: ignore[arg-type]


def test_two_threads_that_learn_at_once_lose_nothing(tmp_path: Path) -> None:
    c = keep("bayes").fit(*ALL.pick(range(12)))
    halves = [ALL.pick(range(12, 24)), ALL.pick(range(24, 36))]
    threads = [threading.Thread(target=c.learn, args=half) for half in halves]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert save(c, tmp_path) == save(keep("bayes").fit(*ALL), tmp_path)


def test_predictions_use_the_old_weights_while_it_trains(monkeypatch: pytest.MonkeyPatch) -> None:
    c = keep("bayes").fit(*ALL.pick(range(30)))
    before = c.predict_proba(TEXTS).tolist()
    train, seen = fitting.train_counted, []

    def predict_meanwhile(*arguments: Any) -> Any:
        seen.append(c.predict_proba(TEXTS).tolist())
        return train(*arguments)

    monkeypatch.setattr(fitting, "train_counted", predict_meanwhile)
    assert c.learn(*ALL.pick(range(30, 36))).predict_proba(TEXTS).tolist() != before
    assert seen == [before]


def test_a_file_whose_texts_do_not_fit_is_refused(tmp_path: Path) -> None:
    from tercet.store.model_file import read_model, write_model

    save(keep("bayes").fit(*ALL), tmp_path)
    content, arrays, *_ = read_model(tmp_path / "a.tercet")
    names = [name for name in arrays if name.startswith("documents/")]
    assert {name.removeprefix("documents/") for name in names} == {"dictionary", "texts", "labels", "weights"}
    for name in [*names, "fingerprints"]:
        flat = arrays[name].reshape(-1).copy()
        flat[len(flat) // 2] ^= 1
        write_model(tmp_path / "bad.tercet", content, arrays | {name: flat.reshape(arrays[name].shape)})
        with pytest.raises(BadModelFile):
            tercet.load(tmp_path / "bad.tercet")
        write_model(tmp_path / "bad.tercet", content, {key: array for key, array in arrays.items() if key != name})
        with pytest.raises(BadModelFile):
            tercet.load(tmp_path / "bad.tercet")


def collect(documents: Learned) -> KeptDocuments:
    return collect_kept([LabelledTexts(documents.texts, documents.labels, documents.weights)], 1)


def list_kept(kept: KeptDocuments) -> list[Any]:
    """All that it knows of its documents."""
    content, arrays = kept.to_file()
    return [content, {name: array.tolist() for name, array in arrays.items()}, kept.prints.tolist(), len(kept)]


@pytest.mark.parametrize("most_parts", [1, 3, 1000])
@given(learned(), st.lists(learned(max_size=3), max_size=4), st.data())
@some(0.3)
def test_documents_come_and_go_one_by_one(most_parts: int, first: Learned, others: list[Learned], data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_documents, "MAX_PARTS", most_parts)
        kept, expected = collect(first), first
        for other in others:
            kept, expected = kept + collect(other), expected + other
            gone = data.draw(st.lists(st.sampled_from(range(len(expected.texts))), unique=True, max_size=3))
            kept = kept.leave_out(collect(expected.pick(gone)).prints) if gone else kept
            expected = expected.pick([i for i in range(len(expected.texts)) if i not in gone])
            assert len(kept) == len(expected.texts)
            if not expected.texts:
                return
            assert sorted(kept.prints.tolist()) == sorted(collect(expected).prints.tolist())
        assert list_kept(pickle.loads(pickle.dumps(kept))) == list_kept(collect(expected)) == list_kept(kept)
        with pytest.raises(NeverLearned):
            kept.without(collect(Learned(["never learned"], ["x"], [1.0])).prints)
        assert list_kept(kept) == list_kept(collect(expected))


def test_what_is_forgotten_is_in_no_copy_and_in_no_file(tmp_path: Path) -> None:
    marker = "xylophone-marker"
    c = keep("plain").fit([*TEXTS, f"a {marker}"], [*LABELS, "x"])
    c.forget([f"a {marker}"], ["x"], later=True)
    assert marker.encode() not in pickle.dumps(c)
    assert marker.encode() not in pickle.dumps(c.fitted_.state.documents)
    assert marker.encode() not in save(c, tmp_path)


def test_texts_that_are_forgotten_do_not_stay_in_memory_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_documents, "MAX_PARTS", 20)
    kept = collect(ALL)
    for i in range(200):
        new = collect(Learned([f"new text {i}"], ["x"], [1.0]))
        kept = (kept + new).leave_out(new.prints)
        parts, gone = kept._content
        assert sum(len(part.data.codes) for part in parts) <= len(ALL.texts) + 21
        assert len(gone) <= 21
    assert list_kept(kept) == list_kept(collect(ALL))


def test_kept_texts_take_less_room_than_the_texts() -> None:
    texts = [f"{a} {b}, {c}!" for a in GROUPS["x"] for b in GROUPS["y"] for c in GROUPS["z"]] * 4
    kept = collect_kept([LabelledTexts(texts, ["x"] * len(texts))], 1)
    assert sum(array.nbytes for array in kept.to_file()[1].values()) < 0.6 * sum(map(len, texts))


def keep_two() -> Any:
    return collect_kept([LabelledTexts(["to be", "or not"], ["x", "y"], [1.0, 2.0])], 1).ordered


@pytest.mark.parametrize(
    ("name", "array", "why"),
    [
        ("labels", np.array([0, 0], np.uint8), "has no document"),  # the label y
        ("labels", np.array([0, 1], np.uint16), "has no document"),  # more bytes than needed
        ("labels", np.array([0, 2], np.uint8), "has no label"),
        ("labels", np.array([0], np.uint8), "has no label"),
        ("weights", np.array([1 << 20, 1 << 20]), "all 1"),
        ("weights", np.array([-1, 1 << 20]), "no possible weight"),
        ("weights", np.array([1.0, 2.0]), "no possible weight"),
        ("texts", np.zeros(9, np.int64), "no bytes"),
        ("domains", np.array([0, 0], np.uint8), "numbers or the domains"),
        ("numbers", np.ones((2, 1)), "numbers or the domains"),
        ("other", np.zeros(2), "missing"),
    ],
)
def test_documents_of_a_file_are_written_in_one_way_only(name: str, array: Any, why: str) -> None:
    part = keep_two()
    content, arrays = KeptDocuments([part]).to_file()
    prints = part.data.prints
    assert len(KeptDocuments.from_file(content, arrays, prints, 0, False)) == 2
    with pytest.raises(ValueError, match=why):
        KeptDocuments.from_file(content, arrays | {name: array}, prints, 0, False)


def test_documents_of_a_file_need_their_numbers_and_domains() -> None:
    part = keep_two()
    content, arrays = KeptDocuments([part]).to_file()
    with pytest.raises(KeyError, match="numbers"):
        KeptDocuments.from_file(content, arrays, part.data.prints, 1, False)
    with pytest.raises(ValueError, match="domains"):
        KeptDocuments.from_file(content, arrays, part.data.prints, 0, True)

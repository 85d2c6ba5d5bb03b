"""The live model of a ledger: changed step by step, it is the model that replay makes from scratch, byte for byte."""

import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from helpers.folder_contents import read_files
from helpers.hand_checks import make_check
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet import Categorizer, Documents
from tercet.errors import ErasedSince, InvalidLabel, InvalidOption, NeverLearned, StaleMargins, TercetError
from tercet.ledger.database import SQLiteDatabase
from tercet.ledger.ledger import Ledger
from tercet.ledger.live import LiveModel
from tercet.ledger.model_options import ModelOptions
from tercet.ledger.publishing import find_published
from tercet.ledger.replay import WrittenModel
from tercet.ledger.verification import verify
from tercet.store.model_file import read_checksum

TEXTS = ["so good a film", "so bad", "a dull film", "what a lovely cast", "lovely and good", "the plot is bad"]
LABELS = ["+", "-", "-", "+", "+", "-"]
WORDS = ["good", "bad", "dull", "film", "odd", "plot", "rare", "cast"]


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: nobody pulls the plug here."""
    fast = ["PRAGMA synchronous = OFF", *SQLiteDatabase.settings[1:]]
    monkeypatch.setattr(SQLiteDatabase, "settings", fast)


def encode(model: Categorizer) -> bytes:
    return b"".join(WrittenModel.of(model).parts)


def check_file(live: LiveModel) -> None:
    """The file is the model that was published last."""
    assert live.path is not None
    assert live.path.read_bytes() == encode(live.ledger.replay(find_published(live.ledger).target).model)  # type: ignore[union-attr]


def check_law(live: LiveModel) -> None:
    """The model and what is said of it are those of a replay."""
    if live.model is None:
        with pytest.raises(TercetError, match=re.escape(live.problem)):
            live.ledger.replay(live.number)
        return
    replay = live.ledger.replay(live.number)
    assert encode(live.model) == encode(replay.model)
    assert (live.training, live.is_trained) == (replay.training, replay.is_trained)


# The law.

ACTS = ("learn", "unlearn", "unlearn", "relabel", "undo", "undo", "publish", "restart", "erase", "train", "check", "check")
STEPS = st.tuples(st.sampled_from(ACTS), st.integers(0, 1), st.booleans(), st.lists(st.integers(0, 7), min_size=1, max_size=3))
RECIPES: dict[str, dict[str, Any]] = {
    "naive Bayes": {},
    "calibrated": {"calibrate": "temperature"},
    "margins": {"model": tercet.LinearSVM()},
    "kept documents": {"model": tercet.NBSVM(), "keep_documents": True, "min_documents": 2},
    "rules": {"rules": [("odd", "-")]},
    "list of priors": {"model": tercet.NaiveBayes(prior=[0.4, 0.6])},
}


class Players:
    """Two processes that share a file, each with a live model of its own.

    The texts are short and have rare words, so that terms are forgotten and come back.
    """

    def __init__(self, folder: Path, options: dict[str, Any], has_begun: bool) -> None:
        self.path = folder / "a.ledger"
        first = Documents([f"{text} {word}" for text, word in zip(TEXTS, WORDS, strict=False)], LABELS) if has_begun else None
        Ledger.begin(self.path, Categorizer(**options), first, actor="ann").close()
        self.lock = Ledger.hold(self.path)
        self.lock.__enter__()
        self.ledgers = [Ledger.open(self.path, write=True, locked=True) for _ in range(2)]
        self.lives = [LiveModel(ledger, folder / f"{place}.tercet") for place, ledger in enumerate(self.ledgers)]

    def close(self) -> None:
        for ledger in self.ledgers:
            ledger.close()
        self.lock.__exit__(None, None, None)

    def act(self, verb: str, who: int, follows: bool, words: list[int]) -> None:
        ledger, live, actor = self.ledgers[who], self.lives[who], f"writer {who}"
        ledger.catch_up()
        documents = list(ledger.history.documents)
        number = documents[sum(words) % len(documents)] if documents else 1
        with suppress(NeverLearned, InvalidLabel, InvalidOption):  # of a change that is not possible
            if verb == "learn":
                text = " ".join(WORDS[word] for word in words)
                label = "+-?"[sum(words) % 3 if words[0] == 6 else sum(words) % 2]
                ledger.learn(Documents([text], [label], [0.5 if len(words) == 2 else 1.0]), actor=actor)
            elif verb == "unlearn":
                ledger.unlearn(events=[number], actor=actor)
            elif verb == "relabel":
                ledger.relabel_event(number, "+-"[words[0] % 2], actor=actor)
            elif verb == "undo":
                ledger.undo(max(1, ledger.head.number - sum(words) % 5), actor=actor)
            elif verb == "erase":
                (live if follows else ledger).erase(events=[number], actor=actor)
            elif verb == "train":
                (live if follows else ledger).train(actor=actor)
            elif verb == "publish":
                live.publish(actor=actor)
            elif verb == "check":
                covers = None if words[0] == 7 else ledger.head.number - sum(words[1:]) % 3
                ledger.check(make_check(sum(words), model="0" * 32 if words[0] == 7 else ""), covers, actor=actor)
            else:
                self.lives[who] = live = LiveModel(ledger, live.path)
        if follows:
            live.follow()
            assert live.number == ledger.head.number
            check_law(live)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("recipe", RECIPES)
@settings(max_examples=12)
@given(has_begun=st.booleans(), steps=st.lists(STEPS, min_size=5, max_size=30))
def test_the_live_model_is_the_replayed_model_byte_for_byte(recipe: str, has_begun: bool, steps: list[Any]) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("tercet.counts.table.MIN_FORGOTTEN", 1)  # so that a small table drops forgotten terms
        players = Players(Path(folder), RECIPES[recipe], has_begun)
        try:
            for step in steps:
                players.act(*step)
            for live in players.lives:
                live.follow()
                check_law(live)
        finally:
            players.close()


# Terms that come back.


@pytest.fixture
def margins(tmp_path: Path) -> Iterator[Ledger]:
    texts = [f"{text} {word}" for text, word in zip(TEXTS, WORDS, strict=False)]
    with Ledger.begin(
        tmp_path / "a.ledger", Categorizer(model=tercet.LinearSVM()), Documents(texts, LABELS), actor="ann"
    ) as made:
        yield made


def count_trainings(patch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows with each training."""
    train, trained = ModelOptions.train, []

    def follow(self: ModelOptions, documents: Any, unlabelled: Any = None) -> Categorizer:
        trained.append(1)
        return train(self, documents, unlabelled)

    patch.setattr(ModelOptions, "train", follow)
    return trained


@pytest.mark.parametrize("drops", [False, True], ids=["few", "half of all"])
@pytest.mark.parametrize("restarts", [False, True])
def test_a_term_that_comes_back_has_its_trained_weight(
    margins: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drops: bool, restarts: bool
) -> None:
    monkeypatch.setattr("tercet.counts.table.MIN_FORGOTTEN", 1)
    live = LiveModel(margins, tmp_path / "m.tercet")
    unlearned = margins.unlearn(events=range(3, 8) if drops else [7], actor="ann")
    live.publish(actor="ann")
    if restarts:
        live = LiveModel(margins, live.path)
    trainings = count_trainings(monkeypatch)
    margins.learn(Documents(["a word that nobody has learned"], ["+"]), actor="ann")
    live.follow()
    assert trainings == []  # nothing that is lost is needed
    check_law(live)
    trainings.clear()
    for event in unlearned:
        margins.undo(event.number, actor="ann")
        live.follow()
        assert bool(trainings) == (drops or restarts)  # the weights are in memory, or are trained again
        check_law(live)


def test_terms_keep_their_trained_weights_if_all_documents_get_other_labels(
    margins: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tercet.counts.table.MIN_FORGOTTEN", 1)
    before = margins.replay().model.log_joint(TEXTS)
    for number, label in zip(list(margins.history.documents), LABELS, strict=True):
        margins.relabel_event(number, "-" if label == "+" else "+", actor="ann")
    with pytest.warns(StaleMargins):
        assert margins.replay().model.log_joint(TEXTS).tolist() == before.tolist()


def test_the_file_of_a_model_is_used_only_if_its_training_is_the_last_one(margins: Ledger, tmp_path: Path) -> None:
    live = LiveModel(margins, tmp_path / "m.tercet")
    live.publish(actor="ann")
    margins.learn(Documents(["more good"], ["+"]), actor="ann")
    margins.train(actor="ann")
    check_law(LiveModel(margins, live.path))
    live.follow()
    check_law(live)


# Answers.


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.begin(tmp_path / "a.ledger", Categorizer(), actor="ann") as made:
        yield made


def run_threads(*acts: Callable[[], None]) -> None:
    """Run all at the same time; an error in one of them is raised."""
    with ThreadPoolExecutor(len(acts)) as threads:
        for done in [threads.submit(act) for act in acts]:
            done.result()


def watch_numbers(patch: pytest.MonkeyPatch, check: Callable[[LiveModel], object] = id) -> list[int]:
    """A list that grows with each state that answers can see."""
    show, numbers = LiveModel._show, []

    def watch(live: LiveModel) -> None:
        show(live)
        numbers.append(live.number)
        check(live)

    patch.setattr(LiveModel, "_show", watch)
    return numbers


def test_without_a_model_an_answer_says_why(ledger: Ledger) -> None:
    live = LiveModel(ledger)
    with pytest.raises(NeverLearned, match="after event 1 no document is learned"):
        live.answer(lambda model: model.predict(["x"]))
    (event,) = ledger.learn(Documents(["a"], ["+"]), actor="ann")
    live.follow()
    ledger.unlearn(events=[event.number], actor="ann")
    live.follow()
    with pytest.raises(NeverLearned, match="after event 3 no document is learned"):
        live.answer(lambda model: model.predict(["x"]))
    with pytest.raises(NeverLearned):
        live.publish(actor="ann")


def test_an_error_of_the_function_is_raised(ledger: Ledger) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    with pytest.raises(ZeroDivisionError):
        LiveModel(ledger).answer(lambda model: 1 / 0)


def test_every_answer_belongs_to_the_event_that_it_names(ledger: Ledger) -> None:
    """While threads learn and unlearn, others ask for several things that must fit each other."""
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    live, is_over = LiveModel(ledger), threading.Event()
    answers: list[Any] = []

    def ask() -> None:
        while not is_over.is_set():
            answers.append(
                live.answer(lambda model: (len(model.table_), model.predict(["good film"]).tolist(), len(model.table_)))
            )

    def change(name: int) -> None:
        for step in range(12):
            (event,) = ledger.learn(Documents([f"word{name}x{step} good"], ["+"]), actor="ann")
            assert live.follow() >= event.number
            if step % 3 == 0:
                ledger.unlearn(events=[event.number], actor="ann")
                live.follow()

    with ThreadPoolExecutor(2) as askers:
        asked = [askers.submit(ask) for _ in range(2)]
        run_threads(*(partial(change, name) for name in range(3)))
        is_over.set()
        for done in asked:
            done.result()
    check_law(live)
    n_terms = {number: len(ledger.replay(number).model.table_) for number in {answer.number for answer in answers}}
    assert len(n_terms) > 5
    assert all(answer.result == (n_terms[answer.number], ["+"], n_terms[answer.number]) for answer in answers)


def test_following_ends_while_others_go_on_writing(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    live = LiveModel(ledger)
    numbers, apply = watch_numbers(monkeypatch), LiveModel._apply

    def apply_while_others_write(live: LiveModel, news: Any) -> bool:
        ledger.learn(Documents(["one more"], ["+"]), actor="ben")
        return apply(live, news)

    monkeypatch.setattr(LiveModel, "_apply", apply_while_others_write)
    ledger.learn(Documents(["first"], ["+"]), actor="ann")
    assert live.follow() == 8
    assert numbers == [8]


def test_an_event_that_is_not_committed_is_not_followed(ledger: Ledger) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    live = LiveModel(ledger)
    with ThreadPoolExecutor(1) as thread:
        with suppress(NeverLearned), ledger.transaction():
            ledger.learn(Documents(["never"], ["+"]), actor="ann")
            followed = thread.submit(live.follow)
            time.sleep(0.05)
            ledger.unlearn(events=[99], actor="ann")
        assert followed.result(60) == live.number == 7
    check_law(live)


def test_an_answer_that_a_change_disturbs_is_given_again(ledger: Ledger) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    live, seen = LiveModel(ledger), []

    def disturb(model: Categorizer) -> int:
        seen.append(len(model.table_))
        if len(seen) == 1:
            ledger.learn(Documents(["quite new words"], ["+"]), actor="ann")
            live.follow()
        return len(model.table_)

    answer = live.answer(disturb)
    assert (len(seen), answer.number) == (2, 8)
    assert answer.result == seen[1] > seen[0]


def test_many_documents_are_applied_in_parts_that_answers_can_see(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.ledger.live.AT_A_TIME", 3)
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    live, numbers = LiveModel(ledger), watch_numbers(monkeypatch, check_law)
    ledger.learn(Documents([f"{text} again" for text in TEXTS] + ["seventh"], [*LABELS, "+"]), actor="ann")
    ledger.relabel_event(8, "?", actor="ann")
    live.follow()
    assert numbers == [10, 13, 15]


# Training.


class SlowTraining:
    """Trainings wait until they are let go."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.has_begun, self.may_end, self.n = threading.Event(), threading.Event(), 0
        train = ModelOptions.train

        def wait(recipe: ModelOptions, documents: Any, unlabelled: Any = None) -> Categorizer:
            model = train(recipe, documents, unlabelled)
            self.n += 1
            self.has_begun.set()
            assert self.may_end.wait(60)
            return model

        patch.setattr(ModelOptions, "train", wait)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("has_file", [False, True])
def test_answers_and_events_go_on_during_a_training(
    margins: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_file: bool
) -> None:
    live = LiveModel(margins, tmp_path / "m.tercet" if has_file else None)
    before = live.training
    slow = SlowTraining(monkeypatch)
    with ThreadPoolExecutor(1) as trainer:
        training = trainer.submit(live.train, actor="trainer")
        assert slow.has_begun.wait(60)
        (event,) = margins.learn(Documents(["meanwhile learned"], ["-"]), actor="ann")
        assert live.follow() == event.number
        answer = live.answer(lambda model: model.table_["meanwhile", "-"])
        assert (answer.result, answer.number) == (1, event.number)
        assert live.training == before
        slow.may_end.set()
        covers = training.result().covers
    assert live.training == training.result()
    assert covers == live.trained_to == event.number - 1
    assert slow.n == 1  # the trained model itself takes the place of the old one
    check_law(live)
    if has_file:
        assert [event.verb for event in margins.events(event.number + 1)] == ["train", "publish"]
        again = count_trainings(monkeypatch)
        check_file(live)
        assert LiveModel(margins, live.path).number == margins.head.number
        assert again == [1]  # the replay to compare with, and none for the start from the file


def test_a_training_that_came_too_late_to_be_published_together_is_published_after(margins: Ledger, tmp_path: Path) -> None:
    live = LiveModel(margins, tmp_path / "m.tercet")
    describe = WrittenModel.describe

    def learn_first(written: WrittenModel) -> dict[str, str]:
        patch.undo()
        margins.learn(Documents(["just in time"], ["-"]), actor="ann")
        return describe(written)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WrittenModel, "describe", learn_first)
        live.train(actor="trainer")
    assert [event.verb for event in margins.events(9)] == ["learn", "train", "publish"]
    check_law(live)
    check_file(live)


def test_a_training_of_another_process_is_taken_from_the_file(margins: Ledger, tmp_path: Path) -> None:
    live, other = LiveModel(margins, tmp_path / "m.tercet"), LiveModel(Ledger.open(margins.place), tmp_path / "m.tercet")
    margins.learn(Documents(["more good"], ["+"]), actor="ann")
    live.train(actor="trainer")
    with pytest.MonkeyPatch.context() as patch:
        trainings = count_trainings(patch)
        other.follow()
        assert trainings == []
    assert other.training == live.training
    check_law(other)


def test_others_do_not_wait_while_a_thread_makes_a_model(margins: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    live = LiveModel(margins)
    margins.train(actor="somebody")  # without the live model, which must train itself
    slow = SlowTraining(monkeypatch)
    with ThreadPoolExecutor(1) as builder:
        built = builder.submit(live.follow)
        assert slow.has_begun.wait(60)
        (event,) = margins.learn(Documents(["meanwhile learned"], ["-"]), actor="ann")
        assert live.follow() < event.number
        slow.may_end.set()
        assert built.result() == event.number
    check_law(live)


# Erasure.

MARKER, PERSON = "zyxmarker", "zyxperson"


@pytest.fixture
def erasable(tmp_path: Path) -> Iterator[Ledger]:
    texts = [*TEXTS * 3, f"{MARKER} one", f"{MARKER} two good"]
    subjects = [None] * 18 + [PERSON] * 2
    first = Documents(texts, [*LABELS * 3, "+", "-"])
    plain = Categorizer(model=tercet.LinearSVM())
    with Ledger.begin(tmp_path / "a.ledger", plain, first, actor="ann", subjects=subjects) as made:
        yield made


def find_marker(folder: Path) -> list[str]:
    """The files that still have the word."""
    return [name for name, content in read_files(folder).items() if MARKER.encode() in content]


def has_marker(model: Categorizer) -> bool:
    """Whether the vocabulary in memory has the word, even if no document has it any more."""
    return any(MARKER in term for term in model.table_.table.terms())


def test_after_an_erasure_the_counts_answer_and_nothing_of_it_is_left(erasable: Ledger, tmp_path: Path) -> None:
    live = LiveModel(erasable, tmp_path / "m.tercet")
    live.publish(actor="ann")
    assert "m.tercet" in find_marker(tmp_path)
    erasure = live.erase(PERSON, actor="admin")
    assert erasure.certificate is not None
    assert erasure.certificate.check(ledger=erasable, subject=PERSON) == ()
    assert find_marker(tmp_path) == []
    assert live.model is not None
    assert not has_marker(live.model)
    assert (live.is_trained, live.training, live.trained_to) == (False, None, None)
    assert erasure.certificate.model == read_checksum(tmp_path / "m.tercet")
    check_law(live)
    check_file(live)
    live.train(actor="ann")
    assert live.is_trained
    check_law(live)
    check_law(LiveModel(erasable, live.path))


def test_what_the_training_has_not_seen_is_erased_without_training_again(
    margins: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveModel(margins, tmp_path / "m.tercet")
    margins.unlearn(events=[2], actor="ann")  # its terms may come back, after the erasure, too
    margins.learn(Documents([f"{MARKER} good", f"{MARKER} bad"], ["+", "-"]), actor="ann", subjects=[PERSON] * 2)
    margins.unlearn(Documents([f"{MARKER} bad"], ["-"]), actor="ann")
    trainings = count_trainings(monkeypatch)
    live.erase(PERSON, actor="admin")
    assert trainings == []
    assert live.is_trained
    assert live.model is not None
    assert not has_marker(live.model)
    assert find_marker(tmp_path) == []
    check_law(live)
    check_file(live)
    margins.undo(9, actor="ann")
    live.follow()
    check_law(live)


@pytest.mark.parametrize("shares_file", [False, True])
def test_an_erasure_by_another_process_is_followed(erasable: Ledger, tmp_path: Path, shares_file: bool) -> None:
    mine = LiveModel(erasable, tmp_path / "mine.tercet")
    other = LiveModel(Ledger.open(erasable.place), tmp_path / ("mine.tercet" if shares_file else "other.tercet"))
    mine.publish(actor="ann")
    if not shares_file:
        shutil.copy(tmp_path / "mine.tercet", tmp_path / "other.tercet")
    other.follow()
    mine.erase(PERSON, actor="admin")
    assert find_marker(tmp_path) == ([] if shares_file else ["other.tercet"])
    other.follow()
    assert other.model is not None
    assert not has_marker(other.model)
    assert find_marker(tmp_path) == []
    assert (tmp_path / "mine.tercet").exists()  # it is the model that was published after the erasure
    check_law(other)


def test_what_is_erased_during_a_training_is_trained_again_without(
    erasable: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveModel(erasable, tmp_path / "m.tercet")
    slow = SlowTraining(monkeypatch)
    with ThreadPoolExecutor(1) as trainer:
        training = trainer.submit(live.train, actor="trainer")
        assert slow.has_begun.wait(60)
        erased = live.erase(PERSON, actor="admin").number
        slow.may_end.set()
        assert training.result().covers > erased
    assert slow.n == 2
    assert live.is_trained
    assert find_marker(tmp_path) == []
    check_law(live)


@pytest.mark.parametrize("by_itself", [False, True])
def test_an_erasure_during_the_making_of_a_model_is_followed_at_once(
    erasable: Ledger, monkeypatch: pytest.MonkeyPatch, by_itself: bool
) -> None:
    live, numbers = LiveModel(erasable), watch_numbers(monkeypatch)
    erasable.train(actor="somebody")
    slow = SlowTraining(monkeypatch)
    with ThreadPoolExecutor(1) as builder:
        built = builder.submit(live.follow)
        assert slow.has_begun.wait(60)
        (live if by_itself else erasable).erase(PERSON, actor="admin")
        assert live.follow() == erasable.head.number
        assert live.model is not None
        assert not has_marker(live.model)
        slow.may_end.set()
        built.result()
    assert live.number == erasable.head.number
    assert numbers == sorted(numbers)  # the model that came too late is not used
    assert not has_marker(live.model)
    check_law(live)


def test_a_model_from_before_an_erasure_is_not_published(erasable: Ledger, tmp_path: Path) -> None:
    before, live = erasable.replay(), LiveModel(erasable, tmp_path / "m.tercet")
    describe = WrittenModel.describe

    def erase_first(written: WrittenModel) -> dict[str, str]:
        patch.undo()
        erasable.erase(PERSON, actor="admin")
        return describe(written)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WrittenModel, "describe", erase_first)
        live.publish(actor="ann")
    assert find_marker(tmp_path) == []
    check_law(live)
    check_file(live)
    with pytest.raises(ErasedSince, match="erased after event 22"):
        erasable.publish(before, actor="ann")


def test_the_file_goes_with_the_last_document(tmp_path: Path) -> None:
    with Ledger.begin(tmp_path / "a.ledger", Categorizer(), Documents(["a"], ["+"]), actor="ann") as ledger:
        live = LiveModel(ledger, tmp_path / "m.tercet")
        live.publish(actor="ann")
        live.erase(events=[2], actor="admin")
        assert live.model is None
        assert not (tmp_path / "m.tercet").exists()
        check_law(live)


# The file.


def test_a_file_that_the_ledger_does_not_know_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    Categorizer().fit(["x"], ["y"]).save(tmp_path / "m.tercet")
    with pytest.raises(InvalidOption, match="is not a model of"):
        LiveModel(ledger, tmp_path / "m.tercet")
    assert (tmp_path / "m.tercet").exists()


def test_a_file_that_another_process_has_just_published_is_known(tmp_path: Path) -> None:
    with Ledger.begin(tmp_path / "a.ledger", Categorizer(), Documents(TEXTS, LABELS), actor="ann") as ledger:
        other = Ledger.open(ledger.place)
        LiveModel(ledger, tmp_path / "m.tercet").publish(actor="ann")
        assert LiveModel(other, tmp_path / "m.tercet").number == ledger.head.number


def test_a_document_that_another_process_erases_is_never_half_applied(tmp_path: Path) -> None:
    """The event is known, its text is gone already, and the erasure is not known yet."""
    Ledger.begin(tmp_path / "a.ledger", Categorizer(), Documents(TEXTS, LABELS), actor="ann").close()
    with Ledger.hold(tmp_path / "a.ledger"):
        one, other = (Ledger.open(tmp_path / "a.ledger", write=True, locked=True) for _ in range(2))
        live = LiveModel(one)
        one.unlearn(events=[3], actor="ann")
        other.erase(events=[3, 4], actor="admin")
        monkey = pytest.MonkeyPatch()
        monkey.setattr(one, "has_news", lambda: False)
        live.follow()
        monkey.undo()
        assert live.number == other.head.number
        check_law(live)
        one.close()
        other.close()


def test_a_published_model_is_the_one_in_the_file(ledger: Ledger, tmp_path: Path) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    live = LiveModel(ledger, tmp_path / "m.tercet")
    live.publish(actor="ann")
    check_file(live)
    ledger.learn(Documents(["more"], ["-"]), actor="ann")
    older = LiveModel(ledger, tmp_path / "m.tercet")
    assert older.number == ledger.head.number
    check_law(older)
    assert verify(ledger.place).is_good


def test_a_model_whose_documents_are_not_known_follows_too(tmp_path: Path) -> None:
    plain = Categorizer().fit(TEXTS, LABELS)
    with Ledger.begin(tmp_path / "a.ledger", plain, actor="ann") as ledger:
        live = LiveModel(ledger, tmp_path / "m.tercet")
        assert live.is_trained
        (event,) = ledger.learn(Documents(["more"], ["+"]), actor="ann")
        live.follow()
        check_law(live)
        ledger.unlearn(events=[event.number], actor="ann")
        live.follow()
        check_law(live)
        live.publish(actor="ann")
        check_law(LiveModel(ledger, live.path))
        ledger.learn(Documents([f"{MARKER} here"], ["+"]), actor="ann", subjects=[PERSON])
        live.erase(PERSON, actor="admin")
        assert find_marker(tmp_path) == []
        check_law(live)
        check_file(live)
        with pytest.raises(InvalidOption, match="documents it does not know"):
            live.train(actor="ann")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "options", [{"numeric": ["length"]}, {"model": tercet.LinearSVM(), "keep_documents": True}], ids=["numbers", "margins"]
)
def test_documents_with_columns_are_followed(options: dict[str, Any], tmp_path: Path) -> None:
    texts = {"subject": WORDS[:6], "body": TEXTS}
    columns = {"mailer": ["mutt", "pine"] * 3, "length": [1.0, 2.5, 3.0] * 2}
    first = Documents.join(texts, LABELS, [1, 1, 0.5, 1, 2, 1], columns)
    plain = Categorizer(categorical=["mailer"], fields=True, **options)
    with Ledger.begin(tmp_path / "a.ledger", plain, first, actor="ann") as ledger:
        live = LiveModel(ledger, tmp_path / "m.tercet")
        (unlearned,) = ledger.unlearn(first.pick([5]), actor="ann")
        ledger.relabel_event(2, "-", actor="ann")
        live.publish(actor="ann")
        check_law(live)
        for model in (live, LiveModel(ledger, live.path)):
            undone = ledger.undo(unlearned.number, actor="ann")
            model.follow()
            check_law(model)
            ledger.undo(undone[0].number, actor="ann")
            model.follow()
            check_law(model)


def test_an_answer_that_must_not_wait_is_none_while_the_model_changes(erasable: Ledger) -> None:
    live = LiveModel(erasable)
    ask = partial(live.try_answer, lambda model: model.predict(["lovely"]).tolist())
    found = ask()
    assert found is not None
    assert found == live.answer(lambda model: model.predict(["lovely"]).tolist())
    with live._change():
        assert ask() is None
    assert ask() is not None


def test_a_damaged_file_is_made_again_from_the_ledger(erasable: Ledger, tmp_path: Path) -> None:
    live = LiveModel(erasable, tmp_path / "m.tercet")
    live.publish(actor="ann")
    written = (tmp_path / "m.tercet").read_bytes()
    (tmp_path / "m.tercet").write_bytes(written[:-1] + bytes([written[-1] ^ 1]))
    again = LiveModel(erasable, tmp_path / "m.tercet")
    assert again.model is not None
    check_law(again)

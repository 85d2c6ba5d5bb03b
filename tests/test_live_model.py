"""The live model of a ledger: changed step by step, it is the model that replay makes from scratch, byte for byte."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet import Categorizer, Documents
from tercet.errors import TercetError
from tercet.ledger.database import SQLiteDatabase
from tercet.ledger.ledger import Ledger
from tercet.ledger.live import LiveModel
from tercet.ledger.replay import WrittenModel

TEXTS = ["so good a film", "so bad", "a dull film", "what a lovely cast", "lovely and good", "the plot is bad"]
LABELS = ["+", "-", "-", "+", "+", "-"]
WORDS = ["good", "bad", "dull", "film", "odd", "plot", "rare", "cast"]


def encode(model: Categorizer) -> bytes:
    return b"".join(WrittenModel.of(model).parts)


def check_law(live: LiveModel) -> None:
    """The model and what is said of it are those of a replay."""
    try:
        replay = live.ledger.replay(live.number)
    except TercetError as error:
        assert live.model is None
        assert live.problem == str(error)
        return
    assert live.model is not None
    assert encode(live.model) == encode(replay.model)
    assert (live.training, live.is_trained) == (replay.training, replay.is_trained)


# The law.

ACTS = ("learn", "unlearn", "unlearn", "relabel", "undo", "undo", "publish", "restart", "erase", "train")
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
        try:
            if verb == "learn":
                text = " ".join(WORDS[word] for word in words)
                ledger.learn(Documents([text], ["+-?"[sum(words) % 3 if words[0] == 6 else sum(words) % 2]]), actor=actor)
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
            else:
                self.lives[who] = live = LiveModel(ledger, live.path)
        except TercetError as error:
            assert not isinstance(error, OSError), error
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
        patch.setattr(SQLiteDatabase, "settings", ("PRAGMA synchronous = OFF",))  # nobody pulls the plug here
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
    from tercet.ledger.recipe import Recipe

    train, trained = Recipe.train, []

    def follow(self: Recipe, documents: Any) -> Categorizer:
        trained.append(1)
        return train(self, documents)

    patch.setattr(Recipe, "train", follow)
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


def test_the_file_of_a_model_is_used_only_if_its_training_is_the_last_one(margins: Ledger, tmp_path: Path) -> None:
    live = LiveModel(margins, tmp_path / "m.tercet")
    live.publish(actor="ann")
    margins.learn(Documents(["more good"], ["+"]), actor="ann")
    margins.train(actor="ann")
    check_law(LiveModel(margins, live.path))
    live.follow()
    check_law(live)

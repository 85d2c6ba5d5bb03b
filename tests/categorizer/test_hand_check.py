"""A check by hand in the model file: it stays with the model, and says whether the model has changed since."""

import pickle
from pathlib import Path
from typing import Any

import pytest
from helpers.hand_checks import make_check

import tercet
from tercet import Categorizer, load
from tercet.categorizer.files.hand_check import HandCheck
from tercet.errors import BadModelFile

TEXTS, LABELS = ["a good film", "a bad film", "good", "too bad"] * 6, ["+", "-"] * 12
POOL = [f"a {word} {thing}" for word in ("good", "bad", "fine", "so so") for thing in ("film", "plot", "cast")] * 10
KINDS: dict[str, Any] = {
    "counts": lambda: Categorizer().fit(TEXTS, LABELS),
    "calibrated": lambda: Categorizer(calibrate="temperature").fit(TEXTS, LABELS),
    "trained": lambda: tercet.train(TEXTS, LABELS).categorizer,
    "without fingerprints": lambda: Categorizer(remember=False).fit(TEXTS, LABELS),
}


def check_by_hand(model: Any) -> None:
    sample = tercet.draw_check_sample(model, POOL, 40)
    right = ["+" if "good" in POOL[position] or "fine" in POOL[position] else "-" for position in sample.positions]
    model.record_check(sample.measure(right), "new.csv")


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_keeps_the_check_and_says_whether_the_model_has_changed_since(kind: str, tmp_path: Path) -> None:
    model, path, again = KINDS[kind](), tmp_path / "a.tercet", tmp_path / "b.tercet"
    model.save(tmp_path / "before.tercet")
    check_by_hand(model)
    model.save(path)
    loaded = load(path)
    assert loaded.hand_check_ == model.hand_check_
    assert loaded.hand_check_ is not None
    assert (loaded.hand_check_.n, loaded.hand_check_.n_pool, loaded.hand_check_.pool) == (40, 120, "new.csv")
    assert loaded.is_check_current_ is True
    loaded.learn(["so fine"], ["+"])
    assert loaded.is_check_current_ is False
    assert loaded.hand_check_.describe(is_current=False).endswith("; the model has changed since")
    loaded.forget(["so fine"], ["+"])
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()
    loaded.attach_check(None)
    loaded.save(again)
    assert again.read_bytes() == (tmp_path / "before.tercet").read_bytes()


def test_what_changes_the_answers_makes_the_check_out_of_date() -> None:
    model = KINDS["counts"]()
    check_by_hand(model)
    assert pickle.loads(pickle.dumps(model)).is_check_current_ is True
    assert model.restrict(["+", "-"]).is_check_current_ is False
    total = model + KINDS["counts"]()
    assert (total.hand_check_, total.is_check_current_) == (None, None)
    assert KINDS["counts"]().hand_check_ is None
    model.calibrate_on(["a fine film", "a poor film"] * 20, ["+", "-"] * 20)
    assert model.is_check_current_ is False


@pytest.mark.filterwarnings("ignore::tercet.errors.StaleMargins")
def test_training_again_keeps_the_check_with_its_age() -> None:
    model = tercet.train(TEXTS, LABELS, categorizer=Categorizer(keep_documents=True, model=tercet.LinearSVM())).categorizer
    model.learn(["so fine"], ["+"], later=True)
    check_by_hand(model)
    assert model.is_check_current_ is True
    model.refit()
    assert model.hand_check_ is not None
    assert model.is_check_current_ is False  # the margins are others, though the documents are the same


def test_a_model_with_the_same_answers_keeps_the_check(tmp_path: Path) -> None:
    model = Categorizer(min_documents=2).fit(TEXTS, LABELS)
    check_by_hand(model)
    assert model.prune().is_check_current_ is True
    model.save(tmp_path / "a.tercet", fingerprints=False)
    assert load(tmp_path / "a.tercet").is_check_current_ is True
    compact = model.compact()
    compact.save(tmp_path / "b.tercet")
    assert load(tmp_path / "b.tercet").is_check_current_ is True
    model.learn(["so fine"], ["+"])
    assert model.prune().is_check_current_ is False
    assert model.compact().is_check_current_ is False
    assert pickle.loads(pickle.dumps(model.compact())).hand_check_ == model.compact().hand_check_


def test_a_compact_model_can_be_checked(tmp_path: Path) -> None:
    compact = KINDS["counts"]().compact()
    assert (compact.hand_check_, compact.is_check_current_) == (None, None)
    check_by_hand(compact)
    compact.save(tmp_path / "a.tercet")
    loaded = load(tmp_path / "a.tercet")
    assert loaded.hand_check_ == compact.hand_check_
    assert loaded.is_check_current_ is True


WRONG = {
    "more than there are": {"n": 700},
    "no number": {"n": True},
    "a pool that is no name": {"pool": 7},
    "a long name": {"pool": "x" * 201},
    "no digest": {"model": "so good"},
    "no digits": {"model": "x" * 32},
    "a share above 1": {"accuracy": {**make_check().to_dict()["accuracy"], "high": 1.2}},
    "no label": {"shares": [{**make_check().to_dict()["shares"][0], "label": None}]},
    "a predicted share above 1": {"shares": [{**make_check().to_dict()["shares"][0], "predicted": 2.0}]},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_written_check_is_checked(wrong: dict[str, Any]) -> None:
    good = make_check().to_dict()
    assert HandCheck.from_dict(good) == make_check()
    with pytest.raises(ValueError, match=r"check by hand|estimate"):
        HandCheck.from_dict(good | wrong)


def test_a_file_with_a_wrong_check_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, wrong = KINDS["counts"](), make_check().to_dict() | {"n": 0}
    check_by_hand(model)
    with monkeypatch.context() as patch:
        patch.setattr(HandCheck, "to_dict", lambda _: wrong)
        model.save(tmp_path / "a.tercet")
    with pytest.raises(BadModelFile, match="number of texts"):
        load(tmp_path / "a.tercet")

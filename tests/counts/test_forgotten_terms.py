"""Terms that were forgotten are dropped from the table, and nothing that is known by their numbers goes wrong."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from helpers.labelled_documents import Learned, learned, some
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet import Categorizer, Documents
from tercet.counts import table
from tercet.counts.table import CountTable

TEXTS = ["to be or not to be", "that is the question", "whether tis nobler", "in the mind to suffer"] * 3
LABELS = ["a", "b", "a", "b"] * 3


def invent(cycle: int, n: int = 1000) -> list[str]:
    """Texts of words that nobody has used before."""
    return [" ".join(f"w{cycle}x{i}" for i in range(n)), "that is"]


@pytest.fixture
def drops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MIN_FORGOTTEN", 1)


@pytest.mark.parametrize("select", [None, tercet.MostInformative(10, by="ld", domain="origin")])
def test_learning_and_forgetting_new_words_takes_no_room(select: object, tmp_path: Path) -> None:
    model = Categorizer(select=select)
    model.fit(Documents(TEXTS, LABELS, columns={"origin": LABELS[::-1]}))
    model.save(tmp_path / "before")
    for cycle in range(30):
        new = Documents(invent(cycle), ["a", "c"], columns={"origin": ["x", "y"]})
        model.learn(new).forget(new)
        tables = [model.table_, *([model.fitted_.state.domains] if model.fitted_.state.domains else [])]
        assert all(len(each.table) < 2 * table.MIN_FORGOTTEN for each in tables)
    model.save(tmp_path / "after")
    assert (tmp_path / "after").read_bytes() == (tmp_path / "before").read_bytes()


def test_a_sliding_window_has_at_most_three_forgotten_terms_for_one_that_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MIN_FORGOTTEN", 16)
    counts = CountTable.of(invent(0, 50), ["a", "b"])
    for cycle in range(1, 60):
        counts += CountTable.of(invent(cycle, 50), ["a", "b"])
        counts -= CountTable.of(invent(cycle - 1, 50), ["a", "b"])
        assert len(counts) == 52
        assert len(counts.table) <= 4 * 52 + 16
    assert counts == CountTable.of(invent(59, 50), ["a", "b"])


def test_terms_that_live_are_not_gone_through_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, n_looked = CountTable.of([*invent(0), *TEXTS * 50], ["a", "b", *LABELS * 50]), 0
    monkeypatch.setattr(table, "MIN_FORGOTTEN", 1)
    count_terms = CountTable.__len__

    def count(self: CountTable) -> int:
        nonlocal n_looked
        n_looked += 1
        return count_terms(self)

    monkeypatch.setattr(CountTable, "__len__", count)
    for _ in range(150):
        counts -= CountTable.of(TEXTS[:1], LABELS[:1])  # four words: 600 in all, of 1,015
    assert n_looked == 1


@pytest.mark.usefixtures("drops_at_once")
@pytest.mark.filterwarnings("ignore::tercet.errors.StaleMargins")
@pytest.mark.parametrize("model", [None, tercet.LinearSVM(), tercet.NBSVM()])
def test_margins_and_weights_follow_their_terms(model: object) -> None:
    texts, labels = [*TEXTS, *invent(0, 60)], [*LABELS, "a", "b"]
    dropped, kept = (Categorizer(model=model).fit(texts, labels) for _ in range(2))
    dropped.forget(texts[-2:], labels[-2:])
    assert len(dropped.table_.table) < len(kept.table_.table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "MIN_FORGOTTEN", 10**9)
        kept.forget(texts[-2:], labels[-2:])
    asked = [*TEXTS, "w0x1 be", "nobody knows"]
    assert dropped.predict_proba(asked).tolist() == kept.predict_proba(asked).tolist()
    copy = pickle.loads(pickle.dumps(dropped))
    assert copy.predict_proba(asked).tolist() == kept.predict_proba(asked).tolist()
    dropped.learn(invent(1), ["a", "b"])
    kept.learn(invent(1), ["a", "b"])
    assert dropped.predict_proba(asked).tolist() == kept.predict_proba(asked).tolist()


@pytest.mark.usefixtures("drops_at_once")
def test_who_decides_with_the_old_table_goes_on() -> None:
    model = Categorizer().fit([*TEXTS, *invent(0, 60)], [*LABELS, "a", "b"])
    scorer = model.scorer()
    before = scorer.log_joint(TEXTS)
    model.forget(invent(0, 60), ["a", "b"])
    assert model.table_.table is not scorer.table
    assert np.array_equal(scorer.log_joint(TEXTS), before)


@pytest.mark.usefixtures("drops_at_once")
@given(learned(min_size=0), st.lists(learned(), max_size=4))
@some(0.3)
def test_dropping_terms_changes_no_count(first: Learned, others: list[Learned]) -> None:
    counts = CountTable.of(first.texts, first.labels, first.units)
    expected = counts.fingerprint()
    parts = [CountTable.of(other.texts, other.labels, other.units) for other in others]
    for part in parts:
        counts += part
    for part in parts:
        counts -= part
    assert counts.fingerprint() == expected


@pytest.mark.parametrize(
    ("texts", "never_learned"),
    [
        (["x", "x", "y x"], "y"),  # "x" would be in three of two documents
        (["x x", "x x", "x x", "y y y y y"], "x x x x x"),  # "x" would be in two documents, but occur once
    ],
)
def test_without_fingerprints_counts_that_no_documents_have_are_refused(
    texts: list[str], never_learned: str, tmp_path: Path
) -> None:
    model = Categorizer(tercet.Analyzer(), remember=False).fit(texts, ["a"] * len(texts))
    with pytest.raises(tercet.errors.NeverLearned, match="Nothing is changed"):
        model.forget([never_learned], ["a"])
    model.save(tmp_path / "model")
    loaded = tercet.load(tmp_path / "model")  # such counts would be refused here
    assert isinstance(loaded, Categorizer)
    assert loaded.forget(texts, ["a"] * len(texts)).table_.n_documents.tolist() == []

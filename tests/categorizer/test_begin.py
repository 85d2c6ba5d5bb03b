"""A first model without labels: what it knows, what it refuses, and that order, copies and threads change nothing."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.two_topics import BANKS, GOLD, NAMES, POOL, SPORTS, VECTORS, invent_pool

import tercet
from tercet import Documents, WordVectors
from tercet.categorizer.seeds import begin as beginnings
from tercet.categorizer.seeds import seeds as seed_files
from tercet.categorizer.seeds.clear_words import leave_out_common
from tercet.categorizer.seeds.prior import PoolWords, SeedPrior
from tercet.categorizer.seeds.seeds import MAX_LABELS, Seeds
from tercet.errors import InvalidFile, InvalidOption, InvalidText

SEEDS = {"sports": ["team", "goal"], "business": ["bank", "rate"]}


def write(model: Any, folder: Path) -> bytes:
    model.save(folder / "written.tercet")
    return (folder / "written.tercet").read_bytes()


def measure(model: Any) -> float:
    return float(np.mean(model.predict(POOL) == np.array(GOLD)))


@pytest.mark.parametrize("vectors", [None, VECTORS])
def test_words_that_are_no_seeds_are_learned(vectors: WordVectors | None) -> None:
    first = tercet.begin(POOL, SEEDS, vectors=vectors)
    assert measure(first.categorizer) >= 0.95
    assert first.categorizer.predict(["referee coach", "bond market"]).tolist() == ["sports", "business"]


def test_names_alone_are_enough_for_the_encoder() -> None:
    assert measure(tercet.begin(POOL, NAMES, vectors=VECTORS).categorizer) >= 0.95


@pytest.mark.parametrize("vectors", [None, VECTORS])
def test_order_copies_and_threads_do_not_change_a_byte(vectors: WordVectors | None, tmp_path: Path) -> None:
    expected = write(tercet.begin(POOL, SEEDS, vectors=vectors, threads=1).categorizer, tmp_path)
    mixed = [*POOL, *POOL[:7], "  "]
    random.Random(1).shuffle(mixed)
    for texts, seeds, threads in ((mixed, SEEDS, 1), (POOL, dict(reversed(SEEDS.items())), 2), (iter(POOL), SEEDS, 3)):
        assert write(tercet.begin(texts, seeds, vectors=vectors, threads=threads).categorizer, tmp_path) == expected


def test_labels_of_the_pool_are_ignored(tmp_path: Path) -> None:
    labelled = tercet.begin(Documents(POOL, labels=GOLD[::-1]), SEEDS, vectors=None)
    assert write(labelled.categorizer, tmp_path) == write(tercet.begin(POOL, SEEDS, vectors=None).categorizer, tmp_path)


def test_nothing_is_claimed_and_the_file_says_so(tmp_path: Path) -> None:
    first = tercet.begin(POOL, SEEDS, vectors=None)
    record = first.categorizer.record_
    assert record is not None
    assert (record.estimate, record.is_checked) == ({}, False)
    assert "Nothing has been checked" in str(first)
    assert first.to_dict()["checked"] is False
    write(first.categorizer, tmp_path)
    loaded = tercet.load(tmp_path / "written.tercet")
    assert loaded.record_ == record
    assert "nothing has been checked" in first.categorizer._repr_html_()


def test_learning_and_forgetting_claim_nothing_either(tmp_path: Path) -> None:
    model = tercet.begin(POOL, SEEDS, vectors=None).categorizer
    before = write(model, tmp_path)
    model.learn(["a coach of the bank"], ["sports"])
    assert model.record_ is not None
    assert (model.record_.estimate, model.record_.is_checked) == ({}, False)
    model.forget(["a coach of the bank"], ["sports"])
    assert write(model, tmp_path) == before


def test_a_sum_with_a_guessed_model_is_not_checked() -> None:
    guessed = tercet.begin(POOL, SEEDS, vectors=None).categorizer
    other = tercet.begin(invent_pool(seed=2), SEEDS, vectors=None).categorizer
    total = (guessed + other).record_
    assert total is not None
    assert not total.is_checked
    assert total.estimate == {}


def test_the_model_explains_compacts_and_predicts_without_an_encoder(tmp_path: Path) -> None:
    model = tercet.begin(POOL, SEEDS, vectors=VECTORS).categorizer
    assert model.explain("the referee").evidence
    model.compact().save(tmp_path / "small.tercet")
    small = tercet.load(tmp_path / "small.tercet")
    assert small.predict(["referee", "bond"]).tolist() == ["sports", "business"]


def test_without_documents_no_text_is_in_the_file(tmp_path: Path) -> None:
    content = write(tercet.begin(POOL, SEEDS, vectors=None, keep_documents=False).categorizer, tmp_path)
    assert not any(text.encode() in content for text in POOL)


def test_the_result_describes_each_label() -> None:
    first = tercet.begin(POOL, SEEDS, vectors=None)
    assert [own.label for own in first.labels] == ["business", "sports"]
    assert sum(own.share for own in first.labels) == pytest.approx(1)
    for own, words in zip(first.labels, (BANKS, SPORTS), strict=True):
        assert {word for word, _ in own.evidence} & set(words) == set(words)
        assert set(own.proposed[:4]) == set(words) - set(SEEDS[own.label])
        assert len(own.typical) == len(own.doubtful) == 5
        assert own.typical[0].probability >= own.doubtful[0].probability
    assert any("a guess" in note for note in first.notes)
    assert "share (a guess)" in first.to_html()


def test_given_shares_are_reached_and_are_no_guess() -> None:
    few = [text for text, label in zip(POOL, GOLD, strict=True) if label == "sports"][:8]
    many = [text for text, label in zip(POOL, GOLD, strict=True) if label == "business"]
    first = tercet.begin([*few, *many], SEEDS, shares={"sports": 1 / 6, "business": 5 / 6}, vectors=VECTORS)
    assert first.labels[1].share == pytest.approx(1 / 6, abs=0.06)
    assert not any("a guess" in note for note in first.notes)


def test_a_counter_word_speaks_against_its_label() -> None:
    pool = PoolWords.of(POOL, min_texts=1, threads=1)
    plain, against = (
        Seeds.of(SEEDS),
        Seeds.of({"sports": {"words": SEEDS["sports"], "counter_words": ["coach"]}, "business": ["bank"]}),
    )
    place, has = 1, np.array(["coach" in text.split() for text in POOL])
    priors = (SeedPrior.fit(pool, seeds, VECTORS, None, threads=1) for seeds in (plain, against))
    before, after = (prior.score_pool(pool)[has, place] for prior in priors)
    assert after.mean() < before.mean()


def test_several_text_columns_are_read_together(tmp_path: Path) -> None:
    pool = Documents.join({"subject": [text.split()[0] for text in POOL], "body": [text.split(" ", 1)[1] for text in POOL]})
    model = tercet.begin(pool, SEEDS, vectors=None).categorizer
    assert model.text_columns_ == ("subject", "body")
    assert model.predict(Documents.join({"subject": ["referee"], "body": ["the coach"]})).tolist() == ["sports"]


def test_a_large_pool_is_cut_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beginnings, "MAX_TEXTS", 40)
    first = tercet.begin(POOL, SEEDS, vectors=None)
    assert first.n_texts == 40
    assert any("40 of the 80 texts teach" in note for note in first.notes)


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        (["sports"], "only the label 'sports'"),
        ([], "there are no labels"),
        ("sports, business", "a list of names"),
        (["sports", "sports"], "named twice"),
        ([f"name {'x' * i}" for i in range(MAX_LABELS + 1)], "at most 250"),
        ({"sports": ["team"], "business": ["Team"]}, "'Team' is a seed of 'business'|'team' is a seed of 'business'"),
        (
            {"sports": ["team"], "business": ["bank", "blockchain"]},
            "'blockchain' \\(business\\). Check the spelling, or strike it",
        ),
        ({"sports": "team", "business": ["bank"]}, "a list of words"),
        ({"sports": ["team"], "business": {"words": ["bank"], "wrods": []}}, "'wrods'"),
        ({"sports": ["team"], "business": {"words": ["bank"], "counter_words": ["bank"]}}, "for 'business' and against it"),
        ({"sports": ["team"], "business": [""]}, "a word of 'business'"),
        ({"sports": ["team"], 7: ["bank"]}, "a label must be text"),
        (["sports", "business"], "no word of the label 'business' occurs"),
        (
            {"sports": ["team"], "business": {"words": ["bank"], "description": "Wirtschaft und Geld in aller Welt"}},
            "probably in another language",
        ),
    ],
)
def test_bad_labels_are_refused_in_one_line_with_a_remedy(labels: Any, complaint: str) -> None:
    with pytest.raises(InvalidOption, match=complaint) as caught:
        tercet.begin(POOL, labels, vectors=None)
    assert "\n" not in str(caught.value)


def test_a_label_without_words_needs_a_name_for_the_encoder() -> None:
    with pytest.raises(InvalidOption, match="'1' has no words"):
        tercet.begin(POOL, {"1": [], "2": ["bank"]}, vectors=VECTORS)


@pytest.mark.parametrize(
    ("pool", "complaint"), [([], "no texts"), (["  ", ""], "0 different texts"), (["to be", "to be"], "1 different text")]
)
def test_a_pool_that_is_too_small_is_refused(pool: list[str], complaint: str) -> None:
    with pytest.raises(InvalidText, match=complaint):
        tercet.begin(pool, SEEDS, vectors=None)


@pytest.mark.parametrize("pool", [["to be", "or not", "that is"], ["!", "?", "!?"]])
def test_texts_without_a_common_word_are_refused(pool: list[str]) -> None:
    with pytest.raises(InvalidText, match="no word occurs in 2 of the texts"):
        tercet.begin(pool, {"x": ["to be"], "y": ["not"]}, vectors=None)


@pytest.mark.parametrize(
    ("shares", "complaint"),
    [
        ({"sports": 0.5}, "'business' has no share"),
        ({"sports": 0.5, "business": 0.3, "arts": 0.2}, "is no label"),
        ({"sports": 0.5, "business": 0.4}, "add up to 0.9"),
        ({"sports": 1.0, "business": 0.0}, "> 0 and < 1"),
        ({"sports": float("nan"), "business": 0.5}, "> 0 and < 1"),
        ([0.5, 0.5], "a mapping"),
    ],
)
def test_bad_shares_are_refused(shares: Any, complaint: str) -> None:
    with pytest.raises(InvalidOption, match=complaint):
        tercet.begin(POOL, SEEDS, shares=shares, vectors=None)


def test_a_table_of_vectors_can_encode_no_texts() -> None:
    with pytest.raises(InvalidOption, match="table"):
        tercet.begin(POOL, SEEDS, vectors=WordVectors.of(["team", "bank"], [[1.0, 0.0], [0.0, 1.0]]))


def test_seeds_are_written_and_read_back(tmp_path: Path) -> None:
    given = {
        'a "quoted" one\\': {"name": "quoted", "description": "Ein Satz.\tTab", "words": ["größe", "two words"]},
        "b": {"words": ["bank"], "counter_words": ["goal"]},
    }
    seeds = Seeds.of(given)
    (tmp_path / "seeds.toml").write_text(seeds.to_toml())
    assert Seeds.read(tmp_path / "seeds.toml") == seeds == Seeds.of(seeds.to_dict())


@pytest.mark.parametrize("content", ["[a]\nwords = [", "a = 3\nb = 4", "[a]\nwords = ['x']", "\xff"])
def test_a_bad_file_of_seeds_is_refused_by_its_name(content: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_bytes(content.encode("latin-1"))
    with pytest.raises(InvalidFile, match=r"bad\.toml"):
        Seeds.read(tmp_path / "bad.toml")


def test_a_missing_file_of_seeds_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"none\.toml can't be read"):
        Seeds.read(tmp_path / "none.toml")


def test_words_are_added_and_struck() -> None:
    seeds = Seeds.of(SEEDS).add("sports", ["match", "team"]).strike(["Goal"])
    assert seeds.labels[1].words == ("team", "match")
    with pytest.raises(InvalidOption, match="'bank' is a seed"):
        seeds.add("sports", ["bank"])


def test_common_words_are_not_proposed() -> None:
    class Rarities:
        def rarities(self, words: list[str]) -> np.ndarray:
            return np.array([0.1 if word in ("my", "for") else 0.9 for word in words])

    ranked = [("my", 3.0), ("bank", 2.0), ("for", 1.5), ("loan", 1.0)]
    assert leave_out_common(ranked, Rarities()) == [("bank", 2.0), ("loan", 1.0)]  # type: ignore[arg-type]
    assert leave_out_common(ranked, None) == ranked


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({"a": ["team"], " a": ["game"], "b": ["bank"]}, "keep one of them"),
        ({"Bank": ["team"], "bank": ["game"]}, "keep one of them"),
        ({"x" * 501: ["team"], "b": ["bank"]}, "at most 500"),
        ({"a": ["team " * 11], "b": ["bank"]}, "a phrase of 11 words"),
        ({"a": ["team " + "x" * 500], "b": ["bank"]}, "at most 500"),
        ({"a": {"description": "x" * 10_001}, "b": ["bank"]}, "at most 10,000"),
        ({label: [f"{label}{i}" for i in range(1000)] for label in "abc"}, "at most 2000"),
        (["team \udcff", "bank"], "a broken character"),
    ],
)
def test_seeds_are_bounded(labels: Any, words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        Seeds.of(labels)


@pytest.mark.parametrize("content", [b"a = " + b"[" * 10_000, b"a = " + b"9" * 6000, b"#" * (seed_files.MAX_BYTES + 1)])
def test_crafted_files_of_seeds_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "s.toml").write_bytes(content)
    with pytest.raises(InvalidFile, match="is not TOML"):
        Seeds.read(tmp_path / "s.toml")


@pytest.mark.parametrize("vectors", [None, VECTORS])
def test_the_order_of_the_words_does_not_matter(vectors: WordVectors | None) -> None:
    turned = {label: words[::-1] for label, words in SEEDS.items()}
    one, other = (tercet.begin(POOL, seeds, vectors=vectors).categorizer for seeds in (SEEDS, turned))
    assert np.array_equal(one.predict_proba(POOL), other.predict_proba(POOL))
    one, other = (
        tercet.Categorizer(model="auto", vectors=vectors, seeds=seeds).fit(POOL[:8], GOLD[:8], unlabelled=POOL)
        for seeds in (SEEDS, turned)
    )
    assert np.array_equal(one.predict_proba(POOL), other.predict_proba(POOL))

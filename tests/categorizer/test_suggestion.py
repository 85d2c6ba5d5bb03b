"""Which texts to label next: at most n different ones, the same in any order of the pool, and none that has a label already."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet import Categorizer, Documents, WordVectors
from tercet.categorizer.suggestion import suggest as module
from tercet.categorizer.suggestion.clusters import Clusters, cluster_rows, sum_squares
from tercet.categorizer.suggestion.order import choose_hardest, choose_spread, measure_margins
from tercet.categorizer.suggestion.text_vectors import project_words, represent_texts
from tercet.errors import InvalidOption

GROUPS = {
    "parcel": ["where is my parcel", "my parcel is late", "the parcel is late again", "no parcel came"],
    "film": ["a lovely film", "what a lovely film", "the film was lovely", "a film so lovely"],
    "price": ["the price is high", "too high a price", "such a high price", "price much too high"],
}
POOL = [text for texts in GROUPS.values() for text in texts]
LEARNED = [f"{word} number {i}" for i in range(10) for word in ("good", "bad")], ["+", "-"] * 10

texts = st.lists(st.text("ab ", max_size=6), min_size=1, max_size=15)


# What is suggested.


@given(texts, st.integers(1, 20))
@settings(max_examples=60)
def test_n_different_texts_are_suggested_or_it_is_an_error(pool: list[str], n: int) -> None:
    distinct = {text for text in pool if text.strip()}
    if n > len(distinct):
        with pytest.raises(InvalidOption):
            tercet.suggest(pool, n)
        return
    found = tercet.suggest(pool, n)
    assert len(found) == n
    assert len({pool[i] for i in found} & distinct) == n
    assert all(pool.index(pool[i]) == i for i in found)  # the first of its copies


@pytest.mark.parametrize("has_model", [False, True])
def test_the_order_of_the_pool_does_not_change_the_suggestions(has_model: bool) -> None:
    model = Categorizer().fit(*LEARNED) if has_model else None
    pool = [*POOL, "good", "so bad", "good and bad", "good", *POOL[:3]]
    expected = [pool[i] for i in tercet.suggest(pool, 5, model)]
    for seed in range(5):
        shuffled = random.Random(seed).sample(pool, len(pool))
        assert [shuffled[i] for i in tercet.suggest(shuffled, 5, model)] == expected


def test_the_first_texts_come_from_different_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "N_FIRST", 3)
    rows = project_words(POOL, threads=1)
    codes = cluster_rows(rows, 3).codes
    assert len({tuple(codes[4 * i : 4 * i + 4]) for i in range(3)}) == 3
    found = tercet.suggest(POOL, 3)
    assert {i // 4 for i in found} == {0, 1, 2}


def test_texts_with_labels_are_left_out_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "N_FIRST", 3)
    found = tercet.suggest(POOL, 1, labelled=[POOL[0], "the lovely film"])
    assert found[0] // 4 == 2  # the only group without a label
    assert 0 not in tercet.suggest(POOL, 11, labelled=[POOL[0]])
    with pytest.raises(InvalidOption, match="only 11 different texts without a label"):
        tercet.suggest(POOL, 12, labelled=[POOL[0]])


def test_a_model_suggests_what_it_can_hardly_decide() -> None:
    model = Categorizer().fit(*LEARNED)
    pool = ["good", "bad", "good bad", "zebra", "good good number"]
    margins = measure_margins(model.predict_proba(pool))
    found = tercet.suggest(pool, 5, model)
    assert margins[found].tolist() == sorted(margins)


def test_what_the_model_has_learned_is_left_out_whatever_its_label() -> None:
    model = Categorizer().fit(*LEARNED)
    pool = ["bad number 3", "good number 3", "a number"]
    assert tercet.suggest(pool, 1, model) == [2]
    with pytest.raises(InvalidOption, match="only 1 different text without"):
        tercet.suggest(pool, 2, model)
    forgetful = Categorizer(remember=False).fit(*LEARNED)
    assert sorted(tercet.suggest(pool, 3, forgetful)) == [0, 1, 2]  # it can't tell


def test_a_compact_model_suggests_the_same_texts() -> None:
    model = Categorizer().fit(*LEARNED)
    assert tercet.suggest(POOL, 4, model.compact()) == tercet.suggest(POOL, 4, model)


def test_a_model_of_few_documents_has_no_say() -> None:
    young = Categorizer().fit(LEARNED[0][:8], LEARNED[1][:8])
    assert tercet.suggest(POOL, 6, young) == tercet.suggest(POOL, 6)
    alone = Categorizer().fit(LEARNED[0], ["+"] * 20)
    assert tercet.suggest(POOL, 6, alone) == tercet.suggest(POOL, 6)


def test_documents_and_streams_are_pools_too() -> None:
    joined = Documents.join({"subject": ["late", "high"], "body": ["where is it", "the price"]})
    expected = tercet.suggest(POOL, 4)
    assert tercet.suggest(Documents(POOL), 4) == expected
    assert tercet.suggest(iter([Documents(POOL[:5]), Documents(POOL[5:])]), 4) == expected
    assert sorted(tercet.suggest(joined, 2)) == [0, 1]


@pytest.mark.parametrize(
    ("pool", "n", "words"),
    [
        ([], 1, "the pool is empty"),
        (["", "  "], 1, "every text of the pool has a label already, or is blank"),
        (["to be", "to be"], 2, r"n=2, but the pool has only 1 different text without a label: ask for at most 1\."),
        (["to be"], 0, "n must be"),
        (["to be"], 1.5, "n must be"),
    ],
)
def test_a_bad_pool_or_number_is_refused(pool: list[str], n: Any, words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        tercet.suggest(pool, n)


def test_only_a_part_of_a_large_pool_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SPREAD", 3)
    seen: list[int] = []

    def note(texts: Any, threads: int) -> Any:
        seen.append(len(texts))
        return project_words(texts, threads=threads)

    monkeypatch.setattr(module, "represent_texts", note)
    assert len(tercet.suggest(POOL, 2)) == 2
    assert len(tercet.suggest(POOL, 5)) == 5
    assert seen == [3, 5]


# Groups of rows.


@given(st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=3, max_size=3), min_size=1, max_size=12), st.integers(1, 5))
def test_each_row_is_in_the_group_with_the_nearest_centre(given: list[list[float]], k: int) -> None:
    rows = np.array(given, np.float32)
    found = cluster_rows(rows, k)
    assert len(set(found.codes.tolist())) <= min(k, len({tuple(row) for row in given}))
    assert [each.tolist() for each in cluster_rows(rows, k)] == [each.tolist() for each in found]
    assert cluster_rows(rows, k, threads=2).codes.tolist() == found.codes.tolist()
    centres = {code: rows[found.codes == code].mean(axis=0, dtype=np.float64) for code in set(found.codes.tolist())}
    for row, code in zip(rows, found.codes.tolist(), strict=True):
        distances = {other: float(((row - centre) ** 2).sum()) for other, centre in centres.items()}
        assert distances[code] <= min(distances.values()) + 1e-5


@given(
    st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1), st.booleans()), min_size=1, max_size=12),
    st.integers(0, 12),
)
def test_each_choice_is_from_the_group_with_the_fewest_taken(rows: list[tuple[int, float, bool]], n: int) -> None:
    codes, distances, is_free = (np.array(column) for column in zip(*rows, strict=True))
    found = choose_spread(Clusters(codes, distances), is_free, n)
    assert len(found) == len(set(found)) == min(n, is_free.sum())
    taken = set(np.flatnonzero(~is_free).tolist())
    for index in found:
        n_taken = {code: sum(codes[i] == code for i in taken) for code in set(codes.tolist())}
        free = [i for i in range(len(codes)) if i not in taken]
        assert n_taken[codes[index]] == min(n_taken[codes[i]] for i in free)
        assert distances[index] == min(distances[i] for i in free if codes[i] == codes[index])
        taken.add(index)


@given(st.lists(st.lists(st.floats(0.01, 1), min_size=3, max_size=3), min_size=1, max_size=9), st.integers(0, 9))
def test_the_hardest_texts_have_the_smallest_margins(rows: list[list[float]], n: int) -> None:
    margins = [sorted(row)[-1] - sorted(row)[-2] for row in rows]
    assert measure_margins(np.array(rows)).tolist() == margins
    texts = [f"text{i}" for i in range(len(rows))]
    assert choose_hardest(margins, texts, (), n) == sorted(range(len(rows)), key=margins.__getitem__)[:n]


def test_near_copies_come_last() -> None:
    texts = ["please send the parcel to me now", "so good", "Please send the parcel to us now!", "so bad"]
    assert choose_hardest([0.1, 0.2, 0.3, 0.4], texts, (), 3) == [0, 1, 3]
    assert choose_hardest([0.1, 0.2, 0.3, 0.4], texts, (), 4) == [0, 1, 3, 2]
    assert choose_hardest([0.1, 0.2, 0.3, 0.4], texts, ["so good"], 3) == [0, 3, 1]
    assert choose_hardest([0.2, 0.1], ["", "!"], ["?"], 2) == [1, 0]  # texts without words are not alike


# Vectors of texts.


def test_texts_with_the_same_rare_words_are_near() -> None:
    rows = project_words([*POOL, "", "!?"], threads=1)
    assert sum_squares(rows[:12]) == pytest.approx(1.0)
    assert not rows[12:].any()
    near = [float(rows[4] @ rows[i]) for i in (5, 6, 0, 8)]
    assert min(near[:2]) > max(near[2:])


class LetterEncoder:
    """Invented vectors of texts: how often each of the letters a to h occurs. It knows the words of one alphabet."""

    identity, dimension, words = "letters", 8, ("a",)

    def known(self, words: list[str]) -> Any:
        return np.array([word.isascii() for word in words])

    def encode_texts(self, texts: list[str], *, threads: int, watch: Any = None) -> Any:
        return np.array([[text.count(letter) for letter in "abcdefgh"] for text in texts], np.int8)


def test_the_encoder_is_used_if_it_knows_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = WordVectors(LetterEncoder())  # type: ignore[arg-type]
    monkeypatch.setattr("tercet.categorizer.suggestion.text_vectors.resolve_vectors", lambda _: encoder)
    rows = represent_texts(["aab", "hhh", "zzz"] * 50, threads=1)
    assert rows.shape == (150, 8)
    assert sum_squares(rows)[:3] == pytest.approx([1.0, 1.0, 0.0])
    assert np.array_equal(rows[:3], rows[147:])  # in any batch
    greek = ["καλό είναι", "κακό", "a"]
    assert np.array_equal(represent_texts(greek, threads=1), project_words(greek, threads=1))
    pool = ["a aa", "aaa a", "a", "b bb", "bb", "hh h", "h"]
    assert {pool[i][0] for i in choose_spread(cluster_rows(represent_texts(pool, threads=1), 3), np.ones(7, bool), 3)} == set(
        "abh"
    )


def test_the_rows_do_not_depend_on_the_threads() -> None:
    assert np.array_equal(project_words(POOL, threads=1), project_words(POOL, threads=2))

"""Near copies: exactly the similar pairs are found, and nothing depends on the threads or on the order of the texts."""

import random
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from helpers.invented_texts import texts as odd_texts
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet import find_near_copies, find_near_leaks
from tercet.counts.near_copies import find_leaks
from tercet.errors import InvalidOption, InvalidText
from tercet.kernel import _native, reference

WORDS = ["the", "Hen", "hen", "été", "ÉTÉ", "你", "好", "한국", "fox", "sat", "x_1", "7", "ไทย"]
long_texts = st.lists(st.sampled_from(WORDS), min_size=15, max_size=30).map(" ".join)


@st.composite
def near_texts(draw: st.DrawFn) -> list[str]:
    """Texts around the shortest length that has shingles, some of them changed a little, and odd texts."""
    bases = draw(st.lists(long_texts, min_size=1, max_size=3))
    changed = [
        (base + " ").replace("hen ", draw(odd_texts) + " ", 2) for base in draw(st.lists(st.sampled_from(bases), max_size=4))
    ]
    return list(draw(st.permutations([*bases, *changed, *draw(st.lists(odd_texts, max_size=2))])))


def find_with(kernel: Any, texts: list[str], threshold: float, n_bands: int) -> tuple[Any, ...]:
    finder = kernel.NearCopyFinder()
    finder.add(kernel.Texts(texts[:3]))
    finder.add(kernel.Texts(texts[3:], 3))
    for band in range(n_bands):
        finder.compare(band, threshold)
    pairs, similarity = finder.pairs()
    return finder.firsts().tolist(), pairs.tolist(), similarity.tolist()


@given(near_texts(), st.floats(0.2, 1))
def test_both_kernels_find_the_same_pairs(texts: list[str], threshold: float) -> None:
    assert find_with(_native, texts, threshold, 6) == find_with(reference, texts, threshold, 6)


def make_letters(n: int, n_words: int = 30) -> list[str]:
    """Form letters: they differ in three words, and no two are equal."""
    body = [f"word{k}" for k in range(n_words)]
    return [" ".join([f"name{i}", *body, f"place{i}", f"sum{i}"]) for i in range(n)]


def test_both_kernels_leave_out_the_same_pairs_of_a_large_family() -> None:
    texts = make_letters(70)
    firsts, pairs, similarity = find_with(_native, texts, 0.5, 8)
    assert len(pairs) < 70 * 69 / 2
    assert (firsts, pairs, similarity) == find_with(reference, texts, 0.5, 8)


def test_pairs_of_a_large_family_are_bounded_and_link_all_of_it() -> None:
    found = find_near_copies(make_letters(3000))
    assert len(found.pairs) <= 3000 * (16 + 16)
    assert set(found.groups().tolist()) == {0}


def test_all_pairs_of_a_family_of_17_are_found() -> None:
    assert find_near_copies(make_letters(17)).pairs.tolist() == [list(pair) for pair in combinations(range(17), 2)]


def change_words(text: str, share: float, rng: random.Random) -> str:
    words = text.split()
    for i in rng.sample(range(len(words)), round(share * len(words))):
        words[i] = f"new{rng.randrange(10**9)}"
    return " ".join(words)


Shingles = set[tuple[str, ...]]


def list_shingles(text: str) -> Shingles:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[i : i + 3]) for i in range(len(words) - 2)}


def jaccard(a: Shingles, b: Shingles) -> float:
    return len(a & b) / len(a | b)


def make_texts(n: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    originals = [" ".join(f"w{rng.randrange(400)}" for _ in range(rng.randrange(20, 70))) for _ in range(n)]
    return originals + [change_words(text, rng.choice([0.03, 0.06, 0.1, 0.13]), rng) for text in originals]


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8])
def test_all_similar_pairs_are_found_and_no_other_pair(threshold: float) -> None:
    texts = make_texts(150, seed=1)
    found = find_near_copies(texts, threshold=threshold)
    shingles = list(map(list_shingles, texts))
    pairs = combinations(range(len(texts)), 2)
    similar = {(i, j): s for i, j in pairs if (s := jaccard(shingles[i], shingles[j])) >= threshold}
    known = dict(zip(map(tuple, found.pairs.tolist()), found.similarity.tolist(), strict=True))
    assert known == {pair: similar[pair] for pair in known}
    assert len(known) >= 0.995 * len(similar) > 20


def test_pairs_at_the_threshold_are_missed_as_rarely_as_promised() -> None:
    """Each pair has a similarity of 0.5: 24 shingles in common, and 12 of each text alone."""
    common = [" ".join(f"c{i}x{k}" for k in range(26)) for i in range(1500)]
    texts = [f"{text} {' '.join(f'{side}{i}x{k}' for k in range(12))}" for i, text in enumerate(common) for side in "ab"]
    found = find_near_copies(texts, threshold=0.5)
    assert set(found.similarity.tolist()) == {0.5}
    assert 1500 - len(found.pairs) <= 16  # 7.2 are expected; more than 16 have a probability of 0.001


def test_threads_do_not_matter() -> None:
    texts = make_texts(300, seed=2) * 2 + make_letters(200)
    alone, together = find_near_copies(texts, threads=1), find_near_copies(texts, threads=4)
    for name in ("pairs", "similarity", "firsts"):
        assert np.array_equal(getattr(alone, name), getattr(together, name))


def test_in_another_order_the_same_texts_are_pairs() -> None:
    texts = make_texts(100, seed=3) + make_letters(60)
    order = np.random.default_rng(0).permutation(len(texts))
    found, moved = find_near_copies(texts), find_near_copies([texts[i] for i in order])
    back = np.sort(order[moved.pairs], axis=1)
    assert sorted(back.tolist()) == found.pairs.tolist()


def test_in_another_order_copies_are_in_the_same_groups() -> None:
    texts = make_texts(40, seed=4) * 3 + ["short text", "Short, text"]
    order = np.random.default_rng(0).permutation(len(texts))
    groups, moved = find_near_copies(texts).groups(), find_near_copies([texts[i] for i in order]).groups()
    same, same_moved = groups[order][:, None] == groups[order], moved[:, None] == moved
    assert np.array_equal(same, same_moved)


def test_pairs_are_sorted_and_groups_are_numbered_in_the_order_of_the_texts() -> None:
    texts = [*make_texts(30, seed=5), "a", "b", "A"]
    found = find_near_copies(texts)
    assert found.pairs.tolist() == sorted(found.pairs.tolist())
    assert (found.pairs[:, 0] < found.pairs[:, 1]).all()
    seen = list(dict.fromkeys(found.groups().tolist()))
    assert seen == list(range(len(seen)))


NINETEEN = " ".join(f"w{i}" for i in range(19))


@pytest.mark.parametrize(
    ("left", "right", "is_pair"),
    [
        ("To be, or not!", "to be or NOT", True),
        ("to be or not", "to be or", False),
        ("été", "e\u0301te\u0301", True),
        (NINETEEN, NINETEEN + " more", False),  # 19 words have no shingles
        (NINETEEN + " one", NINETEEN + " two", True),
        (NINETEEN + " one", NINETEEN.replace("w9", "x") + " one", True),
        ("", "", True),
        ("", "!", False),  # without words, only equal texts are copies
        ("😀 👍", "😡 👎", False),
        ("😀 👍", "😀 👍", True),
        ("\ud800", "\ud800", True),
        ("你好世界" * 4, "你好世界" * 4 + "们", False),  # 16 and 17 words: each character is a word
        ("天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往", "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑去", True),
    ],
)
def test_short_texts_need_the_same_words_and_long_texts_similar_ones(left: str, right: str, is_pair: bool) -> None:
    assert len(find_near_copies([left, right]).pairs) == is_pair


@pytest.mark.parametrize("texts", [[], ["one text"], [""], [NINETEEN + " twenty"]])
def test_fewer_than_two_texts_have_no_pairs(texts: list[str]) -> None:
    found = find_near_copies(texts)
    assert found.pairs.shape == (0, 2)
    assert found.similarity.shape == (0,)
    assert found.groups().tolist() == [0] * len(texts)


def test_a_copy_is_linked_with_the_first_text_only() -> None:
    copies = ["to be"] * 20_000
    found = find_near_copies(["or not", *copies])
    assert found.pairs.tolist() == [[1, k] for k in range(2, 20_001)]
    assert (found.similarity == 1).all()


def test_a_text_of_ten_million_characters_is_compared() -> None:
    rng = random.Random(0)
    text = " ".join(rng.choices([f"w{i}" for i in range(10_000)], k=1_700_000))
    found = find_near_copies([text, "short", "one more " + text[: 9 * len(text) // 10]])
    assert len(text) > 9_000_000
    assert found.pairs.tolist() == [[0, 2]]
    assert found.similarity[0] == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize("container", [list, tuple, np.array, iter])
def test_any_container_of_texts_has_the_same_pairs(container: Callable[[list[str]], Any]) -> None:
    texts = [*make_letters(5), "a", "b", "A"]
    assert find_near_copies(container(texts)).pairs.tolist() == find_near_copies(texts).pairs.tolist()


def find_best(train: list[str], text: str) -> tuple[int, float] | None:
    similar = [(jaccard(list_shingles(text), list_shingles(other)), -i) for i, other in enumerate(train)]
    best, place = max(similar)
    return (-place, best) if best >= 0.5 else None


def test_a_leak_is_the_most_similar_training_text() -> None:
    texts = make_texts(60, seed=6)
    rng = random.Random(0)
    train = texts[:60] + [change_words(text, 0.04, rng) for text in texts[:20]] + texts[:5]
    test = [*texts[60:], *texts[60:70], *texts[:5], make_texts(1, seed=7)[0]]
    leaks = find_near_leaks(train, test)
    expected = [(best[0], j, best[1]) for j, text in enumerate(test) if (best := find_best(train, text))]
    assert [(*pair, s) for pair, s in zip(leaks.pairs.tolist(), leaks.similarity.tolist(), strict=True)] == expected
    assert 40 < len(expected) < len(test)


def test_equal_texts_are_leaks_for_both_functions() -> None:
    train, test = ["a b", "c", "a b"], ["d", "a b", "A b", "c"]
    near = find_near_leaks(iter(train), iter(test))
    assert near.pairs.tolist() == [[0, 1], [0, 2], [1, 3]]
    assert find_leaks(train, test).tolist() == [[0, 1], [1, 3]]
    assert find_near_leaks([], test).pairs.tolist() == find_near_leaks(train, []).pairs.tolist() == []


def test_groups_keep_near_copies_on_one_side_of_a_split() -> None:
    texts = make_texts(100, seed=8)
    labels = ["a", "b"] * 100
    together = tercet.split(texts, labels, groups=find_near_copies(texts).groups())
    assert len(find_near_leaks(together.train.texts, together.test.texts).pairs) == 0
    apart = tercet.split(texts, labels)
    assert len(find_near_leaks(apart.train.texts, apart.test.texts).pairs) > 0


def test_a_threshold_may_be_any_number() -> None:
    for threshold in (1, Fraction(1, 2), np.float32(0.5)):
        assert find_near_copies(["a", "A"], threshold=threshold).pairs.tolist() == [[0, 1]]


@pytest.mark.parametrize("threshold", [0.1, 1.1, float("nan"), True, "0.5", None])
def test_a_threshold_that_is_no_share_of_shingles_is_refused(threshold: Any) -> None:
    with pytest.raises(InvalidOption, match=r"threshold must be a number from 0.2 to 1, got .* Try 0.5"):
        find_near_copies(["a"], threshold=threshold)


def test_values_that_are_not_texts_are_refused_with_their_position() -> None:
    with pytest.raises(InvalidText, match="1"):
        find_near_copies(["a", 3])
    with pytest.raises(InvalidText, match="single str"):
        find_near_leaks(["a"], "b")


def test_copies_and_planted_near_copies_of_film_reviews_are_found(corpus: Callable[[str], list[dict[str, str]]]) -> None:
    train, test = ([row["text"] for row in corpus(f"imdb/{part}")] for part in ("train", "test"))
    rng = random.Random(0)
    originals = rng.sample([text for text in train if len(text.split()) >= 20], 500)
    texts = [*train, *test, *(change_words(text, 0.05, rng) for text in originals)]
    found = find_near_copies(texts)
    leaks, equal = found.leaks(len(train)), find_leaks(train, test)
    leaked = dict(zip(leaks.pairs[:, 1].tolist(), leaks.pairs[:, 0].tolist(), strict=True))
    assert len(equal) == 123
    assert {*equal[:, 1].tolist()} <= {*leaks.pairs[leaks.similarity == 1, 1].tolist()}
    assert len(train) - len({*train}) == 96
    assert len({*zip(train, found.firsts.tolist(), strict=False)}) == len({*train})  # equal texts have the same first text
    links = [train[leaked[len(test) + k]] for k in range(500) if len(test) + k in leaked]
    assert sum(text in links for text in originals) >= 0.95 * 500
    shingles = {i: list_shingles(texts[i]) for i in {*found.pairs.ravel().tolist()}}
    similarity = [jaccard(shingles[i], shingles[j]) for i, j in found.pairs.tolist()]
    assert min(similarity) >= 0.5
    assert similarity == found.similarity.tolist()

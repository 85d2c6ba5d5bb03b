"""The native kernel and the reference read languages alike, on any text and with any table."""

import itertools
import random

import numpy as np
import pytest
from helpers.language_models import LANGUAGES, build_tiny_models, invent_texts
from hypothesis import given
from hypothesis import strategies as st

from tercet.kernel import engine, is_native, reference
from tercet.languages.codes import GROUPS
from tercet.languages.identifier import find_known, find_settings, number_groups

pytestmark = pytest.mark.skipif(not is_native, reason="compares the native kernel with the reference")

SOURCES = [text for label in LANGUAGES for text in invent_texts(label, 3, seed=1)]
PIECES = [
    *SOURCES[::2],
    "www.example.com",
    "http://a.b/c?d=e",
    "me@example.org",
    "e\u0301",
    "É",
    "İ",
    "x = y[i];",
    "a=b;{c}[d]@host",
    "１２",
    "\ud800",
    "\u2028",
    "ﬁ",
    "한국어",
]
any_text = st.one_of(
    st.text(max_size=60),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=6).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=5).map("".join),
)
few_words = st.lists(st.sampled_from([word for text in SOURCES[::3] for word in text[:-1].split()]), max_size=5).map(" ".join)
SETTINGS = [
    tuple(find_settings("full")),
    (2.0, 0.0, -9.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.99, 2.0),
    (0.3, 0.02, 0.0, 1.0, 0.1, 0.5, 0.01, 0.1, 0.6, 0.0),
]


def make_pair(which, name):
    model = build_tiny_models()[name]
    systems = [(s.n_bits, s.order, s.weight, s.labels, *s.rows) for s in model.systems]
    return which.LanguageScorer(model.letters, systems, len(model.labels))


SCORERS = {(which, name): make_pair(which, name) for which in (engine, reference) for name in ("full", "wide")}


COMMON = [(number, " ".join(SOURCES[number % len(SOURCES) :: 7]).replace(".", "")) for number in (0, 2, 3, 5)]


def make_identifier(which, settings, *, refuse, folded, with_wide, allowed=None, handicaps=None, common=()):
    full, wide = build_tiny_models()["full"], build_tiny_models()["wide"]
    allowed = np.ones(len(full.labels), np.uint8) if allowed is None else np.array(allowed, np.uint8)
    return which.LanguageIdentifier(
        SCORERS[which, "full"],
        SCORERS[which, "wide"] if with_wide else None,
        find_known(wide.labels if with_wide else (), full.labels),
        number_groups(full.labels),
        full.typical,
        np.array(settings),
        allowed,
        refuse,
        np.full(len(GROUPS), folded, np.uint8),
        np.zeros(len(full.labels)) if handicaps is None else np.array(handicaps),
        list(common),
    )


@given(st.lists(any_text, max_size=5))
def test_native_scores_what_the_reference_scores(texts):
    for name in ("full", "wide"):
        ours = SCORERS[engine, name].score(engine.Texts(texts), 2)
        theirs = SCORERS[reference, name].score(reference.Texts(texts), 1)
        for native, plain in zip(ours, theirs, strict=True):
            assert np.array_equal(native, plain)


@given(
    st.lists(any_text | few_words, max_size=4),
    st.sampled_from(SETTINGS),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(1, 4),
    st.lists(st.integers(0, 1), min_size=8, max_size=8),
    st.lists(st.floats(0, 20), min_size=8, max_size=8),
    st.sampled_from([(), COMMON]),
)
def test_native_answers_what_the_reference_answers(texts, settings, refuse, folded, with_wide, top, allowed, handicaps, common):
    options = {"refuse": refuse, "folded": folded, "with_wide": with_wide, "allowed": allowed}
    options |= {"handicaps": handicaps, "common": common}
    native, plain = (make_identifier(which, settings, **options) for which in (engine, reference))
    ours, theirs = native.identify(engine.Texts(texts), top, 2), plain.identify(reference.Texts(texts), top)
    assert ours[0].tolist() == theirs[0].tolist()
    assert np.array_equal(ours[1], theirs[1])
    for text in texts:
        assert native.identify_one(text) == plain.identify_one(text)
        assert native.segment(text) == plain.segment(text)


@given(
    st.integers(1, 5),
    st.dictionaries(
        st.lists(st.integers(1, 7), min_size=1, max_size=5).map(tuple),
        st.lists(st.integers(0, 255), min_size=3, max_size=3),
        min_size=1,
    ),
    st.text("abcdé ", max_size=30),
)
def test_the_longest_ngram_is_found_in_any_table(order, rows, text):
    """Few symbols and many n-grams: buckets are full of n-grams of all lengths."""
    n_bits = 8 if order == 5 else 3
    packed = {}
    for symbols, costs in rows.items():
        key = 0
        for symbol in symbols[:order]:
            key = key << n_bits | symbol
        packed[key] = costs
    keys = np.array(sorted(packed), np.uint64)
    costs = np.array([packed[int(key)] for key in keys], np.uint8)
    letters = np.array([[97, 100, 1 << 16 | 3, 1], [0xE9, 0xE9, 1 << 16 | 2, 0]], np.uint32)
    surprise = np.arange(len(keys), dtype=np.uint64).astype(np.uint8)
    system = (n_bits, order, 1, np.arange(3), keys, costs, surprise)
    found = [which.LanguageScorer(letters, [system], 3).score(which.Texts([text])) for which in (engine, reference)]
    for native, plain in zip(*found, strict=True):
        assert np.array_equal(native, plain)


@pytest.mark.parametrize("seed", range(12))
def test_the_longest_ngram_is_found_in_full_buckets(seed):
    """Many n-grams of all lengths over three letters: an n-gram that is too short is often in the bucket of a longer one."""
    draw = random.Random(seed)
    every = {sum(s << 8 * i for i, s in enumerate(g)) for n in range(1, 6) for g in itertools.product((1, 3, 4, 5), repeat=n)}
    keys = np.array(sorted(draw.sample(sorted(every), draw.choice([40, 200, 700]))), np.uint64)
    costs = np.array([[draw.randrange(256) for _ in range(2)] for _ in keys], np.uint8)
    letters = np.array([[97, 99, 1 << 16 | 3, 1]], np.uint32)
    system = (8, 5, 1, np.arange(2), keys, costs, costs[:, 0].copy())
    texts = [" ".join("".join(draw.choices("abc", k=draw.randint(1, 9))) for _ in range(30)) for _ in range(5)]
    found = [which.LanguageScorer(letters, [system], 2).score(which.Texts(texts)) for which in (engine, reference)]
    for native, plain in zip(*found, strict=True):
        assert np.array_equal(native, plain)


def test_crafted_tables_are_refused_by_both():
    letters = np.array([[97, 99, 1 << 16 | 3, 1]], np.uint32)
    keys, costs, surprise, labels = np.array([3, 4], np.uint64), np.zeros((2, 2), np.uint8), np.zeros(2, np.uint8), np.arange(2)
    good = (8, 5, 1, labels, keys, costs, surprise)
    bad = [
        (letters, [(0, 5, 1, labels, keys, costs, surprise)], 2),
        (letters, [(8, 6, 1, labels, keys, costs, surprise)], 2),
        (letters, [(17, 1, 1, labels, keys, costs, surprise)], 2),
        (letters, [(8, 5, 1, labels, keys[::-1].copy(), costs, surprise)], 2),
        (letters, [(8, 5, 1, labels, np.array([0, 4], np.uint64), costs, surprise)], 2),
        (letters, [(8, 5, 1, labels, np.array([4, 1 << 40], np.uint64), costs, surprise)], 2),
        (letters, [(8, 5, 1, labels, keys, costs[:1], surprise)], 2),
        (letters, [(8, 5, 1, labels, keys, costs, surprise[:1])], 2),
        (letters, [(8, 5, 1, labels[:1], keys, costs, surprise)], 2),
        (letters, [(8, 5, 1, np.array([0, 2]), keys, costs, surprise)], 2),
        (letters, [(8, 5, 1, np.array([0, 0]), keys, costs, surprise)], 2),
        (letters, [good, good], 2),
        (letters, [(2, 5, 1, labels, np.array([1, 3], np.uint64), costs, surprise)], 2),  # symbols 4 and 5 have three bits
        (np.array([[97, 96, 1 << 16 | 3, 1]], np.uint32), [good], 2),
        (np.array([[97, 0x400000, 1 << 16 | 3, 0]], np.uint32), [good], 2),
        (np.array([[97, 99, 1 << 16 | 3, 2]], np.uint32), [good], 2),
        (np.array([[97, 99, 1 << 16 | 1, 0]], np.uint32), [good], 2),
        (np.array([[97, 99, 3, 0]], np.uint32), [good], 2),
        (np.array([[97, 99, 300 << 16 | 3, 0]], np.uint32), [good], 2),
        (np.array([[97, 99, 1 << 16 | 0xFFFF, 1]], np.uint32), [good], 2),
    ]
    for which in (engine, reference):
        which.LanguageScorer(letters, [good], 2)
        for arguments in bad:
            with pytest.raises((ValueError, IndexError)):
                which.LanguageScorer(*arguments)


@pytest.mark.parametrize("which", [engine, reference])
@pytest.mark.parametrize(("costs", "groups", "folded", "expected"), [
    ([0, 0, 99], [0, 0, -1], True, 3),  # a tie: the group comes after three labels
    ([0, 0, 99], [0, 0, -1], False, 0),
    ([0, 99, 99], [0, 0, -1], True, 0),  # no tie
    ([0, 0, 99], [-1, -1, -1], True, -1),  # a short text, and neither has more than half of the probability
    ([99, 99, 0], [0, 0, -1], True, 2),
])  # fmt: skip
def test_members_of_a_group_that_tie_are_answered_as_the_group(which, costs, groups, folded, expected):
    label, probability = make_three(which, costs, groups=groups, folded=folded).identify_one("a")
    assert label == expected
    assert probability == pytest.approx(1 if folded else 0.5, abs=1e-4)


def make_three(which, costs, *, groups=(-1, -1, -1), folded=True, handicaps=(0.0, 0.0, 0.0), common=()):
    """An identifier of three languages that know one letter, with these costs in 32nds of a nat."""
    letters = np.array([[97, 97, 1 << 16 | 3, 0]], np.uint32)
    system = (8, 1, 1, np.arange(3), np.array([3], np.uint64), np.array([costs], np.uint8), np.zeros(1, np.uint8))
    settings = np.array([0.2, 0.0, 9.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.8, 9.0])
    return which.LanguageIdentifier(
        which.LanguageScorer(letters, [system], 3),
        None,
        np.zeros(0, np.int64),
        np.array(groups),
        np.zeros(3),
        settings,
        np.ones(3, np.uint8),
        True,
        np.array([folded], np.uint8),
        np.array(handicaps),
        list(common),
    )


@pytest.mark.parametrize("which", [engine, reference])
def test_a_handicap_counts_in_texts_of_one_to_four_words(which):
    identifier = make_three(which, [0, 1, 99], handicaps=(9.0, 0.0, 9.0))
    assert [identifier.identify_one("a " * n)[0] for n in range(1, 7)] == [1, 1, 1, 1, 0, 0]
    assert [identifier.identify_one("a" * n)[0] for n in (48, 49)] == [1, 0]  # a word may be a text without blanks


@pytest.mark.parametrize("which", [engine, reference])
def test_languages_that_list_all_words_come_first(which):
    common = [(1, "aa"), (2, "aa a")]
    identifier = make_three(which, [0, 20, 60], handicaps=(0.0, 0.1, 0.2), common=common)
    assert identifier.identify_one("aa")[0] == 1  # listed by 1 and 2, which tie but for the handicap
    assert identifier.identify_one("a")[0] == 2  # one word: the letters do not count
    assert identifier.identify_one("aaa")[0] == 0
    assert identifier.identify_one("aa aaa")[0] == 0  # no language lists both
    assert identifier.identify_one("aa aa aa aa aa")[0] == 0  # not short


def test_crafted_questions_are_refused_by_both():
    for which in (engine, reference):
        for wrong in ({"handicaps": (0.0,)}, {"groups": (0, 1, -1)}, {"common": [(3, "a")]}):
            with pytest.raises((ValueError, IndexError)):
                make_three(which, [0, 0, 0], **wrong)


def test_any_number_of_threads_gives_the_same_answers():
    texts = [f"{text} {i}" for i, text in enumerate(SOURCES * 400)]
    identifier = make_identifier(engine, SETTINGS[0], refuse=True, folded=True, with_wide=True)
    one, two = (identifier.identify(engine.Texts(texts), 3, threads) for threads in (1, 2))
    assert np.array_equal(one[0], two[0])
    assert np.array_equal(one[1], two[1])

"""Laws 1 and 8 for every step of a recipe and for every two of them, and that terms depend on nothing else."""

import json
import pickle
import random
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from invented import FRAGMENTS, texts
from recipes import STEPS, analyzers, fits

from tercet import Analyzer, TermCounter
from tercet.kernel import _native, reference
from tercet.text.recipe import list_options

TRAPS = [
    "",
    "I didn't like the hens, but @dante (http://x.y/z?q=1) paid $300!! :-) #hen <b>not&amp;</b> sooooo loud",
    'Subject: BUY the hen\nTo: me\n\nThe fox isn’t quick. "Not the hen", Über said... 12.5% 你好吗 👨‍👩‍👧 ❤️',
    " ~ the  hen\u00a0x_1 e\u0301 Σας ΟΔΟΣ \ud800 \x00 can't, won't: never hen the movie ",
]


def invent(seed: int, n: int = 3) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices([*FRAGMENTS, *TRAPS[1].split(), " "], k=12)) for _ in range(n)]


def assert_laws(analyzer: Analyzer, text: str) -> None:
    options = list_options(analyzer)
    native, plain = _native.Recipe(**options), reference.Recipe(**options)
    tokens, terms = native.list_tokens(text), native.list_terms(text)
    assert tokens == plain.list_tokens(text)
    assert terms == plain.list_terms(text)
    assert all(0 <= start < end <= len(text) for _, start, end in tokens)
    assert [start for _, start, _ in tokens] == sorted(start for _, start, _ in tokens)
    assert all(0 <= start <= end <= len(text) for _, spans in terms for start, end in spans)


@pytest.mark.parametrize("place", range(len(STEPS)))
def test_native_equals_reference_with_any_two_steps(place: int) -> None:
    for other in range(place, len(STEPS)):
        options = STEPS[place] | STEPS[other]
        if not fits(options):
            continue
        analyzer = Analyzer(**options)
        for text in TRAPS + invent(place * len(STEPS) + other, 1):
            assert_laws(analyzer, text)


@given(analyzers(), texts)
def test_native_equals_reference_with_any_steps(analyzer: Analyzer, text: str) -> None:
    assert_laws(analyzer, text)


WORD_STEPS = ("negation", "stop_words", "keep_words", "lemmas", "stems", "keep_tags", "header_fields")


@pytest.mark.parametrize("step", [step for step in STEPS if set(step) & set(WORD_STEPS)], ids=str)
def test_what_happens_to_words_leaves_them_where_they_are(step: dict[str, Any]) -> None:
    for text in TRAPS + invent(7, 30):
        places = {(start, end) for _, start, end in Analyzer().tokens(text)}
        assert {(start, end) for _, start, end in Analyzer(**step).tokens(text)} <= places


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_terms_depend_on_no_batch_and_no_thread(step: dict[str, Any]) -> None:
    documents = TRAPS + invent(3, 40)
    blanks = " " * 38_000  # so that there are several ranges of documents
    documents += ["the hen and the fox " * 400, *documents, "not like hens " * 300 + blanks] * 3
    analyzer = Analyzer(**step)
    counters = [TermCounter(analyzer, threads=threads) for threads in (1, 2)]
    matrices = [counter.fit_transform(documents) for counter in counters]
    assert list(counters[0].get_feature_names_out()) == list(counters[1].get_feature_names_out())
    assert (matrices[0] != matrices[1]).nnz == 0
    for i in (0, 1, 2, 50):
        assert (counters[0].transform([documents[i]]) != matrices[0][[i]]).nnz == 0
    assert matrices[0].sum() == sum(len(analyzer.terms(text)) * documents.count(text) for text in {*documents})
    assert matrices[0].sum(axis=0).min() > 0 if matrices[0].nnz else True  # a term that nobody has is no term


@given(analyzers())
def test_a_recipe_survives_json_pickle_and_replace(analyzer: Analyzer) -> None:
    for again in (
        Analyzer.from_dict(json.loads(json.dumps(analyzer.to_dict()))),
        pickle.loads(pickle.dumps(analyzer)),
        analyzer.replace(),
    ):
        assert again == analyzer
        assert hash(again) == hash(analyzer)
        assert again.terms(TRAPS[1]) == analyzer.terms(TRAPS[1])


def test_any_two_steps_make_another_recipe() -> None:
    made = [Analyzer(**step) for step in STEPS]
    assert all(a != b for a, b in combinations(made, 2))

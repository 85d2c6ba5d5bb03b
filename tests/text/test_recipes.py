"""Laws 1 and 8 for every step of a recipe and for every two of them, and that terms depend on nothing else."""

import json
import pickle
import random
import re
from itertools import combinations
from typing import Any

import pytest
from helpers.analyzer_recipes import STEPS, analyzers, fits
from helpers.invented_texts import FRAGMENTS, texts
from hypothesis import given
from hypothesis import strategies as st

from tercet import Analyzer, TermCounter
from tercet.errors import InvalidOption
from tercet.kernel import _native, reference
from tercet.text.layout import Layout
from tercet.text.recipe import list_options

TRAPS = [
    "",
    "I didn't like the hens, but @dante (http://x.y/z?q=1) paid $300!! :-) #hen <b>not&amp;</b> sooooo loud",
    'Subject: BUY the hen\nTo: me\n\nThe fox isn’t quick. "Not the hen", Über said... 12.5% 你好吗 👨‍👩‍👧 ❤️',
    "The hen\x1fdoesn't like it. (Subject\x1fmutt\x1fthe <b",
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


@given(analyzers(), st.lists(texts.map(lambda text: text.replace("\x1f", " ")), min_size=3, max_size=3), st.booleans())
def test_the_terms_of_a_text_are_those_of_its_columns(analyzer: Analyzer, parts: list[str], fields: bool) -> None:
    plain = analyzer.replace(layout=None)
    fields = fields and analyzer.options["tokens"] != "bytes"
    joined = plain.replace(layout=Layout(["subject", "body"], ["mailer"], fields=fields))
    expected, begin = [], 0
    for prefix, part in zip((b"subject:", b"body:"), parts, strict=False):
        for (kind, tokens), _, spans in reference.Recipe(**list_options(plain)).occurrences(part):
            own = tuple(prefix * fields + token for token in tokens)
            expected.append(((kind, own), [(begin + start, begin + end) for start, end in spans]))
        begin += len(part) + 1
    if parts[2]:
        value = b"mailer=" + parts[2].encode("utf-8", "surrogatepass")
        expected.append(((2, (value,)), [(begin, begin + len(parts[2]))]))
    found = list(reference.Recipe(**list_options(joined)).occurrences("\x1f".join(parts)))
    assert [(key, spans) for key, _, spans in found] == expected
    assert joined.located_terms("\x1f".join(parts)) == [(spelling, spans) for _, spelling, spans in found]


def test_missing_parts_are_empty_and_further_separators_belong_to_the_last() -> None:
    analyzer = Analyzer(layout=Layout(["a", "b"], ["c"], fields=True))
    assert analyzer.terms("") == []
    assert analyzer.terms("so") == ["a:so"]
    assert analyzer.terms("\x1fso") == ["b:so"]
    assert analyzer.terms("so\x1f\x1f") == ["a:so"]
    assert analyzer.terms("so\x1fla\x1fmi\x1fdo") == ["a:so", "b:la", "c=mi\x1fdo"]


def test_negation_and_ngrams_stay_in_their_column() -> None:
    layout = Layout(["a", "b"])
    assert Analyzer(layout=layout, negation="en").terms("not\x1fgood") == ["not", "good"]
    assert Analyzer(layout=layout, word_ngrams=(2, 2), skip_grams=((2, 1),)).terms("so la\x1fmi do") == ["so la", "mi do"]
    assert Analyzer(layout=layout, word_ngrams=None, char_ngrams=(2, 2)).terms("ab\x1fcd") == ["ab", "cd"]
    assert Analyzer(layout=layout, html="strip").terms("<b\x1f> so") == ["b", "so"]


def test_a_word_that_looks_like_a_category_is_another_term() -> None:
    analyzer = Analyzer(layout=Layout(categorical=["mailer"]), tokens="whitespace")
    assert analyzer.terms("mailer=mutt\x1fmutt") == ["word:mailer=mutt", "mailer=mutt"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"texts": ["a"]}, "texts must be two names or more"),
        ({"texts": ["a b", "a_b"]}, "the terms of two columns would both begin with 'a_b'"),
        ({"categorical": ["a", "a"]}, "categorical must be names, each once"),
        ({"categorical": "mailer"}, "categorical must be a list of names of columns"),
        ({"categorical": [""]}, "categorical must be a list of names of columns"),
        ({"categorical": ["a"], "fields": True}, "fields=True needs several text columns"),
        ({"texts": ["a", "b"], "fields": 1}, "fields must be"),
        ({}, "texts and categorical are both empty"),
    ],
)
def test_columns_that_make_no_sense_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidOption, match=re.escape(said)):
        Layout(**options)


def test_columns_of_an_analyzer_are_checked() -> None:
    for wrong in (
        ["a", "b"],
        {"type": "columns", "texts": ["a", "b"]},
        {"type": "columns", "texts": 3, "categorical": [], "fields": 0},
    ):
        with pytest.raises(InvalidOption):
            Analyzer(layout=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="fields=True needs words"):
        Analyzer(tokens="bytes", layout=Layout(["a", "b"], fields=True))


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

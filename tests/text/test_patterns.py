"""Patterns: what is refused and why, where hits are, and that no text makes the search slow."""

import json
import pickle
import random
import re
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import Analyzer, registry
from tercet.errors import InvalidOption, MissingExtra
from tercet.text import patterns as module
from tercet.text.patterns import SPAM_PATTERNS, Pattern, check_patterns, find_patterns

SPAM = check_patterns("spam")
any_text = st.text(st.characters(exclude_categories=[]))


def hits(regex: str, text: str) -> list[str]:
    return [text[start:end] for _, start, end in find_patterns([Pattern("x", regex)], text)]


@pytest.mark.parametrize(
    ("regex", "why"),
    [
        (r"(\w)\1", "backreferences"),
        (r"(?P<a>x)(?P=a)", "backreferences"),
        ("a(?=b)", "lookaround"),
        ("a(?!b)", "lookaround"),
        ("(?<=a)b", "lookaround"),
        ("(?<!a)b", "lookaround"),
        ("(a", r"missing \)"),
        ("a{5000}", "repetition size"),
        ("(?x) a", "wiki/Syntax"),
        ("a*", "can match the empty text"),
        (r"\b", "can match the empty text"),
        ("", "can match the empty text"),
        ("(?m)$", "can match the empty text"),
        (r"a\C", "single byte"),
        ("\ud800", "surrogate"),
    ],
)
def test_what_re2_can_not_do_is_refused_with_the_reason(regex: str, why: str) -> None:
    with pytest.raises(InvalidOption, match=why) as caught:
        Pattern("mine", regex)
    assert "'mine'" in str(caught.value)


@pytest.mark.parametrize(("name", "regex"), [("a b", "x"), ("", "x"), (3, "x"), ("a", 3), ("a", None), ("a", b"x")])
def test_names_and_regexes_are_text(name: str, regex: str) -> None:
    with pytest.raises(InvalidOption):
        Pattern(name, regex)


def test_a_pattern_is_a_value() -> None:
    one = Pattern("money", r"[$€]\d+")
    for other in [pickle.loads(pickle.dumps(one)), Pattern.from_dict(json.loads(json.dumps(one.to_dict())))]:
        assert other == one
        assert hash(other) == hash(one)


def test_patterns_come_in_many_forms() -> None:
    one, two = Pattern("a", "x"), Pattern("b", "y")
    for value in [[one, two], {"a": "x", "b": "y"}, [registry.write(one), two], (("a", "x"), ["b", "y"])]:
        assert check_patterns(value) == (one, two)
    assert check_patterns(None) == ()
    assert {pattern.name: pattern.regex for pattern in SPAM} == SPAM_PATTERNS


@pytest.mark.parametrize("bad", ["x", 3, Pattern("a", "x"), ["a"], [Pattern("a", "x"), Pattern("a", "y")], {"a": "("}])
def test_other_patterns_are_refused(bad: object) -> None:
    with pytest.raises(InvalidOption):
        check_patterns(bad)


def test_places_are_counted_in_characters() -> None:
    assert hits("[$€]+[0-9]+", "😀 €5, ä €€10\ud800 $7") == ["€5", "€€10", "$7"]
    assert hits("(?i)straße", "STRASSE Straße 日本") == ["Straße"]
    assert hits(r"\pL+", "日本 é") == ["日本", "é"]


def test_case_matters_unless_told() -> None:
    assert hits("free", "FREE free") == ["free"]
    assert hits("(?i)free", "FREE free") == ["FREE", "free"]


@given(any_text)
def test_hits_are_those_of_re_where_both_mean_the_same(text: str) -> None:
    for regex in ["[a-z]+", "[^ ]", "(?s)a.", "é|ab|a", "[0-9]{2,3}"]:
        assert hits(regex, text) == [match[0] for match in re.finditer(regex, text)][:100]


@given(any_text)
def test_no_text_breaks_the_search(text: str) -> None:
    for _, start, end in find_patterns(SPAM, text):
        assert 0 <= start < end <= len(text)


def test_a_hundred_hits_count() -> None:
    assert len(hits("é", "é" * 1000)) == 100


N = 1_000_000
HOSTILE = {
    "one letter": "a" * N,
    "two letters": "".join(random.Random(0).choices("ab", k=N)),
    "words": "a " * (N // 2),
    "not ASCII": "aé" * (N // 2),
    "digits": "1 2-" * (N // 4),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(
    "regex", ["a.*b|a", "(a+a+)+b|a", r"(?s)a(?:.*x|)", r"(?i)(\w+\s*)+@|a", r"(.*)(.*)(.*)c|a", "(a|aa)+$|a"]
)
def test_hostile_text_takes_no_long_time(regex: str, text: str) -> None:
    pattern = Pattern("x", regex)
    start = time.perf_counter()
    assert len(find_patterns([pattern], text)) <= 100
    assert time.perf_counter() - start < 5, "0.2 s is usual; without the bound on hits it is minutes"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_does_not_slow_the_spam_patterns(text: str) -> None:
    start = time.perf_counter()
    find_patterns(SPAM, text)
    assert time.perf_counter() - start < 5


FIGURES = {
    "money_amount": [
        *("$1,000", "£5", "USD 300", "€2.5 million", "US$ 10.5 Million", "$ 10.5m", "US$25,000,000.00", "USD 5,000,000.00"),
        *("5,000 USD", "10.5 million US dollars", "50 €", "100 dollars", "Rs. 500", "10,5 Mio. €", "GBP 2.5 Millions"),
    ],
    "millions_of_dollars": ["millions of dollars", "Million US dollars", "$25,500,000.00"],
    "guaranteed": ["100% guaranteed", "100 percent free", "one hundred percent guaranteed"],
    "percent_off": ["50% off", "save up to 70%"],
    "loud_word": ["WINNER"],
    "loud_marks": ["!!!", "$$$"],
    "dear_winner": ["Dear Winner", "dear valued customer"],
    "you_won": ["You have won", "you've been selected", "Congratulations"],
    "urgent": ["URGENT", "Act now"],
    "click_here": ["Click here", "click on this link", "click the link"],
    "unsubscribe": ["Unsubscribe", "opt-out", "removed from our mailing list"],
    "free_offer": ["free trial", "Free 30day trial", "FREE"],
    "no_risk": ["no obligation", "risk-free", "WITHOUT ANY COST"],
    "online_pharmacy": ["online pharmaceutical", "Online Pharmacy", "on-line drugstore", "no prescription"],
    "drug_name": ["Viagra", "v1agra", "V!@gra", "VI4GRA", "v.i.a.g.r.a", "v i a g r a", "c-i-a-l-i-s", "C1alis"],
    "phone_number": ["+44 20 7946 0958", "0800 123 4567", "(555) 123-4567"],
    "bank_details": ["bank account", "Credit Card"],
}


@pytest.mark.parametrize("pattern", SPAM, ids=lambda pattern: pattern.name)
def test_each_spam_pattern_finds_its_figures(pattern: Pattern) -> None:
    for figure in FIGURES[pattern.name]:
        assert find_patterns([pattern], f"so, {figure} or else"), figure
    assert not find_patterns([pattern], "Shall we have lunch in the garden at 12 on Friday, as you said in May 2021?")


def test_words_that_only_look_like_spam_are_not_found() -> None:
    harmless = "We came via graphs, via granite; specialist socialism; a hundred percent of it; $1,500 or 2,000,000 people"
    names = {SPAM[number].name for number, _, _ in find_patterns(SPAM, harmless)}
    assert names == {"money_amount"}


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    module._compile.cache_clear()
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(
        MissingExtra, match=r"patterns need google-re2, which is not installed: pip install 'tercet\[patterns\]'"
    ):
        Pattern("a", "b")


def test_the_order_of_patterns_does_not_matter() -> None:
    one = Analyzer(patterns={"b": "b+", "a": "a+"})
    assert one == Analyzer(patterns={"a": "a+", "b": "b+"})
    for recipe in (one, Analyzer(patterns="spam")):
        assert Analyzer.from_dict(json.loads(json.dumps(recipe.to_dict(), sort_keys=True))) == recipe


def test_many_patterns_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    many = check_patterns({f"p{i}": f"x{i}y" for i in range(200)})
    text = "x7y x199y"
    found = {many[index].name for index, _, _ in find_patterns(many, text)}
    assert found == {"p7", "p199"}
    monkeypatch.setattr(module, "_compile", None)
    assert len(find_patterns(many, text)) == 2

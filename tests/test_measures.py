"""Numbers of a text: figures, bounds, and time."""

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import InvalidOption, InvalidText
from tercet.text.measures import MEASURES, check_measures, measure

FIGURE = '<a href="http://x.org/a?b">WIN</a> $500 now!! Don\'t wait, see www.x.org or HTTPS://y.org?\nOK'


def test_figures() -> None:
    def number(name: str, text: str = FIGURE) -> float:
        return measure(text, [name])[0]

    assert number("n_characters") == len(FIGURE)
    assert number("n_lines") == 2
    assert number("n_lines", "a\n") == 1
    assert number("n_links") == 3
    assert number("n_exclamations") == 2
    assert number("n_questions") == 2
    assert number("markup_share") == (len('<a href="http://x.org/a?b">') + len("</a>")) / len(FIGURE)
    assert number("n_words", "Don't stop, it’s 5 o'clock") == 5
    assert number("mean_word_length", "ab abcd") == 3
    assert number("capital_share", "AbC 12!") == 2 / 3
    assert number("capital_share", "日本") == 0
    assert number("capital_share", "Ⓕⓤn") == 0
    assert number("capital_share", "ⒻN") == 1
    assert number("loud_share", "I AM HERE now") == 0.5
    assert number("digit_share", "a1b2") == 0.5
    assert number("mark_share", "a!_ ") == 0.25


@given(st.text(st.characters(exclude_categories=[])))
def test_all_are_finite_and_shares_are_shares(text: str) -> None:
    numbers = dict(zip(MEASURES, measure(text, MEASURES), strict=True))
    assert all(type(number) is float and math.isfinite(number) and number >= 0 for number in numbers.values())
    assert all(number <= 1 for name, number in numbers.items() if name.endswith("_share"))


def test_the_empty_text_measures_nothing() -> None:
    assert measure("", MEASURES) == (0.0,) * len(MEASURES)


@pytest.mark.parametrize("piece", ["<", "<a", "<a ", "http://", "www.", "a'", "'", "!", "A", "é"])
def test_time_is_linear_in_the_text(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    start = time.perf_counter()
    measure(text, MEASURES)
    assert time.perf_counter() - start < 10, "0.5 s is usual; the square would take an hour"


@pytest.mark.parametrize("bad", ["n_words", 3, None, ["n_word"], [3], ["n_words", "n_words"]])
def test_unknown_names_are_refused(bad: list[str]) -> None:
    with pytest.raises(InvalidOption, match="measures"):
        check_measures(bad)


@pytest.mark.parametrize("bad", [None, b"a", ["a"]])
def test_only_text_is_measured(bad: str) -> None:
    with pytest.raises(InvalidText, match="must be a str"):
        measure(bad, ["n_words"])

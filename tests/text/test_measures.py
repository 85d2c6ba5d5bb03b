"""Numbers of a text: figures, bounds, and time."""

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import Categorizer
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
    assert number("link_count") == number("n_links")
    assert number("html_share") == number("markup_share")


MAIL = (
    "Received: from a.example by b.example\nReceived: from c.example\n  by a.example\nFrom: Bank <info@bank.example>\n"
    "Reply-To: you@free.example\nSubject: YOU win\n\nReceived: no field\nFrom: x@y.example"
)


def test_figures_of_a_header() -> None:
    def number(name: str, text: str = MAIL) -> float:
        return measure(text, [name])[0]

    assert number("n_received") == 2
    assert number("reply_to_differs") == 1
    assert number("reply_to_differs", MAIL.replace("free", "BANK")) == 0
    assert number("reply_to_differs", MAIL.replace("Reply-To", "To")) == 0
    assert number("subject_capital_share") == 0.5
    assert number("image_share", MAIL + "<img width=21 height=100>") == 2100 / (2100 + 3200)
    for name in ("n_received", "reply_to_differs", "subject_capital_share"):
        assert number(name, "no header\n" + MAIL) == 0


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("<img src=a.gif width=30 height='20'> four", 600 / (600 + 400)),
        ('<IMG HEIGHT="4" WIDTH="1">', 1.0),
        ("<img> a", 10_000 / 10_100),
        ("<img width=50%> a", 10_000 / 10_100),
        ("<img width=3D10 height=3D10><b>a</b> b", 100 / 300),
        ("<img width=0 height=0>", 0.0),
        ("<imgs> <p>text</p>", 0.0),
    ],
)
def test_images_are_compared_with_letters_by_area(text: str, share: float) -> None:
    assert measure(text, ["image_share"]) == (share,)


def test_a_categorizer_learns_from_the_measures_of_mails() -> None:
    texts, labels = [MAIL, "<img> buy", "lunch at noon", "see you"], ["spam", "spam", "ham", "ham"]
    names = ["link_count", "html_share", "image_share", "n_received", "reply_to_differs", "subject_capital_share"]
    found = Categorizer(numeric=names).fit(texts, labels).explain("<img> hello")
    assert "image_share = 0.952381" in {item.term for item in found.evidence}


@given(st.text(st.characters(exclude_categories=[])))
def test_all_are_finite_and_shares_are_shares(text: str) -> None:
    numbers = dict(zip(MEASURES, measure(text, MEASURES), strict=True))
    assert all(type(number) is float and math.isfinite(number) and number >= 0 for number in numbers.values())
    assert all(number <= 1 for name, number in numbers.items() if name.endswith("_share"))


def test_the_empty_text_measures_nothing() -> None:
    assert measure("", MEASURES) == (0.0,) * len(MEASURES)


@pytest.mark.parametrize("piece", ["<", "<a", "<a ", "<img width=", "a: b\n", "http://", "www.", "a'", "'", "!", "A", "é"])
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

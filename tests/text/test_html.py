"""HTML becomes text: as Python's own parser sees it where the markup is sound, and in linear time whatever it is."""

import html
from html.entities import name2codepoint
from html.parser import HTMLParser
from typing import Any

import pytest
from helpers.invented_texts import normalize
from hypothesis import given
from hypothesis import strategies as st

from tercet.kernel import _native

PLAIN: dict[str, Any] = {"form": "none", "lowercase": False, "strip_marks": False, "tokens": "words", "min_token_length": 1}


def strip(text: str) -> str:
    return normalize(text, PLAIN | {"html": "strip"}).decode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a<br>b<BR/>c</p>", "a\nb\nc\n"),
        ("<a title=\"1 > 0\" href='x>y'>z</a>", " z "),
        ("<p class=x' >it's <b>", "\nit's  "),
        ("a < b, <3, <, <>, </>, <-, </3, <1>", "a < b, <3, <, <>, </>, <-, </3, <1>"),
        ("<!-- a > b --><!DOCTYPE html><?xml v?><![CDATA[x]]>", "    "),
        ("<!--><!---> a -->", "   a -->"),
        ("<SCRIPT type='x'>if (a<b) '<b>' </scripts> </Script >d", " d"),
        ("<style>p {}</style><scripty>x</scripty>", "  x "),
        ("<script>a<script>b</script>c</script>", " c "),
        ("<!-- a, <script> b, <p c", "<!-- a,   b, <p c"),
        ("&lt;b&gt; &amp;lt; &AMP; &nope; &amp &; & &#; &#x; &#xg;", "<b> &lt; &AMP; &nope; &amp &; & &#; &#x; &#xg;"),
        ("&#65&#x42;&#X43&#0000068;&#128;&#1;&#0;&#xD800;&#9999999999999999999;", "ABCD€\ufffd\ufffd\ufffd"),
        ("&apos;&thetasym;&frac12;&Eacute;", "'ϑ½É"),
    ],
)
def test_markup_becomes_blanks_and_entities_characters(text: str, expected: str) -> None:
    assert strip(text) == expected


def test_numbers_stand_for_the_characters_that_html_unescape_gives() -> None:
    codes = [*range(0x3000), *range(0xD700, 0x10200), *range(0x1FFF0, 0x20010), *range(0x10FFF0, 0x110010)]
    references = [f"&#{code};" for code in codes]
    assert strip("|".join(references)) == "|".join(map(html.unescape, references))
    assert strip("|".join(f"&#x{code:X}" for code in codes)) == "|".join(map(html.unescape, references))


def test_all_names_of_html_4_are_known() -> None:
    text = " ".join(f"&{name};" for name in [*name2codepoint, "apos"])
    assert strip(text) == html.unescape(text)


class Words(HTMLParser):
    """The text as Python's parser finds it, with a blank for all else."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.pieces.append(" ")
        self.inside = tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        self.pieces += [] if self.inside else [" "]
        self.inside = ""

    def handle_data(self, data: str) -> None:
        self.pieces += [] if self.inside else [data]

    def handle_comment(self, data: str) -> None:
        self.pieces.append(" ")

    def handle_decl(self, decl: str) -> None:
        self.pieces.append(" ")


words = st.text(st.sampled_from("abc é1;\n'\"-"), max_size=8)
sound = st.lists(
    st.one_of(
        words,
        st.sampled_from(
            ["<br>", "</p>", "<p>", "<i a=1 b>", "<!DOCTYPE html>", "&amp;", "&#233;", "&#x1F600;", "a < b", "x & y"]
        ),
        st.text("ab>< &;'", max_size=5).map('<a title="{}">'.format),
        st.text('ab>< &;"', max_size=5).map("<a title='{}'>".format),
        st.text("ab<>& ", max_size=5).map("<!--{}x-->".format).filter(lambda c: "<!-->" not in c),
        st.text("ab>&; '", max_size=5).map("<script>{}</script>".format),
    ),
    max_size=8,
).map("".join)


@given(sound)
def test_sound_html_has_the_text_that_pythons_parser_finds(text: str) -> None:
    assert strip(text).replace("\n", " ") == "".join(Words(text).pieces).replace("\n", " ")


HOSTILE = (
    """<|<!--|<script>|<style |<a |<a '|<a "'|<a " <a "|<a "<a '<a '<a "|<a ''<|</script|<script></|<!a|<?|-->|<!--->"""
    "|&|&#|&#1|&amp|#|@|http://|1.|:(|:((x|-_|xD|😀\u200d|1\ufe0f|🇮|\U000e0067|é"
)


@pytest.mark.parametrize("piece", HOSTILE.split("|"))
def test_hostile_text_takes_no_more_time_than_any_other(piece: str) -> None:
    steps = dict.fromkeys(("emoticons", "emoji", "hashtags", "numbers", "urls", "users"), "group")
    options: dict[str, Any] = (
        PLAIN | steps | {"html": "strip", "max_repeats": 2, "punctuation": "delete", "tokens": "whitespace"}
    )
    counter = _native.MatrixCounter(_native.Recipe(**options, word_ngrams=[(1, 1)], char_ngrams=[], char_ngrams_over="text"))
    counter.add(_native.Texts([piece * (2_000_000 // len(piece))]))
    counter.finish()  # or it would never come to an end

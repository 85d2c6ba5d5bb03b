"""The steps of normalisation: what they do, that native and reference do it alike, and that every byte knows its source."""

from itertools import combinations
from typing import Any

import pytest
from helpers.invented_texts import is_agreed, normalize, recipes, steps, triggering_texts
from hypothesis import given

from tercet import Analyzer
from tercet.errors import InvalidOption
from tercet.kernel import _native, reference

PLAIN: dict[str, Any] = {"form": "none", "lowercase": False, "strip_marks": False, "tokens": "words", "min_token_length": 1}
BYTES: dict[str, Any] = {"word_ngrams": [], "char_ngrams": [(1, 1)], "char_ngrams_over": "bytes"}

KINDS = ("emoticons", "emoji", "hashtags", "numbers", "urls", "users")
SETTINGS: list[dict[str, Any]] = [
    *({kind: treatment} for kind in KINDS for treatment in ("group", "delete")),
    *({"html": "strip"}, {"max_repeats": 1}, {"max_repeats": 2}, {"punctuation": "delete"}),
    *({"form": "nfkc"}, {"lowercase": True}, {"strip_marks": True}),
]
RICH = [
    "<p>Hi @ana &#64;bob!!! :-)) 😀#fun #️⃣ 3.14 HTTPS://a.b/C?d=1 Así&eacute;</p>",
    "1️⃣2️⃣ :D8-) 12:30 (^_^) <3&lt;3 <b title='>'>x</b>😂😂😂 @@a##b 1..2.3. http://:)",
    "cooool\u0301\u0301\u0301 ééé 1111 \u0661\u0662.\u0663 …… ¡¡¿¿ ΟΔΟΣ:) İİİ 👍🏽👍🏽 🇮🇹🇮🇹🇮 ©©️ ﬁﬁﬁ ½",
]


def list_bytes(kernel: Any, options: dict[str, Any], text: str) -> list[tuple[str, list[tuple[int, int]]]]:
    terms: list[tuple[str, list[tuple[int, int]]]] = kernel.Recipe(**PLAIN | BYTES | options).list_terms(text)
    return terms


def write(text: str, **options: Any) -> str:
    return normalize(text, PLAIN | options).decode("utf-8", "surrogatepass")


@given(steps(), triggering_texts)
def test_native_normalises_as_the_reference_does(options: dict[str, Any], text: str) -> None:
    assert list_bytes(_native, options, text) == list_bytes(reference, options, text)


@given(recipes(), steps(), triggering_texts)
def test_native_finds_the_terms_of_the_reference_after_all_steps(
    recipe: dict[str, Any], options: dict[str, Any], text: str
) -> None:
    options = recipe | options
    assert _native.Recipe(**options).list_terms(text) == reference.Recipe(**options).list_terms(text)
    assert _native.Recipe(**options).list_tokens(text) == reference.Recipe(**options).list_tokens(text)


@given(recipes(), steps(), triggering_texts)
def test_counting_sees_the_text_that_listing_sees(recipe: dict[str, Any], options: dict[str, Any], text: str) -> None:
    made = _native.Recipe(**recipe | options)
    counter = _native.MatrixCounter(made)
    counter.add(_native.Texts([text]))
    counter.finish()
    counts, columns, _ = counter.matrix()
    terms = counter.vocabulary().terms()
    listed = [term for term, _ in made.list_terms(text)]
    assert {terms[column]: count for column, count in zip(columns, counts, strict=True)} == {  # type: ignore[call-overload]
        term: listed.count(term) for term in listed
    }


@pytest.mark.parametrize("pair", list(combinations(SETTINGS, 2)), ids=str)
def test_any_two_steps_go_together(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    for text in RICH:
        assert list_bytes(_native, pair[0] | pair[1], text) == list_bytes(reference, pair[0] | pair[1], text)


@given(steps(), triggering_texts)
def test_sources_lie_in_the_text_and_never_go_back(options: dict[str, Any], text: str) -> None:
    spans = [span for _, (span,) in list_bytes(_native, options, text)]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)
    assert [end for _, end in spans] == sorted(end for _, end in spans)


def test_the_source_of_a_placeholder_is_the_whole_match() -> None:
    text = "Oh &#64;you sooo 😀👍🏽 at http://x.y/3.14 #1! :-)) <i>Ende</i>"
    analyzer = Analyzer(html="strip", max_repeats=2, tokens="whitespace", **dict.fromkeys(KINDS, "group"))  # type: ignore[arg-type]
    assert [(token.text, text[token.start : token.end]) for token in analyzer.tokens(text)] == [
        ("oh", "Oh"),
        ("_usr", "&#64;you"),
        ("soo", "sooo"),
        ("_emoji", "😀"),
        ("_emoji", "👍🏽"),
        ("at", "at"),
        ("_url", "http://x.y/3.14"),
        ("_htag", "#1!"),
        ("_emoticon", ":-))"),
        ("ende", "Ende"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 3. .3 3.3 1.2.3 1..2", "N N N N NN NN"),
        ("2,500 v2 x.5y ...", "N,N vN xNy ..."),
        ("\u0661\u0662.\u0663 ²½Ⅷ", "N ²½Ⅷ"),
    ],
)
def test_numbers_are_digits_with_one_point(text: str, expected: str) -> None:
    assert write(text, numbers="group") == expected.replace("N", "_num")
    assert write(text, numbers="delete") == expected.replace("N", "")


def test_digits_are_those_of_python() -> None:
    known = [c for c in map(chr, range(0x110000)) if c.isalnum() and is_agreed(c)]
    options = PLAIN | {"tokens": "whitespace", "numbers": "group"}
    recipe = _native.Recipe(**options, word_ngrams=[(1, 1)], char_ngrams=[], char_ngrams_over="text")
    written = [token for token, _, _ in recipe.list_tokens(" ".join(known))]
    assert written == ["_num" if c.isdecimal() else c for c in known]


def test_urls_begin_with_http_in_any_case_and_end_at_a_blank() -> None:
    assert write("HtTpS://A.b/c,\u2003xhttp://y http:// ftp://z", urls="group") == "_url\u2003x_url http:// ftp://z"


def test_users_and_hashtags_end_at_a_blank() -> None:
    assert write("@a.b, @ x@y @@ #c!#d\xa0# ##", users="group", hashtags="group") == "_usr @ x_usr _usr _htag\xa0# _htag"


def test_numbers_go_before_urls_and_those_before_users() -> None:
    assert write("@http://x 5@6", numbers="group", urls="group", users="group") == "_usr _num_usr"


ONE_EMOJI = """
😀 ❤ ❤️ 👍🏽 👨\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈 🏃🏽\u200d♀️\u200d➡️ 🇮🇹 1️⃣ #️⃣ *\u20e3 ©️ ➡️ ☕ ✂ ☎️ 🀄 🅰️ 🈁 ㊗️ ⭐ ⌚ ℹ️ 🫶
🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f
"""


@pytest.mark.parametrize("emoji", ONE_EMOJI.split())
def test_what_is_seen_as_one_picture_is_one_emoji(emoji: str) -> None:
    assert write(f"a{emoji}b {emoji}{emoji}", emoji="group") == "a _emoji b  _emoji  _emoji "
    assert write(f"a{emoji}b {emoji}{emoji}", emoji="delete") == "a b   "


@pytest.mark.parametrize("text", ["1 # * ©®™", "→ ⇒ ➔ ▶ ✈︎ ❤\ufe0e", "🇮", "\ufe0f \u200d \u20e3", "½²❶❝", "你好 가 ñ"])
def test_text_is_no_emoji(text: str) -> None:
    assert write(text, emoji="delete") == text


EMOTICONS = ":) :-) :^) ;) ;-) =) :] :[ :D :-D =D :d :P :p :/ :\\ :| :} :{ :@ :O :o :3 :* :-* :> :< :'( :( :-( ;("
EMOTICONS += " 8-) 8D xD XD xd XDDD :))) :((( X-( (: (-: [: D: ): )-: (; <3 <33 </3 ^_^ ^^ ^.^ ^-^ -_- -__- -.- o_O O_o O.o T_T"
EMOTICONS += " T.T >_< >.< x_x *_* @_@ ;_; =_= u_u n_n $_$ ._. \\o/"


@pytest.mark.parametrize("emoticon", EMOTICONS.split())
def test_emoticons_are_found_unless_a_letter_or_digit_touches_them(emoticon: str) -> None:
    assert write(emoticon, emoticons="group") == " _emoticon "
    assert write(f"ja, {emoticon}!", emoticons="delete") == "ja,  !"
    assert write(f"a{emoticon}", emoticons="delete") == f"a{emoticon}"
    assert write(f"{emoticon}é", emoticons="delete") == f"{emoticon}é"


def test_a_face_may_have_a_brow_and_a_round_nose() -> None:
    assert write(">:( }:) :o) (o:", emoticons="group") == " ".join([" _emoticon "] * 4)


NO_EMOTICONS = "http://x|1) 8) 9)|12:30|Step 3: x|f(x)|(x)|a => b|x >= 3, x <= 3|a <- b|8-3 8*(2)|C:/|...|--|a: (b)"
NO_EMOTICONS += "|Windows XP|(a): b|**Note:** b|a;|x.x|0.0|o|D|<30|:-|: )"


@pytest.mark.parametrize("text", NO_EMOTICONS.split("|"))
def test_text_is_no_emoticon(text: str) -> None:
    assert write(text, emoticons="delete") == text


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("cooool", 2, "cool"),
        ("cooool", 1, "col"),
        ("cooool", 3, "coool"),
        ("1000   !!!", 1, "1000   !"),
        ("éééa\u0301\u0301\u0301", 2, "ééa\u0301\u0301"),
        ("哈哈哈哈😀😀😀", 2, "哈哈😀😀"),
        ("\u0661\u0661\u0661\n\n\n\u2003\u2003", 1, "\u0661\u0661\u0661\n\n\n\u2003\u2003"),
        ("abab", 1, "abab"),
    ],
)
def test_runs_are_shortened_but_never_those_of_digits_and_blanks(text: str, most: int, expected: str) -> None:
    assert write(text, max_repeats=most) == expected


def test_punctuation_is_the_set_of_microtc() -> None:
    assert write("".join(map(chr, range(33, 127))), punctuation="delete") == (
        "#$%&*+0123456789=ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz"
    )
    assert write("a…b“c・d”e’f¿g¡h«i»j—k", punctuation="delete") == "abcdefgh«i»j—k"


def test_a_bad_treatment_is_named_with_what_it_got() -> None:
    with pytest.raises(InvalidOption, match="emoji must be one of keep, group, delete, got 'drop'"):
        Analyzer(emoji="drop")  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="html must be one of keep, strip, got 'delete'"):
        Analyzer(html="delete")  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="max_repeats must be an int >= 1, got 0"):
        Analyzer(max_repeats=0)

"""Texts and recipes that can be invented: what hypothesis draws from."""

import unicodedata
from typing import Any

from hypothesis import strategies as st

from tercet.kernel import _native


def is_agreed(c: str) -> bool:
    """Whether the kernel's Unicode version and Python's both know the character, or neither does."""
    return (unicodedata.category(c) != "Cn") == _native.is_assigned(ord(c))


def list_characters() -> list[str]:
    """Every character that both know; of large uniform blocks one in 97, and some that nobody knows."""
    codes = [c for c in range(0x32400) if unicodedata.category(chr(c)) not in ("Cn", "Co", "Cs")]
    uniform = [c for c in codes if 0x3400 <= c < 0x9FFF or 0xAC00 <= c < 0xD7A4 or 0x17000 <= c < 0x18D00 or c >= 0x20000]
    chosen = sorted({*codes} - {*uniform} | {*uniform[::97]} | {*range(0x32400, 0x110000, 997)} | {*range(0xE0000, 0xE0200)})
    return [chr(c) for c in chosen if is_agreed(chr(c))]


# Where scripts, marks, cases and blanks have their traps.
FRAGMENTS = [
    *(
        "the",
        "The hen",
        "a",
        "I",
        "don't",
        "didn't like this movie, but",
        "Subject: hen\nTo: you\n\n",
        "not",
        "~",
        "PATTERN:the",
        "#tag 3.5",
        "x_1",
        "ODYSSEUS",
        " ",
        "  ",
        "\n",
        "\t \n",
        "\x00",
        "\x1c",
        "\x1f",
        "so\x1f",
        "mailer=the",
        "\x85",
        "\xa0",
        "\u2028",
    ),
    *("Σ", "ΟΔΟΣ", "ΑΣ'", "'Σ", "İ", "ı", "ß", "ﬁ", "½", "²", "Ⅷ", "ŉ", "K", "Å"),
    *("é", "e\u0301", "\u0301", "q\u0307\u0323", "\u0344", "\u0958", "\u1e9b\u0323", "\u2126", "\u212b", "ö\u0304"),
    *("한국", "\u1112\u1161\u11ab", "가\u11a8", "\u11a8", "हिन्दी", "நீர்", "ক্ষ", "\u09c7\u09be", "می\u200cخواهم"),
    *("你好吗", "日本語テスト", "ภาษาไทย", "ខ្មែរ", "ພາສາ", "မြန်မာ", "你a", "a你", "๑๒", "ー", "々", "～"),
    *(
        "❤️",
        "👨\u200d👩\u200d👧",
        "🇮🇹",
        "!!",
        "¿",
        "…",
        "\ud800",
        "\udfff",
        "\ud83d\ude00",
        "\U0010ffff",
        "\ufffe",
        "\u0378",
        "\ue000",
    ),
]

# Left out rather than filtered: hypothesis draws a text at once, where it would draw each character.
UNAGREED = "".join(c for c in map(chr, [*range(0x34000), *range(0xE0000, 0xE0200)]) if not is_agreed(c))
EVERY_CHARACTER = list_characters()
characters = st.characters(codec=None, categories=None, exclude_characters=UNAGREED)
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(characters, max_size=8), max_size=12).map("".join)
collections = st.lists(texts, max_size=6)

# What the steps of normalisation look for, and what comes close.
TRIGGERS = """
<b> </p> <a x=" '> <!-- --> <script> </script> <style <!d> < > </ &amp; &#64; &#x23 &#128; &eacute; &#0; &#xD800; &no; & &# ;
: :-) :((( =D 8-) 8 xD XDDD (: D: <3 </3 ^_^ ^^ -_- o_O T.T >_< - o * ' ^ _ __ . ) ( D P 3 \\o/ x = }
😀 👍🏽 🏽 🇮🇹 🇮 1\ufe0f\u20e3 \u20e3 \ufe0f \ufe0e \u200d © ❤ ♂ → 🏴 \U000e0067
# #a @ @b 1 23 4.5 .6 \u0661 http:// HTTPS:// https :// x/y … “ ¿ !!! ooo ééé a B é e\u0301 İ 你
"""
triggers = st.sampled_from([*TRIGGERS.split(), " ", " ", "</STYLE >", *FRAGMENTS])
triggering_texts = st.lists(triggers | st.text(characters, max_size=3), max_size=14).map("".join)

lengths = st.tuples(st.integers(1, 3), st.integers(0, 2)).map(lambda t: (t[0], t[0] + t[1]))
ranges = lengths.map(lambda one: [one]) | st.sampled_from([[(1, 1), (3, 3)], [(2, 2), (4, 5)]])
TOKENS = ["words", "words_and_marks", "regex_words", "tweet_words", "treebank", "whitespace", "characters", "bytes"]
WORDS = ["the", "The hen", "don't", "a", "x_1", "İ", "é", "!!", "你好", "Σ", "", "hen the", "I"]
PREFIXES = ["th*", "the*", "hen t*", "é*", "!*"]
word_lists = st.none() | st.lists(st.sampled_from(WORDS), max_size=5)


def find_forms(words: list[str]) -> list[str | None]:
    """Forms that depend on the word alone: some shorter, some longer, some gone."""
    return [None if word in ("a", "hen") else word[:3] + "+" * (len(word) > 5) for word in words]


def find_marks(text: str) -> tuple[list[tuple[int, int, int]], list[tuple[int, int]]]:
    """A hit for each two characters that are equal, and every other three characters kept."""
    hits = [(i % 2, i, i + 2) for i in range(len(text) - 1) if text[i] == text[i + 1]]
    return hits, [(i, i + 3) for i in range(0, len(text), 6)]


@st.composite
def recipes(draw: st.DrawFn) -> dict[str, Any]:
    """The options of a kernel's Recipe."""
    word_ngrams = draw(st.just([]) | ranges)
    options = {
        "form": draw(st.sampled_from(["none", "nfc", "nfkc", "nfd"])),
        "neutral": draw(word_lists),
        "lowercase": draw(st.booleans()),
        "strip_marks": draw(st.booleans()),
        "tokens": draw(st.sampled_from(TOKENS)),
        "min_token_length": draw(st.integers(1, 3)),
        "word_ngrams": word_ngrams,
        "char_ngrams": draw(ranges if not word_ngrams else st.just([]) | ranges),
        "char_ngrams_over": draw(st.sampled_from(["text", "words", "bytes", "marked_text", "word_bytes"])),
    }
    options |= draw(rules(options)) if draw(st.booleans()) else {}
    prefixes = st.just([""]) if options["tokens"] == "bytes" else st.sampled_from([["", ""], ["é:", "body:"]])
    categories = st.sampled_from([[], [("mailer=", True)], [("mailer=", True), ("a=", True)]])
    columns = st.builds(lambda texts, names: [*((text, False) for text in texts), *names], prefixes, categories)
    return options | {"columns": draw(st.just([]) | columns)}


@st.composite
def rules(draw: st.DrawFn, options: dict[str, Any]) -> dict[str, Any]:
    """What may happen to tokens, and terms beside them."""
    chosen: dict[str, Any] = {"header_fields": options["tokens"] != "bytes" and draw(st.booleans())}
    if options["word_ngrams"]:
        chosen["skip_grams"] = draw(st.lists(st.tuples(st.integers(2, 3), st.integers(1, 2)), max_size=2))
    if options["tokens"] == "bytes":
        return chosen
    lexicon = draw(st.lists(st.lists(st.sampled_from([*WORDS, *PREFIXES]), max_size=4), max_size=2))
    marks = draw(st.booleans())
    return chosen | {
        "stop_words": draw(word_lists),
        "stops_forms": draw(st.booleans()),
        "kept_words": draw(st.none() | st.just([*WORDS, "hen", "not", "movie"])),
        "negation": draw(word_lists),
        "lexicon": lexicon,
        "find_forms": draw(st.sampled_from([None, find_forms])),
        "find_marks": find_marks if marks else None,
        "keeps_marked": marks and draw(st.booleans()),
        "features": [f"LEX:{i}" for i in range(2 * len(lexicon))] + ["PATTERN:the", "the"] * marks,
    }


PLAIN: dict[str, Any] = {"word_ngrams": [], "char_ngrams": [(1, 1)], "char_ngrams_over": "bytes", "skip_grams": []}
PLAIN |= {"find_marks": None, "find_forms": None, "features": [], "lexicon": [], "keeps_marked": False}


@st.composite
def steps(draw: st.DrawFn) -> dict[str, Any]:
    """The options of a Recipe that concern normalisation; those that stay out have their defaults."""
    treatment = st.sampled_from(["keep", "group", "delete"])
    kinds = ("emoticons", "emoji", "hashtags", "numbers", "urls", "users")
    every = {
        "form": st.sampled_from(["none", "nfc", "nfkc", "nfd"]),
        "lowercase": st.booleans(),
        "strip_marks": st.booleans(),
        "html": st.sampled_from(["keep", "strip"]),
        "max_repeats": st.none() | st.integers(1, 3),
        "punctuation": st.sampled_from(["keep", "delete"]),
        "neutral": st.just(["a", "B", "é", "1", "x", "你"]),
    } | dict.fromkeys(kinds, treatment)
    return draw(st.fixed_dictionaries({}, optional=every))


def normalize(text: str, options: dict[str, Any]) -> bytes:
    """A text after normalisation alone: its single bytes as the kernel lists them, unescaped and joined."""
    recipe = _native.Recipe(**options | PLAIN)
    terms = (term for term, _ in recipe.list_terms(text))
    return b"".join(term.encode("latin-1").decode("unicode_escape").encode("latin-1") for term in terms)

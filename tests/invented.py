"""Texts and recipes that can be invented: what hypothesis draws from."""

import unicodedata
from typing import Any

from hypothesis import strategies as st

from tercet.kernel import _native


def is_agreed(c: str) -> bool:
    """Whether the kernel's Unicode version and Python's both know the character, or neither does."""
    return (unicodedata.category(c) != "Cn") == _native.is_assigned(ord(c))


# Where scripts, marks, cases and blanks have their traps.
FRAGMENTS = [
    *(
        "the",
        "The hen",
        "a",
        "I",
        "don't",
        "x_1",
        "ODYSSEUS",
        " ",
        "  ",
        "\n",
        "\t \n",
        "\x00",
        "\x1c",
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

characters = st.characters(codec=None, categories=None).filter(is_agreed)
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(characters, max_size=8), max_size=12).map("".join)
collections = st.lists(texts, max_size=6)

lengths = st.tuples(st.integers(1, 3), st.integers(0, 2)).map(lambda t: (t[0], t[0] + t[1]))


@st.composite
def recipes(draw: st.DrawFn) -> dict[str, Any]:
    """The options of a kernel's Recipe."""
    word_ngrams = draw(st.none() | lengths)
    return {
        "form": draw(st.sampled_from(["none", "nfc", "nfkc"])),
        "lowercase": draw(st.booleans()),
        "strip_marks": draw(st.booleans()),
        "tokens": draw(
            st.sampled_from(["words", "words_and_marks", "regex_words", "whitespace", "treebank", "characters", "bytes"])
        ),
        "min_token_length": draw(st.integers(1, 3)),
        "word_ngrams": word_ngrams,
        "char_ngrams": draw(lengths if word_ngrams is None else st.none() | lengths),
        "char_ngrams_over": draw(st.sampled_from(["text", "words", "bytes"])),
    }


def normalize(text: str, options: dict[str, Any]) -> bytes:
    """A text after normalisation alone: its single bytes as the kernel lists them, unescaped and joined."""
    recipe = _native.Recipe(**options | {"word_ngrams": None, "char_ngrams": (1, 1), "char_ngrams_over": "bytes"})
    terms = (term for term, _ in recipe.list_terms(text))
    return b"".join(term.encode("latin-1").decode("unicode_escape").encode("latin-1") for term in terms)

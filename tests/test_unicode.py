"""The kernel's Unicode tables against Python's, on every character that both know."""

import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from invented import is_agreed, normalize, texts

from tercet.kernel import _native, reference

BASE: dict[str, Any] = {
    "form": "none",
    "lowercase": False,
    "strip_marks": False,
    "tokens": "characters",
    "min_token_length": 1,
    "word_ngrams": [(1, 1)],
    "char_ngrams": [],
    "char_ngrams_over": "text",
}


def contexts() -> Iterator[str]:
    """Every known character between letters, alone, and beside a sigma; of large uniform blocks one in 97."""
    codes = [c for c in range(0x32400) if unicodedata.category(chr(c)) not in ("Cn", "Co", "Cs")]
    uniform = [c for c in codes if 0x3400 <= c < 0x9FFF or 0xAC00 <= c < 0xD7A4 or 0x17000 <= c < 0x18D00 or c >= 0x20000]
    chosen = sorted({*codes} - {*uniform} | {*uniform[::97]} | {*range(0x32400, 0x110000, 997)} | {*range(0xE0000, 0xE0200)})
    agreed = [chr(c) for c in chosen if is_agreed(chr(c))]
    for i in range(0, len(agreed), 500):
        yield "".join(f"x{c}y \u0301Σ{c} " for c in agreed[i : i + 500])


@pytest.mark.parametrize(
    "options",
    [
        {"tokens": "words"},
        {"tokens": "words_and_marks"},
        {"tokens": "regex_words"},
        {"tokens": "whitespace"},
        {"tokens": "treebank"},
        {"lowercase": True},
        {"form": "nfc"},
        {"form": "nfkc"},
        {"strip_marks": True},
    ],
    ids=str,
)
def test_every_character_is_what_python_says(options: dict[str, Any]) -> None:
    native, plain = _native.Recipe(**BASE | options), reference.Recipe(**BASE | options)
    for text in contexts():
        assert native.list_tokens(text) == plain.list_tokens(text)


def whole_text(text: str, **options: Any) -> str:
    return normalize(text, BASE | options).decode("utf-8", "surrogatepass")


@given(texts)
def test_normal_forms_and_lower_case_are_pythons(text: str) -> None:
    assert whole_text(text, form="nfc") == unicodedata.normalize("NFC", text)
    assert whole_text(text, form="nfkc") == unicodedata.normalize("NFKC", text)
    assert whole_text(text, form="nfd") == unicodedata.normalize("NFD", text)
    assert whole_text(text, lowercase=True) == text.lower()


def test_a_long_run_of_marks_is_put_in_order() -> None:
    text = "a" + "\u0301\u0323" * 5000
    assert whole_text(text, form="nfc") == unicodedata.normalize("NFC", text)


def test_the_kernel_names_its_unicode_version() -> None:
    assert _native.unicode_version == "15.1.0"

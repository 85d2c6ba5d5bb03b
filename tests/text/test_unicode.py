"""The kernel's Unicode tables against Python's, on every character that both know."""

import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.invented_texts import EVERY_CHARACTER, normalize, texts
from hypothesis import given

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
    """Every character between letters, alone, and beside a sigma."""
    for i in range(0, len(EVERY_CHARACTER), 500):
        yield "".join(f"x{c}y \u0301Σ{c} " for c in EVERY_CHARACTER[i : i + 500])


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
    options = BASE | {"tokens": "whitespace"} | options
    native, plain = _native.Recipe(**options), reference.Recipe(**options)
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

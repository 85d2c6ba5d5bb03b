"""Wrongly decoded texts: what one wrong decoding does is undone, and right texts stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.auditing.doctor.decoding import describe_damage, repair_decoding

RIGHT = [
    "CAFÉ”", "NESCAFÉ® und Spaß“", "Úžasný ÚŽAS", "“MANHÃ”", "AMANHÃ…", "café…”", "été…»", "CAFÉ\xa0!", "10 × 20 °C",
    "ÖSTERREICH–WIEN", "naïve façade", "Größe", "Ærø", "日本語", "Привет", "5² Ω", "¿Qué?", "l’été", "a\u0085b", "Ð ÑÒÓ",
]  # fmt: skip


@pytest.mark.parametrize("text", RIGHT)
def test_right_texts_stay(text: str) -> None:
    assert (repair_decoding(text), describe_damage(text)) == (text, "")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@pytest.mark.parametrize(
    "text", ["café", "don’t", "Über", "naïve – so", "£5", "日本語", "Привет", "“so”", "😀", "à la carte", "½", "ß"]
)
def test_one_wrong_decoding_is_undone(text: str, encoding: str) -> None:
    wrong = text.encode().decode("latin-1")
    if encoding == "cp1252":
        wrong = "".join(bytes([ord(c)]).decode("cp1252", "ignore") or c for c in wrong)
    assert len(wrong) > len(text)
    assert repair_decoding(f"A text with {wrong} in it") == f"A text with {text} in it"
    assert describe_damage(wrong)


def test_two_wrong_decodings_are_undone() -> None:
    assert repair_decoding("café".encode().decode("cp1252").encode().decode("cp1252")) == "café"


def test_windows_characters_that_were_read_as_latin_are_repaired() -> None:
    assert repair_decoding("it\x92s \x93so\x94") == "it’s “so”"
    assert describe_damage("it\x92s") == "'\\x92' should be '’'."


def test_a_control_character_that_no_encoding_explains_is_reported_and_stays() -> None:
    assert repair_decoding("J\x94rg \x81") == "J\x94rg \x81"
    assert describe_damage("J\x94rg") == "It has the control character '\\x94'."


@given(st.text())
def test_repair_ends_and_never_makes_a_text_longer(text: str) -> None:
    repaired = repair_decoding(text)
    assert len(repaired) <= len(text)
    if text.isascii():
        assert repaired == text

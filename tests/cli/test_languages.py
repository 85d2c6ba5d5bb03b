"""tercet languages, with tiny models of invented languages."""

import csv
import io
import json
import os
import shlex
from pathlib import Path

import pytest
from helpers.command_line import Shell
from helpers.language_models import COMMON_LABELS, invent_texts, make_sources, write_tiny_models

from tercet.cli.languages import command
from tercet.languages import installing
from tercet.languages.codes import shorten_label
from tercet.languages.installing import name_model_file


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_models(tmp_path_factory.mktemp("models"))


@pytest.fixture(autouse=True)
def cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERCET_CACHE", str(folder))


TEXTS = [text for label in COMMON_LABELS for text in invent_texts(label, 3)]


def test_each_line_has_a_language(shell: Shell) -> None:
    Path("texts.txt").write_text("\n".join([*TEXTS, "", "12345"]) + "\n")
    lines = shell.do("tercet languages texts.txt").out.splitlines()
    assert len(lines) == len(TEXTS) + 2
    expected = [shorten_label(label) for label in COMMON_LABELS for _ in range(3)]
    right = sum(line.split("\t")[0] == code for line, code in zip(lines, expected, strict=False))
    assert right > 0.8 * len(TEXTS)
    assert lines[-2:] == ["und\t1.000000\tunknown"] * 2
    assert shell.do("tercet languages - < texts.txt").out.splitlines() == lines


def test_a_text_file_is_never_taken_for_a_table(shell: Shell) -> None:
    Path("texts.txt").write_text("a,b\nc,d\n1,2\n")
    Path("texts").write_text("a,b\nc,d\n1,2\n")
    assert len(shell.do("tercet languages texts.txt").out.splitlines()) == 3
    assert len(shell.do("tercet languages texts").out.splitlines()) == 3


def test_the_forms_agree(shell: Shell) -> None:
    Path("texts.txt").write_text("\n".join(TEXTS) + "\n")
    plain = [line.split("\t") for line in shell.do("tercet languages texts.txt --top 2").out.splitlines()]
    table = list(csv.reader(io.StringIO(shell.do("tercet languages texts.txt --top 2 --csv").out)))
    objects = [json.loads(line) for line in shell.do("tercet languages texts.txt --top 2 --json").out.splitlines()]
    assert table[0] == ["language", "probability", "name", "language_2", "probability_2", "name_2"]
    assert table[1:] == [row + [""] * (6 - len(row)) for row in plain]
    assert [found["language"] for found in objects] == [row[0] for row in plain]
    assert [found["languages"][0]["language"] for found in objects] == [row[0] for row in plain]


def test_columns_are_kept_and_formulas_defused(shell: Shell) -> None:
    text = TEXTS[0]
    with Path("t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "text", "language"), ("=1+1", text, "old")])
    rows = list(csv.DictReader(io.StringIO(shell.do("tercet languages t.csv --text text --csv --keep").out)))
    assert rows[0]["id"] == "'=1+1"
    assert rows[0]["language"] == "old"
    assert rows[0]["found_language"] == "mt"
    rows = list(csv.DictReader(io.StringIO(shell.do("tercet languages t.csv --text text --csv --columns id").out)))
    assert list(rows[0]) == ["id", "language", "probability", "name"]


def test_segments_have_places(shell: Shell) -> None:
    text = f"{' '.join(TEXTS[:3])} {' '.join(invent_texts('kir_Cyrl', 2))}"
    found = [
        json.loads(line)
        for line in shell.do(f"tercet languages --segments --json --string {shlex.quote(text)}").out.splitlines()
    ]
    assert [part["language"] for part in found] == ["mt", "ky"]
    assert all(text[part["start"] : part["end"]] == part["text"] for part in found)


def test_scripts_only_strict_and_unknown(shell: Shell) -> None:
    Path("texts.txt").write_text("\n".join(TEXTS) + "\n")
    only = shell.do("tercet languages texts.txt --scripts --only mt,uz").out
    assert {line.split("\t")[0] for line in only.splitlines()} == {"mlt_Latn", "uzb_Latn", "und"}
    guessed = shell.do("tercet languages texts.txt --no-unknown --strict --model small").out
    assert "und\t" not in guessed


def test_one_bare_word_is_a_text(shell: Shell) -> None:
    for word in ("rahmat", "Salom!", "'yo‘q'", "'rahmat?'"):
        assert len(shell.do(f"tercet languages {word}").out.splitlines()) == 1
    assert shell.do("tercet languages rahmat").out.startswith("uz\t")
    assert shell.do("tercet languages rahmat --prior uniform").out
    Path("rahmat").write_text("\n".join(TEXTS[:3]))
    assert len(shell.do("tercet languages rahmat").out.splitlines()) == 3
    for path in ("rahmat.csv", "data/rahmat", "./salom", "salom_1", "salom*"):
        assert "file" in shell(f"tercet languages '{path}'").err


@pytest.mark.parametrize(
    "line",
    [
        "tercet languages",
        "tercet languages --build a b",
        "tercet languages - -",
        "tercet languages --top 2 --segments 'a b'",
        "tercet languages --only xx 'a b'",
        "tercet languages nofile.txt",
        "tercet languages --model huge 'a b'",
        "tercet languages 'a b' --models nowhere",
    ],
)
def test_what_the_user_can_fix_is_code_2(shell: Shell, line: str) -> None:
    assert shell(line).code == 2


def test_the_build_lists_its_sources(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "read_sources", lambda folder, say: make_sources())
    told = shell.do("tercet languages --build --models built")
    assert "invented" in told.out
    assert "CC0-1.0" in told.out
    assert sorted(os.listdir("built")) == sorted(name_model_file(name).name for name in ("full", "small", "wide"))
    assert shell.do(f"tercet languages --models built --string {shlex.quote(TEXTS[0])}").out.startswith("mt\t")


def test_examples_run_as_printed(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(installing, "read_sources", lambda folder, say: make_sources())
    monkeypatch.setenv("TERCET_CACHE", str(write_tiny_models(tmp_path / "cache")))
    told = shell.do("tercet languages --help").out
    for line in command.examples:
        assert line in told
        shell.do(line.replace("de,fr,it", "mt,uz"))

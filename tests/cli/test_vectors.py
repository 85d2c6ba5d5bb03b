"""tercet train with word vectors: what it says, tables that are refused, and texts that are too few."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Shell, refuse

import tercet

TABLE = "good 3 0\ngreat 3 1\nlovely 3 -1\nbad -3 0\nawful -3 1\ndull -3 -1\nfilm 0 3\nplot 0 2\na 0 1\n"
DATA = "text,label\na good film,pos\na great plot,pos\na bad film,neg\nan awful plot,neg\n"


def write(**files: str) -> None:
    for name, content in files.items():
        Path(f"{name}.txt").write_text(content)


def test_train_says_that_vectors_are_used(shell: Shell) -> None:
    write(data=DATA, table=TABLE)
    outcome = shell.do("tercet train data.txt -o m.tercet --format csv --vectors table.txt")
    assert "stack of linear models and word vectors" in outcome.out
    assert "tercet[vectors]" not in outcome.out
    assert shell.do('tercet predict m.tercet "a lovely film" "a dull film"').out.split()[::2] == ["pos", "neg"]


def test_train_says_that_vectors_of_another_script_are_left_out(shell: Shell) -> None:
    write(data=DATA, table="好 1 2\n坏 2 1\n")
    out = shell.do("tercet train data.txt -o m.tercet --format csv --vectors table.txt").out
    assert (
        "the word vectors list only 0 % of the words, so the texts are probably in another language: they are left out" in out
    )
    assert "and word vectors" not in out


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("good 1 2\nbad nan 1\n", "not finite"),
        ("good 1 2\nbad 0 0\n", "only zeros"),
        ("good 1 2\ngood 2 1\n", "there twice"),
        ("good 1 2\nbad 1\n", "has 1 numbers, and 2 are expected"),
        ("", "has no vectors"),
    ],
)
def test_bad_tables_are_refused_in_one_line_and_nothing_is_written(shell: Shell, table: str, said: str) -> None:
    write(data=DATA, table=table)
    line = refuse(shell, "tercet train data.txt -o refused.tercet --format csv --vectors table.txt")
    assert said in line
    assert not Path("refused.tercet").exists()


def test_one_text_for_each_label_is_learned_without_an_estimate(shell: Shell) -> None:
    write(data="text,label\na good film,pos\na bad film,neg\nthe plot,none\n")
    said = "the accuracy is not known. Give each label two texts or more."
    for option in ("", "--fast", "--model svm"):
        out = shell.do(f"tercet train data.txt -o m.tercet --format csv {option}").out
        assert said in out
        assert "macro_f1" not in out
        found = json.loads(shell.do(f"tercet train data.txt -o m.tercet --format csv {option} --json").out)
        assert (found["estimate"], found["confusions"], said in found["doubt"]) == (None, [], True)
        model = tercet.load("m.tercet")
        assert model.predict(["a good film"]).tolist() == ["pos"]
        assert "macro_f1" not in shell.do("tercet inspect m.tercet").out

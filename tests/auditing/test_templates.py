"""Templates: a sentence for each combination of words, with the groups of the words as columns; clear errors for the rest."""

import json
from pathlib import Path
from typing import Any

import pytest

from tercet.auditing.audit.templates import fill_templates, read_templates, read_words
from tercet.errors import InvalidFile, InvalidOption

PERSON = {"person": ["he", "my aunt"], "gender": ["m", "f"]}


def test_each_template_has_all_combinations_of_its_words() -> None:
    templates = ["{person} feels {mood} and {tense}.", "I saw {person}."]
    filled = fill_templates(templates, {"person": PERSON, "mood": ["sad", "glad"], "tense": ["calm"]})
    assert filled.texts == [
        "He feels sad and calm.",
        "He feels glad and calm.",
        "My aunt feels sad and calm.",
        "My aunt feels glad and calm.",
        "I saw he.",
        "I saw my aunt.",
    ]
    assert list(filled.columns) == ["template", "person", "mood", "tense", "gender"]
    assert filled.columns["template"] == [templates[0]] * 4 + [templates[1]] * 2
    assert filled.columns["mood"] == ["sad", "glad"] * 2 + ["", ""]
    assert filled.columns["gender"] == ["m", "m", "f", "f", "m", "f"]


def test_columns_of_one_table_vary_together() -> None:
    table = PERSON | {"self": ["himself", "herself"]}
    filled = fill_templates(["{person} hurt {self}, {person}."], {"person": table})
    assert filled.texts == ["He hurt himself, he.", "My aunt hurt herself, my aunt."]


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        ("{word} ran", "My élan ran"),
        ("So {word} ran", "So my élan ran"),
        ("I ran. {word} ran! ({word}) {word}", "I ran. My élan ran! (My élan) my élan"),
        ('"{word}"', '"My élan"'),
        ("e.g. {{{word}}} {{}}", "e.g. {my élan} {}"),
        ("{{{word}", "{my élan"),
    ],
)
def test_a_word_at_the_beginning_of_a_sentence_gets_a_capital_letter(template: str, sentence: str) -> None:
    assert fill_templates([template], {"word": ["my élan"]}).texts == [sentence]


@pytest.mark.parametrize(
    ("templates", "words", "message"),
    [
        (["{person} ran", "{mod} ran"], {"person": PERSON, "mood": ["sad"]}, "the slot 'mod' .* Did you mean 'mood'?"),
        (["{person} ran"], {"person": PERSON, "mood": ["sad"]}, "no template has the slot 'mood'"),
        (["{person} ran"], {"person": []}, "'person' has no words"),
        (["{person} ran"], {"person": ["he", " "]}, "word 1 of the slot 'person'"),
        (["{person} ran"], {"person": ["he", None]}, "word 1 of the slot 'person'"),
        (["{person} ran"], {"person": ["he", "she", "he"]}, "'he' is twice"),
        (["{person} ran", "{person} ran"], {"person": PERSON}, "it is there twice"),
        (["{person} ran"], {"person": {"name": ["he"]}}, "no column 'person': there is 'name'"),
        (["{person} ran"], {"person": {"person": ["he"], "gender": []}}, "the same length"),
        (["{person} ran"], {"person": PERSON | {"text": ["a", "b"]}}, "a column 'text': this name is taken"),
        (["{person} is {mood}"], {"person": PERSON, "mood": {"mood": ["sad"], "gender": ["m"]}}, "have a column 'gender'"),
        (["{person} ran"], {"person": "he"}, "must be a list, or columns"),
        (["{person} ran"], {1: ["he"]}, "a slot must be a str"),
        (["He ran"], {"person": PERSON}, "it has no slot"),
        (["{person ran"], {"person": PERSON}, "doubled: {{ or }}"),
        (["person} ran"], {"person": PERSON}, "doubled: {{ or }}"),
        (["{} ran"], {"person": PERSON}, "a slot has only a name"),
        (["{person:>9} ran"], {"person": PERSON}, "a slot has only a name"),
        ([7], {"person": PERSON}, "a template must be a str"),
        ("{person} ran", {"person": PERSON}, "must be a list of templates"),
        (7, {"person": PERSON}, "must be a list of templates"),
        (["{person} ran"], 7, "words must be lists of words by slot, got 7"),
        ([], {"person": PERSON}, "there are no templates"),
        (["{a}{b}{c}"], {slot: [f"{slot}{k}" for k in range(101)] for slot in "abc"}, "1030301 sentences"),
    ],
)
def test_templates_that_can_not_be_filled_are_refused(templates: Any, words: Any, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        fill_templates(templates, words)


def test_words_and_templates_are_read_from_files(tmp_path: Path) -> None:
    (tmp_path / "templates.txt").write_text("{person} is {mood}.\n\n{person} ran.\n")
    (tmp_path / "people.csv").write_text("gender,person\nm,he\nf,my aunt\n")
    (tmp_path / "moods.jsonl").write_text(json.dumps({"mood": "sad"}) + "\n")
    templates = read_templates(tmp_path / "templates.txt")
    words = read_words([tmp_path / "people.csv", tmp_path / "moods.jsonl"], templates)
    assert words == {"person": {"gender": ["m", "f"], "person": ["he", "my aunt"]}, "mood": {"mood": ["sad"]}}
    assert fill_templates(templates, words).texts == ["He is sad.", "My aunt is sad.", "He ran.", "My aunt ran."]


def test_files_without_words_for_a_slot_are_refused(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name,gender\nhe,m\n")
    (tmp_path / "twice.csv").write_text("person,gender\nhe,m\n")
    with pytest.raises(InvalidOption, match=r"no column of .*people\.csv has the name of a slot: .* \{person\}"):
        read_words([tmp_path / "people.csv"], ["{person} ran"])
    with pytest.raises(InvalidOption, match="two files have words for the slot 'person'"):
        read_words([tmp_path / "twice.csv"] * 2, ["{person} ran"])
    (tmp_path / "none.txt").write_text("\n")
    with pytest.raises(InvalidFile, match="has no templates"):
        read_templates(tmp_path / "none.txt")
    with pytest.raises(InvalidFile, match="missing"):
        read_words([tmp_path / "missing.csv"], ["{person} ran"])

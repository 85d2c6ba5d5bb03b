"""Templates such as "{person} feels {emotion}." and tables of words → sentences, with the groups of their words as columns."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import product
from math import prod
from os import PathLike
from string import Formatter
from typing import Any, NamedTuple

from tercet.data.documents import Documents
from tercet.data.reading import read, read_labels
from tercet.errors import InvalidFile, InvalidOption, MissingColumn, bad_option, is_missing, shorten, suggest
from tercet.options import is_list

TEMPLATE = "template"
OWN = (TEMPLATE, "text")  # names of columns that no table of words may have
MAX_SENTENCES = 1_000_000
SENTENCE_START = re.compile(r"(?:^|[.!?…]\s+)[\"'“‘(]*\Z")  # a slot after this text begins a sentence


class Template(NamedTuple):
    """A template: texts, each followed by a slot, and the text at the end."""

    source: str
    parts: tuple[tuple[str, str], ...]  # (text, slot)
    end: str

    @classmethod
    def read(cls, source: Any) -> "Template":
        """
        >>> Template.read("{{So}} {person} feels fine.")
        Template(source='{{So}} {person} feels fine.', parts=(('{So} ', 'person'),), end=' feels fine.')
        """
        if not isinstance(source, str):
            raise bad_option("a template", "a str", source, "its slots are filled with words.")
        try:
            parsed = list(Formatter().parse(source))
        except ValueError as error:
            why = "A slot is written {person}, and a brace of the text is doubled: {{ or }}."
            raise _refuse(source, f"{error}. {why}") from None
        parts, text = [], ""
        for literal, slot, form, conversion in parsed:
            text += literal
            if slot is not None:
                if not slot.strip() or form or conversion:
                    raise _refuse(source, "a slot has only a name, as {person} has.")
                parts.append((text, slot))
                text = ""
        if not parts:
            raise _refuse(source, "it has no slot, so there is nothing to fill in. A slot is written {person}.")
        return cls(source, tuple(parts), text)

    @property
    def slots(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(slot for _, slot in self.parts))

    def fill(self, words: Mapping[str, Any]) -> str:
        """The sentence with these words. The first letter of a sentence becomes a capital letter."""
        sentence = ""
        for text, slot in self.parts:
            sentence += text
            word = str(words[slot])
            sentence += word[:1].upper() + word[1:] if SENTENCE_START.search(sentence) else word
        return sentence + self.end


class WordTable(NamedTuple):
    """Words for one slot or more, row by row, and the groups of each row."""

    slot: str
    columns: dict[str, list[Any]]

    @classmethod
    def check(cls, slot: Any, words: Any) -> "WordTable":
        """The table of a slot: a list of its words, or columns of which one is named like the slot."""
        if not isinstance(slot, str):
            raise bad_option("a slot", "a str", slot, "templates write it in braces.")
        if not isinstance(words, Mapping) and (not is_list(words) or isinstance(words, set | frozenset)):
            raise bad_option(f"the words of {slot!r}", "a list, or columns by name", words, "a slot is filled with words.")
        given = words if isinstance(words, Mapping) else {slot: words}
        columns = {str(name): list(cells) for name, cells in given.items()}
        if slot not in columns:
            known = ", ".join(map(repr, columns)) or "none"
            raise InvalidOption(
                f"the words of {slot!r} have no column {slot!r}: there is {known}. Name a column like the slot."
            )
        if len({len(cells) for cells in columns.values()}) > 1:
            raise InvalidOption(f"the columns of the words of {slot!r} do not have the same length: each word needs a value.")
        if not columns[slot]:
            raise InvalidOption(f"the slot {slot!r} has no words: sentences with it can't be made. Give at least one.")
        table = cls(slot, columns)
        rows = table.list_rows()
        if twice := next((row for number, row in enumerate(rows) if row in rows[:number]), None):
            raise InvalidOption(f"{twice[slot]!r} is twice among the words of {slot!r}: it would count twice. Remove one.")
        return table

    def list_rows(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]


def fill_templates(templates: Iterable[str], words: Mapping[str, Any]) -> Documents:
    """A sentence for each template and each combination of words, for `audit_pairs`.

    `words` has for each slot a list of words, or a table: columns by name, of which one is named like the slot. Its other
    columns are groups of the word. If one of them is named like another slot, it fills that slot, too, row by row: so himself
    follows he. The result has the columns `template`, each slot and each group; they are empty where a template does not use
    them.

    A word at the beginning of a sentence gets a capital letter. Braces of the text are doubled: {{ or }}.

    >>> person = {"person": ["he", "my sister"], "self": ["himself", "herself"], "gender": ["male", "female"]}
    >>> filled = fill_templates(["{person} feels {mood}.", "I saw {person} hurt {self}."], {"person": person, "mood": ["sad"]})
    >>> filled.texts
    ['He feels sad.', 'My sister feels sad.', 'I saw he hurt himself.', 'I saw my sister hurt herself.']
    >>> filled.columns["gender"], filled.columns["mood"]
    (['male', 'female', 'male', 'female'], ['sad', 'sad', '', ''])
    """
    if isinstance(templates, str) or not isinstance(templates, Iterable):
        raise bad_option("templates", "a list of templates", templates, "one template is a list, too: [template].")
    if not isinstance(words, Mapping):
        raise bad_option("words", "lists of words by slot", words, "each slot is filled with its own words.")
    parsed = [Template.read(template) for template in templates]
    tables = [WordTable.check(slot, own) for slot, own in words.items()]
    columns = _join_columns(tables)
    slots = tuple(dict.fromkeys(slot for template in parsed for slot in template.slots))
    _check_slots(parsed, slots, columns)
    _check_tables(tables, slots)
    used = [[table for table in tables if not set(template.slots).isdisjoint(table.columns)] for template in parsed]
    n = sum(prod(len(table.columns[table.slot]) for table in own) for own in used)
    if n > MAX_SENTENCES:
        raise InvalidOption(f"the templates and words make {n} sentences, and {MAX_SENTENCES} are the most. Give fewer words.")
    rows = [
        (template, {name: cell for row in combined for name, cell in row.items()})
        for template, own in zip(parsed, used, strict=True)
        for combined in product(*(table.list_rows() for table in own))
    ]
    filled = {
        name: [row.get(name, "") for _, row in rows] for name in (*slots, *(name for name in columns if name not in slots))
    }
    return Documents(
        [template.fill(row) for template, row in rows], columns={TEMPLATE: [row[0].source for row in rows], **filled}
    )


def read_templates(path: str | PathLike[str]) -> list[str]:
    """The templates of a text file, one on each line. Blank lines are left out."""
    lines = read(path, format="text", labelled=False, on_error="skip").texts
    templates = [line for line in lines if line.strip()]
    if not templates:
        raise InvalidFile(f"{path} has no templates: write one on each line, such as {{person}} feels fine.")
    return templates


def read_words(paths: Iterable[str | PathLike[str]], templates: Iterable[str]) -> dict[str, dict[str, list[Any]]]:
    """The words for `fill_templates` from files with columns: in each, a column is named like a slot of the templates.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "people.csv").write_text("person,gender\\nhe,male\\nshe,female\\n")
    ...     read_words([Path(folder, "people.csv")], ["{person} feels fine."])
    {'person': {'person': ['he', 'she'], 'gender': ['male', 'female']}}
    """
    slots = list(dict.fromkeys(slot for template in templates for slot in Template.read(template).slots))
    found: dict[str, dict[str, list[Any]]] = {}
    for path in paths:
        slot, columns = _read_table(path, slots)
        if slot in found:
            raise InvalidOption(
                f"two files have words for the slot {slot!r}: {path} is the second. Join them, or leave one out."
            )
        found[slot] = columns
    return found


def _read_table(path: str | PathLike[str], slots: Sequence[str]) -> tuple[str, dict[str, list[Any]]]:
    """The first slot that is the name of a column of the file, and all its columns."""
    for slot in slots:
        with suppress(MissingColumn):
            return slot, {name: list(cells) for name, cells in read_labels(path, label=slot).columns.items()}
    known = ", ".join(f"{{{slot}}}" for slot in slots) or "none"
    raise InvalidOption(
        f"no column of {path} has the name of a slot: the slots of the templates are {known}. Let the first line of the file "
        "name its columns, and write a slot and its column alike."
    )


def _join_columns(tables: Sequence[WordTable]) -> dict[str, WordTable]:
    """The columns of all tables, and the table of each."""
    found: dict[str, WordTable] = {}
    for table in tables:
        for name in table.columns:
            if name in OWN or not name.strip():
                raise InvalidOption(
                    f"the words of {table.slot!r} have a column {name!r}: this name is taken. Rename the column."
                )
            if name in found:
                raise InvalidOption(
                    f"the words of {found[name].slot!r} and those of {table.slot!r} have a column {name!r}: a sentence has one "
                    "value of it. Rename one of the columns."
                )
            found[name] = table
    return found


def _check_slots(templates: Sequence[Template], slots: Sequence[str], columns: Mapping[str, WordTable]) -> None:
    """Raises InvalidOption if there are no templates, if one is there twice, or if a slot has no word."""
    sources = [template.source for template in templates]
    if not sources:
        raise InvalidOption("there are no templates: give at least one, such as '{person} feels fine.'.")
    if twice := next((source for number, source in enumerate(sources) if source in sources[:number]), None):
        raise _refuse(twice, "it is there twice, and its sentences would count twice. Remove one.")
    for slot in slots:
        if slot not in columns:
            known = ", ".join(map(repr, columns)) or "none"
            raise InvalidOption(
                f"the slot {slot!r} of the templates has no words: there are words for {known}.{suggest(slot, columns)} Give "
                "words for each slot (--words)."
            )
        for number, cell in enumerate(columns[slot].columns[slot]):
            if is_missing(cell) or not str(cell).strip():
                raise InvalidOption(
                    f"word {number} of the slot {slot!r} (counted from 0) is empty: a sentence needs a word there."
                )


def _check_tables(tables: Sequence[WordTable], slots: Sequence[str]) -> None:
    for table in tables:
        if table.slot not in slots:
            known = ", ".join(map(repr, slots))
            raise InvalidOption(
                f"no template has the slot {table.slot!r}, which has words: the slots are {known}.{suggest(table.slot, slots)}"
            )


def _refuse(template: str, why: str) -> InvalidOption:
    return InvalidOption(f"the template {shorten(repr(template), 100)} can't be filled: {why}")

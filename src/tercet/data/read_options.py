"""The options of a reader: which columns, which format, and what to do with a bad row."""

import codecs
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tercet.counts.label_sets import check_separator
from tercet.data.label_rules import LabelRules
from tercet.data.remembered_columns import ColumnNames, Remembered
from tercet.errors import InvalidOption, bad_option
from tercet.options import check_choice, check_flag, is_int

FORMATS = (
    "csv", "tsv", "json", "jsonl", "parquet", "arrow", "xlsx", "ods", "fasttext", "folders", "files", "email", "mbox", "emails",
    "text",
)  # fmt: skip
ALL = "all"  # keep all columns
# Encodings for host names, and those in which plain letters stand for a line break or a quote.
NOT_FOR_TEXTS = ("idna", "punycode", "utf-7", "unicode-escape", "raw-unicode-escape")
STRIP = LabelRules()
WITHOUT_COLUMNS = ("fasttext", "folders", "files", "text")
MAIL_FORMATS = ("email", "mbox", "emails")  # the columns of an e-mail are the fields of its header
SHEET_FORMATS = ("xlsx", "ods")


@dataclass(frozen=True)
class ReadOptions:
    """Checked options of `read`. A column is given by its name; in a file without a header its name is its number."""

    text: tuple[str, ...] = ()  # several columns are one text each; none: guess
    label: str | None = None
    weight: str | None = None
    columns: tuple[str, ...] = ()
    all_columns: bool = False
    numbers: tuple[str, ...] = ()  # columns that must hold numbers; they are part of `columns`
    format: str | None = None
    sheet: str | None = None  # of a workbook; None for the only one
    encoding: str = "utf-8"
    on_error: str = "stop"
    prefix: str = "__label__"
    labelled: bool = True
    training: bool = False
    like: ColumnNames | None = None  # columns of other data, for what is not named
    n_numbers: int | None = None  # for a table of points, which has no text: how many columns of numbers it needs
    needed: tuple[str, ...] = ()  # columns that a model needs beside the text; they are read
    is_part: bool = False  # more files follow
    label_rules: LabelRules = STRIP
    label_optional: bool = False  # a row without a label is a document, with an empty label
    only_labels: bool = False  # texts are not needed; a line of a file without columns is a label
    label_separator: str | None = None  # a document has any number of labels, joined by it or in a list; None: one label
    usual_labels: tuple[str, ...] = ()  # the first of these columns that exists, in any case, is the label if none is named

    @classmethod
    def check(cls, **given: Any) -> "ReadOptions":
        """The options, or InvalidOption."""
        checked = {name: check_column(name, given[name]) for name in ("label", "weight")}
        texts = check_texts(given["text"])
        names = [*texts, *(name for name in checked.values() if name is not None)]
        if twice := next((name for name in names if names.count(name) > 1), None):
            where = "twice as text" if texts.count(twice) > 1 else "for two of text, label and weight"
            raise InvalidOption(f"the column {twice!r} is named {where}: name different columns.")
        if given["format"] is not None:
            check_choice("format", given["format"], FORMATS)
        if not isinstance(given["prefix"], str) or not given["prefix"].strip():
            raise bad_option("prefix", "a str that is not blank", given["prefix"], "every word would be a label.")
        training, like = check_flag("training", given["training"]), Remembered.of(given["like"])
        needed = like.list_needed(training=training)
        numbers = check_columns("numbers", given["numbers"])
        rules = check_rules(given["label_rules"]) or like.label_rules or STRIP
        return cls(
            text=texts,
            label=checked["label"],
            weight=checked["weight"],
            columns=tuple(dict.fromkeys([*check_columns("columns", given["columns"]), *numbers, *needed])),
            all_columns=given["columns"] == ALL,
            numbers=tuple(dict.fromkeys([*numbers, *like.numbers])),
            format=given["format"],
            sheet=check_sheet(given["sheet"]),
            encoding=check_encoding(given["encoding"]),
            on_error=check_choice("on_error", given["on_error"], ("stop", "skip", "report")),
            prefix=given["prefix"],
            labelled=check_flag("labelled", given["labelled"]),
            training=training,
            like=like.columns,
            needed=needed,
            label_rules=rules,
            label_optional=check_flag("label_optional", given.get("label_optional", False)),
            label_separator=check_label_separator(given.get("label_separator"), rules),
        )

    @property
    def has_guess(self) -> bool:
        """Whether a column has to be guessed."""
        known = {field for field, _ in [*self.named, *self.remembered]} | ({"text"} if self.only_labels else set())
        return not known >= ({"text", "label"} if self.labelled else {"text"})

    @property
    def remembered(self) -> list[tuple[str, str]]:
        """The columns of `like` for what is not named: [("text", "review")]."""
        if self.like is None:
            return []
        fields = [*(("text", name) for name in self.like.texts), ("label", self.like.label), ("weight", self.like.weight)]
        wanted = {"text", "label", "weight"} if self.labelled else {"text"}
        done, taken = {field for field, _ in self.named}, {name for _, name in self.named}
        return [(field, name) for field, name in fields if field in wanted - done and name is not None and name not in taken]

    @property
    def named(self) -> list[tuple[str, str]]:
        """The columns that were named by the user: [("text", "review")]."""
        fields = [*(("text", name) for name in self.text), ("label", self.label), ("weight", self.weight)]
        return [(field, name) for field, name in fields if name is not None]


def check_column(option: str, value: Any) -> str | None:
    """The name of a column; a number becomes a string.

    >>> check_column("text", 2)
    '2'
    """
    if value is None or (isinstance(value, str) and value):
        return value
    if not is_int(value) or value < 1:
        raise bad_option(option, "the name of a column or its number from 1 on", value, "it says where to look.")
    return str(value)


def check_texts(value: Any) -> tuple[str, ...]:
    """The names of the text columns; empty if they are to be guessed.

    >>> check_texts(None), check_texts("review"), check_texts(["subject", 3])
    ((), ('review',), ('subject', '3'))
    """
    several = value if isinstance(value, list | tuple) else [value]
    names = [check_column("text", name) for name in several if value is not None]
    return tuple(name for name in names if name is not None)


def check_columns(option: str, value: Any) -> tuple[str, ...]:
    """The names; empty for "all".

    >>> check_columns("columns", ["id", 3]), check_columns("columns", "all")
    (('id', '3'), ())
    """
    if option == "columns" and isinstance(value, str) and value == ALL:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        wanted = "a list of names of columns" + (' or "all"' if option == "columns" else "")
        raise bad_option(option, wanted, value, "each is kept beside the text.")
    names = [check_column(option, name) for name in value]
    return tuple(dict.fromkeys(name for name in names if name is not None))


def check_rules(value: Any) -> LabelRules | None:
    if value is not None and not isinstance(value, LabelRules):
        raise bad_option("label_rules", "None or a LabelRules", value, "it says what is done to labels.")
    return value


def check_label_separator(value: Any, rules: LabelRules) -> str | None:
    if value is None:
        return None
    if rules.fold is not False:
        raise InvalidOption("label_separator and rules that join spellings exclude each other: rename labels by a mapping.")
    return check_separator(value)


def check_sheet(value: Any) -> str | None:
    if value is None or (isinstance(value, str) and value):
        return value
    raise bad_option("sheet", "the name of a sheet", value, "a workbook may have several.")


def check_encoding(value: Any) -> str:
    """Python's name of the encoding. A byte order mark is always skipped, so utf-8-sig is utf-8.

    >>> check_encoding("latin1"), check_encoding("utf-8-sig")
    ('iso8859-1', 'utf-8')
    """
    try:
        name = codecs.lookup(value).name
        "".encode(name)  # refuses codecs that are not for text, such as hex
        if name in NOT_FOR_TEXTS:
            raise LookupError
    except (LookupError, TypeError, UnicodeError):
        raise bad_option("encoding", "an encoding that Python knows", value, "try utf-8, latin-1, cp1252 or utf-16.") from None
    return "utf-8" if name == "utf-8-sig" else name

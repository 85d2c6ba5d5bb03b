"""Texts and files as arguments: which is which, and the documents that they give."""

import glob
import os
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.options.reading_options import open_stream, report_bad_rows
from tercet.cli.talk import say_if_waiting, show_progress
from tercet.errors import shorten

if TYPE_CHECKING:
    from tercet.data.documents import DocumentBatch, Documents

STRING, FILE = "string", "file"


def input_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that adds --string and --file. The function gets `kind` and passes it on to `is_text`."""
    words = "Treat every input as the name of a file or folder."
    function = click.option("--file", "kind", flag_value=FILE, help=words)(function)
    words = "Treat every input as a text, even if it is one word or a file has that name."
    return click.option("--string", "kind", flag_value=STRING, help=words)(function)


def is_text(written: str, kind: str | None, *, words: bool = False) -> bool:
    """Whether an argument is a text. Raises UsageError if it looks like the name of a file that does not exist.

    With `words`, a single word is a text, too, unless a file has this name.

    >>> is_text("what a film", None), is_text("film", "string"), is_text("-", None), is_text("好电影", None)
    (True, True, False, True)
    >>> is_text("film", None, words=True)
    True
    """
    # os.path, because Path.exists fails for a name as long as a text
    if kind is not None or written == "-" or os.path.exists(written):
        return kind == STRING
    if not written or ((any(map(str.isspace, written)) or is_without_spaces(written)) and not has_known_suffix(written)):
        return True
    if glob.has_magic(written) and glob.glob(written, recursive=True):
        return False
    if words and is_word(written):
        return True
    what = "no file matches" if glob.has_magic(written) else "there is no file"
    raise click.UsageError(
        f"{what} {shorten(repr(written))}: check the name and the folder. If it is a text, give --string before it."
    )


def is_word(written: str) -> bool:
    """Whether it is one word, with or without punctuation around it. A name with a dot, a slash or a digit in it is none.

    >>> [is_word(each) for each in ("hello", "Hola!", "aujourd'hui", "नमस्ते", "hello.txt", "data/hello", "file_1", "…")]
    [True, True, True, True, False, False, False, False]
    """
    inner = written.strip(".,;:!?¡¿…'\"")
    return (
        bool(inner) and all(c in "'‘’-" or unicodedata.category(c)[0] in "LM" for c in inner) and any(map(str.isalpha, inner))
    )


def is_without_spaces(written: str) -> bool:
    """Whether it is no path, and a text in this writing system may have no spaces: Thai, Tibetan, Khmer, Chinese, Japanese, …

    >>> is_without_spaces("สวัสดี"), is_without_spaces("早上好"), is_without_spaces("data/早上好"), is_without_spaces("ok")
    (True, True, False, False)
    """
    if "/" in written or os.sep in written:
        return False
    return any("\u0e00" <= c <= "\u109f" or "\u1780" <= c <= "\u17ff" or c >= "\u2e80" for c in written)


def has_known_suffix(written: str) -> bool:
    """Whether it ends like the name of a file of documents, compressed or not.

    >>> has_known_suffix("my mail.eml.gz"), has_known_suffix("I like it. Really.")
    (True, False)
    """
    from tercet.compression import SUFFIXES
    from tercet.data.formats import BY_SUFFIX, parse_suffix

    path = Path(written)
    return parse_suffix(path) in (*BY_SUFFIX, ".txt") or path.suffix.lower() in SUFFIXES


def read_inputs(model: Any, inputs: Sequence[str], kind: str | None, reading: dict[str, Any]) -> Iterator["Documents"]:
    """The documents of all inputs for a model, in their order. Files beside each other are read as one source."""
    from tercet.data.document_batches import read_ahead
    from tercet.data.documents import Documents

    for are_texts, group in groupby(inputs, lambda written: is_text(written, kind)):
        given = list(group)
        if are_texts:
            check_text_alone(model)
            yield Documents(given)
            continue
        stream = open_stream(given, like=model, labelled=False, **reading)
        # On a terminal the predictions themselves show the progress.
        with nullcontext() if sys.stdout.isatty() else show_progress(stream, "predicting"):
            yield from read_ahead(stream)
        report_bad_rows(stream)


def check_text_alone(model: Any) -> None:
    """Raise UsageError if the model needs columns beside the text, which a text on the command line does not have."""
    if columns := model.columns_:
        raise click.UsageError(f"the model needs the column {columns[0]!r} beside the text: give a file that has it.")


def read_standard_input() -> str:
    """All of standard input, as one text."""
    with say_if_waiting("standard input"):
        return sys.stdin.read()


@dataclass(frozen=True)
class DocumentChoice:
    """Which document of a file is meant: that of a row, or that with a value in a column. By default, the only one."""

    row: int | None = None
    id: str | None = None
    id_column: str | None = None

    def check(self) -> None:
        """Raise UsageError if the options do not go together."""
        if (self.id is None) != (self.id_column is None):
            raise click.UsageError("--id and --id-column belong together: give the value and the column that has it.")
        if self.row is not None and self.id is not None:
            raise click.UsageError("--row and --id exclude each other: choose the document by one of them.")

    @property
    def is_made(self) -> bool:
        return self.row is not None or self.id is not None

    def find(self, batch: "DocumentBatch") -> list["Documents"]:
        """The documents of a batch that are meant."""
        indices = [index for index in range(len(batch)) if self.row is None or batch.row(index) == self.row]
        if self.id_column is not None:
            ids = batch.columns[self.id_column]
            indices = [index for index in indices if str(ids[index]) == self.id]
        return [batch.pick([index]) for index in indices]

    def pick(self, found: list["Documents"], name: str) -> "Documents":
        """The only document that was found in the file of this name."""
        if len(found) == 1:
            return found[0]
        if self.row is not None:
            fault = f"no document in row {self.row}: rows are counted from 1, and the header is a row."
        elif self.id is not None:
            n_rows = "several rows" if found else "no row"
            fault = f"{n_rows} with {self.id!r} in the column {self.id_column!r}: choose the document by --row."
        else:
            fault = "several documents: choose one by --row, or by --id and --id-column." if found else "no documents."
        raise click.UsageError(f"{name} has {fault}")


def read_one_document(
    model: Any, written: str, kind: str | None, choice: DocumentChoice, reading: dict[str, Any]
) -> "Documents":
    """The one document of an input: the text itself, all of standard input, or the document of a file that is meant."""
    from tercet.data.documents import Documents

    choice.check()
    is_whole_input = written == "-" and kind != STRING and not choice.is_made and reading["format"] is None
    if is_whole_input or is_text(written, kind):
        if choice.is_made:
            raise click.UsageError(f"--row and --id choose a document of a file, but {written!r} is a text: give a file.")
        check_text_alone(model)
        return Documents([read_standard_input() if is_whole_input else written])
    columns = [] if choice.id_column is None else [choice.id_column]
    stream = open_stream(written, like=model, labelled=False, **reading | {"columns": columns})
    found: list[Documents] = []
    for batch in stream:
        found += choice.find(batch)
        if len(found) > 1 or (found and choice.row is not None):
            break
    return choice.pick(found, stream.name)

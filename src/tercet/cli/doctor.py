"""tercet doctor"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command, json_option
from tercet.cli.options.reading_options import open_stream, reading_options
from tercet.cli.output import OutputFile, print_json, write_page
from tercet.cli.split import encode_part
from tercet.cli.table_file import DefusedCells, TableFile, encode_table, find_form
from tercet.cli.talk import say, show_progress
from tercet.data.documents import name_file
from tercet.errors import BadSource
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.auditing.doctor.cleaning import Change
    from tercet.data.document_batches import Places
    from tercet.data.reading import DocumentStream

LOG = ".log.csv"
LOG_COLUMNS = ("file", "row", "action", "reason", "first_row", "before", "after")


@define_command(
    "doctor",
    "tercet doctor reviews.csv",
    "tercet doctor reviews.csv --test test.csv --html diagnosis.html",
    "tercet doctor reviews.csv --model reviews.tercet",
    "tercet doctor reviews.csv --json > diagnosis.json",
    "tercet doctor reviews.csv --fix cleaned.csv",
    "tercet doctor texts.txt --quiet",
)
@click.argument("data", nargs=-1, required=True, type=click.Path())
@click.option(
    "--test",
    type=click.Path(),
    metavar="FILE",
    help="Examine these test documents, too, and look for texts and ids that are in both.",
)
@click.option(
    "--model",
    type=click.Path(),
    metavar="FILE",
    help="Judge labels by the recipe and the options of this model. Also list the labels that it does not know, the documents "
    "that it has not learned and whose label it finds improbable, and the test documents that it has learned.",
)
@click.option(
    "--fix",
    type=TableFile(),
    metavar="FILE",
    help="Write a cleaned copy of DATA to this new file (.csv, .jsonl or .parquet), and every change with its reason to "
    "FILE.log.csv.",
)
@click.option("--html", type=OutputFile(), help="Also write the findings to this file, as one self-contained HTML page.")
@json_option
@partial(reading_options, without=("--weight", "--columns", "--on-error"))
def command(
    data: tuple[str, ...],
    test: str | None,
    model: str | None,
    fix: str | None,
    html: str | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Find what is wrong with documents before a model learns them.

    DATA is given as for `tercet train`. It looks for: probable label errors; equal and nearly equal texts, those with different
    labels first; with --test, texts and ids that are in both files; a word or a column that gives the label away; labels in
    several spellings, with too few documents, or out of balance; texts that are empty, very short, very long, wrongly decoded
    or unlike all others; rows that can't be read. Each finding has its row as a spreadsheet counts rows (the header is row 1;
    each line of JSON is a row), and a remedy. Without labels, only the texts are examined. All documents are read into memory.

    The cleaned copy of --fix has all columns. Rows without a text, rows that can't be read, and copies with the same label
    except for the first are left out. Wrongly decoded texts are repaired. Spellings of a label that differ by case, blanks,
    hyphens or underscores are joined. Probable label errors and copies with different labels are only listed: a person decides.
    """
    from tercet import load
    from tercet.auditing.doctor.doctor import examine

    _check_fix(fix, data, test)
    categorizer: Any = None if model is None else load(model)
    stream = open_documents(list(data), reading | {"like": categorizer})
    tested = None if test is None else open_documents(test, reading | {"like": stream.fields})
    with show_progress(stream, "examining"):
        diagnosis = examine(stream, tested, categorizer=categorizer)
    if html:
        write_page(html, "Diagnosis of the data", diagnosis.to_html())
    if fix:
        write_cleaned(fix, stream.reopen())
    if as_json:
        print_json(diagnosis.to_dict())
    else:
        click.echo(diagnosis.to_text(page=html))


def _check_fix(fix: str | None, data: Sequence[str], test: str | None) -> None:
    """Raise UsageError if a file to write exists, or if standard input would have to be read twice."""
    if "-" in data and test == "-":
        raise click.UsageError("standard input can be read only once: give a file for DATA, or one for --test.")
    if fix is None:
        return
    if "-" in data:
        raise click.UsageError("standard input can be read only once, and --fix reads it again: save it to a file first.")
    if found := next((path for path in (fix, fix + LOG) if Path(path).exists()), None):
        raise click.UsageError(f"{found} is there already, and --fix writes only new files: name another file.")


def open_documents(source: str | list[str], reading: dict[str, Any]) -> "DocumentStream":
    """The documents with all columns; without labels if there are none. Bad rows are skipped: they become findings."""
    options = {**reading, "columns": "all", "on_error": "skip"}
    try:
        return open_stream(source, **options)
    except BadSource:
        if reading["label"] is not None or source in ("-", ["-"]):
            raise
        stream = open_stream(source, labelled=False, **options)  # raises the same error if the labels are not the reason
    say(f"{stream.name} has no labels, so only the texts are examined")
    return stream


def write_cleaned(path: str, stream: "DocumentStream") -> None:
    """Write a cleaned copy of the documents, and the log of all changes, both or none."""
    from tercet.auditing.doctor.cleaning import clean
    from tercet.data.document_batches import Places, join_batches
    from tercet.store.atomic_file import write_together

    places = Places()
    documents = join_batches(list(places.follow(stream)))
    if stream.n_bad > len(stream.bad_rows):
        raise BadSource(f"{stream.name} has {stream.n_bad} bad rows, too many for a log: correct the file first.")
    cleaning, fields = clean(documents), stream.fields
    names = {} if fields is None else {"text_columns": fields.texts, "label_column": fields.label}
    cleaned = cleaning.apply(documents, **names)  # type: ignore[arg-type]
    bad = [{"file": name_file(error.place), "action": "removed", "reason": str(error)} for error in stream.bad_rows]
    rows = [{**dict.fromkeys(LOG_COLUMNS), **row} for row in [*bad, *describe_changes(cleaning.changes, places)]]
    files = {
        Path(path).name: encode_part(cleaned, stream, find_form(path) or "json"),
        Path(path).name + LOG: encode_table("csv", LOG_COLUMNS, rows, DefusedCells()),
    }
    write_together(Path(path).parent, files)
    say(f"written: {path} ({len(cleaned.texts)} of {pluralize(len(documents.texts), 'document')})")
    say(f"written: {path}{LOG} ({pluralize(len(rows), 'change')})")


def describe_changes(changes: "Sequence[Change]", places: "Places") -> Iterator[dict[str, Any]]:
    """A row of the log for each change."""
    for change in changes:
        yield {
            "file": name_file(places.find(change.position)),
            "row": places.find_row(change.position),
            "action": change.action,
            "reason": change.reason,
            "first_row": None if change.first is None else places.find_row(change.first),
            "before": change.before,
            "after": change.after,
        }

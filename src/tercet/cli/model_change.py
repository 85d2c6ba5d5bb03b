"""What all commands share that change a model file by documents: learn, forget, relabel and refit.

With --ledger, the changes are written into a ledger first, and the model is the one that the ledger gives.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from tercet.characters import show_line
from tercet.cli.ledger_writer import LedgerWriter, ledger_options, load_whole, open_writer
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.output import ModelOutput, wait_option
from tercet.cli.talk import say, show_progress
from tercet.errors import NeverLearned, describe_out_of_date, shorten
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.data.document_batches import Places
    from tercet.data.documents import Documents
    from tercet.data.reading import DocumentStream

MAX_NAMED, MAX_LENGTH = 3, 60  # labels in an error, and characters of each
MAX_LISTED = 20  # new labels

new_labels_option = click.option(
    "--new-labels",
    is_flag=True,
    help="Take a new label even if it looks like a misspelling of a label that the model knows.",
)


later_option = click.option(
    "--later",
    is_flag=True,
    help="For models that keep their documents: change the counts now, and train the rest later with `tercet refit MODEL`.",
)


unlabelled_option = click.option(
    "--unlabelled",
    is_flag=True,
    help="DATA holds texts without labels: see `tercet train --unlabelled`. For models that keep their documents.",
)


def change_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that adds the model and the data."""
    function = click.argument("data", nargs=-1, required=True, type=click.Path())(function)
    return click.argument("model", type=click.Path())(function)


def change_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that adds -o, --wait, --ledger and the options for reading. They are passed on to `change_model`."""
    words = "Write the changed model to this file, and leave the old file as it is."
    function = ledger_options(wait_option(reading_options(function)))
    return click.option("-o", "--output", type=ModelOutput(), help=words)(function)


@dataclass
class ModelChange:
    """A model that is being changed, the documents that change it, and in words what was done."""

    model: Any
    batches: "Iterator[Documents]"
    places: "Places"  # of the documents that were read so far
    stream: "DocumentStream"
    done: str = ""
    notes: list[str] = field(default_factory=list)  # what else to say when the model is written

    def list_labels(self) -> list[str]:
        """The labels that the model knows; a model that was made in Python may have numbers."""
        return [str(label) for label in self.model.table_.labels.tolist()]

    def check_later(self, later: bool) -> None:
        """Raise an error if nothing is trained again anyway."""
        if later and not self.model.keeps_documents_:
            raise click.ClickException(
                "--later is for models that keep their documents: this model does not, so nothing is trained now. Leave it out."
            )

    def learn(self, batches: "Iterable[Documents]", later: bool) -> None:
        self.model.learn(batches, later=later)

    def forget(self, batches: "Iterable[Documents]", later: bool) -> None:
        self.model.forget(batches, later=later)

    def learn_unlabelled(self) -> None:
        self.model.learn_unlabelled(self.batches)

    def forget_unlabelled(self) -> None:
        self.model.forget_unlabelled(self.batches)

    def relabel(self, batches: "Iterable[Documents]", old: list[str] | None, later: bool) -> None:
        self.model.relabel(batches, old, later=later)


@dataclass
class LedgerChange(ModelChange):
    """The same for a model that has a ledger."""

    writer: LedgerWriter = field(kw_only=True)

    def check_later(self, later: bool) -> None:
        self.writer.later = later

    def learn(self, batches: "Iterable[Documents]", later: bool) -> None:
        self.writer.learn(batches)

    def forget(self, batches: "Iterable[Documents]", later: bool) -> None:
        self.writer.forget(batches)

    def relabel(self, batches: "Iterable[Documents]", old: list[str] | None, later: bool) -> None:
        self.writer.relabel(batches, old)

    def learn_unlabelled(self) -> None:
        raise click.UsageError(
            "a model with a ledger learns from the texts of its pools: import them with `tercet label FILE -m MODEL` or on the "
            "page of `tercet serve`, and delete a pool there, or erase its texts with `tercet ledger erase`."
        )

    forget_unlabelled = learn_unlabelled


@contextmanager
def change_model(
    doing: str,
    path: str,
    data: tuple[str, ...],
    *,
    output: str | None,
    wait_seconds: float | None,
    ledger: str | None,
    actor: str | None,
    subject_column: str | None = None,
    labelled: bool = True,
    **reading: Any,
) -> Iterator[ModelChange]:
    """The model and the documents. The model is written when the block has ended without an error.

    The file to write is locked all the time. An error about a document gets the place where it was read.
    """
    with open_writer(ledger, path, output or path, actor, subject_column, wait_seconds) as writer:
        with nullcontext() if writer is None else writer.write():
            if subject_column:
                reading["columns"] = [*reading["columns"], subject_column]
            change = start_change(path, data, reading, writer, labelled)
            try:
                with show_progress(change.stream, doing):
                    yield change
            except NeverLearned as error:
                raise name_place(error, change.places) from None
            report_bad_rows(change.stream)
            if writer is not None:
                change.model = writer.finish()
        change.model.save(output or path)
        for line in [*change.notes, f"{change.done}; written: {output or path}"]:
            say(line)
        report_training(change.model)
        warn_if_stale(change.model)


def start_change(
    path: str, data: tuple[str, ...], reading: Mapping[str, Any], writer: LedgerWriter | None, labelled: bool
) -> ModelChange:
    """The model of this file or ledger, and the documents, of which none is read yet."""
    from tercet.data.document_batches import Places

    model = load_whole(path) if writer is None else writer.model
    if not labelled:
        reading = {name: value for name, value in reading.items() if name not in ("label", "weight")}
    stream = open_stream(data, like=model, labelled=labelled, training=labelled, **reading)
    places = Places()
    started = model, places.follow(stream), places, stream
    return ModelChange(*started) if writer is None else LedgerChange(*started, writer=writer)


def describe_new_labels(source: str, counts: Mapping[str, int], known: Iterable[str], *, allowed: bool) -> list[str]:
    """A line for each label that the model did not know. If one looks like a misspelling, it must be allowed."""
    from tercet.data.similar_labels import find_known_spellings, find_similar

    new = {label: counts[label] for label in sorted(set(counts) - set(known))}
    nearest = {similar.label: similar.better for similar in find_similar(new)} | find_known_spellings(new, known)
    if nearest and not allowed:
        named = [
            f"{shorten(repr(label), MAX_LENGTH)} ({pluralize(new[label], 'document')}) "
            f"looks like {shorten(repr(near), MAX_LENGTH)}"
            for label, near in nearest.items()
        ]
        more = [f"{len(named) - MAX_NAMED} more"] if len(named) > MAX_NAMED else []
        raise click.ClickException(
            f"{source}: the model does not know all labels: {', '.join(named[:MAX_NAMED] + more)}. Nothing is changed. "
            "Correct the labels in the file, or give --new-labels if they are labels of their own."
        )
    lines = [f"new label: {show_line(label)} ({pluralize(n, 'document')})" for label, n in new.items()]
    return lines if len(lines) <= MAX_LISTED else [*lines[:MAX_LISTED], f"… {len(lines) - MAX_LISTED} more new labels"]


def report_training(model: Any) -> None:
    """Say how good a model is that was trained again. Only a model that keeps its documents has a new estimate."""
    if model.keeps_documents_ and model.is_current_ and (estimate := model.record_.estimate.get("accuracy")):
        say(f"held-out accuracy: {estimate}")


def warn_if_stale(model: Any) -> None:
    """Say so if something was fitted to other documents than the model has now."""
    if model.out_of_date_:
        say(describe_out_of_date(model.out_of_date_, model.keeps_documents_))


def name_place(error: NeverLearned, places: "Places") -> NeverLearned:
    """The same error with the file and line of the document."""
    return error if error.position is None else NeverLearned(f"{places.find(error.position)}: this document {error.reason}")

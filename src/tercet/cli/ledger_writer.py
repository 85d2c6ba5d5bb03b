"""The option --ledger of the commands that change a model: what they write into the ledger, and the model that it gives."""

import getpass
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import Option
from tercet.cli.options.reading_options import report_bad_rows
from tercet.cli.output import lock_output
from tercet.cli.talk import say, show_progress
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.data.documents import Documents
    from tercet.data.reading import DocumentStream
    from tercet.ledger.ledger import Ledger

actor_option = click.option(
    "--actor",
    metavar="NAME",
    cls=Option,
    section="Ledger",
    help="Who makes the change, for the ledger. By default the name of the user of this computer.",
)
subject_option = click.option(
    "--subject-column",
    metavar="COLUMN",
    cls=Option,
    section="Ledger",
    help="Column of the person whom a document is about, for the ledger: `tercet ledger erase --subject` finds it by that.",
)


def ledger_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that adds --ledger and --actor."""
    words = "Write the change into this ledger, too. `tercet ledger begin` makes one."
    function = actor_option(function)
    return click.option("--ledger", type=click.Path(), metavar="FILE", cls=Option, section="Ledger", help=words)(function)


def name_actor(actor: str | None) -> str:
    """The name for the ledger."""
    if actor is not None:
        return actor
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # this user has no name
        raise click.UsageError("this user has no name: say who makes the change with --actor NAME.") from None


def load_whole(path: str) -> Any:
    """The model of this file. A compact model is an error: it can't be changed."""
    from tercet import load
    from tercet.categorizer.files.compact import CompactCategorizer

    model = load(path)
    if isinstance(model, CompactCategorizer):
        model.learn()  # raises an error that says what is wrong
    return model


def begin_ledger(
    location: str,
    model: Any,
    stream: "DocumentStream | None",
    subject_column: str | None,
    actor: str | None,
    wait_seconds: float | None,
    pool: "DocumentStream | None" = None,
) -> None:
    """Begin a ledger for a model, with the documents of a stream if they are known, and say what was written.

    `pool` has the texts without labels that the model has learned from.
    """
    from tercet.ledger.beginning import UnlabelledDocuments
    from tercet.ledger.ledger import Ledger

    documents, subjects = (None, None) if stream is None else read_subjects(stream, subject_column)
    unlabelled = None if pool is None else UnlabelledDocuments(*read_subjects(pool, subject_column))
    with Ledger.begin(
        location,
        model,
        documents,
        actor=name_actor(actor),
        subjects=subjects,
        unlabelled=unlabelled,
        wait_seconds=wait_seconds,
        tell=say,
    ) as begun:
        n = len(begun.history.documents)
        has_start = begun.has_start
    if has_start:
        say("the model does not keep its documents, so those that it has learned can't be unlearned or erased one by one")
    say(f"{pluralize(n, 'document')} imported; written: {begun.name}")


def read_subjects(stream: "DocumentStream", column: str | None) -> "tuple[Documents, list[str | None] | None]":
    """The documents of a stream, and the person whom each is about."""
    from tercet.data.document_batches import join_batches
    from tercet.ledger.documents import list_subjects

    with show_progress(stream, "reading"):
        documents = join_batches(list(stream))
    report_bad_rows(stream)
    return documents, list_subjects(documents, column)


class LedgerWriter:
    """A ledger that a command writes to. Everything is in one transaction (`write`)."""

    def __init__(self, ledger: "Ledger", path: str, actor: str, subject_column: str | None) -> None:
        self.ledger, self.actor, self.subject_column = ledger, actor, subject_column
        self.later = False
        self.model = load_last_model(ledger, path)  # the model before the change

    def learn(self, batches: "Iterable[Documents]") -> None:
        from tercet.ledger.documents import list_subjects

        for batch in batches:
            self.ledger.learn(batch, actor=self.actor, subjects=list_subjects(batch, self.subject_column))

    def forget(self, batches: "Iterable[Documents]") -> None:
        from tercet.data.document_batches import join_batches

        if found := list(batches):
            self.ledger.unlearn(join_batches(found), actor=self.actor)

    def relabel(self, batches: "Iterable[Documents]", old: list[str] | None) -> None:
        from tercet.data.document_batches import join_batches

        if found := list(batches):
            self.ledger.relabel(join_batches(found), old, actor=self.actor)

    def change_seeds(self, seeds: Any) -> None:
        self.ledger.change_seeds(seeds, actor=self.actor)

    def write(self) -> AbstractContextManager[None]:
        """A transaction: if the block ends with an error, nothing is written."""
        return self.ledger.transaction()

    def finish(self) -> Any:
        """Train and publish the model of the ledger."""
        from tercet.ledger.publishing import publish_now

        return publish_now(self.ledger, self.actor, train=not self.later).model


@contextmanager
def open_writer(
    ledger: str | None,
    path: str,
    output: str,
    actor: str | None,
    subject_column: str | None,
    wait_seconds: float | None,
) -> Iterator[LedgerWriter | None]:
    """The ledger of the model at this path, or None; `output` is the file that the model is going to be written to.

    Both are locked: first the ledger and then the file, as every program does that needs both. Otherwise this command, which
    would hold the lock of the file, and a server, which holds that of the ledger, could wait for each other for ever.
    """
    if ledger is None:
        if actor is not None or subject_column is not None:
            raise click.UsageError("--actor and --subject-column are written into a ledger: name it with --ledger.")
        with lock_output(output, wait_seconds):
            yield None
        return
    from tercet.ledger.ledger import Ledger

    with Ledger.open(ledger, write=True, wait_seconds=wait_seconds, tell=say) as opened, lock_output(output, wait_seconds):
        yield LedgerWriter(opened, path, name_actor(actor), subject_column)


def load_last_model(ledger: "Ledger", path: str) -> Any:
    """The model after the last event: the file, if it is this one. The file need not exist, because the ledger has everything.

    A file that the ledger does not know is an error: what it has learned would be lost.
    """
    if not os.path.exists(path):
        return ledger.replay().model
    model = load_whole(path)
    (version,) = model.files.values()
    numbers = ledger.history.publications
    known = {number: event.details.get("model") for number in numbers for event in ledger.events(number, number)}
    if version.checksum not in known.values():
        raise click.ClickException(
            f"{path} is not a model of {ledger.name}: it was changed without the ledger, or it has learned documents that "
            "were erased. Nothing is changed. To replace it by the model of the ledger: "
            f"tercet ledger replay {ledger.name} -o {path}"
        )
    is_last = bool(numbers) and known[numbers[-1]] == version.checksum and numbers[-1] == ledger.head.number
    return model if is_last else ledger.replay().model

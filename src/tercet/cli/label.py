"""tercet label"""

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import Option, define_command
from tercet.cli.ledger_writer import actor_option, name_actor, subject_option
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.stop_signals import StopSignals
from tercet.cli.table_file import TableFile, write_table
from tercet.cli.talk import say, show_progress
from tercet.errors import CannotWrite, OutOfDate
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.ledger.events import Event
    from tercet.ledger.ledger import Ledger

RESULT = ("label", "kind", "note", "proposed", "probability", "row", "time")


@define_command(
    "label",
    "tercet label new.csv -m m.tercet -o labels.csv",
    "tercet label new.csv -m m.tercet --order random --actor ann",
)
@click.argument("pool", type=click.Path(), metavar="FILE|POOL")
@click.option("-m", "--model", type=click.Path(), required=True, help="The model that proposes labels, and learns them.")
@click.option(
    "-o",
    "--output",
    type=TableFile(),
    help="Write all your decisions about this pool to this file at the end. Its name ends in .csv, .jsonl or .parquet.",
)
@click.option(
    "--order",
    type=click.Choice(["suggested", "random"]),
    default="suggested",
    show_default=True,
    help="Which text comes next: one that teaches the model much, as `tercet suggest` says; or any.",
)
@click.option(
    "--ledger",
    metavar="FILE|URL",
    cls=Option,
    section="Ledger",
    help="The ledger of the model. By default it is a file beside the model, and begins now if there is none.",
)
@subject_option
@actor_option
@partial(reading_options, without=("--label", "--weight"))
def command(
    pool: str,
    model: str,
    output: str | None,
    order: str,
    ledger: str | None,
    subject_column: str | None,
    actor: str | None,
    **reading: Any,
) -> None:
    """Label texts in the terminal, one key for each.

    Shows a text, and the label that the model proposes. Enter accepts it, 1 to 9 choose another label, u takes the last step
    back; h shows all keys. Each decision is written into the ledger of the model, and the model has learned it before the next
    text comes. Nothing is lost if the program ends in any way, and the next start goes on where it ended.

    The texts of a FILE become a pool with its name: texts that the pool has already are left out. Without such a file, it is
    the name of a POOL that the ledger has, such as one that was imported on the page of `tercet serve`.

    Without a terminal, each line of standard input is a key: `n` and `l` may be followed by a note or a label.
    """
    from tercet.ledger.beginning import begin_beside
    from tercet.ledger.label_queue import LabelQueue
    from tercet.ledger.live import LiveModel
    from tercet.ledger.trainer import Trainer

    location, who = ledger or os.fspath(Path(model).with_suffix(".ledger")), name_actor(actor)
    if not begin_beside(Path(model), location, who, say):
        raise click.ClickException(f"{model} is compact or pruned, so it can't learn: give the whole model.")
    with open_ledger(location) as opened:
        live = LiveModel(opened, model)
        name = import_texts(opened, live, pool, who, subject_column, reading)
        queue, trainer = LabelQueue(live), Trainer(live, model, who)
        with StopSignals().hold() as signals, ExitStack() as at_end:  # also if the terminal is gone
            at_end.callback(finish, opened, live, trainer, who)
            if output is not None:
                at_end.callback(write_decisions, output, opened, name, who)
            with signals.allow():
                run_session(queue, trainer, name, who, order)


def write_decisions(path: str, ledger: "Ledger", pool: str, actor: str) -> None:
    """Write all decisions of somebody about a pool to a file."""
    rows = [make_row(*found) for found in list_decisions(ledger, pool, actor)]
    columns = list(ledger.recipe.shape.text_columns) or ["text"]
    write_table(path, [*columns, *RESULT], rows, "decision")


def open_ledger(location: str) -> "Ledger":
    from tercet.ledger.ledger import Ledger

    try:
        return Ledger.open(location, write=True, wait_seconds=0.0)
    except CannotWrite:
        raise CannotWrite(
            f"{location} is in use: another program, such as a server, writes to it. End that one, or label on its page."
        ) from None


def import_texts(
    ledger: "Ledger", live: Any, given: str, actor: str, subject_column: str | None, reading: dict[str, Any]
) -> str:
    """Offer the texts of a file. Returns the name of the pool."""
    from tercet.ledger.labelling import MAX_OFFERED
    from tercet.ledger.pools import PoolImport

    if not os.path.exists(given) and given in ledger.history.labelling.pools:
        return given
    reading["columns"] = [*reading["columns"], *([subject_column] if subject_column else [])]
    stream = open_stream(given, labelled=False, like=live.model, **reading)
    job = PoolImport(ledger, Path(given).name, actor, subject_column)
    with show_progress(stream, "reading"):
        for batch in stream:
            job.add(batch)
    report_bad_rows(stream)
    if job.n_blank:
        say(f"{pluralize(job.n_blank, 'row')} without a text left out")
    if job.n_long:
        say(f"{pluralize(job.n_long, 'text')} of more than {MAX_OFFERED} characters left out: too long to be judged")
    if job.n_offered:
        say(f"{pluralize(job.n_offered, 'new text')} in the pool {job.pool}")
    if job.pool not in ledger.history.labelling.pools:
        raise click.ClickException(f"{given} has no texts to label.")
    return job.pool


def run_session(queue: Any, trainer: Any, pool: str, actor: str, order: str) -> None:
    from tercet.cli.labelling.keys import open_keys
    from tercet.cli.labelling.session import LabelSession

    with open_keys() as keys, warnings.catch_warnings():
        warnings.simplefilter("ignore", OutOfDate)  # the trainer works it out anew when that is due
        session = LabelSession(queue, trainer, keys, pool=pool, actor=actor, order=order)
        session.run()
    if session.text is None:
        say(f"no text of {pool} is left for {actor}")


def finish(ledger: "Ledger", live: Any, trainer: Any, actor: str) -> None:
    """Write the model file, so that others can use it. The ledger has everything in any case."""
    if trainer.is_running:
        say("the model is being trained: please wait")
        trainer.wait()
    live.follow()
    if live.model is not None and ledger.history.publications[-1:] != [ledger.head.number]:
        live.publish(actor=actor)
        say(f"written: {live.path}")
    if live.trained_to is not None and trainer.count_changes():
        say(f"its margins are of before: `tercet refit {live.path} --ledger {ledger.name}` trains it on what you have labelled")


def list_decisions(ledger: "Ledger", pool: str, actor: str) -> "Iterator[tuple[Event, Event, list[Event], Sequence[str]]]":
    """The offers that somebody has judged, with the last decision and all notes, in the order of the offers."""
    labelling = ledger.history.labelling
    columns = ledger.recipe.shape.text_columns
    for number in sorted(labelling.pools[pool].values()):
        own = [each for each in labelling.list_judgments(number) if each.actor == actor]
        if decisions := [each.number for each in own if each.kind != "note"]:
            events = {event.number: event for event in ledger.pick_events([number, *(each.number for each in own)])}
            yield events[number], events[decisions[-1]], [events[each.number] for each in own], columns


def make_row(offer: "Event", decision: "Event", judgments: "Sequence[Event]", text_columns: "Sequence[str]") -> dict[str, Any]:
    from tercet.ledger.label_queue import show_document

    details, content = decision.details, offer.details
    text, columns = show_document(content, text_columns)
    texts = {name: columns[name] for name in text_columns} if len(text_columns) > 1 else {"text": text}
    proposal = details.get("proposal") or {"label": None, "probability": None}
    notes = [event.details["note"] for event in judgments if "note" in event.details]
    return {
        **texts,
        "label": details.get("label"),
        "kind": details["kind"],
        "note": "; ".join(notes) or None,
        "proposed": proposal["label"],
        "probability": proposal["probability"],
        "row": content.get("row"),
        "time": decision.time,
    }

"""tercet ledger, and its commands"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tercet.characters import show_line
from tercet.cli.commands import SubcommandGroup, define_command, json_option
from tercet.cli.ledger_writer import actor_option, begin_ledger, load_whole, name_actor, subject_option
from tercet.cli.options.reading_options import open_stream, reading_options
from tercet.cli.output import FormOutput, ModelOutput, lock_output, print_json, wait_option, write_data
from tercet.cli.talk import say
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.ledger.certificate import Certificate
    from tercet.ledger.events import Event
    from tercet.ledger.ledger import Ledger
    from tercet.ledger.replay import Replay

NO = 3  # exit code
MAX_LISTED = 20  # events in a line
MOMENT_SECONDS = 1.0  # to wait before somebody is told

command = SubcommandGroup(
    "ledger",
    help="""Keep a ledger of what a model has learned and forgotten, and ask it.

    A ledger is one file with events: who has learned, unlearned, relabelled or undone what, and when. Each event has the hash
    of the event before. The model follows from the ledger, byte for byte, so the model file may be deleted. `tercet learn`,
    `forget`, `relabel` and `refit` write into it with --ledger. Documents about a person can be erased for ever.
    """,
    examples=(
        "tercet ledger begin reviews.ledger reviews.tercet",
        "tercet learn reviews.tercet new.csv --ledger reviews.ledger --subject-column id",
        "tercet ledger show reviews.ledger --first 130",
        "tercet ledger erase reviews.ledger --subject 7 --model reviews.tercet -o certificate.json",
        "tercet ledger verify reviews.ledger",
    ),
)
number = click.IntRange(min=1)
name_option = click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="A name or an e-mail address of the person, to look for in texts of other people. It may be repeated.",
)
certificate_option = click.option(
    "-o",
    "--certificate",
    type=FormOutput("a certificate", "json"),
    help="Write the certificate to this file. By default it is printed.",
)
model_option = click.option(
    "--model", "output", type=ModelOutput(), help="Also write the model after the change to this file, in place of the old one."
)


@contextmanager
def open_to_write(path: str, wait_seconds: float | None) -> "Iterator[Ledger]":
    from tercet.ledger.ledger import Ledger

    with Ledger.open(path, write=True, wait_seconds=wait_seconds, tell=say) as ledger:
        yield ledger


@define_command(
    "begin",
    "tercet ledger begin new.ledger reviews.tercet",
    "tercet ledger begin new.ledger m.tercet reviews.csv --subject-column id",
)
@click.argument("ledger", type=click.Path())
@click.argument("model", type=click.Path())
@click.argument("data", nargs=-1, type=click.Path())
@subject_option
@actor_option
@wait_option
@reading_options
def begin(
    ledger: str,
    model: str,
    data: tuple[str, ...],
    subject_column: str | None,
    actor: str | None,
    wait_seconds: float | None,
    **reading: Any,
) -> None:
    """Begin a ledger for a model.

    The options of the model are the first event. If the model keeps its documents, or if DATA holds all documents that it has
    learned, each document becomes an event of its own, and the ledger must give the same model again, byte for byte. Otherwise
    the model file becomes a part of the ledger: what it has learned before can't be unlearned or erased one by one.
    """
    if subject_column and not data:
        raise click.UsageError("--subject-column is a column of the data: name the files that hold the documents.")
    found, stream = load_whole(model), None
    if data:
        reading["columns"] = [*reading["columns"], *([subject_column] if subject_column else [])]
        stream = open_stream(data, like=found, training=True, **reading)
    begin_ledger(ledger, found, stream, subject_column, actor, wait_seconds)


@define_command("show", "tercet ledger show live.ledger", "tercet ledger show live.ledger --first 3 --last 5 --json")
@click.argument("ledger", type=click.Path())
@click.option("--first", type=number, default=1, show_default=True, help="Number of the first event to show.")
@click.option("--last", type=number, help="Number of the last event to show.")
@json_option
def show(ledger: str, first: int, last: int | None, as_json: bool) -> None:
    """List events: number, time, actor, verb, and what they are about."""
    from tercet.ledger.ledger import Ledger

    events = Ledger.open(ledger).events(first, last)
    if as_json:
        print_json([event.to_dict() for event in events])
        return
    for event in events:
        click.echo(f"{event.number:>6}  {event.time[:19]}  {show_line(event.actor, 16):<16}  {describe(event)}")


def describe(event: "Event") -> str:
    """The verb, and what it is about, in one line."""
    details = event.details
    parts = [event.verb, *([] if event.target is None else [str(event.target)])]
    parts += [details["kind"]] if "kind" in details else []
    parts += [show_line(details["label"], 16)] if "label" in details else []
    parts += [f"for {show_line(details['pool'], 20)}"] if "pool" in details else []
    parts += [repr(show_line(details["text"], 50))] if "text" in details else []
    parts += [pluralize(details["documents"], "document")] if "documents" in details else []
    parts += [details["model"][:16]] if event.verb == "publish" and details else []
    parts += [f"about {show_line(event.subject, 20)}"] if event.subject else []
    return "  ".join([*parts, *(["(erased)"] if event.is_erased else [])])


@define_command("verify", "tercet ledger verify live.ledger", "tercet ledger verify live.ledger --json")
@click.argument("ledger", type=click.Path())
@json_option
@click.pass_context
def verify(context: click.Context, ledger: str, as_json: bool) -> None:
    """Check whether a ledger is whole, and gives the model that was published last.

    The exit code is 3 if not: then the last good event is named. The hash of the last event stands for the whole ledger. Write
    it down elsewhere: then a ledger that was replaced or cut off has another hash.
    """
    from tercet.ledger.verification import verify as check

    result = check(ledger)
    if as_json:
        print_json({name: getattr(result, name) for name in ("is_good", "findings", "n_events", "head")})
    else:
        lines = [*result.findings, *([f"the last event has the hash {result.head}"] if result.head else [])]
        click.echo("\n".join([f"{'yes' if result.is_good else 'no'}: {lines[0]}", *lines[1:]]))
    context.exit(0 if result.is_good else NO)


@define_command(
    "replay", "tercet ledger replay live.ledger -o again.tercet", "tercet ledger replay live.ledger --to 60 -o then.tercet"
)
@click.argument("ledger", type=click.Path())
@click.option("-o", "--output", type=ModelOutput(), required=True, help="Write the model to this file.")
@click.option("--to", "last", type=number, help="The model after this event. By default it is the model after the last event.")
@wait_option
def replay(ledger: str, output: str, last: int | None, wait_seconds: float | None) -> None:
    """Make the model again from the events.

    The file is the same, byte for byte, as the one that was written after this event. If documents were erased since, it is the
    model without them. Trained weights are the same only with the same version of tercet.
    """
    from tercet.ledger.ledger import Ledger

    with lock_output(output, wait_seconds), Ledger.open(ledger) as opened, opened.process.keep_texts():
        found = opened.replay(last)
        found.model.save(output)
    if found.n_erased:
        say(f"{pluralize(found.n_erased, 'document')} erased since then: this is the model without them")
    if not found.is_trained:
        say("it is not trained yet, or was trained on documents that are erased: naive Bayes answers from the counts")
    say(f"the model of event {found.number}, with the fingerprint {found.checksum}; written: {output}")


@define_command("export", "tercet ledger export live.ledger > events.jsonl", "tercet ledger export live.ledger -o events.jsonl")
@click.argument("ledger", type=click.Path())
@click.option("-o", "--output", type=FormOutput("events", "json lines", "json"), help="Write the events to this file.")
def export(ledger: str, output: str | None) -> None:
    """Write all events as JSON lines, with their texts, salts and hashes.

    Anybody can check the chain of hashes in this file without tercet: docs/ledger.md says how.
    """
    from tercet.ledger.ledger import Ledger
    from tercet.store.atomic_file import PRIVATE, write_whole

    lines = (json.dumps(event.to_dict(), sort_keys=True) + "\n" for event in Ledger.open(ledger).events())
    if output is None:
        for line in lines:
            write_data(line)
        return
    write_whole(output, (line.encode() for line in lines), mode=PRIVATE)
    say(f"written: {output}")


@define_command("undo", "tercet ledger undo live.ledger 5", "tercet ledger undo live.ledger 6 --model live.tercet")
@click.argument("ledger", type=click.Path())
@click.argument("event", type=number)
@model_option
@actor_option
@wait_option
def undo(ledger: str, event: int, output: str | None, actor: str | None, wait_seconds: float | None) -> None:
    """Undo an event: a document that was learned, unlearned or relabelled, or another undo.

    The undo is an event of its own. Nothing is deleted.
    """
    from tercet.errors import ModelGone
    from tercet.ledger.lost_model import find_problem
    from tercet.ledger.publishing import publish_now

    with open_to_write(ledger, wait_seconds) as opened:
        with opened.transaction():
            undone = opened.undo(event, actor=name_actor(actor))[0].number
            problem = find_problem(opened)
            is_written = output is not None and not isinstance(problem, ModelGone)
            replay = publish_now(opened, name_actor(actor), train=True) if is_written else None
        if output and is_written:
            replace_model(output, replay, wait_seconds)
    say(f"event {event} is undone by event {undone}")
    if isinstance(problem, ModelGone):
        say(str(problem))


@define_command(
    "erase",
    "tercet ledger erase live.ledger --subject 3 --model live.tercet -o certificate.json",
    "tercet ledger erase live.ledger --event 8 --event 9",
)
@click.argument("ledger", type=click.Path())
@click.option("--subject", metavar="NAME", help="Erase all documents about this person.")
@click.option("--event", "events", type=number, multiple=True, help="Erase the document of this event. It may be repeated.")
@name_option
@certificate_option
@model_option
@actor_option
@wait_option
def erase(
    ledger: str,
    subject: str | None,
    events: tuple[int, ...],
    names: tuple[str, ...],
    certificate: str | None,
    output: str | None,
    actor: str | None,
    wait_seconds: float | None,
) -> None:
    """Delete documents for ever, and issue a certificate.

    Texts, salts and the name of the person are deleted, and everything that was derived from them. The model is trained
    without them. This can't be undone. The certificate waits until all programs that have the ledger open have dropped the
    documents, and none reads its old pages. It names a program that does not answer within a minute. It says what is outside
    its reach: copies, backups, the files that the documents came from. Texts of other people that mention the person are
    counted and listed, not deleted: `tercet ledger mentions` shows them, and --event erases one.
    """
    from tercet.ledger.erasure import erase_unconfirmed

    with open_to_write(ledger, wait_seconds) as opened:
        erasure = erase_unconfirmed(opened, subject, events, name_actor(actor), names=names, train=True)
        if output:  # at once: the old model may have the erased texts
            replace_model(output, erasure.replay, wait_seconds)
        issued = confirm_aloud(opened, erasure.number, erasure.subject_salt, wait_seconds)
    say(f"{pluralize(erasure.n_documents, 'document')} erased by event {erasure.number}")
    if erasure.mentions is not None:
        say(describe_mentions(erasure.mentions))
    if not output:
        say("model files are not changed: `tercet ledger replay` writes the model without these documents")
    write_certificate(issued, certificate)


def describe_mentions(numbers: Sequence[int]) -> str:
    """What is left to decide, in words."""
    if not numbers:
        return "no text of other people mentions the person by the names that were given"
    listed = ", ".join(map(str, numbers[:MAX_LISTED])) + (" …" if len(numbers) > MAX_LISTED else "")
    words = "text of other people mentions" if len(numbers) == 1 else "texts of other people mention"
    return (
        f"{len(numbers)} {words} the person, and stay: event {listed}. Decide about each: `tercet ledger mentions` shows them, "
        "and `tercet ledger erase --event` erases them"
    )


@define_command("mentions", "tercet ledger mentions live.ledger --subject 3 --name 'Ann Lee' --name ann@example.org")
@click.argument("ledger", type=click.Path())
@click.option("--subject", metavar="NAME", help="The person, whose own documents are left out.")
@name_option
@json_option
def mentions(ledger: str, subject: str | None, names: tuple[str, ...], as_json: bool) -> None:
    """List the texts of other people that mention a person.

    An erasure does not delete them: decide about each. The subject and the names are looked for as they are given, whatever
    their case, but not inside longer words.
    """
    from tercet.ledger.ledger import Ledger
    from tercet.ledger.mentions import find_mentions, list_names

    if not (chosen := list_names(subject, names)):
        raise click.UsageError("name whom to look for: --subject, --name, or both.")
    found = find_mentions(Ledger.open(ledger), chosen, subject=subject)
    if as_json:
        print_json([{"event": each.number, "subject": each.subject, "text": each.content["text"]} for each in found])
        return
    for each in found:
        about = f"  about {show_line(each.subject, 20)}" if each.subject else ""
        click.echo(f"{each.number:>6}  {show_line(each.content['text'], 80)!r}{about}")


def replace_model(path: str, replay: "Replay | None", wait_seconds: float | None) -> None:
    """Write a model, or delete its file if no document is left."""
    with lock_output(path, wait_seconds):
        if replay is None:
            Path(path).unlink(missing_ok=True)
        else:
            replay.model.save(path)
    say(f"no document is left to learn from; deleted: {path}" if replay is None else f"written: {path}")


@define_command("certificate", "tercet ledger certificate erased.ledger 124 -o certificate.json")
@click.argument("ledger", type=click.Path())
@click.argument("event", type=number)
@certificate_option
@wait_option
def certificate(ledger: str, event: int, certificate: str | None, wait_seconds: float | None) -> None:
    """Issue the certificate of an erasure again.

    EVENT is the number of the erasure. Only the first certificate, which `tercet ledger erase` has issued, can prove whom the
    erasure was about: its salt is not in the ledger.
    """
    with open_to_write(ledger, wait_seconds) as opened:
        issued = confirm_aloud(opened, event, None, wait_seconds)
    write_certificate(issued, certificate)


def confirm_aloud(ledger: "Ledger", event: int, salt: bytes | None, wait_seconds: float | None) -> "Certificate":
    """The certificate of an erasure. If another program still has the erased texts after a moment, say so and wait."""
    from tercet.errors import CannotWrite
    from tercet.ledger.erasure import confirm

    with suppress(CannotWrite):
        issued = confirm(ledger, event, salt, MOMENT_SECONDS if wait_seconds is None else min(MOMENT_SECONDS, wait_seconds))
        if not issued.unconfirmed:
            return issued
    say(f"waiting for another program that still has {ledger.name} as it was before the erasure …")
    return confirm(ledger, event, salt, wait_seconds)


def write_certificate(issued: Any, path: str | None) -> None:
    from tercet.store.atomic_file import write_whole

    for note in issued.notes:
        say(f"{note}: end it, and issue the certificate again with `tercet ledger certificate`")
    if path is None:
        print_json(issued.to_dict())
        return
    write_whole(path, [(json.dumps(issued.to_dict(), indent=2) + "\n").encode()])
    say(f"written: {path}")


@define_command(
    "check",
    "tercet ledger check erased.json",
    "tercet ledger check erased.json --subject 3 --model erased.tercet --ledger erased.ledger",
)
@click.argument("certificate", type=click.Path())
@click.option("--subject", metavar="NAME", help="The person whom the erasure should be about.")
@click.option(
    "--model",
    type=click.Path(),
    help="The model file that should be the one after the erasure; with --ledger also one that was published later.",
)
@click.option("--ledger", type=click.Path(), help="The ledger that should have the erasure.")
@click.pass_context
def check(context: click.Context, certificate: str, subject: str | None, model: str | None, ledger: str | None) -> None:
    """Check the certificate of an erasure.

    The exit code is 3 if it is not true. Without --ledger, only its own hashes are checked: that nobody has changed it, not
    that the ledger has it.
    """
    from tercet.ledger.certificate import read_certificate
    from tercet.ledger.ledger import Ledger
    from tercet.store.model_file import read_model

    checksum = None if model is None else read_model(model).checksum
    opened = None if ledger is None else Ledger.open(ledger)
    found = read_certificate(Path(certificate))
    faults = found.check(ledger=opened, subject=subject, model=checksum)
    click.echo("\n".join(f"no: {fault}" for fault in faults) or "yes: the certificate is true, as far as it was checked")
    for note in found.notes:
        click.echo(f"but {note}")
    context.exit(NO if faults else 0)


for each in (begin, show, verify, replay, export, undo, erase, mentions, certificate, check):
    command.add_command(each)

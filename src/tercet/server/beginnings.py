"""Begin a model from texts without labels: read a file of texts, work out a first model, and make it a model of the server.

The client keeps the texts between the steps. So the server remembers nothing of a beginning that somebody gives up, and each
step can be asked for again, with other words. Only the last step writes files.
"""

import os
import re
import shutil
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from heapq import heappop, heappush
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tercet.categorizer.seeds.begin import MAX_TEXTS, Beginning, BegunLabel, GuessedText, begin_from
from tercet.categorizer.suggestion.suggest import digest_text
from tercet.data.documents import DocumentBatch, Documents
from tercet.data.reading import FedDocuments
from tercet.data.source import BLOCK_BYTES
from tercet.ledger.beginning import list_kept
from tercet.ledger.documents import list_subjects
from tercet.ledger.labelling import MAX_OFFERED
from tercet.ledger.ledger import Ledger
from tercet.ledger.model_options import ModelOptions
from tercet.options import n_threads
from tercet.server import messages
from tercet.server.calls import Call, Service, parse_content_type
from tercet.server.limits import TextLimit
from tercet.server.pools import FORMATS, MAX_BAD, describe_bad
from tercet.server.problems import Problem
from tercet.server.served_model import ModelLocation
from tercet.server.uploads import Body, EncodingWatch, choose_encoding
from tercet.store.atomic_file import flush_folder

WORK_SECONDS = 600.0  # to work out a first model
BODY_SHARE = 0.6  # of a request: all texts together, which the client sends back with the words
NAME = re.compile(r"\w(?:[\w .-]{0,62}\w)?")
MAX_NAME_BYTES = 200  # file systems have 255, and names of files around a model are longer
UNFINISHED = ".beginning-"  # before the names of folders in which models are written


class ChosenTexts:
    """At most 10,000 different texts of a file, those with the smallest digests. Their order in the file does not matter."""

    def __init__(self, max_bytes: int) -> None:
        self.n_read, self.n_left_out, self._max_bytes, self._size = 0, 0, max_bytes, 0
        self._heap: list[tuple[int, str, str | None]] = []  # the largest digest first, with a minus sign
        self._known: set[int] = set()

    def add(self, batch: DocumentBatch, subject: str | None) -> None:
        persons = list_subjects(batch, subject) or [None] * len(batch)
        self.n_read += len(batch)
        for text, person in zip(batch.texts, persons, strict=True):
            if not text.strip() or len(text) > MAX_OFFERED:
                self.n_left_out += 1
                continue
            digest = int.from_bytes(digest_text(text), "big")
            if digest in self._known:
                continue
            self._known.add(digest)
            heappush(self._heap, (-digest, text, person))
            self._size += len(text)
            while len(self._heap) > MAX_TEXTS or self._size > self._max_bytes:
                last, dropped, _ = heappop(self._heap)
                self._known.discard(-last)
                self._size -= len(dropped)

    def list(self) -> list[messages.PoolText]:
        """The texts, as many as fit into a request."""
        size, found = 0, []
        for _, text, person in sorted(self._heap, reverse=True):
            size += len(text.encode("utf-8", "replace"))
            if size > self._max_bytes:
                break
            found.append(messages.PoolText(text, person))
        return found


def check_folder(service: Service) -> Path:
    """The folder of the models. Raises a Problem if the server serves single files."""
    if service.folder is None:
        raise Problem(
            409,
            "no_folder",
            "a new model needs a folder, and this server serves a single model or only answers: start it with `tercet serve "
            "FOLDER`.",
        )
    return service.folder


async def read_texts(call: Call) -> Any:
    """Read the texts of a file, to begin a model with them. Nothing is kept: send the texts back with the labels.

    The file is text/csv, application/x-ndjson, or text/plain with a text on each line. Of many texts, at most 10,000 come back:
    a part that is as good as random. `subject` names the column of the person whom a text is about.
    """
    check_folder(call.service)
    kind, query = parse_content_type(call.request), call.request.query_params
    if kind not in FORMATS:
        raise Problem(415, "unknown_type", f"send {', '.join(FORMATS)}; got {kind or 'no Content-Type'}.")
    body, chosen = Body(call.request, call.limits), ChosenTexts(int(BODY_SHARE * call.limits.body))
    with call.service.imports.take(call.user), closing(body):
        async with body.explain_errors():
            fed = await feed_file(call, body, chosen, FORMATS[kind], query.get("text"), query.get("subject"))
    stream = fed.stream
    return messages.ReadTexts(
        texts=chosen.list(),
        read=stream.n_rows,
        bad=stream.n_bad + chosen.n_left_out,
        bad_rows=[describe_bad(error) for error in stream.bad_rows[:MAX_BAD]],
    )


async def feed_file(
    call: Call, body: Body, chosen: ChosenTexts, form: str, text: str | None, subject: str | None
) -> FedDocuments:
    beginning = await body.read_block()
    encoding, is_certain = choose_encoding(call.request, beginning)
    watch = EncodingWatch(is_certain=is_certain)
    options: dict[str, Any] = {
        "format": form,
        "encoding": encoding,
        "is_whole": body.is_over,
        "text": text,
        "columns": [] if subject is None else [subject],
        "max_document_bytes": call.limits.body,
    }

    def choose(batches: Sequence[DocumentBatch]) -> None:
        for batch in batches:
            chosen.add(batch, subject)

    def feed(piece: bytes) -> None:
        choose(fed.feed(piece))

    await call.work(lambda: watch.look(beginning))
    fed = await call.work(partial(FedDocuments, "the file", beginning, **options))
    await call.work(partial(feed, b""))
    async for piece in body.read_pieces(BLOCK_BYTES):
        await call.work(partial(watch.look, piece))
        await call.work(partial(feed, piece))
    for _ in range(2):  # an error that came after documents is raised by the second call
        await call.work(lambda: choose(fed.finish()))
    return fed


async def work_out_beginning(call: Call, message: messages.Begin) -> Any:
    """Work out a first model from texts and from what is known of the labels. Nothing is written, and nothing is checked.

    The answer has for each label the words that it stands on, its share, which is a guess, typical and doubtful texts, and
    words that may be added.
    """
    check_folder(call.service)
    found = await work_out(call, message)
    return await call.in_thread(lambda: describe_beginning(found))


async def work_out(call: Call, message: messages.Begin) -> Beginning:
    """The first model. It has a lane of its own, one at a time: others do not wait for it."""
    check_texts(message)
    labels = {label: describe_words(own) for label, own in message.labels.items()}
    documents, threads = Documents([each.text for each in message.texts]), max(1, n_threads() // 2)
    return await call.run_long(
        call.service.threads.beginnings,
        lambda: begin_from(documents, labels, None, message.shares, "auto", keep_documents=True, threads=threads),
        WORK_SECONDS,
    )


def check_texts(message: messages.Begin) -> None:
    longest = max((len(each.text) for each in message.texts), default=0)
    if longest > MAX_OFFERED:
        raise Problem(422, "invalid", f"a text has {longest} characters: {MAX_OFFERED} are the most. Send a part of it.")


def describe_words(own: messages.LabelWords) -> dict[str, Any]:
    """What is known of a label, as `Seeds.of` takes it."""
    given = {"name": own.name, "description": own.description, "words": own.words, "counter_words": own.counter_words}
    return {key: value for key, value in given.items() if value}


def describe_beginning(found: Beginning) -> messages.BegunModel:
    limit = TextLimit(2 * 5 * max(1, len(found.labels)))
    return messages.BegunModel(
        texts=found.n_texts,
        shares_are_given=found.has_given_shares,
        labels=[describe_label(own, found, limit) for own in found.labels],
        notes=list(found.notes),
    )


def describe_label(own: BegunLabel, found: Beginning, limit: TextLimit) -> messages.BegunLabel:
    seeds = next(each for each in found.seeds.labels if each.label == own.label)
    return messages.BegunLabel(
        label=own.label,
        share=own.share,
        words=list(seeds.words),
        evidence=[word for word, _ in own.evidence],
        proposed=list(own.proposed),
        typical=describe_texts(own.typical, limit),
        doubtful=describe_texts(own.doubtful, limit),
    )


def describe_texts(texts: Sequence[GuessedText], limit: TextLimit) -> list[messages.GuessedText]:
    return [messages.GuessedText(limit.cut(each.text), each.probability) for each in texts]


async def make_model(call: Call, message: messages.MakeModel) -> Any:
    """Make a first model, and serve it: its file, its ledger, and the texts as a pool. Nothing of it has been checked.

    If the server answers with several processes, it serves the model after the next start (`is_served` is false).
    """
    folder, service = check_folder(call.service), call.service
    check_name(folder, message.name, service)
    found = await work_out(call, message)
    actor = call.identity.name
    with service.beginnings.take(call.user):
        check_name(folder, message.name, service)  # somebody else may have made it meanwhile
        location = await service.threads.changes.run(lambda: write_model(folder, message, found, actor), call.user)
        is_served = service.add_model is not None
        if service.add_model is not None:
            await service.add_model(location)
    return messages.MadeModel(model=message.name, pool=message.pool, texts=len(message.texts), is_served=is_served)


def check_name(folder: Path, name: str, service: Service) -> None:
    """Raise a Problem if a model can't have this name."""
    if not NAME.fullmatch(name) or len(name.encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES:
        raise Problem(
            422, "invalid", "name the model with 1 to 64 letters, digits, blanks, dots, - or _; letters at both ends."
        )
    taken = {each.stem.casefold() for each in folder.iterdir()} | {known.casefold() for known in service.models}
    if name.casefold() in taken:
        raise is_taken(name)


def write_model(folder: Path, message: messages.MakeModel, found: Beginning, actor: str) -> ModelLocation:
    """Write the model file, and its ledger with the texts as a pool.

    Both are written in a folder of their own, and get their names when they are whole. A link is refused if the name is
    taken, so of several processes one makes the model. After an error or a kill, nothing half-written has a name.
    """
    path, ledger = folder / f"{message.name}.tercet", folder / f"{message.name}.ledger"
    model, persons = found.categorizer, {each.text: each.subject for each in message.texts}
    with TemporaryDirectory(prefix=UNFINISHED, dir=folder) as apart:
        new_model, new_ledger = Path(apart, "new.tercet"), Path(apart, "new.ledger")
        model.save(new_model)
        kept = list_kept(model, ModelOptions.of(model))
        subjects = [persons.get(text) for text in kept.texts]
        with Ledger.begin(new_ledger, model, kept, actor=actor, subjects=subjects, wait_seconds=0.0) as begun:
            begun.offer(Documents(list(persons)), pool=message.pool, actor=actor, subjects=list(persons.values()))
        give_names([(new_ledger, ledger), (new_model, path)], message.name)  # a ledger alone gives its model again
    return ModelLocation(message.name, path, str(ledger))


def give_names(pairs: Sequence[tuple[Path, Path]], name: str) -> None:
    """Give all files their names, or none: a name that is taken is a Problem."""
    given: list[Path] = []
    try:
        for new, path in pairs:
            os.link(new, path)
            given.append(path)
        flush_folder(path.parent)
    except FileExistsError:
        for path in given:
            path.unlink()
        raise is_taken(name) from None


def is_taken(name: str) -> Problem:
    return Problem(409, "exists", f"there is a model or a file {name!r} already: choose another name. Nothing is written.")


def remove_unfinished(folder: Path) -> None:
    """Remove what a process has left that was killed while it made a model. No process makes one now."""
    for each in folder.glob(f"{UNFINISHED}*"):
        shutil.rmtree(each, ignore_errors=True)

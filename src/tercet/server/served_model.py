"""A model that the server answers with, and its ledger, if it can learn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from tercet.categorizer.files.save_load import load
from tercet.categorizer.predictor import Predictor
from tercet.data.documents import Documents
from tercet.errors import InvalidOption, suggest
from tercet.ledger.changes import Change, Verdict
from tercet.ledger.erasure import Erasure
from tercet.ledger.events import Event
from tercet.ledger.label_queue import LabelQueue
from tercet.ledger.ledger import Ledger
from tercet.ledger.live import LiveAnswer, LiveModel
from tercet.ledger.pools import PoolImport
from tercet.ledger.publishing import find_published
from tercet.server.messages import Document, ImportProgress, Label, LearnedDocument
from tercet.server.problems import Problem
from tercet.server.waits import EventWaits

Result = TypeVar("Result")
CLASSIFY = "classify"  # the pool of corrected answers
FILE_SECONDS = 60.0  # to wait for a command that changes the model file


@dataclass(frozen=True)
class ModelLocation:
    """Where a model is: its name for clients, its file, and its ledger. Without a ledger it can't learn."""

    name: str
    path: Path
    ledger: str | None


@dataclass(frozen=True)
class ModelState:
    """The last event that the answers include, and the last one that the training covers (see `messages.State`)."""

    number: int = 0
    trained_to: int | None = None
    is_trained: bool = True


def describe_answer(found: LiveAnswer[Result]) -> tuple[Result, ModelState]:
    return found.result, ModelState(found.number, found.trained_to, found.is_trained)


class ServedModel:
    """A model that answers. It is always the model of the last event of its ledger that this process has seen."""

    def __init__(self, location: ModelLocation, *, is_locked: bool = False) -> None:
        """With `is_locked`, the process that started this one holds the lock of the ledger."""
        self.name, self.path = location.name, location.path
        self.ledger: Ledger | None = None
        self.live: LiveModel | None = None
        self.fixed: Predictor | None = None
        self.erasures: dict[int, Erasure] = {}  # erasures that wait for their certificates, by event
        self.imports: dict[PoolImport, ImportProgress] = {}  # imports that run now
        self.waits = EventWaits(lambda: self.state.number)
        if location.ledger is None:
            self.fixed = load(location.path)
        else:
            self.ledger = Ledger.open(location.ledger, write=True, locked=is_locked, wait_seconds=0.0)
            self.live = LiveModel(self.ledger, location.path, wait_seconds=FILE_SECONDS)

    @cached_property
    def queue(self) -> LabelQueue:
        """The texts that wait to be labelled."""
        self.check_ledger()
        assert self.live is not None
        return LabelQueue(self.live)

    def close(self) -> None:
        if self.ledger is not None:
            self.ledger.close()

    @property
    def can_learn(self) -> bool:
        return self.ledger is not None

    @property
    def state(self) -> ModelState:
        live = self.live
        return ModelState() if live is None else ModelState(live.number, live.trained_to, live.is_trained)

    @property
    def model(self) -> Any:
        """The model, or None if no document is learned."""
        return self.fixed if self.live is None else self.live.model

    @property
    def n_labels(self) -> int:
        """How many labels the model has."""
        return len(self._need_model().classes_)

    def answer(self, function: Callable[[Any], Result]) -> tuple[Result, ModelState]:
        """What a function says of the model, and the state of the model that it belongs to."""
        model = self._need_model()
        return (function(model), ModelState()) if self.live is None else describe_answer(self.live.answer(function))

    def try_answer(self, function: Callable[[Any], Result]) -> tuple[Result, ModelState] | None:
        """The same; None if it would have to wait for a change of the model."""
        model = self._need_model()
        if self.live is None:
            return function(model), ModelState()
        found = self.live.try_answer(function)
        return None if found is None else describe_answer(found)

    def _need_model(self) -> Any:
        """The model. Raises a Problem if there is none."""
        if self.live is None:
            return self.fixed
        self.check_model()
        if self.live.model is None:
            raise Problem(409, "no_model_yet", f"{self.name!r} has no model yet: {self.live.problem} Teach it first.")
        return self.live.model

    def has_event(self, number: int) -> bool:
        """Whether the answers include this event."""
        return self.state.number >= number

    def check_model(self, status: int = 409) -> None:
        """Raise a Problem if an event has taken the model away."""
        if self.live is not None and self.live.state.is_gone:
            raise Problem(status, "model_gone", f"{self.name!r}: {self.live.problem}")

    def check_ready(self) -> None:
        """Raise an error if the ledger can't be read, or if an event has taken the model away."""
        if self.ledger is not None:
            self.ledger.has_news()
        self.check_model(503)

    def find_fingerprint(self) -> str | None:
        """The checksum of the model file that was published last, or that is served."""
        if self.ledger is not None:
            published = find_published(self.ledger)
            return None if published is None else str(published.details["model"])
        assert self.fixed is not None
        return next((version.checksum for version in self.fixed.files.values()), None)

    # Documents.

    @cached_property
    def columns(self) -> "ReadColumns":
        """The columns that the model reads."""
        if self.ledger is not None:
            shape = self.ledger.recipe.shape
            others = (*shape.categorical, *shape.numeric, *([] if shape.domain is None else [shape.domain]))
            return ReadColumns(shape.text_columns or ("text",), others, shape.numeric)
        assert self.fixed is not None
        known = self.fixed
        return ReadColumns(known.text_columns_ or ("text",), tuple(known.columns_), tuple(known.number_columns_))

    def collect_texts(self, texts: Sequence[str]) -> Any:
        """Documents that are one text each."""
        if self.columns.are_plain:
            return texts
        return self.collect([Document(text=text) for text in texts])

    def collect(self, documents: Sequence[Document]) -> Documents:
        """Documents as the model reads them, from what a client has sent."""
        if self.columns.are_plain and not any(document.columns for document in documents):
            if any(document.text is None for document in documents):
                raise InvalidOption("a document has no text.")
            return Documents([document.text for document in documents])
        texts, others = self.columns.texts, self.columns.others
        rows = [self.columns.read(document) for document in documents]
        columns = {name: [row[name] for row in rows] for name in (*texts, *others)}
        given = {name: columns[name] for name in others}
        if len(texts) == 1:
            return Documents(columns[texts[0]], columns=given)
        return Documents.join({name: columns[name] for name in texts}, columns=given)

    # Changes. Each waits until its events are on the disk, and the model has them.

    def learn(self, documents: Sequence[LearnedDocument], new_labels: bool, actor: str) -> list[Event]:
        self.check_ledger()
        self._check_labels([document.label for document in documents], new_labels)
        subjects = [document.subject for document in documents]
        return self._change(lambda ledger: ledger.learn(self._collect_learned(documents), actor=actor, subjects=subjects))

    def unlearn(self, documents: Sequence[LearnedDocument] | None, events: Sequence[int] | None, actor: str) -> list[Event]:
        if bool(documents) == bool(events):
            raise InvalidOption("name the documents to forget, or the events that learned them: one of both.")
        given = self._collect_learned(documents) if documents else None
        return self._change(lambda ledger: ledger.unlearn(given, events=events or (), actor=actor))

    def relabel(self, number: int, label: Label, new_labels: bool, actor: str) -> list[Event]:
        self.check_ledger()
        self._check_labels([label], new_labels)
        return self._change(lambda ledger: ledger.relabel_event(number, label, actor=actor))

    def withdraw(self, pool: str, actor: str) -> list[Event]:
        return self._change(lambda ledger: ledger.withdraw(pool, actor=actor))

    def judge(self, offer: int, verdict: Verdict, new_labels: bool, actor: str) -> list[Event]:
        self.check_ledger()
        self._check_labels([] if verdict.label is None else [verdict.label], new_labels)
        return self._change(lambda ledger: ledger.judge(offer, verdict, actor=actor))

    def correct(
        self, document: Document, verdict: Verdict, new_labels: bool, actor: str, *, pool: str, subject: str | None
    ) -> list[Event]:
        self.check_ledger()
        self._check_labels([verdict.label], new_labels)
        given = self.collect([document])
        return self._change(lambda ledger: ledger.correct(given, verdict, pool=pool, actor=actor, subject=subject))

    def append(self, change: Change, actor: str) -> Event:
        """Append the events of a change. Returns the last one."""
        return self._change(lambda ledger: ledger.append(change, actor))[-1]

    def undo(self, number: int, actor: str) -> list[Event]:
        return self._change(lambda ledger: ledger.undo(number, actor=actor))

    def erase(
        self, subject: str | None, events: Sequence[int] | None, names: Sequence[str], actor: str, wait_seconds: float
    ) -> Erasure:
        """Erase documents. If a reader still holds old pages after this time, the certificate comes later."""
        self.check_ledger()
        assert self.live is not None
        erasure = self.live.erase(subject, events=events or (), names=names, actor=actor, wait_seconds=wait_seconds)
        if not erasure.is_confirmed:
            self.erasures[erasure.number] = replace(erasure, replay=None)  # without the model, which would stay in memory
        return erasure

    def follow(self) -> None:
        """Bring the model to the last event."""
        if self.live is not None:
            self.live.follow()

    def _change(self, change: Callable[[Ledger], list[Event]]) -> list[Event]:
        events = change(self.check_ledger())
        self.follow()
        return events

    def check_ledger(self) -> Ledger:
        """The ledger. Raises a Problem if there is none."""
        if self.ledger is None:
            raise Problem(409, "read_only", f"{self.name!r} is served for answers only: it has no ledger, so it can't learn.")
        return self.ledger

    def _collect_learned(self, documents: Sequence[LearnedDocument]) -> Documents:
        found = self.collect(documents)
        labels, weights = [document.label for document in documents], [document.weight for document in documents]
        return Documents(found.texts, labels, weights, found.columns, text_columns=found.text_columns)

    def _check_labels(self, labels: Sequence[Label], new_labels: bool) -> None:
        """Raise a Problem if a label is new, which is mostly a mistake. The first documents may have any labels."""
        model = self.model
        if new_labels or model is None:
            return
        known = model.table_.labels.tolist()
        for label in labels:
            if label not in known:
                raise Problem(
                    422,
                    "unknown_label",
                    f"the model has no label {label!r}.{suggest(label, known)} If it is new, send new_labels: true.",
                )


@dataclass(frozen=True)
class ReadColumns:
    """The text columns of a model, the other columns that it reads, and which of these are numbers."""

    texts: tuple[str, ...] = ("text",)
    others: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    @property
    def are_plain(self) -> bool:
        """Whether a document is one text."""
        return len(self.texts) == 1 and not self.others

    def read(self, document: Document) -> dict[str, Any]:
        """The value of each column. A text stands for the only text column.

        >>> ReadColumns(("text",), ("age",)).read(Document(text="so good", columns={"age": 7}))
        {'age': 7, 'text': 'so good'}
        """
        row: dict[str, Any] = dict(document.columns)
        known = (*self.texts, *self.others)
        if document.text is not None:
            if len(self.texts) > 1:
                raise InvalidOption(f"this model reads the columns {', '.join(known)}: send them as columns, not as a text.")
            row[self.texts[0]] = document.text
        for name in known:
            if name not in row:
                raise InvalidOption(f"a document has no {name!r}: this model reads {', '.join(known)}.")
        for name in row:
            if name not in known:
                raise InvalidOption(f"this model does not read a column {name!r}: it reads {', '.join(known)}.")
        for name in self.texts:
            if not isinstance(row[name], str):
                raise InvalidOption(f"the column {name!r} must be a text, got {type(row[name]).__name__}.")
        return row

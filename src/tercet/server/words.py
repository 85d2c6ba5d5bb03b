"""Words: which are the strongest evidence for each label, and what the model and its documents know of one word."""

import time
from collections import Counter
from collections.abc import Sequence
from threading import Lock
from typing import Any, NamedTuple

from tercet.categorizer.evidence.word_lines import make_kinds
from tercet.errors import InvalidOption
from tercet.interruption import check_wanted
from tercet.ledger.label_queue import show_document
from tercet.ledger.replay import find_terms, list_joined, read_documents
from tercet.report.forms import simplify
from tercet.server import messages
from tercet.server.calls import Call
from tercet.server.limits import TextLimit
from tercet.server.problems import Problem
from tercet.server.served_model import ModelState, ServedModel

FRESH_SECONDS = 5.0  # how long they are not worked out again


class KnownWords(NamedTuple):
    """So many words of each label, the model that they are of, and how long they are good."""

    words: dict[Any, list[tuple[str, float]]]
    n: int
    state: ModelState
    until: float


class StrongestWords:
    """The strongest words of a model. They take long, so they may be some seconds old."""

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self._lock = Lock()
        self._known: KnownWords | None = None

    def find(self, n: int) -> tuple[dict[Any, list[tuple[str, float]]], ModelState]:
        """The n strongest words of each label with their log-odds, and the state of the model that they are of."""
        with self._lock:
            if self._known is None or not self._is_good(self._known, n):
                words, state = self.served.answer(lambda model: model.most_informative(n))
                self._known = KnownWords(words, n, state, time.monotonic() + FRESH_SECONDS)
            return self._known.words, self._known.state

    def _is_good(self, known: KnownWords, n: int) -> bool:
        """Whether they are enough and not too old. After an erasure they may have words that nobody else has used."""
        erasures = [] if self.served.ledger is None else self.served.ledger.history.erasures
        if known.n < n or (erasures and erasures[-1][0] > known.state.number):
            return False
        return known.state == self.served.state or time.monotonic() < known.until


MAX_WORDS = 500  # of each label
MAX_READ = 20_000  # documents, the newest, that are looked through for a word
AT_A_TIME = 50  # documents that are read together: they may be long
MAX_SHOWN = 20  # documents that have a word
N_STEPS = 20  # of the trend


async def list_words(call: Call) -> Any:
    """The words that are the strongest evidence for each label, with their log-odds. They may be some seconds old.

    `limit` is the number of words of each label, by default 50.
    """
    written = call.request.query_params.get("limit", "50")
    if not (written.isdecimal() and len(written) < 10 and 1 <= int(written) <= MAX_WORDS):
        raise Problem(422, "invalid", f"limit must be a whole number from 1 to {MAX_WORDS}, got {written[:20]!r}.")
    found, state = await call.work(lambda: call.keep(StrongestWords).find(int(written)))
    labels = {
        str(label): [messages.WeighedWord(term, simplify(value)) for term, value in words[: int(written)]]
        for label, words in found.items()
    }
    return messages.Words(**call.describe(state), labels=labels)


async def show_word(call: Call, message: messages.FindWord) -> Any:
    """What is known of one word, or of a term with several: its counts under each label, and the documents that have it.

    The newest 20,000 documents are looked through. `trend` says how many documents with the word came with each label up to an
    event. Only teachers and admins see `documents`.
    """
    return await call.work(lambda: describe_word(call, message.word, counts_only=message.counts_only))


class KnownWord(NamedTuple):
    """A term of a model: its name, its number, and its rows of parameters."""

    term: str
    number: int
    rows: list[Any]


def describe_word(call: Call, word: str, *, counts_only: bool) -> messages.WordFacts:
    known, state = call.served.answer(lambda model: find_word(model, word))
    if known is None:
        return messages.WordFacts(**call.describe(state), term=word, known=False)
    counts = [describe_count(row) for row in known.rows]
    if counts_only:
        return messages.WordFacts(**call.describe(state), term=known.term, known=True, counts=counts)
    found = DocumentsWithWord(call.served, known.number)
    return messages.WordFacts(
        **call.describe(state),
        term=known.term,
        known=True,
        counts=counts,
        read=found.n_read,
        trend=found.list_trend(),
        documents=found.describe_newest() if call.identity.has_role("teacher") else [],
    )


def find_word(model: Any, word: str) -> KnownWord | None:
    """The term that a word is for a model; None if the model does not know it. Character n-grams do not count."""
    if not hasattr(model, "table_"):
        raise Problem(409, "no_counts", "this model is compact: it has weights, but no counts of its words.")
    analyzer, kinds = model.table_.analyzer, make_kinds(model.table_.analyzer)
    terms, numbers = analyzer.terms(word), find_terms(model.table_, word).tolist()
    own = [
        (term, number)
        for term, number in zip(terms, numbers, strict=True)
        if not kinds.has_words or not kinds.is_characters(term)
    ]
    if not own:
        return None
    term, number = max(own, key=lambda pair: len(pair[0]))  # the n-gram of all words, if there are several
    try:
        return None if number < 0 else KnownWord(kinds.name_term(term), number, list(model.parameters(terms=[term])))
    except InvalidOption:  # the selection of terms has dropped it
        return None


def describe_count(row: Any) -> messages.WordCount:
    return messages.WordCount(
        row.label, row.count, row.documents, getattr(row, "probability", None), getattr(row, "weight", None)
    )


class DocumentsWithWord:
    """The learned documents that have a term, the newest first."""

    def __init__(self, served: ServedModel, number: int) -> None:
        self.served, self.number = served, number
        learned = {} if served.ledger is None else served.ledger.find_learned().labels
        self.labels = {event: learned[event] for event in sorted(learned)[-MAX_READ:]}
        self.n_read = len(self.labels)
        events = list(self.labels)
        self.events = [
            event for start in range(0, len(events), AT_A_TIME) for event in self._pick(events[start : start + AT_A_TIME])
        ]

    def _pick(self, events: Sequence[int]) -> list[int]:
        """Those of these documents that have the term."""
        check_wanted()
        ledger = self.served.check_ledger()
        batches = list(read_documents(ledger, {event: self.labels[event] for event in events}))
        has_term, _ = self.served.answer(
            lambda model: [
                bool((find_terms(model.table_, text) == self.number).any()) for text in list_joined(model.table_, batches)
            ]
        )
        if len(has_term) < len(events):  # a document was erased just now
            return []
        return [event for event, has in zip(events, has_term, strict=True) if has]

    def list_trend(self) -> list[messages.WordStep]:
        """How many documents with each label have the term, in steps of equally many documents."""
        every = list(self.labels)
        size = max(1, -(-len(every) // N_STEPS))
        step_of = {event: index // size for index, event in enumerate(every)}
        counts = Counter((step_of[event], self.labels[event]) for event in self.events)
        last = [every[min((step + 1) * size, len(every)) - 1] for step in range(-(-len(every) // size))]
        return [
            messages.WordStep(last[step], label, n) for (step, label), n in sorted(counts.items(), key=lambda item: item[0][0])
        ]

    def describe_newest(self) -> list[messages.WordDocument]:
        newest = self.events[: -MAX_SHOWN - 1 : -1]
        found = {} if not newest else {event.number: event for event in self.served.check_ledger().pick_events(newest)}
        limit, columns = TextLimit(MAX_SHOWN), self.served.columns.texts
        return [
            messages.WordDocument(number, limit.cut(show_document(found[number].details, columns)[0]), self.labels[number])
            for number in newest
            if not found[number].is_erased
        ]

"""Texts of a file on their way into a pool, batch by batch, and what is wrong with them."""

from typing import TYPE_CHECKING

from tercet.characters import show_line
from tercet.data.documents import DocumentBatch
from tercet.kernel.text.columns import SEPARATOR
from tercet.ledger.documents import list_subjects
from tercet.ledger.labelling import find_offer_key
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.ledger.events import Event
    from tercet.ledger.ledger import Ledger
    from tercet.report.diagnosis import Finding

MOST_EXAMINED = 2000  # new texts that the doctor looks at
LONGEST = 60  # characters of a text in a sentence


class PoolImport:
    """Counts what becomes of the texts. Each batch is one transaction: if the import is cut off, the next one goes on."""

    def __init__(self, ledger: "Ledger", pool: str, actor: str, subject_column: str | None = None) -> None:
        self.ledger, self.pool, self.actor, self.subject_column = ledger, pool, actor, subject_column
        self.n_read, self.n_offered, self.n_blank, self.n_learned = 0, 0, 0, 0
        self.first: int | None = None  # the number of the first event, and of the last one
        self.last: int | None = None
        self._new: list[tuple[int, str]] = []  # the events and their texts, for the doctor

    @property
    def n_copies(self) -> int:
        """The texts that the pool had already."""
        return self.n_read - self.n_blank - self.n_offered

    def add(self, batch: DocumentBatch) -> None:
        """Offer the texts of a batch."""
        self.n_read += len(batch)
        good = [place for place, text in enumerate(batch.texts) if text.replace(SEPARATOR, "").strip()]
        self.n_blank += len(batch) - len(good)
        chosen = batch.pick(good)
        rows, subjects = [chosen.row(place) for place in range(len(chosen))], list_subjects(chosen, self.subject_column)
        if events := self.ledger.offer(chosen, pool=self.pool, actor=self.actor, rows=rows, subjects=subjects):
            self._note(events)

    def _note(self, events: "list[Event]") -> None:
        self.first, self.last = self.first or events[0].number, events[-1].number
        self.n_offered += len(events)
        contents = [event.details for event in events]
        with self.ledger.turn:  # nobody changes the history meanwhile
            history = self.ledger.history
            self.n_learned += sum(any(True for _ in history.find_documents(find_offer_key(content))) for content in contents)
        new = [(event.number, content["text"]) for event, content in zip(events, contents, strict=True)]
        self._new += new[: MOST_EXAMINED - len(self._new)]

    def describe(self) -> list[str]:
        """What is remarkable about the new texts, in sentences: what the doctor finds, kind by kind."""
        found = [f"The model has learned {pluralize(self.n_learned, 'text')} of these already."] if self.n_learned else []
        places = [f"event {number}" for number, _ in self._new]
        found += describe_findings(DocumentBatch([text for _, text in self._new], lines=places))
        if found and self.n_offered > len(self._new):
            found.append(f"Only the first {len(self._new)} of {self.n_offered} new texts were examined.")
        return found


def describe_findings(batch: DocumentBatch) -> list[str]:
    """What the doctor finds in documents, in a sentence for each kind.

    >>> (found,) = describe_findings(DocumentBatch(["to be", "to be", "so it is"], lines=["event 7", "event 8", "event 9"]))
    >>> found.partition(" Keep ")[0]
    "copy: 1 found, such as 'to be' (event 7). The same text is in event 8."
    """
    if not batch.texts:
        return []
    from tercet.auditing.doctor import examine  # on first use: the command line starts without it

    diagnosis = examine([batch])
    return [describe_kind(n, diagnosis.of_kind(kind)[0]) for kind, n in diagnosis.counts.items()]


def describe_kind(n: int, first: "Finding") -> str:
    example = (
        f"such as {show_line(first.beginning, LONGEST)!r} ({first.place})" if first.beginning else f"such as {first.place}"
    )
    return f"{first.kind}: {n} found, {example}. {first.sentence} {first.remedy}"

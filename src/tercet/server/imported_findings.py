"""What the doctor finds in imported files: texts to label, and documents that came with their labels.

It is worked out from the ledger when somebody asks, so that it says nothing of texts that were erased.
"""

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from tercet.data.documents import DocumentBatch
from tercet.ledger.events import Event
from tercet.ledger.pool_import import MOST_EXAMINED, describe_findings
from tercet.server.messages import FileFindings
from tercet.server.served import CLASSIFY, ServedModel

Chosen = Mapping[int, Any]  # the labels of documents by number of their events; None if they have no labels


class ImportedFindings:
    """The findings of one model. They are looked for again when the texts or their labels have changed."""

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self._lock = Lock()
        self._known: dict[str | None, tuple[Chosen, list[str]]] = {}  # by pool: what was examined, and what was found

    def find(self) -> list[FileFindings]:
        with self._lock:
            files = self._list_files()
            chosen = {pool: dict(sorted(file.items())[-MOST_EXAMINED:]) for pool, file in files.items()}
            self._known = {pool: (own, self._examine(pool, own)) for pool, own in chosen.items()}
            return [FileFindings(pool, len(files[pool]), len(own), found) for pool, (own, found) in self._known.items()]

    def _list_files(self) -> dict[str | None, Chosen]:
        ledger = self.served.check_ledger()
        learned = ledger.find_learned().labels
        with ledger.turn:  # nobody changes the history meanwhile
            verbs, pools = ledger.history.verbs, ledger.history.labelling.pools
            files: dict[str | None, Chosen] = {
                pool: dict.fromkeys(pools[pool].values()) for pool in sorted(pools) if pool != CLASSIFY
            }
            imported = {number: label for number, label in learned.items() if verbs[number] == "import"}
        return files | ({None: imported} if imported else {})

    def _examine(self, pool: str | None, chosen: Chosen) -> list[str]:
        known = self._known.get(pool)
        if known is not None and known[0] == chosen:
            return known[1]
        events = [event for event in self.served.check_ledger().pick_events(chosen) if not event.is_erased]
        return describe_findings(read_texts(events, labels=None if pool is not None else chosen))


def read_texts(events: Sequence[Event], labels: Chosen | None) -> DocumentBatch:
    """The documents of events. Their places are the events."""
    contents = [event.details for event in events]
    names = contents[0].get("columns", {}) if contents else {}
    return DocumentBatch(
        [content["text"] for content in contents],
        None if labels is None else [labels[event.number] for event in events],
        columns={name: [content["columns"][name] for content in contents] for name in names},
        lines=[f"event {event.number}" for event in events],
    )

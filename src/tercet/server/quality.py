"""How good the model is by the judgments of people, how far people agree, which labels look wrong, what imported files have.

Findings in files are worked out from the ledger when somebody asks, so that they say nothing of texts that were erased.
Suspects, whose label looks wrong to models that have not learned them, are looked for in the background. So is what more labels
would bring.
"""

import logging
import math
from collections.abc import Mapping, Sequence
from threading import Lock, Thread
from typing import Any, NamedTuple

import numpy as np

from tercet.auditing.doctor.label_errors import find_label_errors
from tercet.categorizer.suggestion.next_labels import N_MORE, ExpectedGain
from tercet.data.documents import DocumentBatch
from tercet.errors import TercetError
from tercet.evaluation.confusion import Confusion
from tercet.evaluation.intervals import Estimate
from tercet.ledger.events import Event
from tercet.ledger.expected_gain import estimate_gain_of_ledger
from tercet.ledger.label_queue import show_document
from tercet.ledger.pools import MAX_EXAMINED, describe_findings
from tercet.ledger.proposals import Proposals, list_by_judge
from tercet.ledger.replay import read_documents
from tercet.ledger.trainer import CHANGES, MIN_CHANGES, SHARE
from tercet.report.agreement import Agreement, measure_agreement
from tercet.server import messages
from tercet.server.calls import Call
from tercet.server.messages import FileFindings, SuspectFacts
from tercet.server.served_model import CLASSIFY, ServedModel


class JudgedQuality:
    """What follows from all judgments up to the last event."""

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self._lock = Lock()
        self._proposals: tuple[int, Proposals] | None = None
        self._agreement: tuple[int, Agreement | None] | None = None

    def compute_proposals(self) -> Proposals:
        ledger = self.served.check_ledger()
        with self._lock, ledger.turn:  # nobody changes the history meanwhile
            if self._proposals is None or self._proposals[0] != ledger.history.last:
                self._proposals = ledger.history.last, Proposals.of(ledger.history)
            return self._proposals[1]

    def compute_agreement(self) -> Agreement | None:
        """None before somebody has given a label."""
        ledger = self.served.check_ledger()
        with self._lock:
            with ledger.turn:
                number = ledger.history.last
                if self._agreement is not None and self._agreement[0] == number:
                    return self._agreement[1]
                judgments = list_by_judge(ledger.history)
            self._agreement = number, measure_agreement(judgments) if judgments else None
            return self._agreement[1]


LabelsByEvent = Mapping[int, Any]  # the labels of documents by number of their events; None if they have no labels


class ImportedFindings:
    """The findings of one model. They are looked for again when the texts or their labels have changed."""

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self._lock = Lock()
        self._known: dict[str | None, tuple[LabelsByEvent, list[str]]] = {}  # by pool: what was examined, and what was found

    def find(self) -> list[FileFindings]:
        with self._lock:
            files = self._list_files()
            chosen = {pool: dict(sorted(file.items())[-MAX_EXAMINED:]) for pool, file in files.items()}
            self._known = {pool: (own, self._examine(pool, own)) for pool, own in chosen.items()}
            return [FileFindings(pool, len(files[pool]), len(own), found) for pool, (own, found) in self._known.items()]

    def _list_files(self) -> dict[str | None, LabelsByEvent]:
        ledger = self.served.check_ledger()
        learned = ledger.find_learned().labels
        with ledger.turn:  # nobody changes the history meanwhile
            verbs, pools = ledger.history.verbs, ledger.history.labelling.pools
            files: dict[str | None, LabelsByEvent] = {
                pool: dict.fromkeys(pools[pool].values()) for pool in sorted(pools) if pool != CLASSIFY
            }
            imported = {number: label for number, label in learned.items() if verbs[number] == "import"}
        return files | ({None: imported} if imported else {})

    def _examine(self, pool: str | None, chosen: LabelsByEvent) -> list[str]:
        known = self._known.get(pool)
        if known is not None and known[0] == chosen:
            return known[1]
        events = [event for event in self.served.check_ledger().pick_events(chosen) if not event.is_erased]
        return describe_findings(read_texts(events, labels=None if pool is not None else chosen))


def read_texts(events: Sequence[Event], labels: LabelsByEvent | None) -> DocumentBatch:
    """The documents of events. Their places are the events."""
    contents = [event.details for event in events]
    names = contents[0].get("columns", {}) if contents else {}
    return DocumentBatch(
        [content["text"] for content in contents],
        None if labels is None else [labels[event.number] for event in events],
        columns={name: [content["columns"][name] for content in contents] for name in names},
        lines=[f"event {event.number}" for event in events],
    )


MAX_JUDGED = 20_000  # documents: the newest
MAX_KEPT = 50  # suspects
GAIN_CHANGES = (*CHANGES, "erase")  # events after which more labels would bring something else

log = logging.getLogger("tercet.server")


class Doubt(NamedTuple):
    """A document whose label looks wrong, without its text: that may be erased meanwhile."""

    event: int
    label: Any
    looks_like: Any
    probability: float


class SuspectFinder:
    """The suspects of one model. They are looked for anew after a training, or when enough documents have changed."""

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self._lock = Lock()
        self._thread: Thread | None = None
        self._found: tuple[Doubt, ...] = ()
        self._at: tuple[int | None, int] | None = None  # the training and the last event when they were looked for

    @property
    def event(self) -> int | None:
        """The last event that the suspects are of; None before they were looked for."""
        return None if self._at is None else self._at[1]

    def find(self) -> list[SuspectFacts]:
        """The suspects that are known, with their texts. Others are looked for in the background if that is due."""
        with self._lock:
            is_running = self._thread is not None and self._thread.is_alive()
            if not is_running and self._is_due():
                self._thread = Thread(target=self._look, name=f"suspects of {self.served.name}", daemon=True)
                self._thread.start()
        return self._describe(self._found)

    def wait(self) -> None:
        """Wait until they are found, if they are looked for."""
        if self._thread is not None:
            self._thread.join()

    def _is_due(self) -> bool:
        ledger, state = self.served.check_ledger(), self.served.state
        if self._at is None or self._at[0] != state.trained_to:
            return True
        history = ledger.history
        changes = sum(verb in CHANGES for verb in history.verbs[self._at[1] + 1 :])
        return changes >= max(MIN_CHANGES, len(history.documents) // SHARE)

    def _look(self) -> None:
        ledger, trained_to = self.served.check_ledger(), self.served.state.trained_to
        learned = ledger.find_learned()
        numbers = sorted(learned.labels)[-MAX_JUDGED:]
        found: tuple[Doubt, ...] = ()
        try:
            chosen = {number: learned.labels[number] for number in numbers}
            suspects = find_label_errors(read_documents(ledger, chosen)).probable[:MAX_KEPT]
            found = tuple(Doubt(numbers[each.position], each.label, each.better, each.probability) for each in suspects)
        except TercetError as error:  # too few documents, for example
            log.info("no suspects of %s: %s", self.served.name, error)
        except Exception as error:
            log.error("suspects of %s: %s", self.served.name, type(error).__name__)
        self._found, self._at = found, (trained_to, learned.number)

    def _describe(self, doubts: tuple[Doubt, ...]) -> list[SuspectFacts]:
        """Those that are still learned with the same label."""
        ledger = self.served.check_ledger()
        with ledger.turn:  # nobody changes the history meanwhile
            history = ledger.history
            left = {
                each.event: each
                for each in doubts
                if history.is_learned(each.event) and history.find_label(each.event) == each.label
            }
        texts = {event.number: event.details for event in ledger.pick_events(left) if not event.is_erased}
        return [
            SuspectFacts(
                each.event,
                show_document(texts[each.event], self.served.columns.texts)[0],
                each.label,
                each.looks_like,
                each.probability,
            )
            for each in left.values()
            if each.event in texts
        ]


class KnownGain(NamedTuple):
    """What more labels would bring, and the last event that this is of."""

    event: int
    gain: ExpectedGain


class GainFinder:
    """What more labels would bring to one model. It is worked out in the background, when somebody asks and the documents have
    changed since. In a process, one model at a time is worked on: the trainings of several would leave nothing to the others.
    """

    _turn = Lock()

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self._lock = Lock()
        self._thread: Thread | None = None
        self._known: KnownGain | None = None

    def find(self) -> tuple[bool, KnownGain | None]:
        """Whether it is worked out now, and what is known."""
        with self._lock:
            if not self._is_running() and self._is_due():
                self._thread = Thread(target=self._estimate, name=f"gain of {self.served.name}", daemon=True)
                self._thread.start()
            return self._is_running(), self._known

    def wait(self) -> None:
        """Wait until it is worked out, if that is under way."""
        if self._thread is not None:
            self._thread.join()

    def _is_running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _is_due(self) -> bool:
        verbs = self.served.check_ledger().history.verbs
        return self._known is None or any(verb in GAIN_CHANGES for verb in verbs[self._known.event + 1 :])

    def _estimate(self) -> None:
        ledger = self.served.check_ledger()
        with self._turn:
            number = ledger.history.last
            try:
                gain = estimate_gain_of_ledger(ledger)
            except Exception as error:
                log.error("gain of %s: %s", self.served.name, type(error).__name__)
                gain = ExpectedGain(0, N_MORE, reason="an unexpected error: see the log of the server")
            self._known = KnownGain(number, gain)


async def show_gain(call: Call) -> Any:
    """What 50 more labels would bring. It is worked out in the background when this is asked for: ask again while it runs."""
    is_running, known = await call.work(call.keep(GainFinder).find)
    event, gain = (None, ExpectedGain(0, N_MORE)) if known is None else known
    return messages.GainFacts(
        **call.describe(call.served.state),
        is_running=is_running,
        gain_event=event,
        documents=None if known is None else gain.n_documents,
        more=gain.n_more,
        accuracy=gain.accuracy,
        gain=None if gain.gain is None else describe_estimate(gain.gain),
        words="" if known is None else gain.words,
    )


async def show_quality(call: Call) -> Any:
    """How good the model is by the judgments of people: its proposals against their labels.

    `suspects` are documents whose label looks wrong. They are looked for in the background: `suspects_event` is the last event
    that they are of, or null. Only teachers and admins see them, because they have texts.
    """
    return await call.work(lambda: describe_quality(call))


def describe_quality(call: Call) -> messages.Quality:
    served = call.served
    proposals = call.keep(JudgedQuality).compute_proposals()
    confusion = proposals.count_confusion()
    sees_texts = call.identity.has_role("teacher")
    finder = call.keep(SuspectFinder)
    return messages.Quality(
        **call.describe(served.state),
        proposals=messages.ProposalFacts(len(proposals), int(proposals.is_right.sum()), describe_estimate(proposals.accuracy)),
        running=[
            messages.RunningPoint(event=each.event, n=each.n, **describe_accuracy(each.accuracy))
            for each in proposals.list_running()
        ],
        learning=[
            messages.LearningPoint(n_documents=each.n_documents, n=each.n, **describe_accuracy(each.accuracy))
            for each in proposals.list_learning()
        ],
        confusion=messages.ConfusionFacts([], []) if confusion is None else describe_confusion(confusion),
        calibration=messages.CalibrationFacts(
            [messages.CalibrationBin(**vars(each)) for each in proposals.list_bins()], proposals.calibration_error
        ),
        suspects=finder.find() if sees_texts else [],
        suspects_event=finder.event if sees_texts else None,
    )


MAX_CONFUSED = 200  # labels of the table of confusions


def describe_confusion(confusion: Confusion) -> messages.ConfusionFacts:
    """The counts of each two labels. Of very many labels, those that occur most."""
    gold, predicted = confusion.gold_and_predicted
    n_labels = len(confusion.labels)
    occurs = np.bincount(np.concatenate([gold, predicted]), np.tile(confusion.values, 2), n_labels)
    kept = np.sort(np.argsort(-occurs, kind="stable")[:MAX_CONFUSED])
    indices = np.full(n_labels, -1)
    indices[kept] = np.arange(len(kept))
    is_inside = (indices[gold] >= 0) & (indices[predicted] >= 0)
    cells = np.zeros((len(kept), len(kept)), np.int64)
    cells[indices[gold[is_inside]], indices[predicted[is_inside]]] = confusion.values[is_inside]
    return messages.ConfusionFacts(confusion.labels[kept].tolist(), cells.tolist())


async def show_findings(call: Call) -> Any:
    """What the doctor finds in the files that were imported: in each pool, and in the documents that came with their labels.

    Of each, the newest 2,000 texts are examined. `pool` is null for the documents with labels.
    """
    found = await call.work(call.keep(ImportedFindings).find)
    return messages.Findings(**call.describe(call.served.state), files=found)


async def show_agreement(call: Call) -> Any:
    """How far people agree: Krippendorff's alpha of all, and Cohen's kappa of each two."""
    found = await call.work(call.keep(JudgedQuality).compute_agreement)
    state = call.describe(call.served.state)
    if found is None:
        nothing = messages.AlphaFacts(value=None, low=None, high=None, note="", n_units=0)
        return messages.AgreementFacts(**state, alpha=nothing, pairs=[], n_judges=0)
    alpha = describe_estimate(found.alpha)
    return messages.AgreementFacts(
        **state,
        alpha=messages.AlphaFacts(alpha.value, alpha.low, alpha.high, alpha.note, n_units=found.n_texts),
        pairs=[messages.PairFacts(pair.first, pair.second, pair.n, describe_estimate(pair.kappa)) for pair in found.pairs],
        n_judges=len(found.judges),
    )


def describe_estimate(estimate: Estimate) -> messages.EstimateFacts:
    """Null instead of a number that is undefined."""
    value, low, high = (None if math.isnan(each) else each for each in (estimate.value, estimate.low, estimate.high))
    return messages.EstimateFacts(value, low, high, estimate.note)


def describe_accuracy(estimate: Estimate) -> dict[str, float]:
    return {"accuracy": estimate.value, "low": estimate.low, "high": estimate.high}

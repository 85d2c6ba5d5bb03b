"""A ledger that has documents and no model: which event has taken the model away, and how to get it back.

New events are rehearsed before they are written (`rehearsal.py`). But an older tercet has not done this. Such a ledger can be
opened, the event is named, and its undo brings the model back.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tercet.counts.labels import make_labels
from tercet.errors import CannotWrite, InvalidFile, MissingLabel, ModelGone, NeverLearned, TercetError
from tercet.ledger.history import UNDOABLE, History, LearnedDocuments
from tercet.ledger.replay import count_documents

if TYPE_CHECKING:
    from tercet.ledger.ledger import Ledger


@contextmanager
def explain_loss(ledger: "Ledger", number: int | None = None) -> Iterator[None]:
    """If there is no model after this event, by default the last one, name the event that has taken it away."""
    try:
        yield
    except (CannotWrite, InvalidFile, NeverLearned, ModelGone):  # errors of the ledger, or it has no documents
        raise
    except TercetError as error:
        find = find_unlearning if isinstance(error, MissingLabel) else find_learning
        with ledger.turn:
            is_last = number is None or number == ledger.head.number
            lost_by = find(ledger, ledger.history if is_last else History(ledger.events(last=number)))
        if lost_by is None:
            raise
        raise describe_loss(ledger, lost_by, error) from error


def find_problem(ledger: "Ledger") -> TercetError | None:
    """Why there are documents and no model; None if there is a model, or no document. ModelGone if an event is the reason."""
    try:
        with explain_loss(ledger):
            count_documents(ledger, ledger.find_learned())
    except (CannotWrite, InvalidFile):
        raise
    except TercetError as error:
        return error
    return None


def find_learning(ledger: "Ledger", history: History) -> int | None:
    """The event that gives a document, or its label, that the model can't have after all documents before it."""
    learned = history.summarize()
    documents = [*learned.labels]
    good, bad = 0, len(documents)
    while bad - good > 1:
        middle = (good + bad) // 2
        is_good = can_count(ledger, learned, documents[:middle])
        good, bad = (middle, bad) if is_good else (good, middle)
    if not documents:
        return None
    number = documents[bad - 1]
    given = history.find_labelling(number)
    before = learned._replace(labels={**learned.labels, number: history.find_label_without(given)})
    return given if can_count(ledger, before, documents[:bad]) else number


def find_unlearning(ledger: "Ledger", history: History) -> int | None:
    """The last event that has taken the last document of a label. None if such labels have never been there together."""
    labels = set(history.list_learned().values())
    found = None
    for number in range(history.last, 1, -1):
        if history.verbs[number] not in ("unlearn", "relabel", "undo") or not history.is_in_effect(number):
            continue
        label = history.find_label_without(number)
        if label is None or label in labels:
            continue
        labels.add(label)
        found = found or number
        with suppress(MissingLabel):
            ledger.recipe.check_all_labels(make_labels(sorted(labels)))
            return found
    return None


def can_count(ledger: "Ledger", learned: LearnedDocuments, documents: Sequence[int]) -> bool:
    """Whether there is a model of some of the learned documents. It may wait for the others."""
    labels = {number: learned.labels[number] for number in documents}
    if None in labels.values():
        return False
    try:
        count_documents(ledger, learned._replace(labels=labels))
    except (CannotWrite, InvalidFile):
        raise
    except TercetError as error:
        return isinstance(error, MissingLabel)
    return True


def has_model(ledger: "Ledger", number: int) -> bool:
    """Whether there was a model after this event."""
    try:
        return count_documents(ledger, ledger.find_learned(number)) is not None
    except (CannotWrite, InvalidFile):
        raise
    except TercetError:
        return False


def describe_loss(ledger: "Ledger", number: int, error: TercetError) -> ModelGone:
    event = next(ledger.pick_events([number]))
    remedy = f" Undo this event: tercet ledger undo {ledger.name} {number}, or in the history of the server's page."
    can_be_undone = event.verb in UNDOABLE and ledger.history.is_in_effect(number)
    found = ModelGone(
        f"the model is gone since event {number} ({event.verb}, by {event.actor}): {error}{remedy if can_be_undone else ''}"
    )
    found.event = number
    return found

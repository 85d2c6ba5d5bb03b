"""Train the model of a ledger on all its documents, and publish it: write its checksum into the ledger."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tercet.errors import CannotWrite, InvalidFile, TercetError
from tercet.ledger.events import Event
from tercet.ledger.history import Training
from tercet.ledger.replay import Replay, attach_check, no_model, replay, train_model

if TYPE_CHECKING:
    from tercet.ledger.ledger import Ledger

Remake = Callable[[], Replay | None]


def publish_now(ledger: "Ledger", actor: str, *, train: bool) -> Replay:
    """The model after all events, with a `train` event before it if its options need training and `train` is true."""
    is_trained = train and ledger.recipe.needs_training and not ledger.has_start
    found = train_now(ledger, actor) if is_trained else replay(ledger, None)
    ledger.publish(found, actor=actor)
    return found


def publish_after_erasure(
    ledger: "Ledger", actor: str, *, train: bool, keeps_model: bool, remake: Remake = lambda: None
) -> Replay | None:
    """The same, or None if no document is left. If it can't be trained on what is left, the counts answer.

    `remake` may know the model after the erasure: then it need not be made of all documents. If there is no model afterwards,
    it is an error, unless `keeps_model` is false: there was none before.
    """
    if not ledger.history.list_learned() and not ledger.has_start:
        return None
    if (known := remake()) is not None:
        ledger.publish(known, actor=actor)
        return known
    try:
        return publish_trained(ledger, actor) if train else publish_now(ledger, actor, train=False)
    except (CannotWrite, InvalidFile):  # errors of the ledger, not of the model
        raise
    except TercetError as error:
        if not keeps_model:
            return None
        raise type(error)(f"without these documents there would be no model: {error} Nothing is erased.") from error


def publish_trained(ledger: "Ledger", actor: str) -> Replay:
    """The trained model, or that of the counts if it can't be trained."""
    try:
        return publish_now(ledger, actor, train=True)
    except TercetError:
        return publish_now(ledger, actor, train=False)


def train_now(ledger: "Ledger", actor: str) -> Replay:
    """The model that is trained on all documents of now. The `train` event is appended when the training has succeeded."""
    ledger.check_trainable()
    now = ledger.find_learned()
    if not now.labels:
        raise no_model(now.number)
    model = train_model(ledger, now)
    event = ledger.note_training(now.number, actor=actor)
    if event.number > now.number + 1:  # others have written meanwhile
        return ledger.replay(event.number)
    attach_check(model, ledger.find_learned().check)
    return Replay(event.number, model, Training(event.number, now.number, event.details["version"]), 0, True)


def find_published(ledger: "Ledger") -> Event | None:
    """The last event that has the checksum of a model, and is committed."""
    for number in ledger.history.publications[::-1]:
        event = next(ledger.events(number, number), None)  # None if another thread is writing it just now
        if event is not None and not event.is_erased:
            return event
    return None

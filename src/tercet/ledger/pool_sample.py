"""Check the model of a ledger by hand: draw texts of a pool, and measure the answers of a person.

A check takes a person many minutes, and the model may learn meanwhile. So a drawn sample has all that is needed to measure the
answers: it is given to the client, sealed, and comes back with the answers. No process has to remember it. The seal says that
this ledger has drawn it; its key is derived from the random salt of the first event, which never leaves the ledger by the
server.
"""

import hmac
import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.hand_check import HandCheck
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption
from tercet.evaluation.checked_sample import CheckDesign, CheckedPool, DrawnDocuments
from tercet.interruption import check_wanted
from tercet.ledger.changes import Change, check
from tercet.ledger.events import Draft
from tercet.ledger.history import History
from tercet.ledger.label_queue import LabelQueue

if TYPE_CHECKING:
    from tercet.ledger.ledger import Ledger

MAX_CHECKED = 1000  # texts of a sample
MAX_POOL = 20_000  # texts of a pool that are predicted; of a larger pool, so many are drawn first
AT_A_TIME = 200  # texts that are predicted together: no event is applied meanwhile
MAX_ATTEMPTS = 3  # to predict the whole pool before the model changes


@dataclass(frozen=True, eq=False)
class PoolSample:
    """Texts of a pool that a person should check, in the order in which they should be checked.

    - `event`: the last event of the model that was asked for its predictions.
    - `offers`: the events that have offered the texts.
    - `labels`: the labels of the model.
    """

    pool: str
    event: int
    offers: tuple[int, ...]
    labels: tuple[Any, ...]
    drawn: DrawnDocuments

    @property
    def n_pool(self) -> int:
        return int(self.drawn.cells.sum())

    def seal(self, ledger: "Ledger") -> str:
        """The sample as letters and digits that only this ledger can make."""
        plain = {"pool": self.pool, "event": self.event, "offers": self.offers, "labels": self.labels}
        written = zlib.compress(json.dumps(plain | {"drawn": self.drawn.to_dict()}).encode())
        return f"{sign(ledger, written)}.{urlsafe_b64encode(written).decode()}"

    @classmethod
    def open(cls, ledger: "Ledger", sealed: str) -> "PoolSample":
        """The sample that this ledger has sealed. Raises InvalidOption if it has not."""
        signature, _, encoded = sealed.partition(".")
        try:
            written = urlsafe_b64decode(encoded.encode())
            is_good = hmac.compare_digest(signature.encode(), sign(ledger, written).encode())
        except ValueError:  # letters that no sealed sample has
            is_good = False
        if not is_good:
            raise InvalidOption(
                "this sample was not drawn from this ledger, or it was changed: send it as it came. Nothing is written."
            )
        read = json.loads(zlib.decompress(written))
        drawn = DrawnDocuments.from_dict(read["drawn"])
        return cls(read["pool"], read["event"], tuple(read["offers"]), tuple(read["labels"]), drawn)

    def measure(self, answers: Sequence[Any]) -> CheckedPool:
        """What the right labels say about the pool; None for a text without an answer."""
        if len(answers) != len(self.offers):
            raise InvalidLabel(
                f"{len(self.offers)} texts were drawn, and {len(answers)} answers came: send null for no answer."
            )
        for answer in answers:
            if answer is not None and type(answer) is not type(self.labels[0]):
                raise InvalidLabel(
                    f"the labels of the model are like {self.labels[0]!r}, and {answer!r} has another type. Nothing is written."
                )
        return self.drawn.measure(answers, self.labels)


def sign(ledger: "Ledger", written: bytes) -> str:
    first = next(ledger.events(1, 1))
    assert first.salt is not None  # the first event is never erased
    return hmac.digest(sha256(b"check " + first.salt).digest(), written, "sha256").hex()


def draw_sample(queue: LabelQueue, pool: str, n: int, seed: int) -> PoolSample:
    """Draw texts of a pool that nobody has labelled: see `tercet.draw_check_sample`.

    Texts that the model has learned from people would look better than the others. Raises InvalidOption if there are not n.
    """
    numbers = list_unlabelled(queue, pool)
    if not numbers:
        raise InvalidOption(f"every text of the pool {pool!r} is labelled already: import new texts to check the model with.")
    for _ in range(MAX_ATTEMPTS):
        found = predict_pool(queue, numbers)
        if found is not None:
            kept, labels, best, probabilities, event = found
            design = CheckDesign.of(best, probabilities, n)
            drawn = design.draw(seed)
            offers = tuple(kept[position] for position in drawn.tolist())
            return PoolSample(pool, event, offers, labels, design.pick(drawn))
    raise InvalidOption("the model changes faster than it can be asked about this pool: try again in a moment.")


def list_unlabelled(queue: LabelQueue, pool: str) -> list[int]:
    """The offers of a pool whose texts were not learned, in the order of their keys, which is as good as random."""
    numbers = queue.pools.list_first(pool, len(queue.ledger.history.labelling.offers))
    with queue.ledger.turn:  # nobody changes the history meanwhile
        labelling = queue.ledger.history.labelling
        return [number for number in numbers if labelling.find_document(number) is None][:MAX_POOL]


def predict_pool(queue: LabelQueue, numbers: Sequence[int]) -> tuple[list[int], tuple[Any, ...], Integers, Floats, int] | None:
    """These offers without erased ones, the labels of the model, the code and the probability of the best label of each offer,
    and the last event of the model. None if the model has changed meanwhile."""
    kept: list[int] = []
    best, probabilities = [np.zeros(0, np.int64)], [np.zeros(0)]
    first, last = 0, 0
    labels: tuple[Any, ...] = ()
    for start in range(0, len(numbers), AT_A_TIME):
        check_wanted()
        offers = queue.read(numbers[start : start + AT_A_TIME])
        if not offers:
            continue
        answer = queue.live.answer(partial(predict_best, queue.collect(offers)))
        labels, codes, shares = answer.result
        first, last = first or answer.number, answer.number
        kept += [offer.number for offer in offers]
        best.append(codes)
        probabilities.append(shares)
    with queue.ledger.turn:  # nobody changes the history meanwhile
        is_same = queue.ledger.history.is_same_model(first, last)
    if not is_same:
        return None
    return kept, labels, np.concatenate(best), np.concatenate(probabilities), last


def predict_best(documents: Documents, model: Categorizer) -> tuple[tuple[Any, ...], Integers, Floats]:
    found = model.predict_proba(documents)
    return tuple(model.classes_.tolist()), found.argmax(axis=1), np.clip(found.max(axis=1), 0, 1)


def write_check(sample: PoolSample, answers: Sequence[Any]) -> Change:
    """Write down what the answers say about the pool. The answers themselves are not written.

    The answer to a text that was erased meanwhile is left out.
    """
    sample.measure(answers)  # an error is raised before the change waits for its turn

    def change(history: History) -> Sequence[Draft]:
        offers = history.labelling.offers
        left = [answer if offers[offer].key else None for answer, offer in zip(answers, sample.offers, strict=True)]
        return check(HandCheck.of(sample.measure(left), sample.pool), sample.event)(history)

    return change

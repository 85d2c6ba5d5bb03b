"""Which text of a pool is labelled next: one that teaches the model much, or a random one.

The suggested order is that of `tercet.suggest`. Before the model has learned 20 documents, texts come from groups of similar
texts of which nobody has judged one, the largest group first. Afterwards those come first between whose two best labels the
model can hardly decide, but near copies of texts that were judged just now come last. In a large pool, only 1000 texts are
looked at, in the order of their keys, which is as good as random; so it costs no more than a small one. The order depends on
the ledger, and on whether the sentence encoder is installed: no dice. A text that enough people have at hand is left out.
"""

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from tercet.categorizer.suggestion.clusters import Clusters, cluster_rows
from tercet.categorizer.suggestion.order import N_FIRST, choose_hardest, choose_spread, knows_enough
from tercet.categorizer.suggestion.suggest import MAX_SPREAD
from tercet.categorizer.suggestion.text_vectors import represent_texts
from tercet.data.documents import Documents
from tercet.kernel.text.columns import SEPARATOR
from tercet.ledger.events import Event
from tercet.ledger.labelling import Judgment, strip_offer
from tercet.ledger.live import LiveModel
from tercet.ledger.pools import HandedOut, Pools
from tercet.options import check_choice, check_count
from tercet.report.prediction_lines import Ranked, rank_labels

SUGGESTED, RANDOM = ORDERS = ("suggested", "random")
MAX_SCORED = 1000  # texts of a pool that are scored for a suggestion
MAX_POOLS = 16  # pools whose groups are known
N_RECENT = 20  # judged texts that the next one should differ from
MAX_EVENTS = 10_000  # events among which judged texts are looked for
AT_A_TIME = 200  # texts that are scored together: no event is applied meanwhile


class QueuedText(NamedTuple):
    """A text to judge.

    - `offer`: the event that has offered it.
    - `ranked`: all labels of the model with their probabilities, the best first; empty if there is no model yet.
    - `event`: the last event of this model.
    - `own`: the last judgment of the person who asks, which can only be a note.
    - `n_labels`: how many people have given it a label.
    """

    offer: Event
    ranked: Ranked
    event: int
    own: Judgment | None
    n_labels: int


class LabelQueue:
    """The texts of all pools of a ledger that wait to be labelled, with what the model says of them."""

    def __init__(self, live: LiveModel) -> None:
        self.live, self.ledger = live, live.ledger
        self.pools, self.handed_out, self.first_texts = Pools(live.ledger), HandedOut(), FirstTexts()

    def pick(self, pool: str, actor: str, *, order: str = SUGGESTED, limit: int = 1, judges: int = 1) -> list[QueuedText]:
        """The next texts for this person, in an order of ORDERS. A text that the person has judged does not come again.

        `judges` is how many people should judge each text. Texts that others have judged, but not enough of them, come first.
        No more people have a text at hand: it comes to others when it is judged, or after a while.
        """
        check_choice("order", order, ORDERS)
        limit, judges = check_count("limit", limit), check_count("judges", judges)
        offers: list[Event] = []
        while not offers and (chosen := self._choose(pool, actor, order, limit, judges)):
            offers = self._hand_out(chosen, actor, judges)  # somebody else may have got them meanwhile
        ranked, number = self.rank(offers)
        return [self._queue(offer, best, number, actor) for offer, best in zip(offers, ranked, strict=True)]

    def _choose(self, pool: str, actor: str, order: str, limit: int, judges: int) -> list[Event]:
        """The next texts that are free for this person, but for what somebody gets just now."""
        is_first = order == SUGGESTED and not self._knows_enough()
        n = limit if order == RANDOM else max(MAX_SCORED, limit)
        free = self.read(self.pools.list_open(pool, actor, judges, n, self.handed_out, together=is_first))
        n_begun = sum(bool(self.ledger.history.labelling.list_labels(offer.number)) for offer in free)
        begun, others = free[:n_begun], free[n_begun:]  # as `Pools.list_open` has them
        if is_first:
            return [*begun, *self._spread(pool, others)][:limit] if others else begun[:limit]
        if order == RANDOM or len(free) < 2:
            return free
        chosen = self._find_hardest(begun, (), limit)
        return chosen + self._find_hardest(others, list_texts(self._list_recent()), limit - len(chosen))

    def _knows_enough(self) -> bool:
        return self.live.model is not None and self.live.answer(knows_enough).result

    def _hand_out(self, offers: Sequence[Event], actor: str, judges: int) -> list[Event]:
        with self.ledger.turn:  # nobody changes the history meanwhile
            numbers = [offer.number for offer in offers]
            free = set(self.handed_out.take(numbers, actor, judges, self.ledger.history.labelling))
        return [offer for offer in offers if offer.number in free]

    def show(self, number: int, actor: str) -> QueuedText:
        """One text, whoever has judged it."""
        self.ledger.history.labelling.check_offer(number)
        offers = self.read([number])
        (ranked,), last = self.rank(offers)
        return self._queue(offers[0], ranked, last, actor)

    def _queue(self, offer: Event, ranked: Ranked, number: int, actor: str) -> QueuedText:
        with self.ledger.turn:  # nobody changes the history meanwhile
            labelling = self.ledger.history.labelling
            own = [judgment for judgment in labelling.list_judgments(offer.number) if judgment.actor == actor]
            return QueuedText(offer, ranked, number, own[-1] if own else None, len(labelling.list_labels(offer.number)))

    def rank(self, offers: Sequence[Event]) -> tuple[list[Ranked], int]:
        """All labels with their probabilities for each offer, and the last event of the model; no labels without a model."""
        ranked: list[Ranked] = []
        number = self.live.number
        for start in range(0, len(offers), AT_A_TIME):
            if self.live.model is None:
                return [[] for _ in offers], number
            documents = self.collect(offers[start : start + AT_A_TIME])
            answer = self.live.answer(lambda model: (model.classes_.tolist(), model.predict_proba(documents)))  # noqa: B023
            labels, probabilities = answer.result
            ranked += rank_labels(labels, probabilities, len(labels))
            number = answer.number
        return ranked, number

    def read(self, numbers: Sequence[int]) -> list[Event]:
        """The events of these offers, in the same order. One that was erased just now is left out."""
        found = {event.number: event for event in self.ledger.pick_events(numbers) if not event.is_erased}
        return [found[number] for number in numbers if number in found]

    def collect(self, offers: Iterable[Event]) -> Documents:
        """The texts of these offers as the model reads them."""
        (documents,) = self.ledger.recipe.shape.read((strip_offer(offer.details), "") for offer in offers)
        return documents

    def _find_hardest(self, offers: Sequence[Event], recent: Sequence[str], limit: int) -> list[Event]:
        """The offers between whose two best labels the model can hardly decide, and which are unlike the recent texts."""
        ranked, _ = self.rank(offers)
        margins = [best[0][1] - best[1][1] if len(best) > 1 else 0.0 for best in ranked]
        return [offers[index] for index in choose_hardest(margins, list_texts(offers), recent, limit)]

    def _list_recent(self) -> list[Event]:
        """The offers that were judged last."""
        with self.ledger.turn:
            history = self.ledger.history
            judged: dict[int, None] = {}
            for number in range(history.last, max(0, history.last - MAX_EVENTS), -1):
                if history.verbs[number] == "judge":
                    judged[history.targets[number]] = None
                if len(judged) == N_RECENT:
                    break
        return self.read(list(judged))

    def _spread(self, pool: str, offers: Sequence[Event]) -> list[Event]:
        """These offers, first those that are unlike the texts that people have judged, or have at hand."""
        numbers = self.pools.list_first(pool, MAX_SPREAD)
        known = self.first_texts.find(pool, numbers)
        if known is None:
            known = self.first_texts.note(pool, numbers, group_texts(self.read(numbers)))
        free = {offer.number: offer for offer in offers}
        is_free = np.array([number in free for number in known.numbers], np.bool_)
        first = [known.numbers[index] for index in choose_spread(known.clusters, is_free, len(free))]
        return [free[number] for number in dict.fromkeys((*first, *free))]


class GroupedTexts(NamedTuple):
    """The offers of a pool, by number, and the groups that they are in."""

    numbers: tuple[int, ...]
    clusters: Clusters


class FirstTexts:
    """The groups of the first texts of some pools. They are worked out anew when a pool has other texts.

    They have numbers of offers and no texts: nothing of them must be erased.
    """

    def __init__(self) -> None:
        self._lock = Lock()  # held for a moment only: encoding takes longer, and nobody waits for that of others
        self._known: dict[str, tuple[tuple[int, ...], GroupedTexts]] = {}

    def find(self, pool: str, numbers: Sequence[int]) -> GroupedTexts | None:
        """The groups of these offers; None if they are not known."""
        with self._lock:
            asked, found = self._known.get(pool, (None, None))
            return found if asked == tuple(numbers) else None

    def note(self, pool: str, numbers: Sequence[int], found: GroupedTexts) -> GroupedTexts:
        """Keep the groups of these offers, and drop those of the pool that was asked for longest ago if there are too many."""
        with self._lock:
            self._known.pop(pool, None)
            self._known[pool] = tuple(numbers), found
            while len(self._known) > MAX_POOLS:
                del self._known[next(iter(self._known))]
        return found


def list_texts(offers: Sequence[Event]) -> list[str]:
    """The texts of offers, as one reads them."""
    return [offer.details["text"].replace(SEPARATOR, " ") for offer in offers]


def group_texts(offers: Sequence[Event]) -> GroupedTexts:
    """The offers in groups of similar texts."""
    if not offers:
        return GroupedTexts((), Clusters(np.zeros(0, np.int64), np.zeros(0)))
    rows = represent_texts(list_texts(offers), threads=1)
    return GroupedTexts(tuple(offer.number for offer in offers), cluster_rows(rows, N_FIRST))


def show_document(details: dict[str, Any], text_columns: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The text of an offer or a document as people read it, and its columns by name.

    >>> show_document({"text": "Refund\\x1fWhere is it?", "columns": {"age": 7}}, ("subject", "body"))
    ('Refund\\n\\nWhere is it?', {'subject': 'Refund', 'body': 'Where is it?', 'age': 7})
    """
    parts = details["text"].split(SEPARATOR)
    named = dict(zip(text_columns, parts, strict=False)) if len(text_columns) > 1 else {}
    return "\n\n".join(parts) if named else details["text"], {**named, **details.get("columns", {})}

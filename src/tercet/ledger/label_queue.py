"""Which text of a pool is labelled next: one that teaches the model much, or a random one.

The suggested order mixes two things. *Uncertainty* is 1 - P(best label), by the calibrated probability of the model of now.
*Coverage* is the share of the words of a text that the texts judged last do not have: without it, one text after another would
be about the same thing. A text counts uncertainty · (1 + coverage) / 2. In a large pool only 1000 texts are looked at, in the
order of their keys, which is as good as random; so it costs no more than a small one. The order depends on the ledger alone:
no dice. A text that enough people have at hand is left out.
"""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

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
N_RECENT = 20  # judged texts that the next one should differ from
MAX_EVENTS = 10_000  # events among which judged texts are looked for
MAX_CHARACTERS = 2000  # characters of a text whose words are compared
AT_A_TIME = 200  # texts that are scored together: no event is applied meanwhile
WORD = re.compile(r"\w+")


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
        self.pools, self.handed_out = Pools(live.ledger), HandedOut()

    def pick(self, pool: str, actor: str, *, order: str = SUGGESTED, limit: int = 1, judges: int = 1) -> list[QueuedText]:
        """The next texts for this person, in an order of ORDERS. A text that the person has judged does not come again.

        `judges` is how many people should judge each text. Texts that others have judged, but not enough of them, come first.
        No more people have a text at hand: it comes to others when it is judged, or after a while.
        """
        check_choice("order", order, ORDERS)
        limit, judges = check_count("limit", limit), check_count("judges", judges)
        n = limit if order == RANDOM else max(MAX_SCORED, limit)
        offers: list[Event] = []
        while not offers and (free := self._read(self.pools.list_open(pool, actor, judges, n, self.handed_out))):
            chosen = self._suggest(free, limit) if order == SUGGESTED and len(free) > 1 else free
            offers = self._hand_out(chosen, actor, judges)  # somebody else may have got them meanwhile
        ranked, number = self.rank(offers)
        return [self._queue(offer, best, number, actor) for offer, best in zip(offers, ranked, strict=True)]

    def _hand_out(self, offers: Sequence[Event], actor: str, judges: int) -> list[Event]:
        with self.ledger.turn:  # nobody changes the history meanwhile
            numbers = [offer.number for offer in offers]
            free = set(self.handed_out.take(numbers, actor, judges, self.ledger.history.labelling))
        return [offer for offer in offers if offer.number in free]

    def show(self, number: int, actor: str) -> QueuedText:
        """One text, whoever has judged it."""
        self.ledger.history.labelling.check_offer(number)
        offers = self._read([number])
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

    def _read(self, numbers: Sequence[int]) -> list[Event]:
        """The events of these offers, in the same order. One that was erased just now is left out."""
        found = {event.number: event for event in self.ledger.pick_events(numbers) if not event.is_erased}
        return [found[number] for number in numbers if number in found]

    def collect(self, offers: Iterable[Event]) -> Documents:
        """The texts of these offers as the model reads them."""
        (documents,) = self.ledger.recipe.shape.read((strip_offer(offer.details), "") for offer in offers)
        return documents

    def _suggest(self, offers: Sequence[Event], limit: int) -> list[Event]:
        """The best of these offers, first those that others have begun to judge, as in `Pools.list_open`."""
        ranked, _ = self.rank(offers)
        doubts = [1 - best[0][1] if best else 1.0 for best in ranked]
        words = [list_distinct_words(offer) for offer in offers]
        recent = frozenset[str]().union(*map(list_distinct_words, self._list_recent()))
        labelling = self.ledger.history.labelling
        n_begun = sum(bool(labelling.list_labels(offer.number)) for offer in offers)
        begun = choose_texts(doubts[:n_begun], words[:n_begun], recent, limit)
        others = choose_texts(doubts[n_begun:], words[n_begun:], recent, limit - len(begun))
        return [offers[index] for index in (*begun, *(n_begun + index for index in others))]

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
        return self._read(list(judged))


def list_distinct_words(offer: Event) -> frozenset[str]:
    """The different words at the beginning of a text."""
    return frozenset(WORD.findall(offer.details["text"][:MAX_CHARACTERS].casefold()))


def choose_texts(doubts: Sequence[float], words: Sequence[AbstractSet[str]], recent: AbstractSet[str], limit: int) -> list[int]:
    """The indices of the best texts, one after another: each should also differ from those that were chosen before it.

    >>> texts = [{"so", "good"}, {"so", "bad"}, {"so", "good"}, {"what"}]
    >>> choose_texts([0.4, 0.3, 0.4, 0.05], texts, {"so"}, 3)
    [0, 1, 2]
    """
    seen = set(recent)

    def value(index: int) -> float:
        own = words[index]
        coverage = len(own - seen) / len(own) if own else 0.0
        return doubts[index] * (1 + coverage) / 2

    # Values only go down while words are seen. So the best is found when a text stays first after its value was renewed.
    waiting = [(-value(index), index) for index in range(len(doubts))]
    heapify(waiting)
    chosen: list[int] = []
    while waiting and len(chosen) < limit:
        _, index = heappop(waiting)
        now = (-value(index), index)
        if waiting and now > waiting[0]:
            heappush(waiting, now)
            continue
        chosen.append(index)
        seen |= words[index]
    return chosen


def show_document(details: dict[str, Any], text_columns: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The text of an offer or a document as people read it, and its columns by name.

    >>> show_document({"text": "Refund\\x1fWhere is it?", "columns": {"age": 7}}, ("subject", "body"))
    ('Refund\\n\\nWhere is it?', {'subject': 'Refund', 'body': 'Where is it?', 'age': 7})
    """
    parts = details["text"].split(SEPARATOR)
    named = dict(zip(text_columns, parts, strict=False)) if len(text_columns) > 1 else {}
    return "\n\n".join(parts) if named else details["text"], {**named, **details.get("columns", {})}

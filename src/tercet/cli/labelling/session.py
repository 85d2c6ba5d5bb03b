"""The session of `tercet label`: one text after another, one key for each decision. Everything is in the ledger at once."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tercet.characters import show_line, show_text
from tercet.cli.labelling.keys import END, ENTER, RESIZED, Key, Keys
from tercet.cli.labelling.screen import Screen, name_keys
from tercet.cli.talk import say
from tercet.errors import TercetError

if TYPE_CHECKING:
    from tercet.ledger.events import Event
    from tercet.ledger.label_queue import LabelQueue, QueuedText
    from tercet.ledger.labelling import Judgment, Proposal
    from tercet.ledger.trainer import Trainer


class LabelSession:
    """Labels the texts of one pool, by one person."""

    def __init__(self, queue: "LabelQueue", trainer: "Trainer", keys: Keys, *, pool: str, actor: str, order: str) -> None:
        self.queue, self.trainer, self.keys, self.pool, self.actor, self.order = queue, trainer, keys, pool, actor, order
        self.live, self.ledger = queue.live, queue.ledger
        self.screen = Screen(is_terminal=keys.is_terminal)
        self.text: QueuedText | None = None
        self.message = ""
        self._acts: dict[str, Callable[[str], bool]] = {
            ENTER: self._accept,
            "u": self._undo,
            "s": lambda _: self._judge("skip"),
            "?": lambda _: self._judge("unsure"),
            "n": self._note,
            "l": self._name_label,
            "+": self._estimate_gain,
            "h": self._help,
            " ": self._turn_page,
            RESIZED: lambda _: False,
        }

    def run(self) -> None:
        """Go on until somebody quits, or no text is left."""
        self.text = self._pick()
        while self.text is not None:
            self._draw(self.text)
            self.message = ""
            key = self.keys.read()
            if key.name in ("q", END):
                return
            try:
                is_done = self._act(key)
            except TercetError as error:
                self.message, is_done = str(error), False
            if is_done:
                self.screen.begin()
                self.text = self._pick()

    def _act(self, key: Key) -> bool:
        """Do what a key says. Returns whether the next text comes."""
        labels = self._name_keys()
        if key.name in labels and not key.rest:
            return self._judge("label", labels[key.name])
        act = self._acts.get(key.name)
        if act is None:
            self.message = f"{show_line(key.name)} does nothing: h shows the keys"
            return False
        return act(key.rest)

    def _pick(self) -> "QueuedText | None":
        found = self.queue.pick(self.pool, self.actor, order=self.order)
        return found[0] if found else None

    # Decisions.

    def _judge(self, kind: str, label: Any = None, note: str | None = None) -> bool:
        from tercet.ledger.changes import Verdict

        assert self.text is not None
        verdict = Verdict(kind, label, note, self._make_proposal())
        self.ledger.judge(self.text.offer.number, verdict, actor=self.actor)
        self.live.follow()
        self.trainer.consider()
        done = {"label": f"{show_line(label)} learned", "unsure": "not sure", "skip": "skipped", "note": "noted"}
        self.message = f"{done[kind]}: {show_line(self._show_plain(self.text.offer), 40)}"
        return kind != "note"

    def _make_proposal(self) -> "Proposal | None":
        from tercet.ledger.labelling import Proposal

        assert self.text is not None
        return Proposal(*self.text.ranked[0], self.text.event) if self.text.ranked else None

    def _accept(self, _: str) -> bool:
        assert self.text is not None
        if not self.text.ranked:
            self.message = "the model proposes nothing yet: choose a label"
            return False
        return self._judge("label", self.text.ranked[0][0])

    def _name_label(self, given: str) -> bool:
        name = given or self.keys.ask("label: ")
        labels = {str(label): label for label in self._list_labels()}
        if not name:
            return False
        if name in labels:
            return self._judge("label", labels[name])
        near = [label for label in labels if label.casefold().startswith(name.casefold())]
        if len(near) == 1:
            return self._judge("label", labels[near[0]])
        known = next(iter(labels.values()), "")
        if not isinstance(known, str):
            self.message = f"the labels of this model are {type(known).__name__}: it can't have a label {show_line(name)}"
            return False
        if self.keys.ask(f"the model has no label {show_line(name)}: is it new? (y/n) ").casefold() not in ("y", "yes"):
            self.message = "nothing is learned"
            return False
        return self._judge("label", name)

    def _note(self, given: str) -> bool:
        note = given or self.keys.ask("note: ")
        return self._judge("note", note=note) if note else False

    def _undo(self, _: str) -> bool:
        """Undo the last decision or note of this person, also of an earlier session, and show its text again."""
        last = next(self._list_own(), None)
        if last is None:
            self.message = "there is nothing to undo"
            return False
        number, judgment = last
        self.ledger.undo(judgment.number, actor=self.actor)
        self.live.follow()
        self.text = self.queue.show(number, self.actor)
        self.screen.begin()
        said = (
            show_line(judgment.label) if judgment.kind == "label" else {"unsure": "not sure"}.get(judgment.kind, judgment.kind)
        )
        self.message = f"undone: {said}"
        return False

    def _list_own(self) -> "Iterator[tuple[int, Judgment]]":
        """The judgments of this person in this pool that are in effect, the last one first, with their offers."""
        with self.ledger.turn:
            labelling = self.ledger.history.labelling
            numbers = [number for number in labelling.pools[self.pool].values() if labelling.offers[number].judgments]
            found = [(own, number) for number in numbers for own in labelling.list_judgments(number) if own.actor == self.actor]
        return ((number, own) for own, number in sorted(found, reverse=True))

    def _estimate_gain(self, _: str) -> bool:
        """Say what the next labels would bring. Models are trained for it, so this takes a moment."""
        from tercet.ledger.expected_gain import estimate_gain_of_ledger

        say("models of parts of the documents are trained: please wait")
        self.message = estimate_gain_of_ledger(self.ledger).words
        return False

    # The screen.

    def _help(self, _: str) -> bool:
        self.screen.show_help()
        if self.keys.is_terminal:
            self.keys.read()
        return False

    def _turn_page(self, _: str) -> bool:
        self.screen.turn_page()
        return False

    def _list_labels(self) -> list[Any]:
        model = self.live.model
        return [] if model is None else model.table_.labels.tolist()

    def _name_keys(self) -> dict[str, Any]:
        return name_keys(self._list_labels())

    def _draw(self, text: "QueuedText") -> None:
        counts = self.queue.pools.count()[self.pool]
        n_left = counts["open"] + counts["skipped"] + counts["unsure"]
        training = " · training" if self.trainer.is_running else ""
        head = f"{show_line(self.pool, 40)} · {counts['labelled']} of {counts.total()} labelled, {n_left} left{training}"
        self.screen.draw(head, self._paint(text), text.ranked, self._name_keys(), self.message)

    def _paint(self, text: "QueuedText") -> str:
        """The text with its evidence for the proposed label, if there are colours."""
        if not self.screen.has_color or len(text.ranked) < 2:
            return show_text(self._show_plain(text.offer))
        documents = self.queue.collect([text.offer])
        return self.live.answer(lambda model: model.explain(documents, text.ranked[0][0]).to_terminal(color=True)).result

    def _show_plain(self, offer: "Event") -> str:
        from tercet.ledger.label_queue import show_document

        return show_document(offer.details, self.ledger.recipe.shape.text_columns)[0]

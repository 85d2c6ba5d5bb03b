"""The session of `tercet begin`: proposed words for each label, accepted or struck with one key each, and a new model."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from tercet.characters import show_line
from tercet.cli.labelling.keys import END, ENTER, RESIZED, Key, Keys
from tercet.cli.labelling.screen import CLEAR, wrap_words
from tercet.errors import TercetError

if TYPE_CHECKING:
    from tercet.categorizer.seeds.begin import Beginning
    from tercet.categorizer.seeds.seeds import Seeds

WIDTH = 78
DOES = {
    "1-9": "accept a word",
    "+": "add a word of yours",
    "-": "strike a word",
    "Enter": "next label",
    "r": "work out anew",
    "q": "stop, and write the model",
}


class SeedSession:
    """Changes seeds by keys. `work_out` makes a first model from seeds."""

    def __init__(self, first: "Beginning", keys: Keys, work_out: "Callable[[Seeds], Beginning]") -> None:
        self.result = first
        self.seeds = first.seeds
        self.place = 0
        self.message = ""
        self._keys, self._work_out = keys, work_out

    @property
    def label(self) -> str:
        return self.result.labels[self.place].label

    @property
    def is_changed(self) -> bool:
        """Whether the seeds are not those of the last model."""
        return self.seeds != self.result.seeds

    def run(self) -> "Beginning":
        """Read keys until the end. The result is worked out from the last seeds."""
        while True:
            self.draw()
            try:
                key = self._keys.read()
            except KeyboardInterrupt:  # what was accepted is kept
                break
            if key.name in (END, "q"):
                break
            if key.name != RESIZED:
                self.message = ""
                self.do(key)
        if self.is_changed:
            self.work_out()
        return self.result

    def do(self, key: Key) -> None:
        """Do what a key says. What is wrong becomes a message, and changes nothing."""
        try:
            if key.name == ENTER:
                self.place = (self.place + 1) % len(self.result.labels)
            elif key.name == "r":
                self.work_out()
            elif key.name in ("+", "-"):
                self.change(key.name, key.rest or self._keys.ask("word: "))
            elif key.name.isdecimal() and key.name != "0":
                self.accept(int(key.name))
            else:
                self.message = f"{show_line(key.name)} is no key: the line above has them"
        except TercetError as error:
            self.message = str(error)

    def accept(self, number: int) -> None:
        proposed = self.result.labels[self.place].proposed
        if number > len(proposed):
            self.message = f"there is no word {number}"
            return
        self.change("+", proposed[number - 1])

    def change(self, sign: str, word: str) -> None:
        """Add a word to the seeds of the label, or strike it in all labels."""
        if not word:
            self.message = "no word was given"
            return
        if sign == "-" and self.seeds.strike([word]) == self.seeds:
            self.message = f"{show_line(word)} is no seed: only seeds can be struck"
            return
        self.seeds = self.seeds.add(self.label, [word]) if sign == "+" else self.seeds.strike([word])
        self.message = f"{show_line(word)} {'is a seed of ' + show_line(self.label) if sign == '+' else 'is no seed any more'}"

    def work_out(self) -> None:
        """Make the model of the seeds. If that is not possible, the seeds of the last model come back."""
        try:
            self.result = self._work_out(self.seeds)
        except TercetError as error:
            self.message = str(error)
            self.seeds = self.result.seeds
        else:
            self.message = "worked out anew from the seeds"

    def draw(self) -> None:
        own = self.result.labels[self.place]
        seeds = {each.label: each for each in self.seeds.labels}[own.label]
        share = f"{100 * own.share:.0f} % of the texts, a guess"
        head = f"label {self.place + 1} of {len(self.result.labels)}: {show_line(own.label)} ({share})"
        words = [f"[{number}] {show_line(word, 30)}" for number, word in enumerate(own.proposed, 1)]
        stands = [show_line(word, 30) for word, _ in own.evidence]
        parts = [head, "seeds: " + ", ".join(map(show_line, filter(None, (seeds.name, *seeds.words))))]
        parts += ["stands on: " + ", ".join(stands[:10]), "proposed:", *wrap_words(words, WIDTH)]
        parts += wrap_words([f"{key} {what}" for key, what in DOES.items()], WIDTH)
        parts += [self.message] if self.message else []
        click.echo((CLEAR if self._keys.is_terminal else "") + "\n".join(parts) + "\n", err=True)

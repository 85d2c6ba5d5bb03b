"""The session of `tercet check` in the terminal: one text after another, one key for each. The model's answer is not shown."""

from collections.abc import Callable, Sequence
from typing import Any

from tercet.characters import show_line, show_text
from tercet.cli.labelling.keys import END, RESIZED, Key, Keys
from tercet.cli.labelling.screen import Screen, name_keys

DOES = {"u": "undo", "?": "not sure", "l": "other label", "h": "help", "q": "end"}
HELP = """\
Which label is right for each text? Decide with one key:

  1 2 …  this label is right; labels after the ninth have letters
  l      type a label by its name, also one that the model does not have
  ?      you are not sure: the text has no answer
  u      undo your last step; again: the step before
  space  the next part of a long text
  q      end (Ctrl-C and Ctrl-D, too): what you have answered is measured,
         and not kept: to go on later, use a sheet (-o and --answers)

You do not see what the model says, because that would influence you. The
texts come in random order, so you can stop at any time. Nothing is learned.

Any key goes on."""


class CheckSession:
    """Asks for the right labels of texts. `answers` has those that were given so far, None where the person is not sure."""

    def __init__(self, texts: Sequence[str], labels: Sequence[Any], keys: Keys) -> None:
        self.texts, self.labels, self.keys = texts, labels, keys
        self.screen = Screen(is_terminal=keys.is_terminal, does=DOES, words=HELP)
        self.answers: list[Any] = []
        self.message = ""
        self._acts: dict[str, Callable[[str], None]] = {
            "u": self._undo,
            "?": lambda _: self._answer(None),
            "l": self._name_label,
            "h": self._help,
            " ": lambda _: self.screen.turn_page(),
            RESIZED: lambda _: None,
        }

    def run(self) -> None:
        """Go on until somebody ends it, or every text has an answer."""
        while len(self.answers) < len(self.texts):
            head = f"{len(self.answers) + 1} of {len(self.texts)} texts to check"
            text = show_text(self.texts[len(self.answers)])
            self.screen.draw(head, text, [], name_keys(self.labels), self.message)
            self.message = ""
            key = self.keys.read()
            if key.name in ("q", END):
                return
            self._act(key)

    def _act(self, key: Key) -> None:
        keys = name_keys(self.labels)
        if key.name in keys and not key.rest:
            self._answer(keys[key.name])
        elif key.name in self._acts:
            self._acts[key.name](key.rest)
        else:
            self.message = f"{show_line(key.name)} does nothing: h shows the keys"

    def _answer(self, label: Any) -> None:
        self.answers.append(label)
        self.screen.begin()
        self.message = "not sure" if label is None else f"{show_line(label)} noted"

    def _undo(self, _: str) -> None:
        if not self.answers:
            self.message = "there is nothing to undo"
            return
        self.answers.pop()
        self.screen.begin()
        self.message = "undone"

    def _name_label(self, given: str) -> None:
        name = given or self.keys.ask("label: ")
        if not name:
            return
        found = find_label(name, self.labels)
        if found is None and not self._is_new(name):
            self.message = "nothing is noted"
            return
        self._answer(name if found is None else found)

    def _is_new(self, name: str) -> bool:
        question = f"the model has no label {show_line(name)}: is it right all the same? (y/n) "
        return self.keys.ask(question).casefold() in ("y", "yes")

    def _help(self, _: str) -> None:
        self.screen.show_help()
        if self.keys.is_terminal:
            self.keys.read()


def find_label(name: str, labels: Sequence[Any]) -> Any:
    """The label that is written like this, or that is the only one with this beginning; None if there is none.

    >>> find_label("SPAM", ["ham", "spam"]), find_label("h", ["ham", "spam"]), find_label("x", ["ham", "spam"])
    ('spam', 'ham', None)
    """
    exact = [label for label in labels if str(label) == name]
    equal = [label for label in labels if str(label).casefold() == name.casefold()]
    near = [label for label in labels if str(label).casefold().startswith(name.casefold())]
    return next((found[0] for found in (exact, equal, near) if len(found) == 1), None)

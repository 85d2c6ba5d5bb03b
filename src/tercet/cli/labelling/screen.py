"""What `tercet label` and `tercet check` show: a text, the labels with their keys, and what can be done."""

import os
import shutil
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

import click

from tercet.characters import cut_line, measure_columns, show_line, show_text

if TYPE_CHECKING:
    from tercet.report.prediction_lines import Ranked

CLEAR = "\x1b[H\x1b[2J"
MANY = "123456789abcdefgijkmoprtvwxyz"  # keys of labels: without those that do something else
MAX_MESSAGE = 3  # lines
DOES = {
    "Enter": "accept",
    "u": "undo",
    "s": "skip",
    "?": "not sure",
    "n": "note",
    "l": "other label",
    "+": "50 more",
    "h": "help",
    "q": "quit",
}
HELP = """\
Each text has the label that the model proposes, with its probability.
Decide with one key:

  Enter  the proposal is right
  1 2 …  this label is right; labels after the ninth have letters
  l      type a label by its name, also a new one
  ?      you are not sure
  s      skip the text
  n      write a note about the text, and stay there
  u      undo your last step; again: the step before
  +      what would 50 more labels bring? This takes a moment
  space  the next part of a long text
  q      quit (Ctrl-C and Ctrl-D, too)

Each decision is in the ledger before the next text comes, and the model has
learned it. Nothing is lost if you stop, and the next start goes on. Words for
the proposal are blue, and those against it are orange and underlined.

Any key goes on."""


def name_keys(labels: Sequence[Any]) -> dict[str, Any]:
    """The key of each label, as far as there are keys.

    >>> name_keys(["bad", "good"])
    {'1': 'bad', '2': 'good'}
    """
    return dict(zip(MANY, labels, strict=False))


class Screen:
    """Draws on standard error. Without a terminal, it writes line by line and does not clear anything.

    `does` has what other keys than those of labels do, and `words` is the help.
    """

    def __init__(self, *, is_terminal: bool, does: Mapping[str, str] = DOES, words: str = HELP) -> None:
        self.is_terminal, self.does, self.words = is_terminal, does, words
        is_refused = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        self.has_color = is_terminal and not is_refused
        self._page = 0

    def begin(self) -> None:
        """A new text begins with its first part."""
        self._page = 0

    def turn_page(self) -> None:
        self._page += 1

    def draw(self, head: str, painted: str, ranked: "Ranked", keys: dict[str, Any], message: str) -> None:
        """Show a text. `painted` may have escape sequences for colours."""
        width, height = shutil.get_terminal_size()
        width = max(20, width)
        below = [
            *self._list_labels(ranked, keys, width),
            *wrap_words([f"{key} {what}" for key, what in self.does.items()], width),
        ]
        lines = wrap_painted(painted, width, has_color=self.has_color)
        said = wrap_painted(show_text(message), width, has_color=False)[:MAX_MESSAGE] if message else []
        shown = self._cut(lines, max(3, height - len(below) - 5 - max(1, len(said)))) if self.is_terminal else lines
        parts = [self._style(cut_line(head, width), dim=True), "", *shown, "", *below]
        parts += [self._style(line, bold=True) for line in said]
        click.echo((CLEAR if self.is_terminal else "") + "\n".join(parts), err=True)

    def show_help(self) -> None:
        click.echo((CLEAR if self.is_terminal else "") + self.words, err=True)

    def _cut(self, lines: list[str], n: int) -> list[str]:
        """The part of a long text that fits, with the number of the part."""
        if len(lines) <= n:
            return lines
        n_pages = -(-len(lines) // (n - 1))
        page = self._page % n_pages
        more = self._style(f"— part {page + 1} of {n_pages}: space for the next —", dim=True)
        return [*lines[page * (n - 1) : (page + 1) * (n - 1)], more]

    def _list_labels(self, ranked: "Ranked", keys: dict[str, Any], width: int) -> list[str]:
        """The keys of the labels with their probabilities; the proposal is marked."""
        probabilities = dict(ranked)
        best = ranked[0][0] if ranked else None
        words = []
        for key, label in keys.items():
            known = f" {probabilities[label]:.2f}" if label in probabilities else ""
            mark = "→ " if label == best and ranked else ""
            words.append(f"{mark}[{key}] {show_line(label, 30)}{known}")
        if best is not None and best not in keys.values():
            words.insert(0, f"→ {show_line(best, 30)} {ranked[0][1]:.2f}")
        return wrap_words(words, width)

    def _style(self, line: str, **how: bool) -> str:
        return click.style(line, **how) if self.has_color else line


def wrap_painted(painted: str, width: int, *, has_color: bool) -> list[str]:
    """The lines of a text that fit into so many columns. Colours go on over the ends of lines.

    >>> wrap_painted("what a lovely film", 12, has_color=False)
    ['what a', 'lovely film']
    """
    from rich.console import Console
    from rich.text import Text

    out = StringIO()
    system: Any = "256" if has_color else None
    console = Console(file=out, width=width, color_system=system, force_terminal=has_color, legacy_windows=False, _environ={})
    text = Text.from_ansi(painted) if has_color else Text(painted)
    text.expand_tabs(4)
    console.print(text, overflow="fold", highlight=False, markup=False)
    return [line.rstrip() for line in out.getvalue().split("\n")[:-1]]


def wrap_words(words: Sequence[str], width: int) -> list[str]:
    """The words in as few lines as possible, with blanks between them.

    >>> wrap_words(["[1] bad", "[2] good", "[3] so so"], 20)
    ['[1] bad   [2] good', '[3] so so']
    """
    lines: list[str] = []
    for word in words:
        if lines and measure_columns(lines[-1]) + 3 + measure_columns(word) <= width:
            lines[-1] += f"   {word}"
        else:
            lines.append(cut_line(word, width))
    return lines

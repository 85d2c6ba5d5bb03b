"""Fonts for the letters of any script: other fonts of the machine, if matplotlib's own font does not have a letter."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tercet.figures.style import ignore_missing_letters, import_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@contextmanager
def show_letters(figure: "Figure") -> Iterator[None]:
    """While the figure is drawn, its texts use fonts that have their letters. A warning names letters that no font has."""
    texts = figure.findobj(import_matplotlib("matplotlib.text").Text)
    letters = {letter for text in texts for letter in text.get_text() if not letter.isspace()}
    names, missing = find_fonts(letters)
    for text in texts if len(names) > 1 else ():
        text.set_fontfamily(names)
    if missing:
        shown = " ".join(sorted(missing)[:10])
        warnings.warn(f"no font here has {shown}: the picture shows boxes. Install a font, for example Noto.", stacklevel=4)
    with ignore_missing_letters():
        yield


def find_fonts(letters: set[str]) -> tuple[list[str], set[str]]:
    """The default font, and after it as many fonts as these letters need; and the letters that no font has.

    >>> find_fonts(set("così"))
    (['DejaVu Sans'], set())
    """
    manager = import_matplotlib("matplotlib.font_manager")
    usual = manager.FontProperties()
    missing = letters - _list_letters(manager, manager.findfont(usual))
    names = [usual.get_name()]
    entries = sorted(manager.fontManager.ttflist, key=lambda entry: (entry.name, entry.fname)) if missing else []
    for entry in entries:
        if missing and entry.style == "normal" and (found := missing & _list_letters(manager, entry.fname)):
            names, missing = [*names, entry.name], missing - found
    return names, missing


def _list_letters(manager: Any, path: str) -> set[str]:
    if "LastResort" in path:
        return set()  # it has a box for every letter
    return set(map(chr, manager.get_font(path).get_charmap()))

"""Saving a picture to a file. The same picture always gives the same bytes.

A film is a figure that changes from frame to frame, and is written as an animated GIF. If matplotlib's own font does not have a
letter, other fonts of the machine are used.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.errors import InvalidOption
from tercet.figures.style import ignore_missing_letters, import_matplotlib
from tercet.store.atomic_file import write_whole

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


FRAME, LAST = 800, 3000  # milliseconds that a frame and the last frame are shown
COLORS = 64  # colours of each frame; the pictures have few


@dataclass(frozen=True, eq=False)
class Film:
    """`show(k)` draws frame k, counted from 0, into the figure."""

    figure: "Figure"
    n_frames: int
    show: Callable[[int], None]

    def to_gif(self, dpi: float) -> bytes:
        """An animated GIF that begins again after the last frame. The same film always gives the same bytes."""
        self.show(0)
        with show_letters(self.figure):
            frames = [self._render(number, dpi) for number in range(self.n_frames)]
        lasting, file = [FRAME] * (self.n_frames - 1) + [LAST], BytesIO()
        frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=lasting, loop=0, optimize=False)
        return file.getvalue()

    def _render(self, number: int, dpi: float) -> Any:
        self.show(number)
        picture = BytesIO()
        self.figure.savefig(picture, format="png", dpi=dpi)
        image = import_matplotlib("PIL.Image")  # Pillow comes with matplotlib
        return image.open(picture).convert("RGB").quantize(COLORS)


# Otherwise matplotlib would write the time and its version.
METADATA: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


GIF = ".gif"
ENDINGS = (*METADATA, GIF)


def save_figure(figure: "Figure | Film", path: str | PathLike[str], *, dpi: float | None = None) -> None:
    """Write the figure as PNG, SVG or PDF, by the ending of the name; a film, such as `perceptron_film`, as an animated GIF.

    `dpi` is for PNG (default 150) and GIF (default 100). Letters that matplotlib's own font does not have, such as Chinese
    ones, are taken from other fonts of the machine.
    """
    ending = check_ending(path, moves=isinstance(figure, Film))
    if isinstance(figure, Film):
        write_whole(path, [figure.to_gif(dpi or 100)])
        return
    picture = BytesIO()
    with import_matplotlib().rc_context({"svg.hashsalt": "tercet"}), show_letters(figure):
        figure.savefig(picture, format=ending[1:], dpi=dpi or 150, metadata=METADATA[ending])
    write_whole(path, [picture.getvalue()])


def check_ending(path: str | PathLike[str], *, moves: bool | None = None) -> str:
    """The ending of the file name. Raises InvalidOption if it is not .png, .svg, .pdf or, for a film, .gif.

    `moves` says whether the picture is a film; None if that is not known yet.

    >>> check_ending("errors.SVG")
    '.svg'
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InvalidOption(
            f"{fspath(path)} has no known ending, so the format is unknown. Use .png, .svg or .pdf; .gif for a film."
        )
    if moves is True and ending != GIF:
        raise InvalidOption(f"{fspath(path)} can't hold a film: use .gif.")
    if moves is False and ending == GIF:
        raise InvalidOption(f"{fspath(path)} is the name of a film, but this figure does not move: use .png, .svg or .pdf.")
    return ending

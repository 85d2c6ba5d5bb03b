"""Saving a picture to a file. The same picture always gives the same bytes."""

from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.errors import InvalidOption
from tercet.figures.film import Film
from tercet.figures.fonts import show_letters
from tercet.figures.style import import_matplotlib
from tercet.store.atomic_file import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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

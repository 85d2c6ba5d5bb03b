"""Saving a picture to a file. The same picture always gives the same bytes."""

from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.errors import InvalidOption
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


def save_figure(figure: "Figure", path: str | PathLike[str], *, dpi: float = 150) -> None:
    """Write the figure as PNG, SVG or PDF, by the ending of the name. `dpi` is for PNG.

    Letters that matplotlib's own font does not have, such as Chinese ones, are taken from other fonts of the machine.
    """
    ending, picture = check_ending(path), BytesIO()
    with import_matplotlib().rc_context({"svg.hashsalt": "tercet"}), show_letters(figure):
        figure.savefig(picture, format=ending[1:], dpi=dpi, metadata=METADATA[ending])
    write_whole(path, [picture.getvalue()])


def check_ending(path: str | PathLike[str]) -> str:
    """The ending of the file name. Raises InvalidOption if it is not .png, .svg or .pdf.

    >>> check_ending("errors.SVG")
    '.svg'
    """
    ending = Path(path).suffix.lower()
    if ending not in METADATA:
        raise InvalidOption(f"{fspath(path)} has no known ending, so the format is unknown. Use .png, .svg or .pdf.")
    return ending

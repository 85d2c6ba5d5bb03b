"""A film: a figure that changes from frame to frame. `save_figure` writes it as an animated GIF."""

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from tercet.figures.fonts import show_letters
from tercet.figures.style import import_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FRAME, LAST = 800, 3000  # milliseconds that a frame and the last frame are shown
COLORS = 64  # of each frame; the pictures have few


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

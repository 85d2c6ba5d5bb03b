"""What all pictures have in common: colours that the colour-blind can tell apart, a mark for each label, sizes."""

from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.extras import import_extra
from tercet.report.characters import show_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The colours of Okabe and Ito, without those that are too pale on white.
BLUE, RED, GREEN, PURPLE, SKY, ORANGE, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"
GREY = "#767676"
WIDTH, HEIGHT = 5.2, 3.9  # of one picture, in inches


class Mark(NamedTuple):
    """How a label looks; each of the three tells it from the others, for those who see no colours."""

    color: str
    marker: str
    line: str


MARKS = tuple(
    Mark(*parts)
    for parts in zip((BLUE, RED, GREEN, PURPLE, SKY, ORANGE, BLACK), "o^sDvPX", ("-", "--", "-.", ":") * 2, strict=False)
)


def mark_of(place: int) -> Mark:
    """The mark of a label by its place among the labels; after the last comes the first again.

    >>> mark_of(1)
    Mark(color='#D55E00', marker='^', line='--')
    """
    return MARKS[place % len(MARKS)]


def make_figure(
    columns: int = 1, rows: int = 1, *, width: float = WIDTH, height: float = HEIGHT, **options: Any
) -> tuple["Figure", list["Axes"]]:
    """A Figure without a window, and its axes row by row; width and height are of each, options those of `subplots`."""
    module = import_extra("matplotlib.figure", package="matplotlib", extra="figures", purpose="pictures need")
    figure: Figure = module.Figure(figsize=(columns * width, rows * height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **options).ravel().tolist()
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def show_name(name: object, width: int = 24) -> str:
    r"""A label or a term as a picture can show it: in one line, and never taken for a formula or for no name at all.

    >>> show_name("$5 or $6"), show_name("_spam"), show_name("the ")
    ('\\$5 or \\$6', ' _spam', 'the␣')
    """
    line = show_line(name, width).replace("$", r"\$")
    return f" {line}" if line.startswith("_") else line  # a legend leaves out what begins with _


def draw_points(axes: "Axes", points: Any, codes: Any, labels: Any, *, size: float = 22) -> None:
    """Points of the plane, documents × 2, each with the mark of its label; `codes` are places among `labels`."""
    for place, label in enumerate(labels):
        color, marker, _ = mark_of(place)
        own = points[codes == place]
        axes.scatter(own[:, 0], own[:, 1], size, color, marker=marker, alpha=0.75, linewidths=0, label=show_name(label))

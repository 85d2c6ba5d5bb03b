"""What all pictures have in common: colours that the colour-blind can tell apart, a mark for each label, sizes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.evaluation.intervals import Estimate
from tercet.extras import import_extra
from tercet.report.characters import show_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

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


def import_matplotlib(module: str = "matplotlib") -> Any:
    """It, or a module of it; an error that says how to get it where it is not there."""
    return import_extra(module, package="matplotlib", extra="figures", purpose="pictures need")


def make_figure(
    columns: int = 1, rows: int = 1, *, width: float = WIDTH, height: float = HEIGHT, **options: Any
) -> tuple["Figure", list["Axes"]]:
    """A Figure without a window, and its axes row by row; width and height are of each, options those of `subplots`."""
    module, size = import_matplotlib("matplotlib.figure"), (columns * width, rows * height)
    figure: Figure = module.Figure(figsize=size, layout="constrained")
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


def mix_with_white(color: str, share: float) -> tuple[float, float, float]:
    """So much of a colour, and white for the rest: red, green and blue from 0 to 1.

    >>> mix_with_white("#0000FF", 0.25)
    (0.75, 0.75, 1.0)
    """
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return 1 - share * (1 - red), 1 - share * (1 - green), 1 - share * (1 - blue)


def draw_curve(axes: "Axes", places: Sequence[float], estimates: Sequence[Estimate], mark: Mark, name: str = "") -> None:
    """Values with their intervals as a band; one value alone has a bar."""
    color, marker, line = mark
    lows, highs = [estimate.low for estimate in estimates], [estimate.high for estimate in estimates]
    if len(places) == 1:
        axes.vlines(places, lows, highs, color=color, alpha=0.5)
    axes.fill_between(places, lows, highs, color=color, alpha=0.15, linewidth=0)
    values = [estimate.value for estimate in estimates]
    axes.plot(places, values, line, marker=marker, markersize=4, color=color, label=name)


def measure_width(figure: "Figure", texts: Iterable["Text"]) -> float:
    """Of the widest, in inches."""
    return max(text.get_window_extent().width for text in texts) / figure.dpi


def write_legend(figure: "Figure") -> None:
    """What is named in any of its axes, each name once, below them all, where it covers nothing."""
    named = [axes.get_legend_handles_labels() for axes in figure.axes]
    found = {name: handle for handles, names in named for handle, name in zip(handles, names, strict=True)}
    columns = int(figure.get_figwidth() / (0.8 + 0.1 * max(map(len, found))))  # as many as there is room for
    n = max(1, min(columns, len(found)))
    figure.legend(list(found.values()), list(found), loc="outside lower center", ncols=n, frameon=False)


def name_panels(things: Any) -> dict[str, Any]:
    """A panel for each of several things by name; one thing alone needs no name.

    >>> name_panels("this"), name_panels({"before": 1, "after": 2})
    ({'': 'this'}, {'before': 1, 'after': 2})
    """
    return {str(name): thing for name, thing in things.items()} if isinstance(things, Mapping) else {"": things}

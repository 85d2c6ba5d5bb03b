"""The style of all pictures: colours that colour-blind people can distinguish, a style for each label, and sizes."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.characters import show_line, show_lines
from tercet.extras import import_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

# The colours of Okabe and Ito, except those that are too pale on white.
BLUE, RED, GREEN, PURPLE, SKY, ORANGE, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"
GREY = "#767676"
WIDTH, HEIGHT = 5.2, 3.9  # of one picture, in inches


class LabelStyle(NamedTuple):
    """How a label is drawn. Marker and line also distinguish the labels, for people who do not see the colours."""

    color: str
    marker: str
    line: str


LABEL_STYLES = tuple(
    LabelStyle(*parts)
    for parts in zip((BLUE, RED, GREEN, PURPLE, SKY, ORANGE, BLACK), "o^sDvPX", ("-", "--", "-.", ":") * 2, strict=False)
)


def style_of(index: int) -> LabelStyle:
    """The style of a label by its position among the labels. After the last style, the first is used again.

    >>> style_of(1)
    LabelStyle(color='#D55E00', marker='^', line='--')
    """
    return LABEL_STYLES[index % len(LABEL_STYLES)]


def import_matplotlib(module: str = "matplotlib") -> Any:
    """matplotlib, or one of its modules. If it is not installed, the error says how to install it."""
    return import_extra(module, package="matplotlib", extra="figures", purpose="pictures need")


def make_figure(
    columns: int = 1, rows: int = 1, *, width: float = WIDTH, height: float = HEIGHT, **options: Any
) -> tuple["Figure", list["Axes"]]:
    """A Figure without a window, and its axes row by row. Width and height are those of each axes; options go to `subplots`."""
    module, size = import_matplotlib("matplotlib.figure"), (columns * width, rows * height)
    figure: Figure = module.Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **options).ravel().tolist()
    for panel in axes:
        panel.spines[["top", "right"]].set_visible(False)
    return figure, axes


def show_name(name: object, width: int = 24) -> str:
    r"""A label or a term for a picture: in one line, not read as a formula, and not left out of a legend.

    >>> show_name("$5 or $6"), show_name("_spam"), show_name("the ")
    ('\\$5 or \\$6', ' _spam', 'the␣')
    """
    line = show_line(name, width).replace("$", r"\$")
    return f" {line}" if line.startswith("_") else line  # a legend leaves out names that begin with _


def show_names(names: Sequence[object], width: int = 24) -> list[str]:
    """Several names as in `show_name`. Names that are cut can still be told apart.

    >>> show_names(["a long name of one", "a long name of two"], 10)
    ['a long…one', 'a long…two']
    """
    return [show_name(line, width) for line in show_lines(names, width)]


def mix_with_white(color: str, share: float) -> tuple[float, float, float]:
    """A colour mixed with white, `share` of it the colour: red, green and blue from 0 to 1.

    >>> mix_with_white("#0000FF", 0.25)
    (0.75, 0.75, 1.0)
    """
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return 1 - share * (1 - red), 1 - share * (1 - green), 1 - share * (1 - blue)


def measure_width(figure: "Figure", texts: Iterable["Text"]) -> float:
    """The width of the widest text, in inches."""
    with ignore_missing_letters():
        return max(text.get_window_extent().width for text in texts) / figure.dpi


@contextmanager
def ignore_missing_letters() -> Iterator[None]:
    """Without matplotlib's warning for each letter that its font does not have. `save_figure` finds other fonts."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        yield


def write_legend(figure: "Figure") -> None:
    """A legend below all axes, with each name once. There it covers nothing."""
    named = [axes.get_legend_handles_labels() for axes in figure.axes]
    by_name = {name: handle for handles, names in named for handle, name in zip(handles, names, strict=True)}
    columns = int(figure.get_figwidth() / (0.8 + 0.1 * max(map(len, by_name))))  # as many as fit
    n = max(1, min(columns, len(by_name)))
    figure.legend(list(by_name.values()), list(by_name), loc="outside lower center", ncols=n, frameon=False)
    # If both axes have one scale, matplotlib knows their size only after it has drawn them: without this, titles may be cut.
    with ignore_missing_letters():
        figure.draw_without_rendering()


def name_panels(things: Any) -> dict[str, Any]:
    """A panel for each thing by its name. A single thing needs no name.

    >>> name_panels("this"), name_panels({"before": 1, "after": 2})
    ({'': 'this'}, {'before': 1, 'after': 2})
    """
    return {str(name): thing for name, thing in things.items()} if isinstance(things, Mapping) else {"": things}

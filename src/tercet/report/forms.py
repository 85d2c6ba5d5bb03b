"""The forms of a result: plain text, terminal, Markdown, LaTeX, HTML and JSON. All but JSON are made from its sheet."""

import math
import os
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from tercet.characters import align_columns, replace_surrogates
from tercet.evaluation.intervals import Estimate
from tercet.html_fragments import PALE, escape_text, write_frame, write_heading, write_note, write_table
from tercet.report.tables import Cells, Grid, Sheet


def simplify(value: Any) -> Any:
    """Numbers, strings, lists and mappings that JSON knows; None for an undefined number.

    >>> simplify({"f1": float("nan"), "labels": (1, "a")})
    {'f1': None, 'labels': [1, 'a']}
    """
    if isinstance(value, Estimate):
        value = vars(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf" and np.isfinite(value).all():
        return value.tolist()  # large tables of numbers: nothing in them needs a change
    value = value.tolist() if hasattr(value, "tolist") else value  # NumPy arrays and numbers
    if isinstance(value, dict):
        return {str(name): simplify(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [simplify(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, int) else replace_surrogates(str(value))


def write_plain(sheet: Sheet) -> str:
    """
    >>> grid = Grid("labels", ("label", "gold"), (("ham", "10"), ("spam", "2")))
    >>> print(write_plain(Sheet("two labels", (grid,), (), "n:12")))
    two labels
    <BLANKLINE>
    label  gold
    ham      10
    spam      2
    <BLANKLINE>
    n:12
    """
    blocks = [sheet.headline, *map(write_columns, sheet.grids), "\n".join(sheet.notes), sheet.signature]
    return "\n\n".join(filter(None, blocks))


def write_columns(grid: Grid) -> str:
    """The table as lines: the first column flush left, the others flush right."""
    return align_columns([grid.header, *grid.rows], range(1, len(grid.header)))


def write_terminal(sheet: Sheet, *, color: bool) -> str:
    """With colour: lines between the rows and bold headings. Without: plain text.

    >>> write_terminal(Sheet("two labels", (), (), "n:12"), color=False)
    'two labels\\n\\nn:12'
    """
    if not color:
        return write_plain(sheet)
    from rich.console import Console
    from rich.text import Text

    console = Console(force_terminal=True, color_system="256", width=200)
    with console.capture() as capture:
        console.print(Text(sheet.headline, style="bold"))
        for grid in sheet.grids:
            console.print(_make_rich_table(grid))
        for line in (*sheet.notes, sheet.signature):
            console.print(Text(line, style="dim"), soft_wrap=True)
    return capture.get().rstrip("\n")


def wants_color() -> bool:
    """Whether standard output is a terminal with colours, and NO_COLOR is not set."""
    is_refused = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not is_refused and sys.stdout is not None and sys.stdout.isatty()


def _make_rich_table(grid: Grid) -> object:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(grid.title, style="table.title"), title_justify="left", box=SIMPLE_HEAD)
    for k, name in enumerate(grid.header):
        table.add_column(Text(name), justify="right" if k else "left")
    for row in grid.rows:
        table.add_row(*map(Text, row))  # Text: rich would read a label in [brackets] as markup
    return table


_MARKDOWN_SPECIALS = re.compile(r"([\\`*_\[\]<>&|#~$!])")
_INTERVAL = re.compile(r"[-+.\d]+ \[[-+.\d]+, [-+.\d]+\]\D?")


def write_markdown(sheet: Sheet) -> str:
    """
    >>> print(write_markdown(Sheet("two labels", (Grid("labels", ("label", "gold"), (("a|b", "10"),)),), (), "n:10")))
    two labels
    <BLANKLINE>
    | label | gold |
    |---|--:|
    | a\\|b | 10 |
    <BLANKLINE>
    `n:10`
    """
    notes = "  \n".join(map(escape_markdown, sheet.notes))
    signature = "`" + sheet.signature.replace("`", "'") + "`" if sheet.signature else ""
    return "\n\n".join(filter(None, [escape_markdown(sheet.headline), *map(write_grid, sheet.grids), notes, signature]))


def escape_markdown(text: str) -> str:
    r"""
    >>> print(escape_markdown("<b> *x* a_b 0.5 [0.4, 0.6]"))
    \<b\> \*x\* a\_b 0.5 \[0.4, 0.6\]
    """
    return _MARKDOWN_SPECIALS.sub(r"\\\1", text)


def write_grid(grid: Grid) -> str:
    """A table without its title."""
    rule = "|---|" + "--:|" * (len(grid.header) - 1)
    return "\n".join([_write_markdown_row(grid.header), rule, *map(_write_markdown_row, grid.rows)])


def _write_markdown_row(cells: Cells) -> str:
    # An interval needs no escape: it is not a link, and its brackets stay readable.
    return "| " + " | ".join(cell if _INTERVAL.fullmatch(cell) else escape_markdown(cell) for cell in cells) + " |"


_LATEX_SPECIALS = {char: "\\" + char for char in "&%$#_{}"}
_LATEX_SPECIALS |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "−": "$-$"}
_LATEX_SPECIALS |= {
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "→": r"$\to$",
    "·": r"$\cdot$",
    "…": r"\dots{}",
}
_LATEX_SPECIALS |= {mark: f"$^{number}$" for number, mark in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_LATEX_ESCAPES = str.maketrans(_LATEX_SPECIALS)


def write_latex(sheet: Sheet) -> str:
    r"""
    >>> print(write_latex(Sheet("two labels", (Grid("labels", ("label", "gold"), (("a_b", "10"),)),), (), "n:10")))
    \noindent two labels
    <BLANKLINE>
    \begin{tabular}{lr}
    \hline
    label & gold \\
    \hline
    a\_b & 10 \\
    \hline
    \end{tabular}
    <BLANKLINE>
    {\footnotesize\ttfamily n:10}
    """
    notes = "\\\\\n".join(map(escape_latex, sheet.notes))
    notes = f"{{\\footnotesize {notes}}}" if notes else ""
    signature = f"{{\\footnotesize\\ttfamily {escape_latex(sheet.signature)}}}" if sheet.signature else ""
    headline = rf"\noindent {escape_latex(sheet.headline)}" if sheet.headline else ""
    return "\n\n".join(filter(None, [headline, *map(_write_latex_grid, sheet.grids), notes, signature]))


def escape_latex(text: str) -> str:
    r"""
    >>> print(escape_latex(r"50 % of $x_1 & \o"))
    50 \% of \$x\_1 \& \textbackslash{}o
    """
    return text.translate(_LATEX_ESCAPES)


def _write_latex_grid(grid: Grid) -> str:
    columns = "l" + "r" * (len(grid.header) - 1)
    body = [_write_latex_row(grid.header), r"\hline", *map(_write_latex_row, grid.rows)]
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", r"\hline", *body, r"\hline", r"\end{tabular}"])


def _write_latex_row(cells: Cells) -> str:
    # LaTeX would read a row that begins with [ as an option of the line break before it.
    shown = [escape_latex(cell) for cell in cells]
    return ("{}" if shown[0].startswith(("[", "*")) else "") + " & ".join(shown) + r" \\"


PICTURES = "display:flex;flex-wrap:wrap;gap:1.5em;margin:1em 0;align-items:flex-start"


def write_page(sheet: Sheet, pictures: Iterable[str] = (), end: str = "") -> str:
    """The headline, the first table, the pictures, the other tables, the notes, the signature, and the end.

    >>> print(write_page(Sheet("<b>", (), (), "n:1")))
    <div class="tex2jax_ignore mathjax_ignore" style="max-width:64em;padding:.8em 1em;line-height:1.6;text-align:start">
    <div style="font-weight:bold;margin:1em 0 .3em">&lt;b&gt;</div>
    <code style="opacity:.65;font-size:.8em;overflow-wrap:anywhere;background:none;color:inherit">n:1</code>
    </div>
    """
    grids = [_write_html_grid(grid) for grid in sheet.grids]
    drawn = "\n".join(pictures)
    return write_frame(
        write_heading(sheet.headline),
        *grids[:1],
        f'<div style="{PICTURES}">\n{drawn}\n</div>' if drawn else "",
        *grids[1:],
        *map(write_note, sheet.notes),
        f'<code style="{PALE};font-size:.8em;overflow-wrap:anywhere;background:none;color:inherit">'
        f"{escape_text(sheet.signature)}</code>",
        end,
    )


def _write_html_grid(grid: Grid) -> str:
    return f"{write_heading(grid.title)}\n{write_table(grid.header, grid.rows)}"


class Rendering(ABC):
    """A result that can be written in every form, and is shown as HTML in a notebook."""

    @abstractmethod
    def to_sheet(self) -> Sheet:
        """Headline, tables, notes and signature, as text that is ready to be shown."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""

    def to_table(self) -> str:
        """Plain text in columns."""
        return write_plain(self.to_sheet())

    def to_terminal(self, *, color: bool | None = None) -> str:
        """Tables with colours. `color=None` uses them if standard output is a terminal and NO_COLOR is not set."""
        return write_terminal(self.to_sheet(), color=wants_color() if color is None else color)

    def to_markdown(self) -> str:
        return write_markdown(self.to_sheet())

    def to_latex(self) -> str:
        """Tables that need no LaTeX package."""
        return write_latex(self.to_sheet())

    def to_html(self) -> str:
        """A `<div>` that fits into any page and needs nothing else: no script, no style sheet, no network."""
        return write_page(self.to_sheet(), self._draw())

    def _draw(self) -> list[str]:
        return []

    def __str__(self) -> str:
        return self.to_table()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()

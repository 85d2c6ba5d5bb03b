"""A sheet as plain text in columns, or with rich for a terminal with colours."""

import os
import sys

from tercet.characters import align_columns
from tercet.report.tables import Grid, Sheet


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

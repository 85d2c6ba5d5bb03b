"""A sheet for a terminal: with rich, or plain where no colour is wanted."""

from tercet.report.plain import write_plain
from tercet.report.sheet import Grid, Sheet


def write_terminal(sheet: Sheet, *, color: bool) -> str:
    """Lines between the rows and bold headings; plain text without colour.

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
            console.print(_make_table(grid))
        for line in (*sheet.notes, sheet.signature):
            console.print(Text(line, style="dim"), soft_wrap=True)
    return capture.get().rstrip("\n")


def _make_table(grid: Grid) -> object:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=grid.title, title_justify="left", box=SIMPLE_HEAD)
    for k, name in enumerate(grid.header):
        table.add_column(Text(name), justify="right" if k else "left")
    for row in grid.rows:
        table.add_row(*map(Text, row))  # Text: a label in [brackets] is no command
    return table

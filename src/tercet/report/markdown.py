"""A sheet as Markdown."""

import re

from tercet.report.tables import Cells, Grid, Sheet

_SPECIALS = re.compile(r"([\\`*_\[\]<>&|#~$!])")
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
    return _SPECIALS.sub(r"\\\1", text)


def write_grid(grid: Grid) -> str:
    """A table without its title."""
    rule = "|---|" + "--:|" * (len(grid.header) - 1)
    return "\n".join([_write_row(grid.header), rule, *map(_write_row, grid.rows)])


def _write_row(cells: Cells) -> str:
    # An interval needs no escape: it is not a link, and its brackets stay readable.
    return "| " + " | ".join(cell if _INTERVAL.fullmatch(cell) else escape_markdown(cell) for cell in cells) + " |"

"""A sheet as plain text in columns."""

from tercet.report.characters import measure_columns
from tercet.report.sheet import Grid, Sheet


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
    """The first column flush left, the others flush right."""
    lines = [grid.header, *grid.rows]
    widths = [max(measure_columns(line[k]) for line in lines) for k in range(len(grid.header))]
    return "\n".join(
        "  ".join(_pad(cell, width, k > 0) for k, (cell, width) in enumerate(zip(line, widths, strict=True))).rstrip()
        for line in lines
    )


def _pad(cell: str, width: int, to_right: bool) -> str:
    blanks = " " * (width - measure_columns(cell))
    return blanks + cell if to_right else cell + blanks

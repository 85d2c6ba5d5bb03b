"""A sheet as LaTeX tables that need no LaTeX package."""

from tercet.report.tables import Cells, Grid, Sheet

_SPECIALS = {char: "\\" + char for char in "&%$#_{}"}
_SPECIALS |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "−": "$-$"}
_SPECIALS |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "→": r"$\to$", "·": r"$\cdot$", "…": r"\dots{}"}
_SPECIALS |= {mark: f"$^{number}$" for number, mark in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_ESCAPES = str.maketrans(_SPECIALS)


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
    return "\n\n".join(filter(None, [headline, *map(_write_grid, sheet.grids), notes, signature]))


def escape_latex(text: str) -> str:
    r"""
    >>> print(escape_latex(r"50 % of $x_1 & \o"))
    50 \% of \$x\_1 \& \textbackslash{}o
    """
    return text.translate(_ESCAPES)


def _write_grid(grid: Grid) -> str:
    columns = "l" + "r" * (len(grid.header) - 1)
    body = [_write_row(grid.header), r"\hline", *map(_write_row, grid.rows)]
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", r"\hline", *body, r"\hline", r"\end{tabular}"])


def _write_row(cells: Cells) -> str:
    # LaTeX would read a row that begins with [ as an option of the line break before it.
    shown = [escape_latex(cell) for cell in cells]
    return ("{}" if shown[0].startswith(("[", "*")) else "") + " & ".join(shown) + r" \\"

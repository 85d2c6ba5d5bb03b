"""A sheet as a fragment of HTML that needs nothing else: no script, no style sheet, no network."""

from collections.abc import Iterable
from html import escape

from tercet.report.characters import show_text
from tercet.report.markup import CELL, FRAME, LINE, NUMBER, PALE, ROW, TABLE
from tercet.report.sheet import Grid, Sheet

PICTURES = "display:flex;flex-wrap:wrap;gap:1.5em;margin:1em 0;align-items:flex-start"
HEADING = "font-weight:bold;margin:1em 0 .3em"


def write_page(sheet: Sheet, pictures: Iterable[str] = ()) -> str:
    """The headline, the pictures behind the first table, all tables, remarks and the signature.

    >>> print(write_page(Sheet("<b>", (), (), "n:1")))
    <div class="tex2jax_ignore mathjax_ignore" style="max-width:60em;padding:.8em 1em;line-height:1.6;text-align:start">
    <div style="font-weight:bold;margin:1em 0 .3em">&lt;b&gt;</div>
    <code style="opacity:.65;font-size:.8em;overflow-wrap:anywhere;background:none;color:inherit">n:1</code>
    </div>
    """
    grids = [_write_grid(grid) for grid in sheet.grids]
    drawn = "\n".join(pictures)
    parts = [
        f'<div style="{HEADING}">{escape_shown(sheet.headline)}</div>',
        *grids[:1],
        f'<div style="{PICTURES}">\n{drawn}\n</div>' if drawn else "",
        *grids[1:],
        *(f'<div style="{PALE};font-size:.9em">{escape_shown(note)}</div>' for note in sheet.notes),
        f'<code style="{PALE};font-size:.8em;overflow-wrap:anywhere;background:none;color:inherit">'
        f"{escape_shown(sheet.signature)}</code>",
    ]
    # A notebook would set what stands between two dollars as a formula.
    return f'<div class="tex2jax_ignore mathjax_ignore" style="{FRAME}">\n' + "\n".join(filter(None, parts)) + "\n</div>"


def escape_shown(text: str) -> str:
    """Safe inside an element or a quoted attribute."""
    return escape(show_text(text))


def _write_grid(grid: Grid) -> str:
    head = "".join(f'<th style="{NUMBER if k else CELL}">{escape_shown(name)}</th>' for k, name in enumerate(grid.header))
    rows = [f'<tr style="{ROW};border-bottom:{LINE}">{head}</tr>']
    for cells in grid.rows:
        first, *others = cells
        numbers = "".join(f'<td style="{NUMBER}"><bdi>{escape_shown(cell)}</bdi></td>' for cell in others)
        rows.append(f'<tr style="{ROW}"><td style="{CELL}"><bdi>{escape_shown(first)}</bdi></td>{numbers}</tr>')
    table = f'<table style="{TABLE}">\n' + "\n".join(rows) + "\n</table>"
    return f'<div style="{HEADING}">{escape_shown(grid.title)}</div>\n<div style="overflow-x:auto">{table}</div>'

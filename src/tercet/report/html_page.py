"""A sheet as a fragment of HTML that needs nothing else: no script, no style sheet, no network."""

from collections.abc import Iterable
from html import escape

from tercet.report.characters import show_text
from tercet.report.tables import Grid, Sheet

# Styles, shared with the page of an explanation.
LINE = "1px solid rgba(128,128,128,.5)"
FRAME = "max-width:60em;padding:.8em 1em;line-height:1.6;text-align:start"
# Notebooks and old pages give tables a colour and stripes: these styles switch them off.
TABLE = f"border-collapse:collapse;color:inherit;font-size:.9em;margin:0;border-top:{LINE}"
ROW = "background:none"
CELL = "padding:.1em .6em;text-align:start;border:0;background:none"
NUMBER = "padding:.1em .6em;text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;border:0"
PALE = "opacity:.65"
PICTURES = "display:flex;flex-wrap:wrap;gap:1.5em;margin:1em 0;align-items:flex-start"
HEADING = "font-weight:bold;margin:1em 0 .3em"


def write_page(sheet: Sheet, pictures: Iterable[str] = (), end: str = "") -> str:
    """The headline, the first table, the pictures, the other tables, the notes, the signature, and the end.

    >>> print(write_page(Sheet("<b>", (), (), "n:1")))
    <div class="tex2jax_ignore mathjax_ignore" style="max-width:60em;padding:.8em 1em;line-height:1.6;text-align:start">
    <div style="font-weight:bold;margin:1em 0 .3em">&lt;b&gt;</div>
    <code style="opacity:.65;font-size:.8em;overflow-wrap:anywhere;background:none;color:inherit">n:1</code>
    </div>
    """
    grids = [_write_grid(grid) for grid in sheet.grids]
    drawn = "\n".join(pictures)
    return write_frame(
        f'<div style="{HEADING}">{escape_text(sheet.headline)}</div>',
        *grids[:1],
        f'<div style="{PICTURES}">\n{drawn}\n</div>' if drawn else "",
        *grids[1:],
        *(f'<div style="{PALE};font-size:.9em">{escape_text(note)}</div>' for note in sheet.notes),
        f'<code style="{PALE};font-size:.8em;overflow-wrap:anywhere;background:none;color:inherit">'
        f"{escape_text(sheet.signature)}</code>",
        end,
    )


def write_frame(*parts: str) -> str:
    """The parts in one `<div>`; empty parts are left out."""
    # The classes keep a notebook from reading the text between two dollar signs as a formula.
    return f'<div class="tex2jax_ignore mathjax_ignore" style="{FRAME}">\n' + "\n".join(filter(None, parts)) + "\n</div>"


def escape_text(text: str) -> str:
    """The text with control characters made visible, safe inside an element or a quoted attribute."""
    return escape(show_text(text))


def _write_grid(grid: Grid) -> str:
    head = "".join(f'<th style="{NUMBER if k else CELL}">{escape_text(name)}</th>' for k, name in enumerate(grid.header))
    rows = [f'<tr style="{ROW};border-bottom:{LINE}">{head}</tr>']
    for cells in grid.rows:
        first, *others = cells
        numbers = "".join(f'<td style="{NUMBER}"><bdi>{escape_text(cell)}</bdi></td>' for cell in others)
        rows.append(f'<tr style="{ROW}"><td style="{CELL}"><bdi>{escape_text(first)}</bdi></td>{numbers}</tr>')
    table = f'<table style="{TABLE}">\n' + "\n".join(rows) + "\n</table>"
    return f'<div style="{HEADING}">{escape_text(grid.title)}</div>\n<div style="overflow-x:auto">{table}</div>'

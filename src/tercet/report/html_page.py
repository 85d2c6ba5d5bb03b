"""A sheet as a fragment of HTML that needs nothing else: no script, no style sheet, no network."""

from collections.abc import Iterable

from tercet.html_fragments import PALE, escape_text, write_frame, write_heading, write_note, write_table
from tercet.report.tables import Grid, Sheet

PICTURES = "display:flex;flex-wrap:wrap;gap:1.5em;margin:1em 0;align-items:flex-start"


def write_page(sheet: Sheet, pictures: Iterable[str] = (), end: str = "") -> str:
    """The headline, the first table, the pictures, the other tables, the notes, the signature, and the end.

    >>> print(write_page(Sheet("<b>", (), (), "n:1")))
    <div class="tex2jax_ignore mathjax_ignore" style="max-width:64em;padding:.8em 1em;line-height:1.6;text-align:start">
    <div style="font-weight:bold;margin:1em 0 .3em">&lt;b&gt;</div>
    <code style="opacity:.65;font-size:.8em;overflow-wrap:anywhere;background:none;color:inherit">n:1</code>
    </div>
    """
    grids = [_write_grid(grid) for grid in sheet.grids]
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


def _write_grid(grid: Grid) -> str:
    return f"{write_heading(grid.title)}\n{write_table(grid.header, grid.rows)}"

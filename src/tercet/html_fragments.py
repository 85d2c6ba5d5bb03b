"""Parts of a page that need nothing else: no script, no style sheet, no network. A notebook shows them as they are."""

from collections.abc import Collection, Iterable, Sequence
from html import escape

from tercet.characters import show_line, show_text

LINE = "1px solid rgba(128,128,128,.5)"
FRAME = "max-width:64em;padding:.8em 1em;line-height:1.6;text-align:start"
# Notebooks and old pages give tables a colour and stripes: these styles switch them off.
TABLE = f"border-collapse:collapse;color:inherit;font-size:.9em;margin:0;border-top:{LINE}"
ROW = "background:none"
CELL = "padding:.1em .5em;text-align:start;border:0;background:none"
NUMBER = "padding:.1em .5em;text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;border:0"
PALE = "opacity:.65"
HEADING = "font-weight:bold;margin:1em 0 .3em"


def escape_text(text: str) -> str:
    """The text with control characters made visible, safe inside an element or a quoted attribute."""
    return escape(show_text(text))


def write_frame(*parts: str) -> str:
    """The parts in one `<div>`; empty parts are left out."""
    # The classes keep a notebook from reading the text between two dollar signs as a formula.
    return f'<div class="tex2jax_ignore mathjax_ignore" style="{FRAME}">\n' + "\n".join(filter(None, parts)) + "\n</div>"


def write_heading(text: str) -> str:
    """
    >>> write_heading("a < b")
    '<div style="font-weight:bold;margin:1em 0 .3em">a &lt; b</div>'
    """
    return f'<div style="{HEADING}">{escape_text(text)}</div>'


def write_note(text: str) -> str:
    """A line in a pale colour; nothing if it is empty."""
    return f'<div style="{PALE};font-size:.9em">{escape_text(text)}</div>' if text else ""


def write_table(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Collection[int] | None = None) -> str:
    """A table. The columns at the indices in `numbers` are flush right; by default all but the first."""
    styles = [NUMBER if (k > 0 if numbers is None else k in numbers) else CELL for k in range(len(header))]
    head = "".join(f'<th style="{style}">{escape_text(name)}</th>' for style, name in zip(styles, header, strict=True))
    lines = [f'<tr style="{ROW};border-bottom:{LINE}">{head}</tr>']
    for cells in rows:
        written = (
            f'<td style="{style}"><bdi>{escape_text(cell)}</bdi></td>' for style, cell in zip(styles, cells, strict=True)
        )
        lines.append(f'<tr style="{ROW}">{"".join(written)}</tr>')
    return f'<div style="overflow-x:auto"><table style="{TABLE}">\n' + "\n".join(lines) + "\n</table></div>"


def write_facts(facts: Iterable[tuple[str, object]]) -> str:
    """Names with their values, a line each; a value of None is left out.

    >>> write_facts([("model", "nbsvm"), ("calibration", None)])
    '<div>model: <code style="background:none;color:inherit;overflow-wrap:anywhere">nbsvm</code></div>'
    """
    style = "background:none;color:inherit;overflow-wrap:anywhere"
    known = ((name, value) for name, value in facts if value is not None)
    return "\n".join(
        f'<div>{escape_text(name)}: <code style="{style}">{escape(show_line(value, 300))}</code></div>' for name, value in known
    )

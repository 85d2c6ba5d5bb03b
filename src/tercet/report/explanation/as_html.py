"""An explanation as a fragment of HTML: the text with its evidence in colours, and the table of terms."""

from collections.abc import Sequence

from tercet.characters import show_line
from tercet.html_fragments import (
    CELL,
    LINE,
    NUMBER,
    PALE,
    ROW,
    TABLE,
    escape_text,
    write_frame,
    write_heading,
    write_note,
    write_table,
)
from tercet.report.explanation.arithmetic import Step
from tercet.report.explanation.as_text import HEADING, EvidenceRow, Headline, show_value
from tercet.report.explanation.evidence import FAINT, Highlight, Section, measure_strengths, split_text

# Half transparent, under letters of the page's own colour: readable on dark and light pages. Blue and orange differ for
# colour-blind readers, too. Evidence against the label is also underlined.
FOR, AGAINST = "0,114,178", "230,140,0"
OPAQUE = 0.6
# `plaintext`: each paragraph runs in the direction of its own script.
TEXT = f"white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;margin:.6em 0;padding:.6em 0;border-top:{LINE}"


def write_fragment(
    headline: Headline,
    text: str,
    highlights: Sequence[Highlight],
    rows: Sequence[EvidenceRow],
    note: str,
    sections: Sequence[Section] = (),
    arithmetic: str = "",
) -> str:
    """The headline, the text with its highlights, the table, a note, and the arithmetic, in one `<div>`."""
    return write_frame(
        f"<div>{_write_headline(headline)}</div>",
        f'<div style="{TEXT}">{mark_text(text, highlights, sections)}</div>',
        _write_table(headline, rows),
        write_note(note),
        arithmetic,
    )


def write_steps(steps: Sequence[Step], notes: Sequence[str]) -> str:
    """How the values are computed: a table of formulas, and the notes below."""
    rows = [(show_line(step.name), step.formula.text if step.formula else "", step.shown_value) for step in steps]
    return "\n".join(
        [write_heading(HEADING), write_table(("term", "formula", "value"), rows, numbers=(2,)), *map(write_note, notes)]
    )


def mark_text(text: str, highlights: Sequence[Highlight], sections: Sequence[Section] = ()) -> str:
    """The escaped text with each highlight in a `<mark>`, and its value in the title. Each column comes after its name.

    >>> mark_text("a < b", [Highlight(0, 1, -0.25)])
    '<mark style="color:inherit;background:rgba(230,140,0,0.60);text-decoration:underline" title="-0.25">a</mark> &lt; b'
    """
    marked = (
        (name, "".join(_mark(escape_text(piece.text), piece.value, piece.strength) for piece in pieces))
        for name, pieces in split_text(text, highlights, sections)
    )
    return "\n".join((_write_name(name) if name else "") + part for name, part in marked)


def _write_name(name: str) -> str:
    return f'<span style="{PALE}">{escape_text(show_line(name))}:</span> '


def _mark(piece: str, value: float, strength: float) -> str:
    if value == 0 or not piece:
        return piece
    style = f"color:inherit;{_shade(value, strength)}{_underline(value, strength)}"
    return f'<mark style="{style}" title="{show_value(value)}">{piece}</mark>'


def _shade(value: float, strength: float) -> str:
    return f"background:rgba({AGAINST if value < 0 else FOR},{OPAQUE * strength:.2f})"


def _underline(value: float, strength: float) -> str:
    return ";text-decoration:underline" if value < 0 and strength >= FAINT else ""


def _write_headline(headline: Headline) -> str:
    """The names of the two labels in their colours serve as the legend."""
    label, against = mark_label(headline.label, 1.0), mark_label(headline.against, -1.0)
    rule = f"{escape_text(headline.rule)}<br>" if headline.rule else ""
    return f"{rule}label {label} against {against}: {escape_text(headline.verdict)}"


def mark_label(name: str, sign: float) -> str:
    """The name of a label in the colour of its evidence: the sign is 1 for the label, and -1 for the other label."""
    style = f"font-weight:bold;padding:0 .3em;{_shade(sign, 1.0)}{_underline(sign, 1.0)}"
    return f'<bdi style="{style}">{escape_text(name)}</bdi>'


def _write_table(headline: Headline, rows: Sequence[EvidenceRow]) -> str:
    # The row "… more" is the sum of many terms: beside it the strongest single terms would look weak.
    strengths = measure_strengths(0.0 if row.is_rest or row.is_part else row.value for row in rows)
    has_columns = any(row.columns for row in rows)
    lines = [_write_row(ROW, "", "value", "term", ["column", "places"][not has_columns :])]
    for row, strength in zip(rows, strengths, strict=True):
        pale, value = [row.columns, row.places][not has_columns :], show_value(row.value)
        if row.is_part:  # its value stands beside its name: the column of values is what adds up to the sum
            lines.append(_write_row(ROW, "", "", row.term, pale, f"{value} "))
        else:
            lines.append(_write_row(ROW, _shade(row.value, strength), value, row.term, pale))
    lines.append(
        _write_row(f"{ROW};border-top:{LINE}", "", show_value(headline.score), headline.sum_name, [""] * (1 + has_columns))
    )
    return f'<table style="{TABLE}">\n' + "\n".join(lines) + "\n</table>"


def _write_row(style: str, shade: str, value: str, term: str, pale: Sequence[str], part_value: str = "") -> str:
    cells = "".join(f'<td style="{CELL};{PALE}">{escape_text(cell)}</td>' for cell in pale)
    indent = ";padding-inline-start:2em" if part_value else ""
    return (
        f'<tr style="{style}"><td style="{NUMBER};{shade}">{value}</td>'
        f'<td style="{CELL}{indent}">{part_value}<bdi>{escape_text(term)}</bdi></td>{cells}</tr>'
    )

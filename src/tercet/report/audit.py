"""An audit of a model: performance by group, pairs of sentences and swapped terms in one result, with all findings first."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tercet.characters import show_text
from tercet.data_frames import make_frame
from tercet.html_fragments import escape_text, write_frame, write_heading, write_note
from tercet.report.html_page import write_page
from tercet.report.json_values import simplify
from tercet.report.latex import write_latex
from tercet.report.markdown import write_markdown
from tercet.report.rendering import Rendering
from tercet.report.tables import Grid, Sheet
from tercet.report.text_table import wants_color, write_plain, write_terminal

if TYPE_CHECKING:
    from tercet.report.group_audit import GroupAudit
    from tercet.report.pair_audit import PairAudit
    from tercet.report.probe import TermProbe

    Part = GroupAudit | PairAudit | TermProbe

MOST_FINDINGS = 10  # of each part that come first; further findings are notes of the part
PARTS = {"groups": "performance by group", "pairs": "pairs of sentences", "probe": "swapped terms"}


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Rendering):
    """The result of `tercet.audit`. A part that was not asked for is None.

    `findings` are the plain sentences of all parts. Each part corrects its p-values for all of its own tests.
    """

    groups: "GroupAudit | None" = None
    pairs: "PairAudit | None" = None
    probe: "TermProbe | None" = None

    @property
    def parts(self) -> "dict[str, Part]":
        """The parts that were asked for, by name."""
        return {name: part for name in PARTS if (part := getattr(self, name)) is not None}

    @property
    def findings(self) -> tuple[str, ...]:
        """Plain sentences, part by part, the most important first in each part."""
        return tuple(finding for part in self.parts.values() for finding in part.findings)

    @property
    def _first_findings(self) -> list[str]:
        return [finding for part in self.parts.values() for finding in part.findings[:MOST_FINDINGS]]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What one must know to read the findings, such as documents that were left out, or that the model has learned."""
        return tuple(remark for part in self.parts.values() for remark in part.remarks)

    @property
    def signature(self) -> str:
        """The parts and the version. The numbers of each part have a signature of their own."""
        version = sys.modules["tercet"].__version__  # not imported: the package imports this room
        return f"audit|{'+'.join(self.parts)}|tercet:{version}"

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON: the findings, and each part, or None."""
        parts = {name: self.parts[name].to_dict() if name in self.parts else None for name in PARTS}
        simple: dict[str, Any] = simplify({"findings": self.findings, "remarks": self.remarks, "signature": self.signature})
        return simple | parts

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each number of each part. A column that a part lacks is empty."""
        frames = {name: part.to_frame() for name, part in self.parts.items()}
        names = dict.fromkeys(column for frame in frames.values() for column in frame.columns)
        filled: dict[str, list[Any]] = {"part": [name for name, frame in frames.items() for _ in range(len(frame))]}
        for column in names:
            filled[column] = [
                value
                for frame in frames.values()
                for value in (list(frame[column]) if column in frame.columns else [None] * len(frame))
            ]
        return make_frame(filled)

    def to_sheet(self) -> Sheet:
        """Findings and remarks. The tables are in the sheets of the parts."""
        headline = f"Audit: {', '.join(PARTS[name] for name in self.parts)}"
        findings = Grid("findings", ("findings",), tuple((finding,) for finding in self._first_findings))
        return Sheet(headline, (findings,), self.remarks, self.signature)

    def to_table(self) -> str:
        return self._join(write_plain)

    def to_terminal(self, *, color: bool | None = None) -> str:
        if not (wants_color() if color is None else color):
            return self.to_table()
        sheets = (self.to_sheet(), *self._list_sheets())
        return "\n\n".join(write_terminal(sheet, color=True) for sheet in sheets)

    def to_markdown(self) -> str:
        return self._join(write_markdown)

    def to_latex(self) -> str:
        return self._join(write_latex)

    def to_html(self) -> str:
        """A `<div>` that fits into any page: the findings, then each part with its pictures and tables."""
        listed = (
            f'<li style="overflow-wrap:anywhere"><bdi>{escape_text(finding)}</bdi></li>' for finding in self._first_findings
        )
        parts = (write_page(sheet, part._draw()) for sheet, part in zip(self._list_sheets(), self.parts.values(), strict=True))
        findings = "\n".join(["<ul>", *listed, "</ul>"])
        return write_frame(write_heading(self.to_sheet().headline), findings, *map(write_note, self.remarks), *parts)

    def _join(self, write: Callable[[Sheet], str]) -> str:
        """The findings and all parts. Each table has its title above it: a part has several tables."""
        parts = (piece for sheet in self._list_sheets() for piece in _cut_sheet(sheet))
        return "\n\n".join(map(write, (self.to_sheet(), *parts)))

    def _list_sheets(self) -> Iterator[Sheet]:
        """The sheet of each part without the findings and remarks that come first."""
        shown = set(map(show_text, (*self._first_findings, *self.remarks)))
        for part in self.parts.values():
            sheet = part.to_sheet()
            yield replace(sheet, notes=tuple(note for note in sheet.notes if note not in shown))


def _cut_sheet(sheet: Sheet) -> Iterator[Sheet]:
    """A sheet for the headline, one for each table with its title, and one for the notes."""
    yield Sheet(sheet.headline, (), (), "")
    yield from (Sheet(grid.title, (grid,), (), "") for grid in sheet.grids)
    yield Sheet("", (), sheet.notes, sheet.signature)

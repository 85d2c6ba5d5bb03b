"""The forms of a result with tables: plain text, terminal, Markdown, LaTeX, HTML. All are made from its sheet."""

from abc import ABC, abstractmethod
from typing import Any

from tercet.report.html_page import write_page
from tercet.report.latex import write_latex
from tercet.report.markdown import write_markdown
from tercet.report.tables import Sheet
from tercet.report.text_table import wants_color, write_plain, write_terminal


class Rendering(ABC):
    """A result that can be written in every form, and is shown as HTML in a notebook."""

    @abstractmethod
    def to_sheet(self) -> Sheet:
        """Headline, tables, notes and signature, as text that is ready to be shown."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""

    def to_table(self) -> str:
        """Plain text in columns."""
        return write_plain(self.to_sheet())

    def to_terminal(self, *, color: bool | None = None) -> str:
        """Tables with colours. `color=None` uses them if standard output is a terminal and NO_COLOR is not set."""
        return write_terminal(self.to_sheet(), color=wants_color() if color is None else color)

    def to_markdown(self) -> str:
        return write_markdown(self.to_sheet())

    def to_latex(self) -> str:
        """Tables that need no LaTeX package."""
        return write_latex(self.to_sheet())

    def to_html(self) -> str:
        """A `<div>` that fits into any page and needs nothing else: no script, no style sheet, no network."""
        return write_page(self.to_sheet(), self._draw())

    def _draw(self) -> list[str]:
        return []

    def __str__(self) -> str:
        return self.to_table()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()

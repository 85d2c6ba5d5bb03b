"""The forms that a result can take, all of them made of its sheet."""

from abc import ABC, abstractmethod
from typing import Any

from tercet.report.latex import write_latex
from tercet.report.markdown import write_markdown
from tercet.report.page import write_page
from tercet.report.plain import write_plain
from tercet.report.sheet import Sheet
from tercet.report.terminal import wants_color
from tercet.report.terminal_table import write_terminal


class Rendering(ABC):
    """A result with tables: plain text, terminal, Markdown, LaTeX, HTML, and in a notebook."""

    @abstractmethod
    def to_sheet(self) -> Sheet:
        """The tables in words."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """All of it for JSON."""

    def to_table(self) -> str:
        """Plain text in columns."""
        return write_plain(self.to_sheet())

    def to_terminal(self, *, color: bool | None = None) -> str:
        """A table with rich. `color=None`: if standard output is a terminal and NO_COLOR not set."""
        return write_terminal(self.to_sheet(), color=wants_color() if color is None else color)

    def to_markdown(self) -> str:
        return write_markdown(self.to_sheet())

    def to_latex(self) -> str:
        """Tables that need no package."""
        return write_latex(self.to_sheet())

    def to_html(self) -> str:
        """A `<div>` that can be put on any page and needs nothing else: no script, no style sheet, no network."""
        return write_page(self.to_sheet(), self._draw())

    def _draw(self) -> list[str]:
        return []

    def __str__(self) -> str:
        return self.to_table()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()

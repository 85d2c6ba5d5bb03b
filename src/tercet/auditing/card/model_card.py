"""The layout of a model card: sections with blocks, each written as Markdown and as HTML. Texts in it may hold anything."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tercet.characters import show_text
from tercet.html_fragments import escape_text, write_frame, write_table
from tercet.report.forms import escape_markdown, write_grid
from tercet.report.tables import Grid

LINK = re.compile(r"https?://[\w.~:/?#@!$&'()*+,;=%-]*[\w/]", re.ASCII)
MARK = re.compile(r"[-+=]|\d+(?=[.)])")  # at the beginning of a line, Markdown would read it as a list or a heading
INTERVAL = re.compile(
    r"(?<=[\d%] )\\\[([-+.\d]+%?, [-+.\d]+%?)\\\](?![(\[])"
)  # needs no escape: it is not a link, and stays readable
HEADINGS = {1: "font-size:1.5em", 2: "font-size:1.25em", 3: "font-size:1.05em"}
HEADING = "font-weight:bold;line-height:1.3;margin:1.2em 0 .4em;border:0;padding:0;color:inherit"
BOX = "border-left:.3em solid {color};padding:.1em .7em;margin:.5em 0"
RED, ORANGE = "#c0392b", "#d68910"
CODE = "background:none;color:inherit;overflow-wrap:anywhere;font-family:monospace,monospace;font-size:.85em"
PICTURE = "margin:1em 0"


class Block(ABC):
    """A part of a section. What it holds is plain text: nothing in it is read as Markdown or HTML."""

    @abstractmethod
    def to_markdown(self) -> str: ...

    @abstractmethod
    def to_html(self) -> str: ...


@dataclass(frozen=True)
class Text(Block):
    """Paragraphs, with an empty line between two of them. Lines that all begin with "- " are a list.

    >>> print(Text("See <b> at https://a.org/x_y.\\n\\n- one\\n- two").to_markdown())
    See \\<b\\> at <https://a.org/x_y>.
    <BLANKLINE>
    - one
    - two
    """

    text: str

    def to_markdown(self) -> str:
        return "\n\n".join(_write_list(part) if isinstance(part, list) else _write_line(part) for part in _split(self.text))

    def to_html(self) -> str:
        return "\n".join(
            _write_html_list(part) if isinstance(part, list) else f"<p>{_write_inline_html(part)}</p>"
            for part in _split(self.text)
        )


@dataclass(frozen=True)
class Items(Block):
    """A list of sentences."""

    items: tuple[str, ...]

    def to_markdown(self) -> str:
        return _write_list(self.items)

    def to_html(self) -> str:
        return _write_html_list(self.items)


@dataclass(frozen=True)
class Facts(Block):
    """Names with their values, a line each.

    >>> print(Facts((("Kind", "stack"), ("Labels", "a_b"))).to_markdown())
    - **Kind**: stack
    - **Labels**: a\\_b
    """

    facts: tuple[tuple[str, str], ...]

    def to_markdown(self) -> str:
        return "\n".join(f"- **{_escape(name)}**: {_write_inline(value)}" for name, value in self.facts)

    def to_html(self) -> str:
        items = (f"<li><b>{escape_text(name)}</b>: <bdi>{_write_inline_html(value)}</bdi></li>" for name, value in self.facts)
        return "<ul>\n" + "\n".join(items) + "\n</ul>"


@dataclass(frozen=True)
class Answer(Block):
    """The answer of the notes to a question, or that it is missing.

    >>> print(Answer("Primary uses", "intended_use.primary_uses", "What is it for?", "").to_markdown())
    **Primary uses**: **Not answered.** What is it for? Add `intended_use.primary_uses` to the notes.
    """

    title: str
    name: str
    asked: str
    text: str

    def to_markdown(self) -> str:
        title = f"**{_escape(self.title)}**: "
        if not self.text:
            return f"{title}**Not answered.** {_escape(self.asked)} Add {_write_code(self.name)} to the notes."
        written = Text(self.text).to_markdown()
        return title + (f"\n\n{written}" if isinstance(_split(self.text)[0], list) else written)

    def to_html(self) -> str:
        title = f"<b>{escape_text(self.title)}</b>: "
        if not self.text:
            missing = f"<b>Not answered.</b> {escape_text(self.asked)} Add {_write_html_code(self.name)} to the notes."
            return _write_box(title + missing, ORANGE)
        written = Text(self.text).to_html()
        return f"<p>{title}</p>\n{written}" if written.startswith("<ul>") else written.replace("<p>", f"<p>{title}", 1)


@dataclass(frozen=True)
class Alert(Block):
    """A sentence that must not be overlooked."""

    text: str

    def to_markdown(self) -> str:
        return f"> **Warning**: {_write_inline(self.text)}"

    def to_html(self) -> str:
        return _write_box(f"<b>Warning</b>: {_write_inline_html(self.text)}", RED)


@dataclass(frozen=True)
class Table(Block):
    """A table, with notes below it."""

    grid: Grid
    notes: tuple[str, ...] = ()

    def to_markdown(self) -> str:
        notes = "  \n".join(_write_inline(note) for note in self.notes)
        return write_grid(self.grid) + (f"\n\n{notes}" if notes else "")

    def to_html(self) -> str:
        return "\n".join([write_table(self.grid.header, self.grid.rows), *map(_write_html_note, self.notes)])


@dataclass(frozen=True)
class Code(Block):
    """A line that a program has written, such as a signature."""

    title: str
    text: str

    def to_markdown(self) -> str:
        return f"{_escape(self.title)}: {_write_code(self.text)}"

    def to_html(self) -> str:
        return f"<p>{escape_text(self.title)}: {_write_html_code(self.text)}</p>"


@dataclass(frozen=True)
class Picture(Block):
    """An SVG picture, which only the page shows: its numbers are in a table, too."""

    svg: str

    def to_markdown(self) -> str:
        return ""

    def to_html(self) -> str:
        return f'<div style="{PICTURE}">{self.svg}</div>'


@dataclass(frozen=True)
class CardSection:
    """A heading and its blocks. The card itself has level 1."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 2

    def to_markdown(self) -> str:
        heading = f"{'#' * self.level} {_write_inline(self.title)}"
        return "\n\n".join(filter(None, [heading, *(block.to_markdown() for block in self.blocks)]))

    def to_html(self) -> str:
        heading = f'<h{self.level} style="{HEADING};{HEADINGS[self.level]}">{escape_text(self.title)}</h{self.level}>'
        return "\n".join(filter(None, [heading, *(block.to_html() for block in self.blocks)]))


def write_card(front_matter: str, sections: Sequence[CardSection]) -> str:
    """The card as Markdown, with the header for model hubs."""
    return "\n\n".join([front_matter, *(section.to_markdown() for section in sections)]) + "\n"


def write_card_html(sections: Sequence[CardSection]) -> str:
    """The card as a `<div>` that fits into any page and needs nothing else: no script, no style sheet, no network."""
    return write_frame(*(section.to_html() for section in sections))


# Plain text → Markdown


def _split(text: str) -> list[str | list[str]]:
    """The paragraphs of a text, each in one line, and the lists among them.

    >>> _split("one\\ntwo\\n\\n- a\\n- b")
    ['one two', ['a', 'b']]
    """
    return list(_list_parts(text)) or [""]


def join_paragraphs(text: str) -> str:
    """A text in one line.

    >>> join_paragraphs("For teachers:\\n\\n- sort\\n- count"), join_paragraphs("- Do not sort.\\n- Do not count.")
    ('For teachers: sort; count', 'Do not sort. Do not count.')
    """
    return " ".join("; ".join(part).replace(".; ", ". ") if isinstance(part, list) else part for part in _split(text))


def _list_parts(text: str) -> Iterator[str | list[str]]:
    for paragraph in re.split(r"\n\s*\n", "\n".join(text.splitlines()).strip()):
        lines = [line.strip() for line in paragraph.split("\n")]
        if all(line.startswith(("- ", "* ")) for line in lines):
            yield [_join_lines(line[2:]) for line in lines]
        else:
            yield _join_lines(paragraph)


def _join_lines(text: str) -> str:
    return " ".join(text.split())


def _escape(text: str) -> str:
    """The text in one line, escaped; it may stand anywhere but at the beginning of a line."""
    return escape_markdown(_join_lines(show_text(text)))


def _write_inline(text: str) -> str:
    r"""The same with links that can be followed.

    >>> print(_write_inline("0.5 [0.4, 0.6]: [b] 1 [1, 2](x) https://a.org"))
    0.5 [0.4, 0.6]: \[b\] 1 \[1, 2\](x) <https://a.org>
    """
    parts = _split_links(_join_lines(show_text(text)))
    return "".join(f"<{part}>" if is_link else INTERVAL.sub(r"[\1]", escape_markdown(part)) for part, is_link in parts)


def _write_line(text: str) -> str:
    r"""The same at the beginning of a line.

    >>> print(_write_line("--- a"), _write_line("1. b"), _write_line("1999 was"))
    \--- a 1\. b 1999 was
    """
    written = _write_inline(text)
    found = MARK.match(written)
    if found is None:
        return written
    digits = found.group().isdigit()
    return f"{found.group()}\\{written[found.end() :]}" if digits else f"\\{written}"


def _write_list(items: Sequence[str]) -> str:
    return "\n".join(f"- {_write_line(item)}" for item in items)


def _write_code(text: str) -> str:
    return "`" + _join_lines(show_text(text)).replace("`", "'") + "`"


def _split_links(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a text, and whether each is a link.

    >>> list(_split_links("see https://a.org/b, or not"))
    [('see ', False), ('https://a.org/b', True), (', or not', False)]
    """
    end = 0
    for found in LINK.finditer(text):
        yield text[end : found.start()], False
        yield found.group(), True
        end = found.end()
    yield text[end:], False


# Plain text → HTML


def _write_inline_html(text: str) -> str:
    parts = _split_links(_join_lines(show_text(text)))
    return "".join(
        f'<a href="{escape(part)}" rel="nofollow">{escape(part)}</a>' if is_link else escape(part) for part, is_link in parts
    )


def _write_html_list(items: Sequence[str]) -> str:
    return "<ul>\n" + "\n".join(f"<li>{_write_inline_html(item)}</li>" for item in items) + "\n</ul>"


def _write_html_note(text: str) -> str:
    return f'<p style="opacity:.75;font-size:.9em;margin:.3em 0">{_write_inline_html(text)}</p>'


def _write_html_code(text: str) -> str:
    return f'<code style="{CODE}">{escape_text(text)}</code>'


def _write_box(html: str, color: str) -> str:
    return f'<div style="{BOX.format(color=color)}">{html}</div>'

"""HTML → text.

Tags, comments, scripts and styles become a blank; tags that end a line become a line break; entities become their characters.
Markup that never ends stays text, and so does a < that does not begin a tag.
"""

import html
import re
from collections.abc import Iterator
from html.entities import name2codepoint

from tercet.kernel.text.normalize import Character, rewrite_matches

# A tag ends at the first > outside quotes. If a quote is never closed, it ends at the first > of all.
TAG = r"""(?></?[a-z](?:[^<>"']|"[^"]*"|'[^']*')*+>|</?[a-z][^<>]*>)"""
NAME_END = r"(?=[ \t\n\r\f/>])"
RAW = rf"(?=<(?P<name>script|style){NAME_END}){TAG}.*?</(?P=name){NAME_END}[^<>]*>"
# Tags that begin or end a line, a paragraph, or a cell of a table.
LINES = (
    "address article aside blockquote body br caption center dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 head "
)
LINES += "header hr html li main nav ol option p pre section table tbody td tfoot th thead title tr ul"
ENDS_LINE = re.compile(f"</?(?:{LINES.replace(' ', '|')}){NAME_END}", re.ASCII | re.IGNORECASE)
COMMENT = r"<!(?=--).*?-->"
DECLARATION = r"<[!?][a-z\[][^<>]*>"
# The names of HTML 4, and `apos` of XML. HTML 5 has two thousand names.
ENTITY = rf"&\#[0-9]++;?|&\#x[0-9a-f]++;?|(?-i:&(?:{'|'.join([*name2codepoint, 'apos'])});)"

MARKUP = re.compile(f"{RAW}|{TAG}|{COMMENT}|{DECLARATION}|{ENTITY}", re.ASCII | re.IGNORECASE | re.DOTALL)


def decode_entity(entity: str) -> str:
    """The character of an entity.

    >>> decode_entity("&eacute;"), decode_entity("&#x2014")
    ('é', '—')
    """
    digits = entity[2:].strip("Xx;").lstrip("0")
    # The number is beyond Unicode. html.unescape would fail if there are more digits than int() reads.
    return "\ufffd" if entity[1] == "#" and len(digits) > 7 else html.unescape(entity)


def write_markup(markup: str) -> str:
    if markup[0] == "&":
        return decode_entity(markup)
    return "\n" if ENDS_LINE.match(markup) else " "


def strip_html(characters: list[Character]) -> Iterator[Character]:
    """The text without its markup.

    >>> text = [Character(c, i, i + 1) for i, c in enumerate("<b>a &lt; b</b>")]
    >>> "".join(c.value for c in strip_html(text))
    ' a < b '
    """
    return rewrite_matches(characters, MARKUP, write_markup)

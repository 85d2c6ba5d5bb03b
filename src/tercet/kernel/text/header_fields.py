"""The header of an e-mail: the field that each place of the text belongs to."""

import re
from typing import NamedTuple

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*:(?!//)")
POSTMARK = re.compile(">?From ")
USUAL = frozenset(["from:", "to:", "subject:", "date:", "received:", "return-path:", "message-id:", "newsgroups:", "sender:"])
USUAL |= {"reply-to:", "delivered-to:", "path:"}


class Field(NamedTuple):
    end: int
    name: str  # in lower case, with the colon


def find_fields(text: str) -> list[Field]:
    r"""The header fields at the start of a text; none if the text does not start with a header.

    A header has two or more lines `Name: value`, and at least one of the names is usual in e-mails. Indented lines continue
    a field. The header ends at an empty line or at the end of the text. Empty lines and a line `From …` may come before it.

    >>> find_fields("Subject: hello\n you\nTo: me\n\nHi")
    [Field(end=20, name='subject:'), Field(end=27, name='to:')]
    """
    fields: list[Field] = []
    start = re.match("\ufeff?[\r\n]*", text)
    end = start.end() if start else 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text[end:]):
        end += len(line)
        content = line.removesuffix("\n").removesuffix("\r")
        if not content:
            break
        if name := NAME.match(content):
            fields.append(Field(end, name[0].lower()))
        elif not fields and POSTMARK.match(content):
            fields.append(Field(end, ""))
        elif fields and content[0] in " \t":
            fields[-1] = Field(end, fields[-1].name)
        else:
            return []
    names = [field.name for field in fields if field.name]
    return fields if len(names) >= 2 and USUAL & set(names) else []


def field_number(fields: list[Field], place: int) -> int:
    """The number of the field that a place belongs to. After the header it is the number of fields."""
    return sum(field.end <= place for field in fields)

"""The header of an e-mail: which field each place of the text belongs to."""

import re
from typing import NamedTuple

NAME = re.compile(r"[A-Za-z0-9-]+:")
POSTMARK = re.compile("[Ff][Rr][Oo][Mm] ")


class Field(NamedTuple):
    end: int
    name: str  # in lower case, with the colon


def find_fields(text: str) -> list[Field]:
    r"""The fields at the front of a text: two or more lines `Name: value`, each with the indented lines behind it, up to an
    empty line or the end. A line `From …` may stand before them. Nothing, when the text does not begin so.

    >>> find_fields("Subject: hello\n you\nTo: me\n\nHi")
    [Field(end=20, name='subject:'), Field(end=27, name='to:')]
    """
    fields: list[Field] = []
    end = 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
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
    return fields if sum(field.name != "" for field in fields) >= 2 else []


def field_at(fields: list[Field], place: int) -> str:
    """The name of the field there; empty outside of the header."""
    return next((field.name for field in fields if place < field.end), "")

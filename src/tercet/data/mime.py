"""The source of an e-mail → its text, and the values of its header fields.

The text keeps the form of the source: header, blank line, body, boundaries between the parts. What hides words is undone:
base64 and quoted-printable, the character set of each part, and encoded words in the header. Content that is not text is left
out.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tercet.data.read_options import check_encoding
from tercet.errors import InvalidOption

if TYPE_CHECKING:
    from email.message import Message

DEEPEST, MOST_PARTS = 20, 1000  # parts inside parts, and parts of an e-mail that are decoded
# An e-mail without any of these is decoded as a whole, which is much faster.
HIDING = re.compile(rb"=\?|base64|quoted-printable|uuencode|charset=(?!\"?(us-ascii|utf-8|iso-8859-1)\b)", re.IGNORECASE)
BLANK_LINE = re.compile(rb"\r?\n\r?\n")
WORD = r"=\?[^?\s]+\?[bq]\?[^?\n]*\?="
# Neighbouring words are decoded together. There is a limit, because decode_header takes quadratic time.
ENCODED_WORDS = re.compile(rf"{WORD}(?:\s+{WORD}){{0,99}}", re.IGNORECASE)
# A first line that is a field, and all lines before the first blank line.
HEAD = re.compile(r"(?:From |[!-9;-~]+[ \t]*:).*?(?:\r?\n\r?\n|\Z)", re.DOTALL)
LINE_ENDS = re.compile(r"[\r\n]+\s*")


def decode_mail(mail: bytes, encoding: str = "utf-8") -> str:
    """The text of an e-mail. A part that does not name its character set is in this encoding, or in Latin-1.

    Damaged parts are kept as they are, so no e-mail is refused.

    >>> decode_mail("Città".encode()), decode_mail("Città".encode("latin-1"))
    ('Città', 'Città')
    >>> print(decode_mail(b"Subject: =?utf-8?q?Citt=C3=A0?=\\nContent-Transfer-Encoding: base64\\n\\nQnV5IG5vdyE="))
    Subject: Città
    Content-Transfer-Encoding: base64
    <BLANKLINE>
    Buy now!
    """
    if not HIDING.search(mail):
        return decode_bytes(mail, None, encoding)
    try:
        return PartDecoder(encoding).decode(mail)
    except Exception:  # Python's email package raises errors of many kinds for damaged header fields
        return decode_bytes(mail, None, encoding)


class PartDecoder:
    """Decodes the parts of one e-mail. Parts beyond the limits are kept as they are, so the time stays in proportion."""

    def __init__(self, encoding: str) -> None:
        self._encoding, self._n_left = encoding, MOST_PARTS

    def decode(self, part: bytes, depth: int = 0) -> str:
        """The text of an e-mail or of one of its parts, with its header."""
        from email.parser import BytesHeaderParser  # on first use: the package takes long to import

        self._n_left -= 1
        if self._n_left < 0 or depth > DEEPEST:
            return decode_bytes(part, None, self._encoding)
        found = BLANK_LINE.search(part)
        head, body = (part, b"") if found is None else (part[: found.end()], part[found.end() :])
        message: Message = BytesHeaderParser().parsebytes(head)
        return decode_words(decode_bytes(head, None, self._encoding)) + self._decode_body(message, body, depth)

    def _decode_body(self, message: "Message", body: bytes, depth: int) -> str:
        boundary, kind = message.get_boundary(), message.get_content_maintype()
        if kind == "multipart" and boundary:
            return "".join(self._decode_parts(boundary.encode("ascii", "surrogateescape"), body, depth))
        if message.get_content_type() == "message/rfc822":
            return self.decode(body, depth + 1)
        if kind not in ("text", "multipart", "message"):
            return ""
        message.set_payload(body.decode("ascii", "surrogateescape"))
        content = message.get_payload(decode=True)
        return decode_bytes(content if isinstance(content, bytes) else body, message.get_content_charset(), self._encoding)

    def _decode_parts(self, boundary: bytes, body: bytes, depth: int) -> Iterator[str]:
        """The parts with the boundaries between them. What stands before the first and after the last one is not a part."""
        pieces = re.split(rb"^(--" + re.escape(boundary) + rb"(?:--)?[ \t]*\r?(?:\n|\Z))", body, flags=re.MULTILINE)
        for place, piece in enumerate(pieces):
            is_part = place % 2 == 0 and place > 0 and not pieces[place - 1].rstrip().endswith(b"--")
            yield end_line(self.decode(piece, depth + 1)) if is_part and piece else decode_bytes(piece, None, self._encoding)


def end_line(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def decode_bytes(content: bytes, charset: str | None, encoding: str) -> str:
    """The text in this character set, or in the encoding if the set is not known or wrong, or else in Latin-1.

    >>> decode_bytes(b"\\x93so\\x94", "windows-1252", "utf-8"), decode_bytes(b"so", "x-unknown", "utf-8")
    ('“so”', 'so')
    """
    for name in (charset, encoding):
        try:
            if name is not None:
                return content.decode(check_encoding(name))
        except (InvalidOption, UnicodeError):
            continue
    return content.decode("latin-1")


def decode_words(text: str) -> str:
    """The text with its encoded words decoded.

    >>> decode_words("From: =?iso-8859-1?q?Andr=E9?= <a@b.org>"), decode_words("=?utf-8?b?4pyT?=\\n =?utf-8?b?IQ==?=")
    ('From: André <a@b.org>', '✓!')
    """
    return ENCODED_WORDS.sub(lambda found: decode_run(found[0]), text)


def decode_run(words: str) -> str:
    """Neighbouring encoded words as one text on one line; as they are if they are damaged."""
    from email.header import decode_header

    try:
        parts = [
            part if isinstance(part, str) else decode_bytes(part, charset, "utf-8") for part, charset in decode_header(words)
        ]
    except ValueError:  # HeaderParseError is one
        return words
    return LINE_ENDS.sub(" ", "".join(parts))


def decode_body(mail: bytes, encoding: str = "utf-8") -> str:
    """The text of an e-mail without its header. Text without a header is all body.

    >>> decode_body(b"Subject: so\\n\\nla"), decode_body(b"Subject: so"), decode_body(b"la")
    ('la', '', 'la')
    """
    text = decode_mail(mail, encoding)
    head = HEAD.match(text)
    return text[head.end() :] if head else text


def find_header_field(mail: bytes, name: str, encoding: str = "utf-8") -> str | None:
    """The decoded value of the first header field with this name, on one line; None if there is none.

    >>> find_header_field(b"Subject: =?utf-8?q?Citt=C3=A0?=\\n so\\n\\nSubject: body", "subject")
    'Città so'
    """
    found = BLANK_LINE.search(mail)
    head = mail if found is None else mail[: found.end()]
    field = re.search(rb"^" + re.escape(name.encode()) + rb"[ \t]*:(.*(?:\r?\n[ \t].*)*)", head, re.IGNORECASE | re.MULTILINE)
    return None if field is None else LINE_ENDS.sub(" ", decode_words(decode_bytes(field[1].strip(), None, encoding)))

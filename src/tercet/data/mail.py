"""E-mails: one alone, or the many of an mbox. The source of an e-mail → its text, and the values of its header fields.

The text keeps the form of the source: header, blank line, body, boundaries between the parts. What hides words is undone:
base64 and quoted-printable, the character set of each part, and encoded words in the header. Content that is not text is left
out.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tercet.data.column_choice import NAMED, join_names
from tercet.data.column_signs import score_name
from tercet.data.documents import join_cells
from tercet.data.lines import LineReader
from tercet.data.raw_rows import RawRows, Reader
from tercet.data.read_options import ReadOptions, check_encoding
from tercet.data.source import Source, check_length
from tercet.errors import BadSource, InvalidOption

if TYPE_CHECKING:
    from email.message import Message

MAX_DEPTH, MAX_PARTS = 20, 1000  # parts inside parts, and parts of an e-mail that are decoded
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
        self._encoding, self._n_left = encoding, MAX_PARTS

    def decode(self, part: bytes, depth: int = 0) -> str:
        """The text of an e-mail or of one of its parts, with its header."""
        from email.parser import BytesHeaderParser  # on first use: the package takes long to import

        self._n_left -= 1
        if self._n_left < 0 or depth > MAX_DEPTH:
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
        for index, piece in enumerate(pieces):
            is_part = index % 2 == 0 and index > 0 and not pieces[index - 1].rstrip().endswith(b"--")
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


HEADER_FIELDS = ("subject", "from", "to", "cc", "sender", "reply-to", "list-id", "organization", "keywords", "x-mailer")
MARK = b"From "  # begins the first line of each e-mail in an mbox


class EmailReader(Reader):
    """The whole source is one e-mail."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        if options.labelled:
            raise BadSource(
                f"{source.name} is one e-mail, which has no label: put e-mails into a folder with a sub-folder for each label."
            )
        self.place = source.name
        self._text = MailText(options)
        self.guess = self._text.describe()
        self._source, self._options = source, options

    def read_rows(self) -> Iterator[RawRows]:
        mail = self._source.read_whole()
        columns = list_header_fields([mail], self._options)
        yield RawRows([""], [self._text.make(mail)], columns=columns, text_columns=self._text.columns)


class MailText:
    """Which text an e-mail gives: all of it, or the text columns of other data if they are named like its parts.

    >>> from tercet.data.column_choice import Fields
    >>> text = MailText(ReadOptions(like=Fields(("Subject", "Message"))))
    >>> text.columns, text.make(b"From: a@b.org\\nSubject: Refund\\n\\nWhere is it?")
    (('Subject', 'Message'), 'Refund\\x1fWhere is it?')
    """

    def __init__(self, options: ReadOptions) -> None:
        self._encoding = options.encoding
        self._wanted = tuple(name for field, name in options.remembered if field == "text")
        is_like = sum(map(is_body, self._wanted)) == 1 and all(is_body(name) or is_header_field(name) for name in self._wanted)
        self.columns = self._wanted if len(self._wanted) > 1 and is_like else ()

    def describe(self) -> list[str]:
        """In words, if other data have several text columns."""
        if len(self._wanted) < 2:
            return []
        if not self.columns:
            return [f"the whole e-mail is read as {self._wanted[-1]!r}"]
        return [f"text: {join_names(self.columns)} of the e-mail, as in the training data"]

    def make(self, mail: bytes) -> str:
        if not self.columns:
            return decode_mail(mail, self._encoding)
        return join_cells([self._find(name, mail) for name in self.columns])

    def _find(self, name: str, mail: bytes) -> str | None:
        return decode_body(mail, self._encoding) if is_body(name) else find_header_field(mail, name, self._encoding)


def is_body(name: str) -> bool:
    """
    >>> is_body("Body"), is_body("Nachricht"), is_body("Subject")
    (True, True, False)
    """
    return score_name(name).text >= NAMED


def is_header_field(name: str) -> bool:
    return name.casefold() in HEADER_FIELDS


def list_header_fields(mails: Sequence[bytes], options: ReadOptions) -> dict[str, list[str | None]]:
    """The header fields that were asked for as columns; None where an e-mail has no such field."""
    return {name: [find_header_field(mail, name, options.encoding) for mail in mails] for name in options.columns}


class MboxReader(Reader):
    """Every e-mail of an mbox is a document: header and body."""

    def __init__(self, source: Source, options: ReadOptions, label: str | None) -> None:
        self.place = f"{source.name}, line "
        self._text = MailText(options)
        self.guess = [*self._text.describe(), *([] if label is None else [f"label: {label!r}, the name of the file"])]
        self._lines, self._options, self._label = LineReader(source, "utf-8"), options, label
        if not (first := b"".join(self._lines.peek().lines[:1])).startswith(MARK) and first.strip():
            raise BadSource(f"{source.name} is not an mbox: its first line does not begin with 'From '.")

    def read_rows(self) -> Iterator[RawRows]:
        for numbers, mails in split_mails(self._lines):
            texts = list(map(self._text.make, mails))
            labels = None if self._label is None else [self._label] * len(texts)
            columns = list_header_fields(mails, self._options)
            yield RawRows(numbers, texts, labels, columns=columns, text_columns=self._text.columns)


def split_mails(lines: LineReader) -> Iterator[tuple[list[int], list[bytes]]]:
    """E-mails, and the line on which each begins. An e-mail begins with the mark, after a blank line."""
    mail: list[bytes] = []
    begin, size, follows_blank = 1, 0, True
    for chunk in lines:
        begins, mails = [], []
        for number, line in enumerate(chunk.lines, chunk.first):
            if follows_blank and mail and line.startswith(MARK):
                begins.append(begin)
                mails.append(join_mail(mail))
                mail, begin, size = [], number, 0
            mail.append(line)
            size += len(line)
            follows_blank = line in (b"\n", b"\r\n")
        yield begins, mails
        check_length(size, f"{lines.name}, the e-mail of line {begin}")
    if any(line.strip() for line in mail):
        yield [begin], [join_mail(mail)]


def join_mail(lines: list[bytes]) -> bytes:
    """The e-mail without the blank line before the next one."""
    return b"".join(lines[:-1] if lines[-1] in (b"\n", b"\r\n") else lines)

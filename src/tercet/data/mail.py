"""E-mails: one alone, or the many of an mbox."""

from collections.abc import Iterator, Sequence

from tercet.data.column_choice import NAMED, join_names
from tercet.data.column_names import score_name
from tercet.data.lines import LineReader
from tercet.data.mime import decode_body, decode_mail, find_header_field
from tercet.data.raw_rows import RawRows
from tercet.data.read_options import ReadOptions
from tercet.data.reader import Reader
from tercet.data.source import Source, check_length
from tercet.data.text_columns import join_cells
from tercet.errors import BadSource

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

"""E-mails: how to decode them, and how to split an mbox."""

from collections.abc import Iterator

from tercet.data.column_choice import Fields
from tercet.data.lines import LineReader
from tercet.data.raw_rows import RawRows
from tercet.data.read_options import ReadOptions
from tercet.data.source import Source, check_length
from tercet.errors import BadSource

MARK = b"From "  # begins the first line of each e-mail in an mbox


class MboxReader:
    """Every e-mail of an mbox is a document: its whole source, header included."""

    def __init__(self, source: Source, options: ReadOptions, label: str | None) -> None:
        self.place = f"{source.name}, line "
        self.guess = [] if label is None else [f"label: {label!r}, the name of the file"]
        self.fields: Fields | None = None
        self._lines, self._encoding, self._label = LineReader(source, "utf-8"), options.encoding, label
        if not (first := b"".join(self._lines.peek().lines[:1])).startswith(MARK) and first.strip():
            raise BadSource(f"{source.name} is not an mbox: its first line does not begin with 'From '.")

    def read_rows(self) -> Iterator[RawRows]:
        for numbers, mails in split_mails(self._lines):
            texts = [decode_mail(mail, self._encoding) for mail in mails]
            yield RawRows(numbers, texts, None if self._label is None else [self._label] * len(texts))


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


def decode_mail(mail: bytes, encoding: str = "utf-8") -> str:
    """The text in this encoding, or in Latin-1 if it can't be decoded.

    Each part of an e-mail may have its own encoding. No encoding fits all parts, so no e-mail is refused.

    >>> decode_mail("Città".encode()), decode_mail("Città".encode("latin-1"))
    ('Città', 'Città')
    """
    try:
        return mail.decode(encoding)
    except UnicodeDecodeError:
        return mail.decode("latin-1")

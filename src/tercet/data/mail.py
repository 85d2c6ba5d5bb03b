"""E-mails: one alone, or the many of an mbox."""

from collections.abc import Iterator, Sequence

from tercet.data.lines import LineReader
from tercet.data.mime import decode_mail, find_header_field
from tercet.data.raw_rows import RawRows
from tercet.data.read_options import ReadOptions
from tercet.data.reader import Reader
from tercet.data.source import Source, check_length
from tercet.errors import BadSource

MARK = b"From "  # begins the first line of each e-mail in an mbox


class EmailReader(Reader):
    """The whole source is one e-mail."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        if options.labelled:
            raise BadSource(
                f"{source.name} is one e-mail, which has no label: put e-mails into a folder with a sub-folder for each label."
            )
        self.place = source.name
        self.guess: list[str] = []
        self._source, self._options = source, options

    def read_rows(self) -> Iterator[RawRows]:
        mail = self._source.read_whole()
        yield RawRows([""], [decode_mail(mail, self._options.encoding)], columns=list_header_fields([mail], self._options))


def list_header_fields(mails: Sequence[bytes], options: ReadOptions) -> dict[str, list[str | None]]:
    """The header fields that were asked for as columns; None where an e-mail has no such field."""
    return {name: [find_header_field(mail, name, options.encoding) for mail in mails] for name in options.columns}


class MboxReader(Reader):
    """Every e-mail of an mbox is a document: header and body."""

    def __init__(self, source: Source, options: ReadOptions, label: str | None) -> None:
        self.place = f"{source.name}, line "
        self.guess = [] if label is None else [f"label: {label!r}, the name of the file"]
        self._lines, self._options, self._label = LineReader(source, "utf-8"), options, label
        if not (first := b"".join(self._lines.peek().lines[:1])).startswith(MARK) and first.strip():
            raise BadSource(f"{source.name} is not an mbox: its first line does not begin with 'From '.")

    def read_rows(self) -> Iterator[RawRows]:
        for numbers, mails in split_mails(self._lines):
            texts = [decode_mail(mail, self._options.encoding) for mail in mails]
            labels = None if self._label is None else [self._label] * len(texts)
            yield RawRows(numbers, texts, labels, columns=list_header_fields(mails, self._options))


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

"""E-mails: how they are decoded, and where one ends in an mbox."""

from collections.abc import Iterator

from tercet.data.block import Block
from tercet.data.lines import Lines
from tercet.data.read_options import ReadOptions
from tercet.data.source import Source
from tercet.errors import BadSource

MARK = b"From "


class MboxReader:
    """Every e-mail of an mbox is a document: the whole of its source, from the line with the mark on."""

    def __init__(self, source: Source, options: ReadOptions, label: str | None) -> None:
        self.place = f"{source.name}, line "
        self.guess = [] if label is None else [f"label: {label!r}, the name of the file"]
        self._lines, self._encoding, self._label = Lines(source, "utf-8"), options.encoding, label
        if not (first := b"".join(self._lines.peek().lines[:1])).startswith(MARK) and first.strip():
            raise BadSource(f"{source.name} is no mbox: its first line does not begin with 'From '.")

    def blocks(self) -> Iterator[Block]:
        for numbers, mails in split_mails(self._lines):
            texts = [decode_mail(mail, self._encoding) for mail in mails]
            yield Block(numbers, texts, None if self._label is None else [self._label] * len(texts))


def split_mails(lines: Lines) -> Iterator[tuple[list[int], list[bytes]]]:
    """E-mails and the lines on which they begin. One begins at a line with the mark, behind a blank line."""
    mail: list[bytes] = []
    begin, follows_blank = 1, True
    for chunk in lines:
        begins, mails = [], []
        for number, line in enumerate(chunk.lines, chunk.first):
            if follows_blank and mail and line.startswith(MARK):
                begins.append(begin)
                mails.append(join_mail(mail))
                mail, begin = [], number
            mail.append(line)
            follows_blank = line in (b"\n", b"\r\n")
        yield begins, mails
    if any(line.strip() for line in mail):
        yield [begin], [join_mail(mail)]


def join_mail(lines: list[bytes]) -> bytes:
    """Without the blank line that parts it from the next one."""
    return b"".join(lines[:-1] if lines[-1] in (b"\n", b"\r\n") else lines)


def decode_mail(mail: bytes, encoding: str = "utf-8") -> str:
    """The text in this encoding if it is so written, else byte by byte as Latin-1.

    Each part of an e-mail may name an encoding of its own, so there is none that is right for all of it, and none is refused.

    >>> decode_mail("Città".encode()), decode_mail("Città".encode("latin-1"))
    ('Città', 'Città')
    """
    try:
        return mail.decode(encoding)
    except UnicodeDecodeError:
        return mail.decode("latin-1")

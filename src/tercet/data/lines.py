"""The lines of a source with their numbers, in chunks. For bytes that are not UTF-8, an error proposes an encoding.

No file is read by a guess.
"""

import codecs
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tercet.cached import cached_property
from tercet.data.blank_rows import BlankRows, count_blank_lines
from tercet.data.source import Source, check_length, detect_compression
from tercet.errors import BadSource, MissingExtra
from tercet.extras import import_extra

HIGH = re.compile(rb"[\x80-\xff]+")
MARKS = re.compile(rb"[\x80\x85\x91-\x97]")  # € … ‘ ’ “ ” • – — in cp1252; Latin-1 has control characters there
MIN_BYTES = 20  # bytes that are not ASCII, below which a guess is worth nothing
MAX_BYTES = 1 << 14  # bytes that are looked at


def propose_encoding(sample: bytes) -> str:
    """A sentence that proposes an encoding for bytes that are not UTF-8.

    In texts with Latin letters, bytes above 0x7f stand alone or in pairs. In other scripts they fill whole words, and the
    package charset-normalizer, if it is installed, guesses the encoding.

    >>> propose_encoding("caf\\xe9".encode("latin-1")), propose_encoding("it\u2019s".encode("cp1252"))
    ('Is it --encoding latin-1?', 'It has quotes or dashes as cp1252 has: try --encoding cp1252.')
    >>> propose_encoding("Привет, как дела? Верните деньги за заказ".encode("cp1251"))
    'By a guess it is cp1251: try --encoding cp1251.'
    """
    runs: list[bytes] = HIGH.findall(sample[:MAX_BYTES])
    if are_latin(runs):
        are_marks = any(len(run) <= 2 and MARKS.search(run) for run in runs)
        return "It has quotes or dashes as cp1252 has: try --encoding cp1252." if are_marks else "Is it --encoding latin-1?"
    guess = guess_encoding(sample[:MAX_BYTES])
    return f"By a guess it is {guess}: try --encoding {guess}." if guess else "Is it --encoding latin-1?"


def suggest_encoding(sample: bytes) -> str:
    """The most likely encoding of bytes that are not UTF-8, as the sentence proposes it. cp1252 has all letters of Latin-1.

    >>> suggest_encoding("Grüße".encode("latin-1"))
    'cp1252'
    """
    sample = sample[:MAX_BYTES]
    return "cp1252" if are_latin(HIGH.findall(sample)) else guess_encoding(sample) or "cp1252"


def are_latin(runs: Sequence[bytes]) -> bool:
    """Whether these runs of bytes above 0x7f are letters among those of ASCII, or too few to say more."""
    n_high = sum(map(len, runs))
    return n_high < MIN_BYTES or n_high <= 2 * len(runs)


def guess_encoding(sample: bytes) -> str | None:
    """The guess of charset-normalizer; None if it has none, or is not installed."""
    try:
        package = import_extra(
            "charset_normalizer", package="charset-normalizer", extra="tables", purpose="to guess an encoding, tercet needs"
        )
    except MissingExtra:
        return None
    best = package.from_bytes(sample).best()
    return None if best is None or best.encoding in ("ascii", "utf_8") else str(best.encoding)


BYTE_ORDER_MARK = codecs.BOM_UTF8
BYTE_ORDER_MARKS = {
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
}  # encodings that need one
CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r"))
N_AHEAD, AHEAD_BYTES = 8, 1 << 16  # blocks that are looked at in all parts of a file, and their size
SAMPLE_BYTES = 1 << 12  # bytes that the encoding is checked by
ANOTHER = "Try another --encoding."


@dataclass
class Chunk:
    """Complete lines, with their line ends."""

    first: int  # number of the first line, from 1
    offset: int  # bytes of the source before it
    lines: list[bytes]

    def decode(self, encoding: str) -> tuple[list[str], dict[int, str]]:
        """The lines as text, and what is wrong with those that can't be decoded, by their position in the chunk.

        >>> Chunk(1, 0, [b"caf\\xc3\\xa9\\n", b"caf\\xe9\\n"]).decode("utf-8")
        (['café\\n', 'caf�\\n'], {1: 'byte 0xe9 (byte 9 of the file, from 0) is not utf-8. Is it --encoding latin-1?'})
        """
        try:
            return [str(line, encoding) for line in self.lines], {}
        except UnicodeDecodeError:
            return self._decode_each(encoding)

    def blank_first(self) -> None:
        """Make the first line blank. The lines after it keep their numbers and their places."""
        self.offset += len(self.lines[0]) - 1
        self.lines[0] = b"\n"

    def _decode_each(self, encoding: str) -> tuple[list[str], dict[int, str]]:
        texts = [str(line, encoding, "replace") for line in self.lines]
        # Lines that contain U+FFFD themselves are checked, too; describe_fault returns None for them.
        suspects = [position for position, text in enumerate(texts) if "\ufffd" in text]
        reasons = ((position, self.describe_fault(position, encoding)) for position in suspects)
        return texts, {position: reason for position, reason in reasons if reason is not None}

    def describe_fault(self, position: int, encoding: str) -> str | None:
        """Why this line can't be decoded; None if it can."""
        line = self.lines[position]
        try:
            str(line, encoding)
        except UnicodeDecodeError as error:
            offset = self._offsets[position] + error.start
            hint = propose_remedy(offset, b"".join(self.lines[:2])) or self._proposal
            return describe_byte(line[error.start], offset, encoding, hint)
        return None

    @cached_property
    def _proposal(self) -> str:
        """The encoding to try instead of UTF-8, by all lines that are not ASCII."""
        return propose_encoding(b"".join(line for line in self.lines if not line.isascii()))

    @cached_property
    def _offsets(self) -> list[int]:
        """Where each line begins in the source."""
        return list(accumulate(map(len, self.lines), initial=self.offset))


class LineReader:
    """Chunks of complete lines, about one block each. A byte order mark is skipped.

    A line ends at \\n or \\r\\n, or at \\r if the first block has no \\n. With `any_end` (for CSV) it ends at any of these.
    Encodings in which line ends have other bytes, such as UTF-16, are converted to UTF-8 first. A chunk without lines says that
    no line is complete yet: only a source that is fed gives one.
    """

    def __init__(self, source: Source, encoding: str, *, any_end: bool = False) -> None:
        self.name, self._source, self._n_lines, self._offset = source.name, source, 0, 0
        self._blank = BlankRows(source.name)
        self._is_wide = is_wide_encoding(encoding)
        self.encoding = "utf-8" if self._is_wide else encoding
        self._blocks = to_utf8(source, encoding) if self._is_wide else source.blocks()
        self._rest = [self._read_beginning()]
        self._n_rest = len(self._rest[0])
        self._end = b"\r" if b"\r" in self._rest[0] and b"\n" not in self._rest[0] else b"\n"
        self._any_end = any_end or self._end == b"\r"
        self._peeked: Chunk | None = None

    def peek(self) -> Chunk:
        """The next chunk, without consuming it."""
        self._peeked = self._peeked or self._next_chunk()
        return self._peeked

    @property
    def is_waiting(self) -> bool:
        """Whether more lines may come that have not arrived yet."""
        return self._source.is_waiting

    @property
    def is_at_end(self) -> bool:
        """Whether the next chunk is known to be the last one."""
        self.peek()
        return self._source.is_at_end and not any(self._rest)

    def peek_ahead(self) -> list[list[bytes]]:
        """Lines from all parts of the source after the next chunk. None if it can't be read out of order."""
        self.peek()
        if self._is_wide:
            return []
        blocks = (block.splitlines(True) for block in self._source.peek_ahead(N_AHEAD, AHEAD_BYTES))
        return [lines[1:-1] for lines in blocks]  # the first and the last may be incomplete

    def __iter__(self) -> Iterator[Chunk]:
        while (chunk := self.peek()).lines or self.is_waiting:
            self._peeked = None
            yield chunk

    def _read_beginning(self) -> bytes:
        beginning = next(self._blocks, b"")
        if fault := describe_wrong_encoding(beginning, self.encoding):
            raise BadSource(f"{self.name} {fault}")
        if self.encoding == "utf-8" and beginning.startswith(BYTE_ORDER_MARK):
            self._offset = len(BYTE_ORDER_MARK)
            return beginning[self._offset :]
        return beginning

    def _next_chunk(self) -> Chunk:
        content = self._next_content()
        lines = content.splitlines(True) if self._any_end else io.BytesIO(content).readlines()
        self._blank.count(count_blank_lines(lines, len(content)), len(lines))
        chunk = Chunk(self._n_lines + 1, self._offset, lines)
        self._n_lines += len(lines)
        self._offset += len(content)
        return chunk

    def _next_content(self) -> bytes:
        """Bytes up to the end of the last complete line, or of the source. Empty if no line is complete yet."""
        while True:
            end = self._find_end(self._rest[-1])
            if end:
                return self._take_rest(end)
            check_length(self._n_rest, f"{self.name}, line {self._n_lines + 1}", self._source.max_document_bytes)
            block = next(self._blocks, b"")
            if not block and self.is_waiting:
                return b""
            if not block:
                return self._take_rest(len(self._rest[-1]))
            self._rest.append(block)
            self._n_rest += len(block)

    def _find_end(self, block: bytes) -> int:
        """Where the last complete line of a block ends; 0 if none does."""
        if self._source.is_at_end:
            return len(block)
        end = block.rfind(self._end) + 1
        # \r may be the first half of \r\n, unless more follows.
        return max(end, block.rfind(b"\r", 0, -1) + 1) if self._any_end else end

    def _take_rest(self, end: int) -> bytes:
        *before, block = self._rest
        self._rest, self._n_rest = [block[end:]], len(block) - end
        return b"".join([*before, block[:end]])


def to_utf8(source: Source, encoding: str) -> Iterator[bytes]:
    """The blocks of a source, converted to UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    n_bytes, n_lines = 0, 1
    while True:
        block, pending = source.read_block(), len(decoder.getstate()[0])
        is_last = not block and not source.is_waiting
        try:
            text = decoder.decode(block, final=is_last)
        except UnicodeDecodeError as error:
            line = n_lines + error.object[: error.start].decode(encoding, "ignore").count("\n")
            byte = describe_byte(error.object[error.start], n_bytes - pending + error.start, encoding, ANOTHER)
            raise BadSource(f"{source.name}, line {line}: {byte}") from error
        except UnicodeError as error:  # UTF-16 without a byte order mark
            raise BadSource(f"{source.name} {describe_wrong_encoding(block, encoding) or error}") from error
        n_bytes, n_lines = n_bytes + len(block), n_lines + text.count("\n")
        if is_last and not text:
            return
        if text or source.is_waiting:
            yield text.encode("utf-8", "surrogatepass")


def is_wide_encoding(encoding: str) -> bool:
    """Whether line ends have other bytes than in ASCII."""
    return "\r\n".encode(encoding) != b"\r\n"


def describe_wrong_encoding(beginning: bytes, encoding: str) -> str | None:
    """What is wrong with the encoding, by the first bytes of the content; None if they can be decoded.

    >>> describe_wrong_encoding("text,label".encode("utf-16-le"), "utf-8")
    'looks like UTF-16 without a byte order mark, not like utf-8: read it with --encoding utf-16-le.'
    """
    likely = guess_utf16(beginning)
    if encoding in BYTE_ORDER_MARKS:
        if not beginning or beginning.startswith(BYTE_ORDER_MARKS[encoding]):
            return None
        others = likely or f"{encoding}-le, {encoding}-be or utf-8"
        return f"has no byte order mark, so {encoding} does not say how to read it: try --encoding {others}."
    is_marked = beginning.startswith(BYTE_ORDER_MARKS["utf-16"]) or detect_compression(beginning) is not None
    if likely is None or is_marked or is_wide_encoding(encoding):
        return None
    return f"looks like UTF-16 without a byte order mark, not like {encoding}: read it with --encoding {likely}."


def guess_utf16(beginning: bytes) -> str | None:
    """The order of bytes if this is UTF-16 with letters of most alphabets: their upper bytes are control characters."""
    first, second = (count_controls(beginning[start:SAMPLE_BYTES:2]) for start in (0, 1))
    n_characters = len(beginning[:SAMPLE_BYTES]) // 2
    for upper, lower, name in ((second, first, "utf-16-le"), (first, second, "utf-16-be")):
        if n_characters >= 4 and upper * 2 >= n_characters and lower * 4 <= upper:
            return name
    return None


def count_controls(sample: bytes) -> int:
    """How many bytes are control characters of ASCII, without blanks and line ends.

    >>> count_controls(b"a\\0\\n\\4")
    2
    """
    return len(sample) - len(sample.translate(None, CONTROLS))


def describe_byte(byte: int, offset: int | None, encoding: str, hint: str) -> str:
    """Why a byte can't be decoded, and what to try; the hint is for files that should be UTF-8.

    >>> describe_byte(0xE9, 19, "utf-8", "Is it --encoding latin-1?")
    'byte 0xe9 (byte 19 of the file, from 0) is not utf-8. Is it --encoding latin-1?'
    """
    where = "" if offset is None else f" (byte {offset} of the file, from 0)"
    return f"byte 0x{byte:02x}{where} is not {encoding}. {hint if encoding == 'utf-8' else ANOTHER}"


def propose_remedy(offset: int, beginning: bytes) -> str | None:
    """What to try if the first lines show that no encoding of 8 bits helps; None if they do not show it."""
    if offset < 2 and beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "It begins like --encoding utf-16."
    if offset < 4 and (kind := detect_compression(beginning)):
        return f"It looks compressed: give its name the suffix of {kind}."
    return "It has bytes that are 0, as UTF-16 has: try --encoding utf-16-le or utf-16-be." if b"\0" in beginning else None

"""JSON: one object on each line, or an array of objects, which is read in blocks and may be larger than memory."""

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any

from tercet.data.column_choice import MAX_SAMPLED_ROWS, blank_beginning, choose_fields, thin_rows
from tercet.data.lines import (
    Chunk,
    LineReader,
    describe_byte,
    describe_wrong_encoding,
    is_wide_encoding,
    propose_encoding,
    to_utf8,
)
from tercet.data.raw_rows import NOTHING_YET, TYPE_NAMES, RawRows, Reader
from tercet.data.read_options import ReadOptions
from tercet.data.source import Source, check_length
from tercet.errors import BadSource

SAMPLE_BYTES = 1 << 12  # bytes that show whether it is an array
BLANKS = " \t\r\n"  # of JSON; str.strip() would also remove U+2028 and others, and drop a line that holds nothing else
ENDS = ("\n", "", "\r\n", "\r")
scan = json.JSONDecoder().raw_decode

Parsed = tuple[list[int], list[Any], dict[int, str]]  # line numbers; objects; what is wrong, by position


def open_json(source: Source, options: ReadOptions) -> "JsonReader | JsonArrayReader":
    """The reader for an array if the first sign is a bracket, otherwise for one object on each line."""
    beginning = source.peek()[:SAMPLE_BYTES].decode(options.encoding, "ignore")
    if not beginning.lstrip("\ufeff").lstrip(BLANKS).startswith("["):
        return JsonReader(source, options)
    if source.is_fed:
        raise BadSource(f"{source.name} is one array, not lines of JSON: write one object on each line, without brackets.")
    return JsonArrayReader(source, options)


class JsonReader(Reader):
    """Rows of a file of JSON objects. Blank lines are skipped. A name that an object lacks counts as null."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.place = f"{source.name}, line "
        self.guess: list[str] = []
        self._lines = LineReader(source, options.encoding)
        first = self._lines.peek()
        numbers, records, bad = self._parse(Chunk(first.first, first.offset, thin_rows(first.lines, MAX_SAMPLED_ROWS)))
        good = [record for position, record in enumerate(records) if position not in bad]
        if bad and not good:
            raise BadSource(f"{self.place}{numbers[min(bad)]}: {bad[min(bad)]} There must be one object on each line.")
        if good:
            ahead = self._lines.peek_ahead()
            for lines in ahead:
                _, records, bad = self._parse(Chunk(1, 0, thin_rows(lines, MAX_SAMPLED_ROWS // len(ahead))))
                good += [record for position, record in enumerate(records) if position not in bad]
            names = dict.fromkeys(name for record in good for name in record)
            sample = {name: [record.get(name) for record in good] for name in names}
            is_partial = not ahead and not self._lines.is_at_end
            self.fields, self.guess = choose_fields(source.name, sample, options, is_partial=is_partial)

    def read_rows(self) -> Iterator[RawRows]:
        for chunk in self._lines:
            if not chunk.lines:
                yield NOTHING_YET
                continue
            numbers, records, bad = self._parse(chunk)
            if records and self.fields is None:
                raise blank_beginning(f"{self.place}{numbers[0]}")
            if records and self.fields is not None:
                yield self.fields.make_rows(numbers, partial(pick, records), bad)

    def _parse(self, chunk: Chunk) -> Parsed:
        try:
            records = [scan_object(str(line, self._lines.encoding)) for line in chunk.lines]
        except (ValueError, StopIteration, RecursionError):
            lines, bad = chunk.decode(self._lines.encoding)
            return parse_each(lines, chunk.first, bad)
        return list(range(chunk.first, chunk.first + len(records))), records, {}


def scan_object(line: str) -> Any:
    """The object, if it fills the whole line; ValueError or StopIteration if it does not. This is the fast path."""
    record, end = scan(line)
    if type(record) is not dict or line[end:] not in ENDS:
        raise ValueError
    return record


def parse_each(lines: list[str], first: int, undecoded: dict[int, str]) -> Parsed:
    """The same, line by line, with what is wrong. An empty object takes the place of a bad line."""
    numbers: list[int] = []
    records: list[Any] = []
    bad: dict[int, str] = {}
    for position, line in enumerate(lines):
        if not line.strip(BLANKS):
            continue
        record = undecoded.get(position) or parse_object(line)
        if isinstance(record, str):
            bad[len(records)] = record
        numbers.append(first + position)
        records.append({} if isinstance(record, str) else record)
    return numbers, records, bad


def parse_object(line: str) -> dict[str, Any] | str:
    """The object, or what is wrong with it.

    >>> parse_object('{"text": "So"}'), parse_object("[1]")
    ({'text': 'So'}, 'it is a list, not an object: {"text": …}.')
    >>> print(parse_object('{"text": "So}'))
    it is not JSON: Unterminated string starting at character 10.
    """
    try:
        value = json.loads(line.rstrip(BLANKS))
    except json.JSONDecodeError as error:
        return f"it is not JSON: {error.msg.removesuffix(' at')} at character {error.pos + 1}."
    except (ValueError, RecursionError) as error:  # a number with thousands of digits, or thousands of brackets
        return f"it can't be read as JSON: {error}."
    return refuse_value(value) or value


def refuse_value(value: Any) -> str | None:
    """What is wrong with a JSON value that should be an object; None if it is one.

    >>> refuse_value([1]), refuse_value({})
    ('it is a list, not an object: {"text": …}.', None)
    """
    kind = "null" if value is None else "a string" if isinstance(value, str) else TYPE_NAMES.get(type(value))
    return None if isinstance(value, dict) else f'it is {kind}, not an object: {{"text": …}}.'


def pick(records: list[Any], name: str) -> list[Any]:
    """The value that each record has under a name; None if it has none."""
    try:
        return list(map(itemgetter(name), records))
    except KeyError:
        return [record.get(name) for record in records]


BLANK = re.compile(r"[ \t\r\n]*")
UNDECODED = re.compile("[\udc80-\udcff]")  # bytes that are not in the encoding; decoding never gives these characters
NEAR_END = 16  # characters: a value that is cut this near to its end may look wrong

Element = tuple[int, Any, str | None]  # the line on which it begins, the value, what is wrong with it


class JsonArrayReader(Reader):
    """Rows of a JSON array. An element that is not an object is a bad row. A name that an object lacks counts as null."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.place = f"{source.name}, line "
        self._batches = ArrayElements(source, options.encoding).read()
        self._first = next(self._batches, [])
        good = [value for _, value, fault in thin_rows(self._first, MAX_SAMPLED_ROWS) if fault is None]
        if self._first and not good:
            line, _, fault = self._first[0]
            raise BadSource(f"{self.place}{line}: {fault} The array must hold objects.")
        self.guess: list[str] = []
        if good:
            names = dict.fromkeys(name for value in good for name in value)
            sample = {name: [value.get(name) for value in good] for name in names}
            is_partial = not source.is_at_end
            self.fields, self.guess = choose_fields(source.name, sample, options, is_partial=is_partial)

    def read_rows(self) -> Iterator[RawRows]:
        batch, n_rows = self._first, 0
        while batch and self.fields is not None:
            bad = {index: fault for index, (*_, fault) in enumerate(batch) if fault is not None}
            records = [{} if fault else value for _, value, fault in batch]
            rows = self.fields.make_rows([line for line, *_ in batch], partial(pick, records), bad)
            yield replace(rows, rows=range(n_rows + 1, n_rows + 1 + len(batch)))  # an element may have several lines
            n_rows += len(batch)
            batch = next(self._batches, [])


class Incomplete(Exception):
    """The text ends before the next value does."""


class ArrayElements:
    """The elements of a JSON array, in batches. Those of a block are given out before the next block is read."""

    def __init__(self, source: Source, encoding: str) -> None:
        self._name = source.name
        if fault := describe_wrong_encoding(source.peek(), encoding):
            raise BadSource(f"{source.name} {fault}")
        is_wide = is_wide_encoding(encoding)
        self._encoding = "utf-8" if is_wide else encoding
        self._blocks = to_utf8(source, encoding) if is_wide else source.blocks()
        self._decoder = codecs.getincrementaldecoder(self._encoding)("surrogateescape")
        self._text, self._position, self._line = "", 0, 1  # the line of the position
        self._is_over, self._has_begun = False, False

    def read(self) -> Iterator[list[Element]]:
        found: list[Element] = []
        self._read_more()
        self._text = self._text.removeprefix("\ufeff")
        while True:
            begin = self._position, self._line, self._has_begun
            try:
                element = self._take_element()
            except Incomplete:
                self._position, self._line, self._has_begun = begin
                if found:
                    yield found
                    found = []
                self._read_more()
                continue
            except BadSource:
                if found:  # what comes before it is not lost
                    yield found
                raise
            if element is None:
                break
            found.append(element)
        if found:
            yield found
        self._check_end()

    def _take_element(self) -> Element | None:
        """The next element; None at the end of the array."""
        sign = self._take(",]" if self._has_begun else "[")
        if sign == "]" or (not self._has_begun and self._skip_blanks() == "]"):
            self._pass_to(self._position + (sign != "]"))
            return None
        self._has_begun = True
        self._skip_blanks()
        line = self._line
        value, end = self._scan()
        fault = self._pass_to(end)
        return line, value, fault or refuse_value(value)

    def _scan(self) -> tuple[Any, int]:
        """The value at this position, and where it ends."""
        try:
            value, end = scan(self._text, self._position)
        except json.JSONDecodeError as error:
            is_cut = error.msg.startswith("Unterminated") or error.pos > len(self._text) - NEAR_END
            if is_cut and not self._is_over:
                raise Incomplete from None
            line = self._line + self._text.count("\n", self._position, error.pos)
            raise self._refuse(
                f"it is not JSON: {error.msg.removesuffix(' at')}. Nothing after it can be read.", line
            ) from error
        except (ValueError, RecursionError) as error:  # a number with thousands of digits, or thousands of brackets
            raise self._refuse(f"it can't be read as JSON: {error}.") from error
        if end == len(self._text) and not self._is_over:  # the digits of a number may go on
            raise Incomplete
        return value, end

    def _take(self, signs: str) -> str:
        """Go behind one of these signs."""
        found = self._skip_blanks()
        if not found or found not in signs:
            wanted = " or ".join(map(repr, signs))
            where = repr(found) if found else "the end of the file"
            raise self._refuse(f"{wanted} must come next in the array, not {where}. Is the file complete?")
        self._position += 1
        return found

    def _skip_blanks(self) -> str:
        """The next character that is not blank; empty at the end of the file."""
        found = BLANK.match(self._text, self._position)
        self._pass_to(found.end() if found else self._position)
        if self._position == len(self._text) and not self._is_over:
            raise Incomplete
        return self._text[self._position : self._position + 1]

    def _pass_to(self, end: int) -> str | None:
        """Go to this position and count the lines. Returns what is wrong with the bytes up to there, or None."""
        passed = self._text[self._position : end]
        self._position = end
        self._line += passed.count("\n")
        wrong = UNDECODED.search(passed)
        if wrong is None:
            return None
        content = passed.encode(self._encoding, "surrogateescape")
        return describe_byte(ord(wrong[0]) - 0xDC00, None, self._encoding, propose_encoding(content))

    def _read_more(self) -> None:
        """Read at least as much as is there already: then a long value takes linear time."""
        parts = [self._text[self._position :]]
        wanted = len(parts[0])
        check_length(wanted, f"{self._name}, the value that begins on line {self._line},")
        while not self._is_over and wanted >= 0:
            block = next(self._blocks, b"")
            self._is_over = not block
            parts.append(self._decoder.decode(block, final=not block))
            wanted -= max(len(parts[-1]), 1)
        self._text, self._position = "".join(parts), 0

    def _check_end(self) -> None:
        while True:
            try:
                if self._skip_blanks():
                    raise self._refuse("there is more after the end of the array. Put one array into each file.")
                return
            except Incomplete:
                self._read_more()

    def _refuse(self, reason: str, line: int | None = None) -> BadSource:
        return BadSource(f"{self._name}, line {line or self._line}: {reason}")

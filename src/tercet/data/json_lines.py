"""JSON: one object on each line. An array of objects has its own reader."""

import json
from collections.abc import Iterator
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from tercet.data.column_choice import MOST_ROWS, blank_beginning, choose_fields, spread
from tercet.data.lines import Chunk, LineReader
from tercet.data.raw_rows import TYPE_NAMES, RawRows
from tercet.data.read_options import ReadOptions
from tercet.data.reader import Reader
from tercet.data.source import Source
from tercet.errors import BadSource

if TYPE_CHECKING:
    from tercet.data.json_arrays import JsonArrayReader

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
    from tercet.data.json_arrays import JsonArrayReader

    return JsonArrayReader(source, options)


class JsonReader(Reader):
    """Rows of a file of JSON objects. Blank lines are skipped. A name that an object lacks counts as null."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.place = f"{source.name}, line "
        self.guess: list[str] = []
        self._lines = LineReader(source, options.encoding)
        first = self._lines.peek()
        numbers, records, bad = self._parse(Chunk(first.first, first.offset, spread(first.lines, MOST_ROWS)))
        good = [record for position, record in enumerate(records) if position not in bad]
        if bad and not good:
            raise BadSource(f"{self.place}{numbers[min(bad)]}: {bad[min(bad)]} There must be one object on each line.")
        if good:
            ahead = self._lines.peek_ahead()
            for lines in ahead:
                _, records, bad = self._parse(Chunk(1, 0, spread(lines, MOST_ROWS // len(ahead))))
                good += [record for position, record in enumerate(records) if position not in bad]
            names = dict.fromkeys(name for record in good for name in record)
            sample = {name: [record.get(name) for record in good] for name in names}
            is_partial = not ahead and not self._lines.is_at_end
            self.fields, self.guess = choose_fields(source.name, sample, options, is_partial=is_partial)

    def read_rows(self) -> Iterator[RawRows]:
        for chunk in self._lines:
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

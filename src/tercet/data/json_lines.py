"""JSON lines: an object a line."""

import json
from collections.abc import Iterator
from functools import partial
from operator import itemgetter
from typing import Any

from tercet.data.block import KINDS, Block
from tercet.data.fields import Fields, blank_beginning, choose_fields
from tercet.data.lines import Chunk, Lines
from tercet.data.read_options import ReadOptions
from tercet.data.source import Source
from tercet.errors import BadSource

N_SAMPLED = 200  # rows
ENDS = ("\n", "", "\r\n", "\r")
scan = json.JSONDecoder().raw_decode

Parsed = tuple[list[int], list[Any], dict[int, str]]  # numbers of lines; objects; what is wrong, by position


class JsonReader:
    """Rows of a file of JSON objects; blank lines are none. A name that an object lacks is as good as null."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.place = f"{source.name}, line "
        self.guess: list[str] = []
        self._lines = Lines(source, options.encoding)
        first = self._lines.peek()
        if b"".join(first.lines[:9]).lstrip().startswith(b"["):
            raise BadSource(
                f"{source.name} begins with '[' as a JSON array does: write one object a line, without commas between."
            )
        numbers, records, bad = self._parse(Chunk(first.first, first.offset, first.lines[:N_SAMPLED]))
        good = [record for position, record in enumerate(records) if position not in bad]
        if bad and not good:
            raise BadSource(f"{self.place}{numbers[min(bad)]}: {bad[min(bad)]} There must be one object a line.")
        names = dict.fromkeys(name for record in good for name in record)
        self._fields: Fields | None = None
        if good:
            sample = {name: [record.get(name) for record in good] for name in names}
            self._fields, self.guess = choose_fields(source.name, sample, options)

    def blocks(self) -> Iterator[Block]:
        for chunk in self._lines:
            numbers, records, bad = self._parse(chunk)
            if records and self._fields is None:
                raise blank_beginning(f"{self.place}{numbers[0]}")
            if records and self._fields is not None:
                yield self._fields.make_block(numbers, partial(pick, records), bad)

    def _parse(self, chunk: Chunk) -> Parsed:
        try:
            records = [scan_object(str(line, self._lines.encoding)) for line in chunk.lines]
        except (ValueError, StopIteration, RecursionError):
            lines, bad = chunk.decode(self._lines.encoding)
            return parse_each(lines, chunk.first, bad)
        return list(range(chunk.first, chunk.first + len(records))), records, {}


def scan_object(line: str) -> Any:
    """The quick way to an object that begins and ends where the line does; ValueError or StopIteration if it does not."""
    record, end = scan(line)
    if type(record) is not dict or line[end:] not in ENDS:
        raise ValueError
    return record


def parse_each(lines: list[str], first: int, undecoded: dict[int, str]) -> Parsed:
    """The slow way, line by line. An empty object stands for a line that is none."""
    numbers: list[int] = []
    records: list[Any] = []
    bad: dict[int, str] = {}
    for position, line in enumerate(lines):
        if not line.strip():
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
        value = json.loads(line.rstrip())
    except json.JSONDecodeError as error:
        return f"it is not JSON: {error.msg.removesuffix(' at')} at character {error.pos + 1}."
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of brackets
        return f"it can't be read as JSON: {error}."
    kind = "null" if value is None else "a string" if isinstance(value, str) else KINDS.get(type(value))
    return value if isinstance(value, dict) else f'it is {kind}, not an object: {{"text": …}}.'


def pick(records: list[Any], name: str) -> list[Any]:
    """What all records have under a name."""
    try:
        return list(map(itemgetter(name), records))
    except KeyError:
        return [record.get(name) for record in records]

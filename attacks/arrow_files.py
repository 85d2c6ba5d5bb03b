"""Damaged Arrow and Parquet files, and damaged columns of Arrow in memory.

Each file goes through `predict`, `train` and `doctor`, and its columns through the library. It must be read, or refused in one
line by an error of tercet: no signal, no error of another library, no traceback, no endless loop. `--only 17,42` repeats single
files, and `--keep FOLDER` keeps the files that did something else.
"""

import argparse
import contextlib
import io
import multiprocessing
import os
import random
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import tercet
from tercet.cli.main import run
from tercet.errors import TercetError

SEED = 32
PATIENCE = 60.0  # seconds that a file may take before its worker is ended
MEMORY = 4 << 30  # bytes of address space of a worker
COUNTS = {"reduced": 150, "full": 10_000}
N_WORKERS = 2

TEXTS = ["what a lovely film", "lovely, lovely", "a dull film 12 €50", "so dull and so very long", "not dull WIN", "a párk"] * 4
LABELS = ["+", "+", "-", "-", "+", "-"] * 4
ODD_NUMBERS = [0, 1, -1, 2, 7, 255, 256, 65_535, 2**31 - 1, -(2**31), 2**32 - 1, 2**40, 2**62, 2**63 - 1, -(2**63)]
ODD_BYTES = [b"", b"\0", b"\xff", b"\x80", b"\xc3", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f", b"ARROW1", b"PAR1", b"\n"]


class Money(pa.ExtensionType):  # type: ignore[misc]
    """A type of somebody's own, stored as text."""

    def __init__(self) -> None:
        super().__init__(pa.string(), "attack.money")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, serialized: bytes) -> "Money":
        return cls()


# Good tables, and the files that hold them.


def list_tables() -> dict[str, pa.Table]:
    """Tables with columns of many types, by name."""
    n = len(TEXTS)
    plain = pa.table({"text": TEXTS, "label": LABELS})
    holes = [None if index % 12 == 0 else text for index, text in enumerate(TEXTS)]
    days = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=index) for index in range(n)]
    nested = pa.table(
        {
            "text": TEXTS,
            "label": LABELS,
            "list": [["a", "b"], [], None, ["ä"]] * 6,
            "struct": [{"a": 1, "b": "x"}, None, {"a": 3, "b": None}] * 8,
            "map": pa.array([[("k", 1)], [], None] * 8, pa.map_(pa.string(), pa.int64())),
            "fixed": pa.array([[1.0, 2.0]] * n, pa.list_(pa.float64(), 2)),
        }
    )
    typed = pa.table(
        {
            "text": pa.array(TEXTS, pa.large_string()),
            "label": pa.array(LABELS).dictionary_encode(),
            "when": pa.array(days, pa.timestamp("us", tz="Europe/Berlin")),
            "day": pa.array([date(2024, 1, 1)] * n, pa.date32()),
            "time": pa.array([3661] * n, pa.time32("s")),
            "span": pa.array([5] * n, pa.duration("ns")),
            "price": pa.array([Decimal("1.50")] * n, pa.decimal128(9, 2)),
            "raw": pa.array([b"\xff\0"] * n, pa.binary()),
            "same": pa.array([b"abcd"] * n, pa.binary(4)),
            "flag": pa.array([True, False, None] * 8),
            "half": pa.array([1.5] * n, pa.float32()),
            "nothing": pa.nulls(n),
        }
    )
    odd = pa.table(
        {
            "text": pa.array(TEXTS, pa.string_view()),
            "label": pa.array(LABELS, pa.string_view()),
            "view": pa.array([b"a binary value that is long"] * n, pa.binary_view()),
            "money": pa.ExtensionArray.from_storage(Money(), pa.array(LABELS)),
            "runs": pa.RunEndEncodedArray.from_arrays([4, n], pa.array(["a", "b"])),
        }
    )
    described = pa.table({"text": holes, "label": LABELS}).replace_schema_metadata({"pandas": "{}", "note": "ä"})
    columns = pa.table({"text": pa.array(TEXTS).dictionary_encode(), "label": [1, 2, 1] * 8})
    return {"plain": plain, "nested": nested, "typed": typed, "odd": odd, "described": described, "columns": columns}


def write_ipc(table: pa.Table, *, stream: bool, compression: str | None = None) -> bytes:
    sink = io.BytesIO()
    opened = pa.ipc.new_stream if stream else pa.ipc.new_file
    with opened(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=10)
    return sink.getvalue()


def write_parquet(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=10, **options)
    return sink.getvalue()


@cache
def list_files() -> list[tuple[str, bytes]]:
    """Good files with their suffixes."""
    files: list[tuple[str, bytes]] = []
    tables = list_tables()
    for name, table in tables.items():
        files += [("arrow", write_ipc(table, stream=False)), ("arrows", write_ipc(table, stream=True))]
        if name in ("plain", "typed"):
            files += [("arrow", write_ipc(table, stream=False, compression="zstd"))]
            files += [("arrows", write_ipc(table, stream=True, compression="lz4"))]
    for name in ("plain", "nested", "typed", "described", "columns"):
        for options in (
            {"compression": "none"},
            {"compression": "none", "use_dictionary": False, "write_statistics": False},
            {"compression": "zstd", "data_page_version": "2.0"},
        ):
            files.append(("parquet", write_parquet(tables[name], **options)))
    return files


# Damage.


@cache
def find_buffers(content: bytes) -> list[tuple[int, int]]:
    """Where the buffers of the columns are in an Arrow file, which pyarrow does not copy: begin and size."""
    if content.startswith(b"PAR1"):
        return []
    held = pa.py_buffer(content)
    opened = (pa.ipc.open_file if content.startswith(b"ARROW1") else pa.ipc.open_stream)(held)
    chunks = (chunk for column in opened.read_all().columns for chunk in column.chunks)
    buffers = (buffer for chunk in chunks for buffer in list_buffers(chunk) if buffer is not None and buffer.size)
    return [(buffer.address - held.address, buffer.size) for buffer in buffers if is_inside(buffer, held)]


def list_buffers(chunk: pa.Array) -> list[Any]:
    own: list[Any] = chunk.buffers()
    return own + (list_buffers(chunk.dictionary) if isinstance(chunk, pa.DictionaryArray) else [])


def is_inside(buffer: pa.Buffer, held: pa.Buffer) -> bool:
    begin = buffer.address - held.address
    return 0 <= begin <= begin + buffer.size <= held.size


def change_buffer(draw: random.Random, data: bytearray, buffers: list[tuple[int, int]]) -> None:
    """Change an offset, an index, a length or a letter of a column."""
    begin, size = draw.choice(buffers)
    part = data[begin : begin + size]
    if part:
        draw.choice([change_number, change_number, change_bytes])(draw, part)
        data[begin : begin + size] = part


def change_number(draw: random.Random, data: bytearray) -> None:
    """Put another number where an offset, a length or a count may be."""
    width, form = draw.choice([(4, "<i"), (8, "<q"), (4, "<i"), (2, "<h"), (1, "<b")])
    place = draw.randrange(max(1, len(data) // width)) * width
    if place + width > len(data):
        return
    (old,) = struct.unpack_from(form, data, place)
    new = draw.choice([*ODD_NUMBERS, old + 1, old - 1, old * 2, old + draw.randrange(-1000, 1000), ~old])
    bits = 8 * width
    struct.pack_into(form, data, place, (new + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1)))


def change_bytes(draw: random.Random, data: bytearray) -> None:
    place = draw.randrange(len(data))
    data[place] = draw.choice([draw.randrange(256), data[place] ^ (1 << draw.randrange(8)), 0, 255])


def replace_bytes(draw: random.Random, data: bytearray) -> None:
    place = draw.randrange(len(data))
    data[place : place + draw.randrange(9)] = draw.choice(ODD_BYTES)


def cut(draw: random.Random, data: bytearray) -> None:
    place = draw.randrange(len(data))
    del data[place : draw.choice([len(data), place + draw.randrange(64)])]


def copy_block(draw: random.Random, data: bytearray) -> None:
    size = draw.choice([4, 8, 16, 64])
    a, b = draw.randrange(len(data)), draw.randrange(len(data))
    data[a : a + size] = data[b : b + size]


CHANGES: list[Callable[[random.Random, bytearray], None]] = [
    change_number, change_number, change_number, change_number, change_bytes, change_bytes, replace_bytes, cut, copy_block,
]  # fmt: skip


def damage(number: int) -> tuple[str, bytes]:
    """The suffix and the bytes of the damaged file of this number."""
    draw = random.Random(f"{SEED} {number}")
    suffix, content = draw.choice(list_files())
    data, buffers = bytearray(content), find_buffers(content)
    for _ in range(draw.choice([1, 1, 1, 2, 3, 8])):
        if data and buffers and draw.random() < 0.6:
            change_buffer(draw, data, buffers)
        elif data:
            draw.choice(CHANGES)(draw, data)
    return suffix, bytes(data)


# What is asked of a file.


class Wrong(Exception):
    """A file did what none may do."""


@cache
def make_model(folder: Path) -> Path:
    path = folder / "model.tercet"
    tercet.Categorizer().fit(TEXTS, LABELS).save(path)
    return path


def ask_program(path: Path, folder: Path) -> list[int]:
    """The exit codes of the commands, which are 0 or 2. An error is one line."""
    codes = []
    for words in (
        ["predict", make_model(folder), path, "--on-error", "skip", "--json", "--keep", "-q"],
        ["train", path, "-o", folder / "new.tercet", "--fast", "-q"],
        ["doctor", path, "-q"],
    ):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(list(map(str, words)))
        if code not in (0, 2) or "Traceback" in err.getvalue():
            raise Wrong(f"{words[0]}: exit code {code}: {err.getvalue()[-1500:]}")
        errors = [line for line in err.getvalue().splitlines() if line.startswith("tercet: ")]
        if code == 2 and (len(errors) != 1 or len(errors[0]) > 2000):
            raise Wrong(f"{words[0]}: {len(errors)} lines of errors: {err.getvalue()[-1500:]}")
        codes.append(code)
    return codes


def read_columns(data: bytes) -> list[Any]:
    """The columns of an Arrow file as pyarrow gives them, without a check."""
    try:
        opened = pa.ipc.open_file if data.startswith(b"ARROW1") else pa.ipc.open_stream
        return list(opened(pa.BufferReader(data)).read_all().columns)
    except Exception:
        return []


def ask_library(columns: list[Any]) -> None:
    """`fit`, `predict` and `learn` with these columns as texts and as labels: an answer, or an error of tercet."""
    for column in columns:
        n = len(column)
        if n > 1000:
            continue
        for call in (
            lambda column=column, n=n: tercet.Categorizer().fit(column, (LABELS * 50)[:n]),
            lambda column=column, n=n: tercet.Categorizer().fit((TEXTS * 50)[:n], column),
            lambda column=column: tercet.Categorizer().fit(TEXTS, LABELS).predict(column),
            lambda column=column, n=n: tercet.Categorizer(numeric=["c"]).fit(
                tercet.Documents((TEXTS * 50)[:n], (LABELS * 50)[:n], columns={"c": column})
            ),
        ):
            try:
                call()
            except TercetError:
                pass
            except Exception as error:
                kind = f"{type(error).__name__}: {error}"
                raise Wrong(f"{column.type}: {kind}\n{traceback.format_exc(limit=-4)}") from error


def try_file(suffix: str, data: bytes, folder: Path) -> str:
    path = folder / f"damaged.{suffix}"
    path.write_bytes(data)
    codes = ask_program(path, folder)
    if suffix != "parquet":
        ask_library(read_columns(data))
    return "refused" if set(codes) == {2} else "read"


# Workers, and one that watches them.


def work(connection: Connection) -> None:
    """Try the files whose numbers arrive."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["TERCET_THREADS"] = "1"
    warnings.simplefilter("ignore")
    pa.register_extension_type(Money())
    with tempfile.TemporaryDirectory() as name, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)  # what libraries write before they abort
        while (number := connection.recv()) is not None:
            begin = time.process_time()
            try:
                result = try_file(*damage(number), Path(name))
            except Wrong as error:
                result = str(error)
            except BaseException as error:
                result = f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-4)}"
            connection.send((result, time.process_time() - begin))


class Worker:
    """A process that tries files; a new one takes its place when it dies or hangs."""

    def __init__(self) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("fork").Process(target=work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.number, self.begin = -1, 0.0

    def give(self, number: int) -> None:
        self.number, self.begin = number, time.monotonic()
        self.connection.send(number)

    def take(self) -> tuple[str, float] | None:
        """The result; None if there is none yet."""
        if self.connection.poll():
            try:
                result: tuple[str, float] = self.connection.recv()
            except EOFError:
                self.process.join()
                code = self.process.exitcode or 0
                return f"signal: {signal.Signals(-code).name}" if code < 0 else f"exit code {code}", 0.0
            return result
        if time.monotonic() - self.begin > PATIENCE:
            return f"longer than {PATIENCE:g} s", PATIENCE
        return None

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def try_all(numbers: list[int]) -> Iterator[tuple[int, str, float]]:
    waiting, workers = list(reversed(numbers)), [Worker() for _ in range(min(N_WORKERS, len(numbers)))]
    for worker in workers:
        worker.give(waiting.pop())
    while workers:
        wait([worker.connection for worker in workers], timeout=1)
        for index, worker in reversed(list(enumerate(workers))):
            taken = worker.take()
            if taken is None:
                continue
            yield worker.number, *taken
            if taken[0] not in ("read", "refused"):
                worker.end()
                workers[index] = worker = Worker()
            if waiting:
                worker.give(waiting.pop())
            else:
                worker.end()
                del workers[index]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help=f"{COUNTS['full']:,} files, not {COUNTS['reduced']:,}")
    parser.add_argument("--only", help="numbers of files, with commas between them")
    parser.add_argument("--keep", type=Path, help="folder for the files that are not read or refused")
    given = parser.parse_args()
    numbers = [int(number) for number in given.only.split(",")] if given.only else []
    results, slowest = Counter[str](), 0.0
    for number, result, seconds in try_all(numbers or list(range(COUNTS["full" if given.full else "reduced"]))):
        is_fine = result in ("read", "refused")
        kind = result if is_fine else "signal" if result.startswith("signal") else "another error"
        results[kind], slowest = results[kind] + 1, max(slowest, seconds)
        if not is_fine:
            suffix, data = damage(number)
            print(f"FAILED  file {number} ({suffix}): {result}", flush=True)
            if given.keep:
                (given.keep / f"{number}.{suffix}").write_bytes(data)
    n_wrong = results["signal"] + results["another error"]
    found = ", ".join(f"{n} {kind}" for kind, n in sorted(results.items()))
    print(f"{results.total():,} damaged Arrow and Parquet files: {found}; at most {slowest:.1f} s for one")
    print(f"{results.total() - n_wrong} passed, {n_wrong} failed")
    sys.exit(1 if n_wrong else 0)


if __name__ == "__main__":
    main()

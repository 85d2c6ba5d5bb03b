"""Random tables, sent in random pieces, have one answer for each row: the one that `tercet predict` gives for the same file.

An open quote keeps no other client waiting, and takes little memory. python attacks/streams.py [--full]
"""

import asyncio
import csv
import io
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
from checks import report, wants_all
from click.testing import CliRunner

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from helpers.servers import Program, serve_apart

import tercet
from tercet.cli.main import program as command_line

MIB = 1 << 20
PIECES = [
    *("good", "bad film", "a ", "b", "é", "ß", "😀", "日本", "=1+1", "-3", "'", '"', '""', ",", ";", "\t", "|", ".", " "),
    *(
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "\u2028",
        "\u2029",
        "\x85",
        "\v",
        "\f",
        "\x1c",
        "\x1d",
        "\x1e",
        "\x1f",
        "\0",
        "\ufeff",
        "\xa0",
    ),
]
ENCODINGS = ["utf-8"] * 9 + ["utf-8-sig", "utf-16", "utf-16-le", "cp1252", "utf-32"]
TEXTS = ["so good a film", "a lovely story", "dull and bad", "an awful plot"]
LABELS = ["pos", "pos", "neg", "neg"]
WORST_SECONDS, MOST_MIB = 1.0, 700
Check = tuple[str, bool]


class Table:
    """A random table: its bytes, and how it is written."""

    def __init__(self, seed: int) -> None:
        draw = self._draw = random.Random(seed)
        self.encoding, self.delimiter = draw.choice(ENCODINGS), draw.choice([",", ",", ",", ";", "\t", "|"])
        names = draw.choice([["text"], ["id", "text"], ["text", "note"], ["id", "note", "text", "Übersicht"]])
        rows = [[self._make_cell() for _ in names] for _ in range(draw.choice([0, 1, 3, 30, 300, 3000]))]
        if rows and draw.random() < 0.2:
            rows[-1][0] = "long, " * draw.choice([30_000, 60_000])
        for row in draw.choices(rows, k=len(rows) // 10) if draw.random() < 0.3 else ():  # ragged
            row[:] = [*row, "more"] if draw.random() < 0.5 else row[:-1]
        written = io.StringIO(newline="")
        quoting: Any = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
        end = draw.choice(["\n", "\r\n", "\r"])
        csv.writer(written, delimiter=self.delimiter, lineterminator=end, quoting=quoting).writerows([names, *rows])
        text = written.getvalue()
        if draw.random() < 0.2:  # a quote that is never closed, or that closes too early
            index = draw.randrange(len(text))
            text = text[:index] + '"' + text[index:]
        self.body = text.encode(self.encoding, "replace")
        if draw.random() < 0.1 and self.encoding == "utf-8":
            index = draw.randrange(len(self.body))
            self.body = self.body[:index] + b"\xff" + self.body[index:]

    def _make_cell(self) -> str:
        return "".join(self._draw.choices(PIECES, k=self._draw.randrange(6)))

    def cut(self) -> Iterator[bytes]:
        """The bytes in pieces of any size, also inside a character."""
        sizes = [1, 2, 3, 50, 1000] if len(self.body) < 5000 else [1, 1000, 30_000, 200_000]
        begin = 0
        while begin < len(self.body):
            end = begin + self._draw.choice(sizes)
            yield self.body[begin:end]
            begin = end


def predict(model: Path, folder: Path, table: Table) -> list[list[str]] | None:
    """The rows that `tercet predict` prints; None if it refuses the file."""
    path = folder / "table.csv"
    path.write_bytes(table.body)
    words = ["predict", str(model), str(path), "--keep", "--csv", "--on-error", "skip", "--encoding", table.encoding]
    done = CliRunner().invoke(command_line, words)
    return None if done.exit_code else list(csv.reader(io.StringIO(done.stdout_bytes.decode(), newline="")))


def classify(client: httpx.Client, table: Table) -> list[list[str]] | None:
    """The rows that the server answers; None if it refuses the stream."""
    headers = {"Content-Type": f"text/csv; charset={table.encoding}"}
    answer = client.post("/api/models/m/classify", content=table.cut(), headers=headers)
    if answer.status_code != 200:
        return None if answer.json()["error"]["message"] else [["no sentence"]]
    return list(csv.reader(io.StringIO(answer.content.decode(), newline="")))


def compare(expected: list[list[str]] | None, found: list[list[str]] | None) -> str:
    """What differs; empty if nothing does. A row of the server has what is wrong with it in one more column."""
    if expected is None or found is None:
        # The command line stops at the first byte that is wrong in UTF-16. The server says it in the last row.
        is_said = found is None or (found and "Nothing after it is read." in found[-1][-1])
        return "" if expected is None and is_said else "one refuses, the other does not"
    if len(expected) != len(found):
        return f"{len(expected)} rows, {len(found)} answers"
    for number, (row, answered) in enumerate(zip(expected, found, strict=True)):
        if len(expected) == 1:  # the command line does not show the columns of a table without rows
            break
        if row != answered[:-1]:
            return f"row {number} is {row!r}, and is answered as {answered!r}"
        if number and bool(row[-1]) == bool(answered[-1]):
            return f"row {number} has both an answer and an error, or none: {answered!r}"
    return ""


def send_tables(program: Program, model: Path, folder: Path, n: int) -> Iterator[Check]:
    faults = {}
    n_rows = n_refused = 0
    for seed in range(n):
        table = Table(seed)
        expected, found = predict(model, folder, table), classify(program.client, table)
        n_rows, n_refused = n_rows + len(expected or ()), n_refused + (expected is None)
        if fault := compare(expected, found):
            faults[seed] = fault
    shown = "".join(f"\n        seed {seed}: {fault[:600]}" for seed, fault in list(faults.items())[:5])
    yield f"{n} random tables ({n_rows} rows, {n_refused} refused): {len(faults)} with rows ≠ answers{shown}", not faults


async def send_open_quotes(program: Program, n_streams: int) -> tuple[float, list[str]]:
    """The longest time that another client waited for a short answer, and the last lines of the streams."""

    async def send() -> AsyncIterator[bytes]:
        yield b'id,text\n1,"'
        for _ in range(192):
            yield b"a\n" * (1 << 15)

    worst = 0.0
    async with httpx.AsyncClient(
        base_url=program.url, headers=program.client.headers, cookies=program.client.cookies
    ) as client:
        headers, path = {"Content-Type": "text/csv"}, "/api/models/m/classify"
        streams = [
            asyncio.create_task(client.post(path, content=send(), headers=headers, timeout=120)) for _ in range(n_streams)
        ]
        while not all(stream.done() for stream in streams):
            begin = time.perf_counter()
            (await client.post(path, json={"text": "so good"}, timeout=60)).raise_for_status()
            worst = max(worst, time.perf_counter() - begin)
            await asyncio.sleep(0.02)
    return worst, [stream.result().text.splitlines()[-1] for stream in streams]


def open_quotes(program: Program) -> Iterator[Check]:
    worst, lines = asyncio.run(send_open_quotes(program, 3))
    yield f"open quotes before 12 MB of short lines, 3 at a time: others wait {worst:.2f} s at most", worst < WORST_SECONDS
    yield f"they are answered: {lines[0]}", all("quote" in line for line in lines)
    most = measure_peak(program.process.pid)
    yield f"memory of the server: {most} MiB at most", most < MOST_MIB


def measure_peak(process: int) -> int:
    """The most memory that a process and its children have had, in MiB."""
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True).stdout.split()
    lines = [line for each in [process, *children] for line in Path(f"/proc/{each}/status").read_text().splitlines()]
    return max(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))


def attack(is_full: bool) -> Iterator[Check]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tercet.Categorizer().fit(TEXTS, LABELS).save(folder / "m.tercet")
        with serve_apart("m.tercet", "--rate", "1e6", cwd=folder, env={"PYTHONPATH": os.pathsep.join(sys.path)}) as program:
            yield from send_tables(program, folder / "m.tercet", folder, 500 if is_full else 60)
            yield from open_quotes(program)


if __name__ == "__main__":
    report(attack(wants_all()))

"""Hostile inputs: a bomb in a folder, random files of JSON lines, many columns, and ever new words that are forgotten.

python attacks/inputs.py [--full]
"""

import gzip
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from checks import report, wants_all

import tercet

MIB = 1 << 20
PIECES = [
    *("\u2028", "\u2029", "\x85", "\x1c", "\x1d", "\x1e", "\x1f", "\x0b", "\x0c", "\xa0", "\u3000", "\ufeff", " ", "\t", "\r"),
    *("\n", "\n", "\n", '{"text": "so"}', '{"text": "a\u2028b\x85\u2029"}', '{"text": "\\u2028"}', '{"label": 1}', "{}"),
    *("3", '"', "{", "}", "null", "[", "]", "so", "\\", "\x00", "é", "😀"),
]
Check = tuple[str, bool]

READ_FOLDER = """
import resource, sys, tercet
stream = tercet.read(sys.argv[1], on_error="skip")
texts = stream.texts
print(len(texts), stream.n_bad, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
FORGET = """
import resource, sys, tercet
n = int(sys.argv[1])
model = tercet.Categorizer().fit(["to be or not", "that is the question"], ["a", "b"])
for cycle in range(n):
    text = [f"w{cycle} x{cycle} y{cycle}"]
    model.learn(text, ["a"]).forget(text, ["a"])
    if cycle == n // 4:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(model.table_.table), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 * 4 // (3 * n))
"""


def run(code: str, *words: str) -> list[int]:
    """Run the code in a process of its own, and return the numbers that it prints."""
    return [int(word) for word in subprocess.check_output([sys.executable, "-c", code, *words], text=True).split()]


def write_bomb(path: Path, n_bytes: int) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(n_bytes // MIB):
            file.write(b"x" * MIB)


def explode(folder: Path, full: bool) -> Iterator[Check]:
    """A small compressed file in a folder takes no more memory than a line of the greatest length."""
    size = 4096 if full else 1024
    for name, below in (("a folder for each label", folder / "one" / "a"), ("a file for each label", folder / "two")):
        below.mkdir(parents=True)
        write_bomb(below / "bomb.txt.gz", size * MIB)
        (below / "good.txt").write_text("so")
        n_texts, n_bad, peak = run(READ_FOLDER, str(below if below.name == "two" else below.parent))
        yield f"{size} MiB in a .gz, {name}: a bad row, {peak} MiB at most", (n_texts, n_bad) == (1, 1) and peak < 1000


def read_rows(stream: Any) -> list[str | None]:
    """The texts, with None for each bad row."""
    rows: list[str | None] = []
    for batch in stream:
        texts: list[str | None] = list(batch.texts)
        for position, _ in reversed(batch.bad):
            texts.insert(position, None)
        rows += texts
    return rows


def read_as_json(content: str) -> list[str | None]:
    """The same by Python's json, line by line."""
    rows: list[str | None] = []
    for line in content.split("\n"):
        if line.strip(" \t\r\n"):
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            text = value.get("text") if isinstance(value, dict) else None
            rows.append(text if isinstance(text, str) else None)
    return rows


def split_lines(folder: Path, full: bool) -> Iterator[Check]:
    draw, n, n_wrong = random.Random(0), 20_000 if full else 2_000, 0
    path = folder / "any.jsonl"
    for _ in range(n):
        content = '{"text": "first"}\n' + "".join(draw.choices(PIECES, k=draw.randrange(30)))
        path.write_bytes(content.encode())
        n_wrong += read_rows(tercet.read(path, text="text", labelled=False, on_error="skip")) != read_as_json(content)
    yield f"{n} random files of JSON lines: {n_wrong} with other rows than Python's json", n_wrong == 0


def widen(folder: Path, full: bool) -> Iterator[Check]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for kind in ("csv", "jsonl", "parquet"):
        seconds = []
        for n in (10_000, 160_000 if full and kind != "parquet" else 40_000):
            row = {"text": "so la", "label": "a"} | {f"c{i}": "1" for i in range(n)}
            path = folder / f"wide.{kind}"
            if kind == "parquet":
                pq.write_table(pa.table({name: [cell] for name, cell in row.items()}), path)
            else:
                path.write_text(json.dumps(row) if kind == "jsonl" else f"{','.join(row)}\n{','.join(row.values())}\n")
            begin = time.process_time()
            tercet.read(path, columns="all").collect()
            seconds.append(time.process_time() - begin)
        yield f"{kind} with 10,000 and {n:,} columns: {seconds[0]:.2f} s and {seconds[1]:.2f} s", seconds[1] < 6


def forget(_: Path, full: bool) -> Iterator[Check]:
    n = 100_000 if full else 20_000
    n_terms, growth = run(FORGET, str(n))
    yield (
        f"{n} cycles of learning and forgetting new words: {growth} bytes a cycle, {n_terms} terms",
        n_terms < 10_000 and growth < 20,
    )


def watch(checks: Iterator[Check]) -> Iterator[Check]:
    """The same checks. An error ends them and counts as a failure."""
    try:
        yield from checks
    except Exception as error:
        yield repr(error), False


def attack_all(full: bool) -> Iterator[Check]:
    for attack in (forget, explode, split_lines, widen):
        with tempfile.TemporaryDirectory() as folder:
            yield from watch(attack(Path(folder), full))


if __name__ == "__main__":
    report(attack_all(wants_all()))

"""Hostile inputs: bombs in folders and workbooks, random JSON and e-mails, many columns, and ever new words that are forgotten.

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

READ_WORKBOOK = """
import resource, sys, tercet
try:
    n_rows = len(tercet.read(sys.argv[1], labelled=False, on_error="skip").texts)
except tercet.errors.BadSource as error:
    n_rows = -1 if "\\n" not in str(error) else -2
print(n_rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
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


def empty(folder: Path, full: bool) -> Iterator[Check]:
    """A small compressed file of blank lines is refused soon, by every command that reads it."""
    from tercet.errors import BadSource

    n, path = 300_000_000 if full else 30_000_000, folder / "blank.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"text,label\nso,a\nla,b\n")
        for _ in range(n // 1_000_000):
            file.write(b"\n" * 1_000_000)
    for training in (False, True):
        begin, is_refused = time.process_time(), False
        try:
            for _ in tercet.read(path, training=training):
                pass
        except BadSource:
            is_refused = True
        seconds = time.process_time() - begin
        yield (
            f"{n:,} blank lines in {path.stat().st_size >> 10} KiB: refused after {seconds:.1f} s",
            is_refused and seconds < 10,
        )


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


def split_arrays(folder: Path, full: bool) -> Iterator[Check]:
    """An array is read as Python's json reads it, or refused, in blocks of any size."""
    from tercet.data import source
    from tercet.errors import BadSource

    draw, n, n_wrong, usual = random.Random(0), 10_000 if full else 1_000, 0, source.BLOCK_BYTES
    path = folder / "any.json"
    for _ in range(n):
        content = "[" + ",".join(
            ['{"text": "first"}', *draw.choices([*PIECES, '{"text": "é\\u00e9"}', "[]", "12"], k=draw.randrange(5))]
        )
        content += draw.choice(["]", "]\n", " ] ", "", ",]", "]]"])
        path.write_bytes(content.encode())
        try:
            values = json.loads(content)
        except ValueError:
            values = None
        source.BLOCK_BYTES = draw.choice([1, 2, 3, 7, usual])
        try:
            rows = read_rows(tercet.read(path, text="text", labelled=False, on_error="skip"))
        except BadSource:
            rows = None
        source.BLOCK_BYTES = usual
        texts = None if values is None else [value.get("text") if isinstance(value, dict) else None for value in values]
        n_wrong += rows != texts
    yield f"{n} random JSON arrays: {n_wrong} with other rows than Python's json", n_wrong == 0


def swell(folder: Path, full: bool) -> Iterator[Check]:
    """Small workbooks that unpack to gigabytes, or whose cells are far apart, take bounded memory."""
    import zipfile

    import openpyxl

    size, base = 4096 if full else 1024, folder / "base.xlsx"
    openpyxl.Workbook().save(base)
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    text = '<c r="A1" t="inlineStr"><is><t>text</t></is></c>'
    sheets = {
        "one cell": f'<row r="1">{text}</row><row r="2"><c r="A2" t="inlineStr"><is><t>so</t></is></c></row>',
        "two cells far apart": f'<row r="1">{text}</row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        "a row far away": f'<row r="1">{text}</row><row r="999999999"><c><v>1</v></c><c r="XFD999999999"/></row>',
        "deep elements": "<a>" * 1_000_000 + "</a>" * 1_000_000,
        "entities": text,
        f"{size} MiB": "",
    }
    for name, rows in sheets.items():
        path = folder / "book.xlsx"
        doctype = '<!DOCTYPE a [<!ENTITY a "' + "x" * 10_000 + '">' if name == "entities" else ""
        for level in "bcdefgh" if doctype else "":
            doctype += f'<!ENTITY {level} "' + f"&{chr(ord(level) - 1)};" * 10 + '">'
        with zipfile.ZipFile(base) as usual, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for part in usual.namelist():
                if "sheet1" not in part:
                    archive.writestr(part, usual.read(part))
            with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
                end = f"{rows}{'<x>&h;</x>' if doctype else ''}</sheetData></worksheet>"
                sheet.write((doctype + ("]>" if doctype else "") + f"<worksheet {main}><sheetData>").encode())
                for _ in range(size if not rows else 0):
                    sheet.write(b" " * MIB)
                sheet.write(end.encode())
        n_rows, peak = run(READ_WORKBOOK, str(path))
        is_right = n_rows == 1 if name == "one cell" else n_rows in (-1, 0)
        yield f"a workbook with {name}: {'read' if n_rows >= 0 else 'refused'}, {peak} MiB at most", is_right and peak < 1500


def mangle_workbooks(folder: Path, full: bool) -> Iterator[Check]:
    """Damaged workbooks are read or refused in one line."""
    import io
    import zipfile

    import openpyxl

    from tercet.errors import TercetError

    book, packed = openpyxl.Workbook(), io.BytesIO()
    for row in [["text", "label", "n"], ["so", "a", 1.5], ["la", None, 2], ["mi", "b", 45000]]:
        book.active.append(row)
    book.active.merge_cells("B2:B3")
    book.save(packed)
    draw, n, n_refused, n_long, path = random.Random(0), 10_000 if full else 1_000, 0, 0, folder / "any.xlsx"
    pieces = [
        b"",
        b"9999999999",
        b"<",
        b'"',
        b"&",
        b"\xff",
        b"ZZZ9",
        b"e308",
        b't="s"',
        b"<c/>",
        b'r=""',
        b"<mergeCell ref='B9:A1'/>",
    ]
    for _ in range(n):
        with zipfile.ZipFile(packed) as whole, zipfile.ZipFile(path, "w") as damaged:
            for part in whole.namelist():
                content = bytearray(whole.read(part))
                for _ in range(draw.choice([0, 0, 1, 3]) if part.startswith("xl/") else 0):
                    place = draw.randrange(len(content))
                    content[place : place + draw.randrange(12)] = draw.choice(pieces)
                damaged.writestr(part, bytes(content))
        try:
            tercet.read(path, text="text", label="label", on_error="skip").collect()
        except TercetError as error:
            n_refused += 1
            n_long += "\n" in str(error)
    yield f"{n} damaged workbooks: {n_refused} refused, {n_long} of them not in one line, the others read", n_long == 0


def mangle_mails(folder: Path, full: bool) -> Iterator[Check]:
    """Damaged e-mails are documents, and take time in proportion to their length."""
    from email.message import EmailMessage

    from tercet.data.mail import decode_mail

    message = EmailMessage()
    message["Subject"] = "Città"
    message.set_content("Привет", charset="koi8-r", cte="base64")
    message.add_alternative("<p>Così</p>", subtype="html", cte="quoted-printable")
    message.add_attachment(b"x" * 99, "image", "png")
    whole = message.as_bytes()
    draw, n = random.Random(0), 20_000 if full else 2_000
    for _ in range(n):
        mail = bytearray(whole)
        for _ in range(draw.randrange(1, 9)):
            place = draw.randrange(len(mail))
            mail[place : place + draw.randrange(4)] = draw.choice(
                [b"", b"\n", b"=", b"--", b"\xff", b";", b'"', b"=?", b"\n\n"]
            )
        assert isinstance(decode_mail(bytes(mail)), str)
    yield f"{n} damaged e-mails: all are texts", True
    part = b"Content-Type: multipart/mixed; boundary=x\n\n--x\n"
    for name, mail in {
        "parts in parts": part * 20_000,
        "boundaries": part + b"--x\na: b\n\n=?\n" * 300_000,
        "words": b"Subject: " + b"=?utf-8?q?a?= " * 200_000,
    }.items():
        begin = time.process_time()
        decode_mail(mail)
        seconds = time.process_time() - begin
        yield f"an e-mail of {len(mail) >> 10} KiB with many {name}: {seconds:.1f} s", seconds < 20


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
    for attack in (forget, explode, empty, swell, mangle_workbooks, split_lines, split_arrays, mangle_mails, widen):
        with tempfile.TemporaryDirectory() as folder:
            yield from watch(attack(Path(folder), full))


if __name__ == "__main__":
    report(attack_all(wants_all()))

"""Documents written in each format that can be read, and compressed in each way."""

import bz2
import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

TEXTS = ['Così "disse",\nil\tmaestro', "한국어, 日本語; 🚣🏽", "", "plain | words", "a\r\nb", "'"]
LABELS = ["inferno", "it's", "3", "inferno", "a b", "ü"]
ONE_LINERS = ["Nel mezzo del cammin", "di nostra vita", "한국어 🚣🏽 so", "mi ritrovai"]
ONE_WORDS = ["inferno", "inferno", "ko", "purgatorio"]

COMPRESSIONS = ["", ".gz", ".bz2", ".xz", ".zst"]


def compress(content: bytes, suffix: str) -> bytes:
    if suffix == ".zst":
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, "zstd") as stream:
            stream.write(content)
        return sink.getvalue().to_pybytes()
    plain: Callable[[bytes], bytes] = bytes
    return {"": plain, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[suffix](content)


def write_csv(texts: list[str], labels: list[str], delimiter: str = ",") -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerow(["label", "text"])
    writer.writerows(zip(labels, texts, strict=True))
    return file.getvalue().encode()


def write_json(texts: list[str], labels: list[str]) -> bytes:
    return "".join(json.dumps({"label": b, "text": a}) + "\n" for a, b in zip(texts, labels, strict=True)).encode()


def write_table(texts: list[str], labels: list[str], kind: str) -> bytes:
    table, sink = pa.table({"text": texts, "label": labels}), pa.BufferOutputStream()
    if kind == "parquet":
        pq.write_table(table, sink, row_group_size=2)
    elif kind == "feather":
        pyarrow.feather.write_feather(table, sink, chunksize=2)
    else:
        with (pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream)(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    return sink.getvalue().to_pybytes()


def write_json_array(texts: list[str], labels: list[str]) -> bytes:
    return json.dumps([{"label": b, "text": a} for a, b in zip(texts, labels, strict=True)], indent=2).encode()


WRITERS: dict[str, Callable[[], bytes]] = {
    "csv": lambda: write_csv(TEXTS, LABELS),
    "tsv": lambda: write_csv(TEXTS, LABELS, "\t"),
    "jsonl": lambda: write_json(TEXTS, LABELS),
    "json": lambda: write_json_array(TEXTS, LABELS),
    "parquet": lambda: write_table(TEXTS, LABELS, "parquet"),
    "feather": lambda: write_table(TEXTS, LABELS, "feather"),
    "arrow": lambda: write_table(TEXTS, LABELS, "arrow"),
    "arrows": lambda: write_table(TEXTS, LABELS, "stream"),
}


def write_folders(root: Path, compression: str = "") -> None:
    """A sub-folder for each label, a file for each text."""
    for number, (text, label) in enumerate(zip(ONE_LINERS, ONE_WORDS, strict=True)):
        (root / label).mkdir(parents=True, exist_ok=True)
        (root / label / f"{number}.txt{compression}").write_bytes(compress(text.encode(), compression))


def write_files(root: Path, compression: str = "") -> None:
    """A file for each label, a text a line."""
    root.mkdir()
    for label in set(ONE_WORDS):
        lines = [text for text, given in zip(ONE_LINERS, ONE_WORDS, strict=True) if given == label]
        (root / f"{label}.txt{compression}").write_bytes(compress("\n".join(lines).encode(), compression))


def write_xlsx(rows: list[list[Any]], merged: Sequence[str] = (), **others: list[list[Any]]) -> bytes:
    """A workbook with a sheet of these rows, and other sheets by their names."""
    import openpyxl

    book, file = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for name, cells in {"Sheet1": rows, **others}.items():
        sheet = book.create_sheet(name)
        for row in cells:
            sheet.append(row)
    for cells in merged:
        book["Sheet1"].merge_cells(cells)
    book.save(file)
    return file.getvalue()


def write_ods(rows: list[list[Any]], merged: Sequence[str] = (), **others: list[list[Any]]) -> bytes:
    """The same in OpenDocument. A merged range has two rows of one column."""
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import Table, TableCell, TableRow
    from odf.text import P

    book, file = OpenDocumentSpreadsheet(), io.BytesIO()
    for name, cells in {"Sheet1": rows, **others}.items():
        table = Table(name=name)
        for number, row in enumerate(cells, 1):
            line = TableRow()
            for letter, value in zip("ABCDEFG", row, strict=False):
                span = (
                    {"numberrowsspanned": 2, "numbercolumnsspanned": 1}
                    if f"{letter}{number}:{letter}{number + 1}" in merged
                    else {}
                )
                kind = (
                    {}
                    if value is None
                    else {"valuetype": "string"}
                    if isinstance(value, str)
                    else {"valuetype": "float", "value": value}
                )
                cell = TableCell(**kind, **span)
                for part in ("" if value is None else str(value)).split("\n"):
                    cell.addElement(P(text=part))
                line.addElement(cell)
            table.addElement(line)
        book.spreadsheet.addElement(table)
    book.write(file)
    return file.getvalue()


def mail(number: int, body: str) -> str:
    return f"From a@b.org Thu Aug 22 12:36:23 2002\nSubject: no. {number}\nTo: c@d.org\n\n{body}\n"


MAILS = [mail(1, "Dear,\n\n>From here it goes.\nFrom there."), mail(2, "Buy\n\n\nnow"), mail(3, "")]

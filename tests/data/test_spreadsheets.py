"""Workbooks: what is in their cells is read, and what is not clear is refused."""

import datetime
import io
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.command_line import Shell
from helpers.help_desk_exports import export, make_tickets, to_csv
from helpers.written_files import COMPRESSIONS, compress, write_ods, write_xlsx

import tercet
from tercet.errors import BadSource, MissingExtra

TEXTS = ['Così "disse",\nil maestro', "한국어, 日本語; 🚣🏽", "plain | words", "a", "'"]
LABELS = ["inferno", "it's", "3", "inferno", "a b"]
ROWS: list[list[Any]] = [["label", "text"], *([b, a] for a, b in zip(TEXTS, LABELS, strict=True))]
Writer = Callable[..., bytes]
WRITERS: dict[str, Writer] = {"xlsx": write_xlsx, "ods": write_ods}

kinds = pytest.mark.parametrize("kind", WRITERS)


def write(folder: Path, kind: str, rows: list[list[Any]], *arguments: Any, **others: Any) -> Path:
    path = folder / f"book.{kind}"
    path.write_bytes(WRITERS[kind](rows, *arguments, **others))
    return path


@pytest.mark.parametrize("compression", COMPRESSIONS)
@kinds
def test_sheets_come_back_as_they_were_written(kind: str, compression: str, tmp_path: Path) -> None:
    path = tmp_path / f"written.{kind}{compression}"
    path.write_bytes(compress(WRITERS[kind](ROWS), compression))
    stream = tercet.read(path)
    assert (stream.texts, stream.labels) == (TEXTS, LABELS)
    assert stream.guess is not None
    assert "sheet" not in stream.guess


@kinds
def test_a_workbook_is_known_by_its_first_bytes(kind: str, tmp_path: Path) -> None:
    stream = tercet.read(write(tmp_path, kind, ROWS).rename(tmp_path / "book"))
    assert stream.texts == TEXTS
    assert stream.guess is not None
    assert stream.guess.startswith(f"format: {kind}")


@kinds
def test_a_workbook_comes_through_a_pipe(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WRITERS[kind](ROWS))))
    assert tercet.read("-").texts == TEXTS


def test_numbers_dates_and_truth_values_become_text(tmp_path: Path) -> None:
    moment = datetime.datetime(2024, 1, 5, 10, 30)
    rows = [["text", "label", "a", "b", "c"], ["so", 3, 2.5, datetime.date(2024, 1, 5), True], ["la", 4.0, 1e20, moment, None]]
    stream = tercet.read(write(tmp_path, "xlsx", rows), text="text", label="label", columns=["a", "b", "c"])
    assert stream.labels == ["3", "4"]
    assert stream.columns == {"a": ["2.5", "1e+20"], "b": ["2024-01-05", "2024-01-05T10:30:00"], "c": ["true", ""]}


@kinds
def test_rows_are_counted_as_the_sheet_counts_them_and_blank_ones_are_skipped(kind: str, tmp_path: Path) -> None:
    path = write(tmp_path, kind, [["text", "label"], ["so", "a"], [None, None], ["la", None], ["mi", "b"]])
    stream = tercet.read(path, on_error="skip")
    batches = list(stream)
    assert [batch.place(i) for batch in batches for i in range(len(batch))] == [f"{path}, row 2", f"{path}, row 5"]
    assert [str(row) for row in stream.bad_rows] == [f"{path}, row 4: it has no label."]


def test_without_the_package_the_error_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(
        MissingExtra, match=r"^to read spreadsheets, tercet needs python-calamine, .* pip install 'tercet\[tables\]'$"
    ):
        tercet.read(write(tmp_path, "xlsx", ROWS)).start()


def test_a_chart_is_no_sheet(tmp_path: Path) -> None:
    import openpyxl

    path = write(tmp_path, "xlsx", ROWS)
    book = openpyxl.load_workbook(path)
    book.create_chartsheet("a chart")
    book.save(path)
    assert tercet.read(path).texts == TEXTS


def test_a_table_may_begin_anywhere(tmp_path: Path) -> None:
    rows = [[None] * 4, [None] * 4, [None, None, "text", "label"], [None, None, "so", "a"], [], [None, None, "la", None]]
    path = write(tmp_path, "xlsx", [*rows, [None, None, "mi", "b"]], ["D4:D6"])
    (batch,) = tercet.read(path)
    assert (batch.texts, batch.labels) == (["so", "la", "mi"], ["a", "a", "b"])
    assert [batch.place(position) for position in range(3)] == [f"{path}, row {row}" for row in (4, 6, 7)]


@kinds
def test_several_sheets_need_a_name_and_empty_ones_do_not_count(kind: str, tmp_path: Path) -> None:
    path = write(tmp_path, kind, ROWS, empty=[], other=[["text", "label"], ["so", "x"]])
    with pytest.raises(BadSource, match=r"book\.\w+ has 2 sheets: 'Sheet1', 'other'\. Name one of them with --sheet\.$"):
        tercet.read(path).collect()
    assert tercet.read(path, sheet="other").texts == ["so"]
    with pytest.raises(
        BadSource, match=r"book\.\w+ has no sheet 'x': it has 'Sheet1', 'empty', 'other'\. Name one of these with --sheet\.$"
    ):
        tercet.read(path, sheet="x").collect()
    alone = tercet.read(write(tmp_path, kind, ROWS, empty=[]))
    assert alone.texts == TEXTS
    assert (alone.guess or "").startswith("sheet: 'Sheet1', ")


def test_a_hidden_sheet_is_read_only_by_its_name(tmp_path: Path) -> None:
    import openpyxl

    path = write(tmp_path, "xlsx", ROWS, secret=[["text", "label"], ["so", "x"]])
    book = openpyxl.load_workbook(path)
    book["secret"].sheet_state = "hidden"
    book.save(path)
    assert tercet.read(path).texts == TEXTS
    assert tercet.read(path, sheet="secret").texts == ["so"]


@kinds
def test_a_cell_merged_over_rows_counts_in_each_and_that_is_said(kind: str, tmp_path: Path) -> None:
    path = write(tmp_path, kind, [["text", "label"], ["so", "a"], ["la", None], ["mi", "b"]], ["B2:B3"])
    stream = tercet.read(path)
    assert stream.labels == ["a", "a", "b"]
    assert (stream.guess or "").startswith("1 cell merged over several rows: the value is used in each of them, ")


def test_cells_merged_over_columns_are_a_bad_row_if_they_are_used(tmp_path: Path) -> None:
    rows = [["text", "label", "c", "d"], ["so", None, 1, 2], ["la", "b", 1, None]]
    path = write(tmp_path, "xlsx", rows, ["A2:B2", "C3:D3"])
    stream = tercet.read(path, text="text", label="label", on_error="skip")
    assert stream.texts == ["la"]
    reason = "the cells A2:B2 are merged over several columns, so it is not clear which one has the value: split them."
    assert [str(row) for row in stream.bad_rows] == [f"{path}, row 2: {reason}"]


def test_a_merged_header_is_refused_and_a_merged_title_above_it_is_left_out(tmp_path: Path) -> None:
    path = write(tmp_path, "xlsx", [["text", "label", None], ["so", "a", "b"]], ["B1:C1"])
    with pytest.raises(
        BadSource, match="row 1: the cells B1:C1 are merged, but the header needs a name for each column: split"
    ):
        tercet.read(path).collect()
    path = write(tmp_path, "xlsx", [["All tickets", None], ["text", "label"], ["so", "a"], ["la", "b"]], ["A1:B1"])
    assert tercet.read(path).texts == ["so", "la"]


@kinds
def test_an_encrypted_workbook_is_refused(kind: str, tmp_path: Path) -> None:
    path, packed = tmp_path / f"book.{kind}", io.BytesIO(WRITERS[kind](ROWS))
    if kind == "ods":
        made = io.BytesIO()
        with zipfile.ZipFile(packed) as book, zipfile.ZipFile(made, "w") as copy:
            for name in book.namelist():
                content = book.read(name)
                if name == "META-INF/manifest.xml":
                    content = content.replace(b"</manifest:manifest>", b"<manifest:encryption-data/></manifest:manifest>")
                copy.writestr(name, content)
        packed = made
    content = bytearray(packed.getvalue())
    if kind == "xlsx":
        for place in range(len(content)):
            if content[place : place + 4] == b"PK\1\2":  # each entry of the directory has the flag
                content[place + 8] |= 1
    path.write_bytes(bytes(content))
    with pytest.raises(BadSource, match=r"is encrypted with a password, so it can't be read: save it without a password\.$"):
        tercet.read(path).collect()


def pack(path: Path, added: str | None = None, **parts: bytes) -> Path:
    """The workbook with other contents of its parts, by the ends of their names, and with other shared texts."""
    made = io.BytesIO()
    with zipfile.ZipFile(path) as book, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as copy:
        for name in book.namelist():
            copy.writestr(name, next((new for end, new in parts.items() if name.endswith(f"{end}.xml")), book.read(name)))
        if added is not None:
            copy.writestr("xl/sharedStrings.xml", added)
    path.write_bytes(made.getvalue())
    return path


SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>%s</sheetData></worksheet>'
TABLE = (
    b'<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    b'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    b'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
    b'<office:body><office:spreadsheet><table:table table:name="a">%s</table:table></office:spreadsheet></office:body>'
    b"</office:document-content>"
)


def test_two_cells_far_apart_do_not_fill_the_memory(tmp_path: Path) -> None:
    path = write(tmp_path, "xlsx", ROWS)
    far = SHEET % b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    with pytest.raises(
        BadSource, match="has a sheet that reaches row 1048576 and column 16384, too many cells to read: delete"
    ):
        tercet.read(pack(path, sheet1=far)).collect()
    path = write(tmp_path, "ods", ROWS)
    cell, gap = (
        b'<table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell>',
        b'table:number-%s-repeated="99999999"',
    )
    wide = TABLE % (
        b"<table:table-row>" + cell + b"<table:table-cell " + gap % b"columns" + b"/>" + cell + b"</table:table-row>"
    )
    with pytest.raises(BadSource, match="reaches row 1 and column 100000001, too many cells to read"):
        tercet.read(pack(path, content=wide)).collect()
    high = TABLE % (b"<table:table-row " + gap % b"rows" + b">" + cell + b"</table:table-row>")
    with pytest.raises(BadSource, match="reaches row 99999999 and column 1, too many cells to read"):
        tercet.read(pack(path, content=high)).collect()


def test_many_cells_that_share_a_long_text_do_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tercet.data import workbook_parts

    monkeypatch.setattr(workbook_parts, "MAX_BYTES", 1 << 19)
    shared = "".join(f"<si><t>{text}</t></si>" for text in ("text", "x" * 30_000))
    shared = f'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{shared}</sst>'
    cells = b'<row><c t="s"><v>0</v></c></row>' + b'<row><c t="s"><v>1</v></c></row>' * 17
    path = pack(write(tmp_path, "xlsx", ROWS), shared, sheet1=SHEET % cells)
    assert tercet.read(path, labelled=False, text="text").texts == ["x" * 30_000] * 17
    cells += b'<row><c t="s"><v>1</v></c></row>'
    with pytest.raises(BadSource, match="has a sheet with more than 524288 characters: save the sheet as"):
        tercet.read(pack(path, sheet1=SHEET % cells)).collect()
    row = b'<table:table-row table:number-rows-repeated="%d"><table:table-cell office:value-type="string"><text:p>%s</text:p>'
    row += b"</table:table-cell></table:table-row>"
    path = write(tmp_path, "ods", ROWS)
    assert len(tercet.read(pack(path, content=TABLE % (row % (1000, b"so"))), labelled=False, text="1").texts) == 1000
    with pytest.raises(BadSource, match="has a sheet with more than 524288 characters: save the sheet as"):
        tercet.read(pack(path, content=TABLE % (row % (1000, b"so" * 500)))).collect()


def test_tabs_and_line_breaks_of_an_opendocument_cell_separate_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tercet.data import workbook_parts

    cell = b'<table:table-cell office:value-type="string"><text:p>%s</text:p></table:table-cell>'
    row = b"<table:table-row>" + cell + b"</table:table-row>"
    breaks = b'so<text:tab/>la<text:line-break/>mi<text:tab text:tab-ref="1"></text:tab>do<text:s/>re'
    path = pack(write(tmp_path, "ods", ROWS), content=TABLE % (row % b"text" + row % breaks))
    for n_bytes in workbook_parts.BLOCK_BYTES, 7:
        monkeypatch.setattr(workbook_parts, "BLOCK_BYTES", n_bytes)
        assert tercet.read(path, labelled=False, text="text").texts == ["so\tla\nmi\tdo re"]


def test_empty_cells_up_to_the_end_of_the_sheet_are_harmless(tmp_path: Path) -> None:
    cell = b'<table:table-cell office:value-type="string"><text:p>%s</text:p></table:table-cell>'
    rest = b'<table:table-cell table:style-name="ce1" table:number-columns-repeated="16382"/>'
    rows = [
        b"<table:table-row>" + cell % a + cell % b + rest + b"</table:table-row>"
        for a, b in ((b"text", b"label"), (b"so", b"x"))
    ]
    rows.append(b'<table:table-row table:number-rows-repeated="1048574">' + rest + b"</table:table-row>")
    path = pack(write(tmp_path, "ods", ROWS), content=TABLE % b"".join(rows))
    assert tercet.read(path).texts == ["so"]


def test_a_declared_size_alone_is_harmless(tmp_path: Path) -> None:
    path = write(tmp_path, "xlsx", ROWS)
    with zipfile.ZipFile(path) as book:
        sheet = book.read("xl/worksheets/sheet1.xml")
    start = sheet.index(b'<dimension ref="') + len(b'<dimension ref="')
    sheet = sheet[:start] + b"A1:XFD1048576" + sheet[sheet.index(b'"', start) :]
    assert tercet.read(pack(path, sheet1=sheet)).texts == TEXTS


def test_a_zip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tercet.data import workbook_parts

    monkeypatch.setattr(workbook_parts, "MAX_BYTES", 1 << 20)
    path = pack(write(tmp_path, "xlsx", ROWS), sheet1=SHEET % (b" " * (1 << 21)))
    with pytest.raises(BadSource, match=r"unpacks to more than 1 MiB: save the sheet as \.csv"):
        tercet.read(path).collect()


@pytest.mark.parametrize("sheet", [b"", b"<worksheet>", b"no XML", SHEET % b"<row><c t='s'><v>99999</v></c></row>"])
def test_a_damaged_workbook_is_refused_or_read(sheet: bytes, tmp_path: Path) -> None:
    path = pack(write(tmp_path, "xlsx", ROWS), sheet1=sheet)
    with pytest.raises(BadSource, match=r"book\.xlsx"):
        tercet.read(path).collect()


def test_deep_xml_is_refused_or_read(tmp_path: Path) -> None:
    deep = b"<a>" * 100_000 + b"</a>" * 100_000
    with pytest.raises(BadSource, match=r"book\.xlsx"):
        tercet.read(pack(write(tmp_path, "xlsx", ROWS), sheet1=SHEET % deep)).collect()
    with pytest.raises(BadSource, match=r"book\.ods"):
        tercet.read(pack(write(tmp_path, "ods", ROWS), content=TABLE % deep)).collect()


def test_the_command_line_names_a_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    rows = [["label", "text"], *[["ab"[i % 2], "so la mi"[i % 5 :]] for i in range(12)]]
    write(tmp_path, "xlsx", rows, other=rows)
    shell = Shell(tmp_path, monkeypatch, capfd)
    refused = shell("tercet train book.xlsx -o m.tercet")
    assert (refused.code, refused.err.count("\n"), Path("m.tercet").exists()) == (2, 1, False)
    shell.do("tercet train book.xlsx --sheet other -o m.tercet")


COLUMNS = {"Ticket": "id", "Ticket body": "body", "Queue": "topic"}


@pytest.mark.parametrize("kind", ["csv", *WRITERS])
def test_numbers_of_columns_stop_at_a_header_and_the_sentence_names_the_columns(kind: str, shell: Shell) -> None:
    rows = export(make_tickets(60), COLUMNS)
    table = [list(COLUMNS), *(list(row.values()) for row in rows)]
    path = Path(f"tickets.{kind}")
    path.write_bytes(to_csv(rows).encode() if kind == "csv" else WRITERS[kind](table))
    bare = Path(f"bare.{kind}")
    bare.write_bytes(to_csv(rows).partition("\n")[2].encode() if kind == "csv" else WRITERS[kind](table[1:]))
    outcome = shell(f"tercet train {path} -o x.tercet --text 2 --label 3 --columns 1")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"tercet: row 1 of {path} looks like a header, and would be read as a document: name the columns, "
        "--text 'Ticket body' --label Queue --columns Ticket. If it is a document, put a row of names before it.\n"
    )
    assert not Path("x.tercet").exists()
    for numbers in ({"text": 2, "label": 3}, {"text": "2", "label": "3", "columns": [1]}):
        assert tercet.read(bare, **numbers).collect().texts == [row["Ticket body"] for row in rows]  # type: ignore[arg-type]
        with pytest.raises(BadSource, match="looks like a header"):
            tercet.read(path, **numbers).collect()  # type: ignore[arg-type]
    assert "has no column '9'" in shell(f"tercet train {path} -o x.tercet --text 2 --label 9").err

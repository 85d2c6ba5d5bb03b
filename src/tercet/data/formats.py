"""Which format a file or folder has, by its suffix or its content, and the reader for it."""

import io
import re
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from tercet.compression import SUFFIXES
from tercet.data.arrow_tables import ARROW, PARQUET
from tercet.data.column_signs import UNKNOWN, is_usual, score_name
from tercet.data.csv_tables import NAME, guess_dialect, judge_widths, list_wanted, read_separator_line
from tercet.data.folders import Folder, FolderReader, LabelFilesReader, is_in_maildir, name_label, open_regular
from tercet.data.raw_rows import Reader
from tercet.data.read_options import MAIL_FORMATS, SHEET_FORMATS, WITHOUT_COLUMNS, ReadOptions
from tercet.data.source import OLD_OFFICE, ZIP, Source, open_source
from tercet.errors import BadSource, MissingColumn

BY_SUFFIX = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json",
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".arrows": "arrow", ".feather": "arrow", ".ipc": "arrow",
    ".xlsx": "xlsx", ".xlsm": "xlsx", ".xls": "xlsx", ".ods": "ods",
    ".ft": "fasttext", ".fasttext": "fasttext", ".mbox": "mbox", ".eml": "email",
}  # fmt: skip
LINE_FORMATS = ("csv", "tsv", "json", "jsonl", "fasttext", "text")
FOLDER_FORMATS = ("folders", "emails", "files")  # "mbox" is a file, or a folder of such files
HEADER_FIELD = re.compile(rb"(From |[A-Za-z][A-Za-z0-9-]*: )")
ARRAY = re.compile(r"\[\s*\{\s*\"")  # an array of objects
FIRST_BYTES = (
    (PARQUET, "parquet"), (ARROW, "arrow"), (b"\xff\xff\xff\xff", "arrow"), (ZIP, "xlsx"), (OLD_OFFICE, "xlsx"),
)  # fmt: skip
MODEL = b'{"__metadata__":{"checksum":"'  # how a model file goes on after the eight bytes of its length
SAMPLE_BYTES = 1 << 16


def open_reader(path: Path | None, options: ReadOptions) -> tuple[Source | Folder, Reader]:
    """The opened file, folder or (for None) standard input, and the reader for its format."""
    if path is not None and path.is_dir():
        folder = Folder(path)
        return folder, open_folder(folder, options)
    return open_content(open_source(path), path, options)


def open_content(source: Source, path: Path | None, options: ReadOptions) -> tuple[Source, Reader]:
    """The source, and the reader for its format."""
    try:
        return source, open_file(path, source, options)
    except BaseException:
        source.close()
        raise


def open_folder(folder: Folder, options: ReadOptions) -> Reader:
    found, guesses = choose_folder_format(folder, options)
    if found not in (*FOLDER_FORMATS, "mbox"):
        raise BadSource(f"{folder.name} is a folder, not a file of the format {found}: name the file.")
    refuse_options(folder.name, found, options)
    refuse_unlabelled_mails(folder, found, options)
    reader_of = FolderReader if found in ("folders", "emails") else LabelFilesReader
    reader: Reader = reader_of(folder, options, are_mails=found in ("emails", "mbox"))
    reader.guess = guesses + reader.guess
    return reader


def open_file(path: Path | None, source: Source, options: ReadOptions) -> Reader:
    if options.labelled and not source.peek():
        raise BadSource(f"{source.name} is empty, so it holds no documents: give another file.")
    if source.peek()[8:].startswith(MODEL):
        raise BadSource(f"{source.name} is a model, not data: give a file or folder of documents.")
    found, guesses = choose_format(path, source, options)
    if found in FOLDER_FORMATS:
        raise BadSource(f"{source.name} is a file, but the format {found} reads a folder: name the folder.")
    if found in LINE_FORMATS:
        refuse_binary(source.name, found, source.peek()[:SAMPLE_BYTES])
    refuse_options(source.name, found, options)
    reader = make_reader(found, path, source, options)
    reader.guess = guesses + reader.guess
    return reader


def refuse_binary(name: str, found: str, beginning: bytes) -> None:
    """Raise BadSource if a file that shall be read line by line is a table in another format.

    >>> refuse_binary("a.csv", "csv", b"PK\\x03\\x04\\x14\\0")
    Traceback (most recent call last):
    tercet.errors.BadSource: a.csv is not csv: it begins like xlsx. Read it with --format xlsx.
    """
    for mark, other in FIRST_BYTES:
        if beginning.startswith(mark) and b"\0" in beginning:
            raise BadSource(f"{name} is not {found}: it begins like {other}. Read it with --format {other}.")


def make_reader(found: str, path: Path | None, source: Source, options: ReadOptions) -> Reader:
    """The reader for a format. Only its own module is imported, so the command line starts quickly."""
    if found in ("csv", "tsv"):
        from tercet.data.csv_tables import DelimitedReader

        return DelimitedReader(source, options, delimiter="\t" if found == "tsv" else None)
    if found in ("json", "jsonl"):
        from tercet.data.json_files import open_json

        return open_json(source, options)
    if found in SHEET_FORMATS:
        from tercet.data.spreadsheets import SpreadsheetReader

        return SpreadsheetReader(source, options)
    if found == "email":
        from tercet.data.mail import EmailReader

        return EmailReader(source, options)
    if found in ("parquet", "arrow"):
        from tercet.data.arrow_tables import ArrowReader

        return ArrowReader(source, options)
    if found == "mbox":
        from tercet.data.mail import MboxReader

        if options.labelled and path is None:
            raise BadSource("an mbox on standard input has no label, because the label is the name of the file: give the file.")
        return MboxReader(source, options, name_label(path) if options.labelled and path is not None else None)
    from tercet.data.text_lines import FastTextReader, TextReader

    return (FastTextReader if found == "fasttext" else TextReader)(source, options)


def parse_suffix(path: Path) -> str:
    """The suffix that names the format, without that of a compression.

    >>> parse_suffix(Path("reviews.CSV.gz"))
    '.csv'
    """
    return (path.with_suffix("") if path.suffix.lower() in SUFFIXES else path).suffix.lower()


def choose_format(path: Path | None, source: Source, options: ReadOptions) -> tuple[str, list[str]]:
    """The format of a file, and what was guessed about it."""
    if options.format is not None:
        return options.format, []
    suffix = parse_suffix(path) if path is not None else ""
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix], []
    found = guess_format(source.peek()[:SAMPLE_BYTES], options)
    return found, [f"format: {found}"]


def guess_format(beginning: bytes, options: ReadOptions) -> str:
    """The format, by the first bytes. Lines without labels or a header are texts, even if they have commas.

    >>> guess_format(b'{"text": "So"}', ReadOptions()), guess_format(b"__label__a So", ReadOptions())
    ('jsonl', 'fasttext')
    """
    for mark, found in FIRST_BYTES:
        if beginning.startswith(mark):
            return "ods" if mark == ZIP and b"opendocument" in beginning[:200] else found
    text = beginning.decode(options.encoding, "replace").lstrip("\ufeff").lstrip()
    if text.startswith("{"):
        return "jsonl"
    if ARRAY.match(text):
        return "json"
    has_later_label = options.label_separator is not None and f"\n{options.prefix}" in text  # the first line may have none
    if text.startswith(options.prefix) or has_later_label:
        return "fasttext"
    lines = io.StringIO(text, newline="").readlines()  # str.splitlines would also split at U+2028 and others
    if lines and read_separator_line(lines[0]):
        return "csv"
    wants_columns = options.labelled or options.text or options.columns or options.all_columns
    return guess_table(lines) if wants_columns or names_text(lines[:1], list_wanted(options)) else "text"


def is_text_name(name: str) -> bool:
    return is_usual(name) and score_name(name).text > UNKNOWN


def names_text(lines: list[str], wanted: Collection[str] = ()) -> bool:
    """Whether the first line is the header of a table with a column of texts, or with a column that is `wanted`.

    >>> names_text(["id,text"]), names_text(["Sure, the text is fine"]), names_text(["text"]), names_text(["id;q1"], ["q1"])
    (True, False, False, True)
    """
    for row in guess_dialect(lines, None, wanted).sample(lines)[:1]:
        cells = [cell.strip() for cell in row]
        is_header = any(cell in wanted for cell in cells) or (all(map(NAME.fullmatch, cells)) and any(map(is_text_name, cells)))
        return len(cells) > 1 and is_header
    return False


def guess_table(lines: list[str]) -> str:
    """csv or tsv if at least half of the rows have the same number of cells; text otherwise."""
    # The last line may be incomplete.
    lines = lines[:-1] or lines
    dialect = guess_dialect(lines, None)
    if judge_widths(dialect.sample(lines)) <= (0.5, 0):
        return "text"
    return "tsv" if dialect.delimiter == "\t" else "csv"


def choose_folder_format(folder: Folder, options: ReadOptions) -> tuple[str, list[str]]:
    """The format of a folder, and what was guessed about it."""
    if options.format is not None:
        return options.format, []
    if folder.folders or any(parse_suffix(path) == ".eml" for path in folder.files):
        found = "emails" if looks_like_mail(folder) else "folders"
    else:
        found = "mbox" if any(parse_suffix(path) == ".mbox" for path in folder.files) else "files"
    return found, [f"format: {found}"]


def looks_like_mail(folder: Folder) -> bool:
    """Whether its first file that can be read is an e-mail: by its name, its folder or its first three lines."""
    for path, _ in folder.walk():
        try:
            with closing(open_regular(path)) as source:
                lines = source.peek()[:SAMPLE_BYTES].splitlines()[:3]
        except BadSource:
            continue
        is_header = len(lines) == 3 and all(HEADER_FIELD.match(line) or line.startswith((b" ", b"\t")) for line in lines)
        return is_header or parse_suffix(path) == ".eml" or is_in_maildir(path)
    return folder.is_maildir


def refuse_unlabelled_mails(folder: Folder, found: str, options: ReadOptions) -> None:
    """Raise BadSource if labels are wanted of a folder of e-mails that is not a folder of folders."""
    if found == "emails" and options.labelled and (folder.is_maildir or not folder.folders):
        kind = "a Maildir" if folder.is_maildir else "a folder of e-mails"
        raise BadSource(f"{folder.name} is {kind}, which has no labels: give a folder with a sub-folder for each label.")


def refuse_options(name: str, found: str, options: ReadOptions) -> None:
    """Raise BadSource if a column or a sheet is asked for by name in a format that has none."""
    if options.sheet is not None and found not in SHEET_FORMATS:
        raise BadSource(f"{name} is read as {found}, which has no sheets: leave --sheet out, or give another --format.")
    if options.needed and found in WITHOUT_COLUMNS:
        column = options.needed[0]
        fault = f"{name} is read as {found}, which has no columns, and the model needs {column!r} beside the text"
        raise MissingColumn(f"{fault}: give a table that has it.", column)
    asked = list(options.named) if found in (*WITHOUT_COLUMNS, *MAIL_FORMATS) else []
    asked += [("columns", column) for column in options.columns if found in WITHOUT_COLUMNS]
    for option, column in asked:
        kind = "has no such columns" if found in MAIL_FORMATS else "has no columns"
        remedy = f"leave --{option} out, or give another --format."
        raise MissingColumn(f"{name} is read as {found}, which {kind}:", column, remedy)

"""Which format a file or folder has: by the suffix, then by what is in it."""

import re
from pathlib import Path

from tercet.data.arrow_tables import ARROW, PARQUET
from tercet.data.column_guess import TEXT_NAMES
from tercet.data.compression import SUFFIXES
from tercet.data.dialect import NAME, guess_dialect, judge_widths
from tercet.data.folders import Folder
from tercet.data.read_options import ReadOptions
from tercet.data.source import Source, open_source
from tercet.errors import BadSource

BY_SUFFIX = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl",
    ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".arrows": "arrow", ".feather": "arrow", ".ipc": "arrow",
    ".ft": "fasttext", ".fasttext": "fasttext", ".mbox": "mbox",
}  # fmt: skip
HEADER_FIELD = re.compile(rb"(From |[A-Za-z][A-Za-z0-9-]*: )")
SAMPLE = 1 << 16  # bytes


def find_suffix(path: Path) -> str:
    """The suffix that says what is in it.

    >>> find_suffix(Path("reviews.CSV.gz"))
    '.csv'
    """
    return (path.with_suffix("") if path.suffix.lower() in SUFFIXES else path).suffix.lower()


def find_format(path: Path | None, source: Source, options: ReadOptions) -> tuple[str, list[str]]:
    """The format of a file, and what was guessed about it."""
    if options.format is not None:
        return options.format, []
    suffix = find_suffix(path) if path is not None else ""
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix], []
    found = guess_format(source.peek()[:SAMPLE], options)
    return found, [f"format: {found}"]


def guess_format(beginning: bytes, options: ReadOptions) -> str:
    """By the first bytes. Lines without labels or a header are taken for texts, however many commas they have.

    >>> guess_format(b'{"text": "So"}', ReadOptions()), guess_format(b"__label__a So", ReadOptions())
    ('jsonl', 'fasttext')
    """
    for mark, found in ((PARQUET, "parquet"), (ARROW, "arrow"), (b"\xff\xff\xff\xff", "arrow")):
        if beginning.startswith(mark):
            return found
    text = beginning.decode(options.encoding, "replace").lstrip("\ufeff").lstrip()
    if text.startswith("{"):
        return "jsonl"
    if text.startswith(options.prefix):
        return "fasttext"
    lines = text.splitlines(keepends=True)
    wants_columns = options.labelled or options.text is not None or options.columns or options.all_columns
    return guess_table(lines) if wants_columns or names_text(lines[:1]) else "text"


def names_text(lines: list[str]) -> bool:
    """Whether the first line can be nothing but the header of a table with texts.

    >>> names_text(["id,text"]), names_text(["Sure, the text is fine"]), names_text(["text"])
    (True, False, False)
    """
    for row in guess_dialect(lines, None).sample(lines)[:1]:
        cells = [cell.strip().casefold() for cell in row]
        return len(cells) > 1 and any(cell in TEXT_NAMES for cell in cells) and all(map(NAME.fullmatch, cells))
    return False


def guess_table(lines: list[str]) -> str:
    # The last line may be cut off.
    lines = lines[:-1] or lines
    dialect = guess_dialect(lines, None)
    if judge_widths(dialect.sample(lines)) <= (0.5, 0):
        return "text"
    return "tsv" if dialect.delimiter == "\t" else "csv"


def find_folder_format(folder: Folder, options: ReadOptions) -> tuple[str, list[str]]:
    """The format of a folder, and what was guessed about it."""
    if options.format is not None:
        return options.format, []
    if folder.folders:
        first = next(folder.walk(), None)
        found = "emails" if first is not None and looks_like_mail(first) else "folders"
    else:
        found = "mbox" if any(find_suffix(path) == ".mbox" for path in folder.files) else "files"
    return found, [f"format: {found}"]


def looks_like_mail(path: Path) -> bool:
    """Whether its first three lines could be the header of an e-mail."""
    source = open_source(path)
    lines = source.peek()[:SAMPLE].splitlines()[:3]
    source.close()
    return len(lines) == 3 and all(HEADER_FIELD.match(line) or line.startswith((b" ", b"\t")) for line in lines)


def refuse_columns(name: str, found: str, options: ReadOptions) -> None:
    """Formats without columns can't have one by name."""
    asked = [*options.named, *(["columns"] if options.columns else [])]
    if asked:
        raise BadSource(f"{name} is read as {found}, which has no columns: leave --{asked[0]} out, or say the --format.")

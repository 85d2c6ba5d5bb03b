"""A source, and the reader for its format."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from tercet.data.block import Block
from tercet.data.folders import Folder, FolderReader, LabelFilesReader, name_label
from tercet.data.formats import find_folder_format, find_format, refuse_columns
from tercet.data.read_options import WITHOUT_COLUMNS, ReadOptions
from tercet.data.source import Source, open_source
from tercet.errors import BadSource

OF_FOLDERS = ("folders", "emails", "files")  # an mbox may be one, or a folder of them


class Reader(Protocol):
    place: str  # what is written before the number of a line, to say where it stands
    guess: list[str]  # what was not told

    def blocks(self) -> Iterator[Block]: ...


def open_reader(path: Path | None, options: ReadOptions) -> tuple[Source | Folder, Reader]:
    """The file or folder (None for standard input), opened; its beginning has been looked at."""
    if path is not None and path.is_dir():
        folder = Folder(path)
        return folder, open_folder(folder, options)
    source = open_source(path)
    try:
        return source, open_file(path, source, options)
    except BaseException:
        source.close()
        raise


def open_folder(folder: Folder, options: ReadOptions) -> Reader:
    found, guesses = find_folder_format(folder, options)
    if found not in (*OF_FOLDERS, "mbox"):
        raise BadSource(f"{folder.name} is a folder, not a file of the format {found}: name the file.")
    refuse_columns(folder.name, found, options)
    reader_of = FolderReader if found in ("folders", "emails") else LabelFilesReader
    reader: Reader = reader_of(folder, options, are_mails=found in ("emails", "mbox"))
    reader.guess = guesses + reader.guess
    return reader


def open_file(path: Path | None, source: Source, options: ReadOptions) -> Reader:
    if options.labelled and not source.peek():
        raise BadSource(f"{source.name} is empty: there is nothing to learn from it.")
    found, guesses = find_format(path, source, options)
    if found in OF_FOLDERS:
        raise BadSource(f"{source.name} is no folder, which the format {found} is: name the folder.")
    if found in WITHOUT_COLUMNS:
        refuse_columns(source.name, found, options)
    reader = make_reader(found, path, source, options)
    reader.guess = guesses + reader.guess
    return reader


def make_reader(found: str, path: Path | None, source: Source, options: ReadOptions) -> Reader:
    """Only the modules of this format are imported, so that the command line starts quickly."""
    if found in ("csv", "tsv"):
        from tercet.data.delimited import DelimitedReader

        return DelimitedReader(source, options, delimiter="\t" if found == "tsv" else None)
    if found == "jsonl":
        from tercet.data.json_lines import JsonReader

        return JsonReader(source, options)
    if found in ("parquet", "arrow"):
        from tercet.data.arrow_tables import ArrowReader

        return ArrowReader(source, options)
    if found == "mbox":
        from tercet.data.mail import MboxReader

        if options.labelled and path is None:
            raise BadSource("an mbox on standard input has no label: the name of its file would be the label.")
        return MboxReader(source, options, name_label(path) if options.labelled and path is not None else None)
    from tercet.data.text_lines import FastTextReader, TextReader

    return (FastTextReader if found == "fasttext" else TextReader)(source, options)

"""`read`: from the name of a file to its documents."""

import os
from collections.abc import Iterable
from pathlib import Path

from tercet.data.read_options import ReadOptions
from tercet.data.stream import DocumentStream
from tercet.errors import BadSource, bad_option

Column = str | int


def read(
    source: str | os.PathLike[str],
    *,
    text: Column | None = None,
    label: Column | None = None,
    weight: Column | None = None,
    columns: Iterable[Column] | str = (),
    numbers: Iterable[Column] = (),
    format: str | None = None,  # noqa: A002 (what everybody calls it)
    encoding: str = "utf-8",
    on_error: str = "stop",
    prefix: str = "__label__",
    labelled: bool = True,
) -> DocumentStream:
    """The documents of a file, of a folder, or of standard input ("-"), read in batches when they are asked for.

    Formats: `csv` and `tsv`, `jsonl` (an object a line), `parquet`, `arrow` (Feather, too), `fasttext` (`__label__x text`, or
    another `prefix`), `folders` (a sub-folder for each label, a document a file), `files` (a file for each label, a document a
    line), `emails` (as `folders`), `mbox` (its name is the label; or a folder of them), `text` (a document a line, no labels).
    The suffix decides if `format` doesn't, then the content. Files may be compressed: .gz, .bz2, .xz, .zst.

    `text`, `label`, `weight` and the `columns` to keep (or "all") are named, or numbered from 1 on where there is no header;
    `numbers` are kept, too, and a row that has no number there is bad. Text and
    label are guessed if they are not named; the stream's `guess` says how. With labelled=False a label is only read if it is
    named, so that any texts may be read to be decided.

    Labels are strings: 3 is "3". A row without text or label, with bytes that are not in the `encoding`, or with too many cells
    is bad: on_error="stop" raises BadRow, "skip" counts it in `n_bad` and `bad_rows`, "report" also hands it to the stream's
    `tell`.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "reviews.csv")
    >>> _ = path.write_text("review,stars\\nWhat a film!,5\\nNo.,1\\n")
    >>> documents = read(path)
    >>> documents.texts, documents.labels, documents.guess
    (['What a film!', 'No.'], ['5', '1'], "text: column 'review', label: column 'stars'")
    >>> folder.cleanup()
    """
    options = ReadOptions.check(
        text=text, label=label, weight=weight, columns=columns, numbers=numbers, format=format, encoding=encoding,
        on_error=on_error, prefix=prefix, labelled=labelled,
    )  # fmt: skip
    return DocumentStream(find_path(source), options)


def find_path(source: str | os.PathLike[str]) -> Path | None:
    """Where it lies; None for standard input."""
    if isinstance(source, bytes) or not isinstance(source, str | os.PathLike) or str(source) == "":
        raise bad_option("source", 'the path of a file or folder, or "-" for standard input', source, "it is to be opened.")
    if source == "-":
        return None
    path = Path(source)
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise BadSource(f"{path} can't be opened: {getattr(error, 'strerror', error)}.") from error
    if not exists:
        raise BadSource(f"{path} does not exist: is its name right, and the folder?")
    return path

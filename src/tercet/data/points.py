"""Points: tables of numbers with a label for each row, and no text."""

import os
from dataclasses import replace
from typing import Any, NamedTuple

from tercet.arrays import Floats
from tercet.data.read_options import ReadOptions
from tercet.data.reading import DocumentStream, expand_paths
from tercet.errors import BadSource


def open_points(source: str | os.PathLike[str], n_columns: int, **options: Any) -> DocumentStream:
    """A stream of rows with a label and so many columns of numbers. The texts are empty. `collect_points` reads it.

    The options are those of `read`; `columns` are the columns of numbers. What is not named is guessed. A row is bad if a
    number or its label is missing.
    """
    given = dict.fromkeys(("text", "label", "weight", "format", "sheet", "like", "label_rules"))
    given |= {"columns": (), "numbers": (), "encoding": "utf-8", "on_error": "stop", "prefix": "__label__"}
    checked = ReadOptions.check(**given | {"labelled": True, "training": False} | options)
    return DocumentStream(expand_paths(source), replace(checked, n_numbers=n_columns))


class Points(NamedTuple):
    """Rows × columns of numbers, a label for each row, and the names of the columns."""

    numbers: Floats
    labels: list[str]
    names: list[str]


def collect_points(stream: DocumentStream) -> Points:
    """All rows of a stream that `open_points` has opened.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "points.csv")
    ...     _ = path.write_text("height,sex\\n1.8,m\\n1.6,f\\n")
    ...     collect_points(open_points(path, 1))
    Points(numbers=array([[1.8], [1.6]]), labels=['m', 'f'], names=['height'])
    """
    if stream.start().fields is None:
        raise BadSource(
            f"{stream.name} is not a table: points are columns of numbers and a column of labels. Give a CSV file, or name "
            "the --format."
        )
    rows = stream.collect()
    names = list(rows.columns)
    return Points(rows.numbers(names), list(rows.labels or ()), names)

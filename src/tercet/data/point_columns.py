"""Which columns of a table of points are the numbers and the label: as named, or guessed by their names and their cells."""

from collections.abc import Mapping, Sequence
from typing import Any

from tercet.data.column_signs import score_name, spell_cell
from tercet.data.raw_rows import read_number
from tercet.data.read_options import ReadOptions
from tercet.errors import BadSource

NAMED = 2.5  # the score of a name that says that the column is a label


def choose_point_columns(source: str, sample: Mapping[str, Sequence[Any]], options: ReadOptions) -> tuple[str, tuple[str, ...]]:
    """The column of labels, and as many columns of numbers as the options want.

    The label is the only column of words, or the only one that is named like a label.

    >>> sample = {"x": ["1", "2.5"], "y": ["", "3"], "kind": ["a", "b"]}
    >>> choose_point_columns("points.csv", sample, ReadOptions(n_numbers=2))
    ('kind', ('x', 'y'))
    """
    label = options.label or _choose_label_column(
        source, {name: sample[name] for name in sample if name not in options.columns}
    )
    numbers = options.columns or tuple(name for name in sample if name != label and holds_numbers(sample[name]))
    if label in numbers:
        raise BadSource(f"{source}: the column {label!r} is named as the label and as a number: name another one.")
    if len(numbers) != options.n_numbers:
        shown = f" ({', '.join(map(repr, numbers))})" if numbers else ""
        columns = "column" if len(numbers) == 1 else "columns"
        is_short = len(numbers) < (options.n_numbers or 0)
        remedy = "add a column" if is_short else "name the columns to use with --columns, separated by commas"
        raise BadSource(
            f"{source} has {len(numbers)} {columns} of numbers{shown}, but this needs {options.n_numbers}: {remedy}."
        )
    return label, numbers


def _choose_label_column(source: str, sample: Mapping[str, Sequence[Any]]) -> str:
    words = [name for name in sample if not holds_numbers(sample[name])]
    # A column "y" of numbers is a coordinate, not a label.
    named = [name for name in words or sample if len(name) > 1 and score_name(name).label >= NAMED]
    candidates = words if len(words) == 1 else named
    if len(candidates) == 1:
        return candidates[0]
    if len(candidates) > 1 or words:
        shown = ", ".join(map(repr, candidates or words))
        raise BadSource(f"{source}: it is not clear which column is the label: {shown}. Name it with --label.")
    shown = ", ".join(map(repr, sample))
    raise BadSource(
        f"{source} has no column of labels: {shown} hold numbers. Each point needs a label: add a column, or name one with "
        "--label."
    )


def holds_numbers(cells: Sequence[Any]) -> bool:
    """Whether most cells are numbers. Blank cells are numbers that are missing.

    >>> holds_numbers(["1", "", "2.5", "?"]), holds_numbers(["a", "b", "1"])
    (True, False)
    """
    filled = [cell for cell in cells if spell_cell(cell)]
    return sum(read_number(cell) is not None for cell in filled) >= len(filled) / 2

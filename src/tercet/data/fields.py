"""Which columns of a table are text, label and weight."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.data.block import Block
from tercet.data.column_guess import Sample, guess_label, guess_text, is_label_first
from tercet.data.read_options import ReadOptions
from tercet.errors import BadSource


@dataclass(frozen=True)
class Fields:
    """Names of columns. Several texts are joined by a blank."""

    texts: tuple[str, ...]
    label: str | None = None
    weight: str | None = None
    columns: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """All of them, each once."""
        others = [name for name in (self.label, self.weight) if name is not None]
        return list(dict.fromkeys([*self.texts, *others, *self.columns]))

    def make_block(self, lines: Sequence[int], column: Callable[[str], list[Any]], bad: dict[int, str]) -> Block:
        """A block of rows, given what finds a column by its name."""
        texts = column(self.texts[0])
        if len(self.texts) > 1:
            texts = [join_texts(cells) for cells in zip(*map(column, self.texts), strict=True)]
        labels = None if self.label is None else column(self.label)
        weights = None if self.weight is None else column(self.weight)
        return Block(lines, texts, labels, weights, {name: column(name) for name in self.columns}, bad)


def join_texts(cells: Sequence[str | None]) -> str | None:
    """
    >>> join_texts(["A title", "", "and a text"])
    'A title and a text'
    """
    return None if None in cells else " ".join(cell for cell in cells if cell)


def choose_fields(source: str, sample: Sample, options: ReadOptions, *, has_header: bool = True) -> tuple[Fields, list[str]]:
    """The columns of a table of which we have a sample, and what was guessed about them, in words."""
    check_names(source, list(sample), options)
    texts, guesses = choose_texts(source, sample, options, has_header)
    label = options.label
    if options.labelled and label is None:
        rest = {name: cells for name, cells in sample.items() if name not in (*texts, options.weight)}
        label = next(iter(rest)) if len(texts) > 1 else guess_label(rest)
        guesses.append(f"label: {spell_columns([label or ''], has_header)}")
    if options.labelled and label is None:
        raise unclear(source, "label", sample)
    columns = tuple(dict.fromkeys([*sample, *options.columns])) if options.all_columns else options.columns
    return Fields(texts, label, options.weight, columns), guesses


def choose_texts(source: str, sample: Sample, options: ReadOptions, has_header: bool) -> tuple[tuple[str, ...], list[str]]:
    """Several columns only in files of the form "label","title","text"."""
    if options.text is not None:
        return (options.text,), []
    label_first = not has_header and options.label in (None, "1") and is_label_first(sample)
    taken = [options.label, options.weight, *options.columns]
    rest = {name: cells for name, cells in sample.items() if name not in taken}
    texts = [name for name in rest if name != "1"] if label_first else [guess_text(rest)]
    if not texts or texts[0] is None:
        raise unclear(source, "text", sample)
    chosen = tuple(name for name in texts if name is not None)
    return chosen, [f"text: {spell_columns(chosen, has_header)}"]


def check_names(source: str, names: list[str], options: ReadOptions) -> None:
    """Each column that was asked for is there."""
    for option, name in [*options.named.items(), *(("columns", name) for name in options.columns)]:
        if name not in names:
            raise BadSource(f"{source} has no column {name!r}: it has {spell_names(names)}. Name one of these with --{option}.")


def check_unique(source: str, names: Sequence[str]) -> None:
    """No two columns have one name; any number may have none."""
    twice = [name for position, name in enumerate(names) if name and name in names[:position]]
    if twice:
        raise BadSource(f"{source} has two columns {twice[0]!r}: rename one, so that it is clear which is meant.")


def unclear(source: str, field: str, sample: Sample) -> BadSource:
    return BadSource(
        f"{source}: it is not clear which column is the {field}: {spell_names(list(sample))}. Say it with --{field}."
    )


def blank_beginning(place: str) -> BadSource:
    """Of a pipe, we can't wait for what comes after blank lines, nor of a file after many."""
    return BadSource(f"{place}: only blank lines come before it, so that its columns are unknown. Leave them out.")


def spell_names(names: Sequence[str]) -> str:
    """
    >>> spell_names(["id", "text"]), spell_names([])
    ("'id', 'text'", 'none')
    """
    shown = [repr(name) for name in names[:20]] + (["…"] if len(names) > 20 else [])
    return ", ".join(shown) or "none"


def spell_columns(names: Sequence[str], has_header: bool) -> str:
    """
    >>> spell_columns(["review"], True), spell_columns(["2", "3"], False)
    ("column 'review'", 'columns 2 and 3 joined')
    """
    spelled = [repr(name) if has_header else name for name in names]
    return f"column {spelled[0]}" if len(names) == 1 else f"columns {' and '.join(spelled)} joined"

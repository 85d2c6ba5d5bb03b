"""Which columns of a table are text, label and weight: as named, or guessed by their names and their cells."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.data.raw_rows import RawRows
from tercet.data.read_options import ReadOptions
from tercet.data.text_columns import join_columns
from tercet.errors import BadSource, MissingColumn, is_missing

TEXT_NAMES = (
    "text", "review", "review_text", "reviewtext", "review_body", "sentence", "content", "body", "message", "tweet", "document",
    "comment", "comment_text", "description", "question", "post", "article", "abstract", "utterance", "email", "sms", "title",
    "headline", "txt",
)  # fmt: skip
LABEL_NAMES = (
    "label", "labels", "klass", "class", "category", "target", "sentiment", "polarity", "stars", "rating", "overall", "score",
    "lang", "language", "topic", "intent", "emotion", "is_spam", "spam", "tag", "airline_sentiment", "y",
)  # fmt: skip

FirstCells = Mapping[str, Sequence[Any]]  # the first cells of each column, by its name


@dataclass(frozen=True)
class Fields:
    """The names of the columns to use. If there are several text columns, their cells are joined (see `text_columns`)."""

    texts: tuple[str, ...]
    label: str | None = None
    weight: str | None = None
    columns: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """All names, each once."""
        others = [name for name in (self.label, self.weight) if name is not None]
        return list(dict.fromkeys([*self.texts, *others, *self.columns]))

    def make_rows(self, lines: Sequence[int], column: Callable[[str], list[Any]], bad: dict[int, str]) -> RawRows:
        """The rows, given a function that finds a column by its name."""
        texts: list[Any] = column(self.texts[0])
        if len(self.texts) > 1:
            texts = join_columns({name: column(name) for name in self.texts}, bad)
        labels = None if self.label is None else column(self.label)
        weights = None if self.weight is None else column(self.weight)
        return RawRows(lines, texts, labels, weights, {name: column(name) for name in self.columns}, bad, self.texts)


def choose_fields(
    source: str, sample: FirstCells, options: ReadOptions, *, has_header: bool = True
) -> tuple[Fields, list[str]]:
    """The columns to use, and in words what was guessed about them, from the first cells of each column."""
    check_names(source, sample.keys(), options)
    texts, guesses = choose_texts(source, sample, options, has_header)
    label = options.label
    if options.labelled and label is None:
        rest = leave_out(sample, [*texts, options.weight])
        label = next(iter(rest)) if len(texts) > 1 and not options.text else guess_label(rest)
        guesses.append(f"label: {spell_columns([label or ''], has_header)}")
    if options.labelled and label is None:
        raise unclear(source, "label", sample)
    columns = tuple(dict.fromkeys([*sample, *options.columns])) if options.all_columns else options.columns
    return Fields(texts, label, options.weight, columns), guesses


def choose_texts(source: str, sample: FirstCells, options: ReadOptions, has_header: bool) -> tuple[tuple[str, ...], list[str]]:
    """The text column; several columns only if the file has the form "label","title","text"."""
    if options.text:
        return options.text, []
    label_first = not has_header and options.label in (None, "1") and is_label_first(sample)
    rest = leave_out(sample, [options.label, options.weight, *options.columns])
    texts = [name for name in rest if name != "1"] if label_first else [guess_text(rest)]
    if not texts or texts[0] is None:
        raise unclear(source, "text", sample)
    chosen = tuple(name for name in texts if name is not None)
    return chosen, [f"text: {spell_columns(chosen, has_header)}"]


def leave_out(sample: FirstCells, names: Iterable[str | None]) -> FirstCells:
    """The columns without these.

    >>> leave_out({"id": ["1"], "text": ["So"]}, ["id", None])
    {'text': ['So']}
    """
    taken = set(names)
    return {name: cells for name, cells in sample.items() if name not in taken}


def check_names(source: str, names: Collection[str], options: ReadOptions) -> None:
    """Raise BadSource if a column that was asked for does not exist."""
    for option, name in [*options.named, *(("columns", name) for name in options.columns)]:
        if name not in names:
            raise MissingColumn(
                f"{source} has no column {name!r}: it has {spell_names(list(names))}. Name one of these with --{option}.", name
            )


def check_unique(source: str, names: Sequence[str]) -> None:
    """Raise BadSource if two columns have the same name. Several may have an empty name."""
    found: set[str] = set()
    for name in filter(None, names):
        if name in found:
            raise BadSource(f"{source} has two columns {name!r}: rename one, so that it is clear which is meant.")
        found.add(name)


def unclear(source: str, field: str, sample: FirstCells) -> BadSource:
    return BadSource(
        f"{source}: it is not clear which column is the {field}: {spell_names(list(sample))}. Name it with --{field}."
    )


def blank_beginning(place: str) -> BadSource:
    """The error for a source whose first block holds only blank lines: a pipe can't be read further just to guess."""
    return BadSource(f"{place}: only blank lines come before it, so the columns are unknown. Remove the blank lines.")


def spell_names(names: Sequence[str]) -> str:
    """The first names, for a message.

    >>> spell_names(["id", "text"]), spell_names([])
    ("'id', 'text'", 'none')
    """
    shown = [repr(name) for name in names[:20]] + (["…"] if len(names) > 20 else [])
    return ", ".join(shown) or "none"


def spell_columns(names: Sequence[str], has_header: bool) -> str:
    """The columns that were chosen, for a message.

    >>> spell_columns(["review"], True), spell_columns(["2", "3"], False)
    ("column 'review'", 'columns 2 and 3')
    """
    spelled = [repr(name) if has_header else name for name in names]
    return f"column {spelled[0]}" if len(names) == 1 else f"columns {' and '.join(spelled)}"


def guess_text(sample: FirstCells) -> str | None:
    """The column that is named like a text, or else the one with the longest cells on average; None if that is unclear.

    >>> guess_text({"Review": ["Fine."], "stars": ["5"]}), guess_text({"a": ["ham", "spam"], "b": ["See you", "Buy"]})
    ('Review', 'b')
    """
    if found := find_name(sample, TEXT_NAMES):
        return found
    if len(sample) == 1:
        return next(iter(sample))
    lengths = sorted(((mean_length(cells), name) for name, cells in sample.items() if holds_text(cells)), reverse=True)
    is_clear = lengths and (len(lengths) == 1 or lengths[0][0] > lengths[1][0])
    return lengths[0][1] if is_clear else None


def guess_label(sample: FirstCells) -> str | None:
    """The column that is named like a label, or else the one with the fewest different cells; None if that is unclear.

    >>> guess_label({"id": ["1", "2", "3", "4"], "kind": ["a", "b", "a", "b"]})
    'kind'
    """
    if found := find_name(sample, LABEL_NAMES):
        return found
    n_different = {name: len(set(map(str, cells))) for name, cells in sample.items() if repeats(cells)}
    several = [name for name, n in n_different.items() if n > 1]
    if several:
        fewest = min(n_different[name] for name in several)
        several = [name for name in several if n_different[name] == fewest]
    candidates = several or list(n_different)
    return candidates[0] if len(candidates) == 1 else None


def is_label_first(sample: FirstCells) -> bool:
    """Whether the table has the form of well-known benchmark files: "3","title","text", without a header.

    >>> is_label_first({"1": ["3", "4"], "2": ["Oil up", "Goal!"], "3": ["It rose.", "They won."]})
    True
    """
    first, *others = sample.values()
    is_number = all(str(cell).isdecimal() for cell in first)
    are_texts = all(holds_text(cells) and len(set(cells)) > len(cells) / 2 for cells in others)
    return len(others) > 1 and (is_number or repeats(first)) and are_texts


def find_name(sample: FirstCells, names: Sequence[str]) -> str | None:
    """The column with the first of these names that occurs; upper and lower case are the same."""
    spelled = {name.strip().casefold(): name for name in reversed(list(sample))}
    return next((spelled[name] for name in names if name in spelled), None)


def repeats(cells: Sequence[Any]) -> bool:
    """Whether the cells repeat a few values; True if there are too few cells to tell."""
    n_different = len(set(map(str, cells)))
    return len(cells) < 4 or n_different <= len(cells) / 2


def holds_text(cells: Sequence[Any]) -> bool:
    """Whether any cell is a string that is not a number."""
    return any(isinstance(cell, str) and not is_numeral(cell) for cell in cells)


def is_numeral(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return not cell.strip()
    return True


def mean_length(cells: Sequence[Any]) -> float:
    texts = [cell for cell in cells if not is_missing(cell)]
    return sum(len(str(cell)) for cell in texts) / max(len(texts), 1)

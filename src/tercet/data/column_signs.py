"""What the cells of a column look like: words or numbers, dates or names, many values or few."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tercet.data.raw_rows import spell_label
from tercet.errors import is_missing

NESTED = "nested"  # the form of lists and objects
MIN_SHARE_OF_FORM = 0.9  # the share of cells that must have a form
MIN_SHARE_OF_DIFFERENT = 0.3  # the share of different texts in a column of texts is larger
MIN_CELLS = 10  # with fewer cells, repeats say little
MAX_LABEL_WORDS = 8  # in a label, on average
MAX_DIFFERENT_LABELS = 50  # different values: more than most sets of labels have
MAX_EXAMPLE_LENGTH = 24  # characters
LONG_WORD = 12  # characters

MONTHS = r"jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|ene|abr|ago|set|out|fev|gen|mag|giu|lug|ott|dic"
DAYS = r"mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so"
FORMS = {
    "date": re.compile(
        rf"(?:(?:{DAYS})[a-z]*\.?,? )?(?:\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}|\d{{1,2}}\.? (?:{MONTHS})[a-z]*\.?,? \d{{2,4}}"
        rf"|(?:{MONTHS})[a-z]*\.? \d{{1,2}},? \d{{4}}|\d{{4}}-\d{{2}})(?:[t ,].*)?|\d{{1,2}}:\d{{2}}(?::\d{{2}}.*)?",
        re.IGNORECASE,
    ),
    "number": re.compile(r"[-+]?[$€£]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?\s?[%$€£]?"),
    "address": re.compile(r"\S+@\S+\.\w+|.{0,80}<\S+@\S+>|\w+://\S+|www\.\S+|\+?[\d ()/.-]{7,}"),
    "code": re.compile(r"(?=\S*\d)(?=\S*[^\W\d]|\S*-)[\w.:#/-]{1,40}|[0-9a-fA-F]{12,}"),
    "person": re.compile(r"[^\W\d_a-z][\w'’-]+,? (?:[^\W\d_a-z]\.? )?[^\W\d_a-z][\w'’-]+"),
}
LETTERS = re.compile(r"[^\W\d_]")
WHOLE = re.compile(r"[-+]?\d+(?:\.0+)?")


@dataclass(frozen=True)
class ColumnSigns:
    """The signs of a column, from a sample of its cells."""

    n: int  # cells that are not blank
    missing: float  # the share of blank cells
    n_different: int  # different values
    words: float  # words in a cell, on average over all cells
    form: str | None  # "date", "number", "fraction", "address", "code", "person", "nested"; None for other cells
    examples: tuple[str, ...]  # the first two different values

    @classmethod
    def of(cls, cells: Sequence[Any]) -> "ColumnSigns":
        """
        >>> signs = ColumnSigns.of(["spam", "ham", "spam", ""])
        >>> signs.n, signs.missing, signs.n_different, signs.form, signs.examples
        (3, 0.25, 2, None, ('spam', 'ham'))
        >>> ColumnSigns.of(["2024-05-01", "2024-05-01"]).form, ColumnSigns.of(["T-19", "T-20"]).form
        ('date', 'code')
        """
        if sum(isinstance(cell, list | dict) for cell in cells) > len(cells) / 2:
            return cls(len(cells), 0.0, len(cells), 0.0, NESTED, ())
        spelled = [spell_cell(cell) for cell in cells]
        values = [value for value in spelled if value]
        different = Counter(values)
        n_words = sum(count_words(value) for value in values)
        return cls(
            n=len(values),
            missing=1 - len(values) / len(cells) if cells else 0.0,
            n_different=len(different),
            words=n_words / max(len(cells), 1),
            form=detect_form(different),
            examples=tuple(shorten_example(value) for value in islice(different, 2)),
        )

    @property
    def repeats(self) -> bool:
        """Whether the cells repeat a few values, as labels do. True if there are too few cells to tell."""
        if self.n < MIN_CELLS:
            return self.n < 4 or self.n_different <= self.n / 2
        return self.n_different <= self.n / 2 if self.n < 4 * MIN_CELLS else self.n_different <= max(2 * MIN_CELLS, self.n / 6)

    @property
    def is_unique(self) -> bool:
        """Whether nearly every cell has its own value, so that it is not a label."""
        return self.n >= 2 * MIN_CELLS and self.n_different > MIN_SHARE_OF_FORM * self.n

    @property
    def is_constant(self) -> bool:
        return self.n >= 4 and self.n_different == 1

    @property
    def varies(self) -> bool:
        """Whether the cells differ as texts do. True if there are too few cells to tell."""
        return self.n < MIN_CELLS or self.n_different > MIN_SHARE_OF_DIFFERENT * self.n

    @property
    def could_be_text(self) -> bool:
        """Whether the cells could be texts, if the name says so: strings with letters."""
        return self.form in (None, "person") and self.missing < 1

    @property
    def looks_like_text(self) -> bool:
        """Whether the cells look like texts without the help of a name."""
        return self.could_be_text and self.form is None and self.varies

    @property
    def could_be_label(self) -> bool:
        """Whether the cells could be labels, if the name says so."""
        is_odd = self.form in ("date", "address", NESTED) or (self.form == "fraction" and self.n_different > 2 * MIN_CELLS)
        return self.missing < 1 and not is_odd and self.words <= MAX_LABEL_WORDS and not self.is_unique

    @property
    def looks_like_label(self) -> bool:
        """Whether the cells look like labels without the help of a name."""
        is_odd = self.form == "person" or (
            self.form in ("code", "number", "fraction") and self.n_different > MAX_DIFFERENT_LABELS
        )
        return self.could_be_label and self.repeats and not is_odd


def spell_cell(cell: Any) -> str:
    """The cell as a string without blanks around it; empty if it is missing."""
    return "" if is_missing(cell) else spell_label(cell).strip()


def shorten_example(value: str) -> str:
    """The beginning of a value, for a message.

    >>> shorten_example("spam"), shorten_example("My parcel\\nis not here"), shorten_example("so la mi do " * 9)
    ('spam', 'My parcel …', 'so la mi do so la mi do…')
    """
    line, _, more = value.partition("\n")
    return f"{line[: MAX_EXAMPLE_LENGTH - 1]}…" if len(line) > MAX_EXAMPLE_LENGTH else line + " …" * bool(more)


def count_words(value: str) -> float:
    """The number of words. Some scripts have no blanks between words, so a long text has several words in any case."""
    return max(len(value.split()), len(value) / LONG_WORD)


def detect_form(different: "Counter[str]") -> str | None:
    """The form that most of the cells have. Each value is looked at once."""
    n = sum(different.values())
    for form, pattern in FORMS.items():
        if n and _count(different, pattern) >= MIN_SHARE_OF_FORM * n:
            is_fraction = form == "number" and _count(different, WHOLE) < MIN_SHARE_OF_FORM * n
            return "fraction" if is_fraction else form
    return None if not n or _count(different, LETTERS, search=True) else "code"


def _count(different: "Counter[str]", pattern: "re.Pattern[str]", *, search: bool = False) -> int:
    found = pattern.search if search else pattern.fullmatch
    return sum(n for value, n in different.items() if found(value[:200]))


def is_numeral(cell: str) -> bool:
    """Whether the cell is a number, or blank."""
    try:
        float(cell)
    except ValueError:
        return not cell.strip()
    return True


def mean_length(cells: Iterable[Any]) -> float:
    """Characters in a cell, on average, without missing cells."""
    texts = [cell for cell in cells if not is_missing(cell)]
    return sum(len(str(cell)) for cell in texts) / max(len(texts), 1)

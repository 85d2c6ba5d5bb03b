"""The content of a report as text in tables, before it gets a form; rows as lines of CSV or JSON; the signature of a number.

A spreadsheet opens these lines without running what is in them. A signature is the recipe with which anyone can repeat the
number beside it.
"""

import csv
import io
import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tercet.characters import show_text
from tercet.evaluation.intervals import Estimate, format_rounded

if TYPE_CHECKING:
    from tercet.evaluation.resampling import Resampling

# What a spreadsheet may take for a formula: one of these signs, also after blanks, and something after it; or a tab or a
# carriage return at the beginning. The wide signs of East Asian keyboards count, too. A sign alone is a common label.
FORMULA = re.compile(r"[\s\0\ufeff]*[=+\-@＝＋－＠](?!\Z)|[\t\r]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def name_apart(names: Iterable[str], taken: Iterable[str], prefix: str) -> dict[str, str]:
    """Each name as it is written: with the prefix if one of the taken columns has the same name.

    >>> name_apart(["gold", "text"], ["id", "text"], "tested")
    {'gold': 'gold', 'text': 'tested_text'}
    >>> name_apart(["label"], ["label", "predicted_label"], "predicted")
    {'label': 'predicted_predicted_label'}
    """
    others, written = set(taken), {}
    for name in names:
        free = name
        while free in others:
            free = f"{prefix}_{free}"
        written[name] = free
    return written


def join_cells(cells: Iterable[Any], delimiter: str = ",") -> str:
    r"""A line of CSV. None is an empty cell.

    >>> join_cells(["a\rb", None, "c"])
    '"a\rb",,c\n'
    """
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter).writerow(
        cells
    )  # a cell with a character of the line's end is quoted, so let it be \r\n
    return line.getvalue().removesuffix("\r\n") + "\n"


def defuse_formula(value: str) -> str:
    """The value with an apostrophe before it if a spreadsheet would take it for a formula. Numbers stay as they are.

    >>> [defuse_formula(value) for value in ("=cmd()", " @SUM(A1)", "-1.5", "+", "a - b")]
    ["'=cmd()", "' @SUM(A1)", '-1.5', '+', 'a - b']
    """
    return f"'{value}" if FORMULA.match(value) and not NUMBER.fullmatch(value) else value


def restore_formula(value: str) -> str:
    """The value without the apostrophe that `defuse_formula` has put before it.

    >>> [restore_formula(value) for value in ("'=cmd()", "'tis so", "-1.5")]
    ['=cmd()', "'tis so", '-1.5']
    """
    return value[1:] if value.startswith("'") and defuse_formula(value[1:]) == value else value


def write_object(row: Mapping[str, Any]) -> str:
    """A line of JSON; JSON knows its values."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


Cells = tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """A table: title, column names, rows. The first column has names, the others have numbers."""

    title: str
    header: Cells
    rows: tuple[Cells, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", show_text(self.title))
        object.__setattr__(self, "header", show_texts(self.header))
        object.__setattr__(self, "rows", tuple(map(show_texts, self.rows)))


@dataclass(frozen=True)
class Sheet:
    """A headline, tables, the notes below them, and the signature."""

    headline: str
    grids: tuple[Grid, ...]
    notes: tuple[str, ...]
    signature: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "headline", show_text(self.headline))
        object.__setattr__(self, "notes", show_texts(self.notes))
        object.__setattr__(self, "signature", show_text(self.signature))


def show_texts(texts: Iterable[str]) -> Cells:
    """The texts made safe to show, in every form: labels and names may hold anything."""
    return tuple(map(show_text, texts))


_UNDEFINED = re.compile(r"undefined in \d+ of \d+ resamples")


class Footnotes:
    """Numbered notes, each listed once, in the order of their first use.

    >>> notes = Footnotes()
    >>> notes.mark("few documents"), notes.mark("skewed"), notes.mark("few documents"), notes.mark("")
    ('¹', '²', '¹', '')
    """

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}

    def mark(self, text: str) -> str:
        if not text:
            return ""
        self.texts.setdefault(text)
        number = str(list(self.texts).index(text) + 1)
        return number.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))

    def list(self) -> list[str]:
        return [f"{self.mark(text)} {text}" for text in self.texts]


def show_number(value: float, sign: str = "") -> str:
    """
    >>> show_number(0.61549), show_number(float("nan")), show_number(0.2, "+"), show_number(0.99996)
    ('0.615', '–', '+0.200', '0.99996')
    """
    return "–" if math.isnan(value) else format_rounded(value, f"{sign}.3f")


def show_estimate(estimate: "Estimate", notes: Footnotes | None = None, sign: str = "") -> str:
    """
    >>> from tercet.evaluation.intervals import Estimate
    >>> show_estimate(Estimate(0.5, 0.4, 0.6, 0.95, "wilson"))
    '0.500 [0.400, 0.600]'
    """
    # The number of resamples differs from label to label: without it hundreds of labels share one note.
    mark = notes.mark(_UNDEFINED.sub("undefined in some resamples", estimate.note)) if notes else ""
    if math.isnan(estimate.low):
        return show_number(estimate.value, sign) + mark
    low, high = (show_number(bound, sign) for bound in (estimate.low, estimate.high))
    return f"{show_number(estimate.value, sign)} [{low}, {high}]{mark}"


def show_improbable(probability: float, n_digits: int = 1) -> str:
    """A small probability. Below a thousandth no model knows it.

    >>> show_improbable(0.0123), show_improbable(2e-174), show_improbable(0.0123, 2)
    ('0.01', '<0.001', '0.012')
    """
    return f"{probability:.{n_digits}g}" if probability >= 0.001 else "<0.001"


def pluralize(n: int, noun: str) -> str:
    """The number with its noun.

    >>> pluralize(1, "document"), pluralize(20, "label")
    ('1 document', '20 labels')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def show_count(value: float) -> str:
    """
    >>> show_count(25000.0), show_count(2.5)
    ('25000', '2.5')
    """
    return f"{value:.0f}" if value == round(value) else f"{value:.4g}"


def write_signature(
    names: Sequence[str], n: int, estimates: Iterable[Estimate], plan: "Resampling | None", **more: object
) -> str:
    """Without a plan nothing is resampled.

    >>> from tercet.evaluation.resampling import Resampling
    >>> write_signature(["accuracy"], 25000, [Estimate(0.9, 0.88, 0.92, 0.95, "wilson")], Resampling())
    'accuracy|n:25000|interval:wilson95|resamples:10000|seed:0|tercet:0.2.0'
    """
    version = sys.modules["tercet"].__version__  # not imported: tercet itself imports this package
    methods = "+".join(dict.fromkeys(f"{each.method}{100 * each.confidence:g}" for each in estimates))
    parts = [f"{name}:{value}" for name, value in more.items() if value]
    drawn = [] if plan is None else [f"resamples:{plan.resamples}", f"seed:{plan.seed}"]
    return "|".join(["+".join(names), f"n:{n}", *parts, f"interval:{methods}", *drawn, f"tercet:{version}"])

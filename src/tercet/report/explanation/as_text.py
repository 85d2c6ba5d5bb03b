"""An explanation as text: a table whose rows add up to the score, and the text itself with colours for a terminal."""

from collections.abc import Sequence
from typing import NamedTuple

from tercet.characters import measure_columns, show_line, show_text
from tercet.errors import bad_option
from tercet.report.explanation.arithmetic import Step
from tercet.report.explanation.evidence import FAINT, Evidence, Highlight, Section, Span, add_up, find_section, split_text
from tercet.text.layout import spell_name

MAX_SPANS = 3
N_UNKNOWN = 10
HEADING = "how the values are computed"
IMPOSSIBLE = "The text is impossible under both labels, so only the prior decides. A smoothing above 0 avoids this."

# Each step is more visible than the one before, on dark and on light backgrounds: coloured letters, bold letters, a coloured
# background, a brighter one. Blue and orange differ for colour-blind readers, too. Evidence against is also underlined.
FOR = ("38;5;33", "1;38;5;33", "38;5;231;48;5;25", "1;38;5;231;48;5;27")
AGAINST = ("4;38;5;166", "1;4;38;5;166", "4;38;5;231;48;5;130", "1;4;38;5;16;48;5;208")


class Headline(NamedTuple):
    """The decision in one line."""

    label: str
    against: str
    score: float
    probability: float
    is_calibrated: bool = False
    rule: str = ""  # what to say of the rule that has decided
    is_impossible: bool = False  # under both labels
    overall: float | None = None  # the probability among all labels, if there are more than two
    n_labels: int = 2

    @property
    def verdict(self) -> str:
        name = "calibrated probability" if self.is_calibrated else "probability"
        shown = f"{show_value(self.score)} ({name} {self._show_probabilities()})"
        return f"{shown}. {IMPOSSIBLE}" if self.is_impossible else shown

    def _show_probabilities(self) -> str:
        of_two = show_probability(self.score, self.probability)
        if self.overall is None:
            return of_two
        # Against a label that is impossible the score is infinite, and other labels are still possible.
        of_all = show_probability(min(self.score, 0.0), self.overall)
        return f"{of_all} among all {self.n_labels} labels, {of_two} between these two"

    @property
    def sum_name(self) -> str:
        return "score of the prior" if self.is_impossible else "sum"

    def __str__(self) -> str:
        return (f"{self.rule}\n" if self.rule else "") + f"label {self.label} against {self.against}: {self.verdict}"


class EvidenceRow(NamedTuple):
    """A line of the table, ready to be shown except for its number."""

    value: float
    term: str
    places: str  # the spans, counted inside their columns
    is_rest: bool = False
    columns: str = ""  # the columns of the text that the term is in
    is_part: bool = False  # whether it is a part of the row above it, whose value includes it


def list_rows(
    prior: float,
    evidence: Sequence[Evidence],
    n: int,
    sections: Sequence[Section] = (Section("", 0, 0),),
    *,
    detail: bool = False,
) -> list[EvidenceRow]:
    """The prior, the first n items of the evidence, and one row for all others. With `detail`, the parts of each item.

    >>> rows = list_rows(-0.5, [Evidence("hen", ((4, 7),), 2.0), Evidence("a", (), 0.25), Evidence("b", (), 0.5)], n=1)
    >>> [(row.value, row.term, row.places) for row in rows]
    [(-0.5, '(prior)', ''), (2.0, 'hen', '4:7'), (0.75, '… 2 more', '')]
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 0:
        raise bad_option("n", "an int >= 0", n, "it is the number of terms in the table; the rest is summed up.")
    rows = [EvidenceRow(prior, "(prior)", "")]
    for item in evidence[:n]:
        rows.append(_make_row(item, sections))
        if detail:
            rows += [_make_row(part, sections)._replace(is_part=True) for part in item.parts[:n]]
            rows += [row._replace(is_part=True) for row in _sum_rest(item.parts[n:])]
    return rows + _sum_rest(evidence[n:])


def _sum_rest(rest: Sequence[Evidence]) -> list[EvidenceRow]:
    return [EvidenceRow(add_up(item.value for item in rest), f"… {len(rest)} more", "", is_rest=True)] if rest else []


def _make_row(item: Evidence, sections: Sequence[Section]) -> EvidenceRow:
    own = [find_section(sections, span) for span in item.spans]
    inside = [(start - section.start, end - section.start) for (start, end), section in zip(item.spans, own, strict=True)]
    names = dict.fromkeys(show_line(section.name) for section in own if section.name)
    prefix = f"{spell_name(own[0].name)}:" if len(names) == 1 else ""  # of the terms of a column, if terms know theirs
    term = item.term.removeprefix(prefix).replace(f" {prefix}", " ") if prefix and item.term.startswith(prefix) else item.term
    return EvidenceRow(item.value, show_line(term), _show_spans(inside), columns=", ".join(names))


def write_table(headline: Headline, rows: Sequence[EvidenceRow], note: str) -> str:
    """The rows in columns, with the headline above, and the sum and a note below."""
    # The value of a part stands beside its name: the numbers below each other are those that add up to the sum.
    values = ["" if row.is_part else show_value(row.value) for row in rows]
    n_part = max((len(show_value(row.value)) for row in rows if row.is_part), default=0)
    terms = [f"  {show_value(row.value):>{n_part}} {row.term}" if row.is_part else row.term for row in rows]
    total = show_value(headline.score)
    n_value = max(map(len, [*values, total, "value"]))
    n_term = max(map(measure_columns, terms))
    n_column = max((measure_columns(row.columns) for row in rows if row.columns), default=0)
    heads = [
        ("value", "term", "column", "places"),
        *((v, term, row.columns, row.places) for v, term, row in zip(values, terms, rows, strict=True)),
    ]
    lines = [
        f"{value:>{n_value}}  {_pad(term, n_term)}  {_pad(column, max(n_column, 6)) + '  ' if n_column else ''}{places}"
        for value, term, column, places in heads
    ]
    lines += ["─" * n_value, f"{total:>{n_value}}  {headline.sum_name}"]
    return "\n".join(line.rstrip() for line in [str(headline), "", *lines, *([note] if note else [])])


def write_steps(steps: Sequence[Step], notes: Sequence[str]) -> str:
    """How the values are computed: the name and the formula of each, and the notes below.

    >>> print(write_steps([Step("(prior)", None, 0.5), Step("sum", None, 0.5)], ["Nothing is computed."]))
    how the values are computed
    (prior)  +0.500000
    sum      +0.500000
    Nothing is computed.
    """
    names = [show_line(step.name) for step in steps]
    width = max(map(measure_columns, names))
    lines = [f"{_pad(name, width)}  {step.to_text()}" for name, step in zip(names, steps, strict=True)]
    return "\n".join([HEADING, *lines, *map(show_text, notes)])


def write_note(unknown: Sequence[str]) -> str:
    """
    >>> write_note(["spelt", "emmer"])
    'unknown to the model: spelt · emmer'
    """
    if not unknown:
        return ""
    shown = " · ".join(map(show_line, unknown[:N_UNKNOWN]))
    more = len(unknown) - N_UNKNOWN
    return f"unknown to the model: {shown}" + (f" · … {more} more" if more > 0 else "")


def paint_text(text: str, highlights: Sequence[Highlight], sections: Sequence[Section] = ()) -> str:
    r"""The text with escape sequences for its colours. Escape sequences of the text itself are made visible.

    Each column is on lines of its own, after its name.

    >>> paint_text("so bitter", [Highlight(3, 9, 1.5)])
    'so \x1b[1;38;5;231;48;5;27mbitter\x1b[0m'
    """
    painted = (
        (name, "".join(_paint(show_text(piece.text), piece.value, piece.strength) for piece in pieces))
        for name, pieces in split_text(text, highlights, sections)
    )
    return "\n".join(f"{show_line(name)}: {part}" if name else part for name, part in painted)


def show_value(value: float) -> str:
    """
    >>> show_value(3.214), show_value(-float("inf")), show_value(float("nan")), show_value(-2e9)
    ('+3.21', '-inf', 'nan', '-2e+09')
    """
    if value != value:
        return "nan"
    return f"{value:+.2f}" if abs(value) < 1e6 else f"{value:+.3g}"


def show_probability(score: float, probability: float) -> str:
    """Three digits. Only infinite scores are shown as 1 or 0; no other probability is rounded to these.

    >>> show_probability(3.2, 0.9608), show_probability(40.0, 1.0), show_probability(float("-inf"), 0.0)
    ('0.961', '>0.999', '0')
    """
    if score in (float("inf"), float("-inf")):
        return f"{probability:.0f}"
    if probability >= 0.9995:
        return ">0.999"
    return "<0.001" if probability < 0.0005 else f"{probability:.3f}"


def _show_spans(spans: Sequence[Span]) -> str:
    shown = " ".join(f"{start}:{end}" for start, end in spans[:MAX_SPANS])
    return shown + (f" … {len(spans) - MAX_SPANS} more" if len(spans) > MAX_SPANS else "")


def _pad(line: str, n_columns: int) -> str:
    return line + " " * (n_columns - measure_columns(line))


def _paint(piece: str, value: float, strength: float) -> str:
    if strength < FAINT:
        return piece
    colors = AGAINST if value < 0 else FOR
    color = colors[min(int(strength * len(colors)), len(colors) - 1)]
    # Line by line: a background that is still on at a line feed would be painted up to the edge of the terminal.
    return "\n".join(f"\x1b[{color}m{line}\x1b[0m" if line else "" for line in piece.split("\n"))

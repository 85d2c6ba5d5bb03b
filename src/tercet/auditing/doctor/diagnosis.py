"""The diagnosis of documents: all findings about them, as text, HTML, JSON and a data frame.

Each finding has a kind, which says how severe it is, what was looked for, and what to do.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, NamedTuple

from tercet.characters import show_line
from tercet.counts.labels import ONE_EACH
from tercet.data_frames import make_frame
from tercet.evaluation.intervals import Estimate
from tercet.html_fragments import write_frame, write_heading, write_note, write_table
from tercet.report.forms import simplify
from tercet.report.tables import pluralize

MAX_SHOWN = 3  # findings of a kind that are shown as text
MAX_ON_PAGE = 100  # findings of a kind that a page shows
MAX_OTHERS = 3  # other documents that a sentence names
AMBIGUOUS = "Texts that read like another label count, too: no model can tell them from texts with a wrong label."
MAX_LENGTH = 60  # characters of a text in a line
MAX_LENGTH_ON_PAGE = 300  # characters of a text on a page


@dataclass(frozen=True)
class Place:
    """Where a document is: `part` is "data" or "test", `position` counts its documents from 0.

    `row` is the row of its table as a spreadsheet counts rows: the header is row 1. Documents in memory have no file.

    >>> print(Place("data", 3, "reviews.csv", 5), "and", Place("test", 3))
    reviews.csv, row 5 and test document 3
    """

    part: str
    position: int | None  # None for a row that is not a document
    file: str = ""
    row: int | None = None

    def __str__(self) -> str:
        if not self.file:
            return f"{'test ' if self.part == 'test' else ''}document {self.position}"
        return self.file if self.row is None else f"{self.file}, row {self.row}"


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, or may be wrong, with a document. `others` are the documents that it was compared with.

    Findings of a kind are sorted by `strength`, which is at most 1: how sure the finding is, such as a similarity.
    """

    kind: str
    severity: str  # high, medium or low
    place: Place
    label: Any  # of the document; None if it has none
    beginning: str  # of the text
    sentence: str
    remedy: str
    others: tuple[Place, ...] = ()
    strength: float = 1.0

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; the place is spread out."""
        own = {name: getattr(self, name) for name in ("label", "beginning", "sentence", "remedy", "strength")}
        first = {"kind": self.kind, "severity": self.severity, **asdict(self.place)}
        simple: dict[str, Any] = simplify({**first, **own, "others": [asdict(other) for other in self.others]})
        return simple


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """What `examine` has found: the most severe findings first, then by kind, strength and position.

    - `examined`: what was examined, in words.
    - `not_found`: what was looked for and not found.
    - `not_checked`: what was not looked for, and why.
    - `n_label_errors`: how many labels of the data are probably wrong, with an interval; None if that was not estimated.
    """

    findings: tuple[Finding, ...]
    examined: str
    not_found: tuple[str, ...] = ()
    not_checked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    n_label_errors: Estimate | None = None

    @property
    def counts(self) -> dict[str, int]:
        """The number of findings of each kind, the most severe kind first."""
        return dict(Counter(finding.kind for finding in self.findings))

    def of_kind(self, kind: str) -> tuple[Finding, ...]:
        """The findings of this kind."""
        return tuple(finding for finding in self.findings if finding.kind == kind)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        own = {
            name: getattr(self, name) for name in ("examined", "counts", "notes", "not_found", "not_checked", "n_label_errors")
        }
        simple: dict[str, Any] = simplify(own)
        return simple | {"findings": [finding.to_dict() for finding in self.findings]}

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each finding; `others` are names of places in one text."""
        rows = [finding.to_dict() | {"others": "; ".join(map(str, finding.others))} for finding in self.findings]
        places = ("part", "position", "file", "row")
        names = ("kind", "severity", *places, "label", "beginning", "sentence", "remedy", "strength", "others")
        return make_frame({name: [row[name] for row in rows] for name in names})

    def to_text(self, page: str | None = None) -> str:
        """The number of findings of each kind, and the first few of them. `page` is the file that `to_html` was written to."""
        where = ": --html FILE, or --json" if page is None else f" in {show_line(page, 200)}"
        return "\n".join([self.headline, *self._list_kinds(where), "", *self._list_remarks()])

    def to_html(self) -> str:
        """A `<div>` that fits into any page and needs nothing else: no script, no style sheet, no network."""
        tables = (part for kind, found in self._group() for part in self._write_kind(kind, found))
        return write_frame(write_heading(self.headline), *tables, *map(write_note, self._list_remarks()))

    @property
    def headline(self) -> str:
        """What was examined, and how many findings there are."""
        n = pluralize(len(self.findings), "finding")
        return f"{self.examined}: {n}{f' of {len(self.counts)} kinds' if len(self.counts) > 1 else ''}"

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()

    def _group(self) -> Iterator[tuple[str, list[Finding]]]:
        return ((kind, list(found)) for kind, found in groupby(self.findings, lambda finding: finding.kind))

    def _name_place(self, place: Place) -> str:
        """Where a document is. The file of a row is left out if the headline names it as the only file of its part."""
        if place.row is None or not any(part.startswith(f"{place.file} (") for part in self.examined.split("; test: ")):
            return show_line(place, 200)
        return f"{'test ' if place.part == 'test' else ''}row {place.row}"

    def _list_kinds(self, where: str) -> Iterator[str]:
        for kind, found in self._group():
            yield f"\n{kind}: {len(found)} (severity: {found[0].severity})"
            yield from (f"  {show_finding(finding, self._name_place(finding.place))}" for finding in found[:MAX_SHOWN])
            if len(found) > MAX_SHOWN:
                yield f"  … {len(found) - MAX_SHOWN} more{where}"
            yield f"  Remedy: {found[0].remedy}"

    def _write_kind(self, kind: str, found: Sequence[Finding]) -> Iterator[str]:
        """The heading, the remedy and the table of the findings of a kind."""
        rows = [
            (
                self._name_place(finding.place).replace("row ", "row\N{NO-BREAK SPACE}"),
                "" if finding.label is None else show_line(finding.label),
                show_line(finding.beginning, MAX_LENGTH_ON_PAGE) if finding.beginning else "",
                show_line(finding.sentence, 500),
            )
            for finding in found[:MAX_ON_PAGE]
        ]
        yield write_heading(f"{kind}: {len(found)} (severity: {found[0].severity})")
        yield write_note(found[0].remedy)
        yield write_table(("where", "label", "text", "finding"), rows, numbers=())
        yield write_note(f"… {len(found) - MAX_ON_PAGE} more: --json" if len(found) > MAX_ON_PAGE else "")

    def _list_remarks(self) -> Iterator[str]:
        yield from self.notes
        if self.n_label_errors is not None:
            note = f" ({self.n_label_errors.note})" if self.n_label_errors.note else ""
            yield f"Labels that are probably wrong: {self.n_label_errors:.0f}{note}. {AMBIGUOUS}"
        if self.not_found:
            yield f"Looked for and not found: {'; '.join(self.not_found)}."
        if self.not_checked:
            yield f"Not looked for: {'; '.join(self.not_checked)}."


def show_finding(finding: Finding, where: str) -> str:
    """The finding in one line.

    >>> place = Place("data", 3, "reviews.csv", 5)
    >>> print(show_finding(Finding("short text", "low", place, "good", "Yes", "It has one word.", "Look at it."), "row 5"))
    row 5 [good] 'Yes': It has one word.
    """
    label = "" if finding.label is None else f" [{show_line(finding.label)}]"
    text = f" '{show_line(finding.beginning, MAX_LENGTH)}'" if finding.beginning else ""
    return f"{where}{label}{text}: {show_line(finding.sentence, 500)}"


def name_places(places: Sequence[Place], beside: Place) -> str:
    """The first places, and how many more there are. The file of a row is left out if it is that of the place beside.

    >>> name_places([Place("data", n) for n in range(1, 6)], Place("data", 0))
    'document 1, document 2, document 3 and 2 more'
    >>> name_places([Place("data", 1, "a.csv", 3), Place("data", 9, "b.csv", 3)], Place("data", 0, "a.csv", 2))
    'row 3, b.csv, row 3'
    """
    more = f" and {len(places) - MAX_OTHERS} more" if len(places) > MAX_OTHERS else ""
    return ", ".join(_name_beside(place, beside) for place in places[:MAX_OTHERS]) + more


def _name_beside(place: Place, beside: Place) -> str:
    return f"row {place.row}" if place.row is not None and place.file == beside.file else str(place)


BAD_ROW = "bad row"
LEAKED_TEXT, LEAKED_ID, NEAR_LEAK = "leaked text", "leaked id", "near leak"
TELLING_TERM, TELLING_COLUMN = "telling term", "telling column"
CONTRADICTION, NEAR_CONTRADICTION, COPY, NEAR_COPY = "contradiction", "near contradiction", "copy", "near copy"
LABEL_ERROR, LABEL_VARIANT, JOINED_LABEL, UNKNOWN_LABEL = "label error", "label variant", "joined label", "unknown label"
RARE_LABEL, IMBALANCE = "rare label", "imbalance"
LEARNED_TEST, NEW_LABEL, UNLIKELY_LABEL = "learned test", "new label", "unlikely label"
EMPTY_TEXT, WRONG_DECODING = "empty text", "wrong decoding"
SHORT_TEXT, LONG_TEXT, UNRELATED_TEXT = "short text", "long text", "unrelated text"


class Kind(NamedTuple):
    """A kind of finding."""

    severity: str
    looked_for: str
    remedy: str


# The most severe first: in this order findings are listed.
KINDS = {
    LEAKED_TEXT: Kind(
        "high", "test texts that are in the data", "Remove it from the test documents: a score on them is too high otherwise."
    ),
    LEARNED_TEST: Kind(
        "high",
        "test documents that the model has learned",
        "Remove it from the test documents: a score of the model on them is too high otherwise.",
    ),
    LEAKED_ID: Kind("high", "test ids that are in the data", "Check whether it is the same document, and keep one of the two."),
    TELLING_TERM: Kind(
        "high",
        "a term that gives the label away",
        "Check where the term comes from. If new documents will not have it, remove it from the texts.",
    ),
    CONTRADICTION: Kind("high", "equal texts with different labels", "Decide which label is right, and correct the others."),
    BAD_ROW: Kind("high", "rows that can't be read", "Correct the row: it is left out."),
    TELLING_COLUMN: Kind(
        "medium",
        "a column that gives the label away",
        "Do not let a model learn from this column, unless new documents will have it before they have a label.",
    ),
    LABEL_ERROR: Kind("medium", "probable label errors", "Read the text and correct its label if it is wrong."),
    UNLIKELY_LABEL: Kind(
        "medium",
        "documents whose label the model finds improbable",
        "Read the text. If its label is right, let the model learn it.",
    ),
    NEW_LABEL: Kind(
        "medium",
        "labels that the model does not know",
        "Train a model on documents with this label, or replace the label (--map-labels).",
    ),
    NEAR_LEAK: Kind(
        "medium",
        "test texts that are nearly in the data",
        "Remove it from the test documents if both say the same.",
    ),
    NEAR_CONTRADICTION: Kind(
        "medium", "near copies with different labels", "Read the texts, and decide whether each label is right."
    ),
    LABEL_VARIANT: Kind(
        "medium", "labels in several spellings", "Use one spelling: see --map-labels and --fold-labels of tercet train."
    ),
    JOINED_LABEL: Kind("medium", "labels that join other labels", ONE_EACH),
    UNKNOWN_LABEL: Kind(
        "medium",
        "test labels that the data do not have",
        "Add such documents to the data, or remove them from the test.",
    ),
    RARE_LABEL: Kind(
        "medium", "labels with too few documents", "Add documents with this label, or join it with another label."
    ),
    EMPTY_TEXT: Kind("medium", "empty texts", "Remove the row, or fill in its text."),
    WRONG_DECODING: Kind(
        "medium", "wrongly decoded texts", "Read the file again in its own encoding (--encoding). --fix repairs what it can."
    ),
    COPY: Kind("low", "equal texts", "Keep one of them, unless the number of copies means something."),
    NEAR_COPY: Kind("low", "near copies", "Keep one of them, or keep them on one side of each split."),
    IMBALANCE: Kind("low", "an imbalance of the labels", "Look at recall and F1 of each label instead of accuracy."),
    SHORT_TEXT: Kind("low", "very short texts", "Check whether the text is complete."),
    LONG_TEXT: Kind("low", "very long texts", "Check whether several documents were joined, for example by a missing quote."),
    UNRELATED_TEXT: Kind(
        "low",
        "texts that share no word with another text",
        "Check its language and its encoding. A model learns little from it.",
    ),
}

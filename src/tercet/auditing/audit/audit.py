"""`audit`: whom a model treats differently. It ties performance by group, pairs of sentences and swapped terms together."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tercet.auditing.audit.groups import audit_groups
from tercet.auditing.audit.pairs import audit_pairs
from tercet.auditing.audit.swaps import audit_swaps
from tercet.auditing.audit.templates import TEMPLATE, fill_templates
from tercet.categorizer.predictor import Predictor
from tercet.characters import show_text
from tercet.data.document_batches import open_batches
from tercet.data_frames import make_frame
from tercet.errors import InvalidOption, bad_option
from tercet.html_fragments import escape_text, write_frame, write_heading, write_note
from tercet.report.forms import (
    Rendering,
    simplify,
    wants_color,
    write_latex,
    write_markdown,
    write_page,
    write_plain,
    write_terminal,
)
from tercet.report.tables import Grid, Sheet

if TYPE_CHECKING:
    from tercet.auditing.audit.groups import GroupAudit
    from tercet.auditing.audit.pairs import PairAudit
    from tercet.auditing.audit.swaps import SwapAudit

    AuditPart = GroupAudit | PairAudit | SwapAudit

MAX_FINDINGS = 10  # of each part that come first; further findings are notes of the part
PARTS = {"groups": "performance by group", "pairs": "pairs of sentences", "probe": "swapped terms"}


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Rendering):
    """The result of `tercet.audit`. A part that was not asked for is None.

    `findings` are the plain sentences of all parts. Each part corrects its p-values for all of its own tests.
    """

    groups: "GroupAudit | None" = None
    pairs: "PairAudit | None" = None
    probe: "SwapAudit | None" = None

    @property
    def parts(self) -> "dict[str, AuditPart]":
        """The parts that were asked for, by name."""
        return {name: part for name in PARTS if (part := getattr(self, name)) is not None}

    @property
    def findings(self) -> tuple[str, ...]:
        """Plain sentences, part by part, the most important first in each part."""
        return tuple(finding for part in self.parts.values() for finding in part.findings)

    @property
    def _first_findings(self) -> list[str]:
        return [finding for part in self.parts.values() for finding in part.findings[:MAX_FINDINGS]]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What one must know to read the findings, such as documents that were left out, or that the model has learned."""
        return tuple(remark for part in self.parts.values() for remark in part.remarks)

    @property
    def signature(self) -> str:
        """The parts and the version. The numbers of each part have a signature of their own."""
        version = sys.modules["tercet"].__version__  # not imported: tercet itself imports this package
        return f"audit|{'+'.join(self.parts)}|tercet:{version}"

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON: the findings, and each part, or None."""
        parts = {name: self.parts[name].to_dict() if name in self.parts else None for name in PARTS}
        simple: dict[str, Any] = simplify({"findings": self.findings, "remarks": self.remarks, "signature": self.signature})
        return simple | parts

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each number of each part. A column that a part lacks is empty."""
        frames = {name: part.to_frame() for name, part in self.parts.items()}
        names = dict.fromkeys(column for frame in frames.values() for column in frame.columns)
        filled: dict[str, list[Any]] = {"part": [name for name, frame in frames.items() for _ in range(len(frame))]}
        for column in names:
            filled[column] = [
                value
                for frame in frames.values()
                for value in (list(frame[column]) if column in frame.columns else [None] * len(frame))
            ]
        return make_frame(filled)

    def to_sheet(self) -> Sheet:
        """Findings and remarks. The tables are in the sheets of the parts."""
        headline = f"Audit: {', '.join(PARTS[name] for name in self.parts)}"
        findings = Grid("findings", ("findings",), tuple((finding,) for finding in self._first_findings))
        return Sheet(headline, (findings,), self.remarks, self.signature)

    def to_table(self) -> str:
        return self._join(write_plain)

    def to_terminal(self, *, color: bool | None = None) -> str:
        if not (wants_color() if color is None else color):
            return self.to_table()
        sheets = (self.to_sheet(), *self._list_sheets())
        return "\n\n".join(write_terminal(sheet, color=True) for sheet in sheets)

    def to_markdown(self) -> str:
        return self._join(write_markdown)

    def to_latex(self) -> str:
        return self._join(write_latex)

    def to_html(self) -> str:
        """A `<div>` that fits into any page: the findings, then each part with its pictures and tables."""
        listed = (
            f'<li style="overflow-wrap:anywhere"><bdi>{escape_text(finding)}</bdi></li>' for finding in self._first_findings
        )
        parts = (write_page(sheet, part._draw()) for sheet, part in zip(self._list_sheets(), self.parts.values(), strict=True))
        findings = "\n".join(["<ul>", *listed, "</ul>"])
        return write_frame(write_heading(self.to_sheet().headline), findings, *map(write_note, self.remarks), *parts)

    def _join(self, write: Callable[[Sheet], str]) -> str:
        """The findings and all parts. Each table has its title above it: a part has several tables."""
        parts = (piece for sheet in self._list_sheets() for piece in _cut_sheet(sheet))
        return "\n\n".join(map(write, (self.to_sheet(), *parts)))

    def _list_sheets(self) -> Iterator[Sheet]:
        """The sheet of each part without the findings and remarks that come first."""
        shown = set(map(show_text, (*self._first_findings, *self.remarks)))
        for part in self.parts.values():
            sheet = part.to_sheet()
            yield replace(sheet, notes=tuple(note for note in sheet.notes if note not in shown))


def _cut_sheet(sheet: Sheet) -> Iterator[Sheet]:
    """A sheet for the headline, one for each table with its title, and one for the notes."""
    yield Sheet(sheet.headline, (), (), "")
    yield from (Sheet(grid.title, (grid,), (), "") for grid in sheet.grids)
    yield Sheet("", (), sheet.notes, sheet.signature)


AUDIT_OPTIONS = (
    "by (--by) compares groups of labelled documents; pair with by (--pair) compares sentences that differ only in a group; "
    "templates and words with by (--templates, --words) make such sentences; swaps (--swap) swaps terms in texts"
)


def audit(
    categorizer: Any,
    documents: Any = None,
    *,
    by: str | Sequence[str] = (),
    pair: str | Sequence[str] | None = None,
    templates: Any = None,
    words: Any = None,
    swaps: Any = None,
    positive: Any = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> Audit:
    """Whom a model treats differently: see `Audit`. What is measured depends on what is given.

    - `by` alone: labelled documents by the values of these columns. Accuracy, error rates and areas under ROC curves of each
      group against those of the others (`audit_groups`).
    - `pair` and `by`: sentences that differ only in a group, such as the two genders in the same template; no labels are needed
      (`audit_pairs`).
    - `templates`, `words` and `by`: the same for sentences that are made of templates and lists of words (`fill_templates`).
    - `swaps`: terms that are swapped in the documents, such as `[("he", "she"), ("him", "her")]` (`audit_swaps`). It can be
      added to each of the others.

    `positive` is the label whose rates and probabilities are compared; by default the last of two labels.

    >>> from tercet import Categorizer
    >>> model = Categorizer().fit(["he is good", "she is bad", "a good day", "a bad day"], ["pos", "neg", "pos", "neg"])
    >>> audit(model, ["He came", "She left", "They stayed"], swaps=[("he", "she")]).probe.n_flips
    2
    """
    if not isinstance(categorizer, Predictor):
        raise bad_option("categorizer", "a fitted Categorizer", categorizer, "its answers are compared. Try tercet.load(path).")
    check_options(documents=documents, by=by, pair=pair, templates=templates, words=words, swaps=swaps)
    options = {"positive": positive, "confidence": confidence}
    held = None if documents is None else list(open_batches(documents))  # a stream can be read only once
    groups = pairs = None
    if templates is not None:
        pairs = audit_pairs(categorizer, fill_templates(templates, words), TEMPLATE, by, seed=seed, **options)
    elif pair is not None:
        pairs = audit_pairs(categorizer, held, pair, by, seed=seed, **options)
    elif by:
        groups = audit_groups(categorizer, held, by, **options)
    swapped = None if swaps is None else audit_swaps(categorizer, held, swaps, seed=seed, **options)
    return Audit(groups, pairs, swapped)


def check_options(*, documents: Any, by: Any, pair: Any, templates: Any, words: Any, swaps: Any) -> None:
    """Raise InvalidOption if nothing is asked for, or if the options of `audit` do not go together."""
    is_paired = pair is not None or templates is not None
    if not by and not is_paired and swaps is None:
        raise InvalidOption(f"nothing to audit: {AUDIT_OPTIONS}.")
    if is_paired and not by:
        raise InvalidOption(
            "no column of groups is named: sentences are compared by the groups of a column, such as gender. Name it with by "
            "(--by)."
        )
    if pair is not None and templates is not None:
        raise InvalidOption("pair and templates exclude each other: the sentences of templates are paired by their template.")
    if (templates is None) != (words is None):
        raise InvalidOption(
            "templates (--templates) need words (--words), and words need templates: the words fill them, and have groups. "
            "Give both."
        )
    if documents is None and (templates is None or swaps is not None):
        raise InvalidOption("there are no documents to audit: give them, or only templates and words.")
    if documents is not None and templates is not None and swaps is None:
        raise InvalidOption("templates make the sentences, so the documents would not be used: leave one of them out.")

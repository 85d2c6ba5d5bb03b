"""The mistakes of a report: each document with a wrong answer, its text, and the evidence for the wrong label."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.cached import cached_property
from tercet.characters import show_line
from tercet.data.document_batches import collect_documents
from tercet.data.documents import Documents, show_beginning
from tercet.data_frames import add_columns, make_frame
from tercet.errors import InvalidLabel, InvalidText, bad_text
from tercet.evaluation.intervals import format_rounded
from tercet.evaluation.sample import EvaluatedDocuments
from tercet.html_fragments import LINE, PALE, escape_text, write_frame, write_heading
from tercet.kernel.text.columns import SEPARATOR
from tercet.report.explanation.as_html import mark_label, mark_text
from tercet.report.explanation.as_text import show_value
from tercet.report.explanation.explanation import Explanation
from tercet.report.tables import pluralize

MAX_SHOWN = 20  # in a page
FACTS = ("position", "gold", "predicted", "probability", "gold_probability", "text", "place")
TEXT = "white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;max-height:14em;overflow-y:auto;margin:.2em 0 0"

# Explains one text, or Documents with one text, for a label against another one: `Categorizer.explain`.
Explain = Callable[[Any, Any, Any], Explanation]


@dataclass(frozen=True, eq=False)
class Mistake:
    """A document with a wrong answer. The probabilities are NaN if the report has none.

    `columns` are those of the Documents that were given as texts. `explanation` has the evidence for the predicted label
    against the gold label (against the second best label if the gold label is unknown); None if nothing was given to explain.
    """

    position: int  # counted from 0
    text: str
    gold: Any
    predicted: Any
    probability: float  # of the predicted label
    gold_probability: float
    columns: Mapping[str, Any]
    place: str  # where it was read, if that is known: "reviews.csv, line 17"
    explain: Callable[["Mistake"], Explanation | None]

    def __repr__(self) -> str:
        labels = f"gold={self.gold!r}, predicted={self.predicted!r}"
        return f"Mistake({show_beginning(self.text)}, {labels}, probability={self.probability:.3g})"

    @cached_property
    def explanation(self) -> Explanation | None:
        return self.explain(self)

    def write_evidence(self, n: int = 5) -> str:
        """The n strongest terms: first + for the predicted label, then - for the gold label.

        It is empty if there is no explanation.

        >>> from tercet import Categorizer, evaluate
        >>> model = Categorizer("words").fit(["so dull", "so fine"], ["bad", "good"])
        >>> report = evaluate(["bad", "good"], ["good", "bad"], texts=["so fine", "dull"], explain=model.explain)
        >>> [mistake.write_evidence() for mistake in report.mistakes()]
        ['fine +0.20, so +0.00', 'dull +0.20']
        """
        evidence = () if self.explanation is None else self.explanation.evidence[:n]
        in_order = sorted(evidence, key=lambda item: item.value < 0)
        return ", ".join(f"{show_line(item.term)} {show_value(item.value)}" for item in in_order)


@dataclass(frozen=True, eq=False)
class Mistakes(Sequence[Mistake]):
    """The mistakes of a report, the worst first. A notebook shows the worst of them with their evidence.

    >>> from tercet import evaluate
    >>> evaluate(["ham", "spam", "spam"], ["ham", "ham", "spam"], texts=["See you", "Buy now", "Buy cheap"]).mistakes()
    Mistakes(1 of 3 documents)
    """

    found: Sequence[Mistake]
    n_documents: int

    def __len__(self) -> int:
        return len(self.found)

    @overload
    def __getitem__(self, index: int) -> Mistake: ...
    @overload
    def __getitem__(self, index: slice) -> "Mistakes": ...
    def __getitem__(self, index: int | slice) -> "Mistake | Mistakes":
        return replace(self, found=self.found[index]) if isinstance(index, slice) else self.found[index]

    def __repr__(self) -> str:
        return f"Mistakes({len(self)} of {pluralize(self.n_documents, 'document')})"

    def _repr_html_(self) -> str:
        return write_frame(write_mistakes(self.found[:MAX_SHOWN], len(self)) or write_heading(repr(self)))

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each mistake; the columns of the documents come last."""
        own = {name: [getattr(mistake, name) for mistake in self.found] for name in FACTS}
        return make_frame(add_columns(own, [mistake.columns for mistake in self.found]))


@dataclass(frozen=True, eq=False)
class TestedTexts:
    """The texts that a report is about, in the order of its documents."""

    documents: Documents
    judged: EvaluatedDocuments
    explain: Explain | None = None

    __test__ = False  # pytest takes its name for a test

    @classmethod
    def of(cls, texts: Any, judged: EvaluatedDocuments, explain: Explain | None) -> "TestedTexts":
        """From texts, or Documents with texts and columns. There must be as many as there are labels."""
        texts = collect_documents(texts)
        documents = texts if isinstance(texts, Documents) else Documents(texts)
        held = documents.texts.to_pylist() if hasattr(documents.texts, "to_pylist") else list(documents.texts)
        bad = next((position for position, text in enumerate(held) if not isinstance(text, str)), None)
        if bad is not None:
            raise bad_text(bad, held[bad])
        if len(held) != len(judged.gold):
            raise InvalidText(
                f"{len(held)} texts for {len(judged.gold)} labels: pass the text of each document, in their order."
            )
        return cls(replace(documents, texts=held), judged, explain)

    @cached_property
    def wrong(self) -> Integers:
        """The positions of all mistakes: the lowest probability of the gold label first, ties in the order of the documents."""
        judged = self.judged
        is_wrong = judged.gold != judged.predicted
        wrong = np.flatnonzero(is_wrong if judged.weights is None else is_wrong & (judged.weights > 0))
        own = None if judged.forecast is None else judged.forecast.gold_probabilities[wrong]
        return wrong if own is None else wrong[np.argsort(own, kind="stable")]

    def list_mistakes(self, n: int | None = None) -> Mistakes:
        """The n worst mistakes, or all."""
        positions, judged = self.wrong[:n], self.judged
        own = answered = np.full(len(positions), np.nan)
        if judged.forecast is not None:
            own, answered = judged.forecast.gold_probabilities[positions], _pick_probabilities(judged, positions)
        found = list(map(self._make, positions.tolist(), answered.tolist(), own.tolist()))
        return Mistakes(found, len(judged.gold))

    def _make(self, position: int, probability: float, gold_probability: float) -> Mistake:
        labels, judged = self.judged.labels, self.judged
        gold, predicted = labels[[judged.gold[position], judged.predicted[position]]].tolist()
        columns = {name: column[position] for name, column in self.documents.columns.items()}
        text, place = self.documents.texts[position], self.documents.place(position)
        if len(self.documents.text_columns) > 1:
            text = text.replace(SEPARATOR, "\n")
        return Mistake(position, text, gold, predicted, probability, gold_probability, columns, place, self._explain)

    def _explain(self, mistake: Mistake) -> Explanation | None:
        if self.explain is None:
            return None
        columns = {name: [value] for name, value in mistake.columns.items()}
        texts = [self.documents.texts[mistake.position]]
        one = replace(self.documents, texts=texts, labels=None, weights=None, columns=columns)
        for against in (mistake.gold, None):
            with suppress(InvalidLabel):  # the model does not know the gold label, or it has only one label
                return self.explain(one if columns or one.text_columns else texts[0], mistake.predicted, against)
        return None


def _pick_probabilities(judged: EvaluatedDocuments, positions: Integers) -> Floats:
    """The probability of the predicted label of these documents; NaN if the label has no column."""
    assert judged.forecast is not None
    columns = {label: column for column, label in enumerate(judged.forecast.labels.tolist())}
    predicted = judged.labels[judged.predicted[positions]].tolist()
    indices = np.array([columns.get(label, -1) for label in predicted], np.int64)
    return np.where(indices >= 0, judged.forecast.probabilities[positions, indices], np.nan)


def write_mistakes(mistakes: Sequence[Mistake], n_all: int) -> str:
    """The mistakes as HTML: the two labels, the probability, the columns, and the text with its evidence in colours."""
    if not mistakes:
        return ""
    title = f"worst {len(mistakes)} of {n_all} mistakes" if n_all > len(mistakes) else "mistakes, the worst first"
    return f"{write_heading(title)}\n" + "\n".join(map(_write_mistake, mistakes))


def _write_mistake(mistake: Mistake) -> str:
    explanation = mistake.explanation
    text = escape_text(mistake.text) if explanation is None else _mark_explained(explanation)
    words = f"{mark_label(show_line(mistake.predicted), 1.0)} instead of {mark_label(show_line(mistake.gold), -1.0)}"
    facts = escape_text("; ".join(_list_facts(mistake)))
    head = f'<div>{words} <span style="{PALE};font-size:.9em">{facts}</span></div>'
    return f'<div style="border-top:{LINE};padding:.4em 0">{head}<div style="{TEXT}">{text}</div></div>'


def _mark_explained(explanation: Explanation) -> str:
    return mark_text(explanation.text, explanation.highlights(), explanation.sections)


def _list_facts(mistake: Mistake) -> Iterator[str]:
    if mistake.probability == mistake.probability:
        yield f"probability {format_rounded(mistake.probability)} against {format_rounded(mistake.gold_probability)}"
    if mistake.place:
        yield mistake.place
    yield from (f"{show_line(name)}: {show_line(value)}" for name, value in mistake.columns.items())

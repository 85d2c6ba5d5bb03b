"""The explanation of one decision: why this label and not that one?"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from tercet.cached import cached_property
from tercet.characters import replace_surrogates, show_line
from tercet.report.explanation import as_html as explanation_html
from tercet.report.explanation import as_latex as explanation_latex
from tercet.report.explanation.arithmetic import Arithmetic, Step
from tercet.report.explanation.as_text import EvidenceRow, Headline, list_rows, paint_text, write_note, write_steps, write_table
from tercet.report.explanation.evidence import (
    Evidence,
    Highlight,
    Section,
    add_up,
    check_spans,
    cut_highlights,
    find_section,
    has_both_infinities,
    join_parts,
    sort_evidence,
    split_sections,
)
from tercet.report.forms import wants_color


class RuleDecision(NamedTuple):
    """The rule that decided, its label, and the label that the model alone would have given.

    >>> print(RuleDecision("refund", "billing", "delivery"))
    decided by the rule refund: billing. The model alone would say delivery, and its evidence follows.
    """

    name: str
    label: Any
    alone: Any

    def __str__(self) -> str:
        alone = f"The model alone would say {'the same' if self.alone == self.label else show_line(self.alone)}"
        return f"decided by the rule {show_line(self.name)}: {show_line(self.label)}. {alone}, and its evidence follows."

    def to_dict(self) -> dict[str, Any]:
        return {"name": replace_surrogates(self.name), "label": _simplify(self.label), "alone": _simplify(self.alone)}


@dataclass(frozen=True)
class Explanation:
    """Why a text gets `label` and not `against`: the log-odds of the priors, and what each term adds to them.

    `evidence` is sorted, the strongest first and ties by term. The evidence of character n-grams is folded into the words that
    they stand in; `parts` has all terms as the model counts them. `unknown` are terms of the text that the model does not know.
    `probability` compares the two labels only; it is `calibrated` if the model is. `overall_probability` is that of `label`
    among all `n_labels` labels of the model, as `predict_proba` gives it. `columns` are the names of the columns of the text,
    with U+001F between them. The table then says in which column a term is, and counts its places from there. `arithmetic` has
    the formula of each value, if `explain` was asked for it. If a rule has decided, `rule` names it, and everything else is
    what the model alone says. If both labels are impossible for the text, only the prior decides, and `score_instead` is its
    score. A notebook shows it as HTML, `print` as a table.

    >>> evidence = (Evidence("the", ((0, 3), (9, 12)), -0.25), Evidence("inferno", ((13, 20),), 2.5))
    >>> print(Explanation("The dark, the inferno", "hell", "heaven", -0.5, evidence, unknown=("dark",)))
    label hell against heaven: +1.75 (probability 0.852)
    <BLANKLINE>
    value  term     places
    -0.50  (prior)
    +2.50  inferno  13:20
    -0.25  the      0:3 9:12
    ─────
    +1.75  sum
    unknown to the model: dark
    """

    text: str
    label: Any
    against: Any
    prior: float
    evidence: tuple[Evidence, ...]
    unknown: tuple[str, ...] = ()
    calibrated: float | None = None
    columns: tuple[str, ...] = ()
    arithmetic: Arithmetic | None = None
    rule: RuleDecision | None = None
    score_instead: float | None = None
    overall_probability: float | None = None
    n_labels: int = 2

    def __post_init__(self) -> None:
        ordered = sort_evidence(self.evidence)
        check_spans(ordered, len(self.text))
        for name, value in {"prior": float(self.prior), "evidence": ordered, "unknown": tuple(self.unknown)}.items():
            object.__setattr__(self, name, value)

    @property
    def score(self) -> float:
        """Log-odds of `label` against `against`: prior + Σ evidence; the prior alone if both labels are impossible."""
        if self.is_impossible:
            return self.prior if self.score_instead is None else self.score_instead
        return add_up(self._list_values())

    @property
    def is_impossible(self) -> bool:
        """Whether both labels are impossible for the text: each lacks a term of it, and has no smoothing for it."""
        return self.score_instead is not None or has_both_infinities(self._list_values())

    def _list_values(self) -> list[float]:
        return [self.prior, *(item.value for item in self.evidence)]

    @property
    def probability(self) -> float:
        """The probability of `label` if only these two labels are possible: calibrated, or 1 / (1 + exp(-score)).

        >>> Explanation("", "a", "b", -800.0, ()).probability, Explanation("", "a", "b", 0.0, ()).probability
        (0.0, 0.5)
        """
        if self.calibrated is not None:
            return self.calibrated
        score = self.score
        odds = math.exp(-abs(score))  # of the less probable label: exp of a large number overflows
        return (1.0 if score >= 0 else odds) / (1.0 + odds)

    def highlights(self) -> list[Highlight]:
        """Pieces (start, end, value) of the text, in order and disjoint. Their values add up to the evidence with spans.

        >>> Explanation("so bitter", "a", "b", 0.0, (Evidence("so bitter", ((0, 2), (3, 9)), 3.0),)).highlights()
        [Highlight(start=0, end=2, value=1.5), Highlight(start=3, end=9, value=1.5)]
        """
        return cut_highlights(self.evidence, len(self.text))

    @cached_property
    def parts(self) -> tuple[Evidence, ...]:
        """The evidence term by term, as the model counts them, the strongest first: nothing is folded into words."""
        return join_parts(self.evidence)

    def to_table(self, n: int = 20, *, detail: bool = False) -> str:
        """The n strongest terms as plain text. One row has all other terms, so that the rows add up to the score.

        With `detail`, the parts of each word follow it: the word itself and its character n-grams, the n strongest of them.
        Their values stand beside their names, and add up to the value of the word.

        >>> parts = (Evidence("word:hen", ((0, 3),), 0.5), Evidence("char:he", ((0, 2),), 0.25))
        >>> evidence = (Evidence("hen", ((0, 3),), 0.75, parts),)
        >>> print(Explanation("hen", "farm", "wood", 0.0, evidence).to_table(detail=True))
        label farm against wood: +0.75 (probability 0.679)
        <BLANKLINE>
        value  term              places
        +0.00  (prior)
        +0.75  hen               0:3
                 +0.50 word:hen  0:3
                 +0.25 char:he   0:2
        ─────
        +0.75  sum
        """
        table = write_table(self._headline(), self._list_rows(n, detail), write_note(self.unknown))
        if self.arithmetic is None:
            return table
        return f"{table}\n\n{write_steps(self._list_steps(n), self.arithmetic.notes)}"

    def to_terminal(self, *, color: bool | None = None) -> str:
        """The text with its evidence in colour: blue for the label, orange and underlined against it.

        The stronger, the brighter. Less than a sixteenth of the strongest stays plain. `color=None` uses colour if standard
        output is a terminal and NO_COLOR is not set. Control characters of the text are made visible.
        """
        wanted = wants_color() if color is None else color
        return paint_text(self.text, self.highlights() if wanted else [], self.sections)

    def to_html(self, n: int = 20, *, detail: bool = False) -> str:
        """The text with its evidence in colour, the table and the arithmetic, as a `<div>` that fits into any page."""
        arithmetic = "" if self.arithmetic is None else explanation_html.write_steps(self._list_steps(n), self.arithmetic.notes)
        rows, note = self._list_rows(n, detail), write_note(self.unknown)
        return explanation_html.write_fragment(
            self._headline(), self.text, self.highlights(), rows, note, self.sections, arithmetic
        )

    def to_latex(self, n: int = 20, *, detail: bool = False, page: bool = False) -> str:
        r"""The text, and the n strongest terms: with their formulas, or with their values if there is no arithmetic.

        It needs no LaTeX package. With `page` it is a complete document to hand out.

        >>> print(Explanation("a hen", "farm", "wood", 0.5, (Evidence("hen", ((2, 5),), 1.25),)).to_latex())
        \noindent label farm against wood: +1.75 (probability 0.852)
        <BLANKLINE>
        \begin{quote}
        a hen
        \end{quote}
        <BLANKLINE>
        \noindent\begin{tabular}{lr}
        \hline
        term & value \\
        \hline
        {}(prior) & $+0.50$ \\
        {}hen & $+1.25$ \\
        \hline
        sum & $+1.75$ \\
        \hline
        \end{tabular}
        <BLANKLINE>
        \medskip
        """
        notes = () if self.arithmetic is None else self.arithmetic.notes
        fragment = explanation_latex.write_fragment(
            self._headline(), self.text, self._list_rows(n, detail), self._list_steps(n), notes, write_note(self.unknown)
        )
        return explanation_latex.write_page(fragment) if page else fragment

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON, with the parts of each word. It has no surrogates (they become U+FFFD) and no infinite numbers.

        Those become strings that `float` can read: "inf", "-inf", "nan".

        >>> Explanation("hen", 1, 0, 0.5, (Evidence("hen", ((0, 3),), -math.inf),)).to_dict()
        {'text': 'hen', 'label': 1, 'against': 0, 'score': '-inf', 'probability': 0.0, 'prior': 0.5,
         'evidence': [{'term': 'hen', 'spans': [[0, 3]], 'value': '-inf'}], 'unknown': []}
        """
        columns = {
            "columns": [
                {
                    "name": replace_surrogates(section.name),
                    "text": replace_surrogates(self.text[section.start : section.end]),
                    "start": section.start,
                }
                for section in self.sections
            ]
        }
        return {
            "text": replace_surrogates(self.text),
            **(columns if self.columns else {}),
            **({} if self.rule is None else {"rule": self.rule.to_dict()}),
            "label": _simplify(self.label),
            "against": _simplify(self.against),
            "score": _simplify(self.score),
            "probability": _simplify(self.probability),
            **({} if self.overall_probability is None else {"overall_probability": _simplify(self.overall_probability)}),
            **({"impossible": True} if self.is_impossible else {}),
            "prior": _simplify(self.prior),
            "evidence": [self._write_evidence(item) for item in self.evidence],
            "unknown": [replace_surrogates(term) for term in self.unknown],
            **({} if self.arithmetic is None else {"arithmetic": self.arithmetic.to_dict()}),
        }

    def _write_evidence(self, item: Evidence) -> dict[str, Any]:
        names = dict.fromkeys(replace_surrogates(find_section(self.sections, span).name) for span in item.spans)
        return {
            "term": replace_surrogates(item.term),
            **({"columns": list(names)} if self.columns else {}),
            "spans": [list(span) for span in item.spans],
            "value": _simplify(item.value),
            **({"parts": [self._write_evidence(part) for part in item.parts]} if item.parts else {}),
        }

    @cached_property
    def sections(self) -> list[Section]:
        """The columns of the text: name, start and end. A plain text is one section without a name."""
        return split_sections(self.text, self.columns)

    def __str__(self) -> str:
        return self.to_table()

    def _repr_html_(self) -> str:
        return self.to_html()

    def _list_rows(self, n: int, detail: bool) -> list[EvidenceRow]:
        return list_rows(self.prior, self.evidence, n, self.sections, detail=detail)

    def _list_steps(self, n: int) -> list[Step]:
        return [] if self.arithmetic is None else self.arithmetic.list_steps(n, self.score, self._headline().sum_name)

    def _headline(self) -> Headline:
        return Headline(
            show_line(self.label),
            show_line(self.against),
            self.score,
            self.probability,
            self.calibrated is not None,
            "" if self.rule is None else str(self.rule),
            self.is_impossible,
            self.overall_probability if self.n_labels > 2 else None,
            self.n_labels,
        )


def _simplify(value: Any) -> Any:
    """A label or a number as a JSON value."""
    value = value.item() if hasattr(value, "item") else value  # NumPy numbers
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, int | float) else replace_surrogates(str(value))

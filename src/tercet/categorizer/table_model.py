"""The model on a table of texts: which of its terms count, which smoothing, which weights."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.columns import check_numeric, find_measured
from tercet.counts.labels import Labels
from tercet.counts.selection import Mask, Selector, TermStatistics, check_selectors, keep_terms
from tercet.counts.table import CountTable
from tercet.counts.units import to_numbers
from tercet.errors import bad_option
from tercet.kernel import engine
from tercet.kernel.threads import n_threads
from tercet.models.leave_one_out import LeaveOneOut
from tercet.models.likelihood import Likelihood
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.priors import log_prior, log_priors_left
from tercet.models.smoothing import Smoothing, find_smoothing
from tercet.models.smoothing_choice import check_table_choice, choose_by_table
from tercet.options import check_count

if TYPE_CHECKING:
    from tercet.counts.weighting import TermWeighting
    from tercet.models.linear import LinearModel


@dataclass(frozen=True)
class TableModel:
    """All of it depends on the table alone, but for a smoothing that is chosen by labels."""

    model: NaiveBayes
    min_documents: int
    max_terms: int | None
    selectors: tuple[Selector, ...]
    numeric: list[str]
    threads: int
    measured: frozenset[str] = frozenset()  # names of `numeric` that are computed from the text
    margin: "LinearModel | None" = None  # trained on the documents that the table counts; then `model` only says how
    weighting: "TermWeighting | None" = None  # what the margin makes of counts; none: whether a term occurs

    @classmethod
    def of(
        cls, model: Any, min_documents: Any, max_terms: Any, select: Any, numeric: Any, weighting: Any, threads: Any
    ) -> "TableModel":
        """From options as the user gave them; what makes no sense is an error."""
        most = None if max_terms is None else check_count("max_terms", max_terms)
        fewest, selectors = check_count("min_documents", min_documents), check_selectors(select)
        numbers = check_numeric(numeric)
        if isinstance(model, NaiveBayes):
            if weighting is not None:
                raise bad_option("weighting", "None", weighting, "naive Bayes takes counts as they are. Use a LinearSVM.")
            model.likelihood()
            model = NaiveBayes(**model.get_params())  # the user may change theirs
            return cls(model, fewest, most, selectors, numbers, n_threads(threads))
        from tercet.categorizer.margin_options import check_margin, check_weighting  # few models need them

        margin = check_margin(model, numbers)
        weighting = check_weighting(weighting, margin)
        base = NaiveBayes("binary")
        return cls(base, fewest, most, selectors, numbers, n_threads(threads), margin=margin, weighting=weighting)

    @property
    def kind(self) -> str:
        """The kind of its naive Bayes, or the name of its margin."""
        if self.margin is None:
            return self.model.kind
        from tercet.categorizer.margin_options import name_margin

        return name_margin(self.margin)

    def is_like(self, other: "TableModel") -> bool:
        """Whether tables of both may be added."""
        ours, theirs = ((r.min_documents, r.max_terms, r.selectors, r.numeric, r.measured) for r in (self, other))
        alike = repr((self.margin, self.weighting)) == repr((other.margin, other.weighting))
        return ours == theirs and alike and self.model.is_like(other.model)

    def name_measures(self, texts: Any) -> "TableModel":
        """With the names that are measures for these texts, and so for all that come later."""
        return replace(self, measured=find_measured(texts, self.numeric))

    def chooses_by(self) -> str | None:
        return self.model.chooses_by()

    def check(self, table: CountTable) -> None:
        """An error where the options do not fit each other or the labels, before anything changes."""
        self.log_prior(table, np.arange(len(table.labels)))
        if self.chooses_by() == "table":
            check_table_choice(self.likelihood())
        if self.chooses_by() is None:
            self.likelihood().with_smoothing(find_smoothing(self.model.smoothing))

    def name_prior(self, labels: Labels) -> "TableModel":
        """A prior that is a sequence as a mapping: labels may come and go."""
        prior = self.model.prior
        if isinstance(prior, str | Mapping):
            return self
        log_prior(prior, labels, np.ones(len(labels)))  # an error where it does not fit
        named = dict(zip(labels.tolist(), prior, strict=True))
        return replace(self, model=NaiveBayes(**self.model.get_params() | {"prior": named}))

    def check_labels(self, labels: Labels) -> None:
        """An error where a label has no prior."""
        log_prior(self.model.prior, labels, np.ones(len(labels)))

    @property
    def selects(self) -> bool:
        """Whether some terms are chosen before others, which the absence of one document might change."""
        return bool(self.selectors) or self.max_terms is not None

    @property
    def columns(self) -> list[str]:
        """The columns of numbers; what is measured in the text itself is none."""
        return [name for name in self.numeric if name not in self.measured]

    @property
    def domain(self) -> str | None:
        """The column by which documents are counted, too, for the sake of a selection."""
        return next((one.domain for one in self.selectors if one.domain is not None), None)

    def select_terms(self, table: CountTable, domains: CountTable | None) -> Mask | None:
        """A 1 for each term that counts; None for all that enough documents have."""
        if not self.selects:
            return None
        clips = self.model.kind in ("binary", "bernoulli")
        return keep_terms(TermStatistics(table, clips, domains), self.min_documents, self.selectors, self.max_terms)

    def likelihood(self, kept: Mask | None = None) -> Likelihood:
        """P(text | label) without its smoothing."""
        # One document means any: with weights it may count for less than one.
        min_documents = self.min_documents if self.min_documents > 1 else 0
        return replace(self.model.likelihood(), is_open=True, min_documents=min_documents, kept=kept)

    def find_smoothing(self, table: CountTable, kept: Mask | None) -> Smoothing:
        """The given one, or the one that makes the table likeliest."""
        if self.chooses_by() == "table":
            return choose_by_table(self.likelihood(kept), table.counts, self.threads)
        return find_smoothing(self.model.smoothing)

    def left_out(self, table: CountTable, kept: Mask | None) -> LeaveOneOut:
        """For documents that are left out in their turn; the selection stays."""
        return LeaveOneOut(self.likelihood(kept), self.model.prior, table.labels, table.counts, self.threads)

    def derive_weights(self, table: CountTable, smoothing: Smoothing, kept: Mask | None) -> engine.Weights:
        return engine.Weights(table.counts, self.likelihood(kept).with_smoothing(smoothing), self.threads)

    def log_prior(self, table: CountTable, columns: Integers) -> Floats:
        """Of the labels in these places; those without documents have no chance."""
        left = to_numbers(table.counts.n_documents())[columns]
        has_prior = self.model.kind != "complement" or len(columns) == 1
        option = self.model.prior if has_prior else None
        prior: Floats = log_priors_left(option, table.labels[columns], left[None], only_present=True)[0]
        return prior

"""The checked options of a categorizer, which do not change after it is fitted; and presets, which are options with a name."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.categorizer.joined_texts import arrange_texts, derive_layout, join_texts
from tercet.categorizer.model.bayes_model import BayesModel
from tercet.categorizer.model.numeric_columns import add_measures, list_measured
from tercet.categorizer.model.text_model import TextModel
from tercet.categorizer.rules import Rule, check_rules
from tercet.counts.labels import Labels
from tercet.counts.selection import Selector, TermStatistics, check_selectors, keep_terms
from tercet.counts.table import CountTable, Mask
from tercet.counts.training_data import LabelledTexts
from tercet.data.documents import Documents
from tercet.errors import InvalidOption
from tercet.models.naive_bayes import NaiveBayes
from tercet.options import check_choice, check_count, check_flag, check_names, n_threads
from tercet.registry import read, write
from tercet.text.analyzer import DEFAULTS, Analyzer
from tercet.text.layout import Layout
from tercet.text.measures import MEASURES
from tercet.text.presets import PRESETS

if TYPE_CHECKING:
    from tercet.categorizer.seeds.seeds import Seeds
    from tercet.text.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class Settings:
    """The model, which terms it sees, and which columns of numbers."""

    model: TextModel
    min_documents: int
    max_terms: int | None
    selectors: tuple[Selector, ...]
    numeric: list[str]
    threads: int
    categorical: tuple[str, ...]
    fields: bool  # whether a term knows its text column
    measured: frozenset[str] = frozenset()  # the names in `numeric` that are computed from the text
    pruned: bool = False  # whether the table has only the selected terms, so that nothing is selected again
    said: tuple[str, ...] = ()  # what was left out because of the sizes of the data; it is not written to a file
    is_auto: bool = False  # whether the model is chosen by the sizes of the data
    words_only: bool = False  # whether character n-grams are left out
    layout: Layout | None = None  # of the texts that were learned first; None for plain texts
    rules: tuple[Rule, ...] = ()  # they decide before the model
    vectors: "WordVectors | None" = None  # for one more member of a stack
    uses_vectors: bool = False  # whether the texts are in a language of the vectors, and few enough
    uses_unlabelled: bool = False  # whether there are unlabelled texts, and labelled documents are few enough
    seeds: "Seeds | None" = None  # what is known of the labels
    uses_seeds: bool = False  # whether a member learns from them

    @classmethod
    def check(
        cls,
        model: Any,
        min_documents: Any,
        max_terms: Any,
        select: Any,
        numeric: Any,
        categorical: Any,
        fields: Any,
        rules: Any,
        remember: Any,
        weighting: Any,
        vectors: Any,
        seeds: Any,
        threads: Any,
    ) -> "Settings":
        """The settings for the options of the user. Raises InvalidOption if an option is wrong."""
        names, selectors = list(check_names("numeric", numeric)), () if select is None else check_selectors(select)
        n, most = n_threads(threads), None if max_terms is None else check_count("max_terms", max_terms)
        fewest = check_count("min_documents", min_documents)
        check_flag("remember", remember)
        is_auto = isinstance(model, str) and model == "auto"
        checked = make_model(model, fewest, n, weighting)
        if names and not checked.takes_numbers:
            named = "model='auto'" if is_auto else f"a {type(model).__name__}"
            raise InvalidOption(f"numeric={names} is for NaiveBayes: {named} can't use numbers beside the text.")
        columns = check_names("categorical", categorical), check_flag("fields", fields)
        of_words = None if vectors is None else _check_vectors(vectors, checked)
        settings = cls(checked, fewest, most, selectors, names, n, *columns, is_auto=is_auto, rules=check_rules(rules))
        return replace(settings, vectors=of_words).with_seeds(seeds)

    def is_like(self, other: "Settings") -> bool:
        """Whether categorizers with these two settings may be added."""
        if self.is_auto != other.is_auto:
            return False
        names = ("min_documents", "max_terms", "selectors", "numeric", "measured", "categorical", "fields", "rules")
        is_same = all(getattr(self, name) == getattr(other, name) for name in (*names, "vectors", "seeds"))
        return is_same and (self.is_auto or self.model.is_like(other.model))

    def with_model(self, estimator: Any) -> "Settings":
        """The settings with another model."""
        model = make_model(estimator, self.min_documents, self.threads, None)
        return replace(self, model=model, words_only=self.is_auto and not model.has_blocks)

    def mark_chosen(self) -> "Settings":
        """The settings with the mark that `model="auto"` has chosen the model. Raises ValueError if it can't have done so."""
        if self.numeric:
            raise ValueError(f"numeric={self.numeric} is for NaiveBayes: model='auto' can't use numbers beside the text")
        return replace(self, is_auto=True, words_only=not self.model.has_blocks)

    def with_threads(self, threads: int) -> "Settings":
        """The settings with another number of threads."""
        return replace(self, threads=threads, model=replace(self.model, threads=threads))

    def with_seeds(self, seeds: Any) -> "Settings":
        """The settings with these seeds of the user, or with none. Raises InvalidOption if they are wrong."""
        return replace(self, seeds=None if seeds is None else _check_seeds(seeds, self.model))

    def restart(self) -> "Settings":
        """The settings before a model was chosen by the sizes of the data."""
        if not self.is_auto:
            return self
        return replace(self.with_model("auto"), said=(), uses_vectors=False, uses_unlabelled=False, uses_seeds=False)

    def for_counts(self) -> "Settings":
        """The settings of a naive Bayes on the counts of the same documents: on their words, if there are any."""
        return replace(self.with_model(None), words_only=True)

    def name_columns(self, first: Documents) -> "Settings":
        """The settings with the measures and the layout that these documents need. All later documents use the same."""
        measured = list_measured(first, self.numeric)
        return replace(self, measured=measured, layout=derive_layout(first, self.categorical, self.fields))

    def with_layout(self, layout: Layout | None) -> "Settings":
        """The settings with the layout of a file. Raises ValueError if it does not fit them."""
        if (self.categorical, self.fields) != (((), False) if layout is None else (layout.categorical, layout.fields)):
            raise ValueError("the layout of the texts does not fit the options")
        return replace(self, layout=layout)

    def name_prior(self, labels: Labels) -> "Settings":
        return replace(self, model=self.model.name_prior(labels))

    @property
    def has_blocks(self) -> bool:
        """Whether the model uses words and character n-grams as blocks of their own."""
        return self.model.has_blocks

    @property
    def drops(self) -> bool:
        """Whether a term that some document has may be left out."""
        return self.selects or self.min_documents > 1

    @property
    def selects(self) -> bool:
        """Whether a selection depends on all documents, so that leaving out one document might change it."""
        return bool(self.selectors) or self.max_terms is not None

    @property
    def domain(self) -> str | None:
        """The column that a selector needs, which has the domain of each document; None if there is none."""
        return next((selector.domain for selector in self.selectors if selector.domain is not None), None)

    def read_batches(self, batches: Iterator[Documents], analyzer: Analyzer) -> Iterator[LabelledTexts]:
        """The documents with the numbers and domains that these settings name.

        The first batch is read at once. So a missing column is an error before anything is counted.
        """
        own = analyzer if analyzer.layout == self.layout else analyzer.replace(layout=self.layout)
        read = partial(self._read_batch, analyzer=own)
        first = [read(batch) for batch in islice(batches, 1)]
        return chain(first, map(read, batches))

    def _read_batch(self, batch: Documents, analyzer: Analyzer) -> LabelledTexts:
        documents, domain = arrange_texts(batch, self.layout), self.domain
        if self.numeric:
            documents = add_measures(documents, self.numeric, self.measured, analyzer)
        numbers = documents.numbers(self.numeric) if self.numeric else None
        domains = None if domain is None else _find_domains(batch, domain)
        texts = join_texts(documents, self.layout)
        return LabelledTexts(texts, batch.labels, batch.weights, numbers, domains)

    def select_terms(self, table: CountTable, domains: CountTable | None) -> Mask | None:
        """A 1 for each selected term; None for all terms that enough documents have."""
        kept = self.keep_terms(table, domains) if self.selects and not self.pruned else None
        if not self.words_only or not table.analyzer.word_ngrams:
            return kept
        words = np.asarray(1 - table.table.character_flags(), np.uint8)
        return words if kept is None else words * kept

    def keep_terms(self, table: CountTable, domains: CountTable | None) -> Mask:
        """A 1 for each term that enough documents have and that is selected."""
        return keep_terms(TermStatistics(table, self.model.clips, domains), self.min_documents, self.selectors, self.max_terms)

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON, which `read_parameters` reads."""
        rules = write_rules(self.rules)
        return {
            "model": write(self.model.estimator),
            "is_auto": self.is_auto,
            "weighting": None if self.model.weighting is None else write(self.model.weighting),
            "min_documents": self.min_documents,
            "max_terms": self.max_terms,
            "select": [write(selector) for selector in self.selectors],
            "numeric": self.numeric,
            "measured": sorted(self.measured),
            "pruned": self.pruned,
            "categorical": list(self.categorical),
            "fields": self.fields,
            **({} if self.vectors is None else {"vectors": self.vectors.identity}),
            **({} if self.seeds is None else {"seeds": self.seeds.to_dict()}),
            **rules,
        }


def read_parameters(written: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a Categorizer with these settings."""
    weighting = written["weighting"]
    return {
        "model": "auto" if check_flag("is_auto", written["is_auto"]) else read("model", written["model"]),
        "weighting": None if weighting is None else read("weighting", weighting),
        "select": [read("selector", selector) for selector in written["select"]] or None,
        **{name: written[name] for name in ("min_documents", "max_terms", "numeric", "categorical", "fields")},
        "rules": read_rules(written) or None,
        "vectors": _read_vectors(written),
        "seeds": written.get("seeds"),
    }


def _check_vectors(given: Any, model: TextModel) -> "WordVectors | None":
    from tercet.categorizer.vector_choice import check_vectors, resolve_vectors  # on first use: most models have none

    return check_vectors(resolve_vectors(given), model.has_blocks)


def _check_seeds(given: Any, model: TextModel) -> "Seeds":
    from tercet.categorizer.seeds.seeds import Seeds  # on first use: most models have none

    if not model.has_blocks:
        why = "seeds are for model='auto' and a Stack (no --fast, no --model)"
        raise InvalidOption(f"{why}: another model has no member that learns from them.")
    return Seeds.of(given)


def _read_vectors(written: Mapping[str, Any]) -> "WordVectors | None":
    """The vectors that a file names."""
    if "vectors" not in written:
        return None
    from tercet.categorizer.vector_choice import name_vectors  # on first use, as above

    return name_vectors(written["vectors"])


def write_rules(rules: tuple[Rule, ...]) -> dict[str, Any]:
    """The rules as part of a description; nothing if there are none."""
    return {"rules": [write(rule) for rule in rules]} if rules else {}


def read_rules(written: Mapping[str, Any]) -> tuple[Rule, ...]:
    return check_rules([read("rule", rule) for rule in written["rules"]]) if "rules" in written else ()


def read_measured(written: Any, numeric: list[str]) -> frozenset[str]:
    """The names of measures in a file."""
    if not isinstance(written, list) or not all(name in numeric and name in MEASURES for name in written):
        raise ValueError("what is measured is no measure of the text")
    return frozenset(written)


def make_model(estimator: Any, min_documents: int, threads: int, weighting: Any) -> TextModel:
    """The estimator as a categorizer uses it. None is `NaiveBayes()`, and "auto" is `Stack()` until the data are known."""
    if estimator is None or isinstance(estimator, NaiveBayes):
        return BayesModel.check_options(estimator, min_documents, threads, weighting)
    from tercet.models.stack import Stack  # on first use, as below: many categorizers do not need them

    if isinstance(estimator, Stack) or (isinstance(estimator, str) and estimator == "auto"):
        from tercet.categorizer.model.stack_model import StackModel

        stack = None if isinstance(estimator, str) else estimator
        return StackModel.check_options(stack, min_documents, threads, weighting)
    from tercet.categorizer.model.margin_model import MarginModel

    return MarginModel.check_options(estimator, min_documents, threads, weighting)


def _find_domains(documents: Documents, name: str) -> Any:
    if name not in documents.columns:
        raise InvalidOption(
            f"the documents have no column {name!r}, which the selection of terms needs: "
            f"pass Documents(texts, labels, columns={{{name!r}: ...}})."
        )
    return documents.columns[name]


# All other presets use the default model: whether a term occurs, not how often.
MODELS: dict[str, NaiveBayes] = {
    # Short texts, for which results of b4msa are published.
    "tweets": NaiveBayes("multinomial", 0.1),
    # Few texts with few words each: many words of new texts are unknown.
    "lemmas": NaiveBayes("multinomial", 1.0, unknown="unk"),
}


def find_preset(name: str, **changes: Any) -> dict[str, Any]:
    """The parameters of the preset with these changes. Raises InvalidOption for an option of the analyzer."""
    check_choice("preset", name, tuple(PRESETS))
    if option := next((key for key in changes if key.removeprefix("analyzer__") in DEFAULTS), None):
        wanted = f"analyzer=Analyzer.preset({name!r}, {option.removeprefix('analyzer__')}=...)"
        raise InvalidOption(f"a Categorizer has no parameter {option}: it is an option of its analyzer. Pass {wanted}.")
    model = MODELS.get(name)
    return {"analyzer": Analyzer.preset(name), "model": model and NaiveBayes(**model.get_params(deep=False))} | changes

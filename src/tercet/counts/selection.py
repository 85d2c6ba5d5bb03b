"""Which terms are used: bounds on the number of documents, and selectors. Each is a pure function of the counts.

To add a selector, write one class here: a frozen dataclass that extends `Selector`, has a method `pick`, and is registered
with the name that it has in files.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, Self, get_args

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.table import CountTable, Mask, TermCells, read_cells, sum_floats
from tercet.counts.units import ONE
from tercet.errors import EmptyVocabulary, InvalidOption, bad_option
from tercet.estimator import Options
from tercet.options import check_choice, check_count, is_int, is_list, is_share
from tercet.registry import register
from tercet.text.analyzer import Analyzer
from tercet.text.recipe import list_options
from tercet.text.word_lists import LANGUAGES, resolve_negation

MAX_SELECTORS = 20


@dataclass(frozen=True)
class TermStatistics:
    """The counts that a selector may use."""

    table: CountTable
    clips: bool = False  # whether repeated terms of a document count once
    domains: CountTable | None = None  # the same documents, counted by the column `domain`

    def count_terms(self, terms: Integers) -> Integers:
        """How often each of the terms is counted, in units of 2⁻²⁰."""
        blocks = read_cells(self.table.counts, terms)
        sums = [block.sum_documents() if self.clips else block.sum_occurrences() for block in blocks]
        return np.concatenate([np.zeros(0, np.int64), *sums])

    def count_documents(self, terms: Integers) -> Integers:
        """How many documents have each of the terms, in units of 2⁻²⁰."""
        sums = [block.sum_documents() for block in read_cells(self.table.counts, terms)]
        return np.concatenate([np.zeros(0, np.int64), *sums])


class Selector(Options):
    """The base of all selectors: a frozen dataclass with a method `pick`."""

    domain: str | None = None  # the column that says where a document comes from, if the selector needs one

    def pick(self, statistics: TermStatistics, terms: Integers) -> Integers:
        """The selected ones of these terms, in the same order. The terms are given in canonical order."""
        raise NotImplementedError

    def score(self, statistics: TermStatistics, terms: Integers) -> Floats | None:
        """The score by which each of these terms is selected; None if the selector has no scores."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """The options by name, for JSON. `from_dict` reads them back."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """
        >>> WithoutMostFrequent.from_dict({"k": 20, "keep": ["not"]})
        WithoutMostFrequent(k=20, keep=('not',))
        """
        known = [field.name for field in fields(cls)]  # type: ignore[arg-type]
        options = {name: tuple(value) if isinstance(value, list) else value for name, value in written.items()}
        if unknown := options.keys() - set(known):
            raise InvalidOption(f"a {cls.__name__} has no option {min(unknown)!r}: it has {', '.join(known)}.")
        try:
            return cls(**options)
        except TypeError as error:  # an option without a default is missing
            raise InvalidOption(f"a {cls.__name__} can't be made of {dict(written)!r}: {error}.") from None

    def replace(self, **changes: Any) -> Self:
        """The same selector with some options changed."""
        return replace(self, **changes)  # type: ignore[type-var]


def check_selectors(select: Any) -> tuple[Selector, ...]:
    """The selectors of an option `select`, which is None, one selector or a list of selectors."""
    given = () if select is None else tuple(select) if isinstance(select, list | tuple) else (select,)
    if len(given) > MAX_SELECTORS:
        raise InvalidOption(f"select has {len(given)} selectors: at most {MAX_SELECTORS} are applied one after the other.")
    if not all(isinstance(selector, Selector) for selector in given):
        known = "MostInformative, WithoutMostFrequent, a list of these or None"
        raise bad_option("select", known, select, "it selects terms. Try tercet.MostInformative(10_000).")
    domains = dict.fromkeys(selector.domain for selector in given if selector.domain is not None)
    if len(domains) > 1:
        raise bad_option("select", "of one domain", select, "documents are counted by one column beside their labels.")
    return given


def keep_terms(statistics: TermStatistics, min_documents: int, selectors: Sequence[Selector], max_terms: int | None) -> Mask:
    """1 for each term of the table that remains after `min_documents`, then the selectors in order, then `max_terms`.

    Ties go to the first term in canonical order, so that equal tables have equal vocabularies.

    >>> table = CountTable.of(["to be", "or not to be", "or not"], ["x", "y", "y"])
    >>> keep_terms(TermStatistics(table), 1, [], 2)  # to, be, or, not: all are equal, and "be" and "not" are first in order
    array([0, 1, 0, 1], dtype=uint8)
    """
    *_, (_, terms) = select_in_steps(statistics, min_documents, selectors, max_terms)
    kept = np.zeros(statistics.table.counts.n_terms, np.uint8)
    kept[terms] = 1
    return kept


def select_in_steps(
    statistics: TermStatistics, min_documents: int, selectors: Sequence[Selector], max_terms: int | None
) -> Iterator[tuple[str, Integers]]:
    """The steps of `keep_terms` by name, with the terms that are left after each, in canonical order.

    >>> table = CountTable.of(["to be", "or not to be", "or not"], ["x", "y", "y"])
    >>> steps = select_in_steps(TermStatistics(table), 1, [WithoutMostFrequent(1)], 2)
    >>> [(name, len(terms)) for name, terms in steps]
    [('min_documents=1', 4), ('WithoutMostFrequent(k=1, keep=())', 3), ('max_terms=2', 2)]
    """
    terms = statistics.table.table.order()
    # min_documents=1 keeps every term: a document with a weight may count for less than one document.
    fewest = min_documents * ONE if min_documents > 1 else 1
    terms = terms[statistics.count_documents(terms) >= fewest]
    yield f"min_documents={min_documents}", terms
    for selector in selectors:
        terms = selector.pick(statistics, terms)
        yield repr(selector), terms
    if max_terms is not None:
        yield f"max_terms={max_terms}", terms[select_most(statistics.count_terms(terms), max_terms)]


# The most informative terms.

Criterion = Literal["information_gain", "chi2", "ld"]
GRID = 2.0**40  # steps from 0 to 1: scores that differ only by rounding are equal


@register("selector", "most_informative")
@dataclass(frozen=True)
class MostInformative(Selector):
    """The k terms that tell most about the label. Ties go to the first term in canonical order.

    - `"information_gain"`: mutual information of the label and the presence of the term.
    - `"chi2"`: Pearson's χ² of labels × presence of the term.
    - `"ld"`: the information gain about the label minus the information gain about the `domain`, a column that says where each
      document comes from. It prefers terms that separate languages and do not separate sources (Lui and Baldwin, 2011; here
      over all labels at once, while langid.py scores each label and joins the terms).

    >>> from tercet import Categorizer
    >>> texts, labels = ["a lovely film", "a lovely day", "a dull film", "a dull day"], ["+", "+", "-", "-"]
    >>> Categorizer("words", select=MostInformative(2)).fit(texts, labels).explain("a dull lovely story").unknown
    ('a', 'story')
    """

    k: int
    by: Criterion = "information_gain"
    domain: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_count("k", self.k))  # a NumPy integer becomes an int, which JSON can hold
        check_choice("by", self.by, get_args(Criterion))
        if self.domain is not None and not isinstance(self.domain, str):
            raise bad_option("domain", "the name of a column or None", self.domain, "each column has a name.")
        if (self.by == "ld") != (self.domain is not None):
            raise InvalidOption(
                f"by={self.by!r} with domain={self.domain!r}: by='ld' compares labels with the domains of documents, and "
                "no other measure does. Name the column with the source of each document, or choose another measure."
            )

    def pick(self, statistics: TermStatistics, terms: Integers) -> Integers:
        return terms[select_most(np.rint(self.score(statistics, terms) * GRID).astype(np.int64), self.k)]

    def score(self, statistics: TermStatistics, terms: Integers) -> Floats:
        """The score of each of these terms: nats, or χ² divided by the number of documents."""
        if self.by != "ld":
            return _score_terms(TERM_SCORES[self.by], statistics.table, terms)
        if statistics.domains is None:
            raise InvalidOption(f"by='ld' needs documents that are counted by {self.domain!r}, and there are none.")
        about_domains = np.zeros(statistics.table.counts.n_terms)
        # Both tables count the same documents, so they have the same terms in the same order, with different numbers.
        counted = _list_counted(statistics.domains)
        about_domains[_list_counted(statistics.table)] = _score_terms(information_gain, statistics.domains, counted)
        return _score_terms(information_gain, statistics.table, terms) - about_domains[terms]


# In the formulas, N is the number of documents, n that of one label, D the number of documents with the term, and d that of one
# label with the term. Only the presence of a term counts. A document of weight w counts as w documents.


def information_gain(cells: TermCells, n_documents: Integers) -> Floats:
    """Information gain of each term, in nats: H(D / N) - Σ n / N · H(d / n), where H(p) is the entropy of probability p.

    It is the mutual information of the label and the presence of the term; 0 if there are no documents.

    >>> cells = TermCells(*map(np.array, ([0, 1, 3], [0, 0, 1], [2, 1, 1], [2, 1, 1])))
    >>> information_gain(cells, np.array([2, 2])).round(4)  # the first term separates the labels, the second says nothing
    array([0.6931, 0.    ])
    """
    total = max(int(n_documents.sum()), 1)
    n = n_documents[cells.labels]
    given_label = sum_floats(cells.starts, n / total * _entropy(cells.documents / np.maximum(n, 1)))
    return np.maximum(_entropy(cells.sum_documents() / total) - given_label, 0.0)


def chi2_share(cells: TermCells, n_documents: Integers) -> Floats:
    """χ² / N of each term, from 0 to 1: Pearson's statistic of the table labels × presence and absence of the term.

    χ² / N = (Σ (d - e)² / e) / (N - D) with e = n D / N, summed over all labels; 0 for a term that every document has.
    scikit-learn's chi2 sums only over documents with the term, and is χ² (N - D) / N.

    >>> cells = TermCells(*map(np.array, ([0, 1, 3], [0, 0, 1], [2, 1, 1], [2, 1, 1])))
    >>> chi2_share(cells, np.array([2, 2]))
    array([1., 0.])
    """
    total, having = float(n_documents.sum()), cells.sum_documents()
    n = n_documents[cells.labels]
    expected = n / max(total, 1.0) * np.repeat(having, np.diff(cells.starts))
    with np.errstate(divide="ignore", invalid="ignore"):
        present = sum_floats(cells.starts, np.where(expected > 0, (cells.documents - expected) ** 2 / expected, 0.0))
        # Labels without the term: (0 - e)² / e = e.
        absent = having / total * (total - sum_floats(cells.starts, n.astype(np.float64)))
        return np.where((having > 0) & (having < total), (present + absent) / (total - having), 0.0)


ScoreTerms = Callable[[TermCells, Integers], Floats]
TERM_SCORES: dict[str, ScoreTerms] = {"information_gain": information_gain, "chi2": chi2_share}


def _entropy(p: Floats) -> Floats:
    """The entropy of an event of probability p, in nats."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((p > 0) & (p < 1), -(p * np.log(p) + (1 - p) * np.log1p(-p)), 0.0)


def _score_terms(score: ScoreTerms, table: CountTable, terms: Integers) -> Floats:
    n_documents = table.counts.n_documents()
    return np.concatenate([np.zeros(0), *(score(block, n_documents) for block in read_cells(table.counts, terms))])


def _list_counted(table: CountTable) -> Integers:
    """The terms that some document has, in canonical order."""
    order = table.table.order()
    return order[TermStatistics(table).count_documents(order) > 0]


# All terms except the most frequent words.

NEGATIONS: Literal["negations"] = "negations"  # the words that stay
_HEADER_FIELD = re.compile("^[a-z][a-z0-9_-]*:")  # before each word of an e-mail's header


@register("selector", "without_most_frequent")
@dataclass(frozen=True)
class WithoutMostFrequent(Selector):
    """All terms except the k most frequent words, which are the stop words of these documents. Ties: the word that is first in
    canonical order is dropped.

    By default exactly these k are dropped. Words of `keep` stay even if they are among the k, and so does each n-gram with one
    of them. With `keep="negations"` the negation words of every language in `tercet.text.word_lists` stay: without "not", good
    and bad look alike. N-grams of words can be among the k. Character n-grams and the terms of lexicons, patterns and tags are
    not words: they are not among the k, and stay. So all terms stay if the recipe has no words, but for example bytes.

    >>> from tercet import Categorizer
    >>> texts, labels = ["it is so good", "it is not so bad", "it is so bad", "it is not good"], ["+", "+", "-", "-"]
    >>> fitted = Categorizer("words", select=WithoutMostFrequent(3)).fit(texts, labels)
    >>> fitted.explain("it is not so bad").unknown
    ('it', 'is', 'so')
    """

    k: int
    keep: tuple[str, ...] | Literal["negations"] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_count("k", self.k))  # a NumPy integer becomes an int, which JSON can hold
        if not isinstance(self.keep, str) or self.keep != NEGATIONS:
            words: tuple[Any, ...] = tuple(self.keep) if is_list(self.keep) else (None,)
            if not all(isinstance(word, str) for word in words):
                raise bad_option("keep", f"a list of words or {NEGATIONS!r}", self.keep, "these words stay.")
            object.__setattr__(self, "keep", words)

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """
        >>> WithoutMostFrequent.from_dict({"k": 20, "keep": None})  # as older files have it
        WithoutMostFrequent(k=20, keep='negations')
        """
        was_default = "keep" in written and written["keep"] is None
        return super().from_dict({**written, "keep": NEGATIONS} if was_default else written)

    def pick(self, statistics: TermStatistics, terms: Integers) -> Integers:
        analyzer, spelled = statistics.table.analyzer, statistics.table.table.terms()
        words = find_word_terms([spelled[term] for term in terms.tolist()], analyzer)
        frequent = words[select_most(statistics.count_terms(terms[words]), self.k)]
        stay = analyze_words(self.keep, analyzer)
        dropped = [index for index in frequent.tolist() if stay.isdisjoint(split_words(spelled[terms[index]], analyzer))]
        kept = np.ones(len(terms), np.bool_)
        kept[dropped] = False
        return terms[kept]


def analyze_words(keep: tuple[str, ...] | str, analyzer: Analyzer) -> frozenset[str]:
    """The words as the analyzer writes them. A word that it splits gives all its tokens.

    >>> sorted(analyze_words(("Not", "can't"), Analyzer()))
    ['can', 'not', 't']
    """
    words = resolve_negation(LANGUAGES) or () if keep == NEGATIONS else keep
    plain = analyzer.replace(layout=None)
    return frozenset(token.text for word in words for token in plain.tokens(word))


def find_word_terms(terms: list[str], analyzer: Analyzer) -> Integers:
    """The positions of the terms that are words or n-grams of words.

    >>> find_word_terms(["word:not", "char:not"], Analyzer(char_ngrams=(3, 3))).tolist()
    [0]
    """
    options, features, layout = analyzer.options, frozenset(list_options(analyzer)["features"]), analyzer.layout
    if not (options["word_ngrams"] or options["skip_grams"]) or options["tokens"] in ("characters", "bytes"):
        return np.zeros(0, np.int64)
    if not features and not options["char_ngrams"] and layout is None:
        return np.arange(len(terms))
    kind = "word:" if options["char_ngrams"] else ""

    def is_feature(term: str) -> bool:
        return term in features if layout is None else layout.is_category(term) or layout.strip_prefix(term) in features

    return np.flatnonzero([term.startswith(kind) and not is_feature(term) for term in terms])


def split_words(term: str, analyzer: Analyzer) -> list[str]:
    """The words of a word n-gram, without the kind, the columns and the header fields.

    >>> split_words("subject:not subject:so", Analyzer(header_fields=True, word_ngrams=(1, 2)))
    ['not', 'so']
    """
    words, layout = term.removeprefix("word:").split(" "), analyzer.layout
    if layout is not None:
        words = [layout.strip_prefix(word) for word in words]
    return [_HEADER_FIELD.sub("", word) for word in words] if analyzer.options["header_fields"] else words


# Bounds on the number of documents and of terms, for a matrix of counts without labels.


def select_terms(
    documents: Integers,
    occurrences: Integers,
    n_documents: int,
    *,
    min_documents: int | float = 1,
    max_documents: int | float = 1.0,
    max_terms: int | None = None,
) -> Integers:
    """The positions of the terms to keep, in order.

    `documents` is the number of documents that have each term. An int bound is a number of documents, a float a share of them.
    `max_terms` keeps the terms that occur most often; ties go to the first term.

    >>> select_terms(np.array([1, 3, 2]), np.array([9, 3, 2]), 3, min_documents=2)
    array([1, 2])
    """
    low, high = (bound if is_int(bound) else float(bound) * n_documents for bound in (min_documents, max_documents))
    if high < low:
        raise InvalidOption(
            f"max_documents={max_documents!r} means fewer documents than min_documents={min_documents!r} "
            f"({high:g} < {low:g} of {n_documents}): no term can satisfy both."
        )
    (kept,) = np.nonzero((documents >= low) & (documents <= high))
    if max_terms is not None and len(kept) > max_terms:
        kept = kept[select_most(occurrences[kept], max_terms)]
    if len(kept) == 0:
        raise EmptyVocabulary(
            f"after pruning, no terms remain of {len(documents)}: there would be nothing to count. "
            "Try a lower min_documents or a higher max_documents."
        )
    return kept


def select_most(occurrences: Integers, max_terms: int) -> Integers:
    """The positions of the terms that occur most often, in order; ties go to the first term.

    >>> select_most(np.array([1, 3, 2, 3, 1]), 4)
    array([0, 1, 2, 3])
    """
    # A stable sort, so that ties are the same on every machine.
    return np.sort(np.argsort(-occurrences, kind="stable")[:max_terms])


def keeps_all(min_documents: int | float, max_documents: int | float, max_terms: int | None) -> bool:
    """Whether these bounds can't leave out any term. Then there is no need to count documents."""
    return is_int(min_documents) and min_documents <= 1 and is_share(max_documents) and max_documents >= 1 and max_terms is None


def check_bounds(min_documents: Any, max_documents: Any, max_terms: Any) -> None:
    """Raises InvalidOption if a bound is wrong."""
    for name, bound in (("min_documents", min_documents), ("max_documents", max_documents)):
        if not is_share(bound) and not (is_int(bound) and bound >= 0):
            why = "an int is a number of documents, a float a share of all."
            raise bad_option(name, "an int >= 0 or a float from 0.0 to 1.0", bound, why)
    if max_terms is not None:
        check_count("max_terms", max_terms)

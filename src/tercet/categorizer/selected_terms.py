"""Which terms a categorizer uses, and which it has dropped, step by step."""

from collections.abc import Iterator

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.scorer import Scorer
from tercet.categorizer.settings import Settings
from tercet.categorizer.state import State
from tercet.counts.selection import TermStatistics, select_in_steps
from tercet.counts.term_names import TermColumn
from tercet.counts.units import ONE, to_numbers
from tercet.errors import InvalidOption
from tercet.row_table import Coded, ColumnRows, Listed, RowTable

STOP_WORDS = "stop_words"
MODEL = "model"  # terms that the selection keeps, and the model does not use


def list_selected(scorer: Scorer, settings: Settings, state: State) -> RowTable:
    """The terms that the model uses: `term`, `score` and `documents`. The highest score is first, then the most documents.

    The score is that of the last selector that has scores, and None if there is no such selector. `documents` is the number of
    documents that have the term. Ties are in canonical order.
    """
    statistics, terms = _make_statistics(settings, state), scorer.list_learned(None).list_known()
    documents, scores = statistics.count_documents(terms), _compute_scores(settings, statistics, terms)
    order = np.lexsort((-documents, np.zeros(len(terms)) if scores is None else -scores))
    read = {
        "term": TermColumn(scorer.names, terms[order]),
        "score": Coded(Listed([None]), np.zeros(len(terms), np.int64)) if scores is None else scores[order],
        "documents": _to_counts(documents[order]),
    }
    return RowTable(_count_terms(len(terms), "used"), tuple(read), ColumnRows(read, len(terms)))


def list_dropped(scorer: Scorer, settings: Settings, state: State) -> RowTable:
    """The terms that are not used: `term`, `dropped_by` and `documents`, in the order of the steps, then in canonical order.

    Stop words come last, because a list of them can be long. They are never counted, so their `documents` is None.
    Raises InvalidOption for a pruned categorizer.
    """
    if settings.pruned:
        raise InvalidOption("a pruned model does not have the terms that it dropped: ask the model from before it was pruned.")
    statistics, stop_words = _make_statistics(settings, state), list(scorer.analyzer.stop_words or ())
    steps = list(_drop_in_steps(scorer, settings, statistics))
    terms = np.concatenate([dropped for _, dropped in steps])
    names, sizes = [*(name for name, _ in steps), STOP_WORDS], [*(len(dropped) for _, dropped in steps), len(stop_words)]
    documents = [*_to_counts(statistics.count_documents(terms)).tolist(), *(None for _ in stop_words)]
    read = {
        "term": Listed([*scorer.names.spell(terms).tolist(), *stop_words]),
        "dropped_by": Coded(Listed(names), np.repeat(np.arange(len(names)), sizes)),
        "documents": Listed(documents),
    }
    return RowTable(_count_terms(len(documents), "dropped"), tuple(read), ColumnRows(read, len(documents)))


def _drop_in_steps(scorer: Scorer, settings: Settings, statistics: TermStatistics) -> Iterator[tuple[str, Integers]]:
    """The terms that each step has dropped, without those that the model uses. Margins have the terms of their training."""
    order = statistics.table.table.order()
    left = order[statistics.count_documents(order) > 0]
    left = left[~scorer.weights.known(left)]
    for name, terms in select_in_steps(statistics, settings.min_documents, settings.selectors, settings.max_terms):
        stays = np.isin(left, terms)
        yield name, left[~stays]
        left = left[stays]
    yield MODEL, left


def _make_statistics(settings: Settings, state: State) -> TermStatistics:
    return TermStatistics(state.table, settings.model.clips, state.domains)


def _compute_scores(settings: Settings, statistics: TermStatistics, terms: Integers) -> Floats | None:
    scores = (selector.score(statistics, terms) for selector in reversed(settings.selectors))
    return next((found for found in scores if found is not None), None)


def _to_counts(units: Integers) -> Integers | Floats:
    """Whole numbers if all are whole."""
    return to_numbers(units) if (units % ONE).any() else units // ONE


def _count_terms(n: int, done: str) -> str:
    """
    >>> _count_terms(1, "dropped"), _count_terms(2000, "used")
    ('1 term is dropped', '2,000 terms are used')
    """
    return f"1 term is {done}" if n == 1 else f"{n:,} terms are {done}"

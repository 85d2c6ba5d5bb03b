"""Documents for tables of the kernel, and what two tables must have in common to be equal."""

from typing import Any

import numpy as np
from helpers.invented_texts import texts
from hypothesis import strategies as st

ONE = 1 << 20


N_LABELS = 3


WORDS: dict[str, Any] = {"form": "nfc", "lowercase": True, "strip_marks": False, "tokens": "words", "min_token_length": 1}


weights = st.sampled_from([ONE, 2 * ONE, ONE // 3, 5 * ONE // 2 + 1, 1])


Learned = list[tuple[str, int, int]]


labelled: st.SearchStrategy[Learned] = st.lists(st.tuples(texts, st.integers(0, N_LABELS - 1), weights), max_size=5)


def integers(*numbers: int) -> Any:
    return np.array(numbers, np.int64)


def as_lists(arrays: Any) -> list[list[int]]:
    return [array.tolist() for array in arrays]


def describe(table: Any) -> Any:
    """All that does not depend on how terms are numbered, without the terms that are forgotten."""
    terms, order = table.terms(), table.order()
    assert len(terms) == len(table) == table.counts.n_terms
    starts, *cells = table.counts.cells(order)
    met = order[np.diff(starts) > 0]
    assert table.counts.n_met() == len(met)
    spelled, of_length = ([terms[i] for i in numbers if i in met] for numbers in (order, table.order(of_length=True)))
    lists = as_lists([np.unique(starts), *cells, table.counts.n_documents(), table.counts.squares(), *table.lengths()])
    return spelled, of_length, lists

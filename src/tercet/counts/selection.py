"""Which terms to keep: a pure function of the counts."""

from typing import Any

import numpy as np

from tercet.arrays import Integers
from tercet.errors import EmptyVocabulary, InvalidOption, bad_option
from tercet.options import check_count, is_int, is_share


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

    `documents` tells in how many documents each term occurs. An int bound is a number of documents, a float a share
    of them. `max_terms` keeps the terms that occur most often; of equals, the first ones.

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
    """The positions of the terms that occur most often, in order; of equals the first ones.

    >>> select_most(np.array([1, 3, 2, 3, 1]), 4)
    array([0, 1, 2, 3])
    """
    # A stable sort, so that ties are settled the same way on every machine.
    return np.sort(np.argsort(-occurrences, kind="stable")[:max_terms])


def keeps_all(min_documents: int | float, max_documents: int | float, max_terms: int | None) -> bool:
    """Whether these bounds can't leave out any term: then there is no need to count documents."""
    return is_int(min_documents) and min_documents <= 1 and is_share(max_documents) and max_documents >= 1 and max_terms is None


def check_selection(min_documents: Any, max_documents: Any, max_terms: Any) -> None:
    """Raise InvalidOption for bounds that make no sense."""
    for name, bound in (("min_documents", min_documents), ("max_documents", max_documents)):
        if not is_share(bound) and not (is_int(bound) and bound >= 0):
            why = "an int is a number of documents, a float a share of all."
            raise bad_option(name, "an int >= 0 or a float from 0.0 to 1.0", bound, why)
    if max_terms is not None:
        check_count("max_terms", max_terms)

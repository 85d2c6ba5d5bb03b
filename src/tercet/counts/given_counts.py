"""Counts of terms that somebody else has published → the arrays of a table."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Array, Integers
from tercet.counts.labels import Labels
from tercet.counts.units import ONE
from tercet.errors import InvalidOption, bad_option, shorten
from tercet.options import is_int

if TYPE_CHECKING:
    from tercet.counts.table import CountTable

MAX_LENGTH = 2**32 - 1  # a longer document has this length
MAX_COUNT = 2**63 // ONE - 1  # the largest count that a table holds

GivenCounts = Mapping[Any, Mapping[str, int]]  # by label, then by term


def check_counts(counts: Any) -> GivenCounts:
    """Counts that are whole numbers above 0. Raises InvalidOption for others."""
    if not isinstance(counts, Mapping) or not counts or not all(isinstance(own, Mapping) and own for own in counts.values()):
        raise bad_option(
            "counts",
            "a mapping from labels to mappings from terms to counts",
            counts,
            'write {"de": {"ei": 3}, "en": {"th": 4}}.',
        )
    for label, own in counts.items():
        for term, count in own.items():
            if not isinstance(term, str) or not is_int(count) or not 0 < count <= MAX_COUNT:
                raise bad_option(
                    f"the count of {shorten(repr(term))} under {shorten(repr(label))}",
                    f"an int from 1 to {MAX_COUNT}",
                    count,
                    "a term that never occurs is left out.",
                )
    return counts


def fill_counts(vocabulary: "CountTable", labels: Labels, counts: GivenCounts) -> dict[str, Array]:
    """The arrays of a table with the terms of the vocabulary and these counts. Each label has one document."""
    terms = vocabulary.terms()
    listed = labels.tolist()
    if missing := {term for own in counts.values() for term in own}.difference(terms):
        term = min(missing)
        found = vocabulary.analyzer.terms(term)
        read_as = f"reads it as {', '.join(map(repr, found[:5]))}" if found else "leaves it out"
        raise InvalidOption(
            f"the term {shorten(repr(term))} would never be found in a text: the analyzer {read_as}. Write each term as the "
            "analyzer does, or choose another analyzer."
        )
    term_indices: list[int] = []
    columns: list[int] = []
    occurrences: list[int] = []
    numbers = {term: number for number, term in enumerate(terms)}
    for column, label in enumerate(listed):
        term_indices += [numbers[term] for term in counts[label]]
        columns += [column] * len(counts[label])
        occurrences += counts[label].values()
    order = np.lexsort((columns, term_indices))
    cells = np.array(term_indices)[order], np.array(columns)[order], np.array(occurrences, np.int64)[order]
    return describe_cells(*cells, n_terms=len(terms), n_labels=len(listed))


def describe_cells(
    term_indices: Integers, columns: Integers, occurrences: Integers, n_terms: int, n_labels: int
) -> dict[str, Array]:
    """The cells in the order of terms, and one document for each label."""
    ones = np.ones(n_labels, np.int64)
    lengths = np.zeros(n_labels, np.int64)
    np.add.at(lengths, columns, occurrences)
    return {
        "label_documents": ones,
        "sizes": np.bincount(term_indices, minlength=n_terms),
        "labels": columns,
        "occurrences": occurrences,
        "documents": np.ones(len(columns), np.int64),
        "length_labels": np.arange(n_labels),
        "lengths": np.minimum(lengths, MAX_LENGTH),
        "length_documents": ones,
        "label_squares": np.stack([np.zeros(n_labels, np.uint64), np.full(n_labels, ONE * ONE, np.uint64)], axis=1),
    }

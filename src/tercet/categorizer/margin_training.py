"""Rows of documents → margins, trained afresh."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.categorizer.kept_rows import Part
from tercet.categorizer.margins import Margins
from tercet.categorizer.table_model import TableModel
from tercet.counts.labels import Labels
from tercet.counts.selection import Mask
from tercet.counts.units import to_numbers
from tercet.counts.weighting import inverse_frequencies, weigh_counts
from tercet.errors import bad_option
from tercet.models.matrix import Matrix

Floats32 = npt.NDArray[np.float32]


class LabelledRows(NamedTuple):
    """Documents as a matrix of counts, with the places of their labels and their weights."""

    matrix: Matrix
    codes: Integers
    weights: Floats | None

    @classmethod
    def gather(
        cls, parts: Iterator[Part], n_terms: int, codes: Integers, weights: Integers | None, *, clip: bool
    ) -> "LabelledRows":
        """Those that have weight. `codes` and `weights` are those of all documents, by the places that come with the parts.

        With `clip` every count is 1.
        """
        places, ends, terms, counts = [np.zeros(0, np.int64)], [np.zeros(1, np.int64)], [], []
        n_entries = 0
        for some, rows in parts:
            if weights is not None and not weights[some].all():
                kept = np.flatnonzero(weights[some])
                some, rows = some[kept], rows.pick(kept)
            own_ends, own_terms, own_counts = rows.arrays()
            places.append(some)
            ends.append(own_ends[1:] + n_entries)
            n_entries += len(own_terms)
            terms.append(own_terms)
            if not clip:
                counts.append(own_counts)
        found = np.concatenate(places)
        values = None if clip else _join(counts, np.float64)
        matrix = Matrix(np.concatenate(ends), _join(terms, np.int32), values, n_terms)
        return cls(matrix, codes[found], None if weights is None else to_numbers(weights[found]))


def train_margins(rules: TableModel, rows: LabelledRows, labels: Labels, kept: Mask | None) -> Margins:
    """By the terms that are kept, of those that enough documents have. Some label of these may have no document."""
    assert rules.margin is not None
    matrix, codes, weights = rows
    present, codes = np.unique(codes, return_inverse=True)
    documents = matrix.count_documents(np.zeros_like(codes), 1, weights)[0]
    known = documents >= rules.min_documents if rules.min_documents > 1 else documents > 0
    known = known if kept is None else known & (kept[: len(known)] > 0)
    if len(known) and not known.all():
        matrix = matrix.keep(known)
    n_documents = float(len(codes) if weights is None else weights.sum())
    factors = find_factors(rules, documents, n_documents) * known
    damping, norm = ("binary", None) if rules.weighting is None else (rules.weighting.tf, rules.weighting.norm)
    values = matrix.values
    if rules.weighting is not None:
        inverse = factors.astype(np.float64)
        values = weigh_counts(matrix.ends, matrix.columns, values, damping, inverse, norm, rules.threads)
    ones = np.ones(len(codes)) if weights is None else weights
    model = type(rules.margin)(**rules.margin.get_params() | {"threads": rules.threads})
    fitted = model._fit_matrix(matrix._replace(values=values), labels[present], codes, ones)
    of_terms = shorten(np.ascontiguousarray(fitted.coef_.T), model.C)
    shorten(fitted.intercept_, model.C)  # an error where it is too large; it keeps its digits
    return Margins(labels[present], of_terms, factors, fitted.intercept_, damping, norm or "none")


def shorten(weights: Floats, C: float) -> Floats32:
    """In 32 bits; an error where they are too large for that."""
    with np.errstate(over="ignore"):
        short = weights.astype(np.float32)
    if not np.isfinite(short).all():
        raise bad_option("C", "a smaller number", C, "margins became too large to be weights. Try 1.0.")
    return short


def find_factors(rules: TableModel, documents: Floats, n_documents: float) -> Floats32:
    """idf of each term, in the 32 bits that decisions are made with; 1 where there is none."""
    if rules.weighting is None or rules.weighting.idf is None:
        return np.ones(len(documents), np.float32)
    return inverse_frequencies(documents, n_documents, rules.weighting.idf).astype(np.float32)


def _join(parts: list[Any], kind: Any) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, kind), *parts])

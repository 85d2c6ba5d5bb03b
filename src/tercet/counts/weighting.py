"""The vector space model as small functions of arrays: tf, idf, norms, log-count ratios.

The counts of documents are those of a CSR matrix: those of document i are `counts[ends[i]:ends[i + 1]]`, and `columns` tells
which terms they belong to.
"""

from typing import Any, Literal

import numpy as np

from tercet.arrays import Floats
from tercet.errors import bad_option
from tercet.kernel import engine
from tercet.options import is_number

Tf = Literal["raw", "log", "binary"]
Idf = Literal["plain", "smooth", "probabilistic"]
Norm = Literal["l1", "l2"]


def damp_counts(counts: Any, way: Tf) -> Floats:
    """tf: the counts as they are, 1 + log(count), or 1 for each; a 0 stays 0. The argument stays as it was.

    >>> damp_counts([0, 1, 2], "log")
    array([0.        , 1.        , 1.69314718])
    """
    values: Floats = np.array(counts, np.float64)
    if way == "raw":
        return values
    present: Floats = np.asarray(values != 0, np.float64)
    if way == "binary":
        return present
    np.log(values, out=values, where=values != 0)
    return values + present


def inverse_frequencies(document_frequencies: Any, n_documents: float, way: Idf | None) -> Floats:
    """idf of each term, where df of N documents have it; all 1 without a way.

    - `"plain"`: log(N / df) + 1
    - `"smooth"`: log((N + 1) / (df + 1)) + 1, as if one more document had every term
    - `"probabilistic"`: log((N - df) / df), or 0 for a term that half of the documents have, or more

    A term that no document has would be infinitely rare, but for `"smooth"`; nothing is known about it, and it gets 0.

    >>> inverse_frequencies([1, 3], 4, "probabilistic").round(4)
    array([1.0986, 0.    ])
    """
    having = np.asarray(document_frequencies, np.float64)
    if way is None:
        return np.ones_like(having)
    if way == "smooth":
        return np.asarray(np.log((n_documents + 1) / (having + 1)) + 1, np.float64)
    known = having > 0
    ratio = np.divide(n_documents, having, out=np.ones_like(having), where=known)
    if way == "plain":
        return np.asarray(known * (np.log(ratio) + 1), np.float64)
    return np.asarray(np.log(np.maximum(ratio - 1, 1.0)), np.float64)


def norms(ends: Any, values: Floats, way: Norm) -> Floats:
    """The length of each document: Σ |value|, or the root of Σ value². That of an empty one is 0.

    >>> norms(np.array([0, 2, 2]), np.array([3.0, 4.0]), "l2")
    array([5., 0.])
    """
    lengths = np.zeros(len(ends) - 1)
    filled = ends[1:] > ends[:-1]  # reduceat has no empty sums
    if filled.any():
        parts = np.abs(values) if way == "l1" else np.square(values)
        lengths[filled] = np.add.reduceat(parts, ends[:-1][filled])
    return lengths if way == "l1" else np.sqrt(lengths)


def weigh_counts(
    ends: Any, columns: Any, counts: Any, tf: Tf, inverse: Floats | None, norm: Norm | None, threads: int = 1
) -> Floats:
    """tf · idf of each count, divided by the length of its document. `inverse` is the idf of each term, None for all 1.

    >>> weigh_counts(np.array([0, 2]), np.array([0, 1]), np.array([3, 2]), "raw", np.array([1.0, 2.0]), "l2")
    array([0.6, 0.8])
    """
    arrays = ends.astype(np.int64, copy=False), columns.astype(np.int32, copy=False), counts.astype(np.float64, copy=False)
    return engine.weigh_counts(*arrays, inverse, tf, norm or "none", threads)


def log_count_ratio(inside: Any, outside: Any, smoothing: float = 1.0) -> Floats:
    """log of how much likelier each term is inside a label than outside: log (p / Σp) / (q / Σq), with p and q the counts
    plus the smoothing.

    >>> log_count_ratio([3, 1], [1, 3]).round(4)
    array([ 0.6931, -0.6931])
    """
    if not is_number(smoothing) or not 0 < smoothing < np.inf:
        raise bad_option("smoothing", "a number > 0", smoothing, "a term on one side alone would say all. Try 1.0.")
    p: Floats = np.asarray(inside, np.float64) + smoothing
    q: Floats = np.asarray(outside, np.float64) + smoothing
    if not p.size:
        return p
    shift = np.log(q.sum() / p.sum())
    p /= q  # in place: there may be millions of terms
    np.log(p, out=p)
    p += shift
    return p

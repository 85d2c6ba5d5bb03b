"""What was trained on documents and does not add up: a weight of each term for each margin."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels, read_labels, write_labels
from tercet.counts.table import find_counted_terms
from tercet.errors import StaleMargins
from tercet.kernel import engine

Floats32 = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Margins:
    """Terms go by their numbers in a table. A margin lies between two labels, or between each of more and the others."""

    labels: Labels
    values: Floats32  # terms × margins
    factors: Floats32  # of each term, before its document is normed; 0 for one that does not count
    bias: Floats  # of each margin
    damping: str
    norm: str
    is_stale: bool = False  # the table has learned or forgotten since

    def weights(self, table: engine.Table) -> engine.LinearWeights:
        """To score with. What the table has forgotten does not count any more."""
        factors = self.factors
        if self.is_stale:
            factors = np.zeros_like(factors)
            met = find_counted_terms(table)[0]
            met = met[met < len(factors)]
            factors[met] = self.factors[met]
        return engine.LinearWeights(self.values, factors, self.damping, self.norm, len(self.labels))

    def prior(self, columns: Integers) -> Floats:
        """What a document without known terms scores, for the labels in these places."""
        both = np.concatenate([-self.bias / 2, self.bias / 2]) if len(self.labels) == 2 else self.bias
        return both[columns]

    def in_order(self, table: engine.Table) -> "Margins":
        """Under the numbers that the terms have when the table is written: those it has, in canonical order."""
        return self.take(find_counted_terms(table)[0])

    def move(self, table: engine.Table, copy: engine.Table) -> "Margins":
        """Under the numbers of a copy of the table."""
        numbers = find_counted_terms(copy)[0]
        places = np.full(len(copy), -1)
        places[numbers] = np.arange(len(numbers))
        return self.in_order(table).take(places)

    def take(self, terms: Integers) -> "Margins":
        """Of these terms, in this order. Those that came later have no weight, and -1 is none."""
        known = (terms >= 0) & (terms < len(self.factors))
        values = np.zeros((len(terms), self.values.shape[1]), np.float32)
        factors = np.zeros(len(terms), np.float32)
        values[known], factors[known] = self.values[terms[known]], self.factors[terms[known]]
        return replace(self, values=values, factors=factors)


def mark_stale(margins: Margins | None) -> Margins | None:
    return None if margins is None else replace(margins, is_stale=True)


def warn_of_stale(stacklevel: int) -> None:
    warnings.warn(
        "documents were learned or forgotten since the margins were trained: decisions are those of before. Counts follow at "
        "once, margins do not: call refit(texts, labels) with all documents that are learned, or train a new model.",
        StaleMargins,
        stacklevel=stacklevel,
    )


def write_margins(margins: Margins) -> dict[str, Any]:
    """What is no array."""
    return {name: getattr(margins, name) for name in ("damping", "norm", "is_stale")} | {"labels": write_labels(margins.labels)}


def pack_margins(margins: Margins) -> dict[str, npt.NDArray[Any]]:
    """As arrays of a file. Factors that are all 1 or 0 need one byte each."""
    factors = margins.factors
    plain = ((factors == 0) | (factors == 1)).all()
    return {"values": margins.values, "factors": factors.astype(np.uint8) if plain else factors, "bias": margins.bias}


def read_margins(written: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> Margins:
    """Margins from a file, which may hold anything."""
    values, factors = np.asarray(arrays["values"], np.float32), arrays["factors"].astype(np.float32)
    labels, n_margins = read_labels(written["labels"]), len(arrays["bias"])
    if values.shape != (*factors.shape, *arrays["bias"].shape) or n_margins != (1 if len(labels) == 2 else len(labels)):
        raise ValueError("the margins do not fit their labels")
    # An error where the kernel knows none of that kind.
    engine.LinearWeights(values[:0], factors[:0], written["damping"], written["norm"], len(labels))
    bias = np.asarray(arrays["bias"], np.float64)
    return Margins(labels, values, factors, bias, written["damping"], written["norm"], bool(written["is_stale"]))

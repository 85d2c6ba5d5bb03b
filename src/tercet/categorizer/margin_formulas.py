"""The formulas of trained margins: the value of a term in the text times its weight for one label against another."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.cached import cached_property
from tercet.categorizer.arithmetic import UNKNOWN, DecisionFormulas
from tercet.categorizer.trained_margins import Layer, TrainedMargins
from tercet.kernel import engine
from tercet.report.arithmetic import Formula, add, multiply, subtract, write_number

write_weight = partial(write_number, digits=9)  # weights have single precision
TAMED = {"raw": "the count", "log": "1 + log of the count", "binary": "1"}
SCALED = {"none": "", "l1": ", divided by the sum over the text", "l2": ", divided by the length of the text as a vector"}


@dataclass(frozen=True)
class MarginFormulas(DecisionFormulas):
    """Formulas for the labels at the places `a` and `b` of the margins, and a text with these terms and counts."""

    margins: TrainedMargins  # of these terms, in their order
    terms: Integers
    counts: Floats
    a: int
    b: int
    prior: tuple[float, float]

    def write_prior(self) -> Formula | None:
        return subtract(*map(write_weight, self.prior))

    def write_term(self, term: int, count: int) -> Formula:
        parts = [] if term == UNKNOWN else list(self._write_products(term))
        return add(*parts) if parts else write_number(0)

    def _write_products(self, term: int) -> Iterator[Formula]:
        place = int(np.flatnonzero(self.terms == term)[0])
        for layer, values in self._layers:
            if values[place]:
                weights = layer.values[place].astype(np.float64)
                yield multiply(write_weight(float(values[place])), self._write_weight(weights))

    def _write_weight(self, weights: Floats) -> Formula:
        """Two labels have one weight, which is that of the second label against the first."""
        if len(weights) == 1:
            return write_weight(float(weights[0]) if self.a == 1 else -float(weights[0]))
        return subtract(write_weight(float(weights[self.a])), write_weight(float(weights[self.b])))

    @cached_property
    def _layers(self) -> list[tuple[Layer, Floats]]:
        """Each layer, and the values of the terms in the text."""
        ends, columns = np.array([0, len(self.terms)]), np.arange(len(self.terms), dtype=np.int32)
        return [
            (
                layer,
                engine.weigh_counts(
                    ends, columns, self.counts, layer.factors.astype(np.float64), layer.damping, layer.norm, self.margins.blocks
                ),
            )
            for layer in self.margins.layers
        ]

    def list_notes(self) -> list[str]:
        notes = ["Each term: its value in the text times its trained weight. The weights come from training, not from counts."]
        kinds = dict.fromkeys((layer.damping, layer.norm) for layer in self.margins.layers)
        is_one = len(kinds) == 1
        for number, (damping, norm) in enumerate(kinds, 1):
            which = "The value" if is_one else f"Value {number}"
            notes.append(f"{which} is {TAMED[damping]}, times a factor of the term{SCALED[norm]}.")
        return notes

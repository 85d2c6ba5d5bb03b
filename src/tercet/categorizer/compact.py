"""A categorizer for deployment: the weights, and nothing that could tell what was learned."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.categorizer.decisions import Decisions
from tercet.categorizer.scorer import Scorer
from tercet.errors import InvalidOption
from tercet.kernel import engine
from tercet.models.likelihood import Likelihood
from tercet.text.recipe import make_recipe


class CompactCategorizer(Decisions):
    """What `Categorizer.compact()` gives: it predicts and explains with weights of 32 bits, and can't learn or forget."""

    def __init__(self, scorer: Scorer, likelihood: Likelihood) -> None:
        if scorer.smoothing.value == 0:
            raise InvalidOption("smoothing=0 has no compact form: what it forbids is no weight. Use a smoothing above 0.")
        self._likelihood = replace(likelihood, kept=None)
        order = scorer.table.order()
        order = order[scorer.known(order)]
        terms = scorer.table.terms()
        arrays = _keep_labels(scorer.weights.pack(order), scorer.columns)
        self._compact = self._assemble(scorer, [terms[number] for number in order.tolist()], arrays)

    def learn(self, *_: Any, **__: Any) -> None:
        """Not any more: the counts are gone."""
        raise InvalidOption(
            "a compact categorizer has weights and no counts: it can't learn or forget. Keep the full one for that."
        )

    fit = partial_fit = forget = learn

    @property
    def nbytes(self) -> int:
        """How much room the terms and the weights take where they are stored."""
        terms, arrays = self._pack()
        spelled = sum(len(term.encode("utf-8", "surrogatepass")) for term in terms)
        return int(spelled + 4 * len(terms) + sum(array.nbytes for array in arrays))

    def _scorer(self) -> Scorer:
        return self._compact

    def _assemble(self, scorer: Scorer, terms: list[str], arrays: Any) -> Scorer:
        of_label, offset, of_term, starts, labels, values = arrays
        weights = engine.Weights.unpack(
            self._likelihood.with_smoothing(scorer.smoothing),
            of_label,
            offset,
            of_term,
            starts.astype(np.int64),
            labels.astype(np.int64),
            values,
        )
        nothing = np.zeros(0, np.int64)
        counts = engine.Counts(len(scorer.labels), len(terms))
        table = engine.Table.from_arrays(make_recipe(scorer.analyzer), terms, counts, nothing, nothing, nothing)
        return replace(scorer, columns=np.arange(len(scorer.labels)), table=table, weights=weights)

    def _pack(self) -> tuple[list[str], list[Any]]:
        """The terms, and the arrays with no wider numbers than they need."""
        terms = self._compact.table.terms()
        of_label, offset, of_term, starts, labels, values = self._compact.weights.pack(np.arange(len(terms)))
        narrow = [starts.astype(np.min_scalar_type(starts[-1])), labels.astype(np.min_scalar_type(len(of_label)))]
        return terms, [of_label, offset, of_term, *narrow, values]

    def __getstate__(self) -> Any:
        nothing: Any = None  # the kernel's objects are made anew from the arrays
        return self._likelihood, replace(self._compact, table=nothing, weights=nothing), self._pack()

    def __setstate__(self, state: Any) -> None:
        self._likelihood, scorer, packed = state
        self._compact = self._assemble(scorer, *packed)

    def __repr__(self) -> str:
        return f"CompactCategorizer({len(self._compact.labels)} labels, {len(self._compact.table)} terms)"


def _keep_labels(arrays: Any, columns: npt.NDArray[np.int64]) -> Any:
    """The weights of some labels alone."""
    of_label, offset, of_term, starts, labels, values = arrays
    kept = np.isin(labels, columns)
    ends = np.concatenate([[0], np.cumsum(kept)])
    return of_label[columns], offset[columns], of_term, ends[starts], np.searchsorted(columns, labels[kept]), values[kept]

"""A categorizer for deployment: the weights, and nothing that could tell what was learned."""

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.categorizer.compact_arrays import PackedWeights, open_terms, pack_compact, unpack_weights
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
        order = scorer.table.order()
        order = order[scorer.known(order)]
        weights = PackedWeights(*scorer.weights.pack(order)).pick(scorer.columns)
        self._assemble(scorer, replace(likelihood, kept=None), pack_compact(scorer.table, order, weights))

    def learn(self, *_: Any, **__: Any) -> None:
        """Not any more: the counts are gone."""
        raise InvalidOption(
            "a compact categorizer has weights and no counts: it can't learn or forget. Keep the full one for that."
        )

    fit = partial_fit = forget = learn

    @property
    def nbytes(self) -> int:
        """How much room the terms and the weights take where they are stored."""
        return sum(array.nbytes for array in self._arrays.values())

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to one small file, which `tercet.load` reads."""
        from tercet.categorizer.files import save_compact

        save_compact(self, path)

    def _scorer(self) -> Scorer:
        return self._compact

    def _assemble(self, scorer: Scorer, likelihood: Likelihood, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """With all of the scorer that is no object of the kernel; those are made of the arrays."""
        weights = engine.Weights.unpack(likelihood.with_smoothing(scorer.smoothing), *unpack_weights(arrays))
        table = open_terms(make_recipe(scorer.analyzer), arrays, len(scorer.labels))
        self._arrays, self._likelihood = arrays, likelihood
        self._compact = replace(scorer, columns=np.arange(len(scorer.labels)), table=table, weights=weights)

    def __getstate__(self) -> Any:
        nothing: Any = None  # the kernel's objects are made anew from the arrays
        return replace(self._compact, table=nothing, weights=nothing), self._likelihood, self._arrays

    def __setstate__(self, state: Any) -> None:
        self._assemble(*state)

    def __repr__(self) -> str:
        return f"CompactCategorizer({len(self._compact.labels)} labels, {len(self._compact.table)} terms)"

"""A categorizer for deployment: the weights, and nothing that could tell what was learned."""

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.categorizer.compact_arrays import PackedWeights, open_terms, pack_terms, pack_weights, unpack_weights
from tercet.categorizer.decisions import Decisions
from tercet.categorizer.margins import Margins, pack_margins
from tercet.categorizer.scorer import Scorer
from tercet.errors import InvalidOption
from tercet.kernel import engine
from tercet.models.likelihood import Likelihood
from tercet.text.recipe import make_recipe


class CompactCategorizer(Decisions):
    """What `Categorizer.compact()` gives: it predicts and explains with weights of 32 bits, and can't learn or forget."""

    def __init__(self, scorer: Scorer, form: Likelihood | Margins) -> None:
        """`form` says what the weights of the scorer are."""
        order = scorer.table.order()
        order = order[scorer.known(order)]
        if isinstance(form, Margins):
            self._assemble(scorer, replace(form.take(order), is_stale=False), pack_terms(scorer.table, order))
            return
        assert isinstance(scorer.weights, engine.Weights)
        assert scorer.smoothing is not None
        if scorer.smoothing.value == 0:
            raise InvalidOption("smoothing=0 has no compact form: what it forbids is no weight. Use a smoothing above 0.")
        weights = PackedWeights(*scorer.weights.pack(order)).pick(scorer.columns)
        arrays = pack_terms(scorer.table, order) | pack_weights(weights)
        self._assemble(replace(scorer, columns=np.arange(len(scorer.labels))), replace(form, kept=None), arrays)

    def learn(self, *_: Any, **__: Any) -> None:
        """Not any more: the counts are gone."""
        raise InvalidOption(
            "a compact categorizer has weights and no counts: it can't learn or forget. Keep the full one for that."
        )

    fit = partial_fit = forget = learn

    @property
    def nbytes(self) -> int:
        """How much room the terms and the weights take where they are stored."""
        margins = pack_margins(self._form) if isinstance(self._form, Margins) else {}
        return sum(array.nbytes for array in [*self._arrays.values(), *margins.values()])

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to one small file, which `tercet.load` reads."""
        from tercet.categorizer.files import save_compact

        save_compact(self, path)

    def _scorer(self) -> Scorer:
        return self._compact

    def _assemble(self, scorer: Scorer, form: Likelihood | Margins, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """With all of the scorer that is no object of the kernel; those are made of the arrays."""
        recipe = make_recipe(scorer.analyzer)
        weights: engine.Weights | engine.LinearWeights
        if isinstance(form, Margins):
            table = open_terms(recipe, arrays, len(form.labels), len(form.factors))
            weights = form.weights(table)
        else:
            assert scorer.smoothing is not None
            table = open_terms(recipe, arrays, len(scorer.labels), len(arrays["term_codes"]))
            weights = engine.Weights.unpack(form.with_smoothing(scorer.smoothing), *unpack_weights(arrays))
        self._arrays, self._form = arrays, form
        self._compact = replace(scorer, table=table, weights=weights)

    def __getstate__(self) -> Any:
        nothing: Any = None  # the kernel's objects are made anew from the arrays
        return replace(self._compact, table=nothing, weights=nothing), self._form, self._arrays

    def __setstate__(self, state: Any) -> None:
        self._assemble(*state)

    def __repr__(self) -> str:
        return f"CompactCategorizer({len(self._compact.labels)} labels, {len(self._compact.table)} terms)"

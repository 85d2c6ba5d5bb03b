"""A categorizer for deployment: only weights, without counts or fingerprints of what was learned."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tercet.categorizer.model.packed_terms import open_terms, pack_terms
from tercet.categorizer.model.text_model import Arrays, TermWeights
from tercet.categorizer.predictor import Predictor
from tercet.categorizer.scorer import Scorer
from tercet.counts.labels import Labels
from tercet.errors import InvalidOption
from tercet.registry import find, name_of
from tercet.text.recipe import make_recipe

if TYPE_CHECKING:
    from tercet.categorizer.files.hand_check import HandCheck
    from tercet.categorizer.files.record import TrainingRecord
    from tercet.evaluation.checked_sample import CheckedPool


class PackedModel(NamedTuple):
    """The terms and weights of a compact categorizer in few bytes."""

    type: str  # the registered name of the weights
    content: Mapping[str, Any]
    weights: Arrays
    terms: Arrays

    @classmethod
    def of(cls, scorer: Scorer) -> "PackedModel":
        order = scorer.table.order()
        order, terms = pack_terms(scorer.table, order[scorer.weights.known(order)])
        return cls(name_of(scorer.weights), *scorer.weights.pack(order), terms)

    def open_weights(self, labels: Labels) -> TermWeights:
        weights: TermWeights = find("weights", self.type).unpack(self.content, self.weights, labels)
        return weights

    def digest(self) -> str:
        """32 hexadecimal digits of the terms and weights."""
        digest = blake2b(digest_size=16)
        for array in [*self.terms.values(), *self.weights.values()]:
            digest.update(np.ascontiguousarray(array).data.cast("B"))
        return digest.hexdigest()

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in [*self.terms.values(), *self.weights.values()])


class CompactCategorizer(Predictor):
    """The result of `Categorizer.compact()` or `from_probabilities`: it predicts and explains. It can't learn or forget.

    Naive Bayes has weights in 32 bits. Margins have weights in 8 bits, with a scale for each term. Given probabilities have 64.
    """

    def __init__(
        self,
        scorer: Scorer,
        labels: Labels,
        packed: PackedModel,
        record: "TrainingRecord | None" = None,
        is_current: bool | None = None,
        majority: Any = None,
        hand_check: "HandCheck | None" = None,
    ) -> None:
        """Take everything from the scorer except its table and weights, which are unpacked from `packed`."""
        weights = packed.open_weights(labels)
        table = open_terms(make_recipe(scorer.analyzer), packed.terms, weights.kernel.n_labels, weights.kernel.n_terms)
        self._packed, self._record, self._is_current, self._majority = packed, record, is_current, majority
        self._hand_check = hand_check
        self._compact = replace(scorer, table=table, weights=weights)

    def learn(self, *_: Any, **__: Any) -> None:
        """Always raises InvalidOption: there are no counts to change."""
        raise InvalidOption(
            "a compact categorizer has weights and no counts, and so has one with given probabilities: it can't learn or "
            "forget. Keep the full categorizer for that, or fit a Categorizer on documents."
        )

    fit = partial_fit = forget = relabel = refit = learn

    @property
    def record_(self) -> "TrainingRecord | None":
        return self._record

    @property
    def is_current_(self) -> bool | None:
        return self._is_current

    @property
    def hand_check_(self) -> "HandCheck | None":
        return self._hand_check

    @property
    def is_check_current_(self) -> bool | None:
        return None if self._hand_check is None else bool(self._hand_check.model)

    def record_check(self, checked: "CheckedPool", pool: str = "") -> None:
        """Write down a check by hand: see `Categorizer.record_check`."""
        from tercet.categorizer.files.hand_check import HandCheck

        self._hand_check = HandCheck.of(checked, pool, self._packed.digest())

    @property
    def majority_label_(self) -> Any:
        return self._majority

    @property
    def nbytes(self) -> int:
        """How many bytes the terms and the weights take in a file."""
        return self._packed.nbytes

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to one small file, which `tercet.load` reads, by the rules of `Categorizer.save`."""
        from tercet.categorizer.files.save_load import save_compact

        save_compact(self, path)

    def scorer(self) -> Scorer:
        return self._compact

    def __getstate__(self) -> Any:
        kept = self._packed, self._record, self._is_current, self._majority, self._hand_check
        return strip_kernel(self._compact), self._compact.labels, *kept

    def __setstate__(self, state: Any) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def __repr__(self) -> str:
        from tercet.report.tables import pluralize  # on first use: a prediction does not need it

        labels, terms = len(self._compact.labels), len(self._compact.table)
        return f"CompactCategorizer({pluralize(labels, 'label')}, {pluralize(terms, 'term')})"

    def _repr_html_(self) -> str:
        from tercet.categorizer.notebook import show_compact  # on first use: only a notebook needs it

        return show_compact(self)


def strip_kernel(scorer: Scorer) -> Scorer:
    """The scorer without the objects of the kernel."""
    nothing: Any = None
    return replace(scorer, table=nothing, weights=nothing)

"""A metric that is a function of the user: it takes gold and predicted labels and returns a number, which is checked."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.errors import InvalidOption, shorten
from tercet.evaluation.bootstrap import bootstrap_documents
from tercet.evaluation.intervals import Estimate, note_small_sample
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.sample import EvaluatedDocuments
from tercet.options import is_number


@dataclass(frozen=True)
class FunctionMetric:
    """A function of gold and predicted labels. It is an error if the function raises or does not return a finite number.

    >>> FunctionMetric(lambda gold, predicted: np.mean(gold == predicted))(np.array(["a", "b"]), np.array(["a", "a"]))
    0.5
    """

    function: Callable[..., Any]

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def __call__(self, gold: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> float:
        try:
            value = self.function(gold, predicted)
        except Exception as error:
            raise InvalidOption(
                f"the metric {self.name} raised {type(error).__name__} ({shorten(str(error))}) for {len(gold)} documents: it "
                "gets two NumPy arrays, the gold and the predicted labels, and must return a number."
            ) from error
        value = value.item() if isinstance(value, np.ndarray | np.generic) and value.ndim == 0 else value
        if not is_number(value) or not math.isfinite(value):
            raise InvalidOption(
                f"the metric {self.name} returned {shorten(repr(value), 60)} for {len(gold)} documents: it must return a "
                "finite number, because nothing else has an interval."
            )
        return float(value)

    def check(self, documents: EvaluatedDocuments) -> None:
        """Raise InvalidOption if it can't measure these documents."""
        if documents.weights is not None:
            raise InvalidOption(f"{self.name} is a function of labels and would not see the weights: pass only one of the two.")
        self(*documents.spell())

    def estimate(self, documents: EvaluatedDocuments, plan: Resampling) -> Estimate:
        """The number with its bootstrap interval; undefined if it can't be computed, as for a slice with one label only."""
        n_groups = 0 if documents.groups is None else len(np.unique(documents.groups))
        small = note_small_sample(n_groups, len(documents.gold), is_weighted=False)
        try:
            return bootstrap_documents(self, documents.spell(), plan, groups=documents.groups).add_note(small)
        except InvalidOption:
            return Estimate(math.nan, math.nan, math.nan, plan.confidence, plan.method, "undefined")


def check_names(names: Iterable[str]) -> None:
    """Raise InvalidOption if two metrics have the same name, as all lambdas have."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidOption(
                f"two metrics are named {name!r}: which number is whose? Name each metric once, and functions by def."
            )
        seen.add(name)

"""Leave-one-out: the score of each training document by the counts without it. Counts are subtracted; nothing is trained."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels
from tercet.counts.units import to_numbers
from tercet.errors import InvalidOption
from tercet.kernel import engine
from tercet.models.bayes_rule import Likelihood, join_prior, log_priors_left
from tercet.models.smoothing import Smoothing
from tercet.options import n_threads


class Taken(NamedTuple):
    """The weights that are left out with document i: the entries starts[i] … starts[i + 1], each label at most once.

    Weights are sums over the document and its copies. `squares` are the sums of the squared weights, in 128 bits.
    """

    starts: Integers
    labels: Integers
    weights: Integers
    squares: npt.NDArray[np.uint64]

    @classmethod
    def own(cls, codes: Integers, weights: Integers) -> "Taken":
        """For documents that are each left out alone."""
        starts = np.arange(len(codes) + 1)
        return cls(starts, codes, weights, engine.sum_squares(weights, starts[:-1], len(codes)))


@dataclass(frozen=True)
class LeaveOneOut:
    """Counts that score their own documents. The counts must not change meanwhile."""

    likelihood: Likelihood
    prior: Any
    labels: Labels
    counts: engine.Counts
    threads: int | None = None

    def with_smoothing(self, smoothing: Smoothing) -> engine.LeftOut:
        if self.likelihood.kind == "bernoulli" and smoothing.value == 0:
            raise InvalidOption(
                "leave-one-out of kind='bernoulli' needs smoothing > 0: a term that all or no documents have would be certain."
            )
        return engine.LeftOut(self.counts, self.likelihood.with_smoothing(smoothing))

    def log_joint(self, rows: engine.Rows, taken: Taken, smoothing: Smoothing) -> Floats:
        """The score of each document by the counts without its entries in `taken`, documents × labels."""
        scores = self.with_smoothing(smoothing).score(rows, *taken, n_threads(self.threads))
        return join_prior(scores, self.log_priors(taken))

    def prior_option(self) -> Any:
        """The prior; None for complement, which does not use one."""
        return self.prior if self.likelihood.kind != "complement" or len(self.labels) == 1 else None

    def log_prior(self) -> Floats | None:
        """The prior if it is the same for each left-out document, else None."""
        option = self.prior_option()
        if isinstance(option, str) and option == "empirical":
            return None
        left = to_numbers(self.counts.n_documents())[None]
        prior: Floats = log_priors_left(option, self.labels, left, only_present=self.likelihood.is_open)[0]
        return prior

    def log_priors(self, taken: Taken) -> Floats:
        """The prior without each document's entries in `taken`, documents × labels."""
        n = len(taken.starts) - 1
        left = np.tile(self.counts.n_documents(), (n, 1))
        document = np.repeat(np.arange(n), np.diff(taken.starts))
        left[document, taken.labels] -= taken.weights
        return log_priors_left(self.prior_option(), self.labels, to_numbers(left), only_present=self.likelihood.is_open)

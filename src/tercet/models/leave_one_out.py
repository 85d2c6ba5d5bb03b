"""The score of each training document by the counts without it: by subtraction, not by learning again."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels
from tercet.counts.units import to_numbers
from tercet.errors import InvalidOption
from tercet.kernel import engine
from tercet.kernel.threads import n_threads
from tercet.models.likelihood import Likelihood, join_prior
from tercet.models.priors import log_priors_left
from tercet.models.smoothing import Smoothing


class Taken(NamedTuple):
    """What goes out with each document: for document i the entries starts[i] … starts[i + 1], each label once."""

    starts: Integers
    labels: Integers
    weights: Integers

    @classmethod
    def own(cls, codes: Integers, weights: Integers) -> "Taken":
        """Each document alone."""
        return cls(np.arange(len(codes) + 1), codes, weights)

    def pick(self, begin: int, end: int) -> "Taken":
        """What goes out with the documents from one place to another."""
        first, last = self.starts[begin], self.starts[end]
        return Taken(self.starts[begin : end + 1] - first, self.labels[first:last], self.weights[first:last])


@dataclass(frozen=True)
class LeaveOneOut:
    """Counts that are asked about their own documents; they must not change meanwhile."""

    likelihood: Likelihood
    prior: Any
    labels: Labels
    counts: engine.Counts
    threads: int | None = None

    def with_smoothing(self, smoothing: Smoothing) -> engine.LeftOut:
        if self.likelihood.kind == "bernoulli" and smoothing.value == 0:
            raise InvalidOption(
                "leave-one-out of kind='bernoulli' needs smoothing > 0: terms that all or none have are certain."
            )
        return engine.LeftOut(self.counts, self.likelihood.with_smoothing(smoothing))

    def log_joint(self, rows: engine.Rows, taken: Taken, smoothing: Smoothing) -> Floats:
        """The score of each document without what is taken with it, documents × labels."""
        scores = self.with_smoothing(smoothing).score(rows, *taken, n_threads(self.threads))
        return join_prior(scores, self.log_priors(taken))

    def prior_option(self) -> Any:
        """The prior; None for complement, which has none."""
        return self.prior if self.likelihood.kind != "complement" or len(self.labels) == 1 else None

    def log_prior(self) -> Floats | None:
        """Where it does not depend on which document is left out; None where it does."""
        option = self.prior_option()
        if isinstance(option, str) and option == "empirical":
            return None
        left = to_numbers(self.counts.n_documents())[None]
        prior: Floats = log_priors_left(option, self.labels, left, only_present=self.likelihood.is_open)[0]
        return prior

    def log_priors(self, taken: Taken) -> Floats:
        """Of the labels without each document, documents × labels."""
        n = len(taken.starts) - 1
        left = np.tile(self.counts.n_documents(), (n, 1))
        document = np.repeat(np.arange(n), np.diff(taken.starts))
        left[document, taken.labels] -= taken.weights
        return log_priors_left(self.prior_option(), self.labels, to_numbers(left), only_present=self.likelihood.is_open)

"""Random documents of naive Bayes: a label from the prior, and then the terms of a document of this label."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.cached import cached_property
from tercet.counts.labels import Labels, find_labels
from tercet.counts.matrices import sparse
from tercet.errors import InvalidLabel, InvalidOption, bad_option
from tercet.options import check_count, check_seed

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def draw_indices(shares: Floats, n: int, rng: np.random.Generator) -> Integers:
    """n random indices. The probability of an index is in proportion to its share; `shares` are cumulative sums.

    >>> draw_indices(np.cumsum([0.5, 0.0, 1.5]), 8, np.random.default_rng(0))
    array([2, 2, 0, 0, 2, 2, 2, 2])
    """
    # A search in sums gives the same indices for the same seed on every machine.
    indices = np.searchsorted(shares, rng.random(n) * shares[-1], side="right")
    return np.asarray(indices.clip(max=len(shares) - 1), np.int64)


def check_generative(kind: str) -> None:
    """Raises InvalidOption if a model of this kind has no P(document | label)."""
    if kind not in ("multinomial", "binary", "bernoulli"):
        raise InvalidOption(
            f"{kind} has no probability of a document to draw from: use a NaiveBayes of kind multinomial, binary or bernoulli."
        )


@dataclass(frozen=True)
class TermSampler:
    """Draws the terms of documents. A term is its index among the probabilities of its label."""

    kind: str
    labels: Labels
    prior: Floats
    compute_probabilities: Callable[[int], Floats]  # P(term | label) of each term, for the label at an index
    draw_length: Callable[[int, np.random.Generator], int] | None  # of a document of the label at an index; None: not known

    def sample(
        self, n: int, seed: int, label: Any, n_words: int | None
    ) -> tuple[Integers, list[Integers], np.random.Generator]:
        """The indices of the labels and of the terms of n documents, and the generator for further numbers.

        Without a label, each document draws its label from the prior. Without `n_words` it draws its length.
        """
        n, rng = check_count("n", n), np.random.default_rng(check_seed(seed))
        n_words = None if n_words is None else self._check_length(n_words)
        given = None if label is None else int(find_labels([label], self.labels)[0])
        prior, codes, documents = np.cumsum(self.prior), [], []
        for _ in range(n):
            code = int(draw_indices(prior, 1, rng)[0]) if given is None else given
            codes.append(code)
            documents.append(self._draw_terms(code, n_words, rng))
        return np.array(codes, np.int64), documents, rng

    def _check_length(self, n_words: int) -> int:
        if self.kind == "bernoulli":
            why = "kind='bernoulli' draws for each term whether a document has it."
            raise bad_option("n_words", "None", n_words, why)
        return check_count("n_words", n_words)

    def _draw_terms(self, code: int, n_words: int | None, rng: np.random.Generator) -> Integers:
        if self.kind == "bernoulli":
            probabilities = self.compute_probabilities(code)
            return np.flatnonzero(rng.random(len(probabilities)) < probabilities)
        length = self._draw_length(code, rng) if n_words is None else n_words
        shares = self._shares.get(code)
        if shares is None:
            shares = self._shares[code] = self._sum_shares(code)
        return draw_indices(shares, length, rng)

    def _sum_shares(self, code: int) -> Floats:
        """The cumulative sums of the probabilities. They need not end at 1: terms are drawn in proportion."""
        shares = np.cumsum(self.compute_probabilities(code))
        if not len(shares):
            raise InvalidLabel("there are no terms to draw from: no learned document has any.")
        if not shares[-1] > 0:
            label = self.labels.tolist()[code]
            raise InvalidLabel(f"the label {label!r} has no terms of its own, and smoothing=0 gives it no others.")
        return shares

    def _draw_length(self, code: int, rng: np.random.Generator) -> int:
        if self.draw_length is None:
            raise InvalidOption(
                "this model does not know how long documents are: pass n_words (--words), the number of words of each."
            )
        return self.draw_length(code, rng)

    @cached_property
    def _shares(self) -> dict[int, Floats]:
        """The sums of the labels that were drawn already: a model may have many labels."""
        return {}


def count_indices(documents: Sequence[Integers], n_terms: int) -> "csr_matrix":
    """The documents as counts, documents × terms.

    >>> count_indices([np.array([1, 0, 1]), np.array([], np.int64)], 3).toarray()
    array([[1, 2, 0], [0, 0, 0]])
    """
    ends = np.cumsum([0, *map(len, documents)])
    terms = np.concatenate(documents)
    matrix: csr_matrix = sparse().csr_matrix((np.ones(len(terms), np.int64), terms, ends), (len(documents), n_terms))
    matrix.sum_duplicates()
    return matrix

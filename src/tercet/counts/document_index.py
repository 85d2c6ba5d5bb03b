"""DocumentIndex: the documents that are most similar to a text, and the terms that make them similar."""

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.counts.counter import TermCounter
from tercet.counts.weighting import TermWeighting
from tercet.errors import bad_option, not_fitted
from tercet.estimator import Estimator
from tercet.options import check_count
from tercet.text.analyzer import Analyzer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scipy.sparse import csr_matrix

STEPS = 2.0**40  # from 0 to 1: similarities that differ only by rounding are equal


class Neighbour(NamedTuple):
    """A similar document: its position, its similarity, and how much each common term adds to the cosine."""

    position: int
    similarity: float
    terms: tuple[tuple[str, float], ...]


class DocumentIndex(Estimator):
    """The documents nearest to a text, by the cosine of their vectors.

    - `analyzer`: an `Analyzer`, or the name of a preset.
    - `weighting`: the weights of terms, `TermWeighting()` by default; its norm has no effect on a cosine.
    - `threads`: the number of threads for counting. The result is always the same.

    >>> index = DocumentIndex().fit(["the hen sat", "a sly fox", "an old hen"])
    >>> [(near.position, round(near.similarity, 2)) for near in index.nearest("my old hen")]
    [(2, 0.78), (0, 0.29)]
    >>> [(term, round(share, 2)) for term, share in index.nearest("my old hen", k=1)[0].terms]
    [('old', 0.5), ('hen', 0.29)]
    """

    def __init__(
        self, analyzer: Analyzer | str = "words", *, weighting: TermWeighting | None = None, threads: int | None = None
    ) -> None:
        self.analyzer = analyzer
        self.weighting = weighting
        self.threads = threads

    def fit(self, texts: "Iterable[str]", y: object = None) -> Self:
        """Index these documents and drop all others. `y` is ignored."""
        weighting = self._make_weighting()
        counter = TermCounter(self.analyzer, threads=self.threads)
        matrix = weighting.fit_transform(counter.fit_transform(texts))
        # The documents of each term: a text is compared only with documents that share a term with it.
        self._lists: csr_matrix = matrix.T.tocsr()
        self._counter, self._weighting, self._terms = counter, weighting, counter.get_feature_names_out()
        return self

    def nearest(self, text: str, k: int = 5) -> list[Neighbour]:
        """The k documents that are most similar to the text, the most similar first; ties go to the first document.

        There are fewer if fewer documents share a term with the text. The terms of each document are sorted by the share that
        they add; the sum of the shares is the similarity.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        k, vector = check_count("k", k), self._weighting.transform(self._counter.transform([text]))
        touched = self._lists[vector.indices]
        similarities = touched.T @ vector.data
        positions = rank_most_similar(similarities, k)
        shared, names = touched[:, positions].tocsc(), self._terms[vector.indices]
        neighbours = []
        for index, position in enumerate(positions):
            entries = slice(shared.indptr[index], shared.indptr[index + 1])
            terms = _rank_terms(names[shared.indices[entries]], shared.data[entries] * vector.data[shared.indices[entries]])
            neighbours.append(Neighbour(int(position), min(1.0, float(similarities[position])), terms))
        return neighbours

    def __sklearn_is_fitted__(self) -> bool:
        return "_lists" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(one_d_array=False, two_d_array=False, string=True),
        )

    def _make_weighting(self) -> TermWeighting:
        given = TermWeighting() if self.weighting is None else self.weighting
        if not isinstance(given, TermWeighting):
            raise bad_option("weighting", "a TermWeighting or None", given, "it gives the weight of each term.")
        return TermWeighting(given.tf, given.idf, "l2")


def rank_most_similar(similarities: Floats, k: int) -> npt.NDArray[np.intp]:
    """The positions of the k greatest similarities above 0, the greatest first; ties go to the first position."""
    steps = np.rint(similarities * STEPS)
    k = min(k, int(np.count_nonzero(steps > 0)))
    if k == 0:
        return np.zeros(0, np.intp)
    found = np.flatnonzero(steps >= np.partition(steps, -k)[-k])
    return found[np.argsort(-steps[found], kind="stable")[:k]]


def _rank_terms(names: npt.NDArray[np.object_], shares: Floats) -> tuple[tuple[str, float], ...]:
    order = np.argsort(-shares, kind="stable")
    return tuple((name, share) for name, share in zip(names[order], shares[order].tolist(), strict=True) if share > 0)

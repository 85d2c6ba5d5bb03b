"""The options of naive Bayes: its kind, its smoothing, and which terms it knows."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.kernel.base.arguments import expect
from tercet.kernel.bayes.smoothing import FORMULAS
from tercet.kernel.counts.counts import Cell, Counts


@dataclass(frozen=True, kw_only=True)
class Model:
    likelihood: str
    smoothing: str
    value: float  # ε, λ, μ or δ
    open: bool  # a term without documents is not known. A matrix is not open: it keeps all its columns
    shared: bool  # only terms that every label has. In an open vocabulary labels without documents are ignored
    unknown_term: bool  # add one term that represents all unknown terms
    min_documents: int  # in units
    kept: npt.NDArray[np.uint8] | None  # one flag per term; None keeps all terms
    pseudo_counts: Floats | None = None  # one per term, for additive smoothing; None: `value` for each term

    def __post_init__(self) -> None:
        expect(self.likelihood in ("multinomial", "binary", "bernoulli", "complement"), f"no such choice: {self.likelihood}")
        expect(self.smoothing in FORMULAS, f"no such choice: {self.smoothing}")
        if self.pseudo_counts is not None:
            takes_own = self.smoothing == "additive" and self.likelihood != "bernoulli" and self.value > 0
            expect(takes_own, "no pseudo-counts of terms here")
            is_good = bool((np.isfinite(self.pseudo_counts) & (self.pseudo_counts > 0)).all())
            expect(is_good, "a pseudo-count is a number above 0")

    def value_of(self, term: int) -> float:
        """The number of the smoothing for a term; a negative number stands for unknown terms."""
        own = self.pseudo_counts
        return self.value if term < 0 or own is None or not len(own) else float(own[term])

    @property
    def clips(self) -> bool:
        """Whether it counts the documents with a term, not its occurrences."""
        return self.likelihood in ("binary", "bernoulli")

    def count(self, cell: Cell) -> int:
        return cell.documents if self.clips else cell.occurrences

    def known_terms(self, counts: Counts) -> set[int]:
        expect(self.kept is None or len(self.kept) == counts.n_terms, "each term is kept or not")
        own = self.pseudo_counts
        expect(own is None or not len(own) or len(own) == counts.n_terms, "each term needs a pseudo-count")
        return {term for term in range(counts.n_terms) if self._knows(term, counts)}

    def _knows(self, term: int, counts: Counts) -> bool:
        row = counts.rows[term]
        having = {label for label, cell in row.items() if self.count(cell) > 0}
        needed = [label for label, n_documents in enumerate(counts.of_labels) if n_documents > 0 or not self.open]
        if (self.open and not having) or (self.shared and not having.issuperset(needed)):
            return False
        enough = sum(cell.documents for cell in row.values()) >= self.min_documents
        return enough and (self.kept is None or bool(self.kept[term]))

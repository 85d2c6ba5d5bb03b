"""What naive Bayes makes of counts: what it counts, and which terms it knows."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tercet.kernel.reference.arrays import expect
from tercet.kernel.reference.counts import Cell, Counts
from tercet.kernel.reference.smoothing import FORMULAS


@dataclass(frozen=True, kw_only=True)
class Model:
    likelihood: str
    smoothing: str
    value: float  # ε, λ, μ or δ
    open: bool  # what no document has is no term; a matrix keeps its columns
    shared: bool  # only terms that every label has; in an open vocabulary, every label that has documents
    unknown_term: bool  # one more term, which stands for all unknown ones
    min_documents: int  # in units
    kept: npt.NDArray[np.uint8] | None  # for each term; none: all

    def __post_init__(self) -> None:
        expect(self.likelihood in ("multinomial", "binary", "bernoulli", "complement"), f"no such choice: {self.likelihood}")
        expect(self.smoothing in FORMULAS, f"no such choice: {self.smoothing}")

    @property
    def clips(self) -> bool:
        """Whether documents are counted that have a term, not its occurrences."""
        return self.likelihood in ("binary", "bernoulli")

    def count(self, cell: Cell) -> int:
        return cell.documents if self.clips else cell.occurrences

    def known_terms(self, counts: Counts) -> set[int]:
        expect(self.kept is None or len(self.kept) == counts.n_terms, "each term is kept or not")
        return {term for term in range(counts.n_terms) if self._knows(term, counts)}

    def _knows(self, term: int, counts: Counts) -> bool:
        row = counts.rows[term]
        having = {label for label, cell in row.items() if self.count(cell) > 0}
        needed = [label for label, n_documents in enumerate(counts.of_labels) if n_documents > 0 or not self.open]
        if (self.open and not having) or (self.shared and not having.issuperset(needed)):
            return False
        enough = sum(cell.documents for cell in row.values()) >= self.min_documents
        return enough and (self.kept is None or bool(self.kept[term]))

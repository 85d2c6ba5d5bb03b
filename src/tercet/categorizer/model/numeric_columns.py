"""Numbers beside the text: columns of the documents, measures of the text itself, and their normal distributions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tercet.arrays import Floats, Integers, read_floats
from tercet.counts.exact_sums import SCALE, divide, divide_root
from tercet.counts.label_moments import LabelMoments
from tercet.data.document_batches import PlainTexts, list_texts
from tercet.data.documents import Documents
from tercet.errors import InvalidOption
from tercet.kernel.text.columns import SEPARATOR
from tercet.text.analyzer import Analyzer
from tercet.text.measures import MEASURES

MAX_PENALTY = 1e100  # log-densities are cut here, so that one number can't make all labels impossible


@dataclass(frozen=True)
class ColumnNormals:
    """Means and standard deviations, labels × columns.

    A column may be constant under a label (no ham has links), and that must not make every other value impossible. So each
    label gets one more document, with the mean of the label and the variance of all documents: variance = (n s² + S²) /
    (n + 1). A column that is constant in all documents adds nothing to the scores.
    """

    means: Floats
    deviations: Floats

    @classmethod
    def of(cls, moments: LabelMoments) -> "ColumnNormals":
        n, sums = moments.n.units[:, None] + 0 * moments.sums.units, moments.sums.units
        total, all_sums = n.sum(axis=0), sums.sum(axis=0)
        spread = total * moments.products.units.sum(axis=0) - all_sums * all_sums  # S² times total²
        # (n s² + S²) / (n + 1), without rounding: squares of large numbers may be too large for a float.
        squares = np.where(n > 0, n * n, 1)
        above = n * moments.scatter() * (total * total) + SCALE * spread * squares
        means = np.where(n > 0, divide(sums, n), divide(all_sums, total))
        return cls(means, divide_root(above, (n + SCALE) * squares * (total * total)))

    @classmethod
    def read(cls, arrays: Mapping[str, Any], n_labels: int, n_columns: int) -> "ColumnNormals":
        """From arrays of a file; an error if they have another shape, or are not finite."""
        most = float(np.finfo(np.float64).max)
        means, deviations = (read_floats(arrays, name, (n_labels, n_columns), most) for name in ("means", "deviations"))
        if (deviations < 0).any():
            raise ValueError("a standard deviation is below 0")
        return cls(means, deviations)

    def pick(self, labels: Integers) -> "ColumnNormals":
        """The normal distributions of the labels at these indices."""
        return ColumnNormals(self.means[labels], self.deviations[labels])

    def log_densities(self, numbers: Floats) -> Floats:
        """The log-density of each number, documents × labels × columns."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            distance = (numbers[:, None, :] - self.means) / self.deviations
            result = -0.5 * (distance**2 + np.log(2 * np.pi)) - np.log(self.deviations)
        return np.where(self.deviations > 0, np.maximum(result, -MAX_PENALTY), 0.0)

    def draw(self, labels: Integers, rng: np.random.Generator) -> Floats:
        """Random numbers for documents of the labels at these indices, documents × columns."""
        return np.asarray(rng.normal(self.means[labels], self.deviations[labels]), np.float64)


def list_measured(texts: Any, numeric: list[str]) -> frozenset[str]:
    """Which of the names are measures: those that no column of the documents has.

    >>> sorted(list_measured(Documents(["Hi!"], columns={"n_words": [7]}), ["n_words", "n_lines", "links"]))
    ['n_lines']
    """
    own = texts.columns if isinstance(texts, Documents) else {}
    return frozenset(name for name in numeric if name in MEASURES and name not in own)


def add_measures(texts: Any, numeric: list[str], measured: frozenset[str], analyzer: Analyzer) -> Documents:
    """Documents with all of these columns. The names in `measured` are computed, even if a column has that name.

    A neutral word of the analyzer is measured as the placeholder that replaces it.

    >>> add_measures(["BUY now", "See you"], ["capital_share"], frozenset({"capital_share"}), Analyzer()).columns
    {'capital_share': [0.5, 0.16666666666666666]}
    """
    documents = texts if isinstance(texts, Documents) else Documents(texts)
    missing = [name for name in numeric if name not in documents.columns and name not in measured]
    if given := next((name for name in missing if name in MEASURES), None):
        raise InvalidOption(
            f"the documents have no column {given!r}, and the learned documents had one: the measure of the text with that "
            f"name may be another number. Pass Documents(texts, columns={{{given!r}: ...}})."
        )
    if missing and (isinstance(texts, PlainTexts) or not isinstance(texts, Documents)):
        raise no_columns(numeric)
    if not measured:
        return documents
    held = list_texts(documents.texts)
    # The columns of a text are measured together, each on lines of its own.
    shown = list(map(analyzer.neutralize, held))
    shown = [text.replace(SEPARATOR, "\n") for text in shown] if len(documents.text_columns) > 1 else shown
    columns = {name: [float(MEASURES[name](text)) for text in shown] for name in measured}
    return replace(documents, texts=held, columns={**documents.columns, **columns})


def no_columns(numeric: list[str]) -> InvalidOption:
    return InvalidOption(
        f"numeric={numeric} names columns, and texts alone have none: pass Documents(texts, labels, columns={{...}}) with "
        f"them, or name measures of the text: {', '.join(MEASURES)}."
    )

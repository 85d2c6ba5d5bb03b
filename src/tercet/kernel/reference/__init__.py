"""The kernel in plain Python: the specification of what the native one does, and its stand-in where none was built.

Unicode facts are those of the running Python; the native kernel has its own, of one pinned version. Each module
says the same as the C++ header of its name.
"""

import unicodedata

from tercet.kernel.reference.analysis import Recipe
from tercet.kernel.reference.counts import Counts
from tercet.kernel.reference.fingerprint import fingerprint
from tercet.kernel.reference.kept_rows import KeptTerms
from tercet.kernel.reference.left_out import LeftOut, label_likelihood, occurrence_likelihood
from tercet.kernel.reference.linear_problem import LinearProblem
from tercet.kernel.reference.linear_weights import LinearWeights
from tercet.kernel.reference.matrix import MatrixCounter, Texts, Vocabulary
from tercet.kernel.reference.model import Model
from tercet.kernel.reference.rows import Rows
from tercet.kernel.reference.sentences import split_sentences
from tercet.kernel.reference.table import Table, TableCounter
from tercet.kernel.reference.weighting import weigh_counts
from tercet.kernel.reference.weights import Weights

unicode_version: str = unicodedata.unidata_version

__all__ = [
    "Counts",
    "KeptTerms",
    "LeftOut",
    "LinearProblem",
    "LinearWeights",
    "MatrixCounter",
    "Model",
    "Recipe",
    "Rows",
    "Table",
    "TableCounter",
    "Texts",
    "Vocabulary",
    "Weights",
    "fingerprint",
    "label_likelihood",
    "occurrence_likelihood",
    "split_sentences",
    "unicode_version",
    "weigh_counts",
]

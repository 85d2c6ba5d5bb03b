"""The kernel in plain Python: the specification of the native kernel, and its replacement if it was not built.

Each module computes the same as the C++ header of the same name beside it. Properties of characters come from the running
Python; the native kernel has its own tables of one fixed Unicode version.
"""

import unicodedata

from tercet.kernel.base.documents import Texts
from tercet.kernel.base.fingerprint import fingerprint
from tercet.kernel.base.packed_texts import pack_texts, unpack_texts
from tercet.kernel.bayes.left_out import LeftOut, label_likelihood, occurrence_likelihood
from tercet.kernel.bayes.model import Model
from tercet.kernel.bayes.weights import Weights
from tercet.kernel.calibration.isotonic import fit_steps
from tercet.kernel.calibration.length import calibrate_by_length, fit_length
from tercet.kernel.calibration.softmax import fit_platt, fit_stack, fit_temperature, normalize_scores
from tercet.kernel.counts.counts import Counts, sum_squares
from tercet.kernel.counts.matrix import MatrixCounter, Vocabulary
from tercet.kernel.counts.rows import KeptTerms, Rows
from tercet.kernel.counts.table import Table, TableCounter
from tercet.kernel.counts.table_pair import TablePair
from tercet.kernel.duplicates.near_copies import NearCopyFinder
from tercet.kernel.languages.language_identifier import LanguageIdentifier
from tercet.kernel.languages.language_scorer import LanguageScorer
from tercet.kernel.linear.linear_problem import LinearProblem
from tercet.kernel.linear.linear_weights import LinearWeights
from tercet.kernel.linear.mixing import mix_values
from tercet.kernel.linear.text_rows import TextRows
from tercet.kernel.linear.weighting import weigh_counts
from tercet.kernel.terms.analysis import Recipe
from tercet.kernel.text.sentences import split_sentences
from tercet.kernel.vectors.float_matrix import multiply_rows
from tercet.kernel.vectors.row_sums import sum_rows
from tercet.kernel.vectors.sentence_encoder import SentenceEncoder

unicode_version: str = unicodedata.unidata_version

__all__ = [
    "Counts",
    "KeptTerms",
    "LanguageIdentifier",
    "LanguageScorer",
    "LeftOut",
    "LinearProblem",
    "LinearWeights",
    "MatrixCounter",
    "Model",
    "NearCopyFinder",
    "Recipe",
    "Rows",
    "SentenceEncoder",
    "Table",
    "TableCounter",
    "TablePair",
    "TextRows",
    "Texts",
    "Vocabulary",
    "Weights",
    "calibrate_by_length",
    "fingerprint",
    "fit_length",
    "fit_platt",
    "fit_stack",
    "fit_steps",
    "fit_temperature",
    "label_likelihood",
    "mix_values",
    "multiply_rows",
    "normalize_scores",
    "occurrence_likelihood",
    "pack_texts",
    "split_sentences",
    "sum_rows",
    "sum_squares",
    "unicode_version",
    "unpack_texts",
    "weigh_counts",
]

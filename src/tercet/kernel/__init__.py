"""The engine: the native kernel, or the reference in plain Python if the package was installed without it.

This is the only place that chooses. Both have the same names: `split_sentences`, `Recipe` (text → tokens and terms), `Texts`
(documents in memory), `MatrixCounter` and `Vocabulary` (documents → a matrix of counts), `TableCounter` and `Table` (labelled
documents → a table of counts), `KeptTerms` (counted documents → rows), `Counts`, `Rows`, `Model` and `Weights` (counts →
scores), `LeftOut`, `label_likelihood` and `occurrence_likelihood` (counts without some of their documents), `LinearProblem`
(a matrix → linear models), `TextRows` (rows → linear models), `LinearWeights` (trained weights → scores), `weigh_counts`,
`mix_values`, `fit_stack`, `fit_temperature`, `fit_platt`, `fit_length`, `fit_steps`, `normalize_scores` and
`calibrate_by_length` (scores → calibrated probabilities), `fingerprint`, `pack_texts` and `unpack_texts` (documents ↔ few
bytes), `NearCopyFinder` (documents → pairs of texts that are nearly equal), `LanguageScorer` and `LanguageIdentifier`
(documents → languages).

The folders follow the flow: `text`, `terms`, `counts`, then `bayes` and `linear`, then `calibration`. `duplicates` compares
texts with each other, and `languages` finds their languages. Each has the C++ headers,
and beside each header its reference in Python. `base` has the parts that all of them use, and `bridge` connects C++ to Python.
"""

import importlib
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.kernel import _native as engine
else:
    try:
        # By its full name: if the module is missing, `from tercet.kernel import _native` would report a circular import.
        engine = importlib.import_module("tercet.kernel._native")
    except ImportError as error:
        from tercet.kernel import reference

        engine = reference
        warnings.warn(
            f"tercet runs without its native kernel ({error}). It was installed with TERCET_PURE=1, or for another Python. "
            f"It is hundreds of times slower, and uses the Unicode version of this Python, {reference.unicode_version}. "
            "Install tercet again without TERCET_PURE, for example in its folder: pip install --force-reinstall --no-deps . "
            "This needs a C++20 compiler (g++ >= 12, clang >= 14 or Visual Studio 2022).",
            RuntimeWarning,
            stacklevel=2,
        )

is_native: bool = engine.__name__.endswith("_native")

__all__ = ["engine", "is_native"]

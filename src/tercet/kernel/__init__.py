"""The engine: native where it was built, the same in plain Python elsewhere. This is the one place that chooses.

Both have the same names: `split_sentences`, `Recipe` (text → tokens and terms), `Texts` (documents in memory),
`MatrixCounter` and `Vocabulary` (documents → a matrix of counts), `TableCounter` and `Table` (labelled documents →
counts that add up), `KeptTerms` (what was counted → rows), `Counts`, `Rows`, `Model` and `Weights` (counts → scores),
`LeftOut`, `label_likelihood` and `occurrence_likelihood` (counts without some of their documents), `LinearProblem` (a
matrix → linear models), `LinearWeights` (trained weights → scores), `weigh_counts`, `fingerprint`.
"""

import importlib
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercet.kernel import _native as engine
else:
    try:
        # By its full name: `from tercet.kernel import _native` would blame a circular import where it is merely missing.
        engine = importlib.import_module("tercet.kernel._native")
    except ImportError as error:
        from tercet.kernel import reference

        engine = reference
        warnings.warn(
            f"tercet runs without its native kernel ({error}): hundreds of times slower, and by the Unicode version of "
            f"this Python, {reference.unicode_version}. Install a C++20 compiler (g++ >= 12, clang >= 14 or MSVC 2022), then "
            "install tercet again, for example in its folder: pip install --force-reinstall --no-deps .",
            RuntimeWarning,
            stacklevel=2,
        )

is_native: bool = engine.__name__.endswith("_native")

__all__ = ["engine", "is_native"]

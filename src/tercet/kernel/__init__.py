"""The engine: the native kernel, or the reference in plain Python if the package was installed without it.

This is the only place that chooses. Both have the same names: `split_sentences`, `Recipe` (text → tokens and terms), `Texts`
(documents in memory), `MatrixCounter` and `Vocabulary` (documents → a matrix of counts), `TableCounter` and `Table` (labelled
documents → a table of counts), `TablePair` (two tables that are read together), `KeptTerms` (counted documents → rows),
`Counts`, `Rows`, `Model` and `Weights` (counts → scores), `LeftOut`, `label_likelihood` and `occurrence_likelihood` (counts
without some of their documents), `LinearProblem` (a matrix → linear models), `TextRows` (rows → linear models),
`LinearWeights` (trained weights → scores), `weigh_counts`, `mix_values`, `fit_stack`, `fit_temperature`, `fit_platt`,
`fit_length`, `fit_steps`, `normalize_scores` and `calibrate_by_length` (scores → calibrated probabilities), `fingerprint`,
`pack_texts` and `unpack_texts` (documents ↔ few bytes), `NearCopyFinder` (documents → pairs of texts that are nearly equal),
`LanguageScorer` and `LanguageIdentifier` (documents → languages), `SentenceEncoder` (pieces of words → vectors).

The folders follow the flow: `text`, `terms`, `counts`, then `bayes` and `linear`, then `calibration`. `duplicates` compares
texts with each other, `languages` finds their languages, and `vectors` their meaning. Each has the C++ headers, and beside each
header its reference in Python. `base` has the parts that all of them use, and `bridge` connects C++ to Python.

The kernel is C++20 headers without Python. The reference beside each header is the specification: property tests check on
random texts that both give the same results. `make headers` checks that every header compiles alone.

- `base`: UTF-8, hash tables, fingerprints, threads, locks, texts in memory and packed.
- `text`: text → tokens: Unicode tables, normalisation, HTML, groups and emoji, tokenisers, sentences, e-mail headers,
  columns.
- `terms`: tokens → terms: negation, lexicon, word forms, n-grams, vocabulary, canonical order, spelling.
- `counts`: terms → counts: matrices, tables, kept rows, readers of new texts.
- `bayes`: counts → scores: smoothing, weights, leave-one-out, the likelihood that chooses a smoothing.
- `linear`: matrices, or the rows of texts → linear models: coordinate descent until the duality gap is small, tf-idf, trained
  weights.
- `calibration`: scores → probabilities; the best numbers of a calibration or of a stack, by one minimizer.
- `languages`: texts → languages: letters and words, rows of n-grams, costs, answers, segments.
- `vectors`: pieces of words → int8 vectors: products of matrices in a fixed order, the network of a sentence encoder.
- `duplicates`: texts → pairs of near copies: shingles of three words, MinHash, exact Jaccard similarity.
- `bridge`: nanobind: convert arguments, release the GIL (`gil.hpp`, which also lets Python exit), nothing else.

`batches.py` turns any container of texts into batches, without a copy if possible. Threads count into their own tables, which
are added at the end. N-grams are pairs of numbers, never strings.

Learning is immediate: `Table.weigh` makes `LazyWeights`, which score the first texts from the counts (`CountWeights`). When
these have read a quarter as many cells as there are, or when many texts come at once, the weights of all terms are derived
(`Weights`). Both use the same `TermWeigher`, and add the same numbers in the same order: their scores are equal in every bit.
The totals (`CountTotals`) follow each change of the counts.

`LazyWeights` answer for the moment when they were made: while they live, `Counts` copy each row for them before it changes
(`PastRows`). So a prediction belongs to one state of the counts, even if another thread learns meanwhile. A thread that
changes a table holds its lock and the GIL; who scores from the counts holds the lock with other readers, or the GIL.
`LinearWeights` do not change with the counts: all scorers share them, each with the set of terms that are not forgotten
(`MetTerms`).
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

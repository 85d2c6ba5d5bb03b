"""TermCounter: from texts to a sparse matrix of term counts.

A given vocabulary is checked: each term has one spelling, and a recipe makes only terms of its own kinds.
"""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from tercet.counts.matrices import check_columns, sparse
from tercet.counts.selection import check_bounds, keeps_all, select_terms
from tercet.errors import EmptyVocabulary, InvalidOption, bad_option, not_fitted
from tercet.estimator import Estimator
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.options import check_flag, is_int, n_threads
from tercet.text.analyzer import Analyzer, resolve_analyzer
from tercet.text.layout import Layout
from tercet.text.recipe import make_recipe

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

FEATURE_PREFIXES = ("LEX:", "NOT_LEX:", "PATTERN:", "TAG:")


def check_spelling(term: str, analyzer: Analyzer) -> None:
    """Raise InvalidOption for a term that this analyzer never makes.

    >>> check_spelling("the", Analyzer(char_ngrams=(3, 3)))
    Traceback (most recent call last):
    tercet.errors.InvalidOption: the term 'the' has no kind: this analyzer writes word:the or char:the.
    """
    options = analyzer.options
    kinds = {}
    if options["word_ngrams"] or options["skip_grams"]:
        kinds["word:"] = options["tokens"] == "bytes"
    if options["char_ngrams"]:
        over_bytes = options["char_ngrams_over"] in ("bytes", "word_bytes")
        kinds["byte:" if over_bytes else "char:"] = over_bytes
    prefix = next((kind for kind in kinds if term.startswith(kind)), None) if len(kinds) > 1 else ""
    if not kinds or is_feature(term, analyzer):
        return
    if prefix is None:
        shown = " or ".join(kind + term for kind in kinds)
        raise InvalidOption(f"the term {term!r} has no kind: this analyzer writes {shown}.")
    is_raw = kinds[prefix] if prefix else next(iter(kinds.values()))
    respelled = prefix + _respell(term.removeprefix(prefix)) if is_raw else term
    if respelled != term:
        raise InvalidOption(
            f"the term {term!r} must be written as {respelled!r}: UTF-8 is written as it is, other bytes as \\xNN, and a "
            "backslash is doubled."
        )


def is_feature(term: str, analyzer: Analyzer) -> bool:
    """Whether a term is a category, or a lexicon hit, a match of a pattern or a tag in any column."""
    layout: Layout | None = analyzer.layout
    if layout is None:
        return term.startswith(FEATURE_PREFIXES)
    return layout.is_category(term) or layout.strip_prefix(term).startswith(FEATURE_PREFIXES)


def has_capitals(term: str, analyzer: Analyzer) -> bool:
    """Whether a term has capital letters from a text. Those of LEX:, PATTERN:, TAG:, NOT_ and columns do not count.

    >>> [has_capitals(term, Analyzer()) for term in ("The", "NOT_the", "LEX:good")]
    [True, False, False]
    """
    if is_feature(term, analyzer):
        return False
    layout = analyzer.layout
    words = [word if layout is None else layout.strip_prefix(word) for word in term.split(" ")]
    plain = re.sub("(^|[ :])NOT_", r"\1", " ".join(words))
    return plain != plain.lower()


def _respell(term: str) -> str:
    raw = re.sub(rb"\\(\\|x[0-9a-f]{2})", _unescape, term.encode("utf-8", "surrogatepass"))
    from tercet.kernel.terms.analysis import escape  # this imports the whole reference

    return escape(raw)


def _unescape(match: re.Match[bytes]) -> bytes:
    return b"\\" if match[1] == b"\\" else bytes([int(match[1][1:], 16)])


class TermCounter(Estimator):
    """A scikit-learn transformer: texts in, a CSR matrix of documents × terms out.

    - `analyzer`: an `Analyzer`, or the name of a preset.
    - `binary`: 1 for a term that occurs, no matter how often.
    - `min_documents`, `max_documents`: leave out terms that fewer or more documents have. An int is a number of
      documents, a float a share. `max_terms` keeps the most frequent terms.
    - `vocabulary`: count only these terms, without selection. A mapping gives their columns, a sequence is in order, and a
      set is sorted.
    - `threads`: the number of threads; by default TERCET_THREADS, or all of the machine. The result is always the same.

    >>> counter = TermCounter()
    >>> counter.fit_transform(["the hen and the fox", "the dog"]).toarray()
    array([[1, 0, 1, 1, 2],
           [0, 1, 0, 0, 1]])
    >>> counter.get_feature_names_out()
    array(['and', 'dog', 'fox', 'hen', 'the'], dtype=object)
    """

    def __init__(
        self,
        analyzer: Analyzer | str = "words",
        *,
        binary: bool = False,
        min_documents: int | float = 1,
        max_documents: int | float = 1.0,
        max_terms: int | None = None,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        threads: int | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.binary = binary
        self.min_documents = min_documents
        self.max_documents = max_documents
        self.max_terms = max_terms
        self.vocabulary = vocabulary
        self.threads = threads

    def fit(self, texts: Any, y: object = None) -> Self:
        """Learn the vocabulary. `y` is ignored."""
        self._check_options()
        if self.vocabulary is not None:
            self.fit_transform(texts)
        else:
            self._keep(self._learn(texts).vocabulary())
        return self

    def fit_transform(self, texts: Any, y: object = None) -> "csr_matrix":
        """Learn the vocabulary and count, in one pass over the texts."""
        self._check_options()
        if self.vocabulary is not None:
            fixed = self._fix_vocabulary()
            matrix = self._count(fixed, texts)
            self._keep(fixed)
            return matrix
        counter = self._learn(texts)
        arrays = counter.matrix(bool(self.binary))
        vocabulary = counter.vocabulary()
        self._keep(vocabulary)
        return _make_matrix(arrays, len(vocabulary))

    def transform(self, texts: Any) -> "csr_matrix":
        """Count the terms of the vocabulary. Other terms are ignored."""
        return self._count(self._known(), texts)

    def inverse_transform(self, X: Any) -> list[npt.NDArray[np.object_]]:
        """The terms of each row, in the order of their columns."""
        names = self.get_feature_names_out()
        rows = sparse().csr_matrix(X, copy=True)
        check_columns(rows, len(names), self)
        rows.eliminate_zeros()
        rows.sort_indices()
        return [names[rows.indices[begin:end]] for begin, end in pairwise(rows.indptr)]

    def get_feature_names_out(self, input_features: object = None) -> npt.NDArray[np.object_]:
        """The terms in the order of the columns. `input_features` is ignored."""
        return np.array(self._known().terms(), dtype=object)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each term. It is made on first use."""
        columns: dict[str, int] | None = self.__dict__.get("_columns")
        if columns is None:
            columns = {term: column for column, term in enumerate(self._known().terms())}
            if "_vocabulary" in self.__dict__:
                self._columns = columns
        return columns

    def set_output(self, *, transform: str | None = None) -> Self:
        """Accepted for pipelines, without effect: the result stays a sparse matrix, because it may have 100,000 columns."""
        return self

    def _check_options(self) -> None:
        check_flag("binary", self.binary)
        check_bounds(self.min_documents, self.max_documents, self.max_terms)
        n_threads(self.threads)

    def _learn(self, texts: Any) -> engine.MatrixCounter:
        counter, n_documents = engine.MatrixCounter(make_recipe(resolve_analyzer(self.analyzer)), n_threads(self.threads)), 0
        for batch in batches(texts):
            counter.add(batch)
            n_documents += len(batch)
        if counter.finish() == 0:
            raise EmptyVocabulary(
                f"empty vocabulary; perhaps the {n_documents} documents only contain words that the analyzer leaves out: "
                "there is nothing to count. Look at analyzer.terms(text) for one of them."
            )
        if not keeps_all(self.min_documents, self.max_documents, self.max_terms):
            documents, occurrences = counter.sum_columns()
            kept = select_terms(
                documents,
                documents if self.binary else occurrences,
                n_documents,
                min_documents=self.min_documents,
                max_documents=self.max_documents,
                max_terms=self.max_terms,
            )
            counter.select(kept)
        return counter

    def _keep(self, vocabulary: engine.Vocabulary) -> None:
        self.__dict__.pop("_columns", None)
        self._vocabulary = vocabulary
        self._analyzer = resolve_analyzer(self.analyzer)  # the parameter may be changed later

    def _known(self) -> engine.Vocabulary:
        if "_vocabulary" in self.__dict__:
            return self._vocabulary
        if self.vocabulary is None:
            raise not_fitted(self)
        fixed: tuple[Any, Any, engine.Vocabulary] | None = self.__dict__.get("_fixed")
        if fixed is None or fixed[0] is not self.vocabulary or fixed[1] != self.analyzer:
            fixed = self._fixed = (self.vocabulary, self.analyzer, self._fix_vocabulary())
        return fixed[2]

    def _fix_vocabulary(self) -> engine.Vocabulary:
        analyzer = resolve_analyzer(self.analyzer)
        terms = _order_terms(self.vocabulary)
        for term in terms:
            check_spelling(term, analyzer)
        capitalized = next((term for term in terms if analyzer.lowercase and has_capitals(term, analyzer)), None)
        if capitalized is not None:
            warnings.warn(
                f"Upper case characters found in vocabulary ({capitalized!r}) while the analyzer makes all letters lower case: "
                "such columns stay empty. Write the terms in lower case, or set analyzer__lowercase=False.",
                UserWarning,
                stacklevel=4,
            )
        return engine.Vocabulary(make_recipe(analyzer), terms)

    def _count(self, vocabulary: engine.Vocabulary, texts: Any) -> "csr_matrix":
        parts = []
        for batch in batches(texts, whole=True):
            threads = n_threads(self.threads) if len(batch) > 1 else 1  # asking the system takes longer than counting one text
            parts.append(_make_matrix(vocabulary.count(batch, threads, bool(self.binary)), len(vocabulary)))
        if len(parts) == 1:
            return parts[0]
        nothing = _make_matrix((np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(1, np.int32)), len(vocabulary))
        stacked: csr_matrix = sparse().vstack(parts or [nothing], format="csr")
        return stacked

    def _with_options(self, name: str, options: dict[str, Any]) -> Any:
        if name == "analyzer" and isinstance(self.analyzer, str):
            return Analyzer.preset(self.analyzer, **options)
        return super()._with_options(name, options)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("_columns", "_fixed")}
        if "_vocabulary" in state:
            state["_vocabulary"] = self._vocabulary.terms()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_vocabulary" in state:
            self._vocabulary = engine.Vocabulary(make_recipe(self._analyzer), state["_vocabulary"])

    def __sklearn_is_fitted__(self) -> bool:
        return self.vocabulary is not None or "_vocabulary" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(one_d_array=False, two_d_array=False, string=True),
        )


def _make_matrix(arrays: Any, n_columns: int) -> "csr_matrix":
    counts, columns, ends = arrays
    # NumPy has two integer types of 64 bits. The view gives the default one, which prints without a dtype.
    matrix: csr_matrix = sparse().csr_matrix((counts.view(np.int64), columns, ends), shape=(len(ends) - 1, n_columns))
    return matrix


def _order_terms(vocabulary: Any) -> list[str]:
    """The terms of the user's vocabulary, in the order of their columns."""
    if isinstance(vocabulary, str | bytes) or not isinstance(vocabulary, Iterable):
        raise bad_option("vocabulary", "a list, a set or a mapping of terms", vocabulary, "each term needs a column.")
    terms = list(vocabulary)
    for position, term in enumerate(terms):
        if not isinstance(term, str):
            raise InvalidOption(f"vocabulary must hold str, got {term!r} at {position}: a term is text.")
    if not terms:
        raise EmptyVocabulary("empty vocabulary passed to fit: there is nothing to count. Use None to learn it from the texts.")
    if len(set(terms)) < len(terms):
        repeated = next(term for term, n in Counter(terms).items() if n > 1)
        raise InvalidOption(f"vocabulary has the duplicate term {repeated!r}: it would need two columns. Drop one of them.")
    if isinstance(vocabulary, Mapping):
        columns = list(vocabulary.values())
        if not all(map(is_int, columns)) or sorted(columns) != list(range(len(terms))):
            raise InvalidOption(
                f"vocabulary must give its {len(terms)} terms the columns 0 to {len(terms) - 1}, each once, and does not: "
                "two terms would share a column, or a column would have no term. Pass a list to number them in order."
            )
        return sorted(terms, key=vocabulary.__getitem__)
    return sorted(terms) if isinstance(vocabulary, set | frozenset) else terms

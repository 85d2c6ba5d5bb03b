"""Naive Bayes: Bayes' rule with the assumption that the terms of a document are independent, given the label."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.label_counts import LabelCounts, make_rows
from tercet.counts.labels import Labels, encode_labels, encode_training, find_labels, pick_labels
from tercet.counts.matrices import check_columns, check_counts, check_weights
from tercet.counts.units import to_units
from tercet.errors import InvalidOption, NeverLearned, bad_option
from tercet.kernel import engine
from tercet.models.bayes_rule import Kind, Likelihood, check_prior, join_prior, log_priors_left, no_evidence, sum_labels
from tercet.models.classifier import Classifier, label_weights, read_by_label, write_by_label
from tercet.models.given_parameters import (
    UNSMOOTHED,
    GivenLabels,
    check_kind,
    check_probabilities,
    check_terms,
    no_counts,
    weigh_terms,
)
from tercet.models.sampling import TermSampler, check_generative, count_indices
from tercet.models.smoothing import DEFAULT_SMOOTHING, Smoothing, read_smoothing, resolve_smoothing
from tercet.models.smoothing_choice import LeaveOneOut, Taken, choose_by_labels, choose_by_table
from tercet.options import check_choice, is_number, n_threads
from tercet.registry import read, register, write

if TYPE_CHECKING:
    from tercet.models.parameters import LearnedTerms, Parameters

DEFAULT_KIND: Kind = "binary"  # if neither the kind nor the smoothing is given


def read_prior(written: Any) -> Any:
    """The option `prior` that `to_dict` has written."""
    if isinstance(written, Mapping):
        return read_by_label(written)
    if isinstance(written, list) and all(is_number(value) and 0 <= value <= 1 for value in written):
        return written
    return check_choice("prior", written, ("empirical", "uniform"))


@register("model", "naive_bayes")
class NaiveBayes(Classifier):
    """A scikit-learn classifier on matrices of counts, documents × terms. `forget` undoes `learn` exactly.

    Given neither a kind nor a smoothing, it is binary with `AbsoluteDiscount(0.9)`, as in `Categorizer()`. Given only a kind,
    the smoothing is 1.0. Given only a smoothing, the kind is `"multinomial"`. So `NaiveBayes("multinomial")` is the one of the
    textbooks. `NaiveBayes.from_probabilities` takes probabilities instead of documents.

    - `kind`: `"multinomial"`; `"binary"`, each document's counts clipped at 1; `"bernoulli"`, which also uses
      absent terms (`explain` shows all absent terms as one line); `"complement"`, which gives a term more weight the more
      rarely the other labels have it, and has no prior.
    - `smoothing`: a pseudo-count for every term (1.0 is Laplace's); `Additive`, `JelinekMercer`, `Dirichlet` or
      `AbsoluteDiscount`, also by name, as on the command line (`"dirichlet:100"`, `"jelinek_mercer:0.3"`); or a choice
      among them: `"auto"` by the likelihood of the labels when each document in turn is left out, `"table"` by the likelihood
      of the terms when each occurrence is left out, which needs only the counts. `smoothing_` is the chosen one. For `"auto"` a
      label with n documents counts √n, and no smoothing is chosen under which all documents, or all labels on average, are
      less likely than under `AbsoluteDiscount(0.9)`: so rare labels do not lose what frequent labels gain.
    - `prior`: `"empirical"`, `"uniform"`, a mapping from label to probability or a sequence in the order of the labels.
    - `vocabulary`: `"union"` of the labels' terms, or only the terms `"shared"` by all labels.
    - `unknown`: what a `Categorizer` does with unknown terms: `"ignore"` them, or with `"unk"` count them as one more term,
      which has only its pseudo-count. A matrix has no unknown terms.

    >>> from tercet import TermCounter
    >>> counter = TermCounter()
    >>> reviews = ["just plain boring", "entirely predictable and lacks energy", "no surprises and very few laughs"]
    >>> reviews += ["very powerful", "the most fun film of the summer"]
    >>> model = NaiveBayes("multinomial").fit(counter.fit_transform(reviews), ["-", "-", "-", "+", "+"])
    >>> X = counter.transform(["predictable with no fun"])
    >>> model.predict(X), np.exp(model.log_joint(X)).round(7)
    (array(['-'], dtype='<U1'), array([[3.28e-05, 6.11e-05]]))
    """

    _given: Floats | None = None  # P(term | label), labels × terms, of `from_probabilities`

    def __init__(
        self,
        kind: Kind | None = None,
        smoothing: Any = None,
        prior: Any = "empirical",
        *,
        vocabulary: Literal["union", "shared"] = "union",
        unknown: Literal["ignore", "unk"] = "ignore",
    ) -> None:
        self.kind = kind
        self.smoothing = smoothing
        self.prior = prior
        self.vocabulary = vocabulary
        self.unknown = unknown

    @classmethod
    def from_probabilities(
        cls,
        labels: Any,
        terms: Any,
        matrix: Any,
        prior: Any,
        *,
        kind: Literal["multinomial", "binary", "bernoulli"] = "multinomial",
    ) -> Self:
        """A model with given probabilities. It predicts and samples, and can't learn or forget; `fit` begins anew.

        - `matrix`: P(term | label), labels × terms. A row sums to at most 1: the rest belongs to terms that are not listed. A
          term of probability 0 makes its label impossible. With `kind="bernoulli"`, the probability that a document of the
          label has the term.
        - `prior`: probabilities in the order of `labels`, a mapping from label to probability, or `"uniform"`.

        `X` has a column for each term, in this order. For texts there is `Categorizer.from_probabilities`.

        >>> model = NaiveBayes.from_probabilities(["+", "-"], ["fun", "boring"], [[0.2, 0.1], [0.1, 0.3]], [0.5, 0.5])
        >>> model.predict_proba([[1, 1], [2, 0]]).round(3)
        array([[0.4, 0.6], [0.8, 0.2]])
        """
        given, names, checked = GivenLabels.of(labels), check_terms(terms), check_kind(kind)
        model = cls(checked, prior=given.name_prior(prior))
        table = check_probabilities(matrix, given.names, names, checked)
        return model._keep_given(given.labels, np.array(names, object), table[given.order])

    @property
    def used_kind(self) -> Kind:
        """The kind that is given, or else the one that goes with the smoothing.

        >>> NaiveBayes().used_kind, NaiveBayes(smoothing=0.1).used_kind
        ('binary', 'multinomial')
        """
        if self.kind is not None:
            return self.kind
        return DEFAULT_KIND if self.smoothing is None else "multinomial"

    @property
    def used_smoothing(self) -> Any:
        """The smoothing that is given, itself or by its name, or else the one that goes with the kind.

        >>> [model.used_smoothing for model in (NaiveBayes(), NaiveBayes("binary"), NaiveBayes(smoothing="dirichlet:100"))]
        [AbsoluteDiscount(discount=0.9), 1.0, Dirichlet(mass=100.0)]
        """
        given = self.smoothing
        if given is None:
            return DEFAULT_SMOOTHING if self.kind is None else 1.0
        return read_smoothing(given) if isinstance(given, str) else given

    def to_dict(self) -> dict[str, Any]:
        """The options as JSON can hold them.

        >>> NaiveBayes.from_dict(NaiveBayes("binary", 0.5, {"ham": 0.8, "spam": 0.2}).to_dict())
        NaiveBayes(kind='binary', smoothing=0.5, prior={'ham': 0.8, 'spam': 0.2})
        """
        options, prior = self.get_params(deep=False), self.prior
        if isinstance(prior, Mapping):
            options["prior"] = write_by_label(prior)
        elif not isinstance(prior, str):
            options["prior"] = np.asarray(prior, np.float64).tolist()
        smoothing = None if self.smoothing is None else self.used_smoothing
        if isinstance(smoothing, Smoothing):
            options["smoothing"] = write(smoothing)
        elif smoothing is not None:
            options["smoothing"] = smoothing if isinstance(smoothing, str) else float(smoothing)
        return options

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        prior, smoothing = written["prior"], written["smoothing"]
        prior = read_prior(prior)
        smoothing = read("smoothing", smoothing) if isinstance(smoothing, Mapping) else smoothing
        model = cls(**{**written, "prior": prior, "smoothing": smoothing})
        model.likelihood()
        if model.chooses_by() is None:
            resolve_smoothing(model.used_smoothing)
        return model

    def fit(self, X: Any, y: Any, sample_weight: Any = None, class_weight: Any = None) -> Self:
        """Learn these documents only, and choose the smoothing if it is `"auto"` or `"table"`.

        `class_weight` multiplies the weights of the documents: a mapping from label to weight, or `"balanced"`.
        """
        X, labels, codes, weights = self._check_training(X, y, sample_weight)
        weights = weights * label_weights(class_weight, labels, codes)[codes]
        counts = LabelCounts.of(X, labels, codes, weights)
        return self._keep(counts, self._choose_smoothing(counts, X, codes, weights), X.shape[1])

    def learn(self, X: Any, y: Any, sample_weight: Any = None, class_weight: Any = None) -> Self:
        """Learn more documents; they may have new labels."""
        return self.partial_fit(X, y, sample_weight=sample_weight, class_weight=class_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, class_weight: Any = None) -> Self:
        """`learn` under its name in scikit-learn; `classes` may name labels that have no documents yet."""
        self._check_not_given()
        is_new = not self.__sklearn_is_fitted__()
        X, labels, codes, weights = self._check_training(X, y, sample_weight)
        weights = weights * label_weights(class_weight, labels, codes)[codes]
        if classes is not None:
            known, _ = encode_labels(classes)
            codes = find_labels(labels, known)[codes]
            labels = known
        if not is_new:
            check_columns(X, self.n_features_in_, self)
        counts = LabelCounts.of(X, labels, codes, weights)
        counts = counts if is_new else self.counts_ + counts
        if self.chooses_by() == "auto" and not is_new:
            smoothing = self.smoothing_
        else:
            smoothing = self._choose_smoothing(counts, X, codes, weights)
        return self._keep(counts, smoothing, X.shape[1])

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remove documents that were learned. If the counts show that they were not, it is an error and nothing changes."""
        self._check_counted()
        X, labels, codes, weights = self._check_training(X, y, sample_weight)
        check_columns(X, self.n_features_in_, self)
        counts = self.counts_ - LabelCounts.of(X, labels, codes, weights)
        return self._keep(counts, self._kept_smoothing(counts), X.shape[1])

    def retune(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the smoothing again. These must be the documents that were learned."""
        self._check_counted()
        X, labels, codes, weights = self._check_training(X, y, sample_weight)
        check_columns(X, self.n_features_in_, self)
        codes = find_labels(labels, self.classes_)[codes]
        return self._keep(self.counts_, self._choose_smoothing(self.counts_, X, codes, weights), X.shape[1])

    def __add__(self, other: "NaiveBayes") -> "NaiveBayes":
        """The model that has learned the documents of both."""
        self._check_counted()
        other._check_counted()
        if not self.is_like(other) or self.n_features_in_ != other.n_features_in_:
            raise InvalidOption(f"{self!r} and {other!r} count differently: their sum would mean nothing. Fit both alike.")
        if self.chooses_by() == "auto" and self.smoothing_ != other.smoothing_:
            raise InvalidOption(
                f"two choices of smoothing, {self.smoothing_} and {other.smoothing_}: set smoothing to one of them in both."
            )
        counts = self.counts_ + other.counts_
        return type(self)(**self.get_params())._keep(counts, self._kept_smoothing(counts), self.n_features_in_)

    def restrict(self, labels: Any) -> "NaiveBayes":
        """The model that decides between these labels only: their rows of the counts are kept."""
        self._check_fitted()
        if self._given is not None:
            kept = pick_labels(labels, self.classes_)
            given = self._given[find_labels(kept, self.classes_)]
            return type(self)(**self.get_params())._keep_given(kept, self.feature_names_in_, given)
        counts = self.counts_.restrict(labels)
        return type(self)(**self.get_params())._keep(counts, self._kept_smoothing(counts), self.n_features_in_)

    @property
    def log_prior_(self) -> Floats:
        """log P(label), in the order of `classes_`. Raises NoPrior for complement."""
        self._check_fitted()
        return check_prior(self.used_kind, self._log_prior())

    @property
    def prior_(self) -> Floats:
        """P(label), in the order of `classes_`."""
        return np.exp(self.log_prior_)

    def parameters(self, label: Any = None, *, terms: Any = None, top: int | None = None, names: Any = None) -> "Parameters":
        """The counts and the probability of each column under each label.

        A term is the number of its column, or its name if `names` has one for each column. `label`, `terms` and `top` are those
        of `Categorizer.parameters`.

        >>> NaiveBayes("multinomial").fit([[2, 0], [1, 1]], ["x", "y"]).parameters(terms=["be"], names=["to", "be"])
        multinomial: 2 parameters
        term  label  count  documents  probability  log_probability
        be    x          0          0         0.25           -1.386
        be    y          1          1          0.5          -0.6931
        prior: x 0.5, y 0.5
        """
        from tercet.models.parameters import list_parameters  # on first use: predictions do not need it

        self._check_fitted()
        return list_parameters(self._list_learned(names), label, terms, top)

    def _list_learned(self, names: Any) -> "LearnedTerms":
        from tercet.counts.term_names import ColumnTerms
        from tercet.models.parameters import LearnedTerms, derive_log_probabilities, take_logs

        kind, is_probability = self.used_kind, self.used_kind != "complement"
        counts = None if self._given is not None else self.counts_.counts
        if self._given is None:
            find, finish = derive_log_probabilities(self._weights, kind, self.smoothing_, counts)
        else:
            find, finish = take_logs(self._given)
        return LearnedTerms(
            kind=kind,
            labels=self.classes_,
            names=ColumnTerms.check(self.n_features_in_, getattr(self, "feature_names_in_", None) if names is None else names),
            n_terms=self.n_features_in_,
            known=self._weights.knows,
            values=find,
            finish=finish,
            is_probability=is_probability,
            has_unknown=False,
            counts=counts,
            columns=None if counts is None else np.arange(len(self.classes_)),
            log_prior=self.log_prior_ if is_probability else None,
        )

    def log_likelihood(self, X: Any, *, coefficient: bool = False) -> Floats:
        """log P(document | label), documents × labels: the scores without the prior.

        `coefficient` includes the multinomial coefficient, the number of orders in which the terms can stand.
        """
        X = self._check_documents(X)
        threads = n_threads() if X.shape[0] > 1 else 1
        scores = self._weights.score(make_rows(X), np.arange(X.shape[0]), threads)
        return scores + self._log_orders(X)[:, None] if coefficient else scores

    def log_joint(self, X: Any) -> Floats:
        """log P(label) + log P(document | label), documents × labels. A document without terms scores the prior.

        It is -inf for each label if the document is impossible under all of them. Then the prior decides: `predict` and
        `predict_proba` give its labels and probabilities, with a warning.
        """
        return np.asarray(self.log_likelihood(X) + self._log_prior(), np.float64)

    def sample(self, n: int, seed: int = 0, label: Any = None, n_words: int | None = None) -> tuple[Any, Labels]:
        """n random documents, a sparse matrix of counts, and their labels: drawn from the prior, or all with this label.

        Each of the `n_words` occurrences of a document is drawn from P(term | label); if a row of given probabilities sums to
        less than 1, in proportion. A binary model may draw a term twice, and counts it once. By default, `n_words` is the mean
        of the documents of the label, rounded. Bernoulli draws whether a document has each term, and takes no `n_words`.
        Complement can't sample.

        >>> model = NaiveBayes.from_probabilities(["+", "-"], ["fun", "boring"], [[0.9, 0.1], [0.2, 0.8]], [0.5, 0.5])
        >>> X, labels = model.sample(3, seed=1, n_words=5)
        >>> X.toarray(), labels
        (array([[1, 4], [1, 4], [5, 0]]), array(['-', '-', '+'], dtype='<U1'))
        """
        self._check_fitted()
        check_generative(self.used_kind)
        lengths = None if self._given is not None else self._mean_lengths()
        draw_length = None if lengths is None else lambda label_index, rng: int(lengths[label_index])
        table, prior = self._probabilities(), np.exp(self._log_prior())
        sampler = TermSampler(self.used_kind, self.classes_, prior, table.__getitem__, draw_length)
        codes, documents, _ = sampler.sample(n, seed, label, n_words)
        return count_indices(documents, self.n_features_in_), self.classes_[codes]

    def evidence(self, X: Any) -> Floats:
        """P(document) = Σ P(label) P(document | label), one number for each document: how typical it is.

        It is the probability of the terms in their order, and 1 for a document without terms. For Bernoulli it is the
        probability of the set of terms. For long documents it is 0, because it is too small for a float64: see `log_evidence`.
        """
        return np.exp(self.log_evidence(X))

    def log_evidence(self, X: Any) -> Floats:
        """log P(document); -inf if the document is impossible under every label.

        >>> model = NaiveBayes("multinomial").fit([[2, 0], [0, 1]], ["a", "b"])
        >>> np.exp(model.log_evidence([[0, 0], [1, 0], [0, 1]])).round(6)
        array([1.      , 0.541667, 0.458333])
        """
        if self.used_kind == "complement":
            raise no_evidence("complement")
        return sum_labels(self.log_likelihood(X), self._log_prior())

    def leave_one_out_log_joint(self, X: Any, y: Any, sample_weight: Any = None) -> Floats:
        """The scores that each training document would get from a model that has not learned it."""
        self._check_counted()
        X, labels, codes, weights = self._check_training(X, y, sample_weight)
        check_columns(X, self.n_features_in_, self)
        codes = find_labels(labels, self.classes_)[codes]
        if not self.counts_.counts.covers(LabelCounts.of(X, self.classes_, codes, weights).counts):
            raise NeverLearned("these documents were never learned, or with other weights: they can't be left out.")
        return self._leave_one_out(self.counts_).log_joint(make_rows(X), Taken.own(codes, to_units(weights)), self.smoothing_)

    def is_like(self, other: "NaiveBayes") -> bool:
        """Whether both have the same options in use."""
        ours, theirs = (
            one.get_params() | {"kind": one.used_kind, "smoothing": one.chooses_by() or resolve_smoothing(one.used_smoothing)}
            for one in (self, other)
        )
        prior, their_prior = ours.pop("prior"), theirs.pop("prior")
        if isinstance(prior, str | Mapping) or isinstance(their_prior, str | Mapping):
            return bool(ours == theirs and type(prior) is type(their_prior) and prior == their_prior)
        return bool(ours == theirs and np.array_equal(prior, their_prior))

    def copy_checked(self) -> "NaiveBayes":
        """A model with the same options, not fitted, whose kind and smoothing are given; an error where they make no sense."""
        if self._given is not None:
            raise InvalidOption(
                "this NaiveBayes has given probabilities, and a categorizer that learns would not use them: make it with "
                "Categorizer.from_probabilities."
            )
        copy = NaiveBayes(self.used_kind, self.used_smoothing, self.prior, vocabulary=self.vocabulary, unknown=self.unknown)
        copy.chooses_by()
        copy.likelihood()
        return copy

    def likelihood(self) -> Likelihood:
        """P(document | label) with these options, without the smoothing."""
        check_choice("kind", self.used_kind, get_args(Kind))
        check_choice("vocabulary", self.vocabulary, ("union", "shared"))
        check_choice("unknown", self.unknown, ("ignore", "unk"))
        return Likelihood(self.used_kind, self.vocabulary, self.unknown)

    def log_prior(self, labels: Labels, n_documents: Floats, *, only_present: bool = False) -> Floats:
        """log P(label); zeros for complement, which has no prior. `only_present`: labels without documents are impossible."""
        if self.prior is None:
            raise bad_option(
                "prior", "empirical, uniform, a mapping or a sequence", None, "it says how probable each label is."
            )
        prior = None if self.used_kind == "complement" and len(labels) > 1 else self.prior
        logs: Floats = log_priors_left(prior, labels, n_documents[None], only_present=only_present)[0]
        return logs

    def chooses_by(self) -> str | None:
        """How the smoothing is chosen, `"auto"` or `"table"`, or None if it is given."""
        smoothing = self.used_smoothing
        return smoothing if isinstance(smoothing, str) else None

    def _matrix_likelihood(self, counts: LabelCounts) -> Likelihood:
        # A matrix has no unknown terms.
        return replace(self.likelihood(), unknown="ignore", terms=counts.counts.n_terms)

    def _leave_one_out(self, counts: LabelCounts) -> LeaveOneOut:
        return LeaveOneOut(self._matrix_likelihood(counts), self.prior, counts.labels, counts.counts)

    def _check_counted(self) -> None:
        self._check_fitted()
        self._check_not_given()

    def _check_not_given(self) -> None:
        """Raises InvalidOption if there are no counts, because the probabilities were given."""
        if self._given is not None:
            raise no_counts(self)

    def _score_labels(self, X: Any) -> Floats:
        return join_prior(self.log_likelihood(X), self._log_prior())

    def _log_prior(self) -> Floats:
        n_documents = self.counts_.n_documents if self._given is None else np.zeros(len(self.classes_))
        return self.log_prior(self.classes_, n_documents)

    def _probabilities(self) -> Floats:
        """P(term | label), labels × terms; for Bernoulli, the probability that a document of the label has the term."""
        if self._given is not None:
            return self._given
        learned, terms = self._list_learned(None), np.arange(self.n_features_in_)
        found = np.exp(learned.finish(learned.values(terms)))
        return np.asarray(found.T * learned.known(terms), np.float64)

    def _mean_lengths(self) -> Integers:
        """The mean number of terms in a document of each label, rounded."""
        counted = self.counts_.documents if self.used_kind == "binary" else self.counts_.occurrences
        n_documents = self.counts_.n_documents
        means = counted.sum(axis=1) / np.where(n_documents > 0, n_documents, 1.0)
        return np.asarray(np.round(means), np.int64)

    def _keep_given(self, labels: Labels, terms: Any, given: Floats) -> Self:
        self.smoothing_, self._weights, self._given = UNSMOOTHED, weigh_terms(given, self.used_kind), given
        self.classes_, self.n_features_in_, self.feature_names_in_ = labels, len(terms), terms
        return self

    def _keep(self, counts: LabelCounts, smoothing: Smoothing, n_terms: int) -> Self:
        weights = engine.Weights(counts.counts, self._matrix_likelihood(counts).with_smoothing(smoothing))
        self.log_prior(counts.labels, counts.n_documents)  # a bad prior is an error before anything changes
        for name in ("_given", "feature_names_in_"):  # attributes of a model that had given probabilities before `fit`
            self.__dict__.pop(name, None)
        self.counts_, self.smoothing_, self._weights = counts, smoothing, weights
        self.classes_, self.n_features_in_ = counts.labels, n_terms
        return self

    def _kept_smoothing(self, counts: LabelCounts) -> Smoothing:
        return (
            choose_by_table(self._matrix_likelihood(counts), counts.counts) if self.chooses_by() == "table" else self.smoothing_
        )

    def _choose_smoothing(self, counts: LabelCounts, X: Any, codes: Any, weights: Floats) -> Smoothing:
        choice = self.chooses_by()
        if choice is None:
            return resolve_smoothing(self.used_smoothing)
        if choice == "table":
            return choose_by_table(self._matrix_likelihood(counts), counts.counts)
        return choose_by_labels(self._leave_one_out(counts), make_rows(X), codes, to_units(weights))

    def _check_training(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Labels, Integers, Floats]:
        self.likelihood()
        X = check_counts(X)
        labels, codes = encode_training(y, X.shape[0])
        return X, labels, codes, check_weights(sample_weight, X.shape[0])

    def _check_documents(self, X: Any) -> Any:
        self._check_fitted()
        X = check_counts(X)
        check_columns(X, self.n_features_in_, self)
        return X

    def _log_orders(self, X: Any) -> Floats:
        from scipy.special import gammaln

        n, counts = X.shape[0], np.ones_like(X.data) if self.used_kind in ("binary", "bernoulli") else X.data
        rows = np.repeat(np.arange(n), np.diff(X.indptr))
        totals = np.bincount(rows, weights=counts, minlength=n)
        repeats = np.bincount(rows, weights=gammaln(counts + 1), minlength=n)
        return np.asarray(gammaln(totals + 1) - repeats, np.float64)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_weights"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "counts_" in state:
            self._keep(self.counts_, self.smoothing_, self.n_features_in_)
        elif self._given is not None:
            self._weights = weigh_terms(self._given, self.used_kind)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

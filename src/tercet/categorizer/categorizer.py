"""The categorizer: the class that users fit, update, predict with and save."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from dataclasses import replace
from functools import reduce
from itertools import islice
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.categorizer.held_out import HeldDocuments, HeldOut, cross_validate, find_folds, leave_one_out
from tercet.categorizer.model import TrainedState
from tercet.categorizer.rules import Rule, RuleMatches, check_rule_labels
from tercet.categorizer.scorer import Scorer, list_sets
from tercet.categorizer.settings import Settings
from tercet.categorizer.state import ChangeLock, DocumentsDigest, State
from tercet.counts.fingerprints import Fingerprints, Prints, exchange_labels
from tercet.counts.labels import Labels, encode_training, merge_labels, pick_labels, place_labels
from tercet.counts.selection import Selector
from tercet.counts.table import CountTable
from tercet.counts.training_data import (
    LabelledTexts,
    TrainingData,
    collect_kept,
    count_documents,
    encode_documents,
    fingerprint_labelled,
)
from tercet.data.document_batches import collect_documents, list_texts, look_ahead, open_batches
from tercet.data.documents import Documents
from tercet.errors import (
    InvalidLabel,
    InvalidOption,
    NeverLearned,
    OutOfDate,
    StaleMargins,
    describe_out_of_date,
    not_fitted,
    shorten,
)
from tercet.estimator import Estimator
from tercet.kernel import engine
from tercet.models.calibration import METHODS
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.smoothing import Smoothing
from tercet.options import check_choice, check_flag, n_threads
from tercet.text.analyzer import Analyzer, find_analyzer

if TYPE_CHECKING:
    from tercet.categorizer.calibrator import Calibrator, CrossCalibration
    from tercet.categorizer.compact import CompactCategorizer
    from tercet.categorizer.language_model import WordProbabilities
    from tercet.categorizer.record import TrainingRecord
    from tercet.categorizer.stack_model import MemberResult
    from tercet.counts.kept_documents import KeptDocuments
    from tercet.counts.weighting import TermWeighting
    from tercet.models.linear import LinearModel
    from tercet.models.parameters import LearnedTerms, Parameters
    from tercet.models.stack import Stack
    from tercet.report.explanation import Explanation
    from tercet.report.prediction_lines import Ranked
    from tercet.row_table import RowTable
    from tercet.store.model_file import FileVersion

WORDS_AND_PAIRS = Analyzer(word_ngrams=(1, 2))


class Decisions:
    """The methods that `Categorizer` and `CompactCategorizer` share: predictions and explanations, from a `Scorer`."""

    _files: "Mapping[str, FileVersion]" = MappingProxyType({})  # the files that it was loaded from or saved to, by place
    _record: "TrainingRecord | None" = None

    @property
    def record_(self) -> "TrainingRecord | None":
        """What it was trained on, and how good it was then, if `tercet.train` made it; None after `fit`."""
        return self._record

    @property
    def is_current_(self) -> bool | None:
        """Whether it has exactly the documents of `record_`. If not, the estimate there is that of the documents before.

        None if it has no record. A compact categorizer has what was true when it was made.
        """
        raise not_fitted(self)

    def _scorer(self) -> Scorer:
        raise not_fitted(self)

    def _last_scorer(self) -> Scorer:
        """The same, without a warning if it is out of date."""
        return self._scorer()

    @property
    def classes_(self) -> Labels:
        """The labels, sorted."""
        return self._scorer().labels

    @property
    def columns_(self) -> list[str]:
        """The columns that documents must have beside the text: those of numbers, and the categorical ones."""
        return [*self.number_columns_, *self.categorical_columns_]

    @property
    def number_columns_(self) -> list[str]:
        """The columns of numbers that documents must have beside the text."""
        numeric, measured = self._numeric()
        return [name for name in numeric if name not in measured]

    @property
    def text_columns_(self) -> tuple[str, ...]:
        """The names of the text columns; empty if a document is one plain text."""
        layout = self._find_analyzer().layout
        return () if layout is None else layout.texts

    @property
    def categorical_columns_(self) -> tuple[str, ...]:
        """The categorical columns that documents must have beside the text."""
        layout = self._find_analyzer().layout
        return () if layout is None else layout.categorical

    def _numeric(self) -> tuple[list[str], frozenset[str]]:
        """The names of numbers, and which of them are computed from the text."""
        return self._scorer().numeric, self._scorer().measured

    def _find_analyzer(self) -> Analyzer:
        return self._scorer().analyzer

    @property
    def rules_(self) -> tuple[Rule, ...]:
        """The rules that decide before the model, in their order; empty if there are none."""
        return self._last_scorer().rules

    def describe(self) -> dict[str, Any]:
        """The signature of the analyzer, the kind of model, the smoothing, the calibration, and the number of known terms."""
        scorer = self._scorer()
        return {
            "analyzer": scorer.analyzer.signature,
            "kind": scorer.weights.kind,
            "smoothing": scorer.weights.smoothing,
            "calibration": None if scorer.calibration is None else scorer.calibration.method,
            "terms": len(scorer.table),
        }

    @property
    def log_prior_(self) -> Floats:
        """log P(label), in the order of `classes_`. Margins and complement naive Bayes have no prior."""
        return self._last_scorer().weights.log_prior

    @property
    def prior_(self) -> Floats:
        """P(label), in the order of `classes_`."""
        return np.exp(self.log_prior_)

    @property
    def unknown_probability_(self) -> Floats | None:
        """P(unknown term | label), in the order of `classes_`.

        None if the model ignores unknown terms: they have no probability, and change no score.
        """
        return self._learned_terms(self._last_scorer()).unknown

    def parameters(self, label: Any = None, *, terms: Any = None, top: int | None = None) -> "Parameters":
        """What the model has learned of each term under each label: counts and probabilities, or trained weights.

        By default these are all terms in canonical order; `terms` names some, and `top` gives the terms with the highest
        probability or weight of each label, in this order. `label` gives the rows of one label.

        >>> c = Categorizer("words", NaiveBayes("multinomial")).fit(["good good film", "bad film"], ["pos", "neg"])
        >>> c.parameters("pos")
        multinomial: 3 parameters
        term  label  count  documents  probability  log_probability
        bad   pos        0          0       0.1667           -1.792
        film  pos        1          1       0.3333           -1.099
        good  pos        2          1          0.5          -0.6931
        prior: neg 0.5, pos 0.5
        Unknown terms are ignored: they have no probability.
        """
        from tercet.models.parameters import list_parameters  # on first use: predictions do not need it

        with self._lock:
            return list_parameters(self._learned_terms(self._scorer()), label, terms, top)

    def _learned_terms(self, scorer: Scorer) -> "LearnedTerms":
        return scorer.list_learned(None)

    def predict(self, texts: Any, *, abstain_below: float | None = None) -> Labels:
        """The most probable label of each text; ties go to the label that sorts first.

        With `abstain_below` the prediction is None if its probability is lower. Calibrate naive Bayes first: without
        calibration its probabilities are far too high.
        """
        scorer = self._scorer()
        if abstain_below is not None:
            return scorer.choose_labels(texts, abstain_below)
        labels: Labels = scorer.labels[scorer.predict(texts)]
        return labels

    def predict_sets(self, texts: Any, coverage: float = 0.9) -> list[tuple[Any, ...]]:
        """For each text a set of labels, the most probable first. The share of sets with the right label is `coverage` or more.

        This holds on average over documents like those that the categorizer was calibrated on. It is guaranteed after
        `calibrate_on`, and approximate after `fit`, which calibrates by leave-one-out. A set is empty if no label is probable
        enough; this happens if the share of wrong predictions is below 1 - coverage.
        """
        threshold, scorer = self.find_threshold(coverage), self._scorer()
        return list_sets(scorer.labels, np.exp(scorer.log_proba(texts)), threshold)

    def find_threshold(self, coverage: float) -> float:
        """The lowest probability of a label in the sets of `predict_sets`."""
        return self._scorer().find_threshold(coverage)

    def predict_proba(self, texts: Any) -> Floats:
        """P(label | text), texts × labels; rows sum to 1."""
        return np.exp(self.predict_log_proba(texts))

    def predict_log_proba(self, texts: Any) -> Floats:
        """log P(label | text), texts × labels."""
        return self._scorer().log_proba(texts)

    def rank_labels(self, texts: Any, n: int | None = None) -> "list[Ranked]":
        """The n most probable labels of each text with their probabilities, the best first; by default all labels.

        >>> c = Categorizer("words", NaiveBayes("multinomial")).fit(["so good", "so bad", "too bad"], ["+", "-", "-"])
        >>> [[(label, round(probability, 3)) for label, probability in best] for best in c.rank_labels(["so bad", "good"])]
        [[('-', 0.771), ('+', 0.229)], [('+', 0.571), ('-', 0.429)]]
        """
        from tercet.report.prediction_lines import rank_labels

        scorer = self._scorer()
        return rank_labels(scorer.label_list, np.exp(scorer.log_proba(texts)), len(scorer.label_list) if n is None else n)

    def log_joint(self, texts: Any) -> Floats:
        """log P(label) + log P(text | label), texts × labels. A text without known terms scores the prior."""
        return self._scorer().log_joint(texts)

    def log_likelihood(self, texts: Any) -> Floats:
        """log P(text | label), texts × labels: the scores without the prior."""
        return self._scorer().log_likelihood(texts)

    def evidence(self, texts: Any) -> Floats:
        """P(text) = Σ P(label) P(text | label), one number for each text: how typical it is of the learned texts.

        It is the probability of the known terms in their order, and 1 for a text without known terms. For Bernoulli it is the
        probability of the set of terms. With columns of numbers it is a density. For long texts it is 0, because it is too
        small for a float64: see `log_evidence`. A stack has counts beside its margins: it answers as naive Bayes on them.
        """
        with np.errstate(over="ignore"):
            return np.exp(self.log_evidence(texts))

    def log_evidence(self, texts: Any) -> Floats:
        """log P(text); -inf if the text is impossible under every label.

        >>> c = Categorizer("words", NaiveBayes("multinomial")).fit(["so good", "so bad", "too bad"], ["+", "-", "-"])
        >>> c.evidence(["so", "so bad", "so bad " * 200]).round(4), c.log_evidence(["so bad " * 200]).round(1)
        (array([0.2778, 0.081 , 0.    ]), array([-473.8]))
        """
        from tercet.categorizer.language_model import measure_log_evidence

        return measure_log_evidence(self._count_scorer(), texts)

    def score(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> float:
        """The share of texts with a correct prediction."""
        texts = collect_documents(texts)
        gold = texts.labels if isinstance(texts, Documents) and labels is None else labels
        predicted = self.predict(texts)
        known, codes = encode_training(gold, len(predicted))
        return float(np.average(predicted == known[codes], weights=sample_weight))

    def explain(self, text: Any, label: Any = None, against: Any = None, *, arithmetic: bool = False) -> "Explanation":
        """The evidence for a label (by default the best) against another label (by default the second best).

        The evidence of character n-grams is folded into the words that they stand in: `to_table(detail=True)` lists them.
        With numeric or categorical columns, or several text columns, pass Documents with one text. With `arithmetic`, each
        value is also shown as a formula: of the counts that it comes from, or for margins of the weights.

        >>> c = Categorizer("words", NaiveBayes("multinomial")).fit(["so good", "so bad", "too bad"], ["+", "-", "-"])
        >>> c.explain("good", arithmetic=True).arithmetic.terms[0].to_text()
        'log (1+1)/(2+4) − log (0+1)/(4+4) = +0.980829'
        """
        from tercet.categorizer.evidence import explain_text  # on first use: a decision needs no evidence

        if not check_flag("arithmetic", arithmetic):
            return explain_text(self._scorer(), text, label, against)
        with self._lock:
            return explain_text(self._scorer(), text, label, against, arithmetic=True)

    def most_informative(self, n: int = 20, *, detail: bool = False) -> dict[Any, list[tuple[str, float]]]:
        """For each label its strongest terms, with their log-odds for this label against all other labels together.

        If the model has words and character n-grams, these are words; with `detail`, all terms as the decisions use them.
        """
        from tercet.categorizer.evidence import find_informative

        return find_informative(self._scorer() if detail else self._count_scorer(), n, detail=detail)

    def word_probabilities(self, word: str) -> "WordProbabilities":
        """P(label), P(word | label) and P(label | word) of one word that the model knows, in the order of the labels.

        They are those of the counts, without a calibration. `figures.word_bars(*probabilities)` draws them.

        >>> categorizer = Categorizer("words", NaiveBayes("multinomial")).fit(["so good", "good", "so bad"], ["+", "+", "-"])
        >>> found = categorizer.word_probabilities("good")
        >>> found.labels, found.prior.round(3), found.likelihood.round(3), found.posterior.round(3)
        (['+', '-'], array([0.667, 0.333]), array([0.5, 0.2]), array([0.833, 0.167]))
        """
        from tercet.categorizer.language_model import find_word_probabilities

        return find_word_probabilities(self._count_scorer(), word)

    def generate(self, label: Any = None, n_words: int | None = None, seed: int = 0) -> str:
        """Words drawn at random from a label; without a label, it is drawn from the prior.

        By default the length is that of a random document of the label. A compact categorizer does not know lengths, and needs
        `n_words`. If the known probabilities sum to less than 1, words are drawn in proportion.
        """
        from tercet.categorizer.language_model import generate_text  # on first use, as below: predictions do not need it

        with self._lock:
            return generate_text(self._count_scorer(), label, n_words, seed)

    def sample(self, n: int, seed: int = 0, label: Any = None, n_words: int | None = None) -> Documents:
        """n random documents with their labels: drawn from the prior, or all with this label. Words are drawn as by `generate`.

        Bernoulli draws for each word whether a text has it, and takes no `n_words`. Columns of numbers are drawn, too.

        >>> c = Categorizer.from_probabilities(["+", "-"], ["fun", "boring"], [[0.9, 0.1], [0.2, 0.8]], [0.5, 0.5])
        >>> c.sample(3, seed=1, n_words=3)
        Documents(3 documents: 'fun boring fun', 'fun fun fun', …; labels)
        """
        from tercet.categorizer.language_model import sample_documents

        with self._lock:
            return sample_documents(self._count_scorer(), n, seed, label, n_words)

    @property
    def _lock(self) -> AbstractContextManager[Any]:
        """The lock held while it must not change. A categorizer that can't change needs none."""
        return nullcontext()

    def _count_scorer(self) -> Scorer:
        return self._scorer()

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(one_d_array=False, two_d_array=False, string=True),
        )


class FitResult(NamedTuple):
    """The result of `fit`. `tercet.train` evaluates it before the categorizer uses it."""

    settings: Settings
    data: TrainingData
    state: State
    calibration: "CrossCalibration | None"


class Categorizer(Decisions, Estimator):
    """Learns from texts with labels; predicts labels and probabilities, and explains them. It can forget exactly.

    `Categorizer()` is naive Bayes, which learns at once and is a sum of counts. This costs accuracy: over 21 corpora its mean
    is about 0.84, and that of `model="auto"` 0.875. `calibrate="auto"` makes probabilities reliable, for at most one more pass.

    - `analyzer`: an `Analyzer`, or the name of a preset. None is words and pairs of words.
    - `model`: a `NaiveBayes`, `NBSVM`, `LinearSVM`, `LogisticRegression` or `Stack`. All but the first have margins, which
      `refit` trains again after `learn` or `forget`. `"auto"` is the best model without further options: a `Stack` on words,
      marks, pairs of them, and character n-grams inside words, for most data; `decisions_` says what was left out because
      there are too few or too many documents. None is `NaiveBayes()`, which is binary with `AbsoluteDiscount(0.9)`: whether a
      term occurs, not how often, with a smoothing that is good for corpora of any size. `set_params(model__smoothing="auto")`
      finds the best smoothing for your documents, from a sample of at most 2,000, and keeps the kind.
    - `min_documents`: drop terms that fewer documents have. `max_terms`: keep only the terms with the highest counts.
    - `select`: a `MostInformative`, a `WithoutMostFrequent` or a list of selectors, applied in order to the terms that enough
      documents have, and before `max_terms`. All counts are kept, and terms are selected again after `learn` and `forget`.
      `prune` drops the counts of the other terms.
    - `numeric`: names of columns of numbers that the documents have beside the text. Each adds the log-likelihood of a normal
      distribution. A name that no column has may be one of `tercet.text.measures`, which is computed from the text. `fit`
      decides which names are columns and which are measures, and this never changes.
    - `categorical`: names of columns that the documents have beside the text. Their values become terms, `mailer=mutt`. A
      missing or empty value gives no term.
    - `fields`: for documents with several text columns (`Documents.join`, `tercet.read(text=[...])`). Each column is analysed
      on its own. By default a word is the same term in every column; with `fields` it knows its column, `subject:refund`.
      `fit` takes the columns of the first documents. Later documents have the same columns, or one of them, or
      plain texts, which count as the last column unless they join all columns.
    - `rules`: a mapping from regular expressions to labels, or a list of `Rule`s, in the syntax of RE2. The first rule that is
      found in a text decides: its label has probability 1, and the model is not asked. Estimates judge rules and model
      together. The model learns from all documents, and `log_joint` and evidence are those of the model alone. A label that
      no document has is an error at `fit`; later, a rule for a label that is forgotten or left out by `restrict` does not
      apply.
    - `remember`: keep 128 bits of each document, so that `forget` refuses documents that were never learned. Without it,
      `forget` refuses only documents that contradict the counts.
    - `keep_documents`: keep the texts with their labels, in a few bytes for each word. Then `learn`, `forget`, `relabel` and
      `+` train again on all documents, so that everything (margins, smoothing, calibration, the estimate of `tercet.train`)
      is what it would be if only these documents had ever been learned. The file contains the training texts.
    - `weighting`: a `TermWeighting`, which turns the counts of a document into weights for a `LinearSVM` or a
      `LogisticRegression`. None is log tf · idf of length 1. Other models have no weighting.
    - `calibrate`: the method that makes the probabilities reliable: of predictions with probability 0.9, about 90 % should be
      right. It is fitted to scores of held-out training documents: each is left out with its copies; for margins, a fifth of
      the documents at a time. `"auto"` takes the best of the methods `"temperature"`, `"length"`, `"platt"` and `"isotonic"`
      (see `tercet.models.calibration`). Most of them may also change which label is best, and often improve it. Scores and
      evidence do not change. Without `keep_documents`, `learn` and `forget` keep the calibration, and `refit` fits it again.
      Without calibration the probabilities of margins are exp(score), scaled to the sum 1, which is right only for a softmax.
    - `threads`: the number of threads; by default TERCET_THREADS, or all threads of the machine. It never changes the result.

    >>> c = Categorizer(calibrate="auto").fit(["what a lovely film", "lovely", "a dull film", "so dull"], ["+", "+", "-", "-"])
    >>> c.predict(["a lovely story"]), c.forget(["lovely"], ["+"]).table_.n_documents
    (array(['+'], dtype='<U1'), array([1., 2.]))
    """

    # A fitted categorizer has these.
    _settings: Settings
    _state: State
    _calibrator: "Calibrator | None"
    _fitted_on: DocumentsDigest | None  # the documents that margins, smoothing or calibration were fitted to, if any was
    _only: Labels | None  # the labels that it is restricted to
    _cached: Scorer | None  # None after a change

    _tells_age = True  # whether decisions warn if something in it was fitted to other documents

    def __init__(
        self,
        analyzer: Analyzer | str | None = None,
        model: "NaiveBayes | LinearModel | Stack | str | None" = None,
        *,
        min_documents: int = 1,
        max_terms: int | None = None,
        select: Selector | Sequence[Selector] | None = None,
        numeric: Any = (),
        categorical: Any = (),
        fields: bool = False,
        rules: Mapping[str, Any] | Sequence[Rule | tuple[str, Any]] | None = None,
        remember: bool = True,
        keep_documents: bool = False,
        weighting: "TermWeighting | None" = None,
        calibrate: str | None = None,
        threads: int | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.model = model
        self.min_documents = min_documents
        self.max_terms = max_terms
        self.select = select
        self.numeric = numeric
        self.categorical = categorical
        self.fields = fields
        self.rules = rules
        self.remember = remember
        self.keep_documents = keep_documents
        self.weighting = weighting
        self.calibrate = calibrate
        self.threads = threads

    @classmethod
    def preset(cls, name: str, **parameters: Any) -> Self:
        """A categorizer with the analyzer and the model of this preset (see `Analyzer.preset`), with these parameters changed.

        >>> Categorizer.preset("sentiment").fit(["not good, sad", "so good"], ["-", "+"]).predict(["not so good"])
        array(['-'], dtype='<U1')
        """
        from tercet.categorizer.presets import find_preset

        return cls(**find_preset(name, **parameters))

    @classmethod
    def from_probabilities(
        cls,
        labels: Any,
        terms: Any,
        matrix: Any,
        prior: Any,
        *,
        kind: Literal["multinomial", "binary", "bernoulli"] = "multinomial",
        analyzer: Analyzer | str = "words",
    ) -> "CompactCategorizer":
        """A categorizer with given probabilities, as exercises state them. It predicts, explains and samples, and can't learn.

        - `matrix`: P(term | label), labels × terms. A row sums to at most 1: the rest belongs to words that are not listed,
          which decisions ignore. A term of probability 0 makes its label impossible. With `kind="bernoulli"`, the
          probability that a text of the label has the term.
        - `prior`: probabilities in the order of `labels`, a mapping from label to probability, or `"uniform"`.
        - `terms` are written as the analyzer writes them, in lower case for example.

        >>> terms, matrix = ["fun", "boring", "film"], [[0.2, 0.1, 0.3], [0.1, 0.3, 0.3]]
        >>> c = Categorizer.from_probabilities(["+", "-"], terms, matrix, [0.5, 0.5])
        >>> c.predict(["A boring film, and no fun"]), c.predict_proba(["A boring film, and no fun"]).round(3)
        (array(['-'], dtype='<U1'), array([[0.4, 0.6]]))
        """
        from tercet.categorizer.given_probabilities import make_given  # on first use: most categorizers learn

        return make_given(labels, terms, matrix, prior, kind, analyzer)

    # Properties of a fitted categorizer.

    @property
    def table_(self) -> CountTable:
        """The counts of all terms under each label."""
        self._check_fitted()
        return self._state.table

    @property
    def classes_(self) -> Labels:
        """The labels, sorted. A margin model has only the labels that it was trained on."""
        self._check_fitted()
        labels: Labels = self.table_.labels[self._label_places()]
        trained = None if self._state.trained is None else self._state.trained.labels
        return labels if trained is None else labels[place_labels(labels, trained) >= 0]

    @property
    def smoothing_(self) -> Smoothing | None:
        """The smoothing in use, given or chosen; None for margins."""
        self._check_fitted()
        known = self._known_smoothing()
        return self._scorer().weights.smoothing if isinstance(known, str) else known

    @property
    def is_stale_(self) -> bool:
        """Whether something in `out_of_date_` is out of date (see `refit`)."""
        return bool(self.out_of_date_)

    @property
    def out_of_date_(self) -> tuple[str, ...]:
        """The parts that were fitted to other documents than it has now: "margins", a chosen "smoothing", "calibration".

        With `keep_documents` there are none, except after a change with `later=True`.
        """
        self._check_fitted()
        with self._lock:
            return () if self._fitted_on is None or self._fitted_on.is_of(self._state) else self._list_fitted()

    @property
    def decisions_(self) -> tuple[str, ...]:
        """What `model="auto"` left out at the last `fit`, and why. It is not written to the file."""
        self._check_fitted()
        return self._settings.said

    @property
    def members_(self) -> "tuple[MemberResult, ...]":
        """The members of a stack: name, weight, and how good each is on held-out documents. Other models have none."""
        self._check_fitted()
        return getattr(self._state.trained, "results", ())

    @property
    def is_current_(self) -> bool | None:
        self._check_fitted()
        return None if self._record is None else self._record.digest.is_of(self._state)

    @property
    def rules_(self) -> tuple[Rule, ...]:
        self._check_fitted()
        return self._settings.rules

    def _numeric(self) -> tuple[list[str], frozenset[str]]:
        self._check_fitted()
        return self._settings.numeric, self._settings.measured

    def _find_analyzer(self) -> Analyzer:
        return self.table_.analyzer

    @property
    def domain_(self) -> str | None:
        """The additional column that `learn` needs, if the selection of terms uses it; otherwise None."""
        self._check_fitted()
        return self._settings.domain

    @property
    def remembers_(self) -> bool:
        """Whether it has fingerprints of the learned documents."""
        self._check_fitted()
        return self._state.prints is not None

    @property
    def keeps_documents_(self) -> bool:
        """Whether it has the learned documents themselves, so that it can train again after a change."""
        self._check_fitted()
        return self._state.documents is not None

    @property
    def is_pruned_(self) -> bool:
        """Whether it has only the selected terms (see `prune`), so that it can't learn or forget."""
        self._check_fitted()
        return self._settings.pruned

    def describe(self) -> dict[str, Any]:
        """The signature of the analyzer, the kind of model, the smoothing, the calibration, and the number of learned terms.

        If all documents are forgotten, the smoothing is the option that was given.
        """
        return {
            "analyzer": self.table_.analyzer.signature,
            "kind": self._settings.model.kind,
            "smoothing": self.smoothing_ if len(self.classes_) else self._known_smoothing(),
            "calibration": None if self._calibrator is None else self._calibrator.method,
            "terms": len(self.table_),
        }

    def _learned_terms(self, scorer: Scorer) -> "LearnedTerms":
        return scorer.list_learned(self.table_)

    def selected_terms(self) -> "RowTable":
        """The terms that the model uses, each with the score of its selector and the number of documents that have it.

        The score is None if no selector has scores. The highest score is first, then the term with the most documents.

        >>> from tercet import MostInformative
        >>> texts, labels = ["a lovely film", "a lovely day", "a dull film", "a dull day"], ["+", "+", "-", "-"]
        >>> Categorizer("words", select=MostInformative(2)).fit(texts, labels).selected_terms()
        2 terms are used
        term     score  documents
        dull    0.6931          2
        lovely  0.6931          2
        """
        from tercet.categorizer.selected_terms import list_selected  # on first use, as below: predictions do not need it

        with self._lock:
            return list_selected(self._scorer(), self._settings, self._state)

    def dropped_terms(self) -> "RowTable":
        """The terms that the model does not use, and the step that dropped each: `min_documents`, the selectors of `select`,
        `max_terms`, and terms that the `model` itself leaves out. Stop words, which are never counted, come last: all words of
        the list, also those that no text has.

        >>> from tercet import WithoutMostFrequent
        >>> texts, labels = ["it is good", "it is not good", "it is bad", "so bad"], ["+", "-", "-", "-"]
        >>> Categorizer("words", select=WithoutMostFrequent(2)).fit(texts, labels).dropped_terms()
        2 terms are dropped
        term  dropped_by                         documents
        is    WithoutMostFrequent(k=2, keep=())          3
        it    WithoutMostFrequent(k=2, keep=())          3
        """
        from tercet.categorizer.selected_terms import list_dropped

        with self._lock:
            return list_dropped(self._scorer(), self._settings, self._state)

    def count_learned(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> int:
        """How many of these documents were learned, with this label and weight. They are too easy for a test.

        >>> Categorizer().fit(["to be", "or not"], ["x", "y"]).count_learned(["to be", "to be", "or not"], ["x", "y", "y"])
        2
        """
        return int(self.find_learned(texts, labels, sample_weight).sum())

    def find_learned(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Flags:
        """Which of these documents were learned, with this label and weight.

        >>> Categorizer().fit(["to be", "or not"], ["x", "y"]).find_learned(["to be", "to be", "or not"], ["x", "y", "y"])
        array([ True, False,  True])
        """
        prints = self._fingerprint(open_batches(texts, labels, sample_weight))
        with self._lock:
            known = self._state.prints
            return np.zeros(len(prints), np.bool_) if known is None else known.find_known(prints)

    # Learn and forget. If a method raises an error, nothing has changed.

    def fit(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Learn these documents, and nothing else: texts in a list, Series, Arrow array or iterable with labels, or Documents.

        `fit`, `learn`, `forget` and `cross_validate` also take a stream of Documents, which need not fit into memory.
        """
        self._publish(self._learn_afresh(open_batches(texts, labels, sample_weight)))
        return self

    def learn(self, texts: Any, labels: Any = None, sample_weight: Any = None, *, later: bool = False) -> Self:
        """Learn more documents. They may have new words and new labels.

        With `keep_documents` it is trained again on all documents, as `fit` or `tercet.train` has done. With `later=True` it is
        not: the counts change at once, and `refit()` trains the rest.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(texts, labels, sample_weight)
        self._check_whole("learn")
        if self._trains_again(later):
            new = self._collect(texts, labels, sample_weight)
            self._train_again(lambda documents: documents + new)
            return self
        _, state = self._count(texts, labels, sample_weight)
        with self._change_counts():
            self._settings.model.check_labels(merge_labels(self.table_.labels, state.table.labels))
            self._state += state
        return self

    def partial_fit(self, texts: Any, labels: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """`learn`, under its name in scikit-learn. `classes` is ignored, because new labels may come at any time."""
        return self.learn(texts, labels, sample_weight)

    def forget(self, texts: Any, labels: Any = None, sample_weight: Any = None, *, later: bool = False) -> Self:
        """Forget learned documents. Pass the weights that they were learned with.

        Raises NeverLearned, and changes nothing, if a document was not learned. With `keep_documents` it is trained again
        without them, and is then the same as if it had never learned them; `later=True` is that of `learn`.
        """
        self._check_fitted()
        self._check_whole("forget")
        if self._trains_again(later):
            old = self._collect(texts, labels, sample_weight).prints
            self._train_again(lambda documents: documents.without(old))
            return self
        _, state = self._count(texts, labels, sample_weight)
        with self._change_counts():
            self._state -= state
        return self

    def relabel(self, texts: Any, old: Any = None, new: Any = None, sample_weight: Any = None, *, later: bool = False) -> Self:
        """Give learned documents new labels: forget them with the labels `old` and learn them with `new`, in one step.

        If `texts` are Documents, their labels are the new ones. Pass the weights that they were learned with. Without `old`,
        the label that each text was learned with is found by fingerprints. Raises NeverLearned, and changes nothing, if a
        document was not learned, or if a text was learned with several labels and `old` is not given. `later` is that of
        `learn`.

        >>> c = Categorizer().fit(["to be", "or not"], ["x", "x"]).relabel(["or not"], new=["y"])
        >>> c.table_ == Categorizer().fit(["to be", "or not"], ["x", "y"]).table_
        True
        """
        self._check_whole("be relabelled")
        batches = [replace(batch, texts=list_texts(batch.texts)) for batch in open_batches(texts, new, sample_weight)]
        n_documents = sum(len(batch.texts) for batch in batches)
        labels = iter(self._find_labels(batches) if old is None else list_labels(old, n_documents))
        learned = [replace(batch, labels=list(islice(labels, len(batch.texts)))) for batch in batches]
        if self._trains_again(later):
            before_kept, after_kept = self._collect(learned), self._collect(batches)
            with explain_never_learned():
                self._train_again(lambda documents: documents.without(before_kept.prints) + after_kept)
            return self
        (_, before), (_, after) = self._count(learned, None, None), self._count(batches, None, None)
        with self._change_counts(), explain_never_learned():
            self._state.exchange(before, after, self._settings.model.check_labels)
        return self

    def retune(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Choose the smoothing and calibrate again, but train no margins. Pass all learned documents.

        A `Stack` is trained again, as by `refit`: its probabilities come from documents that its members have not learned.
        """
        self._check_fitted()
        if self._settings.model.is_calibrated:
            return self.refit(texts, labels, sample_weight)
        data, state = self._count_same(texts, labels, sample_weight)
        self._check_options()
        held = HeldDocuments.of(self._settings, state, data)
        trained = self._settings.model.choose(held) or self._state.trained
        calibration = self._calibrate(held, trained)
        with self._lock.change():
            self._check_same(state)
            is_stale = "margins" in self.out_of_date_
            self._state.trained = trained
            self._calibrator = None if calibration is None else calibration.calibrator
            self._fitted_on = self._fitted_on if is_stale else self._digest_fitted()
            self._cached = None
        return self

    def refit(self, texts: Any = None, labels: Any = None, sample_weight: Any = None) -> Self:
        """Work out anew everything that follows from all learned documents: margins, smoothing, calibration, and the record.

        Pass all learned documents, or nothing with `keep_documents`. Without them `learn`, `forget` and `+` change the counts
        at once, but not the rest. A calibration by `calibrate_on` is dropped, because it belonged to the old margins.
        """
        self._check_whole("be trained again")
        if texts is not None:
            data, state = self._count_same(texts, labels, sample_weight)
        elif not self.keeps_documents_:
            raise InvalidOption(
                "refit needs all learned documents, because this categorizer does not keep them: pass them, or fit it "
                "with keep_documents=True."
            )
        if self.keeps_documents_:
            self._train_again(lambda documents: documents)
            return self
        result, record = self._finish(self._choose_model(self._settings.restart(), data, state), data, state)
        with self._lock.change():
            self._check_same(state)
            self._keep(result, self._only)
            self._record = record
        return self

    def calibrate_on(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Calibrate on documents that were not learned, with the method of the option `calibrate` (here None is "auto").

        One half of them is for the probabilities, the other half for the label sets of `predict_sets`, so that their coverage
        is guaranteed. Pass documents like those that you will predict, a thousand or more.
        """
        from tercet.categorizer.calibrator import calibrate_fresh, warn_of_learned

        scorer, method = self._scorer(), self.calibrate or "auto"
        self._check_options()
        data, parts = self._encode(texts, labels, sample_weight)
        with self._lock:
            warn_of_learned(self._state.prints, data)
            calibrator = calibrate_fresh(scorer, data, parts, method)
            with self._lock.change():
                self._calibrator = calibrator
                if self._list_fitted() == ("calibration",):
                    self._fitted_on = self._digest_fitted()
                self._cached = None
        return self

    def __add__(self, other: "Categorizer") -> "Categorizer":
        """A categorizer that has learned the documents of both.

        With `keep_documents` in both it is trained on all documents. Without it, the sum has no calibration, and warns, if
        those of its parts differ.
        """
        if not isinstance(other, Categorizer):
            return NotImplemented
        return sum_categorizers([self, other])

    def _add(self, other: "Categorizer") -> "Categorizer":
        """The sum of both, which may be out of date."""
        self._check_whole("be added")
        other._check_whole("be added")
        keeps_both = self.keeps_documents_ and other.keeps_documents_
        recipes = [each._find_recipe() if keeps_both else each.table_.analyzer for each in (self, other)]
        if not self._settings.is_like(other._settings) or recipes[0] != recipes[1]:
            raise InvalidOption(f"{self!r} and {other!r} count differently: their sum would mean nothing. Fit both alike.")
        from tercet.categorizer.calibrator import merge_calibrators
        from tercet.categorizer.record import merge_records

        total = copy(self)
        with other._lock:
            assert total._state.trained is not None
            assert other._state.trained is not None
            if not keeps_both:
                total._state.trained.check_equal(other._state.trained)
            if self.table_.analyzer == other.table_.analyzer:
                total._state += other._state
            else:  # the recipe will be chosen for all documents, which are counted again
                assert total._state.documents is not None
                assert other._state.documents is not None
                total._state.documents += other._state.documents
        total.calibrate = self.calibrate if self.calibrate == other.calibrate else None
        total._calibrator = self._calibrator if keeps_both else merge_calibrators(self._calibrator, other._calibrator)
        same_documents = self._fitted_on if self._fitted_on == other._fitted_on else DocumentsDigest()
        total._fitted_on = same_documents if total._list_fitted() else None
        total._only = None if self._only is None or other._only is None else merge_labels(self._only, other._only)
        total._record = merge_records(self._record, other._record)
        total._files = {**other._files, **self._files}
        return total

    def restrict(self, labels: Any) -> "Categorizer":
        """A copy that decides only between these labels. The weights of their terms do not change.

        The other labels can still be learned and forgotten. If the other labels should not influence the vocabulary, fit a
        categorizer only on the documents of these labels.
        """
        kept = pick_labels(labels, self.classes_)
        some_labels = copy(self)
        some_labels._only, some_labels._files = kept, self._files
        return some_labels

    # Held-out predictions.

    def leave_one_out(self, texts: Any, labels: Any = None, sample_weight: Any = None, *, copies: str = "own") -> HeldOut:
        """The prediction for each of these learned documents when it is left out.

        The smoothing, the calibration and the selection of terms (`select`, `max_terms`) do not change. The report says so of
        the selection. With `copies="all"`, all of these documents with the same text are left out together.
        """
        from tercet.counts.document_rows import ReadRows

        self._check_fitted()
        self._settings.model.check_leave_one_out()
        data, parts = self._encode(texts, labels, sample_weight)
        with self._lock:
            calibration = self._scorer().calibration  # makes the weights now: predictions need not wait
            state = self._state
            if state.prints is not None:
                state.prints.check_known(data.prints)
            rows = ReadRows(state.table.table, parts, self._settings.threads)
            held = HeldDocuments.of(self._settings, state, replace(data, rows=rows), self._label_places())
            if state.prints is None:
                held.check_learned()
            assert state.trained is not None
            result = leave_one_out(held, copies, state.trained)
        return result if calibration is None else replace(result, calibrated=calibration.apply(result.log_joint))

    def cross_validate(
        self,
        texts: Any,
        labels: Any = None,
        sample_weight: Any = None,
        *,
        folds: Any = 10,
        seed: int = 0,
        copies: str = "own",
        stratified: bool = True,
        folds_by: str = "random",
    ) -> HeldOut:
        """The prediction for each document, by a categorizer with these options that has learned the other folds.

        `folds` is the number of folds, which are dealt at random by `seed`: each has the labels in proportion, or with
        `stratified=False` any documents. Or it has the fold of each document, in an array; or it is a splitter of
        scikit-learn, such as `KFold(5)`, that tests each document once.

        Terms are selected again without each fold. `smoothing="auto"` and the method of `calibrate="auto"` are chosen once
        for all folds, but the calibration is fitted to the other folds. The categorizer need not be fitted, and is not
        changed.

        With `copies="all"` all documents of the same text are in one fold, so that no copy of a tested document is learned.
        With `folds_by="fingerprint"` the fingerprint of a text decides alone, as on a cluster (`tercet.spark.cross_validate`):
        copies are together, and other documents do not matter. `copies` and `stratified` then have no effect.

        The result has `folds`, the fold of each document, `fold_reports`, and `fold_summary`: mean and spread over the folds.

        >>> held = Categorizer().cross_validate(["so good", "so bad", "good", "bad"], ["+", "-", "+", "-"], folds=[0, 0, 1, 1])
        >>> held.folds, held.predicted
        (array([0, 0, 1, 1]), array(['+', '-', '+', '-'], dtype='<U1'))
        """
        held = self._hold_afresh(open_batches(texts, labels, sample_weight))
        fold_of, described = find_folds(held, folds, seed, copies, stratified, folds_by)
        result = cross_validate(held, fold_of, described, held.settings.model.choose(held))
        if self.calibrate is None:
            return result
        from tercet.categorizer.calibrator import calibrate_folds

        return replace(result, calibrated=calibrate_folds(held, result, self.calibrate, fold_of))

    # A label as a language model; see also `word_probabilities`, `generate` and `sample`.

    def perplexity(self, texts: Any, label: Any) -> Floats:
        """The perplexity of each text under a label: exp(-log P(text | label) / number of terms).

        It is nan for a text without known terms.
        """
        from tercet.categorizer.language_model import measure_perplexity  # on first use: predictions do not need it

        return measure_perplexity(self._count_scorer(), texts, label)

    # Files.

    def prune(self) -> "Categorizer":
        """A copy with only the terms that `min_documents`, `select` and `max_terms` keep. It predicts the same.

        The counts of all other terms are dropped, so it takes less memory, and its file is smaller. It can't learn, forget,
        be added, `refit` or `retune`: the dropped counts would be needed to select terms again.

        >>> whole = Categorizer("words", min_documents=2).fit(["a lovely film", "lovely", "a dull film"], ["+", "+", "-"])
        >>> len(whole.table_), len(whole.prune().table_), whole.prune().is_pruned_
        (4, 3, True)
        """
        self._check_fitted()
        if not self._settings.drops:
            raise InvalidOption(
                "there is nothing to prune: this model keeps every term. Fit it with min_documents=2, max_terms or select."
            )
        if "margins" in self.out_of_date_:
            raise InvalidOption(
                "documents were learned or forgotten since the margins were trained, and a pruned categorizer can't train "
                "them again: call refit(texts, labels) with all learned documents before prune()."
            )
        pruned = copy(self)
        if not self.is_pruned_:
            whole, settings = pruned._state, pruned._settings
            pruned._state = whole.prune(settings.keep_terms(whole.table, whole.domains))
            pruned._settings = replace(settings, pruned=True)
            pruned._record = None if self._record is None else self._record.prune(whole, pruned._state)
            pruned._fitted_on = None if self._fitted_on is None else self._fitted_on.prune(whole, pruned._state)
        pruned._files = self._files
        return pruned

    def compact(self) -> "CompactCategorizer":
        """A small categorizer for deployment: only the weights. It predicts and explains, and can't learn.

        Weights of naive Bayes have 32 bits. Weights of margins have 8 bits, with a scale for each term, so a prediction that
        is nearly a tie may change.
        """
        from tercet.categorizer.compact import CompactCategorizer, PackedModel, strip_kernel

        with self._lock:
            scorer = self._scorer()
            packed = PackedModel.of(scorer)
            compact = CompactCategorizer(strip_kernel(scorer), scorer.labels, packed, self._record, self.is_current_)
        compact._files = self._files
        return compact

    def save(self, path: str | PathLike[str], *, fingerprints: bool = True) -> None:
        """Write everything that was learned to one file, which `tercet.load` reads. Equal categorizers give equal bytes.

        If it was loaded from this file, or saved to it before, and another program has changed the file since, the change
        would be lost: that is the error FileChanged, and nothing is written. While another program is changing the file,
        it waits, with a warning.

        Fingerprints can reveal whether a text was learned. Without them, `forget` refuses only documents that contradict the
        counts, and kept documents are not written.
        """
        from tercet.categorizer.save_load import save_categorizer

        self._check_fitted()
        save_categorizer(self, path, fingerprints=fingerprints)

    # Steps of the methods above.

    @property
    def _lock(self) -> ChangeLock:
        """The lock held while this categorizer changes, or must not change. Predictions do not take it."""
        lock: ChangeLock = self.__dict__.get("_own_lock") or self.__dict__.setdefault("_own_lock", ChangeLock())
        return lock

    @contextmanager
    def _change_counts(self) -> Iterator[None]:
        """Hold the lock for a change of the counts. Predictions after it use new weights."""
        with self._lock.change():
            if self._cached is not None and self._cached.weights.reads_counts:
                self._cached = None  # before the change: otherwise every row that changes would be copied for it
            yield
            self._cached = None

    def _check_options(self) -> Settings:
        terms = self.min_documents, self.max_terms, self.select, self.numeric, self.categorical, self.fields
        settings = Settings.check(self.model, *terms, self.rules, self.remember, self.weighting, self.threads)
        if check_flag("keep_documents", self.keep_documents) and not self.remember:
            raise InvalidOption(
                "keep_documents=True keeps more than the fingerprints that remember=False leaves out: choose one of them."
            )
        self._check_calibrate()
        return settings

    def _check_calibrate(self) -> str | None:
        return None if self.calibrate is None else check_choice("calibrate", self.calibrate, ("auto", *METHODS))

    def _with_options(self, name: str, options: dict[str, Any]) -> Any:
        if name == "analyzer" and not isinstance(self.analyzer, Analyzer):
            return Analyzer.preset(self.analyzer, **options) if self.analyzer else WORDS_AND_PAIRS.replace(**options)
        if name == "model" and self.model is None:
            return NaiveBayes().copy_checked().set_params(**options)  # a changed smoothing does not change the kind
        return super()._with_options(name, options)

    def _learn_afresh(self, batches: Iterator[Documents], *, keep: bool = False) -> FitResult:
        """The result of `fit`; with `keep` it has the rows of the documents."""
        options = self._check_options()
        keep = keep or options.model.needs_rows or self.calibrate is not None
        return self._train(*self._count_afresh(batches, options, keep=keep, keep_texts=bool(self.keep_documents)))

    def _count_afresh(
        self, batches: Iterator[Documents], options: Settings, *, keep: bool, keep_texts: bool
    ) -> tuple[Settings, TrainingData, State]:
        first, batches = look_ahead(batches)
        settings = options.name_columns(first)
        analyzer = None if self.analyzer is None else find_analyzer(self.analyzer)
        documents, remember = settings.read_batches(batches, analyzer or WORDS_AND_PAIRS), bool(self.remember)
        counted = self._count_read(documents, settings, analyzer, remember=remember, keep=keep, keep_texts=keep_texts)
        check_rule_labels(settings.rules, counted[2].table.labels)
        return counted

    def _count_read(
        self,
        documents: Iterator[LabelledTexts],
        settings: Settings,
        analyzer: Analyzer | None,
        *,
        remember: bool,
        keep: bool,
        keep_texts: bool,
    ) -> tuple[Settings, TrainingData, State]:
        """These documents, counted, and the settings with the choices that depend on them."""
        said: tuple[str, ...] = ()
        if settings.has_blocks:
            from tercet.categorizer.auto import choose_recipe  # on first use: only a stack needs it

            analyzer, documents, said = choose_recipe(analyzer, documents)
        analyzer = WORDS_AND_PAIRS if analyzer is None else analyzer
        if analyzer.layout != settings.layout:
            analyzer = analyzer.replace(layout=settings.layout)
        data, state = self._count_batches(documents, settings, analyzer, remember=remember, keep=keep, keep_texts=keep_texts)
        return self._choose_model(replace(settings, said=said), data, state), data, state

    def _choose_model(self, settings: Settings, data: TrainingData, state: State) -> Settings:
        """The settings with the model for these documents."""
        if settings.is_auto:
            from tercet.categorizer.auto import choose_model  # on first use: only "auto" needs it

            estimator, reasons = choose_model(state.table, len(data.codes))
            settings = replace(settings.with_model(estimator), said=(*settings.said, *reasons))
        settings = settings.name_prior(data.labels)
        settings.model.check(state.table)
        return settings

    def _train(self, settings: Settings, data: TrainingData, state: State) -> FitResult:
        held = None if data.rows is None else HeldDocuments.of(settings, state, data)
        state.trained = settings.model.train(held)
        return FitResult(settings, data, state, None if held is None else self._calibrate(held, state.trained))

    def _calibrate(self, held: HeldDocuments, trained: TrainedState | None) -> "CrossCalibration | None":
        if self.calibrate is None:
            return None
        from tercet.categorizer.calibrator import calibrate_training  # on first use: most categorizers are not calibrated

        return calibrate_training(held, self.calibrate, trained)

    def _hold_afresh(self, batches: Iterator[Documents]) -> HeldDocuments:
        """The documents, counted with these options, ready to be held out. The categorizer itself is not changed."""
        settings, data, state = self._count_afresh(batches, self._check_options(), keep=True, keep_texts=False)
        return HeldDocuments.of(settings, state, data)

    def _publish(self, result: FitResult, record: "TrainingRecord | None" = None) -> None:
        with self._lock.change():
            self._keep(result, None)
            self._record = record

    def _keep(self, result: FitResult, only: Labels | None) -> None:
        self._settings, self._state, self._only, self._cached = result.settings, result.state, only, None
        self._calibrator = None if result.calibration is None else result.calibration.calibrator
        self._fitted_on = self._digest_fitted()

    def _list_fitted(self) -> tuple[str, ...]:
        """The parts that were fitted to documents, and do not follow from the counts."""
        trained = None if self._state.trained is None else self._state.trained.fitted
        return tuple(filter(None, (trained, None if self._calibrator is None else "calibration")))

    def _digest_fitted(self) -> DocumentsDigest | None:
        """The digest of the present documents, if something was fitted to them."""
        return DocumentsDigest.of(self._state) if self._list_fitted() else None

    # Training again on kept documents.

    def _trains_again(self, later: bool = False) -> bool:
        """Whether a change trains everything again. It need not if everything follows from the counts."""
        chooses = self._settings.is_auto or self._settings.model.needs_rows
        has_fitted = chooses or self.calibrate is not None or self._calibrator is not None or self._record is not None
        return self.keeps_documents_ and has_fitted and not check_flag("later", later)

    def _find_recipe(self) -> Analyzer:
        """The analyzer without the part that training again may choose otherwise."""
        if not self._settings.restart().has_blocks:
            return self.table_.analyzer
        from tercet.categorizer.auto import leave_out_chosen  # on first use: only a stack needs it

        return leave_out_chosen(self.table_.analyzer)

    def _collect(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> "KeptDocuments":
        """These documents as they are kept."""
        documents = self._settings.read_batches(open_batches(texts, labels, sample_weight), self.table_.analyzer)
        return collect_kept(documents, n_threads(self.threads))

    def _train_again(self, change: "Callable[[KeptDocuments], KeptDocuments]") -> None:
        """Train on the kept documents after this change. Predictions use the old weights meanwhile.

        If another thread has changed the documents meanwhile, this starts again with its documents.
        """
        while True:
            with self._lock:
                before = self._state.documents
            assert before is not None
            result, record = self._train_kept(change(before))
            with self._lock.change():
                if self._state.documents is before:
                    self._keep(result, self._only)
                    self._record = record
                    return

    def _train_kept(self, documents: "KeptDocuments") -> "tuple[FitResult, TrainingRecord | None]":
        """What `fit`, or `tercet.train` if it made this categorizer, would get from these documents."""
        settings = replace(self._settings.restart(), threads=n_threads(self.threads))
        if not len(documents):
            return self._train_on_nothing(settings, documents)
        keep = settings.model.needs_rows or self.calibrate is not None or self._record is not None
        settings, data, state = self._count_read(
            documents.batches(), settings, self.table_.analyzer, remember=True, keep=keep, keep_texts=False
        )
        state.documents = documents
        return self._finish(settings, data, state)

    def _train_on_nothing(self, settings: Settings, documents: "KeptDocuments") -> "tuple[FitResult, TrainingRecord | None]":
        """A categorizer that has forgotten everything. Without documents, `model="auto"` is a naive Bayes."""
        settings = settings.with_model(None) if settings.is_auto else settings
        if settings.model.needs_rows:
            raise InvalidLabel(
                "no document would be left to train on: nothing is changed. Delete the model, or forget without training: "
                "later=True (--later)."
            )
        state = self._state.copy()
        state -= self._state
        state.trained, state.documents = settings.model.train(None), documents
        record = None if self._record is None else self._record.forget(DocumentsDigest.of(state))
        return FitResult(settings, documents.ordered.data, state, None), record

    def _finish(self, settings: Settings, data: TrainingData, state: State) -> "tuple[FitResult, TrainingRecord | None]":
        """The result of training on counted documents. If there is a record, it is written anew."""
        result = self._train(settings, data, state)
        if self._record is None:
            return result, None
        from tercet.categorizer.train import renew_record  # on first use: it imports this module

        return result, renew_record(self._record, result)

    def _count(self, texts: Any, labels: Any, sample_weight: Any, *, keep: bool = False) -> tuple[TrainingData, State]:
        """The documents, counted as `fit` counted them, even if options were changed since."""
        settings = replace(self._settings, threads=n_threads(self.threads))
        documents = settings.read_batches(open_batches(texts, labels, sample_weight), self.table_.analyzer)
        remember, keep_texts = self.remembers_, self.keeps_documents_
        return self._count_batches(
            documents, settings, self.table_.analyzer, remember=remember, keep=keep, keep_texts=keep_texts
        )

    def _count_batches(
        self,
        documents: Iterator[LabelledTexts],
        settings: Settings,
        analyzer: Analyzer,
        *,
        remember: bool,
        keep: bool,
        keep_texts: bool = False,
    ) -> tuple[TrainingData, State]:
        matches = RuleMatches(settings.rules if keep else (), analyzer)
        data, counts = count_documents(
            matches.follow(documents),
            analyzer,
            settings.threads,
            remember=remember,
            keep=keep,
            by_domain=settings.domain is not None,
            keep_texts=keep_texts,
        )
        return matches.add_to(data), State(*counts)

    def _encode(self, texts: Any, labels: Any, sample_weight: Any) -> tuple[TrainingData, list[engine.Texts]]:
        """Labelled documents, read and encoded but not learned."""
        settings, matches = self._settings, RuleMatches(self._settings.rules, self.table_.analyzer)
        documents = settings.read_batches(open_batches(texts, labels, sample_weight), self.table_.analyzer)
        data, parts = encode_documents(matches.follow(documents), settings.threads)
        return matches.add_to(data), parts

    def _fingerprint(self, batches: Iterator[Documents]) -> Prints:
        """The fingerprints of labelled documents that are not learned here."""
        if not self.remembers_:
            raise InvalidOption(
                "it has no fingerprints of what it learned, so it can't tell what that was: fit it with remember=True."
            )
        return fingerprint_labelled(self._settings.read_batches(batches, self.table_.analyzer), self._settings.threads)

    def _find_labels(self, batches: list[Documents]) -> list[Any]:
        """The label that each document was learned with. Raises NeverLearned unless there is exactly one."""
        known = self.table_.labels.tolist()
        alike = [replace(batch, labels=known[:1] * len(batch.texts)) for batch in batches]
        prints = self._fingerprint(iter(alike if known else batches))
        with self._lock:
            learned = self._state.prints or Fingerprints()
            flags = [learned.find_known(exchange_labels(prints, known[0], label)) for label in known]
        found: list[list[Any]] = [[] for _ in prints]
        for label, is_known in zip(known, flags, strict=True):
            for place in np.flatnonzero(is_known).tolist():
                found[place].append(label)
        for place, labels in enumerate(found):
            if len(labels) != 1:
                raise NeverLearned.at(place, explain_labels(labels))
        return [labels[0] for labels in found]

    def _count_same(self, texts: Any, labels: Any, sample_weight: Any) -> tuple[TrainingData, State]:
        """The documents, counted. Raises NeverLearned unless they are exactly the learned documents."""
        self._check_whole("be trained again")
        data, state = self._count(texts, labels, sample_weight, keep=True)
        self._check_same(state)
        return data, state

    def _check_same(self, state: State) -> None:
        """Raises NeverLearned unless this state is that of the learned documents.

        It is called again before a result is kept, because another thread may have changed the categorizer meanwhile.
        """
        with self._lock:
            if not self._state.is_same(state):
                raise NeverLearned(
                    f"these are not exactly the documents that were learned{self._state.compare_documents(state)}: a result "
                    "from other documents would not be true of this model. Pass all learned documents and no others. Nothing "
                    "is changed."
                )

    def _known_smoothing(self) -> Smoothing | str | None:
        assert self._state.trained is not None
        return self._settings.model.known_smoothing(self._state.trained)

    def _label_places(self) -> Integers:
        """The places, in the table, of the labels to decide between."""
        places = np.arange(len(self.table_.labels))
        return places if self._only is None else places[place_labels(self.table_.labels, self._only) >= 0]

    def _scorer(self) -> Scorer:
        """The last complete weights. Only after a change it waits for the lock and makes them again."""
        scorer = self._last_scorer()
        if scorer.out_of_date and self._tells_age:
            category = StaleMargins if "margins" in scorer.out_of_date else OutOfDate
            warnings.warn(describe_out_of_date(scorer.out_of_date, self.keeps_documents_), category, stacklevel=3)
        return scorer

    def _last_scorer(self) -> Scorer:
        self._check_fitted()
        return self._cached or self._make_scorer()

    def _count_scorer(self) -> Scorer:
        """The scorer for what only counts can say. A stack has counts beside its margins: then it is a naive Bayes on them."""
        self._check_fitted()
        if not self._settings.has_blocks:
            return self._scorer()
        from tercet.categorizer.bayes_model import ChosenSmoothing

        with self._lock:
            state = replace(self._state, trained=ChosenSmoothing())
            return Scorer.derive(self._settings.for_counts(), state, self.classes_, self.threads)

    def _make_scorer(self) -> Scorer:
        with self._lock:
            if self._cached is None:
                labels = self.classes_
                if not len(labels):
                    raise NeverLearned(
                        "everything that was learned is forgotten, so there is no label to predict: learn something first."
                    )
                scorer = Scorer.derive(self._settings, self._state, labels, self.threads)
                scorer = replace(scorer, out_of_date=self.out_of_date_)
                self._cached = scorer if self._calibrator is None else self._calibrator.join(scorer)
            return self._cached

    def _repr_html_(self) -> str:
        from tercet.categorizer.notebook import show_categorizer  # on first use: only a notebook needs it

        return show_categorizer(self)

    def _check_whole(self, what: str) -> None:
        """Raises InvalidOption if counts that this change needs were pruned."""
        if self.is_pruned_:
            raise InvalidOption(
                f"a pruned model can't {what}: it has counts of the selected terms only, so the result would not be exact. "
                "Use the model from before it was pruned, or train a new one on all documents."
            )

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        """The parts to pickle. The state is copied, because the categorizer may learn while the copy is written."""
        with self._lock:
            learned = {"_state": self._state.copy(), "_cached": None} if self.__sklearn_is_fitted__() else {}
            return {name: value for name, value in self.__dict__.items() if name not in ("_own_lock", "_files")} | learned


def list_labels(labels: Any, n_documents: int) -> list[Any]:
    """The labels of so many documents, in a list."""
    distinct, codes = encode_training(labels, n_documents)
    listed: list[Any] = distinct[codes].tolist()
    return listed


def sum_categorizers(parts: Sequence[Categorizer]) -> Categorizer:
    """A categorizer that has learned the documents of all parts. If all keep their documents, it is trained once."""
    total = reduce(Categorizer._add, parts)
    if len(parts) > 1 and total._trains_again():
        total._train_again(lambda documents: documents)
    return total


@contextmanager
def explain_never_learned() -> Iterator[None]:
    """Say in an error about a document to relabel that its label or weight may be wrong."""
    try:
        yield
    except NeverLearned as error:
        reason = "was never learned with this label and weight (a shortened text does not count): nothing is changed."
        raise error if error.position is None else NeverLearned.at(error.position, reason) from None


def explain_labels(labels: list[Any]) -> str:
    """Why the label of a learned document can't be found; it was learned with these labels.

    >>> explain_labels(["x", "y"])
    "was learned with several labels ('x', 'y'): give the old label, with `old` or --old COLUMN. Nothing is changed."
    """
    if not labels:
        return (
            "was never learned: no learned document has exactly this text and weight (a shortened text does not count). "
            "Nothing is changed."
        )
    shown = shorten(", ".join(map(repr, labels)))
    return f"was learned with several labels ({shown}): give the old label, with `old` or --old COLUMN. Nothing is changed."

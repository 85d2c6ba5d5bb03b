"""Text categorization: what users train, teach, ask and save."""

import warnings
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.held_out import HeldDocuments, HeldOut, assign_documents, cross_validate, leave_one_out
from tercet.categorizer.model import TrainedState
from tercet.categorizer.scorer import Scorer, list_sets
from tercet.categorizer.settings import Settings
from tercet.categorizer.state import ChangeLock, State
from tercet.counts.labels import Labels, encode_training, merge_labels, pick_labels, place_labels
from tercet.counts.selection import Selector
from tercet.counts.table import CountTable
from tercet.counts.training_data import TrainingData, count_documents, encode_documents
from tercet.data.document_batches import look_ahead, open_batches
from tercet.data.documents import Documents
from tercet.errors import InvalidOption, NeverLearned, StaleMargins, not_fitted
from tercet.estimator import Estimator
from tercet.kernel import engine
from tercet.models.calibration import METHODS
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.smoothing import AbsoluteDiscount, Smoothing
from tercet.options import check_choice, n_threads
from tercet.text.analyzer import Analyzer

if TYPE_CHECKING:
    from tercet.categorizer.calibrator import Calibrator, CrossCalibration
    from tercet.categorizer.compact import CompactCategorizer
    from tercet.counts.weighting import TermWeighting
    from tercet.models.linear import LinearModel
    from tercet.report.explanation import Explanation
    from tercet.store.model_file import FileVersion

WORDS_AND_PAIRS = Analyzer(word_ngrams=(1, 2))
DISCOUNTED = NaiveBayes("binary", AbsoluteDiscount(0.9))


class Decisions:
    """What `Categorizer` and `CompactCategorizer` share: answers about texts, which follow from a `Scorer`."""

    _file: "FileVersion | None" = None  # where it was loaded from or saved to

    def _scorer(self) -> Scorer:
        raise not_fitted(self)

    @property
    def classes_(self) -> Labels:
        """The labels, sorted."""
        return self._scorer().labels

    @property
    def columns_(self) -> list[str]:
        """The columns that documents must have beside the text."""
        scorer = self._scorer()
        return [name for name in scorer.numeric if name not in scorer.measured]

    def describe(self) -> dict[str, Any]:
        """The signature of its recipe, the kind of its model, its smoothing and calibration, and how many terms it knows."""
        scorer = self._scorer()
        return {
            "analyzer": scorer.analyzer.signature,
            "kind": scorer.weights.kind,
            "smoothing": scorer.weights.smoothing,
            "calibration": None if scorer.calibration is None else scorer.calibration.method,
            "terms": len(scorer.table),
        }

    def predict(self, texts: Any, *, abstain_below: float | None = None) -> Labels:
        """The most probable label of each text; of equals the first in sorted order.

        With `abstain_below` it is None where the probability is lower: such an answer should not be relied on. The
        probabilities of naive Bayes are far too high for that, unless it is calibrated.
        """
        scorer = self._scorer()
        if abstain_below is not None:
            return scorer.choose_labels(texts, abstain_below)
        labels: Labels = scorer.labels[scorer.predict(texts)]
        return labels

    def predict_sets(self, texts: Any, coverage: float = 0.9) -> list[tuple[Any, ...]]:
        """For each text a set of labels, the most probable first. The share of sets with the right label is `coverage`.

        The promise is about documents like those that it was calibrated on, all together. It is exact after `calibrate_on`.
        After `fit`, whose documents are left out one by one, it holds approximately. A set is empty where no label is
        probable enough; this happens when fewer answers are wrong than the coverage allows.
        """
        threshold, scorer = self.find_threshold(coverage), self._scorer()
        return list_sets(scorer.labels, np.exp(scorer.log_proba(texts)), threshold)

    def find_threshold(self, coverage: float) -> float:
        """The lowest probability with which a label is in the sets of `predict_sets`."""
        return self._scorer().find_threshold(coverage)

    def predict_proba(self, texts: Any) -> Floats:
        """P(label | text), texts × labels; rows sum to 1."""
        return np.exp(self.predict_log_proba(texts))

    def predict_log_proba(self, texts: Any) -> Floats:
        """log P(label | text), texts × labels."""
        return self._scorer().log_proba(texts)

    def log_joint(self, texts: Any) -> Floats:
        """log P(label) + log P(text | label), texts × labels. A text without known terms scores the prior."""
        return self._scorer().log_joint(texts)

    def log_likelihood(self, texts: Any) -> Floats:
        """log P(text | label), texts × labels: the scores without the prior."""
        return self._scorer().log_likelihood(texts)

    def score(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> float:
        """The share of texts whose label is predicted right."""
        gold = texts.labels if isinstance(texts, Documents) and labels is None else labels
        predicted = self.predict(texts)
        known, codes = encode_training(gold, len(predicted))
        return float(np.average(predicted == known[codes], weights=sample_weight))

    def explain(self, text: Any, label: Any = None, against: Any = None) -> "Explanation":
        """The evidence for a label (the best, if none is named) against another (the runner-up).

        With numeric columns the text is Documents with this one text.
        """
        from tercet.categorizer.evidence import explain_text  # on first use: a decision needs no evidence

        return explain_text(self._scorer(), text, label, against)

    def most_informative(self, n: int = 20) -> dict[Any, list[tuple[str, float]]]:
        """For each label the terms that speak for it most: log-odds of the term against the other labels together."""
        from tercet.categorizer.evidence import find_informative

        return find_informative(self._scorer(), n)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(one_d_array=False, two_d_array=False, string=True),
        )


class FitResult(NamedTuple):
    """All that `fit` finds. `tercet.train` measures it before it is published."""

    settings: Settings
    data: TrainingData
    state: State
    calibration: "CrossCalibration | None"


class Categorizer(Decisions, Estimator):
    """Texts and labels in, labels, probabilities and evidence out. What it learns it can exactly forget.

    - `analyzer`: an `Analyzer`, or the name of a preset; words and pairs of words by default.
    - `model`: a `NaiveBayes`; or an `NBSVM`, `LinearSVM` or `LogisticRegression`, whose margins `refit` trains again after
      documents were learned or forgotten. None is `NaiveBayes("binary", AbsoluteDiscount(0.9))`: whether a term occurs, not
      how often, and a smoothing that does well on corpora of any size. `set_params(model__smoothing="auto")` finds the best
      smoothing for your documents, by a sample of 2,000 where there are more.
    - `min_documents`: leave out terms that fewer documents have; `max_terms` keeps the terms that are counted most often.
    - `select`: a `MostInformative`, a `WithoutMostFrequent` or a list of such, applied in order to the terms that enough
      documents have, and before `max_terms`. All counts are kept, and terms are selected anew after `learn` and `forget`.
    - `numeric`: names of columns of numbers that the documents have beside the text; each adds the log-likelihood of a normal
      distribution. A name that no column has may be one of `tercet.text.measures`, which is computed from the text. `fit`
      decides which names are columns and which are measures, and this stays so.
    - `remember`: keep 128 bits of each document, so that forgetting what was never learned is refused. Without it only what
      the counts can disprove is refused.
    - `weighting`: what becomes of the counts of a document for a `LinearSVM` or a `LogisticRegression`, as a `TermWeighting`;
      None is log tf · idf of length 1. Other models have none.
    - `calibrate`: make probabilities that are right as often as they say, by the scores of held-out training documents: each
      is left out with its copies; for margins, a fifth of the documents at a time. `"auto"` takes the best of the methods
      `"temperature"`, `"length"`, `"platt"` and `"isotonic"` (see `tercet.models.calibration`). Most of them may also change
      which label is best, and often improve it. Scores and evidence stay as they are. A calibration stays while documents are
      learned or forgotten, until `retune`. Without it the probabilities of margins are exp(score), scaled to the sum 1, which
      is right for a softmax alone.
    - `threads`: how many to use; TERCET_THREADS or all of the machine's by default. It never changes the result.

    >>> c = Categorizer().fit(["what a lovely film", "lovely", "a dull film", "so dull"], ["+", "+", "-", "-"])
    >>> c.predict(["a lovely story"]), c.forget(["lovely"], ["+"]).table_.n_documents
    (array(['+'], dtype='<U1'), array([1., 2.]))
    """

    # A fitted categorizer has these.
    _settings: Settings
    _state: State
    _calibrator: "Calibrator | None"
    _only: Labels | None  # the labels that it is restricted to
    _cached: Scorer | None  # None after a change

    def __init__(
        self,
        analyzer: Analyzer | str = WORDS_AND_PAIRS,
        model: "NaiveBayes | LinearModel | None" = None,
        *,
        min_documents: int = 1,
        max_terms: int | None = None,
        select: Selector | Sequence[Selector] | None = None,
        numeric: Any = (),
        remember: bool = True,
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
        self.remember = remember
        self.weighting = weighting
        self.calibrate = calibrate
        self.threads = threads

    @classmethod
    def preset(cls, name: str, **parameters: Any) -> Self:
        """A recipe and the model that goes with it, by the name of an `Analyzer.preset`, with some parameters changed.

        >>> Categorizer.preset("sentiment").fit(["not good, sad", "so good"], ["-", "+"]).predict(["not so good"])
        array(['-'], dtype='<U1')
        """
        from tercet.categorizer.presets import find_preset

        return cls(**find_preset(name, **parameters))

    # What it learned.

    @property
    def table_(self) -> CountTable:
        """The counts of all terms under each label."""
        self._check_fitted()
        return self._state.table

    @property
    def classes_(self) -> Labels:
        """The labels, sorted. A margin model decides between the labels that it was trained for."""
        self._check_fitted()
        labels: Labels = self.table_.labels[self._label_places()]
        trained = None if self._state.trained is None else self._state.trained.labels
        return labels if trained is None else labels[place_labels(labels, trained) >= 0]

    @property
    def smoothing_(self) -> Smoothing | None:
        """The smoothing that is in use: the given or the chosen one. Margins have none."""
        self._check_fitted()
        known = self._known_smoothing()
        return self._scorer().weights.smoothing if isinstance(known, str) else known

    @property
    def is_stale_(self) -> bool:
        """Whether documents were learned or forgotten since its margins were trained: `refit` trains them. Counts never are."""
        self._check_fitted()
        return self._state.trained is not None and self._state.trained.is_stale

    @property
    def columns_(self) -> list[str]:
        """The columns that documents must have beside the text to be decided on."""
        self._check_fitted()
        return self._settings.columns

    @property
    def domain_(self) -> str | None:
        """The further column that documents must have to be learned, if terms are selected by it."""
        self._check_fitted()
        return self._settings.domain

    @property
    def remembers_(self) -> bool:
        """Whether it has fingerprints of what it learned."""
        self._check_fitted()
        return self._state.prints is not None

    def describe(self) -> dict[str, Any]:
        """The signature of its recipe, the kind of its model, its smoothing and calibration, and how many terms it has learned.

        After all documents were forgotten there is still a recipe, and the smoothing that was asked for.
        """
        return {
            "analyzer": self.table_.analyzer.signature,
            "kind": self._settings.model.kind,
            "smoothing": self.smoothing_ if len(self.classes_) else self._known_smoothing(),
            "calibration": None if self._calibrator is None else self._calibrator.method,
            "terms": len(self.table_),
        }

    def count_learned(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> int:
        """How many of these documents were learned, with this label and weight: they would be too easy to be tested on.

        >>> Categorizer().fit(["to be", "or not"], ["x", "y"]).count_learned(["to be", "to be", "or not"], ["x", "y", "y"])
        2
        """
        self._check_fitted()
        if not self.remembers_:
            raise InvalidOption("it has no fingerprints of what it learned, so it can't tell: fit it with remember=True.")
        data, _ = self._encode(texts, labels, sample_weight)
        with self._lock:
            prints = self._state.prints
            return 0 if prints is None else prints.count_known(data.prints)

    # Learn and forget. Each change happens as a whole: where something is refused, all stays as it was.

    def fit(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Learn afresh: texts in a list, Series, Arrow array or another iterable with a label for each, or Documents.

        `fit`, `learn`, `forget` and `cross_validate` also take a stream of Documents, which need not fit into memory.
        """
        self._publish(self._learn_afresh(open_batches(texts, labels, sample_weight)))
        return self

    def learn(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Learn more documents; they may bring new words and new labels."""
        if not self.__sklearn_is_fitted__():
            return self.fit(texts, labels, sample_weight)
        _, state = self._count(texts, labels, sample_weight)
        with self._lock.change():
            self._settings.model.check_labels(merge_labels(self.table_.labels, state.table.labels))
            self._state += state
            self._cached = None
        return self

    def partial_fit(self, texts: Any, labels: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """`learn` under the name that scikit-learn gives it; `classes` need not be known before, and are ignored."""
        return self.learn(texts, labels, sample_weight)

    def forget(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Take documents away that were learned, with the weights they had. Others are refused, and then nothing changes."""
        self._check_fitted()
        _, state = self._count(texts, labels, sample_weight)
        with self._lock.change():
            self._state -= state
            self._cached = None
        return self

    def retune(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Choose the smoothing and calibrate again by these documents, which must be those that were learned."""
        data, state = self._count_same(texts, labels, sample_weight)
        self._check_options()
        held = HeldDocuments.of(self._settings, state, data)
        trained = self._settings.model.choose(held) or self._state.trained
        calibration = self._calibrate(held, trained)
        with self._lock.change():
            self._check_same(state)
            self._state.trained = trained
            self._calibrator = None if calibration is None else calibration.calibrator
            self._cached = None
        return self

    def refit(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Train the margins again, and calibrate, on these documents, which must be all that are learned.

        Counts follow `learn`, `forget` and `+` at once; margins do not. A calibration by `calibrate_on` belonged to the old
        margins, and is dropped. A naive Bayes has no margins, and stays as it is.
        """
        data, state = self._count_same(texts, labels, sample_weight)
        if self._settings.model.leaves_one_out:  # it follows from the counts
            return self
        result = self._train(self._settings, data, state)
        with self._lock.change():
            self._check_same(state)
            self._keep(result, self._only)
        return self

    def calibrate_on(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Calibrate by documents that it has not learned, with the method that `calibrate` names; None is "auto" here.

        One half of them is for the probabilities, the other half for the label sets of `predict_sets`, whose coverage is
        guaranteed then. Take documents like those that will be asked about, a thousand or more.
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
                self._cached = None
        return self

    def __add__(self, other: "Categorizer") -> "Categorizer":
        """The categorizer that has learned what both have. If they are calibrated, the sum is not, and a warning says so."""
        if not isinstance(other, Categorizer):
            return NotImplemented
        self._check_fitted()
        other._check_fitted()
        if not self._settings.is_like(other._settings) or self.table_.analyzer != other.table_.analyzer:
            raise InvalidOption(f"{self!r} and {other!r} count differently: their sum would mean nothing. Fit both alike.")
        from tercet.categorizer.calibrator import merge_calibrators

        total = copy(self)
        with other._lock:
            assert total._state.trained is not None
            assert other._state.trained is not None
            total._state.trained.check_equal(other._state.trained)
            total._state += other._state
        total.calibrate = self.calibrate if self.calibrate == other.calibrate else None
        total._calibrator = merge_calibrators(self._calibrator, other._calibrator)
        total._only = None if self._only is None or other._only is None else merge_labels(self._only, other._only)
        return total

    def restrict(self, labels: Any) -> "Categorizer":
        """The categorizer that decides between these labels alone. Their rows say what they said among all labels.

        The other labels can still be learned and forgotten. Fit the documents of some labels alone where the others
        should have no influence on the vocabulary.
        """
        kept = pick_labels(labels, self.classes_)
        some_labels = copy(self)
        some_labels._only = kept
        return some_labels

    # Held-out answers.

    def leave_one_out(self, texts: Any, labels: Any = None, sample_weight: Any = None, *, copies: str = "own") -> HeldOut:
        """What the categorizer would say of each learned document if it had not learned it.

        Its smoothing and its calibration are those that it has.

        With `copies="all"` every one of these documents with the same text is left out with it. What `select` and `max_terms`
        have chosen stays as it is, and the report says so.
        """
        from tercet.counts.document_rows import ReadRows

        self._check_fitted()
        self._settings.model.check_leave_one_out()
        data, parts = self._encode(texts, labels, sample_weight)
        with self._lock:
            calibration = self._scorer().calibration  # the weights are ready then, so that predictions need not wait
            state = self._state
            if state.prints is not None:
                state.prints.find(data.prints)
            rows = ReadRows(state.table.table, parts, self._settings.threads)
            held = HeldDocuments.of(self._settings, state, replace(data, rows=rows), self._label_places())
            if state.prints is None:
                held.check_learned()
            assert state.trained is not None
            result = leave_one_out(held, copies, state.trained)
        return result if calibration is None else replace(result, calibrated=calibration.apply(result.log_joint))

    def cross_validate(
        self, texts: Any, labels: Any = None, sample_weight: Any = None, *, folds: int = 10, seed: int = 0, copies: str = "own"
    ) -> HeldOut:
        """What a categorizer with these options would say of each document if it had learned the other folds.

        Terms are selected anew without each fold; `smoothing="auto"` is chosen once, for all folds, and so is
        `calibrate="auto"`, but what is then fitted is fitted to the other folds. It need not be fitted, and is not changed.

        With `copies="all"` all documents of the same text are in one fold, so that none of them helps to judge another.
        """
        held = self._hold_afresh(open_batches(texts, labels, sample_weight))
        result = cross_validate(held, folds, seed, copies, held.settings.model.choose(held))
        if self.calibrate is None:
            return result
        from tercet.categorizer.calibrator import calibrate_folds

        of_folds = assign_documents(held, folds, seed, copies)
        return replace(result, calibrated=calibrate_folds(held, result, self.calibrate, of_folds))

    # A label as a language model.

    def generate(self, label: Any, n_words: int | None = None, seed: int = 0) -> str:
        """Words drawn from a label; by default as many as a document of the label has, which is drawn, too."""
        from tercet.categorizer.language_model import generate_text  # on first use, as below: a decision needs none of it

        with self._lock:
            return generate_text(self._scorer(), self.table_, label, n_words, seed)

    def perplexity(self, texts: Any, label: Any) -> Floats:
        """How many equally likely terms a label hesitates between, for each text; nan for one without known terms."""
        from tercet.categorizer.language_model import measure_perplexity

        return measure_perplexity(self._scorer(), texts, label)

    # Files.

    def compact(self) -> "CompactCategorizer":
        """The weights alone, in half the digits: small, for deployment. It decides and explains, and can't learn."""
        from tercet.categorizer.compact import CompactCategorizer, PackedModel, strip_kernel

        with self._lock:
            scorer = self._scorer()
            return CompactCategorizer(strip_kernel(scorer), scorer.labels, PackedModel.of(scorer))

    def save(self, path: str | PathLike[str], *, fingerprints: bool = True) -> None:
        """Write all that was learned to one file, which `tercet.load` reads. Equal categorizers are equal bytes.

        If it was loaded from this file, or saved to it before, and another program has changed the file since, the change
        would be lost: that is the error FileChanged, and nothing is written. While another program is changing the file,
        it waits, with a warning.

        Fingerprints can tell whether a text was learned. Without them the copy forgets what its counts can't disprove.
        """
        from tercet.categorizer.save_load import save_categorizer

        self._check_fitted()
        save_categorizer(self, path, fingerprints=fingerprints)

    # Steps of the methods above.

    @property
    def _lock(self) -> ChangeLock:
        """Held while this categorizer changes, or while a computation needs that it does not. Predictions do not take it."""
        lock: ChangeLock = self.__dict__.get("_own_lock") or self.__dict__.setdefault("_own_lock", ChangeLock())
        return lock

    def _check_options(self) -> Settings:
        model, remember, weighting = DISCOUNTED if self.model is None else self.model, self.remember, self.weighting
        terms = self.min_documents, self.max_terms, self.select, self.numeric
        settings = Settings.check(model, *terms, remember, weighting, self.threads)
        self._check_calibrate()
        return settings

    def _check_calibrate(self) -> str | None:
        return None if self.calibrate is None else check_choice("calibrate", self.calibrate, ("auto", *METHODS))

    def _with_options(self, name: str, options: dict[str, Any]) -> Any:
        if name == "analyzer" and isinstance(self.analyzer, str):
            return Analyzer.preset(self.analyzer, **options)
        if name == "model" and self.model is None:
            return NaiveBayes(**DISCOUNTED.get_params()).set_params(**options)
        return super()._with_options(name, options)

    def _learn_afresh(self, batches: Iterator[Documents], *, keep: bool = False) -> FitResult:
        """All that `fit` finds; with `keep` the rows of the documents are kept."""
        options = self._check_options()
        keep = keep or options.model.needs_rows or self.calibrate is not None
        return self._train(*self._count_afresh(batches, options, keep=keep))

    def _count_afresh(
        self, batches: Iterator[Documents], options: Settings, *, keep: bool
    ) -> tuple[Settings, TrainingData, State]:
        first, batches = look_ahead(batches)
        settings = options.name_measures(first)
        data, state = self._count_batches(batches, settings, self.analyzer, remember=bool(self.remember), keep=keep)
        settings = settings.name_prior(data.labels)
        settings.model.check(state.table)
        return settings, data, state

    def _train(self, settings: Settings, data: TrainingData, state: State) -> FitResult:
        held = None if data.rows is None else HeldDocuments.of(settings, state, data)
        state.trained = settings.model.train(held)
        return FitResult(settings, data, state, None if held is None else self._calibrate(held, state.trained))

    def _calibrate(self, held: HeldDocuments, trained: TrainedState | None) -> "CrossCalibration | None":
        if self.calibrate is None:
            return None
        from tercet.categorizer.calibrator import calibrate_training  # on first use: few ask for it

        return calibrate_training(held, self.calibrate, trained)

    def _hold_afresh(self, batches: Iterator[Documents]) -> HeldDocuments:
        """The documents counted by these options, to be held out. The categorizer itself is not changed."""
        settings, data, state = self._count_afresh(batches, self._check_options(), keep=True)
        return HeldDocuments.of(settings, state, data)

    def _publish(self, result: FitResult) -> None:
        with self._lock.change():
            self._keep(result, None)

    def _keep(self, result: FitResult, only: Labels | None) -> None:
        self._settings, self._state, self._only, self._cached = result.settings, result.state, only, None
        self._calibrator = None if result.calibration is None else result.calibration.calibrator

    def _count(self, texts: Any, labels: Any, sample_weight: Any, *, keep: bool = False) -> tuple[TrainingData, State]:
        """Documents counted as `fit` counted them, even if options were set since."""
        batches, settings = open_batches(texts, labels, sample_weight), replace(self._settings, threads=n_threads(self.threads))
        return self._count_batches(batches, settings, self.table_.analyzer, remember=self.remembers_, keep=keep)

    def _count_batches(
        self, batches: Iterator[Documents], settings: Settings, analyzer: Analyzer | str, *, remember: bool, keep: bool
    ) -> tuple[TrainingData, State]:
        documents, by_domain = settings.read_batches(batches), settings.domain is not None
        data, counts = count_documents(documents, analyzer, settings.threads, remember=remember, keep=keep, by_domain=by_domain)
        return data, State(*counts)

    def _encode(self, texts: Any, labels: Any, sample_weight: Any) -> tuple[TrainingData, list[engine.Texts]]:
        """Labelled documents that are not to be learned."""
        documents = self._settings.read_batches(open_batches(texts, labels, sample_weight))
        return encode_documents(documents, self._settings.threads)

    def _count_same(self, texts: Any, labels: Any, sample_weight: Any) -> tuple[TrainingData, State]:
        """Documents that must be those that were learned."""
        self._check_fitted()
        data, state = self._count(texts, labels, sample_weight, keep=True)
        self._check_same(state)
        return data, state

    def _check_same(self, state: State) -> None:
        """Called again before a result is kept, because another thread may have taught the categorizer meanwhile."""
        with self._lock:
            if not self._state.is_same(state):
                raise NeverLearned(
                    "these are not the documents that were learned, all of them and no others: what is found by them would "
                    "not be true of this model. Nothing is changed."
                )

    def _known_smoothing(self) -> Smoothing | str | None:
        assert self._state.trained is not None
        return self._settings.model.known_smoothing(self._state.trained)

    def _label_places(self) -> Integers:
        """The places in the table of the labels to decide between."""
        places = np.arange(len(self.table_.labels))
        return places if self._only is None else places[place_labels(self.table_.labels, self._only) >= 0]

    def _scorer(self) -> Scorer:
        """The last complete weights. Only after a change they are made again, and only then it waits for the lock."""
        self._check_fitted()
        scorer = self._cached or self._make_scorer()
        if self.is_stale_:
            warnings.warn(
                "documents were learned or forgotten since the margins were trained: decisions are those of before. Counts "
                "follow at once, margins do not: call refit(texts, labels) with all documents that are learned, or train a "
                "new model.",
                StaleMargins,
                stacklevel=3,
            )
        return scorer

    def _make_scorer(self) -> Scorer:
        with self._lock:
            if self._cached is None:
                labels = self.classes_
                if not len(labels):
                    raise NeverLearned(
                        "all that was learned is forgotten, so there is no label to decide for: learn something first."
                    )
                scorer = Scorer.derive(self._settings, self._state, labels, self.threads)
                self._cached = scorer if self._calibrator is None else self._calibrator.join(scorer)
            return self._cached

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        """What was learned is copied: it may go on learning while somebody writes the copy."""
        with self._lock:
            learned = {"_state": self._state.copy(), "_cached": None} if self.__sklearn_is_fitted__() else {}
            return {name: value for name, value in self.__dict__.items() if name not in ("_own_lock", "_file")} | learned

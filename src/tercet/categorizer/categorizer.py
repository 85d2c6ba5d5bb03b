"""Text categorization: what users train, teach, ask and save."""

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from os import PathLike
from threading import RLock
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from tercet.categorizer.calibrated import Calibrated, merge_calibrated
from tercet.categorizer.categorizer_options import CategorizerOptions
from tercet.categorizer.compact import CompactCategorizer
from tercet.categorizer.decisions import Decisions
from tercet.categorizer.document_batches import look_ahead, open_batches
from tercet.categorizer.held_documents import HeldDocuments
from tercet.categorizer.held_out import HeldOut
from tercet.categorizer.holding_out import cross_validate, deal_documents, leave_one_out
from tercet.categorizer.kept_rows import ReadRows
from tercet.categorizer.learned import Learned, gather_texts, read_training
from tercet.categorizer.margins import warn_of_stale
from tercet.categorizer.presets import find_preset
from tercet.categorizer.scorer import Scorer
from tercet.categorizer.table_model import TableModel
from tercet.categorizer.training import Training
from tercet.counts.label_counts import place_labels
from tercet.counts.labels import Labels, merge_labels, pick_labels
from tercet.counts.table import CountTable
from tercet.data.documents import Documents
from tercet.errors import InvalidOption, NeverLearned, not_fitted
from tercet.kernel.threads import n_threads
from tercet.models.smoothing import Smoothing
from tercet.text.analyzer import find_analyzer

if TYPE_CHECKING:
    from tercet.categorizer.calibrating import LeftOutFit

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# One for all: what is just being changed is neither read, but for decisions, nor copied.
CHANGING = RLock()


class Categorizer(Decisions, CategorizerOptions):
    """Texts and labels in, labels, probabilities and evidence out. What it learns it can exactly forget.

    - `analyzer`: an `Analyzer`, or the name of a preset; words and pairs of words by default.
    - `model`: a `NaiveBayes`. None is `NaiveBayes("binary", AbsoluteDiscount(0.9))`: whether a term occurs, not how often, and
      a smoothing that does well on corpora of any size. `set_params(model__smoothing="auto")` finds the best for yours, by
      2,000 of the documents where there are more.
    - `min_documents`: leave out terms that fewer documents have; `max_terms` keeps those that are counted most often.
    - `select`: a `MostInformative`, a `WithoutMostFrequent` or a list of such, applied in order to the terms that enough
      documents have, and before `max_terms`. All counts are kept, and what is learned or forgotten later selects anew.
    - `numeric`: names of columns of numbers that the documents have beside the text; each adds the log-likelihood of a normal
      distribution. A name that no column has may be one of `tercet.text.measures`, which is computed from the text. What is a
      column and what a measure is settled by `fit`: columns must be there later, too, and measures are always computed.
    - `remember`: keep 128 bits of each document, so that forgetting what was never learned is refused. Without it only what
      the counts can disprove is refused.
    - `calibrate`: make the probabilities mean what they say, by what is said of each document when it is left out with its
      copies. `"auto"` takes the way that suits the documents best: `"temperature"`, `"length"`, `"platt"` or `"isotonic"`
      (see `tercet.models.calibration`). Most of them have a say in which label is best, too, and often mend it. Scores and
      evidence stay as they are. As a chosen smoothing does, it stays while more is learned or forgotten, until `retune`.
    - `threads`: how many to use; TERCET_THREADS or all of the machine's by default. It never changes the result.

    >>> c = Categorizer().fit(["what a lovely film", "lovely", "a dull film", "so dull"], ["+", "+", "-", "-"])
    >>> c.predict(["a lovely story"]), c.forget(["lovely"], ["+"]).table_.n_documents
    (array(['+'], dtype='<U1'), array([1., 2.]))
    """

    @classmethod
    def preset(cls, name: str, **parameters: Any) -> Self:
        """A recipe and the model that goes with it, by the name of an `Analyzer.preset`, with some parameters changed.

        >>> Categorizer.preset("sentiment").fit(["not good, sad", "so good"], ["-", "+"]).predict(["not so good"])
        array(['-'], dtype='<U1')
        """
        return cls(**find_preset(name, **parameters))

    def fit(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Learn afresh: texts in a list, Series, Arrow array or another iterable with a label for each, or Documents.

        Or a stream of Documents, which need not fit in memory; and so for `learn`, `forget` and `cross_validate`.
        """
        self._fit(open_batches(texts, labels, sample_weight))
        return self

    def _fit(self, batches: Iterator[Documents], *, keep: bool = False) -> "tuple[Training, Learned, LeftOutFit | None]":
        """With `keep` the terms of the documents are kept."""
        options = self._check_options()
        is_tuned = options.chooses_by() == "auto" or self.calibrate is not None
        keep = keep or is_tuned or options.margin is not None
        rules, training, learned = self._read_afresh(batches, options, keep=keep)
        held = HeldDocuments.of(rules, learned, training) if keep else None
        if held is not None and rules.margin is not None:
            learned.margins = held.train_margins()
        smoothing, fitted = self._tune(held) if held is not None and is_tuned else (None, None)
        with CHANGING:
            self._smoothing = smoothing
            self._calibrated: Calibrated | None = None if fitted is None else fitted.calibrated
            self._rules = rules
            self._only: Labels | None = None
            self._learned = learned
            self._cached: Scorer | None = None
        return training, learned, fitted

    def _tune(self, held: HeldDocuments) -> "tuple[Smoothing | None, LeftOutFit | None]":
        """What is found by leaving out documents: the smoothing, if it is to be chosen so, and the calibration for it."""
        smoothing = held.choose_smoothing()
        if self.calibrate is None:
            return smoothing, None
        from tercet.categorizer.calibrating import calibrate_left_out  # on first use: few ask for it

        in_use = held.model.find_smoothing(held.table, held.kept) if smoothing is None else smoothing
        return smoothing, calibrate_left_out(held, self.calibrate, in_use)

    def _read_afresh(
        self, batches: Iterator[Documents], options: TableModel, *, keep: bool
    ) -> tuple[TableModel, Training, Learned]:
        first, batches = look_ahead(batches)
        rules, analyzer = options.name_measures(first), find_analyzer(self.analyzer)
        training, learned = read_training(batches, rules, analyzer, rules.threads, remember=bool(self.remember), keep=keep)
        rules = rules.name_prior(training.labels)
        rules.check(learned.table)
        return rules, training, learned

    def learn(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Learn more documents; they may bring new words and new labels."""
        if not self.__sklearn_is_fitted__():
            return self.fit(texts, labels, sample_weight)
        _, learned = self._read(texts, labels, sample_weight)
        with CHANGING:
            self._rules.check_labels(merge_labels(self.table_.labels, learned.table.labels))
            self._learned += learned
            self._cached = None
        return self

    def partial_fit(self, texts: Any, labels: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """`learn` under the name that scikit-learn gives it; `classes` need not be known before, and are ignored."""
        return self.learn(texts, labels, sample_weight)

    def forget(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Take documents away that were learned, with the weights they had. Others are refused, and then nothing changes."""
        self._check_fitted()
        _, learned = self._read(texts, labels, sample_weight)
        with CHANGING:
            self._learned -= learned
            self._cached = None
        return self

    def retune(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Choose the smoothing and calibrate anew for these documents, which must be those that were learned."""
        self._check_fitted()
        training, learned = self._read(texts, labels, sample_weight, keep=True)
        if learned.table != self.table_:
            raise NeverLearned("these are not the documents that were learned: the choice would not be about this model.")
        self._check_options()
        smoothing, fitted = self._tune(HeldDocuments.of(self._rules, learned, training))
        with CHANGING:
            self._smoothing = smoothing
            self._calibrated = None if fitted is None else fitted.calibrated
            self._cached = None
        return self

    def calibrate_on(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Calibrate by documents that it has not learned, in the way that `calibrate` names; None is "auto" here.

        Every second of them is for the probabilities, the others for the label sets of `predict_sets`, whose coverage is a
        theorem then. Take documents like those that will be asked about, a thousand or more.
        """
        from tercet.categorizer.calibrating import calibrate_held_out, warn_of_learned

        scorer, way = self._scorer(), self.calibrate or "auto"
        self._check_options()
        training, parts = gather_texts(open_batches(texts, labels, sample_weight), self._rules, self._rules.threads)
        with CHANGING:
            warn_of_learned(self._learned.prints, training)
            self._calibrated = calibrate_held_out(scorer, training, parts, way)
            self._cached = None
        return self

    def refit(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Train the margins anew, and calibrate, on these documents, which must be all that are learned.

        Counts follow `learn`, `forget` and `+` at once; margins do not. A naive Bayes has none, and stays as it is.
        """
        self._check_fitted()
        training, learned = self._read(texts, labels, sample_weight, keep=True)
        if learned.table != self.table_:
            raise NeverLearned("these are not the documents that were learned: the margins would not be about this model.")
        if self._rules.margin is not None:
            held = HeldDocuments.of(self._rules, learned, training)
            learned.margins = held.train_margins()
            _, fitted = self._tune(held)
            with CHANGING:
                self._learned = learned
                self._calibrated = None if fitted is None else fitted.calibrated
                self._cached = None
        return self

    def __add__(self, other: "Categorizer") -> "Categorizer":
        """The categorizer that has learned what both have. If they are calibrated, the sum is not, and a warning says so."""
        if not isinstance(other, Categorizer):
            return NotImplemented
        self._check_fitted()
        other._check_fitted()
        if not self._rules.is_like(other._rules) or self.table_.analyzer != other.table_.analyzer:
            raise InvalidOption(f"{self!r} and {other!r} count differently: their sum would mean nothing. Fit both alike.")
        if self._smoothing != other._smoothing:
            raise InvalidOption(
                f"two choices of smoothing, {self._smoothing} and {other._smoothing}: set smoothing to one of them in both."
            )
        total = copy(self)
        with CHANGING:
            total._learned += other._learned
        total.calibrate = self.calibrate if self.calibrate == other.calibrate else None
        total._calibrated = merge_calibrated(self._calibrated, other._calibrated)
        total._only = None if self._only is None or other._only is None else merge_labels(self._only, other._only)
        return total

    def restrict(self, labels: Any) -> "Categorizer":
        """The categorizer that decides between these labels alone. Their rows say what they said among all labels.

        The other labels are still there to be learned and forgotten. Fit the documents of some labels alone where the others
        should have no say in what the vocabulary is.
        """
        kept = pick_labels(labels, self.classes_)
        some_labels = copy(self)
        some_labels._only = kept
        return some_labels

    def compact(self) -> CompactCategorizer:
        """The weights alone, in half the digits: small, for deployment. It decides and explains, and can't learn."""
        scorer = self._scorer()
        return CompactCategorizer(scorer, self._learned.margins or self._rules.likelihood())

    @property
    def table_(self) -> CountTable:
        """The counts of all terms under each label."""
        self._check_fitted()
        return self._learned.table

    def describe(self) -> dict[str, Any]:
        """The signature of its recipe, the kind of its model, its smoothing and calibration, and how many terms it has learned.

        If all of them are forgotten, there is still a recipe, and the smoothing that was asked for.
        """
        if self._learned.margins is not None and len(self.classes_):
            return super().describe()
        known: dict[str, Any] = {"analyzer": self.table_.analyzer.signature}
        if self._rules.margin is not None:
            from tercet.categorizer.margin_options import name_margin

            known |= {"kind": name_margin(self._rules.margin), "smoothing": None}
        else:
            smoothing = self.smoothing_ if len(self.classes_) else self._smoothing or self._rules.model.smoothing
            known |= {"kind": self._rules.model.kind, "smoothing": smoothing}
        return known | {"calibration": None if self._calibrated is None else self._calibrated.way, "terms": len(self.table_)}

    @property
    def is_stale_(self) -> bool:
        """Whether documents were learned or forgotten since its margins were trained: `refit` trains them. Counts never are."""
        self._check_fitted()
        return self._learned.margins is not None and self._learned.margins.is_stale

    @property
    def smoothing_(self) -> Smoothing | None:
        """The smoothing that is in use: the given or the chosen one. Margins have none."""
        self._check_fitted()
        with CHANGING:
            if self._rules.margin is not None:
                return None
            if self._smoothing is not None:
                return self._smoothing
            by_table = self._rules.chooses_by() == "table"
            return self._scorer().smoothing if by_table else self._rules.find_smoothing(self.table_, None)

    @property
    def classes_(self) -> Labels:
        """The labels, sorted. A margin model decides between those that it was trained for."""
        self._check_fitted()
        margins, known = self._learned.margins, self.table_.labels[self._columns()]
        return known if margins is None else known[place_labels(known, margins.labels) >= 0]

    @property
    def columns_(self) -> list[str]:
        """The columns that documents must have beside the text to be decided on."""
        self._check_fitted()
        return self._rules.columns

    @property
    def domain_(self) -> str | None:
        """The column that documents must have beside these to be learned, if terms are selected by it."""
        self._check_fitted()
        return self._rules.domain

    def leave_one_out(self, texts: Any, labels: Any = None, sample_weight: Any = None, *, copies: str = "own") -> HeldOut:
        """What the categorizer would say of each learned document if it had not learned it.

        Its smoothing and its calibration are those that it has.

        With `copies="all"` every one of these documents with the same text is left out with it. What `select` and `max_terms`
        have chosen stays as it is, and the report says so.
        """
        smoothing = self.smoothing_
        if smoothing is None:
            raise InvalidOption(
                "margins would have to be trained without each document in its turn: use cross_validate, which trains them "
                "once for each fold. Leaving out one by one is for NaiveBayes, whose counts can be subtracted."
            )
        training, parts = gather_texts(open_batches(texts, labels, sample_weight), self._rules, self._rules.threads)
        with CHANGING:
            if self._learned.prints is not None:
                self._learned.prints.find(training.prints)
            rows = ReadRows(self.table_.table, parts, self._rules.threads)
            held = HeldDocuments.of(self._rules, self._learned, replace(training, rows=rows), self._columns())
            if self._learned.prints is None:
                held.check_learned()
            told = leave_one_out(held, copies, smoothing)
            calibration = None if self._calibrated is None else self._scorer().calibration
            return told if calibration is None else replace(told, calibrated=calibration.apply(told.log_joint))

    def cross_validate(
        self, texts: Any, labels: Any = None, sample_weight: Any = None, *, folds: int = 10, seed: int = 0, copies: str = "own"
    ) -> HeldOut:
        """What a categorizer with these options would say of each document if it had learned the other folds.

        Terms are selected anew without each fold; `smoothing="auto"` is chosen once, for all folds, and so is
        `calibrate="auto"`, but what is then fitted is fitted to the other folds. It need not be fitted, and is not changed.

        With `copies="all"` all documents of the same text are in one fold, so that none of them helps to judge another.
        """
        batches = open_batches(texts, labels, sample_weight)
        rules, training, learned = self._read_afresh(batches, self._check_options(), keep=True)
        held = HeldDocuments.of(rules, learned, training)
        told = cross_validate(held, folds, seed, copies, held.choose_smoothing())
        if self.calibrate is None:
            return told
        from tercet.categorizer.calibrating import calibrate_folds

        return replace(told, calibrated=calibrate_folds(held, told, self.calibrate, deal_documents(held, folds, seed, copies)))

    def generate(self, label: Any, n_words: int | None = None, seed: int = 0) -> str:
        """Words drawn from a label; by default as many as a document of the label has, which is drawn, too."""
        from tercet.categorizer.language_model import generate_text  # on first use, as below: a decision needs none of it

        with CHANGING:
            return generate_text(self._scorer(), self.table_, label, n_words, seed)

    def perplexity(self, texts: Any, label: Any) -> Floats:
        """How many equally likely terms a label hesitates between, for each text; nan for one without known terms."""
        from tercet.categorizer.language_model import measure_perplexity

        return measure_perplexity(self._scorer(), texts, label)

    def save(self, path: str | PathLike[str], *, fingerprints: bool = True) -> None:
        """Write all that was learned to one file, which `tercet.load` reads. Equal categorizers are equal bytes.

        Fingerprints can tell whether a text was learned. Without them the copy forgets what its counts can't disprove.
        """
        from tercet.categorizer.files import save_categorizer

        self._check_fitted()
        save_categorizer(self, path, fingerprints=fingerprints)

    def _scorer(self) -> Scorer:
        self._check_fitted()
        with CHANGING:
            labels = self.classes_
            if not len(labels):
                raise NeverLearned(
                    "all that was learned is forgotten, so there is no label to decide for: learn something first."
                )
            if self.is_stale_:
                warn_of_stale(stacklevel=4)
            if self._cached is None:
                scorer = Scorer.derive(self._rules, self._learned, labels, self._smoothing, self.threads)
                self._cached = scorer if self._calibrated is None else self._calibrated.join(scorer)
            return self._cached

    def _columns(self) -> Integers:
        """The places in the table of the labels that are decided between."""
        places = np.arange(len(self.table_.labels))
        return places if self._only is None else places[place_labels(self.table_.labels, self._only) >= 0]

    def _read(self, texts: Any, labels: Any, sample_weight: Any, *, keep: bool = False) -> tuple[Training, Learned]:
        """Documents as those were read that `fit` learned, whatever options were set since."""
        batches, remember = open_batches(texts, labels, sample_weight), self._learned.prints is not None
        return read_training(batches, self._rules, self.table_.analyzer, n_threads(self.threads), remember=remember, keep=keep)

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def __sklearn_is_fitted__(self) -> bool:
        return "_learned" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        """What was learned is copied: it may go on learning while somebody writes the copy."""
        with CHANGING:
            learned = {"_learned": self._learned.copy(), "_cached": None} if self.__sklearn_is_fitted__() else {}
            return self.__dict__ | learned

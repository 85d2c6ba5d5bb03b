"""How a categorizer learns and forgets, and how it is trained and calibrated anew."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from tercet.categorizer.document_batches import look_ahead, open_batches
from tercet.categorizer.fitted import CHANGING, Fitted
from tercet.categorizer.held_documents import HeldDocuments
from tercet.categorizer.learned import Learned, gather_texts, read_training
from tercet.categorizer.table_model import TableModel
from tercet.categorizer.training import Training
from tercet.counts.labels import merge_labels
from tercet.data.documents import Documents
from tercet.errors import NeverLearned
from tercet.models.smoothing import Smoothing
from tercet.text.analyzer import find_analyzer

if TYPE_CHECKING:
    from tercet.categorizer.calibrating import LeftOutFit


class Learning(Fitted):
    """What is changed is changed as a whole: where something is refused, all stays as it was."""

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
            self._calibrated = None if fitted is None else fitted.calibrated
            self._rules = rules
            self._only = None
            self._learned = learned
            self._cached = None
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
        self._check_same(learned)
        self._check_options()
        smoothing, fitted = self._tune(HeldDocuments.of(self._rules, learned, training))
        with CHANGING:
            self._check_same(learned)
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

        Counts follow `learn`, `forget` and `+` at once; margins do not. What `calibrate_on` has found was about the old
        ones, and is gone. A naive Bayes has none, and stays as it is.
        """
        self._check_fitted()
        training, learned = self._read(texts, labels, sample_weight, keep=True)
        self._check_same(learned)
        if self._rules.margin is None:
            return self
        held = HeldDocuments.of(self._rules, learned, training)
        learned.margins = held.train_margins()
        _, fitted = self._tune(held)
        with CHANGING:
            self._check_same(learned)
            self._learned = learned
            self._calibrated = None if fitted is None else fitted.calibrated
            self._cached = None
        return self

    def _check_same(self, learned: Learned) -> None:
        """Asked again when all is found: another thread may have taught it meanwhile."""
        with CHANGING:
            if not self._learned.is_same(learned):
                raise NeverLearned(
                    "these are not the documents that were learned, all of them and no others: what is found by them would "
                    "not be true of this model. Nothing is changed."
                )

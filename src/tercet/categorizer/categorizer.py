"""Text categorization: what users train, teach, ask and save."""

from copy import copy
from dataclasses import replace
from os import PathLike
from typing import Any, Self

from tercet.arrays import Floats
from tercet.categorizer.calibrated import merge_calibrated
from tercet.categorizer.compact import CompactCategorizer
from tercet.categorizer.document_batches import open_batches
from tercet.categorizer.fitted import CHANGING
from tercet.categorizer.held_documents import HeldDocuments
from tercet.categorizer.held_out import HeldOut
from tercet.categorizer.holding_out import cross_validate, deal_documents, leave_one_out
from tercet.categorizer.kept_rows import ReadRows
from tercet.categorizer.learned import gather_texts
from tercet.categorizer.learning import Learning
from tercet.categorizer.presets import find_preset
from tercet.counts.labels import merge_labels, pick_labels
from tercet.errors import InvalidOption


class Categorizer(Learning):
    """Texts and labels in, labels, probabilities and evidence out. What it learns it can exactly forget.

    - `analyzer`: an `Analyzer`, or the name of a preset; words and pairs of words by default.
    - `model`: a `NaiveBayes`; or an `NBSVM`, `LinearSVM` or `LogisticRegression`, whose margins `refit` trains anew when more
      was learned or forgotten. None is `NaiveBayes("binary", AbsoluteDiscount(0.9))`: whether a term occurs, not how often,
      and a smoothing that does well on corpora of any size. `set_params(model__smoothing="auto")` finds the best for yours,
      by 2,000 of the documents where there are more.
    - `min_documents`: leave out terms that fewer documents have; `max_terms` keeps those that are counted most often.
    - `select`: a `MostInformative`, a `WithoutMostFrequent` or a list of such, applied in order to the terms that enough
      documents have, and before `max_terms`. All counts are kept, and what is learned or forgotten later selects anew.
    - `numeric`: names of columns of numbers that the documents have beside the text; each adds the log-likelihood of a normal
      distribution. A name that no column has may be one of `tercet.text.measures`, which is computed from the text. What is a
      column and what a measure is settled by `fit`: columns must be there later, too, and measures are always computed.
    - `remember`: keep 128 bits of each document, so that forgetting what was never learned is refused. Without it only what
      the counts can disprove is refused.
    - `weighting`: what the counts of a document become for a `LinearSVM` or a `LogisticRegression`, as a `TermWeighting`; None
      is log tf · idf of length 1. Other models have none.
    - `calibrate`: make the probabilities mean what they say, by what is said of each document when it is left out with its
      copies; for a margin, with a fifth of the documents. `"auto"` takes the way that suits the documents best:
      `"temperature"`, `"length"`, `"platt"` or `"isotonic"` (see `tercet.models.calibration`). Most of them have a say in which
      label is best, too, and often mend it. Scores and evidence stay as they are. As a chosen smoothing does, it stays while
      more is learned or forgotten, until `retune`. Without it the probabilities of margins are exp(score), scaled to the sum
      1, which is right for a softmax alone.
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
        with CHANGING:
            return CompactCategorizer(self._scorer(), self._learned.margins or self._rules.likelihood())

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

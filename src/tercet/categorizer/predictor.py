"""`Predictor`, the part that `Categorizer` and `CompactCategorizer` share: predictions and explanations, from a `Scorer`."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats
from tercet.categorizer.rules import Rule
from tercet.categorizer.scorer import Scorer, list_sets
from tercet.counts.labels import Labels, encode_training
from tercet.data.document_batches import collect_documents
from tercet.data.documents import Documents
from tercet.errors import not_fitted
from tercet.options import check_flag
from tercet.text.analyzer import Analyzer

if TYPE_CHECKING:
    from tercet.categorizer.files.hand_check import HandCheck
    from tercet.categorizer.files.record import TrainingRecord
    from tercet.categorizer.language_model import WordProbabilities
    from tercet.models.parameters import LearnedTerms, Parameters
    from tercet.report.explanation.explanation import Explanation
    from tercet.report.prediction_lines import Ranked
    from tercet.store.model_file import FileVersion


class Predictor:
    """The methods that `Categorizer` and `CompactCategorizer` share: predictions and explanations, from a `Scorer`."""

    files: "Mapping[str, FileVersion]" = MappingProxyType({})  # the files that it was loaded from or saved to, by path

    @property
    def record_(self) -> "TrainingRecord | None":
        """What it was trained on, and how good it was then, if `tercet.train` made it; None after `fit`."""
        raise not_fitted(self)

    @property
    def is_current_(self) -> bool | None:
        """Whether it has exactly the documents of `record_`. If not, the estimate there is that of the documents before.

        None if it has no record. A compact categorizer has what was true when it was made.
        """
        raise not_fitted(self)

    @property
    def hand_check_(self) -> "HandCheck | None":
        """How good it is on a pool of texts, as a person has found out; None if nobody has written that down.

        See `draw_check_sample` and `tercet check --record`.
        """
        raise not_fitted(self)

    @property
    def is_check_current_(self) -> bool | None:
        """Whether it is still the model that was checked by hand; None if none was."""
        raise not_fitted(self)

    @property
    def majority_label_(self) -> Any:
        """The most frequent label of what it has learned, the first of several; None if it is not known.

        It is not known for given probabilities, and for compact models that earlier versions have written.
        """
        raise not_fitted(self)

    def scorer(self) -> Scorer:
        """The weights that decide. Warns if something in them was fitted to other documents than it has now."""
        raise not_fitted(self)

    def last_scorer(self) -> Scorer:
        """The same, without a warning."""
        return self.scorer()

    @property
    def classes_(self) -> Labels:
        """The labels, sorted."""
        return self.scorer().labels

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
        layout = self.analyzer_.layout
        return () if layout is None else layout.texts

    @property
    def categorical_columns_(self) -> tuple[str, ...]:
        """The categorical columns that documents must have beside the text."""
        layout = self.analyzer_.layout
        return () if layout is None else layout.categorical

    def _numeric(self) -> tuple[list[str], frozenset[str]]:
        """The names of numbers, and which of them are computed from the text."""
        return self.scorer().numeric, self.scorer().measured

    @property
    def analyzer_(self) -> Analyzer:
        """The recipe from a text to its terms."""
        return self.scorer().analyzer

    @property
    def rules_(self) -> tuple[Rule, ...]:
        """The rules that decide before the model, in their order; empty if there are none."""
        return self.last_scorer().rules

    def describe(self) -> dict[str, Any]:
        """The signature of the analyzer, the kind of model, smoothing, calibration, the number of terms, the word vectors."""
        scorer = self.scorer()
        return {
            "analyzer": scorer.analyzer.signature,
            "kind": scorer.weights.kind,
            "smoothing": scorer.weights.smoothing,
            "calibration": None if scorer.calibration is None else scorer.calibration.method,
            "terms": len(scorer.table),
            "vectors": None if scorer.added is None else scorer.added.vectors,
        }

    @property
    def log_prior_(self) -> Floats:
        """log P(label), in the order of `classes_`. Margins and complement naive Bayes have no prior."""
        return self.last_scorer().weights.log_prior

    @property
    def prior_(self) -> Floats:
        """P(label), in the order of `classes_`."""
        return np.exp(self.log_prior_)

    @property
    def unknown_probability_(self) -> Floats | None:
        """P(unknown term | label), in the order of `classes_`.

        None if the model ignores unknown terms: they have no probability, and change no score.
        """
        return self._learned_terms(self.last_scorer()).unknown

    def parameters(self, label: Any = None, *, terms: Any = None, top: int | None = None) -> "Parameters":
        """What the model has learned of each term under each label: counts and probabilities, or trained weights.

        By default these are all terms in canonical order; `terms` names some, and `top` gives the terms with the highest
        probability or weight of each label, in this order. `label` gives the rows of one label.

        >>> from tercet import Categorizer, NaiveBayes
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

        with self._stay():
            return list_parameters(self._learned_terms(self.scorer()), label, terms, top)

    def _learned_terms(self, scorer: Scorer) -> "LearnedTerms":
        return scorer.list_learned(None)

    def predict(self, texts: Any, *, abstain_below: float | None = None) -> Labels:
        """The most probable label of each text; ties go to the label that sorts first.

        With `abstain_below` the prediction is None if its probability is lower. Calibrate naive Bayes first: without
        calibration its probabilities are far too high.
        """
        scorer = self.scorer()
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
        threshold, scorer = self.find_threshold(coverage), self.scorer()
        return list_sets(scorer.labels, np.exp(scorer.log_proba(texts)), threshold)

    def find_threshold(self, coverage: float) -> float:
        """The lowest probability of a label in the sets of `predict_sets`."""
        return self.scorer().find_threshold(coverage)

    def predict_proba(self, texts: Any) -> Floats:
        """P(label | text), texts × labels; rows sum to 1."""
        return np.exp(self.predict_log_proba(texts))

    def predict_log_proba(self, texts: Any) -> Floats:
        """log P(label | text), texts × labels."""
        return self.scorer().log_proba(texts)

    def rank_labels(self, texts: Any, n: int | None = None) -> "list[Ranked]":
        """The n most probable labels of each text with their probabilities, the best first; by default all labels.

        >>> from tercet import Categorizer, NaiveBayes
        >>> c = Categorizer("words", NaiveBayes("multinomial")).fit(["so good", "so bad", "too bad"], ["+", "-", "-"])
        >>> [[(label, round(probability, 3)) for label, probability in best] for best in c.rank_labels(["so bad", "good"])]
        [[('-', 0.771), ('+', 0.229)], [('+', 0.571), ('-', 0.429)]]
        """
        from tercet.report.prediction_lines import rank_labels

        scorer = self.scorer()
        return rank_labels(scorer.label_list, np.exp(scorer.log_proba(texts)), len(scorer.label_list) if n is None else n)

    def log_joint(self, texts: Any) -> Floats:
        """log P(label) + log P(text | label), texts × labels. A text without known terms scores the prior.

        It is -inf for each label if the text is impossible under all of them, which happens only with smoothing 0 or given
        probabilities of 0. Then the prior decides: `predict`, `predict_proba` and `explain` give its labels and
        probabilities, with a warning.
        """
        return self.scorer().log_joint(texts)

    def log_likelihood(self, texts: Any) -> Floats:
        """log P(text | label), texts × labels: the scores without the prior."""
        return self.scorer().log_likelihood(texts)

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

        >>> from tercet import Categorizer, NaiveBayes
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

        >>> from tercet import Categorizer, NaiveBayes
        >>> c = Categorizer("words", NaiveBayes("multinomial")).fit(["so good", "so bad", "too bad"], ["+", "-", "-"])
        >>> c.explain("good", arithmetic=True).arithmetic.terms[0].to_text()
        'log (1+1)/(2+4) − log (0+1)/(4+4) = +0.980829'
        """
        from tercet.categorizer.evidence.explain import explain_text  # on first use: a decision needs no evidence

        if not check_flag("arithmetic", arithmetic):
            return explain_text(self.scorer(), text, label, against)
        with self._stay():
            return explain_text(self.scorer(), text, label, against, arithmetic=True)

    def most_informative(self, n: int = 20, *, detail: bool = False) -> dict[Any, list[tuple[str, float]]]:
        """For each label its strongest terms, with their log-odds for this label against all other labels together.

        If the model has words and character n-grams, these are words; with `detail`, all terms as the decisions use them.
        """
        from tercet.categorizer.evidence.explain import list_informative

        return list_informative(self.scorer() if detail else self._count_scorer(), n, detail=detail)

    def word_probabilities(self, word: str) -> "WordProbabilities":
        """P(label), P(word | label) and P(label | word) of one word that the model knows, in the order of the labels.

        They are those of the counts, without a calibration. `figures.word_bars(*probabilities)` draws them.

        >>> from tercet import Categorizer, NaiveBayes
        >>> categorizer = Categorizer("words", NaiveBayes("multinomial")).fit(["so good", "good", "so bad"], ["+", "+", "-"])
        >>> found = categorizer.word_probabilities("good")
        >>> found.labels, found.prior.round(3), found.likelihood.round(3), found.posterior.round(3)
        (['+', '-'], array([0.667, 0.333]), array([0.5, 0.2]), array([0.833, 0.167]))
        """
        from tercet.categorizer.language_model import compute_word_probabilities

        return compute_word_probabilities(self._count_scorer(), word)

    def generate(self, label: Any = None, n_words: int | None = None, seed: int = 0) -> str:
        """Words drawn at random from a label; without a label, it is drawn from the prior.

        By default the length is that of a random document of the label. A compact categorizer does not know lengths, and needs
        `n_words`. If the known probabilities sum to less than 1, words are drawn in proportion.
        """
        from tercet.categorizer.language_model import generate_text  # on first use, as below: predictions do not need it

        with self._stay():
            return generate_text(self._count_scorer(), label, n_words, seed)

    def sample(self, n: int, seed: int = 0, label: Any = None, n_words: int | None = None) -> Documents:
        """n random documents with their labels: drawn from the prior, or all with this label. Words are drawn as by `generate`.

        Bernoulli draws for each word whether a text has it, and takes no `n_words`. Columns of numbers are drawn, too.

        >>> from tercet import Categorizer
        >>> c = Categorizer.from_probabilities(["+", "-"], ["fun", "boring"], [[0.9, 0.1], [0.2, 0.8]], [0.5, 0.5])
        >>> c.sample(3, seed=1, n_words=3)
        Documents(3 documents: 'fun boring fun', 'fun fun fun', …; labels)
        """
        from tercet.categorizer.language_model import sample_documents

        with self._stay():
            return sample_documents(self._count_scorer(), n, seed, label, n_words)

    def _stay(self) -> AbstractContextManager[Any]:
        """It does not change inside this block. A categorizer that can't change needs no lock."""
        return nullcontext()

    def _count_scorer(self) -> Scorer:
        return self.scorer()

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(one_d_array=False, two_d_array=False, string=True),
        )

"""What can be asked of anything that has learned to categorize texts."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats
from tercet.categorizer.careful_answers import choose_labels, list_sets, no_sets
from tercet.categorizer.scorer import Scorer
from tercet.counts.labels import Labels, encode_training
from tercet.data.documents import Documents
from tercet.errors import not_fitted

if TYPE_CHECKING:
    from tercet.report.explanation import Explanation


class Decisions:
    """A child gives its `_scorer()`."""

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
        """The signature of its recipe, the kind of its model, its smoothing, and how many terms it knows."""
        scorer = self._scorer()
        return {
            "analyzer": scorer.analyzer.signature,
            "kind": scorer.kind,
            "smoothing": scorer.smoothing,
            "calibration": None if scorer.calibration is None else scorer.calibration.method,
            "terms": len(scorer.table),
        }

    def predict(self, texts: Any, *, abstain_below: float | None = None) -> Labels:
        """The most probable label of each text; of equals the first in sorted order.

        With `abstain_below` it is None where the probability is lower: nobody should rely on such an answer. Naive Bayes is
        far too sure of itself for that, unless it is calibrated.
        """
        scorer = self._scorer()
        if abstain_below is not None:
            return choose_labels(scorer.labels, np.exp(scorer.log_proba(texts)), abstain_below)
        labels: Labels = scorer.labels[scorer.predict(texts)]
        return labels

    def predict_sets(self, texts: Any, coverage: float = 0.9) -> list[tuple[Any, ...]]:
        """For each text the labels that may be right, the most probable first: the right one is among them this often.

        The promise is about documents like those that it was calibrated on, all together. It is exact after `calibrate_on`;
        after `fit`, whose documents are left out one by one, it holds as nearly as makes no difference. A set is empty where no
        label is probable enough, which is so where fewer answers are wrong than may be.
        """
        threshold, scorer = self.find_threshold(coverage), self._scorer()
        return list_sets(scorer.labels, np.exp(scorer.log_proba(texts)), threshold)

    def find_threshold(self, coverage: float) -> float:
        """The probability from which on a label belongs to the sets of `predict_sets`."""
        scorer = self._scorer()
        if scorer.sets is None:
            raise no_sets(is_calibrated=scorer.calibration is not None)
        return scorer.sets.find_threshold(coverage)

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

"""What all classifiers share: scores → labels and probabilities, and scikit-learn's contract."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.counts.labels import Labels
from tercet.errors import not_fitted
from tercet.estimator import Estimator

Floats = npt.NDArray[np.float64]


def normalize_scores(scores: Floats) -> Floats:
    """Log joint probabilities → log probabilities of the labels, row by row.

    >>> np.exp(normalize_scores(np.array([[-1200.0, -1200.0]])))
    array([[0.5, 0.5]])
    """
    # Shift first: exp(-1200) alone would be 0.0 and the row would become nan.
    shifted = scores - scores.max(axis=1, keepdims=True)
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(total), np.float64)


class Classifier(Estimator):
    """A child offers `fit`, sets `classes_`, and gives `log_joint(X)`: log P(label) + log P(document | label)."""

    classes_: Labels
    n_features_in_: int

    def log_joint(self, X: Any) -> Floats:
        raise not_fitted(self)

    def predict_log_proba(self, X: Any) -> Floats:
        """log P(label | document), documents × labels."""
        return normalize_scores(self.log_joint(X))

    def predict_proba(self, X: Any) -> Floats:
        """P(label | document), documents × labels; rows sum to 1."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Labels:
        """The most probable label of each document; of equals the first in sorted order."""
        best = self.log_joint(X).argmax(axis=1)
        labels: Labels = self.classes_[best]
        return labels

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of documents whose label is predicted right."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def __sklearn_is_fitted__(self) -> bool:
        return "classes_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(sparse=False),
        )

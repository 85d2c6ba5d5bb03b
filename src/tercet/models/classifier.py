"""What classifiers by probability share: scores → labels and probabilities."""

from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.counts.labels import Labels
from tercet.errors import not_fitted
from tercet.models.predictor import Predictor


def normalize_scores(scores: Floats) -> Floats:
    """Log joint probabilities → log probabilities of the labels, row by row.

    >>> np.exp(normalize_scores(np.array([[-1200.0, -1200.0]])))
    array([[0.5, 0.5]])
    """
    # Shift first: exp(-1200) alone would be 0.0 and the row would become nan.
    shifted = scores - scores.max(axis=1, keepdims=True)
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(total), np.float64)


class Classifier(Predictor):
    """A child offers `fit`, sets `classes_`, and gives `log_joint(X)`: log P(label) + log P(document | label)."""

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

"""What models share that part two labels by the sign of a number."""

from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.counts.labels import Labels, encode_training
from tercet.counts.matrices import check_columns, check_dense
from tercet.errors import InvalidLabel, not_fitted
from tercet.models.predictor import Predictor


def encode_signs(y: Any, n_documents: int) -> tuple[Labels, Floats]:
    """The two labels in sorted order, and for each document -1.0 if it has the first, 1.0 if it has the second.

    >>> encode_signs(["spam", "ham", "spam"], 3)
    (array(['ham', 'spam'], dtype='<U4'), array([ 1., -1.,  1.]))
    """
    labels, codes = encode_training(y, n_documents)
    if len(labels) == 1:
        raise InvalidLabel(
            f"y has 1 class, the label {labels.tolist()[0]!r}: a border lies between two. Add documents of another label."
        )
    if len(labels) != 2:
        raise InvalidLabel(
            f"Only binary classification is supported. y has {len(labels)} labels, and one border parts two. "
            "Choose two of them, or use scikit-learn's OneVsRestClassifier around this model."
        )
    return labels, np.where(codes == 1, 1.0, -1.0)


class TwoLabelModel(Predictor):
    """A child offers `fit` on a dense matrix and the numbers by which `decision_function` decides."""

    def _decide(self, X: Floats) -> Floats:
        raise not_fitted(self)

    def decision_function(self, X: Any) -> Floats:
        """One number for each document: above 0 for the second label, `classes_[1]`, else for the first."""
        self._check_fitted()
        X = check_dense(X)
        check_columns(X, self.n_features_in_, self)
        return self._decide(X)

    def predict(self, X: Any) -> Labels:
        """The label on whose side of the border each document lies; on the border, the first in sorted order."""
        is_second = self.decision_function(X) > 0
        labels: Labels = self.classes_[is_second.astype(np.int64)]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

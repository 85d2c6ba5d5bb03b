"""What all models that give documents a label share, and scikit-learn's contract for them."""

from typing import Any

import numpy as np

from tercet.counts.labels import Labels
from tercet.errors import not_fitted
from tercet.estimator import Estimator


class Predictor(Estimator):
    """A child offers `fit`, which sets `classes_`, and `predict`."""

    classes_: Labels
    n_features_in_: int

    def predict(self, X: Any) -> Labels:
        raise not_fitted(self)

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

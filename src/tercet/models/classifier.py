"""The base classes of all models: scikit-learn's contract for classifiers, and scores → labels and probabilities."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels, encode_training, make_labels, read_labels, write_labels
from tercet.counts.matrices import check_columns, check_dense, check_weights
from tercet.errors import InvalidLabel, bad_option, not_fitted
from tercet.estimator import Estimator
from tercet.kernel import engine
from tercet.options import is_number


def normalize_scores(scores: Floats) -> Floats:
    """Log joint probabilities → log probabilities of the labels, row by row.

    >>> np.exp(normalize_scores(np.array([[-1200.0, -1200.0]])))
    array([[0.5, 0.5]])
    """
    return engine.normalize_scores(np.ascontiguousarray(scores, np.float64))


class MatrixPredictor(Estimator):
    """A model that gives each document a label. A subclass has `fit`, which sets `classes_`, and `predict`."""

    classes_: Labels
    n_features_in_: int

    def predict(self, X: Any) -> Labels:
        raise not_fitted(self)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of documents with a correct prediction."""
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


class Classifier(MatrixPredictor):
    """A model with probabilities. A subclass gives `log_joint(X)`: log P(label) + log P(document | label)."""

    def log_joint(self, X: Any) -> Floats:
        raise not_fitted(self)

    def predict_log_proba(self, X: Any) -> Floats:
        """log P(label | document), documents × labels."""
        return normalize_scores(self._score_labels(X))

    def predict_proba(self, X: Any) -> Floats:
        """P(label | document), documents × labels; rows sum to 1."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Labels:
        """The most probable label of each document; ties go to the label that sorts first."""
        best = self._score_labels(X).argmax(axis=1)
        labels: Labels = self.classes_[best]
        return labels

    def _score_labels(self, X: Any) -> Floats:
        """The scores that decide, documents × labels. They must be finite for at least one label of each document."""
        return self.log_joint(X)


class TwoLabelModel(MatrixPredictor):
    """A model that separates two labels by the sign of a number. A subclass has `fit` on a dense matrix, and `_decide`."""

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


def encode_signs(y: Any, n_documents: int) -> tuple[Labels, Floats]:
    """The two labels in sorted order, and for each document -1.0 if it has the first, 1.0 if it has the second.

    >>> encode_signs(["spam", "ham", "spam"], 3)
    (array(['ham', 'spam'], dtype='<U4'), array([ 1., -1.,  1.]))
    """
    labels, codes = encode_training(y, n_documents)
    check_two_labels(labels)
    if len(labels) != 2:
        raise InvalidLabel(
            f"Only binary classification is supported. y has {len(labels)} labels, and one border separates two. "
            "Choose two of them, or use scikit-learn's OneVsRestClassifier around this model."
        )
    return labels, np.where(codes == 1, 1.0, -1.0)


def check_two_labels(labels: Labels) -> None:
    """Raises InvalidLabel if there is only one label."""
    if len(labels) < 2:
        raise InvalidLabel(
            f"y has 1 class, the label {labels.tolist()[0]!r}: a border lies between two. Add documents of another label."
        )


def label_weights(class_weight: Any, labels: Labels, codes: Integers, weights: Floats | None = None) -> Floats:
    """The weight of a document of each label, from scikit-learn's `class_weight`.

    With "balanced" the documents of each label have the same total weight, where `weights` are the documents' own.

    >>> label_weights("balanced", np.array(["ham", "spam"]), np.array([0, 1, 0, 0]))
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return np.ones(len(labels))
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(codes, weights, len(labels))
        # If all documents of a label have weight 0, its own weight does not matter.
        return np.asarray(totals.sum() / (len(labels) * np.where(totals > 0, totals, 1.0)), np.float64)
    if not hasattr(class_weight, "get"):
        raise bad_option("class_weight", "None, balanced or a mapping", class_weight, "each label has one weight.")
    return check_weights([class_weight.get(label, 1.0) for label in labels.tolist()], len(labels))


def write_by_label(numbers: Mapping[Any, float]) -> dict[str, Any]:
    """A mapping from label to number, as values for JSON. The labels keep their type.

    >>> write_by_label({2: 0.5, 1: 1})
    {'labels': {'type': 'int', 'values': [1, 2]}, 'values': [1.0, 0.5]}
    >>> read_by_label(write_by_label({2: 0.5, 1: 1}))
    {1: 1.0, 2: 0.5}
    """
    labels = sorted(numbers)
    return {"labels": write_labels(make_labels(labels)), "values": [float(numbers[label]) for label in labels]}


def read_by_label(written: Mapping[str, Any]) -> dict[Any, float]:
    """The mapping that `write_by_label` has written."""
    labels, values = read_labels(written["labels"]).tolist(), written["values"]
    if not isinstance(values, list) or not all(is_number(value) and 0 <= value < np.inf for value in values):
        raise ValueError("a label has a number that is not finite or below 0")
    return dict(zip(labels, map(float, values), strict=True))

"""The checks of scikit-learn that estimators with default parameters do not pass, and why. docs/scikit-learn.md lists them."""

INEXACT = (
    "it compares coefficients up to 1e-7, and a solution is only as near as `tol` promises. scikit-learn expects the same of "
    "its LinearSVC"
)
SINGULAR = (
    "its data have a label with one document or with a column that does not vary, which has no normal distribution. This is an "
    "error that recommends `shrinkage`, where GaussianNB would widen all variances without a word"
)
DEALT = "it compares a document of weight 2 with two documents, and those are dealt into folds on their own"
NEGATIVE = "its data have negative numbers, and counts are at least 0"
EQUIVALENCE = {f"check_sample_weight_equivalence_on_{form}_data": INEXACT for form in ("dense", "sparse")}

EXCEPTIONS: dict[str, dict[str, str]] = {
    "LinearSVM": EQUIVALENCE,
    "LogisticRegression": EQUIVALENCE,
    "NBSVM": EQUIVALENCE | {"check_class_weight_classifiers": NEGATIVE},
    "Stack": dict.fromkeys(EQUIVALENCE, DEALT) | {"check_decision_proba_consistency": NEGATIVE},
    "GaussianBayes": {
        "check_sample_weights_shape": SINGULAR,
        "check_sample_weights_not_overwritten": SINGULAR,
        "check_sample_weight_equivalence_on_dense_data": SINGULAR,
    },
}

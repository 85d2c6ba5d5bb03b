"""scikit-learn's own tests of MultinomialNB, BernoulliNB, ComplementNB and GaussianNB, run on NaiveBayes and GaussianBayes.

The cases are called where scikit-learn installed them, with stand-ins in the places of the four. Each is in one of three
lists: RUN, OUT_OF_SCOPE (it needs what ours do not have; it is run up to there) and LEFT_OUT. They are the cases that pytest
collects there, those too which scikit-learn skips unless it is asked for float32 or for the array API.
"""

import inspect
import warnings
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, Self

import numpy as np
import pytest
from helpers.sklearn_cases import Case, NotOffered, cases_in, check_lists, list_arguments, make_run, share_left_out
from sklearn import naive_bayes as theirs
from sklearn.tests import test_naive_bayes as suite
from sklearn.utils._testing import _array_api_for_tests

from tercet import NaiveBayes
from tercet.models.bayes_rule import log_prior
from tercet.models.gaussian import GaussianBayes

# A name stands for all cases of a test, or with [its first argument] for some, or with [its arguments] for one.
RUN = [
    "test_gnb",
    "test_gnb_prior",
    "test_gnb_sample_weight",
    "test_gnb_neg_priors",
    "test_gnb_priors",
    "test_gnb_priors_sum_isclose",
    "test_gnb_wrong_nb_priors",
    "test_gnb_prior_greater_one",
    "test_gnb_prior_large_bias",
    "test_gnb_partial_fit",
    "test_gnb_naive_bayes_scale_invariance",
    "test_gnb_array_api_compliance[numpy]",
    "test_discretenb_prior",
    "test_discretenb_partial_fit",
    "test_discretenb_predict_proba",
    "test_discretenb_uniform_prior",
    "test_discretenb_provide_prior_with_partial_fit",
    "test_discretenb_sample_weight_multiclass",
    "test_discretenb_degenerate_one_class_case",
    "test_mnnb",
    "test_mnb_prior_unobserved_targets",
    "test_bnb",
    "test_bnb_feature_log_prob",
    "test_cnb",
    "test_alpha",
    "test_check_accuracy_on_digits",
    "test_predict_joint_proba",
    "test_categorical_input_tag",
]

# What the error says with which the case must stop, at the first thing it asks for that ours do not have.
OUT_OF_SCOPE = {
    "test_gnb_check_update_with_no_data": "has no attribute '_update_mean_variance'",  # a private method
    "test_gnb_array_api_compliance[array_api_strict]": "arrays of array_api_strict",
    "test_gnb_array_api_compliance[cupy]": "arrays of cupy",
    "test_gnb_array_api_compliance[torch]": "arrays of torch",
    "test_gnb_array_api_compliance[dpnp]": "arrays of dpnp",
    "test_alpha_vector": "smoothing must be a number >= 0, got array",
    "test_check_alpha": "has no attribute '_check_alpha'",  # a private method; then an alpha for each feature
}

LEFT_OUT = {
    "test_NB_partial_fit_no_first_classes": "labels need not be named first, and new ones may come at any time",
    "test_discretenb_provide_prior": "its last error is about labels that a refused fit left behind; here that changes nothing",
}

# The errors are the same, their words are not: a piece of scikit-learn's message → what ours must say.
WORDING = {
    "Negative": "Negative values in data: X holds -",
    "The target label": r"the label 2 is unknown here: known are 0, 1\.",
}

MIN_ALPHA = 1e-10  # with force_alpha=False


class StandIn(NaiveBayes):
    """NaiveBayes with the parameters and the attributes of scikit-learn's classes."""

    vocabulary, unknown = "union", "ignore"
    class_count_ = property(attrgetter("counts_.n_documents"))
    feature_count_ = property(attrgetter("counts_.occurrences"))
    feature_all_ = property(lambda self: self.feature_count_.sum(axis=0))
    feature_log_prob_ = property(lambda self: self.weights)
    # Of complement, too, which has it only to show.
    class_log_prior_ = property(lambda self: log_prior(self.prior, self.classes_, self.class_count_))
    predict_joint_log_proba = property(attrgetter("log_joint"))

    def __init__(self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    @property
    def weights(self) -> Any:
        """What one occurrence of each term adds to the score of each label."""
        n = self.n_features_in_
        return (self.log_likelihood(np.eye(n)) - self.log_likelihood(np.zeros((1, n)))).T

    @property
    def smoothing(self) -> Any:
        if self.force_alpha or np.all(self.alpha >= MIN_ALPHA):
            return self.alpha
        warnings.warn(f"alpha too small will result in numeric errors, setting alpha = {MIN_ALPHA:.1e}", stacklevel=2)
        return np.maximum(self.alpha, MIN_ALPHA)

    @property
    def prior(self) -> Any:
        if self.class_prior is not None:
            return self.class_prior
        return "empirical" if self.fit_prior else "uniform"


class Multinomial(StandIn):
    kind = "multinomial"


class Bernoulli(StandIn):
    """Without `binarize`: no case sets it, and at 0 it says what NaiveBayes does, that a term is there or not."""

    kind = "bernoulli"
    feature_count_ = property(attrgetter("counts_.documents"))
    # A weight is log p - log(1 - p).
    feature_log_prob_ = property(lambda self: -np.logaddexp(0, -self.weights))


class Complement(StandIn):
    """With `norm`, each label's weights are divided by their sum, and so are its scores."""

    kind = "complement"
    feature_log_prob_ = property(lambda self: self.weights / self.length[:, None])
    length = property(lambda self: self.weights.sum(axis=1) if self.norm else np.ones(len(self.classes_)))

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.norm = norm

    def log_joint(self, X: Any) -> Any:
        return super().log_joint(X) / self.length


class Gaussian(GaussianBayes):
    """GaussianBayes with the parameters and the attributes of GaussianNB.

    `var_smoothing` is said in documents: two in the place of each, a step below it and a step above, have its mean, and
    step² more variance.
    """

    covariance, ddof, shrinkage = "diagonal", 0, None
    prior = property(lambda self: "empirical" if self.priors is None else self.priors)
    class_count_ = property(lambda self: self.show(self.moments_.n.round() / 2))
    class_prior_ = property(lambda self: self.show(np.exp(log_prior(self.prior, self.classes_, self.class_count_))))
    theta_ = property(lambda self: self.show(self.means_))
    var_ = property(lambda self: self.show(self.covariances_))
    predict_joint_log_proba = GaussianBayes.log_joint

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        return super().fit(*self.widen(X, y, sample_weight))

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        X, y, weights = self.widen(X, y, sample_weight)
        return super().partial_fit(X, y, classes, weights)

    def widen(self, X: Any, y: Any, weights: Any) -> tuple[Any, Any, Any]:
        own = np.asarray(X).dtype
        self.dtype = own if own.kind == "f" else np.float64
        X = np.asarray(X, np.float64)
        self.epsilon_ = self.var_smoothing * X.var(axis=0).max()
        step = np.sqrt(self.epsilon_)
        return np.concatenate([X - step, X + step]), np.tile(y, 2), None if weights is None else np.tile(weights, 2)

    def show(self, values: Any) -> Any:
        """In the type of X, as scikit-learn does; ours are float64 always."""
        return values.astype(self.dtype)


STAND_INS = {
    theirs.MultinomialNB: Multinomial,
    theirs.BernoulliNB: Bernoulli,
    theirs.ComplementNB: Complement,
    theirs.GaussianNB: Gaussian,
}


def list_cases() -> Iterator[Case]:
    """The cases that use one of the four; of a test over many classes those with one of the four among its arguments."""
    for name, test in vars(suite).items():
        if name.startswith("test_"):
            cases = [Case(test, arguments) for arguments in list_arguments(test)]
            ours = [case for case in cases if any(map(is_theirs, case.arguments.values()))]
            source = inspect.getsource(test)
            yield from ours or (case for case in cases if any(cls.__name__ in source for cls in STAND_INS))


def is_theirs(value: Any) -> bool:
    return any(value is cls for cls in STAND_INS)


def replace_theirs(value: Any) -> Any:
    return STAND_INS[value] if is_theirs(value) else value


def import_numpy(name: str, *device_and_dtype: Any) -> tuple[Any, Any]:
    """In the place of scikit-learn's import of an array library and its device."""
    if name != "numpy":
        raise NotOffered(f"arrays of {name}")
    return _array_api_for_tests(name, *device_and_dtype)


PLACES = {cls.__name__: ours for cls, ours in STAND_INS.items()} | {"_array_api_for_tests": import_numpy}
run = make_run(suite, PLACES, replace_theirs, WORDING)


@pytest.fixture(autouse=True)
def array_api(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or scikit-learn would skip its cases."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@pytest.fixture
def global_random_seed() -> int:
    """The one that scikit-learn's own fixture gives if nobody asks for others."""
    return 42


CASES = list(list_cases())


@cases_in(CASES, RUN)
def test_case_of_scikit_learn_holds(case: Case, run: Callable[[Case], None]) -> None:
    run(case)


@cases_in(CASES, OUT_OF_SCOPE)
def test_case_out_of_scope_holds_up_to_what_is_not_offered(case: Case, run: Callable[[Case], None]) -> None:
    with pytest.raises((NotOffered, AttributeError, ValueError), match=case.reason(OUT_OF_SCOPE)):
        run(case)


@cases_in(CASES, LEFT_OUT)
def test_case_left_out_does_not_hold(case: Case, run: Callable[[Case], None]) -> None:
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):  # if it does one day, move it to RUN
        run(case)


def test_every_case_of_scikit_learn_is_in_one_list() -> None:
    check_lists(CASES, RUN, OUT_OF_SCOPE, LEFT_OUT)


def test_at_most_one_case_in_ten_is_left_out() -> None:
    assert share_left_out(CASES, RUN, LEFT_OUT) <= 0.1

"""Every model, smoothing and calibration that is registered can be written as JSON and read again."""

import json
from typing import Any

import numpy as np
import pytest

from tercet import NBSVM, LinearSVM, LogisticRegression, Member, NaiveBayes, Stack, TermWeighting, registry
from tercet.models.calibration import METHODS, Isotonic, LengthCalibration, Platt, Softmax, Temperature
from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer

STEPS = (np.array([-2.0, 1.5]), np.array([0.1, 0.9]))
EXAMPLES: dict[str, list[Any]] = {
    "smoothing": [
        *(Additive(0.0), Additive(1), Additive(0.5, per_term={"é": 2, "a": 0.1})),
        *(JelinekMercer(0.3), Dirichlet(np.float32(0.5)), AbsoluteDiscount(1)),
    ],
    "calibration": [
        Temperature(0.1),
        LengthCalibration(rate=0.5, growth=0.8, offsets=np.array([0.25, -0.25]), doubt=0.01),
        Platt(0.3, np.array([1.0, -1.0])),
        Isotonic((STEPS, None), Temperature(0.2), 7),
        Softmax(),
    ],
    "model": [
        NaiveBayes(),
        NaiveBayes("binary", np.float32(0.5), {"spam": 0.25, "ham": 0.75}, vocabulary="shared", unknown="unk"),
        NaiveBayes(smoothing=Dirichlet(200.0), prior={1: 0.5, 2: 0.5}),
        NaiveBayes("complement", "auto", [0.25, 0.75]),
        NaiveBayes("bernoulli", 0.5, "uniform"),
        NBSVM(2.0, beta=0.5, smoothing=1.0, loss="logistic", class_weight="balanced", seed=3),
        NBSVM(class_weight={True: 2.0, False: 0.5}),
        LinearSVM(np.float64(0.5), loss="hinge", multi="crammer_singer", class_weight={"ham": 2.0}, max_epochs=np.int64(7)),
        LogisticRegression(3, multi="one_vs_rest", bias=0.0, tol=0.01),
        Stack(),
        Stack(
            [Member(NBSVM(), terms="words"), Member(LinearSVM(), TermWeighting("log", blocks="kinds"))], folds=2, used_folds=1
        ),
    ],
}
examples = pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind in EXAMPLES for value in EXAMPLES[kind]], ids=str)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_registered_class_has_an_example(kind: str) -> None:
    assert {registry.name_of(value) for value in EXAMPLES[kind]} == set(registry.names(kind))


def test_auto_knows_every_calibration() -> None:
    """Softmax is for scores that are calibrated already, so it is not fitted."""
    assert sorted([*METHODS, "softmax"]) == registry.names("calibration")


@examples
def test_what_is_written_is_read_again(kind: str, value: Any) -> None:
    written = registry.write(value)
    again = registry.read(kind, json.loads(json.dumps(written, allow_nan=False)))
    assert type(again) is type(value)
    assert registry.write(again) == written
    if kind == "model":
        options, kept = (each.get_params() | {"members": None} for each in (again, value))  # written members were compared
        assert {name: type(options[name]) for name in options} == {name: _plain_type(kept[name]) for name in kept}
        assert options == kept
    elif kind == "smoothing":
        assert (again, again.value, again.registered_name) == (value, value.value, written["type"])
    else:
        scores = np.array([[-3.0, -5.0], [-900.0, -880.0]])
        assert again.apply(scores).tolist() == value.apply(scores).tolist()
        assert again.method == written["type"]


def _plain_type(value: Any) -> type:
    return type(value.item()) if isinstance(value, np.generic) else type(value)


def test_the_number_of_threads_belongs_to_the_machine() -> None:
    for model in (NBSVM(threads=3), LinearSVM(threads=3), LogisticRegression(threads=3)):
        assert registry.read("model", registry.write(model)).threads is None


@examples
def test_options_that_are_missing_or_unknown_are_refused(kind: str, value: Any) -> None:
    written = registry.write(value)
    if len(written) > 1:
        with pytest.raises((ValueError, TypeError, LookupError)):
            registry.read(kind, {"type": written["type"]})
    with pytest.raises(ValueError, match=f"there is no {kind} named 'nothing'"):
        registry.read(kind, written | {"type": "nothing"})


@pytest.mark.parametrize(
    ("value", "change"),
    [
        (Additive(1.0), {"value": -1.0}),
        (Additive(1.0), {"per_term": {"a": -1.0}}),
        (Additive(1.0), {"per_term": [None]}),
        (JelinekMercer(0.5), {"value": "0.5"}),
        (NaiveBayes(), {"kind": "poisson"}),
        (NaiveBayes(), {"smoothing": "best"}),
        (NaiveBayes(), {"smoothing": -1.0}),
        (NaiveBayes(), {"smoothing": {"type": "dirichlet", "value": 0}}),
        (NaiveBayes(), {"prior": {"labels": {"type": "text", "values": ["a", "b"]}, "values": [1.0]}}),
        (NBSVM(), {"beta": 2.0}),
        (LinearSVM(), {"C": "1"}),
        (LinearSVM(), {"class_weight": {"labels": {"type": "text", "values": ["a"]}, "values": [None]}}),
        (LogisticRegression(), {"multi": "softest"}),
        (LogisticRegression(), {"threads": None, "hidden": 3}),
    ],
    ids=str,
)
def test_options_that_make_no_sense_are_refused(value: Any, change: dict[str, Any]) -> None:
    kind = "smoothing" if hasattr(value, "value") else "model"
    with pytest.raises((ValueError, TypeError)):
        registry.read(kind, registry.write(value) | change)

"""Learning and smoothing curves: what they say is what fitting and leaving out one by one would say."""

from typing import Any

import numpy as np
import pytest

from tercet import NBSVM, Categorizer, Documents, NaiveBayes, measure_learning_curve, measure_smoothing_curve
from tercet.errors import InvalidLabel, InvalidOption
from tercet.evaluation.splits import split_documents
from tercet.models.smoothing import Additive
from tercet.models.smoothing_choice import list_candidates

RNG = np.random.default_rng(2)
LABELS = ["hen", "fox", "owl"] * 30
OWN = {"hen": ["egg", "corn", "yard"], "fox": ["den", "hen", "red"], "owl": ["night", "tree", "eye"]}
TEXTS = [" ".join(RNG.choice([*OWN[label], "the", "a", "and", "hen", "night"], 5)) for label in LABELS]


def test_the_last_point_is_the_categorizer_that_learned_all_but_the_tested() -> None:
    curve = measure_learning_curve(Categorizer(), TEXTS, LABELS, test=0.3, seed=4)
    split = split_documents(LABELS, dev=0.0, test=0.3, seed=4)
    fitted = Categorizer().fit([TEXTS[i] for i in split.train], [LABELS[i] for i in split.train])
    predicted = fitted.predict([TEXTS[i] for i in split.test])
    assert curve.sizes == [15, 31, 63]
    assert curve.estimates[-1].value == np.mean(predicted == [LABELS[i] for i in split.test])


def test_smaller_sizes_are_part_of_larger_ones_and_nothing_tested_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    numbered = [f"{text} n{i}" for i, text in enumerate(TEXTS)]
    learned: list[set[str]] = []
    tested: list[set[str]] = []
    fit, predict = Categorizer.fit, Categorizer.predict
    monkeypatch.setattr(Categorizer, "fit", lambda self, d, **own: learned.append(set(d.texts)) or fit(self, d))
    monkeypatch.setattr(Categorizer, "predict", lambda self, d, **own: tested.append(set(d.texts)) or predict(self, d))
    curve = measure_learning_curve(Categorizer(), numbered, LABELS, sizes=[5, 20, 72])
    assert [len(texts) for texts in learned] == curve.sizes == [5, 20, 72]
    assert learned[0] < learned[1] < learned[2]
    assert all(texts == tested[0] and texts.isdisjoint(learned[2]) for texts in tested)


def test_no_copy_of_a_text_is_on_both_sides() -> None:
    draw = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in draw.integers(0, 500, 12)) for _ in range(90)]
    labels = draw.choice(["a", "b"], 90).tolist()  # nothing to learn, so nobody can know but by heart
    curve = measure_learning_curve(Categorizer(), texts * 3, labels * 3)
    assert max(estimate.value for estimate in curve.estimates) < 0.75


def test_batches_with_columns_are_learned_as_one() -> None:
    lengths = [float(len(text)) for text in TEXTS]
    whole = Documents(TEXTS, LABELS, columns={"length": lengths})
    parts = [Documents(TEXTS[a:b], LABELS[a:b], columns={"length": lengths[a:b]}) for a, b in ((0, 40), (40, 90))]
    categorizer = Categorizer(numeric=["length"])
    assert measure_learning_curve(categorizer, parts) == measure_learning_curve(categorizer, whole)


def test_margins_have_no_smoothing_curve() -> None:
    with pytest.raises(InvalidOption, match="needs a NaiveBayes, got NBSVM"):
        measure_smoothing_curve(Categorizer(model=NBSVM()), TEXTS, LABELS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sizes": [0]}, r"not held out\), got 0"),
        ({"sizes": [73]}, "got 73"),
        ({"sizes": [2.5]}, r"got 2\.5"),
        ({"sizes": []}, "got none"),
        ({"test": 0.0}, r"test=0\.0 of 90 documents is no document"),
        ({"test": 1.0}, r"test=1\.0 must be shares"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_a_curve_that_makes_no_sense_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        measure_learning_curve(Categorizer(), TEXTS, LABELS, **options)


@pytest.mark.parametrize("measure", [measure_learning_curve, measure_smoothing_curve])
def test_texts_without_labels_are_refused(measure: Any) -> None:
    with pytest.raises(InvalidLabel):
        measure(Categorizer(), TEXTS)


def test_the_accuracies_are_those_of_leaving_out_one_by_one() -> None:
    curve = measure_smoothing_curve(Categorizer(model=NaiveBayes("multinomial")), TEXTS, LABELS, values=[0.01, 1, 10])
    for value, accuracy in zip(curve.values, curve.accuracies, strict=True):
        fitted = Categorizer(model=NaiveBayes("multinomial", value)).fit(TEXTS, LABELS)
        assert accuracy.value == fitted.leave_one_out(TEXTS, LABELS).accuracy


def test_the_likeliest_value_is_the_one_that_auto_chooses() -> None:
    chosen = Categorizer(model=NaiveBayes("complement", "auto")).fit(TEXTS, LABELS)  # complement knows additive ones alone
    values = [way.value for way in list_candidates(chosen.fitted_.settings.model.likelihood())]
    curve = measure_smoothing_curve(chosen, TEXTS, LABELS, values=values)
    assert Additive(values[int(np.argmax(curve.log_likelihoods))]) == chosen.smoothing_
    assert max(curve.log_likelihoods) < 0


def test_measuring_changes_nothing() -> None:
    fitted = Categorizer().fit(TEXTS[:9], LABELS[:9])
    before = fitted.table_.fingerprint()
    measure_smoothing_curve(fitted, TEXTS, LABELS, values=[1.0])
    measure_learning_curve(fitted, TEXTS, LABELS, sizes=[10])
    assert fitted.table_.fingerprint() == before

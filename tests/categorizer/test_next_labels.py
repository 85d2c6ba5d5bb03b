"""What the next labels would bring: by models that have not learned what they judge, with an interval that covers it."""

import math
import random
from typing import Any

import numpy as np
import pytest

from tercet import NBSVM, Categorizer, Documents
from tercet.categorizer.held_out.curves import judge_by_parts
from tercet.categorizer.suggestion.next_labels import ExpectedGain, estimate_gain, estimate_gain_of, extrapolate
from tercet.errors import InvalidLabel

GOOD, BAD, BOTH = ["lovely", "warm", "funny"], ["dull", "long", "loud"], ["film", "plot", "cast", "story", "what", "a"]


def invent(n: int, seed: int = 0) -> Documents:
    """Reviews of which one in five is mislabelled."""
    draw = random.Random(seed)
    labels = [draw.choice(["good", "bad"]) for _ in range(n)]
    words = [GOOD if (label == "good") == (draw.random() < 0.8) else BAD for label in labels]
    return Documents([" ".join(draw.choices(own + BOTH, k=6)) for own in words], labels)


def test_each_document_is_judged_by_models_that_have_not_learned_it(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = invent(40)
    learned: list[set[str]] = []
    tested: list[set[str]] = []
    fit, predict = Categorizer.fit, Categorizer.predict
    monkeypatch.setattr(Categorizer, "fit", lambda self, d, **own: learned.append(set(d.texts)) or fit(self, d))
    monkeypatch.setattr(Categorizer, "predict", lambda self, d: tested.append(set(d.texts)) or predict(self, d))
    judge_by_parts(Categorizer(), documents.pick([*range(40), *range(9)]), shares=(0.5, 1.0))  # with copies
    assert all(own.isdisjoint(other) for own, other in zip(learned, tested, strict=True))
    assert all(half < whole for half, whole in zip(learned[::2], learned[1::2], strict=True))
    assert set().union(*tested) == set(documents.texts)


def test_the_order_of_the_documents_does_not_change_the_result() -> None:
    documents = invent(80)
    shuffled = documents.pick(random.Random(1).sample(range(80), 80))
    assert estimate_gain(Categorizer(), documents) == estimate_gain(Categorizer(), shuffled)


def test_the_gain_follows_from_the_last_doubling() -> None:
    is_right = np.array([[False, True]] * 10 + [[True, True]] * 60 + [[False, False]] * 30)
    found = extrapolate(is_right, 100, 50)
    assert found.accuracy == 0.7
    assert found.gain is not None
    assert found.gain.value == pytest.approx(0.1 * math.log2(1.5))
    assert found.gain.low < found.gain.value < found.gain.high


def test_more_documents_mean_a_narrower_interval_and_no_difference_no_certainty() -> None:
    widths = []
    for n in (60, 200, 1000):
        found = extrapolate(np.ones((n, 2), bool), n, 50).gain
        assert found is not None
        assert found.value == 0
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] > 0


def test_the_interval_covers_what_the_next_labels_bring() -> None:
    """On invented documents, of which there are as many as are needed; benchmarks/next_labels.py has real ones."""
    judged = invent(3000, seed=99)
    n_inside = 0
    for seed in range(20):
        documents = invent(110, seed)
        known = documents.pick(range(60))
        expected = estimate_gain(Categorizer(), known).gain
        assert expected is not None
        before, after = (Categorizer().fit(own).score(judged.texts, judged.labels) for own in (known, documents))
        n_inside += expected.low <= after - before <= expected.high
    assert n_inside >= 17


@pytest.mark.parametrize(
    ("documents", "reason"),
    [
        (invent(49), "can't tell what 50 more labels bring: 49 documents of 2 labels, it takes 50"),
        (
            Documents([f"text {i}" for i in range(60)], [i % 7 for i in range(60)]),
            "60 documents of 7 labels, it takes 70",
        ),
        (Documents([f"text {i}" for i in range(60)], ["x"] * 60), "all documents have the same label"),
    ],
)
def test_with_too_few_documents_nobody_can_tell(documents: Documents, reason: str) -> None:
    found = estimate_gain(Categorizer(), documents)
    assert found.gain is None
    assert reason in found.words
    assert found.to_dict()["gain"] is None


def test_a_model_that_keeps_its_documents_can_tell() -> None:
    documents = invent(60)
    kept = Categorizer(model=NBSVM(), keep_documents=True).fit(documents)
    found = estimate_gain_of(kept)
    assert found == estimate_gain(Categorizer(model=NBSVM()), documents)
    assert "50 more labels bring" in found.words
    assert "keep_documents=True" in estimate_gain_of(Categorizer().fit(documents)).reason
    assert "compact" in estimate_gain_of(kept.compact()).reason


def test_what_can_not_be_trained_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise InvalidLabel("no.")

    monkeypatch.setattr(Categorizer, "fit", refuse)
    assert estimate_gain(Categorizer(), invent(60)) == ExpectedGain(60, 50, reason="no.")


def test_of_many_documents_a_part_is_trained_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.categorizer.suggestion.next_labels.MAX_DOCUMENTS", 60)
    sizes: list[int] = []
    fit = Categorizer.fit
    monkeypatch.setattr(Categorizer, "fit", lambda self, d, **own: sizes.append(len(d.texts)) or fit(self, d))
    found = estimate_gain(Categorizer(), invent(300))
    assert max(sizes) < 60
    assert found.n_documents == 300

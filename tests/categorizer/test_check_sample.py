"""The sample that a person checks: the same texts for any order of the pool, and a measure of the whole pool."""

import numpy as np
import pytest

import tercet
from tercet import Categorizer, Documents
from tercet.errors import InvalidLabel, InvalidOption

WORDS = {"good": ["lovely", "warm", "funny", "great"], "bad": ["dull", "loud", "weak", "messy"]}


def make_texts(n: int, seed: int) -> tuple[list[str], list[str]]:
    """Texts whose words are mostly those of their label."""
    draw = np.random.default_rng(seed)
    labels = draw.choice(["good", "bad"], n).tolist()
    other = {"good": "bad", "bad": "good"}
    texts = [
        " ".join(draw.choice(WORDS[label if draw.random() < 0.7 else other[label]]) for _ in range(draw.integers(1, 6)))
        for label in labels
    ]
    return [f"{text} film {number}" for number, text in enumerate(texts)], labels


@pytest.fixture(scope="module")
def model() -> Categorizer:
    return Categorizer(calibrate="auto").fit(*make_texts(200, seed=0))


def test_the_order_of_the_pool_changes_neither_texts_nor_result(model: Categorizer) -> None:
    texts, labels = make_texts(150, seed=1)
    sample, turned = (tercet.draw_check_sample(model, pool, 40, seed=2) for pool in (texts, texts[::-1]))
    assert [texts[i] for i in sample.positions] == [texts[::-1][i] for i in turned.positions]
    assert (sample.weights, sample.key, sample.n_pool) == (turned.weights, turned.key, turned.n_pool)
    measured = sample.measure([labels[i] for i in sample.positions])
    assert measured.to_dict() == turned.measure([labels[::-1][i] for i in turned.positions]).to_dict()


def test_the_key_tells_pools_models_seeds_and_numbers_apart(model: Categorizer) -> None:
    texts, _ = make_texts(150, seed=1)
    other = Categorizer(calibrate="auto").fit(*make_texts(60, seed=9))
    samples = [
        tercet.draw_check_sample(model, texts, 40),
        tercet.draw_check_sample(model, texts, 41),
        tercet.draw_check_sample(model, texts, 40, seed=1),
        tercet.draw_check_sample(model, [*texts, "one more"], 40),
        tercet.draw_check_sample(other, texts, 40),
    ]
    assert len({sample.key for sample in samples}) == len(samples)
    assert tercet.draw_check_sample(model, texts, 40).to_dict() == samples[0].to_dict()


def test_a_whole_pool_is_measured_as_evaluate_measures_it(model: Categorizer) -> None:
    texts, labels = make_texts(90, seed=3)
    sample = tercet.draw_check_sample(model, texts, 90)
    found = sample.measure([labels[i] for i in sample.positions])
    assert found.accuracy.value == pytest.approx(model.score(texts, labels))
    assert {row.label: row.predicted for row in found.shares} == pytest.approx(
        {label: float((model.predict(texts) == label).mean()) for label in ("good", "bad")}
    )


def test_uncertain_texts_are_drawn_more_often(model: Categorizer) -> None:
    texts, _ = make_texts(2000, seed=4)
    best = model.predict_proba(texts).max(axis=1)
    sample = tercet.draw_check_sample(model, texts, 300)
    assert best[list(sample.positions)].mean() < best.mean()
    assert sum(sample.weights) == pytest.approx(2000)


def test_blank_texts_are_left_out(model: Categorizer) -> None:
    sample = tercet.draw_check_sample(model, ["a dull film", " ", "", "a warm film"], 2)
    assert set(sample.positions) == {0, 3}
    assert sample.n_pool == 2


def test_labels_keep_their_type() -> None:
    model = Categorizer().fit(["a b", "c d"] * 5, [1, 2] * 5)
    sample = tercet.draw_check_sample(model, ["a", "b", "c", "d"], 4)
    found = sample.measure([1 if i < 2 else 2 for i in sample.positions])
    assert found.accuracy.value == 1
    assert [row.label for row in found.shares] == [1, 2]
    assert found.unknown == ()


def test_columns_that_the_model_needs_are_used() -> None:
    documents = Documents(["x y"] * 12, ["a", "b"] * 6, columns={"kind": ["p", "q"] * 6})
    model = Categorizer(categorical=["kind"]).fit(documents)
    pool = Documents(["x y"] * 10, columns={"kind": ["p"] * 5 + ["q"] * 5})
    sample = tercet.draw_check_sample(model, pool, 10)
    assert sample.measure(["a" if i < 5 else "b" for i in sample.positions]).accuracy.value == 1


def test_bad_values_are_refused_with_the_remedy(model: Categorizer) -> None:
    with pytest.raises(InvalidOption, match="n=3, but the pool has only 2 texts that are not blank: ask for at most 2"):
        tercet.draw_check_sample(model, ["a", "b", " "], 3)
    with pytest.raises(InvalidOption, match="the pool has no texts, or only blank ones"):
        tercet.draw_check_sample(model, [" "], 1)
    with pytest.raises(InvalidOption, match="n must be"):
        tercet.draw_check_sample(model, ["a"], 0)
    with pytest.raises(InvalidOption, match="seed must be"):
        tercet.draw_check_sample(model, ["a"], 1, seed=-1)
    sample = tercet.draw_check_sample(model, ["a", "b"], 2)
    with pytest.raises(InvalidLabel, match="2 texts were drawn and 1 answers given"):
        sample.measure(["good"])
    with pytest.raises(InvalidOption, match="confidence must be"):
        sample.measure(["good", "bad"], confidence=2)

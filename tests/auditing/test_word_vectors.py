"""Word vectors carry prejudices: an audit finds them, neutral words remove them, and the card of a model names them."""

from typing import Any

import numpy as np
import pytest

import tercet
from tercet import Analyzer, Categorizer, WordVectors

NEAR_GOOD, NEAR_BAD = ("john", "peter", "paul"), ("anna", "maria", "ruth")
GOOD, BAD, OTHERS = ("good", "great", "nice"), ("bad", "awful", "poor"), ("work", "day", "answer", "came", "the", "a")
WORDS = [*GOOD, *NEAR_GOOD, *BAD, *NEAR_BAD, *OTHERS]
ROWS = np.random.default_rng(0).normal(size=(18, 6)) * 0.2 + np.eye(6)[0] * np.repeat([3, -3, 0], 6)[:, None]
VECTORS = WordVectors.of(WORDS, ROWS)
SWAPS = list(zip(NEAR_GOOD, NEAR_BAD, strict=True))
TEXTS = [f"the {name} came" for name in (*NEAR_GOOD, *NEAR_BAD)]


def train(vectors: WordVectors | None, analyzer: Any = None) -> Categorizer:
    """A model whose training texts have no names."""
    draw = np.random.default_rng(1)
    labels = ["good", "bad"] * 15
    texts = [" ".join([*draw.choice(GOOD if label == "good" else BAD, 2), *draw.choice(OTHERS, 2)]) for label in labels]
    return Categorizer(analyzer, model="auto", vectors=vectors, calibrate="auto").fit(texts, labels)


def measure_change(model: Any) -> tuple[int, float]:
    """How many decisions change if names are swapped, and how much the probability changes on average."""
    probe = tercet.audit(model, TEXTS, swaps=SWAPS).probe
    assert probe is not None
    swapped = [text.replace(old, new) for text, (old, new) in zip(TEXTS, SWAPS + [pair[::-1] for pair in SWAPS], strict=True)]
    return probe.n_flips, float(np.abs(model.predict_proba(TEXTS) - model.predict_proba(swapped)).mean())


@pytest.mark.parametrize("is_compact", [False, True])
def test_an_audit_by_swaps_finds_what_the_vectors_say_of_names(is_compact: bool) -> None:
    model = train(VECTORS)
    n_flips, change = measure_change(model.compact() if is_compact else model)
    assert n_flips == 6
    assert change > 0.3


def test_without_vectors_names_that_no_text_had_make_no_difference() -> None:
    n_flips, change = measure_change(train(None, "words"))
    assert n_flips == 0
    assert change == 0


def test_neutral_names_make_no_difference() -> None:
    model = train(VECTORS, Analyzer(neutral=[*NEAR_GOOD, *NEAR_BAD]))
    assert model.describe()["vectors"] == VECTORS.identity  # the member is there, and has not seen the names
    assert model.predict(["a great day", "awful work"]).tolist() == ["good", "bad"]
    assert measure_change(model) == (0, 0.0)
    for text in TEXTS:
        assert not any(name in item.term for item in model.explain(text).evidence for name in (*NEAR_GOOD, *NEAR_BAD))


def test_an_audit_of_pairs_names_the_words_that_are_not_neutral() -> None:
    documents = tercet.Documents(
        [text for pair in SWAPS for text in (f"the {pair[0]} came", f"the {pair[1]} came")],
        columns={"template": [i // 2 for i in range(6)], "group": ["a", "b"] * 3},
    )
    found = tercet.audit(train(VECTORS), documents, pair="template", by="group").pairs
    assert found is not None
    assert abs(found.comparisons[0].probability.estimate.value) > 0.3
    assert {"john", "anna"} <= {each.token for each in found.tokens}


def test_the_card_names_the_vectors_among_its_caveats() -> None:
    model = train(VECTORS)
    for each in (model, model.compact()):
        (caveat,) = [said for said in tercet.make_card(each).caveats if "word vectors" in said]
        assert VECTORS.identity in caveat
        assert "tercet audit" in caveat
    assert not any("word vectors" in said for said in tercet.make_card(train(None)).caveats)

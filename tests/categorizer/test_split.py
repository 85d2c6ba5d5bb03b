"""tercet.split: who is on which side, that copies and groups stay together, and what is refused."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet import Documents
from tercet.counts.near_copies import find_leaks
from tercet.errors import TercetError

ONCE = [f"text {k}" for k in range(40)]
texts = st.lists(st.sampled_from(ONCE), max_size=30).map(lambda copies: ONCE + copies)
seeds = st.integers(0, 5)


def label_of(text: str) -> str:
    return "abc"[int(text.split()[1]) % 3]


def list_parts(found: Any) -> dict[str, list[int]]:
    return {name: getattr(found.positions, name).tolist() for name in ("train", "dev", "test")}


@given(texts, seeds)
def test_each_document_is_in_one_part_and_each_text_on_one_side(given: list[str], seed: int) -> None:
    documents = Documents(given, [label_of(text) for text in given], columns={"id": list(range(len(given)))})
    found = tercet.split(documents, test=0.3, dev=0.2, seed=seed)
    parts = list_parts(found)
    assert sorted(place for part in parts.values() for place in part) == list(range(len(given)))
    for name, part in found.parts.items():
        assert part.columns["id"] == parts[name] == sorted(parts[name])
        assert part.texts == [given[k] for k in parts[name]]
        assert part.labels == [label_of(text) for text in part.texts]
    for a, b in (("train", "dev"), ("train", "test"), ("dev", "test")):
        assert not len(find_leaks(found.parts[a].texts, found.parts[b].texts))
    assert found.n_copies == sum(n for n in Counter(given).values() if n > 1)
    assert found.n_leaks == 0


@given(texts, seeds, st.randoms())
def test_the_order_of_the_documents_changes_no_side(given: list[str], seed: int, draw: random.Random) -> None:
    labels = [label_of(text) for text in given]
    shuffled = sorted(range(len(given)), key=lambda _: draw.random())
    first = tercet.split(given, labels, test=0.3, dev=0.2, seed=seed)
    second = tercet.split([given[k] for k in shuffled], [labels[k] for k in shuffled], test=0.3, dev=0.2, seed=seed)
    for a, b in zip(first, second, strict=True):
        assert Counter(a.texts) == Counter(b.texts)


def test_copies_with_different_labels_and_groups_have_the_same_side_in_any_order() -> None:
    rows = [(text, label, group) for text in ("line 1", "line 2", "line 3") for label in "xy" for group in ("ann", "bob", "cy")]
    for copies, with_groups in (("own", False), ("own", True), ("all", False)):
        sides = []
        for order in (rows, rows[::-1]):
            texts, labels, groups = map(list, zip(*order, strict=True))
            named: Any = {"copies": copies, "groups": groups if with_groups else None}
            found = tercet.split(texts, labels, test=0.4, stratify=False, seed=4, **named)
            sides.append(sorted(order[k][: 3 if with_groups else 2] for k in found.positions.test.tolist()))
        assert sides[0] == sides[1], (copies, with_groups)


@given(st.lists(st.sampled_from("abcd"), min_size=20, max_size=80), st.floats(0.1, 0.45), st.floats(0.1, 0.45), seeds)
def test_each_part_has_the_labels_in_proportion(labels: list[str], test: float, dev: float, seed: int) -> None:
    given = [f"text {k}" for k in range(len(labels))]
    found = tercet.split(given, labels, test=test, dev=dev, seed=seed)
    sizes = Counter(labels)
    for part, share, most in ((found.test, test, 1), (found.dev, dev, 2)):
        counts = Counter(part.labels)
        assert all(abs(counts[label] - share * sizes[label]) <= most for label in sizes)
    assert abs(len(found.test.texts) - test * len(labels)) <= 0.51


def test_copies_do_not_spoil_the_proportions() -> None:
    given = [f"text {k}" for k in range(400)] + [f"text {k}" for k in range(60)]
    labels = ["rare" if int(text.split()[1]) % 10 == 0 else "usual" for text in given]
    for seed in range(5):
        counts = Counter(tercet.split(given, labels, seed=seed).test.labels)
        assert counts == pytest.approx({label: 0.2 * n for label, n in Counter(labels).items()}, abs=1)


@given(texts, st.data(), seeds)
def test_groups_stay_on_one_side_together_with_copies(given: list[str], data: st.DataObject, seed: int) -> None:
    groups = data.draw(st.lists(st.integers(0, 9), min_size=len(given), max_size=len(given)))
    documents = Documents(given, columns={"author": groups})
    try:
        found = tercet.split(documents, test=0.4, stratify=False, groups="author", seed=seed)
    except tercet.errors.InvalidOption:  # all documents hang together
        return
    sides = dict.fromkeys(found.positions.train.tolist(), "train") | dict.fromkeys(found.positions.test.tolist(), "test")
    for key in (given, groups):
        assert len({(value, sides[k]) for k, value in enumerate(key)}) == len(set(key))
    again = tercet.split(given, test=0.4, stratify=False, groups=np.array(groups), seed=seed)
    assert list_parts(again) == list_parts(found)


def test_a_seed_draws_again() -> None:
    given, labels = [f"text {k}" for k in range(50)], list("ab") * 25
    drawn = [tercet.split(given, labels, seed=seed).test.texts for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


@given(st.lists(st.sampled_from("abc"), min_size=12, max_size=40), st.integers(2, 5))
def test_every_takes_each_nth_document_of_a_label(labels: list[str], every: int) -> None:
    given = [f"text {k % 7}" for k in range(len(labels))]
    found = tercet.split(given, labels, every=every)
    seen: Counter[str] = Counter()
    expected = []
    for k, label in enumerate(labels):
        expected += [k] if seen[label] % every == 0 else []
        seen[label] += 1
    assert found.positions.test.tolist() == expected
    learned = set(found.train.texts)
    assert found.n_leaks == sum(text in learned for text in found.test.texts)
    whole = tercet.split(given, every=every, stratify=False)
    assert whole.positions.test.tolist() == list(range(0, len(labels), every))


def test_a_split_unpacks_into_the_parts_that_were_asked_for() -> None:
    given, labels = [f"text {k}" for k in range(20)], list("ab") * 10
    train, test = tercet.split(given, labels)
    assert (len(train.texts), len(test.texts)) == (16, 4)
    train, dev, test = tercet.split(given, labels, test=0.2, dev=0.1)
    assert (len(train.texts), len(dev.texts), len(test.texts)) == (14, 2, 4)
    assert tercet.split(given, labels).dev is None
    assert repr(tercet.split(given, labels)) == "DocumentSplit(16 train, 4 test documents; no copies)"
    twice = tercet.split([*given, "text 0"], [*labels, "a"])
    assert "2 have copies, which are on the same side" in repr(twice)
    assert "a copy is in train" in repr(tercet.split(["so"] * 4, list("abab"), every=2))


def test_copies_may_have_sides_of_their_own() -> None:
    found = tercet.split(["same text"] * 20, list("ab") * 10, copies="own")
    assert (len(found.train.texts), len(found.test.texts), found.n_copies, found.n_leaks) == (16, 4, 20, 4)


def test_a_stream_keeps_labels_weights_and_columns() -> None:
    batches = [Documents([f"text {k}"], [k % 2], [k / 2], {"id": [k]}) for k in range(20)]
    train, test = tercet.split(iter(batches), test=0.25)
    for part in (train, test):
        ids = part.columns["id"]
        assert part.texts == [f"text {k}" for k in ids]
        assert (part.labels, part.weights) == ([k % 2 for k in ids], [k / 2 for k in ids])
    assert len(test.texts) == 5


TEXTS, LABELS = [f"text {k}" for k in range(10)], list("ab") * 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": 0}, "test must be a share > 0 and < 1, got 0"),
        ({"test": 1.0}, "test must be a share > 0 and < 1, got 1.0"),
        ({"test": "0.2"}, "test must be a share > 0 and < 1, got '0.2'"),
        ({"test": 0.6, "dev": 0.4}, "dev=0.4, test=0.6 must be shares"),
        ({"every": 2, "dev": 0.5}, "dev=0.5, test=0.5 must be shares"),
        ({"dev": -0.1}, "must be shares"),
        ({"test": 0.01}, "no document of 10 is left for test"),
        ({"dev": 0.01}, "no document of 10 is left for dev"),
        ({"every": 1}, "every must be an int >= 2, got 1"),
        ({"every": 2.5}, "every must be an int"),
        ({"every": 2, "test": 0.2}, "test=0.2 and every=2 both say"),
        ({"every": 2, "groups": LABELS}, "would divide groups"),
        ({"groups": ["x"]}, "groups has 1 values for 10 documents"),
        ({"groups": "author"}, r"no column 'author' for groups, and no other column: read them with columns=\['author'\]"),
        (
            {"groups": ["one"] * 10},
            "no document of 10 is left for test: the shares are too small .*, or groups and copies are too large",
        ),
        ({"copies": "some"}, "copies must be one of own, all"),
        ({"seed": -1}, "seed must be an int >= 0"),
        ({"stratify": "yes"}, "stratify must be True or False"),
    ],
)
def test_a_split_that_leaves_nothing_or_is_not_clear_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TercetError, match=message):
        tercet.split(TEXTS, LABELS, **options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TEXTS,), "there are no labels"),
        ((TEXTS, LABELS[:3]), "10 texts and 3 labels"),
        (([], []), "no document of 0 is left"),
        (("text", ["a"]), "single str"),
        ((TEXTS, "ab" * 5), "must be a list with one label"),
        ((Documents(TEXTS, LABELS), LABELS), "labels of their own"),
    ],
)
def test_documents_that_can_not_be_split_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(TercetError, match=message):
        tercet.split(*arguments)

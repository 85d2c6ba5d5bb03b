"""Weights that score from the counts of a table: equal to derived weights in every bit, whatever happens to the table later."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st

from tercet.kernel import _native, reference

ONE = 1 << 20
WORDS: dict[str, Any] = {"form": "nfc", "lowercase": True, "strip_marks": False, "tokens": "words", "min_token_length": 1}
WORDS |= {"word_ngrams": [(1, 2)], "char_ngrams": [], "char_ngrams_over": "text"}
MANY_WORDS = " ".join(f"w{i}" for i in range(300))  # so that a few texts are not worth it to derive the weights
KINDS = ("multinomial", "binary")
SMOOTHINGS = {
    "additive": (0.3, 0.0, 1e-120),
    "jelinek_mercer": (0.1, 1.0),
    "dirichlet": (30.0,),
    "absolute_discount": (0.9, 1.0),
}
FORMULAS = [(kind, name, value) for kind in KINDS for name, values in SMOOTHINGS.items() for value in values]
FORMULAS += [("bernoulli", "additive", value) for value in (0.5, 0.0, 1e-120)] + [("complement", "additive", 0.5)]

texts = st.lists(st.sampled_from(["hen", "fox", "owl", "sat", "ran", "w1", "w2"]), max_size=6).map(" ".join)
weights = st.sampled_from([ONE, ONE, 2 * ONE, 3 * ONE, ONE // 3, 5 * ONE // 2 + 1])
Learned = list[tuple[str, int, int]]
some_documents: st.SearchStrategy[Learned] = st.lists(st.tuples(texts, st.integers(0, 1), weights), min_size=1, max_size=3)


class Step(NamedTuple):
    """Documents are added or subtracted, or a label comes or goes."""

    act: str
    documents: Learned
    place: int


steps = st.builds(
    Step, st.sampled_from(["add", "add", "subtract", "subtract", "grow", "drop"]), some_documents, st.integers(0, 3)
)


def integers(*numbers: int) -> Any:
    return np.array(numbers, np.int64)


def count(kernel: Any, documents: Learned, n_labels: int) -> Any:
    counter = kernel.TableCounter(kernel.Recipe(**WORDS), n_labels)
    listed, labels, units = zip(*documents, strict=True)
    counter.add(kernel.Texts(list(listed)), integers(*labels), integers(*units))
    return counter.take()


def change(kernel: Any, table: Any, step: Step) -> bool:
    """Change the table. The result is False if it refuses to."""
    n_labels = len(table.counts.n_documents())
    place, has_many = min(step.place, n_labels), np.bincount(table.counts.cells(np.arange(len(table)))[1]).argmax()
    if step.act == "grow":
        table.place_labels(integers(*(i + (i >= place) for i in range(n_labels))), n_labels + 1)
    elif step.act == "drop" and place < n_labels > 2 and place != has_many:
        table.place_labels(integers(*(-1 if i == place else i - (i > place) for i in range(n_labels))), n_labels - 1)
    elif step.act in ("add", "subtract"):
        other = count(kernel, step.documents, n_labels)
        return table.add(other) is None if step.act == "add" else bool(table.subtract(other))
    return True


def ask(kernel: Any, table: Any, made: Any, asked: list[str]) -> Any:
    return table.log_joint(made, kernel.Texts(asked), np.zeros(made.n_labels), 1)[0]


def make_model(kernel: Any, formula: tuple[str, str, float], **options: Any) -> Any:
    likelihood, smoothing, value = formula
    plain = {"open": True, "shared": False, "unknown_term": False, "min_documents": 0, "kept": None}
    return kernel.Model(likelihood=likelihood, smoothing=smoothing, value=value, **plain | options)


@pytest.mark.parametrize("formula", FORMULAS)
@given(
    st.lists(st.tuples(texts, st.integers(0, 1), weights), max_size=4),
    st.lists(steps, max_size=6),
    st.lists(texts, min_size=1, max_size=3),
    st.booleans(),
)
@some(0.5)
def test_scores_from_counts_are_those_of_derived_weights(
    formula: tuple[str, str, float], first: Learned, later: list[Step], asked: list[str], has_unknown: bool
) -> None:
    likelihood, smoothing, value = formula
    has_unknown = has_unknown and likelihood in KINDS and smoothing == "additive" and value > 0
    tables = {kernel: count(kernel, [(MANY_WORDS, 0, ONE), ("hen", 1, ONE), *first], 2) for kernel in (_native, reference)}
    models = {kernel: make_model(kernel, formula, unknown_term=has_unknown) for kernel in tables}
    made = []
    for step in [None, *later]:
        done = {kernel: step is None or change(kernel, table, step) for kernel, table in tables.items()}
        assert done[_native] == done[reference]
        live, plain = (tables[kernel].weigh(models[kernel]) for kernel in tables)
        derived = _native.Weights(tables[_native].counts, models[_native])
        # A label without documents, and smoothing 0: the kernel says -inf, and the formulas say nan.
        has_values = value > 0 or likelihood != "bernoulli" or bool(tables[_native].counts.n_documents().all())
        made.append((live, derived, plain if has_values else None, ask(_native, tables[_native], derived, asked)))
    for live, derived, plain, before in made:
        assert not live.is_derived
        scores = ask(_native, tables[_native], live, asked)
        assert scores.tobytes() == before.tobytes() == ask(_native, tables[_native], derived, asked).tobytes()
        if plain is not None:
            np.testing.assert_allclose(scores, ask(reference, tables[reference], plain, asked), rtol=1e-9, atol=1e-9)
    for live, derived, _, before in made:
        few = tables[_native].look_up(["hen", "fox", "w1", "w2 w3", "hen fox"])
        few = np.append(few[few < live.n_terms], -1)
        assert live.log_probabilities(few).tobytes() == derived.log_probabilities(few).tobytes()
        assert live.knows(few[few >= 0]).tolist() == derived.knows(few[few >= 0]).tolist()
        assert live.offset().tobytes() == derived.offset().tobytes()
        assert not live.is_derived
        terms = np.arange(-1, live.n_terms)
        assert live.log_probabilities(terms).tobytes() == derived.log_probabilities(terms).tobytes()
        assert live.is_derived
        assert live.offset().tobytes() == derived.offset().tobytes()
        assert live.knows(terms[1:]).tolist() == derived.knows(terms[1:]).tolist()
        assert ask(_native, tables[_native], live, asked).tobytes() == before.tobytes()


@pytest.mark.parametrize(
    "option", [{"shared": True}, {"min_documents": ONE}, {"kept": np.ones(9, np.uint8)}, {"pseudo_counts": np.ones(9)}]
)
def test_weights_of_some_terms_are_derived_at_once(option: dict[str, Any]) -> None:
    table = count(_native, [("a b c d e", 0, ONE)], 1)
    assert len(table) == 9
    formula = ("multinomial", "additive", 1.0)
    assert table.weigh(make_model(_native, formula, **option)).is_derived
    assert not table.weigh(make_model(_native, formula)).is_derived


def test_weights_are_derived_when_it_is_worth_it() -> None:
    table = count(_native, [(MANY_WORDS, 0, ONE), ("hen", 1, ONE)], 2)
    model = make_model(_native, ("binary", "absolute_discount", 0.9))
    one_by_one, at_once, elsewhere = (table.weigh(model) for _ in range(3))
    n_asked = 0
    while not one_by_one.is_derived:
        ask(_native, table, one_by_one, ["w1 w2 w3"])
        n_asked += 1
    assert 10 < n_asked < 30  # each reads five rows of one cell; there are 600 cells
    ask(_native, table, at_once, [MANY_WORDS])
    assert at_once.is_derived
    other = count(_native, [("hen fox", 0, ONE)], 2)
    ask(_native, other, elsewhere, ["hen"])  # the lock of the other table does not protect these counts
    assert elsewhere.is_derived


def test_counts_that_weights_read_change_only_with_their_table() -> None:
    table = count(_native, [(MANY_WORDS, 0, ONE)], 1)
    live = table.weigh(make_model(_native, ("binary", "absolute_discount", 0.9)))
    row = _native.Rows.from_matrix(integers(0, 1), integers(0), np.ones(1))
    for act in (
        lambda: table.counts.add_rows(row, integers(0), integers(0), integers(ONE)),
        lambda: table.counts.add(table.counts.copy()),
        lambda: table.counts.subtract(table.counts.copy()),
    ):
        with pytest.raises(ValueError, match="change the table instead"):
            act()
    del live
    table.counts.add_rows(row, integers(0), integers(0), integers(ONE))


@given(some_documents, st.lists(steps, max_size=5), some_documents)
def test_a_table_that_refuses_impossible_counts_is_the_reference(first: Learned, later: list[Step], gone: Learned) -> None:
    results: list[Any] = []
    for kernel in (_native, reference):
        table = count(kernel, first, 2)
        taken = []
        for step in later:
            if step.act in ("add", "subtract"):
                other = count(kernel, step.documents, 2)
                taken.append(table.add(other) if step.act == "add" else table.subtract(other, True))
        before = table.counts.n_documents().tolist()
        taken.append(table.subtract(count(kernel, gone, 2), True))
        assert taken[-1] or table.counts.n_documents().tolist() == before
        cells = table.counts.cells(table.order())[1:]
        results.append((taken, table.counts.n_met(), [each.tolist() for each in cells], table.counts.n_documents().tolist()))
        occurrences, documents = cells[1:]
        assert (documents <= occurrences).all()
        assert (documents <= table.counts.n_documents()[cells[0]]).all()
    assert results[0] == results[1]


@pytest.mark.parametrize("n_labels", [2, 3])
@given(data=st.data(), later=st.lists(steps, max_size=5))
@some(0.5)
def test_margins_leave_out_the_terms_that_are_forgotten(n_labels: int, data: st.DataObject, later: list[Step]) -> None:
    first = [("hen fox owl", 0, ONE), ("sat ran hen", 1, ONE)]
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    n_terms, asked = len(count(_native, first, 2)), data.draw(st.lists(texts, min_size=1, max_size=3))
    n_rows = data.draw(st.sampled_from([n_terms, 3]))
    layers = [
        (rng.normal(size=(n_rows, 1 if n_labels == 2 else 3)).astype(np.float32), rng.random(n_rows).astype(np.float32), *way)
        for way in (("log", "l2"), ("binary", "none"))
    ]
    rows = None if n_rows == n_terms else rng.integers(0, 3, n_terms).astype(np.uint32)
    blocks = data.draw(st.sampled_from([None, rng.integers(0, 3, n_terms).astype(np.uint8)]))
    results = []
    for kernel in (_native, reference):
        table, margins = count(kernel, first, 2), kernel.LinearWeights(layers, n_labels, rows, blocks)
        for step in [Step("subtract", first[:1], 0), *later]:
            if step.act in ("add", "subtract"):
                change(kernel, table, step)
        left = margins.without_forgotten(table.counts)
        terms = np.arange(n_terms)
        is_met = np.diff(table.counts.cells(terms)[0]) > 0
        assert left.knows(terms).tolist() == (margins.knows(terms) & is_met).tolist()
        assert left.values(terms).tolist() == np.where(is_met[:, None], margins.values(terms), left.values(terms) * 0).tolist()
        assert margins.knows(terms).all()  # they are not changed
        # The same as margins in which the forgotten terms have no weights.
        places = terms if rows is None else rows.astype(np.int64)
        taken = [
            (
                np.where(is_met[:, None], values[places], 0).astype(np.float32),
                np.where(is_met, factors[places], 0).astype(np.float32),
                *way,
            )
            for values, factors, *way in layers
        ]
        own_blocks = None if blocks is None else np.where(is_met, blocks, 0).astype(np.uint8)
        rebuilt = kernel.LinearWeights(taken, n_labels, None, own_blocks)
        scores = ask(kernel, table, left, asked)
        assert scores.tobytes() == ask(kernel, table, rebuilt, asked).tobytes()
        results.append(scores)
    np.testing.assert_allclose(*results, rtol=1e-9, atol=1e-12)

"""Scores: the native kernel's sums of parts are the formulas of the books, which the reference says directly."""

from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import some
from hypothesis import assume, given
from hypothesis import strategies as st

from tercet.kernel import _native, reference

ONE = 1 << 20
N_LABELS, N_TERMS = 3, 5

values = {
    "additive": st.sampled_from([1.0, 0.3, 0.001, 0.0]),
    "jelinek_mercer": st.sampled_from([0.1, 0.5, 0.98, 1.0]),
    "dirichlet": st.sampled_from([0.5, 30.0, 10000.0]),
    "absolute_discount": st.sampled_from([0.3, 0.9, 1.0]),
}
LIKELIHOODS = [(likelihood, smoothing) for likelihood in ("multinomial", "binary") for smoothing in values]
LIKELIHOODS += [("bernoulli", "additive"), ("complement", "additive")]

Row = dict[int, float]
counts = st.sampled_from([1.0, 2.0, 7.0, 0.5, 2.25, 1 / 3, 1e-7])
weights = st.sampled_from([ONE, 3 * ONE, ONE // 3, 5 * ONE // 2 + 1])
rows: st.SearchStrategy[Row] = st.dictionaries(st.integers(0, N_TERMS - 1), counts, max_size=N_TERMS)
# A document, and its weight under each label that has a copy of it.
documents = st.tuples(rows, st.dictionaries(st.integers(0, N_LABELS - 1), weights, max_size=N_LABELS))
collections = st.lists(documents, min_size=1, max_size=6)


@st.composite
def models(draw: st.DrawFn, likelihood: str, smoothing: str) -> dict[str, Any]:
    """What the options of `tercet.NaiveBayes` and of a `Categorizer` can ask for."""
    value = draw(values[smoothing].filter(lambda value: value > 0 or likelihood != "complement"))
    has_unknown = likelihood in ("multinomial", "binary") and smoothing == "additive" and value > 0
    kept = draw(st.none() | st.lists(st.integers(0, 1), min_size=N_TERMS, max_size=N_TERMS))
    takes_own = smoothing == "additive" and likelihood != "bernoulli" and value > 0
    own = st.lists(st.sampled_from([1e-9, 0.1, 1 / 3, 2.0, 1e9]), min_size=N_TERMS, max_size=N_TERMS)
    pseudo_counts = draw(st.none() | own) if takes_own else None
    return {
        "likelihood": likelihood,
        "smoothing": smoothing,
        "value": value,
        "open": draw(st.booleans()),
        "shared": draw(st.booleans()),
        "unknown_term": has_unknown and draw(st.booleans()),
        "min_documents": draw(st.sampled_from([0, ONE, 2 * ONE, ONE // 2])),
        "kept": None if kept is None else np.array(kept, np.uint8),
        "pseudo_counts": None if pseudo_counts is None else np.array(pseudo_counts),
    }


@st.composite
def candidates(draw: st.DrawFn, likelihood: str) -> list[dict[str, Any]]:
    """Models that differ in their smoothing alone, which is above 0."""
    one = draw(models(likelihood, "additive")) | {"pseudo_counts": None}
    ways = [way for kind, way in LIKELIHOODS if kind == likelihood and (way == "additive" or not one["unknown_term"])]
    return [one | {"smoothing": way, "value": draw(values[way]) or 0.5} for way in ways]


def integers(*numbers: int) -> Any:
    return np.array(numbers, np.int64)


def make_rows(kernel: Any, rows: list[Row]) -> Any:
    ends = np.cumsum([0, *map(len, rows)])
    return kernel.Rows.from_matrix(
        ends, integers(*(term for row in rows for term in row)), np.array([n for row in rows for n in row.values()], np.float64)
    )


def learn(kernel: Any, collection: Any) -> Any:
    counts = kernel.Counts(N_LABELS, N_TERMS)
    entries = [(row, label, weight) for row, copies in collection for label, weight in copies.items()]
    labels, weights = (integers(*(entry[i] for entry in entries)) for i in (1, 2))
    counts.add_rows(make_rows(kernel, [row for row, _, _ in entries]), np.arange(len(entries)), labels, weights)
    return counts


def assert_same(native: Any, plain: Any) -> None:
    assert native.shape == plain.shape
    assert native.dtype == plain.dtype
    np.testing.assert_allclose(native, plain, rtol=1e-9, atol=1e-9, equal_nan=False)


@pytest.mark.parametrize(("likelihood", "smoothing"), LIKELIHOODS)
@given(data=st.data())
@some(0.4)
def test_native_scores_are_those_of_the_formulas(likelihood: str, smoothing: str, data: st.DataObject) -> None:
    collection, others = data.draw(collections), data.draw(st.lists(rows, max_size=3))
    options = data.draw(models(likelihood, smoothing))
    if likelihood == "bernoulli" and options["value"] == 0:
        assume(learn(_native, collection).n_documents().all())  # or what stands below fails
    results = []
    for kernel in (_native, reference):
        model, counts = kernel.Model(**options), learn(kernel, collection)
        made = kernel.Weights(counts, model)
        counts.add(counts.copy())  # weights are made once
        parts = make_rows(kernel, [{}, *others]), make_rows(kernel, [row for row, _ in collection])
        rows_ = kernel.Rows.join([parts[0].pick(np.arange(len(parts[0]))[::-1].copy()), parts[1]])
        terms = np.arange(N_TERMS)
        scores = made.score(rows_, np.arange(len(rows_)))
        each = made.log_probabilities(np.arange(-1, N_TERMS))
        results.append((scores, made.offset(), made.knows(terms), each, made.n_counted(rows_)))
    native, plain = results
    assert native[2].tolist() == plain[2].tolist()
    assert native[2].dtype == plain[2].dtype
    assert_same(native[0], plain[0])
    if likelihood != "binary" or not options["unknown_term"]:  # half an unknown occurrence is none of a text
        assert_same(native[4], plain[4])
    if likelihood != "bernoulli" or options["value"] > 0:
        assert_same(native[1], plain[1])
        assert_same(native[3], plain[3])


@pytest.mark.parametrize("kernel", [_native, reference])
def test_a_label_without_documents_is_out_where_bernoulli_is_not_smoothed(kernel: Any) -> None:
    counts = learn(kernel, [({0: 1.0}, {0: ONE}), ({}, {0: ONE, 1: ONE})])
    options: dict[str, Any] = {"open": False, "shared": False, "unknown_term": False, "min_documents": 0, "kept": None}
    made = kernel.Weights(counts, kernel.Model(likelihood="bernoulli", smoothing="additive", value=0.0, **options))
    scores = made.score(make_rows(kernel, [{}]), integers(0))
    assert scores.tolist() == [[pytest.approx(np.log(0.5)), 0.0, -np.inf]]


given_numbers = st.sampled_from([0.0, 1.0, 0.5, 0.3, 1e-12, 1 - 1e-12]) | st.floats(0, 1)
given_tables = st.lists(st.lists(given_numbers, min_size=N_LABELS, max_size=N_LABELS), min_size=N_TERMS, max_size=N_TERMS)


@pytest.mark.parametrize("likelihood", ["multinomial", "binary", "bernoulli"])
@given(probabilities=given_tables, documents=st.lists(rows, min_size=1, max_size=4))
@some(0.4)
def test_native_scores_of_given_probabilities_are_those_of_the_formulas(
    likelihood: str, probabilities: list[list[float]], documents: list[Row]
) -> None:
    options = {"smoothing": "additive", "value": 0.0, "open": False, "shared": False, "unknown_term": False}
    scores, each = [], []
    for kernel in (_native, reference):
        model = kernel.Model(likelihood=likelihood, min_documents=0, kept=None, **options)
        made = kernel.Weights.from_probabilities(model, np.array(probabilities))
        scores.append(made.score(make_rows(kernel, documents), np.arange(len(documents))))
        each.append(made.log_probabilities(np.arange(-1, N_TERMS)))
    assert_same(*scores)
    assert_same(*each)


@pytest.mark.parametrize(("likelihood", "smoothing"), LIKELIHOODS)
@given(data=st.data())
@some(0.3)
def test_packed_weights_score_as_before(likelihood: str, smoothing: str, data: st.DataObject) -> None:
    collection, options = data.draw(collections), data.draw(models(likelihood, smoothing))
    options |= {"open": True, "value": options["value"] or 0.5}
    made = {kernel: kernel.Weights(learn(kernel, collection), kernel.Model(**options)) for kernel in (_native, reference)}
    terms = np.flatnonzero(made[_native].knows(np.arange(N_TERMS)))
    others = [{i: row[term] for i, term in enumerate(terms.tolist()) if term in row} for row, _ in collection]
    known = [{term: n for term, n in row.items() if term in terms} for row, _ in collection]
    expected = made[reference].score(make_rows(reference, known), np.arange(len(known)))
    for packer in (_native, reference):
        for kernel in (_native, reference):
            again = kernel.Weights.unpack(kernel.Model(**options), *made[packer].pack(terms))
            scores = again.score(make_rows(kernel, others), np.arange(len(others)))
            np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-4)
            unknown = again.log_probabilities(integers(-1))
            np.testing.assert_allclose(unknown, made[reference].log_probabilities(integers(-1)), rtol=1e-5, atol=1e-4)


def is_last_of_shared(options: dict[str, Any], collection: Any, taken: dict[int, int]) -> bool:
    """Whether a label loses all its documents, so that more terms are shared by the labels that are left.

    The kernel does not look beyond the terms of the document itself: who leaves a document out knows that.
    """
    if not options["shared"] or not options["open"]:
        return False
    n_documents = learn(_native, collection).n_documents()
    return any(n_documents[label] == weight for label, weight in taken.items())


@pytest.mark.parametrize(("likelihood", "smoothing"), LIKELIHOODS)
@given(data=st.data())
@some(0.4)
def test_leaving_a_document_out_is_learning_without_it(likelihood: str, smoothing: str, data: st.DataObject) -> None:
    collection, options = data.draw(collections), data.draw(models(likelihood, smoothing))
    if likelihood == "bernoulli":
        options["value"] = options["value"] or 0.5  # without smoothing nothing is left out of it
    taken = [{label: copies[label] for label in copies if data.draw(st.booleans())} for _, copies in collection]
    compared = [i for i, one in enumerate(taken) if not is_last_of_shared(options, collection, one)]
    starts = np.cumsum([0, *map(len, taken)])
    labels = integers(*(label for one in taken for label in one))
    weights_ = integers(*(weight for one in taken for weight in one.values()))
    results = []
    for kernel in (_native, reference):
        model, counts = kernel.Model(**options), learn(kernel, collection)
        rows_ = make_rows(kernel, [row for row, _ in collection])
        squares = kernel.sum_squares(weights_, np.arange(len(weights_)), len(weights_))
        results.append(kernel.LeftOut(counts, model).score(rows_, starts, labels, weights_, squares)[compared])
    assert_same(*results)


@pytest.mark.parametrize("likelihood", ["multinomial", "binary"])
@given(data=st.data())
def test_occurrences_left_out_are_as_likely_as_the_formula_says(likelihood: str, data: st.DataObject) -> None:
    collection, options = data.draw(collections), data.draw(candidates(likelihood))
    native, plain = (
        kernel.occurrence_likelihood(learn(kernel, collection), [kernel.Model(**one) for one in options])
        for kernel in (_native, reference)
    )
    assert native == pytest.approx(plain, rel=1e-9, abs=1e-4)  # the kernel sums in units of 2⁻²⁰


@pytest.mark.parametrize("likelihood", ["multinomial", "binary", "bernoulli", "complement"])
@given(data=st.data(), prior=st.none() | st.lists(st.sampled_from([-0.5, -2.0, 0.0]), min_size=N_LABELS, max_size=N_LABELS))
@some(0.5)
def test_labels_left_out_are_as_likely_as_the_scores_say(likelihood: str, data: st.DataObject, prior: Any) -> None:
    collection, options = data.draw(collections), data.draw(candidates(likelihood))
    learned: list[Any] = [(row, *copy) for row, copies in collection for copy in copies.items()]
    labels, weights_ = (integers(*(one[i] for one in learned)) for i in (1, 2))
    results = []
    for kernel in (_native, reference):
        models_ = [kernel.Model(**one) for one in options]
        rows_ = make_rows(kernel, [row for row, _, _ in learned])
        given_prior = None if prior is None else np.array(prior)
        results.append(kernel.label_likelihood(learn(kernel, collection), models_, rows_, labels, weights_, given_prior))
    np.testing.assert_allclose(results[0], results[1], rtol=1e-9, atol=1e-4)


large_weights = st.integers(1, 1 << 60) | st.sampled_from([1, ONE, (1 << 32) - 1, 1 << 32, 1 << 60])


@given(st.lists(st.tuples(large_weights, st.integers(0, 2)), max_size=6))
def test_squares_are_summed_without_rounding(weighted: list[tuple[int, int]]) -> None:
    weights_, places = (integers(*(one[i] for one in weighted)) for i in (0, 1))
    expected = [sum(weight**2 for weight, place in weighted if place == i) for i in range(3)]
    for kernel in (_native, reference):
        sums = kernel.sum_squares(weights_, places, 3).tolist()
        assert [(high << 64) + low for high, low in sums] == expected


def test_left_out_scores_are_the_same_for_any_number_of_threads() -> None:
    rng, n = np.random.default_rng(0), 300
    labels, weights = rng.integers(0, N_LABELS, n), rng.integers(1, 3 * ONE, n)
    learned = [{int(term): 1.0 + i % 3 for term in rng.integers(0, N_TERMS, 3)} for i in range(n)]
    counts, rows = _native.Counts(N_LABELS, N_TERMS), make_rows(_native, learned)
    counts.add_rows(rows, np.arange(n), labels, weights)
    options: dict[str, Any] = {"open": True, "shared": False, "unknown_term": False, "min_documents": 0, "kept": None}
    squares = _native.sum_squares(weights, np.arange(n), n)
    for likelihood, smoothing in LIKELIHOODS:
        model = _native.Model(likelihood=likelihood, smoothing=smoothing, value=0.5, **options)
        results = []
        for threads in (1, 3):
            scores = _native.LeftOut(counts, model).score(rows, np.arange(n + 1), labels, weights, squares, threads)
            likelihoods = _native.label_likelihood(counts, [model], rows, labels, weights, None, threads)
            results.append((scores.tolist(), likelihoods.tolist()))
        assert results[0] == results[1]


@pytest.mark.parametrize("kernel", [_native, reference])
def test_pseudo_counts_that_do_not_fit_are_refused(kernel: Any) -> None:
    plain: dict[str, Any] = {"open": True, "shared": False, "unknown_term": False, "min_documents": 0, "kept": None}
    additive = plain | {"likelihood": "multinomial", "smoothing": "additive", "value": 1.0}
    for change in (
        *({"pseudo_counts": np.array([1.0, bad, 1.0, 1.0, 1.0])} for bad in (0.0, -1.0, np.nan, np.inf)),
        {"likelihood": "bernoulli", "pseudo_counts": np.ones(N_TERMS)},
        {"smoothing": "dirichlet", "pseudo_counts": np.ones(N_TERMS)},
        {"value": 0.0, "pseudo_counts": np.ones(N_TERMS)},
    ):
        with pytest.raises(ValueError, match="pseudo-count"):
            kernel.Model(**additive | change)
    counts = learn(kernel, [({0: 1.0}, {0: ONE})])
    with pytest.raises(ValueError, match="each term needs a pseudo-count"):
        kernel.Weights(counts, kernel.Model(**additive, pseudo_counts=np.ones(N_TERMS + 1)))
    with pytest.raises(ValueError, match="same pseudo-count"):
        kernel.occurrence_likelihood(counts, [kernel.Model(**additive, pseudo_counts=np.ones(N_TERMS))])


WAYS = st.tuples(st.sampled_from(["raw", "log", "binary"]), st.sampled_from(["none", "l1", "l2"]))


@pytest.mark.parametrize("n_labels", [2, 3])
@given(data=st.data(), ways=st.lists(WAYS, min_size=1, max_size=3), in_blocks=st.booleans())
def test_margins_of_rows_are_sums_of_shares(
    n_labels: int, data: st.DataObject, ways: list[tuple[str, str]], in_blocks: bool
) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    every = st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=N_TERMS, max_size=N_TERMS)
    layers = []
    for damping, norm in ways:
        values = rng.normal(size=(N_TERMS, 1 if n_labels == 2 else n_labels)).astype(np.float32)
        layers.append((values, np.array(data.draw(every), np.float32), damping, norm))
    blocks = rng.integers(0, 3, N_TERMS).astype(np.uint8) if in_blocks else None
    is_known = np.any([factors != 0 for _, factors, _, _ in layers], axis=0).tolist()
    drawn = data.draw(st.lists(rows, min_size=1, max_size=4))
    results = []
    for kernel in (_native, reference):
        weights, made = kernel.LinearWeights(layers, n_labels, None, blocks), make_rows(kernel, drawn)
        shares = [weights.share(integers(*row), np.array([*row.values()], np.float64)) for row in drawn]
        scores = weights.score(made, np.arange(len(drawn)), 2)
        assert scores == pytest.approx(np.array([share.sum(axis=0) for share in shares]), rel=1e-12, abs=1e-12)
        results.append([scores, *shares, *made.arrays(), weights.values(np.arange(N_TERMS))])
        assert weights.knows(np.arange(N_TERMS)).tolist() == is_known
        places = np.array(data.draw(st.permutations(range(N_TERMS))), np.uint32)
        order = np.argsort(places)
        moved = [(values[order], factors[order], *way) for values, factors, *way in layers]
        placed = kernel.LinearWeights(moved, n_labels, places, blocks)
        assert placed.score(made, np.arange(len(drawn)), 2).tolist() == scores.tolist()
        assert placed.values(np.arange(N_TERMS)).tolist() == weights.values(np.arange(N_TERMS)).tolist()
        assert placed.knows(np.arange(N_TERMS)).tolist() == is_known
    for native, plain in zip(*results, strict=True):
        assert native.shape == plain.shape
        assert native == pytest.approx(plain, rel=1e-12, abs=1e-12)
    for inverse in (None, layers[0][1].astype(np.float64)):
        arrays = made.arrays()
        weighed = [kernel.weigh_counts(*arrays, inverse, *ways[0], blocks, 2) for kernel in (_native, reference)]
        assert weighed[0] == pytest.approx(weighed[1], rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("kernel", [_native, reference])
def test_the_score_of_several_layers_is_the_sum_of_their_scores(kernel: Any) -> None:
    rng = np.random.default_rng(0)
    blocks, made = np.array([0, 1] * N_TERMS, np.uint8)[:N_TERMS], make_rows(kernel, [{0: 2.0, 1: 1.0, 2: 3.0}, {1: 1.0}])
    layers = [
        (rng.normal(size=(N_TERMS, 3)).astype(np.float32), rng.random(N_TERMS).astype(np.float32), *way)
        for way in (("binary", "none"), ("log", "l2"))
    ]
    each = [kernel.LinearWeights([layer], 3, None, blocks).score(made, np.arange(2)) for layer in layers]
    assert kernel.LinearWeights(layers, 3, None, blocks).score(made, np.arange(2)) == pytest.approx(sum(each), rel=1e-12)


@pytest.mark.parametrize("kernel", [_native, reference])
def test_each_block_of_a_document_has_the_length_1(kernel: Any) -> None:
    columns, counts, blocks = np.arange(3, dtype=np.int32), np.array([3.0, 4.0, 2.0]), np.array([0, 0, 1], np.uint8)
    weighed = kernel.weigh_counts(integers(0, 3), columns, counts, None, "raw", "l2", blocks)
    assert weighed.tolist() == [0.6, 0.8, 1.0]
    with pytest.raises(IndexError):
        kernel.weigh_counts(integers(0, 3), columns, counts, None, "raw", "l2", blocks[:2])


@pytest.mark.parametrize("kernel", [_native, reference])
def test_terms_may_share_a_row_of_margins(kernel: Any) -> None:
    layers = [(np.array([[1.0], [-4.0]], np.float32), np.array([1.0, 0.5], np.float32), "raw", "none")]
    weights = kernel.LinearWeights(layers, 2, np.array([1, 0, 1], np.uint32))
    assert weights.n_terms == 3
    assert weights.values(np.arange(3)).tolist() == [[1.0, -1.0], [-0.5, 0.5], [1.0, -1.0]]
    with pytest.raises(IndexError, match="no such row"):
        kernel.LinearWeights(layers, 2, np.array([2], np.uint32))
    with pytest.raises(ValueError, match="rows without terms"):
        kernel.LinearWeights(layers, 2, np.zeros(0, np.uint32))
    with pytest.raises(ValueError, match="block"):
        kernel.LinearWeights(layers, 2, None, np.zeros(1, np.uint8))
    with pytest.raises(ValueError, match="no weights"):
        kernel.LinearWeights([], 2)


def test_what_can_not_be_weighed_is_refused() -> None:
    ends, columns, counts = integers(0, 1), np.zeros(1, np.int32), np.ones(1)
    for kernel in (_native, reference):
        for bad in [(ends, columns + 1, counts), (ends, columns - 1, counts)]:
            with pytest.raises(IndexError):
                kernel.weigh_counts(*bad, np.ones(1), "raw", "l2")
        for bad in [(ends, columns, counts * np.nan), (integers(0, 2), columns, counts), (ends, columns, np.ones(2))]:
            with pytest.raises(ValueError, match=r"CSR|finite|value|starts"):
                kernel.weigh_counts(*bad, None, "raw", "l2")
        with pytest.raises(ValueError, match="l3"):
            kernel.weigh_counts(ends, columns, counts, None, "raw", "l3")


@pytest.mark.parametrize("kernel", [_native, reference])
def test_terms_that_came_later_are_unknown(kernel: Any) -> None:
    counts = learn(kernel, [({0: 1.0, 1: 2.0}, {0: ONE}), ({1: 1.0}, {1: ONE})])
    plain: dict[str, Any] = {
        "likelihood": "multinomial",
        "smoothing": "additive",
        "value": 1.0,
        "min_documents": 0,
        "kept": None,
    }
    model = kernel.Model(**plain, open=True, shared=False, unknown_term=True)
    margins = kernel.LinearWeights([(np.ones((2, 1), np.float32), np.ones(2, np.float32), "raw", "none")], 2)
    later, never = make_rows(kernel, [{0: 1.0, 9: 3.0}]), make_rows(kernel, [{0: 1.0, 2: 3.0}])
    weights = kernel.Weights(counts, model)
    assert weights.score(later, integers(0)).tolist() == weights.score(never, integers(0)).tolist()
    assert weights.n_counted(later).tolist() == weights.n_counted(never).tolist() == [4.0]
    assert margins.score(later, integers(0)).tolist() == [[-0.5, 0.5]]


@given(data=st.data(), n_models=st.integers(1, 3), n_margins=st.integers(1, 4), has_mix=st.booleans())
def test_the_values_of_models_are_mixed_into_the_first(
    data: st.DataObject, n_models: int, n_margins: int, has_mix: bool
) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    models = [rng.choice([0.0, 1.5, -2.25], (5, n_margins)).astype(np.float32) for _ in range(n_models)]
    weights, mixes = rng.random(n_models), [rng.normal(size=(n_margins, n_margins)) for _ in range(n_models)]
    expected = sum(
        weight * values + (values @ mix if has_mix else 0) for weight, values, mix in zip(weights, models, mixes, strict=True)
    )
    for kernel in (_native, reference):
        copies = [values.copy() for values in models]
        kernel.mix_values(copies, weights, mixes if has_mix else None, 2)
        assert copies[0] == pytest.approx(expected, rel=1e-6, abs=1e-6)
        assert all((ours == theirs).all() for ours, theirs in zip(copies[1:], models[1:], strict=True))


@pytest.mark.parametrize("kernel", [_native, reference])
def test_models_that_do_not_fit_are_not_mixed(kernel: Any) -> None:
    values = np.ones((2, 1), np.float32)
    for models, weights, mixes in [
        ([], 0, None),
        ([values], 2, None),
        ([values, values[:1]], 2, None),
        ([values], 1, [np.ones((2, 2))]),
    ]:
        with pytest.raises(ValueError, match=r"weight|shapes|mix"):
            kernel.mix_values(models, np.ones(weights), mixes)

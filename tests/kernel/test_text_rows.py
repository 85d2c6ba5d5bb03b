"""Margins on compact rows: native equals reference, order and threads change nothing, and liblinear finds the same optimum."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

from tercet.kernel import _native, reference

LOSSES = ["hinge", "squared_hinge", "logistic"]
over_losses = pytest.mark.parametrize("loss", LOSSES)
over_engines = pytest.mark.parametrize("engine", [_native, reference])
over_ratios = pytest.mark.parametrize("ratios", [False, True])
over_labels = pytest.mark.parametrize("n_labels", [2, 3, 5, 9, 17])
PASSES = (1.0, 1e-9, 20000, 3)  # with so small a tolerance the kernel computes with 64 bits
SHORT_PASSES = (1.0, 1e-4, 2000, 3)  # with 32 bits


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Few documents, some empty, some without weight; some terms that one document has alone; up to three blocks."""
    n, n_terms, n_labels = draw(st.integers(1, 7)), draw(st.integers(1, 8)), draw(st.integers(2, 4))
    rows = [draw(st.lists(st.integers(0, n_terms - 1), unique=True)) for _ in range(n)]
    terms = [term for row in rows for term in row]
    counts = st.sampled_from([1.0, 1.0, 2.0, 3.0, 31.0, 32.0, 700.0])

    def draw_array(values: st.SearchStrategy[Any], size: int, dtype: Any) -> Any:
        return np.array(draw(st.lists(values, min_size=size, max_size=size)), dtype)

    return {
        "rows": (np.cumsum([0, *map(len, rows)]), np.array(terms, np.int64), draw_array(counts, len(terms), float)),
        "n_terms": n_terms,
        "blocks": draw_array(st.integers(0, 2), n_terms, np.uint8) if draw(st.booleans()) else None,
        "order": np.array(draw(st.permutations(range(n))), np.int64),
        "codes": draw_array(st.integers(0, n_labels - 1), n, np.int64),
        "weights": draw_array(st.sampled_from([1.0, 1.0, 0.0, 2.5]), n, float),
        "label_weights": draw_array(st.sampled_from([1.0, 0.5, 3.0, 0.0]), n_labels, float),
        "factors": draw_array(st.sampled_from([1.0, 0.0, 2.0, 0.5]), n_terms, np.float32),
        "damping": draw(st.sampled_from(["raw", "log", "binary"])),
        "norm": draw(st.sampled_from(["l2", "l1"])),
        "by_block": draw(st.booleans()),
    }


def make_rows(engine: Any, drawn: dict[str, Any]) -> Any:
    rows = engine.TextRows(drawn["n_terms"], drawn["blocks"])
    rows.append(engine.Rows.from_matrix(*drawn["rows"]), 2)
    rows.finish(drawn["order"])
    return rows


def fit(engine: Any, drawn: dict[str, Any], loss: str, *, ratios: bool, passes: Any = PASSES, start: Any = None) -> Any:
    rows = make_rows(engine, drawn)
    found = rows.count_documents(drawn["weights"]) > 0  # a term that no document has is not used
    factors = ((drawn["factors"] > 0) if ratios else drawn["factors"]).astype(np.float32) * found
    norm = "none" if ratios else drawn["norm"]
    damping = "binary" if ratios else drawn["damping"]
    frequencies = (rows.count_documents(drawn["weights"]), 0.5, 0.25) if ratios else None
    weighing = factors, damping, norm, drawn["by_block"], rows.n_blocks
    places = np.arange(len(rows))
    head = drawn["codes"], drawn["weights"], drawn["label_weights"], 0.7
    return rows.fit_margins(*head, weighing, frequencies, loss, passes, start, places, True, 2)


@over_losses
@over_ratios
@given(drawn=documents())
@settings(max_examples=25)
def test_native_margins_are_those_of_the_reference(drawn: dict[str, Any], loss: str, ratios: bool) -> None:
    ours, theirs = (fit(engine, drawn, loss, ratios=ratios) for engine in (_native, reference))
    for a, b in zip((ours[0], ours[1], ours[5]), (theirs[0], theirs[1], theirs[5]), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3)


@over_losses
@given(drawn=documents())
@settings(max_examples=25)
def test_margins_in_32_bits_are_close(drawn: dict[str, Any], loss: str) -> None:
    ours = fit(_native, drawn, loss, ratios=False, passes=SHORT_PASSES)
    theirs = fit(reference, drawn, loss, ratios=False)
    np.testing.assert_allclose(ours[5], theirs[5], rtol=0.1, atol=0.1)


@over_losses
@over_ratios
@given(drawn=documents())
@settings(max_examples=25)
def test_a_start_leads_to_the_same_margins(drawn: dict[str, Any], loss: str, ratios: bool) -> None:
    partly = drawn | {"weights": drawn["weights"] * (np.arange(len(drawn["codes"])) % 2)}
    start = fit(_native, partly, loss, ratios=ratios)[2]
    cold, warm = fit(_native, drawn, loss, ratios=ratios), fit(_native, drawn, loss, ratios=ratios, start=start)
    np.testing.assert_allclose(warm[5], cold[5], rtol=2e-3, atol=2e-3)


@given(drawn=documents())
@settings(max_examples=50)
def test_native_rows_make_the_matrix_of_the_reference(drawn: dict[str, Any]) -> None:
    def make(engine: Any) -> Any:
        rows = make_rows(engine, drawn)
        weighing = drawn["factors"], drawn["damping"], drawn["norm"], drawn["by_block"], 1
        ends, terms, values = rows.matrix(np.arange(len(rows))[::-1].copy(), weighing)
        return csr_matrix((values, terms, ends), (len(rows), drawn["n_terms"])).toarray()

    np.testing.assert_allclose(make(_native), make(reference), rtol=1e-12)


def make_texts(n_labels: int, n: int = 120, n_terms: int = 150) -> dict[str, Any]:
    rng = np.random.default_rng(n_labels)
    codes = rng.integers(0, n_labels, n)
    counts = rng.poisson(0.03 + 1.5 * (np.arange(n_terms) % (3 * n_labels) == codes[:, None]), (n, n_terms))
    X = csr_matrix(counts)
    return {
        "rows": (X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data.astype(float)),
        "n_terms": n_terms,
        "blocks": (np.arange(n_terms) % 3 == 0).astype(np.uint8),
        "order": np.arange(n),
        "codes": codes,
        "weights": np.where(np.arange(n) % 10 == 0, 0.0, 1.0),
        "label_weights": np.ones(n_labels),
        "factors": rng.uniform(0.5, 2, n_terms).astype(np.float32),
        "damping": "log",
        "norm": "l2",
        "by_block": True,
    }


@over_labels
def test_liblinear_finds_the_same_margins(n_labels: int) -> None:
    drawn = make_texts(n_labels)
    rows = make_rows(_native, drawn)
    factors = drawn["factors"] * (rows.count_documents(drawn["weights"]) > 0)
    ends, terms, values = rows.matrix(np.arange(len(rows)), (factors, "log", "l2", True, 2))
    X = csr_matrix((values, terms, ends), (len(rows), drawn["n_terms"]))
    theirs = LinearSVC(C=0.7, tol=1e-9, max_iter=10**6).fit(X, drawn["codes"], drawn["weights"])
    scores = theirs.decision_function(X).reshape(len(rows), -1)
    for passes, tolerance in ((PASSES, 1e-3), (SHORT_PASSES, 0.03)):
        np.testing.assert_allclose(fit(_native, drawn, "squared_hinge", ratios=False, passes=passes)[5], scores, atol=tolerance)


@over_labels
@over_ratios
def test_threads_change_no_bit(n_labels: int, ratios: bool) -> None:
    drawn = make_texts(n_labels)
    rows = make_rows(_native, drawn)
    weighing = np.ones(drawn["n_terms"], np.float32), "binary", "none", False, 2
    documents = (rows.count_documents(drawn["weights"]), 0.5, 0.25) if ratios else None
    head = drawn["codes"], drawn["weights"], drawn["label_weights"], 1.0
    one, *more = [
        rows.fit_margins(*head, weighing, documents, "squared_hinge", SHORT_PASSES, None, np.arange(5), True, threads)
        for threads in (1, 2, 5)
    ]
    for fitted in more:
        assert [a.tobytes() for a in fitted] == [a.tobytes() for a in one]


@over_labels
@over_ratios
def test_numbers_of_terms_and_order_of_arrival_change_no_bit(n_labels: int, ratios: bool) -> None:
    drawn = make_texts(n_labels)
    rng = np.random.default_rng(0)
    numbers, arrival = rng.permutation(drawn["n_terms"]), rng.permutation(len(drawn["codes"]))
    ends, terms, counts = drawn["rows"]
    parts = [slice(ends[i], ends[i + 1]) for i in arrival]
    moved = drawn | {
        "rows": (
            np.cumsum([0, *(part.stop - part.start for part in parts)]),
            np.concatenate([numbers[terms[part]] for part in parts]),
            np.concatenate([counts[part] for part in parts]),
        ),
        "order": np.argsort(arrival),
        "blocks": drawn["blocks"][np.argsort(numbers)],
        "factors": drawn["factors"][np.argsort(numbers)],
    }
    ours, theirs = (fit(_native, each, "squared_hinge", ratios=ratios, passes=SHORT_PASSES) for each in (drawn, moved))
    assert ours[0].tobytes() == theirs[0][numbers].tobytes()
    assert [a.tobytes() for a in ours[1:]] == [a.tobytes() for a in theirs[1:]]


@over_labels
def test_the_scores_are_sums_of_the_values(n_labels: int) -> None:
    drawn = make_texts(n_labels)
    values, bias, *_, scores = fit(_native, drawn, "squared_hinge", ratios=True, passes=SHORT_PASSES)
    ends, terms, counts = drawn["rows"]
    X = csr_matrix((np.ones_like(counts), terms, ends), (len(ends) - 1, drawn["n_terms"]))
    held = drawn["weights"] == 0
    np.testing.assert_allclose((X @ values + bias)[held], scores[held], atol=1e-4)


BAD_TEXTS: dict[str, dict[str, Any]] = {
    "a label too high": {"codes": np.array([0, 2])},
    "a label too few": {"codes": np.array([0])},
    "a weight below 0": {"weights": np.array([1.0, -1.0])},
    "one label": {"label_weights": np.ones(1)},
    "nan": {"label_weights": np.array([1.0, np.nan])},
    "no cost": {"cost": 0.0},
    "a factor too few": {"weighing": (np.ones(1, np.float32), "log", "l2", False, 1)},
    "an infinite factor": {"weighing": (np.array([1, np.inf], np.float32), "log", "l2", False, 1)},
    "an unknown damping": {"weighing": (np.ones(2, np.float32), "square", "l2", False, 1)},
    "an unknown norm": {"weighing": (np.ones(2, np.float32), "log", "l3", False, 1)},
    "no block": {"weighing": (np.ones(2, np.float32), "log", "l2", False, 0)},
    "a block too many": {"weighing": (np.ones(2, np.float32), "log", "l2", False, 2)},
    "a ratio too few": {"ratios": (np.ones(1), 0.5, 0.25)},
    "no smoothing": {"ratios": (np.ones(2), 0.0, 0.25)},
    "a beta too high": {"ratios": (np.ones(2), 0.5, 1.5)},
    "an unknown loss": {"loss": "softmax"},
    "no passes": {"passes": (1.0, 0.1, 0, 0)},
    "a start too short": {"start": np.zeros((1, 1))},
    "no such document": {"scored": np.array([2])},
}


@over_engines
@pytest.mark.parametrize("name", BAD_TEXTS)
def test_bad_arguments_are_refused(engine: Any, name: str) -> None:
    rows = engine.TextRows(2, None)
    rows.append(engine.Rows.from_matrix(np.array([0, 1, 2]), np.array([0, 1]), np.ones(2)))
    rows.finish(np.array([1, 0]))
    good: dict[str, Any] = {
        "codes": np.array([0, 1]),
        "weights": np.ones(2),
        "label_weights": np.ones(2),
        "cost": 1.0,
        "weighing": (np.ones(2, np.float32), "log", "l2", False, 1),
        "ratios": None,
        "loss": "hinge",
        "passes": (1.0, 0.1, 9, 0),
        "start": None,
        "scored": np.zeros(0, np.int64),
        "wants_values": True,
    }
    rows.fit_margins(**good)
    with pytest.raises((ValueError, IndexError)):
        rows.fit_margins(**good | BAD_TEXTS[name])


@over_engines
def test_bad_rows_are_refused(engine: Any) -> None:
    with pytest.raises(ValueError, match="block"):
        engine.TextRows(3, np.zeros(2, np.uint8))
    rows = engine.TextRows(1, None)
    with pytest.raises(IndexError):
        rows.append(engine.Rows.from_matrix(np.array([0, 1]), np.array([1]), np.ones(1)))
    rows.append(engine.Rows.from_matrix(np.array([0, 1]), np.array([0]), np.ones(1)))
    for order in ([], [1], [0, 0]):
        with pytest.raises((ValueError, IndexError)):
            rows.finish(np.array(order, np.int64))

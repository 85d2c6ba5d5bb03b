"""The native sentence encoder gives the bytes of the reference: any sizes and weights, in any batch, with any threads."""

import numpy as np
import pytest
from helpers.invented_encoders import Sizes, invent_encoder
from hypothesis import given
from hypothesis import strategies as st

from tercet.kernel import engine, is_native, reference
from tercet.kernel.vectors.encoder_layers import compute_tanh, round_to_bytes
from tercet.text.vectors.text_encoder import join_pieces

pytestmark = pytest.mark.skipif(not is_native, reason="compares the native kernel with the reference")

small = st.integers(1, 6)
any_sizes = st.builds(
    Sizes,
    n_pieces=st.integers(1, 20),
    n_chunks=small,
    width=st.integers(1, 40),
    branch_width=st.integers(1, 35),
    windows=st.lists(
        st.integers(1, 5).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1))), min_size=1, max_size=4
    ).map(tuple),
    blocks=st.lists(st.tuples(small, st.integers(1, 20)), min_size=1, max_size=3).map(tuple),
    output=st.integers(1, 20),
)
any_size = st.sampled_from([0.1, 0.5, 3.0, 1e15, 1e38])  # with the last two, sums overflow
any_texts = st.lists(st.lists(st.integers(0, 2**31), max_size=9), max_size=9)


def choose_pieces(texts, n_pieces):
    return [[number % n_pieces for number in text] for text in texts]


@given(any_sizes, st.integers(0, 2**32), any_size, any_texts)
def test_native_gives_the_bytes_of_the_reference(sizes, seed, size, texts):
    arrays = invent_encoder(sizes, seed, size)
    pieces = join_pieces(choose_pieces(texts, sizes.n_pieces))
    native = engine.SentenceEncoder(**arrays).encode(*pieces)
    plain = reference.SentenceEncoder(**arrays).encode(*pieces)
    assert native.dtype == plain.dtype == np.int8
    assert native.tolist() == plain.tolist()


@pytest.mark.parametrize("seed", range(10))
def test_every_sum_has_the_order_of_the_reference(seed):
    """The output is orthogonal to the features, so that only their rounding errors are left: each of them is seen."""
    sizes = Sizes(width=20, branch_width=20, output=30, blocks=((20, 60),))
    arrays, ids = invent_encoder(sizes, seed), np.random.default_rng(seed).integers(0, sizes.n_pieces, 6)
    features = reference.SentenceEncoder(**arrays).find_features(ids).astype(np.float64).sum(0)
    direction = features[:, None] / np.linalg.norm(features)
    arrays["output"] = (arrays["output"] - direction * (direction.T @ arrays["output"])).astype(np.float32)
    arrays["output_bias"] = np.zeros(sizes.output, np.float32)
    native, plain = (which.SentenceEncoder(**arrays).encode(ids, np.array([0, 6])) for which in (engine, reference))
    assert native.tolist() == plain.tolist()


def test_means_are_added_as_eight_sums():
    """Numbers that are huge cancel each other only in the order of the specification. Then the small ones count."""
    arrays = invent_encoder(Sizes(width=1, branch_width=24, windows=((1, 0),)), 5)
    small = np.ones(24, bool)
    small[[0, 1, 2, 10]] = False
    bias = np.linspace(1, 2, 24, dtype=np.float32)
    bias[[0, 2]], bias[[1, 10]] = 1e30, -1e30  # 0 and 1 are in neighbouring sums, 2 and 10 in the same
    arrays["projection"] = np.zeros((1, 24), np.float32)
    arrays["projection_bias"] = bias
    arrays["projection_norm"] = np.where(small, np.float32(1e30), np.float32(0)), np.zeros(24, np.float32)
    native, plain = (which.SentenceEncoder(**arrays).encode(*join_pieces([[1, 2]])) for which in (engine, reference))
    assert native.tolist() == plain.tolist()


@given(st.integers(0, 2**32), any_texts, st.integers(2, 5))
def test_a_text_has_the_same_bytes_alone_and_among_others(seed, texts, threads):
    sizes = Sizes(width=33, branch_width=17)
    encoder = engine.SentenceEncoder(**invent_encoder(sizes, seed))
    texts = choose_pieces(texts, sizes.n_pieces)
    together = encoder.encode(*join_pieces(texts), threads)
    alone = [encoder.encode(*join_pieces([text]))[0].tolist() for text in texts]
    assert together.tolist() == alone


@pytest.mark.parametrize("n_tokens", [255, 256, 257, 511, 512, 513, 1000])
def test_a_text_that_is_longer_than_a_batch_has_the_bytes_of_the_reference(n_tokens):
    arrays = invent_encoder(Sizes(windows=((2, 0), (3, 1), (5, 2), (4, 3))), 3)
    random = np.random.default_rng(n_tokens)
    pieces = join_pieces([[1, 2], random.integers(0, 9, n_tokens).tolist(), [], [3]])
    native, plain = (which.SentenceEncoder(**arrays).encode(*pieces, 2) for which in (engine, reference))
    assert native.tolist() == plain.tolist()


def test_many_texts_have_the_same_bytes_with_any_number_of_threads():
    encoder = engine.SentenceEncoder(**invent_encoder())
    random = np.random.default_rng(1)
    pieces = join_pieces([random.integers(0, 9, n % 13).tolist() for n in range(2000)])
    one = encoder.encode(*pieces, 1)
    assert all(np.array_equal(one, encoder.encode(*pieces, threads)) for threads in (2, 3, 64))
    assert len({row.tobytes() for row in one}) > 1000


def test_the_order_of_tokens_and_each_neighbour_matter():
    encoder = engine.SentenceEncoder(**invent_encoder())
    vectors = encoder.encode(*join_pieces([[1, 2, 3], [3, 2, 1], [1, 2], [1, 2, 3, 4]]))
    assert len({row.tobytes() for row in vectors}) == 4


def test_a_vector_fills_the_range_and_a_text_without_tokens_has_none():
    vectors = engine.SentenceEncoder(**invent_encoder()).encode(*join_pieces([[1, 2], []]))
    assert np.abs(vectors[0]).max() == 127
    assert not vectors[1].any()


def test_no_texts_have_no_vectors():
    assert engine.SentenceEncoder(**invent_encoder()).encode(*join_pieces([])).shape == (0, 6)


@given(st.lists(st.floats(-20, 20, width=32), min_size=1))
def test_tanh_is_near_the_true_one(numbers):
    row = np.array(numbers, np.float32)
    assert np.abs(compute_tanh(row) - np.tanh(row.astype(np.float64))).max() < 1e-7


def test_halves_are_rounded_to_the_even_number():
    row = np.array([127, 0.5, 1.5, -2.5, 3.5], np.float32) / np.float32(128)
    assert round_to_bytes(row).tolist() == [127, 0, 2, -2, 4]


def change(name, value):
    return {**invent_encoder(), name: value}


ROW, MATRIX = np.ones(2, np.float32), np.ones((2, 2), np.float32)
GOOD = invent_encoder()
EMPTY = np.ones((0, 3), np.float32)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pieces", np.ones((0, 5), np.uint8)),
        ("pieces", np.ones((4, 0), np.uint8)),
        ("pieces", np.ones((4, 6), np.uint8)),
        ("scale", np.ones(0, np.float32)),
        ("low", np.ones(3, np.float32)),
        ("projection", MATRIX),
        ("projection", EMPTY),
        ("projection_bias", ROW),
        ("projection_norm", (ROW, GOOD["projection_norm"][1])),
        ("projection_norm", (GOOD["projection_norm"][0], ROW)),
        ("branches", []),
        ("branches", GOOD["branches"][:2]),
        ("branches", [(0, MATRIX, ROW, MATRIX, ROW)] * 3),
        ("branches", [(2, *GOOD["branches"][0][1:]), *GOOD["branches"][1:]]),
        ("branches", [(0, np.ones((4, 3), np.float32), *GOOD["branches"][0][2:]), *GOOD["branches"][1:]]),
        ("branches", [(0, EMPTY, *GOOD["branches"][0][2:]), *GOOD["branches"][1:]]),
        ("branches", [(*GOOD["branches"][0][:4], ROW), *GOOD["branches"][1:]]),
        ("feature_norm", (ROW, ROW)),
        ("output", MATRIX),
        ("output_bias", ROW),
        ("blocks", []),
        ("blocks", GOOD["blocks"][::-1]),
        ("blocks", [(GOOD["blocks"][0][0], MATRIX, GOOD["blocks"][0][2])]),
        ("blocks", [(GOOD["blocks"][0][0], GOOD["blocks"][0][1], np.ones((4, 2), np.float32))]),
        ("blocks", [(MATRIX, MATRIX, np.ones((4, 2), np.float32))]),
    ],
)
def test_arrays_that_do_not_fit_are_refused_alike(name, value):
    said = []
    for which in (engine, reference):
        with pytest.raises(ValueError, match=r".+") as caught:
            which.SentenceEncoder(**change(name, value))
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("which", [engine, reference])
def test_pieces_and_starts_that_do_not_fit_are_refused(which):
    encoder = which.SentenceEncoder(**GOOD)
    for ids in ([9], [-1], [2**62]):
        with pytest.raises(IndexError, match="no such piece"):
            encoder.encode(np.array(ids), np.array([0, 1]))
    for starts in ([], [0], [0, 2], [1, 1], [0, 2, 1], [0, -1, 1]):
        with pytest.raises(ValueError, match="from 0 to the end"):
            encoder.encode(np.array([1]), np.array(starts, np.int64))


@given(st.integers(0, 2**32), st.integers(0, 600), st.integers(1, 40), st.integers(1, 40), st.integers(1, 4))
def test_products_have_the_bytes_of_the_reference(seed, n, n_inputs, n_columns, threads):
    draw = np.random.default_rng(seed)
    rows, matrix = (draw.standard_normal(shape).astype(np.float32) for shape in ((n, n_inputs), (n_inputs, n_columns)))
    found = engine.multiply_rows(rows, matrix, threads)
    assert found.tobytes() == reference.multiply_rows(rows, matrix).tobytes()
    assert found.shape == (n, n_columns)


@pytest.mark.parametrize("which", [engine, reference])
def test_matrices_that_do_not_fit_are_refused(which):
    with pytest.raises(ValueError, match="does not fit"):
        which.multiply_rows(np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32))


@given(st.integers(0, 2**32), st.lists(st.integers(0, 9), max_size=200), small, st.integers(1, 40), st.integers(1, 4))
def test_sums_of_rows_have_the_bytes_of_the_reference(seed, lengths, n_rows, n_columns, threads):
    draw = np.random.default_rng(seed)
    starts = np.cumsum([0, *lengths])
    rows, shares = draw.integers(0, n_rows, starts[-1]), draw.standard_normal(starts[-1])
    matrix = (draw.standard_normal((n_rows, n_columns)) * 10.0 ** draw.integers(-20, 20, (n_rows, 1))).astype(np.float32)
    found = engine.sum_rows(starts, rows, shares, matrix, threads)
    assert found.tobytes() == reference.sum_rows(starts, rows, shares, matrix).tobytes()
    assert found.shape == (len(lengths), n_columns)


@pytest.mark.parametrize("which", [engine, reference])
def test_rows_and_shares_that_do_not_fit_are_refused(which):
    matrix = np.ones((2, 3), np.float32)
    for rows in ([2], [-1], [2**62]):
        with pytest.raises(IndexError, match="no such row"):
            which.sum_rows(np.array([0, 1]), np.array(rows), np.ones(1), matrix)
    for starts in ([], [0], [0, 2], [1, 1], [0, 2, 1], [0, -1, 1]):
        with pytest.raises(ValueError, match="from 0 to the end"):
            which.sum_rows(np.array(starts, np.int64), np.array([1]), np.ones(1), matrix)
    with pytest.raises(ValueError, match="each row needs a share"):
        which.sum_rows(np.array([0, 1]), np.array([1]), np.ones(2), matrix)

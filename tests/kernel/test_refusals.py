"""What makes no sense is an error in both kernels, never a crash."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tercet.kernel import _native, reference
from tercet.kernel.terms.frozen_vocabulary import freeze_vocabulary

ONE = 1 << 20
OPTIONS: dict[str, Any] = {"form": "nfc", "lowercase": True, "strip_marks": False, "min_token_length": 1}
OPTIONS |= {"word_ngrams": [(1, 1)], "char_ngrams": [], "char_ngrams_over": "text"}
MODEL: dict[str, Any] = {"likelihood": "multinomial", "smoothing": "additive", "value": 1.0, "open": False, "shared": False}
MODEL |= {"unknown_term": False, "min_documents": 0, "kept": None}


def integers(*numbers: int) -> Any:
    return np.array(numbers, np.int64)


def floats(*numbers: float) -> Any:
    return np.array(numbers, np.float64)


def squares(*numbers: int) -> Any:
    return np.array([(0, number) for number in numbers], np.uint64)


NONE, SQUARE = integers(), squares(ONE**2)
ZEROS = np.zeros(1, np.float32)


class Bench:
    """Two documents of two labels, with one of two terms each."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.recipe = kernel.Recipe(**OPTIONS, tokens="words")
        self.rows = self.make_rows(integers(0, 1, 2), integers(0, 1), floats(1, 2))
        self.wide = self.make_rows(integers(0, 1), integers(10**9), floats(1))
        self.counts = kernel.Counts(2, 2)
        self.counts.add_rows(self.rows, integers(0, 1), integers(0, 1), integers(ONE, ONE))
        self.weights = kernel.Weights(self.counts, self.model())

    def make_rows(self, *arrays: Any) -> Any:
        return self.kernel.Rows.from_matrix(*arrays)

    def make_counts(self, *arrays: Any) -> Any:
        return self.kernel.Counts.from_cells(integers(ONE), SQUARE, *arrays)

    def model(self, **options: Any) -> Any:
        return self.kernel.Model(**MODEL | options)

    def counter(self, n_labels: int = 2) -> Any:
        return self.kernel.TableCounter(self.recipe, n_labels)

    def texts(self, *texts: str) -> Any:
        return self.kernel.Texts(list(texts))

    def table(self, arrays: dict[str, Any], *lengths: Any) -> Any:
        return self.kernel.Table.open(self.recipe, arrays, self.counts.copy(), *lengths or (NONE, NONE, NONE))

    def leave_out(self, starts: Any, labels: Any, weights: Any, squares: Any = None, rows: Any = None, kept: Any = None) -> Any:
        if squares is None:
            squares = self.kernel.sum_squares(weights, np.arange(len(weights)), len(weights))
        left_out = self.kernel.LeftOut(self.counts, self.model(kept=kept))
        return left_out.score(rows or self.rows, starts, labels, weights, squares)

    def label_likelihood(self, models: list[Any], labels: Any, prior: Any = None, rows: Any = None) -> Any:
        return self.kernel.label_likelihood(self.counts, models, rows or self.rows, labels, integers(ONE, ONE), prior)

    def give(self, probabilities: Any, **changes: Any) -> Any:
        model = self.kernel.Model(**MODEL | {"value": 0.0} | changes)
        return self.kernel.Weights.from_probabilities(model, probabilities)

    def unpack(self, *arrays: Any) -> Any:
        return self.kernel.Weights.unpack(self.model(), floats(0), *arrays)


Case = tuple[type[Exception], Callable[[Bench], Any]]
A_B = freeze_vocabulary([(0, (b"a",)), (0, (b"b",))])
TWO, OWN = integers(ONE, ONE), integers(0, 1)
CASES: list[Case] = [
    # Rows
    (ValueError, lambda b: b.make_rows(NONE, NONE, floats())),
    (ValueError, lambda b: b.make_rows(integers(1, 1), integers(0), floats(1))),
    (ValueError, lambda b: b.make_rows(integers(0, 1, 0), integers(0), floats(1))),
    (ValueError, lambda b: b.make_rows(integers(0, 5), integers(0), floats(1))),
    (ValueError, lambda b: b.make_rows(integers(0, 1), integers(0), floats(1, 2))),
    (ValueError, lambda b: b.make_rows(integers(0, 1), integers(-1), floats(1))),
    (ValueError, lambda b: b.make_rows(integers(0, 1), integers(2**31), floats(1))),
    (ValueError, lambda b: b.make_rows(integers(0, 1), integers(0), floats(np.nan))),
    (ValueError, lambda b: b.make_rows(integers(0, 1), integers(0), floats(np.inf))),
    (ValueError, lambda b: b.make_rows(integers(0, 1), integers(0), floats(1e300))),
    (IndexError, lambda b: b.rows.pick(integers(2))),
    (IndexError, lambda b: b.rows.pick(integers(-1))),
    # Counts
    (IndexError, lambda b: b.make_counts(integers(1), integers(1), integers(1), integers(1))),
    (ValueError, lambda b: b.make_counts(integers(2, -1), integers(0), integers(1), integers(1))),
    (ValueError, lambda b: b.make_counts(integers(-1, 2), integers(0), integers(1), integers(1))),
    (ValueError, lambda b: b.make_counts(integers(0), integers(0), integers(1), integers(1))),
    (ValueError, lambda b: b.make_counts(integers(1), integers(0), integers(1, 1), integers(1))),
    (ValueError, lambda b: b.make_counts(integers(2), integers(0, 0), integers(1, 1), integers(1, 1))),
    (ValueError, lambda b: b.make_counts(integers(1), integers(0), integers(-1), integers(1))),
    (ValueError, lambda b: b.make_counts(integers(1), integers(0), integers(2**62 + ONE), integers(1))),
    (ValueError, lambda b: b.kernel.Counts.from_cells(integers(ONE), SQUARE, integers(), NONE, NONE, NONE, 0)),
    (ValueError, lambda b: b.kernel.Counts.from_cells(integers(ONE), SQUARE[:0], NONE, NONE, NONE, NONE)),
    (ValueError, lambda b: b.kernel.Counts.from_cells(integers(ONE), SQUARE[:, :1].copy(), NONE, NONE, NONE, NONE)),
    (ValueError, lambda b: b.kernel.Counts.from_cells(integers(ONE), squares(ONE**2 + 1), NONE, NONE, NONE, NONE)),
    (ValueError, lambda b: b.kernel.Counts.from_cells(integers(ONE), squares(ONE - 1), NONE, NONE, NONE, NONE)),
    (ValueError, lambda b: b.kernel.Counts.from_cells(integers(0), squares(1), NONE, NONE, NONE, NONE)),
    (ValueError, lambda b: b.kernel.sum_squares(TWO, integers(0), 1)),
    (IndexError, lambda b: b.kernel.sum_squares(TWO, integers(0, 1), 1)),
    (IndexError, lambda b: b.counts.cells(integers(2))),
    (IndexError, lambda b: b.counts.cells(integers(-1))),
    (IndexError, lambda b: b.counts.add_rows(b.rows, integers(2), OWN, TWO)),
    (IndexError, lambda b: b.counts.add_rows(b.rows, integers(0), integers(0, 2), TWO)),
    (ValueError, lambda b: b.counts.add_rows(b.rows, integers(0), integers(0), TWO)),
    (ValueError, lambda b: b.counts.add_rows(b.wide, integers(0), integers(0), integers(ONE))),
    (ValueError, lambda b: b.counts.add(b.kernel.Counts(2, 3))),
    (ValueError, lambda b: b.counts.add(b.counts)),
    (ValueError, lambda b: b.counts.subtract(b.counts)),
    (ValueError, lambda b: b.counts.covers(b.kernel.Counts(3, 2))),
    (ValueError, lambda b: b.counts.place_labels(integers(0, 2), 2)),
    (ValueError, lambda b: b.counts.place_labels(integers(0), 2)),
    # Model and weights
    (ValueError, lambda b: b.model(likelihood="poisson")),
    (ValueError, lambda b: b.model(smoothing="rough")),
    (ValueError, lambda b: b.kernel.Weights(b.counts, b.model(kept=np.ones(1, np.uint8)))),
    (IndexError, lambda b: b.weights.score(b.rows, integers(2))),
    (IndexError, lambda b: b.weights.knows(integers(2))),
    (ValueError, lambda b: b.weights.log_probabilities(integers(2))),
    (IndexError, lambda b: b.weights.pack(integers(2))),
    (ValueError, lambda b: b.give(np.array([[0.5, 1.1]]))),
    (ValueError, lambda b: b.give(np.array([[0.5, -0.1]]))),
    (ValueError, lambda b: b.give(np.array([[0.5, np.nan]]))),
    (ValueError, lambda b: b.give(np.array([[0.5]]), value=1.0)),
    (ValueError, lambda b: b.give(np.array([[0.5]]), likelihood="complement")),
    (ValueError, lambda b: b.give(np.array([[0.5]]), unknown_term=True)),
    (ValueError, lambda b: b.unpack(floats(0), np.zeros(2, np.float32), integers(0, 2, 1), integers(0), ZEROS)),
    (ValueError, lambda b: b.unpack(floats(0, 0), ZEROS, integers(0, 1), integers(0), ZEROS)),
    (IndexError, lambda b: b.unpack(floats(0), ZEROS, integers(0, 1), integers(1), ZEROS)),
    # Left out
    (IndexError, lambda b: b.leave_out(integers(0, 1, 2), integers(0, 2), TWO)),
    (ValueError, lambda b: b.leave_out(integers(0, 2), OWN, TWO)),
    (ValueError, lambda b: b.leave_out(integers(0, 1, 2), OWN, integers(ONE))),
    (ValueError, lambda b: b.leave_out(integers(0, 1, 2), OWN, TWO, squares(1))),
    (ValueError, lambda b: b.leave_out(integers(0, 10**9, 2), OWN, TWO)),
    (ValueError, lambda b: b.leave_out(integers(0, -(10**9), 2), OWN, TWO)),
    (ValueError, lambda b: b.leave_out(integers(0, 1), integers(0), integers(ONE), rows=b.wide)),
    (ValueError, lambda b: b.label_likelihood([], OWN)),
    (ValueError, lambda b: b.label_likelihood([b.model(), b.model(likelihood="binary")], OWN)),
    (IndexError, lambda b: b.label_likelihood([b.model()], integers(0, 2))),
    (ValueError, lambda b: b.label_likelihood([b.model()], OWN, prior=floats(0))),
    (ValueError, lambda b: b.label_likelihood([b.model()], OWN, rows=b.wide)),
    (ValueError, lambda b: b.kernel.occurrence_likelihood(b.counts, [])),
    # Tables
    (ValueError, lambda b: b.counter(2**62)),
    (IndexError, lambda b: b.counter().add(b.texts("a"), integers(2))),
    (IndexError, lambda b: b.counter().add(b.texts("a"), integers(-1))),
    (ValueError, lambda b: b.counter().add(b.texts("a"), OWN)),
    (ValueError, lambda b: b.counter().add(b.texts("a"), integers(0), TWO)),
    (TypeError, lambda b: b.counter().add(b.texts("a"), floats(0.5))),
    (ValueError, lambda b: b.table(freeze_vocabulary([(0, (b"a",))]))),
    (IndexError, lambda b: b.table(A_B).spell(integers(2))),
    (IndexError, lambda b: b.table(A_B).sort(integers(-1))),
    (IndexError, lambda b: b.table(A_B, integers(2), integers(1), integers(ONE))),
    (IndexError, lambda b: b.table(A_B, integers(0), integers(-1), integers(ONE))),
    (IndexError, lambda b: b.table(A_B, integers(0), integers(2**32), integers(ONE))),
    (ValueError, lambda b: b.table(A_B, integers(0), integers(1), NONE)),
    (ValueError, lambda b: b.table({})),
    (ValueError, lambda b: b.table(A_B | {"words.terms": np.array([0, 2], np.uint32)})),
    (ValueError, lambda b: b.table(A_B | {"words.terms": np.array([0], np.uint32)})),
    (ValueError, lambda b: b.table({name: array for name, array in A_B.items() if name != "words.ends"})),
    (ValueError, lambda b: b.table(A_B | {"words.ends": np.array([0, 2, 1], np.uint64)}).terms()),
    (ValueError, lambda b: b.table(A_B | {"words.ends": np.array([0, 1, 9], np.uint64)}).terms()),
    (ValueError, lambda b: b.kernel.Table(b.recipe, 2).add(b.kernel.Table(b.recipe, 3))),
    (ValueError, lambda b: b.kernel.Table(b.recipe, 2).subtract(b.kernel.Table(b.recipe, 3))),
    (ValueError, lambda b: b.kernel.Table(b.recipe, 2).find(b.texts("a", "b"))),
    (ValueError, lambda b: b.kernel.Table(b.recipe, 2).log_joint(b.weights, b.texts("a"), floats(0))),
    (ValueError, lambda b: b.kernel.Table(b.recipe, 2).predict(b.weights, b.texts("a"), floats(0))),
    (ValueError, lambda b: b.leave_out(integers(0, 1, 2), OWN, TWO, kept=np.ones(1, np.uint8))),
    (ValueError, lambda b: b.label_likelihood([b.model(kept=np.ones(1, np.uint8))], OWN)),
    (ValueError, lambda b: b.kernel.occurrence_likelihood(b.counts, [b.model(kept=np.ones(1, np.uint8))])),
    (ValueError, lambda b: b.table(A_B | {"words.terms": np.array([0, 0], np.uint32)})),
    (ValueError, lambda b: b.make_rows(integers(0, 2), integers(0, 0), floats(1, 1))),
    (ValueError, lambda b: b.make_rows(integers(0, 1), integers(0), floats(-1))),
]


# The native kernel reads or writes beyond its memory here, or takes it.
@pytest.mark.parametrize("kernel", [_native, reference])
@pytest.mark.parametrize(("error", "call"), CASES)
def test_what_makes_no_sense_is_refused(kernel: Any, error: type[Exception], call: Callable[[Bench], Any]) -> None:
    bench = Bench(kernel)
    with pytest.raises(error):
        call(bench)
    assert bench.counts.n_documents().tolist() == [ONE, ONE], "nothing has changed"
    assert bench.counts.cells(integers(0, 1))[2].tolist() == [ONE, 2 * ONE]

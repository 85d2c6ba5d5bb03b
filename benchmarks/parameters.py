"""How long it takes to read the parameters of 1.5 million terms under 2 labels.

python benchmarks/parameters.py

The bars: the 20 top terms of each label in less than 50 ms, and all 3 million rows as an Arrow table in less than 2 s. Before
that, `fit` and one prediction are done. CPU seconds are shown because cores may be shared.
"""

import time
from collections.abc import Callable

import numpy as np
from bars import row
from measures import seconds

from tercet import Analyzer, Categorizer, NaiveBayes

N_TERMS, N_WORDS = 1_500_000, 1000  # words in a document
LABELS = ["neg", "pos"]


def make_texts(seed: int, *, is_zipfian: bool) -> tuple[list[str], list[str]]:
    """Each word at least once; if Zipfian, frequent words much more often."""
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(N_TERMS)
    if is_zipfian:
        frequent = (N_TERMS ** rng.random(2 * N_TERMS)).astype(np.int64)
        numbers = rng.permutation(np.concatenate([numbers, np.minimum(frequent, N_TERMS - 1)]))
    texts = [" ".join(f"w{number:x}" for number in part) for part in numbers.reshape(-1, N_WORDS).tolist()]
    return texts, [LABELS[i % 2] for i in range(len(texts))]


def measure(name: str, work: Callable[[], object], unit: str, scale: float, bar: str) -> None:
    start = time.perf_counter()
    work()
    first = (time.perf_counter() - start) * scale
    cpu = seconds(work, clock=time.process_time) * scale
    row(name, seconds(work) * scale, unit, bar, f"first call {first:.3g} {unit}, CPU {cpu:.3g} {unit}")


def main() -> None:
    for name, is_zipfian in (("Zipfian", True), ("each word once", False)):
        texts, labels = make_texts(0, is_zipfian=is_zipfian)
        for kind in ("multinomial", "bernoulli"):
            c = Categorizer(Analyzer(), NaiveBayes(kind)).fit(texts, labels)  # type: ignore[arg-type]
            c.predict(texts[:1])
            described = f"{name}, {kind}, {len(c.table_):,} terms"
            measure(f"{described}: top=20", lambda c=c: repr(c.parameters(top=20)), "ms", 1000, "< 50")  # type: ignore[misc]
            measure(f"{described}: to_arrow", lambda c=c: c.parameters().to_arrow(), "s", 1, "< 2")  # type: ignore[misc]


if __name__ == "__main__":
    main()

"""How to resample: how often, from which seed, and what is made of it; in blocks that stay small."""

from collections.abc import Iterator
from dataclasses import dataclass

from tercet.errors import bad_option
from tercet.evaluation.intervals import check_confidence
from tercet.evaluation.seeds import check_seed
from tercet.options import check_choice, check_count

BLOCK = 2**25  # bytes; with what a metric needs beside its matrices that stays below 64 MB


@dataclass(frozen=True)
class Resampling:
    """How often documents are drawn anew, from which seed, and which interval is made of it: the same for every metric.

    >>> Resampling(seed=7)
    Resampling(confidence=0.95, resamples=10000, seed=7, method='bca')
    """

    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0
    method: str = "bca"  # or "percentile"

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if check_count("resamples", self.resamples) < 2:
            raise bad_option("resamples", "an int >= 2", self.resamples, "one resample has no spread. 10000 is usual.")
        check_seed(self.seed)
        check_choice("method", self.method, ("bca", "percentile"))


DEFAULT = Resampling()


def cut_blocks(n: int, row_bytes: int) -> Iterator[tuple[int, int]]:
    """Where blocks of rows begin and end, each of about BLOCK bytes.

    >>> list(cut_blocks(5, row_bytes=BLOCK // 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    size = max(1, BLOCK // max(1, row_bytes))
    return ((start, min(start + size, n)) for start in range(0, n, size))

"""What a piece of work takes: seconds, and memory."""

import gc
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def seconds(work: Callable[[], object], repeats: int = 3, clock: Callable[[], float] = time.perf_counter) -> float:
    """The best of a few runs. `time.process_time` as the clock leaves out what other programs take from a single thread."""
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def cpu_seconds() -> float:
    """What this process and its children have taken of all processors so far."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def peak_growth(work: Callable[[], Any]) -> tuple[int, Any]:
    """How many bytes this process grows at most while it works (Linux only), and the result."""
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = resident("VmRSS")
    result = work()
    return resident("VmHWM") - before, result


def resident(key: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))

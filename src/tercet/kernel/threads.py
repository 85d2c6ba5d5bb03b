"""The number of threads: an argument, else TERCET_THREADS, else as many as this process may use."""

import os

from tercet.options import check_count

MOST = 1024


def n_threads(threads: int | None = None) -> int:
    """The number of threads to use.

    >>> n_threads(3)
    3
    """
    if threads is not None:
        return check_count("threads", threads, MOST)
    text = os.environ.get("TERCET_THREADS", "")
    if text:
        return check_count("TERCET_THREADS", int(text) if text.isascii() and text.isdigit() else text, MOST)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

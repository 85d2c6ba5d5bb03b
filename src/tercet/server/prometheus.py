"""What the server has done, as numbers for Prometheus. They have no texts, labels or names of users."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from threading import Lock

BOUNDS = (0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0)  # seconds


class Metrics:
    """Requests by route and status, their times, and documents by what was done with them.

    >>> metrics = Metrics()
    >>> metrics.note_request("classify", 200, 0.002)
    >>> metrics.count("classified", 3)
    >>> print(metrics.write({"reviews": 7}))
    # HELP tercet_requests_total Requests by operation and status.
    # TYPE tercet_requests_total counter
    tercet_requests_total{operation="classify",status="200"} 1
    # HELP tercet_request_seconds Time of the requests.
    # TYPE tercet_request_seconds histogram
    tercet_request_seconds_bucket{operation="classify",le="0.001"} 0
    ...
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._within: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._documents: Counter[str] = Counter()

    def note_request(self, operation: str, status: int, seconds: float) -> None:
        with self._lock:
            self._requests[operation, status] += 1
            within = self._within.setdefault(operation, [0] * (len(BOUNDS) + 1))
            within[bisect_left(BOUNDS, seconds)] += 1
            self._seconds[operation] += seconds  # type: ignore[assignment]

    def count(self, what: str, n: int) -> None:
        """Count documents that were classified, learned, and so on."""
        with self._lock:
            self._documents[what] += n

    def write(self, events: Mapping[str, int]) -> str:
        """The numbers as text, with the last event of each model."""
        with self._lock:
            lines = [
                *describe("requests_total", "counter", "Requests by operation and status."),
                *(
                    f"tercet_requests_total{{operation={quote(operation)},status={quote(str(status))}}} {n}"
                    for (operation, status), n in sorted(self._requests.items())
                ),
                *describe("request_seconds", "histogram", "Time of the requests."),
                *(line for operation in sorted(self._within) for line in self._write_times(operation)),
                *describe("documents_total", "counter", "Documents by what was done with them."),
                *(f"tercet_documents_total{{what={quote(what)}}} {n}" for what, n in sorted(self._documents.items())),
                *describe("last_event", "gauge", "The last event that the answers of a model include."),
                *(f"tercet_last_event{{model={quote(name)}}} {n}" for name, n in sorted(events.items())),
            ]
        return "\n".join(lines) + "\n"

    def _write_times(self, operation: str) -> Iterable[str]:
        name, total = f"operation={quote(operation)}", 0
        for bound, n in zip([*map(str, BOUNDS), "+Inf"], self._within[operation], strict=True):
            total += n
            yield f"tercet_request_seconds_bucket{{{name},le={quote(bound)}}} {total}"
        yield f"tercet_request_seconds_sum{{{name}}} {self._seconds[operation]:.6f}"
        yield f"tercet_request_seconds_count{{{name}}} {total}"


def describe(name: str, kind: str, words: str) -> list[str]:
    return [f"# HELP tercet_{name} {words}", f"# TYPE tercet_{name} {kind}"]


def quote(value: str) -> str:
    r"""
    >>> quote('a "b"')
    '"a \\"b\\""'
    """
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'

"""Print how much of tercet a reader meets on some common paths.

    python scripts/trace_paths.py                                 # the tree that Python imports
    PYTHONPATH=../older/src python scripts/trace_paths.py         # an older tree

Columns: Python files entered, named functions entered, and changes of package. A package is a folder or a file directly below
src/tercet. Changes of package are counted over the functions in the order of their first call: how often the next new function
is in another package. Each path runs once before it is measured, so that imports are not counted. The requests of the server
are those that a running server answers: its own start is not counted.
"""

import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import FrameType

import tercet
from tercet.cli.main import run

ROOT = Path(tercet.__file__).parent
TEXTS = ["just plain boring", "predictable and lacks energy", "very few laughs", "very powerful", "the most fun film"]
LABELS = ["bad", "bad", "bad", "good", "good"]
QUESTION = "powerful film, predictable ending"

Action = Callable[[], object]


class Trace:
    """The named functions that are entered while it is on, as (file, first line), in the order of their first call."""

    def __init__(self) -> None:
        self.is_on, self.entered = False, dict[tuple[str, int], None]()  # the dict is a set that keeps its order
        threading.setprofile(self.note_call)  # for the threads of the server, too: they live longer than a request
        sys.setprofile(self.note_call)

    def note_call(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if self.is_on and event == "call" and code.co_filename.startswith(str(ROOT)) and not code.co_name.startswith("<"):
            self.entered[code.co_filename, code.co_firstlineno] = None

    def measure(self, name: str, action: Action) -> None:
        """Print a row of the table."""
        action()
        self.is_on = True
        action()
        self.is_on, functions = False, list(self.entered)
        self.entered.clear()
        packages = [Path(file).relative_to(ROOT).parts[0] for file, _ in functions]
        changes = sum(package != following for package, following in pairwise(packages))
        print(f"{name:20}{len({file for file, _ in functions}):8}{len(functions):12}{changes:18}")


def run_command(*arguments: str) -> None:
    """Run a command of tercet without showing what it prints."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if run(list(arguments)) not in (0, 3):  # 3: the doctor has found something
            raise SystemExit(f"tercet {arguments[0]} failed")


def list_paths(folder: Path) -> dict[str, Action]:
    """The paths in the library and on the command line. The folder takes the files of the commands."""
    data, model = str(folder / "reviews.csv"), str(folder / "reviews.tercet")
    Path(data).write_text("\n".join(["text,label", *map(",".join, zip(TEXTS, LABELS, strict=True))]))
    fitted = [tercet.Categorizer().fit(TEXTS, LABELS) for _ in range(2)]  # a fresh one for the measured run
    return {
        "fit + predict": lambda: tercet.Categorizer().fit(TEXTS, LABELS).predict([QUESTION]),
        "tercet train": lambda: run_command("train", data, "-o", model),
        "explain": lambda: str(fitted.pop().explain(QUESTION)),
        "tercet explain": lambda: run_command("explain", model, QUESTION),
        "tercet doctor": lambda: run_command("doctor", data),
        "NB-SVM + calibrate": lambda: (
            tercet.Categorizer(model=tercet.NBSVM(), calibrate="auto").fit(TEXTS, LABELS).predict_proba([QUESTION])
        ),
    }


@contextlib.contextmanager
def open_requests(folder: Path) -> Iterator[dict[str, Action]]:
    """Requests to a server that runs in this process."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    from helpers.servers import serve_here

    (folder / "served").mkdir()
    with serve_here(folder / "served") as served:
        new = iter([{"text": "a warm film", "label": "pos"}, {"text": "an awful cast", "label": "neg"}])
        yield {
            "HTTP classify": lambda: served.post("classify", {"texts": [QUESTION]}).raise_for_status(),
            "HTTP learn": lambda: served.post("learn", {"documents": [next(new)]}).raise_for_status(),
        }


def print_table(folder: Path) -> None:
    trace = Trace()
    print(f"{'path':20}{'files':>8}{'functions':>12}{'package changes':>18}")
    for name, action in list_paths(folder).items():
        trace.measure(name, action)
    with open_requests(folder) as requests:
        for name, action in requests.items():
            trace.measure(name, action)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print_table(Path(folder))

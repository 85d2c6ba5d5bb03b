"""Print how much of tercet a reader meets on some common paths.

    python scripts/trace_paths.py                                 # the tree that Python imports
    PYTHONPATH=../older/src python scripts/trace_paths.py         # an older tree

Columns: Python files entered, named functions entered, and changes of package. A package is a folder directly below src/tercet.
Changes are counted over the functions in the order of their first call: how often the next new function is in another package.
The last column also counts each file directly below src/tercet, which all packages share, as a package of its own. Each path
runs once before it is measured, so that imports are not counted. The requests are those to a running server.
"""

import contextlib
import io
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
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
        homes = [Path(file).relative_to(ROOT).parts[0] for file, _ in functions]
        packages = [home for home in homes if not home.endswith(".py")]
        n_files = len({file for file, _ in functions})
        print(f"{name:20}{n_files:8}{len(functions):12}{count_changes(packages):18}{count_changes(homes):14}")


def count_changes(homes: Sequence[str]) -> int:
    return sum(home != following for home, following in pairwise(homes))


def run_command(*arguments: str) -> None:
    """Run a command of tercet without showing what it prints."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if run(list(arguments)) not in (0, 3):  # 3: the doctor has found something
            raise SystemExit(f"tercet {arguments[0]} failed")


def write_rows(path: str, rows: Iterable[tuple[str, str]]) -> None:
    Path(path).write_text("\n".join(["text,label", *map(",".join, rows)]))


def draw_rows(n: int = 80) -> Iterator[tuple[str, str]]:
    """Enough documents without a defect, so that the doctor makes all its checks."""
    draw, common = (
        random.Random(0),
        [a + b for a in ("ka", "lo", "mi", "nu", "re") for b in ("ba", "do", "fi", "go", "lu", "ne")],
    )
    own = {
        "x": ["lovely", "warm", "funny", "great", "superb", "clever"],
        "y": ["dull", "boring", "loud", "awful", "weak", "messy"],
    }
    for k in range(n):
        label = "xy"[k % 2]
        yield " ".join([*draw.choices(common, k=12), *draw.choices(own[label], k=6)]), label


def list_paths(folder: Path) -> dict[str, Action]:
    """The paths in the library and on the command line. The folder takes the files of the commands."""
    data, many, model = (str(folder / name) for name in ("reviews.csv", "many.csv", "reviews.tercet"))
    write_rows(data, zip(TEXTS, LABELS, strict=True))
    write_rows(many, draw_rows())
    fitted = [tercet.Categorizer().fit(TEXTS, LABELS) for _ in range(2)]  # a fresh one for the measured run
    return {
        "fit + predict": lambda: tercet.Categorizer().fit(TEXTS, LABELS).predict([QUESTION]),
        "tercet train": lambda: run_command("train", data, "-o", model),
        "explain": lambda: str(fitted.pop().explain(QUESTION)),
        "tercet explain": lambda: run_command("explain", model, QUESTION),
        "tercet doctor": lambda: run_command("doctor", many),
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
    print(f"{'path':20}{'files':>8}{'functions':>12}{'package changes':>18}{'with files':>14}")
    for name, action in list_paths(folder).items():
        trace.measure(name, action)
    with open_requests(folder) as requests:
        for name, action in requests.items():
            trace.measure(name, action)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print_table(Path(folder))

"""Print how much of tercet a reader meets on five common paths.

    python scripts/trace_paths.py                                 # the tree that Python imports
    PYTHONPATH=../older/src python scripts/trace_paths.py         # an older tree

Columns: Python files entered, named functions entered, and changes of room. A room is a folder of src/tercet. Changes of
room are counted over the functions in the order of their first call: how often the next new function is in another room.
Each path runs once before it is measured, so that imports are not counted.
"""

import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType

import tercet
from tercet.cli.main import run

ROOT = Path(tercet.__file__).parent
TEXTS = ["just plain boring", "predictable and lacks energy", "very few laughs", "very powerful", "the most fun film"]
LABELS = ["bad", "bad", "bad", "good", "good"]
QUESTION = "powerful film, predictable ending"


def trace_calls(action: Callable[[], object]) -> list[tuple[str, int]]:
    """The named functions that the action enters, as (file, first line), in the order of their first call."""
    entered: dict[tuple[str, int], None] = {}  # a set that keeps its order

    def note_call(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(ROOT)) and not code.co_name.startswith("<"):
            entered[code.co_filename, code.co_firstlineno] = None

    threading.setprofile(note_call)
    sys.setprofile(note_call)
    try:
        action()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(entered)


def run_command(*arguments: str) -> None:
    """Run a command of tercet without showing what it prints."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if run(list(arguments)) != 0:
            raise SystemExit(f"tercet {arguments[0]} failed")


def print_table(folder: Path) -> None:
    """Measure and print all paths. The folder takes the files of the commands."""
    data, model = str(folder / "reviews.csv"), str(folder / "reviews.tercet")
    Path(data).write_text("\n".join(["text,label", *map(",".join, zip(TEXTS, LABELS, strict=True))]))
    fitted = [tercet.Categorizer().fit(TEXTS, LABELS) for _ in range(2)]  # a fresh one for the measured run
    paths: dict[str, Callable[[], object]] = {
        "fit + predict": lambda: tercet.Categorizer().fit(TEXTS, LABELS).predict([QUESTION]),
        "tercet train": lambda: run_command("train", data, "-o", model),
        "explain": lambda: str(fitted.pop().explain(QUESTION)),
        "tercet explain": lambda: run_command("explain", model, QUESTION),
        "NB-SVM + calibrate": lambda: (
            tercet.Categorizer(model=tercet.NBSVM(), calibrate="auto").fit(TEXTS, LABELS).predict_proba([QUESTION])
        ),
    }
    print(f"{'path':20}{'files':>8}{'functions':>12}{'room changes':>15}")
    for name, action in paths.items():
        action()
        functions = trace_calls(action)
        rooms = [Path(file).relative_to(ROOT).parts[0] for file, _ in functions]
        changes = sum(room != following for room, following in pairwise(rooms))
        print(f"{name:20}{len({file for file, _ in functions}):8}{len(functions):12}{changes:15}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print_table(Path(folder))

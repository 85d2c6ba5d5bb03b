"""Eight processes learn and forget on one model file at random. The file must equal the same operations in sequence.

Four processes call the commands without starting a new program each time, which is fast. Two start the program for each
command. Two use Python: they load, change and save, which is refused if the file changed meanwhile.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from checks import report, wants_all

import tercet
from tercet.cli.main import run
from tercet.errors import FileChanged, NeverLearned

WAYS = ["call"] * 4 + ["start"] * 2 + ["python"] * 2
N_SHARED = 3  # documents that every process learns and forgets, so that some are not there to be forgotten
MODEL = "m.tercet"

Operation = tuple[str, str]  # verb and document


def call(verb: str, data: str) -> int:
    return run([verb, MODEL, data, "--quiet"])


def start(verb: str, data: str) -> int:
    command = [sys.executable, "-m", "tercet", verb, MODEL, data, "--quiet"]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode


def change(verb: str, data: str) -> int:
    model = tercet.load(MODEL)
    assert isinstance(model, tercet.Categorizer)
    try:
        getattr(model, verb)(tercet.read(data))
        model.save(MODEL)
    except (FileChanged, NeverLearned):
        return 2
    return 0


ACTS = {"call": call, "start": start, "python": change}


def work(number: int, way: str, seconds: float) -> None:
    """Learn and forget at random; print the operations that succeeded."""
    rng, until = random.Random(number), time.monotonic() + seconds
    names = [f"shared{i}" for i in range(N_SHARED)] + [f"own{number}-{i}" for i in range(3)]
    for name in names[N_SHARED:]:
        write_document(name)
    while time.monotonic() < until:
        verb, name = rng.choice(["learn", "forget"]), rng.choice(names)
        code = ACTS[way](verb, f"{name}.csv")
        print(json.dumps([verb, name, code]), flush=True)


def write_document(name: str) -> None:
    Path(f"{name}.csv").write_text(f"text,label\n{text_of(name)},{label_of(name)}\n")


def text_of(name: str) -> str:
    return f"the document {name} has new words {name[::-1]} and old words"


def label_of(name: str) -> str:
    return f"label{len(name) % 3}"


def fit() -> tercet.Categorizer:
    texts = [f"some old words w{i} w{i % 7} of document {i}" for i in range(500)]
    return tercet.Categorizer().fit(texts, [f"label{i % 3}" for i in range(500)])


def apply(operations: Counter[Operation]) -> tercet.Categorizer:
    """The same operations in one process. They commute, so all documents are learned before any is forgotten."""
    model = fit()
    for verb in ("learn", "forget"):
        for (own_verb, name), n in sorted(operations.items()):
            for _ in range(n if own_verb == verb else 0):
                getattr(model, verb)([text_of(name)], [label_of(name)])
    return model


def attack(seconds: float) -> Iterator[tuple[str, bool]]:
    fit().save(MODEL)
    for i in range(N_SHARED):
        write_document(f"shared{i}")
    script = str(Path(__file__).resolve())
    workers = [
        subprocess.Popen(
            [sys.executable, script, str(number), way, str(seconds)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for number, way in enumerate(WAYS)
    ]
    outcomes: Counter[tuple[str, int]] = Counter()
    done: Counter[Operation] = Counter()
    for way, worker in zip(WAYS, workers, strict=True):
        said, _ = worker.communicate(timeout=seconds + 120)
        for verb, name, code in map(json.loads, said.splitlines()):
            outcomes[way, code] += 1
            done[verb, name] += code == 0
    n_done, n_refused = (sum(n for (_, own), n in outcomes.items() if own == code) for code in (0, 2))
    by_way = ", ".join(f"{way} {outcomes[way, 0]}" for way in ACTS)
    yield (
        f"8 processes, {seconds:.0f} s: {n_done} changes ({by_way}), {n_refused} refused",
        min(outcomes[way, 0] for way in ACTS) > 0,
    )
    yield (
        "every process and command ended with 0 or 2",
        {code for _, code in outcomes} <= {0, 2} and not any(w.returncode for w in workers),
    )
    apply(done).save("same.tercet")
    yield (
        "the file equals the same operations in sequence, byte for byte",
        Path(MODEL).read_bytes() == Path("same.tercet").read_bytes(),
    )
    left = [name for name in os.listdir() if name.startswith(".")]
    yield f"files left beside the model: {left}", not left


def main() -> None:
    if sys.argv[1:2] and sys.argv[1].isdigit():
        work(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
        return
    seconds = 120.0 if wants_all() else 25.0
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        report(attack(seconds))


if __name__ == "__main__":
    main()

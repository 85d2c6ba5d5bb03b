"""A program that forks while its threads learn and predict: python fork_while_learning.py FILE N_FORKS

It prints the status of each child that hung, crashed or found half of a change.
"""

import os
import signal
import sys
import warnings
from pathlib import Path
from threading import Event, Thread

import tercet

SECONDS = 20  # a child that takes longer hangs


def teach(c: tercet.Categorizer, done: Event) -> None:
    while not done.is_set():
        c.learn(["new words w1"], ["l1"])
        c.forget(["new words w1"], ["l1"])


def ask(both: list[tercet.Categorizer], done: Event) -> None:
    while not done.is_set():
        for c in both:
            c.predict(["w1 w2 new"] * 50)


def use(both: list[tercet.Categorizer], path: Path) -> None:
    for c in both:
        c.predict(["w1"])
        c.learn(["a new text"], ["l2"])
        c.predict(["w1"])
        c.forget(["a new text"], ["l2"])
        if len(c.fitted_.state.prints or ()) != c.table_.n_documents.sum():
            os._exit(3)
    both[0].save(path.with_suffix(".child"))


def fork(both: list[tercet.Categorizer], path: Path) -> int:
    """The status of a child that uses the categorizers."""
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        try:
            use(both, path)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1]


def main(path: Path, n_forks: int) -> None:
    warnings.simplefilter("ignore")  # of threads that a fork may leave behind
    sys.setswitchinterval(1e-4)
    c = tercet.Categorizer().fit([f"w{i} w{i % 7}" for i in range(300)], [f"l{i % 5}" for i in range(300)])
    c.save(path)
    both, done = [c, tercet.load(path)], Event()
    threads = [Thread(target=teach, args=(c, done)) for _ in range(2)]
    threads += [Thread(target=ask, args=(both, done)) for _ in range(2)]
    for thread in threads:
        thread.daemon = True
        thread.start()
    print([status for status in (fork(both, path) for _ in range(n_forks)) if status])
    done.set()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

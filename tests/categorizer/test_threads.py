"""Many threads with one categorizer: nobody waits for ever, and nobody sees half of a change."""

import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import tercet
import tercet.categorizer.categorizer
from tercet.cached import cached_property
from tercet.categorizer.files.save_load import describe_file
from tercet.store.model_file import encode_model

HELPERS = Path(__file__).parents[1] / "helpers"

# In a process of its own: threads that wait for each other with the GIL can't be stopped from within.
PROGRAM = """
import pickle, sys, threading, tercet
sys.setswitchinterval(1e-4)  # to change places often, and to wait for nobody long
path, act = sys.argv[1:]
categorizer = tercet.load(path)
done, wrong = threading.Event(), []

def copy_and_count():
    copy = pickle.loads(pickle.dumps(categorizer))
    if len(copy.fitted_.state.prints) != copy.table_.n_documents.sum():
        wrong.append("half of a change")

acts = {
    "fingerprint": lambda: categorizer.table_.fingerprint(),
    "pickle": copy_and_count,
    "predict": lambda: categorizer.predict(["w1 w2", "new"]),
    "count": lambda: len(categorizer.table_),
}

def repeat():
    while not done.is_set():
        acts[act]()

threads = [threading.Thread(target=repeat) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(150):
    categorizer.learn(["new words w1"], ["l1"])
    categorizer.forget(["new words w1"], ["l1"])
done.set()
for thread in threads:
    thread.join()
print(*wrong or ["well"], categorizer.table_.fingerprint())
"""


@pytest.mark.parametrize("act", ["fingerprint", "pickle", "predict", "count"])
def test_who_reads_a_loaded_categorizer_and_who_teaches_it_get_on(tmp_path: Path, act: str) -> None:
    categorizer = tercet.Categorizer().fit([f"w{i} w{i % 7}" for i in range(300)], [f"l{i % 5}" for i in range(300)])
    categorizer.save(tmp_path / "model")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "model"), act]
    result = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert result.stdout.split() == ["well", categorizer.table_.fingerprint()], result.stderr


class Interrupted:
    """A leave-one-out that stands still, with the lock of its categorizer, until it is told to go on."""

    def __init__(self, categorizer: tercet.Categorizer, texts: list[str], labels: list[str], patch: pytest.MonkeyPatch) -> None:
        self.started, self.go_on = Event(), Event()
        leave_one_out = tercet.categorizer.categorizer.leave_one_out

        def wait(*some: Any) -> Any:
            self.started.set()
            self.go_on.wait(60)
            return leave_one_out(*some)

        patch.setattr(tercet.categorizer.categorizer, "leave_one_out", wait)
        self.thread = Thread(target=categorizer.leave_one_out, args=(texts, labels), daemon=True)

    def __enter__(self) -> None:
        self.thread.start()
        assert self.started.wait(60)

    def __exit__(self, *_: object) -> None:
        self.go_on.set()
        self.thread.join(60)


def finishes(act: Callable[[], object]) -> bool:
    """Whether it is done without anybody's help."""
    thread = Thread(target=act, daemon=True)
    thread.start()
    thread.join(20)
    return not thread.is_alive()


TEXTS, LABELS = ["to be", "or not", "to be so", "not that"], ["x", "y", "x", "y"]


def test_categorizers_do_not_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = tercet.Categorizer().fit(TEXTS, LABELS), tercet.Categorizer().fit(TEXTS, LABELS)
    with Interrupted(one, TEXTS, LABELS, monkeypatch):
        assert finishes(lambda: other.predict(["to be"]))
        assert finishes(lambda: other.learn(["more"], ["z"]))
        assert finishes(lambda: tercet.Categorizer().fit(TEXTS, LABELS).predict(["to be"]))


@pytest.mark.parametrize("is_asked_before", [True, False])
def test_a_prediction_does_not_wait_for_a_long_computation(is_asked_before: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    c = tercet.Categorizer().fit(TEXTS, LABELS)
    if is_asked_before:
        c.predict(["to be"])
    with Interrupted(c, TEXTS, LABELS, monkeypatch):
        for ask in (c.predict, c.predict_proba, c.log_joint, lambda texts: c.explain(texts[0])):
            assert finishes(lambda ask=ask: ask(["to be"])), ask
        assert not_finished(lambda: c.learn(["more"], ["z"])), "what is being left out must not change"
    assert c.predict(["to be"]).tolist() == ["x"]


def test_nobody_changes_what_is_held() -> None:
    c = tercet.Categorizer().fit(TEXTS, LABELS)
    with c.hold() as fitted:
        assert not_finished(lambda: c.learn(["more"], ["z"]))
        assert fitted.labels.tolist() == ["x", "y"]


def not_finished(act: Callable[[], object]) -> bool:
    thread = Thread(target=act, daemon=True)
    thread.start()
    thread.join(0.3)
    return thread.is_alive()


def test_a_prediction_after_learning_knows_what_was_learned() -> None:
    c = tercet.Categorizer().fit(TEXTS, LABELS)
    done, wrong = Event(), []

    def ask() -> None:
        while not done.is_set():
            c.predict(["to be"])

    askers = [Thread(target=ask) for _ in range(2)]
    for thread in askers:
        thread.start()
    for i in range(100):
        label = f"label {i}"
        c.learn([f"word{i} word{i}"], [label])
        if c.predict([f"word{i}"]).tolist() != [label]:
            wrong.append(i)
    done.set()
    for thread in askers:
        thread.join()
    assert wrong == []


@pytest.fixture
def switches_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("switches_often")
@pytest.mark.filterwarnings("ignore::tercet.errors.OutOfDate")
@pytest.mark.parametrize("options", [{}, {"calibrate": "temperature"}, {"model": tercet.NBSVM()}], ids=repr)
def test_each_answer_belongs_to_one_state_of_the_counts(options: dict[str, Any]) -> None:
    many = " ".join(f"w{i}" for i in range(3000))  # so that most answers come from the counts
    c = tercet.Categorizer(**options).fit([*TEXTS, many], [*LABELS, "x"])
    changes: list[Callable[[], object]] = [
        lambda: c.learn(["to be new", "so be it"], ["y", "x"]),
        lambda: c.learn(["to not"], ["a"]),  # a new first label
        lambda: c.relabel(TEXTS[:1], ["x"], ["y"]),
        lambda: c.forget(["to not"], ["a"]),
        lambda: c.relabel(TEXTS[:1], ["y"], ["x"]),
        lambda: c.forget(["to be new", "so be it"], ["y", "x"]),
    ]
    few, more = ["to be new or not"], ["to be new or not", *TEXTS, "new w1 w2"] * 60
    expected: set[bytes] = set()
    for change in changes:  # the last one leads back to the beginning
        expected |= {c.predict_proba(few).tobytes(), c.log_joint(more).tobytes()}
        change()
    done, answers, failed = Event(), set[bytes](), list[BaseException]()

    def ask(question: Callable[[], Any]) -> None:
        try:
            while not done.is_set():
                answers.add(question().tobytes())
        except BaseException as error:
            failed.append(error)

    askers = [Thread(target=ask, args=(lambda: c.predict_proba(few),)) for _ in range(3)]
    askers += [Thread(target=ask, args=(lambda: c.log_joint(more),)) for _ in range(2)]
    for thread in askers:
        thread.start()
    for _ in range(60):
        for change in changes:
            change()
    done.set()
    for thread in askers:
        thread.join()
    assert failed == []
    assert answers <= expected
    assert len(answers) > 2 or len(expected) == 2  # margins do not change


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_never_hangs(tmp_path: Path) -> None:
    command = [sys.executable, HELPERS / "fork_while_learning.py", tmp_path / "model", "20"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.stdout.strip() == "[]", result.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_does_not_wait_for_a_property_that_another_thread_computes() -> None:
    started, go_on = Event(), Event()

    class Slow:
        def __init__(self, is_slow: bool) -> None:
            self.is_slow = is_slow

        @cached_property
        def value(self) -> int:
            if self.is_slow:
                started.set()
                go_on.wait(60)
            return 1

    thread = Thread(target=lambda: Slow(True).value)
    thread.start()
    assert started.wait(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads that a fork may leave behind
        child = os.fork()
    if not child:
        signal.alarm(10)
        os._exit(Slow(False).value - 1)
    status = os.waitpid(child, 0)[1]
    go_on.set()
    thread.join(60)
    assert status == 0


@pytest.mark.parametrize("act", ["fit", "predict", "learn", "leave_one_out", "stems", "patterns"])
def test_python_exits_while_daemon_threads_are_in_the_kernel(act: str) -> None:
    command = [sys.executable, HELPERS / "exit_while_busy.py", act, "2"]
    for seconds in ("0.05", "0.2"):
        result = subprocess.run([*command, seconds], capture_output=True, text=True, timeout=100, check=False)
        assert (result.returncode, result.stderr) == (0, "")


JOINED_AT_EXIT = """
import atexit, threading, time

stop = threading.Event()
atexit.register(lambda: (stop.set(), thread.join()))  # before the import, so it is called after the function of tercet
import tercet

c = tercet.Categorizer().fit(["to be", "or not"] * 50, ["x", "y"] * 50)

def repeat():
    while not stop.is_set():
        c.predict(["to be or not"] * 200)

thread = threading.Thread(target=repeat, daemon=True)
thread.start()
time.sleep(0.1)
"""


def test_a_function_that_python_calls_at_exit_can_wait_for_a_thread_in_the_kernel() -> None:
    result = subprocess.run([sys.executable, "-c", JOINED_AT_EXIT], capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_the_file_of_a_model_that_learns_meanwhile_is_whole() -> None:
    texts, labels = [f"w{k % 97} w{k % 89} w{k % 83} w{k}" for k in range(400)], ["x", "y"] * 200
    model, is_over = tercet.Categorizer(remember=False).fit(texts, labels), Event()
    more = tercet.Categorizer(remember=False).fit(texts + texts[:50], labels + labels[:50])
    known = {encode_model(*describe_file(each))[0] for each in (model, more)}

    def teach() -> None:
        while not is_over.is_set():
            model.learn(texts[:50], labels[:50]).forget(texts[:50], labels[:50])

    teacher = Thread(target=teach)
    teacher.start()
    try:
        assert {encode_model(*describe_file(model))[0] for _ in range(60)} <= known
    finally:
        is_over.set()
        teacher.join()

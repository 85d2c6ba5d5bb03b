"""Several writers of one file: no change is lost, nothing half-written is left, and readers go on."""

import errno
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import tercet
from tercet.errors import CannotWrite, FileChanged
from tercet.store import file_lock
from tercet.store.atomic_file import write_whole
from tercet.store.file_lock import lock_file, name_beside

TERCET = [sys.executable, "-m", "tercet"]
TEXTS, LABELS = ["good film", "bad film", "nice story", "dull story"], ["+", "-", "+", "-"]

# The program with a disk that is very slow: it says when the file beside the model is complete, and waits.
SLOW = """
import os, sys, time
def wait(_):
    print("written", flush=True)
    time.sleep(60)
os.fsync = wait
from tercet.cli.main import main
main()
"""


HOLDER = """
import time
from tercet.store.file_lock import lock_file
with lock_file("m.tercet"):
    print("has it", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model and with documents, where the program runs."""
    monkeypatch.chdir(tmp_path)
    tercet.Categorizer().fit(TEXTS, LABELS).save("m.tercet")
    for i in range(6):
        Path(f"{i}.csv").write_text(f"text,label\ndocument number {i},+\n")
    return tmp_path


def start(*words: str, program: list[str] = TERCET) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen([*program, *words], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def end(program: "subprocess.Popen[str]") -> tuple[int, str]:
    """The exit code and what was said on standard error."""
    said = program.communicate(timeout=60)[1]
    return program.returncode, said


def list_hidden() -> list[str]:
    return sorted(name for name in os.listdir() if name.startswith("."))


def test_programs_that_change_one_file_lose_nothing(folder: Path) -> None:
    learners = [start("learn", "m.tercet", f"{i}.csv", "-q") for i in range(6)]
    assert [end(learner) for learner in learners] == [(0, "")] * 6
    both = start("forget", "m.tercet", "0.csv", "-q"), start("learn", "m.tercet", "0.csv", "-q")
    assert [end(program) for program in both] == [(0, "")] * 2
    same = tercet.Categorizer().fit(TEXTS, LABELS)
    for i in range(6):
        same.learn([f"document number {i}"], ["+"])
    same.save("same.tercet")
    assert Path("m.tercet").read_bytes() == Path("same.tercet").read_bytes()
    assert list_hidden() == []


@pytest.mark.parametrize(
    "words",
    [
        "learn m.tercet 0.csv",
        "forget m.tercet 0.csv",
        "relabel m.tercet 0.csv",
        "refit m.tercet 0.csv",
        "merge m.tercet m.tercet -o m.tercet",
        "train 0.csv -o m.tercet",
    ],
)
def test_a_command_waits_for_the_lock_as_long_as_it_may(folder: Path, words: str) -> None:
    before = Path("m.tercet").read_bytes()
    with lock_file("m.tercet"):
        code, said = end(start(*words.split(), "--wait", "0.1"))
    assert code == 2
    assert "waiting for another program that is changing m.tercet (a server does so until it ends) …" in said
    assert "tercet: m.tercet is still being changed by another program after 0.1 seconds: nothing was written." in said
    assert Path("m.tercet").read_bytes() == before


def test_a_command_goes_on_when_it_gets_the_lock(folder: Path) -> None:
    with lock_file("m.tercet"):
        learner = start("learn", "m.tercet", "0.csv")
        assert learner.stderr is not None
        assert (
            learner.stderr.readline()
            == "waiting for another program that is changing m.tercet (a server does so until it ends) …\n"
        )
    assert end(learner)[0] == 0
    loaded: Any = tercet.load("m.tercet")
    assert loaded.count_learned(["document number 0"], ["+"]) == 1


def test_a_reader_does_not_wait(folder: Path) -> None:
    with lock_file("m.tercet"):
        assert tercet.load("m.tercet").predict(["good"]).tolist() == ["+"]
        assert end(start("predict", "m.tercet", "good", "--string")) == (0, "")


def test_a_model_that_changed_meanwhile_is_not_overwritten(folder: Path) -> None:
    one, other = (tercet.load("m.tercet") for _ in range(2))
    assert isinstance(one, tercet.Categorizer)
    assert isinstance(other, tercet.Categorizer)
    one.learn(["a new text"], ["+"]).save("m.tercet")
    one.learn(["one more"], ["+"]).save("m.tercet")  # its own change is no reason to refuse
    kept = Path("m.tercet").read_bytes()
    for path in ("m.tercet", folder / "m.tercet"):
        with pytest.raises(FileChanged, match="that change would be lost, so nothing was written"):
            other.forget(["good film"], ["+"]).learn(["good film"], ["+"]).save(path)
    assert Path("m.tercet").read_bytes() == kept
    assert list_hidden() == []
    other.save("other.tercet")
    tercet.Categorizer().fit(TEXTS, LABELS).save("m.tercet")  # a new model replaces anything
    Path("m.tercet").unlink()
    other.save("m.tercet")
    compact: Any = tercet.load("m.tercet")
    compact.compact().save("m.tercet")
    with pytest.raises(FileChanged):
        other.save("m.tercet")


def test_a_copy_of_a_model_does_not_know_its_file(folder: Path) -> None:
    loaded = tercet.load("m.tercet")
    assert b"m.tercet" not in pickle.dumps(loaded)
    assert not pickle.loads(pickle.dumps(loaded)).files


def test_a_model_knows_its_file_after_it_was_saved_to_another_file(folder: Path) -> None:
    loaded, other = (tercet.load("m.tercet") for _ in range(2))
    assert isinstance(other, tercet.Categorizer)
    loaded.save("backup.tercet")
    other.learn(["a new text"], ["+"]).save("m.tercet")
    with pytest.raises(FileChanged):
        loaded.save("m.tercet")
    loaded.save("backup.tercet")


@pytest.mark.parametrize(
    "derive",
    [
        lambda c: c + tercet.Categorizer().fit(TEXTS, LABELS),
        lambda c: tercet.Categorizer().fit(TEXTS, LABELS) + c,
        lambda c: c.compact(),
        lambda c: c.restrict(["+", "-"]),
    ],
    ids=["sum", "sum with it", "compact", "restricted"],
)
def test_what_is_made_from_a_model_knows_its_file(folder: Path, derive: Any) -> None:
    derived, other = derive(tercet.load("m.tercet")), tercet.load("m.tercet")
    assert isinstance(other, tercet.Categorizer)
    other.learn(["a new text"], ["+"]).save("m.tercet")
    with pytest.raises(FileChanged):
        derived.save("m.tercet")


# The lock itself.


def can_lock(path: str) -> bool:
    try:
        with lock_file(path, wait_seconds=0):
            return True
    except CannotWrite:
        return False


@contextmanager
def locked_elsewhere(path: str) -> Iterator[None]:
    """Another thread has the lock."""
    has_it, done = Event(), Event()

    def hold() -> None:
        with lock_file(path):
            has_it.set()
            done.wait(60)

    thread = Thread(target=hold, daemon=True)
    thread.start()
    assert has_it.wait(60)
    yield
    done.set()
    thread.join(60)


def test_threads_exclude_each_other_and_a_thread_may_take_it_again(folder: Path) -> None:
    os.symlink("m.tercet", "link")
    with locked_elsewhere("m.tercet"):
        assert not can_lock("m.tercet")
        assert not can_lock("link")
        assert can_lock("other")
    with lock_file("m.tercet"), lock_file("link"):
        pass
    assert can_lock("m.tercet")
    assert list_hidden() == []


def test_the_lock_of_a_killed_program_is_free(folder: Path) -> None:
    holder = start(program=[sys.executable, "-c", HOLDER])
    assert holder.stdout is not None
    assert holder.stdout.readline() == "has it\n"
    assert not can_lock("m.tercet")
    holder.kill()
    end(holder)
    assert list_hidden() == [".m.tercet.lock"]
    assert can_lock("m.tercet")
    assert list_hidden() == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_does_not_release_the_lock_of_its_parent(folder: Path) -> None:
    free: list[bool] = []
    with ExitStack() as stack:
        stack.enter_context(lock_file("m.tercet"))
        child = os.fork()
        if child == 0:
            stack.close()
            os._exit(0)
        os.waitpid(child, 0)
        asking = Thread(target=lambda: free.append(can_lock("m.tercet")))
        asking.start()
        asking.join()
    assert free == [False]
    assert list_hidden() == []


def test_who_waited_for_a_lock_file_that_was_removed_locks_the_new_one(folder: Path) -> None:
    handle = os.open(".m.tercet.lock", os.O_RDWR | os.O_CREAT)
    with lock_file("m.tercet"):
        assert file_lock.is_still_there(handle, Path(".m.tercet.lock"))
    assert not file_lock.is_still_there(handle, Path(".m.tercet.lock"))
    with lock_file("m.tercet"):
        assert not file_lock.is_still_there(handle, Path(".m.tercet.lock"))
    os.close(handle)


def test_a_file_system_without_locks_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(file_lock, "try_lock", fail)
    with pytest.raises(CannotWrite, match=r"the file system does not lock files .* Write it to a local disk"):
        tercet.Categorizer().fit(TEXTS, LABELS).save("x.tercet")
    assert not Path("x.tercet").exists()


@pytest.mark.parametrize("name", ["x" * 250, "ü" * 125])
def test_a_long_name_can_be_written_and_locked(folder: Path, name: str) -> None:
    tercet.Categorizer().fit(TEXTS, LABELS).save(name)
    with locked_elsewhere(name):
        assert not can_lock(name)
    assert list_hidden() == []


# Programs that are stopped while they write.


IGNORING = """
import os, time
import tercet.cli.main as program
class Ignoring:
    def __del__(self):
        os.kill(os.getpid(), {number})
        time.sleep(0.01)
def work(_):
    Ignoring()  # its __del__ ignores the exception of the first signal
    time.sleep(20)
program.run = work
program.main()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_that_python_ignores_once_still_ends_the_program(number: int, code: int) -> None:
    ended = subprocess.run([sys.executable, "-c", IGNORING.format(number=int(number))], capture_output=True, timeout=15)
    assert (ended.returncode, ended.stderr) == (code, b"")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_stopped_program_leaves_nothing_behind(folder: Path, number: int, code: int) -> None:
    before = Path("m.tercet").read_bytes()
    writer = start("learn", "m.tercet", "0.csv", program=[sys.executable, "-c", SLOW])
    assert writer.stdout is not None
    assert writer.stdout.readline() == "written\n"
    assert list_hidden() == [".m.tercet.lock", ".m.tercet.part"]
    writer.send_signal(number)
    writer.send_signal(number)
    assert end(writer)[0] == code
    assert list_hidden() == []
    assert Path("m.tercet").read_bytes() == before


def test_sigterm_ends_a_program_that_waits_for_its_input(folder: Path) -> None:
    learner = start("learn", "m.tercet", "-", "--format", "csv")
    for _ in range(1000):
        if list_hidden():
            break
        time.sleep(0.01)
    assert list_hidden() == [".m.tercet.lock"]
    time.sleep(0.3)  # it has just made the file, and may not have locked it yet
    learner.send_signal(signal.SIGTERM)
    assert learner.wait(20) == 143  # with its input still open
    assert end(learner)[0] == 143
    assert list_hidden() == []


@pytest.mark.parametrize(
    "writes", [lambda: write_whole("m.tercet", [b"new"]), lambda: tercet.load("m.tercet").save("m.tercet")]
)
def test_what_a_killed_writer_left_is_removed_by_the_next(folder: Path, writes: Any) -> None:
    before = Path("m.tercet").read_bytes()
    writer = start("learn", "m.tercet", "0.csv", program=[sys.executable, "-c", SLOW])
    assert writer.stdout is not None
    assert writer.stdout.readline() == "written\n"
    writer.kill()
    end(writer)
    assert list_hidden() == [".m.tercet.lock", ".m.tercet.part"]
    assert Path("m.tercet").read_bytes() == before
    writes()
    assert list_hidden() == []


def test_a_file_beside_the_model_is_not_followed(folder: Path) -> None:
    Path("precious").write_text("kept")
    os.symlink("precious", name_beside(Path("m.tercet"), "part"))
    tercet.load("m.tercet").save("m.tercet")
    assert Path("precious").read_text() == "kept"
    os.symlink("precious", name_beside(Path("m.tercet"), "lock"))
    with pytest.raises(CannotWrite, match="could not be opened"):
        tercet.load("m.tercet").save("m.tercet")


# Readers of a file that is overwritten.

OVERWRITTEN = """
import sys, tercet
model = tercet.load("m.tercet", mapped=sys.argv[1] == "mapped", verify=False)
with open("m.tercet", "r+b") as file:
    file.truncate(0)
print(model.predict(["good"])[0], flush=True)
"""


def test_overwriting_a_file_does_not_change_what_was_loaded(folder: Path) -> None:
    reader = start("read", program=[sys.executable, "-c", OVERWRITTEN])
    assert reader.communicate(timeout=60)[0] == "+\n"
    assert reader.returncode == 0


def test_a_mapped_file_is_read_where_it_is(folder: Path) -> None:
    Path("copy.tercet").write_bytes(Path("m.tercet").read_bytes())
    for path, mapped in (("m.tercet", False), ("copy.tercet", True)):
        loaded: Any = tercet.load(path, mapped=mapped)
        assert loaded.predict(TEXTS).tolist() == LABELS
        loaded.learn(["a new text"], ["+"]).save(path)  # replaces the file, which stays as it is for who has it open
        assert loaded.predict(TEXTS).tolist() == LABELS
    assert Path("m.tercet").read_bytes() == Path("copy.tercet").read_bytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system can't fork")
def test_a_process_that_is_forked_by_the_holder_of_a_lock_does_not_hold_it(tmp_path: Path) -> None:
    with lock_file(tmp_path / "m.tercet"):
        child = os.fork()
        if child == 0:
            try:
                with lock_file(tmp_path / "m.tercet", wait_seconds=0):
                    os._exit(1)
            except CannotWrite:
                os._exit(0)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

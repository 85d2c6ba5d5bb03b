"""Many threads with one categorizer: nobody waits for ever, and nobody sees half of a change."""

import subprocess
import sys
from pathlib import Path

import pytest

import tercet

# In a process of its own: threads that wait for each other with the GIL can't be stopped from within.
PROGRAM = """
import pickle, sys, threading, tercet
sys.setswitchinterval(1e-4)  # to change places often, and to wait for nobody long
path, act = sys.argv[1:]
categorizer = tercet.load(path)
done, wrong = threading.Event(), []

def copy_and_count():
    copy = pickle.loads(pickle.dumps(categorizer))
    if len(copy._state.prints) != copy.table_.n_documents.sum():
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

"""The server gives memory back to the operating system."""

import asyncio
import gc
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
from helpers.servers import write_model

from tercet.ledger.ledger import Ledger
from tercet.server import memory
from tercet.server.served_model import ServedModel
from tercet.server.threads import Lane

pytestmark = pytest.mark.server

# Arrays of several sizes, with small ones between them, in several threads: then all but the small ones are freed.
PROGRAM = """
import sys, threading
import numpy as np
from tercet.server.memory import give_back, keep_little
if sys.argv[1] == "mended":
    keep_little()
kept = []
def work():
    large = [np.ones(n) for n in (3 << 20, 1 << 20, 1 << 19)]  # freed, so that the next ones are not mapped
    del large
    for _ in range(10):
        array = [np.ones(1 << 18) for _ in range(4)]
        kept.append(np.ones(1 << 10))
        some.append(array)
some = []
for _ in range(3):
    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    some.clear()
if sys.argv[1] == "mended":
    give_back()
print(next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS")))
"""


@pytest.mark.skipif(memory.find_allocator() is None, reason="only the C library of GNU keeps memory in this way")
def test_freed_arrays_are_given_back() -> None:
    before, after = (
        int(subprocess.run([sys.executable, "-c", PROGRAM, how], capture_output=True, text=True, check=True).stdout)
        for how in ("plain", "mended")
    )
    assert after < before / 2


def test_memory_is_given_back_after_work_and_collected_when_it_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    done, clock = list[tuple[str, float]](), [0.0]
    monkeypatch.setattr(memory, "give_back", lambda: done.append(("give back", clock[0])))
    monkeypatch.setattr(memory, "collect", lambda: done.append(("collect", clock[0])))
    monkeypatch.setattr(memory, "REST_SECONDS", 0.02)
    monkeypatch.setattr(memory.time, "process_time", lambda: clock[0])

    async def watch() -> None:
        task = asyncio.create_task(memory.give_back_after_work(Lane("following", 1, 1, 10, 10)))
        for seconds in (0.1, 2.0, 2.1, 3.0):
            clock[0] = seconds
            await asyncio.sleep(0.3)
        task.cancel()

    asyncio.run(watch())
    assert done == [("give back", 2.0), ("collect", 2.0), ("give back", 3.0), ("collect", 3.0)]


def test_a_collection_deletes_objects_that_refer_to_each_other() -> None:
    class Node:
        other: "Node"

    first, second = Node(), Node()
    first.other, second.other = second, first
    left = weakref.ref(first)
    gc.disable()
    del first, second
    assert left() is not None
    memory.collect()
    gc.enable()
    assert left() is None


def test_an_erasure_that_waits_for_its_certificate_keeps_no_model(tmp_path: Path) -> None:
    served = ServedModel(write_model(tmp_path))
    reader = Ledger.open(tmp_path / "reviews.ledger").events()
    next(reader)
    erasure = served.erase("person 1", None, (), "ann", 0.0)
    assert erasure.certificate is None
    assert erasure.replay is not None
    assert [waiting.replay for waiting in served.erasures.values()] == [None]
    del reader
    assert served.erasures[erasure.number].confirm(10.0).event.number == erasure.number
    served.close()

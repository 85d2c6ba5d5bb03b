"""Memory that the server no longer uses goes back to the operating system.

A training, an erasure or an import needs much memory for some seconds, in threads of their own. The C library of Linux keeps
what they have freed: each thread has an arena, and after the first large array was freed, arrays of up to 32 MB are taken from
these arenas, where a small object that is still used holds all memory below it. So a process grew to many times the size of its
models, although nothing had leaked. Here large arrays are always mapped, so that freeing one gives it back at once, threads
share a few arenas, and after work the rest is given back, too. In a quiet moment the garbage collector runs before. By itself
it may wait for long, because it counts objects, and not how large they are.

Other C libraries have no such functions: there only the garbage collector runs.
"""

import asyncio
import ctypes
import gc
import platform
import sys
import time
from functools import cache

from tercet.server.threads import Lane

MAPPED_BYTES = 1 << 20  # arrays of this size and more are mapped
N_ARENAS = 4
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # of mallopt, as malloc.h numbers them
REST_SECONDS = 2.0  # between two looks
WORK_SECONDS = 0.5  # of processor time since the last time: less leaves little behind
QUIET_SECONDS = 0.2  # of processor time between two looks, at most


@cache
def find_allocator() -> ctypes.CDLL | None:
    """The C library, if it is the one of GNU."""
    return ctypes.CDLL(None) if sys.platform == "linux" and platform.libc_ver()[0] == "glibc" else None


def keep_little() -> None:
    """Let this process keep little of the memory that it frees."""
    allocator = find_allocator()
    if allocator is not None:
        # The first one also stops the library from raising the size by itself.
        for option, value in ((M_MMAP_THRESHOLD, MAPPED_BYTES), (M_TRIM_THRESHOLD, MAPPED_BYTES), (M_ARENA_MAX, N_ARENAS)):
            allocator.mallopt(option, value)


def give_back() -> None:
    """Give free memory back to the operating system."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    allocator = find_allocator()
    if allocator is not None:
        allocator.malloc_trim(0)


def collect() -> None:
    """Delete objects that refer to each other, too. Everything else waits for that, a tenth of a second with many events."""
    gc.collect()
    give_back()


async def give_back_after_work(lane: Lane) -> None:
    """Give free memory back in a thread of this lane after work, and all of it in the first quiet moment, until the end."""
    seen = given = collected = 0.0  # the processor time at the last look, and when memory was given back
    while True:
        await asyncio.sleep(REST_SECONDS)
        now = time.process_time()
        is_quiet, seen = now - seen < QUIET_SECONDS, now
        if is_quiet and now - collected >= WORK_SECONDS:
            await lane.run(collect, "memory")
            given = collected = time.process_time()
        elif now - given >= WORK_SECONDS:
            await lane.run(give_back, "memory")
            given = time.process_time()

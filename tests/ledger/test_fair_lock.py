"""A lock that threads get in the order in which they ask for it."""

import threading
import time

from tercet.ledger.fair_lock import FairLock


def wait_for(n: int, lock: FairLock) -> None:
    """Until so many threads wait."""
    until = time.monotonic() + 20
    while len(lock._waiting) < n:
        assert time.monotonic() < until
        time.sleep(0.001)


def test_threads_get_it_in_their_order_and_one_at_a_time() -> None:
    lock, order, inside = FairLock(), list[int](), 0

    def take(number: int) -> None:
        nonlocal inside
        with lock:
            inside += 1
            assert inside == 1
            order.append(number)
            inside -= 1

    with lock:
        threads = []
        for number in range(8):
            threads.append(threading.Thread(target=take, args=(number,)))
            threads[-1].start()
            wait_for(number + 1, lock)
    for thread in threads:
        thread.join(20)
    assert order == list(range(8))


def test_a_thread_that_takes_it_again_and_again_lets_others_in() -> None:
    lock, is_over, n_taken = FairLock(), threading.Event(), 0

    def take_often() -> None:
        nonlocal n_taken
        while not is_over.is_set():
            with lock:
                n_taken += 1
                time.sleep(0.002)

    greedy = threading.Thread(target=take_often)
    greedy.start()
    try:
        while not n_taken:
            time.sleep(0.001)
        before = n_taken
        for _ in range(5):
            with lock:
                pass
        assert n_taken - before <= 10  # one turn of the other thread for each of ours, and some for a slow machine
    finally:
        is_over.set()
        greedy.join(20)

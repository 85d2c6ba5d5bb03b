"""How fast near copies are found among a million texts, in how much memory, and how many of the planted ones.

python benchmarks/near_copies.py        (TERCET_DATA=folder of the corpora; without it words are invented)
"""

import random
import resource
import subprocess
import sys
import time

import numpy as np
from corpora import INVENTED, find_corpora, read_corpus

from tercet.counts.near_copies import find_near_copies, find_near_leaks

N_TEXTS = 1_000_000
SEGMENT = 8  # words. Texts are made of segments of real texts, so that they share shingles as real texts do


def make_segments(low: int, high: int) -> list[str]:
    """Texts of low to high words. One in ten is a near copy of the text before: one word in twenty is changed."""
    (corpus,) = find_corpora("sms_spam")
    texts_of_corpus = read_corpus(corpus, "train" if corpus == INVENTED else "all").texts
    words = np.array(" ".join(texts_of_corpus).split(), object)
    rng = np.random.default_rng(0)
    texts: list[str] = []
    for length in rng.integers(low, high + 1, N_TEXTS):
        if texts and rng.random() < 0.1:
            chosen = texts[-1].split()
            changed = rng.integers(len(chosen), size=max(1, len(chosen) // 20))
            texts.append(" ".join(f"new{i}" if i in changed else word for i, word in enumerate(chosen)))
            continue
        starts = rng.integers(len(words) - SEGMENT, size=-(-length // SEGMENT))
        texts.append(" ".join(words[starts[:, None] + np.arange(SEGMENT)].ravel()[:length]))
    return texts


def make_letters() -> list[str]:
    """Form letters: all are near copies of each other, and no two are equal."""
    body = " ".join(f"word{k}" for k in range(30))
    return [f"dear name{i} {body} sum{i}" for i in range(N_TEXTS)]


CASES = {
    "5 to 19 words": lambda: make_segments(5, 19),
    "20 to 60 words": lambda: make_segments(20, 60),
    "form letters": make_letters,
    "equal texts": lambda: ["word " * 40] * N_TEXTS,
}


def measure(name: str) -> None:
    texts = CASES[name]()
    before = resource.getrusage(resource.RUSAGE_SELF)
    begin = time.perf_counter()
    found = find_near_copies(texts)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    used = (
        f"{wall:7.1f} s wall {cpu:7.1f} s CPU, peak {after.ru_maxrss / 2**20:.2f} GiB ({before.ru_maxrss / 2**20:.2f} before)"
    )
    print(f"{name:<16}{used}; {len(found.pairs)} pairs, {found.groups().max() + 1} groups", flush=True)


def change_words(text: str, rng: random.Random) -> str:
    words = text.split()
    for i in rng.sample(range(len(words)), round(0.05 * len(words))):
        words[i] = f"new{rng.randrange(10**9)}"
    return " ".join(words)


def measure_planted() -> None:
    """Near copies of a thousand training texts, with one word in twenty changed."""
    (corpus,) = find_corpora("imdb")
    train, rng = read_corpus(corpus, "train").texts, random.Random(0)
    chosen = rng.sample([text for text in train if len(text.split()) >= 20], 1000)
    begin = time.perf_counter()
    leaks = find_near_leaks(train, [change_words(text, rng) for text in chosen])
    seconds = time.perf_counter() - begin
    print(f"planted near copies: {len(leaks.pairs)} of 1000 found among {len(train)} texts, in {seconds:.1f} s")


def main() -> None:
    if sys.argv[1:]:
        measure(sys.argv[1])
        return
    measure_planted()
    for name in CASES:  # each in its own process, because of the memory
        subprocess.run([sys.executable, __file__, name], check=True)


if __name__ == "__main__":
    main()

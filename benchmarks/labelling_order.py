"""Which texts should be labelled first: accuracy after 20, 50, 100 and 200 labels, on real corpora.

    TERCET_DATA=… python benchmarks/labelling_order.py [--draws 3] [--model default|words|bayes] [CORPUS …]

Each draw has a pool of at most 1,200 training documents, and judges 1,000 other training documents. Texts of the pool are
labelled in random order, in the former order of `tercet label` (uncertainty · share of new words), and in that of
`tercet.suggest`. The model is trained anew after 20, 30, 40, 50, 75, 100, 150 and 200 labels, and suggests the texts up to the
next training. The default model and the first suggested texts use word vectors if the encoder is installed.
"""

import os
import re
import sys
import warnings
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from first_labels import CORPORA, read_rows

import tercet
from tercet import Categorizer

SIZES = (20, 30, 40, 50, 75, 100, 150, 200)
SHOWN = (20, 50, 100, 200)
MAX_POOL, MAX_JUDGED, MAX_LABELS = 1200, 1000, 8
WORD = re.compile(r"\w+")
MODELS: dict[str, dict[str, Any]] = {
    "default": {"model": "auto", "vectors": "auto", "calibrate": "auto"},
    "words": {"model": "auto", "calibrate": "auto"},
    "bayes": {"calibrate": "auto"},
}


class Texts(NamedTuple):
    texts: list[str]
    labels: list[str]

    def pick(self, indices: Sequence[int]) -> "Texts":
        return Texts([self.texts[i] for i in indices], [self.labels[i] for i in indices])


def read_training(folder: Path) -> Texts:
    """The training documents; clinc150 by domain, and the most frequent labels of goemotions."""
    rows = read_rows(folder / "train") or read_rows(folder / "all") or []
    rows = [row for row in rows if len(row.get("labels", [0])) == 1]
    name = "domain" if "domain" in rows[0] else "label"
    labels = [str(row["labels"][0] if "labels" in row else row[name]) for row in rows]
    kept = {label for label, _ in Counter(labels).most_common(MAX_LABELS)} if "labels" in rows[0] else set(labels)
    return Texts([row["text"] for row in rows], labels).pick([i for i, label in enumerate(labels) if label in kept])


Order = Callable[[list[str], list[int], Any, int], list[int]]  # pool, labelled so far, model, how many → the next ones


def take_any(pool: list[str], known: list[int], _: Any, n: int) -> list[int]:
    return [i for i in range(len(pool)) if i not in set(known)][:n]  # the pool is in random order


def take_former(pool: list[str], known: list[int], model: Any, n: int) -> list[int]:
    """One after another the text with the most uncertainty · (1 + share of words that the last texts do not have) / 2."""
    left = take_any(pool, known, None, len(pool))
    words = [frozenset(WORD.findall(text[:2000].casefold())) for text in pool]
    doubts = np.ones(len(left)) if model is None else 1 - model.predict_proba([pool[i] for i in left]).max(axis=1)
    seen, chosen = set[str]().union(*(words[i] for i in known[-20:])), list[int]()
    while len(chosen) < n:
        _, best = max(
            (doubts[k] * (1 + len(words[i] - seen) / max(1, len(words[i]))) / 2, -k)
            for k, i in enumerate(left)
            if i not in chosen
        )
        chosen.append(left[-best])
        seen |= words[left[-best]]
    return chosen


def take_suggested(pool: list[str], known: list[int], model: Any, n: int) -> list[int]:
    return tercet.suggest(pool, n, model, [pool[i] for i in known])


ORDERS: dict[str, Order] = {"random": take_any, "former": take_former, "suggested": take_suggested}


def fit(documents: Texts, options: dict[str, Any]) -> Categorizer | None:
    """None if there is only one label."""
    return Categorizer(**options).fit(*documents) if len(set(documents.labels)) > 1 else None


def run(order: Order, pool: Texts, judged: Texts, options: dict[str, Any]) -> list[float]:
    """The accuracies at SHOWN."""
    known: list[int] = []
    model, found = None, []
    for size in SIZES:
        known += order(pool.texts, known, model, size - len(known))
        if order is take_any and size not in SHOWN:
            continue
        model = fit(pool.pick(known), options)
        if size in SHOWN:
            answers = [pool.labels[known[0]]] * len(judged.texts) if model is None else model.predict(judged.texts).tolist()
            found.append(float(np.mean([said == gold for said, gold in zip(answers, judged.labels, strict=True)])))
    return found


def drop_copies(documents: Texts) -> Texts:
    return documents.pick(list({text: i for i, text in reversed(list(enumerate(documents.texts)))}.values()))


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--model", choices=MODELS, default="default")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = os.environ.get("TERCET_DATA")
    if folder is None:
        sys.exit("set TERCET_DATA to the folder of the corpora")
    print(f"{'accuracy after':24} " + "  ".join(f"{size:>5}" for size in SHOWN))
    means: dict[str, list[Any]] = {name: [] for name in ORDERS}
    for corpus in given.corpora:
        documents = drop_copies(read_training(Path(folder, corpus)))
        for name, order in ORDERS.items():
            found = []
            for seed in range(given.draws):
                drawn = np.random.default_rng(seed).permutation(len(documents.texts)).tolist()
                n = min(MAX_POOL, len(drawn) * 3 // 5)
                pool, judged = documents.pick(drawn[:n]), documents.pick(drawn[n : n + MAX_JUDGED])
                found.append(run(order, pool, judged, MODELS[given.model]))
            means[name].append(np.mean(found, axis=0))
            print(f"{corpus:14} {name:9} " + "  ".join(f"{each:.3f}" for each in means[name][-1]), flush=True)
    for name, rows in means.items():
        print(f"{'mean':14} {name:9} " + "  ".join(f"{each:.3f}" for each in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()

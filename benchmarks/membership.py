"""Whether a model file without fingerprints and documents shows that a text was learned.

python benchmarks/membership.py [CORPUS ...]        (TERCET_DATA=folder of the corpora)

Half of the documents of a corpus are learned. The attacker has the file and a text, and says that it was learned if the file
has all of its terms. Balanced accuracy is the mean of the share of learned texts that are recognized, and of the share of
others that are not taken for learned: 0.5 is guessing. The last column is for an attacker who ranks texts by the share of their
terms that the pruned file has: the probability that a learned text comes before another (AUC). Texts that both halves have are
left out.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from corpora import Documents, join_parts, read_corpus

import tercet
from tercet import Categorizer

CORPORA = {"sms_spam": ("all",), "mr": ("all",), "trec_qc": ("train",), "20newsgroups": ("train",), "imdb": ("train",)}
FORMS = ("no fingerprints", "compact", "pruned at 2 documents", "AUC, pruned")


def main(names: list[str]) -> None:
    print("| corpus | terms | " + " | ".join(FORMS) + " |\n|---|---|" + "--:|" * len(FORMS))
    for name in names or CORPORA:
        parts = CORPORA[name]
        learned, others = split_halves(read_corpus(name, parts[0]) if len(parts) == 1 else join_parts(name, *parts))
        for recipe in ("words", None):
            whole, compact, pruned = write_forms(recipe, learned)
            results = [recognize(whole, learned, others), recognize(compact, learned, others)]
            results += [recognize(pruned, learned, others), rank(pruned, learned, others)]
            shown = " | ".join(f"{result:.3f}" for result in results)
            print(f"| {name} | {recipe or 'default'} | {shown} |", flush=True)


def split_halves(documents: Documents) -> tuple[Documents, Documents]:
    """Two halves at random, without texts that both have."""
    order = np.random.default_rng(0).permutation(len(documents.texts))
    halves = [{documents.texts[i]: documents.labels[i] for i in part.tolist()} for part in np.array_split(order, 2)]
    own = [{text: label for text, label in half.items() if text not in other} for half, other in (halves, halves[::-1])]
    return Documents(list(own[0]), list(own[0].values())), Documents(list(own[1]), list(own[1].values()))


def write_forms(recipe: str | None, learned: Documents) -> list[Any]:
    """The model as files of each form have it. By default it is naive Bayes on the terms that `tercet train` counts."""
    analyzer = {} if recipe is None else {"analyzer": recipe}
    with tempfile.TemporaryDirectory() as folder:
        whole = Categorizer(**analyzer).fit(*learned)
        pruned = Categorizer(**analyzer, min_documents=2).fit(*learned).prune()
        paths = [Path(folder, f"{number}.tercet") for number in range(3)]
        whole.save(paths[0], fingerprints=False)
        whole.compact().save(paths[1])
        pruned.save(paths[2], fingerprints=False)
        return [tercet.load(path) for path in paths]


def recognize(model: Any, learned: Documents, others: Documents) -> float:
    """The balanced accuracy of an attacker who asks whether the file has all terms of a text."""
    found, taken = (measure_known(model, part.texts) == 1 for part in (learned, others))
    return float((found.mean() + (1 - taken.mean())) / 2)


def rank(model: Any, learned: Documents, others: Documents) -> float:
    """The probability that a learned text has a larger share of known terms than another text; ties count half."""
    found, others_found = (np.sort(measure_known(model, part.texts)) for part in (learned, others))
    below, at_most = (np.searchsorted(others_found, found, side) for side in ("left", "right"))
    return float((below + at_most).mean() / 2 / len(others_found))


def measure_known(model: Any, texts: list[str]) -> np.ndarray:
    """The share of the terms of each text that the file has; 1 for a text without terms."""
    shares = []
    for rows in model.scorer().read_rows(texts):
        ends, _, counts = rows.arrays()
        sums = np.concatenate([[0.0], np.cumsum(counts)])
        n_known, n_unknown = sums[ends[1:]] - sums[ends[:-1]], rows.n_unknown()
        shares.append(np.where(n_unknown > 0, n_known / np.maximum(n_known + n_unknown, 1), 1.0))
    return np.concatenate(shares)


if __name__ == "__main__":
    main(sys.argv[1:])

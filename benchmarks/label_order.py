"""How many labels does the suggested order of `tercet label` save?  TERCET_DATA=… python benchmarks/label_order.py

Some texts are labelled at random, and a naive Bayes learns them. Then one text after another is labelled, of a pool of 1000, in
random or in suggested order, and learned at once. The numbers are the accuracy on other texts, mean of four runs.
"""

import os
from pathlib import Path

import numpy as np

from tercet import Categorizer, read
from tercet.ledger.label_queue import MAX_CHARACTERS, MAX_SCORED, N_RECENT, WORD, choose_texts

DATA = {"SMS spam": ("sms_spam/all.jsonl", 20), "TREC": ("trec_qc/train.jsonl", 30), "MR": ("mr/all.jsonl", 30)}
N_LABELLED, N_TEST, N_RUNS = 100, 1000, 4


def label(texts: list[str], labels: list[str], n_first: int, order: str, seed: int) -> tuple[list[str], list[str]]:
    """The texts that are labelled, with their labels."""
    draw = np.random.default_rng(seed).permutation(len(texts)).tolist()
    known, pool = draw[:n_first], draw[n_first : n_first + MAX_SCORED]
    words = {i: frozenset(WORD.findall(texts[i][:MAX_CHARACTERS].casefold())) for i in known + pool}
    model = Categorizer().fit([texts[i] for i in known], [labels[i] for i in known])
    for _ in range(N_LABELLED):
        place = 0
        if order == "suggested":
            doubts = (1 - model.predict_proba([texts[i] for i in pool]).max(axis=1)).tolist()
            recent = frozenset[str]().union(*(words[i] for i in known[-N_RECENT:]))
            (place,) = choose_texts(doubts, [words[i] for i in pool], recent, 1)
        chosen = pool.pop(place)
        known.append(chosen)
        model.learn([texts[chosen]], [labels[chosen]])
    return [texts[i] for i in known], [labels[i] for i in known]


def main() -> None:
    print(f"{'data':10} {'order':10} accuracy after {N_LABELLED} labels")
    for name, (path, n_first) in DATA.items():
        documents = read(Path(os.environ["TERCET_DATA"], path))
        order = np.random.default_rng(0).permutation(len(documents.texts)).tolist()
        texts, labels = [documents.texts[i] for i in order], [(documents.labels or [])[i] for i in order]
        test, gold = texts[:N_TEST], np.array(labels[:N_TEST])
        for kind in ("random", "suggested"):
            found = [label(texts[N_TEST:], labels[N_TEST:], n_first, kind, seed) for seed in range(N_RUNS)]
            accuracies = [float((Categorizer().fit(*known).predict(test) == gold).mean()) for known in found]
            print(f"{name:10} {kind:10} {np.mean(accuracies):.3f}", flush=True)


if __name__ == "__main__":
    main()

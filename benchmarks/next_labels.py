"""Does the interval of what the next 50 labels bring cover what they really bring?  On real corpora.

    TERCET_DATA=… python benchmarks/next_labels.py [--draws 20] [--model words|default|bayes] [--order suggested] [CORPUS …]

Each draw takes 50, 100, 200 or 400 training documents at random, and says what 50 more would bring. Then a model learns these,
and another one 50 more, and 2,000 other training documents tell the difference. The share of draws in which it is inside of the
interval should be 0.9. With --order suggested, the documents are labelled in the order of `tercet.suggest`, from a pool of
1,200, while the other documents that judge the models stay random.
"""

import os
import sys
import warnings
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numpy as np
from labelling_order import MAX_POOL, MODELS, Texts, drop_copies, fit, read_training, take_suggested

from tercet import Categorizer, Documents
from tercet.categorizer.suggestion.next_labels import N_MORE, ExpectedGain, estimate_gain

CORPORA = ("trec_qc", "mr", "cr", "subj", "sms_spam", "clinc150", "imdb", "dante")
SIZES = (50, 100, 200, 400)
MAX_JUDGED = 2000


def measure_accuracy(learned: Texts, judged: Texts, options: dict[str, Any]) -> float:
    return float((Categorizer(**options).fit(*learned).predict(judged.texts) == np.array(judged.labels)).mean())


def label_suggested(pool: Texts, n: int, options: dict[str, Any]) -> list[int]:
    """The first n texts in suggested order: the model is trained anew after 20, 50, 100, 150, … labels."""
    known: list[int] = []
    for size in sorted({20, *range(50, n, 50), n}):
        model = fit(pool.pick(known), options)
        known += take_suggested(pool.texts, known, model, size - len(known))
    return known


def compare(documents: Texts, n: int, seed: int, order: str, options: dict[str, Any]) -> tuple[ExpectedGain, float]:
    """What is expected, and what really comes."""
    drawn = np.random.default_rng([n, seed]).permutation(len(documents.texts)).tolist()
    n_pool = n + N_MORE if order == "random" else min(MAX_POOL, len(drawn) * 3 // 5)
    judged = documents.pick(drawn[n_pool:][:MAX_JUDGED])
    if order == "suggested":
        drawn = [drawn[i] for i in label_suggested(documents.pick(drawn[:n_pool]), n + N_MORE, options)]
    known, more = documents.pick(drawn[:n]), documents.pick(drawn[: n + N_MORE])
    expected = estimate_gain(Categorizer(**options), Documents(*known))
    if expected.gain is None:
        return expected, 0.0
    return expected, measure_accuracy(more, judged, options) - measure_accuracy(known, judged, options)


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--model", choices=MODELS, default="words")
    parser.add_argument("--order", choices=("random", "suggested"), default="random")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = os.environ.get("TERCET_DATA")
    if folder is None:
        sys.exit("set TERCET_DATA to the folder of the corpora")
    options = {**MODELS[given.model], "calibrate": None}
    print(f"{'corpus':14} {'documents':>9} {'expected':>9} {'real':>7} {'± half width':>12} {'covered':>8}")
    inside: list[bool] = []
    for corpus in given.corpora:
        documents = drop_copies(read_training(Path(folder, corpus)))
        for n in SIZES:
            found = [compare(documents, n, seed, given.order, options) for seed in range(given.draws)]
            told = [(each.gain, real) for each, real in found if each.gain is not None]
            if not told:
                print(f"{corpus:14} {n:9} {'cannot tell':>9}")
                continue
            own = [gain.low <= real <= gain.high for gain, real in told]
            inside += own
            expected, real = np.mean([[gain.value, real] for gain, real in told], axis=0)
            width = np.mean([(gain.high - gain.low) / 2 for gain, _ in told])
            print(f"{corpus:14} {n:9} {expected:+9.3f} {real:+7.3f} {width:12.3f} {np.mean(own):8.2f}", flush=True)
    print(f"covered: {np.mean(inside):.3f} of {len(inside)}")


if __name__ == "__main__":
    main()

"""What word vectors and unlabelled texts cost at prediction: CPU time, as a ratio to the same model without them.

    TERCET_DATA=… python benchmarks/added_block.py [--labels 10,all] [--repeats 15] [CORPUS …]

It needs pip install 'tercet[vectors]'. Models learn 10 documents a label, or all. The third model also learns up to 2,000
unlabelled texts of the training part. The models predict up to 1,000 documents of the test part in one thread: all in one call,
and 200 of them one by one. The fastest of the repeats counts. Models whose added members were dropped have no ratio. The model
without vectors may be naive Bayes, which "auto" chooses for few documents of some corpora.
"""

import os
import sys
import time
import warnings
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path

from first_labels import MODELS, Corpus, draw_few, draw_unlabelled, read_corpus

from tercet import Categorizer

CORPORA = ("trec_qc", "subj", "mr", "sms_spam")
TITLES = ("without vectors", "default", "unlabelled")
N_SINGLE = 200


def train(corpus: Corpus, n: int | None) -> list[Categorizer]:
    """The model without vectors, with vectors, and with unlabelled texts."""
    chosen = draw_few(corpus.labels, n, 0)
    texts, labels = [corpus.texts[i] for i in chosen], [corpus.labels[i] for i in chosen]
    pool = draw_unlabelled(corpus, chosen, 0)
    return [MODELS[title](texts, labels, pool).set_params(threads=1) for title in TITLES]


def measure(works: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """The CPU seconds of each piece of work, the best of the repeats. They take turns: a machine changes its speed."""
    best = [float("inf")] * len(works)
    for _ in range(repeats + 1):
        for i, work in enumerate(works):
            began = time.process_time()
            work()
            best[i] = min(best[i], time.process_time() - began)
    return best


def predict_each(model: Categorizer, texts: Sequence[str]) -> None:
    for text in texts:
        model.predict([text])


def compare(models: Sequence[Categorizer], texts: list[str], repeats: int) -> str:
    few = texts[:N_SINGLE]
    kinds = {
        "one call": ([lambda model=model: model.predict(texts) for model in models], len(texts)),
        "single texts": ([lambda model=model: predict_each(model, few) for model in models], len(few)),
    }
    shown = []
    for kind, (works, n) in kinds.items():
        times = measure(works, repeats)
        with_vectors, with_student = (time_ / times[0] for time_ in times[1:])
        of_vectors = "dropped" if models[1].fitted_.added is None else f"{with_vectors:.2f}"
        block = models[2].fitted_.added
        of_student = "dropped" if block is None or not block.has_student else f"{with_student:.2f}"
        each = f"{times[0] / n * 1e6:.1f} µs a text without"
        shown.append(f"{kind}: {each}, with vectors × {of_vectors}, with unlabelled texts × {of_student}")
    return "   ".join(shown)


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    parser.add_argument("--labels", default="10,all")
    parser.add_argument("--repeats", type=int, default=15)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = os.environ.get("TERCET_DATA")
    if folder is None:
        sys.exit("set TERCET_DATA to the folder of the corpora")
    for name in given.corpora:
        corpus = read_corpus(Path(folder, name))
        for n in (None if each == "all" else int(each) for each in given.labels.split(",")):
            shown = compare(train(corpus, n), corpus.new_texts, given.repeats)
            print(f"{name:10} {n or 'all':>4}  {shown}", flush=True)


if __name__ == "__main__":
    main()

"""How long it takes until an answer knows what was just learned: CPU milliseconds, in a table of about 1.45 million terms.

python benchmarks/immediate_learning.py        (TERCET_DATA=folder of the corpora; without it a Zipfian corpus is made)
python benchmarks/immediate_learning.py plain nbsvm        (these models only; "auto" is trained only if it is named)

Each figure is one change, such as `learn([text], [label])`, and the next `predict_proba([text])` together. Every tenth answer
is compared with that of a copy whose weights are derived from all counts: the doubles must be equal.
"""

import argparse
import pickle
import statistics
import time
import warnings
from typing import Any

from corpora import INVENTED, Documents, find_corpora, read_corpus

from tercet import NBSVM, Categorizer

BAR = 2.0  # milliseconds
N_CHANGES = 50
MODELS: dict[str, dict[str, Any]] = {
    "plain": {},
    "calibrated": {"calibrate": "auto"},
    "no fingerprints": {"remember": False},
    "nbsvm": {"model": NBSVM()},
    "nbsvm, kept": {"model": NBSVM(), "keep_documents": True},
    "auto": {"model": "auto"},
}
LINE = "{:<18}{:<12}{:>12}{:>12}  {:<8}{}"


def read_documents() -> tuple[str, Documents, Documents]:
    """The name of the corpus, its training documents, and documents to learn."""
    (corpus,) = find_corpora("imdb")
    train, test = read_corpus(corpus, "train"), read_corpus(corpus, "test")
    if corpus == INVENTED:  # fewer texts, which have as many words and pairs of words
        train = Documents(train.texts[:13_500], train.labels[:13_500])
    return corpus, train, test


class Changes:
    """A categorizer, and how long its answers take after each kind of change."""

    def __init__(self, model: Categorizer, documents: Documents, bulk: list[str]) -> None:
        self.model, self.documents, self.bulk = model, documents, bulk
        self.n_compared = self.n_equal = 0
        self.times: dict[str, list[float]] = {"learn": [], "relabel": [], "forget": []}

    def measure(self) -> dict[str, list[float]]:
        first, second = self.model.classes_[:2].tolist()
        for number, (text, label) in enumerate(zip(*self.documents, strict=True)):
            new = second if label == first else first
            for act, labels in (("learn", [[label]]), ("relabel", [[label], [new]]), ("forget", [[new]])):
                self.times[act].append(self.change(act, text, *labels))
                if number % 10 == 0:
                    self.compare(text)
        return {act: each[1:] for act, each in self.times.items()}  # the first changes make what later ones use

    def change(self, act: str, text: str, *labels: list[str]) -> float:
        """CPU milliseconds of a change and of the answer after it."""
        start = time.process_time()
        getattr(self.model, act)([text], *labels, later=True)
        self.model.predict_proba([text])
        return (time.process_time() - start) * 1e3

    def compare(self, text: str) -> None:
        """Whether a copy with derived weights gives the same doubles."""
        copy = pickle.loads(pickle.dumps(self.model))
        copy.predict(self.bulk)  # so many texts that it derives the weights
        self.n_compared += 1
        self.n_equal += copy.predict_proba([text]).tobytes() == self.model.predict_proba([text]).tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help=f"some of: {', '.join(MODELS)}")
    named = parser.parse_args().models or [name for name in MODELS if name != "auto"]
    warnings.simplefilter("ignore")  # warnings that margins are out of date
    corpus, train, test = read_documents()
    n = N_CHANGES + 1
    new, bulk = Documents(test.texts[:n], test.labels[:n]), test.texts[n:][:3000]
    for name in named:
        model = Categorizer(**MODELS[name]).fit(*train)
        print(f"{name}: {corpus}, {len(model.table_)} terms, {len(train.texts)} documents", flush=True)
        changes = Changes(model, new, bulk)
        print(LINE.format("", "+ predict", "median ms", "worst ms", "bar", ""))
        for act, each in changes.measure().items():
            median, worst = statistics.median(each), max(each)
            verdict = "met" if median <= BAR else "MISSED"
            print(LINE.format(name, act, f"{median:.2f}", f"{worst:.2f}", f"<= {BAR:g}", verdict))
        print(f"{changes.n_equal} of {changes.n_compared} answers equal those of derived weights\n", flush=True)


if __name__ == "__main__":
    main()

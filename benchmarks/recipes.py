"""How good and how fast the recipes are: accuracy of the presets, published figures, terms of b4msa, speed of each step.

make benchmark        (TERCET_DATA=folder of the corpora; without it only the speed is measured, on a Zipfian corpus)
python benchmarks/recipes.py figures peers        (these sections only)
"""

import argparse
import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from bars import row, skip
from corpora import find_corpora, read_corpus
from measures import seconds
from peers import PeerMissing, load_peer
from recipe_accuracy import report_accuracy
from recipe_speed import report_speed
from scipy.stats import t

from tercet import Analyzer, Categorizer

EXAMPLE = "Run runs running ran. Tall tallest. Quick quickest quickly."
SENTENCE = "The very first run was unsuccessful."
MARKED = Analyzer(tokens="words_and_marks")
FORMS = {
    "stems porter": (MARKED.replace(stems="porter"), "run run run ran . tall tallest . quick quickest quickli ."),
    "lemmas en": (MARKED.replace(lemmas="en"), "run run run run . tall tall . quick quick quickly ."),
}
TAGS = "DET ADV ADJ NOUN AUX ADJ PUNCT"
TOKEN_LISTS: dict[str, dict[str, Any]] = {"token_list=[-1]": {"token_list": [-1]}, "default": {}, "lang='en'": {"lang": "en"}}


def report_figures() -> None:
    for name, (analyzer, expected) in FORMS.items():
        terms = " ".join(analyzer.terms(EXAMPLE))
        row(f"word forms, {name}", terms == expected, "", "= 1", terms)
    tagger = Analyzer(word_ngrams=None, tag_terms="universal")
    located = sorted(tagger.located_terms(SENTENCE), key=lambda term: term[1])
    tags = " ".join(term.removeprefix("TAG:") for term, _ in located)
    row("universal tags", tags == TAGS, "", "= 1", tags)
    if find_corpora("uci_sentiment") == ("uci_sentiment",):
        average_splits()
    else:
        skip("uci imdb, lemmas", "set TERCET_DATA")


def average_splits(n_splits: int = 100) -> None:
    texts, labels = map(np.array, read_corpus("uci_sentiment", "imdb"))
    rng = np.random.default_rng(0)
    found = np.array([measure_split(texts, labels, rng.permutation(len(texts))) for _ in range(n_splits)])
    # The splits share their texts, so this is about the mean over all splits of these texts, not about other texts.
    mean, spread = found.mean(), found.std(ddof=1)
    low, high = t.interval(0.95, n_splits - 1, mean, spread / np.sqrt(n_splits))
    note = f"mean {mean:.4f} [{low:.4f}, {high:.4f}], spread {spread:.4f}, from {found.min():.3f} to {found.max():.3f}"
    row("uci imdb, lemmas, 100 splits 80/20, upper bound", high, "", ">= 0.77", note)


def measure_split(texts: np.ndarray, labels: np.ndarray, order: np.ndarray) -> float:
    train, test = np.split(order, [len(order) * 4 // 5])
    categorizer = Categorizer.preset("lemmas").fit(texts[train].tolist(), labels[train].tolist())
    return float(np.mean(categorizer.predict(texts[test].tolist()) == labels[test]))


def report_peers() -> None:
    """Terms of b4msa, as often as it finds them, and how fast it does."""
    if find_corpora("evomsa_tweets") != ("evomsa_tweets",):
        skip("b4msa", "set TERCET_DATA")
        return
    try:
        model = load_peer("b4msa.textmodel").TextModel
    except PeerMissing as missing:
        skip("b4msa", str(missing))
        return
    texts = read_corpus("evomsa_tweets", "all").texts
    for name, options in TOKEN_LISTS.items():
        theirs, ours = model(**options), Analyzer.from_b4msa(**options)
        same = sum(Counter(theirs.tokenize(text)) == Counter(map(write_as_b4msa, ours.terms(text))) for text in texts)
        row(f"b4msa {name}: tweets with the same terms", same, "tweets", f"= {len(texts)}")
        ratio = seconds(lambda theirs=theirs: [theirs.tokenize(text) for text in texts], 1) / seconds(
            lambda ours=ours: [ours.terms(text) for text in texts]
        )
        row(f"b4msa {name}: its time to list the terms", ratio, "x ours")


def write_as_b4msa(term: str) -> str:
    """b4msa writes a blank in a term as ~, and q: before characters."""
    kind, _, spelling = term.partition(":")
    return "q:" + spelling if kind == "char" else term.removeprefix("word:").replace(" ", "~")


SECTIONS: dict[str, Callable[[], None]] = {
    "accuracy": report_accuracy,
    "figures": report_figures,
    "peers": report_peers,
    "speed": report_speed,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Recipes from texts to terms, against their bars.")
    parser.add_argument("sections", nargs="*", metavar="section", help=f"of {', '.join(SECTIONS)}; all, if none is named")
    arguments = parser.parse_args()
    if unknown := set(arguments.sections) - set(SECTIONS):
        parser.error(f"no section is named {', '.join(sorted(unknown))}: there are {', '.join(SECTIONS)}")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}: at rest it should be near 0")
    for name in arguments.sections or SECTIONS:
        print(f"\n== {name}")
        SECTIONS[name]()


if __name__ == "__main__":
    main()

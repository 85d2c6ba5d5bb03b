"""How well each preset does on each corpus, by cross-validation, and whether `sentiment` is really better than words."""

import subprocess
import sys
from typing import Any

from bars import row
from corpora import find_corpora, read_corpus

from tercet import Analyzer, Categorizer, compare
from tercet.text.presets import PRESETS

ALL, TRAIN = "all", "train"
CORPORA = {
    **{name: (name, ALL) for name in ("mr", "cr", "subj")},
    "imdb": ("imdb", TRAIN),
    **{f"uci {part}": ("uci_sentiment", part) for part in ("imdb", "amazon_cells", "yelp")},
    **{name: (name, ALL) for name in ("sms_spam", "spamassassin", "evomsa_tweets")},
    **{name: (name, TRAIN) for name in ("trec_qc", "20newsgroups", "lingua_sentences", "dante")},
}
# English words and rules have nothing to say about other languages, nor an e-mail's header about what has none.
ENGLISH = frozenset({"sentiment", "lemmas", "spam", "authorship"})
WITHOUT = {
    **dict.fromkeys(CORPORA, frozenset({"spam"})),
    **dict.fromkeys(("sms_spam", "spamassassin", "20newsgroups"), frozenset()),
    **dict.fromkeys(("evomsa_tweets", "dante"), ENGLISH),
    "lingua_sentences": frozenset(PRESETS) - {"words", "tweets", "languages"},
}
MAX_SECONDS = 60
N_COLUMNS = 5


def print_table() -> None:
    """Accuracy in percent with its 95 % interval; a preset that makes no sense there, or takes too long, is –."""
    names = list(PRESETS)
    for first in range(0, len(names), N_COLUMNS):
        shown = names[first : first + N_COLUMNS]
        print("\n" + " " * 18 + "".join(f"{name:<19}" for name in shown))
        for corpus in CORPORA:
            print(f"{corpus:<18}", end="")
            for preset in shown:
                cell = "–" if preset in WITHOUT[corpus] else measure_apart(preset, corpus)
                print(f"{cell:<19}", end="", flush=True)
            print()


def measure_apart(preset: str, corpus: str) -> str:
    """In a process of its own, which is ended when it takes too long."""
    command = [sys.executable, __file__, preset, corpus]
    try:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=MAX_SECONDS).stdout.strip()
    except subprocess.TimeoutExpired:
        return f"– (> {MAX_SECONDS} s)"


def measure(preset: str, corpus: str) -> str:
    texts, labels = read_corpus(*CORPORA[corpus])
    accuracy = Categorizer.preset(preset).cross_validate(texts, labels, folds=10, seed=0).report.accuracy
    value, low, high = (f"{100 * number:.1f}" for number in (accuracy.value, accuracy.low, accuracy.high))
    return f"{value} [{low}, {high}]"


def compare_sentiment() -> None:
    """The lower bound of the paired difference should be above nothing."""
    others: dict[str, Any] = {"words": Categorizer.preset("words"), "words 1-2": Categorizer(Analyzer(word_ngrams=(1, 2)))}
    for corpus in ("mr", "cr", "imdb"):
        texts, labels = read_corpus(*CORPORA[corpus])
        ours = Categorizer.preset("sentiment").cross_validate(texts, labels, folds=10, seed=0).predicted
        for name, other in others.items():
            theirs = other.cross_validate(texts, labels, folds=10, seed=0).predicted
            found = compare(labels, {"sentiment": ours, name: theirs})
            low, value, high = (100 * number for number in (found.low, found.difference, found.high))
            note = f"difference {value:+.2f} [{low:+.2f}, {high:+.2f}], p = {found.p_value:.4f}"
            row(f"{corpus}: sentiment - {name}, lower bound", low, "points", "> 0", note)


def report_accuracy() -> None:
    if find_corpora("mr") != ("mr",):
        print("accuracy: skipped: invented texts have nothing to learn, set TERCET_DATA")
        return
    print("accuracy in percent by 10-fold cross-validation, with 95 % intervals")
    print_table()
    print()
    compare_sentiment()


if __name__ == "__main__":
    print(measure(*sys.argv[1:]))

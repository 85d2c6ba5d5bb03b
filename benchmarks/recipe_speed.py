"""How fast each step of a recipe is: megabytes a second on one thread, what word forms add to a fit, and hostile regexes."""

import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from bars import row
from corpora import find_corpora, read_corpus
from measures import seconds

from tercet import Analyzer, Categorizer
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.text.lexicons import load_lexicon
from tercet.text.recipe import make_recipe

GROUPS = ("emoticons", "emoji", "hashtags", "numbers", "urls", "users")
WORD_KINDS = ("words", "words_and_marks", "regex_words", "tweet_words", "treebank", "whitespace")
STEPS: dict[str, dict[str, Any]] = {
    "words alone": {},
    "html strip": {"html": "strip"},
    **{f"unicode_form {form}": {"unicode_form": form} for form in ("none", "nfc", "nfkc", "nfd")},
    **{f"{name} group": {name: "group"} for name in GROUPS},
    "all six groups": dict.fromkeys(GROUPS, "group"),
    "case kept": {"lowercase": False},
    "strip_marks": {"strip_marks": True},
    "max_repeats 2": {"max_repeats": 2},
    "punctuation delete": {"punctuation": "delete"},
    **{f"tokens {kind}": {"tokens": kind} for kind in WORD_KINDS},
    "min_token_length 3": {"min_token_length": 3},
    "header_fields": {"header_fields": True},
    "negation en": {"negation": "en"},
    "stop_words en": {"stop_words": "en"},
    "keep_words, the function words": {"keep_words": Analyzer.preset("authorship").options["keep_words"]},
    "lexicon vader": {"lexicon": load_lexicon("vader")},
}
CHARACTERS: dict[str, Any] = {"word_ngrams": None, "char_ngrams": (2, 4)}
# What makes more terms than words takes more time by its nature: shown without a bar.
MORE_TERMS: dict[str, dict[str, Any]] = {
    "tokens characters": {"tokens": "characters"},
    "tokens bytes": {"tokens": "bytes"},
    "words 1-2": {"word_ngrams": (1, 2)},
    "skip_grams (3, 1)": {"word_ngrams": None, "skip_grams": ((3, 1),)},
    **{f"characters 2-4 over {over}": CHARACTERS | {"char_ngrams_over": over} for over in ("marked_text", "words")},
}
FORMS: dict[str, dict[str, str]] = {"none": {}, "stems": {"stems": "en"}, "lemmas": {"lemmas": "en"}}
N_HOSTILE = 1_000_000
HOSTILE = {
    "(a+)+$": "a" * (N_HOSTILE - 1) + "b",
    "(a|a)*b": "a" * N_HOSTILE,
    "(x+x+)+y": "x" * N_HOSTILE,
    "(.*)*=": "x" * N_HOSTILE,
    "a.*b|a": "a" * N_HOSTILE,
}


def time_steps(texts: list[str], labels: np.ndarray) -> None:
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(f"counting into tables by label, one thread, by the time of its processor: {len(texts)} texts, {megabytes:.1f} MB")

    def measure(name: str, analyzer: Analyzer, bar: str) -> None:
        count = make_count(analyzer, texts, labels)
        row(name, megabytes / seconds(count, clock=time.process_time), "MB/s", bar)

    for name, options in STEPS.items():
        measure(name, Analyzer(**options), ">= 60")
    measure("tweets without characters", Analyzer.preset("tweets", char_ngrams=None), ">= 25")
    for name, options in MORE_TERMS.items():
        measure(name, Analyzer(**options), "")


def make_count(analyzer: Analyzer, texts: list[str], labels: np.ndarray) -> Callable[[], None]:
    def count() -> None:
        counter = engine.TableCounter(make_recipe(analyzer), 2, 1)
        for batch in batches(texts, whole=True):
            counter.add(batch, labels)
        counter.take()

    return count


def compare_forms(corpus: str) -> None:
    """A whole fit with stems or lemmas against one without, all threads; by turns, so that a busy machine is busy for all."""
    print("\nfit with word forms, the best of three; cold: each in a new process, with packages and dictionary to load")
    for what, longest in (("words", 1), ("words 1-2", 2)):
        for state, time_one in (("cold", fit_apart), ("warm", time_fit)):
            turns = [{name: time_one(name, longest, corpus) for name in FORMS} for _ in range(3)]
            show_forms(f"{what}, {state}", {name: min(turn[name] for turn in turns) for name in FORMS})


def show_forms(what: str, taken: dict[str, float]) -> None:
    for name in ("stems", "lemmas"):
        row(f"{what}: {name}", taken[name] / taken["none"], "x none", "< 1.3", f"{taken[name]:.3f} s / {taken['none']:.3f} s")


def time_fit(name: str, longest: int, corpus: str) -> float:
    texts, labels = read_corpus(corpus, "train")
    return seconds(lambda: Categorizer(Analyzer(word_ngrams=(1, longest), **FORMS[name])).fit(texts, labels), 1)


def fit_apart(name: str, longest: int, corpus: str) -> float:
    command = [sys.executable, __file__, name, str(longest), corpus]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def time_hostile() -> None:
    print(f"\nhostile regexes, texts of {N_HOSTILE / 1e6:g} MB")
    for regex, text in HOSTILE.items():
        analyzer = Analyzer(patterns={"hostile": regex}, word_ngrams=None)
        taken, n_hits = seconds(partial(analyzer.terms, text)), len(analyzer.terms(text))
        row(f"{regex} in {text[:3]}…{text[-1]}", taken, "s", "< 1", f"{n_hits} hits")


def report_speed() -> None:
    (corpus,) = find_corpora("imdb")
    texts, names = read_corpus(corpus, "train")
    time_steps(texts, np.unique(names, return_inverse=True)[1])
    compare_forms(corpus)
    time_hostile()


if __name__ == "__main__":
    print(time_fit(sys.argv[1], int(sys.argv[2]), sys.argv[3]))

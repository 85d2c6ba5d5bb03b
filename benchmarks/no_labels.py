"""How good a first model is without any label: accuracy, macro-F1 and calibration error of `tercet.begin` on real corpora.

    TERCET_DATA=… python benchmarks/no_labels.py [--part test] [--encoder both] [--unequal] [CORPUS …]

The pool is 2,000 texts of the training part, and up to 1,000 texts of the test part judge (500 of corpora with long texts).
`--part train` judges other texts of the training part instead: choices are settled there. The labels are given by their names,
or with five words each: benchmarks/seeds.toml says who wrote them. `cosine` is the nearest mean vector of name and words,
without any pool. Words that never occur in the pool are struck, as the error message of `begin` asks for. `--unequal` draws
90 % of the pool, and of the texts that judge, from one of two labels, and then from the other, with and without given shares.
"""

import json
import os
import sys
import tomllib
import warnings
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import first_labels
import numpy as np

import tercet
from tercet.categorizer.seeds.prior import count_phrases, encode_seeds
from tercet.categorizer.seeds.seeds import Seeds

CORPORA = ("imdb", "20newsgroups", "mr", "subj", "cr", "trec_qc", "sms_spam", "uci_sentiment", "clinc150", "goemotions")
LONG = ("imdb", "20newsgroups")  # fewer of their texts judge
N_POOL, N_JUDGED, N_LONG = 2000, 1000, 500
LABELLED = (
    "without vectors",
    "default",
    "unlabelled",
    "names",
    "words",
    "words, no pool",
    "words, no encoder",
    "wrong words",
)
PARTS = ("amazon_cells", "imdb", "yelp")  # of uci_sentiment


class Scores(NamedTuple):
    accuracy: float
    macro_f1: float
    error: float  # of calibration; nan if there are no probabilities

    def __str__(self) -> str:
        return f"{self.accuracy:.3f} {self.macro_f1:.3f} {self.error:.3f}"


def read_corpus(folder: Path) -> first_labels.Corpus:
    if folder.name != "uci_sentiment":
        return first_labels.read_corpus(folder)
    rows = [json.loads(line) for part in PARTS for line in (folder / f"{part}.jsonl").read_text().strip().split("\n")]
    order = np.random.default_rng(0).permutation(len(rows)).tolist()
    sides = [rows[i] for i in order if i % 5], [rows[i] for i in order if not i % 5]
    return first_labels.Corpus(*([row[key] for row in side] for side in sides for key in ("text", "label")))


def draw_parts(corpus: first_labels.Corpus, part: str, n_judged: int, seed: int) -> tuple[list[str], list[str], list[str]]:
    """The pool, and the texts that judge with their labels."""
    order = np.random.default_rng(seed).permutation(len(corpus.texts)).tolist()
    pool, rest = order[:N_POOL], order[N_POOL : N_POOL + n_judged]
    texts = [corpus.texts[i] for i in pool]
    if part == "train":
        return texts, [corpus.texts[i] for i in rest], [corpus.labels[i] for i in rest]
    return texts, corpus.new_texts[:n_judged], corpus.new_labels[:n_judged]


def make_seeds(name: str, labels: list[str], pool: list[str], *, with_words: bool) -> Seeds:
    """The seeds of a corpus, without words that never occur in the pool."""
    own = tomllib.loads(Path(__file__).with_name("seeds.toml").read_text()).get(name, {})
    given: dict[str, Any] = {label: dict(own.get(label, {})) for label in labels}
    for each in given.values():
        words = each.pop("words", []) if with_words else each.pop("words", []) and []
        found = count_phrases(pool, words, threads=1).any(axis=0) if words else []
        each["words"] = [word for word, is_found in zip(words, found, strict=True) if is_found]
    return Seeds.of(given)


def score(predicted: list[str], gold: list[str], error: float = float("nan")) -> Scores:
    report = tercet.evaluate(gold, predicted)
    return Scores(report.accuracy.value, report.macro_f1.value, error)


def judge(model: Any, texts: list[str], gold: list[str]) -> Scores:
    corpus = first_labels.Corpus([], [], texts, gold)
    return score(model.predict(texts).tolist(), gold, first_labels.judge(model, corpus)[2])


def judge_cosine(seeds: Seeds, texts: list[str], gold: list[str]) -> Scores:
    vectors = tercet.WordVectors()
    rows = vectors.encode_texts([text[:1000] for text in texts]).astype(np.float64)
    best = (rows @ encode_seeds(seeds, vectors, threads=1).T).argmax(axis=1)
    return score([seeds.names[i] for i in best.tolist()], gold)


def measure(name: str, corpus: first_labels.Corpus, part: str, seed: int, *, with_encoder: bool) -> dict[str, Scores]:
    pool, texts, gold = draw_parts(corpus, part, N_LONG if name in LONG else N_JUDGED, seed)
    labels, found = sorted(set(corpus.labels)), {}
    for kind in ("names", "words"):
        if kind == "words" and name == "clinc150":
            continue
        seeds = make_seeds(name, labels, pool, with_words=kind == "words")
        if with_encoder:
            found[f"cosine, {kind}"] = judge_cosine(seeds, texts, gold)
            found[f"begin, {kind}"] = judge(tercet.begin(pool, seeds).categorizer, texts, gold)
        if kind == "words":
            counted = tercet.begin(pool, seeds, vectors=None).categorizer
            found["begin, words, no encoder"] = judge(counted, texts, gold)
    print(f"{name:14}", *(f"{kind}: {each}" for kind, each in found.items()), sep="  ", flush=True)
    return found


def measure_labelled(
    name: str, corpus: first_labels.Corpus, part: str, n: int, draws: int, kinds: Sequence[str]
) -> dict[str, Scores]:
    """Models with so many labels a class: the mean over the draws."""
    found: dict[str, list[Scores]] = {kind: [] for kind in kinds}
    for seed in range(draws):
        pool, texts, gold = draw_parts(corpus, part, N_LONG if name in LONG else N_JUDGED, seed)
        free = sorted(
            set(range(len(corpus.texts))) - set(np.random.default_rng(seed).permutation(len(corpus.texts))[:N_POOL].tolist())
        )
        judged = set(texts)
        free = [i for i in free if corpus.texts[i] not in judged]
        chosen = [free[i] for i in first_labels.draw_few([corpus.labels[i] for i in free], n, seed)]
        own, labels = [corpus.texts[i] for i in chosen], [corpus.labels[i] for i in chosen]
        known = sorted(set(corpus.labels))
        names, words = (make_seeds(name, known, pool, with_words=with_words) for with_words in (False, True))
        options: dict[str, dict[str, Any]] = {
            "without vectors": {},
            "default": {"vectors": "auto"},
            "unlabelled": {"vectors": "auto", "pool": pool},
            "names": {"vectors": "auto", "pool": pool, "seeds": names},
            "words": {"vectors": "auto", "pool": pool, "seeds": words},
            "words, no pool": {"vectors": "auto", "seeds": words},
            "words, no encoder": {"pool": pool, "seeds": words},
            "wrong words": {"vectors": "auto", "pool": pool, "seeds": move_labels(words)},
        }
        for kind in kinds:
            given = dict(options[kind])
            unlabelled = given.pop("pool", None)
            categorizer = tercet.Categorizer(model="auto", calibrate="auto", **given)
            model = tercet.train(own, labels, categorizer=categorizer, unlabelled=unlabelled).categorizer
            found[kind].append(judge(model, texts, gold))
    means = {kind: Scores(*np.mean(rows, axis=0).tolist()) for kind, rows in found.items()}
    print(f"{name:14}", *(f"{kind}: {each}" for kind, each in means.items()), sep="  ", flush=True)
    return means


def move_labels(seeds: Seeds) -> Seeds:
    """Each label with the seeds of the next one."""
    own = [each.to_dict() | {"name": each.name} for each in seeds.labels]
    return Seeds.of(dict(zip(seeds.names, own[1:] + own[:1], strict=True)))


def draw_unequal(texts: list[str], labels: list[str], frequent: str, n: int) -> tuple[list[str], list[str]]:
    """At most n texts, of which 90 % have the frequent label."""
    own, others = ([i for i, label in enumerate(labels) if (label == frequent) == wanted] for wanted in (True, False))
    n_own = min(len(own), 9 * len(others), n * 9 // 10)
    chosen = own[:n_own] + others[: n_own // 9]
    return [texts[i] for i in chosen], [labels[i] for i in chosen]


def measure_unequal(name: str, corpus: first_labels.Corpus) -> dict[str, Scores]:
    """The mean over both labels being the frequent one."""
    labels, found = sorted(set(corpus.labels)), []
    for frequent in labels:
        pool, _ = draw_unequal(corpus.texts, corpus.labels, frequent, N_POOL)
        texts, gold = draw_unequal(corpus.new_texts, corpus.new_labels, frequent, N_JUDGED)
        seeds = make_seeds(name, labels, pool, with_words=True)
        shares = {label: 0.9 if label == frequent else 0.1 for label in labels}
        models = {"begin": tercet.begin(pool, seeds), "begin with shares": tercet.begin(pool, seeds, shares=shares)}
        row = {"cosine": judge_cosine(seeds, texts, gold)}
        found.append(row | {kind: judge(first.categorizer, texts, gold) for kind, first in models.items()})
    means = {kind: Scores(*np.mean([row[kind] for row in found], axis=0).tolist()) for kind in found[0]}
    print(f"{name:14}", *(f"{kind}: {each}" for kind, each in means.items()), sep="  ", flush=True)
    return means


def show_means(rows: dict[str, dict[str, Scores]]) -> None:
    for title, left_out in (("without goemotions", ("clinc150", "goemotions")), ("with goemotions", ("clinc150",))):
        chosen = [row for name, row in rows.items() if name not in left_out]
        for kind in chosen[0] if chosen else ():
            mean = Scores(*np.mean([row[kind] for row in chosen], axis=0).tolist())
            print(f"{title}, mean of {len(chosen)}: {kind}: {mean}")


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    parser.add_argument("--part", choices=["train", "test"], default="test")
    parser.add_argument("--encoder", choices=["both", "none"], default="both", help="none: without the sentence encoder")
    parser.add_argument("--labels", type=int, default=0, help="so many labels a class, and seeds beside them")
    parser.add_argument("--draws", type=int, default=5, help="draws of these labels")
    parser.add_argument("--kinds", default=";".join(LABELLED), help="which models, with ; between them")
    parser.add_argument("--unequal", action="store_true", help="two labels with shares of 90:10")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = os.environ.get("TERCET_DATA")
    if folder is None:
        sys.exit("set TERCET_DATA to the folder of the corpora")
    print("accuracy, macro-F1, calibration error")
    corpora = ((name, read_corpus(Path(folder, name))) for name in given.corpora)
    if given.unequal:
        show_means({name: measure_unequal(name, each) for name, each in corpora if len(set(each.labels)) == 2})
        return
    if given.labels:
        kinds = [kind.strip() for kind in given.kinds.split(";")]
        show_means({name: measure_labelled(name, each, given.part, given.labels, given.draws, kinds) for name, each in corpora})
        return
    show_means(
        {name: measure(name, each, given.part, given.seed, with_encoder=given.encoder == "both") for name, each in corpora}
    )


if __name__ == "__main__":
    main()

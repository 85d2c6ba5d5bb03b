"""From the shell prompt to the answer: train and predict on imdb against `wc -w` on the same file, and fastText's beside it.

Every time is that of a whole process: start-up, reading, work, writing. Run it alone: the bars are ratios, but start-up takes
a fixed time, which another process on the second core can double.
"""

import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bars import row, skip
from corpora import find_corpora, read_corpus
from measures import seconds
from peers import PeerMissing, join_lines, load_peer

import tercet

TERCET = [sys.executable, "-m", "tercet"]
N_TERMS = 1_000_000
FASTTEXT = """
import sys, fasttext
texts = [line.rstrip("\\n") for line in open(sys.argv[2], encoding="utf-8")]
labels, probabilities = fasttext.load_model(sys.argv[1]).predict(texts)
with open(sys.argv[3], "w") as file:
    file.writelines(f"{label[0]}\\t{p[0]}\\n" for label, p in zip(labels, probabilities))
"""
FASTTEXT_TRAIN = """
import sys, fasttext
fasttext.train_supervised(sys.argv[1], lr=0.05, wordNgrams=int(sys.argv[3]), epoch=5, thread=2, dim=10, bucket=2_000_000,
                          verbose=0).save_model(sys.argv[2])
"""


def time_command(command: Sequence[str | Path], repeats: int = 3) -> float:
    """The best of a few runs; an error where it fails."""
    return seconds(lambda: subprocess.run(list(map(str, command)), check=True, capture_output=True), repeats)


def write_corpus(corpus: str, part: str, folder: Path) -> None:
    texts, labels = read_corpus(corpus, part)
    with (folder / f"{part}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label"])
        writer.writerows(zip(texts, labels, strict=True))
    with (folder / f"{part}.jsonl").open("w", encoding="utf-8") as file:
        rows = ({"text": text, "label": label} for text, label in zip(texts, labels, strict=True))
        file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in rows)
    lines = join_lines(texts)
    (folder / f"{part}.fasttext").write_text(
        "".join(f"__label__{label} {line}\n" for label, line in zip(labels, lines, strict=True)), encoding="utf-8"
    )
    (folder / f"{part}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def measure_commands(folder: Path) -> None:
    for n, train_bar, predict_bar in ((1, "<= 5", "<= 4"), (2, "<= 15", "<= 8")):
        for form in ("csv", "jsonl"):
            floor = time_command(["wc", "-w", folder / f"train.{form}"])
            model, name = folder / f"model{n}.tercet", f"{form}, {'words' if n == 1 else '1-2-grams'}"
            train = [*TERCET, "train", folder / f"train.{form}", "-o", model, "--word-ngrams", f"1-{n}"]
            row(f"train, {name} / wc -w", time_command(train) / floor, "x", train_bar)
            floor = time_command(["wc", "-w", folder / f"test.{form}"])
            predict = [*TERCET, "predict", model, folder / f"test.{form}"]
            row(f"predict, {name} / wc -w", time_command(predict) / floor, "x", predict_bar)


def measure_fasttext(folder: Path) -> None:
    load_peer("fasttext")
    for n in (1, 2):
        floor = time_command(["wc", "-w", folder / "train.fasttext"])
        train = [sys.executable, "-c", FASTTEXT_TRAIN, folder / "train.fasttext", folder / "model.bin", str(n)]
        predict = [sys.executable, "-c", FASTTEXT, folder / "model.bin", folder / "test.txt", folder / "answers"]
        row(f"fastText train, {n}-grams / wc -w", time_command(train, 1) / floor, "x", note="without an estimate")
        row(f"fastText predict, {n}-grams / wc -w", time_command(predict) / floor, "x")


def measure_start(folder: Path) -> None:
    row("tercet --help", time_command([*TERCET, "--help"], 5), "s", "<= 0.2")
    for n in (1, 2):
        model = folder / f"model{n}.tercet"
        question = [*TERCET, "predict", model, "what a film"]
        row(f"tercet predict MODEL TEXT, 1-{n}-grams", time_command(question, 5), "s", "<= 0.35")


def measure_opening(folder: Path) -> None:
    """A model with a million terms, pairs of words."""
    words = [f"word{i}" for i in range(1000)]
    texts = [" ".join(f"{a} {b}" for b in words) for a in words]
    path = folder / "million.tercet"
    tercet.Categorizer(tercet.Analyzer(word_ngrams=(2, 2))).fit(texts, ["a", "b"] * 500).save(path)
    model = tercet.load(path)
    assert len(model.table_.table) >= N_TERMS, len(model.table_.table)
    for verify, bar in ((False, "<= 10"), (True, "<= 40")):
        took = seconds(lambda verify=verify: tercet.load(path, verify=verify), 5)
        row(
            f"open {len(model.table_.table):,} terms, verify={verify}",
            took * 1000,
            "ms",
            bar,
            f"{path.stat().st_size / 1e6:.0f} MB",
        )


def main() -> None:
    (corpus,) = find_corpora("imdb")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("train", "test"):
            write_corpus(corpus, part, folder)
        print(f"{corpus}, {time.strftime('%Y-%m-%d')}, tercet {tercet.__version__}")
        measure_commands(folder)
        measure_start(folder)
        measure_opening(folder)
        try:
            measure_fasttext(folder)
        except PeerMissing as error:
            skip("fastText", str(error))


if __name__ == "__main__":
    main()

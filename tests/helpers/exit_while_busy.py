"""A program that ends while its daemon threads are in the kernel: python exit_while_busy.py ACT N_THREADS SECONDS"""

import sys
import time
from threading import Thread

import tercet

N = 2000
TEXTS = [f"w{i} w{i % 7} running to win money now w{i % 31}" for i in range(N)]
LABELS = [f"l{i % 5}" for i in range(N)]
RECIPES = {
    "stems": tercet.Analyzer(stems="english"),  # the kernel calls Python for each new token
    "patterns": tercet.Analyzer(patterns="spam"),  # and here for each text
}


def repeat(act: str, c: tercet.Categorizer) -> None:
    while True:
        if act == "predict":
            c.predict(TEXTS)
        elif act == "leave_one_out":
            c.leave_one_out(TEXTS, LABELS)
        elif act == "learn":
            c.learn(TEXTS, LABELS).forget(TEXTS, LABELS)
        else:
            tercet.Categorizer(c.analyzer).fit(TEXTS, LABELS)


def main(act: str, n_threads: str, seconds: str) -> None:
    recipe = RECIPES.get(act, tercet.Analyzer(word_ngrams=(1, 2)))
    fitted = [tercet.Categorizer(recipe).fit(TEXTS, LABELS) for _ in range(int(n_threads))]
    for c in fitted:
        c.predict(TEXTS[:1])  # imports what is imported on first use
        Thread(target=repeat, args=(act, c), daemon=True).start()
    time.sleep(float(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Counts the terms of a few lines and prints them as a table:  make demo"""

from tercet import Analyzer, TermCounter

LINES = [
    "Count the words, and count them right:",
    "what adds up by day adds up by night.",
    "A word you learn you may forget;",
    "the count goes down, and so the debt.",
    "Ask why, and word by word it shows",
    "the very sum from which it chose.",
]


def main() -> None:
    counter = TermCounter(Analyzer(word_ngrams=(1, 2)))
    matrix = counter.fit_transform(LINES)
    totals = matrix.sum(axis=0).A1
    print(f"{matrix.shape[0]} lines, {matrix.shape[1]} terms (words and pairs of words), {matrix.sum()} occurrences\n")
    print(f"{'term':<12}{'times':>6}{'lines':>7}")
    names = counter.get_feature_names_out()
    for column in sorted(range(len(names)), key=lambda i: (-totals[i], names[i]))[:12]:
        print(f"{names[column]:<12}{totals[column]:>6}{matrix[:, column].nnz:>7}")


if __name__ == "__main__":
    main()

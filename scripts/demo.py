"""Learns a few labelled lines, decides, explains, and forgets:  make demo"""

from tercet import Categorizer

LINES = {
    "praise": [
        "a warm and funny film, I loved every minute",
        "warm, funny and clever: I loved it",
        "what a lovely film, lovely and warm",
        "I loved the ending, so clever and so funny",
        "a lovely surprise, funny and clever to the end",
    ],
    "blame": [
        "a dull film, and far too long",
        "far too long, too loud, and the plot is dull",
        "dull from the start, the plot makes no sense",
        "what a bore: dull plot, no sense of humour",
        "too loud, no plot, a bore",
    ],
}


def main() -> None:
    texts = [text for lines in LINES.values() for text in lines]
    labels = [label for label, lines in LINES.items() for _ in lines]
    categorizer = Categorizer().fit(texts, labels)
    print(f"{len(texts)} lines learned, {len(categorizer.table_)} terms (words and pairs of words)\n")

    explanation = categorizer.explain("A clever, warm story, but far too long")
    print(explanation.to_terminal(), "\n")
    print(explanation.to_table(8), "\n")

    print("each line by what the others say:", categorizer.leave_one_out(texts, labels))
    print("words as praise would put them:  ", categorizer.generate("praise", 8, seed=1))
    before = categorizer.table_.fingerprint()
    categorizer.learn(["an offer you can't refuse"], ["advert"]).forget(["an offer you can't refuse"], ["advert"])
    print("learned one more line and forgot it, nothing is left of it:", categorizer.table_.fingerprint() == before)


if __name__ == "__main__":
    main()

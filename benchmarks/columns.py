"""Subject and body of 20 newsgroups as two text columns: body alone, shared words, and words that know their column.

TERCET_DATA=folder of the corpora python benchmarks/columns.py

Of the header only the subject is kept, as in an export of a ticket system. The bar: with `fields`, subject and body are better
than the body alone.
"""

import re

from corpora import read_corpus

from tercet import NBSVM, Categorizer, Documents, compare

SUBJECT = re.compile(r"^Subject:[ \t]*(.*(?:\n[ \t].*)*)", re.MULTILINE | re.IGNORECASE)
MODELS = {"naive Bayes": None, "NB-SVM": NBSVM()}


def split_post(text: str) -> tuple[str, str]:
    """The subject and the body of a post."""
    header, _, body = text.partition("\n\n")
    found = SUBJECT.search(header)
    return " ".join(found[1].split()) if found else "", body


def read_posts(part: str) -> dict[str, Documents]:
    """The posts in each form."""
    texts, labels = read_corpus("20newsgroups", part)
    subjects, bodies = (list(column) for column in zip(*map(split_post, texts), strict=True))
    both = Documents.join({"subject": subjects, "body": bodies}, labels)
    return {"body": Documents(bodies, labels), "shared": both, "fields": both}


def main() -> None:
    train, test = read_posts("train"), read_posts("test")
    for name, model in MODELS.items():
        predicted = {}
        for form, documents in train.items():
            categorizer = Categorizer(model=model, fields=form == "fields").fit(documents)
            predicted[form] = categorizer.predict(test[form])
        print(f"{name}\n\n{compare(test['body'].labels, predicted, baseline='body')}\n", flush=True)


if __name__ == "__main__":
    main()

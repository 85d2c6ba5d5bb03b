"""Terms equal b4msa's, and so do its figures on Spanish tweets."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Rows

from tercet import Analyzer, Categorizer, NaiveBayes
from tercet.errors import InvalidOption

LISTS: dict[str, dict[str, Any]] = {"words": {"token_list": [-1]}, "default": {}, "english": {"lang": "en"}}
GOLDEN = (Path(__file__).parent / "golden" / "b4msa_terms.tsv").read_text("utf-8").splitlines()[1:]


def as_b4msa(term: str) -> str:
    """b4msa writes a blank in a term as ~, and q: before characters."""
    kind, _, spelling = term.partition(":")
    return "q:" + spelling if kind == "char" else term.removeprefix("word:").replace(" ", "~")


@pytest.mark.parametrize("row", GOLDEN, ids=range(len(GOLDEN)))
def test_terms_are_those_of_b4msa(row: str) -> None:
    name, text, terms = row.split("\t")
    assert Counter(map(as_b4msa, Analyzer.from_b4msa(**LISTS[name]).terms(text))) == Counter(terms.split(" "))


def test_the_golden_terms_are_of_fifty_texts() -> None:
    assert Counter(row.split("\t")[0] for row in GOLDEN) == dict.fromkeys(LISTS, 50)


@pytest.mark.parametrize(
    ("token_list", "training", "folded"), [([-1], 0.984, 0.605), (None, 0.989, 0.631)], ids=["words", "words and characters"]
)
def test_spanish_tweets_get_the_figures_of_b4msa(corpus: Rows, token_list: Any, training: float, folded: float) -> None:
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    rows = corpus("evomsa_tweets/all")
    texts, labels = [row["text"] for row in rows], np.array([row["label"] for row in rows])
    # The figures were measured with the options for English: numbers deleted, accents kept.
    categorizer = Categorizer(Analyzer.from_b4msa(token_list, lang="en"), NaiveBayes(smoothing=0.1))
    assert np.mean(categorizer.fit(texts, labels).predict(texts) == labels) == training
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert np.mean(cross_val_predict(categorizer, texts, labels, cv=folds) == labels) == folded


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"token_list": []}, "token_list must be a list of -n"),
        ({"token_list": [0]}, "token_list must be a list of -n"),
        ({"token_list": "-1"}, "token_list must be a list of -n"),
        ({"token_list": [[1, 2, 3]]}, "token_list must be a list of -n"),
        ({"token_list": [[1, 1]]}, r"skip_grams must be \(words, gap\) pairs"),
        ({"lang": "ar"}, "lang must be None, 'en' or 'es', got 'ar'"),
        ({"emo_option": "group"}, "no option emo_option is read from b4msa"),
        ({"num_option": "drop"}, "num_option must be one of none, group, delete, got 'drop'"),
    ],
)
def test_what_b4msa_does_otherwise_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        Analyzer.from_b4msa(**options)

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
GOLDEN = (Path(__file__).parents[1] / "golden" / "b4msa_terms.tsv").read_text("utf-8").splitlines()[1:]


def as_b4msa(term: str) -> str:
    """b4msa writes a blank in a term as ~, and q: before characters."""
    kind, _, spelling = term.partition(":")
    return "q:" + spelling if kind == "char" else term.removeprefix("word:").replace(" ", "~")


@pytest.mark.parametrize("row", GOLDEN, ids=range(len(GOLDEN)))
def test_terms_are_those_of_b4msa(row: str) -> None:
    name, text, terms = row.split("\t")
    assert Counter(map(as_b4msa, Analyzer.from_b4msa(**LISTS[name]).terms(text))) == Counter(terms.split(" "))


@pytest.mark.parametrize("code", ["ar", "de", "en", "es", "it"])
def test_a_language_of_b4msa_has_a_code_and_a_name(code: str) -> None:
    name = {"ar": "arabic", "de": "german", "en": "english", "es": "spanish", "it": "italian"}[code]
    recipes = {Analyzer.from_b4msa(lang=lang) for lang in (code, name, f" {name.upper()} ")}
    assert len(recipes) == 1


# From b4msa 2.2.4, whose languages have these lists of terms. None is its default.
@pytest.mark.parametrize(
    ("lang", "terms"),
    [
        ("arabic", "لا q:~ل q:لا q:ا~ q:~لا q:لا~ q:~لا~"),
        ("italian", "no q:~n q:no q:o~ q:~no q:no~ q:~no~"),
        ("german", "no q:~n q:no q:o~ q:~no q:no~ q:~no~"),
    ],
)
def test_other_languages_have_the_terms_of_b4msa(lang: str, terms: str) -> None:
    text = terms.split(" ")[0]
    assert Counter(map(as_b4msa, Analyzer.from_b4msa(lang=lang).terms(text))) == Counter(terms.split(" "))


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
        ({"lang": "zh"}, "lang must be None or a language of b4msa, got 'zh': as languages there are ar"),
        ({"lang": 3}, "lang must be None or a language of b4msa, got 3"),
        ({"emo_option": "group"}, "no option emo_option is read from b4msa"),
        ({"num_option": "drop"}, "num_option must be one of none, group, delete, got 'drop'"),
    ],
)
def test_what_b4msa_does_otherwise_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        Analyzer.from_b4msa(**options)

"""Every step of a recipe, and Analyzers made from some of them."""

from typing import Any

from hypothesis import strategies as st

from tercet import Analyzer
from tercet.text.layout import Layout
from tercet.text.word_lists import WordList

LISTED = ["the", "The-hen", "don't", "a", "x_1", "é", "!!", "你好", "Σ", "hen-the", "movie"]
OVERS = ["text", "marked_text", "words", "bytes", "word_bytes"]
TOKENS = ["words_and_marks", "regex_words", "tweet_words", "treebank", "whitespace", "characters", "bytes"]
STEPS: list[dict[str, Any]] = [
    {"neutral": ["the", "Hen", "you", "don't", "é", "你好", "Σ", "x_1"]},
    {"html": "strip"},
    {"unicode_form": "none"},
    {"unicode_form": "nfkc"},
    {"unicode_form": "nfd"},
    *({kind: what} for kind in ("emoticons", "emoji", "hashtags", "numbers", "urls", "users") for what in ("group", "delete")),
    {"lowercase": False},
    {"strip_marks": True},
    {"max_repeats": 2},
    {"punctuation": "delete"},
    *({"tokens": kind} for kind in TOKENS),
    {"min_token_length": 2},
    {"header_fields": True},
    {"negation": "en"},
    {"stop_words": WordList(LISTED)},
    {"stop_words": WordList(LISTED), "stop_words_match": "forms"},
    {"keep_words": [*LISTED, "hen", "like", "not"]},
    {"lemmas": "en"},
    {"lemmas": {"hen": "bird", "hens": "big bird", "fox": "beast"}},
    {"stems": "en"},
    {"keep_tags": ("NOUN", "JJ")},
    {"word_ngrams": (1, 2)},
    {"word_ngrams": ((1, 1), (3, 3))},
    {"word_ngrams": None, "char_ngrams": ((1, 1), (3, 4))},
    {"skip_grams": ((2, 2), (3, 1))},
    *({"char_ngrams": (2, 3), "char_ngrams_over": over} for over in OVERS),
    {"lexicon": {"good": ["like", "the hen", "Über"], "bad": ["not", "hen"]}},
    {"patterns": {"money": "[$€][0-9]+", "loud": "[A-Z]{3,}", "letter": "hen"}},
    {"tag_terms": "universal"},
    {"layout": Layout(["subject", "body"])},
    {"layout": Layout(["subject", "body"], ["mailer"], fields=True)},
    {"layout": Layout(categorical=["mailer", "queue"])},
]


def fits(options: dict[str, Any]) -> bool:
    """Whether an Analyzer takes them together: a byte is no word, and negation needs an end."""
    words = {"negation", "stop_words", "keep_words", "lemmas", "stems", "keep_tags", "lexicon", "min_token_length"}
    words |= {"header_fields"}
    layout = options.get("layout")
    if options.get("tokens") == "bytes" and layout is not None and layout.fields:
        return False
    endless = "negation" in options and options.get("punctuation") == "delete"
    return not endless and (options.get("tokens") != "bytes" or not words & set(options))


@st.composite
def analyzers(draw: st.DrawFn) -> Analyzer:
    """Up to four steps together."""
    options: dict[str, Any] = {}
    for step in draw(st.lists(st.sampled_from(STEPS), max_size=4)):
        options = options | step if fits(options | step) else options
    return Analyzer(**options)

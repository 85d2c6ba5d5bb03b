"""Presets: recipes with a name. A preset lists the options of an Analyzer that differ from the default."""

from typing import Any

from tercet.text.b4msa import translate_b4msa
from tercet.text.function_words import FUNCTION_WORDS

PRESETS: dict[str, dict[str, Any]] = {
    # Any text in any language: lower-case words.
    "words": {},
    # Also punctuation: for short texts, titles, code.
    "words_and_marks": {"tokens": "words_and_marks"},
    # Exactly the tokens of scikit-learn's CountVectorizer, for comparisons with it.
    "sklearn": {"unicode_form": "none", "tokens": "regex_words", "min_token_length": 2},
    # Everything between blanks, as it is written: for texts that are already tokenised.
    "whitespace": {"unicode_form": "none", "lowercase": False, "tokens": "whitespace"},
    # English opinions: words, punctuation and pairs. Words after “not” are other terms.
    "sentiment": {"html": "strip", "tokens": "words_and_marks", "negation": "en", "word_ngrams": (1, 2)},
    # Short informal messages: b4msa's default, words, pairs and 2 to 4 characters; links, users and numbers grouped.
    "tweets": translate_b4msa(),
    # Few English texts: dictionary forms of words of at least 3 letters, without stop words.
    "lemmas": {"lemmas": "en", "stop_words": "en", "min_token_length": 3},
    # Language identification: 1 to 4 bytes inside words, for any script.
    "languages": {"word_ngrams": None, "char_ngrams": (1, 4), "char_ngrams_over": "word_bytes"},
    # E-mails and short messages: words and pairs, by header field, and phrases that are typical of spam.
    "spam": {"html": "strip", "header_fields": True, "patterns": "spam", "word_ngrams": (1, 2)},
    # Who wrote it: English function words and 3 characters, with their case. They depend little on the subject.
    "authorship": {
        "lowercase": False,
        "keep_words": [form for word in FUNCTION_WORDS for form in (word, word.capitalize())],
        "char_ngrams": (3, 3),
    },
}

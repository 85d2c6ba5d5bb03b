"""Recipes with a name. A preset is nothing but the options of an Analyzer that differ from the default."""

from typing import Any

from tercet.text.b4msa import translate_b4msa
from tercet.text.function_words import FUNCTION_WORDS

PRESETS: dict[str, dict[str, Any]] = {
    # Any text in any language, when nothing more is known: lower-case words.
    "words": {},
    # The same where punctuation speaks too: short texts, titles, code.
    "words_and_marks": {"tokens": "words_and_marks"},
    # Exactly the tokens of scikit-learn's CountVectorizer, to compare with what was built on it.
    "sklearn": {"unicode_form": "none", "tokens": "regex_words", "min_token_length": 2},
    # Whatever stands between blanks, as it is written: texts that are tokenised already.
    "whitespace": {"unicode_form": "none", "lowercase": False, "tokens": "whitespace"},
    # English opinions: words and pairs with marks; what follows “not” counts as another word.
    "sentiment": {"html": "strip", "tokens": "words_and_marks", "negation": "en", "word_ngrams": (1, 2)},
    # Short messages full of slips: b4msa's default, words, pairs and 2 to 4 characters; links, users, numbers grouped.
    "tweets": translate_b4msa(),
    # Few English texts: dictionary forms of the words that carry meaning, at least 3 letters long.
    "lemmas": {"lemmas": "en", "stop_words": "en", "min_token_length": 3},
    # Which language is it: 1 to 4 bytes inside words, which need no knowledge of any script.
    "languages": {"word_ngrams": None, "char_ngrams": (1, 4), "char_ngrams_over": "word_bytes"},
    # E-mails and short messages: words and pairs, by the header field they stand in, and what advertisers like to write.
    "spam": {"html": "strip", "header_fields": True, "patterns": "spam", "word_ngrams": (1, 2)},
    # Who wrote it: English function words and 3 characters, with their case, which say little about the subject.
    "authorship": {
        "lowercase": False,
        "keep_words": [form for word in FUNCTION_WORDS for form in (word, word.capitalize())],
        "char_ngrams": (3, 3),
    },
}

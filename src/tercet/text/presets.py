"""Recipes with a name. A preset is nothing but the options of an Analyzer that differ from the default."""

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "words": {},
    # Exactly the tokens of scikit-learn's CountVectorizer.
    "sklearn": {"unicode_form": "none", "tokens": "regex_words", "min_token_length": 2},
    # Whatever stands between blanks, as it is written.
    "whitespace": {"unicode_form": "none", "lowercase": False, "tokens": "whitespace"},
}

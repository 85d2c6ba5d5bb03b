"""Presets: recipes with a name. A preset lists the options of an Analyzer that differ from the default.

The options of b4msa and microTC are translated to those of an Analyzer.
"""

from collections.abc import Iterable
from typing import Any

from tercet.errors import InvalidOption, bad_option
from tercet.options import check_choice, check_flag, is_int
from tercet.text.language_names import find_language
from tercet.text.word_lists import FUNCTION_WORDS

_GROUPS = {"num_option": "numbers", "usr_option": "users", "url_option": "urls", "hashtag_option": "hashtags"}
_DEFAULTS: dict[str, Any] = dict.fromkeys(_GROUPS, "group") | {"hashtag_option": "none"}
_DEFAULTS |= {"lc": True, "del_diac": True, "del_dup": False, "del_punc": True}
_LANGUAGES: dict[str | None, dict[str, Any]] = {
    None: {"token_list": (-2, -1, 2, 3, 4)},
    "en": {"token_list": ((3, 1), -2, -1, 3, 4), "num_option": "delete", "del_diac": False},
    "es": {"token_list": ((2, 1), -1, 2, 3, 4, 5, 6)},
    "ar": {"token_list": (-1, 2, 3, 4)},
    # b4msa has no list of its own for these.
    "it": {"token_list": (-2, -1, 2, 3, 4)},
    "de": {"token_list": (-2, -1, 2, 3, 4)},
}


def translate_b4msa(token_list: Iterable[Any] | None = None, *, lang: str | None = None, **options: Any) -> dict[str, Any]:
    """The options of an Analyzer that finds the terms of `b4msa.textmodel.TextModel(token_list=…, lang=…, …)`.

    `lang` is a code or a name, in any case: `"en"`, `"english"`. b4msa splits Chinese with the package jieba, so `"zh"` is not
    translated.

    >>> translate_b4msa([[3, 1], -2, -1, 3], del_punc=False)["skip_grams"]
    ((3, 1),)
    """
    if lang is not None:
        known = [code for code in _LANGUAGES if code is not None]
        lang = find_language(lang.strip() if isinstance(lang, str) else lang, known, "lang", "None or a language of b4msa")
    if unknown := set(options) - set(_DEFAULTS):
        raise InvalidOption(
            f"no option {', '.join(sorted(unknown))} is read from b4msa: there are token_list, lang, {', '.join(_DEFAULTS)}. "
            "b4msa has its own lists of emoticons and words: here, use emoji, emoticons, stop_words, stems, negation."
        )
    given = _DEFAULTS | _LANGUAGES[lang] | options | ({} if token_list is None else {"token_list": token_list})
    flags = {name: check_flag(name, given[name]) for name in ("lc", "del_diac", "del_dup", "del_punc")}
    groups = {ours: check_choice(name, given[name], ("none", "group", "delete")) for name, ours in _GROUPS.items()}
    return {
        **{name: "keep" if choice == "none" else choice for name, choice in groups.items()},
        "unicode_form": "nfc" if flags["del_diac"] else "nfd",
        "lowercase": flags["lc"],
        "strip_marks": flags["del_diac"],
        "max_repeats": 1 if flags["del_dup"] else None,
        "punctuation": "delete" if flags["del_punc"] else "keep",
        "tokens": "tweet_words",
        "char_ngrams_over": "marked_text",
        **_read_list(given["token_list"]),
    }


def _read_list(token_list: Iterable[Any]) -> dict[str, Any]:
    items = list(token_list) if isinstance(token_list, Iterable) and not isinstance(token_list, str) else []
    numbers, skip_grams = [item for item in items if is_int(item)], [item for item in items if not is_int(item)]
    if not items or 0 in numbers or not all(isinstance(item, list | tuple) and len(item) == 2 for item in skip_grams):
        wanted = "a list of -n (n words), n (n characters) and [n, gap] (n words with gaps)"
        raise bad_option("token_list", wanted, token_list, "each item gives terms.")
    return {
        "word_ngrams": tuple((-n, -n) for n in numbers if n < 0) or None,
        "skip_grams": tuple((size, gap) for size, gap in skip_grams) or None,
        "char_ngrams": tuple((n, n) for n in numbers if n > 0) or None,
    }


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

"""The options of an Analyzer, checked: each becomes a value that can be hashed and compared."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from tercet.errors import InvalidOption, bad_option
from tercet.options import check_choice, check_count, check_flag, check_lengths, is_int
from tercet.text.lemma_lists import LemmaList, read_lemma_list
from tercet.text.lexicon_files import find_lexicon
from tercet.text.marks import check_tags
from tercet.text.negation import find_negation
from tercet.text.patterns import check_patterns
from tercet.text.stopwords import find_stop_words
from tercet.text.tags import require_tagger
from tercet.text.word_lists import WordList, make_word_list, read_word_list
from tercet.text.wordforms import find_lemma_language, find_stemmer

Markup = Literal["keep", "strip"]
Group = Literal["keep", "group", "delete"]
UnicodeForm = Literal["none", "nfc", "nfkc", "nfd"]
TokenKind = Literal["words", "words_and_marks", "regex_words", "tweet_words", "treebank", "whitespace", "characters", "bytes"]
Over = Literal["text", "marked_text", "words", "bytes", "word_bytes"]
TagSet = Literal["penn", "universal"]
TERMS = ("word_ngrams", "skip_grams", "char_ngrams", "lexicon", "patterns", "tag_terms")
WORD_STEPS = ("negation", "stop_words", "keep_words", "stems", "lemmas", "keep_tags", "lexicon")


def check_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all options, each checked by itself and then against the others."""
    options = {name: check(name, given[name]) for name, check in CHECKS.items()}
    if not any(options[name] for name in TERMS):
        raise InvalidOption(f"{', '.join(TERMS)} are all None: a text would have no terms. Set one of them.")
    if options["negation"] is not None and options["punctuation"] == "delete":
        raise InvalidOption(
            "negation reaches to the next mark that ends a clause, and punctuation='delete' leaves none: all that follows the "
            "first “not” would be negated. Keep the punctuation; words don't have it anyway."
        )
    if options["tokens"] == "bytes":
        if options["min_token_length"] != 1:
            raise bad_option("min_token_length", "1 with tokens='bytes'", given["min_token_length"], "a byte is one byte long.")
        for name in WORD_STEPS:
            if options[name] is not None:
                raise bad_option(name, "None with tokens='bytes'", given[name], "a byte is no word.")
    return options


def _or_none(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda name, value: None if value is None else check(name, value)


def _choose(choices: Any) -> Callable[[str, Any], str]:
    return partial(check_choice, choices=get_args(choices))


def _check_skip_grams(name: str, value: Any) -> tuple[tuple[int, int], ...] | None:
    """(words, gap) pairs, in order."""
    if not isinstance(value, list | tuple) or not all(map(_is_skip_gram, value)):
        raise bad_option(name, "(words, gap) pairs", value, "((3, 1),) takes every other word, three of them.")
    return tuple(sorted({(int(size), int(gap)) for size, gap in value})) or None


def _is_skip_gram(pair: Any) -> bool:
    is_pair = isinstance(pair, list | tuple) and len(pair) == 2 and all(map(is_int, pair))
    return is_pair and 2 <= pair[0] <= 1000 and 1 <= pair[1] <= 1000


def _find_kept_words(value: Any) -> WordList | None:
    if value is None:
        return None
    return make_word_list(read_word_list(value) if isinstance(value, Path) else value, "keep_words")


def _check_lemmas(name: str, value: Any) -> str | LemmaList:
    if isinstance(value, Path):
        return read_lemma_list(value)
    if isinstance(value, Mapping):
        return LemmaList.from_dict(value) if isinstance(value.get("lemmas"), Mapping) else LemmaList(value)
    return value if isinstance(value, LemmaList) else find_lemma_language(value)


def _check_tag_set(name: str, value: Any) -> str:
    require_tagger()
    return check_choice(name, value, get_args(TagSet))


def _stored(check: Callable[[Any], Any]) -> Callable[[str, Any], Any]:
    """Also takes a word list as JSON has it."""
    return lambda _, value: check(WordList.from_dict(value) if isinstance(value, Mapping) else value)


CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "html": _choose(Markup),
    "unicode_form": _choose(UnicodeForm),
    "emoticons": _choose(Group),
    "emoji": _choose(Group),
    "hashtags": _choose(Group),
    "lowercase": check_flag,
    "numbers": _choose(Group),
    "urls": _choose(Group),
    "users": _choose(Group),
    "strip_marks": check_flag,
    "max_repeats": _or_none(check_count),
    "punctuation": _choose(Literal["keep", "delete"]),
    "tokens": _choose(TokenKind),
    "min_token_length": check_count,
    "header_fields": check_flag,
    "negation": _stored(find_negation),
    "stop_words": _stored(find_stop_words),
    "keep_words": _stored(_find_kept_words),
    "lemmas": _or_none(_check_lemmas),
    "stems": _or_none(lambda _, value: find_stemmer(value)),
    "keep_tags": _or_none(check_tags),
    "word_ngrams": check_lengths,
    "skip_grams": _or_none(_check_skip_grams),
    "char_ngrams": check_lengths,
    "char_ngrams_over": _choose(Over),
    "lexicon": lambda _, value: find_lexicon(value),
    "patterns": lambda _, value: check_patterns(value) or None,
    "tag_terms": _or_none(_check_tag_set),
}

"""An option for each step of an Analyzer, made from the Analyzer's own list of them."""

from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click

from tercet.cli import values
from tercet.cli.command import Option
from tercet.cli.values import Written
from tercet.options import Lengths
from tercet.text.analyzer import DEFAULTS, Analyzer

SECTION = "What a term is"

HELP = {
    "html": "Markup of web pages.",
    "unicode_form": "One spelling for letters that can be written in several ways.",
    "emoticons": "Keep :-) and its like, count all as one word, or delete them.",
    "emoji": "Keep emoji, count all as one word, or delete them.",
    "hashtags": "Keep #words, count all as one word, or delete them.",
    "lowercase": "Make letters lower case.",
    "numbers": "Keep numbers, count all as one word, or delete them.",
    "urls": "Keep links, count all as one word, or delete them.",
    "users": "Keep @names, count all as one word, or delete them.",
    "strip_marks": "Drop accents: México, Mexico.",
    "max_repeats": "How often a character may stand in a row: 2 makes cooool cool.",
    "punctuation": "Keep it, or delete it and join what it parts.",
    "tokens": "What a token is.",
    "min_token_length": "Leave out shorter tokens.",
    "header_fields": "Count words in the header of an e-mail by their field.",
    "negation": "Mark what follows a “not” of this language, or these (en, es, it, de, fr, pt).",
    "stop_words": "Leave out the stop words of a language, or the lines of a file.",
    "keep_words": "Leave out all but these words: a file with a word a line, or words with commas.",
    "lemmas": "Count dictionary forms of a language, or those of a file with lines lemma<TAB>word.",
    "stems": "Count stems of a language, or “porter”.",
    "keep_tags": "Keep English words with these parts of speech: NOUN,ADJ.",
    "word_ngrams": "How many words make a term: 1-2 for words and pairs.",
    "skip_grams": "Words with gaps between: 3:1 for three, each time with one left out.",
    "char_ngrams": "How many characters make a term: 1-4.",
    "char_ngrams_over": "Of what these characters are.",
    "lexicon": "Count hits of word lists: “vader”, or a file.",
    "patterns": "Count hits of a regular expression, or “spam” for ours.",
    "tag_terms": "Count parts of speech of an English text.",
}

WRITTEN = {
    "negation": Written("LANGUAGES", values.read_name_or_names),
    "stop_words": Written("LANGUAGE|FILE", values.read_name_or_file),
    "keep_words": Written("FILE|WORDS", values.read_file_or_names),
    "lemmas": Written("LANGUAGE|FILE", values.read_name_or_file),
    "stems": Written("LANGUAGE", str),
    "keep_tags": Written("TAGS", values.read_names),
    "skip_grams": Written("WORDS:GAP", values.read_pairs),
    "lexicon": Written("NAME|FILE", values.read_name_or_file),
    "patterns": Written("NAME=REGEX", values.read_patterns),
    "max_repeats": Written("NUMBER", int),
}


def analyzer_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: the function gets each by its name. None of them has a default: a preset may give one."""
    for name, hint in reversed(list_hints().items()):
        flag = "--" + name.replace("_", "-")
        declaration = f"{flag}/--no-{flag[2:]}" if hint is bool else flag
        settings = {} if hint is bool else {"type": _find_type(name, hint)}
        option = click.option(declaration, name, cls=Option, section=SECTION, default=None, help=HELP[name], **settings)
        function = option(function)
    return function


def list_hints() -> dict[str, Any]:
    """The type of each option, in the order of the steps."""
    hints = get_type_hints(Analyzer.__init__)
    return {name: hints[name] for name in DEFAULTS}


def _find_type(name: str, hint: Any) -> click.ParamType[Any]:
    if name in WRITTEN:
        return WRITTEN[name]
    if hint == Lengths:
        return Written("LOW-HIGH", values.read_lengths)
    choices = [choice for part in (hint, *get_args(hint)) if get_origin(part) is Literal for choice in get_args(part)]
    return click.Choice(choices) if choices else click.INT

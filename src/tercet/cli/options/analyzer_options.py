"""An option for each parameter of an Analyzer, made from the signature of Analyzer."""

from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click

from tercet.cli.commands import Option
from tercet.cli.options import option_values as values
from tercet.cli.options.option_values import ParsedValue
from tercet.options import Lengths
from tercet.text.analyzer import DEFAULTS, Analyzer

SECTION = "Text and terms"

HELP = {
    "neutral": "Replace these words by one word, so that they make no difference: a file with one word on each line, or words "
    "separated by commas.",
    "html": "Keep HTML as it is, or strip its tags.",
    "unicode_form": "Unicode normal form, so that letters that can be encoded in several ways are equal.",
    "emoticons": "Keep emoticons such as :-), count all as one word (group), or delete them.",
    "emoji": "Keep emoji, count all as one word (group), or delete them.",
    "hashtags": "Keep #hashtags, count all as one word (group), or delete them.",
    "lowercase": "Convert letters to lower case.",
    "numbers": "Keep numbers, count all as one word (group), or delete them.",
    "urls": "Keep links, count all as one word (group), or delete them.",
    "users": "Keep @users, count all as one word (group), or delete them.",
    "strip_marks": "Remove accents: México becomes Mexico.",
    "max_repeats": "How often a character may be repeated: with 2, cooool becomes cool.",
    "punctuation": "Keep punctuation, or delete it: don't becomes dont.",
    "tokens": "How to split a text into tokens.",
    "min_token_length": "Leave out tokens with fewer characters.",
    "header_fields": "Count words in the header of an e-mail together with their field: subject:free.",
    "negation": "Mark the words that follow a negation: not good becomes NOT_good. Languages: en, es, it, de, fr, pt.",
    "stop_words": "Leave out the stop words of a language, or the words in a file with one word on each line.",
    "stop_words_match": "Remove stop words before lemmas and stems (tokens, the default), or after them (forms).",
    "keep_words": "Keep only these words: a file with one word on each line, or words separated by commas.",
    "lemmas": "Replace words by their lemmas: a language, wordnet, or a file with lines lemma<TAB>word.",
    "stems": "Replace words by their stems: a language, or porter.",
    "keep_tags": "Keep only English words with these parts of speech, for example NOUN,ADJ.",
    "word_ngrams": "How many words make a term: 1-2 (the default) for single words and pairs.",
    "skip_grams": "Terms of words with gaps: 3:1 for three words, with one word skipped after each.",
    "char_ngrams": "How many characters make a term, for example 1-4.",
    "char_ngrams_over": "Where the characters of --char-ngrams are taken from.",
    "lexicon": "Count the words of a lexicon: vader, or a file.",
    "patterns": "Count the matches of a regular expression; spam is a built-in list of patterns.",
    "tag_terms": "Count the parts of speech of an English text.",
}

PARSED = {
    "neutral": ParsedValue("FILE|WORDS", values.read_file_or_names),
    "negation": ParsedValue("LANGUAGES", values.read_name_or_names),
    "stop_words": ParsedValue("LANGUAGE|FILE", values.read_name_or_file),
    "keep_words": ParsedValue("FILE|WORDS", values.read_file_or_names),
    "lemmas": ParsedValue("LANGUAGE|FILE", values.read_name_or_file),
    "stems": ParsedValue("LANGUAGE", str),
    "keep_tags": ParsedValue("TAGS", values.read_names),
    "skip_grams": ParsedValue("WORDS:GAP", values.read_pairs),
    "lexicon": ParsedValue("NAME|FILE", values.read_name_or_file),
    "patterns": ParsedValue("NAME=REGEX", values.read_patterns),
    "max_repeats": ParsedValue("NUMBER", int),
}


def analyzer_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that adds these options. None of them has a default here, because a preset may set one."""
    for name, hint in reversed(list_hints().items()):
        flag = "--" + name.replace("_", "-")
        declaration = f"{flag}/--no-{flag[2:]}" if hint is bool else flag
        settings = {} if hint is bool else {"type": _choose_type(name, hint)}
        option = click.option(declaration, name, cls=Option, section=SECTION, default=None, help=HELP[name], **settings)
        function = option(function)
    return function


def list_hints() -> dict[str, Any]:
    """The type of each option, in the order in which an Analyzer applies them."""
    hints = get_type_hints(Analyzer.__init__)
    return {name: hints[name] for name in DEFAULTS if name != "layout"}  # the documents decide it


def _choose_type(name: str, hint: Any) -> click.ParamType[Any]:
    if name in PARSED:
        return PARSED[name]
    if hint == Lengths:
        return ParsedValue("LOW-HIGH", values.read_lengths)
    choices = [choice for part in (hint, *get_args(hint)) if get_origin(part) is Literal for choice in get_args(part)]
    return click.Choice(choices) if choices else click.INT

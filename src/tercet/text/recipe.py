"""The analyzer as the kernel knows it."""

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from tercet.kernel import engine
from tercet.options import list_ranges
from tercet.text.lemma_lists import LemmaList
from tercet.text.marks import find_marks, name_marks
from tercet.text.wordforms import lemmatize_words, stem_words

if TYPE_CHECKING:
    from tercet.text.analyzer import Analyzer

# Options that the kernel takes as they are.
PLAIN = (
    *("html", "emoticons", "emoji", "hashtags", "lowercase", "numbers", "urls", "users", "strip_marks", "max_repeats"),
    *("punctuation", "tokens", "min_token_length", "header_fields", "char_ngrams_over"),
)


@lru_cache(maxsize=64)
def make_recipe(analyzer: "Analyzer") -> engine.Recipe:
    return engine.Recipe(**list_options(analyzer))


def list_options(analyzer: "Analyzer") -> dict[str, Any]:
    """What the kernel's Recipe is made from."""
    options = analyzer.options
    lists = [] if options["lexicon"] is None else list(options["lexicon"].lists.items())
    terms = [f"LEX:{name}" for name, _ in lists]
    marks = {name: options[name] for name in ("patterns", "tag_terms", "keep_tags")}
    marked_terms = name_marks(**marks)
    find = partial(find_marks, first=2 * len(terms), **marks) if any(marks.values()) else None
    forms = {name: options[name] for name in ("lemmas", "stems")}
    return {name: options[name] for name in PLAIN} | {
        "form": options["unicode_form"],
        "word_ngrams": list_ranges(options["word_ngrams"]),
        "skip_grams": options["skip_grams"] or (),
        "char_ngrams": list_ranges(options["char_ngrams"]),
        "stop_words": _list_words(options["stop_words"]),
        "kept_words": _list_words(options["keep_words"]),
        "negation": _list_words(options["negation"]),
        "lexicon": [list(words) for _, words in lists],
        "find_forms": partial(find_forms, **forms) if any(forms.values()) else None,
        "find_marks": find,
        "keeps_marked": options["keep_tags"] is not None,
        "features": [*terms, *(f"NOT_{term}" for term in terms), *marked_terms],
    }


def find_forms(words: list[str], *, lemmas: str | LemmaList | None, stems: str | None) -> list[str]:
    """The form in which each word is counted; a blank in it would make it look like two words.

    >>> find_forms(["connections", "ice"], lemmas=LemmaList({"ice": "frozen water"}), stems="english")
    ['connect', 'frozen_wat']
    """
    forms = words
    if isinstance(lemmas, LemmaList):
        forms = lemmas.lemmatize(forms)
    elif lemmas is not None:
        forms = lemmatize_words(forms, lemmas)
    if stems is not None:
        forms = stem_words(forms, stems)
    return [form if form.isalnum() else "_".join(form.split()) or form for form in forms]


def _list_words(words: Any) -> list[str] | None:
    return None if words is None else list(words)

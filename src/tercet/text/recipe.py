"""The analyzer as the kernel knows it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from tercet.kernel import engine
from tercet.options import list_ranges
from tercet.text.lemma_lists import LemmaList
from tercet.text.marks import find_marks, name_marks
from tercet.text.wordforms import Forms, make_lemmatizer, make_stemmer

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
    find = (
        partial(find_marks, first=2 * len(terms), html=options["html"], header_fields=options["header_fields"], **marks)
        if any(marks.values())
        else None
    )
    return {name: options[name] for name in PLAIN} | {
        "form": options["unicode_form"],
        "word_ngrams": list_ranges(options["word_ngrams"]),
        "skip_grams": options["skip_grams"] or (),
        "char_ngrams": list_ranges(options["char_ngrams"]),
        "stop_words": _list_words(options["stop_words"]),
        "kept_words": _list_words(options["keep_words"]),
        "negation": _list_words(options["negation"]),
        "lexicon": [list(words) for _, words in lists],
        "find_forms": make_form_finder(options),
        "find_marks": find,
        "keeps_marked": options["keep_tags"] is not None,
        "features": [*terms, *(f"NOT_{term}" for term in terms), *marked_terms],
    }


def make_form_finder(options: Mapping[str, Any]) -> Forms | None:
    """The function from words to the forms in which they are counted, or None where that is as they are.

    >>> make_form_finder({"lemmas": None, "stems": "english"})(["connections"])
    ['connect']
    """
    steps: list[Forms] = []
    if isinstance(options["lemmas"], LemmaList):
        lemmas = spell_lemmas(options["lemmas"], options)
        steps.append(lambda words: [lemmas.get(word, word) for word in words])
    elif options["lemmas"] is not None:
        steps.append(make_lemmatizer(options["lemmas"]))
    if options["stems"] is not None:
        steps.append(make_stemmer(options["stems"]))

    def find_forms(words: Sequence[str]) -> list[str]:
        forms = list(words)
        for step in steps:
            forms = step(forms)
        # A blank in a form would make it look like two words.
        return [form if form.isalnum() else "_".join(form.split()) or form for form in forms]

    return find_forms if steps else None


def spell_lemmas(lemmas: LemmaList, options: Mapping[str, Any]) -> dict[str, str]:
    """The lemmas as the recipe writes words: in lower case, without marks, in its Unicode form."""
    names = ("lowercase", "strip_marks", "max_repeats", "punctuation", "tokens")
    plain = engine.Recipe(form=options["unicode_form"], **{name: options[name] for name in names})

    def spell(word: str) -> str:
        return "_".join(token for token, _, _ in plain.list_tokens(word)) or word

    return {spell(word): spell(lemma) for word, lemma in lemmas.content}


def _list_words(words: Any) -> list[str] | None:
    return None if words is None else list(words)

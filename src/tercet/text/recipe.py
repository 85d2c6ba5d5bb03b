"""From an Analyzer to the kernel's Recipe, with the functions that the kernel calls for word forms, patterns and tags."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from tercet.kernel import engine
from tercet.options import list_ranges
from tercet.text.patterns import Pattern, find_patterns
from tercet.text.tags import TAG_SETS, tag_text
from tercet.text.wordforms import FindForms, LemmaList, make_lemmatizer, make_stemmer

if TYPE_CHECKING:
    from tercet.text.analyzer import Analyzer

# Options that the kernel takes as they are.
PLAIN = (
    *("html", "emoticons", "emoji", "hashtags", "lowercase", "numbers", "urls", "users", "strip_marks", "max_repeats"),
    *("punctuation", "tokens", "min_token_length", "header_fields", "char_ngrams_over"),
)

Hit = tuple[int, int, int]  # number of the term, start, end
Span = tuple[int, int]


@lru_cache(maxsize=64)
def make_recipe(analyzer: "Analyzer") -> engine.Recipe:
    return engine.Recipe(**list_options(analyzer))


def list_options(analyzer: "Analyzer") -> dict[str, Any]:
    """The arguments of the kernel's Recipe."""
    options = analyzer.options
    lists = [] if options["lexicon"] is None else list(options["lexicon"].lists.items())
    terms = [f"LEX:{name}" for name, _ in lists]
    searched = {name: options[name] for name in ("patterns", "tag_terms", "keep_tags")}
    find = (
        partial(find_hits, first=2 * len(terms), html=options["html"], header_fields=options["header_fields"], **searched)
        if any(searched.values())
        else None
    )
    return {name: options[name] for name in PLAIN} | {
        "form": options["unicode_form"],
        "word_ngrams": list_ranges(options["word_ngrams"]),
        "skip_grams": options["skip_grams"] or (),
        "char_ngrams": list_ranges(options["char_ngrams"]),
        "neutral": _list_words(options["neutral"]),
        "stop_words": _list_words(options["stop_words"]),
        "stops_forms": options["stop_words_match"] == "forms",
        "kept_words": _list_words(options["keep_words"]),
        "negation": _list_words(options["negation"]),
        "lexicon": [list(words) for _, words in lists],
        "find_forms": make_form_finder(options),
        "find_marks": find,
        "keeps_marked": options["keep_tags"] is not None,
        "columns": () if options["layout"] is None else options["layout"].prefixes,
        "features": [*terms, *(f"NOT_{term}" for term in terms), *name_hits(options["patterns"], options["tag_terms"])],
    }


def name_hits(patterns: tuple[Pattern, ...] | None, tag_terms: str | None) -> list[str]:
    """The terms for matches of patterns and for tags, in the order of their numbers.

    >>> name_hits(None, "universal")[:2]
    ['TAG:ADJ', 'TAG:ADP']
    """
    tags = TAG_SETS[tag_terms] if tag_terms else ()
    return [*(f"PATTERN:{pattern.name}" for pattern in patterns or ()), *(f"TAG:{tag}" for tag in tags)]


def find_hits(
    text: str,
    *,
    first: int,
    html: str,
    header_fields: bool,
    patterns: tuple[Pattern, ...] | None,
    tag_terms: str | None,
    keep_tags: tuple[str, ...] | None,
) -> tuple[list[Hit], list[Span]]:
    """The matches of patterns and the tags in a text, as numbers of terms that begin at `first`; and the spans of the words
    that `keep_tags` keeps.

    Patterns are searched in the text before other steps than `neutral`. With html="strip", words are tagged without the markup.
    """
    hits = [(first + number, start, end) for number, start, end in find_patterns(patterns or (), text)]
    tagged = tag_text(text, html, header_fields) if tag_terms or keep_tags else []
    if tag_terms:
        begin = first + len(patterns or ())
        numbers = {tag: begin + i for i, tag in enumerate(TAG_SETS[tag_terms])}
        which = list(TAG_SETS).index(tag_terms)  # SYM is in both sets, so the name alone would count it twice
        hits += [(numbers[tags[which]], start, end) for start, end, *tags in tagged]
    kept = [(start, end) for start, end, *tags in tagged if keep_tags and not set(tags).isdisjoint(keep_tags)]
    return hits, kept


def make_form_finder(options: Mapping[str, Any]) -> FindForms | None:
    """The function from words to the forms that are counted; None if words are counted as they are.

    >>> make_form_finder({"lemmas": None, "stems": "english"})(["connections"])
    ['connect']
    """
    steps: list[FindForms] = []
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
        # A form with a blank would look like two words.
        return [form if form.isalnum() else "_".join(form.split()) or form for form in forms]

    return find_forms if steps else None


def spell_lemmas(lemmas: LemmaList, options: Mapping[str, Any]) -> dict[str, str]:
    """The lemmas as the recipe writes words: for example in lower case, without accents, in its Unicode form."""
    names = ("lowercase", "strip_marks", "max_repeats", "punctuation", "tokens")
    plain = engine.Recipe(form=options["unicode_form"], **{name: options[name] for name in names})

    def spell(word: str) -> str:
        return "_".join(token for token, _, _ in plain.list_tokens(word)) or word

    return {spell(word): spell(lemma) for word, lemma in lemmas.content}


def _list_words(words: Any) -> list[str] | None:
    return None if words is None else list(words)

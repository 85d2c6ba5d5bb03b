"""What is found in a text as it was given: patterns, and the parts of speech of English words."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from tercet.errors import bad_option
from tercet.kernel import engine
from tercet.text.patterns import Pattern, find_patterns
from tercet.text.penn_tags import PENN_TAGS
from tercet.text.tags import make_span_tagger, require_tagger
from tercet.text.universal_tags import UNIVERSAL_TAGS, to_universal

Hit = tuple[int, int, int]  # which term, start, end
Span = tuple[int, int]
TAG_SETS = {"penn": PENN_TAGS, "universal": UNIVERSAL_TAGS}


def name_marks(patterns: tuple[Pattern, ...] | None, tag_terms: str | None, keep_tags: object = None) -> list[str]:
    """The terms that marks may give, in the order of their numbers.

    >>> name_marks(None, "universal")[:2]
    ['TAG:ADJ', 'TAG:ADP']
    """
    tags = TAG_SETS[tag_terms] if tag_terms else ()
    return [*(f"PATTERN:{pattern.name}" for pattern in patterns or ()), *(f"TAG:{tag}" for tag in tags)]


def find_marks(
    text: str,
    *,
    first: int,
    html: str,
    header_fields: bool,
    patterns: tuple[Pattern, ...] | None,
    tag_terms: str | None,
    keep_tags: tuple[str, ...] | None,
) -> tuple[list[Hit], list[Span]]:
    """The hits, whose terms are numbered from `first` on, and where the words to keep stand.

    Patterns are looked for in the text as it is; words are tagged without markup, where that is stripped.
    """
    hits = [(first + number, start, end) for number, start, end in find_patterns(patterns or (), text)]
    spans = _tag_text(text, html, header_fields) if tag_terms or keep_tags else []
    if tag_terms:
        begin = first + len(patterns or ())
        places = {tag: begin + i for i, tag in enumerate(TAG_SETS[tag_terms])}
        hits += [(places[tag], start, end) for start, end, *tags in spans for tag in tags if tag in places]
    kept = [(start, end) for start, end, *tags in spans if keep_tags and not set(tags).isdisjoint(keep_tags)]
    return hits, kept


def check_tags(name: str, value: Any) -> tuple[str, ...]:
    """The tags to keep, of either set, in order.

    >>> check_tags("keep_tags", ["NOUN", "JJ"])
    ('JJ', 'NOUN')
    """
    tags = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else []
    if not tags or not all(isinstance(tag, str) and (tag in UNIVERSAL_TAGS or tag in PENN_TAGS) for tag in tags):
        known = f"{', '.join(UNIVERSAL_TAGS)}, or {', '.join(PENN_TAGS)}"
        raise bad_option(name, "a list of tags", value, f"there are {known}.")
    require_tagger()
    return tuple(sorted(set(tags)))


def _tag_text(text: str, html: str, header_fields: bool) -> list[tuple[int, int, str, str]]:
    """(start, end, Penn tag, universal tag) of each word."""
    if html == "keep":
        return [(start, end, tag, to_universal(tag, text[start:end])) for start, end, tag in _tag_spans(text)]
    read = [(c, *spans[0]) for c, spans in _characters(header_fields).list_terms(text)]
    seen = "".join(c for c, _, _ in read)
    return [(read[start][1], read[end - 1][2], tag, to_universal(tag, seen[start:end])) for start, end, tag in _tag_spans(seen)]


@lru_cache(maxsize=2)
def _characters(header_fields: bool) -> engine.Recipe:
    """The text without markup, character by character."""
    options: dict[str, Any] = {"form": "none", "lowercase": False, "word_ngrams": [], "char_ngrams": [(1, 1)]}
    return engine.Recipe(html="strip", header_fields=header_fields, **options)


@lru_cache(maxsize=1)
def _treebank() -> engine.Recipe:
    return engine.Recipe(form="none", lowercase=False, tokens="treebank")


def _split_tokens(text: str) -> Iterator[list[tuple[str, int, int]]]:
    for start, end in engine.split_sentences(text):
        tokens = _treebank().list_tokens(text[start:end])
        yield [(token, start + first, start + last) for token, first, last in tokens]


_tag_spans = make_span_tagger(_split_tokens)

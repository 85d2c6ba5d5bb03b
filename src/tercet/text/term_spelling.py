"""How terms are spelled: each term has one spelling, and a recipe makes only terms of its own kinds."""

import re

from tercet.errors import InvalidOption
from tercet.text.analyzer import Analyzer
from tercet.text.layout import Layout

FEATURE_PREFIXES = ("LEX:", "NOT_LEX:", "PATTERN:", "TAG:")


def check_spelling(term: str, analyzer: Analyzer) -> None:
    """Raise InvalidOption for a term that this analyzer never makes.

    >>> check_spelling("the", Analyzer(char_ngrams=(3, 3)))
    Traceback (most recent call last):
    tercet.errors.InvalidOption: the term 'the' has no kind: this analyzer writes word:the or char:the.
    """
    options = analyzer.options
    kinds = {}
    if options["word_ngrams"] or options["skip_grams"]:
        kinds["word:"] = options["tokens"] == "bytes"
    if options["char_ngrams"]:
        over_bytes = options["char_ngrams_over"] in ("bytes", "word_bytes")
        kinds["byte:" if over_bytes else "char:"] = over_bytes
    prefix = next((kind for kind in kinds if term.startswith(kind)), None) if len(kinds) > 1 else ""
    if not kinds or is_feature(term, analyzer):
        return
    if prefix is None:
        shown = " or ".join(kind + term for kind in kinds)
        raise InvalidOption(f"the term {term!r} has no kind: this analyzer writes {shown}.")
    is_raw = kinds[prefix] if prefix else next(iter(kinds.values()))
    respelled = prefix + _respell(term.removeprefix(prefix)) if is_raw else term
    if respelled != term:
        raise InvalidOption(
            f"the term {term!r} must be written as {respelled!r}: UTF-8 is written as it is, other bytes as \\xNN, and a "
            "backslash is doubled."
        )


def is_feature(term: str, analyzer: Analyzer) -> bool:
    """Whether a term is a category, or a lexicon hit, a match of a pattern or a tag in any column."""
    layout: Layout | None = analyzer.layout
    if layout is None:
        return term.startswith(FEATURE_PREFIXES)
    return layout.is_category(term) or layout.strip_prefix(term).startswith(FEATURE_PREFIXES)


def has_capitals(term: str, analyzer: Analyzer) -> bool:
    """Whether a term has capital letters from a text. Those of LEX:, PATTERN:, TAG:, NOT_ and columns do not count.

    >>> [has_capitals(term, Analyzer()) for term in ("The", "NOT_the", "LEX:good")]
    [True, False, False]
    """
    if is_feature(term, analyzer):
        return False
    layout = analyzer.layout
    words = [word if layout is None else layout.strip_prefix(word) for word in term.split(" ")]
    plain = re.sub("(^|[ :])NOT_", r"\1", " ".join(words))
    return plain != plain.lower()


def _respell(term: str) -> str:
    raw = re.sub(rb"\\(\\|x[0-9a-f]{2})", _unescape, term.encode("utf-8", "surrogatepass"))
    from tercet.kernel.terms.analysis import escape  # this imports the whole reference

    return escape(raw)


def _unescape(match: re.Match[bytes]) -> bytes:
    return b"\\" if match[1] == b"\\" else bytes([int(match[1][1:], 16)])

"""How terms are spelled: each term has one spelling, and a recipe makes only terms of its own kinds."""

import re

from tercet.errors import InvalidOption
from tercet.text.analyzer import Analyzer

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
    if not kinds or term.startswith(FEATURE_PREFIXES):
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


def has_capitals(term: str) -> bool:
    """Whether a term has capital letters from a text. Those of LEX:, PATTERN:, TAG: and NOT_ do not count.

    >>> has_capitals("The"), has_capitals("NOT_the"), has_capitals("LEX:good")
    (True, False, False)
    """
    plain = re.sub("(^|[ :])NOT_", r"\\1", term)
    return not term.startswith(FEATURE_PREFIXES) and plain != plain.lower()


def _respell(term: str) -> str:
    raw = re.sub(rb"\\(\\|x[0-9a-f]{2})", _unescape, term.encode("utf-8", "surrogatepass"))
    from tercet.kernel.terms.analysis import escape  # this imports the whole reference

    return escape(raw)


def _unescape(match: re.Match[bytes]) -> bytes:
    return b"\\" if match[1] == b"\\" else bytes([int(match[1][1:], 16)])

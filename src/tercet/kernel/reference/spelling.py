"""A term that is written for people, read back."""

import re

from tercet.kernel.reference.analysis import Key, Recipe

ESCAPED = re.compile(rb"\\(?:\\|x([0-9a-f]{2}))")


def unescape(text: bytes) -> bytes | None:
    r"""The bytes that `escape` has written so, or None.

    >>> unescape(rb"\xff\\"), unescape(rb"\q")
    (b'\xff\\', None)
    """
    if b"\\" in ESCAPED.sub(b"", text):
        return None
    return ESCAPED.sub(lambda match: bytes.fromhex(match[1].decode()) if match[1] else b"\\", text)


def split_tokens(raw: bytes, in_bytes: bool) -> tuple[bytes, ...]:
    """A blank parts two tokens; a token that is itself a blank is followed by another."""
    end = raw.find(b" ", 1 if in_bytes else 0)
    return (raw,) if end < 0 else (raw[:end], *split_tokens(raw[end + 1 :], in_bytes))


def read_term(recipe: Recipe, written: str) -> Key | None:
    """The key of a term in the canonical order, or None where this recipe can't make such a term.

    >>> options = dict(form="nfc", lowercase=True, strip_marks=False, tokens="words", min_token_length=1)
    >>> read_term(Recipe(**options, word_ngrams=(1, 2), char_ngrams=None, char_ngrams_over="text"), "the hen")
    (0, (b'the', b'hen'))
    """
    both = recipe.word_ngrams and recipe.char_ngrams
    over_bytes = recipe.char_ngrams_over == "bytes"
    kinds = [
        (0, recipe.word_ngrams, "word:", recipe.tokens == "bytes"),
        (1, recipe.char_ngrams, "byte:" if over_bytes else "char:", over_bytes),
    ]
    for kind, lengths, name, in_bytes in kinds:
        prefix = name if both else ""
        if not lengths or not written.startswith(prefix):
            continue
        spelled = written.removeprefix(prefix).encode("utf-8", "surrogatepass")
        raw = unescape(spelled) if in_bytes else spelled
        if raw is None:
            return None
        tokens = split_tokens(raw, in_bytes) if kind == 0 else (raw,)
        return None if kind == 0 and len(tokens) < lengths[0] else (kind, tokens)
    return None

"""Terms as people read and write them. The C++ twin is spelling.hpp."""

import re

from tercet.kernel.terms.analysis import Key, Recipe

ESCAPED = re.compile(rb"\\(?:\\|x([0-9a-f]{2}))")


def unescape(text: bytes) -> bytes | None:
    r"""The bytes that `escape` writes in this way, or None.

    >>> unescape(rb"\xff\\"), unescape(rb"\q")
    (b'\xff\\', None)
    """
    if b"\\" in ESCAPED.sub(b"", text):
        return None
    return ESCAPED.sub(lambda match: bytes.fromhex(match[1].decode()) if match[1] else b"\\", text)


def split_tokens(raw: bytes, in_bytes: bool) -> tuple[bytes, ...]:
    """A blank separates two tokens. If a token is itself a blank, another blank follows it."""
    end = raw.find(b" ", 1 if in_bytes else 0)
    return (raw,) if end < 0 else (raw[:end], *split_tokens(raw[end + 1 :], in_bytes))


def write_term(recipe: Recipe, key: Key) -> str:
    """The written form of a term, from its key."""
    kind, tokens = key
    if kind == 2:
        return tokens[0].decode("utf-8", "surrogatepass")
    spelling = recipe.spell(
        tokens, recipe.tokens == "bytes" if kind == 0 else recipe.char_ngrams_over in ("bytes", "word_bytes")
    )
    return (recipe.kind_prefix(kind) if recipe.needs_prefix(kind, spelling) else "") + spelling


def read_term(recipe: Recipe, written: str) -> Key | None:
    """The key of a term, or None if this recipe cannot make such a term."""
    if recipe.is_feature(written):
        return (2, (written.encode("utf-8", "surrogatepass"),))
    for kind, is_made in ((0, recipe.has_words), (1, bool(recipe.char_ngrams))):
        prefix = recipe.kind_prefix(kind)
        if not is_made:
            continue
        if not written.startswith(prefix) or not recipe.needs_prefix(kind, written.removeprefix(prefix)):
            if recipe.needs_prefix(kind, written):
                continue
            prefix = ""
        return read_spelling(recipe, kind, written.removeprefix(prefix))
    return None


def read_spelling(recipe: Recipe, kind: int, spelling: str) -> Key | None:
    in_bytes = recipe.tokens == "bytes" if kind == 0 else recipe.char_ngrams_over in ("bytes", "word_bytes")
    spelled = spelling.encode("utf-8", "surrogatepass")
    raw = unescape(spelled) if in_bytes else spelled
    if raw is None:
        return None
    tokens = split_tokens(raw, in_bytes) if kind == 0 else (raw,)
    shortest = min([low for low, _ in recipe.word_ngrams] + [n for n, _ in recipe.skip_grams], default=1)
    return None if kind == 0 and len(tokens) < shortest else (kind, tokens)

"""One text → its terms."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tercet.kernel.reference.cleaning import delete_punctuation, shorten_repeats
from tercet.kernel.reference.groups import replace
from tercet.kernel.reference.html import strip_html
from tercet.kernel.reference.normalize import FORMS, Character, lower, rewrite_segments, strip_marks
from tercet.kernel.reference.tokenize import SPLITTERS, Token, is_ink, split_runs

Bounds = tuple[int, int] | None
Span = tuple[int, int]
Key = tuple[int, tuple[bytes, ...]]


class Occurrence(NamedTuple):
    """A term in a text. Sorting by `key` is the canonical order: kind, then token by token, by bytes."""

    key: Key
    spelling: str
    spans: list[Span]


def to_bytes(characters: list[Character]) -> list[Character]:
    """A character for each byte of UTF-8: U+0000 to U+00FF stand for the bytes."""
    return [Character(chr(byte), c.start, c.end) for c in characters for byte in c.value.encode("utf-8", "surrogatepass")]


def source(characters: Sequence[Character]) -> Span:
    return (characters[0].start, characters[-1].end)


def collapse(characters: list[Character]) -> list[Character]:
    """Two or more white characters become one blank."""
    collapsed: list[Character] = []
    begin = 0
    while begin < len(characters):
        end = begin
        while end < len(characters) and characters[end].value.isspace():
            end += 1
        if end - begin > 1:
            collapsed.append(Character(" ", *source(characters[begin:end])))
        else:
            end = begin + 1
            collapsed.append(characters[begin])
        begin = end
    return collapsed


def pad(word: list[Character]) -> list[Character]:
    start, end = source(word)
    return [Character(" ", start, start), *word, Character(" ", end, end)]


def character_ngrams(characters: list[Character], low: int, high: int, short_once: bool) -> Iterator[list[Character]]:
    for n in range(low, high + 1):
        if short_once and n >= len(characters):
            yield characters  # a short word counts once, whole
            return
        for i in range(len(characters) - n + 1):
            yield characters[i : i + n]


def escape(raw: bytes) -> str:
    r"""Bytes that need not be UTF-8: what is not becomes \xNN, and a backslash is doubled."""
    return raw.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def token_bytes(token: list[Character], raw: bool) -> bytes:
    spelling = "".join(c.value for c in token)
    return spelling.encode("latin-1") if raw else spelling.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    form: str
    lowercase: bool
    strip_marks: bool
    tokens: str
    min_token_length: int
    word_ngrams: Bounds
    char_ngrams: Bounds
    char_ngrams_over: str
    html: str = "keep"
    emoticons: str = "keep"
    emoji: str = "keep"
    hashtags: str = "keep"
    numbers: str = "keep"
    urls: str = "keep"
    users: str = "keep"
    max_repeats: int | None = None
    punctuation: str = "keep"

    def list_tokens(self, text: str) -> list[tuple[str, int, int]]:
        characters = self._token_characters(text)
        tokens = [characters[t.begin : t.end] for t in self._split(characters)]
        return [(self._spell([token], self.tokens == "bytes"), *source(token)) for token in tokens]

    def list_terms(self, text: str) -> list[tuple[str, list[Span]]]:
        return [(o.spelling, o.spans) for o in self.occurrences(text)]

    def occurrences(self, text: str) -> Iterator[Occurrence]:
        if self.word_ngrams:
            yield from self._words(text, *self.word_ngrams)
        if self.char_ngrams:
            yield from self._characters(text, *self.char_ngrams)

    def _words(self, text: str, low: int, high: int) -> Iterator[Occurrence]:
        characters, raw = self._token_characters(text), self.tokens == "bytes"
        tokens = [(characters[t.begin : t.end], t.alone) for t in self._split(characters)]
        for n in range(low, high + 1):
            for i in range(len(tokens) - n + 1):
                if n == 1 or not any(alone for _, alone in tokens[i : i + n]):
                    yield self._occurrence(0, "word:", [token for token, _ in tokens[i : i + n]], raw)

    def _characters(self, text: str, low: int, high: int) -> Iterator[Occurrence]:
        characters, raw = self._normalize(text), self.char_ngrams_over == "bytes"
        pieces = [collapse(characters)]
        if raw:
            pieces = [to_bytes(characters)]
        if self.char_ngrams_over == "words":
            words = split_runs("".join(c.value for c in characters), is_ink, is_ink)
            pieces = [pad(characters[word.begin : word.end]) for word in words]
        for piece in pieces:
            for ngram in character_ngrams(piece, low, high, short_once=self.char_ngrams_over == "words"):
                yield self._occurrence(1, "byte:" if raw else "char:", [ngram], raw)

    def _normalize(self, text: str) -> list[Character]:
        characters = [Character(c, i, i + 1) for i, c in enumerate(text)]
        if self.html == "strip":
            characters = list(strip_html(characters))
        if self.form != "none":
            characters = list(rewrite_segments(characters, FORMS[self.form]))
        for kind in ("emoticons", "emoji", "hashtags"):
            characters = list(replace(characters, kind, getattr(self, kind)))
        if self.lowercase:
            characters = list(lower(characters))
        for kind in ("numbers", "urls", "users"):
            characters = list(replace(characters, kind, getattr(self, kind)))
        if self.strip_marks:
            characters = list(rewrite_segments(characters, strip_marks))
        if self.max_repeats:
            characters = list(shorten_repeats(characters, self.max_repeats))
        if self.punctuation == "delete":
            characters = list(delete_punctuation(characters))
        return characters

    def _token_characters(self, text: str) -> list[Character]:
        characters = self._normalize(text)
        return to_bytes(characters) if self.tokens == "bytes" else characters

    def _split(self, characters: list[Character]) -> Iterator[Token]:
        tokens = SPLITTERS[self.tokens]("".join(c.value for c in characters))
        return (token for token in tokens if token.end - token.begin >= self.min_token_length)

    def _occurrence(self, kind: int, prefix: str, tokens: list[list[Character]], raw: bool) -> Occurrence:
        # A recipe with two kinds of terms writes the kind before each, so that they stay two terms.
        both = self.word_ngrams and self.char_ngrams
        spelling = (prefix if both else "") + self._spell(tokens, raw)
        return Occurrence((kind, tuple(token_bytes(token, raw) for token in tokens)), spelling, [source(t) for t in tokens])

    def _spell(self, tokens: list[list[Character]], raw: bool) -> str:
        joined = b" ".join(token_bytes(token, raw) for token in tokens)
        return escape(joined) if raw else joined.decode("utf-8", "surrogatepass")

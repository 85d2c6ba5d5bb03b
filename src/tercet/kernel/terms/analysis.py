"""One text → its terms."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tercet.cached import cached_property
from tercet.kernel.terms.negation import ends_in_nt, find_negated, number_clauses
from tercet.kernel.terms.token_rules import FindForms, TokenRules, lies_in, make_rules
from tercet.kernel.text.cleaning import delete_punctuation, shorten_repeats
from tercet.kernel.text.columns import split_columns
from tercet.kernel.text.groups import replace_group
from tercet.kernel.text.header_fields import Field, field_number, find_fields
from tercet.kernel.text.html import strip_html
from tercet.kernel.text.neutral import NeutralText, NeutralWords
from tercet.kernel.text.normalize import FORMS, Character, lower, rewrite_segments, strip_marks
from tercet.kernel.text.tokenize import SPLITTERS, is_ink, split_runs
from tercet.kernel.text.treebank import space_tokens

Ranges = Sequence[tuple[int, int]]
Words = Sequence[str] | None
Span = tuple[int, int]
FindMarks = Callable[[str], tuple[list[tuple[int, int, int]], list[Span]]]
Key = tuple[int, tuple[bytes, ...]]


class Occurrence(NamedTuple):
    """One occurrence of a term in a text. Sorting by `key` gives the canonical order: kind, then token by token, by bytes."""

    key: Key
    spelling: str
    spans: list[Span]


def to_bytes(characters: list[Character]) -> list[Character]:
    """One character for each byte of UTF-8. The characters U+0000 to U+00FF represent the bytes."""
    return [Character(chr(byte), c.start, c.end) for c in characters for byte in c.value.encode("utf-8", "surrogatepass")]


def source(characters: Sequence[Character]) -> Span:
    return (characters[0].start, characters[-1].end)


def collapse(characters: list[Character]) -> list[Character]:
    """Replace each run of two or more white characters with one blank."""
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


def mark_blanks(characters: list[Character]) -> list[Character]:
    """Replace each run of white characters with ~, and put ~ at both ends, as b4msa does."""
    end = characters[-1].end if characters else 0
    marked = [Character("~", 0, 0)]
    for c in [*characters, Character("~", end, end)]:
        value = "~" if c.value.isspace() else c.value
        if value != "~" or marked[-1].value != "~":
            marked.append(c._replace(value=value))
    return marked if len(marked) > 1 else []


def pad(word: list[Character]) -> list[Character]:
    start, end = source(word)
    return [Character(" ", start, start), *word, Character(" ", end, end)]


def character_ngrams(characters: list[Character], lengths: list[int], short_once: bool) -> Iterator[list[Character]]:
    for n in lengths:
        if short_once and n >= len(characters):
            yield characters  # a short word is counted once, as a whole
            return
        for i in range(len(characters) - n + 1):
            yield characters[i : i + n]


def escape(raw: bytes) -> str:
    r"""Write bytes that may not be valid UTF-8. An invalid byte becomes \xNN, and a backslash is doubled."""
    return raw.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def token_bytes(token: str, raw: bool) -> bytes:
    return token.encode("latin-1") if raw else token.encode("utf-8", "surrogatepass")


def list_lengths(ranges: Ranges) -> list[int]:
    """All lengths in these ranges.

    >>> list_lengths([(1, 2), (4, 4)])
    [1, 2, 4]
    """
    return [n for low, high in ranges for n in range(low, high + 1)]


class Part(NamedTuple):
    """A column of a text: where it begins, its text with placeholders for listed words, its prefix, and whether it is a
    category."""

    begin: int
    written: NeutralText
    prefix: str
    is_category: bool

    def locate(self, span: Span) -> Span:
        """The place in the whole text of a place in this part."""
        start, end = self.written.locate(span)
        return self.begin + start, self.begin + end


class Word(NamedTuple):
    """A token in the form that is counted."""

    form: str
    span: Span
    alone: bool


@dataclass(frozen=True, kw_only=True)
class Recipe:
    html: str = "keep"
    form: str = "nfc"
    emoticons: str = "keep"
    emoji: str = "keep"
    hashtags: str = "keep"
    numbers: str = "keep"
    urls: str = "keep"
    users: str = "keep"
    lowercase: bool = True
    strip_marks: bool = False
    max_repeats: int | None = None
    punctuation: str = "keep"
    tokens: str = "words"
    min_token_length: int = 1
    header_fields: bool = False
    neutral: Words = None
    word_ngrams: Ranges = ((1, 1),)
    skip_grams: Ranges = ()
    char_ngrams: Ranges = ()
    char_ngrams_over: str = "text"
    stop_words: Words = None
    stops_forms: bool = False
    kept_words: Words = None
    negation: Words = None
    lexicon: Sequence[Sequence[str]] = ()
    find_forms: FindForms | None = None
    find_marks: FindMarks | None = None
    keeps_marked: bool = False
    features: Sequence[str] = ()
    columns: Sequence[tuple[str, bool]] = ()  # prefix, and whether it is a category; empty: a text is one column

    @property
    def has_words(self) -> bool:
        return bool(self.word_ngrams or self.skip_grams)

    def list_tokens(self, text: str) -> list[tuple[str, int, int]]:
        raw = self.tokens == "bytes"
        return [
            (self.spell((token_bytes(part.prefix + word.form, raw),), raw), *part.locate(word.span))
            for part in self._parts(text)
            if not part.is_category
            for word in self._words(part.written.text)[0]
        ]

    def list_terms(self, text: str) -> list[tuple[str, list[Span]]]:
        return [(o.spelling, o.spans) for o in self.occurrences(text)]

    def occurrences(self, text: str) -> Iterator[Occurrence]:
        """The terms of all columns. Each column is analysed on its own."""
        for part in self._parts(text):
            list_found = self._category if part.is_category else self._occurrences
            for found in list_found(part.written.text, part.prefix):
                yield found._replace(spans=[part.locate(span) for span in found.spans])

    def list_neutral(self, text: str) -> list[Span]:
        """The places of the words that are replaced because they are neutral."""
        spans = [(part.begin, span) for part in self._parts(text) for span in part.written.sources]
        return [(begin + start, begin + end) for begin, (start, end) in spans]

    def _parts(self, text: str) -> Iterator[Part]:
        columns = self.columns or [("", False)]
        spans = split_columns(text, len(columns)) if self.columns else [(0, len(text))]
        for (begin, end), (prefix, is_category) in zip(spans, columns, strict=True):
            given = text[begin:end]
            written = self._neutral_words.replace(given) if self.neutral and not is_category else NeutralText(given, [])
            yield Part(begin, written, prefix, is_category)

    @cached_property
    def _neutral_words(self) -> NeutralWords:
        assert self.neutral is not None
        # In any case of letters: a word that begins a sentence must be found, too.
        finding = replace(self.keep_groups(), lowercase=True, punctuation="keep")
        return NeutralWords(self.neutral, finding._normalize_after, self._find_header)

    def keep_groups(self) -> "Recipe":
        """The recipe for entries of lists, in which nothing is replaced by a placeholder."""
        return replace(self, emoticons="keep", emoji="keep", hashtags="keep", numbers="keep", urls="keep", users="keep")

    def _category(self, value: str, prefix: str) -> Iterator[Occurrence]:
        if value:
            yield self._feature(prefix + value, (0, len(value)))

    def _feature(self, name: str, span: Span) -> Occurrence:
        return Occurrence((2, (name.encode("utf-8", "surrogatepass"),)), name, [span])

    def _occurrences(self, text: str, prefix: str) -> Iterator[Occurrence]:
        words, hits = self._words(text)
        if self.has_words:
            yield from self._word_terms([word._replace(form=prefix + word.form) for word in words])
        if self.char_ngrams:
            yield from self._character_terms(text, prefix)
        for feature, start, end in hits + (self.find_marks(text)[0] if self.find_marks else []):
            yield self._feature(prefix + self.features[feature], (start, end))

    def _words(self, text: str) -> tuple[list[Word], list[tuple[int, int, int]]]:
        """The tokens that the rules keep, in their final form, and the hits of the lexicon."""
        characters, rules = self.token_characters(text), self._rules
        plain = "".join(c.value for c in characters)
        tokens = list(SPLITTERS[self.tokens](plain))
        spellings = [plain[t.begin : t.end] for t in tokens]
        spans = [source(characters[t.begin : t.end]) for t in tokens]
        fields = self._find_fields(text)
        places = [field_number(fields, start) for start, _ in spans]
        negated = [False] * len(tokens)
        if rules.negation is not None:
            negates = [s in rules.negation or (rules.nt_negates and ends_in_nt(s)) for s in spellings]
            negated = list(find_negated(plain, zip(tokens, negates, places, strict=True), rules.nt_negates))
        hits = [
            (number + negated[first] * rules.n_lists, spans[first][0], spans[last][1])
            for number, first, last in rules.lexicon.hits(spellings, number_clauses(plain, tokens))
        ]
        kept = self.find_marks(text)[1] if self.find_marks and self.keeps_marked else []
        words = []
        for i, (token, spelling, span) in enumerate(zip(tokens, spellings, spans, strict=True)):
            form = rules.find_form(spelling)
            is_short = token.end - token.begin < self.min_token_length
            if is_short or rules.is_left_out(spelling) or not form or (self.keeps_marked and not lies_in(span[0], kept)):
                continue
            field = fields[places[i]].name if places[i] < len(fields) else ""
            words.append(Word(field + "NOT_" * negated[i] + form, span, token.alone))
        return words, hits

    def _find_fields(self, text: str) -> list[Field]:
        return find_fields(text) if self.header_fields else []

    def _word_terms(self, words: list[Word]) -> Iterator[Occurrence]:
        shapes = [(n, 0) for n in list_lengths(self.word_ngrams)] + list(self.skip_grams)
        for n, gap in shapes:
            for i in range(len(words) - (n - 1) * (gap + 1)):
                ngram = words[i : i + (n - 1) * (gap + 1) + 1 : gap + 1]
                if n == 1 or not any(word.alone for word in ngram):
                    yield self._occurrence(0, [w.form for w in ngram], [w.span for w in ngram], self.tokens == "bytes")

    def _character_terms(self, text: str, prefix: str) -> Iterator[Occurrence]:
        over, raw = self.char_ngrams_over, self.char_ngrams_over in ("bytes", "word_bytes")
        for piece in self._pieces(self._normalize(text)):
            units = to_bytes(piece) if raw else piece
            for ngram in character_ngrams(units, list_lengths(self.char_ngrams), short_once=over in ("words", "word_bytes")):
                spelled = "".join(c.value for c in ngram)
                first = prefix.encode("utf-8", "surrogatepass").decode("latin-1") if raw else prefix
                yield self._occurrence(1, [first + spelled], [source(ngram)], raw)

    def _pieces(self, characters: list[Character]) -> list[list[Character]]:
        if self.char_ngrams_over in ("words", "word_bytes"):
            words = split_runs("".join(c.value for c in characters), is_ink, is_ink)
            return [pad(characters[word.begin : word.end]) for word in words]
        change = {"text": collapse, "marked_text": mark_blanks}.get(self.char_ngrams_over, list)
        return [change(characters)]

    def _find_header(self, text: str) -> int:
        return max((field.end for field in self._find_fields(text)), default=0)

    def _normalize(self, text: str, spaced: bool = False) -> list[Character]:
        return self._normalize_after(text, self._find_header(text), spaced)

    def _normalize_after(self, text: str, header: int, spaced: bool = False) -> list[Character]:
        characters = [Character(c, i, i + 1) for i, c in enumerate(text)]
        if self.html == "strip":
            characters = characters[:header] + list(strip_html(characters[header:]))
        if self.form != "none":
            characters = list(rewrite_segments(characters, FORMS[self.form]))
        for kind in ("emoticons", "emoji", "hashtags", "numbers", "urls", "users"):
            characters = list(replace_group(characters, kind, getattr(self, kind)))
        if spaced:
            characters = list(space_tokens(characters))
        if self.lowercase:
            characters = list(lower(characters))
        if self.strip_marks:
            characters = list(rewrite_segments(characters, strip_marks))
        if self.max_repeats:
            characters = list(shorten_repeats(characters, self.max_repeats))
        if self.punctuation == "delete":
            characters = list(delete_punctuation(characters))
        return characters

    def token_characters(self, text: str) -> list[Character]:
        characters = self._normalize(text, spaced=self.tokens == "treebank")
        return to_bytes(characters) if self.tokens == "bytes" else characters

    @cached_property
    def _rules(self) -> TokenRules:
        return make_rules(self)

    def _occurrence(self, kind: int, tokens: list[str], spans: list[Span], raw: bool) -> Occurrence:
        in_bytes = tuple(token_bytes(token, raw) for token in tokens)
        spelling = self.spell(in_bytes, raw)
        prefix = self.kind_prefix(kind) if self.needs_prefix(kind, spelling) else ""
        return Occurrence((kind, in_bytes), prefix + spelling, spans)

    def kind_prefix(self, kind: int) -> str:
        return ("word:", "byte:" if self.char_ngrams_over in ("bytes", "word_bytes") else "char:")[kind]

    def needs_prefix(self, kind: int, written: str) -> bool:
        """Whether the kind is written before the term.

        A recipe with words and characters writes it before every term: the word `the` and the characters `the` are two terms.
        A recipe with features writes it only before terms that could be mistaken for something else.
        """
        if self.has_words and self.char_ngrams:
            return True
        if not self.features and not any(is_category for _, is_category in self.columns):
            return False
        return self.is_feature(written) or written.startswith(self.kind_prefix(kind))

    def is_feature(self, written: str) -> bool:
        """Whether a written term is a lexicon hit, a match of a pattern, a tag, or a category."""
        return any(
            written.startswith(prefix) and (is_category or written.removeprefix(prefix) in self.features)
            for prefix, is_category in self.columns or [("", False)]
        )

    def spell(self, tokens: tuple[bytes, ...], raw: bool) -> str:
        joined = b" ".join(tokens)
        return escape(joined) if raw else joined.decode("utf-8", "surrogatepass")

"""The lines of an explanation: a character n-gram is shown with the word it stands in, each other term on a line of its own.

For many texts, the words are found once for each distinct piece of text between blanks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.categorizer.scorer import Scorer
from tercet.kernel.terms.analysis import Recipe
from tercet.kernel.terms.spelling import read_term
from tercet.report.explanation.evidence import Span
from tercet.text.analyzer import Analyzer
from tercet.text.recipe import list_options

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from tercet.categorizer.evidence.explain import Entries

WORDS, CHARACTERS, FEATURES = 0, 1, 2  # kinds of terms, as the kernel numbers them
WORD_PREFIX = "word:"  # of words, if the analyzer has character n-grams, too
NO_WORDS = ("characters", "bytes")  # tokens that are smaller than words


class Line(NamedTuple):
    """A line of the table. A word has its own line, even if another kind of term has the same name."""

    name: str
    is_word: bool


class TermKinds:
    """What the terms of an analyzer are."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer, self._recipe = analyzer, Recipe(**list_options(analyzer))
        self.has_words, self.has_characters = self._recipe.has_words, bool(self._recipe.char_ngrams)
        self._has_features = bool(self._recipe.features) or any(is_category for _, is_category in self._recipe.columns)

    def is_words(self, term: str) -> bool:
        """Whether a term is a word, or an n-gram of words."""
        return self._find_kind(term) == WORDS

    def is_characters(self, term: str) -> bool:
        """
        >>> kinds = TermKinds(Analyzer(char_ngrams=(2, 3)))
        >>> kinds.is_characters("char:he"), kinds.is_characters("word:char:he")
        (True, False)
        """
        return self.has_characters and self._find_kind(term) == CHARACTERS

    def crosses_blank(self, term: str) -> bool:
        """Whether a character n-gram has a blank inside. Blanks at its ends do not count.

        >>> kinds = TermKinds(Analyzer(char_ngrams=(2, 3)))
        >>> kinds.crosses_blank("char:n a"), kinds.crosses_blank("char: he")
        (True, False)
        """
        if len(term.split()) == 1 and "~" not in term and "\\" not in term:
            return False  # however it is read
        spelled, layout = self._read(term).decode("utf-8", "replace"), self._analyzer.layout
        spelled = spelled if layout is None else layout.strip_prefix(spelled)
        if self._analyzer.char_ngrams_over == "marked_text":
            spelled = spelled.replace("~", " ")
        return len(spelled.split()) > 1

    def name_term(self, term: str) -> str:
        """The term as a reader knows it: without the prefix that tells words from characters.

        >>> TermKinds(Analyzer(char_ngrams=(2, 3))).name_term("word:so good"), TermKinds(Analyzer()).name_term("so good")
        ('so good', 'so good')
        """
        return term.removeprefix(WORD_PREFIX) if self.has_words and self.has_characters else term

    def _find_kind(self, term: str) -> int:
        """The kind of a term that the analyzer made. Its beginning is enough: a long text has hundreds of thousands."""
        if self._has_features and self._recipe.is_feature(term):
            return FEATURES
        if self.has_words and self.has_characters:
            return WORDS if term.startswith(WORD_PREFIX) else CHARACTERS
        return WORDS if self.has_words else CHARACTERS

    def _read(self, term: str) -> bytes:
        """The first token of a term."""
        key = read_term(self._recipe, term)
        assert key is not None  # the analyzer made this term
        return key[1][0]


@lru_cache(maxsize=64)
def make_kinds(analyzer: Analyzer) -> TermKinds:
    return TermKinds(analyzer)


def name_words(analyzer: Analyzer, terms: Iterable[str]) -> tuple[str, ...]:
    """The names of the terms that are not characters, each once.

    >>> name_words(Analyzer(char_ngrams=(2, 3)), ["word:emu", "char:em", "char:mu", "word:emu"])
    ('emu',)
    """
    kinds = make_kinds(analyzer)
    return tuple(kinds.name_term(term) for term in dict.fromkeys(terms) if not kinds.is_characters(term))


def locate_lines(
    analyzer: Analyzer, text: str, terms: Sequence[tuple[str, Sequence[Span]]]
) -> Iterator[tuple[Line, Sequence[Span]]]:
    """The line of each occurrence of a term, and the positions of what the line shows.

    An n-gram across a blank has a line of its own.

    >>> analyzer = Analyzer(char_ngrams=(3, 3), char_ngrams_over="words")
    >>> terms = [("word:hen", [(4, 7)]), ("char: he", [(4, 6)]), ("char:en!", [(5, 8)])]
    >>> [(line.name, spans) for line, spans in locate_lines(analyzer, "The hen!", terms)]
    [('hen', [(4, 7)]), ('hen', [(4, 7)]), ('hen', [(4, 7)])]
    """
    kinds = make_kinds(analyzer)
    if not kinds.has_characters:
        yield from ((Line(term, is_word=False), spans) for term, spans in terms)
        return
    words = TextWords(analyzer, text)
    is_words, is_characters, crosses_blank = map(cache, (kinds.is_words, kinds.is_characters, kinds.crosses_blank))
    for term, spans in terms:
        if is_characters(term):
            word = None if crosses_blank(term) else words.find(spans[0])
            yield (Line(term, is_word=False), spans) if word is None else (Line(word.name, is_word=True), [word.span])
        else:
            yield Line(kinds.name_term(term), len(spans) == 1 and words.has_tokens and is_words(term)), spans


class TextWord(NamedTuple):
    name: str
    span: Span


class TextWords:
    """The words of a text by their positions: its tokens, and what is between them without a blank."""

    def __init__(self, analyzer: Analyzer, text: str) -> None:
        self.has_tokens = analyzer.options["tokens"] not in NO_WORDS
        tokens = [TextWord(name, (start, end)) for name, start, end in analyzer.tokens(text)] if self.has_tokens else []
        # Tokens overlap where words have no spaces between them: a character then belongs to the longest token.
        self._tokens = _cover(len(text), sorted(tokens, key=_measure))
        self._others = _cover(len(text), list(self._list_gaps(text, analyzer.lowercase)))

    def find(self, span: Span) -> TextWord | None:
        """The word with most characters of this span: a token if there is one. None if only blanks are there.

        Ties go to the longer word, then to the first. An empty span counts as the two characters beside it.
        """
        start, end = span if span[0] < span[1] else (max(span[0] - 1, 0), min(span[0] + 1, len(self._tokens)))
        for words in (self._tokens, self._others):
            if end > start and (first := words[start]) is not None and first is words[end - 1]:
                return first
            found = Counter(word for word in words[start:end] if word is not None)
            if found:
                return max(found, key=lambda word: (found[word], _measure(word)))
        return None

    def _list_gaps(self, text: str, lowercase: bool) -> Iterator[TextWord]:
        kinds = (word is None and not letter.isspace() for word, letter in zip(self._tokens, text, strict=True))
        for is_gap, positions in groupby(enumerate(kinds), key=lambda pair: pair[1]):
            if is_gap:
                inside = [position for position, _ in positions]
                start, end = inside[0], inside[-1] + 1
                name = text[start:end]
                yield TextWord(name.lower() if lowercase else name, (start, end))


def _measure(word: TextWord) -> tuple[int, int]:
    """Longer words are larger; of equal words, the first is the largest."""
    start, end = word.span
    return end - start, -start


def _cover(n: int, words: Sequence[TextWord]) -> list[TextWord | None]:
    """For each position the word there. Later words hide earlier words."""
    covered: list[TextWord | None] = [None] * n
    for word in words:
        covered[slice(*word.span)] = [word] * (word.span[1] - word.span[0])
    return covered


MAX_PIECES = 20_000  # distinct pieces: with more, finding their words would take longer than is worth it


@dataclass(frozen=True, eq=False)
class WordsOfCharacters:
    """How often each piece is in each text, and which character n-grams it has, each in which line of an explanation.

    An n-gram occurrence has an equal share of what all occurrences of its term add to the text, as in an explanation.
    """

    lines: list[Line]
    in_text: "csr_matrix"  # texts × pieces: how often
    pieces: Integers  # the piece, the line, the term and the number of occurrences of …
    of_line: Integers
    terms: Integers  # … indices in `numbers`
    n: Floats
    numbers: Integers  # the distinct terms, sorted

    @classmethod
    def of(cls, scorer: Scorer, texts: Sequence[str]) -> "WordsOfCharacters | None":
        """None if the recipe does not take character n-grams from single words, or if there are too many different pieces."""
        if not make_kinds(scorer.analyzer).has_characters or scorer.analyzer.char_ngrams_over != "words":
            return None
        numbers: dict[str, int] = {}
        split = [[numbers.setdefault(piece, len(numbers)) for piece in text.split()] for text in texts]
        if len(numbers) > MAX_PIECES:
            return None
        found = Counter(_list_characters(scorer, list(numbers)))
        lines = {line: index for index, line in enumerate(dict.fromkeys(line for _, line, _ in found))}
        keys = np.array([(piece, lines[line], term) for piece, line, term in found], np.int64).reshape(-1, 3)
        distinct, terms = np.unique(keys[:, 2], return_inverse=True)
        texts_of_pieces = np.repeat(np.arange(len(split)), [len(own) for own in split])
        all_pieces = np.array([piece for own in split for piece in own], np.int64)
        in_text = _make_matrix(np.ones(len(all_pieces)), (texts_of_pieces, all_pieces), (len(texts), len(numbers)))
        return cls(list(lines), in_text, keys[:, 0], keys[:, 1], terms, np.array(list(found.values()), np.float64), distinct)

    def detect_folded(self, texts: Integers, entries: "Entries") -> Flags:
        """The entries that are character n-grams of pieces; none if the pieces have other n-grams than the texts."""
        indices = np.searchsorted(self.numbers, entries.terms)
        indices[indices == len(self.numbers)] = 0
        is_ours = self.numbers[indices] == entries.terms if len(self.numbers) else np.zeros(len(indices), np.bool_)
        counted = self._make_term_matrix(entries, is_ours, entries.counts[is_ours])
        in_pieces = _make_matrix(self.n, (self.pieces, self.terms), (self.in_text.shape[1], len(self.numbers)))
        is_same = (abs(self.in_text[texts] @ in_pieces - counted) > 0).nnz == 0
        return np.asarray(is_ours if is_same else np.zeros_like(is_ours), np.bool_)

    def sum(self, texts: Integers, entries: "Entries", folded: Flags, values: Floats, weights: Floats) -> Floats:
        """Σ weight · score for each piece, line and term, × sums × scores."""
        shares = values[folded] / entries.counts[folded][:, None]
        parts = np.zeros((len(self.n), weights.shape[1], values.shape[1]))
        for score in range(values.shape[1]):
            of_term = self._make_term_matrix(entries, folded, shares[:, score])
            for k, own in enumerate(weights[texts].T):
                together = self.in_text[texts].multiply(own[:, None]).T.tocsr() @ of_term
                parts[:, k, score] = self.n * np.asarray(together[self.pieces, self.terms]).ravel()
        return parts

    def _make_term_matrix(self, entries: "Entries", chosen: Flags, values: Floats) -> "csr_matrix":
        """The values of the chosen entries as a matrix, texts × terms."""
        indices = np.searchsorted(self.numbers, entries.terms[chosen])
        return _make_matrix(values, (entries.texts[chosen], indices), (len(entries.ends) - 1, len(self.numbers)))


def _list_characters(scorer: Scorer, pieces: Sequence[str]) -> Iterator[tuple[int, Line, int]]:
    """The piece, the line and the number of each occurrence of a known character n-gram, of all pieces in one text."""
    analyzer, joined = scorer.analyzer, " ".join(pieces)
    starts = np.cumsum([0, *(len(piece) + 1 for piece in pieces)])
    located, numbers = analyzer.located_terms(joined), scorer.find(joined)
    is_ours = scorer.weights.known(numbers)
    is_ours[is_ours] = scorer.table.character_flags()[numbers[is_ours]] == 1
    of_piece = np.searchsorted(starts, [spans[0][0] if spans else 0 for _, spans in located], "right") - 1
    lines = locate_lines(analyzer, joined, located)
    for piece, (line, _), number, own in zip(of_piece.tolist(), lines, numbers.tolist(), is_ours.tolist(), strict=True):
        if own:
            yield piece, line, number


def _make_matrix(values: Floats, indices: tuple[Integers, Integers], shape: tuple[int, int]) -> "csr_matrix":
    """A sparse matrix with these values at these rows and columns. Values of the same cell are added."""
    from scipy.sparse import csr_matrix

    return csr_matrix((values, indices), shape=shape)

"""The vector block of a stack: each word counts by its meaning, also a word that no training text had.

A word has a vector, and training finds a direction for each label. The score of a text is the weighted mean of vector ·
direction over its words. So it is a sum over words, and needs no vectors any more: each word has one number for each label.
They are trained margins on the single words of a text, with a vocabulary of their own: the words of the training texts, and the
words that the vectors themselves list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from tercet.arrays import Array, Floats, Integers
from tercet.cached import cached_property
from tercet.categorizer.files.compact import open_terms
from tercet.categorizer.model.text_model import Arrays
from tercet.categorizer.model.trained_margins import MarginLayer, MarginWeights, TrainedMargins
from tercet.counts.labels import Labels
from tercet.counts.table import CountTable
from tercet.kernel import engine
from tercet.store.small_numbers import write_numbers
from tercet.text.analyzer import Analyzer
from tercet.text.recipe import make_recipe

KIND = "vectors"
MARGINS = "margins."  # before the names of their arrays
MAX_IDENTITY = 200  # characters
NONE = 0xFFFFFFFF  # the term of a word that is only a part of other terms
LAYER = {"damping": "raw", "norm": "l1"}  # the weighted mean over the words of a text
CHANGED = ("stems", "lemmas", "negation", "keep_tags", "header_fields", "strip_marks", "max_repeats")  # they change words


def find_word_recipe(analyzer: Analyzer) -> Analyzer | None:
    """The recipe for the single words of a text; None if the recipe does not count words as they are written.

    >>> find_word_recipe(Analyzer(word_ngrams=(1, 2), char_ngrams=(2, 5))).terms("To be")
    ['to', 'be']
    >>> find_word_recipe(Analyzer(negation="en"))
    """
    options = analyzer.options
    words, has_fields = options["word_ngrams"], options["layout"] is not None and options["layout"].fields
    ranges = words if words and isinstance(words[0], tuple) else (words,)
    has_words = bool(words) and any(low <= 1 for low, _ in ranges) and options["tokens"] not in ("characters", "bytes")
    if not has_words or has_fields or not options["lowercase"] or any(options[name] for name in CHANGED):
        return None
    nothing = dict.fromkeys(("skip_grams", "char_ngrams", "lexicon", "patterns", "tag_terms"))
    return analyzer.replace(word_ngrams=(1, 1), char_ngrams_over=Analyzer().char_ngrams_over, **nothing)


class WordTerms(NamedTuple):
    """The single words of a table, sorted: their spelling in UTF-8, and their terms."""

    words: list[bytes]
    terms: Integers

    @classmethod
    def of(cls, table: CountTable) -> "WordTerms":
        order = table.table.order()
        frozen = table.table.freeze(order)
        if "words.terms" not in frozen:
            return cls([], np.zeros(0, np.int64))
        numbers, ends = frozen["words.terms"].astype(np.int64), frozen["words.ends"].astype(np.int64)
        spelled, used = frozen["words.bytes"].tobytes(), np.flatnonzero(numbers != NONE)
        words = [spelled[ends[i] : ends[i + 1]] for i in used.tolist()]
        sorted_ = sorted(range(len(words)), key=words.__getitem__)
        return cls([words[i] for i in sorted_], order[numbers[used]][sorted_])


def read_words(words: Sequence[bytes]) -> list[str]:
    return [word.decode("utf-8", "surrogatepass") for word in words]


@dataclass(frozen=True, eq=False)
class VectorBlock:
    """Words and their numbers for each label. `identity` says which word vectors they come from."""

    identity: str
    analyzer: Analyzer  # of single words
    packed: Arrays  # the words, as a compact file has them
    margins: TrainedMargins  # of the words, in their order

    @classmethod
    def of(
        cls, identity: str, analyzer: Analyzer, words: Sequence[bytes], factors: Floats, values: Floats, labels: Labels
    ) -> Self:
        """The block of these words, in UTF-8 and sorted. Their numbers, words × margins, are rounded to 8 bits."""
        lengths = np.array([len(word) for word in words], np.int64)
        packed = {"words.bytes": np.frombuffer(b"".join(words), np.uint8), "words.lengths": write_numbers(lengths)}
        layer = MarginLayer(values.astype(np.float32), factors.astype(np.float32), **LAYER)
        exact = TrainedMargins(labels, (layer,), np.zeros(values.shape[1]))
        return cls(identity, analyzer, packed, TrainedMargins.from_small_file(*exact.to_small_file()))

    @cached_property
    def table(self) -> engine.Table:
        """The vocabulary."""
        return open_terms(make_recipe(self.analyzer), self.packed, len(self.margins.labels), self.margins.n_terms)

    @property
    def n_words(self) -> int:
        return self.margins.n_terms

    def make_weights(self, labels: Labels) -> MarginWeights:
        """The numbers of the words, for decisions between these labels."""
        return self.margins.make_weights(KIND, labels)

    def score_rows(self, rows: engine.Rows, table: CountTable) -> Floats:
        """What the words of each row of a table add, rows × labels of the margins. They are found here by their spelling."""
        ends, columns, counts = rows.arrays()
        numbers = self._number_terms(table)[columns]
        known = np.flatnonzero(numbers >= 0)
        ends = np.searchsorted(known, ends)
        weights = self.make_weights(self.margins.labels)
        values = weights.row_values(ends, numbers[known], counts[known].astype(np.float64))
        return np.stack(
            [np.bincount(np.repeat(np.arange(len(rows)), np.diff(ends)), own, len(rows)) for own in values.T], axis=1
        )

    def _number_terms(self, table: CountTable) -> Integers:
        """The word of each term of a table; -1 for terms that are no words, or not known here."""
        words = WordTerms.of(table)
        numbers = np.full(table.counts.n_terms, -1)
        numbers[words.terms] = self.table.look_up(read_words(words.words)) if words.words else -1
        return numbers

    def score(self, part: engine.Texts, threads: int) -> Floats:
        """What the words of each text add, texts × labels of the margins."""
        none = np.zeros(len(self.margins.labels))
        scores: Floats = self.table.log_joint(self._kernel, part, none, threads)[0]
        return scores

    @cached_property
    def _kernel(self) -> engine.LinearWeights:
        return self.make_weights(self.margins.labels).kernel

    def __getstate__(self) -> dict[str, Any]:
        """The parts to pickle, without the kernel."""
        return {name: value for name, value in self.__dict__.items() if name not in ("table", "_kernel")}

    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Values for JSON, and arrays."""
        content, arrays = self.margins.take(np.arange(self.n_words)).to_small_file()
        about = {"identity": self.identity, "analyzer": self.analyzer.to_dict()}
        return about | content, {f"{MARGINS}{name}": array for name, array in arrays.items()} | dict(self.packed)

    @classmethod
    def from_file(cls, content: Mapping[str, Any], arrays: Arrays, labels: Labels) -> Self:
        """The block that `to_file` wrote, for a model of these labels. Raises an error if the content is wrong."""
        identity, recipe = content["identity"], Analyzer.from_dict(content["analyzer"])
        if not isinstance(identity, str) or not 0 < len(identity) <= MAX_IDENTITY or find_word_recipe(recipe) != recipe:
            raise ValueError("the word vectors have no name, or their recipe is not that of single words")
        own = {name.removeprefix(MARGINS): array for name, array in arrays.items() if name.startswith(MARGINS)}
        margins = TrainedMargins.from_small_file(content, own)
        if [{"damping": layer.damping, "norm": layer.norm} for layer in margins.layers] != [LAYER] or margins.bias.any():
            raise ValueError("the numbers of the words are no weighted mean")
        if margins.labels.tolist() != labels.tolist() or margins.blocks is not None:
            raise ValueError("the word vectors have other labels than the model")
        block = cls(identity, recipe, {name: array for name, array in arrays.items() if not name.startswith(MARGINS)}, margins)
        block.table.check()
        return block


PREFIX = "vectors."


def add_block(block: VectorBlock, content: dict[str, Any], arrays: dict[str, Array]) -> tuple[dict[str, Any], dict[str, Array]]:
    """The content and the arrays of a stack, with its block."""
    own, own_arrays = block.to_file()
    return content | {"vectors": own}, arrays | {f"{PREFIX}{name}": array for name, array in own_arrays.items()}


def read_block(content: Mapping[str, Any], arrays: Arrays, labels: Labels) -> VectorBlock | None:
    """The block that `add_block` added; None if there is none."""
    if "vectors" not in content:
        return None
    own = {name.removeprefix(PREFIX): array for name, array in arrays.items() if name.startswith(PREFIX)}
    return VectorBlock.from_file(content["vectors"], own, labels)

"""The block that is added to a stack: terms with a vocabulary of their own, and numbers for each term and label.

- Each word counts by its meaning, also a word that no training text had. A word has a vector, and training finds a direction
  for each label. The score of a text is the weighted mean of vector · direction over its words. So it is a sum over words, and
  needs no vectors any more. The vocabulary has the words of the training texts, and the words that the vectors themselves list.
- If there are unlabelled texts or seeds, a second layer has what a student has learned from them: words and word n-grams, by
  tf-idf. Without vectors there is nothing in the first layer.

Both layers are trained margins, so evidence is exact.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Floats
from tercet.cached import cached_property
from tercet.categorizer.model.packed_terms import open_terms, pack_terms
from tercet.categorizer.model.text_model import Arrays
from tercet.categorizer.model.trained_margins import MarginLayer, MarginWeights, TrainedMargins
from tercet.categorizer.model.word_terms import WordTerms, find_word_recipe, read_words
from tercet.counts.labels import Labels
from tercet.counts.table import CountTable
from tercet.kernel import engine
from tercet.store.small_numbers import write_numbers
from tercet.text.analyzer import Analyzer
from tercet.text.recipe import make_recipe

Floats32 = npt.NDArray[np.float32]
KIND = "added"
MARGINS = "margins."  # before the names of their arrays
MAX_SOURCE = 200  # characters
NO_SOURCE = "no vectors"  # the source of a block without vectors
TAUGHT = ("seeds", "unlabelled texts")
MEAN = {"damping": "raw", "norm": "l1"}  # the weighted mean over the words of a text
TF_IDF = {"damping": "log", "norm": "l2"}


@dataclass(frozen=True, eq=False)
class AddedBlock:
    """Terms and their numbers for each label. `source` says which word vectors they come from."""

    source: str
    analyzer: Analyzer
    packed: Arrays  # the terms
    margins: TrainedMargins  # of the terms, in their order
    taught: tuple[str, ...] = ()  # what has taught the second layer, in words

    @classmethod
    def of_words(cls, source: str, analyzer: Analyzer, words: "WordNumbers", labels: Labels) -> Self:
        """The block of these words. Their numbers are rounded to 8 bits."""
        lengths = np.array([len(word) for word in words.words], np.int64)
        packed = {"words.bytes": np.frombuffer(b"".join(words.words), np.uint8), "words.lengths": write_numbers(lengths)}
        layer = MarginLayer(words.numbers.astype(np.float32), words.factors.astype(np.float32), **MEAN)
        return cls(source, analyzer, packed, round_margins(labels, [layer]))

    @classmethod
    def of_table(
        cls,
        source: str,
        table: CountTable,
        words: "WordNumbers",
        factors: Floats32,
        values: Floats32,
        labels: Labels,
        taught: tuple[str, ...],
    ) -> Self:
        """The block of these words and of the terms of a table, which have a factor and values, terms × margins.

        Words that the table does not have are left out: its recipe does not find them in a text as one word.
        """
        numbers = table.table.look_up(read_words(words.words))
        known = np.flatnonzero(numbers >= 0)
        of_words = MarginLayer(np.zeros_like(values), np.zeros_like(factors), **MEAN)
        of_words.values[numbers[known]] = words.numbers[known]
        of_words.factors[numbers[known]] = words.factors[known]
        order = table.table.order()
        terms, packed = pack_terms(table.table, order[(of_words.factors[order] > 0) | (factors[order] > 0)])
        layers = [of_words.take(terms), MarginLayer(values, factors, **TF_IDF).take(terms)]
        return cls(source, table.analyzer, packed, round_margins(labels, layers), taught)

    @property
    def has_student(self) -> bool:
        return len(self.margins.layers) > 1

    @property
    def vectors(self) -> str | None:
        """The identity of its word vectors; None if it has none."""
        return None if self.source == NO_SOURCE else self.source

    @property
    def mark(self) -> str:
        """Where evidence comes from, in words."""
        sources = [*([] if self.vectors is None else ["vectors"]), *self.taught]
        return f"(from {', '.join(sources[:-1])}{' and ' * (len(sources) > 1)}{sources[-1]})"

    @cached_property
    def table(self) -> engine.Table:
        """The vocabulary."""
        return open_terms(make_recipe(self.analyzer), self.packed, len(self.margins.labels), self.margins.n_terms)

    @property
    def n_terms(self) -> int:
        return self.margins.n_terms

    def check_recipe(self, analyzer: Analyzer) -> None:
        """Raises an error if the block of a file is not for models with this recipe: a text is analysed once for both."""
        if find_word_recipe(analyzer, has_ngrams=self.has_student) != self.analyzer:
            raise ValueError("the recipe of an added block is not that of the words of its model")

    def make_weights(self, labels: Labels) -> MarginWeights:
        """The numbers of the terms, for decisions between these labels."""
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

    def _number_terms(self, table: CountTable) -> Array:
        """The word of each term of a table; -1 for terms that are no words, or not known here."""
        words = WordTerms.of(table)
        numbers = np.full(table.counts.n_terms, -1)
        numbers[words.terms] = self.table.look_up(read_words(words.words)) if words.words else -1
        return numbers

    def score(self, part: engine.Texts, threads: int) -> Floats:
        """What the terms of each text add, texts × labels of the margins."""
        none = np.zeros(len(self.margins.labels))
        scores: Floats = self.table.log_joint(self._kernel, part, none, threads)[0]
        return scores

    def pair_with(self, table: engine.Table) -> engine.TablePair:
        """A table of a model with this block, for scores that include those of the block."""
        return engine.TablePair(table, self.table, self._kernel)

    @cached_property
    def _kernel(self) -> engine.LinearWeights:
        return self.make_weights(self.margins.labels).kernel

    def __getstate__(self) -> dict[str, Any]:
        """The parts to pickle, without the kernel."""
        return {name: value for name, value in self.__dict__.items() if name not in ("table", "_kernel")}

    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Values for JSON, and arrays."""
        content, arrays = self.margins.take(np.arange(self.n_terms)).to_small_file()
        taught = {"taught": list(self.taught)} if self.taught else {}
        about = {"source": self.source, "analyzer": self.analyzer.to_dict(), **taught}
        return about | content, {f"{MARGINS}{name}": array for name, array in arrays.items()} | dict(self.packed)

    @classmethod
    def from_file(cls, content: Mapping[str, Any], arrays: Arrays, labels: Labels) -> Self:
        """The block that `to_file` wrote, for a model of these labels. Raises an error if the content is wrong."""
        source, recipe = content["source"], Analyzer.from_dict(content["analyzer"])
        own = {name.removeprefix(MARGINS): array for name, array in arrays.items() if name.startswith(MARGINS)}
        margins = TrainedMargins.from_small_file(content, own)
        kinds = [{"damping": layer.damping, "norm": layer.norm} for layer in margins.layers]
        if kinds not in ([MEAN], [MEAN, TF_IDF]) or margins.bias.any():
            raise ValueError("the numbers of an added block are not weighed as they must be")
        taught = tuple(content.get("taught", ()))
        if any(each not in TAUGHT for each in taught) or bool(taught) != (len(kinds) > 1):
            raise ValueError("an added block has another teacher than those that are known")
        if not isinstance(source, str) or not 0 < len(source) <= MAX_SOURCE:
            raise ValueError("the word vectors have no name")
        if margins.labels.tolist() != labels.tolist() or margins.blocks is not None:
            raise ValueError("an added block has other labels than the model")
        packed = {name: array for name, array in arrays.items() if not name.startswith(MARGINS)}
        block = cls(source, recipe, packed, margins, taught)
        block.table.check()
        return block


class WordNumbers(NamedTuple):
    """Words in UTF-8, sorted, with their factors in a mean and their numbers, words × margins."""

    words: list[bytes]
    factors: Floats
    numbers: Floats


def round_margins(labels: Labels, layers: Sequence[MarginLayer]) -> TrainedMargins:
    """Margins with values of 8 bits, as a file has them."""
    exact = TrainedMargins(labels, tuple(layers), np.zeros(layers[0].values.shape[1]))
    return TrainedMargins.from_small_file(*exact.to_small_file())


PREFIX = "added."


def write_added(block: AddedBlock | None) -> tuple[dict[str, Any], dict[str, Array]]:
    """Values for JSON, and arrays; nothing if there is no block."""
    if block is None:
        return {}, {}
    content, arrays = block.to_file()
    return {"added": content}, {f"{PREFIX}{name}": array for name, array in arrays.items()}


def read_added(content: Mapping[str, Any], arrays: Arrays, labels: Labels) -> AddedBlock | None:
    """The block that `write_added` wrote; None if there is none. Raises an error if something is wrong with it."""
    if "added" not in content:
        return None
    own = {name.removeprefix(PREFIX): array for name, array in arrays.items() if name.startswith(PREFIX)}
    return AddedBlock.from_file(content["added"], own, labels)

"""`model="auto"`: the recipe and the model, chosen by the sizes of the data. Nothing depends on a clock.

- A stack of linear models on words, pairs of words and character n-grams, if there are enough documents and not too many.
- Without character n-grams, if the texts have more than `MAX_CHARACTERS` characters, or more than `MAX_ENTRIES` entries with
  them.
- With one linear model on words and pairs of words, if they alone have more than `MAX_ENTRIES` entries.
- With a word about labels that have fewer than `MIN_OF_LABEL` documents.
- Naive Bayes, if there are fewer than `MIN_DOCUMENTS` documents, only one label, or more than twice `MAX_ENTRIES` entries.

An entry is a term of a document: a non-zero of the matrix. Training needs about 10 bytes of memory for an entry.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from tercet.counts.table import CountTable, read_cells
from tercet.counts.training_data import LabelledTexts
from tercet.counts.units import to_numbers
from tercet.data.column_choice import spell_names
from tercet.data.document_batches import list_texts
from tercet.kernel import engine
from tercet.kernel.batches import batches as open_texts
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.stack import Stack
from tercet.text.analyzer import Analyzer, resolve_analyzer

MAX_CHARACTERS = 1 << 27
MAX_ENTRIES = 1 << 28
MIN_DOCUMENTS = 50
MIN_OF_LABEL = 5

WORDS = Analyzer(tokens="words_and_marks", word_ngrams=(1, 2))
LEFT_OUT = "character n-grams are left out"
CHARACTERS = {"char_ngrams": (2, 5), "char_ngrams_over": "words"}


class ChosenRecipe(NamedTuple):
    """An analyzer for the documents, and the documents again."""

    analyzer: Analyzer
    batches: Iterator[LabelledTexts]
    said: tuple[str, ...]  # why something usual was left out
    instead: "ChosenRecipe | None" = None  # if there are too many entries: without character n-grams


def choose_recipe(analyzer: Analyzer | str | None, batches: Iterator[LabelledTexts]) -> ChosenRecipe:
    """The recipe with a block of character n-grams, unless it has one or the texts are too long.

    Texts are held in memory until there are too many characters.
    """
    words = WORDS if analyzer is None else leave_out_chosen(resolve_analyzer(analyzer))
    if words.char_ngrams is not None or not words.word_ngrams:
        return ChosenRecipe(words, batches, ())
    held, n_characters = [], 0
    for batch in batches:
        held.append(hold_texts(batch))
        n_characters += sum(part.n_characters() for part in open_texts(held[-1].texts))
        if n_characters > MAX_CHARACTERS:
            said = f"the texts have more than {_show_millions(MAX_CHARACTERS)} characters: {LEFT_OUT}"
            return ChosenRecipe(words, chain(held, batches), (said,))
    said = f"with character n-grams the documents have more than {_show_millions(MAX_ENTRIES)} terms: {LEFT_OUT}"
    return ChosenRecipe(words.replace(**CHARACTERS), iter(held), (), ChosenRecipe(words, iter(held), (said,)))


def has_many_entries(table: CountTable, n_documents: int) -> bool:
    """Whether so many documents, which this table has counted, have too many terms for all members of a stack."""
    return count_entries(table, n_documents) > MAX_ENTRIES


def _show_millions(number: float) -> str:
    """
    >>> _show_millions(1 << 27)
    '134 million'
    """
    return f"{number / 1e6:.0f} million"


def leave_out_chosen(analyzer: Analyzer) -> Analyzer:
    """The analyzer without the character n-grams that were chosen for some documents.

    >>> leave_out_chosen(WORDS.replace(**CHARACTERS)) == WORDS
    True
    """
    has_chosen = {name: getattr(analyzer, name) for name in CHARACTERS} == CHARACTERS
    return analyzer.replace(char_ngrams=None, char_ngrams_over=WORDS.char_ngrams_over) if has_chosen else analyzer


def hold_texts(batch: LabelledTexts) -> LabelledTexts:
    """The same documents, whose texts can be read more than once."""
    texts = batch.texts
    is_held = isinstance(texts, list | tuple | engine.Texts) or hasattr(texts, "dtype") or hasattr(texts, "__arrow_c_stream__")
    return batch if is_held or hasattr(texts, "__arrow_c_array__") else batch._replace(texts=list_texts(texts))


class ChosenModel(NamedTuple):
    """A model for the documents."""

    estimator: Any
    said: tuple[str, ...]


def choose_model(table: CountTable, n_documents: int, *, has_meaning: bool = False) -> ChosenModel:
    """The estimator for so many documents, which this table has counted. With word vectors or seeds, few are enough."""
    if np.count_nonzero(table.n_documents) < 2:
        return ChosenModel(NaiveBayes(), ("all documents have one label: the model is naive Bayes",))
    if np.count_nonzero(table.n_documents > 1) < 2 and not has_meaning:
        why = "fewer than two labels have two documents, so none can be held out: the model is naive Bayes"
        return ChosenModel(NaiveBayes(), (why,))
    if n_documents < MIN_DOCUMENTS and not has_meaning:
        why = f"{n_documents} documents are too few to combine models: the model is naive Bayes"
        return ChosenModel(NaiveBayes(), (why,))
    n_entries = count_entries(table, n_documents)
    if n_entries > 2 * MAX_ENTRIES:
        why = f"the documents have {_show_millions(n_entries)} terms, too many for margins in memory: the model is naive Bayes"
        return ChosenModel(NaiveBayes(kind="binary", smoothing="auto"), (why,))
    if n_entries > MAX_ENTRIES:
        first = Stack().list_members(has_characters=False)[0]
        why = f"the documents have {_show_millions(n_entries)} terms, too many for several members: {first.name} decides alone"
        return ChosenModel(Stack([first]), (why, *_name_rare(table)))
    return ChosenModel(Stack(), _name_rare(table))


def _name_rare(table: CountTable) -> tuple[str, ...]:
    """A sentence about labels that are too rare to be in each of the folds that find the weights of the members."""
    rare = [label for label, n in zip(table.labels.tolist(), table.n_documents.tolist(), strict=True) if 0 < n < MIN_OF_LABEL]
    if not rare:
        return ()
    why = "too few to be in each held-out fold, so the weights of the members hardly take care of them"
    return (f"labels with fewer than {MIN_OF_LABEL} documents, {why}: {spell_names(rare)}",)


def count_entries(table: CountTable, n_documents: int) -> float:
    """How many terms the documents have, each term counted once for each document. Weights count as their mean."""
    terms = np.arange(table.counts.n_terms)
    total = sum(int(cells.documents.sum()) for cells in read_cells(table.counts, terms))
    return float(to_numbers(np.array([total]))[0] * n_documents / max(table.n_documents.sum(), 1e-9))

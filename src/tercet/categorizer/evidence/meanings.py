"""What the added blocks of a model say: a word counts by its vector, and by unlabelled texts, and need not be learned."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats
from tercet.categorizer.evidence.word_lines import WORD_PREFIX
from tercet.categorizer.model.added_block import AddedBlock
from tercet.categorizer.scorer import Scorer
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.options import n_threads
from tercet.report.explanation.evidence import Evidence, Span, add_up


class Meaning(NamedTuple):
    """What all occurrences of a term of the added block add to one label against another."""

    word: str
    number: int  # in the vocabulary of the block
    spans: tuple[Span, ...]
    n_occurrences: int
    value: float

    @property
    def evidence(self) -> Evidence:
        return Evidence(f"vector:{self.word}", self.spans, self.value)


def list_meanings(scorer: Scorer, text: str, a: int, b: int) -> list[Meaning]:
    """The terms of a text that are in the added block, with what they add to label a against label b."""
    block = scorer.added
    if block is None:
        return []
    located, numbers = block.analyzer.located_terms(text), block.table.find(engine.Texts([text]))
    values = block.make_weights(scorer.labels).occurrence_values(numbers, [a, b])
    found: dict[tuple[str, int], list[tuple[Sequence[Span], float]]] = {}
    for (word, spans), number, value in zip(located, numbers.tolist(), (values[:, 0] - values[:, 1]).tolist(), strict=True):
        if number >= 0:
            found.setdefault((word, number), []).append((spans, value))
    meanings = []
    for (word, number), each in found.items():
        all_spans = tuple(span for own, _ in each for span in own)
        meanings.append(Meaning(word, number, all_spans, len(each), add_up(value for _, value in each)))
    return meanings


def add_meanings(evidence: Sequence[Evidence], meanings: Sequence[Meaning], mark: str) -> list[Evidence]:
    """The evidence with what terms add in the added block: in the line of the term, if it has one.

    A term that no training text had gets a mark, even if it has known character n-grams.

    >>> film = Evidence("film", ((0, 4),), 1.0)
    >>> meanings = [Meaning("film", 0, ((0, 4),), 1, 0.5), Meaning("plot", 1, ((5, 9),), 1, -0.5)]
    >>> [(item.term, item.value) for item in add_meanings([film], meanings, "(from vectors)")]
    [('film', 1.5), ('plot (from vectors)', -0.5)]
    """
    lines, places = list(evidence), {item.term: place for place, item in enumerate(evidence)}
    for meaning in meanings:
        word = meaning.word
        own = lines[places[word]] if word in places else None
        others = () if own is None else own.parts or (own,)
        is_learned = any(part.term in (word, f"{WORD_PREFIX}{word}") for part in others)
        parts, spans = (*others, meaning.evidence), dict.fromkeys((*(() if own is None else own.spans), *meaning.spans))
        name = word if is_learned else f"{word} {mark}"
        line = Evidence(name, tuple(spans), add_up(part.value for part in parts), parts)
        if own is None:
            lines.append(line)
        else:
            lines[places[word]] = line
    return lines


class MeaningSums(NamedTuple):
    """Lines and their sums of scores, lines × sums × scores, and the sum of the sizes of all parts."""

    names: list[str]
    values: Floats
    size: Floats


def sum_meanings(scorer: Scorer, block: AddedBlock, documents: Any, weights: Floats, labels: Floats) -> MeaningSums:
    """For each term of a block Σ weight · (the score that it adds to the text): see `sum_term_scores`."""
    of_words, threads, begin = block.make_weights(scorer.labels), n_threads(scorer.threads), 0
    total, size = np.zeros((block.n_terms, weights.shape[1], labels.shape[1])), np.zeros((weights.shape[1], labels.shape[1]))
    for part in batches(scorer.join(documents), whole=True):
        ends, columns, counts = block.table.rows(part, threads).arrays()
        values = of_words.row_values(ends, columns.astype(np.int64), counts.astype(np.float64)) @ labels
        own = np.repeat(weights[begin : begin + len(part)], np.diff(ends), axis=0)
        np.add.at(total, columns, values[:, None, :] * own[:, :, None])
        size += np.abs(own).T @ np.abs(values)
        begin += len(part)
    used = np.flatnonzero(total.any(axis=(1, 2)))
    names = [f"{word} {block.mark}" for word in np.array(block.table.terms(), object)[used].tolist()]
    return MeaningSums(names, total[used], size)

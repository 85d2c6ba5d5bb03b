"""Each label as a language model of its terms: the perplexity of texts, and random texts."""

from typing import Any, get_args

import numpy as np

from tercet.arrays import Floats
from tercet.categorizer.scorer import Scorer
from tercet.counts.labels import find_labels
from tercet.counts.table import CountTable
from tercet.errors import InvalidLabel, InvalidOption, bad_option
from tercet.kernel import engine
from tercet.models.bayes_rule import Kind, no_evidence, sum_labels
from tercet.options import check_count, is_int


def measure_perplexity(scorer: Scorer, texts: Any, label: Any) -> Floats:
    """exp(-log P(text | label) / number of terms) of each text; nan for a text without known terms."""
    place = _find_label(scorer, label)
    kernel = scorer.weights.kernel
    assert isinstance(kernel, engine.Weights)
    values = [np.zeros(0)]
    for rows in scorer.read_rows(texts):
        scores = scorer.weights.score_rows(rows, 1)[:, place]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values.append(np.exp(-scores / kernel.n_counted(rows)))
    return np.concatenate(values)


def measure_log_evidence(scorer: Scorer, texts: Any) -> Floats:
    """log P(text) = log Σ P(label) P(text | label) of each text."""
    if scorer.weights.kind not in get_args(Kind) or scorer.weights.kind == "complement":
        raise no_evidence(scorer.weights.kind)
    return sum_labels(scorer.log_likelihood(texts), scorer.weights.prior)


def generate_text(scorer: Scorer, table: CountTable, label: Any, n_words: int | None, seed: int) -> str:
    """Words drawn at random from the label. If `n_words` is None, the length is that of a random document of the label."""
    place = _find_label(scorer, label)
    if not is_int(seed) or seed < 0:
        raise bad_option("seed", "an int >= 0", seed, "the same seed gives the same text.")
    rng = np.random.default_rng(seed)
    length = (
        _draw_length(table, int(scorer.weights.columns[place]), rng) if n_words is None else check_count("n_words", n_words)
    )
    order = scorer.table.order(of_length=True)
    order = order[scorer.weights.known(order)]
    if not len(order):
        raise InvalidLabel("there are no terms to draw from: no learned document has any.")
    # Search in cumulative sums: the same seed then gives the same words on every machine.
    shares = np.cumsum(np.exp(scorer.weights.term_values(order)[:, place]))
    if not shares[-1] > 0:
        raise InvalidLabel(f"the label {label!r} has no terms of its own, and smoothing=0 gives it no others.")
    drawn = order[np.searchsorted(shares, rng.random(length) * shares[-1], side="right").clip(max=len(order) - 1)]
    terms, analyzer = scorer.table.terms(), scorer.analyzer
    words = [terms[number] for number in drawn.tolist()]
    has_words = bool(analyzer.word_ngrams or analyzer.skip_grams)
    if has_words and analyzer.char_ngrams:
        words = [word.partition(":")[2] for word in words]
    return ("" if analyzer.char_ngrams and not has_words else " ").join(words)


def _draw_length(table: CountTable, place: int, rng: np.random.Generator) -> int:
    labels, lengths, documents = table.table.lengths()
    is_own = labels == place
    shares = np.cumsum(documents[is_own].astype(np.float64))
    return int(lengths[is_own][np.searchsorted(shares, rng.random() * shares[-1], side="right").clip(max=is_own.sum() - 1)])


def _find_label(scorer: Scorer, label: Any) -> int:
    if scorer.weights.kind not in ("multinomial", "binary"):
        raise InvalidOption(f"{scorer.weights.kind} is not a language model: use a NaiveBayes of kind multinomial or binary.")
    return int(find_labels([label], scorer.labels)[0])

"""Each label as a language model of its terms: the probabilities of a word, the perplexity of texts, and random texts."""

from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats
from tercet.categorizer.scorer import Scorer
from tercet.categorizer.word_lines import find_kinds
from tercet.counts.labels import find_labels
from tercet.counts.table import CountTable
from tercet.errors import InvalidLabel, InvalidOption, InvalidText, bad_option
from tercet.kernel import engine
from tercet.models.classifier import normalize_scores
from tercet.options import check_count, is_int


class WordProbabilities(NamedTuple):
    """Bayes' rule for a text of one word. `tercet.figures.word_bars(*probabilities)` draws it."""

    word: str  # as the model counts it
    labels: list[Any]
    prior: Floats  # P(label)
    likelihood: Floats  # P(word | label)
    posterior: Floats  # P(label | word) = P(label) P(word | label) / P(word)


def find_word_probabilities(scorer: Scorer, word: str) -> WordProbabilities:
    """Prior, likelihood and posterior of one word that the model knows."""
    _check_kind(scorer)
    name, number = _find_word(scorer, word)
    log_likelihood, log_prior = scorer.weights.term_values(np.array([number]))[0], scorer.weights.prior
    posterior = np.exp(normalize_scores((log_prior + log_likelihood)[None])[0])
    return WordProbabilities(name, scorer.labels.tolist(), np.exp(log_prior), np.exp(log_likelihood), posterior)


def _find_word(scorer: Scorer, word: str) -> tuple[str, int]:
    """The one term that the word is, and its number. Character n-grams beside words do not count."""
    kinds, terms = find_kinds(scorer.analyzer), scorer.analyzer.terms(word)
    found = list(zip(terms, scorer.find(word).tolist(), strict=True))
    if kinds.has_words:
        found = [(term, number) for term, number in found if not kinds.is_characters(term)]
    if len(found) != 1:
        raise InvalidText(f"{word!r} is {len(found)} terms for this model: the probabilities are those of one word. Give one.")
    ((term, number),) = found
    if not scorer.weights.known(np.array([number]))[0]:
        raise InvalidText(f"the model does not know the word {word!r}: no label has a probability for it. Give another.")
    return kinds.name_term(term), number


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
    _check_kind(scorer)
    return int(find_labels([label], scorer.labels)[0])


def _check_kind(scorer: Scorer) -> None:
    if scorer.weights.kind not in ("multinomial", "binary"):
        raise InvalidOption(f"{scorer.weights.kind} is not a language model: use a NaiveBayes of kind multinomial or binary.")

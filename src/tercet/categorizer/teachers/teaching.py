"""A model that learns the combined labels of teachers, and its estimate on gold documents that it has not seen."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tercet.arrays import Integers
from tercet.categorizer.categorizer import Categorizer, open_unlabelled
from tercet.categorizer.files.record import METRICS
from tercet.categorizer.fitting import FitResult, fit
from tercet.categorizer.held_out.held_out import HeldDocuments, describe_selection
from tercet.categorizer.suggestion.suggest import digest_text, read_pool
from tercet.categorizer.teachers.combination import MIN_GOLD, TeachersReport, judge_teachers
from tercet.categorizer.teachers.text_votes import combine_texts, soften
from tercet.categorizer.teachers.votes import NamePlace, TaughtRows, name_document, read_votes
from tercet.counts.labels import find_labels
from tercet.data.document_batches import list_texts, open_batches
from tercet.data.documents import Documents
from tercet.data.label_rules import LabelRules
from tercet.errors import InvalidOption
from tercet.options import n_threads
from tercet.text.analyzer import Analyzer

if TYPE_CHECKING:
    from tercet.report.report import Report

N_FOLDS = 5  # over the gold documents
FEW_GOLD = (
    "Nothing has been checked: the labels come from teachers, and nobody knows how many are right. `tercet check` asks you "
    f"about 100 texts, and says how many answers are right; or give gold labels of {MIN_GOLD} random texts or more."
)


class Taught(NamedTuple):
    """A model that has learned combined labels, and what is known of it and of its teachers."""

    result: FitResult
    estimate: "Report | None"  # None if there are too few gold documents
    teachers: TeachersReport
    n_documents: int  # documents with a label that were learned


def teach(
    documents: Documents,
    teachers: Any,
    categorizer: Categorizer,
    unlabelled: Any = None,
    *,
    rules: LabelRules | None = None,
    name_place: NamePlace = name_document,
) -> Taught:
    """Combine what teachers say, train a model with the options of the categorizer on it, and judge it on the gold documents.

    The categorizer itself is not changed. `rules` and `name_place` are those of a reader of files: see `read_votes`.
    """
    options, threads = categorizer.check_options(), n_threads(categorizer.threads)
    if documents.weights is not None:
        raise InvalidOption("teachers= finds the weight of each document from what its teachers say: leave other weights out.")
    texts = list_texts(documents.texts)
    documents = Documents(texts, documents.labels, columns=documents.columns, text_columns=documents.text_columns)
    analyzer = Analyzer() if options.analyzer is None else options.analyzer
    rows = read_votes(documents, teachers, analyzer, rules=rules, name_place=name_place)
    pool = None if unlabelled is None else read_pool(unlabelled)
    combined = combine_texts(documents, rows)
    result = fit(options, open_batches(soften(documents, rows, combined)), keep=True, unlabelled=open_unlabelled(pool))
    report = judge_teachers(rows, combined, texts, threads=threads)
    estimate = estimate_on_gold(documents, rows, categorizer, pool)
    signed = None if estimate is None else replace(estimate, **describe(result, rows))
    return Taught(result, signed, report, int(rows.is_labelled.sum()))


def describe(result: FitResult, rows: TaughtRows) -> dict[str, Any]:
    """How the estimate was made, for its signature."""
    held = HeldDocuments.of(result.fitted.settings, result.fitted.state, result.data)
    selection = "anew" if held.settings.selects else ""
    recipe = held.describe(result.fitted.state.trained) | {"teachers": str(len(rows.teachers)), "folds": f"{N_FOLDS}+of=gold"}
    return {"recipe": recipe, "selection": selection, "note": describe_selection(selection)}


def estimate_on_gold(
    documents: Documents, rows: TaughtRows, categorizer: Categorizer, pool: Documents | None
) -> "Report | None":
    """How good the model is on gold documents that had no say: neither in combining the labels, nor in training.

    None if fewer than 20 can be judged.
    """
    from tercet.report.report import evaluate_codes  # on first use: import tercet stays quick

    if rows.is_gold.sum() < MIN_GOLD:
        return None
    predicted = predict_gold(documents, rows, categorizer, pool)
    judged = np.flatnonzero(predicted >= 0)
    if len(judged) < MIN_GOLD:
        return None
    used, codes = np.unique(np.concatenate([rows.gold[judged], predicted[judged]]), return_inverse=True)
    return evaluate_codes(rows.labels[used], codes[: len(judged)], codes[len(judged) :], list(METRICS))


def predict_gold(documents: Documents, rows: TaughtRows, categorizer: Categorizer, pool: Documents | None) -> Integers:
    """The predicted label of each gold document, by a model of the other folds; -1 for other documents.

    A fold leaves out its gold documents and all copies of their texts. If nothing is left to learn, it predicts nothing.
    """
    folds, predicted = deal_folds(documents.texts, rows.gold), np.full(len(rows.gold), -1)
    for fold in np.unique(folds[rows.is_gold]).tolist():
        held, rest = np.flatnonzero((folds == fold) & rows.is_gold), np.flatnonzero(folds != fold)
        others = rows.pick(rest)
        if not others.is_labelled.any():
            continue
        known = documents.pick(rest.tolist())
        learned = soften(known, others, combine_texts(known, others))
        model = Categorizer(**categorizer.get_params(deep=False))
        model.fit(learned, unlabelled=leave_out_texts(pool, {documents.texts[row] for row in held.tolist()}))
        predicted[held] = find_labels(model.predict(documents.pick(held.tolist())), rows.labels)
    return predicted


def deal_folds(texts: Sequence[str], gold: Integers) -> Integers:
    """The fold of each row; -1 if no row with the same text has a gold label. Each fold has about the same share of each label.

    The text decides, so neither copies of a text nor the order of the rows matter.

    >>> deal_folds(["a", "b", "a", "c"], np.array([0, 0, -1, -1])).tolist()
    [0, 1, 0, -1]
    """
    labels: dict[str, int] = {}
    for row in np.flatnonzero(gold >= 0).tolist():
        labels[texts[row]] = min(int(gold[row]), labels.get(texts[row], len(gold)))
    order = sorted(labels, key=lambda text: (labels[text], digest_text(text)))
    folds = {text: place % N_FOLDS for place, text in enumerate(order)}
    return np.array([folds.get(text, -1) for text in texts], np.int64)


def leave_out_texts(pool: Documents | None, texts: Collection[str]) -> Documents | None:
    """The unlabelled documents with other texts than these; None if there are none."""
    kept = [] if pool is None else [place for place, text in enumerate(pool.texts) if text not in texts]
    return None if pool is None or not kept else pool.pick(kept)

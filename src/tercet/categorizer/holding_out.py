"""Leave-one-out and cross-validation by subtraction: the counts of what is held out are taken away, and put back."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.copies import Copies
from tercet.categorizer.held_documents import HeldDocuments, Scored
from tercet.categorizer.held_out import HeldOut
from tercet.evaluation.splits import assign_folds
from tercet.models.likelihood import warn_of_lost
from tercet.models.smoothing import Smoothing
from tercet.options import check_choice

MARGIN_FOLDS = 5  # where a model has to be trained for each


def score_one_by_one(
    held: HeldDocuments, copies: str, smoothing: Smoothing, documents: Integers | None = None
) -> Iterator[Scored]:
    """What the table without each document (or each of these) says of it; with copies="all", without all of the same text."""
    check_choice("copies", copies, ("own", "all"))
    those = Copies.of(held.training.texts) if copies == "all" else Copies.none()
    numeric = None if held.moments is None else _score_numbers(held, those)
    for places, joint, n_lost in held.leave_out(those, smoothing, documents):
        yield Scored(places, joint if numeric is None else joint + numeric[places], n_lost)


def _score_numbers(held: HeldDocuments, copies: Copies) -> Floats:
    scores = np.empty((len(held.codes), len(held.table.labels)))
    alone = np.setdiff1d(np.arange(len(scores)), copies.members)
    for group in [*alone[:, None], *copies.split()]:
        scores[group] = held.numeric_without(group)
    return scores


def score_by_folds(held: HeldDocuments, folds: int, seed: int, copies: str, smoothing: Smoothing | None) -> Iterator[Scored]:
    """What the table without each fold says of its documents."""
    fold_of = deal_documents(held, folds, seed, copies)
    for fold in np.flatnonzero(np.bincount(fold_of)).tolist():
        (documents,) = np.nonzero(fold_of == fold)
        numeric = held.numeric_without(documents)
        for places, joint, n_lost in held.leave_out_together(documents, smoothing):
            own = numeric if isinstance(numeric, float) else numeric[np.searchsorted(documents, places)]
            yield Scored(places, joint + own, n_lost)


def deal_documents(held: HeldDocuments, folds: int, seed: int, copies: str) -> Integers:
    """The fold of each document; with copies="all", all documents of a text are in the fold of the first."""
    check_choice("copies", copies, ("own", "all"))
    fold_of = assign_folds(held.training.codes, folds, seed)
    groups = Copies.of(held.training.texts).split() if copies == "all" else []
    for group in groups:
        fold_of[group] = fold_of[group[0]]
    return fold_of


def count_folds(held: HeldDocuments) -> int:
    """In how many folds margins are held out: five, or one for each of fewer documents."""
    return max(2, min(MARGIN_FOLDS, len(held.codes)))


def leave_one_out(held: HeldDocuments, copies: str, smoothing: Smoothing) -> HeldOut:
    """All that `score_one_by_one` says."""
    recipe = held.describe(smoothing) | {"left_out": f"one+copies={copies}"}
    told = held.tell(gather_scores(held, score_one_by_one(held, copies, smoothing)))
    return replace(told, selection="fixed" if held.model.selects else "", recipe=recipe)


def cross_validate(held: HeldDocuments, folds: int, seed: int, copies: str, smoothing: Smoothing | None) -> HeldOut:
    """All that `score_by_folds` says."""
    recipe = held.describe(smoothing) | {"folds": describe_folds(folds, seed, copies)}
    told = held.tell(gather_scores(held, score_by_folds(held, folds, seed, copies, smoothing)))
    return replace(told, selection="anew" if held.model.selects else "", recipe=recipe)


def describe_folds(folds: int, seed: int, copies: str) -> str:
    """
    >>> describe_folds(10, 0, "own"), describe_folds(5, 1, "all")
    ('10+seed=0', '5+seed=1+copies=all')
    """
    return f"{folds}+seed={seed}" + ("+copies=all" if copies == "all" else "")


def gather_scores(held: HeldDocuments, parts: Iterator[Scored]) -> Floats:
    """Of all documents, documents × labels."""
    scores, n_lost = np.empty((len(held.codes), len(held.table.labels))), 0
    for part in parts:
        scores[part.places] = part.log_joint
        n_lost += part.n_lost
    warn_of_lost(n_lost, len(scores))
    return scores

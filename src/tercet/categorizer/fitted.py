"""`Fitted`: what a categorizer has learned, which is exactly what a model file holds; and the functions that change it.

`learn`, `forget` and `relabel` change the counts of `state` in place, because a copy of the table would take longer than the
change. The value that they are given is used up, and the value that they return takes its place. `merge`, `prune` and
`restrict` give new values.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Integers
from tercet.categorizer.scorer import Scorer
from tercet.categorizer.settings import Settings
from tercet.categorizer.state import DocumentsDigest, State
from tercet.counts.fingerprints import digest_prints
from tercet.counts.labels import Labels, index_labels, make_labels, merge_labels, pick_labels, write_labels
from tercet.errors import InvalidOption, NeverLearned
from tercet.models.smoothing import Smoothing
from tercet.text.analyzer import Analyzer

if TYPE_CHECKING:
    from tercet.categorizer.files.hand_check import HandCheck
    from tercet.categorizer.files.record import TrainingRecord
    from tercet.categorizer.model.added_block import AddedBlock
    from tercet.categorizer.model.calibrator import Calibrator


@dataclass(frozen=True, eq=False)
class Fitted:
    """The checked options, the counts and what was trained on them, the calibration, the record of the training, and the last
    check by hand."""

    settings: Settings
    state: State
    calibrate: str | None = None  # the method that the next training calibrates with
    calibrator: "Calibrator | None" = None
    fitted_on: DocumentsDigest | None = None  # the documents that margins, smoothing or calibration were fitted to, if any was
    record: "TrainingRecord | None" = None  # of `tercet.train`
    only: Labels | None = None  # the labels that it is restricted to
    hand_check: "HandCheck | None" = None  # what a person has found out about it, or about the model that it was

    @property
    def analyzer(self) -> Analyzer:
        return self.state.table.analyzer

    @property
    def recipe(self) -> Analyzer:
        """The analyzer without the part that training again may choose otherwise."""
        if not (self.settings.is_auto or self.settings.has_blocks):
            return self.analyzer
        from tercet.categorizer.auto import leave_out_chosen  # on first use: only a stack needs it

        return leave_out_chosen(self.analyzer)

    @property
    def label_indices(self) -> Integers:
        """The indices, in the table, of the labels to decide between."""
        known = self.state.table.labels
        return np.arange(len(known)) if self.only is None else np.flatnonzero(index_labels(known, self.only) >= 0)

    @property
    def labels(self) -> Labels:
        """The labels to decide between, sorted. A margin model has only the labels that it was trained on."""
        known = self.state.table.labels
        labels: Labels = known if self.only is None else known[self.label_indices]
        trained = None if self.state.trained is None else self.state.trained.labels
        return labels if trained is None else labels[index_labels(labels, trained) >= 0]

    @property
    def keeps_documents(self) -> bool:
        return self.state.documents is not None

    @property
    def fitted_parts(self) -> tuple[str, ...]:
        """The parts that were fitted to documents, and do not follow from the counts."""
        trained = None if self.state.trained is None else self.state.trained.fitted
        return tuple(filter(None, (trained, None if self.calibrator is None else "calibration")))

    @property
    def out_of_date(self) -> tuple[str, ...]:
        """The parts that were fitted to other documents than it has now."""
        return () if self.fitted_on is None or self.fitted_on.is_of(self.state) else self.fitted_parts

    @property
    def is_current(self) -> bool | None:
        """Whether it has exactly the documents of its record; None if it has no record."""
        return None if self.record is None else self.record.digest.is_of(self.state)

    @property
    def digest(self) -> str:
        """32 hexadecimal digits for what its answers follow from: documents, options, and what was fitted to which of them."""
        state, calibrator = self.state, self.calibrator
        parts = {
            "documents": DocumentsDigest.of(state),
            "unlabelled": None if state.unlabelled is None else digest_prints(state.unlabelled.prints),
            "settings": self.settings.to_dict(),
            "fitted_on": self.fitted_on,
            "calibrator": None if calibrator is None else calibrator.to_dict(),
            "only": None if self.only is None else write_labels(self.only),
        }
        return blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()

    @property
    def is_check_current(self) -> bool | None:
        """Whether it is the model that was checked by hand; None if none was."""
        check = self.hand_check
        return None if check is None else bool(check.model) and check.model == self.digest

    def carry_check(self, before: "Fitted") -> "Fitted":
        """The same with the check of another model that gives the same answers."""
        if before.hand_check is None:
            return self
        return replace(self, hand_check=before.hand_check.belong_to(self.digest if before.is_check_current else ""))

    @property
    def needs_training(self) -> bool:
        """Whether a change trains everything again. It need not if everything follows from the counts."""
        chooses = self.settings.is_auto or self.settings.model.needs_rows
        has_fitted = chooses or self.calibrate is not None or self.calibrator is not None or self.record is not None
        return self.keeps_documents and has_fitted

    @property
    def added(self) -> "AddedBlock | None":
        """The block with a vocabulary of its own."""
        return None if self.state.trained is None else self.state.trained.added

    @property
    def known_smoothing(self) -> Smoothing | str | None:
        assert self.state.trained is not None
        return self.settings.model.known_smoothing(self.state.trained)

    def mark(self) -> "Fitted":
        """The same, with the digest of its documents if something was fitted to them just now."""
        return replace(self, fitted_on=DocumentsDigest.of(self.state) if self.fitted_parts else None)

    def make_scorer(self, threads: int | None) -> Scorer:
        """The weights of all terms, the prior and the calibration, as predictions use them."""
        labels = self.labels
        if not len(labels):
            raise NeverLearned(
                "everything that was learned is forgotten, so there is no label to predict: learn something first."
            )
        scorer = replace(Scorer.derive(self.settings, self.state, labels, threads), out_of_date=self.out_of_date)
        return scorer if self.calibrator is None else self.calibrator.join(scorer)

    def make_count_scorer(self, threads: int | None) -> Scorer:
        """The scorer of a naive Bayes on the counts, which a stack has beside its margins."""
        from tercet.categorizer.model.bayes_model import ChosenSmoothing

        state = replace(self.state, trained=ChosenSmoothing())
        return Scorer.derive(self.settings.for_counts(), state, self.labels, threads)

    def check_whole(self, what: str) -> None:
        """Raises InvalidOption if counts that this change needs were pruned."""
        if self.settings.pruned:
            raise InvalidOption(
                f"a pruned model can't {what}: it has counts of the selected terms only, so the result would not be exact. "
                "Use the model from before it was pruned, or train a new one on all documents."
            )

    def check_same(self, state: State) -> None:
        """Raises NeverLearned unless this state is that of the learned documents."""
        if not self.state.is_same(state):
            raise NeverLearned(
                f"these are not exactly the documents that were learned{self.state.compare_documents(state)}: a result "
                "from other documents would not be true of this model. Pass all learned documents and no others. Nothing "
                "is changed."
            )


def learn(fitted: Fitted, more: State) -> Fitted:
    """What it is after learning these counted documents."""
    check_new_labels(fitted, more)
    state = fitted.state
    state += more
    return fitted


def check_new_labels(fitted: Fitted, more: State) -> None:
    """Raise an error if it can't have the labels of these counted documents, too."""
    fitted.settings.model.check_labels(merge_labels(fitted.state.table.labels, more.table.labels))


@dataclass(frozen=True)
class ChangedSums:
    """What a change would leave: the labels, and the sums of all occurrences and of all documents, in units."""

    labels: Labels
    units: tuple[int, int]


def rehearse_change(fitted: Fitted, more: State | None, gone: State | None) -> ChangedSums:
    """What it would have after learning and then forgetting counted documents. It changes nothing.

    It raises what `learn` would raise. The documents in `gone` must have been learned.
    """
    if more is not None:
        check_new_labels(fitted, more)
        fitted.state.check_sum(more)
    counts: Counter[Any] = Counter()
    occurrences = documents = 0
    for state, sign in ((fitted.state, 1), (more, 1), (gone, -1)):
        if state is not None:
            units = state.table.counts.n_documents().tolist()
            counts.update({label: sign * n for label, n in zip(state.table.labels.tolist(), units, strict=True)})
            occurrences += sign * state.table.sum_occurrences()
            documents += sign * sum(units)
    return ChangedSums(make_labels(sorted(label for label, n in counts.items() if n > 0)), (occurrences, documents))


def forget(fitted: Fitted, gone: State) -> Fitted:
    """What it is after forgetting these counted documents. Raises NeverLearned, and changes nothing, if one was not learned."""
    state = fitted.state
    state -= gone
    return fitted


def relabel(fitted: Fitted, before: State, after: State) -> Fitted:
    """What it is after the documents counted in `before` got the labels that they have in `after`."""
    with explain_never_learned():
        fitted.state.exchange(before, after, fitted.settings.model.check_labels)
    return fitted


@contextmanager
def explain_never_learned() -> Iterator[None]:
    """Say in an error about a document to relabel that its label or weight may be wrong."""
    try:
        yield
    except NeverLearned as error:
        reason = "was never learned with this label and weight (a shortened text does not count): nothing is changed."
        raise error if error.position is None else NeverLearned.at(error.position, reason) from None


def count_alike(one: Fitted, other: Fitted) -> bool:
    """Whether both have the same recipe and like settings, so that their counts can be added."""
    keeps_both = one.keeps_documents and other.keeps_documents
    ours, theirs = (each.recipe if keeps_both else each.analyzer for each in (one, other))
    return one.settings.is_like(other.settings) and ours == theirs


def merge(one: Fitted, other: Fitted) -> Fitted:
    """What both have learned. Parts that were fitted may be out of date, or dropped if they differ."""
    from tercet.categorizer.files.record import merge_records
    from tercet.categorizer.model.calibrator import merge_calibrators

    keeps_both = one.keeps_documents and other.keeps_documents
    same_documents = one.fitted_on if one.fitted_on == other.fitted_on else DocumentsDigest()
    total = replace(
        one,
        state=_add_states(one, other, keeps_both),
        calibrate=one.calibrate if one.calibrate == other.calibrate else None,
        calibrator=one.calibrator if keeps_both else merge_calibrators(one.calibrator, other.calibrator),
        record=merge_records(one.record, other.record),
        only=None if one.only is None or other.only is None else merge_labels(one.only, other.only),
        hand_check=None,
    )
    return replace(total, fitted_on=same_documents if total.fitted_parts else None)


def _add_states(one: Fitted, other: Fitted, keeps_both: bool) -> State:
    total = one.state.copy()
    assert total.trained is not None
    assert other.state.trained is not None
    if not keeps_both:
        total.trained.check_equal(other.state.trained)
    if one.analyzer == other.analyzer:
        total += other.state
    else:  # the recipe will be chosen for all documents, which are counted again
        assert total.documents is not None
        assert other.state.documents is not None
        total.documents += other.state.documents
        total.add_unlabelled(other.state)
    return total


def prune(fitted: Fitted) -> Fitted:
    """The same with only the terms that `min_documents`, `select` and `max_terms` keep."""
    if not fitted.settings.drops:
        raise InvalidOption(
            "there is nothing to prune: this model keeps every term. Fit it with min_documents=2, max_terms or select."
        )
    if "margins" in fitted.out_of_date:
        raise InvalidOption(
            "documents were learned or forgotten since the margins were trained, and a pruned categorizer can't train "
            "them again: call refit(texts, labels) with all learned documents before prune()."
        )
    whole, settings = fitted.state, fitted.settings
    if settings.pruned:
        return replace(fitted, state=whole.copy())
    state = whole.prune(settings.keep_terms(whole.table, whole.domains))
    pruned = replace(
        fitted,
        settings=replace(settings, pruned=True),
        state=state,
        record=None if fitted.record is None else fitted.record.prune(whole, state),
        fitted_on=None if fitted.fitted_on is None else fitted.fitted_on.prune(whole, state),
    )
    return pruned.carry_check(fitted)


def restrict(fitted: Fitted, labels: Any) -> Fitted:
    """The same, which decides only between these labels."""
    only = pick_labels(labels, fitted.labels)
    return replace(fitted, state=fitted.state.copy(), only=only)

"""tercet learn"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command
from tercet.cli.ledger_writer import subject_option
from tercet.cli.model_change import (
    change_arguments,
    change_model,
    change_options,
    describe_new_labels,
    later_option,
    new_labels_option,
    unlabelled_option,
)
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.data.documents import Documents


@define_command(
    "learn",
    "tercet learn reviews.tercet new.csv",
    "tercet learn reviews.tercet new.csv --once -o grown.tercet",
)
@change_arguments
@click.option(
    "--once",
    is_flag=True,
    help="Skip documents that the model learned before this command, with the same label and weight.",
)
@subject_option
@unlabelled_option
@new_labels_option
@later_option
@change_options
def command(
    model: str,
    data: tuple[str, ...],
    once: bool,
    unlabelled: bool,
    new_labels: bool,
    later: bool,
    **options: Any,
) -> None:
    """Add more documents to a model.

    DATA holds labelled documents, which may have new words and new labels. The result is the model that you would get by
    training on all documents at once. New labels are listed, and so is the number of documents that were learned before.

    A model that keeps its documents (all but naive Bayes, unless --no-documents was given) is trained again on all of them.
    Without its documents, the counts change at once, but margins, a chosen smoothing and the calibration stay, with a warning,
    until `tercet refit` works them out anew.

    Rows without a text or a label are left out, as in `train`. The file is replaced only when everything has succeeded.
    Commands that change the same file wait for each other.
    """
    if unlabelled:
        learn_unlabelled(model, data, once or later or new_labels, options)
        return
    with change_model("learning", model, data, **options) as change:
        change.check_later(later)
        known = change.list_labels()
        lesson = Lesson(change.model, once=once)
        batches = lesson.follow(change.batches)
        first = next(batches, None)
        if first is not None:
            change.learn(chain([first], batches), later)
        change.notes += describe_new_labels(change.stream.name, lesson.counts, known, allowed=new_labels)
        change.notes += lesson.describe()
        change.done = f"{pluralize(lesson.counts.total(), 'document')} learned"


def learn_unlabelled(model: str, data: tuple[str, ...], has_others: bool, options: dict[str, Any]) -> None:
    """Learn from texts without labels."""
    if has_others:
        raise click.UsageError(
            "--once, --later and --new-labels are for documents with labels: leave them out, or --unlabelled."
        )
    with change_model("learning", model, data, labelled=False, **options) as change:
        before = change.model.n_unlabelled_
        change.learn_unlabelled()
        n_known = len(change.places) - (change.model.n_unlabelled_ - before)
        change.notes += [f"known before, or several times in the data: {n_known} of them"] if n_known else []
        change.done = f"{pluralize(len(change.places), 'text')} without labels learned"


class Lesson:
    """Documents on their way into a model. Counts their labels and those learned before, which it may skip."""

    def __init__(self, model: Any, *, once: bool) -> None:
        if once and not model.remembers_:
            raise click.ClickException(
                "the model has no fingerprints, so it can't tell which documents it has learned before: leave --once out, or "
                "train it again without --no-fingerprints."
            )
        self._model, self._once = model, once
        self.counts, self.n_before = Counter[str](), 0

    def follow(self, batches: "Iterable[Documents]") -> "Iterator[Documents]":
        """The documents to learn, in batches that are not empty."""
        for batch in batches:
            kept = self._choose(batch)
            self.counts.update(kept.labels)
            if kept.texts:
                yield kept

    def _choose(self, batch: "Documents") -> "Documents":
        if not self._model.remembers_:
            return batch
        is_learned = self._model.find_learned(batch).tolist()
        self.n_before += sum(is_learned)
        return batch.pick([i for i, known in enumerate(is_learned) if not known]) if self._once else batch

    def describe(self) -> list[str]:
        """How many documents were learned before, in a line; none if there are no such documents."""
        n = self.counts.total() + (self.n_before if self._once else 0)
        before, what = ("learned before, and skipped", "") if self._once else ("learned before", ", and --once would skip them")
        return [f"{before}: {self.n_before} of {pluralize(n, 'document')}{what}"] if self.n_before else []

"""`probe_terms`: swap listed terms in texts, such as he and she, and see how the decisions of a model change."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.auditing.answers import Answers, find_compared
from tercet.auditing.columns import read_whole
from tercet.auditing.term_swaps import FoundTerm, TermSwaps
from tercet.cached import cached_property
from tercet.data.document_batches import Places, list_texts, open_batches
from tercet.data.documents import Documents, name_file
from tercet.errors import InvalidOption
from tercet.evaluation.intervals import wilson
from tercet.evaluation.mean_differences import MeanDifference, correct_differences, estimate_means, plan_tests
from tercet.evaluation.resampling import Resampling
from tercet.report.diagnosis import Place
from tercet.report.pair_audit import ALL_OTHERS, MEASURES
from tercet.report.probe import SwapDifference, SwappedText, TermChange, TermProbe

MOST_NAMED = 5  # sets of terms in an error
MOST_TEXTS = 100  # texts with the largest change that are kept
RESAMPLES_OF_A_TERM = 1_000  # more would take long if there are many terms


def probe_terms(
    categorizer: Any, documents: Any, swaps: Any, *, positive: Any = None, confidence: float = 0.95, seed: int = 0
) -> TermProbe:
    """How decisions change if listed terms of the texts are replaced: see `TermProbe`.

    `swaps` are sets of terms that replace each other, such as `[("he", "she"), ("him", "her")]`. The place of a term in its set
    stands for a group. Each text that has a listed term gets one version for each group: in version j every listed term is
    the j-th of its set. Words are found in any case, and keep their case. Labels of the documents are not needed.

    `positive` is the label whose probability is compared. By default it is the last of two labels; of more labels, every label
    is compared.

    >>> from tercet import Categorizer
    >>> model = Categorizer("words").fit(["she is kind", "he is rude", "kind", "rude"], ["good", "bad", "good", "bad"])
    >>> found = probe_terms(model, ["He came", "Is he kind?", "They left"], [("he", "she")])
    >>> found.n_texts, found.n_flips, [text.after for text in found.texts]
    (2, 1, ['She came', 'Is she kind?'])
    """
    checked, compared = TermSwaps.read(swaps), find_compared(categorizer.classes_, positive)
    n_tests = len(MEASURES) * len(checked.list_compared()) * len(compared)
    plan = plan_tests(n_tests, confidence, seed)
    return _Probe(checked, _Versions.read(categorizer, documents, checked), compared, plan).report()


@dataclass(frozen=True, eq=False)
class _Versions:
    """The texts that have a listed term, with the answers of the model: version 0 is the original, then one for each group."""

    places: Places
    positions: list[int]  # of the documents that have a listed term
    found: list[list[FoundTerm]]
    texts: list[list[str]]  # version × document
    answers: list[Answers]  # of each version
    labels: list[Any]

    @classmethod
    def read(cls, categorizer: Any, documents: Any, swaps: TermSwaps) -> "_Versions":
        places, scorer = Places(), categorizer._scorer()
        batches = (replace(batch, texts=list_texts(batch.texts)) for batch in open_batches(documents))
        whole = _keep_columns(read_whole(places.follow(batches)), categorizer.columns_)
        found = {position: own for position, text in enumerate(whole.texts) if (own := swaps.find(text))}
        if not found:
            listed = ", ".join("/".join(terms) for terms in swaps.sets[:MOST_NAMED])
            raise InvalidOption(f"none of the {len(places)} texts has a listed term ({listed}): there is nothing to swap.")
        chosen, terms = whole.pick(list(found)), list(found.values())
        versions = (map(swaps.write, chosen.texts, terms, repeat(group)) for group in range(swaps.n_groups))
        texts = [chosen.texts, *map(list, versions)]
        answers = [Answers.of(scorer, replace(chosen, texts=own)) for own in texts]
        return cls(places, list(found), terms, texts, answers, scorer.labels.tolist())

    def place(self, number: int) -> Place:
        position = self.positions[number]
        return Place("data", position, name_file(self.places.find(position)), self.places.find_row(position))


def _keep_columns(documents: Documents, names: Sequence[str]) -> Documents:
    """The documents with these columns only, those that the model needs, and without labels and weights."""
    columns = {name: documents.columns[name] for name in names if name in documents.columns}
    return replace(documents, labels=None, weights=None, columns=columns)


@dataclass(frozen=True, eq=False)
class _Probe:
    """The numbers of a probe. `compared` are the places of the labels whose probabilities are compared."""

    swaps: TermSwaps
    versions: _Versions
    compared: list[int]
    plan: Resampling

    @cached_property
    def probabilities(self) -> Floats:
        """Version × document × label."""
        return np.stack([answers.proba for answers in self.versions.answers])

    @cached_property
    def log_odds(self) -> Floats:
        """Version × document × label."""
        places = range(len(self.versions.labels))
        return np.stack([answers.find_log_odds(places) for answers in self.versions.answers])

    @cached_property
    def distinct(self) -> list[int]:
        """One of the texts that have equal versions, such as "He left" and "She left": together they are one unit."""
        first: dict[tuple[str, bytes, bytes], int] = {}
        for number, text in enumerate(self.versions.texts[1]):
            answers = self.probabilities[1:, number].tobytes(), self.log_odds[1:, number].tobytes()
            first.setdefault((text, *answers), number)
        return list(first.values())

    @cached_property
    def predicted(self) -> Integers:
        """Version × document: the place of the label."""
        return np.stack([answers.decisions for answers in self.versions.answers])

    @cached_property
    def is_flipped(self) -> Flags:
        """Group × document: whether the version of this group gets another label than the original."""
        flipped: Flags = self.predicted[1:] != self.predicted[0]
        return flipped

    def report(self) -> TermProbe:
        n_texts, n_flips = len(self.versions.found), int(self.is_flipped.any(axis=0).sum())
        used = {self.swaps.sets[each.row][each.group] for own in self.versions.found for each in own}
        return TermProbe(
            groups=self.swaps.names,
            n_documents=len(self.versions.places),
            n_texts=n_texts,
            n_flips=n_flips,
            flips=wilson(n_flips, n_texts, self.plan.confidence),
            differences=tuple(self._compare_groups()),
            terms=tuple(self._compare_terms()),
            texts=tuple(self._list_texts()),
            plan=self.plan,
            unused=tuple(term for term in self.swaps.list_terms() if term not in used),
            ambiguous=tuple(self.swaps.list_ambiguous()),
            n_ruled=sum(answers.n_ruled for answers in self.versions.answers),
        )

    # Groups: each version is compared with the versions of the other groups

    def _compare_groups(self) -> Iterator[SwapDifference]:
        chosen = [(group, label) for group in self.swaps.list_compared() for label in self.compared]
        probability, log_odds = self._estimate(
            lambda numbers: np.column_stack([self._subtract_others(numbers, *pair) for pair in chosen]), self.plan
        )
        found = correct_differences([*probability, *log_odds], 1 - self.plan.confidence)
        for k, (group, label) in enumerate(chosen):
            yield SwapDifference(
                group=self.swaps.names[group],
                against=self.swaps.names[0] if self.swaps.n_groups == 2 else ALL_OTHERS,
                label=self.versions.labels[label],
                n_texts=len(self.distinct),
                probability=found[k],
                log_odds=found[k + len(chosen)],
            )

    def _subtract_others(self, numbers: Floats, group: int, label: int) -> Floats:
        """For each distinct text: the version of this group minus the mean of the other groups."""
        numbers = numbers[:, self.distinct]
        others = [place + 1 for place in range(self.swaps.n_groups) if place != group]
        # Subtract before the mean: equal numbers then give exactly 0.
        return np.asarray((numbers[group + 1, :, label] - numbers[others, :, label]).mean(axis=0))

    def _estimate(self, subtract: Callable[[Floats], Floats], plan: Resampling) -> tuple[list[MeanDifference], ...]:
        """The means of differences in probability, and in log-odds. `subtract` gives differences, texts × columns."""
        differences = [subtract(numbers) for numbers in (self.probabilities, self.log_odds)]
        found = estimate_means(np.hstack(differences), plan, "text")
        n = differences[0].shape[1]
        return [each.cut((-1.0, 1.0)) for each in found[:n]], found[n:]

    # Terms: the original is compared with the version of another group

    def _compare_terms(self) -> Iterator[TermChange]:
        """The changes of the texts that have a term, for each term of another group that replaces it."""
        texts: dict[tuple[int, int], list[int]] = {}
        for number, own in enumerate(self.versions.found):
            for row, group in dict.fromkeys((row, group) for _, _, row, group in own):
                texts.setdefault((row, group), []).append(number)
        for (row, group), numbers in sorted(texts.items()):
            for other in (place for place in range(self.swaps.n_groups) if place != group):
                yield from self._estimate_term(row, group, other, numbers)

    def _estimate_term(self, row: int, group: int, other: int, texts: Sequence[int]) -> Iterator[TermChange]:
        n_flips = int(self.is_flipped[other, texts].sum())
        probability, log_odds = self._estimate(
            lambda numbers: (numbers[other + 1] - numbers[0])[np.ix_(texts, self.compared)],
            replace(self.plan, resamples=RESAMPLES_OF_A_TERM),
        )
        for label, own, odds in zip(self.compared, probability, log_odds, strict=True):
            yield TermChange(
                term=self.swaps.sets[row][group],
                replaced_by=self.swaps.sets[row][other],
                label=self.versions.labels[label],
                n_texts=len(texts),
                n_flips=n_flips,
                flips=wilson(n_flips, len(texts), self.plan.confidence),
                probability=own.estimate,
                log_odds=odds.estimate,
            )

    # Texts: those that change most

    def _list_texts(self) -> Iterator[SwappedText]:
        """One version of each text: that with the largest change. The texts that get another label come first."""
        changes = np.abs(self.probabilities[1:] - self.probabilities[0])[:, :, self.compared]
        largest = changes.max(axis=2) + self.is_flipped  # a flip counts more than any change of a probability
        groups = largest.argmax(axis=0)
        sizes = largest.max(axis=0)
        for number in np.argsort(-sizes, kind="stable")[:MOST_TEXTS].tolist():
            if sizes[number] > 0:
                yield self._describe_text(number, int(groups[number]), int(changes[groups[number], number].argmax()))

    def _describe_text(self, number: int, group: int, which: int) -> SwappedText:
        versions, label = self.versions, self.compared[which]
        before, after = (float(self.probabilities[version, number, label]) for version in (0, group + 1))
        return SwappedText(
            place=versions.place(number),
            before=versions.texts[0][number],
            after=versions.texts[group + 1][number],
            label=versions.labels[label],
            probability_before=before,
            probability_after=after,
            decision_before=versions.labels[self.predicted[0, number]],
            decision_after=versions.labels[self.predicted[group + 1, number]],
        )

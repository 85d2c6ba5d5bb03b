"""The labels that teachers and gold labels give together, and how good each teacher is: `TeachersReport`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.categorizer.seeds.clear_words import rank_words
from tercet.categorizer.seeds.prior import PoolWords
from tercet.categorizer.suggestion.suggest import find_distinct
from tercet.categorizer.teachers.votes import TaughtRows, Teacher
from tercet.characters import show_line
from tercet.counts.labels import Labels
from tercet.errors import InvalidText
from tercet.evaluation.confusion import ConfusedPair, Confusion, list_confused_pairs
from tercet.evaluation.intervals import Estimate, estimate_between, format_rounded, note_small_sample, wilson
from tercet.evaluation.shared_errors import SharedErrors, compare_errors
from tercet.evaluation.significance import adjust_holm
from tercet.kernel.text.columns import SEPARATOR
from tercet.models.dawid_skene import Combination, combine_votes
from tercet.report.forms import Rendering, simplify
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_count, show_estimate

MIN_GOLD = 20  # gold labels: with fewer, agreement says where a teacher is wrong, and nothing judges the model
MIN_TEACHERS = 3  # whose agreement can tell how good each of them is
LEVEL = 0.05  # of the test whether two teachers make the same errors
CONFIDENT = 0.9  # probability of a combined label that says where a teacher is wrong
N_CONFUSIONS, N_WORDS = 3, 8
MIN_TEXTS, MIN_WRONG, MIN_CLEARNESS = 5, 5, 3.5  # texts with a word, wrong answers, and standard errors: few words by chance
MAX_TEXTS = 10_000  # texts whose words are counted
N_RESAMPLES, MAX_RESAMPLED = 50, 5000  # for the interval by agreement, and rows of a resample
MAX_NAME = 30
RANDOM = "Intervals hold if the texts with gold labels are a random part of the texts."
NOT_SEEN = "Without gold labels nobody can see whether teachers make the same errors."
AGREEMENT = (
    "by agreement: it holds if teachers err independently, and most of them are clearly better than chance. A shared error "
    "can't be seen, and makes the interval wrong, too"
)
UNKNOWN = "not known: give gold labels of some texts, or three teachers"


class SharedPair(NamedTuple):
    """Two teachers, and whether they are wrong on the same gold documents too often. p is corrected for several pairs."""

    first: str
    second: str
    errors: SharedErrors
    adjusted_p: float

    @property
    def is_suspicious(self) -> bool:
        return self.adjusted_p < LEVEL

    def __str__(self) -> str:
        own = self.errors
        chance = f"{own.expected:.1f} would be by chance, p = {self.adjusted_p:.2g}"
        return f"{self.first} and {self.second} are wrong together on {own.n_both} of {own.n} gold documents ({chance})."


@dataclass(frozen=True)
class TeacherResult:
    """How good a teacher is, and where it is wrong."""

    name: str
    coverage: float  # the share of the documents that it has labelled
    accuracy: Estimate  # on those documents; NaN if it is not known
    basis: str  # what the accuracy stands on, in words
    confusions: tuple[ConfusedPair, ...]  # the worst, of gold or confident combined labels
    words: tuple[str, ...]  # of texts where it is wrong, the clearest first
    power: float  # 1, or less if it counts as a part of a group of teachers that make the same errors


@dataclass(frozen=True, eq=False, repr=False)
class TeachersReport(Rendering):
    """What is known of each teacher, and of their agreement."""

    teachers: tuple[TeacherResult, ...]
    shared: tuple[SharedPair, ...]  # pairs that are wrong together too often
    labels: Labels
    n_documents: int
    n_gold: int
    n_unlabelled: int  # documents that nobody has labelled: they are not learned
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; an unknown number is None."""
        found: dict[str, Any] = simplify(
            {
                "documents": self.n_documents,
                "gold": self.n_gold,
                "without_label": self.n_unlabelled,
                "teachers": [_describe(own) for own in self.teachers],
                "shared_errors": [
                    {"teachers": [own.first, own.second], **own.errors._asdict(), "adjusted_p": own.adjusted_p}
                    for own in self.shared
                ],
                "notes": list(self.notes),
            }
        )
        return found

    def to_sheet(self) -> Sheet:
        headline = (
            f"{pluralize(len(self.teachers), 'teacher')}, {pluralize(self.n_documents, 'document')}, {self.n_gold} of them "
        )
        return Sheet(
            f"{headline}with a gold label; 95 % intervals in brackets", tuple(self._list_grids()), self._list_notes(), ""
        )

    def _list_grids(self) -> list[Grid]:
        notes = Footnotes()
        rows = [
            (show_line(own.name, MAX_NAME), format_rounded(own.coverage, ".1%"), show_estimate(own.accuracy, notes), own.basis)
            for own in self.teachers
        ]
        mistakes = [
            (
                show_line(own.name, MAX_NAME),
                show_line(m.gold),
                show_line(m.predicted),
                show_count(m.documents),
                f"{m.share:.1%}",
            )
            for own in self.teachers
            for m in own.confusions
        ]
        words = [(f"{show_line(own.name, MAX_NAME)}: {' · '.join(own.words)}",) for own in self.teachers if own.words]
        grids = [
            Grid("teachers", ("teacher", "labelled", "accuracy", "stands on"), tuple(rows)),
            Grid("mistakes", ("teacher", "right is", "it says", "documents", "of right"), tuple(mistakes)),
            Grid("words", ("words where a teacher is wrong",), tuple(words)),
        ]
        return [grid for grid in grids if grid.rows]

    def _list_notes(self) -> tuple[str, ...]:
        marks = Footnotes()
        for own in self.teachers:
            marks.mark(own.accuracy.note)
        return (*marks.list(), *self.notes)


def _describe(own: TeacherResult) -> dict[str, Any]:
    accuracy = {name: getattr(own.accuracy, name) for name in ("value", "low", "high", "method", "note")}
    confusions = [pair._asdict() for pair in own.confusions]
    plain = {name: getattr(own, name) for name in ("name", "coverage", "basis", "power")}
    return plain | {"accuracy": accuracy, "confusions": confusions, "words": list(own.words)}


def combine_rows(rows: TaughtRows) -> Combination:
    """The combined labels. Teachers that make the same errors on gold documents may count as one."""
    return combine_votes([own.votes for own in rows.teachers], rows.gold, groups=group_teachers(rows))


def group_teachers(rows: TaughtRows) -> list[int]:
    """A number for each teacher: pairs that are wrong together too often have the same."""
    names = [own.name for own in rows.teachers]
    groups = list(range(len(names)))
    for pair in compare_pairs(rows):
        if pair.is_suspicious:
            old, new = groups[names.index(pair.second)], groups[names.index(pair.first)]
            groups = [new if group == old else group for group in groups]
    return groups


def compare_pairs(rows: TaughtRows) -> list[SharedPair]:
    """All pairs of teachers that have labelled the same gold documents."""
    found = []
    for a, b in combinations(rows.teachers, 2):
        both = rows.is_gold & a.has_voted & b.has_voted
        if both.any():
            gold = rows.gold[both]
            wrong = [own.list_answers()[both] != gold for own in (a, b)]
            found.append((a.name, b.name, compare_errors(gold, wrong[0], wrong[1])))
    adjusted = adjust_holm([errors.p_value for *_, errors in found]).tolist() if found else []
    return [SharedPair(a, b, errors, p) for (a, b, errors), p in zip(found, adjusted, strict=True)]


def judge_teachers(rows: TaughtRows, combined: Combination, texts: Sequence[str], *, threads: int) -> TeachersReport:
    """What is known of each teacher."""
    words, agreed = TeachersWords.of(texts, threads=threads), estimate_agreement(rows, combined)
    judged = [find_judged(own, rows, combined) for own in rows.teachers]
    results = tuple(
        TeacherResult(
            own.name,
            float(own.has_voted.mean()),
            *estimate_accuracy(own, rows, agreed[place]),
            list_mistakes(own, rows, combined),
            words.find_wrong(judged[place][0], own.list_answers()[judged[place][0]] != judged[place][1]),
            combined.powers[place],
        )
        for place, own in enumerate(rows.teachers)
    )
    shared = tuple(pair for pair in compare_pairs(rows) if pair.is_suspicious)
    n_gold, n_unlabelled = int(rows.is_gold.sum()), int((~rows.is_labelled).sum())
    notes = list_notes(rows, combined, shared)
    return TeachersReport(results, shared, rows.labels, len(rows.gold), n_gold, n_unlabelled, notes)


def estimate_accuracy(own: Teacher, rows: TaughtRows, agreed: Estimate | None) -> tuple[Estimate, str]:
    """The accuracy on gold documents; without them by agreement; and what it stands on."""
    judged = np.flatnonzero(rows.is_gold & own.has_voted)
    if len(judged):
        found = wilson(count_right(own, judged, rows.gold[judged]), len(judged))
        note = note_small_sample(0, float(len(judged)), is_weighted=False)
        return found.add_note(note) if note else found, f"on {pluralize(len(judged), 'gold label')}"
    if agreed is not None:
        return agreed.add_note(AGREEMENT), f"by agreement of {len(rows.teachers)} teachers"
    return Estimate(math.nan, math.nan, math.nan, 0.95, "none", UNKNOWN), "nothing"


def count_right(own: Teacher, judged: Integers, gold: Integers) -> float:
    """How many answers are right. If several labels have the largest share, each counts as a part of an answer."""
    votes = own.votes[judged].toarray()
    is_best = votes == votes.max(axis=1, keepdims=True)
    return math.fsum((is_best[np.arange(len(gold)), gold] / is_best.sum(axis=1)).tolist())


def estimate_agreement(rows: TaughtRows, combined: Combination) -> list[Estimate | None]:
    """The accuracy of each teacher that follows from the combined labels, if there are no gold labels and three teachers.

    Its standard error comes from resampled rows. Rows are drawn in the order of their votes, so their order does not matter.
    """
    if rows.is_gold.any() or len(rows.teachers) < MIN_TEACHERS:
        return [None] * len(rows.teachers)
    ordered, n = rows.pick(sort_rows(rows)), len(rows.gold)
    n_drawn, rng = min(n, MAX_RESAMPLED), np.random.default_rng(0)
    draws = []
    for _ in range(N_RESAMPLES):
        weights = rng.multinomial(n_drawn, np.full(n, 1 / n)).astype(np.int64)
        again = combine_votes([own.votes for own in ordered.teachers], ordered.gold, weights=weights)
        draws.append([measure_agreement(own, again.proba, weights) for own in ordered.teachers])
    errors = np.nanstd(draws, axis=0, ddof=1) * math.sqrt(n_drawn / n)
    values = [measure_agreement(own, combined.proba, np.ones(n, np.int64)) for own in rows.teachers]
    pairs = zip(values, errors.tolist(), strict=True)
    return [estimate_between(value, error, N_RESAMPLES, 0.95, (0.0, 1.0)) for value, error in pairs]


def sort_rows(rows: TaughtRows) -> Integers:
    """An order of the rows that depends on their votes alone."""
    votes = [own.votes for own in rows.teachers]
    parts = [[own.indices[a:b].tobytes() + own.data[a:b].tobytes() for a, b in pairwise(own.indptr)] for own in votes]
    keys = list(zip(*parts, strict=True))
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def measure_agreement(own: Teacher, proba: Floats, weights: Integers) -> float:
    """The mean probability of the labels that the teacher says."""
    voted = np.flatnonzero(own.has_voted & (weights > 0))
    right = proba[voted, own.list_answers()[voted]] * weights[voted]
    total = int(weights[voted].sum())
    return float(right.sum()) / total if total else math.nan  # steps of 1/4096: an exact sum


def find_judged(own: Teacher, rows: TaughtRows, combined: Combination) -> tuple[Integers, Integers]:
    """The rows that show where a teacher is wrong, and their labels: gold labels and confident combined labels."""
    judged = np.flatnonzero(own.has_voted & rows.is_labelled & (combined.proba.max(axis=1) >= CONFIDENT))
    return judged, combined.proba[judged].argmax(axis=1)


def list_mistakes(own: Teacher, rows: TaughtRows, combined: Combination) -> tuple[ConfusedPair, ...]:
    """The most frequent mistakes on gold documents; if these are few, on documents with confident combined labels."""
    judged, labels = find_judged(own, rows, combined)
    gold = rows.is_gold[judged]
    if gold.sum() >= MIN_GOLD:
        judged, labels = judged[gold], labels[gold]
    if not len(judged):
        return ()
    confusion = Confusion.from_codes(rows.labels, labels, own.list_answers()[judged])
    return tuple(list_confused_pairs(confusion, n=N_CONFUSIONS))


@dataclass(frozen=True, eq=False)
class TeachersWords:
    """The words of some rows."""

    rows: Integers
    words: PoolWords | None  # None if there are none

    @classmethod
    def of(cls, texts: Sequence[str], *, threads: int) -> "TeachersWords":
        """The words of the texts; of very many texts, a part that is as good as random."""
        chosen = np.array(find_distinct(texts)[:MAX_TEXTS], np.int64)
        plain = [texts[row].replace(SEPARATOR, " ") for row in chosen.tolist()]
        try:
            return cls(chosen, PoolWords.of(plain, min_texts=MIN_TEXTS, threads=threads))
        except InvalidText:
            return cls(chosen, None)

    def find_wrong(self, judged: Integers, is_wrong: Flags) -> tuple[str, ...]:
        """The words that are clearly more frequent in judged texts where the answer is wrong than where it is right."""
        known = np.flatnonzero(np.isin(self.rows, judged))
        wrong = np.isin(self.rows[known], judged[is_wrong])
        if self.words is None or not MIN_WRONG <= wrong.sum() < len(wrong):
            return ()
        own = PoolWords([self.words.texts[i] for i in known.tolist()], self.words.words, self.words.matrix[known])
        present = np.asarray(own.matrix.sum(axis=0)).ravel() >= MIN_TEXTS
        own = PoolWords(own.texts, tuple(np.array(own.words)[present].tolist()), own.matrix[:, np.flatnonzero(present)])
        ranked = rank_words(own, np.stack([wrong, ~wrong], axis=1).astype(np.float64))[0]
        return tuple(word for word, clearness in ranked[:N_WORDS] if clearness >= MIN_CLEARNESS)


def list_notes(rows: TaughtRows, combined: Combination, shared: Sequence[SharedPair]) -> tuple[str, ...]:
    """What a user should know of the combination."""
    notes = [f"{pair} They may share an error." for pair in shared]
    if len(combined.powers) > len(rows.teachers):
        notes.append("Words of the texts had a say in the combined labels: that predicts left-out gold labels better.")
    if min(combined.powers[: len(rows.teachers)]) < 1:
        notes.append("Teachers that share errors count together as one: that predicts left-out gold labels better.")
    n_unlabelled = int((~rows.is_labelled).sum())
    if n_unlabelled:
        notes.append(
            f"{pluralize(n_unlabelled, 'document')} without any label {'is' if n_unlabelled == 1 else 'are'} not learned."
        )
    if rows.is_gold.any():
        return (*notes, RANDOM)
    return (*notes, NOT_SEEN) if len(rows.teachers) > 1 else tuple(notes)

"""`audit_groups`: labelled documents with columns of groups → how good a model's answers are for each group."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tercet.auditing.audit.difference_pictures import draw_differences
from tercet.auditing.audit.group_differences import (
    ACCURACY,
    AREAS,
    BNSP,
    BPSN,
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    MISSING,
    OTHERS,
    SUBGROUP,
    GroupColumn,
    GroupDifference,
    JudgedAnswers,
    compare_groups,
)
from tercet.auditing.audit.model_answers import Column, check_columns, choose_compared, describe_variants, read_whole
from tercet.cached import cached_property
from tercet.categorizer.learned_texts import count_learned, describe_learned
from tercet.categorizer.predictor import Predictor
from tercet.characters import show_line, show_lines
from tercet.counts.labels import Labels, encode_labels, index_labels
from tercet.data.documents import Documents
from tercet.data_frames import make_frame
from tercet.errors import InvalidLabel, InvalidOption, is_missing, shorten
from tercet.evaluation.intervals import check_confidence, derive_level
from tercet.evaluation.significance import POWER
from tercet.options import check_names
from tercet.report.comparison import show_p
from tercet.report.forms import Rendering, simplify
from tercet.report.report import MAX_SLICES
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_estimate, write_signature

NAMES = {
    ACCURACY: "accuracy",
    FALSE_POSITIVES: "false-positive rate",
    FALSE_NEGATIVES: "false-negative rate",
    SUBGROUP: "subgroup AUC",
    BPSN: "BPSN AUC",
    BNSP: "BNSP AUC",
}
MAX_ROWS = 50  # groups in a table or a picture: those with the smallest p-values
MAX_PICTURES = 6  # metrics that are drawn
MAX_FINDINGS = 20  # significant differences that are described
AREAS_EXPLAINED = (
    "The subgroup AUC is the area under the ROC curve of the group's own documents. The BPSN AUC takes the positive documents "
    "of the others and the negative documents of the group. It is low if negative documents of the group get too high "
    "probabilities. The BNSP AUC takes the negative documents of the others and the positive documents of the group. It is low "
    "if positive documents of the group get too low probabilities. Each is compared with the AUC of the others."
)
POWERFUL = f"{100 * POWER:g} % power"
DETECTABLE = (
    f"Detectable is the smallest difference to the disadvantage of the group that this data would show with {POWERFUL}."
)
CORRECTED = "P-values are corrected for all tests of this audit by Holm's method. Intervals are not corrected."


@dataclass(frozen=True, eq=False, repr=False)
class GroupAudit(Rendering):
    """The result of `tercet.auditing.audit.groups.audit_groups`.

    `differences` has one entry for each group and metric. `findings` are plain sentences: first one for each difference that is
    significant after correction, of many the first, and then one for each column that says what was not shown.
    `detectable` has a sentence for each other difference: how large it is, and how large it must be to be shown by this data.
    """

    n: int
    differences: tuple[GroupDifference, ...]
    remarks: tuple[str, ...] = ()
    confidence: float = 0.95
    n_learned: int = 0  # documents that the model has learned

    @cached_property
    def n_tests(self) -> int:
        return sum(not math.isnan(each.p_value) for each in self.differences)

    @property
    def shown(self) -> tuple[GroupDifference, ...]:
        """The differences that are significant after correction: groups that are worse off first, the smallest p-value first.

        Of two groups one is worse off in any case.
        """
        found = [each for each in self.differences if each.is_shown]
        return tuple(
            sorted(
                found,
                key=lambda each: (each.against == OTHERS and not each.is_worse, each.adjusted_p, -abs(each.difference.value)),
            )
        )

    @property
    def findings(self) -> tuple[str, ...]:
        more = len(self.shown) - MAX_FINDINGS
        counted = [f"{pluralize(more, 'further significant difference')}: see the tables."] if more > 0 else []
        return (*map(self._describe_shown, self.shown[:MAX_FINDINGS]), *counted, *map(self._summarize, self._columns))

    @property
    def _columns(self) -> list[str]:
        return list(dict.fromkeys(each.column for each in self.differences))

    @property
    def _level(self) -> float:
        return derive_level(self.confidence)

    @cached_property
    def _names(self) -> dict[tuple[str, Any], str]:
        """What groups are called. Long names that begin alike show the part in which they differ."""
        found = {}
        for column in self._columns:
            own = (group for each in self.differences if each.column == column for group in (each.group, each.against))
            groups = list(dict.fromkeys(own))
            for group, line in zip(groups, show_lines(groups), strict=True):
                found[column, group] = f"{show_line(column)}={line}"
        return found

    def _name(self, found: GroupDifference) -> str:
        return self._names[found.column, found.group]

    def _name_others(self, found: GroupDifference) -> str:
        others = OTHERS if found.against == OTHERS else self._names[found.column, found.against]
        return f"the AUC of {others}" if found.metric in AREAS else others

    @property
    def worst(self) -> tuple[str, ...]:
        """A finding for each group that is significantly worse off, by the metric with the smallest p-value."""
        own = [each for each in self.shown if each.is_worse or each.against != OTHERS] or self.shown
        first = {(each.column, each.group): each for each in reversed(own)}
        return tuple(self._describe_shown(each) for each in own if first[each.column, each.group] is each)

    @property
    def detectable(self) -> tuple[str, ...]:
        return tuple(self._describe_other(each) for each in self.differences if not each.is_shown)

    @property
    def signature(self) -> str:
        """The recipe of the numbers."""
        estimates = [estimate for each in self.differences for estimate in (each.value, each.difference)]
        return write_signature(["groups"], self.n, estimates, None, tests=f"{self.n_tests} (Holm)")

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; an undefined number is None."""
        own = {name: getattr(self, name) for name in ("n", "n_tests", "findings", "detectable", "remarks", "signature")}
        simple: dict[str, Any] = simplify(own | {"differences": [vars(each) for each in self.differences]})
        return simple

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each group and metric."""
        rows = [_flatten(each) for each in self.differences]
        return make_frame({name: [row[name] for row in rows] for name in rows[0]})

    def to_sheet(self) -> Sheet:
        """A table of the groups for each metric; findings and remarks as notes."""
        notes = Footnotes()
        grids = tuple(self._make_grid(metric, own, notes) for metric, own in _group_metrics(self.differences).items())
        headline = f"groups: {pluralize(self.n, 'document')}; {100 * self.confidence:g} % intervals in brackets"
        areas = [AREAS_EXPLAINED] if any(each.metric in AREAS for each in self.differences) else []
        return Sheet(
            headline, grids, (*self.findings, *self.remarks, CORRECTED, DETECTABLE, *areas, *notes.list()), self.signature
        )

    def _draw(self) -> list[str]:
        known = _group_metrics(self.differences).items()
        drawn = {name: [each for each in own if not math.isnan(each.difference.low)] for name, own in known}
        return [
            draw_differences(f"difference in {name}", [(self._name(each), each.difference) for each in _choose_rows(own)])
            for name, own in list(drawn.items())[:MAX_PICTURES]
            if own
        ]

    def _make_grid(self, metric: str, differences: list[GroupDifference], notes: Footnotes) -> Grid:
        rows = [
            (
                self._name(each),
                str(each.n),
                show_estimate(each.value, notes),
                show_estimate(each.others, notes),
                show_estimate(each.difference, notes, sign="+"),
                show_p(each.adjusted_p, self._level),
                "–" if math.isnan(each.detectable) else f"{each.detectable:.2g}",
            )
            for each in _choose_rows(differences)
        ]
        more = f" (the first {MAX_ROWS} of {len(differences)} groups)" if len(differences) > MAX_ROWS else ""
        header = (metric, "documents", "group", "others", "difference", "p (Holm)", "detectable")
        return Grid(f"{metric}{more}", header, tuple(rows))

    def _describe_shown(self, found: GroupDifference) -> str:
        own, size, side = found.difference, found.difference, "above"
        if own.value < 0:
            size, side = replace(own, value=-own.value, low=-own.high, high=-own.low), "below"
        p = f"p = {show_p(found.adjusted_p, self._level)} {self._corrected}"
        flag = f"; {own.note}" if own.note else ""
        what = f"{self._name(found)}: {_name_the(found)}"
        numbers = f"{found.value}, {size} {side} {self._name_others(found)}"
        return f"{what} is {numbers} ({p}{flag}).{_explain_area(found)}"

    def _describe_other(self, found: GroupDifference) -> str:
        what = f"{self._name(found)}: {_name_the(found)}"
        if math.isnan(found.difference.value):
            return f"{what} can't be compared: the group, or the others, have no documents for it."
        size = show_estimate(found.difference)
        flag = f" ({found.difference.note})" if found.difference.note else ""
        return f"{what} differs by {size} from {self._name_others(found)}{flag}; {_describe_power(found)}."

    def _summarize(self, column: str) -> str:
        """What was not shown for a column, and which differences its groups could have shown."""
        own = [each for each in self.differences if each.column == column]
        tested = [each for each in own if not math.isnan(each.p_value)]
        others = [each for each in tested if not each.is_shown]
        sentences = [f"{show_line(column)}: {self._count_others(len(others), len(tested))}."]
        if others:
            power = "; ".join(f"{metric}: {_show_detectable(found)}" for metric, found in _group_metrics(others).items())
            sentences.append(f"Differences of these sizes could have been shown with {POWERFUL}: {power}.")
        if untested := _group_metrics(each for each in own if math.isnan(each.p_value)):
            named = "; ".join(f"{metric} ({pluralize(len(found), 'group')})" for metric, found in untested.items())
            sentences.append(f"Not tested, because there are too few documents: {named}.")
        return " ".join(sentences)

    def _count_others(self, n_others: int, n_tested: int) -> str:
        if not n_tested:
            return "no difference could be tested"
        tested = pluralize(n_tested, "tested difference")
        if n_others:
            count = f"{n_others} of {tested} {'is' if n_others == 1 else 'are'} not"
        else:
            count = "the only tested difference is" if n_tested == 1 else f"all {tested} are"
        return f"{count} significant {self._corrected}"

    @property
    def _corrected(self) -> str:
        return f"after correction for {pluralize(self.n_tests, 'test')}"


def _group_metrics(differences: Iterable[GroupDifference]) -> dict[str, list[GroupDifference]]:
    """The differences by metric and label."""
    found: dict[str, list[GroupDifference]] = {}
    for each in differences:
        found.setdefault(_name_metric(each), []).append(each)
    return found


def _explain_area(found: GroupDifference) -> str:
    """What a difference between areas means; empty for rates."""
    label, is_higher = show_line(found.label), found.difference.value > 0
    if found.metric == SUBGROUP:
        return f" Within the group, probabilities tell {label!r} from the rest {'better' if is_higher else 'worse'}."
    if found.metric in (BPSN, BNSP):
        which, is_lower = ("without", is_higher) if found.metric == BPSN else ("with", not is_higher)
        size = "lower" if is_lower else "higher"
        return f" Its documents {which} {label!r} get {size} probabilities of it than such documents of the others."
    return ""


def _describe_power(found: GroupDifference) -> str:
    if math.isnan(found.p_value):
        return "it is not tested"
    if math.isnan(found.detectable):
        return f"this data could not have shown any difference with {POWERFUL}"
    return f"this data could have shown a difference of {_show_detectable([found])} or more with {POWERFUL}"


def _show_detectable(found: list[GroupDifference]) -> str:
    """From the smallest difference of the group with the most power to that of the group with the least."""
    known = [each.detectable for each in found if not math.isnan(each.detectable)]
    none = "" if len(known) == len(found) else f"none in {pluralize(len(found) - len(known), 'group')}"
    sizes = " to ".join(dict.fromkeys(f"{size:.2g}" for size in (min(known), max(known)))) if known else ""
    return ", ".join(filter(None, [sizes, none]))


def _name_metric(found: GroupDifference) -> str:
    """
    >>> from tercet.evaluation.intervals import Estimate
    >>> number = Estimate(0.5, 0.4, 0.6, 0.95, "wilson")
    >>> _name_metric(GroupDifference("race", "Black", "the others", 9, BPSN, "toxic", number, number, number, 0.5))
    'BPSN AUC of toxic'
    """
    return NAMES[found.metric] + ("" if found.label is None else f" of {show_line(found.label)}")


def _name_the(found: GroupDifference) -> str:
    return _name_metric(found) if found.metric == ACCURACY else f"the {_name_metric(found)}"


def _choose_rows(differences: list[GroupDifference]) -> list[GroupDifference]:
    """The groups that are shown, in their order. Of too many groups these are the groups with the smallest p-values."""
    order = sorted(differences, key=lambda each: 1.0 if math.isnan(each.p_value) else each.p_value)
    chosen = {id(each) for each in order[:MAX_ROWS]}
    return [each for each in differences if id(each) in chosen]


def _flatten(found: GroupDifference) -> dict[str, Any]:
    """The numbers of one entry, for a data frame."""
    own = {name: getattr(found, name) for name in ("column", "group", "against", "n", "metric", "label")}
    for name in ("value", "others", "difference"):
        estimate = getattr(found, name)
        own |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    tests = {name: getattr(found, name) for name in ("p_value", "adjusted_p", "detectable")}
    return own | tests | {"note": found.difference.note}


MAX_LABELS = 5  # labels that are compared one by one if no positive label is named
N_NAMED = 3  # unknown labels that a remark names


def audit_groups(
    categorizer: Predictor, documents: Any, by: str | Sequence[str], *, positive: Any = None, confidence: float = 0.95
) -> GroupAudit:
    """How much better or worse a model's answers are for each group of documents than for all others.

    `documents` have gold labels, and were not learned. `by` names the columns of groups, such as gender. Each value of a column
    is compared with all other documents that have a value there: accuracy, and for the positive label the false-positive rate,
    the false-negative rate, and the three areas under ROC curves of Borkan et al. (2019). The positive label is `positive`, or
    with two labels the last in sorted order. With three to five labels, each label is compared with all others together; with
    more labels only accuracy is compared, unless `positive` names a label. Holm's method corrects all p-values together.
    Nothing is drawn at random, so there is no seed. Weights of documents are ignored.

    >>> from tercet import Categorizer, Documents
    >>> model = Categorizer().fit(["a good film", "a bad film", "so good", "so bad"], ["pos", "neg", "pos", "neg"])
    >>> texts, labels = ["good day", "bad day", "good grief", "bad bad"] * 30, ["pos", "neg", "neg", "neg"] * 30
    >>> audit = audit_groups(model, Documents(texts, labels, columns={"source": ["a", "a", "b", "b"] * 30}), "source")
    >>> print(audit.findings[0])
    source=a: accuracy is 1.000 [0.940, 1.000], 0.500 [0.375, 0.625] above source=b (p = 6e-10 after correction for 2 tests).
    """
    names = check_names("by", [by] if isinstance(by, str) else by)
    check_confidence(confidence)
    read = _read(documents, categorizer.classes_)
    check_columns(read.columns, names)
    columns = [_encode_column(name, read.columns[name]) for name in names]
    answers = _judge(categorizer, read)
    n_learned = count_learned(categorizer, read)
    compared = choose_compared(answers.labels, positive)
    positives = compared if len(compared) <= MAX_LABELS else []
    return GroupAudit(
        n=len(read.texts),
        differences=compare_groups(answers, columns, positives, confidence),
        remarks=tuple(_list_remarks(n_learned, read, columns, answers, positives)),
        confidence=confidence,
        n_learned=n_learned,
    )


def _read(documents: Any, labels: Labels) -> Documents:
    """All documents in memory. Gold labels from a file are texts: they get the type of the model's labels, such as int."""
    read = read_whole(documents)
    if read.labels is None:
        raise InvalidLabel("the documents have no labels: how good answers are is known only beside gold labels. Add them.")
    known = {str(label): label for label in labels.tolist()}
    return replace(read, labels=[label if is_missing(label) else known.get(str(label), label) for label in read.labels])


def _encode_column(name: str, cells: Sequence[Any]) -> GroupColumn:
    column = Column.encode(cells)
    column.check_groups(name)
    if len(column.values) > MAX_SLICES:
        raise InvalidOption(
            f"the column {name!r} has {len(column.values)} different values: is it an id? A group has many documents. Name "
            "another column, or put numbers in bins first."
        )
    return GroupColumn(name, *column)


def _judge(categorizer: Predictor, documents: Documents) -> JudgedAnswers:
    """The model's answers beside the gold labels. It is an error if the model knows no gold label."""
    labels = categorizer.classes_
    found, codes = encode_labels(documents.labels)
    known = index_labels(found, labels)
    if (known < 0).all():
        shown = shorten(", ".join(map(repr, found.tolist())), 100), shorten(", ".join(map(repr, labels.tolist())), 100)
        raise InvalidLabel(
            f"the model knows none of the labels of the documents: {shown[0]}. It knows {shown[1]}, so no answer could be "
            "right. Take the column that has the labels."
        )
    probabilities = categorizer.predict_proba(documents)
    return JudgedAnswers(labels, known[codes], probabilities.argmax(axis=1), probabilities)


def _list_remarks(
    n_learned: int, documents: Documents, columns: Sequence[GroupColumn], answers: JudgedAnswers, positives: list[int]
) -> Iterator[str]:
    if learned := describe_learned(n_learned, len(documents.texts), "The model"):
        yield learned
    if unknown := Counter(label for label, index in zip(documents.labels, answers.gold, strict=True) if index < 0):
        listed = ", ".join(f"{shorten(repr(label), 60)} ({count})" for label, count in unknown.most_common(N_NAMED))
        more = f" and {len(unknown) - N_NAMED} more" if len(unknown) > N_NAMED else ""
        yield (
            f"The model does not know {pluralize(len(unknown), 'label')} of {unknown.total()} documents, whose answers count "
            f"as wrong: {listed}{more}."
        )
    for name, values, codes in columns:
        yield from describe_variants(name, values)
        if n_missing := int(np.sum(codes == MISSING)):
            verb = "is" if n_missing == 1 else "are"
            yield f"{pluralize(n_missing, 'document')} without a value in {name!r} {verb} left out of its comparisons."
    if not positives:
        yield (
            f"The model has {len(answers.labels)} labels, so only accuracy is compared. With a positive label, an audit also "
            "compares its false-positive rate, its false-negative rate and its areas under ROC curves."
        )

"""`audit_pairs`: sentences that differ only in a name or an identity term → how much the model's answers differ, and why."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.auditing.answers import Answers, find_compared
from tercet.auditing.cells import Cells, Sides
from tercet.auditing.columns import check_columns, describe_variants, read_whole
from tercet.auditing.differing_tokens import TokenDifferences, find_differing_tokens
from tercet.categorizer.categorizer import Decisions
from tercet.categorizer.scorer import Scorer
from tercet.categorizer.term_scores import TermSums, sum_term_scores
from tercet.characters import show_line
from tercet.data.document_batches import list_texts
from tercet.errors import InvalidOption, bad_option
from tercet.evaluation.mean_differences import (
    CorrectedDifference,
    MeanDifference,
    correct_differences,
    estimate_means,
    plan_tests,
)
from tercet.evaluation.resampling import Resampling
from tercet.models.calibration import Softmax
from tercet.options import check_names
from tercet.report.pair_audit import MEASURES, PairAudit, PairComparison, TermShare
from tercet.report.tables import pluralize

MOST_LABELS = 10  # labels that are shown if no positive label is named
KEPT_TERMS = 100  # terms of a comparison that an audit keeps; it keeps the sum of all others
N_NAMED = 3  # cells or groups that a remark names
OTHER_NAMES = (
    "The intervals resample cells as if they were independent. They say nothing about other templates, names or identity terms "
    "than these, which may differ more."
)


def audit_pairs(
    categorizer: Decisions,
    documents: Any,
    pair: str | Sequence[str],
    by: str | Sequence[str],
    *,
    positive: Any = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> PairAudit:
    """How much the probability and the log-odds of a label differ between groups of sentences, and which terms cause it.

    `documents` need no labels. `pair` names the columns that are equal in sentences that are compared, such as the template.
    `by` names the columns of groups, such as gender. Sentences that agree in the pair columns and in all fillers are a cell.
    A filler is a column whose values all occur with the same groups, such as the emotion in a template; fillers are found.
    In each cell the mean of a group is compared with that of all other groups of the column. A difference is the mean over
    all cells.

    The label is `positive`, or with two labels the last in sorted order. With more labels, each label is compared with all
    others together; of more than ten labels, the ten with the largest differences are shown. The log-odds are those of the
    model alone, even if a rule decides a sentence.

    >>> from tercet import Categorizer, Documents
    >>> model = Categorizer().fit(["he is good", "she is bad", "a good day", "a bad day"], ["pos", "neg", "pos", "neg"])
    >>> texts = ["he feels fine", "she feels fine", "I saw him", "I saw her"]
    >>> columns = {"template": [1, 1, 2, 2], "gender": ["m", "f", "m", "f"]}
    >>> audit = audit_pairs(model, Documents(texts, columns=columns), "template", "gender")
    >>> [(each.name, each.terms[0].term) for each in audit.comparisons], audit.not_neutral
    ([('gender: f - m', 'he')], ('he', 'her', 'him', 'she'))
    """
    pair, by = _check_columns("pair", pair), _check_columns("by", by)
    if both := next((name for name in by if name in pair), None):
        raise InvalidOption(f"the column {both!r} is both in pair and in by: the sentences of a pair agree in it, or differ.")
    sentences = read_whole(documents, "sentences to compare")
    check_columns(sentences.columns, (*pair, *by))
    cells = Cells.find(sentences.columns, pair, by)
    sides = [side for name in by for side in cells.compare(name)]
    scorer = categorizer._scorer()
    places = find_compared(scorer.labels, positive)
    n_tests = len(MEASURES) * len(sides) * len(places)
    plan = plan_tests(n_tests, confidence, seed)
    answers = Answers.of(scorer, sentences)
    measured = [_measure(side, answers, places, plan) for side in sides]
    shown = _choose_places(measured, places)
    comparisons = _make_comparisons(scorer, answers, sides, _correct(measured, 1 - confidence), shown)
    texts = list_texts(scorer.join(sentences))
    differing = find_differing_tokens(scorer.analyzer, texts, cells, by)
    return PairAudit(
        n_sentences=len(texts),
        held_fixed=cells.held_fixed,
        comparisons=tuple(comparisons),
        tokens=tuple(token for own in differing.values() for token in own.tokens),
        remarks=(*_list_remarks(answers, texts, cells, differing), *_name_hidden(len(places), len(shown)), OTHER_NAMES),
        n_tests=n_tests,
        is_calibrated=not isinstance(scorer.calibration, Softmax | None),
        plan=plan,
    )


def _check_columns(name: str, value: Any) -> tuple[str, ...]:
    names = check_names(name, [value] if isinstance(value, str) else value)
    if not names:
        raise bad_option(name, "the name of a column, or several", value, "it says which sentences are compared.")
    return names


def _measure(side: Sides, answers: Answers, places: Sequence[int], plan: Resampling) -> dict[str, list[MeanDifference]]:
    """The mean differences of each measure, for each label."""
    values = np.hstack([answers.proba[:, places], answers.find_log_odds(places)])
    found = estimate_means(np.column_stack([side.subtract(column) for column in values.T.tolist()]), plan)
    probability, log_odds = found[: len(places)], found[len(places) :]
    return {"probability": [each.cut((-1.0, 1.0)) for each in probability], "log_odds": log_odds}


def _contrast(n_labels: int, places: Sequence[int]) -> Floats:
    """The weight of each label's score in the score of a label against the mean of all others, labels × places."""
    weights = np.full((n_labels, len(places)), -1 / (n_labels - 1))
    weights[places, np.arange(len(places))] = 1.0
    return weights


def _choose_places(measured: Sequence[Mapping[str, Sequence[MeanDifference]]], places: Sequence[int]) -> dict[int, int]:
    """The labels that are shown, in their order, and the number of each among the labels that were measured."""
    sizes = [max(abs(own["probability"][k].estimate.value) for own in measured) for k in range(len(places))]
    largest = sorted(range(len(places)), key=lambda k: -sizes[k])[:MOST_LABELS]
    return {places[k]: k for k in sorted(largest)}


def _correct(
    measured: Sequence[Mapping[str, Sequence[MeanDifference]]], level: float
) -> list[dict[str, list[CorrectedDifference]]]:
    """The same with p-values after Holm's correction, for all of them together."""
    corrected = iter(correct_differences([each for own in measured for found in own.values() for each in found], level))
    return [{name: [next(corrected) for _ in found] for name, found in own.items()} for own in measured]


def _make_comparisons(
    scorer: Scorer,
    answers: Answers,
    sides: Sequence[Sides],
    corrected: Sequence[Mapping[str, Sequence[CorrectedDifference]]],
    shown: Mapping[int, int],
) -> Iterator[PairComparison]:
    contrast = _contrast(len(scorer.labels), list(shown))
    sums = _sum_terms(scorer, answers, sides, contrast)
    for s, (side, measured) in enumerate(zip(sides, corrected, strict=True)):
        n_pairs, gained, lost = side.count_flips(answers.decisions, len(contrast))
        for column, (place, k) in enumerate(shown.items()):
            terms, other_terms = ((), 0.0) if sums is None else _list_terms(sums.names, sums.values[:, s, column])
            yield PairComparison(
                column=side.column,
                group=side.value,
                against=side.against,
                label=scorer.labels.tolist()[place],
                n_cells=len(side.cells),
                n_sentences=sum(len(own) + len(others) for own, others in side.cells),
                probability=measured["probability"][k],
                log_odds=measured["log_odds"][k],
                n_pairs=n_pairs,
                n_flips=int((gained.sum() + lost.sum()) // 2),
                n_gained=int(gained[place]),
                n_lost=int(lost[place]),
                score=math.nan if sums is None else side.average((answers.scores * contrast[:, column]).sum(axis=1)),
                terms=terms,
                other_terms=other_terms,
            )


def _sum_terms(scorer: Scorer, answers: Answers, sides: Sequence[Sides], contrast: Floats) -> TermSums | None:
    """What each term contributes to each difference of scores; None if a score is infinite."""
    if not np.isfinite(answers.scores).all():
        return None
    weights = np.column_stack([side.weigh(len(answers.scores)) for side in sides])
    return sum_term_scores(scorer, answers.documents, weights, contrast)


def _list_terms(names: Sequence[str], values: Floats) -> tuple[tuple[TermShare, ...], float]:
    """The terms that contribute most, and the sum of all others."""
    order = np.lexsort((np.array(names, object).astype(str), -np.abs(values)))
    kept = [k for k in order[:KEPT_TERMS].tolist() if values[k] != 0]
    return tuple(TermShare(names[k], float(values[k])) for k in kept), math.fsum(values[order[KEPT_TERMS:]])


def _list_remarks(
    answers: Answers, texts: Sequence[str], cells: Cells, differing: Mapping[str, TokenDifferences]
) -> Iterator[str]:
    fixed = " and ".join(map(show_line, cells.held_fixed))
    yield f"A cell has all sentences with equal {fixed}. Each is paired with each sentence of the other groups in its cell."
    for name, own in differing.items():
        groups = cells.list_groups(name)
        yield from describe_variants(name, cells.columns[name].values)
        yield from _describe_single_words(name, cells.columns[name].values, own)
        if n_missing := cells.columns[name].n_missing:
            yield f"{name}: {pluralize(n_missing, 'sentence')} left out, because the value is missing."
        if alone := [next(iter(cell.values()))[0] for cell in groups if len(cell) == 1]:
            names = "; ".join(map(cells.name, alone[:N_NAMED])) + ("; …" if len(alone) > N_NAMED else "")
            yield f"{name}: {pluralize(len(alone), 'cell')} left out, because only one group has a sentence there: {names}."
        if n_same := sum(_share_texts(cell, texts) for cell in groups):
            yield f"{name}: in {pluralize(n_same, 'cell')} two groups have the same sentence, which shows no difference."
        if own.n_unequal:
            yield (
                f"{name}: with all differing tokens neutral, {pluralize(own.n_unequal, 'cell')} would still differ, "
                "because the groups do not have the same sentences then, for example not the same number of tokens."
            )
    if answers.n_ruled:
        yield (
            f"A rule decides {pluralize(answers.n_ruled, 'sentence')}. Probabilities and decisions are those of the rule, "
            "log-odds and terms those of the model alone."
        )


def _describe_single_words(name: str, groups: Sequence[Any], differing: TokenDifferences) -> Iterator[str]:
    """A remark about groups for which only one word stands."""
    words: dict[Any, list[str]] = {group: [] for group in groups}
    for each in differing.tokens:
        for group in each.groups:
            words[group].append(each.token)
    if single := [f"{show_line(group)} ({show_line(found[0])})" for group, found in words.items() if len(found) == 1]:
        names = ", ".join(single[:N_NAMED]) + (", …" if len(single) > N_NAMED else "")
        yield f"{name}: one word alone stands for {names}. A difference may be due to this word, and not to the group."


def _share_texts(groups: Mapping[int, Sequence[int]], texts: Sequence[str]) -> bool:
    """Whether two groups of a cell have the same text."""
    of_group = [{texts[row] for row in rows} for rows in groups.values()]
    return len(set().union(*of_group)) < sum(map(len, of_group))


def _name_hidden(n_labels: int, n_shown: int) -> Iterator[str]:
    if n_shown < n_labels:
        yield f"The {n_shown} labels with the largest differences are shown, of {n_labels}; p-values are corrected for all."

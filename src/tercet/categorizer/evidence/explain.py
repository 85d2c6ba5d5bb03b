"""The weights of a decision, term by term; and what each term adds to weighted sums of the scores of many texts."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.evidence.meanings import add_meanings, list_meanings, sum_meanings
from tercet.categorizer.evidence.word_lines import Line, WordsOfCharacters, locate_lines, make_kinds, name_words
from tercet.categorizer.scorer import Scorer
from tercet.counts.labels import find_labels
from tercet.data.document_batches import collect_documents, list_texts
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidText
from tercet.interruption import check_wanted
from tercet.kernel import engine
from tercet.models.classifier import normalize_scores
from tercet.options import check_count
from tercet.report.explanation.evidence import Evidence, Span, add_up
from tercet.report.explanation.explanation import Explanation, RuleDecision
from tercet.text.analyzer import Analyzer

LocatedTerm = tuple[str, Sequence[Span]]
UNKNOWN = "(unknown terms)"
BLOCK = 1 << 20  # weights at a time: limits the memory
DIGITS = 9  # odds that differ less are tied: they differ by rounding


def explain_text(scorer: Scorer, text: Any, label: Any, against: Any, *, arithmetic: bool = False) -> Explanation:
    """An explanation in which prior + Σ evidence = log-odds of the label against the other label."""
    documents = scorer.add_measures(_check_single(text))
    text = scorer.join(documents)[0]
    scores = scorer.score_labels(documents)
    rule, ranked = scorer.find_rule(text), _rank_labels(scorer, scores)
    labels = scorer.labels.tolist()
    decision = None if rule is None else RuleDecision(rule.name, rule.label, labels[ranked[0]])
    if rule is not None:  # its label comes before those of the model
        ranked.sort(key=lambda index: labels[index] != rule.label)
    a, b = _choose_two_labels(scorer, ranked, label, against)

    def compare(values: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            # If both labels are impossible, the difference is 0.
            return np.nan_to_num(values[:, 0] - values[:, 1], nan=0.0, posinf=np.inf, neginf=-np.inf)

    check_wanted()
    located = scorer.analyzer.located_terms(text)
    check_wanted()
    numbers = scorer.find(text)
    known = scorer.weights.known(numbers).tolist()
    values = compare(scorer.weights.occurrence_values(numbers, [a, b]))
    if scorer.weights.counts_once:
        values = _share_values(values, [term if is_known else None for (term, _), is_known in zip(located, known, strict=True)])
    meanings = list_meanings(scorer, text, a, b)
    evidence = add_meanings(
        _add_lines(scorer.analyzer, text, list(zip(located, values.tolist(), known, strict=True))),
        meanings,
        "" if scorer.added is None else scorer.added.mark,
    )
    absent = scorer.weights.absent_values(numbers)
    others = [] if absent is None else [Evidence("(absent terms)", (), float(compare(absent[None, [a, b]])[0]))]
    numeric = _numeric_evidence(scorer, documents, a, b)
    others += numeric
    prior = float(compare(scorer.weights.prior[None, [a, b]])[0])
    calibrated = _compare_probabilities(scorer, scores, a, b)
    columns = () if scorer.analyzer.layout is None else scorer.analyzer.layout.names
    unknown = name_words(scorer.analyzer, (term for (term, _), is_known in zip(located, known, strict=True) if not is_known))
    meant = {meaning.word for meaning in meanings}
    unknown = tuple(name for name in unknown if name not in meant)
    whole = (*evidence, *others)
    # Between labels that are both impossible the prior decides, and the numeric columns, which make no label impossible.
    is_impossible = bool(np.isneginf(scorer.log_joint(documents)[0, [a, b]]).all())
    instead = add_up([prior, *(item.value for item in numeric)]) if is_impossible else None
    overall, n = float(np.exp(scorer.to_log_proba(scores)[0, a])), len(labels)
    explanation = Explanation(
        *(text, labels[a], labels[b], prior, whole, unknown, calibrated, columns),
        rule=decision,
        score_instead=instead,
        overall_probability=overall,
        n_labels=n,
    )
    if not arithmetic:
        return explanation
    from tercet.categorizer.evidence.formulas import add_arithmetic  # on first use: most explanations have none

    found = zip(located, numbers.tolist(), values.tolist(), known, strict=True)
    occurrences = [(term, number, value) if is_known else (UNKNOWN, -1, value) for (term, _), number, value, is_known in found]
    return add_arithmetic(explanation, scorer, (a, b), occurrences, others, documents, meanings)


def _share_values(values: Floats, keys: Sequence[str | None]) -> Floats:
    """The value of a term that counts once, shared equally by its occurrences. All unknown terms count as one."""
    counts = Counter(keys)
    return values / np.array([counts[key] for key in keys], np.float64)


def _add_lines(analyzer: Analyzer, text: str, occurrences: Sequence[tuple[LocatedTerm, float, bool]]) -> list[Evidence]:
    """The evidence of each line: the sum of the terms in it. All unknown terms are one line, if they add anything."""
    if not any(value for _, value, is_known in occurrences if not is_known):
        occurrences = [each for each in occurrences if each[2]]
    lines = locate_lines(analyzer, text, [term for term, _, _ in occurrences])
    found: dict[Line | None, dict[str, list[tuple[Sequence[Span], float]]]] = {}
    spans_of: dict[Line | None, dict[Span, None]] = {}
    for (line, spans), ((term, own), value, is_known) in zip(lines, occurrences, strict=True):
        check_wanted()
        key, name = (line, term) if is_known else (None, UNKNOWN)
        found.setdefault(key, {}).setdefault(name, []).append((own, value))
        spans_of.setdefault(key, {}).update(dict.fromkeys(spans))
    evidence = [_make_evidence(line.name if line else UNKNOWN, tuple(spans_of[line]), terms) for line, terms in found.items()]
    return [item for line, item in zip(found, evidence, strict=True) if line or item.value]


def _make_evidence(name: str, spans: tuple[Span, ...], terms: Mapping[str, Sequence[tuple[Sequence[Span], float]]]) -> Evidence:
    parts = tuple(
        Evidence(term, tuple(span for own, _ in found for span in own), add_up(value for _, value in found))
        for term, found in terms.items()
    )
    if len(parts) > 1:
        return Evidence(name, spans, add_up(part.value for part in parts), parts)
    return parts[0] if parts[0].term == name else parts[0]._replace(term=name, parts=parts)


def list_informative(scorer: Scorer, n: int, *, detail: bool = False) -> dict[Any, list[tuple[str, float]]]:
    """For each label its n strongest terms. Ties go to the term with the larger value, which is the more frequent one for naive
    Bayes, and then to the first in canonical order. With `JelinekMercer` all terms of one label alone are tied.

    If the model has words and character n-grams, only words are listed, unless `detail` is given.
    """
    check_count("n", n)
    order, labels, terms = scorer.table.order(), scorer.labels.tolist(), scorer.table.terms()
    order = order[scorer.weights.known(order)]
    kinds = make_kinds(scorer.analyzer)
    is_folded = kinds.has_words and kinds.has_characters and not detail
    if is_folded:
        order = order[scorer.table.character_flags()[order] == 0]
    strongest: list[list[tuple[float, float, int]]] = [[] for _ in labels]
    size = max(1, BLOCK // len(labels))
    for begin in range(0, len(order), size):
        values = scorer.weights.term_values(order[begin : begin + size])
        odds = _round(values if len(labels) == 1 else scorer.weights.odds_against_rest(values))
        for index, (column, own) in enumerate(zip(odds.T, values.T, strict=True)):
            best = _rank_largest(column, own, n)
            merged = strongest[index] + [(-float(column[i]), -float(own[i]), begin + int(i)) for i in best]
            strongest[index] = sorted(merged)[:n]
    names = {i: terms[order[i]] for rows in strongest for *_, i in rows}
    if is_folded:
        names = {i: kinds.name_term(term) for i, term in names.items()}
    return {label: [(names[i], -value) for value, _, i in rows] for label, rows in zip(labels, strongest, strict=True)}


def _round(odds: Floats) -> Floats:
    """Odds that can be compared. They stay as they are if they are too large to be rounded."""
    with np.errstate(over="ignore"):
        rounded = np.round(odds, DIGITS)
    return np.where(np.isfinite(rounded), rounded, odds)


def _rank_largest(values: Floats, second: Floats, n: int) -> Integers:
    """The indices of the n largest values, the largest first. Ties are decided by the second value, and then by their order.

    Sorting all of them would take longer.

    >>> _rank_largest(np.array([1.0, 3.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0, 2.0]), 2)
    array([3, 1])
    """
    lowest = -np.inf if n >= len(values) else np.partition(values, len(values) - n)[len(values) - n]
    (candidates,) = np.nonzero(~(values < lowest))
    return np.asarray(candidates[np.lexsort((-second[candidates], -values[candidates]))[:n]], np.int64)


def _rank_labels(scorer: Scorer, scores: Floats) -> list[int]:
    """The indices of all labels, the best by the model alone first."""
    ranked: list[int] = np.argsort(
        -(scores if scorer.calibration is None else np.exp(scorer.to_log_proba(scores)))[0], kind="stable"
    ).tolist()
    return ranked


def _choose_two_labels(scorer: Scorer, ranked: list[int], label: Any, against: Any) -> tuple[int, int]:
    if len(scorer.labels) < 2:
        raise InvalidLabel("there is only one label, so there is no evidence for or against it: explain needs two.")
    b = None if against is None else int(find_labels([against], scorer.labels)[0])
    a = next(index for index in ranked if index != b) if label is None else int(find_labels([label], scorer.labels)[0])
    if b is None:
        b = next(index for index in ranked if index != a)
    if a == b:
        raise InvalidLabel(f"{label!r} against itself has no evidence. Name two different labels.")
    return a, b


def _compare_probabilities(scorer: Scorer, scores: Floats, a: int, b: int) -> float | None:
    """p(a) / (p(a) + p(b)) of the model's calibrated probabilities; None without a calibration, or if both are 0."""
    if scorer.calibration is None:
        return None
    log_proba = scorer.to_log_proba(scores)[:, [a, b]]
    return None if np.isneginf(log_proba).all() else float(np.exp(normalize_scores(log_proba)[0, 0]))


def _check_single(text: Any) -> Any:
    """The text in a list, or the same Documents with their text in a list."""
    text = text if isinstance(text, str) else collect_documents(text)
    texts = list(text.texts) if isinstance(text, Documents) else [text]
    if len(texts) != 1 or not isinstance(texts[0], str):
        raise InvalidText("explain takes one text: a str, or Documents with one text.")
    return replace(text, texts=texts) if isinstance(text, Documents) else texts


def _numeric_evidence(scorer: Scorer, documents: Any, a: int, b: int) -> list[Evidence]:
    if not scorer.numeric:
        return []
    scores = scorer.numeric_scores(documents, 1)[0]
    numbers = documents.numbers(scorer.numeric)[0]
    return [
        Evidence(f"{name} = {number:g}", (), float(difference))
        for name, number, difference in zip(scorer.numeric, numbers, scores[a] - scores[b], strict=True)
    ]


AT_A_TIME = 1 << 21  # values of terms at a time: limits the memory
ROUNDING = 1e-12  # a sum that is smaller, compared with its parts, is a rounding error


class TermSums(NamedTuple):
    """The names of terms and of numeric columns, and for each of them sums of scores, terms × sums × scores.

    Terms are the lines of an explanation: character n-grams are folded into the words that they stand in, if these are known.
    """

    names: list[str]
    values: Floats


class Entries(NamedTuple):
    """The distinct terms of some texts: text i has the entries ends[i] … ends[i + 1]. -1 stands for all unknown terms."""

    ends: Integers
    terms: Integers
    counts: Floats

    @property
    def texts(self) -> Integers:
        """The text of each entry."""
        return np.repeat(np.arange(len(self.ends) - 1), np.diff(self.ends))

    def cut(self, most: int) -> Iterator[tuple[int, int, "Entries"]]:
        """Blocks of texts with about `most` entries each: the first text, the first text after it, and their entries.

        >>> entries = Entries(np.array([0, 3, 5, 6, 8]), np.arange(8), np.ones(8))
        >>> [(first, last) for first, last, _ in entries.cut(4)]
        [(0, 2), (2, 4)]
        """
        blocks = self.ends[:-1] // max(most, 1)
        for first, last in pairwise([0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), len(blocks)]):
            part = slice(self.ends[first], self.ends[last])
            yield first, last, Entries(self.ends[first : last + 1] - self.ends[first], self.terms[part], self.counts[part])


def sum_term_scores(scorer: Scorer, documents: Documents, weights: Floats, labels: Floats) -> TermSums:
    """For each term Σ weight · (the score that the term adds to the text).

    `weights` has a column for each sum, documents × sums. `labels` says which scores are summed: a column has a weight for each
    label, such as 1 for a label and -1 for another. Over all terms, the sums add up to the sum of the scores, without prior,
    bias and the score of absent terms: these are the same for all texts, so they cancel if the weights add up to 0.
    """
    documents = scorer.add_measures(documents)
    words = WordsOfCharacters.of(scorer, list_texts(scorer.join(documents)))
    sums, begin = LineSums(scorer, weights.shape[1], labels.shape[1]), 0
    n_values = max(len(scorer.labels), sums.size.size)  # of an entry
    for rows in scorer.read_rows(documents):
        for first, last, entries in list_entries(scorer, rows).cut(AT_A_TIME // n_values):
            texts = np.arange(begin + first, begin + last)
            values = scorer.weights.row_values(*entries) @ labels
            own = np.repeat(weights[texts], np.diff(entries.ends), axis=0)
            folded = np.zeros(len(values), np.bool_) if words is None else words.detect_folded(texts, entries)
            if words is not None and folded.any():
                sums.add_lines(words.lines, words.of_line, words.sum(texts, entries, folded, values, weights))
            sums.add_terms(entries.terms[~folded], values[~folded][:, None, :] * own[~folded][:, :, None])
            sums.size += np.abs(own).T @ np.abs(values)
        begin += len(rows)
    if scorer.added is not None:
        found = sum_meanings(scorer, scorer.added, documents, weights, labels)
        sums.add_lines([Line(name, is_word=False) for name in found.names], np.arange(len(found.names)), found.values)
        sums.size += found.size
    sums.add_numeric(documents, weights, labels)
    return sums.finish()


def list_entries(scorer: Scorer, rows: engine.Rows) -> Entries:
    """The distinct terms of each text with their counts. All unknown terms of a text are one entry, if they add anything."""
    ends, columns, counts = rows.arrays()
    terms = columns.astype(np.int64)
    known = scorer.weights.known(terms)
    if not scorer.weights.row_values(np.array([0, 1]), np.array([-1]), np.ones(1)).any():
        return Entries(np.concatenate([[0], np.cumsum(known)])[ends], terms[known], counts[known])
    of_text = np.repeat(np.arange(len(rows)), np.diff(ends))
    n_unknown = rows.n_unknown() + np.bincount(of_text[~known], counts[~known], len(rows))
    (with_unknown,) = np.nonzero(n_unknown)
    of_text = np.concatenate([of_text[known], with_unknown])
    order = np.argsort(of_text, kind="stable")
    terms = np.concatenate([terms[known], np.full(len(with_unknown), -1)])[order]
    counts = np.concatenate([counts[known], n_unknown[with_unknown]])[order]
    return Entries(np.searchsorted(of_text[order], np.arange(len(rows) + 1)), terms, counts)


class LineSums:
    """Sums of the parts of each line. `size` is the sum of the sizes of all parts."""

    def __init__(self, scorer: Scorer, n_sums: int, n_scores: int) -> None:
        self.size = np.zeros((n_sums, n_scores))
        self._scorer = scorer
        self._lines: dict[Line, int] = {}
        self._indices: list[Integers] = []
        self._parts: list[Floats] = []

    def add_terms(self, terms: Integers, parts: Floats) -> None:
        """Parts of these terms, entries × sums × scores."""
        distinct, indices = np.unique(terms, return_inverse=True)
        self.add_lines(self._name(distinct), np.arange(len(distinct)), _add_up(parts, indices, len(distinct)))

    def add_lines(self, lines: Sequence[Line], indices: Integers, parts: Floats) -> None:
        """Parts of the lines at these indices."""
        numbers = np.array([self._lines.setdefault(line, len(self._lines)) for line in lines], np.int64)
        self._indices.append(numbers[indices])
        self._parts.append(parts)

    def add_numeric(self, documents: Documents, weights: Floats, labels: Floats) -> None:
        """Parts of the numeric columns."""
        if self._scorer.numeric:
            scores = self._scorer.numeric_scores(documents, len(weights))  # texts × labels × columns
            parts = np.einsum("tlc,ls,tw->tcws", scores, labels, weights)
            lines = [Line(name, is_word=False) for name in self._scorer.numeric]
            self.add_lines(lines, np.arange(len(lines)), parts.sum(axis=0))
            self.size += np.abs(parts).sum(axis=(0, 1))

    def finish(self) -> TermSums:
        """The sums; 0 if the parts of a line cancel but for rounding errors."""
        parts = np.concatenate([np.zeros((0, *self.size.shape)), *self._parts])
        sums = _add_up(parts, np.concatenate([np.zeros(0, np.int64), *self._indices]), len(self._lines))
        return TermSums([line.name for line in self._lines], np.where(np.abs(sums) <= ROUNDING * self.size, 0.0, sums))

    def _name(self, terms: Integers) -> list[Line]:
        """The line of each of these terms, as explanations name it."""
        kinds, spelled = make_kinds(self._scorer.analyzer), self._scorer.names.spell(terms[terms >= 0]).tolist()
        lines = [Line(UNKNOWN, is_word=False)] * (len(terms) - len(spelled))  # -1 is the first
        if not kinds.has_characters:
            return lines + [Line(term, is_word=False) for term in spelled]
        is_word = self._scorer.table.character_flags()[terms[terms >= 0]] == 0
        named = (kinds.name_term(term) if own else term for term, own in zip(spelled, is_word.tolist(), strict=True))
        return lines + [Line(name, own and " " not in name) for name, own in zip(named, is_word.tolist(), strict=True)]


def _add_up(parts: Floats, indices: Integers, n: int) -> Floats:
    """The sum of the parts at each index."""
    flat = parts.reshape(len(parts), math.prod(parts.shape[1:]))
    columns = [np.bincount(indices, column, n).astype(np.float64) for column in flat.T]
    return np.stack(columns, axis=1).reshape(n, *parts.shape[1:])

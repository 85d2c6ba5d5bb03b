"""`tune`: a race of candidates on the same folds, the winner fitted on all documents, and an honest estimate of it.

The candidates are recipes × models × calibration, the simplest first.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.record import METRICS as RECORDED
from tercet.categorizer.files.record import TrainingRecord
from tercet.categorizer.fitting import fit, hold_afresh
from tercet.categorizer.held_out.held_out import HeldDocuments, assign_documents, describe_folds, number_rows, score_fold
from tercet.categorizer.model.calibrator import calibrate_held_out
from tercet.categorizer.model.text_model import TrainedState
from tercet.categorizer.rules import overrule
from tercet.categorizer.state import DocumentsDigest, digest_counts
from tercet.characters import show_line
from tercet.counts.fingerprints import digest_prints
from tercet.counts.labels import Labels
from tercet.counts.units import to_numbers
from tercet.data.document_batches import collect_documents, open_batches
from tercet.data.documents import Documents
from tercet.data_frames import make_frame
from tercet.errors import InvalidLabel, InvalidOption, bad_option, shorten
from tercet.evaluation.best_of_several import Choose, Measured, SeveralAnswers, estimate_choice
from tercet.evaluation.intervals import Estimate, estimate_student
from tercet.evaluation.metrics import Metric, find_metric
from tercet.evaluation.resampling import Resampling
from tercet.models.linear_svm import LinearSVM
from tercet.models.logistic_regression import LogisticRegression
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.nbsvm import NBSVM
from tercet.models.stack import Stack
from tercet.options import check_count, check_flag, check_seed
from tercet.report.forms import Rendering, simplify
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_estimate, write_signature
from tercet.text.analyzer import Analyzer, resolve_analyzer

WORDS, PAIRS, MARKS = "words", "words 1-2", "words and marks 1-2"
CHARACTERS = "words and marks 1-2, characters 2-5"
NOT_CALIBRATED = ", not calibrated"

# The order is that of simplicity: naive Bayes only counts; margins are trained; `auto` combines several margins.
CANDIDATES: tuple[tuple[str, type | None, dict[str, Any], tuple[str, ...]], ...] = (
    ("naive Bayes", NaiveBayes, {}, (WORDS, PAIRS, MARKS, "sentiment", "spam", "tweets")),
    ("linear SVM", LinearSVM, {}, (MARKS, "sentiment")),
    ("logistic regression", LogisticRegression, {}, (MARKS,)),
    ("NB-SVM", NBSVM, {}, (MARKS, "sentiment")),
    ("NB-SVM", NBSVM, {"C": 0.1}, (CHARACTERS,)),  # many terms of a document say the same, so each should say less
    ("auto", None, {}, (MARKS, "sentiment", "spam")),
)


def list_candidates(threads: int | None = None) -> dict[str, Categorizer]:
    """The candidates by their names, the simplest first. A calibrated one comes before the same without calibration.

    >>> list(list_candidates())[:3]
    ['naive Bayes, words', 'naive Bayes, words, not calibrated', 'naive Bayes, words 1-2']
    """
    return dict(_make_candidates(threads))


def _make_candidates(threads: int | None) -> Iterator[tuple[str, Categorizer]]:
    for name, kind, options, recipes in CANDIDATES:
        for recipe in recipes:
            model = "auto" if kind is None else kind(**options)
            yield f"{name}, {recipe}", Categorizer(make_recipe(recipe), model, calibrate="auto", threads=threads)
            if kind is not None:  # `auto` is calibrated by the way it is combined
                yield f"{name}, {recipe}{NOT_CALIBRATED}", Categorizer(make_recipe(recipe), kind(**options), threads=threads)


def make_recipe(name: str) -> Analyzer:
    """The analyzer of this name: one of the recipes above, or a preset."""
    marks: dict[str, Any] = {"tokens": "words_and_marks", "word_ngrams": (1, 2)}
    own: dict[str, dict[str, Any]] = {
        PAIRS: {"word_ngrams": (1, 2)},
        MARKS: marks,
        CHARACTERS: marks | {"char_ngrams": (2, 5), "char_ngrams_over": "words"},
    }
    return Analyzer(**own[name]) if name in own else Analyzer.preset(name)


MAX_WIDTH = 70  # characters of a name


@dataclass(frozen=True)
class CandidateResult:
    """A candidate of a race: its metric on held-out documents, and its difference to the best on the same documents.

    `p_value`: how often another candidate would lead this one by so much if none were better. `worse_after`: the number of
    folds after which it was shown to be worse than another, or None. `seconds`: CPU time.
    """

    name: str
    value: Estimate
    difference: Estimate | None  # None for the best
    p_value: float
    worse_after: int | None
    seconds: float


@dataclass(frozen=True, eq=False, repr=False)
class Tuning(Rendering):
    """The result of `tune`. `categorizer` is the winner, fitted on all documents.

    - `estimate`: the metric of the winner on new documents. No document has a say in the choice that it judges.
    - `best`: the candidate with the highest metric on held-out documents.
    - `simplest`: the first candidate in the list that is not shown to be worse than the best.
    - `candidates`: all candidates, the simplest first.
    """

    metric: str
    winner: str
    best: str
    simplest: str
    takes_simplest: bool
    level: float
    estimate: Estimate
    candidates: tuple[CandidateResult, ...]
    n_documents: int
    folds: int
    signature: str
    categorizer: Any

    @property
    def sentence(self) -> str:
        """Which candidate won, and why."""
        by_name = {result.name: result for result in self.candidates}
        best, simplest = (show_line(name, MAX_WIDTH) for name in (self.best, self.simplest))
        if self.best == self.candidates[0].name:
            return f"The winner is {best}: it has the best {self.metric}, and is the simplest candidate."
        if self.best == self.simplest:
            return f"The winner is {best}: it has the best {self.metric}, and all simpler candidates are shown to be worse."
        difference = by_name[self.simplest].difference
        assert difference is not None
        behind = f"{show_estimate(difference, sign='+')} in {self.metric}"
        if self.takes_simplest:
            why = f"it is the simplest that is not shown to be worse than the best, {best} ({behind})"
            return f"The winner is {simplest}: {why}."
        return f"The winner is {best}: it has the best {self.metric}. Simpler and not shown to be worse: {simplest} ({behind})."

    def to_sheet(self) -> Sheet:
        notes, metric = Footnotes(), show_line(self.metric)
        rows = [
            (
                ("* " if result.name == self.winner else "  ") + show_line(result.name, MAX_WIDTH),
                show_estimate(result.value, notes),
                "best" if result.difference is None else show_estimate(result.difference, sign="+"),
                f"{result.p_value:.3f}",
                "" if result.worse_after is None else pluralize(result.worse_after, "fold"),
                f"{result.seconds:.1f}",
            )
            for result in self.candidates
        ]
        header = ("  candidate, the simplest first", metric, "difference to the best", "p", "shown worse after", "CPU s")
        won = ((show_line(self.winner, MAX_WIDTH), show_estimate(self.estimate, notes)),)
        estimate = Grid("estimate", ("the winner on new documents", metric), won)
        n = f"{pluralize(self.n_documents, 'document')}, {self.folds} folds, {pluralize(len(self.candidates), 'candidate')}"
        remarks = (
            self.sentence,
            "The table's numbers are of the same held-out documents that made the choice, so the highest is too high. The "
            "estimate of the winner allows for that: no document has a say in the choice that it judges.",
            "Candidates that are shown to be worse are dropped. This happens to the best one in at most "
            f"{100 * self.level:g} % of all races.",
            *notes.list(),
        )
        grids = Grid("candidates", header, tuple(rows)), estimate
        return Sheet(f"{n}; 95 % intervals in brackets", grids, remarks, show_line(self.signature, 2000))

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; an undefined number is None."""
        names = ("metric", "winner", "best", "simplest", "level", "estimate", "n_documents", "folds", "sentence", "signature")
        values = {name: getattr(self, name) for name in names}
        simple: dict[str, Any] = simplify(values | {"candidates": [vars(result) for result in self.candidates]})
        return simple

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each candidate."""
        parts = ("value", "low", "high")
        columns: dict[str, list[Any]] = {"candidate": [result.name for result in self.candidates]}
        columns |= {part: [getattr(result.value, part) for result in self.candidates] for part in parts}
        columns["difference"] = [0.0 if each.difference is None else each.difference.value for each in self.candidates]
        for name in ("p_value", "worse_after", "seconds"):
            columns[name] = [getattr(result, name) for result in self.candidates]
        return make_frame(columns)


LEVEL = 0.05  # the probability that the best of all candidates is called worse, in all looks together
FOLDS = 10
PARTS = 5  # parts of the documents; the choice is repeated without each of them
MIN_DOCUMENTS = 50
MIN_SEEN = 100  # documents that drop a candidate: the test is not exact for fewer
RECIPE = ("min_documents", "max_terms", "select", "numeric", "categorical", "fields", "rules", "remember")


class Progress(NamedTuple):
    """How far a race is: fits that are done and to do at most, and what is known so far."""

    done: int
    total: int
    known: str


Watch = Callable[[Progress], None]


def tune(
    texts: Any,
    labels: Any = None,
    *,
    metric: str = "accuracy",
    candidates: Mapping[str, Categorizer] | None = None,
    folds: int = FOLDS,
    seed: int = 0,
    simplest: bool = False,
    watch: Watch | None = None,
) -> Tuning:
    """Find the best of several categorizers for these documents, fit it on all of them, and estimate how good it is.

    Texts and labels are given as for `Categorizer.fit`. `metric` is any metric of labels: `accuracy`, `macro_f1`, `f1:LABEL`
    and others. `candidates` are categorizers by name, the simplest first; the default is a fixed list. `seed` is the random
    seed for the folds and the tests.

    All candidates predict the same held-out folds, with copies of a text in one fold. After 1, 2, 4, 8 … folds (and 100
    documents) the candidates that are shown to be worse than another are dropped. The test allows for the number of
    candidates: in all looks together the best of all is dropped with a probability of at most 5 %. The winner has the highest
    metric; of equal ones, the simplest. With `simplest` the winner is the simplest candidate that is not shown to be worse
    than the best.

    The estimate is that of the winner on new documents. No document has a say in the choice that it judges.

    >>> texts, labels = ["so good", "good film", "too long", "long film"] * 15, ["+", "+", "-", "-"] * 15
    >>> tuned = tune(texts, labels, candidates={"words": Categorizer("words"), "pairs": Categorizer()}, folds=5)
    >>> tuned.winner, tuned.categorizer.predict(["long and good and good"])
    ('words', array(['+'], dtype='<U1'))
    """
    if check_count("folds", folds) < 3:
        raise bad_option("folds", "an int >= 3", folds, "two folds are held out to judge the choice, and one must be learned.")
    check_seed(seed)
    check_flag("simplest", simplest)
    entrants = dict(list_candidates() if candidates is None else candidates)
    if len(entrants) < 2:
        raise InvalidOption(f"a race needs at least two candidates, got {len(entrants)}: there is nothing to choose from.")
    documents = collect_documents(texts)
    if not isinstance(documents, Documents):
        documents = Documents(documents, labels)
    race = Race(entrants, documents, metric, folds, seed)
    race.run(watch or (lambda progress: None))
    return _finish(race, texts, documents, simplest=simplest)


@dataclass(eq=False)
class Entrant:
    """A candidate in the race. Candidates that differ only by calibration share their scores."""

    name: str
    categorizer: Categorizer
    shared: "SharedScores"
    predicted: Integers  # the answer to each document so far
    without: list[Integers] = field(default_factory=list)  # for each part, its answers to other documents without the part
    seconds: float = 0.0  # CPU time
    worse_after: int | None = None  # the number of folds after which it was shown to be worse
    p_value: float = 1.0

    def predict(self, documents: Integers) -> None:
        """Answer these documents, whose scores are known. Each calibration is fitted to other documents."""
        began = time.process_time()
        self.predicted[documents] = self.answer(self.shared.scores, documents)
        self.seconds += time.process_time() - began

    def answer(self, scores: Floats, documents: Integers) -> Integers:
        """The answers to these documents from their scores."""
        held, method = self.shared.held, self.categorizer.calibrate
        assert held is not None
        decided = None if held.decided is None else held.decided[documents]
        if method is None:
            return np.asarray(overrule(scores[documents], decided).argmax(axis=1))
        return np.asarray(np.exp(overrule(calibrate_held_out(held, scores, documents, method), decided)).argmax(axis=1))


@dataclass(eq=False)
class SharedScores:
    """Held-out scores of one model on one recipe."""

    held: HeldDocuments | None  # None when no candidate needs it any more
    trained: TrainedState | None  # the choices that all documents make once
    scores: Floats = field(repr=False)

    def add_fold(self, documents: Integers) -> None:
        """Score these documents, which are held out together."""
        for indices, joint in self._score(documents):
            self.scores[indices] = joint

    def score_without(self, parts: Integers, watch: Callable[[], None]) -> list[Floats]:
        """For each part, the scores of all other documents by models that have not learned the part.

        Two parts are held out together. Their model scores each of them without the other.
        """
        n_parts = int(parts.max()) + 1
        scores = [np.full_like(self.scores, -np.inf) for _ in range(n_parts)]
        for a, b in combinations(range(n_parts), 2):
            watch()
            for indices, joint in self._score(np.flatnonzero((parts == a) | (parts == b))):
                in_b = parts[indices] == b
                scores[a][indices[in_b]], scores[b][indices[~in_b]] = joint[in_b], joint[~in_b]
        return scores

    def _score(self, documents: Integers) -> Iterator[tuple[Integers, Floats]]:
        assert self.held is not None
        for indices, joint, _ in score_fold(self.held, documents, self.trained):
            yield indices, joint


class Race:
    """Candidates that predict the same folds."""

    def __init__(self, candidates: Mapping[str, Categorizer], documents: Documents, metric: str, folds: int, seed: int) -> None:
        self.folds, self.seed, self.entrants = folds, seed, list[Entrant]()
        counted: list[tuple[Categorizer, HeldDocuments]] = []
        for name, candidate in candidates.items():
            self._enter(name, type(candidate)(**candidate.get_params(deep=False)), documents, counted)
            if len(self.entrants) == 1:  # before the other recipes are counted
                self.held = counted[0][1]
                self.labels: Labels = self.held.table.labels
                self.metric = find_metric(metric, self.labels)
                _check_documents(self.held, folds)
        self.fold_of = assign_documents(self.held, folds, seed, "all")
        weights = self.held.data.weights
        order = np.argsort(self.held.data.prints, kind="stable")
        self._order = order if weights is None else order[weights[order] > 0]
        self.n_parts, self.n_fits = min(PARTS, folds), 0
        self.part_of = self.fold_of % self.n_parts

    def _enter(
        self, name: str, candidate: Categorizer, documents: Documents, counted: list[tuple[Categorizer, HeldDocuments]]
    ) -> None:
        """Add a candidate. The texts are analysed once for each recipe."""
        began = time.process_time()
        like = next((other for other in self.entrants if _is_same_model(candidate, other.categorizer)), None)
        if like is not None:
            shared = like.shared
        else:
            held = next((held for other, held in counted if _is_same_recipe(candidate, other)), None)
            if held is None:
                held = hold_afresh(candidate.check_options(), open_batches(documents))
                counted.append((candidate, held))
            else:
                model = candidate.check_options().settings.model.name_prior(held.data.labels)
                held = replace(held, settings=replace(held.settings, model=model))
            scores = np.full((len(held.codes), len(held.table.labels)), -np.inf)
            shared = SharedScores(held, held.settings.model.choose(held), scores)
        self.entrants.append(Entrant(name, candidate, shared, np.zeros(len(shared.scores), np.int64)))
        self.entrants[-1].seconds = time.process_time() - began

    @property
    def left(self) -> list[Entrant]:
        """The candidates that were not dropped before the last fold."""
        return [entrant for entrant in self.entrants if entrant.worse_after in (None, self.folds)]

    def run(self, watch: Watch) -> None:
        """Predict fold after fold, and drop candidates that are shown to be worse."""
        n_pairs, known = self.n_parts * (self.n_parts - 1) // 2, "no result yet"
        seen = [np.count_nonzero(self.fold_of < done) for done in range(self.folds)]
        looks = [done for done in range(1, self.folds) if done & (done - 1) == 0 and seen[done] >= MIN_SEEN]
        for done in range(1, self.folds + 1):
            documents = np.flatnonzero(self.fold_of == done - 1)
            groups = _group_by_scores(self.left)
            for index, group in enumerate(groups):
                n_left = len(groups) * (self.folds - done + 1 + n_pairs) - index
                watch(Progress(self.n_fits, self.n_fits + n_left, known))
                self.n_fits += 1
                began = time.process_time()
                group[0].shared.add_fold(documents)
                group[0].seconds += time.process_time() - began
            if done in looks or done == self.folds:
                level = LEVEL / 2 if done == self.folds else LEVEL / 2 / len(looks)
                known = self._look(done, level)
        self._repeat(known, watch)

    def _repeat(self, known: str, watch: Watch) -> None:
        """Let the candidates that are left answer again without each part of the documents, to judge the choice."""
        groups = _group_by_scores(self.left)
        total = self.n_fits + len(groups) * self.n_parts * (self.n_parts - 1) // 2

        def count() -> None:
            watch(Progress(self.n_fits, total, known))
            self.n_fits += 1

        parts = [np.flatnonzero(self.part_of != part) for part in range(self.n_parts)]
        for group in groups:
            began = time.process_time()
            scores = group[0].shared.score_without(self.part_of, count)
            group[0].seconds += time.process_time() - began
            for entrant in group:
                began = time.process_time()
                for own, documents in zip(scores, parts, strict=True):
                    entrant.without.append(np.zeros_like(entrant.predicted))
                    entrant.without[-1][documents] = entrant.answer(own, documents)
                entrant.seconds += time.process_time() - began
            group[0].shared.held = None  # frees memory

    def _look(self, done: int, level: float) -> str:
        """Measure the candidates on the folds so far, and note those that are shown to be worse: they are dropped."""
        seen, left = np.flatnonzero(self.fold_of < done), self.left
        for entrant in left:
            entrant.predict(seen)
        measured = self.gather(left, self.fold_of < done).measure(self.metric, self.seed)
        for index, entrant in enumerate(left):
            entrant.p_value = measured.compute_p_value(index)
            if entrant.p_value < level:
                entrant.worse_after = done
        for group in _group_by_scores(self.entrants):
            if all(entrant not in self.left for entrant in group):
                group[0].shared.held = None  # frees memory
        best = left[measured.best]
        return f"{pluralize(len(self.left), 'candidate')} left, best: {best.name} {measured.values[measured.best]:.3f}"

    def gather(self, entrants: list[Entrant], documents: Flags, without: int | None = None) -> SeveralAnswers:
        """The answers of these candidates to these documents, in the order of fingerprints; or those without this part."""
        indices = self._order[documents[self._order]]
        data = self.held.data
        weights = np.ones(len(indices)) if data.weights is None else to_numbers(data.weights[indices])
        answers = [entrant.predicted if without is None else entrant.without[without] for entrant in entrants]
        predicted = np.stack([each[indices] for each in answers])
        return SeveralAnswers(self.labels, self.held.codes[indices], predicted, number_rows(data.texts[indices])[1], weights)

    def estimate(self, choose: Choose, metrics: list[Metric], plan: Resampling) -> list[Estimate]:
        """How good the chosen candidate is on new documents."""
        answers = self.gather(self.left, self.fold_of >= 0)
        without = [self.gather(self.left, self.part_of != part, part) for part in range(self.n_parts)]
        return estimate_choice(answers, self.part_of[self._order], without, self.metric, choose, metrics, plan)

    @property
    def n_documents(self) -> int:
        return len(self._order)


def choose_best(measured: Measured) -> int:
    return measured.best


def choose_simplest(measured: Measured) -> int:
    return measured.choose_system(LEVEL / 2)


def _group_by_scores(entrants: list[Entrant]) -> list[list[Entrant]]:
    groups: dict[int, list[Entrant]] = {}
    for entrant in entrants:
        groups.setdefault(id(entrant.shared), []).append(entrant)
    return list(groups.values())


def _is_same_recipe(a: Categorizer, b: Categorizer) -> bool:
    """Whether the two count the same terms. A stack adds terms to its recipe."""
    if a.analyzer is None or b.analyzer is None or any(isinstance(each.model, str | Stack) for each in (a, b)):
        return False
    is_same = resolve_analyzer(a.analyzer) == resolve_analyzer(b.analyzer)
    return is_same and all(getattr(a, name) == getattr(b, name) for name in RECIPE)


def _is_same_model(a: Categorizer, b: Categorizer) -> bool:
    """Whether the two differ at most by calibration."""
    return _is_same_recipe(a, b) and repr((a.model, a.weighting)) == repr((b.model, b.weighting))


def _check_documents(held: HeldDocuments, folds: int) -> None:
    """Raise InvalidLabel if the documents are too few to compare candidates."""
    labels, numbers = held.table.labels.tolist(), np.bincount(held.codes, minlength=len(held.table.labels))
    n = int(numbers.sum())
    if len(labels) < 2:
        raise InvalidLabel(
            f"all documents have the label {shorten(repr(labels[0]), 60)}, so every candidate is right: there is nothing to "
            "choose by. Is it the right column?"
        )
    if n < max(MIN_DOCUMENTS, folds):
        raise InvalidLabel(
            f"there are {n} documents, and tune needs {max(MIN_DOCUMENTS, folds)} or more: with fewer, differences between "
            "candidates are chance. Use train, which needs no choice."
        )
    if numbers.min() < 2:
        rare = shorten(repr(labels[int(numbers.argmin())]), 60)
        raise InvalidLabel(
            f"the label {rare} has only one document: when that is held out, no candidate knows the label. Add documents of "
            "this label, or leave it out."
        )


def _finish(race: Race, source: Any, documents: Documents, *, simplest: bool) -> Tuning:
    """Choose the winner, fit it on all documents, and estimate how good it is."""
    metric, plan, choose = race.metric, Resampling(seed=race.seed), choose_simplest if simplest else choose_best
    measured = race.gather(race.left, race.fold_of >= 0).measure(metric, race.seed)
    winner = race.left[choose(measured)]
    shown = list(dict.fromkeys([metric.name, *RECORDED]))
    metrics = [find_metric(name, race.labels) for name in shown]
    estimates = dict(zip(shown, race.estimate(choose, metrics, plan), strict=True))
    results = [_describe(race, entrant, race.left[measured.best], plan) for entrant in race.entrants]
    recipe = {"candidates": len(race.entrants), "folds": describe_folds(race.folds, race.seed, "all")}
    choice = {"choice": "simplest" if simplest else "best", "winner": winner.name}
    signature = write_signature([metric.name], race.n_documents, estimates.values(), plan, **recipe, **choice)
    _fit(race, winner.categorizer, source, documents, {name: estimates[name] for name in RECORDED}, signature)
    return Tuning(
        metric=metric.name,
        winner=winner.name,
        best=race.left[measured.best].name,
        simplest=race.left[choose_simplest(measured)].name,
        takes_simplest=simplest,
        level=LEVEL,
        estimate=estimates[metric.name],
        candidates=tuple(results),
        n_documents=race.n_documents,
        folds=race.folds,
        signature=signature,
        categorizer=winner.categorizer,
    )


def _describe(race: Race, entrant: Entrant, best: Entrant, plan: Resampling) -> CandidateResult:
    """The metric of a candidate on the folds that it has predicted, and its difference to the best on the same folds."""
    answers = race.gather([entrant, best], race.fold_of < (entrant.worse_after or race.folds))
    (value,) = answers.estimate(0, [race.metric], plan)
    return CandidateResult(
        name=entrant.name,
        value=value,
        difference=None if entrant is best else _estimate_pair(answers, race.metric, plan),
        p_value=entrant.p_value,
        worse_after=entrant.worse_after,
        seconds=entrant.seconds,
    )


def _estimate_pair(answers: SeveralAnswers, metric: Metric, plan: Resampling) -> Estimate:
    """The metric of the first system minus that of the second."""
    measured, (low, high) = answers.measure(metric), metric.bounds
    value, error = float(measured.values[0] - measured.values[1]), float(measured.compute_errors(1)[0])
    if not np.isfinite(error):
        return Estimate(0.0, 0.0, 0.0, plan.confidence, "t", "equal answers")
    return estimate_student(value, error, int(answers.groups.max()) + 1, plan.confidence, (low - high, high - low))


def _fit(
    race: Race, categorizer: Categorizer, source: Any, documents: Documents, estimate: Mapping[str, Estimate], signature: str
) -> None:
    """Fit the winner. Its record has the estimate that allows for the choice."""
    fitted, data, _ = fit(categorizer.check_options(), open_batches(documents))
    digest = DocumentsDigest(digest_prints(np.sort(data.prints)), digest_counts(fitted.state))
    record = TrainingRecord.start(source, None, 0).finish(estimate, signature, race.n_documents, digest)
    categorizer.publish(replace(fitted, record=record))

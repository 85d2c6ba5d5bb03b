"""A stack of linear models inside a categorizer: members are trained on the same rows, and their weighted sum decides."""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from tercet.arrays import Array, Floats, Integers
from tercet.categorizer.files.record import read_estimate, write_estimate
from tercet.categorizer.model import vector_member
from tercet.categorizer.model.added_block import AddedBlock, read_added, write_added
from tercet.categorizer.model.margin_model import MarginFit, MarginModel, MarginTrainer
from tercet.categorizer.model.student_member import StudentTrainer
from tercet.categorizer.model.text_model import Arrays, TrainedState
from tercet.categorizer.model.trained_margins import MarginLayer, TrainedMargins, round_values
from tercet.categorizer.model.vector_member import JoinedMember, UsualWeights, VectorTrainer, join_members
from tercet.counts.labels import Labels, find_labels
from tercet.counts.table import Mask
from tercet.counts.units import to_numbers
from tercet.errors import InvalidOption, bad_option
from tercet.evaluation.intervals import Estimate
from tercet.kernel import engine
from tercet.models.stack import CrossStacked, Member, Stack, Stacking, cross_fit_stacking

if TYPE_CHECKING:
    from tercet.categorizer.held_out.held_out import HeldDocuments

METRICS = ("accuracy", "macro_f1")
MAX_NAME_LENGTH = 100
RESAMPLES = 1000  # for the intervals of the members: the whole stack gets more


class MemberResult(NamedTuple):
    """A member of a stack: its weight, and how good it is on held-out documents."""

    name: str
    weight: float
    estimate: Mapping[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        estimate = {name: write_estimate(value) for name, value in self.estimate.items()}
        return {"name": self.name, "weight": self.weight, "estimate": estimate}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "MemberResult":
        name, weight = written["name"], written["weight"]
        if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME_LENGTH:
            raise ValueError("a member of the stack has no name")
        if type(weight) is not float or not 0 <= weight < np.inf:
            raise ValueError("the weight of a member is not a number >= 0")
        return cls(name, weight, {metric: read_estimate(written["estimate"][metric]) for metric in METRICS})


class StackedDocuments(NamedTuple):
    """The held-out documents that the stack was fitted to. Each is judged by a stack that it had no say in."""

    indices: Integers  # in the order of fingerprints
    log_proba: Floats
    n_folds: int  # how many of the folds were held out
    of_folds: int
    seed: int  # of the folds
    seconds: Mapping[str, float]  # CPU time of each member


@dataclass(frozen=True, eq=False)
class TrainedStack(TrainedMargins):
    """The members of a stack, folded into the layers of margins."""

    results: tuple[MemberResult, ...] = ()  # of all members
    held_out: StackedDocuments | None = None  # it is not written to the file
    added: AddedBlock | None = None  # what terms add that have a vocabulary of their own
    seed_weight: float | None = None  # of the seeds beside the labels, None without seeds; it is not written to the file

    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        content, arrays = super().to_file()
        about, of_blocks = write_added(self.added)
        return content | {"members": [result.to_dict() for result in self.results]} | about, arrays | of_blocks

    def describe_seeds(self) -> tuple[str, ...]:
        """How much the seeds count; nothing without seeds."""
        if self.seed_weight is None:
            return ()
        if self.seed_weight == 0:
            return ("the labels of held-out documents speak against the seeds: they do not count",)
        return (f"the seeds count with weight {self.seed_weight:g} beside the labels",)

    @classmethod
    def from_file(cls, content: Mapping[str, Any], arrays: Arrays) -> Self:
        results = tuple(MemberResult.from_dict(member) for member in content["members"])
        margins = super().from_file(content, arrays)
        return replace(margins, results=results, added=read_added(content, arrays, margins.labels))


class MemberScores(NamedTuple):
    """The scores of documents by members that have not learned them."""

    indices: Integers  # of the documents, in the order of fingerprints
    scores: Floats  # members × documents × labels of the table
    n_folds: int  # how many folds were held out; 0 if there are too few documents
    fits: list[MarginFit]  # of all members in the last fold


class HeldOutStack(NamedTuple):
    """A stack whose weights are fitted, before its members are trained on all documents."""

    team: "Team"
    present: Integers  # the indices of the labels that its documents have
    gold: Integers  # the labels of the scored documents, among the present labels
    scored: MemberScores
    crossed: CrossStacked
    vectors: VectorTrainer | None = None  # one more member, if it helps
    joined: JoinedMember | None = None  # its weight and its scores; None if no document could be held out
    student: StudentTrainer | None = None  # another one, and …
    taught: JoinedMember | None = None  # … its weight beside all others

    @property
    def log_proba(self) -> Floats:
        """log P(label | document) of the scored documents, documents × labels of the table."""
        log_proba = np.full((len(self.gold), self.scored.scores.shape[2]), -np.inf)
        log_proba[:, self.present] = self.own_log_proba
        return log_proba

    @property
    def own_log_proba(self) -> Floats:
        """The same for the present labels."""
        last = self.taught or self.joined
        return self.crossed.log_proba if last is None else last.log_proba

    @property
    def joint_weights(self) -> tuple[float, float, float]:
        """The weights of the members on terms together, of the member on word vectors, and of the student."""
        of_words, of_student = np.array([1.0, 0.0]), np.array([1.0, 0.0])
        if self.vectors is not None:
            of_words = vector_member.USUAL.weights if self.joined is None else self.joined.weights
        if self.student is not None:
            of_student = self.student.usual.weights if self.taught is None else self.taught.weights
        terms, words = (of_student[0] * of_words).tolist()
        return terms, words, float(of_student[1])

    def list_joined(self) -> list[tuple[str, float, Floats]]:
        """The name, the weight and the held-out scores of the members that are joined with the stack."""
        _, of_words, of_student = self.joint_weights
        name = "" if self.student is None else self.student.name
        joined = (vector_member.NAME, of_words, self.joined), (name, of_student, self.taught)
        return [(name, weight, own.scores) for name, weight, own in joined if own is not None]


@dataclass(frozen=True)
class StackModel(MarginModel):
    """A `Stack` on the documents of a categorizer. It has margins, as its members have."""

    estimator: Stack  # type: ignore[assignment]

    trained_type: ClassVar[type[TrainedState]] = TrainedStack
    has_blocks: ClassVar[bool] = True
    is_calibrated: ClassVar[bool] = True

    @classmethod
    def check_options(cls, estimator: Stack | None, min_documents: int, threads: int, weighting: Any) -> Self:
        """The model, with a copy of the estimator, because the user may change the original. None is `Stack()`."""
        if weighting is not None:
            raise bad_option("weighting", "None", weighting, "each member of a stack has its own weighting.")
        checked = (Stack() if estimator is None else estimator).copy_checked()
        if checked.blocks is not None:
            raise bad_option("blocks", "None", checked.blocks, "in a categorizer the kind of a term is its block.")
        return cls(checked, min_documents, threads)

    def _train_on(self, held: "HeldDocuments", documents: Integers | None, kept: Mask | None) -> TrainedStack:
        """A stack trained on all documents, or on these. Its weights are fitted to documents that its members had not seen."""
        stack = self.hold_out(held, documents, kept)
        team, present, gold, scored, crossed, *_ = stack
        # If no document could be held out, the first member decides alone.
        used = crossed.stacking.used.tolist() or [0]
        fits = team.train(used, held.pick_weighted(documents), starts=scored.fits)
        stacking = crossed.stacking.scale(stack.joint_weights[0])
        layers, bias = fold_members(team.members, used, fits, stacking, self.threads)
        labels = held.table.labels[present]
        trained = self._add_blocks(TrainedStack(labels, layers, bias, team.trainer.blocks), stack, held, documents)
        if not scored.n_folds:
            return trained
        names = [member.name for member in team.members]
        found = [*zip(names, stacking.weights.tolist(), scored.scores[:, :, present], strict=True), *stack.list_joined()]
        results = tuple(MemberResult(name, weight, judge(labels, gold, own)) for name, weight, own in found)
        folds, seed = self.estimator.folds, self.estimator.seed
        held_out = StackedDocuments(scored.indices, stack.log_proba, scored.n_folds, folds, seed, team.list_seconds())
        return replace(trained, results=results, held_out=held_out)

    def _add_blocks(
        self, trained: TrainedStack, stack: HeldOutStack, held: "HeldDocuments", documents: Integers | None
    ) -> TrainedStack:
        """The stack with the block of the members that are joined with it."""
        indices = held.pick_weighted(documents)
        of_all = np.bincount(held.codes[indices], minlength=len(held.table.labels))
        _, of_words, of_student = stack.joint_weights
        bias, block, directions = trained.bias, None, np.zeros(())
        seed_weight = None if stack.student is None or not stack.student.has_seeds else 0.0
        if stack.vectors is not None and of_words > 0:
            fit = stack.vectors.train(indices, of_all)
            bias, directions = bias + of_words * fit.directions.bias, of_words * fit.directions.values
            if stack.student is None or of_student == 0:
                words = stack.vectors.fold(directions, fit.usable)
                block = AddedBlock.of_words(stack.vectors.vectors.identity, stack.vectors.recipe, words, trained.labels)
        if stack.student is not None and of_student > 0:
            taught = stack.student.train(indices, of_all)
            bias = bias + of_student * taught.terms.bias
            if taught.words is not None:
                own = taught.words.directions  # of the same words: both directions are one
                bias, directions = bias + of_student * own.bias, directions + of_student * own.values
            block = stack.student.fold(taught, of_student, directions)
            seed_weight = None if seed_weight is None else taught.seed_weight
        return replace(trained, bias=bias, added=block, seed_weight=seed_weight)

    def list_decisions(self, trained: TrainedState) -> tuple[str, ...]:
        """Which of the usual members were not trained, because there are too many terms and labels; what seeds are worth."""
        if not isinstance(trained, TrainedStack):
            return ()
        return (*self._name_left_out(trained), *trained.describe_seeds())

    def _name_left_out(self, trained: TrainedStack) -> tuple[str, ...]:
        if self.estimator.members is not None or not trained.results:
            return ()
        usual = self.estimator.list_members(has_characters=trained.blocks is not None)
        own = {result.name for result in trained.results}
        names = [member.name for member in usual if member.name not in own]
        return tuple(f"the documents have too many terms and labels for one more member: {name} is left out" for name in names)

    def hold_out(self, held: "HeldDocuments", documents: Integers | None, kept: Mask | None) -> HeldOutStack:
        """The stack of all documents, or of these, up to the weights of its members."""
        from tercet.categorizer.model.calibrator import deal_texts  # on first use: it imports the models

        indices = held.pick_weighted(documents)
        team = self._gather_team(held, indices, kept)
        scored = self._hold_out(held, indices, team)
        present = np.flatnonzero(np.bincount(held.codes[indices]))
        gold, scores = np.searchsorted(present, held.codes[scored.indices]), scored.scores[:, :, present]
        weights = None if held.data.weights is None else to_numbers(held.data.weights[scored.indices])
        folds = deal_texts(held.data.texts[scored.indices], gold)
        crossed = cross_fit_stacking(scores, gold, weights, folds)
        stack = HeldOutStack(team, present, gold, scored, crossed)
        vectors = VectorTrainer.of(team.trainer, held)
        student = StudentTrainer.of(held, vectors)
        if not scored.n_folds:
            return stack._replace(vectors=vectors, student=student)
        dealt = held.deal(indices, self.estimator.folds, self.estimator.seed)

        def join(name: str, member: VectorTrainer | StudentTrainer, usual: UsualWeights) -> JoinedMember:
            began = time.thread_time()
            own = member.hold_out(held, indices, dealt, scored.indices)[:, present]
            joined = join_members(stack.own_log_proba, own, gold, weights, folds, usual)
            team.note_seconds(name, time.thread_time() - began)
            return joined

        if vectors is not None:
            stack = stack._replace(vectors=vectors, joined=join(vector_member.NAME, vectors, vector_member.USUAL))
        if student is not None:
            stack = stack._replace(student=student, taught=join(student.name, student, student.usual))
        return stack

    def _gather_team(self, held: "HeldDocuments", indices: Integers, kept: Mask | None) -> "Team":
        """The members for the documents at these indices."""
        flags = np.asarray(held.table.table.character_flags(), np.uint8)
        trainer = MarginTrainer.of(held, flags if flags.any() else None)
        n_labels = np.count_nonzero(np.bincount(held.codes[indices]))
        n_steps = float(trainer.count_entries(indices) * (n_labels if n_labels > 2 else 1))
        members = self.estimator.list_members(has_characters=trainer.blocks is not None, n_steps=n_steps)
        is_chosen = self.estimator.members is not None
        return Team(trainer, members, kept, self.min_documents, self.threads, warns=is_chosen)

    def _hold_out(self, held: "HeldDocuments", indices: Integers, team: "Team") -> MemberScores:
        """Scores of some of the documents at these indices, by members that are trained on the others."""
        codes = held.codes[indices]
        n_used = self.estimator.count_used_folds(len(indices), np.bincount(codes))
        folds = held.deal(indices, self.estimator.folds, self.estimator.seed) if n_used else np.zeros(len(indices), np.int64)
        if any(np.count_nonzero(np.bincount(codes[folds != fold])) < 2 for fold in range(n_used)):
            n_used = 0  # all documents of a label are copies of one text, which are held out together
        if not (folds < n_used).any():
            n_used = 0  # almost all documents are copies of one text, and their fold is not among those that are used
        scores = np.full((len(team.members), len(indices), len(held.table.labels)), -np.inf)
        fits: list[MarginFit] = []
        for fold in range(n_used):
            (inside,) = np.nonzero(folds == fold)
            fits = team.train(range(len(team.members)), indices[folds != fold], scored=indices[inside])
            for own, fit in zip(scores, fits, strict=True):
                own[np.ix_(inside, find_labels(fit.labels, held.table.labels))] = fit.scores
        chosen = np.flatnonzero(folds < n_used)
        chosen = chosen[np.argsort(held.data.prints[indices[chosen]], kind="stable")]
        return MemberScores(indices[chosen], scores[:, chosen], n_used, fits)


class Team:
    """The members of a stack, and the rows that all of them are trained on. Members are trained side by side."""

    def __init__(
        self,
        trainer: MarginTrainer,
        members: Sequence[Member],
        kept: Mask | None,
        min_documents: int,
        threads: int,
        *,
        warns: bool,
    ) -> None:
        self.trainer, self.members, self._kept, self._warns = trainer, members, kept, warns
        self._min_documents, self._threads = min_documents, threads
        self._seconds = np.zeros(len(members))
        self._others: dict[str, float] = {}

    def train(
        self,
        numbers: Sequence[int],
        indices: Integers,
        *,
        scored: Integers | None = None,
        starts: Sequence[MarginFit] = (),
    ) -> list[MarginFit]:
        """Train these members on the documents at these indices. `starts` are earlier results of all members.

        With `scored`, the margins score the documents at these indices, and their values are not wanted.
        """

        def train_one(number: int) -> MarginFit:
            began, member = time.thread_time(), self.members[number]
            fit = self.trainer.train(
                member.estimator,
                member.weighting,
                terms=self._mask_terms(member),
                documents=indices,
                min_documents=self._min_documents,
                start=starts[number] if starts else None,
                blocks_used=1 if member.terms == "words" else None,
                scored=scored,
                wants_values=scored is None,
                warns=self._warns,
            )
            self._seconds[number] += time.thread_time() - began
            return fit

        with ThreadPoolExecutor(max(1, min(self._threads, len(numbers)))) as pool:
            return list(pool.map(train_one, numbers))

    def _mask_terms(self, member: Member) -> Mask | None:
        """The terms that the member may use. A member on words reads the first block only, and needs no mask."""
        if member.terms != "characters":
            return self._kept
        blocks = self.trainer.blocks
        if blocks is None:
            raise InvalidOption("a member on characters needs character n-grams: use an Analyzer with char_ngrams.")
        return blocks if self._kept is None else blocks * self._kept[: len(blocks)]

    def note_seconds(self, name: str, seconds: float) -> None:
        """Note the CPU time of a member that is joined with these."""
        self._others[name] = seconds

    def list_seconds(self) -> dict[str, float]:
        own = {member.name: float(seconds) for member, seconds in zip(self.members, self._seconds, strict=True)}
        return own | self._others


def fold_members(
    members: Sequence[Member], used: Sequence[int], fits: Sequence[MarginFit], stacking: Stacking, threads: int
) -> tuple[tuple[MarginLayer, ...], Floats]:
    """The used members as layers of one linear model, and its biases. Members that weigh counts alike share a layer.

    The values of the fits are overwritten, because they may be large.
    """
    groups: dict[tuple[Any, ...], list[int]] = {}
    for index, number in enumerate(used):
        member = members[number]
        # Without a weighting, each known term counts once: terms that a member does not know have values of 0.
        key = () if member.weighting is None else (repr(member.weighting), member.terms)
        groups.setdefault(key, []).append(index)
    weights = stacking.weights[list(used)]
    effects = None if stacking.mix is None else stacking.effects[list(used)]
    layers = []
    for group in groups.values():
        weighting = members[used[group[0]]].weighting
        damping, norm = ("binary", None) if weighting is None else (weighting.tf, weighting.norm)
        values = [fits[index].values for index in group]
        if effects is None:
            engine.mix_values(values, weights[group], None, threads)
        else:  # the weights are on the diagonals of the effects
            engine.mix_values(values, np.zeros(len(group)), list(effects[group]), threads)
        factors = np.maximum.reduce([fits[index].factors for index in group])
        layers.append(MarginLayer(round_values(values[0]), factors, damping, norm or "none"))
    constants = stacking.offsets if len(stacking.offsets) > 2 else np.diff(stacking.offsets)
    return tuple(layers), constants + sum_biases([fit.bias for fit in fits], weights, effects)


def sum_biases(biases: Sequence[Floats], weights: Floats, effects: Floats | None) -> Floats:
    """The weighted sum of the biases of members, in 64 bits.

    >>> sum_biases([np.array([2.0]), np.array([1.0])], np.array([0.5, 3.0]), None)
    array([4.])
    """
    total = np.zeros(len(biases[0]))
    for number, bias in enumerate(biases):
        if effects is None:
            total += weights[number] * bias
        else:
            for own, row in zip(bias.tolist(), effects[number], strict=True):
                total += own * row
    return total


def judge(labels: Labels, gold: Integers, scores: Floats) -> dict[str, Estimate]:
    """Accuracy and macro F1 of these scores, with intervals."""
    from tercet.evaluation.resampling import Resampling  # on first use: import tercet stays quick
    from tercet.report.report import evaluate_codes

    report = evaluate_codes(labels, gold, scores.argmax(axis=1), list(METRICS), Resampling(resamples=RESAMPLES))
    return {name: report[name] for name in METRICS}

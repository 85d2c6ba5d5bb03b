"""A stack: several linear models, whose weighted sum decides. The weights are fitted to held-out documents."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.counts.labels import Labels, encode_training
from tercet.counts.matrices import Matrix, check_columns, check_counts, check_weights, sparse
from tercet.counts.weighting import Blocks, TermWeighting, check_blocks
from tercet.errors import InvalidMatrix, InvalidOption, bad_option
from tercet.kernel import engine
from tercet.models.calibration import MIN_DOCUMENTS, deal_by_label, measure_loss, round_all
from tercet.models.classifier import Classifier, check_two_labels, normalize_scores
from tercet.models.linear import LinearModel
from tercet.models.linear_svm import LinearSVM
from tercet.models.nbsvm import NBSVM
from tercet.options import check_choice, check_count, check_seed, n_threads
from tercet.registry import read, register, write

MAX_MIXED = 30  # labels: the mix has members × labels² numbers


@dataclass(frozen=True, eq=False)
class Stacking:
    """score(label) = Σ weight of the member · its score + Σ its scores · mix + offset of the label.

    The scores of a document by a member count from their mean, so a constant that is added to all of them changes nothing. A
    score of -inf counts as the lowest finite score of the document by this member, minus 1.

    >>> half = Stacking(np.array([0.5, 0.0]), np.array([0.0, 1.0]))
    >>> half.apply(np.array([[[3.0, 5.0]], [[9.0, 9.0]]])), half.used
    (array([[-0.5,  1.5]]), array([0]))
    """

    weights: Floats  # of the members, at least 0
    offsets: Floats  # one for each label
    mix: Floats | None = None  # members × labels × labels: the effect of each score on the score of each label

    def apply(self, scores: Floats) -> Floats:
        """log P(label) + log P(document | label) up to a constant, documents × labels, from members × documents × labels."""
        joint = np.repeat(self.offsets[None], scores.shape[1], axis=0)
        # No product of matrices: its sums could depend on the machine and on the number of threads.
        for member in self.used.tolist():
            centred = centre_scores(scores[member])
            joint += self.weights[member] * centred
            if self.mix is not None:
                for label, effects in enumerate(self.mix[member]):
                    joint += centred[:, label, None] * effects
        return joint

    def scale(self, factor: float) -> "Stacking":
        """The stacking whose scores are multiplied by this factor.

        >>> Stacking(np.array([0.5]), np.array([0.0, 1.0])).scale(2.0).offsets
        array([0., 2.])
        """
        mix = None if self.mix is None else factor * self.mix
        return Stacking(factor * self.weights, factor * self.offsets, mix)

    @property
    def effects(self) -> Floats:
        """members × labels × labels, such that finite scores @ effects, summed over members, plus the offsets are the result.

        So members that are linear in the same terms make one linear model.
        """
        n_labels = len(self.offsets)
        own = self.weights[:, None, None] * np.eye(n_labels)
        mixed = own if self.mix is None else own + self.mix
        return np.asarray(mixed - mixed.mean(axis=1, keepdims=True), np.float64)

    @property
    def used(self) -> Integers:
        """The positions of the members that have a weight. The others can be dropped."""
        has_weight = self.weights > 0
        return np.flatnonzero(has_weight if self.mix is None else has_weight | self.mix.any(axis=(1, 2)))


def centre_scores(scores: Floats) -> Floats:
    """Scores of one member, documents × labels, each minus the mean of its document.

    >>> centre_scores(np.array([[2.0, 4.0, -np.inf]]))
    array([[-0.33333333,  1.66666667, -1.33333333]])
    """
    is_lost = np.isneginf(scores)
    if is_lost.any():
        lowest = np.where(is_lost, np.inf, scores).min(axis=1, keepdims=True)
        scores = np.where(is_lost, np.where(np.isposinf(lowest), 0.0, lowest - 1), scores)
    return np.asarray(scores - scores.mean(axis=1, keepdims=True), np.float64)


def fit_stacking(scores: Floats, codes: Integers, weights: Floats | None = None, folds: Integers | None = None) -> Stacking:
    """The stacking with the smallest log-loss of these held-out documents.

    `scores` are members × documents × labels, and `codes` are the positions of the documents' labels. A mix of labels is added
    for 3 to 30 labels if it lowers the log-loss of documents that it was not fitted to: one half of the folds is for fitting,
    the other for measuring, and then the other way round. `folds` are those of `deal_by_label` by default. The order of
    the documents decides about the last bits: sort them first. Without documents the first member decides alone.

    >>> codes = np.arange(60) % 2
    >>> good = np.where(codes[:, None] == np.arange(2), 1.0, 0.0)
    >>> fit_stacking(np.stack([good, 1 - good]), codes).used
    array([0])
    """
    scores = np.ascontiguousarray(scores, np.float64)
    relative = np.ones(len(codes)) if weights is None else np.asarray(weights, np.float64)
    if not len(codes):
        return Stacking(np.eye(len(scores))[0], np.zeros(scores.shape[2]))
    if not relative.any():
        raise InvalidOption(
            "there is nothing to stack: no held-out document has a weight. Give some documents a weight above 0."
        )
    plain = _solve(scores, codes, relative)
    n_labels, used = len(plain.offsets), plain.used
    n_documents = np.count_nonzero(relative)
    if not 2 < n_labels <= MAX_MIXED or n_documents < max(MIN_DOCUMENTS, 10 * n_labels) or not len(used):
        return plain
    halves = _halve(deal_by_label(codes) if folds is None else folds)
    plain_loss, mixed_loss = (_cross_loss(scores[used], codes, relative, halves, has_mix) for has_mix in (False, True))
    if not mixed_loss < plain_loss:
        return plain
    mixed = _solve(scores[used], codes, relative, has_mix=True)
    every = np.zeros(len(scores)), np.zeros((len(scores), n_labels, n_labels))
    every[0][used], every[1][used] = mixed.weights, mixed.mix
    return Stacking(every[0], mixed.offsets, every[1])


def _solve(scores: Floats, codes: Integers, weights: Floats, *, has_mix: bool = False) -> Stacking:
    factors, offsets, mix = engine.fit_stack(scores, codes, weights, has_mix)
    shape = len(factors), len(offsets), len(offsets)
    return Stacking(round_all(factors), round_all(offsets), round_all(mix).reshape(shape) if has_mix else None)


def _halve(folds: Integers) -> Integers:
    """Half 0 or 1 of each document: the folds that occur take turns."""
    turns = np.cumsum(np.bincount(folds) > 0) - 1
    return np.asarray(turns[folds] % 2, np.int64)


def _cross_loss(scores: Floats, codes: Integers, weights: Floats, halves: Integers, has_mix: bool) -> float:
    """The log-loss of all documents, each half by the stacking that is fitted to the other half."""
    log_proba = np.empty(scores.shape[1:])
    for half in (0, 1):
        inside = halves == half
        if not weights[~inside].any():
            return np.inf
        stacking = _solve(np.ascontiguousarray(scores[:, ~inside]), codes[~inside], weights[~inside], has_mix=has_mix)
        log_proba[inside] = normalize_scores(stacking.apply(scores[:, inside]))
    return measure_loss(log_proba, codes, weights)


class CrossStacked(NamedTuple):
    """A stacking, and for each fold the stacking that is fitted to the other folds."""

    stacking: Stacking
    without: tuple[Stacking, ...]
    log_proba: Floats  # of each document, by the stacking without its fold

    def apply(self, scores: Floats, folds: Integers) -> Floats:
        """log P(label | document) by the stacking without the document's fold; fold -1 uses the stacking of all folds."""
        log_proba = np.empty(scores.shape[1:])
        for fold in np.flatnonzero(np.bincount(folds + 1, minlength=1)) - 1:
            in_fold = folds == fold
            stacking = self.stacking if fold < 0 else self.without[fold]
            log_proba[in_fold] = normalize_scores(stacking.apply(scores[:, in_fold]))
        return log_proba


def cross_fit_stacking(
    scores: Floats, codes: Integers, weights: Floats | None = None, folds: Integers | None = None
) -> CrossStacked:
    """The stacking of all documents, and the probabilities of each document by a stacking that it had no say in.

    The choice of a mix is part of what is cross-fitted. Without `folds` there are those of `deal_by_label`. A fold whose
    other folds have no weight gets the stacking of all documents.
    """
    folds = deal_by_label(codes) if folds is None else folds
    stacking = fit_stacking(scores, codes, weights, folds)
    without = []
    for fold in range(int(folds.max(initial=-1)) + 1):
        rest = folds != fold
        rest_weights = None if weights is None else weights[rest]
        can_fit = rest.any() if rest_weights is None else rest_weights.any()
        without.append(fit_stacking(scores[:, rest], codes[rest], rest_weights, folds[rest]) if can_fit else stacking)
    fitted = CrossStacked(stacking, tuple(without), np.empty(0))
    return fitted._replace(log_proba=fitted.apply(scores, folds))


Terms = Literal["all", "words", "characters"]

MAX_HELD_OUT = 1000  # documents: more of them change the weights of the members very little
MAX_STEPS = 1 << 24  # entries of the matrix × margins, up to which a third member is cheap
MAX_NAME_LENGTH = 100


@dataclass(frozen=True, eq=False)
class Member:
    """A linear model of a stack, and the terms that it is trained on.

    - `estimator`: an `NBSVM`, `LinearSVM` or `LogisticRegression` with its options.
    - `weighting`: a `TermWeighting`, of which each member learns its own frequencies. None: a term counts once in a document.
      Its `blocks="kinds"` divides words and characters by their own length.
    - `terms`: `"all"`, `"words"` or `"characters"`.
    - `name`: the name in tables. None: the name of the estimator and the terms.

    >>> Member(NBSVM(C=0.1), terms="words").name
    'NBSVM words'
    """

    estimator: LinearModel
    weighting: TermWeighting | None = None
    terms: Terms = "all"
    name: str = None  # type: ignore[assignment]  # a text after __post_init__

    def __post_init__(self) -> None:
        if not isinstance(self.estimator, LinearModel):
            why = "its scores must be sums over terms."
            raise bad_option("estimator", "an NBSVM, LinearSVM or LogisticRegression", self.estimator, why)
        if self.weighting is not None and not isinstance(self.weighting, TermWeighting):
            raise bad_option("weighting", "None or a TermWeighting", self.weighting, "it turns counts into weights of terms.")
        check_choice("terms", self.terms, get_args(Terms))
        if self.name is None:
            object.__setattr__(self, "name", f"{type(self.estimator).__name__} {self.terms}")
        if not isinstance(self.name, str) or not 0 < len(self.name) <= MAX_NAME_LENGTH:
            raise bad_option("name", f"a text of 1 to {MAX_NAME_LENGTH} characters", self.name, "tables show it.")

    def to_dict(self) -> dict[str, Any]:
        weighting = None if self.weighting is None else write(self.weighting)
        return {"estimator": write(self.estimator), "weighting": weighting, "terms": self.terms, "name": self.name}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """The member that `to_dict` has written. A stack inside a stack is refused before it is read."""
        estimator, weighting = written["estimator"], written["weighting"]
        if isinstance(estimator, Mapping) and estimator.get("type") == Stack.registered_name:
            raise ValueError("a stack has a stack as a member")
        read_weighting = None if weighting is None else read("weighting", weighting)
        return cls(read("model", estimator), read_weighting, written["terms"], written["name"])


class HeldOutScore(NamedTuple):
    """How good a member or the whole stack is on documents that it did not learn."""

    accuracy: float
    macro_f1: float


class Layer(NamedTuple):
    """Members that turn counts into the same vector, as one linear model."""

    weighting: TermWeighting | None  # with the frequencies of the documents; None: a term counts once
    known: Flags  # the columns that are used
    coef: Floats  # margins × columns; two labels have one margin


class TrainedMember(NamedTuple):
    """A member after training."""

    present: Integers  # the labels of its documents
    layer: Layer
    intercept: Floats


@register("model", "stack")
class Stack(Classifier):
    """A scikit-learn classifier on matrices of counts: the best of several linear models in one. It is calibrated.

    Some documents are held out, and the members are trained on the others. Each member gets a weight and each label a constant,
    such that the log-loss of the held-out documents is smallest. Members without weight are dropped, and the others are trained
    again on all documents. The result is still a sum over terms.

    - `members`: a list of `Member`. None: NB-SVM on words; an SVM on tf-idf of words and characters, each with its own norm;
      and for short texts NB-SVM on words and characters. Without characters: NB-SVM, and an SVM on tf-idf.
    - `folds`: the documents are dealt into so many folds, and each used fold is held out once.
    - `used_folds`: how many folds are held out. None: enough for 1,000 documents.
    - `blocks`: for each column, 0 if it is a word and 1 if it is a character n-gram. None: all are words. In a categorizer the
      kind of a term decides.
    - `seed` deals the folds. `threads` are the members that are trained side by side; they do not change the result.

    After `fit`, `stacking_` has the weights of the members, `members_` the members that have one, and `held_out_` the accuracy
    and macro F1 of each member and of the stack on held-out documents. No document has a say in the weights that judge it.
    `decisions_` says what was not done because there are too few documents. `layers_` are the weights of terms, and `coef_` if
    all members use the same vector.

    >>> from tercet import TermCounter
    >>> texts = ["a plain bore", "no laughs and no plot", "so much fun", "fun and powerful"] * 5
    >>> counter = TermCounter()
    >>> stack = Stack().fit(counter.fit_transform(texts), ["-", "-", "+", "+"] * 5)
    >>> stack.predict(counter.transform(["such fun", "a bore"]))
    array(['+', '-'], dtype='<U1')
    >>> stack.held_out_["stack"].accuracy
    1.0
    """

    registered_name = "stack"

    stacking_: Stacking
    members_: tuple[Member, ...]
    held_out_: dict[str, HeldOutScore]
    decisions_: tuple[str, ...]
    layers_: tuple[Layer, ...]
    intercept_: Floats

    def __init__(
        self,
        members: Sequence[Member] | None = None,
        *,
        folds: int = 5,
        used_folds: int | None = None,
        blocks: Any = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.members = members
        self.folds = folds
        self.used_folds = used_folds
        self.blocks = blocks
        self.seed = seed
        self.threads = threads

    def to_dict(self) -> dict[str, Any]:
        """The options as values for JSON, without `threads`, which depends on the machine, and `blocks`, which are data."""
        members = None if self.members is None else [member.to_dict() for member in self.members]
        used_folds = None if self.used_folds is None else int(self.used_folds)
        return {"members": members, "folds": int(self.folds), "used_folds": used_folds, "seed": int(self.seed)}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        members = written["members"]
        if members is not None and not isinstance(members, list):
            raise ValueError("the members of a stack are not a list")
        options = {name: value for name, value in written.items() if name != "members"}
        stack = cls(None if members is None else [Member.from_dict(member) for member in members], **options)
        stack._check_options()
        return stack

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn these documents only. Documents of weight 0 are ignored."""
        self._check_options()
        X = check_counts(X)
        labels, codes = encode_training(y, X.shape[0])
        weights = check_weights(sample_weight, X.shape[0])
        if not weights.all():
            is_used = weights > 0
            present, codes = np.unique(codes[is_used], return_inverse=True)
            X, labels, weights = X[is_used], labels[present], weights[is_used]
        check_two_labels(labels)
        blocks = self._resolve_blocks(X.shape[1])
        members = self.list_members(has_characters=bool(blocks.any()), n_steps=X.nnz * _count_margins(len(labels)))
        self._fit_members(MatrixTeam(members, X, labels, codes, weights, blocks, n_threads(self.threads)))
        self.classes_, self.n_features_in_ = labels, X.shape[1]
        return self

    def log_joint(self, X: Any) -> Floats:
        """Scores, documents × labels: log P(label | document) up to a constant for each document."""
        self._check_fitted()
        X = check_counts(X)
        check_columns(X, self.n_features_in_, self)
        return _spread_margins(self._compute_margins(X))

    def decision_function(self, X: Any) -> Floats:
        """Scores, documents × labels; for two labels one number per document, above 0 for the second label, `classes_[1]`."""
        scores = self.log_joint(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @property
    def coef_(self) -> Floats:
        """labels × columns, one row for two labels; it applies to counts clipped at 1, or to the weighted counts."""
        if len(getattr(self, "layers_", ())) != 1:
            raise AttributeError("there is no coef_: the members use several vectors. `layers_` has the weights for each.")
        return self.layers_[0].coef

    def list_members(self, *, has_characters: bool, n_steps: float = 0.0) -> list[Member]:
        """The members for such data: `n_steps` are the entries of the matrix, times the labels if there are more than two."""
        if self.members is not None:
            return list(self.members)
        words = Member(NBSVM(), terms="words", name="NB-SVM on words")
        if not has_characters:
            return [words, Member(LinearSVM(tol=1e-2), TermWeighting("log"), name="SVM on tf-idf")]
        both = Member(LinearSVM(C=0.5, tol=1e-2), TermWeighting("log", blocks="kinds"), name="SVM on tf-idf")
        mixed = [Member(NBSVM(C=0.1), name="NB-SVM on words and characters")] if n_steps <= MAX_STEPS else []
        return [words, *mixed, both]

    def count_used_folds(self, n_documents: int, label_sizes: Integers) -> int:
        """How many folds are held out. 0 if there are too few documents to learn two labels without some of them."""
        if n_documents < self.folds or np.count_nonzero(np.asarray(label_sizes) > 1) < 2:
            return 0
        if self.used_folds is not None:
            return int(self.used_folds)
        return int(min(self.folds, max(1, np.ceil(self.folds * MAX_HELD_OUT / n_documents))))

    def _fit_members(self, team: "MatrixTeam") -> None:
        n = len(team.codes)
        n_used = self.count_used_folds(n, np.bincount(team.codes))
        folds = deal_stratified(team.codes, self.folds, self.seed)
        held = np.flatnonzero(folds < n_used)
        scores = np.full((len(team.members), n, len(team.labels)), -np.inf)
        for fold in range(n_used):
            inside = folds == fold
            for own, trained in zip(scores, team.train(range(len(team.members)), ~inside), strict=True):
                own[np.ix_(inside, trained.present)] = score_member(trained, team.X[inside])
        crossed = cross_fit_stacking(scores[:, held], team.codes[held], team.weights[held])
        used = crossed.stacking.used.tolist() or [0]
        self.stacking_, self.members_ = crossed.stacking, tuple(team.members[number] for number in used)
        self.layers_, self.intercept_ = fold_members(crossed.stacking, used, team.train(used, np.ones(n, np.bool_)))
        judged = [*zip((member.name for member in team.members), scores[:, held], strict=True), ("stack", crossed.log_proba)]
        own_weights = team.weights[held]
        self.held_out_ = {name: score_held_out(team.codes[held], each, own_weights) for name, each in judged} if n_used else {}
        few = f"there are too few documents to hold some out: {team.members[0].name} decides alone"
        self.decisions_ = () if n_used else (few,)

    def _compute_margins(self, X: Any) -> Floats:
        margins = np.repeat(self.intercept_[None], X.shape[0], axis=0)
        for layer in self.layers_:
            margins += weigh_rows(X, layer.weighting, layer.known) @ layer.coef.T
        return margins

    def _resolve_blocks(self, n_columns: int) -> Blocks:
        if self.blocks is None:
            return np.zeros(n_columns, np.uint8)
        blocks = check_blocks(self.blocks)
        if len(blocks) != n_columns:
            raise InvalidMatrix(f"blocks has {len(blocks)} numbers and X has {n_columns} columns: each column is in one block.")
        return blocks

    def copy_checked(self) -> Self:
        """A model with the same options, not fitted. Raises InvalidOption if an option is wrong."""
        copy = type(self)(**self.get_params(deep=False))
        copy._check_options()
        return copy

    def _check_options(self) -> None:
        if self.members is not None:
            self._check_members(self.members)
        if check_count("folds", self.folds, 1000) < 2:
            raise bad_option("folds", "an int >= 2", self.folds, "some documents are held out and the others are learned.")
        if self.used_folds is not None and check_count("used_folds", self.used_folds) > self.folds:
            raise bad_option(
                "used_folds", f"None or an int from 1 to folds={self.folds}", self.used_folds, "there are no more."
            )
        if self.blocks is not None and check_blocks(self.blocks).max(initial=0) > 1:
            raise bad_option("blocks", "None or a list of 0 and 1", self.blocks, "a column is a word or a character n-gram.")
        check_seed(self.seed)
        n_threads(self.threads)

    @staticmethod
    def _check_members(members: Any) -> None:
        if not isinstance(members, list | tuple) or not members or not all(isinstance(each, Member) for each in members):
            raise bad_option(
                "members", "None or a list of Member", members, "their weighted sum decides. Try [Member(NBSVM())]."
            )
        names = [member.name for member in members]
        if len({*names, "stack"}) <= len(names):
            why = 'the results of members are told apart by it, and "stack" is the whole. Set name=... of a Member.'
            raise bad_option("members", "members with distinct names", names, why)
        for member in members:
            member.estimator._check_options()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


@dataclass(frozen=True)
class MatrixTeam:
    """The members of a stack, and the matrix of counts that all of them are trained on."""

    members: Sequence[Member]
    X: Any
    labels: Labels
    codes: Integers
    weights: Floats
    blocks: Blocks
    threads: int

    def train(self, numbers: Sequence[int], documents: Flags) -> list[TrainedMember]:
        """These members, trained on some of the documents. The order of the results is that of the numbers."""
        X, codes, weights = self.X[documents], self.codes[documents], self.weights[documents]

        def train_one(number: int) -> TrainedMember:
            return self._train(self.members[number], X, codes, weights)

        with ThreadPoolExecutor(max(1, min(self.threads, len(numbers)))) as pool:
            return list(pool.map(train_one, numbers))

    def _train(self, member: Member, X: Any, codes: Integers, weights: Floats) -> TrainedMember:
        known = np.bincount(X.indices, minlength=X.shape[1]) > 0
        if member.terms != "all":
            known &= self.blocks == (member.terms == "characters")
        weighting = None if member.weighting is None else self._fit_weighting(member.weighting, X)
        present, own_codes = np.unique(codes, return_inverse=True)
        model = type(member.estimator)(**member.estimator.get_params(deep=False) | {"threads": self.threads})
        model._fit_matrix(Matrix.of(weigh_rows(X, weighting, known)), self.labels[present], own_codes, weights)
        return TrainedMember(present, Layer(weighting, known, model.coef_), model.intercept_)

    def _fit_weighting(self, weighting: TermWeighting, X: Any) -> TermWeighting:
        blocks = self.blocks if weighting.blocks == "kinds" else weighting.blocks
        return TermWeighting(weighting.tf, weighting.idf, weighting.norm, blocks=blocks).fit(X)


def weigh_rows(X: Any, weighting: TermWeighting | None, known: Flags) -> Any:
    """The vectors of the documents, without the columns that are not known."""
    if not known.all():
        kept = known[X.indices]
        ends = np.concatenate([[0], np.cumsum(kept)])[X.indptr]
        X = sparse().csr_matrix((X.data[kept], X.indices[kept], ends), shape=X.shape)
    if weighting is not None:
        return weighting.transform(X)
    return sparse().csr_matrix((np.ones_like(X.data), X.indices, X.indptr), shape=X.shape)


def score_member(trained: TrainedMember, X: Any) -> Floats:
    """Scores of a member, documents × labels that it knows. Two labels have one margin, and each gets half of it."""
    layer = trained.layer
    return _spread_margins(weigh_rows(X, layer.weighting, layer.known) @ layer.coef.T + trained.intercept)


def _spread_margins(margins: Floats) -> Floats:
    return np.asarray(margins * [-0.5, 0.5] if margins.shape[1] == 1 else margins, np.float64)


def _count_margins(n_labels: int) -> int:
    return 1 if n_labels == 2 else n_labels


def fold_members(stacking: Stacking, used: Sequence[int], trained: Sequence[TrainedMember]) -> tuple[tuple[Layer, ...], Floats]:
    """The used members as few layers, and the constants of the labels. Members with the same vector share a layer."""
    intercept = stacking.offsets if len(stacking.offsets) > 2 else np.diff(stacking.offsets)
    layers: dict[tuple[Any, ...], Layer] = {}
    for number, (_, layer, own_intercept) in zip(used, trained, strict=True):
        coef, constants = _fold(stacking, number, layer.coef), _fold(stacking, number, own_intercept[:, None])[:, 0]
        intercept = intercept + constants
        # Without a weighting, columns that a member does not know have coefficients of 0.
        key = () if layer.weighting is None else (repr(layer.weighting), layer.known.tobytes())
        if key in layers:
            coef, layer = coef + layers[key].coef, layer._replace(known=layer.known | layers[key].known)
        layers[key] = layer._replace(coef=np.asfortranarray(coef))
    return tuple(layers.values()), intercept


def _fold(stacking: Stacking, number: int, weights: Floats) -> Floats:
    """The part of a member in the weights of the stack, margins × columns."""
    if stacking.mix is None:
        return np.asarray(stacking.weights[number] * weights, np.float64)
    return np.asarray(stacking.effects[number].T @ weights, np.float64)


def deal_stratified(codes: Integers, n_folds: int, seed: int) -> Integers:
    """The fold of each document. The documents of each label are dealt in turns, after they were shuffled.

    >>> deal_stratified(np.array([0, 0, 0, 0, 1, 1]), 2, seed=0)
    array([0, 1, 1, 0, 1, 0])
    """
    order = np.random.default_rng(seed).permutation(len(codes))
    folds = np.empty(len(codes), np.int64)
    folds[order] = deal_by_label(codes[order], n_folds)
    return folds


def score_held_out(gold: Integers, scores: Floats, weights: Floats) -> HeldOutScore:
    """Accuracy and macro F1 of the labels with the best scores. Labels that no document has are not counted.

    >>> score_held_out(np.array([0, 0, 1]), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), np.ones(3))
    HeldOutScore(accuracy=0.6666666666666666, macro_f1=0.6666666666666666)
    """
    found, n_labels = scores.argmax(axis=1), scores.shape[1]
    hits = np.bincount(gold, weights * (found == gold), n_labels)
    sizes = np.bincount(gold, weights, n_labels) + np.bincount(found, weights, n_labels)
    return HeldOutScore(float(hits.sum() / weights.sum()), float(np.mean(2 * hits[sizes > 0] / sizes[sizes > 0])))

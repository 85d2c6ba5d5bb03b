"""A stack: several linear models, whose weighted sum decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tercet.arrays import Integers
from tercet.counts.weighting import TermWeighting
from tercet.estimator import Estimator
from tercet.models.linear_svm import LinearSVM
from tercet.models.nbsvm import NBSVM
from tercet.registry import read, register, write


@register("member", "member")
@dataclass(frozen=True)
class Member:
    estimator: Any
    weighting: TermWeighting | None = None
    terms: str = "all"
    name: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "estimator": write(self.estimator),
            "weighting": None if self.weighting is None else write(self.weighting),
            "terms": self.terms,
            "name": self.name,
        }

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        return cls(
            read("model", written["estimator"]),
            None if written["weighting"] is None else read("weighting", written["weighting"]),
            written["terms"],
            written["name"],
        )


@register("model", "stack")
class Stack(Estimator):
    def __init__(
        self,
        members: Sequence[Member] | None = None,
        *,
        folds: int = 5,
        blocks: Any = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.members = members
        self.folds = folds
        self.blocks = blocks
        self.seed = seed
        self.threads = threads

    def _check_options(self) -> None: ...

    def list_members(self, *, has_characters: bool, n_steps: float = 0.0) -> list[Member]:
        if self.members is not None:
            return list(self.members)
        nw = Member(NBSVM(), None, "words", "words")
        if not has_characters:
            return [nw, Member(LinearSVM(tol=1e-3), TermWeighting("log"), "all", "tf-idf")]
        b = Member(LinearSVM(C=0.5, tol=1e-3), TermWeighting("log", blocks="kinds"), "all", "tf-idf")
        v = Member(NBSVM(C=0.1), None, "all", "characters")
        return [nw, v, b] if n_steps <= 1 << 24 else [nw, b]

    def count_used_folds(self, n: int, label_counts: Integers) -> int:
        return int(min(self.folds, max(1, np.ceil(self.folds * 1000 / n))))

    def to_dict(self) -> dict[str, Any]:
        return {
            "members": None if self.members is None else [write(m) for m in self.members],
            "folds": self.folds,
            "seed": self.seed,
        }

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        return cls(
            None if written["members"] is None else [read("member", m) for m in written["members"]],
            folds=written["folds"],
            seed=written["seed"],
        )

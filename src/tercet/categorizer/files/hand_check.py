"""A check by hand: how good a model is on a pool of texts, as a person has found out. It can be a part of the model file.

It has numbers, labels and the name of the pool, and no text. What a person says does not follow from the documents that the
model has learned. So it carries a digest of the model that was checked, and says whether the model has changed since.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from string import hexdigits
from typing import Any

from tercet.categorizer.files.record import read_estimate, write_estimate
from tercet.evaluation.checked_sample import CheckedPool, LabelShare
from tercet.evaluation.intervals import Estimate

MAX_NAME_LENGTH = 200  # characters of the name of a pool
CHANGED = "the model has changed since"
N_DIGITS = 32  # of a digest


@dataclass(frozen=True)
class HandCheck:
    """What the answers of a person say about the answers of a model in a pool.

    - `accuracy`: the share of the pool whose predicted label is right, with its interval.
    - `shares`: the share of each label of the model in the pool, with its interval.
    - `n`, `n_pool`: how many texts were checked, and how many the pool has.
    - `pool`: the name of the pool.
    - `model`: 32 hexadecimal digits of the model that was checked; empty if it has changed since.
    """

    accuracy: Estimate
    shares: tuple[LabelShare, ...]
    n: int
    n_pool: int
    pool: str
    model: str = ""

    @classmethod
    def of(cls, found: CheckedPool, pool: str, model: str = "") -> "HandCheck":
        """The check of the model with this digest. Labels that the model does not have are left out: a person may have typed
        anything, and an erasure would not find it."""
        known = [share for share in found.shares if share.label not in found.unknown]
        shares = tuple(share._replace(label=write_label(share.label)) for share in known)
        return cls(found.accuracy, shares, found.n, found.n_pool, pool[:MAX_NAME_LENGTH], model)

    @property
    def labels(self) -> list[Any]:
        return [share.label for share in self.shares]

    def belong_to(self, model: str) -> "HandCheck":
        """The same of the model with this digest; an empty digest says that the model has changed since."""
        return replace(self, model=model)

    def describe(self, *, is_current: bool) -> str:
        """The check in one line.

        >>> check = HandCheck(Estimate(0.9, 0.83, 0.94, 0.95, "wilson"), (), 100, 5000, "new.csv")
        >>> check.describe(is_current=False)
        'accuracy 0.900 [0.830, 0.940], checked by hand, 100 of 5,000 texts; the model has changed since'
        """
        texts = f"{self.n:,} of {self.n_pool:,} text{'s' * (self.n_pool != 1)}"
        found = f"accuracy {self.accuracy}, checked by hand, {texts}"
        return found if is_current else f"{found}; {CHANGED}"

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON."""
        shares = [
            {"label": label, "share": write_estimate(share), "predicted": predicted} for label, share, predicted in self.shares
        ]
        plain = {name: getattr(self, name) for name in ("n", "n_pool", "pool", "model")}
        return plain | {"accuracy": write_estimate(self.accuracy), "shares": shares}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "HandCheck":
        """The check in a file or in an event. Raises an error if a value has another type, or is not possible."""
        n, n_pool, pool, model = (written[name] for name in ("n", "n_pool", "pool", "model"))
        if type(n) is not int or type(n_pool) is not int or not 0 < n <= n_pool < 1 << 62:
            raise ValueError("the check by hand has no number of texts")
        if not isinstance(pool, str) or len(pool) > MAX_NAME_LENGTH:
            raise ValueError("the check by hand has no pool")
        if not isinstance(model, str) or (model and (len(model) != N_DIGITS or not set(model) <= set(hexdigits))):
            raise ValueError("the check by hand does not say which model was checked")
        return cls(read_estimate(written["accuracy"]), tuple(map(read_share, written["shares"])), n, n_pool, pool, model)


def read_share(written: Mapping[str, Any]) -> LabelShare:
    """The share of a label, as `HandCheck.to_dict` has written it."""
    label, predicted = written["label"], written["predicted"]
    if not isinstance(label, str | int | float) or type(predicted) is not float or not 0 <= predicted <= 1:
        raise ValueError("a share of the check by hand has no label, or is not between 0 and 1")
    return LabelShare(label, read_estimate(written["share"]), predicted)


def write_label(label: Any) -> str | int | float:
    """The label as JSON can hold it."""
    return label if isinstance(label, str | int | float) else str(label)

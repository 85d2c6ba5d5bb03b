"""`draw_check_sample`: the texts of a pool that a person should check, to know how good a model is on all of the pool."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.suggestion.suggest import digest_text, read_pool
from tercet.data.documents import Documents
from tercet.errors import InvalidOption
from tercet.evaluation.checked_sample import CheckDesign, CheckedPool, measure_checked
from tercet.kernel.text.columns import SEPARATOR
from tercet.options import check_count

if TYPE_CHECKING:
    from tercet.categorizer.predictor import Predictor

MAX_CELLS = 2**22  # documents × labels that are predicted at a time


@dataclass(frozen=True, eq=False)
class CheckSample:
    """Texts that a person should check, and what is needed to weigh the answers.

    - `positions`: where the texts are in the pool, from 0, in the order in which they should be checked. Whoever stops before
      the end has checked a random sample, too.
    - `weights`: how many texts of the pool each of them stands for.
    - `labels`: the labels of the model.
    - `n_pool`: how many texts of the pool are not blank.
    - `key`: letters and digits that are the same only for the same pool, predictions, n and seed.
    """

    positions: tuple[int, ...]
    weights: tuple[float, ...]
    labels: tuple[Any, ...]
    n_pool: int
    key: str
    design: CheckDesign
    drawn: Integers  # positions in the design

    def measure(self, answers: Sequence[Any], confidence: float = 0.95) -> CheckedPool:
        """Accuracy and shares of labels in the whole pool, with intervals.

        Parameters
        ----------
        answers : list
            The right label of each text, in the order of `positions`; None where nobody gave one.
        confidence : float
            The share of samples in which an interval covers the true value.

        Returns
        -------
        CheckedPool
            `accuracy`, `shares`, and how much narrower the interval is than that of a simple random sample.
        """
        return measure_checked(self.design, self.drawn, answers, self.labels, confidence)

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON."""
        names = ("positions", "weights", "labels")
        return {name: list(getattr(self, name)) for name in names} | {"n_pool": self.n_pool, "key": self.key}


def draw_check_sample(model: "Predictor", texts: Any, n: int = 100, *, seed: int = 0) -> CheckSample:
    """The texts of a pool that a person should check, to know how good the model is on all of the pool.

    Uncertain predictions are drawn more often than certain ones, and every frequent label has its part. The answers are
    weighted by the inverse of the probability of being drawn, so the estimate is unbiased. Its interval is usually narrower
    than that of as many texts drawn at random. Do not show the model's prediction to the person: it would influence the answer.

    Parameters
    ----------
    model : Categorizer or CompactCategorizer
        The model whose predictions are checked.
    texts : list of str, Documents, or a stream of Documents
        The pool. Blank texts are left out. The order of the texts does not matter.
    n : int
        How many texts to check.
    seed : int
        Random seed for the draw.

    Returns
    -------
    CheckSample
        `positions` says which texts to check; `measure` takes their right labels.

    Raises
    ------
    InvalidOption
        If n is not a whole number from 1 to the number of texts that are not blank.

    Examples
    --------
    >>> import tercet
    >>> model = tercet.Categorizer().fit(["a good film", "a bad film"] * 10, ["+", "-"] * 10)
    >>> pool = ["good", "so good", "bad", "not bad", "a good plot", "a bad plot"] * 10
    >>> sample = tercet.draw_check_sample(model, pool, 30)
    >>> answers = ["+" if "good" in pool[position] else "-" for position in sample.positions]
    >>> print(sample.measure(answers).words)
    accuracy 1.000 [0.938, 1.000] — checked by hand, 30 of 60 texts
    """
    n, pool = check_count("n", n), read_pool(texts)
    units = find_units(pool, model.columns_)
    if not units:
        raise InvalidOption("the pool has no texts, or only blank ones: give at least one text.")
    if n > len(units):
        raise InvalidOption(
            f"n={n}, but the pool has only {len(units)} texts that are not blank: ask for at most {len(units)}."
        )
    best, probabilities = predict_best(model, pool, [position for _, position in units])
    design = CheckDesign.of(best, probabilities, n)
    drawn = design.draw(seed)
    labels = tuple(model.classes_.tolist())
    positions = tuple(units[unit][1] for unit in drawn.tolist())
    weights = tuple(design.weights[design.strata[drawn]].tolist())
    key = make_key([digest for digest, _ in units], design, drawn, labels)
    return CheckSample(positions, weights, labels, len(units), key, design, drawn)


def find_units(pool: Documents, columns: Sequence[str]) -> list[tuple[bytes, int]]:
    """The digest and the position of each text that is not blank, in the order of the digests.

    The columns are those that the model needs beside the text.

    >>> [position for _, position in find_units(Documents(["to be", " ", "or not"]), ())]
    [2, 0]
    """
    found = []
    for position, text in enumerate(pool.texts):
        if text.replace(SEPARATOR, "").strip():
            beside = [f"{name}={pool.columns[name][position]}" for name in columns]
            found.append((digest_text("\0".join([text, *beside])), position))
    return sorted(found)


def predict_best(model: "Predictor", pool: Documents, positions: Sequence[int]) -> tuple[Integers, Floats]:
    """The code of the best label of each of these documents, and its probability. The memory that this takes is bounded."""
    size = max(1, MAX_CELLS // max(1, len(model.classes_)))
    best, probabilities = np.zeros(len(positions), np.int64), np.zeros(len(positions))
    for start in range(0, len(positions), size):
        found = model.predict_proba(pool.pick(positions[start : start + size]))
        best[start : start + size] = found.argmax(axis=1)
        probabilities[start : start + size] = found.max(axis=1)
    return best, np.clip(probabilities, 0, 1)


def make_key(digests: Sequence[bytes], design: CheckDesign, drawn: Integers, labels: Sequence[Any]) -> str:
    """Ten hexadecimal digits of the pool, the draw, the predictions for the drawn texts and the labels."""
    key = blake2b(digest_size=5)
    key.update(b"".join(digests))
    for numbers in (drawn, design.strata[drawn], design.sizes, design.drawn, design.predicted[drawn]):
        key.update(np.asarray(numbers, "<i8").tobytes())
    key.update(repr(labels).encode("utf-8", "surrogatepass"))
    return key.hexdigest()

"""What the next labels would bring: a look at the learning curve beyond its end.

    accuracy(m) ≈ level + slope · log m        for m around the n documents that have labels
    gain = slope · log((n + 50) / n)

Each document is judged by two models that have not learned it: one of the other folds, and one of half of them. The slope is
the mean difference between the two, divided by log 2. The variance of the gain has two parts: that of the slope, because other
documents would give another one, and that of the next documents, because others could come:

    variance = (log((n + 50) / n) / log 2)² · variance of the mean difference + CHANCE² · p (1 - p) · (1 / n - 1 / (n + 50))

where p is the accuracy; p (1 - p) counts at least MIN_SPREAD. CHANCE was chosen so that the interval covers the true gain on
real corpora as often as it says, if the documents are a random sample: `benchmarks/next_labels.py`. Suggested documents are
harder than other texts, and then the gain is that on such hard texts.
"""

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Flags
from tercet.categorizer.held_out.curves import judge_by_parts
from tercet.categorizer.learned_texts import list_learned, list_unlabelled
from tercet.data.documents import Documents
from tercet.errors import TercetError
from tercet.evaluation.intervals import Estimate
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.categorizer.categorizer import Categorizer

N_MORE = 50  # labels
MIN_DOCUMENTS, MIN_OF_LABEL = 50, 10  # in all, and for each label on average
MAX_DOCUMENTS = 1000  # that are trained on: the slope of so many is at least that of more
CONFIDENCE, DEVIATIONS = 0.9, 1.645
CHANCE, MIN_SPREAD = 1.4, 0.1
METHOD = "learning curve"


@dataclass(frozen=True)
class ExpectedGain:
    """What `n_more` labels would bring to the accuracy of a model of `n_documents`; None and a reason if nobody can tell."""

    n_documents: int
    n_more: int
    accuracy: float | None = None
    gain: Estimate | None = None
    reason: str = ""

    @property
    def words(self) -> str:
        """A sentence.

        >>> ExpectedGain(200, 50, 0.81, Estimate(0.012, -0.004, 0.028, 0.9, METHOD)).words
        'on texts like those with labels, 81.0 % are right, and 50 more labels bring +1.2 points (90 % interval -0.4 to +2.8)'
        """
        if self.gain is None or self.accuracy is None:
            return f"can't tell what {self.n_more} more labels bring: {self.reason}"
        gain, low, high = (f"{100 * each:+.1f}" for each in (self.gain.value, self.gain.low, self.gain.high))
        return (
            f"on texts like those with labels, {100 * self.accuracy:.1f} % are right, and {self.n_more} more labels bring "
            f"{gain} points ({100 * self.gain.confidence:.0f} % interval {low} to {high})"
        )

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "words": self.words}


def estimate_gain(
    categorizer: "Categorizer",
    documents: Documents,
    n_more: int = N_MORE,
    *,
    n_documents: int | None = None,
    unlabelled: Any = None,
) -> ExpectedGain:
    """What more labels would bring, if they are of texts like these documents, which are a sample of `n_documents`.

    `unlabelled` are texts without labels, which teach the models, too.

    The categorizer is not changed, and need not be fitted: models with its options are trained ten times. Of many documents,
    a part that is as good as random is taken. The order of the documents does not change the result.

    >>> from tercet import Categorizer
    >>> estimate_gain(Categorizer(), Documents(["so good", "so bad"], ["+", "-"])).words
    "can't tell what 50 more labels bring: 2 documents of 2 labels, it takes 50"
    """
    n, n_labels = n_documents or len(documents.texts), len(set(documents.labels))
    if len(documents.texts) < (least := max(MIN_DOCUMENTS, MIN_OF_LABEL * n_labels)):
        have = f"{pluralize(len(documents.texts), 'document')} of {pluralize(n_labels, 'label')}"
        return ExpectedGain(n, n_more, reason=f"{have}, it takes {least}")
    if n_labels < 2:
        return ExpectedGain(n, n_more, reason="all documents have the same label")
    lean = {"calibrate": None, "keep_documents": False, "remember": False}  # what takes time, and hardly changes decisions
    try:
        copy = type(categorizer)(**categorizer.get_params(deep=False) | lean)
        is_right = judge_by_parts(copy, documents, shares=(0.5, 1.0), most=MAX_DOCUMENTS, unlabelled=unlabelled)
    except TercetError as error:
        return ExpectedGain(n, n_more, reason=str(error))
    return extrapolate(is_right, n, n_more)


def estimate_gain_of(model: Any) -> ExpectedGain:
    """What more labels would bring to a model that keeps its documents."""
    try:
        documents = list_learned(model) if hasattr(model, "keeps_documents_") else None
    except TercetError as error:
        return ExpectedGain(0, N_MORE, reason=str(error))
    if documents is None:
        return ExpectedGain(0, N_MORE, reason="a compact model has no documents")
    return estimate_gain(model, documents, unlabelled=list_unlabelled(model))


def extrapolate(is_right: Flags, n: int, n_more: int) -> ExpectedGain:
    """The gain from n documents, of which some were judged by a model of half of the others, and by one of all others."""
    half, whole = is_right.T.astype(np.float64)
    differences = whole - half
    doublings = math.log2((n + n_more) / n)
    accuracy = float(whole.mean())
    gain = doublings * float(differences.mean())
    # A document more makes sure that the variance is never 0: no difference in a sample does not mean that there is none.
    variance = doublings**2 * (float(differences.var()) + 1 / len(differences)) / len(differences)
    variance += CHANCE**2 * max(MIN_SPREAD, accuracy * (1 - accuracy)) * (1 / n - 1 / (n + n_more))
    width = DEVIATIONS * math.sqrt(variance)
    most = 1.0 - accuracy  # no model is right more often than always
    low, high = gain - width, min(gain + width, most)
    return ExpectedGain(n, n_more, accuracy, Estimate(min(gain, most), low, high, CONFIDENCE, METHOD))

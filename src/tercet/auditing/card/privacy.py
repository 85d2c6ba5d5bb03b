"""What a model tells of its training texts: what is in its file, and how well its probabilities betray what was learned."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.predictor import Predictor
from tercet.counts.near_copies import find_leaks
from tercet.counts.selection import TermStatistics
from tercet.counts.units import ONE
from tercet.data.documents import Documents
from tercet.errors import InvalidOption
from tercet.evaluation.intervals import Estimate, note_small_sample
from tercet.evaluation.probabilities import ProbabilisticPredictions, find_probability_metric
from tercet.evaluation.standard_errors import estimate_probability_metrics

LEARNED, OTHER = "learned", "other"


ALL_KNOWN = (
    "Unless rare terms were left out (--min-documents 2 with --prune), a text whose terms are all in the file was probably "
    "learned: most other texts have a new one."
)


@dataclass(frozen=True)
class Exposure:
    """What is in the file of a model of the documents that it has learned.

    - `n_texts`: documents whose whole text is in the file.
    - `n_fingerprints`: documents of which the file has 128 bits: whoever has the text and its label can check with certainty
      whether the model has learned it.
    - `n_terms`: terms that can be read in the file.
    - `n_rare`: those of them that only one document has; None if the file has no counts.
    """

    n_texts: int
    n_fingerprints: int
    n_terms: int
    n_rare: int | None
    n_unlabelled: int = 0  # texts without labels that it has learned from
    has_unlabelled: bool = False  # whether the file contains them

    @classmethod
    def of(cls, model: Predictor) -> "Exposure":
        """
        >>> from tercet import Categorizer
        >>> Exposure.of(Categorizer("words").fit(["to be", "or not to be"], ["x", "y"]))
        Exposure(n_texts=0, n_fingerprints=2, n_terms=4, n_rare=2, n_unlabelled=0, has_unlabelled=False)
        """
        if not isinstance(model, Categorizer):
            return cls(0, 0, model.describe()["terms"], None)
        state = model.fitted_.state
        n_texts = 0 if state.documents is None else len(state.documents)
        n_prints = 0 if state.prints is None else len(state.prints)
        n_documents = TermStatistics(state.table).count_documents(state.table.table.order())
        # Weights are units of one document: a document of less weight counts for less than one.
        n_rare, unlabelled = int(np.count_nonzero(n_documents <= ONE)), state.unlabelled
        has_texts = unlabelled is not None and unlabelled.documents is not None
        return cls(n_texts, n_prints, len(state.table), n_rare, model.n_unlabelled_, has_texts)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the file tells, in words; the strongest first."""
        return tuple(self._list_sentences())

    def _list_sentences(self) -> Iterator[str]:
        if self.n_texts:
            yield (
                f"The file contains the whole texts of {self.n_texts:,} training documents with their labels. Whoever has the "
                "file can read them. tercet train --no-documents leaves them out."
            )
        if self.n_unlabelled:
            what = "the whole texts" if self.has_unlabelled else "fingerprints"
            yield f"The file contains {what} of {self.n_unlabelled:,} texts without labels that the model has learned from."
        if self.n_fingerprints:
            yield (
                f"The file has fingerprints of {self.n_fingerprints:,} training documents. They do not contain the texts. But "
                "whoever has a text and its label can check with certainty whether the model has learned it."
            )
        if self.n_rare is None:
            yield (
                f"The file has {self.n_terms:,} terms with their weights, and neither texts, fingerprints nor counts. The "
                "terms can be read, and rare terms may be names. The file does not say which terms come from one document. "
                f"{ALL_KNOWN}"
            )
        elif self.n_terms:
            share = self.n_rare / self.n_terms
            rare = (
                f"{self.n_rare:,} of them ({share:.0%}) come from a single document: whoever has the file can see that one "
                "training text with this label has this term. Such terms may be names or numbers, and terms of several words "
                f"show pieces of the text. {ALL_KNOWN}"
            )
            none = "None of them comes from a single document."
            yield f"The file has counts of {self.n_terms:,} terms, which can be read. {rare if self.n_rare else none}"


@dataclass(frozen=True)
class Membership:
    """How well the model's own answers tell learned documents from others.

    `auc` is the probability that a learned document gets a higher probability of its label than another document: 0.5 tells
    nothing, 1 tells everything. `n_copies` other documents were left out, because the model has learned their text.
    """

    auc: Estimate
    n_learned: int
    n_others: int
    n_copies: int = 0


def measure_membership(model: Any, learned: Documents, others: Documents) -> Membership:
    """The success of an attacker who ranks documents by the model's log-probability of their own label.

    Both are Documents with labels. Other documents whose text is among the learned ones are left out, and so are documents with
    a label that only one side has. The other documents are weighted so that each label has the same share on both sides:
    otherwise a label that is easy and frequent on one side would look like a betrayal. The interval is the jackknife's
    (DeLong's influences).

    >>> from tercet import Categorizer
    >>> learned = Documents([f"so good {i}" for i in range(30)] + [f"so bad {i}" for i in range(30)], ["+"] * 30 + ["-"] * 30)
    >>> others = Documents(["so good", "not good", "so bad", "too bad"], ["+", "+", "-", "-"])
    >>> measure_membership(Categorizer().fit(learned), learned, others).auc.value
    1.0
    """
    copies = set(find_leaks(learned.texts, others.texts)[:, 1].tolist())
    new = [position for position in range(len(others.texts)) if position not in copies]
    own, other = LabelledScores.of(model, learned), LabelledScores.of(model, others.pick(new))
    own, other = own.keep(other.labels), other.keep(own.labels)
    if not len(own) or not len(other):
        raise InvalidOption(
            "no label has learned and other documents, so membership can't be measured: give test documents that the model has "
            "not learned, with labels that it knows."
        )
    scores, weights = np.concatenate([own.scores, other.scores]), np.concatenate([np.ones(len(own)), other.weigh_like(own)])
    gold = [LEARNED] * len(own) + [OTHER] * len(other)
    # The area depends on the order of scores only. Ranks make probabilities of them.
    ranks = np.unique(scores, return_inverse=True)[1] / max(len(scores), 1)
    forecast = ProbabilisticPredictions.of(gold, np.column_stack([ranks, 1 - ranks]), [LEARNED, OTHER], weights)
    metric = find_probability_metric(f"roc_auc:{LEARNED}", forecast.labels)
    (auc,) = estimate_probability_metrics(forecast, [metric])
    few = note_small_sample(0, min(len(own), len(other)), is_weighted=False)
    return Membership(auc.add_note(few), len(own), len(other), len(copies))


@dataclass(frozen=True, eq=False)
class LabelledScores:
    """The log-probability that a model gives to the label of each document. Labels that it does not know are left out."""

    labels: list[str]
    scores: Floats

    @classmethod
    def of(cls, model: Any, documents: Documents) -> "LabelledScores":
        columns = {str(label): column for column, label in enumerate(model.classes_.tolist())}
        labels = [str(label) for label in documents.labels]
        indices = [columns.get(label, 0) for label in labels]
        scores = model.predict_log_proba(documents)[np.arange(len(labels)), indices]
        return cls(labels, scores).keep(columns)

    def __len__(self) -> int:
        return len(self.labels)

    def keep(self, labels: Iterable[str]) -> "LabelledScores":
        """The documents with one of these labels."""
        known = set(labels)
        indices = [index for index, label in enumerate(self.labels) if label in known]
        return LabelledScores([self.labels[index] for index in indices], self.scores[indices])

    def weigh_like(self, other: "LabelledScores") -> Floats:
        """A weight for each document, so that labels have the shares that they have in the other documents."""
        own, wanted = Counter(self.labels), Counter(other.labels)
        return np.array([wanted[label] / own[label] for label in self.labels]) * len(self) / len(other)

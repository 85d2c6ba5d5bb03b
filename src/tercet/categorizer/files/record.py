"""The record of a training: what the model was trained on, and how good it was then. It is a part of the model file.

Nothing in it is a time or the name of a machine or file, so equal documents, options and column names give equal bytes.
"""

import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from tercet.categorizer.state import DocumentsDigest, State
from tercet.counts.labels import Labels
from tercet.data.label_rules import LabelRules, merge_rules
from tercet.data.remembered_columns import ColumnNames
from tercet.evaluation.intervals import Estimate
from tercet.options import check_choice

METRICS = ("accuracy", "macro_f1")
MAX_LENGTH = 1 << 16  # characters of a text in a file


@dataclass(frozen=True)
class TrainingRecord:
    """What `tercet.train` writes down about the training.

    - `columns`: names of the columns of the data; None if the data had no columns with names.
    - `label_rules`: the rules by which the reader of the data has read labels; None if no reader has.
    - `n_documents`: how many documents were learned.
    - `data`: 32 hexadecimal digits, which are the same for the same documents in any order.
    - `folds`, `seed`, `folds_by`: those that `tercet.train` was given for the estimate.
    - `estimate`: accuracy and macro F1 of held-out documents, with intervals.
    - `signature`: how the estimate was made.
    - `version`: the version of tercet.
    - `is_checked`: False if labels were guessed by `tercet.begin`, or come from teachers with too few gold labels. Such a
      record never has an estimate.
    - `teachers`: names of the teachers whose combined labels were learned. The estimate is then of gold documents.
    """

    columns: ColumnNames | None
    label_rules: LabelRules | None
    n_documents: int
    data: str
    counts: str  # a digest of the totals of the counts, which is compared if the model has no fingerprints
    folds: int | None
    seed: int
    estimate: Mapping[str, Estimate]
    signature: str
    version: str
    folds_by: str = "random"
    is_checked: bool = True
    teachers: tuple[str, ...] = ()

    @classmethod
    def start(
        cls,
        source: Any,
        folds: int | None,
        seed: int,
        folds_by: str = "random",
        *,
        is_checked: bool = True,
        teachers: tuple[str, ...] = (),
    ) -> "TrainingRecord":
        """A record without results. The source may be a `DocumentStream`, which knows its columns and the rules for labels."""
        fields, rules = getattr(source, "fields", None), getattr(source, "label_rules", None)
        columns = None if fields is None else ColumnNames(fields.texts, fields.label, fields.weight)
        version = sys.modules["tercet"].__version__  # not imported: tercet itself imports this package
        return cls(columns, rules, 0, "", "", folds, seed, {}, "", version, folds_by, is_checked, teachers)

    @property
    def guess(self) -> str:
        """Where labels come from that nothing has checked in the training, in words; otherwise empty."""
        if self.is_checked:
            return ""
        return "labels of the texts " + ("come from teachers" if self.teachers else "were guessed from names and words")

    def finish(
        self, estimate: Mapping[str, Estimate], signature: str, n_documents: int, digest: DocumentsDigest
    ) -> "TrainingRecord":
        """The record of a training on these documents that gave this estimate."""
        data, counts = digest
        return replace(self, n_documents=n_documents, data=data, counts=counts, estimate=estimate, signature=signature)

    def forget(self, digest: DocumentsDigest) -> "TrainingRecord":
        """The record without documents and results."""
        return replace(self, n_documents=0, data=digest.prints, counts=digest.counts, estimate={}, signature="")

    def renew(self, labels: Labels) -> "TrainingRecord":
        """The record with the rules that a reader of documents with these labels would have."""
        rules = self.label_rules
        if rules is None or rules.fold is False:
            return self
        counts = dict.fromkeys(map(str, labels.tolist()), 1.0)
        return replace(self, label_rules=replace(rules, fold=True).choose_spellings(counts))

    @property
    def digest(self) -> DocumentsDigest:
        """Which documents the estimate is of."""
        return DocumentsDigest(self.data, self.counts)

    def prune(self, before: State, after: State) -> "TrainingRecord":
        """The record of the same model after its terms were pruned."""
        return replace(self, counts=self.digest.prune(before, after).counts)

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON: a number that is not finite is None."""
        estimate = {name: write_estimate(value) for name, value in self.estimate.items()}
        columns = None if self.columns is None else self.columns.to_dict()
        plain = {
            name: getattr(self, name) for name in ("n_documents", "data", "counts", "folds", "seed", "signature", "version")
        }
        rules = None if self.label_rules is None else self.label_rules.to_dict()
        by = {} if self.folds_by == "random" else {"folds_by": self.folds_by}
        checked = {} if self.is_checked else {"is_checked": False}
        taught = {"teachers": list(self.teachers)} if self.teachers else {}
        return plain | by | checked | taught | {"columns": columns, "label_rules": rules, "estimate": estimate}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "TrainingRecord":
        """The record in a file. Raises an error if a value has another type, or is not possible."""
        n_documents, estimate = written["n_documents"], written["estimate"]
        columns, rules = written["columns"], written["label_rules"]
        if type(n_documents) is not int or not 0 <= n_documents < 1 << 62:
            raise ValueError("the record has no number of documents")
        folds, seed = written["folds"], written["seed"]
        if (folds is not None and (type(folds) is not int or folds < 2)) or type(seed) is not int or seed < 0:
            raise ValueError("the record has no folds or seed")
        if not isinstance(estimate, dict) or not set(estimate) <= set(METRICS):
            raise ValueError("the record has an estimate of something else")
        is_checked = written.get("is_checked", True)
        if type(is_checked) is not bool or (estimate and not is_checked):
            raise ValueError("the record has an estimate, and says that nothing was checked")
        teachers = written.get("teachers", [])
        if not isinstance(teachers, list) or not all(isinstance(name, str) and len(name) <= MAX_LENGTH for name in teachers):
            raise ValueError("the teachers of the record are not a list of names")
        texts = {name: _read_text(written, name) for name in ("data", "counts", "signature", "version")}
        return cls(
            columns=None if columns is None else ColumnNames.from_dict(columns),
            label_rules=None if rules is None else LabelRules.from_dict(rules),
            n_documents=n_documents,
            folds=folds,
            seed=seed,
            folds_by=check_choice("folds_by", written.get("folds_by", "random"), ("random", "fingerprint")),
            estimate={name: read_estimate(estimate[name]) for name in METRICS if name in estimate},
            is_checked=is_checked,
            teachers=tuple(teachers),
            **texts,
        )


def merge_records(a: TrainingRecord | None, b: TrainingRecord | None) -> TrainingRecord | None:
    """The record of a sum of two models: the columns, the rules and the version that both have. Its estimate is unknown."""
    if a is None or b is None or a.version != b.version:
        return None
    columns = a.columns if a.columns == b.columns else None
    n_documents, rules = a.n_documents + b.n_documents, merge_rules(a.label_rules, b.label_rules)
    ours, theirs = ((each.folds, each.seed, each.folds_by) for each in (a, b))
    folds, seed, by = ours if ours == theirs else (None, 0, "random")
    unknown = replace(a, data="", counts="", folds=folds, seed=seed, folds_by=by, estimate={}, signature="")
    checked, teachers = a.is_checked and b.is_checked, tuple(dict.fromkeys([*a.teachers, *b.teachers]))
    merged = replace(unknown, columns=columns, n_documents=n_documents, label_rules=rules)
    return replace(merged, is_checked=checked, teachers=teachers)


def write_estimate(estimate: Estimate) -> dict[str, Any]:
    """Values for JSON: a number that is not finite is None."""
    values = asdict(estimate)
    return {name: None if isinstance(each, float) and not math.isfinite(each) else each for name, each in values.items()}


def read_estimate(written: Mapping[str, Any]) -> Estimate:
    """The estimate in a file. Raises an error if a value has another type, or is not possible."""
    value, low, high = (_read_share(written[name]) for name in ("value", "low", "high"))
    confidence = written["confidence"]
    if type(confidence) is not float or not 0 < confidence < 1:
        raise ValueError("the confidence of the estimate is not between 0 and 1")
    if low > high:
        raise ValueError("the interval of the estimate ends before it begins")
    return Estimate(value, low, high, confidence, _read_text(written, "method"), _read_text(written, "note"))


def _read_share(value: Any) -> float:
    if value is None:
        return math.nan
    if type(value) is not float or not 0 <= value <= 1:
        raise ValueError("an estimate is not between 0 and 1")
    return value


def _read_text(written: Mapping[str, Any], name: str) -> str:
    text = written[name]
    if not isinstance(text, str) or len(text) > MAX_LENGTH:
        raise ValueError(f"the {name} of the record is not a text")
    return text

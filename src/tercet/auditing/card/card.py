"""`make_card`: a model, its test and training documents and notes → a model card, after Mitchell et al. (2019).

What the program knows is worked out here. `sections.py` says it in words.
"""

import json
import os
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tercet.arrays import Flags
from tercet.auditing.audit.groups import GroupAudit, audit_groups
from tercet.auditing.audit.model_answers import check_columns, is_empty, read_whole
from tercet.auditing.card.caveats import list_caveats
from tercet.auditing.card.header import describe_for_hubs, write_front_matter
from tercet.auditing.card.model_card import CardSection, write_card, write_card_html
from tercet.auditing.card.notes import CardNotes
from tercet.auditing.card.privacy import Exposure, Membership, measure_membership
from tercet.auditing.card.sections import list_sections
from tercet.auditing.doctor.diagnosis import Diagnosis
from tercet.auditing.doctor.doctor import examine
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.hand_check import HandCheck
from tercet.categorizer.files.record import TrainingRecord
from tercet.categorizer.learned_texts import list_learned
from tercet.categorizer.model.given_probabilities import GivenWeights
from tercet.categorizer.predictor import Predictor
from tercet.counts.near_copies import find_leaks
from tercet.data.documents import Documents
from tercet.errors import InvalidFile, InvalidLabel, InvalidOption, OutOfDate, bad_option, shorten
from tercet.evaluation.sample import UndefinedMetric
from tercet.models.smoothing import write_smoothing
from tercet.options import check_names
from tercet.report.forms import simplify
from tercet.report.report import Report, evaluate

METRICS = ("accuracy", "balanced_accuracy", "macro_f1", "mcc", "log_loss", "calibration_error")
NO_VALUE = "no value"
MAX_JOINT = 50  # groups of several columns together


@dataclass(frozen=True)
class ModelFacts:
    """What the model is: its kind and options, and the file that it is in, if there is one."""

    kind: str
    analyzer: str
    smoothing: Any
    calibration: str | None
    labels: tuple[str, ...]
    n_terms: int
    members: tuple[tuple[str, float], ...]  # of a stack, with their weights
    n_rules: int
    columns: tuple[str, ...]  # columns that documents must have beside the text
    is_compact: bool
    is_given: bool  # whether its probabilities were given, not learned
    out_of_date: tuple[str, ...]
    keeps_documents: bool
    file: str = ""
    n_bytes: int = 0
    checksum: str = ""
    vectors: str | None = None  # the identity of the word vectors that it was trained with
    seeds: str = ""  # how many labels and words it was told


@dataclass(frozen=True, eq=False)
class TrainingFacts:
    """What the model was trained on. `n_documents` and the counts of labels, by weight, are None if nothing tells them."""

    n_documents: int | None
    label_counts: Mapping[str, float] | None
    record: TrainingRecord | None
    is_current: bool | None
    hand_check: HandCheck | None = None
    is_check_current: bool | None = None
    source: str = ""  # the file of --train
    n_foreign: int | None = 0  # documents of this file that the model has not learned; None if nothing tells
    diagnosis: Diagnosis | None = None


@dataclass(frozen=True, eq=False)
class EvaluationFacts:
    """The test documents and the report on them.

    `n_copies` of `n_documents` were learned: they are left out of the report, unless all of them were learned. It is None if
    nothing tells what was learned.
    """

    source: str
    n_documents: int
    n_copies: int | None
    report: Report
    unknown_labels: tuple[str, ...] = ()

    @property
    def is_training(self) -> bool:
        """Whether the model has learned all test documents."""
        return self.n_copies == self.n_documents


@dataclass(frozen=True, eq=False, repr=False)
class ModelCard:
    """A model card: `to_markdown()` with the YAML header of model hubs, `to_html()`, `to_dict()`.

    `missing` has the names of the questions that the notes do not answer. `caveats` are what the program knows to be doubtful.
    """

    name: str
    notes: CardNotes
    model: ModelFacts
    training: TrainingFacts
    evaluation: EvaluationFacts | None
    by: tuple[str, ...]
    exposure: Exposure
    membership: Membership | None
    groups: GroupAudit | None  # of the columns `by`
    findings: tuple[str, ...]  # of this audit, and of another one that was given

    @property
    def missing(self) -> tuple[str, ...]:
        return self.notes.missing

    @property
    def sections(self) -> list[CardSection]:
        """The card as headings with blocks."""
        return list_sections(self)

    @property
    def caveats(self) -> list[str]:
        return list_caveats(self)

    def to_markdown(self) -> str:
        """The card as Markdown. Equal inputs give equal bytes."""
        return write_card(write_front_matter(describe_for_hubs(self)), self.sections)

    def to_html(self) -> str:
        """A `<div>` that fits into any page and needs nothing else: no script, no style sheet, no network."""
        return write_card_html(self.sections)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        training, evaluation = self.training, self.evaluation
        values = {
            "name": self.name,
            "notes": dict(self.notes.answers),
            "missing": self.missing,
            "model": vars(self.model),
            "training": vars(training)
            | {
                "record": None if training.record is None else training.record.to_dict(),
                "hand_check": None if training.hand_check is None else training.hand_check.to_dict(),
                "diagnosis": None if training.diagnosis is None else training.diagnosis.counts,
                "n_label_errors": None if training.diagnosis is None else training.diagnosis.n_label_errors,
            },
            "evaluation": None if evaluation is None else vars(evaluation) | {"report": evaluation.report.to_dict()},
            "by": self.by,
            "privacy": vars(self.exposure) | {"membership": None if self.membership is None else vars(self.membership)},
            "groups": None if self.groups is None else self.groups.to_dict(),
            "findings": self.findings,
            "caveats": self.caveats,
        }
        simple: dict[str, Any] = simplify(values)
        return simple

    __str__ = to_markdown

    def __repr__(self) -> str:
        return f"ModelCard({self.name!r}: {len(self.missing)} questions are not answered, {len(self.caveats)} caveats)"

    def _repr_html_(self) -> str:
        return self.to_html()


def make_card(
    categorizer: Predictor,
    test: Any = None,
    *,
    train: Any = None,
    by: Sequence[str] = (),
    notes: Any = None,
    audit: Any = None,
    file: str | os.PathLike[str] | None = None,
    diagnose: bool = True,
) -> ModelCard:
    """A model card: what a model is for, how good it is, for whom it is worse, what it was trained on and what it reveals.

    - `test`: documents with labels, as Documents or a stream. Those that the model has learned are left out.
    - `train`: the documents that it has learned, for the doctor's summary and the measure of privacy. A model that keeps its
      documents does not need them.
    - `by`: names of columns of the test documents. The groups of each column are measured and compared.
    - `notes`: what only people know: the path of a TOML file, or the same as nested dicts (see `card_notes.QUESTIONS`).
    - `audit`: a result with `findings`, such as that of `tercet.audit`, or the path of the file that `tercet audit --json` has
      written. The card quotes them.
    - `file`: the model file. Its name, size and checksum are shown.
    - `diagnose`: whether the doctor examines the training documents, if they are known. This takes longest.

    >>> from tercet import Categorizer
    >>> categorizer = Categorizer().fit(["so good", "so bad", "good", "bad"], ["+", "-", "+", "-"])
    >>> card = make_card(categorizer, notes={"intended_use": {"primary_uses": "Sort film reviews."}})
    >>> card.missing[:2], "Sort film reviews." in card.to_markdown()
    (('model.description', 'model.date'), True)
    """
    if not isinstance(categorizer, Predictor):
        raise bad_option("categorizer", "a fitted Categorizer", categorizer, "a card describes it. Try tercet.load(path).")
    answers, by = CardNotes.of(notes), tuple(check_names("by", by))
    more_findings = _read_findings(audit)
    if by and test is None:
        raise InvalidOption("by names columns of test documents, and there are none: give test documents, too.")
    with warnings.catch_warnings():
        for category in (OutOfDate, UndefinedMetric):  # the card says what is out of date, and shows undefined numbers as –
            warnings.simplefilter("ignore", category)
        learned, training = _describe_training(categorizer, train)
        tested = None if test is None else _read_documents(test, "test")
        evaluation, others = (None, None) if tested is None else _evaluate(categorizer, tested, learned, by, test)
        groups = audit_groups(categorizer, tested if others is None else others, by) if by else None
        membership = _measure_membership(categorizer, learned, others)
        if learned is not None and diagnose:
            training = replace(training, diagnosis=examine(learned, tested))
        model, exposure = _describe_model(categorizer, file), Exposure.of(categorizer)
    name = next(iter(answers["model.name"]), "") or (Path(model.file).stem if model.file else "tercet model")
    findings = (*(() if groups is None else groups.findings), *more_findings)
    return ModelCard(name, answers, model, training, evaluation, by, exposure, membership, groups, findings)


def _read_findings(audit: Any) -> tuple[str, ...]:
    """The findings of an audit, or those in a JSON file of an audit."""
    if audit is None:
        return ()
    if not isinstance(audit, str | os.PathLike):
        return tuple(audit.findings)
    try:
        written = json.loads(Path(audit).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not JSON"
        raise InvalidFile(f"{audit} can't be read: {reason}. Write it with: tercet audit MODEL … --json.") from None
    findings = written.get("findings") if isinstance(written, dict) else None
    if not isinstance(findings, list) or not all(isinstance(finding, str) for finding in findings):
        raise InvalidFile(
            f"{audit} has no list of findings, so it is not an audit: write it with: tercet audit MODEL … --json."
        )
    return tuple(findings)


def _describe_model(model: Predictor, file: str | os.PathLike[str] | None) -> ModelFacts:
    facts, weights = model.describe(), model.last_scorer().weights if len(model.classes_) else None
    whole = model if isinstance(model, Categorizer) else None
    version = None if file is None else model.files.get(os.path.realpath(file))
    return ModelFacts(
        kind=str(facts["kind"]),
        analyzer=facts["analyzer"],
        smoothing=write_smoothing(facts["smoothing"]),
        calibration=facts["calibration"],
        labels=tuple(str(label) for label in model.classes_.tolist()),
        n_terms=facts["terms"],
        members=() if whole is None else tuple((member.name, member.weight) for member in whole.members_),
        n_rules=len(model.rules_),
        columns=tuple(model.columns_),
        is_compact=whole is None,
        is_given=isinstance(weights, GivenWeights),
        out_of_date=() if whole is None else whole.out_of_date_,
        keeps_documents=whole is not None and whole.keeps_documents_,
        file="" if file is None else Path(file).name,
        n_bytes=0 if file is None else Path(file).stat().st_size,
        checksum="" if version is None else version.checksum,
        vectors=facts["vectors"],
        seeds="" if whole is None or whole.seeds_ is None else str(whole.seeds_),
    )


def _describe_training(model: Predictor, train: Any) -> tuple[Documents | None, TrainingFacts]:
    """The documents that the model has learned, if they are known, and what is known of the training."""
    facts = TrainingFacts(*_count_learned(model), model.record_, model.is_current_, model.hand_check_, model.is_check_current_)
    if train is None:
        return _list_kept(model), facts
    documents, source = _read_documents(train, "train"), getattr(train, "name", "")
    is_learned = _find_learned(model, documents)
    if is_learned is None:
        n_documents = len(documents.texts) if facts.n_documents is None else facts.n_documents
        counts = facts.label_counts or dict(sorted(Counter(map(str, documents.labels)).items()))
        return documents, replace(facts, n_documents=n_documents, label_counts=counts, source=source, n_foreign=None)
    if not is_learned.any():
        raise InvalidOption(
            f"the model has learned none of the {len(documents.texts)} training documents, so the card would describe other "
            "data: give the documents that it was trained on."
        )
    learned = documents.pick(np.flatnonzero(is_learned).tolist())
    return learned, replace(facts, source=source, n_foreign=int((~is_learned).sum()))


def _count_learned(model: Predictor) -> tuple[int | None, dict[str, float] | None]:
    """How many documents the model has learned, and for each label the sum of their weights; None if the file does not tell."""
    if not isinstance(model, Categorizer):
        return None if model.record_ is None else model.record_.n_documents, None
    table, prints = model.table_, model.fitted_.state.prints
    counts = dict(zip(map(str, table.labels.tolist()), table.n_documents.tolist(), strict=True))
    return round(sum(counts.values())) if prints is None else len(prints), counts


def _list_kept(model: Predictor) -> Documents | None:
    """The documents that the model keeps, if they can be predicted from their texts alone."""
    if not isinstance(model, Categorizer) or not model.keeps_documents_ or model.columns_:
        return None
    return list_learned(model)


def _read_documents(given: Any, name: str) -> Documents:
    """All documents in memory, with labels."""
    documents = read_whole(given, f"{name} documents")
    if documents.labels is None:
        raise InvalidLabel(f"the {name} documents have no labels, so nothing can be compared with them: give labels.")
    return documents


def _find_learned(model: Predictor, documents: Documents) -> Flags | None:
    """Which documents the model has learned; None if its file does not tell."""
    if isinstance(model.last_scorer().weights, GivenWeights):
        return np.zeros(len(documents.texts), np.bool_)
    if not isinstance(model, Categorizer) or not model.remembers_ or model.domain_ is not None:
        return None
    return model.find_learned(documents)


def _evaluate(
    model: Predictor, documents: Documents, learned: Documents | None, by: tuple[str, ...], source: Any
) -> tuple[EvaluationFacts, Documents | None]:
    """The report on the test documents that the model has not learned, and these documents."""
    is_copy = _find_learned(model, documents)
    if learned is not None:
        is_copy = np.zeros(len(documents.texts), np.bool_) if is_copy is None else is_copy
        is_copy[find_leaks(learned.texts, documents.texts)[:, 1]] = True
    n, n_copies = len(documents.texts), None if is_copy is None else int(is_copy.sum())
    others = documents if not n_copies else documents.pick(np.flatnonzero(~np.asarray(is_copy)).tolist())
    tested = others if others.texts else documents
    report, unknown = _measure(model, tested, by)
    return EvaluationFacts(getattr(source, "name", ""), n, n_copies, report, unknown), others if others.texts else None


def _measure(model: Predictor, documents: Documents, by: tuple[str, ...]) -> tuple[Report, tuple[str, ...]]:
    """The report on predictions, and the gold labels that the model does not know: they count as errors."""
    known, gold = [str(label) for label in model.classes_.tolist()], [str(label) for label in documents.labels]
    unknown = tuple(sorted(set(gold) - set(known)))
    if len(unknown) == len(set(gold)):
        raise InvalidLabel(
            f"the model knows none of the labels of the test documents ({shorten(', '.join(unknown), 200)}): it knows "
            f"{shorten(', '.join(known), 200)}. Name the label column."
        )
    probabilities = model.predict_proba(documents)
    predicted = [known[index] for index in probabilities.argmax(axis=1).tolist()]
    report = evaluate(
        gold,
        predicted,
        np.pad(probabilities, ((0, 0), (0, len(unknown)))),
        documents.weights,
        slices=_slice_documents(documents, by),
        metrics=METRICS,
        labels=[*known, *unknown],
        majority=None if model.majority_label_ is None else str(model.majority_label_),
    )
    return report, unknown


def _slice_documents(documents: Documents, by: tuple[str, ...]) -> dict[str, list[str]]:
    """The group of each document in each column, and in all columns together if these are not too many groups."""
    check_columns(documents.columns, by)
    columns = {name: [_name_group(value) for value in documents.columns[name]] for name in by}
    joint = [", ".join(values) for values in zip(*columns.values(), strict=True)]
    if len(by) > 1 and len(set(joint)) <= MAX_JOINT:
        columns[" × ".join(by)] = joint
    return columns


def _measure_membership(model: Predictor, learned: Documents | None, others: Documents | None) -> Membership | None:
    """None if there are no learned documents, no others, or no label that both have."""
    if learned is None or others is None or not {str(each) for each in learned.labels} & {str(each) for each in others.labels}:
        return None
    return measure_membership(model, learned, others)


def _name_group(value: Any) -> str:
    return NO_VALUE if is_empty(value) else str(value)

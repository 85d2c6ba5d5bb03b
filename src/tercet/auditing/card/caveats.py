"""What the program knows to be doubtful about a model and its numbers, as sentences for its card."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tercet.auditing.doctor.diagnosis import AMBIGUOUS, NEAR_LEAK
from tercet.characters import show_line
from tercet.errors import describe_out_of_date
from tercet.evaluation.intervals import MIN_CASES, MIN_DOCUMENTS
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.auditing.card.card import EvaluationFacts, ModelCard

BAYES = ("multinomial", "binary", "bernoulli", "complement")
MAX_ERROR = 0.05  # calibration error
MAX_NAMED = 10  # labels


def list_caveats(card: "ModelCard") -> list[str]:
    """The most important first."""
    return [*_doubt_evaluation(card), *_doubt_model(card), *_doubt_training(card), *_doubt_intervals(card)]


def describe_copies(evaluation: "EvaluationFacts") -> str:
    """What the test documents have to do with the training documents, in a sentence."""
    n, n_copies = evaluation.n_documents, evaluation.n_copies
    if n_copies is None:
        return (
            "It is not known whether the model has learned some of the test documents, because its file has no fingerprints: "
            "give the training documents to find out (--train)."
        )
    if evaluation.is_training:
        return (
            f"The model has learned all {n:,} test documents, so this is not a test: the numbers say how well the model "
            "repeats what it has learned, and are too good. Measure it on other documents."
        )
    if not n_copies:
        return f"The model has learned none of the {n:,} test documents."
    one, several = ("is a training document: it is", "are training documents: they are")
    return f"{n_copies:,} of the {n:,} test documents {one if n_copies == 1 else several} left out of all numbers of this card."


def _doubt_evaluation(card: "ModelCard") -> Iterator[str]:
    evaluation = card.evaluation
    if evaluation is None:
        yield "The model was not measured on test documents (--test)."
        return
    if doubt := evaluation.report.baseline.doubt:
        yield doubt
    if evaluation.n_copies is None or evaluation.n_copies:
        yield describe_copies(evaluation)
    if n_near := 0 if card.training.diagnosis is None else len(card.training.diagnosis.of_kind(NEAR_LEAK)):
        n = f"{n_near:,} of the {evaluation.n_documents:,} test documents"
        yield f"{n} {'is' if n_near == 1 else 'are'} nearly equal to training documents: the numbers may be too good."
    if evaluation.unknown_labels:
        unknown = evaluation.unknown_labels
        yield f"The model does not know {_name(unknown)} of the test documents: each of them counts as an error."
    measured, record = evaluation.report.accuracy, card.training.record
    before = None if record is None or not card.training.is_current else record.estimate.get("accuracy")
    if before is not None and not evaluation.is_training and (measured.high < before.low or before.high < measured.low):
        yield (
            f"The accuracy on the test documents, {measured}, differs from the held-out accuracy in training, {before}: the "
            "test documents differ from the training documents."
        )


def _doubt_model(card: "ModelCard") -> Iterator[str]:
    model = card.model
    if model.out_of_date:
        sentence = describe_out_of_date(model.out_of_date, model.keeps_documents)
        yield sentence[0].upper() + sentence[1:]
    record = card.training.record
    if record is not None and not record.is_checked:
        guessed = "come from teachers" if record.teachers else "were guessed from names and words of the labels"
        unchecked = ": nothing has been checked" if card.training.hand_check is None else ""
        yield f"Labels of the training texts {guessed}{unchecked}."
    if card.training.is_check_current is False:
        yield "The model has changed since it was checked by hand: check it again with tercet check."
    if card.training.is_current is False:
        remedy = "train again from the teachers" if record is not None and record.teachers else "tercet refit works it out anew"
        yield f"The estimate of the training belongs to the documents before the last change: {remedy}."
    if model.calibration is None and not model.is_given:
        why = "Naive Bayes is usually far too sure. " if model.kind in BAYES else ""
        yield f"The probabilities are not calibrated. {why}Trust the labels, or train with --calibrate auto."
    report = None if card.evaluation is None or card.evaluation.is_training else card.evaluation.report
    if report is not None and report.n >= MIN_DOCUMENTS and (error := report["calibration_error"]).low > MAX_ERROR:
        yield f"On the test documents the probabilities are far from the share of right answers: calibration error {error}."
    if model.n_rules:
        n = pluralize(model.n_rules, "rule")
        yield f"{n} made by hand decide{'s' * (model.n_rules == 1)} before the model, with probability 1."
    if model.vectors is not None:
        yield (
            f"The model uses word vectors ({model.vectors}). They carry the prejudices of the texts that they come from, also "
            "about words that no training document has. Measure them: tercet audit."
        )
    if model.is_given:
        yield "The probabilities were given by a person. They were not learned from documents."


def _doubt_training(card: "ModelCard") -> Iterator[str]:
    training = card.training
    if training.n_foreign is None:
        yield "It could not be checked that the model has learned the given training documents: its file has no fingerprints."
    elif training.n_foreign:
        source = show_line(training.source or "the given training documents", 80)
        n = pluralize(training.n_foreign, "document")
        yield f"The model has not learned {n} of {source}: {'it is' if training.n_foreign == 1 else 'they are'} left out."
    if rare := [label for label, n in (training.label_counts or {}).items() if n < MIN_CASES]:
        yield f"The model has learned fewer than {MIN_CASES} documents of {_name(rare)}: do not rely on it there."
    found = None if training.diagnosis is None else training.diagnosis.n_label_errors
    if found is not None and found.value >= 0.5:
        yield f"Labels of the training documents that are probably wrong: {found:.0f}. {AMBIGUOUS}"


def _doubt_intervals(card: "ModelCard") -> Iterator[str]:
    if card.evaluation is not None:
        few = [row.label for row in card.evaluation.report.rows if 0 < row.support < MIN_CASES]
        if few:
            yield f"Fewer than {MIN_CASES} test documents have {_name(few)}: their numbers are unreliable, and so are averages."
        yield (
            "Intervals cover the random choice of test documents like these. They do not cover another choice of training "
            "documents, other sources, or changes over time."
        )


def _name(labels: "list[str] | tuple[str, ...]") -> str:
    """
    >>> _name(["a"]), _name([str(n) for n in range(12)])
    ("the label 'a'", "the labels '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' and 2 more")
    """
    named = ", ".join(f"'{show_line(label)}'" for label in labels[:MAX_NAMED])
    more = f" and {len(labels) - MAX_NAMED} more" if len(labels) > MAX_NAMED else ""
    return f"the label {named}" if len(labels) == 1 else f"the labels {named}{more}"

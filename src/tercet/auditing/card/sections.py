"""A model card in words: its sections after Mitchell et al. (2019), and first a short answer to the usual questions."""

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from tercet.auditing.card.caveats import describe_copies
from tercet.auditing.card.model_card import (
    Alert,
    Answer,
    Block,
    CardSection,
    Code,
    Facts,
    Items,
    Picture,
    Table,
    Text,
    join_paragraphs,
)
from tercet.auditing.card.notes import QUESTIONS, list_questions
from tercet.auditing.card.privacy import Membership
from tercet.auditing.doctor.diagnosis import KINDS
from tercet.categorizer.files.hand_check import HandCheck
from tercet.characters import cut_line, show_line
from tercet.report.report import Report, list_labels, list_metrics, list_slices, list_worst_confusions
from tercet.report.svg_pictures import draw_confusion, draw_reliability
from tercet.report.tables import Footnotes, Grid, pluralize, show_count, show_estimate, show_number
from tercet.store.model_file import FORMAT

if TYPE_CHECKING:
    from tercet.auditing.card.card import ModelCard

MODELS = {
    "multinomial": "naive Bayes, multinomial",
    "binary": "naive Bayes, binary (whether a term occurs, not how often)",
    "bernoulli": "naive Bayes, Bernoulli",
    "complement": "naive Bayes, complement",
    "stack": "stack of linear models",
    "nbsvm": "NB-SVM",
    "svm": "linear support vector machine",
    "logistic": "logistic regression",
}
CALIBRATIONS = {"": "none", "softmax": "by the weights of the stack, which are fitted to held-out documents"}
MAX_LABELS = 100  # rows of a table
MAX_LENGTH = 300  # characters of an answer in the summary
N_WORST = 3  # labels or groups in the summary
NOT_MEASURED = (
    "Membership AUC: not measured. It needs test documents that the model has not learned (--test FILE), and the training "
    "documents (--train FILE, unless they are kept in the file of a model that reads nothing beside texts)."
)
HELD_OUT = {
    "left_out": "leave-one-out on the training documents",
    "held_out": "holding out folds of the training documents",
    "folds": "cross-validation on the training documents",
}


def list_sections(card: "ModelCard") -> list[CardSection]:
    """The sections in the order of the paper, after a summary."""
    return [
        CardSection(f"Model card: {show_line(card.name, 200)}", tuple(_summarize(card)), level=1),
        CardSection("Model details", tuple(_list_details(card))),
        CardSection("Intended use", tuple(_ask(card, "intended_use"))),
        CardSection("Factors", tuple(_list_factors(card))),
        CardSection("Metrics", tuple(_list_metrics(card))),
        CardSection("Evaluation data", tuple(_list_evaluation_data(card))),
        CardSection("Training data", tuple(_list_training_data(card))),
        *_list_analyses(card),
        CardSection("Ethical considerations", tuple(_list_ethics(card))),
        CardSection("Privacy: what the model reveals about its training texts", tuple(_list_privacy(card))),
        CardSection("Caveats and recommendations", tuple(_list_caveats(card))),
        *_list_missing(card),
    ]


def _ask(card: "ModelCard", section: str, *keys: str) -> Iterator[Block]:
    """The answers to the questions of a table of the notes, or to some of them. Optional questions need no answer."""
    for key in keys or QUESTIONS[section]:
        question, texts = QUESTIONS[section][key], card.notes[f"{section}.{key}"]
        if texts or not question.is_optional:
            yield Answer(key.replace("_", " ").capitalize(), f"{section}.{key}", question.asked, ", ".join(texts))


# The summary


def _summarize(card: "ModelCard") -> Iterator[Block]:
    yield from _ask(card, "model", "description")
    summary = [
        ("What for", _take_beginning(card, "intended_use.primary_uses") or "Not answered."),
        ("Not for", _take_beginning(card, "intended_use.out_of_scope") or "Not answered."),
        ("How good", _say_how_good(card)),
        ("Worse for", _say_for_whom_worse(card) + _point_to_audit(card)),
    ]
    summary += [("Trained on", _say_trained_on(card)), ("Privacy", _say_private(card))]
    yield Facts(tuple(summary))
    if card.evaluation is not None and card.evaluation.is_training:
        yield Alert(describe_copies(card.evaluation))
    if card.missing:
        yield Alert(f"{count_missing(card)}: see the end.")


def _take_beginning(card: "ModelCard", name: str) -> str:
    """The beginning of an answer in one line; empty if there is no answer."""
    return cut_line(join_paragraphs(" ".join(card.notes[name])), MAX_LENGTH)


def _say_how_good(card: "ModelCard") -> str:
    """What was measured on test documents, by holding out, and by hand."""
    checked = _say_checked(card)
    if checked and card.evaluation is None and not (card.training.record and card.training.record.estimate):
        return checked
    return " ".join(filter(None, [_say_measured(card), checked]))


def _say_checked(card: "ModelCard") -> str:
    """The check by hand in a sentence; empty if there was none."""
    check = card.training.hand_check
    if check is None:
        return ""
    words = check.describe(is_current=bool(card.training.is_check_current))
    return f"{words[0].upper()}{words[1:]}."


def _say_measured(card: "ModelCard") -> str:
    if card.evaluation is not None:
        report = card.evaluation.report
        majority = report.baseline
        found = f"accuracy {report.accuracy} and macro F1 {report.macro_f1} on {_count(report.n, 'test document')}"
        known = ", which the model has learned, so this is too good" if card.evaluation.is_training else ""
        always = f"Always answering '{show_line(majority.label)}' has accuracy {show_number(majority.accuracy.value)}."
        return " ".join(filter(None, [f"{found}{known}.", always, majority.note]))
    record = card.training.record
    if record is None or not record.estimate:
        return "Not measured: give test documents (--test)."
    estimates = " and ".join(f"{_name_metric(name)} {value}" for name, value in record.estimate.items())
    return f"{estimates}, estimated by {_name_method(record.signature)}. There are no test documents (--test)."


def _say_for_whom_worse(card: "ModelCard") -> str:
    if card.evaluation is None:
        return "Not measured: give test documents (--test), and columns of groups (--by)."
    report = card.evaluation.report
    rows = sorted((row for row in report.rows if row.support), key=lambda row: (row.f1.value, str(row.label)))
    worst = rows[: min(N_WORST, max(1, len(rows) // 2))]
    labels = ", ".join(f"'{show_line(row.label)}' (F1 {row.f1})" for row in worst)
    sentence = f"{'Labels' if len(worst) > 1 else 'Label'} with the lowest F1: {labels}."
    if card.groups is None:
        return f"{sentence} Groups were not compared (--by)."
    if groups := card.groups.worst[:N_WORST]:
        return " ".join([sentence, *groups])
    names = ", ".join(show_line(name) for name in card.by)
    sizes = "the ethical considerations say how large a difference must be to be shown by these documents"
    return f"{sentence} No difference between groups by {names} is significant: {sizes}."


def _point_to_audit(card: "ModelCard") -> str:
    """Where the findings of another audit stand; empty if there is none."""
    n_quoted = len(card.findings) - (0 if card.groups is None else len(card.groups.findings))
    if not n_quoted:
        return ""
    return f" Another audit has {pluralize(n_quoted, 'finding')}: see the ethical considerations."


def _say_trained_on(card: "ModelCard") -> str:
    training = card.training
    if card.model.is_given:
        return "No documents: a person has given the probabilities."
    n = "an unknown number of documents" if training.n_documents is None else _count(training.n_documents, "document")
    described = _take_beginning(card, "training_data.description") or "Where they come from is not answered."
    return f"{n} with {pluralize(len(card.model.labels), 'label')}. {described}"


def _say_private(card: "ModelCard") -> str:
    exposure = card.exposure
    if card.model.is_given:
        return "The model has not learned from texts."
    if exposure.n_texts:
        found = "The file contains the training texts."
    elif exposure.n_fingerprints:
        found = "The file has no training texts, but whoever has a text can check with certainty whether it was learned."
    else:
        found = "The file has neither training texts nor fingerprints of them, but rare terms can be read in it."
    auc = "" if card.membership is None else f" Membership AUC {card.membership.auc} (0.5 reveals nothing)."
    return found + auc


# The sections of the paper


def _list_details(card: "ModelCard") -> Iterator[Block]:
    yield from _ask(card, "model", "version", "date", "authors", "contact", "license", "license_link", "languages", "citation")
    model, record = card.model, card.training.record
    facts = [("Kind", MODELS.get(model.kind, model.kind))]
    if model.members:
        facts.append(("Members", ", ".join(f"{name} (weight {weight:.2f})" for name, weight in model.members if weight)))
    if model.smoothing is not None:
        facts.append(("Smoothing", "given probabilities, none" if model.is_given else str(model.smoothing)))
    facts.append(("Calibration of probabilities", CALIBRATIONS.get(model.calibration or "", str(model.calibration))))
    shown = ", ".join(show_line(label) for label in model.labels[:MAX_LABELS])
    more = f" and {len(model.labels) - MAX_LABELS} more" if len(model.labels) > MAX_LABELS else ""
    facts += [("Labels", f"{len(model.labels)}: {shown}{more}"), ("Terms", f"{model.n_terms:,}")]
    if model.columns:
        facts.append(("Columns beside the text", ", ".join(show_line(name) for name in model.columns)))
    if model.n_rules:
        facts.append(("Rules made by hand", str(model.n_rules)))
    if model.seeds:
        facts.append(("Seeds: names and words of the labels, by hand", model.seeds))
    content = "weights only: it can't learn or forget" if model.is_compact else "counts and weights"
    facts.append(("Content of the file", content + (", and the training texts" if model.keeps_documents else "")))
    if model.file:
        facts.append(("File", f"{show_line(model.file, 100)}, {model.n_bytes:,} bytes, format {FORMAT} (safetensors)"))
    trained = "" if record is None else f"trained with {record.version}, "
    facts.append(("Version of tercet", f"{trained}card written with {sys.modules['tercet'].__version__}"))
    yield Facts(tuple(facts))
    yield Code("Recipe from text to terms", model.analyzer)
    if model.checksum:
        yield Code("Checksum of the file (SHA-256)", model.checksum)


def _list_factors(card: "ModelCard") -> Iterator[Block]:
    yield from _ask(card, "factors")
    if card.by:
        yield Text(f"Groups were compared by: {', '.join(show_line(name) for name in card.by)}.")
    else:
        yield Text("No groups were compared: columns of the test documents can be named with --by.")


def _list_metrics(card: "ModelCard") -> Iterator[Block]:
    yield from _ask(card, "metrics")
    yield Text(
        "Accuracy is the share of right answers. Balanced accuracy is the mean recall of the labels, and macro F1 the mean F1, "
        "so rare labels count as much as frequent ones. MCC is the correlation of answers and gold labels. Log loss and "
        "calibration error judge the probabilities: lower is better. The answer is the most probable label."
    )
    if card.evaluation is not None:
        yield Text(
            "Numbers in brackets are 95 % intervals: Wilson's for shares, the BCa bootstrap for other metrics of labels, the "
            "jackknife for metrics of probabilities. With weights or many labels Student's t replaces the bootstrap."
        )
        yield Code("How to repeat the numbers", card.evaluation.report.signature)


def _list_evaluation_data(card: "ModelCard") -> Iterator[Block]:
    evaluation = card.evaluation
    yield from _ask(card, "evaluation_data")
    if evaluation is None:
        yield Text("There are no test documents: give them with --test.")
        return
    facts = [("Source", show_line(evaluation.source, 100))] if evaluation.source else []
    facts += [("Documents", f"{evaluation.n_documents:,}"), ("Documents that were measured", f"{evaluation.report.n:,}")]
    yield Facts(tuple(facts))
    copies = describe_copies(evaluation)
    yield Text(copies) if evaluation.n_copies == 0 else Alert(copies)


def _list_training_data(card: "ModelCard") -> Iterator[Block]:
    training, record = card.training, card.training.record
    yield from _ask(card, "training_data")
    if card.model.is_given:
        yield Text("The model was not trained: a person has given its probabilities.")
        return
    n = "not known: the file has no counts" if training.n_documents is None else f"{training.n_documents:,}"
    facts = [("Documents", n)]
    if card.exposure.n_unlabelled:
        facts.append(("Texts without labels", f"{card.exposure.n_unlabelled:,}"))
    if training.source:
        facts.append(("Source", show_line(training.source, 100)))
    if record is not None and record.columns is not None:
        columns = record.columns
        named = {"text": " + ".join(columns.texts), "label": columns.label, "weight": columns.weight}
        facts.append(("Columns", ", ".join(f"{name}: {show_line(each, 100)}" for name, each in named.items() if each)))
    yield Facts(tuple(facts))
    if record is not None and record.data:
        before = "" if training.is_current else ", before the last change"
        yield Code(f"Hash of the documents, the same in any order{before}", record.data)
    if record is None:
        yield Text("There is no record of the training: the model was made by Categorizer.fit, and not by tercet.train.")
    if training.label_counts:
        yield Table(_list_label_counts(training.label_counts))
    yield from _list_diagnosis(card)


def _list_label_counts(counts: Mapping[str, float]) -> Grid:
    total = sum(counts.values()) or 1.0
    rows = [(show_line(label), show_count(n), f"{n / total:.1%}") for label, n in list(counts.items())[:MAX_LABELS]]
    if len(counts) > MAX_LABELS:
        rows.append((f"… {len(counts) - MAX_LABELS} more", "", ""))
    return Grid("labels", ("label", "documents", "share"), tuple(rows))


def _list_diagnosis(card: "ModelCard") -> Iterator[Block]:
    """The doctor's summary."""
    diagnosis = card.training.diagnosis
    if diagnosis is None:
        yield Text("The training documents were not examined: they are not in the file. Give them with --train.")
        return
    examined = f"the training documents{'' if card.evaluation is None else ' and the test documents'}"
    rows = [(KINDS[kind].looked_for, f"{n:,}", KINDS[kind].severity) for kind, n in diagnosis.counts.items()]
    if rows:
        yield Text(f"What the doctor has found in {examined}:")
        yield Table(Grid("findings", ("finding", "number", "severity"), tuple(rows)))
    else:
        yield Text(f"The doctor has examined {examined}, and has no findings.")
    if diagnosis.not_found:
        yield Text(f"Looked for and not found: {'; '.join(diagnosis.not_found)}.")


def _list_analyses(card: "ModelCard") -> Iterator[CardSection]:
    """The numbers: all documents, each label, each group."""
    record, evaluation = card.training.record, card.evaluation
    blocks: list[Block] = []
    if evaluation is None and record is not None and record.estimate:
        rows = [(name, show_estimate(value)) for name, value in record.estimate.items()]
        title = f"Estimated by {_name_method(record.signature)}, when the model was trained:"
        blocks = [Text(title), Table(Grid("metrics", ("metric", "value"), tuple(rows)))]
    elif evaluation is None and card.training.hand_check is None:
        blocks = [Text("Nothing was measured: give test documents with --test.")]
    elif evaluation is not None and evaluation.is_training:
        blocks = [Alert(describe_copies(evaluation))]
    yield CardSection("Quantitative analyses", tuple(blocks))
    if card.training.hand_check is not None:
        yield CardSection("Checked by hand", tuple(_list_hand_check(card, card.training.hand_check)), level=3)
    if evaluation is not None:
        yield from _list_tables(evaluation.report)
    if evaluation is not None and record is not None and record.estimate:
        estimates = ", ".join(f"{_name_metric(name)} {value}" for name, value in record.estimate.items())
        text = f"When the model was trained, it had {estimates}, estimated by {_name_method(record.signature)}."
        yield CardSection("In training", (Text(text),), level=3)


def _list_hand_check(card: "ModelCard", check: HandCheck) -> Iterator[Block]:
    """What a person has found out about the answers of the model in a pool of texts."""
    pool = f" of {show_line(check.pool, 100)}" if check.pool else ""
    yield Text(
        f"{_say_checked(card)} Texts{pool} were drawn at random, uncertain answers more often, and a person gave their right "
        "labels without seeing those of the model. The shares are those of all texts there:"
    )
    rows = sorted(check.shares, key=lambda row: (-row.share.value, str(row.label)))[:MAX_LABELS]
    cells = [(show_line(row.label), show_estimate(row.share), show_number(row.predicted)) for row in rows]
    yield Table(Grid("shares", ("label", "share of the texts", "predicted by the model"), tuple(cells)))


def _list_tables(report: Report) -> Iterator[CardSection]:
    def make_table(write: Callable[[Footnotes], Grid]) -> Table:
        notes = Footnotes()
        return Table(write(notes), tuple(notes.list()))

    yield CardSection("Overall", (make_table(partial(list_metrics, report)),), level=3)
    by_label = make_table(partial(list_labels, report, most=MAX_LABELS))
    yield CardSection("By label", (by_label, Picture(draw_confusion(report.confusion))), level=3)
    confusions = list_worst_confusions(report)
    if confusions.rows:
        yield CardSection("Most frequent confusions", (Table(confusions),), level=3)
    for name, parts in report.slices.items():
        title = f"By {show_line(name, 100)}"
        yield CardSection(title, (make_table(partial(list_slices, name, parts)),), level=3)
    if report.reliability is not None:
        picture = draw_reliability(report.reliability, report.sample.plan.confidence)
        text = "The calibration error in the table above sums up how far probabilities are from the share of right answers."
        yield CardSection("Probabilities", (Text(text), Picture(picture)), level=3)


def _list_ethics(card: "ModelCard") -> Iterator[Block]:
    yield from _ask(card, "ethics")
    if card.findings:
        yield Text("What the audit has found:")
        yield Items(card.findings)
    else:
        yield Text("No audit was made. Columns that are named with --by compare groups.")
    if card.groups is not None:
        compared = "Each group is compared with all other documents that have a value in its column."
        yield Text(" ".join([compared, *card.groups.remarks]))


def _list_privacy(card: "ModelCard") -> Iterator[Block]:
    if card.model.is_given:
        yield Text("The model has not learned from texts, so it tells nothing of them.")
        return
    yield Items(card.exposure.sentences)
    yield Text(NOT_MEASURED if card.membership is None else _describe_membership(card.membership))


def _describe_membership(membership: Membership) -> str:
    copies = (
        f" {pluralize(membership.n_copies, 'test document')} with a learned text were left out." if membership.n_copies else ""
    )
    note = f" ({membership.auc.note})" if membership.auc.note else ""
    return (
        f"Membership AUC: {membership.auc}{note}. An attacker without the file, who can only ask the model for probabilities, "
        "ranks documents by the probability of their own label. The AUC is the probability that a learned document ranks "
        f"before another one: 0.5 reveals nothing, 1 reveals everything. It was measured on {membership.n_learned:,} learned "
        f"and {_count(membership.n_others, 'test document')}, weighted so that each label has the same share on both sides."
        f"{copies}\n\n"
        "If the test documents differ from the training documents in other ways, such as their source or date, that difference "
        "is a part of the AUC. Better attacks exist, so for documents of the same kind the AUC is a lower bound for what an "
        "attacker can find out."
    )


def _list_caveats(card: "ModelCard") -> Iterator[Block]:
    yield from _ask(card, "caveats")
    yield Items(tuple(card.caveats))


def _list_missing(card: "ModelCard") -> Iterator[CardSection]:
    """The questions without an answer, if there are any."""
    if card.missing:
        hint = "Write the answers into a TOML file, which tercet card --template writes, and give it with --notes."
        yield CardSection("Questions that are not answered", (Text(f"{count_missing(card)}. {hint}"), Items(card.missing)))


def count_missing(card: "ModelCard") -> str:
    """How many questions the notes do not answer."""
    n_all = sum(not question.is_optional for question in list_questions().values())
    return f"{len(card.missing)} of {n_all} questions are not answered"


def _name_method(signature: str) -> str:
    """How the estimate of the training was made, in words.

    >>> _name_method("accuracy|n:9|left_out:one+copies=all|seed:0")
    'leave-one-out on the training documents'
    """
    names = {part.partition(":")[0] for part in signature.split("|")}
    return next((words for name, words in HELD_OUT.items() if name in names), "held-out training documents")


def _name_metric(name: str) -> str:
    return name.replace("_", " ").replace("f1", "F1")


def _count(n: int, noun: str) -> str:
    """
    >>> _count(1, "document"), _count(12000, "document")
    ('1 document', '12,000 documents')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"

"""tercet evaluate"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command
from tercet.cli.explain import find_label
from tercet.cli.options.label_options import keep_labels, labels_option, restrict, separator_option
from tercet.cli.options.measuring_options import measuring_options
from tercet.cli.options.option_values import ParsedValue, read_assignment
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.output import printing_options, write_result
from tercet.cli.system_answers import (
    answer_options,
    are_answers_in_files,
    predicted_option,
    read_answers,
    refuse_one_label_options,
)
from tercet.cli.table_file import TableFile, write_documents
from tercet.cli.talk import say, show_progress
from tercet.data.column_choice import spell_names
from tercet.data.documents import name_file
from tercet.errors import InvalidLabel, shorten
from tercet.evaluation.intervals import format_rounded
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.cli.predictions import LabelledPredictions
    from tercet.cli.system_answers import LabelFile
    from tercet.data.documents import Documents
    from tercet.report.explanation.explanation import Explanation
    from tercet.report.mistakes import Explain
    from tercet.report.report import Report

MAX_LISTED = 10  # labels
INTERVALS = ("wilson", "wald", "clopper_pearson", "percentile", "bca")
MAX_ERROR = 0.05  # calibration error


@define_command(
    "evaluate",
    "tercet evaluate reviews.tercet test.csv",
    "tercet evaluate reviews.tercet test.csv --html report.html",
    "tercet evaluate reviews.tercet test.csv --by source --markdown",
    "tercet evaluate reviews.tercet test.csv --json > report.json",
    "tercet evaluate reviews.tercet test.csv --mistakes mistakes.csv --columns id",
    "tercet evaluate careful.tercet test.csv --precision good=0.95 --precision bad=0.9",
    "tercet evaluate reviews.tercet test.csv --labels good,bad",
    "tercet evaluate reviews.tercet test.csv --metric f2:good --metric accuracy --interval wald --level 0.99",
    "tercet evaluate --gold test.csv --predicted answers_a.csv",
    "tercet evaluate --gold tags.csv --predicted tags_a.csv --label-separator ';'",
)
@click.argument("model", required=False, type=click.Path())
@click.argument("data", nargs=-1, type=click.Path())
@predicted_option
@answer_options
@separator_option
@labels_option("Measure only documents with these labels, and let the model decide only between these labels.")
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Also measure each group of documents that has the same value in this column."
)
@measuring_options("Metric to show, instead of the usual ones")
@click.option(
    "--interval",
    type=click.Choice(INTERVALS),
    help="Kind of interval. wilson, wald and clopper_pearson are for shares (accuracy, precision, recall), and other metrics "
    "keep their usual one; percentile and bca, the bootstrap, are for all metrics. The report says which number has which "
    "interval.",
)
@click.option(
    "--precision",
    type=ParsedValue("LABEL=P", read_assignment),
    multiple=True,
    help="Also find the threshold on the probability of this label that gives its answers at least this precision, with the "
    "recall and the share of documents that are answered. It is chosen on these documents, so measure it on others with "
    "--threshold.",
)
@click.option(
    "--threshold",
    type=ParsedValue("LABEL=P", read_assignment),
    multiple=True,
    help="Also measure the answers with this label whose probability is at least P.",
)
@click.option(
    "--mistakes",
    type=TableFile(),
    metavar="FILE",
    help="Write all documents with a wrong prediction to this file (.csv, .jsonl or .parquet), the worst first: the row as a "
    "spreadsheet counts rows (the header is row 1), the values of --columns, both labels with their probabilities, the "
    "strongest evidence, and the text.",
)
@printing_options
@reading_options
def command(
    model: str | None,
    data: tuple[str, ...],
    predicted: str | None,
    gold: str | None,
    predicted_label: str | None,
    id_column: str | None,
    label_separator: str | None,
    labels: tuple[str, ...],
    by: tuple[str, ...],
    metrics: tuple[str, ...],
    confidence: float,
    resamples: int,
    seed: int,
    interval: str | None,
    precision: tuple[tuple[str, float], ...],
    threshold: tuple[tuple[str, float], ...],
    mistakes: str | None,
    form: str | None,
    html: str | None,
    **reading: Any,
) -> None:
    """Measure how good a model is, with an interval for every number.

    DATA holds labelled documents that the model has not learned, in the columns that it was trained on. If there is no
    column of weights, all weights are 1. Beside each number is that of a baseline that always predicts the most frequent label
    of the training data. Gold labels that the model does not know are listed first and count as errors; if it knows none of
    them, that is an error. The page of --html also shows the texts of the twenty worst mistakes, with the words that led to
    them.

    With --gold and --predicted there is no model: the answers of any system are read from a file, for example one that
    `predict -o` has written. With --proba it holds probabilities, and they are measured, too. --label and --weight are columns
    of the gold file; --format, --encoding, --sheet and --prefix hold for both files.

    With --label-separator documents have any number of labels. The report then has micro, macro and example-based averages,
    subset accuracy and Hamming loss.
    """
    from tercet import evaluate_sets, load

    options: dict[str, Any] = {"metrics": metrics or None, "interval": interval}
    options |= {"confidence": confidence, "resamples": resamples, "seed": seed}
    if are_answers_in_files():
        if gold is None or predicted is None:
            raise click.UsageError("--gold needs answers to measure: give their file with --predicted.")
        refuse_one_label_options()
        truth, answers = read_answers(gold, {predicted: predicted}, predicted_label, id_column, reading, label_separator)
        if label_separator is not None:
            sets = evaluate_sets(truth.labels, answers[predicted].labels, **options)
            write_result(sets, form, html, f"{predicted} on {gold}")
            return
        report = evaluate_answers(truth, answers[predicted], by, **options)
        write_result(add_thresholds(report, precision, threshold), form, html, f"{predicted} on {gold}")
        return
    if model is None or not data:
        raise click.UsageError("give a model and the data to measure it on, or --gold and --predicted.")
    found = restrict(load(model), labels)
    columns = [*reading["columns"], *by]
    stream = keep_labels(open_stream(data, like=found, **reading | {"columns": columns}), labels)
    predictions = predict_stream(found, stream)
    explain = partial(explain_labels, found) if mistakes or html else None
    report = measure(predictions, by, explain, **options)
    if not labels:  # a choice between fewer labels is easier, and is not calibrated
        warn_of_difference(found, report, predictions)
    report = add_thresholds(report, precision, threshold)
    if mistakes:
        write_mistakes(mistakes, report, predictions, reading["columns"])
    write_result(report, form, html, f"{model} on {stream.name}")


def add_thresholds(
    report: "Report", precision: tuple[tuple[str, float], ...], threshold: tuple[tuple[str, float], ...]
) -> "Report":
    """The report with the thresholds of --precision and --threshold."""
    thresholds = [report.threshold(label, precision=wanted) for label, wanted in precision]
    thresholds += [report.at_threshold(label, lowest) for label, lowest in threshold]
    return replace(report, thresholds=tuple(thresholds))


def evaluate_answers(gold: "LabelFile", answers: "LabelFile", by: tuple[str, ...], **options: Any) -> "Report":
    """The report on answers from a file, with their probabilities if the file has them."""
    from tercet import evaluate
    from tercet.cli.system_answers import read_probabilities

    slices = {name: gold.find_column(name, "by") for name in by}
    known = sorted({*gold.labels, *answers.labels})
    labels, probabilities = read_probabilities(answers.path, answers.columns, known) or (None, None)
    return evaluate(gold.labels, answers.labels, probabilities, gold.weights, slices=slices, labels=labels, **options)


def evaluate_stream(model: Any, stream: Any, whole: Any = None) -> "Report":
    """The report on a model, measured on the documents of a stream. `whole` is the model that a compact model was made of."""
    found = predict_stream(model, stream, whole)
    report = measure(found)
    warn_of_difference(whole or model, report, found)
    return report


def evaluate_documents(model: Any, documents: "Documents", name: str, whole: Any = None) -> "Report":
    """The same, measured on documents in memory. The name says what they are."""
    from tercet.cli.predictions import predict_labelled

    found = predict_labelled(model, [documents], whole)
    warn_of_unknown(found, name)
    report = measure(found)
    warn_of_difference(whole or model, report, found)
    return report


def predict_stream(model: Any, stream: Any, whole: Any = None) -> "LabelledPredictions":
    """The predictions for a stream. Says how many rows were skipped, and how many documents the model has learned."""
    from tercet.cli.predictions import predict_labelled

    with show_progress(stream, "evaluating"):
        found = predict_labelled(model, stream, whole)
    report_bad_rows(stream)
    warn_of_unknown(found, stream.name)
    warn_of_learned(found.n_learned, len(found.gold))
    warn_of_unlabelled(found.n_unlabelled, len(found.gold))
    return found


def measure(
    found: "LabelledPredictions", by: tuple[str, ...] = (), explain: "Explain | None" = None, **options: Any
) -> "Report":
    """The report on predictions. It keeps their texts if there is something to explain them."""
    from tercet import evaluate

    if found.probabilities is None:
        say(
            f"{len(found.gold)} documents × {len(found.labels)} labels are too many probabilities for memory: the report has "
            "only the metrics of labels"
        )
    if found.majority is None:
        say("the model does not know the majority label of its training data: the baseline is that of these documents.")
    return evaluate(
        found.gold,
        found.predicted,
        found.probabilities,
        found.weights,
        slices={name: found.columns[name] for name in by},
        labels=found.labels,
        texts=None if explain is None else found.documents,
        explain=explain,
        majority=found.majority,
        **options,
    )


def explain_labels(model: Any, text: Any, label: str, against: str | None) -> "Explanation":
    """Why a text gets a label; a model that was made in Python may have numbers for labels."""
    explanation: Explanation = model.explain(text, find_label(model, label), find_label(model, against))
    return explanation


def write_mistakes(path: str, report: "Report", found: "LabelledPredictions", columns: tuple[str, ...]) -> None:
    """Write all mistakes to a table, with these columns of the documents."""
    own = ("row", "gold", "predicted", "probability", "gold_probability", "evidence", "text")
    places, mistakes = found.documents.places, report.mistakes()

    def list_rows() -> Iterator[tuple[Mapping[str, Any], dict[str, Any]]]:
        for mistake in mistakes:
            facts = {name: getattr(mistake, name) for name in own if hasattr(mistake, name)}
            facts |= {"row": places.find_row(mistake.position), "file": name_file(mistake.place)}
            yield mistake.columns, facts | {"evidence": mistake.write_evidence()}

    facts = ["file", *own] if places.has_several_files else own
    write_documents(path, columns, facts, list_rows(), "mistake", prefix="tested")


def warn_of_unknown(found: "LabelledPredictions", source: str, name: str = "the model") -> None:
    """Say which gold labels the model does not know. It is an error if it knows none of them."""
    known = set(found.known)
    unknown = Counter(label for label in found.gold if label not in known)
    if not unknown:
        return
    listed = ", ".join(f"{shorten(repr(label), 60)} ({n})" for label, n in unknown.most_common(MAX_LISTED))
    listed += f" and {len(unknown) - MAX_LISTED} more" if len(unknown) > MAX_LISTED else ""
    if unknown.total() == len(found.gold):
        raise InvalidLabel(
            f"{name} knows none of the labels of {source}: {listed}. It knows {spell_names(found.known)}. "
            "Name the label column with --label."
        )
    say(
        f"{name} does not know {pluralize(len(unknown), 'label')} of {unknown.total()} of the {len(found.gold)} documents, "
        f"which count as errors: {listed}"
    )


def warn_of_learned(n_learned: int, n: int, name: str = "the model") -> None:
    """Warn if the model was trained on documents that it is tested on."""
    from tercet.categorizer.learned_texts import describe_learned

    if sentence := describe_learned(n_learned, n, name):
        say(sentence)


def warn_of_unlabelled(n_unlabelled: int, n: int) -> None:
    """Warn if the model has learned from texts that it is tested on, without their labels."""
    from tercet.categorizer.learned_texts import describe_unlabelled

    if sentence := describe_unlabelled(n_unlabelled, n):
        say(sentence)


def warn_of_difference(model: Any, report: "Report", found: "LabelledPredictions") -> None:
    """Say so if the documents differ from the training data, or if the probabilities are far from the accuracy."""
    from tercet.categorizer.learned_texts import MIN_LEARNED_SHARE

    record, measured = model.record_, report.accuracy
    before = None if record is None else record.estimate.get("accuracy")
    is_test = found.n_learned < MIN_LEARNED_SHARE * len(found.gold)
    if before is not None and is_test and model.is_current_ and (measured.high < before.low or before.high < measured.low):
        say(f"held-out accuracy in training was {before}: these documents differ from the training data.")
    if found.probabilities is None or model.describe()["calibration"] is not None:
        return
    if (error := report["calibration_error"]).low > MAX_ERROR:
        is_sure = found.confidence.mean() > measured.value
        judged = "too sure" if is_sure else "not sure enough"
        shown = format_rounded(error.value, ".3f")
        say(f"the probabilities are {judged} (calibration error {shown}): train with --calibrate auto.")

"""tercet train, and the table that its option --suspects writes: whole documents, so that `tercet relabel` can read it"""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from tercet.characters import show_text
from tercet.cli.commands import Option, define_command, json_option
from tercet.cli.evaluate import evaluate_documents, evaluate_stream
from tercet.cli.ledger_writer import begin_ledger, load_whole
from tercet.cli.options.analyzer_options import analyzer_options
from tercet.cli.options.config import list_given, make_categorizer, use_recipe_file
from tercet.cli.options.label_options import keep_labels, label_options, labels_option, make_rules, report_similar
from tercet.cli.options.model_options import (
    CONTAINS_TEXTS,
    check_class_weight,
    documents_option,
    list_bayes_options,
    model_options,
    name_method,
)
from tercet.cli.options.option_values import SHARE
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.options.teacher_options import check_teachers, list_columns, read_teachers
from tercet.cli.output import NewModelOutput, lock_output, print_json, wait_option
from tercet.cli.table_file import TableFile, write_documents
from tercet.cli.talk import say, show_progress
from tercet.counts.document_rows import Spool
from tercet.counts.labels import ONE_EACH
from tercet.data.documents import name_file
from tercet.errors import BadSource, MissingColumn
from tercet.kernel.text.columns import SEPARATOR
from tercet.models.smoothing import write_smoothing
from tercet.text.measures import MEASURES
from tercet.text.presets import PRESETS

if TYPE_CHECKING:
    from tercet.arrays import Integers
    from tercet.categorizer.held_out.suspects import Suspects
    from tercet.categorizer.train import TrainResult
    from tercet.data.documents import Documents
    from tercet.data.reading import DocumentStream
    from tercet.report.report import Report
    from tercet.report.training_summary import TrainingSummary

OWN = ("row", "label", "better_label", "probability")


def write_suspects(path: str, suspects: "Suspects", stream: "DocumentStream", columns: Sequence[str]) -> None:
    """Write all suspects of this stream to a table, with these columns of the documents.

    The texts come from a second reading of the stream. If it can be read only once, only their beginnings are written.
    """
    if stream.is_repeatable:
        texts, cells = _name_cells(stream), read_cells(stream, suspects.positions)
    else:
        texts, cells = ["beginning"], ([suspect.beginning] for suspect in suspects)
        say(
            f"{path} has only the beginnings of the texts, because {stream.name} can be read only once: to correct labels "
            "with tercet relabel, train from a file"
        )
    own = ["file", *OWN] if suspects.beginnings.has_several_files else OWN

    def list_rows() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        for suspect, whole in zip(suspects, cells, strict=True):
            facts = dict(zip(OWN, (suspect.row, suspect.label, suspect.better, suspect.probability), strict=True))
            yield {**suspect.columns, **dict(zip(texts, whole, strict=True))}, facts | {"file": name_file(suspect.place)}

    kept = [name for name in columns if name not in texts]
    write_documents(path, [*kept, *texts], own, list_rows(), "suspect", prefix="suspect")


def _name_cells(stream: "DocumentStream") -> list[str]:
    """The names of the columns of text and weight, as `relabel` looks for them."""
    fields = stream.start().fields
    return ["text"] if fields is None else [*fields.texts, *([fields.weight] if fields.weight else [])]


def read_cells(stream: "DocumentStream", positions: "Integers") -> Iterator[list[Any]]:
    """The text columns and the weight of the documents at these positions, in their order.

    The stream is read to its end first. Large texts wait in a temporary file.
    """
    ascending, spool, n = np.sort(positions), Spool(purpose="the texts of the suspects"), 0
    stream.tell = None  # bad rows were reported when the stream was read before
    with show_progress(stream, "reading the suspects"):
        for batch in stream:
            begin, end = np.searchsorted(ascending, [n, n + len(batch.texts)]).tolist()
            for position in ascending[begin:end].tolist():
                spool.append(json.dumps(_list_cells(batch, position - n)).encode())
            n += len(batch.texts)
    if len(spool) < len(positions):
        raise BadSource(f"{stream.name} has changed while it was read, so the suspects can't be written: train again.")
    return (json.loads(spool[index]) for index in np.searchsorted(ascending, positions).tolist())


def _list_cells(batch: "Documents", index: int) -> list[Any]:
    text = batch.texts[index]
    cells = text.split(SEPARATOR) if len(batch.text_columns) > 1 else [text]
    return cells if batch.weights is None else [*cells, batch.weights[index]]


@define_command(
    "train",
    "tercet train reviews.csv -o reviews.tercet",
    "tercet train reviews.csv -o a.tercet --word-ngrams 1 --smoothing 0.5",
    "tercet train reviews.csv -o b.tercet --preset sentiment --smoothing dirichlet:100 --test test.csv",
    "tercet train reviews.csv -o reviews.tercet --text text --label label --folds 5",
    "tercet train tickets.csv -o tickets.tercet --text subject --text body --fields --categorical mailer --label queue",
    "tercet train reviews.csv -o c.tercet --model nbsvm --word-ngrams 1-3",
    "tercet train reviews.csv -o d.tercet --model logistic --class-weight bad=3,good=1 --no-documents",
    "tercet train reviews.csv -o quick.tercet --fast",
    "tercet train reviews.csv -o e.tercet --model svm --weighting tf=log,idf=none",
    "tercet train reviews.csv -o f.tercet --fast --test-share 0.2 --dev-share 0.1",
    "tercet train reviews.csv -o g.tercet --fast --labels good,bad",
    "tercet train reviews.csv -o raw.tercet --calibrate none",
    "tercet train reviews.csv -o ruled.tercet --rule '(?i)awful=bad' --rule '(?i)superb=good'",
    "tercet train taught.csv -o taught.tercet --label label --teacher llm --teacher rules.toml",
    "tercet train reviews.csv -o reviews.tercet --suspects suspects.csv --columns id",
    "tercet train reviews.csv -o people.tercet --subject-column id",
    "tercet train reviews.csv -o pruned.tercet --min-documents 2 --prune",
    "tercet train reviews.csv -o reviews.tercet --config recipe.toml --json",
    "tercet train reviews.csv new.csv -o more.tercet",
    "tercet train - --format csv -o small.tercet --compact --quiet < reviews.csv",
)
@click.argument("data", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", required=True, type=NewModelOutput(), help="File to write the model to.")
@click.option("--test", type=click.Path(), metavar="FILE", help="Also report how good the model is on these documents.")
@click.option(
    "--test-share",
    type=SHARE,
    metavar="SHARE",
    help="Do not learn this share of the documents, and report how good the model is on them. They are drawn by --seed as "
    "`tercet split` draws them.",
)
@click.option(
    "--dev-share",
    type=SHARE,
    metavar="SHARE",
    help="The same for a second part of the documents, which is reported as dev. Choose options by dev, and look at test last: "
    "after many looks a number is too good.",
)
@click.option(
    "--unlabelled",
    type=click.Path(),
    metavar="FILE",
    multiple=True,
    help="Also learn from these texts, which have no labels (a label column is ignored). They should be like the texts that "
    "you will classify. They help most with few labels, and need pip install 'tercet[vectors]', or --seeds.",
)
@click.option(
    "--seeds",
    type=click.Path(),
    metavar="FILE",
    help="What you know of the labels: a TOML file that has a table for each label, with some of name, description, words and "
    "counter_words, as for `tercet begin`. They help most with few labels and --unlabelled. Held-out documents say how much "
    "they count.",
)
@click.option(
    "--teacher",
    metavar="COLUMN|FILE",
    multiple=True,
    help="Also learn from what others say: a column of labels, probabilities or votes, or a TOML file of rules. Give it again "
    "for each further teacher. --label is then the column of gold labels, and its cells may be empty.",
)
@labels_option("Learn only the documents with these labels, and test only with such documents.")
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    help="Estimate how good the model is by this many folds. All models but naive Bayes are then trained once for each fold.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed for folds and shares.")
@click.option(
    "--suspects",
    type=TableFile(),
    metavar="FILE",
    help="Write all documents whose label looks wrong to this file (.csv, .jsonl or .parquet), the worst first: the row as a "
    "spreadsheet counts rows (the header is row 1), the values of --columns, the given label, a better label, the "
    "probability of the given label, and the text. Correct the column better_label, and give the file to `tercet relabel`.",
)
@click.option(
    "--compact",
    is_flag=True,
    help="Write a small file with the weights only. It can predict and explain, but not learn or forget.",
)
@click.option(
    "--prune",
    is_flag=True,
    help="Write only the terms that --min-documents, --max-terms and --select keep. The model predicts the same, and can't "
    "learn or forget any more.",
)
@click.option(
    "--fingerprints/--no-fingerprints",
    default=True,
    help="Keep a fingerprint of 128 bits for each document (the default). With fingerprints, `forget` refuses documents "
    "that were never learned. Without them, documents are not kept either.",
)
@documents_option
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="Number of threads; by default one for each processor. The model does not depend on it.",
)
@click.option("--preset", type=click.Choice(list(PRESETS)), help="Start from a recipe for a task; other options change it.")
@click.option(
    "--config",
    type=click.Path(),
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=use_recipe_file,
    help="Read options from a TOML file, for example word_ngrams = [1, 2]. Options on the command line override it.",
)
@click.option(
    "--subject-column",
    metavar="COLUMN",
    cls=Option,
    section="Ledger",
    help="Column of the person whom a document is about. A ledger begins beside the model, with the same name and the ending "
    ".ledger. It has the documents and their persons, so that `tercet serve` and `tercet ledger erase` can erase a person.",
)
@wait_option
@json_option
@model_options
@analyzer_options
@reading_options
@label_options
@click.pass_context
def command(
    context: click.Context,
    /,
    data: tuple[str, ...],
    output: str,
    test: str | None,
    test_share: float | None,
    dev_share: float | None,
    unlabelled: tuple[str, ...],
    teacher: tuple[str, ...],
    labels: tuple[str, ...],
    folds: int | None,
    seed: int,
    suspects: str | None,
    subject_column: str | None,
    wait_seconds: float | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Train a model on labelled documents and report how good it is.

    DATA is a file, a folder, or `-` for standard input; several files with the same columns, or a pattern such as
    'data/*.csv', are read as one. Formats: CSV, TSV, JSON, Parquet, Arrow, workbooks (.xlsx, .ods), fastText lines, e-mails, a
    folder, a Maildir or a file for each label. Files may be compressed (.gz, .bz2, .xz, .zst). The columns of text and label
    are guessed by their names and their cells, and the guess is printed; --text and --label override it. If two columns are too
    close to choose, that is an error which names both. The model remembers the names of its columns for other commands.

    Rows without a text or a label are left out. If they are more than 10 % of the rows, that is an error, unless --on-error is
    skip or report.

    The model combines linear models on words, pairs of words and character n-grams. --fast is naive Bayes, in one pass.

    The report estimates how good the model is on new texts, from documents that it did not learn: a fifth of them, or more if
    they are few, was held out to find the weights of the combined models, and each is judged by weights that it had no say in.
    For naive Bayes each document in turn is left out, with all copies of its text. Other models are estimated by 5 folds.

    With --teacher, the model learns labels that are combined from what all teachers say and from the gold labels of --label, if
    there are any. A cell of a teacher has a label, {"good": 0.9, "bad": 0.1}, a list of votes ["good", "bad"], or nothing. The
    report says how good each teacher is. Only gold documents judge the model.
    """
    from tercet.categorizer.train import train
    from tercet.text.vectors.encoded_words import announce_encoding

    started = time.perf_counter()
    given = _check_kept(list_given(context))
    if "model" not in given and (chosen := list_bayes_options(given)):
        say(f"{chosen[0]} is an option of naive Bayes, so the model is naive Bayes: --model bayes.")
    categorizer = make_categorizer(given, options["threads"])
    if options["prune"]:
        _check_prune(categorizer, options["compact"])
    ledger = None if subject_column is None else _check_ledger(output, data, given)
    reading = {name: options[name] for name in ("text", "label", "weight", "format", "sheet", "encoding", "on_error", "prefix")}
    reading["label_rules"] = make_rules(options["map_labels"], fold=options["fold_labels"])
    if "-" in data and test == "-":
        raise click.UsageError("standard input can be read only once: give a file to learn from, or one to test with.")
    if test is not None and test_share is not None:
        raise click.UsageError("--test and --test-share both say what to test with: give one of the two.")
    numbers, others = _list_needed(given)
    wanted = [*options["columns"], *others, *([subject_column] if subject_column else [])]
    if teacher:
        check_teachers(given)
        wanted += list_columns(teacher)
    teachers = read_teachers(teacher) if teacher else None
    labelling = {"labelled": not teacher, "label_optional": bool(teacher)}
    stream = open_stream(data, columns=wanted, numbers=numbers, training=True, **reading, **labelling)
    _check_fields(given, stream)
    if stream.fields is not None:
        reading |= {"text": (), "label": None, "weight": None, "like": stream.fields}  # the same columns
    test_stream = keep_labels(open_stream(test, columns=others, numbers=numbers, **reading), labels) if test else None
    pool = open_pool(unlabelled, [*others, *([subject_column] if subject_column else [])], reading) if unlabelled else None
    keep_labels(stream, labels, needs_all=True)
    announce_encoding(say)
    parts = hold_out(stream, {"dev": dev_share, "test": test_share}, seed)
    with show_progress(stream, "learning"):
        trained = train(stream, categorizer=categorizer, folds=folds, seed=seed, unlabelled=pool, teachers=teachers)
    report_bad_rows(stream)
    if pool is not None:
        report_bad_rows(pool)
    report_similar(trained.similar_labels, options["map_labels"])
    if trained.joined_labels is not None:
        say(f"{trained.joined_labels.describe()} {ONE_EACH}")
    facts = trained.categorizer.describe()
    check_class_weight(given.get("class_weight"), trained.categorizer.classes_.tolist())
    kept = trained.categorizer.prune() if options["prune"] else trained.categorizer
    facts["pruned_terms"] = facts["terms"] - len(kept.table_) if options["prune"] else None
    compact = kept.compact() if options["compact"] else None
    if test_stream is not None:
        test_stream.label_rules = stream.label_rules  # with --fold-labels they are definite now
    # Test first: if the test documents are bad, nothing is written.
    tests = {name: evaluate_documents(compact or kept, part, f"the {name} documents", kept) for name, part in parts.items()}
    if test_stream is not None:
        tests["test"] = evaluate_stream(compact or kept, test_stream, whole=kept)
    with lock_output(output, wait_seconds):
        if compact is None:
            kept.save(output, fingerprints=options["fingerprints"])
        else:
            compact.save(output)
    if suspects:
        write_suspects(suspects, trained.all_suspects, stream, [*dict.fromkeys([*options["columns"], *others, *numbers])])
    seconds = time.perf_counter() - started
    warn_of_one_label(trained.categorizer.classes_)
    summary = summarize_training(trained, facts, tests, output, seconds, suspects)
    summary = replace(summary, all_cpu_seconds=measure_cpu())
    if as_json:
        print_json(summary.to_dict())
    else:
        click.echo(show_text(summary.to_text()))
    if times := summary.write_times():
        say(times)
    say(f"written: {output} ({summary.n_bytes / 1e6:.1f} MB, {seconds:.1f} s)")
    if compact is None and kept.keeps_documents_:
        say(CONTAINS_TEXTS)
    if ledger is not None:
        again = None if pool is None else pool.reopen()
        begin_ledger(ledger, load_whole(output), stream.reopen(), subject_column, None, wait_seconds, again)


def open_pool(paths: tuple[str, ...], columns: Sequence[str], reading: Mapping[str, Any]) -> "DocumentStream":
    """The texts of files without labels: those of the text columns of the documents, or of the only text column."""
    options = {name: value for name, value in reading.items() if name not in ("label", "weight", "label_rules")}
    try:
        return open_stream(paths, labelled=False, columns=columns, **options)
    except MissingColumn:
        if len(options["text"]) > 1 or len(getattr(options.get("like"), "texts", ())) > 1:
            raise
        return open_stream(paths, labelled=False, columns=columns, **options | {"text": (), "like": None})


def measure_cpu() -> float:
    """The CPU seconds of this process, with all its threads, and of the processes that it has started and that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def hold_out(stream: "DocumentStream", shares: dict[str, float | None], seed: int) -> "dict[str, Documents]":
    """The documents of each share. From now on the stream gives only the others, for training."""
    from tercet.categorizer.held_out.split import split
    from tercet.data.document_choice import AtPositions

    wanted = {name: share for name, share in shares.items() if share is not None}
    if not wanted:
        return {}
    if not stream.is_repeatable:
        raise click.UsageError(
            f"{stream.name} can be read only once, and the shares are drawn before the training: give a file."
        )
    again, (*first, last) = stream.reopen(), wanted
    with show_progress(again, "splitting"):
        found = split(again, test=wanted[last], dev=wanted[first[0]] if first else 0.0, seed=seed)
    stream.label_rules = again.label_rules  # with --fold-labels they are definite now
    stream.filters = (*stream.filters, AtPositions(found.positions.train))
    return dict(zip(wanted, (part for part in (found.dev, found.test) if part is not None), strict=True))


def warn_of_one_label(labels: Sized) -> None:
    """Warn if all documents have the same label."""
    if len(labels) == 1:
        say("all documents have one label, so every prediction will be that label: is --label the right column?")


def summarize_training(
    trained: "TrainResult",
    facts: dict[str, Any],
    tests: "Mapping[str, Report]",
    path: str,
    seconds: float,
    suspects_file: str | None = None,
) -> "TrainingSummary":
    """What is said about the trained model, which is written to this path. `describe` has the facts, except for
    `pruned_terms`: how many terms are not written, or None."""
    from tercet.report.training_summary import TrainingSummary

    return TrainingSummary(
        model=path,
        n_bytes=Path(path).stat().st_size,
        seconds=seconds,
        n_documents=trained.n_documents,
        n_unlabelled=trained.categorizer.n_unlabelled_,
        labels=trained.categorizer.classes_.tolist(),
        n_terms=facts["terms"],
        n_pruned_terms=facts["pruned_terms"],
        method=name_method(facts),
        smoothing=write_smoothing(facts["smoothing"]),
        calibration=None if trained.calibrator is None else trained.calibrator.summarize(),
        held_out=trained.method,
        members=trained.members,
        cpu_seconds=trained.seconds,
        decisions=trained.categorizer.decisions_,
        hints=trained.hints,
        estimate=trained.report if trained.has_estimate else None,
        doubt=trained.doubt,
        teachers=trained.teachers,
        confusions=trained.confusions,
        suspects=trained.all_suspects,
        similar_labels=trained.similar_labels,
        joined_labels=trained.joined_labels,
        suspects_file=suspects_file,
        test=tests.get("test"),
        dev=tests.get("dev"),
    )


def _check_kept(given: dict[str, Any]) -> dict[str, Any]:
    """The options, with documents left out if they can't be kept. It is an error to ask for them then."""
    reasons = {"--no-fingerprints": given.get("fingerprints") is False, "--compact": given.get("compact")}
    reasons["--prune"] = given.get("prune")
    reason = next((flag for flag, is_given in reasons.items() if is_given), None)
    if reason is not None and given.get("documents"):
        raise click.UsageError(f"{reason} leaves out more than --documents keeps: give one of the two.")
    return given if reason is None else given | {"documents": False}


def _check_prune(categorizer: Any, compact: bool) -> None:
    if compact:
        raise click.UsageError("--compact leaves out the same terms as --prune: give one of the two.")
    if categorizer.min_documents == 1 and categorizer.max_terms is None and not categorizer.select:
        raise click.UsageError(
            "--prune has nothing to leave out: give --min-documents, --max-terms or --select, for example --min-documents 2."
        )


def _check_ledger(output: str, data: tuple[str, ...], given: Mapping[str, Any]) -> str:
    """The path of the ledger of this model. Raises an error if none can begin there."""
    from tercet.ledger.database import check_free

    if given.get("compact") or given.get("prune") or given.get("fingerprints") is False:
        raise click.UsageError(
            "--subject-column begins a ledger, so the model must be whole: leave out --compact, --prune and --no-fingerprints."
        )
    if given.get("unlabelled") and given.get("documents") is False:
        raise click.UsageError(
            "--subject-column begins a ledger, which must give the same model again: leave out --no-documents, so that the "
            "unlabelled texts are kept."
        )
    if "-" in data:
        raise click.UsageError("--subject-column needs the documents twice, and standard input can be read once: give a file.")
    location = os.fspath(Path(output).with_suffix(".ledger"))
    check_free(location)
    return location


def _check_fields(given: dict[str, Any], stream: "DocumentStream") -> None:
    if given.get("fields") and (stream.fields is None or len(stream.fields.texts) < 2):
        raise click.UsageError(
            "--fields needs several text columns, because with one text all terms have the same column: give --text once for "
            "each column, or leave --fields out."
        )


def _list_needed(given: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The columns that the recipe needs beside the text: columns of numbers, and columns of domains and categories."""
    domains = [selector.domain for selector in given.get("select", ()) if selector.domain]
    return [name for name in given.get("numeric", ()) if name not in MEASURES], [*domains, *given.get("categorical", ())]

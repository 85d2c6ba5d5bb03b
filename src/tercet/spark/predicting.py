"""A data frame and a model → answers in a column beside the input. N rows in, N rows out.

The model is broadcast once, and each Python worker opens it once. A row that has no answer has null there, and the reason in
another column.
"""

import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tercet.arrow_columns import list_cells
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.save_load import find_manifest, load
from tercet.categorizer.files.sharded_folder import read_totals
from tercet.categorizer.predictor import Predictor
from tercet.counts.labels import Labels, index_labels, make_labels, merge_labels
from tercet.data.document_batches import list_texts
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption, TercetError, bad_option
from tercet.evaluation.confusion import Confusion
from tercet.report.report import Report, evaluate_confusion
from tercet.spark.arrow_documents import Columns
from tercet.spark.jobs import check_frame, check_workers, explain_failures, limit_batches, quote
from tercet.store.model_file import FileVersion, read_model

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TYPES: dict[type, str] = {str: "string", int: "bigint", bool: "boolean", float: "double", bytes: "binary"}
THREADS = "TERCET_THREADS"
AnswerDocuments = Callable[[Predictor, Documents], list[Any]]
Model = Predictor | str | os.PathLike[str]


def predict(
    df: "DataFrame", model: Model, *, text: Any = "text", column: str = "predicted", problem: str = "problem"
) -> "DataFrame":
    """The data frame with the most probable label of each row in a new column.

    `model` is a fitted categorizer, or the path of a model file or folder that all workers can read. `column` is the name of
    the new column. `problem` names another one, which says why a row has no answer; it is null for all others.
    """
    known = open_known_model(model)
    return add_answers(df, known, text, [column, problem], spark_type(known.model.classes_), answer_labels)


def predict_proba(
    df: "DataFrame", model: Model, *, text: Any = "text", column: str = "probabilities", problem: str = "problem"
) -> "DataFrame":
    """The same with the probabilities of all labels, in an array. They are in the order of `model.classes_`."""
    return add_answers(df, open_known_model(model), text, [column, problem], "array<double>", answer_probabilities)


def explain(
    df: "DataFrame", model: Model, *, text: Any = "text", column: str = "explanation", problem: str = "problem"
) -> "DataFrame":
    """The same with the evidence for the best label against the second best, as JSON (see `Explanation.to_dict`)."""
    return add_answers(df, open_known_model(model), text, [column, problem], "string", answer_explanations)


def evaluate(df: "DataFrame", model: Model, *, text: Any = "text", label: str = "label") -> Report:
    """How good the predictions of a model are on these rows, with an interval on every number, as `tercet.evaluate` says it.

    Rows without a text or a label are left out, with a warning.
    """
    Columns.of(text, label).check(check_frame(df).dtypes)
    names = Columns.of(text, label, None, open_known_model(model).model.columns_).names
    answered = predict(df.select(*map(quote, names)), model, text=text, column="tercet predicted", problem="tercet problem")
    counted = answered.groupBy(quote(label), quote("tercet predicted")).count()
    with explain_failures(), limit_batches(df):
        cells = [(gold, predicted, n) for gold, predicted, n in counted.collect()]
    n_bad = sum(n for gold, predicted, n in cells if gold is None or predicted is None)
    if n_bad:
        rows = "1 row has" if n_bad == 1 else f"{n_bad} rows have"
        message = f"{rows} no text or no label, or can't be read: left out. predict says why."
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    return evaluate_confusion(make_confusion([cell for cell in cells if cell[0] is not None and cell[1] is not None]))


def make_confusion(cells: list[tuple[Any, Any, int]]) -> Confusion:
    """The confusion matrix of (gold, predicted, number of documents).

    >>> make_confusion([("b", "a", 2), ("a", "a", 1)]).counts
    array([[1., 0.], [2., 0.]])
    """
    if not cells:
        raise InvalidLabel("no row has a text and a label, so there is nothing to evaluate.")
    columns = [[*map(to_label, column)] for column in list(zip(*cells, strict=True))[:2]]
    both = merge_labels(*(make_labels(sorted(set(column))) for column in columns))
    gold, predicted = (index_labels(np.fromiter(column, object, len(column)), both) for column in columns)
    sizes = np.array([n for *_, n in cells], np.float64)
    return replace(Confusion.from_codes(both, gold, predicted, sizes), n=int(sizes.sum()))


def to_label(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray) else value


class KnownModel(NamedTuple):
    """What the driver knows of a model: its labels, columns and recipe. Of a folder it has nothing more."""

    model: Predictor
    version: FileVersion | None  # the version of the file that workers open; None if the model itself is sent to them


def open_known_model(model: Model) -> KnownModel:
    """The model, or what a file says of it. The shards of a folder are not read."""
    if isinstance(model, Predictor):
        return KnownModel(model, None)
    if not isinstance(model, str | os.PathLike):
        raise bad_option("model", "a fitted categorizer, or the path of a model", type(model).__name__, "it answers.")
    path = find_manifest(model)
    file = read_model(path, mapped=True)
    is_folder = file.content.get("kind") == "sharded"
    return KnownModel(read_totals(file) if is_folder else load(path, mapped=True), FileVersion.of(path, file.checksum))


@cache
def load_on_worker(version: FileVersion) -> Predictor:
    """The model of a file or folder, once for each Python worker. Raises FileChanged if it is not this version any more."""
    model = load(version.location, mapped=True)
    version.check()
    return model


def spark_type(labels: Labels) -> str:
    """The type of the labels in Spark."""
    kinds = set(map(type, labels.tolist()))
    kind = kinds.pop() if len(kinds) == 1 else object
    if kind not in TYPES or (kind is int and not all(-(1 << 63) <= label < 1 << 63 for label in labels.tolist())):
        raise InvalidLabel(f"labels such as {labels.tolist()[0]!r} have no type in Spark: train on labels of text.")
    return TYPES[kind]


def add_answers(
    df: "DataFrame", known: KnownModel, text: Any, new: list[str], kind: str, answer: AnswerDocuments
) -> "DataFrame":
    """The data frame with the new columns: the answers, and what is wrong with rows that have none."""
    types = check_frame(df).dtypes
    columns = Columns.of(text, None, None, known.model.columns_)
    columns.check(types)
    taken = {name.casefold() for name, _ in types}
    for name in new:
        if not isinstance(name, str) or name.casefold() in taken:
            raise InvalidOption(f"the data frame has a column {name!r} already: give the new column another name.")
        taken.add(name.casefold())
    check_workers(df, known.model.analyzer_)
    if known.version is None:
        sent = df.sparkSession.sparkContext.broadcast(copy_to_send(known.model))
        find: Callable[[], Predictor] = lambda: sent.value  # noqa: E731
    else:
        find = partial(load_on_worker, known.version)

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        os.environ.setdefault(THREADS, "1")  # Spark has a worker for each core
        return (answer_batch(batch, columns, partial(answer, find()), new, kind) for batch in batches)

    added = type(df.schema).fromDDL(f"{quote(new[0])} {kind}, {quote(new[1])} string")
    return df.mapInArrow(run, type(df.schema)([*df.schema.fields, *added.fields]))


def copy_to_send(model: Predictor) -> Predictor:
    """A copy to send: it uses as many threads as a worker allows, and has no fingerprints and no documents."""
    if not isinstance(model, Categorizer):
        return model
    sent = copy(model)
    sent.threads, fitted = None, sent.fitted_
    sent.publish(replace(fitted, state=replace(fitted.state, prints=None, documents=None)))
    return sent


def answer_batch(batch: Any, columns: Columns, answer: Callable[[Documents], list[Any]], new: list[str], kind: str) -> Any:
    """The batch with the new columns."""
    import pyarrow as pa

    n = batch.num_rows
    answers, problems = np.full(n, None, object), np.full(n, None, object)
    for reason, flags in columns.detect_missing(batch).items():
        problems[flags] = reason.removeprefix("have ")
    good = np.flatnonzero(problems == None)  # noqa: E711  # element by element
    if len(good):
        found, wrong = answer_rows(batch.take(pa.array(good)), columns, answer)
        problems[good] = wrong
        for index, own in zip(good.tolist(), found, strict=True):
            answers[index] = own  # one by one: it may be a list
    types = {"string": pa.string(), "bigint": pa.int64(), "boolean": pa.bool_(), "double": pa.float64(), "binary": pa.binary()}
    types["array<double>"] = pa.list_(pa.float64())
    arrays = [*batch.columns, pa.array(answers.tolist(), types[kind]), pa.array(problems.tolist(), pa.string())]
    return pa.RecordBatch.from_arrays(arrays, [*batch.schema.names, *new])


def answer_rows(batch: Any, columns: Columns, answer: Callable[[Documents], list[Any]]) -> tuple[list[Any], list[str | None]]:
    """The answers to all rows, and what is wrong with those that have none. If one is bad, each row is asked alone."""
    try:
        answers = answer(columns.read(batch))
    except TercetError as error:
        if batch.num_rows == 1:
            return [None], [str(error)]
        rows = [answer_rows(batch.slice(k, 1), columns, answer) for k in range(batch.num_rows)]
        return [row[0][0] for row in rows], [row[1][0] for row in rows]
    return answers, [None] * len(answers)


def answer_labels(model: Predictor, documents: Documents) -> list[Any]:
    labels: list[Any] = model.predict(documents).tolist()
    return labels


def answer_probabilities(model: Predictor, documents: Documents) -> list[Any]:
    rows: list[Any] = model.predict_proba(documents).tolist()
    return rows


def answer_explanations(model: Predictor, documents: Documents) -> list[Any]:
    columns = {name: list_cells(own, f"the cells of {name!r}", InvalidOption) for name, own in documents.columns.items()}
    listed = replace(documents, texts=list_texts(documents.texts), columns=columns)
    each = (listed.pick([k]) for k in range(len(listed.texts)))
    return [json.dumps(model.explain(one).to_dict(), ensure_ascii=False) for one in each]

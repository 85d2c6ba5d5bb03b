"""Gold labels and the answers of any systems, from files: which answer belongs to which document.

A file may be one that `predict` has written: the labels of each document with their probabilities.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import Option
from tercet.cli.talk import say
from tercet.data.column_choice import spell_names
from tercet.data.raw_rows import read_number
from tercet.errors import BadRow, BadSource, InvalidLabel, MissingColumn
from tercet.report.tables import restore_formula

if TYPE_CHECKING:
    from tercet.arrays import Floats

Columns = Mapping[str, Sequence[Any]]
PREFIX, MAX_DEPTH = "predicted_", 3  # `predict` puts the prefix before its columns, as often as the input has such a column
TOLERANCE = 1e-3  # of the sum of probabilities, which are written with six digits


def list_written(name: str) -> list[str]:
    """The names under which `predict` may have written a column, the last prediction first.

    >>> list_written("label")
    ['predicted_predicted_predicted_label', 'predicted_predicted_label', 'predicted_label', 'label']
    """
    return [PREFIX * n + name for n in range(MAX_DEPTH, -1, -1)]


def read_probabilities(path: str, columns: Columns, labels: Sequence[str]) -> "tuple[list[str], Floats] | None":
    """Labels and probabilities (documents × labels), as `predict --proba` writes them; None if they are not there.

    The labels are sorted, and contain these labels. A label that has no probability has 0.

    >>> columns = {"label": ["spam"], "probability": ["0.75"], "label_2": ["ham"], "probability_2": ["0.25"]}
    >>> read_probabilities("answers.csv", columns, ["spam", "ham"])
    (['ham', 'spam'], array([[0.25, 0.75]]))
    """
    import numpy as np

    rows = list_ranked(path, columns)
    if rows is None:
        return None
    if any(abs(sum(row.values()) - 1) > TOLERANCE for row in rows):
        say(f"{path}: the probabilities of a document do not sum to 1, so they are not measured: predict with --proba.")
        return None
    known = sorted({*labels, *(label for row in rows for label in row)})
    return known, np.array([[row.get(label, 0.0) for label in known] for row in rows])


def list_ranked(path: str, columns: Columns) -> list[dict[str, float]] | None:
    """The probabilities of each document by label: from the object in one column, or from pairs of columns; None without."""
    if (written := _find_written("probabilities", columns)) is not None:
        return [_read_object(path, number, cell) for number, cell in enumerate(columns[written], 1)]
    ranks = list(_list_ranks(columns))
    if len(ranks) < 2:  # only the best label
        return None
    cells = zip(*(columns[name] for pair in ranks for name in pair), strict=True)
    return [_read_pairs(path, number, row) for number, row in enumerate(cells, 1)]


def _find_written(name: str, columns: Columns) -> str | None:
    return next((each for each in list_written(name) if each in columns), None)


def _list_ranks(columns: Columns) -> Iterator[tuple[str, str]]:
    """The columns of the best label and its probability, of the second label and its probability, and so on."""
    rank, ending = 1, ""
    while True:
        label, probability = (_find_written(f"{name}{ending}", columns) for name in ("label", "probability"))
        if label is None or probability is None:
            return
        yield label, probability
        rank += 1
        ending = f"_{rank}"


def _read_object(path: str, number: int, cell: Any) -> dict[str, float]:
    if not isinstance(cell, dict):
        raise BadSource(f"{path}: the probabilities of answer {number} are {cell!r}, not an object of labels and numbers.")
    return {str(label): _read_probability(path, number, value) for label, value in cell.items() if value is not None}


def _read_pairs(path: str, number: int, row: Sequence[Any]) -> dict[str, float]:
    pairs = [(label, value) for label, value in zip(row[::2], row[1::2], strict=True) if label not in ("", None)]
    return {restore_formula(str(label)): _read_probability(path, number, value) for label, value in pairs}


def _read_probability(path: str, number: int, cell: Any) -> float:
    value = read_number(cell)
    if value is None:
        raise BadSource(f"{path}: the probability of answer {number} is {cell!r}, not a number.")
    return value


ID = "id"
PREDICTED = [
    *list_written("label")[:-1], "prediction", "predictions", "predicted", "predicted_class", "predicted_category", "pred",
    "y_pred", "y_hat", "answer", "answers", "output", "guess",
]  # fmt: skip
SHARED = ("format", "sheet", "encoding", "prefix")  # options that hold for all files
OF_MODELS = ("model", "labels", "mistakes", "text", "columns", "on_error")
OF_FILES = ("predicted", "predicted_label", "id_column", "label_separator")
OF_ONE_LABEL = ("by", "precision", "threshold", "weight")  # options for documents with one label each
NEEDED = "Every document needs one gold label and one answer."


def answer_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that adds options. The function asks `are_answers_in_files`, and passes them on to `read_answers`."""
    for option in (id_option, column_option, gold_option):
        function = option(function)
    return function


def _make_option(name: str, metavar: str, words: str, **settings: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        name, cls=Option, section="Answers from files, without a model", metavar=metavar, help=words, **settings
    )


gold_option = _make_option("--gold", "FILE", "File of gold labels.", type=click.Path())
predicted_option = _make_option("--predicted", "FILE", "File of the answers of a system.", type=click.Path())
column_option = _make_option(
    "--predicted-label",
    "COLUMN",
    "Column of the label in a file of answers. By default it is the column that `predict` writes, or another one with the name "
    "of a prediction or a label.",
)
id_option = _make_option(
    "--id-column",
    "COLUMN",
    "Column that says which answer belongs to which document, in all files. By default it is 'id', if all files have that "
    "column. Without such a column all files must have the same order.",
)


def are_answers_in_files() -> bool:
    """Whether --gold is given. Raises UsageError if a parameter is given that does not belong to it, or needs it."""
    context = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    named = [name for name, value in context.params.items() if value not in (None, ())]
    given = [name for name in named if context.get_parameter_source(name) != default]
    for name in (name for name in given if name in (OF_MODELS if "gold" in given else OF_FILES)):
        spelled = "a model" if name == "model" else f"--{name.replace('_', '-')}"
        if "gold" in given:
            raise click.UsageError(f"--gold measures answers from files, without a model: leave out --gold or {spelled}.")
        raise click.UsageError(f"{spelled} is for answers from files: give the file of gold labels with --gold, too.")
    return "gold" in given


def refuse_one_label_options() -> None:
    """Raise UsageError if --label-separator is given with an option for documents with one label each."""
    given = click.get_current_context().params
    if given.get("label_separator") is None:
        return
    if name := next((name for name in OF_ONE_LABEL if given.get(name)), None):
        raise click.UsageError(f"--{name} is for documents with one label each: leave out --{name} or --label-separator.")


@dataclass(frozen=True)
class LabelFile:
    """The labels of a file with their weights, and all columns of the file. With a separator, labels are tuples of labels."""

    path: str
    labels: list[Any]
    weights: list[float] | None
    columns: Mapping[str, Any]

    @classmethod
    def read(cls, path: str, **options: Any) -> "LabelFile":
        """Read the file with options of `read_labels`, and say which columns were chosen."""
        from tercet.data.reading import read_labels

        stream = read_labels(path, **options).start()
        if stream.guess:
            say(f"{stream.name}: {stream.guess}")
        try:
            found = stream.collect()
        except BadRow as error:
            raise BadSource(f"{error} {NEEDED if options.get('label_separator') is None else ''}".rstrip()) from None
        return cls(path, found.labels, found.weights, found.columns)

    def pick(self, positions: Sequence[int]) -> "LabelFile":
        """The rows at these positions."""
        labels = [self.labels[index] for index in positions]
        weights = None if self.weights is None else [self.weights[index] for index in positions]
        columns = {name: [cells[index] for index in positions] for name, cells in self.columns.items()}
        return LabelFile(self.path, labels, weights, columns)

    def find_column(self, name: str, option: str) -> list[Any]:
        """The cells of the column that an option names."""
        if name not in self.columns:
            fault = f"{self.path} has no column {name!r}: it has {spell_names(list(self.columns))}."
            raise MissingColumn(fault, name, f"Name one of these with --{option}.")
        cells: list[Any] = self.columns[name]
        return cells

    def list_ids(self, column: str) -> list[str]:
        return [restore_formula(str(cell).strip()) for cell in self.find_column(column, "id-column")]


def read_answers(
    gold: str,
    files: Mapping[str, str],
    predicted_label: str | None,
    id_column: str | None,
    reading: Mapping[str, Any],
    label_separator: str | None = None,
) -> tuple[LabelFile, dict[str, LabelFile]]:
    """The gold labels, and the answers of each system in the same order. `reading` has the options of `reading_options`."""
    if [gold, *files.values()].count("-") > 1:
        raise click.UsageError("standard input can be read only once: give - once.")
    shared = {name: reading[name] for name in SHARED} | {"label_separator": label_separator}
    truth = LabelFile.read(gold, label=reading["label"], weight=reading["weight"], **shared)
    found = {}
    for name, path in files.items():
        own = _read_answers_of(path, set(list_single(truth.labels)), label=predicted_label, **shared)
        found[name] = own.pick(match_rows(truth, own, id_column))
    return truth, found


def split_system(written: str) -> tuple[str, str]:
    """The name of a system and its file. Without a name, the file is the name.

    >>> split_system("a=answers_a.csv"), split_system("answers_a.csv")
    (('a', 'answers_a.csv'), ('answers_a.csv', 'answers_a.csv'))
    """
    name, equals, path = written.partition("=")
    return (name, path) if equals and name and not os.path.exists(written) else (written, written)


def _read_answers_of(path: str, known: set[str], **options: Any) -> LabelFile:
    try:
        found = LabelFile.read(path, usual=PREDICTED, **options)
    except BadSource as error:
        raise BadSource(str(error).replace("--label", "--predicted-label")) from None
    # `predict` puts an apostrophe before a label that a spreadsheet would take for a formula.
    labels = [restore_label(label, known) for label in found.labels]
    answered = set(list_single(labels))
    if known and answered and known.isdisjoint(answered):
        raise InvalidLabel(
            f"no answer of {path} is a gold label: the answers are {spell_names(sorted(answered))}, and the gold labels "
            f"{spell_names(sorted(known))}. Name the right columns with --predicted-label and --label."
        )
    return replace(found, labels=labels)


def list_single(labels: Sequence[Any]) -> Iterator[str]:
    """The labels one by one, also if documents have tuples of them.

    >>> list(list_single(["a", "b"])), list(list_single([("a", "b"), ()]))
    (['a', 'b'], ['a', 'b'])
    """
    return (label for own in labels for label in (own if isinstance(own, tuple) else (own,)))


def restore_label(label: Any, known: set[str]) -> Any:
    """The label, or each label of a tuple, without the apostrophe that `predict` has put before it."""
    if isinstance(label, tuple):
        return tuple(restore_label(each, known) for each in label)
    return label if label in known else restore_formula(label)


# Which answer belongs to which document


def match_rows(gold: LabelFile, answers: LabelFile, id_column: str | None) -> list[int]:
    """The position of the answer for each gold label: by the ids, or by the order of the rows.

    >>> gold = LabelFile("gold.csv", ["ham", "spam"], None, {"id": ["7", "8"]})
    >>> match_rows(gold, LabelFile("answers.jsonl", ["spam", "ham"], None, {"id": [8, 7]}), None)
    [1, 0]
    """
    has_ids = ID in gold.columns and ID in answers.columns
    column = id_column if id_column is not None else ID if has_ids else None
    if column is not None:
        return match_ids(gold, answers, column)
    if len(gold.labels) != len(answers.labels):
        raise InvalidLabel(
            f"{_count_rows(gold, answers)}: which answer belongs to which document? {NEEDED} Give the answers in the order of "
            "the gold labels, or name a column of ids that all files have with --id-column."
        )
    say(f"{answers.path}: its rows belong to those of {gold.path} in the same order, because there is no column of ids in both")
    return list(range(len(gold.labels)))


def match_ids(gold: LabelFile, answers: LabelFile, column: str) -> list[int]:
    """The position of the answer with the same id, for each gold label."""
    ids, others = gold.list_ids(column), answers.list_ids(column)
    if ids == others:
        return list(range(len(ids)))
    for file, own in ((gold, ids), (answers, others)):
        ((twice, n),) = Counter(own).most_common(1)
        if n > 1:
            raise InvalidLabel(
                f"{file.path} has the {column} {twice!r} twice, and the files have different orders: which answer belongs to "
                "which document? Name another column with --id-column."
            )
    for own, rest, what in ((ids, set(others), "answer"), (others, set(ids), "gold label")):
        if missing := [each for each in own if each not in rest]:
            raise InvalidLabel(
                f"{_count_rows(gold, answers)}, and there is no {what} for {len(missing)} of them: {column} "
                f"{spell_names(missing)}. {NEEDED}"
            )
    indices = {each: index for index, each in enumerate(others)}
    return [indices[each] for each in ids]


def _count_rows(gold: LabelFile, answers: LabelFile) -> str:
    return f"{gold.path} has {len(gold.labels)} gold labels and {answers.path} has {len(answers.labels)} answers"

"""tercet check"""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tercet.cli.commands import define_command, json_option
from tercet.cli.ledger_writer import ledger_options, open_writer
from tercet.cli.options.reading_options import reading_options
from tercet.cli.output import print_json, wait_option
from tercet.cli.suggest import read_texts
from tercet.cli.table_file import SheetFile, write_table
from tercet.cli.talk import say
from tercet.errors import BadRow, MissingColumn, shorten, suggest
from tercet.evaluation.intervals import MIN_DOCUMENTS
from tercet.report.tables import pluralize, restore_formula

if TYPE_CHECKING:
    from tercet.categorizer.check_sample import CheckSample
    from tercet.data.documents import Documents
    from tercet.evaluation.checked_sample import CheckedPool
    from tercet.report.tables import Grid

N_CHECKED = 100
KEY, LABEL, WEIGHT, ROW = "check", "label", "weight", "row"  # columns of the sheet
NOT_SURE = "?"  # instead of a label, as the key
KEYS = re.compile(r"check-(\d{1,9})-(\d{1,18})-([0-9a-f]{10})-(\d{1,9})")
MAX_LISTED = 5  # unknown labels


class SheetKey(NamedTuple):
    """What a row of the sheet says about itself: n, seed, the key of the sample, and the number of the text in it."""

    n: int
    seed: int
    sample: str
    number: int

    def __str__(self) -> str:
        return f"check-{self.n}-{self.seed}-{self.sample}-{self.number}"


@define_command(
    "check",
    "tercet check reviews.tercet test.csv -n 30 -o sheet.csv",
    "tercet check reviews.tercet test.csv --answers filled.csv",
    "tercet check reviews.tercet test.csv --answers filled.csv --record",
    "tercet check reviews.tercet test.csv -n 5 < keys.txt",
)
@click.argument("model", type=click.Path())
@click.argument("pool", type=click.Path())
@click.option("-n", "n", type=click.IntRange(min=1), metavar="N", help="How many texts to check; 100 if it is not given.")
@click.option(
    "-o",
    "--output",
    type=SheetFile(),
    help="Write the texts to this file, with an empty column for their labels. Its name ends in .csv, .jsonl or .parquet.",
)
@click.option("--answers", type=click.Path(), metavar="FILE", help="The file of -o with the labels filled in.")
@click.option("--seed", type=click.IntRange(min=0), help="Random seed for the draw; 0 if it is not given.")
@click.option(
    "--record",
    is_flag=True,
    help="Write the result into the model file, without texts. `tercet inspect` and the card then show it.",
)
@json_option
@wait_option
@ledger_options
@partial(reading_options, without=("--label", "--weight"))
def command(
    model: str,
    pool: str,
    n: int | None,
    output: str | None,
    answers: str | None,
    seed: int | None,
    record: bool,
    as_json: bool,
    wait_seconds: float | None,
    ledger: str | None,
    actor: str | None,
    **reading: Any,
) -> None:
    """Check some answers of a model by hand, to know how good it is on all texts.

    Draws texts of the POOL, which needs no labels, and asks for their right labels: 1 to 9 choose a label, ? says that you are
    not sure, h shows all keys. Without a terminal, each line of standard input is a key. Or -o writes the texts to a file: fill
    in its column `label` (? if you are not sure), and give it to --answers, with the same MODEL and POOL. Rows may be sorted or
    missing. Keys are for one sitting, a sheet for several: answers by keys are measured and not kept.

    Then prints how many of all answers of the model in the POOL are right, and which share of the texts each label has, with
    intervals. Uncertain answers are checked more often than certain ones, and are weighted for that. So the intervals are
    usually narrower than those of as many texts drawn at random. The model's answers are not shown, because they would
    influence you. The model learns nothing. Without --record, no file changes.
    """
    from tercet import load

    check_options(pool, n, output, answers, seed)
    check_record(record, output, ledger, actor)
    loaded: Any = load(model)
    rows = None if answers is None else read_sheet(answers)
    first = next(iter(rows)) if rows else SheetKey(n or N_CHECKED, seed or 0, "", 0)
    documents, places = read_texts(pool, loaded, reading)
    sample = draw(loaded, documents, first, output, answers, n)
    asked = find_asked(sample, documents, loaded.columns_)
    if output is not None:
        write_sheet(output, sample, first, asked, documents, places)
        return
    given = ask(asked, documents, sample) if rows is None else match_rows(rows, sample, asked, str(answers))
    right = [given.get(number) for number in asked]
    report(sample, right, loaded, documents, as_json=as_json)
    if record:
        write_check(sample.measure(right), loaded, model, Path(pool).name, ledger, actor, wait_seconds)


def check_options(pool: str, n: int | None, output: str | None, answers: str | None, seed: int | None) -> None:
    """Raise UsageError if the options do not go together."""
    if answers is not None and output is not None:
        raise click.UsageError("-o writes a new sheet, and --answers reads a filled one: give one of them.")
    if answers is not None and (n is not None or seed is not None):
        raise click.UsageError(
            "the file of --answers says how many texts were drawn, and by which seed: leave out -n and --seed."
        )
    if pool == "-" and output is None and answers is None:
        raise click.UsageError("standard input can't be the pool and the keys: give the pool as a file, or -o.")


def check_record(record: bool, output: str | None, ledger: str | None, actor: str | None) -> None:
    """Raise UsageError if there is nothing to write down, or if it is not said that it is written down."""
    if record and output is not None:
        raise click.UsageError("-o only writes a sheet, so there is no result yet: give --record with --answers.")
    if not record and (ledger is not None or actor is not None):
        raise click.UsageError("--ledger and --actor say where the result is written down, and by whom: give --record, too.")


def draw(
    model: Any, documents: "Documents", key: SheetKey, output: str | None, answers: str | None, n: int | None
) -> "CheckSample":
    """The sample. Raises ClickException if it is not the sample of the file of --answers."""
    from tercet import draw_check_sample
    from tercet.errors import InvalidOption

    other = (
        f"{answers} is a sheet of another pool or model, or one of them has changed: give the same MODEL and POOL, "
        "or write a new sheet with -o."
    )
    try:
        sample = draw_check_sample(model, documents, key.n, seed=key.seed)
    except InvalidOption:
        if answers is not None:
            raise click.UsageError(other) from None
        raise
    if answers is not None and sample.key != key.sample:
        raise click.UsageError(other)
    return sample


def find_asked(sample: "CheckSample", documents: "Documents", columns: Sequence[str]) -> list[int]:
    """For each drawn text the number of the text that is asked for it: a text that was drawn twice is asked once."""
    first: dict[Any, int] = {}
    asked = []
    for number, position in enumerate(sample.positions, 1):
        content = documents.texts[position], *(str(documents.columns[name][position]) for name in columns)
        asked.append(first.setdefault(content, number))
    return asked


# The sheet


def write_sheet(
    path: str,
    sample: "CheckSample",
    key: SheetKey,
    asked: Sequence[int],
    documents: "Documents",
    places: Sequence[int | None],
) -> None:
    """Write the texts to a file, with an empty label. Each row has a key, so that rows can be sorted."""
    from tercet.cli.suggest import describe, fill_row

    texts = documents.text_columns or ("text",)
    facts = (LABEL, ROW, WEIGHT, KEY)
    names = [*texts, *(name for name in documents.columns if name not in (*texts, *facts)), *facts]
    rows = []
    for number in sorted(set(asked)):
        position = sample.positions[number - 1]
        written = fill_row(describe(documents, position, places[position]), texts)
        weight = sum(sample.weights[other] for other, first in enumerate(asked) if first == number)
        rows.append({**written, WEIGHT: weight, KEY: str(key._replace(sample=sample.key, number=number))})
    write_table(path, names, rows, "text")
    say(f"fill in the column {LABEL!r}, and measure with --answers {path}. The labels: {list_known(sample.labels)}")


def list_known(labels: Sequence[Any]) -> str:
    from tercet.data.column_choice import spell_names

    return spell_names(list(map(str, labels)))


def read_sheet(path: str) -> dict[SheetKey, str | None]:
    """The label of each row of a filled sheet, by its key; None where none was filled in.

    The options for reading are about the pool, and the sheet may have another form.
    """
    from tercet import read

    try:
        found = read(path, text=KEY, columns=(LABEL,), labelled=False).collect()
    except MissingColumn as error:
        raise click.UsageError(
            f"{path} has no column {error.column!r}: give a file that `tercet check -o` has written, with all its columns."
        ) from None
    except BadRow as error:
        raise click.UsageError(f"{str(error).split(' Is it ')[0]} Save the sheet as CSV in UTF-8, or as .xlsx.") from None
    rows: dict[SheetKey, str | None] = {}
    for written, label in zip(found.texts, found.columns[LABEL], strict=True):
        key = read_key(path, written)
        text = "" if label is None or label != label else restore_formula(str(label).strip())
        if rows.get(key) is not None and text and rows[key] != text:
            raise click.UsageError(f"{path} has the labels {rows[key]!r} and {text!r} for the text {written}: leave only one.")
        rows[key] = text or rows.get(key)
    check_rows(path, rows)
    return rows


def read_key(path: str, written: str) -> SheetKey:
    parts = KEYS.fullmatch(written.strip())
    if parts is None:
        raise click.UsageError(
            f"{path} has {shorten(repr(written))} in the column {KEY!r}: these keys say which text a row is, so do not "
            "change them."
        )
    n, seed, sample, number = parts.groups()
    return SheetKey(int(n), int(seed), sample, int(number))


def check_rows(path: str, rows: dict[SheetKey, str | None]) -> None:
    """Raise UsageError if nothing is filled in, or the rows are of several sheets."""
    if not any(rows.values()):
        raise click.UsageError(f"{path} has no answers: fill in its column {LABEL!r}.")
    if len({key[:3] for key in rows}) > 1:
        raise click.UsageError(f"{path} has rows of several sheets: give the rows of one draw.")


def match_rows(rows: dict[SheetKey, str | None], sample: "CheckSample", asked: Sequence[int], path: str) -> dict[int, Any]:
    """The right label of each text by its number, with the type that labels of the model have."""
    given = {key.number: label for key, label in rows.items() if label not in (None, NOT_SURE)}
    if strange := sorted(set(given) - set(asked)):
        raise click.UsageError(f"{path} has a text {strange[0]} that was not drawn: leave the column {KEY!r} as it was.")
    known = {str(label): label for label in sample.labels}
    folded = {name.casefold(): label for name, label in known.items()}
    if not any(label in known or label.casefold() in folded for label in given.values()):
        one = next(iter(given.values()))
        raise click.UsageError(
            f"{path} has {shorten(repr(one))} and no label that the model has: it has {list_known(sample.labels)}. "
            "Fill in these."
        )
    return {number: known.get(label, folded.get(label.casefold(), label)) for number, label in given.items()}


# Asking in the terminal


def ask(asked: Sequence[int], documents: "Documents", sample: "CheckSample") -> dict[int, Any]:
    """The right labels that a person gives, by the number of the text."""
    from tercet.cli.labelling.checking import CheckSession
    from tercet.cli.labelling.keys import open_keys
    from tercet.kernel.text.columns import SEPARATOR

    numbers = sorted(set(asked))
    texts = [documents.texts[sample.positions[number - 1]].replace(SEPARATOR, "\n\n") for number in numbers]
    with open_keys() as keys:
        session = CheckSession(texts, sample.labels, keys)
        with suppress(KeyboardInterrupt):  # what was answered is measured
            session.run()
    given = {number: label for number, label in zip(numbers, session.answers, strict=False) if label is not None}
    if not given:
        raise click.UsageError("no text has an answer, so there is nothing to measure: 1 to 9 choose a label.")
    if len(session.answers) < len(numbers):
        done = f"{len(session.answers)} of {len(numbers)} texts were answered"
        say(f"{done}. To go on later, answer in a sheet: -o and --answers.")
    return given


# The result


def write_check(
    found: "CheckedPool",
    checked: Any,
    path: str,
    pool: str,
    ledger: str | None,
    actor: str | None,
    wait_seconds: float | None,
) -> None:
    """Write the result into the model file, and into its ledger if one is given.

    A person has answered for a while. If the file has changed meanwhile, nothing is written. If the ledger has, the result is
    written as that of the model before the change.
    """
    from tercet.categorizer.files.hand_check import HandCheck
    from tercet.ledger.replay import Replay, attach_check

    with open_writer(ledger, path, path, actor, None, wait_seconds) as writer:
        if writer is None:
            checked.record_check(found, pool)
            checked.save(path)
        else:
            model, opened = writer.model, writer.ledger
            is_same = model.fitted_.digest == checked.fitted_.digest
            with writer.write():
                opened.check(HandCheck.of(found, pool), opened.head.number if is_same else None, actor=writer.actor)
                last = opened.find_learned()
                attach_check(model, last.check)
                opened.publish(Replay(last.number, model, last.training, 0, True), actor=writer.actor)
            model.save(path)
    say(f"written: {path}" + ("" if ledger is None else f" and {ledger}"))


def report(sample: "CheckSample", answers: Sequence[Any], model: Any, documents: "Documents", *, as_json: bool) -> None:
    """Print the estimates, and say what limits them."""
    from tercet.categorizer.learned_texts import describe_learned
    from tercet.categorizer.suggestion.suggest import find_learned
    from tercet.report.forms import simplify, write_columns

    found = sample.measure(answers)
    for line in list_remarks(found, answers, sample):
        say(line)
    if learned := describe_learned(int(find_learned(model, documents).sum()), len(documents.texts)):
        say(learned)
    if as_json:
        print_json(simplify({**found.to_dict(), "n_drawn": len(answers), "words": found.words}))
        return
    click.echo(found.words)
    click.echo(describe_gain(found))
    click.echo()
    click.echo(write_columns(list_shares(found)))


def list_remarks(found: "CheckedPool", answers: Sequence[Any], sample: "CheckSample") -> list[str]:
    """Texts without an answer, labels that the model does not have, and why the interval may be unreliable."""
    lines = []
    if n_open := len(answers) - found.n:
        lines.append(
            f"{pluralize(n_open, 'text')} of {len(answers)} without an answer: texts with similar predictions stand for them"
        )
    counts = Counter(label for label in answers if label in found.unknown)
    for label, count in counts.most_common(MAX_LISTED):
        hint = suggest(label, sample.labels)
        lines.append(
            f"the model has no label {label!r} ({pluralize(count, 'answer')}): this counts as an error of the model.{hint}"
        )
    if len(counts) > MAX_LISTED:
        lines.append(f"the model does not have {len(counts) - MAX_LISTED} more labels of the answers")
    return [*lines, *filter(None, [found.accuracy.note])]


def describe_gain(found: "CheckedPool") -> str:
    """How much narrower the interval is than that of as many texts drawn at random."""
    percent = round(100 * (1 - found.width_ratio))
    if found.n == found.n_pool:
        return "every text was checked, so these numbers are exact"
    if percent == 0 or found.n < MIN_DOCUMENTS:
        return f"about as exact as {pluralize(found.n, 'text')} drawn at random"
    side = "narrower" if percent > 0 else "wider"
    return f"the interval is {abs(percent)} % {side} than that of {pluralize(found.n, 'text')} drawn at random"


def list_shares(found: "CheckedPool") -> "Grid":
    """The share of each label in the pool, beside the share that the model predicts, the largest first."""
    from tercet.characters import show_lines
    from tercet.evaluation.intervals import format_rounded
    from tercet.report.tables import Grid

    rows = sorted(found.shares, key=lambda row: -row.share.value)
    names = show_lines([row.label for row in rows])
    cells = [(name, str(row.share), format_rounded(row.predicted, ".3f")) for name, row in zip(names, rows, strict=True)]
    return Grid("shares", ("label", "share of the texts", "predicted by the model"), tuple(cells))

"""tercet begin"""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command, json_option
from tercet.cli.options.option_values import ParsedValue, read_labels
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.output import NewModelOutput, OutputFile, lock_output, print_json, wait_option
from tercet.cli.talk import say, show_progress

if TYPE_CHECKING:
    from tercet.categorizer.seeds.begin import Beginning
    from tercet.categorizer.seeds.seeds import Seeds


def read_shares(written: str) -> dict[str, float]:
    """Shares by label.

    >>> read_shares("ham=0.9, spam=0.1")
    {'ham': 0.9, 'spam': 0.1}
    """
    pairs = [part.rpartition("=") for part in read_labels(written)]
    return {label.strip(): float(share) for label, _, share in pairs}


@define_command(
    "begin",
    'tercet begin reviews.csv --labels "lovely, dull" -o first.tercet',
    "tercet begin reviews.csv --seeds labels.toml -o first.tercet --write-seeds more.toml",
    "tercet begin reviews.csv --seeds labels.toml -o first.tercet --shares good=0.6,bad=0.4 --json",
)
@click.argument("pool", type=click.Path())
@click.option("-o", "--output", type=NewModelOutput(), required=True, help="Write the first model to this file.")
@click.option("--labels", type=ParsedValue("NAMES", read_labels), help='The names of the labels, such as "world, sports".')
@click.option(
    "--seeds",
    type=click.Path(),
    metavar="FILE",
    help="A TOML file that has a table for each label, with some of name, description, words and counter_words.",
)
@click.option(
    "--shares",
    type=ParsedValue("LABEL=SHARE,…", read_shares),
    help="How frequent each label is, if you know it. By default no label is preferred.",
)
@click.option("--write-seeds", type=OutputFile(), help="Write the seeds to this TOML file, with the words that you accept.")
@click.option("--ask", is_flag=True, help="Ask also without a terminal: then each line of standard input is a key.")
@click.option(
    "--vectors",
    type=click.Choice(["auto", "none"]),
    default="auto",
    show_default=True,
    help="Whether the sentence encoder is used: auto uses it if it is installed.",
)
@click.option(
    "--documents/--no-documents",
    default=True,
    show_default=True,
    help="Keep the texts in the model, so that it can be trained again after `learn` and `forget`.",
)
@json_option
@wait_option
@partial(reading_options, without=("--label", "--weight"))
def command(
    pool: str,
    output: str,
    labels: list[str] | None,
    seeds: str | None,
    shares: dict[str, float] | None,
    write_seeds: str | None,
    ask: bool,
    vectors: str,
    documents: bool,
    as_json: bool,
    wait_seconds: float | None,
    **reading: Any,
) -> None:
    """Make a first model from texts without labels.

    Give a POOL of texts, and what you know of the labels: their names (--labels), or names, descriptions and words (--seeds). A
    word is best if you expect it in texts of this label, and hardly in others; five words for each label are a good start. The
    labels of the texts are guessed, and an ordinary model learns the guesses. Nothing has been checked: before you trust it,
    use `tercet check`, which asks you about some texts, and says how many of all answers are right.

    Shows for each label the words that it stands on, the share of the texts that it would get, typical and doubtful texts, and
    words that may be seeds, too. In a terminal you can then accept or strike words, and see what changes.
    """
    from tercet.cli.options.model_options import CONTAINS_TEXTS
    from tercet.text.vectors.encoded_words import announce_encoding

    given = choose_seeds(labels, seeds)
    is_asked = ask or (not as_json and sys.stdin.isatty() and sys.stderr.isatty())
    stream = open_stream(pool, labelled=False, **reading)
    announce_encoding(say)
    with show_progress(stream, "reading"):
        texts = list(stream)
    report_bad_rows(stream)
    if not texts:
        raise click.UsageError(f"{pool} has no texts: give texts like those that you want to classify.")
    work_out = partial(begin_again, stream, texts, shares, None if vectors == "none" else vectors, documents)
    found = work_out(given)
    if is_asked:
        say(found.to_table())
        found = ask_for_words(found, work_out)
    with lock_output(output, wait_seconds):
        found.categorizer.save(output)
    if write_seeds is not None:
        write_toml(write_seeds, found.seeds)
    if as_json:
        print_json({"model": output, "bytes": Path(output).stat().st_size} | found.to_dict())
    else:
        click.echo(found.to_terminal())
    say(f"written: {output}")
    if found.categorizer.keeps_documents_:
        say(CONTAINS_TEXTS)


def choose_seeds(labels: list[str] | None, path: str | None) -> "Seeds":
    """The seeds of --labels or --seeds."""
    from tercet.categorizer.seeds.seeds import Seeds

    if (labels is None) == (path is None):
        have = "--labels and --seeds both say" if labels else "nothing says"
        raise click.UsageError(f'{have} what the labels are: give one of the two, such as --labels "world, sports".')
    return Seeds.of(labels) if path is None else Seeds.read(path)


def begin_again(
    stream: Any, batches: Any, shares: dict[str, float] | None, vectors: str | None, keep_documents: bool, seeds: "Seeds"
) -> "Beginning":
    """The first model of these seeds."""
    from tercet.categorizer.seeds.begin import begin_from
    from tercet.data.document_batches import join_batches
    from tercet.options import n_threads

    texts = join_batches(batches)
    return begin_from(texts, seeds, stream, shares, vectors, keep_documents=keep_documents, threads=n_threads())


def ask_for_words(found: "Beginning", work_out: Any) -> "Beginning":
    from tercet.cli.labelling.keys import open_keys
    from tercet.cli.labelling.seed_session import SeedSession

    with open_keys() as keys:
        return SeedSession(found, keys, work_out).run()


def write_toml(path: str, seeds: "Seeds") -> None:
    from tercet.store.atomic_file import write_whole

    write_whole(path, [seeds.to_toml().encode()])
    say(f"written: {path}")

"""tercet backup"""

import click

from tercet.cli.commands import define_command
from tercet.cli.output import OutputFile
from tercet.cli.talk import say
from tercet.report.tables import pluralize


@define_command("backup", "tercet backup live.ledger copy.ledger")
@click.argument("ledger", type=click.Path())
@click.argument("output", type=OutputFile())
def command(ledger: str, output: str) -> None:
    """Write a verified copy of a ledger.

    FILE is a new file. The copy is consistent even while events are appended, and its chain of hashes is checked before it
    gets its name. It has all texts of the ledger: an erasure does not reach copies, so keep a list of them, and delete old
    ones.
    """
    from tercet.ledger.backup import back_up

    head = back_up(ledger, output)
    say(f"{pluralize(head.number, 'event')}, the last has the hash {head.hash.hex()}; written: {output}")

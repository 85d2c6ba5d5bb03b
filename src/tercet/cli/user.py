"""tercet user, and its commands"""

import sys
from typing import TYPE_CHECKING

import click

from tercet.characters import show_line
from tercet.cli.commands import SubcommandGroup, define_command, json_option
from tercet.cli.output import print_json
from tercet.cli.talk import say

if TYPE_CHECKING:
    from tercet.server.accounts import Accounts

ROLES = ("reader", "teacher", "admin")
DAY_SECONDS = 86400.0

command = SubcommandGroup(
    "user",
    help="""Say who may use a server that other computers can reach.

    USERS is a file, or a URL of PostgreSQL, for `tercet serve --users`. A reader may classify and explain, a teacher may also
    learn, unlearn, relabel, undo and read the history, and an admin may also erase. Passwords and tokens are kept as hashes.
    A password is asked for, or read from standard input if that is not a terminal.
    """,
    examples=(
        "tercet user add team.users cara --role teacher < password.txt",
        "tercet user token team.users ann --days 90 --note crawler",
        "tercet user list team.users",
    ),
)
role_option = click.option("--role", type=click.Choice(ROLES), help="What the user may do.")


def open_accounts(location: str, *, new: bool = False) -> "Accounts":
    from tercet.server.accounts import Accounts

    return Accounts(location, new=new)


def ask_password() -> str:
    """The password that somebody types twice, or the first line of standard input."""
    if sys.stdin.isatty():
        typed: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return typed
    line = sys.stdin.readline()
    if not line:
        raise click.UsageError("standard input has no password: write it on the first line.")
    return line.rstrip("\r\n")


@define_command(
    "add",
    "tercet user add team.users dan --role teacher < password.txt",
    "tercet user add team.users crawler --role reader --no-password",
)
@click.argument("users")
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), required=True, help="What the user may do.")
@click.option("--no-password", is_flag=True, help="The user is a program, which uses tokens only.")
def add(users: str, name: str, role: str, no_password: bool) -> None:
    """Add a user. The file is made if there is none."""
    open_accounts(users, new=True).add_user(name, role, None if no_password else ask_password())
    say(f"added: {name} ({role})")


@define_command("list", "tercet user list team.users", "tercet user list team.users --json")
@click.argument("users")
@json_option
def list_users(users: str, as_json: bool) -> None:
    """List all users with their roles."""
    found = open_accounts(users).list_users()
    if as_json:
        print_json([{"name": user.name, "role": user.role, "has_password": user.has_password} for user in found])
        return
    for user in found:
        click.echo(f"{show_line(user.name)}\t{user.role}{'' if user.has_password else chr(9) + 'tokens only'}")


@define_command(
    "change", "tercet user change team.users ben --role reader", "tercet user change team.users ben --password < password.txt"
)
@click.argument("users")
@click.argument("name")
@role_option
@click.option("--password", "new_password", is_flag=True, help="Ask for a new password.")
def change(users: str, name: str, role: str | None, new_password: bool) -> None:
    """Give a user another role or password. All sessions and tokens of the user end."""
    if role is None and not new_password:
        raise click.UsageError("say what to change: --role ROLE or --password.")
    open_accounts(users).change_user(name, role=role, password=ask_password() if new_password else None)
    say(f"changed: {name}; all sessions and tokens of this user have ended")


@define_command("remove", "tercet user remove team.users robot")
@click.argument("users")
@click.argument("name")
def remove(users: str, name: str) -> None:
    """Remove a user, with all sessions and tokens. What the user has done stays in the ledgers."""
    open_accounts(users).remove_user(name)
    say(f"removed: {name}")


@define_command("token", "tercet user token team.users ann --days 90 --role reader --note crawler")
@click.argument("users")
@click.argument("name")
@click.option(
    "--days", type=click.FloatRange(0, 3660, min_open=True), default=30.0, show_default=True, help="How long it is good."
)
@role_option
@click.option("--note", default="", help="What it is for.")
def token(users: str, name: str, days: float, role: str | None, note: str) -> None:
    """Make a token for a program, and print it. It can't be shown again.

    The program sends it in the header `Authorization: Bearer TOKEN`.
    """
    click.echo(open_accounts(users).issue(name, "token", seconds=days * DAY_SECONDS, role=role, note=note))


@define_command("tokens", "tercet user tokens team.users ann")
@click.argument("users")
@click.argument("name")
@json_option
def tokens(users: str, name: str, as_json: bool) -> None:
    """List the sessions and tokens of a user, without themselves."""
    found = open_accounts(users).list_tokens(name)
    facts = [
        {"id": each.id, "kind": each.kind, "role": each.role, "expires": each.expires_at, "note": each.note} for each in found
    ]
    if as_json:
        print_json(facts)
        return
    for each in facts:
        click.echo("\t".join(map(show_line, each.values())))


@define_command("revoke", "tercet user revoke team.users ann all")
@click.argument("users")
@click.argument("name")
@click.argument("id")
def revoke(users: str, name: str, id: str) -> None:  # noqa: A002
    """End a session or a token of a user, by the id that `tercet user tokens` shows; `all` ends all of them."""
    open_accounts(users).revoke(name, None if id == "all" else id)
    say(f"revoked: {id}")


for each in (add, list_users, change, remove, token, tokens, revoke):
    command.add_command(each)

"""tercet serve"""

import sys
from pathlib import Path

import click

from tercet.cli.commands import Option, define_command
from tercet.cli.talk import say
from tercet.extras import import_extra

MEGABYTE = 1 << 20


@define_command(
    "serve",
    "tercet serve reviews.tercet",
    "tercet serve models --port 9000 --workers 2",
    "tercet serve reviews.tercet --read-only",
    "tercet serve reviews.tercet --host 0.0.0.0 --url https://tercet.example --users team.users",
)
@click.argument("model", type=click.Path(), metavar="MODEL|FOLDER")
@click.option(
    "--ledger",
    metavar="FILE|URL",
    help="The ledger of the model. By default it is a file beside the model, and begins now if there is none.",
)
@click.option("--read-only", is_flag=True, help="Only answer and explain: nothing can be learned, and no ledger is needed.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8420, show_default=True, help="The port. 0 takes a free one.")
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, metavar="N", help="How many processes answer."
)
@click.option(
    "--users", metavar="FILE|URL", cls=Option, section="Other computers", help="Who may use the server: see `tercet user`."
)
@click.option(
    "--url",
    metavar="URL",
    cls=Option,
    section="Other computers",
    help="The address that people use. Requests that name another one are refused.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    cls=Option,
    section="Other computers",
    help="The address of a proxy before the server, which may be repeated. Its header X-Forwarded-For is trusted, so every "
    "program at this address can say that a request comes from anywhere, and guess passwords without a limit.",
)
@click.option(
    "--max-body",
    type=click.FloatRange(0.001, 4096),
    default=16.0,
    show_default=True,
    metavar="MB",
    cls=Option,
    section="Limits",
    help="The largest request, and the longest line of a stream.",
)
@click.option(
    "--max-documents",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    metavar="N",
    cls=Option,
    section="Limits",
    help="The most documents of a request. A stream may have any number.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 86400),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    cls=Option,
    section="Limits",
    help="The longest time for a request to arrive, and for a client that reads nothing.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0.1),
    default=1000.0,
    show_default=True,
    metavar="N",
    cls=Option,
    section="Limits",
    help="Requests of one user in a second, on average.",
)
def command(
    model: str,
    ledger: str | None,
    read_only: bool,
    host: str,
    port: int,
    workers: int,
    users: str | None,
    url: str | None,
    proxies: tuple[str, ...],
    max_body: float,
    max_documents: int,
    timeout: float,
    rate: float,
) -> None:
    """Serve models over HTTP: they answer, explain, learn and forget.

    MODEL is a file of `tercet train`. A FOLDER serves all its models, and an admin can begin new ones on the page, from texts
    without labels; it may be empty at first.

    Prints a link. Who opens it on this computer may use the server; other users of the computer and other web pages can't. What
    the models learn is written into their ledgers, and answers include it at once. Programs make a token on the page, or with
    `tercet user token`, and send it in the header Authorization. /docs describes the interface.

    For other computers, give --users and --url, and put a proxy with HTTPS before the server: docs/server.md says how. The
    server ends with Ctrl-C or SIGTERM.
    """
    for package in ("starlette", "uvicorn", "msgspec", "httptools"):
        import_extra(package, package=package, extra="server", purpose="tercet serve needs")
    from tercet.server.limits import Limits
    from tercet.server.start import StartOptions, find_models, serve

    if read_only and ledger:
        raise click.UsageError("--read-only needs no ledger: give one of both.")
    limits = Limits(int(max_body * MEGABYTE), max_documents, timeout, rate)
    folder = Path(model) if Path(model).is_dir() and not read_only else None
    how = StartOptions(host, port, url, users, proxies, workers, limits, folder)
    how.check()
    found = find_models(Path(model), ledger, read_only=read_only)
    if not found:
        say(f"{model} has no model yet: begin one on the page, with texts and the names of your labels")
    if not serve(found, how, announce=announce, tell=say):
        click.get_current_context().exit(2)
    say("the server has ended")


def announce(link: str) -> None:
    """Print the link, at once, also into a pipe."""
    click.echo(link)
    sys.stdout.flush()
    say("open this link in a browser; Ctrl-C ends the server")

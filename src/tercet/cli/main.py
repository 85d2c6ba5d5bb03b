"""Where the program begins and how it ends: 0 done, 2 the user can fix it, 1 a bug, 130 stopped by Ctrl-C."""

import gc
import os
import sys
import traceback
import warnings
from typing import Any

import click

from tercet.cli.commands import Commands
from tercet.cli.talk import complain
from tercet.errors import TercetError

REPORT = "this is a bug in tercet, not in your data: please report it with the lines above."
CLOSED_PIPE = 141  # what the shell says of a program that wrote to a closed pipe
STOPPED = 130

HELP = """Text categorization that can be trusted: learn labelled texts, decide, explain, and forget.

Results go to standard output, talk and progress to standard error. `-` is standard input. `tercet COMMAND --help` has
examples. The exit code is 0 if all is done, 2 if you can fix what went wrong, 1 for a bug.

For completion in the shell, put one of these into its start-up file:

\b
  eval "$(_TERCET_COMPLETE=bash_source tercet)"
  eval "$(_TERCET_COMPLETE=zsh_source tercet)"
  _TERCET_COMPLETE=fish_source tercet | source
"""


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from tercet import __version__

        click.echo(f"tercet {__version__}")
        context.exit()


program = Commands(
    "tercet",
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
        )
    ],
)


def main() -> None:
    """The entry point of the package."""
    # Nothing here multiplies large matrices, and the threads that NumPy starts for that take a quarter of the start-up.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # One thread reads while another counts: they take turns ten times as often as Python would have them.
    sys.setswitchinterval(0.0005)
    gc.set_threshold(100_000, 20, 20)  # texts by the thousand are no circles: to look for some takes a tenth of the reading
    sys.exit(complete() if "_TERCET_COMPLETE" in os.environ else run(sys.argv[1:]))


def complete() -> int:
    """What the shell asks when it completes a line."""
    from click.shell_completion import shell_complete

    return shell_complete(program, {}, "tercet", "_TERCET_COMPLETE", os.environ["_TERCET_COMPLETE"])


def run(arguments: list[str]) -> int:
    """The exit code, after all has been done and said.

    >>> run(["--version"])
    tercet 0.1.0
    0
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # half a character in a label is shown, and is still JSON
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for category in (UserWarning, RuntimeWarning):  # what tercet warns of
            warnings.simplefilter("default", category)
        warnings.showwarning = _show_warning
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    try:
        with program.make_context("tercet", arguments or ["--help"]) as context:
            program.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        return complain(f"{error.format_message()}{_hint_at_help(error)}")
    except (TercetError, click.ClickException) as error:
        return complain(error.format_message() if isinstance(error, click.ClickException) else str(error))
    except BrokenPipeError:
        _drop_output()
        return CLOSED_PIPE
    except OSError as error:
        if error.filename is None:
            _drop_output()
        return complain(f"{error.filename or 'standard output'}: {error.strerror}.")
    except (KeyboardInterrupt, click.Abort):
        complain("stopped.")
        return STOPPED
    except Exception:
        traceback.print_exc()
        complain(REPORT)
        return 1
    return 0


def _hint_at_help(error: click.UsageError) -> str:
    return f" See {error.ctx.command_path} --help." if error.ctx else ""


def _drop_output() -> None:
    """Nobody reads any more, or the disk is full: what is still in the buffer goes nowhere, without a word."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if category.__name__ != "UndefinedMetric":  # a report says it in its notes; the class itself is slow to import
        complain(message)

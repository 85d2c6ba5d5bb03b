"""The entry point of the program, and its exit codes.

0 done, 2 the user can fix it, 1 a bug, 3 another label than that of `predict --exit-code`, 130 stopped by Ctrl-C, 143 by
SIGTERM, 129 by SIGHUP.
"""

import gc
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from functools import partial
from threading import Thread, main_thread
from typing import Any

import click

from tercet.characters import show_text
from tercet.cli.commands import CommandGroup
from tercet.cli.stop_signals import SIGNALLED
from tercet.cli.talk import report_error, say
from tercet.errors import BadRow, NotConverged, OutOfDate, TercetError

REPORT = "this is a bug in tercet, not in your data: please report it with the lines above."
CLOSED_OUTPUT = (
    "standard output is closed, so the result can't be printed: send it to a file, or to /dev/null if nobody needs it. "
    "Nothing was done."
)
CLOSED_PIPE = 141  # exit code of a program that wrote to a closed pipe
STOPPED = 130

HELP = """Text categorization that you can trust: train on labelled texts, predict, explain, and forget.

Results go to standard output: predictions, reports, and the summary of `train`. Talk goes to standard error: progress,
warnings, guesses, and which files were written. --quiet keeps the results and drops the talk. `-` means standard input.
`tercet COMMAND --help` shows examples. The exit code is 0 for success, 2 for an error that you can fix, and 1 for a bug in
tercet. (With `predict --exit-code` it is 3 for another label.)

To complete commands with the Tab key, add the line for your shell (bash, zsh or fish) to its start-up file:

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


program = CommandGroup(
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
    """Run the command line of this process."""
    # Nothing here multiplies large matrices. The threads that NumPy starts for that would take a quarter of the start-up.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # One thread reads while another counts. Let them take turns ten times as often as Python does by default.
    sys.setswitchinterval(0.0005)
    gc.set_threshold(100_000, 20, 20)  # texts have no cycles; looking for them takes a tenth of the reading
    if not open_closed_streams():
        sys.exit(report_error(CLOSED_OUTPUT))
    for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP, and nohup ignores it
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminate)
    if hasattr(signal, "pthread_kill"):  # not on Windows
        sys.unraisablehook = _stop_again
    sys.exit(complete() if "_TERCET_COMPLETE" in os.environ else run(sys.argv[1:]))


def open_closed_streams() -> bool:
    """Open the standard streams that are closed to nowhere. Returns whether there was a standard output.

    Without this, the next file that is opened gets the number of such a stream, and what is printed goes into the file.
    """
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(handle)
    has_output = sys.stdout is not None
    for number, name in enumerate(("stdout", "stderr"), 1):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w"))
    return has_output


def _terminate(number: int, _: object) -> None:
    """End the program as after an error, so that no file is left half-written or locked."""
    signal.signal(number, signal.SIG_IGN)  # some programs send it twice, and cleaning up must not be interrupted
    raise SystemExit(SIGNALLED + number)


def _stop_again(ignored: "sys.UnraisableHookArgs") -> None:
    """Send a signal again if Python has ignored the exception that it raised: `__del__` and weak references ignore all."""
    error = ignored.exc_value
    if isinstance(error, SystemExit) and isinstance(error.code, int) and error.code > SIGNALLED:
        number = error.code - SIGNALLED
        signal.signal(number, _terminate)
        Thread(target=_insist, args=(number,), daemon=True).start()
    else:
        sys.__unraisablehook__(ignored)


def _insist(number: int) -> None:
    """Send the main thread a signal until it ends: a signal that comes just before a system call does not interrupt the call.

    `_terminate` ignores all but the first.
    """
    while True:
        time.sleep(0.02)
        signal.pthread_kill(main_thread().ident or 0, number)


def complete() -> int:
    """Answer the shell when it completes a line, and return the exit code."""
    from click.shell_completion import shell_complete

    return shell_complete(program, {}, "tercet", "_TERCET_COMPLETE", os.environ["_TERCET_COMPLETE"])


def run(arguments: list[str]) -> int:
    """Run a command, print its errors, and return the exit code.

    >>> run(["--version"])
    tercet 0.2.0
    0
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a broken character in a label is escaped, which keeps JSON valid
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for category in (UserWarning, RuntimeWarning):  # the warnings of tercet
            warnings.simplefilter("default", category)
        warnings.simplefilter("always", NotConverged)  # each fit counts
        unfinished: list[NotConverged] = []
        said: set[str] = set()
        warnings.showwarning = partial(_show_warning, unfinished, said)
        code = _run(arguments)
        if unfinished:
            report_error(describe_unfinished(unfinished))
        return code


def _run(arguments: list[str]) -> int:
    try:
        with program.make_context("tercet", arguments or ["--help"]) as context:
            program.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        return report_error(f"{error.format_message()}{_hint_at_help(error)}")
    except BadRow as error:
        return report_error(error if "--" in error.reason else f"{error} --on-error skip leaves such rows out.")
    except (TercetError, click.ClickException) as error:
        return report_error(error.format_message() if isinstance(error, click.ClickException) else str(error))
    except BrokenPipeError:
        _drop_output()
        return CLOSED_PIPE
    except OSError as error:
        if error.filename is None:
            _drop_output()
        return report_error(f"{error.filename or 'standard output'}: {error.strerror}.")
    except (KeyboardInterrupt, click.Abort):
        report_error("stopped.")
        return STOPPED
    except Exception:
        click.echo(show_text(traceback.format_exc()), err=True, nl=False)
        report_error(REPORT)
        return 1
    return 0


def _hint_at_help(error: click.UsageError) -> str:
    return f" See {error.ctx.command_path} --help." if error.ctx else ""


def _drop_output() -> None:
    """Discard what is still in the buffer: the reader is gone, or the disk is full."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def describe_unfinished(unfinished: Sequence[NotConverged]) -> str:
    """One line for all fits of a command that stopped too early.

    >>> describe_unfinished([NotConverged()] * 2)
    'training was not finished in 2 fits, so the weights are not exact: train with a lower cost, such as --cost 0.1'
    """
    fits = "1 fit" if len(unfinished) == 1 else f"{len(unfinished)} fits"
    lower = min(warning.cost or 1.0 for warning in unfinished) / 10
    return (
        f"training was not finished in {fits}, so the weights are not exact: train with a lower cost, such as --cost {lower:g}"
    )


def _show_warning(
    unfinished: list[NotConverged], said: set[str], message: Warning | str, category: type[Warning], *_: Any, **__: Any
) -> None:
    if isinstance(message, NotConverged):
        unfinished.append(message)
    elif isinstance(message, OutOfDate):  # it is talk about the model, and one line is enough
        if str(message) not in said:
            say(str(message))
        said.add(str(message))
    elif category.__name__ != "UndefinedMetric":  # the notes of a report say it; importing the class would be slow
        report_error(message)

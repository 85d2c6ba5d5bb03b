"""Keys, one at a time: from a terminal, or from lines of standard input if there is no terminal."""

import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, Protocol

import click

ENTER, END, RESIZED = "enter", "end", "resized"  # not what any key types
WAIT_SECONDS = 0.1  # between two looks at the size of the terminal
REST_SECONDS = 0.05  # the time in which the rest of an escape sequence arrives
PASTE, END_OF_PASTE = b"\x1b[200~", b"\x1b[201~"
ASK_FOR_MARKS, NO_MARKS = "\x1b[?2004h", "\x1b[?2004l"  # around what is pasted
CONTROL_D, CONTROL_Z = "\x04", "\x1a"


class Key(NamedTuple):
    """A character, or ENTER, END or RESIZED; and the rest of its line, if keys come in lines."""

    name: str
    rest: str = ""


class Keys(Protocol):
    """Where keys come from."""

    is_terminal: bool

    def read(self) -> Key:
        """Wait for the next key."""

    def ask(self, question: str) -> str:
        """Wait for a line; empty if there is none."""


class LineKeys:
    """Each line of standard input is a key: its first character. An empty line is Enter, and the end of the input is END.

    What follows the key is its answer, if the key asks for one: "n what a text" is a note.
    """

    is_terminal = False

    def __init__(self) -> None:
        self._lines = iter(sys.stdin)

    def read(self) -> Key:
        line = next(self._lines, None)
        if line is None:
            return Key(END)
        text = line.strip()
        return Key(text[0], text[1:].strip()) if text else Key(ENTER)

    def ask(self, question: str) -> str:
        return next(self._lines, "").strip()


class TerminalKeys:
    """The keys of a terminal. Escape sequences, such as those of arrows, are no keys; nor is what is pasted."""

    is_terminal = True

    def __init__(self) -> None:
        self._handle = sys.stdin.fileno()
        self._size = shutil.get_terminal_size()
        self._is_continued = False  # after Ctrl-Z and fg, the shell may have set the terminal anew

    def read(self) -> Key:
        while True:
            if self._is_continued:
                self._is_continued = False
                self._listen()
                return Key(RESIZED)
            if shutil.get_terminal_size() != self._size:
                self._size = shutil.get_terminal_size()
                return Key(RESIZED)
            if self._is_ready(WAIT_SECONDS) and (key := self._read_key()) is not None:
                return key

    def _is_ready(self, seconds: float) -> bool:
        return bool(select.select([self._handle], [], [], seconds)[0])

    def _read_key(self) -> Key | None:
        """The key that was pressed; None if it was no key."""
        first = os.read(self._handle, 1)
        if first == b"\x1b":
            self._skip_sequence(first)
            return None
        if not first or first.decode("ascii", "replace") == CONTROL_D:
            return Key(END)
        if first in b"\r\n":
            return Key(ENTER)
        while first[0] >= 0xC0 and self._is_ready(REST_SECONDS) and not is_character(first):
            first += os.read(self._handle, 1)
        return Key(first.decode("utf-8", "replace"))

    def _skip_sequence(self, sequence: bytes) -> None:
        """Read the rest of an escape sequence, and what is pasted after it."""
        while self._is_ready(REST_SECONDS) and not is_sequence(sequence):
            sequence += os.read(self._handle, 1)
        if sequence == PASTE:
            while not sequence.endswith(END_OF_PASTE) and self._is_ready(1.0):
                sequence = (sequence + os.read(self._handle, 1))[-len(END_OF_PASTE) :]

    def ask(self, question: str) -> str:
        self._restore()
        try:
            return input(question).strip()
        except EOFError:
            return ""
        finally:
            self._listen()

    def _listen(self) -> None:
        """Let the terminal give each key at once, and not show it."""
        import termios
        import tty

        tty.setcbreak(self._handle, termios.TCSANOW)  # Ctrl-C and Ctrl-Z still send signals
        click.echo(ASK_FOR_MARKS, err=True, nl=False)

    def _restore(self) -> None:
        import termios

        with suppress(OSError, termios.error):  # the terminal may be gone
            click.echo(NO_MARKS, err=True, nl=False)
            termios.tcsetattr(self._handle, termios.TCSANOW, self._before)

    @contextmanager
    def open(self) -> Iterator["TerminalKeys"]:
        """Take over the terminal, and leave it as it was."""
        import termios

        self._before = termios.tcgetattr(self._handle)
        former = signal.signal(signal.SIGCONT, self._note_continued)
        self._listen()
        try:
            yield self
        finally:
            self._restore()
            signal.signal(signal.SIGCONT, former)

    def _note_continued(self, *_: object) -> None:
        self._is_continued = True


class WindowsKeys:
    """The keys of a console of Windows."""

    is_terminal = True

    def __init__(self) -> None:
        self._size = shutil.get_terminal_size()

    def read(self) -> Key:
        import msvcrt

        console: Any = msvcrt  # a module whose functions exist on Windows only
        while True:
            if shutil.get_terminal_size() != self._size:
                self._size = shutil.get_terminal_size()
                return Key(RESIZED)
            if not console.kbhit():
                time.sleep(WAIT_SECONDS / 2)
                continue
            name = console.getwch()
            if name == "\x03":
                raise KeyboardInterrupt
            if name in "\0\xe0":  # the first half of a key without a character
                console.getwch()
                continue
            return Key(ENTER if name in "\r\n" else END if name in (CONTROL_D, CONTROL_Z) else name)

    def ask(self, question: str) -> str:
        try:
            return input(question).strip()
        except EOFError:
            return ""


def is_character(sequence: bytes) -> bool:
    """Whether these bytes are a whole character in UTF-8.

    >>> is_character("é".encode()), is_character("é".encode()[:1])
    (True, False)
    """
    try:
        return bool(sequence.decode())
    except UnicodeDecodeError:
        return False


def is_sequence(sequence: bytes) -> bool:
    r"""Whether an escape sequence is complete.

    >>> is_sequence(b"\x1b"), is_sequence(b"\x1b["), is_sequence(b"\x1b[200"), is_sequence(b"\x1b[A"), is_sequence(b"\x1bOP")
    (False, False, False, True, True)
    """
    if len(sequence) < 3:
        return len(sequence) == 2 and sequence[1:] not in (b"[", b"O")
    return sequence[1:2] == b"O" or 0x40 <= sequence[-1] <= 0x7E


@contextmanager
def open_keys() -> Iterator[Keys]:
    """The keys of the terminal, or the lines of standard input if that or standard error is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        yield LineKeys()
    elif sys.platform == "win32":
        yield WindowsKeys()
    else:
        with TerminalKeys().open() as keys:
            yield keys

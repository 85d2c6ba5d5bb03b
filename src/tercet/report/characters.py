"""Anyone's text made fit to be shown: no character of it commands a terminal, breaks a line of a table or an encoding."""

import unicodedata

REPLACEMENT = 0xFFFD

_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), REPLACEMENT)  # they have no UTF-8
_COMMANDS = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}  # ESC is shown as ␛
_COMMANDS |= _SURROGATES | {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), REPLACEMENT)

# In a line they would break it, or turn around what stands beside them.
_LAYOUT = {0x09: 0x2409, 0x0A: 0x240A}
_LAYOUT |= dict.fromkeys([*range(0x2028, 0x202F), *range(0x2066, 0x206A)], REPLACEMENT)


def show_text(text: str) -> str:
    r"""The text, character for character, with control characters as their pictures (␛) or as U+FFFD.

    Line feeds and tabs stay.

    >>> show_text("a\tb\x1b[31m\ud800")
    'a\tb␛[31m�'
    """
    return text.translate(_COMMANDS)


def replace_surrogates(text: str) -> str:
    r"""The text as UTF-8 can hold it, character for character.

    >>> replace_surrogates("\ud83d\ude00 \x1b")
    '�� \x1b'
    """
    return text.translate(_SURROGATES)


def show_line(name: object, width: int = 40) -> str:
    r"""A term or a label in one line of at most so many characters, with blanks at its ends made visible.

    >>> show_line("the "), show_line("hen\n"), show_line(True), show_line(""), show_line("a" * 50, width=5)
    ('the␣', 'hen␊', 'True', "''", 'aaaa…')
    """
    line = str(name) or "''"
    line = line if len(line) <= width else line[: width - 1] + "…"
    inner = line.strip(" ")
    n_leading = len(line) - len(line.lstrip(" "))
    shown = "␣" * n_leading + inner + "␣" * (len(line) - n_leading - len(inner))
    return shown.translate(_COMMANDS | _LAYOUT)


def measure_columns(line: str) -> int:
    """How many columns of a terminal it takes.

    >>> measure_columns("così"), measure_columns("日本"), measure_columns("e\u0301")
    (4, 4, 1)
    """
    return sum(_columns(c) for c in line)


def _columns(c: str) -> int:
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1

"""Any text made safe to show: control characters, surrogates and line breaks are replaced by visible characters."""

import unicodedata

REPLACEMENT = 0xFFFD

_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), REPLACEMENT)  # UTF-8 cannot encode them
_COMMANDS = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}  # ESC is shown as ␛
_COMMANDS |= _SURROGATES | {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), REPLACEMENT)

# They would break a line, or change the direction of the text beside them.
_LAYOUT = {0x09: 0x2409, 0x0A: 0x240A}
_LAYOUT |= dict.fromkeys([*range(0x2028, 0x202F), *range(0x2066, 0x206A)], REPLACEMENT)


def show_text(text: str) -> str:
    r"""The text with each control character replaced by its symbol (␛) or by U+FFFD. The length stays the same.

    Line feeds and tabs stay.

    >>> show_text("a\tb\x1b[31m\ud800")
    'a\tb␛[31m�'
    """
    return text.translate(_COMMANDS)


def replace_surrogates(text: str) -> str:
    r"""The text with each surrogate replaced by U+FFFD, so that UTF-8 can encode it. The length stays the same.

    >>> replace_surrogates("\ud83d\ude00 \x1b")
    '�� \x1b'
    """
    return text.translate(_SURROGATES)


def show_line(name: object, width: int = 40) -> str:
    r"""A term or a label in one line of at most `width` characters, with leading and trailing blanks made visible.

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
    """The number of terminal columns that a line takes.

    >>> measure_columns("così"), measure_columns("日本"), measure_columns("e\u0301")
    (4, 4, 1)
    """
    return sum(_columns(c) for c in line)


def _columns(c: str) -> int:
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1

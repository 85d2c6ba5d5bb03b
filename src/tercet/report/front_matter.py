"""The YAML header of a model card, which model hubs read. It is written by hand: every string is quoted, so none is misread."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tercet.characters import replace_surrogates

SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write_front_matter(values: Mapping[str, Any]) -> str:
    """The values between two lines of `---`. A value of None is left out, and so is an empty list.

    Values are strings, integers, floats, truth values, and lists and mappings of these.

    >>> print(write_front_matter({"license": "mit", "tags": ["text", "---"], "metrics": [{"value": 0.5}], "language": None}))
    ---
    license: "mit"
    tags:
      - "text"
      - "---"
    metrics:
      - value: 0.5
    ---
    """
    return "\n".join(["---", *_list_lines(values), "---"])


def _list_lines(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        if value is None or value in ([], (), {}):
            continue
        if isinstance(value, Mapping):
            yield f"{name}:"
            yield from (f"  {line}" for line in _list_lines(value))
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield f"{name}:"
            yield from (f"  {line}" for each in value for line in _list_item(each))
        else:
            yield f"{name}: {_write_scalar(value)}"


def _list_item(value: Any) -> Iterator[str]:
    """The lines of one item of a list: the first begins with a hyphen."""
    lines = list(_list_lines(value)) if isinstance(value, Mapping) else [_write_scalar(value)]
    yield f"- {lines[0]}"
    yield from (f"  {line}" for line in lines[1:])


def _write_scalar(value: Any) -> str:
    """
    >>> print(_write_scalar(True), _write_scalar(12), _write_scalar(0.00001), _write_scalar("no: \x7f\u2028 é"))
    true 12 0.00001 "no: \\u007f\\u2028 é"
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = f"{value:.10f}".rstrip("0")  # not 1e-05: YAML 1.1 reads it as a string
        return text + "0" if text.endswith(".") else text
    return str(value) if isinstance(value, int) else quote_yaml(value)


def quote_yaml(text: str) -> str:
    """The text as a string of YAML in double quotes. What can't be printed is escaped."""
    return '"' + "".join(map(_quote_character, replace_surrogates(text))) + '"'


def _quote_character(c: str) -> str:
    if c in SHORT_ESCAPES:
        return SHORT_ESCAPES[c]
    return c if c.isprintable() else f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}"

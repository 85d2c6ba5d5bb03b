"""Texts that were decoded with the wrong encoding, such as "cafÃ©" for "café", and their repair.

A character beyond ASCII has two to four bytes in UTF-8. If each byte was read as a character of its own (Windows-1252 or
Latin-1), these characters are the bytes of valid UTF-8 again. That happens in right texts, too, where a capital letter with an
accent comes before a quotation mark or a letter: "CAFÉ”", "Úžasný". Such a sequence counts only beside one that is sure.
"""

import re

REPLACEMENT = "\ufffd"  # what decoders put in place of bytes that they can't read
MAX_ROUNDS = 3  # a text may have been decoded wrongly several times
C1 = range(0x80, 0xA0)  # control characters that no text has; Windows-1252 has printable characters for most of them


def _map_bytes() -> dict[str, int]:
    """The byte of each character that Windows-1252 or Latin-1 have beyond ASCII."""
    latin = {chr(code): code for code in range(0x80, 0x100)}
    windows = {bytes([code]).decode("cp1252", "ignore"): code for code in C1}
    return {**latin, **{c: code for c, code in windows.items() if c}}


BYTES = _map_bytes()
# After a word in capitals these may be right: the signs after any letter, the others after all letters but Â and Ã.
CLOSING = frozenset("…“”‘’›»–—")
FOLLOWING = CLOSING | frozenset("„‚‹«®™©°ªº·¹²³\xa0ƒŠŒŽšœžŸ")


def _write_class(codes: range) -> str:
    return "[" + "".join(re.escape(c) for c, code in BYTES.items() if code in codes) + "]"


_NEXT = _write_class(range(0x80, 0xC0))
SEQUENCE = re.compile(
    f"{_write_class(range(0xC2, 0xE0))}{_NEXT}|{_write_class(range(0xE0, 0xF0))}{_NEXT}{{2}}|"
    f"{_write_class(range(0xF0, 0xF5))}{_NEXT}{{3}}"
)
INSIDE = "’–—"  # signs that a word may have inside
CONTROL = re.compile("[\x80-\x84\x86-\x9f]")  # U+0085 is a line break of some systems


def repair_decoding(text: str) -> str:
    """The text as it was before it was decoded wrongly; the same text if nothing shows that it was.

    >>> repair_decoding("cafÃ© donâ€™t it\\x92s"), repair_decoding("CAFÉ” Úžasný")
    ('café don’t it’s', 'CAFÉ” Úžasný')
    """
    for _ in range(MAX_ROUNDS):
        if not any(is_sure(found[0]) for found in SEQUENCE.finditer(text)):
            break
        text = SEQUENCE.sub(lambda found: _decode(found[0]) or found[0], text)
    return CONTROL.sub(_repair_control, text)


def is_sure(sequence: str) -> bool:
    """Whether the sequence is the bytes of a character, and hardly anything else.

    >>> is_sure("Ã©"), is_sure("É”"), is_sure("Ãœ")
    (True, False, True)
    """
    doubtful = CLOSING if sequence[0] in "ÂÃ" else FOLLOWING
    return _decode(sequence) is not None and not doubtful.issuperset(sequence[1:])


def describe_damage(text: str) -> str:
    """What is wrong with the text in words; empty if nothing is.

    >>> describe_damage("a cafÃ©"), describe_damage("caf\\ufffd"), describe_damage("café")
    ("'Ã©' should be 'é'.", 'It has U+FFFD, so characters are lost.', '')
    """
    if REPLACEMENT in text:
        return "It has U+FFFD, so characters are lost."
    if sequence := next((found[0] for found in SEQUENCE.finditer(text) if is_sure(found[0])), None):
        return f"{sequence!r} should be {repair_decoding(sequence)!r}."
    if control := CONTROL.search(text):
        right = _repair_control(control)
        return f"{control[0]!r} should be {right!r}." if right != control[0] else f"It has the control character {right!r}."
    return ""


def _repair_control(found: re.Match[str]) -> str:
    """The character that Windows-1252 has for a control character; the same if it has none, or hardly is the encoding.

    Inside a word it has an apostrophe, a dash or a letter. Another sign there is a letter of another encoding.
    """
    right = bytes([ord(found[0])]).decode("cp1252", "ignore") or found[0]
    before, after = found.string[: found.start()][-1:], found.string[found.end() :][:1]
    is_inside = before.isalpha() and after.isalpha()
    return found[0] if is_inside and not (right.isalpha() or right in INSIDE) else right


def _decode(sequence: str) -> str | None:
    """The character that the sequence is the bytes of; None if it is none."""
    try:
        return bytes(BYTES[c] for c in sequence).decode("utf-8")
    except UnicodeDecodeError:  # an overlong form or a surrogate
        return None

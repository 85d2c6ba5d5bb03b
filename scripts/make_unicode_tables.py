"""Write src/tercet/kernel/text/unicode_tables.hpp from the running Python's own Unicode database.

The kernel has one pinned Unicode version, so that terms are the same on every machine. Every table is
found by asking `str` and `unicodedata`; no file of the Unicode consortium is read or copied.

    python3.13 scripts/make_unicode_tables.py > src/tercet/kernel/text/unicode_tables.hpp
"""

import string
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby

PINNED = "15.1.0"
END = 0x110000
HANGUL = range(0xAC00, 0xD7A4)

# The order of the names is the order of the bits in `enum Property` of the header.
PROPERTIES = (
    *("word", "space", "mark", "symbol", "unspaced", "cased", "ignorable", "starts", "decomposes", "assigned"),
    "punctuation",
)

# Scripts written without spaces between words, by the names of their letters.
UNSPACED = (
    "CJK UNIFIED",
    "CJK COMPATIBILITY IDEOGRAPH",
    "HIRAGANA",
    "KATAKANA",
    "HALFWIDTH KATAKANA",
    "IDEOGRAPHIC ITERATION",
    "THAI ",
    "LAO ",
    "KHMER ",
    "MYANMAR ",
)


def composition_pairs() -> dict[str, tuple[str, str]]:
    """Each character that NFC composes from two, Hangul syllables left out: they follow a formula."""
    pairs = {}
    for code in range(END):
        if code in HANGUL:
            continue
        fields = unicodedata.decomposition(chr(code)).split()
        if len(fields) == 2 and not fields[0].startswith("<"):
            pair = chr(int(fields[0], 16)), chr(int(fields[1], 16))
            if unicodedata.normalize("NFC", "".join(pair)) == chr(code):
                pairs[chr(code)] = pair
    return pairs


PAIRS = composition_pairs()
SECONDS = {second for _, second in PAIRS.values()}
SECONDS |= {chr(c) for c in range(0x1161, 0x1176)} | {chr(c) for c in range(0x11A8, 0x11C3)}


def starts_segment(c: str) -> bool:
    """Whether nothing before this character can change its normal form."""
    firsts = unicodedata.normalize("NFD", c)[0] + unicodedata.normalize("NFKD", c)[0]
    return all(not unicodedata.combining(f) and f not in SECONDS for f in firsts)


def properties(c: str) -> int:
    category = unicodedata.category(c)
    word = c.isalnum() or c == "_"
    # Python decides about the last sigma of a word by two properties it does not show; a sigma after c tells.
    cased = (c + "Σ").lower()[-1] == "ς"
    values = {
        "word": word,
        "space": c.isspace(),
        "mark": category[0] == "M" or c in "\u200c\u200d",
        "symbol": category[0] in "PS" and not word,
        "unspaced": c.isalpha() and unicodedata.name(c, "").startswith(UNSPACED),
        "cased": cased,
        "ignorable": not cased and ("a" + c + "Σ").lower()[-1] == "ς",
        "starts": starts_segment(c),
        "decomposes": unicodedata.normalize("NFKD", c) != c,
        "assigned": category != "Cn",
        "punctuation": category[0] == "P" or c in string.punctuation,
    }
    return sum(values[name] << bit for bit, name in enumerate(PROPERTIES))


def lower_offset(c: str) -> int:
    lower = c.lower()
    return ord(lower) - ord(c) if len(lower) == 1 else 0  # İ alone becomes two characters: the kernel's code says so


def rows(cells: Iterable[str], width: int = 8) -> Iterator[str]:
    cells = list(cells)
    for i in range(0, len(cells), width):
        yield "    " + " ".join(cells[i : i + width])


def array(declaration: str, cells: Iterable[str]) -> str:
    return "\n".join([f"inline constexpr {declaration}[] = {{", *rows(cells), "};"])


def decompositions(form: str) -> Iterator[str]:
    for code in range(END):
        if code in HANGUL:
            continue
        parts = unicodedata.normalize(form, chr(code))
        # A compatibility form that equals the canonical one is found in the canonical table.
        if parts != chr(code) and (form == "NFD" or parts != unicodedata.normalize("NFD", chr(code))):
            yield f"0x{code:X},{len(parts)},"
            yield from (f"0x{ord(p):X}," for p in parts)


def main() -> None:
    if unicodedata.unidata_version != PINNED:
        sys.exit(f"the kernel pins Unicode {PINNED}, this Python has {unicodedata.unidata_version}: use Python 3.13")
    facts = [(properties(chr(c)), unicodedata.combining(chr(c)), lower_offset(chr(c))) for c in range(END)]
    records = sorted(set(facts))
    number = {record: i for i, record in enumerate(records)}
    ranges = [(next(g), fact) for fact, g in groupby(range(END), key=facts.__getitem__)]
    print("// Written by scripts/make_unicode_tables.py; do not edit.")
    print("#pragma once\n#include <cstdint>\n\nnamespace tercet::unicode_tables {\n")
    print(f'inline constexpr const char* version = "{PINNED}";\n')
    print("enum Property : std::uint16_t {")
    print("\n".join(f"    {name} = {1 << bit}," for bit, name in enumerate(PROPERTIES)) + "\n};\n")
    print("struct Record {\n    std::uint16_t properties;\n    std::uint8_t combining;\n    std::int32_t lower;\n};\n")
    print(array("Record records", (f"{{{p},{c},{d}}}," for p, c, d in records)), end="\n\n")
    print("struct Range {\n    std::uint32_t first;\n    std::uint16_t record;\n};\n")
    print(array("Range ranges", (f"{{0x{first:X},{number[fact]}}}," for first, fact in ranges)), end="\n\n")
    print("// code point, number of parts, parts; sorted by code point")
    print(array("std::uint32_t canonical", decompositions("NFD")), end="\n\n")
    print(array("std::uint32_t compatible", decompositions("NFKD")), end="\n\n")
    print("// first, second, composed; sorted")
    triples = sorted((a, b, c) for c, (a, b) in PAIRS.items())
    print(array("std::uint32_t compositions", (f"0x{ord(x):X}," for t in triples for x in t)), end="\n\n")
    print("}  // namespace tercet::unicode_tables")


if __name__ == "__main__":
    main()

"""Write src/tercet/kernel/text/entities.hpp from the running Python's own tables.

python3 scripts/make_entity_table.py > src/tercet/kernel/text/entities.hpp
"""

import html
from html.entities import name2codepoint

# HTML 4's 252 names and the one that XML has besides, for the characters that they mean in HTML 5 (⟨ and ⟩ are others).
NAMES = {name: ord(html.unescape(f"&{name};")) for name in sorted([*name2codepoint, "apos"])}


def low_numbers() -> list[int]:
    """The characters of &#0; … &#159;, as `html.unescape` reads them; 0 if there is no character."""
    return [ord(html.unescape(f"&#{code};") or "\0") for code in range(160)]


def print_rows(cells: list[str], width: int) -> None:
    for i in range(0, len(cells), width):
        print("    " + " ".join(cells[i : i + width]))


def main() -> None:
    print("// Written by scripts/make_entity_table.py; do not edit.")
    print("#pragma once\n#include <cstddef>\n#include <string_view>\n\nnamespace tercet::entities {\n")
    print("struct Entity {\n    std::string_view name;\n    char32_t character;\n};\n")
    print(f"inline constexpr std::size_t longest_name = {max(map(len, NAMES))};\n")
    print("// Sorted by the bytes of the names.\ninline constexpr Entity names[] = {")
    print_rows([f'{{"{name}", 0x{code:X}}},' for name, code in NAMES.items()], 5)
    print("};\n\n// The characters of &#0; … &#159;; 0 if there is no character.\ninline constexpr char32_t low_numbers[] = {")
    print_rows([f"0x{code:X}," for code in low_numbers()], 16)
    print("};\n\n}  // namespace tercet::entities")


if __name__ == "__main__":
    main()

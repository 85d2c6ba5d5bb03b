// UTF-8: check it, read it, write it, and make it from the arrays inside a Python str.
// The kernel writes a lone surrogate as three bytes, like other characters, so that every str can be written.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tercet {

using Bytes = std::string_view;

inline std::uint64_t load64(const char* p) {
    std::uint64_t value;
    std::memcpy(&value, p, 8);
    return value;
}

// The number of ASCII bytes at the start.
inline std::size_t ascii_prefix(Bytes text) {
    constexpr std::uint64_t high = 0x8080808080808080;
    std::size_t i = 0;
    for (; i + 32 <= text.size(); i += 32) {
        const char* p = text.data() + i;
        if ((load64(p) | load64(p + 8) | load64(p + 16) | load64(p + 24)) & high) break;
    }
    while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
    return i;
}

// The number of bytes of the character that starts with this byte.
inline std::size_t character_size(char lead) {
    const auto byte = static_cast<unsigned char>(lead);
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

inline bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The character at p. p is moved to the next character. The text must be valid: checked by `first_invalid`, or from a str.
inline char32_t read_character(const char*& p) {
    const auto byte = [&](int i) { return static_cast<char32_t>(static_cast<unsigned char>(p[i])); };
    const char32_t lead = byte(0);
    char32_t c = lead;
    switch (character_size(*p)) {
        case 1: p += 1; return c;
        case 2: c = (lead & 0x1F) << 6 | (byte(1) & 0x3F); p += 2; return c;
        case 3: c = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F); p += 3; return c;
        default:
            c = (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
            p += 4;
            return c;
    }
}

inline void append_character(std::string& out, char32_t c) {
    const auto byte = [&](char32_t value) { out.push_back(static_cast<char>(value)); };
    if (c < 0x80) return byte(c);
    if (c < 0x800) {
        byte(0xC0 | c >> 6);
    } else {
        if (c < 0x10000) {
            byte(0xE0 | c >> 12);
        } else {
            byte(0xF0 | c >> 18);
            byte(0x80 | (c >> 12 & 0x3F));
        }
        byte(0x80 | (c >> 6 & 0x3F));
    }
    byte(0x80 | (c & 0x3F));
}

// The place of the first byte that is not strict UTF-8 (no surrogates, no overlong forms), or the size if all bytes are valid.
inline std::size_t first_invalid(Bytes text) {
    std::size_t i = ascii_prefix(text);
    while (i < text.size()) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t size = character_size(text[i]);
        if (size == 1) {
            i += ascii_prefix(text.substr(i));
            continue;
        }
        if (lead < 0xC2 || lead > 0xF4 || size > text.size() - i) return i;
        for (std::size_t k = 1; k < size; ++k)
            if (!continues(text[i + k])) return i;
        const char* p = text.data() + i;
        const char32_t c = read_character(p);
        if ((size == 3 && c < 0x800) || (size == 4 && (c < 0x10000 || c > 0x10FFFF)) || (c >= 0xD800 && c < 0xE000)) return i;
        i += size;
    }
    return i;
}

// Whether it is UTF-8, in which lone surrogates may be written: whether a str can hold it.
inline bool is_text(Bytes text) {
    while (true) {
        text.remove_prefix(first_invalid(text));
        if (text.empty()) return true;
        const bool is_surrogate = text.size() >= 3 && text[0] == '\xED' && static_cast<unsigned char>(text[1]) >= 0xA0 &&
                                  continues(text[1]) && continues(text[2]);
        if (!is_surrogate) return false;
        text.remove_prefix(3);
    }
}

// Append characters of 1, 2 or 4 bytes each, as a str holds them.
template <class Unit>
void append_units(std::string& out, const Unit* units, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) append_character(out, static_cast<char32_t>(units[i]));
}

inline std::size_t count_characters(Bytes text) {
    std::size_t n = 0;
    for (char byte : text) n += !continues(byte);
    return n;
}

}  // namespace tercet

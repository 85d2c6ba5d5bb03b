// Searches in a text: for bytes of a class, for white space, for characters.
#pragma once
#include <algorithm>
#include <bit>

#include "base/utf8.hpp"
#include "text/ascii_runs.hpp"
#include "text/unicode.hpp"

namespace tercet {

inline constexpr std::size_t nowhere = Bytes::npos;

struct Match {
    std::size_t begin = nowhere;
    std::size_t end = nowhere;
    explicit operator bool() const { return begin != nowhere; }
};

inline bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }
inline bool is_among(char byte, Bytes set) { return set.find(byte) != nowhere; }

// The place of the first byte at or after `from` that is in the class, or the size of the text.
template <class InClass>
std::size_t find_byte(Bytes text, std::size_t from, InClass in_class) {
    const auto is_in = [&](std::size_t i) { return in_class(static_cast<unsigned char>(text[i])); };
    const std::size_t near = std::min(from + 8, text.size());
    for (; from < near; ++from)
        if (is_in(from)) return from;
    for (; from + 64 <= text.size(); from += 64)
        if (const std::uint64_t mask = class_mask(text.data() + from, in_class)) return from + std::countr_zero(mask);
    while (from < text.size() && !is_in(from)) ++from;
    return from;
}

// The byte at i, or NUL after the end of the text.
inline char byte_at(Bytes text, std::size_t i) { return i < text.size() ? text[i] : '\0'; }

// The character that begins at i, or NUL after the end of the text.
inline char32_t character_at(Bytes text, std::size_t i) {
    const char* p = text.data() + i;
    return i < text.size() ? read_character(p) : U'\0';
}

// The character that ends at i, or NUL at the start of the text.
inline char32_t character_before(Bytes text, std::size_t i) {
    if (i == 0) return U'\0';
    do --i;
    while (continues(text[i]));
    return character_at(text, i);
}

// The end of the run of characters that are not white space, from i on.
inline std::size_t skip_ink(Bytes text, std::size_t i) {
    while (i < text.size()) {
        if (is_ascii(text[i])) {
            if (!ascii_class::ink(static_cast<unsigned char>(text[i]))) break;
            ++i;
        } else {
            if (is(character_at(text, i), property::space)) break;
            i += character_size(text[i]);
        }
    }
    return i;
}

}  // namespace tercet

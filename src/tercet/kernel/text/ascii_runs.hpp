// The runs of bytes that belong to a class of ASCII characters, found 64 bytes at a time.
#pragma once
#include <bit>
#include <cstdint>

#include "base/utf8.hpp"

namespace tercet {

static_assert(std::endian::native == std::endian::little, "the kernel reads eight bytes as one little-endian number");

// Function objects, not functions, so that they are inlined when they are passed as arguments.
namespace ascii_class {
// Also true for every byte that is not ASCII: the caller must check those characters.
inline constexpr auto word = [](unsigned char c) {
    return static_cast<unsigned char>((c | 0x20) - 'a') < 26 || static_cast<unsigned char>(c - '0') < 10 || c == '_' || c >= 0x80;
};
inline constexpr auto ink = [](unsigned char c) {
    return !(c == ' ' || static_cast<unsigned char>(c - 9) < 5 || static_cast<unsigned char>(c - 0x1C) < 4);
};
// All characters except white space and the punctuation of b4msa: ; : , . @ \ - " ' / ( ) [ ] ? ! { } ~ < > |
inline constexpr auto tweet_word = [](unsigned char c) {
    const auto within = [c](unsigned char low, unsigned char high) { return static_cast<unsigned char>(c - low) <= high - low; };
    return word(c) || within('#', '&') || within('*', '+') || c == '=' || within('^', '`') || (c < ' ' && ink(c)) || c == 0x7F;
};
}  // namespace ascii_class

// A number whose bit i is flag i of 64. Each flag is 0 or 1.
inline std::uint64_t pack_flags(const std::uint8_t* flags) {
    std::uint64_t mask = 0;
    for (int i = 0; i < 64; i += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, flags + i, 8);
        mask |= (eight * 0x0102040810204080 >> 56) << i;  // the product collects the lowest bits of eight bytes in the top byte
    }
    return mask;
}

// The punctuation of b4msa that is not ASCII.
inline bool is_tweet_mark(char32_t c) {
    return c == U'…' || c == U'“' || c == U'”' || c == U'’' || c == U'・' || c == U'¿' || c == U'¡';
}

// A number whose bit i says whether byte i of 64 is in the class.
template <class InClass>
std::uint64_t class_mask(const char* bytes, InClass in_class) {
    std::uint8_t flags[64];
    for (int i = 0; i < 64; ++i) flags[i] = in_class(static_cast<unsigned char>(bytes[i]));
    return pack_flags(flags);
}

// Call use(begin, end) for each run of bytes in the class.
template <class InClass, class Use>
void each_run(Bytes text, InClass in_class, Use use) {
    std::uint64_t before = 0;
    std::size_t begin = 0;
    bool inside = false;
    for (std::size_t base = 0; base < text.size(); base += 64) {
        const char* block = text.data() + base;
        char rest[64];
        const std::size_t left = text.size() - base;
        if (left < 64) {
            std::memset(rest, ' ', 64);
            block = static_cast<const char*>(std::memcpy(rest, block, left));
        }
        const std::uint64_t mask = class_mask(block, in_class);
        std::uint64_t edges = mask ^ (mask << 1 | before);
        before = mask >> 63;
        for (; edges; edges &= edges - 1) {
            const std::size_t edge = base + std::countr_zero(edges);
            if (inside) use(begin, edge);
            begin = edge;
            inside = !inside;
        }
    }
    if (inside) use(begin, text.size());
}

}  // namespace tercet

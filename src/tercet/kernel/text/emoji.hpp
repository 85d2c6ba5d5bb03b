// Emoji. What people see as one picture is one emoji, however many characters it has. The grammar is in groups.py.
#pragma once
#include "text/search.hpp"

namespace tercet {

class EmojiFinder {
  public:
    static Match find(Bytes text, std::size_t from) {
        for (std::size_t i = from; (i += ascii_prefix(text.substr(i))) < text.size(); i += character_size(text[i])) {
            // A keycap starts with an ASCII character, so it is found by the selector or the frame after that.
            const char32_t c = character_at(text, i);
            const bool cap = (c == selector || c == keycap) && i > from && is_key(static_cast<unsigned char>(text[i - 1]));
            const std::size_t begin = cap ? i - 1 : i;
            if (!cap && !may_begin(c)) continue;
            if (const std::size_t end = end_at(text, begin)) return {begin, end};
        }
        return {};
    }

    // The end of the emoji that begins at i, with all emoji that joiners connect to it; 0 if there is none.
    static std::size_t end_at(Bytes text, std::size_t i) {
        std::size_t end = element(text, i);
        while (end && character_at(text, end) == joiner) {
            const std::size_t more = element(text, end + 3);
            if (!more) break;
            end = more;
        }
        return end;
    }

  private:
    struct Range {
        char32_t first, last;
    };
    static constexpr char32_t selector = 0xFE0F, text_selector = 0xFE0E, keycap = 0x20E3, joiner = 0x200D;
    // Characters that are pictures by default.
    static constexpr Range pictures[] = {
        {0x231A, 0x231B},   {0x23E9, 0x23F3},   {0x23F8, 0x23FA},   {0x25FD, 0x25FE},   {0x2600, 0x26FF},   {0x2701, 0x275A},
        {0x2761, 0x2767},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},
        {0x2B55, 0x2B55},   {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F170, 0x1F171}, {0x1F17E, 0x1F17F}, {0x1F18E, 0x1F18E},
        {0x1F191, 0x1F19A}, {0x1F201, 0x1F202}, {0x1F21A, 0x1F21A}, {0x1F22F, 0x1F22F}, {0x1F232, 0x1F23A}, {0x1F250, 0x1F251},
        {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7F0}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    };
    // Text by default; variation selector 16 makes them pictures: © ‼ ™ ℹ, arrows, technical signs, Ⓜ, shapes, 〰 〽 ㊗ ㊙.
    static constexpr Range signs[] = {
        {0xA9, 0xA9},     {0xAE, 0xAE},     {0x203C, 0x203C}, {0x2049, 0x2049}, {0x2122, 0x2122}, {0x2139, 0x2139},
        {0x2190, 0x21FF}, {0x2300, 0x23FF}, {0x24C2, 0x24C2}, {0x25A0, 0x25FF}, {0x2700, 0x27BF}, {0x2900, 0x297F},
        {0x2B00, 0x2BFF}, {0x3030, 0x3030}, {0x303D, 0x303D}, {0x3297, 0x3297}, {0x3299, 0x3299},
    };

    static bool is_key(char32_t c) { return c - U'0' < 10 || c == U'#' || c == U'*'; }
    static bool is_flag_letter(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }
    static bool is_tone(char32_t c) { return c >= 0x1F3FB && c <= 0x1F3FF; }
    static bool is_tag(char32_t c) { return c >= 0xE0020 && c <= 0xE007F; }
    static bool may_begin(char32_t c) { return c == 0xA9 || c == 0xAE || (c >= 0x203C && c <= 0x3299) || (c >= 0x1F004 && c <= 0x1FAFF); }
    template <std::size_t n>
    static bool is_in(const Range (&ranges)[n], char32_t c) {
        return std::any_of(ranges, ranges + n, [&](const Range& r) { return r.first <= c && c <= r.last; });
    }

    static std::size_t element(Bytes text, std::size_t i) {
        const char32_t c = character_at(text, i);
        if (i >= text.size()) return 0;
        i += character_size(text[i]);
        const char32_t next = character_at(text, i);
        if (is_key(c)) {
            if (next == selector) i += 3;
            return character_at(text, i) == keycap ? i + 3 : 0;
        }
        if (is_flag_letter(c)) return is_flag_letter(next) ? i + 4 : 0;
        if (!(is_in(pictures, c) && next != text_selector) && !(is_in(signs, c) && next == selector)) return 0;
        if (next == selector) i += 3;
        if (is_tone(character_at(text, i))) i += 4;
        while (is_tag(character_at(text, i))) i += 4;
        return i;
    }
};

}  // namespace tercet

// Removal of single characters: repetitions that only lengthen a word, and punctuation.
#pragma once
#include <array>

#include "text/digits.hpp"
#include "text/search.hpp"
#include "text/text.hpp"

namespace tercet {

// Copy the text with at most `most` copies of a character in a row. Blanks and digits are not shortened. If nothing changes, nothing is
// copied, and the result is false. The source of the last copy that is kept includes the removed copies.
inline bool shorten_repeats(const Text& text, Text& out, int most) {
    const Bytes bytes = text.bytes;
    std::size_t done = 0;
    int n = 1;
    for (std::size_t i = 0, size; i < bytes.size(); i += size) {
        size = character_size(bytes[i]);
        const bool repeated = size == 1 ? i > 0 && bytes[i - 1] == bytes[i] : i >= size && bytes.substr(i - size, size) == bytes.substr(i, size);
        if (!repeated) {
            n = 1;
            continue;
        }
        if (n < most) {
            ++n;
            continue;
        }
        const char32_t c = character_at(bytes, i);
        if (is(c, property::space) || is_digit(c)) continue;
        out.append_copy(text, done, i);
        done = i + size;
        if (!text.tracked) continue;
        for (std::size_t k = 1; k <= size; ++k) out.sources[out.sources.size() - k].end = text.sources[i].end;
    }
    if (done == 0) return false;
    out.append_copy(text, done, bytes.size());
    return true;
}

// A run of punctuation marks without meaning in short messages. The marks # & * % _ + = $ have a meaning and are not included.
inline Match find_punctuation(Bytes text, std::size_t from) {
    static constexpr auto dropped = [] {
        std::array<bool, 128> result{};
        for (unsigned char c = 0; c < 128; ++c) result[c] = ascii_class::ink(c) && !ascii_class::tweet_word(c);
        return result;
    }();
    const auto drops = [&](std::size_t i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        return byte < 0x80 ? dropped[byte] : is_tweet_mark(character_at(text, i));
    };
    std::size_t begin = from;
    while (begin < text.size() && !drops(begin)) begin += character_size(text[begin]);
    if (begin >= text.size()) return {};
    std::size_t end = begin;
    while (end < text.size() && drops(end)) end += character_size(text[end]);
    return {begin, end};
}

}  // namespace tercet

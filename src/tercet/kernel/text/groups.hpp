// Strings that are written in many ways and mean the same kind of thing: hashtags, numbers, URLs, users. All strings of one kind are
// replaced by one placeholder, or deleted. Each function finds the same as the regular expression in its comment.
#pragma once
#include "text/digits.hpp"
#include "text/recipe.hpp"
#include "text/search.hpp"
#include "text/text.hpp"

namespace tercet {

// Copy the text with a placeholder for each match. If there is no match, nothing is copied, and the result is false.
template <class Find>
bool replace_matches(const Text& text, Text& out, Bytes placeholder, Find find) {
    Match match = find(text.bytes, 0);
    if (!match) return false;
    std::size_t done = 0;
    for (; match; match = find(text.bytes, done)) {
        out.append_copy(text, done, match.begin);
        out.append(placeholder, text.source(match.begin, match.end));
        done = match.end;
    }
    out.append_copy(text, done, text.bytes.size());
    return true;
}

// A sign and all characters after it, up to white space.
inline Match find_signed(Bytes text, std::size_t from, char sign) {
    for (std::size_t i = text.find(sign, from); i != nowhere; i = text.find(sign, i + 1)) {
        const std::size_t end = skip_ink(text, i + 1);
        if (end > i + 1) return {i, end};
    }
    return {};
}

inline Match find_hashtag(Bytes text, std::size_t from) { return find_signed(text, from, '#'); }  // #\S+
inline Match find_user(Bytes text, std::size_t from) { return find_signed(text, from, '@'); }     // @\S+

// Whether `word`, which is in lower case, ends at i. The case of the text is ignored.
inline bool ends_with_word(Bytes text, std::size_t from, std::size_t i, Bytes word) {
    if (i - from < word.size()) return false;
    for (std::size_t k = 0; k < word.size(); ++k)
        if ((text[i - word.size() + k] | 0x20) != word[k]) return false;
    return true;
}

// https?://\S+ in any case
inline Match find_url(Bytes text, std::size_t from) {
    for (std::size_t i = text.find(':', from); i != nowhere; i = text.find(':', i + 1)) {
        if (text.substr(i, 3) != "://") continue;
        const std::size_t length = ends_with_word(text, from, i, "http") ? 4 : ends_with_word(text, from, i, "https") ? 5 : 0;
        const std::size_t end = length ? skip_ink(text, i + 3) : 0;
        if (end > i + 3) return {i - length, end};
    }
    return {};
}

// \d\d*\.?\d*|\d*\.\d\d*
inline Match find_number(Bytes text, std::size_t from) {
    const auto may_be_digit = [](unsigned char c) { return static_cast<unsigned char>(c - '0') < 10 || c >= 0x80; };
    for (std::size_t i = from; (i = find_byte(text, i, may_be_digit)) < text.size(); i += character_size(text[i])) {
        std::size_t end = skip_digits(text, i);
        if (end == i) continue;
        if (i > from && text[i - 1] == '.') return {i - 1, end};
        if (byte_at(text, end) == '.') end = skip_digits(text, end + 1);
        return {i, end};
    }
    return {};
}

}  // namespace tercet

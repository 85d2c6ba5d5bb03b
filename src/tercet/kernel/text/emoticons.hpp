// Emoticons such as :-). The grammar is the regular expression in groups.py. Its parts have the same names here, and are tried in the
// same order.
#pragma once
#include <array>

#include "text/search.hpp"

namespace tercet {

// The pairs of bytes that can begin an emoticon. They are rare in plain text, so few places need to be checked further.
struct EmoticonBeginnings {
    std::array<bool, 128 * 128> has{};
    constexpr void add(Bytes firsts, Bytes seconds) {
        for (char first : firsts)
            for (char second : seconds) has[pair(first, second)] = true;
    }
    static constexpr std::size_t pair(char first, char second) { return (first & 127) * 128 + (second & 127); }
};

class EmoticonFinder {
  public:
    static Match find(Bytes text, std::size_t from) {
        const EmoticonFinder finder(text);
        for (std::size_t i = from; i + 1 < text.size(); ++i) {
            if (!beginnings.has[beginnings.pair(text[i], text[i + 1])]) continue;
            if (is(character_before(text, i), property::word)) continue;
            if (const std::size_t end = finder.match(i)) return {i, end};
        }
        return {};
    }

  private:
    explicit EmoticonFinder(Bytes text) : text_(text) {}

    static constexpr EmoticonBeginnings beginnings = [] {
        EmoticonBeginnings result;
        result.add(">}", ":;=");
        result.add(":;=", "-o*'^)(Dd][Pp/\\|Oo3}{@><");
        result.add("8", "-^D");
        result.add("xX", "-Dd");
        result.add("([{)]}D", "-o*'^:;=");
        result.add("<", "/3");
        result.add("^", "^-");
        result.add("^-oO>T", ".");
        result.add("^-oO>TxXuUnQ*=@;+$~.", "_");
        result.add("\\", "oO");
        return result;
    }();

    char at(std::size_t i) const { return byte_at(text_, i); }
    bool is_nose(std::size_t i) const { return is_among(at(i), "-o*'^"); }
    bool is_wide_eye(std::size_t i) const { return is_among(at(i), "oO"); }
    // `end` if no letter or digit comes there, else 0.
    std::size_t finish(std::size_t end) const { return end && !is(character_at(text_, end), property::word) ? end : 0; }
    std::size_t skip(std::size_t i, char c) const {
        while (i < text_.size() && text_[i] == c) ++i;
        return i;
    }

    std::size_t match(std::size_t i) const {
        std::size_t end = western(i);
        if (!end) end = eight(i);
        if (!end) end = cross(i);
        if (!end) end = mirrored(i);
        if (!end) end = heart(i);
        if (!end) end = eastern(i);
        return end;
    }

    // The end of a mouth, or 0. Some mouths may be repeated, as in :))) and :DDD; the others occur once.
    std::size_t mouth(std::size_t i, Bytes long_ones, Bytes short_ones) const {
        if (is_among(at(i), long_ones)) return finish(skip(i, at(i)));
        return is_among(at(i), short_ones) ? finish(i + 1) : 0;
    }

    std::size_t western(std::size_t i) const {
        if (is_among(at(i), ">}")) ++i;
        if (!is_among(at(i), ":;=")) return 0;
        const Bytes short_ones = at(i) == '=' ? "][Pp/\\|Oo3" : "][Pp/\\|Oo3}{@*><";
        ++i;
        const std::size_t end = is_nose(i) ? mouth(i + 1, ")(Dd", short_ones) : 0;
        return end ? end : mouth(i, ")(Dd", short_ones);
    }

    std::size_t eight(std::size_t i) const {
        if (at(i) != '8') return 0;
        return is_among(at(i + 1), "-^") ? mouth(i + 2, ")D", "Pp") : mouth(i + 1, "D", "");
    }

    std::size_t cross(std::size_t i) const {
        if (!is_among(at(i), "xX")) return 0;
        return at(i + 1) == '-' ? mouth(i + 2, ")(D", "Pp") : mouth(i + 1, "Dd", "");
    }

    std::size_t mirrored(std::size_t i) const {
        const bool glad = is_among(at(i), "([{");
        if (!glad && !is_among(at(i), ")]}D")) return 0;
        i += is_nose(i + 1) ? 2 : 1;
        return is_among(at(i), glad ? ":;=" : ":=") ? finish(i + 1) : 0;
    }

    std::size_t heart(std::size_t i) const {
        if (at(i) != '<') return 0;
        i += at(i + 1) == '/' ? 2 : 1;
        return at(i) == '3' ? finish(skip(i, '3')) : 0;
    }

    std::size_t eastern(std::size_t i) const {
        const char left = at(i);
        if (left == '\\') return is_wide_eye(i + 1) && at(i + 2) == '/' ? finish(i + 3) : 0;
        if (left == '^' && at(i + 1) == '^') return finish(i + 2);
        std::size_t right = skip(i + 1, '_');
        if (right == i + 1) {  // a short mouth
            if (at(right) != '.' && !(left == '^' && at(right) == '-')) return 0;
            if (!is_among(left, "^-oO>T")) return 0;
            ++right;
        }
        if (!is_among(left, "^-oO>TxXuUnQ*=@;+$~.")) return 0;
        const bool fits = is_among(left, "oO") ? is_wide_eye(right) : at(right) == (left == '>' ? '<' : left);
        return fits ? finish(right + 1) : 0;
    }

    Bytes text_;
};

}  // namespace tercet

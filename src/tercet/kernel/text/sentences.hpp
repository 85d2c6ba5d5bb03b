// Text → sentences: where each begins and ends. sentences.py has the rules in words.
#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "text/abbreviations.hpp"
#include "text/unicode.hpp"

namespace tercet {

namespace sentence_marks {
inline bool stops(char32_t c) { return c == U'.' || c == U'…' || c == U'．'; }
inline bool cries(char32_t c) {
    return c == U'!' || c == U'?' || c == U'‼' || c == U'⁇' || c == U'⁈' || c == U'⁉' || c == U'‽' || c == U'\u037E';
}
inline bool any_of(char32_t c, std::u32string_view set) { return set.find(c) != set.npos; }
inline bool sure(char32_t c) { return c >= 0x80 && any_of(c, U"。！？｡︒︕︖؟۔։।॥။។៕።፧፨᠃᠉"); }
inline bool ends(char32_t c) { return stops(c) || cries(c) || sure(c); }
inline bool closes(char32_t c) {
    if (c < 0x80) return c == U'"' || c == U'\'' || c == U')' || c == U']' || c == U'}' || c == U'>';
    return any_of(c, U"’”»›」』）］｝】〉》〕｣﹂﹄＂＇");
}
inline bool closes_or_opens(char32_t c) { return c == U'“' || c == U'‘' || c == U'«' || c == U'‹'; }
inline bool opens(char32_t c) {
    if (c < 0x80) return Bytes("\"'`([{<*_-").find(static_cast<char>(c)) != Bytes::npos;
    return any_of(c, U"“‘«‹„‚»›¿¡–—「『（［｛【〈《〔｢");
}
// Whether the character that starts with this byte may end a sentence or a line.
constexpr bool may_end(unsigned char lead) {
    if (lead < 0x80) return lead == '.' || lead == '!' || lead == '?' || lead == '\n' || lead == '\r';
    return lead == 0xCD || lead == 0xD6 || lead == 0xD8 || lead == 0xDB || (lead >= 0xE0 && lead <= 0xE3) || lead == 0xEF;
}
inline constexpr auto may_end_table = [] {
    std::array<bool, 256> table{};
    for (int lead = 0; lead < 256; ++lead) table[lead] = may_end(static_cast<unsigned char>(lead));
    return table;
}();
}  // namespace sentence_marks

template <class Use>
class SentenceSplitter {
  public:
    SentenceSplitter(Bytes text, Use& use) : text_(text.substr(0, back_over_white(text, 0, text.size()))), use_(use) {}

    void run() {
        std::size_t i = begin_ = over_white(0).end;
        while (i < text_.size()) {
            if (!sentence_marks::may_end_table[static_cast<unsigned char>(text_[i])]) {
                ++i;
                continue;
            }
            const char32_t c = at(i);
            if (sentence_marks::ends(c)) {
                const Cluster cluster = read_cluster(i);
                const White white = over_white(cluster.end);
                if (white.end < text_.size() && (white.blank_line || ends_sentence(cluster, white.end))) finish(cluster.end, white.end);
                i = white.end;
            } else if (c == U'\n' || c == U'\r' || c == U'\u2029') {
                const White white = over_white(i);
                if (white.blank_line) finish(back_over_white(text_, begin_, i), white.end);
                i = white.end;
            } else {
                i += character_size(text_[i]);
            }
        }
        if (begin_ < text_.size()) use_(begin_, text_.size());
    }

  private:
    struct White {
        std::size_t end;
        bool blank_line;
    };
    struct Cluster {  // end marks, with the closing quotes and brackets after them
        std::size_t begin, end;
        bool sure = false, cries = false;
        char32_t last = 0;
    };
    static constexpr auto in_word = static_cast<std::uint16_t>(property::word | property::mark);

    char32_t at(std::size_t i) const {
        const char* p = text_.data() + i;
        return read_character(p);
    }
    static std::size_t step_back(Bytes text, std::size_t i) {
        do --i;
        while (i > 0 && continues(text[i]));
        return i;
    }
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }

    void finish(std::size_t end, std::size_t next) {
        use_(begin_, end);
        begin_ = next;
    }

    White over_white(std::size_t i) const {
        int feeds = 0, returns = 0;
        bool paragraph = false;
        for (; i < text_.size(); i += character_size(text_[i])) {
            const char32_t c = at(i);
            if (!is(c, property::space)) break;
            feeds += c == U'\n';
            returns += c == U'\r';
            feeds = std::min(feeds, 2), returns = std::min(returns, 2);
            paragraph = paragraph || c == U'\u2029';
        }
        return {i, feeds > 1 || returns > 1 || paragraph};
    }

    static std::size_t back_over_white(Bytes text, std::size_t begin, std::size_t i) {
        while (i > begin) {
            const std::size_t before = step_back(text, i);
            const char* p = text.data() + before;
            if (!is(read_character(p), property::space)) break;
            i = before;
        }
        return i;
    }

    Cluster read_cluster(std::size_t i) const {
        using namespace sentence_marks;
        Cluster cluster{i, i};
        for (; cluster.end < text_.size(); cluster.end += character_size(text_[cluster.end])) {
            const char32_t c = at(cluster.end);
            cluster.sure = cluster.sure || sure(c);
            if (!ends(c) && !closes(c) && !is(c, property::mark) && !(closes_or_opens(c) && !cluster.sure)) break;
            cluster.cries = cluster.cries || cries(c);
            cluster.last = c;
        }
        return cluster;
    }

    bool ends_sentence(const Cluster& cluster, std::size_t after) {
        const char32_t next = at(after);
        if (sentence_marks::ends(next)) return false;
        if (cluster.sure) return true;
        if (after == cluster.end || next == U',' || next == U';' || next == U':') return false;
        const std::size_t first = over_openers(after);
        const bool lower = first < text_.size() && is_lower(at(first));
        if (cluster.cries) return !(lower && !sentence_marks::ends(cluster.last));
        if (lower) return false;
        const bool one_stop = cluster.end - cluster.begin == 1 && text_[cluster.begin] == '.';
        return !(one_stop && is_abbreviated(cluster.begin, after));
    }

    std::size_t over_openers(std::size_t i) const {
        while (i < text_.size() && sentence_marks::opens(at(i))) i += character_size(text_[i]);
        return i;
    }

    static bool is_lower(char32_t c) {
        if (c < 0x80) return c - U'a' < 26;
        const bool georgian = c >= U'ა' && c <= U'ჿ';
        const CharacterRecord& record = UnicodeDatabase::get().record(c);
        return record.properties & property::cased && record.lower == 0 && c != U'İ' && !georgian;
    }

    bool is_abbreviated(std::size_t dot, std::size_t after) {
        const auto& known = Abbreviations::get();
        const Bytes word = word_before(dot);
        if (word.empty()) return false;
        lower_each(word, key_);
        const Abbreviation kind = known.find(key_);
        if (kind == Abbreviation::never_last || (word != key_ && known.find(word) == Abbreviation::never_last)) return true;
        if (kind == Abbreviation::numbered && is_digit(text_[after])) return true;
        if (std::all_of(word.begin(), word.end(), is_digit)) {
            const bool is_item = word.size() <= 3 && dot - word.size() == begin_;
            return is_item || (word.size() <= 2 && known.follows_ordinal(word_after(after)));
        }
        if (kind == Abbreviation::maybe_last || is_initials(word)) return !known.starts_sentence(word_after(after));
        return false;
    }

    Bytes word_before(std::size_t end) const {
        std::size_t i = end;
        for (std::size_t n = 1; i > begin_; ++n) {
            const std::size_t before = step_back(text_, i);
            const char32_t c = at(before);
            if (c != U'.' && !is(c, in_word)) break;
            if (n > Abbreviations::longest) return {};
            i = before;
        }
        return text_.substr(i, end - i);
    }

    const std::string& word_after(std::size_t i) {
        const std::size_t begin = i = over_openers(i);
        key_.clear();
        for (std::size_t n = 1; i < text_.size() && is(at(i), in_word); ++n) {
            if (n > Abbreviations::longest) return key_;
            i += character_size(text_[i]);
        }
        if (i < text_.size() && text_[i] == '.') return key_;
        lower_each(text_.substr(begin, i - begin), key_);
        return key_;
    }

    static bool is_initials(Bytes word) {
        if (word.find('.') == word.npos) {
            const char* p = word.data();
            const char32_t c = read_character(p);
            return p == word.data() + word.size() && (UnicodeDatabase::get().record(c).lower != 0 || c == U'İ');
        }
        std::size_t length = 0;
        for (char byte : word) {
            if (is_digit(byte)) return false;
            if (byte == '.' && length == 0) return false;
            if (byte == '.') length = 0;
            else length += !continues(byte);
            if (length > 2) return false;
        }
        return length > 0;
    }

    static void lower_each(Bytes word, std::string& out) {
        out.clear();
        for (const char* p = word.data(); p < word.data() + word.size();) {
            const char32_t c = read_character(p);
            append_character(out, c + UnicodeDatabase::get().record(c).lower);
        }
    }

    Bytes text_;
    Use& use_;
    std::size_t begin_ = 0;
    std::string key_;
};

// Call use(begin, end) for each sentence, in order.
template <class Use>
void each_sentence(Bytes text, Use use) {
    SentenceSplitter<Use>(text, use).run();
}

// The spans of the sentences, in characters.
inline std::vector<std::pair<std::size_t, std::size_t>> split_sentences(Bytes text) {
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    std::size_t n_bytes = 0, n_characters = 0;
    const auto characters_before = [&](std::size_t i) {
        n_characters += count_characters(text.substr(n_bytes, i - n_bytes));
        n_bytes = i;
        return n_characters;
    };
    each_sentence(text, [&](std::size_t begin, std::size_t end) {
        const std::size_t first = characters_before(begin);
        spans.emplace_back(first, characters_before(end));
    });
    return spans;
}

}  // namespace tercet

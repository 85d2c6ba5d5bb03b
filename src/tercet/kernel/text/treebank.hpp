// Text → the same text with a blank between any two Penn Treebank tokens. treebank.py has the rules in words.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "text/digits.hpp"
#include "text/ascii_runs.hpp"
#include "text/sentences.hpp"
#include "text/text.hpp"

namespace tercet {

// The places that the rules need: punctuation, and double letters of words that are split in two (can-not, gon-na).
class TreebankPlaces {
  public:
    void find(Bytes text) {
        marks_.clear();
        doubles_.clear();
        for (std::size_t base = 0; base < text.size(); base += 64) {
            const char* block = text.data() + base;
            char rest[65] = {};
            if (text.size() - base < 65) block = static_cast<const char*>(std::memcpy(rest, block, text.size() - base));
            marks_.push_back(class_mask(block, [](unsigned char c) { return is_punctuation(c); }));
            std::uint8_t flags[64];
            for (int i = 0; i < 64; ++i) flags[i] = is_double(block[i], block[i + 1]);
            doubles_.push_back(pack_flags(flags));
        }
    }

    std::size_t next_mark(std::size_t i, std::size_t end) const { return next(marks_, i, end); }
    std::size_t next_double(std::size_t i, std::size_t end) const { return next(doubles_, i, end); }

  private:
    static bool is_punctuation(unsigned char c) {
        return (static_cast<unsigned char>(c - '!') < 94) & (static_cast<unsigned char>((c | 0x20) - 'a') >= 26) &
               (static_cast<unsigned char>(c - '0') >= 10);
    }
    static bool is_double(char first, char second) {
        const char a = static_cast<char>(first | 0x20);
        return (a == static_cast<char>(second | 0x20)) & ((a == 'n') | (a == 'm') | (a == 't'));
    }

    // The first set bit in [i, end), or end.
    static std::size_t next(const std::vector<std::uint64_t>& bits, std::size_t i, std::size_t end) {
        for (; i < end; i = (i | 63) + 1)
            if (const std::uint64_t rest = bits[i / 64] >> i % 64) return std::min(i + std::countr_zero(rest), end);
        return end;
    }

    std::vector<std::uint64_t> marks_, doubles_;
};

class TreebankSpacing {
  public:
    // Copy a text, with a blank between any two tokens.
    void write(const Text& from, Text& to) {
        text_ = from.bytes;
        places_.find(text_);
        gaps_.assign(text_.size() + 8, 0);  // eight more: they are read eight at a time
        each_sentence(text_, [&](std::size_t begin, std::size_t end) {
            begin_ = begin;
            end_ = end;
            mark_gaps();
        });
        copy_spaced(from, to);
    }

  private:
    // Bits of a place in the text: an early or late gap before it, or a quote that becomes `` or ''.
    enum Gap : std::uint8_t { early = 1, late = 2, opening = 4, closing = 8 };
    struct Word {
        std::size_t begin, end;
    };
    static constexpr Bytes two_words[] = {"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"};

    bool has(std::size_t i, Bytes part) const { return i + part.size() <= end_ && text_.substr(i, part.size()) == part; }

    void mark_gaps() {
        apostrophes_.clear();
        mark_punctuation();
        mark_final_stop();
        gaps_[begin_] |= late;
        gaps_[end_] |= late;
        mark_apostrophes();
        mark_two_words();
        mark_archaisms();
    }

    std::size_t isolate(std::size_t begin, std::size_t end, Gap level) {
        gaps_[begin] |= level;
        gaps_[end] |= level;
        return end;
    }

    void mark_punctuation() {
        std::size_t ticks_end = begin_;  // not used for a quote at the start
        for (std::size_t i = begin_; (i = places_.next_mark(i, end_)) < end_;) {
            switch (text_[i]) {
                case ';': case '@': case '#': case '$': case '%': case '&': case '?': case '!': i = isolate(i, i + 1, early); break;
                case '[': case ']': case '(': case ')': case '{': case '}': case '<': case '>': i = isolate(i, i + 1, late); break;
                case '"': case '\'': i = mark_quote(i, ticks_end); break;
                case ',': case ':': i = mark_comma(i); break;
                case '`': i = has(i, "``") ? ticks_end = isolate(i, i + 2, early) : i + 1; break;
                case '.': i = has(i, "...") ? isolate(i, i + 3, early) : i + 1; break;
                case '-': i = has(i, "--") ? isolate(i, i + 2, late) : i + 1; break;
                default: ++i;
            }
        }
    }

    std::size_t mark_quote(std::size_t i, std::size_t ticks_end) {
        const bool single = text_[i] == '\'';
        if (single && !has(i, "''")) {
            apostrophes_.push_back(i);
            return i + 1;
        }
        const bool opens = i == begin_ ? !single : Bytes(" ([{<").find(text_[i - 1]) != Bytes::npos || ticks_end == i ||
                                                       (i == begin_ + 1 && text_[begin_] == '"');
        gaps_[i] |= opens ? opening : closing;
        return isolate(i, i + 1 + single, opens ? early : late);
    }

    std::size_t mark_comma(std::size_t i) {
        if (i + 1 == end_) return isolate(i, i + 1, early);
        const char* next = text_.data() + i + 1;
        const bool pair = *next == ',' || *next == ':';
        if (is_digit(read_character(next))) return i + 1;
        isolate(i, i + 1, early);
        if (!pair) return i + 1;
        return i + 2 < end_ ? i + 2 : isolate(i + 1, i + 2, early);
    }

    void mark_final_stop() {
        std::size_t i = end_ - 1;
        while (i > begin_ && Bytes("])}>\"'").find(text_[i]) != Bytes::npos) --i;
        if (i > begin_ && text_[i] == '.' && text_[i - 1] != '.') gaps_[i] |= early;
    }

    bool is_blank(std::size_t i, std::uint8_t level = early | late) const { return (i < end_ && text_[i] == ' ') || gaps_[i] & level; }

    // In three rounds: a gap from one round is visible only in the next rounds.
    void mark_apostrophes() {
        for (std::size_t i : apostrophes_)
            if (is_blank(i + 1, early)) gaps_[i] |= late;
        for (std::size_t i : apostrophes_)
            if (is_blank(i + 1) || (is_clitic(text_[i + 1]) && is_blank(i + 2))) gaps_[i] |= late;
        for (std::size_t i : apostrophes_) {
            if (has_long_clitic(i + 1) && is_blank(i + 3)) gaps_[i] |= late;
            else if (i > begin_ + 1 && has_not(i - 1) && text_[i - 2] != '\'' && is_blank(i + 2)) gaps_[i - 1] |= late;
        }
    }
    static bool is_clitic(char c) { return c == 's' || c == 'S' || c == 'm' || c == 'M' || c == 'd' || c == 'D'; }
    bool has_long_clitic(std::size_t i) const {
        return has(i, "ll") || has(i, "re") || has(i, "ve") || has(i, "LL") || has(i, "RE") || has(i, "VE");
    }
    bool has_not(std::size_t i) const { return has(i, "n't") || has(i, "N'T"); }

    void mark_two_words() {
        for (std::size_t i = begin_; (i = places_.next_double(i, end_)) < end_; ++i) {
            if (i < begin_ + 2) continue;
            const std::size_t begin = i - 2 - (continues(text_[i - 1]) && i > begin_ + 2);  // gımme
            if (continues(text_[begin])) continue;
            for (const Bytes word : two_words) {
                const std::size_t end = match(begin, word);
                if (end && !is_word_before(begin) && (word != "wanna" || is_white(end))) split(begin, i + 1, end);
            }
        }
    }

    void mark_archaisms() {
        tis_.clear();
        twas_.clear();
        for (std::size_t i : apostrophes_) {
            mark_joined(i, "d", "ye");
            mark_joined(i, "more", "n");
            if (const std::size_t end = match(i + 1, "tis")) tis_.push_back({i, end});
            if (const std::size_t end = match(i + 1, "twas")) twas_.push_back({i, end});
        }
        // From last to first: the gap after one 'tis must not be visible when the following one is checked.
        for (const auto* words : {&tis_, &twas_})
            for (auto word = words->rbegin(); word != words->rend(); ++word)
                if (gaps_[word->begin] || text_[word->begin - 1] == ' ') split(word->begin, word->begin + 2, word->end);
    }

    void mark_joined(std::size_t apostrophe, Bytes before, Bytes after) {
        if (apostrophe < begin_ + before.size()) return;
        const std::size_t begin = apostrophe - before.size(), end = match(apostrophe + 1, after);
        if (end && folds_to(begin, before) == apostrophe && !is_word_before(begin)) split(begin, apostrophe, end);
    }

    void split(std::size_t first, std::size_t second, std::size_t third) {
        for (std::size_t i : {first, second, third}) gaps_[i] |= late;
    }

    // The end of this word if it begins at i and no letter follows it, else 0.
    std::size_t match(std::size_t i, Bytes word) const {
        const std::size_t end = folds_to(i, word);
        return end && (gaps_[end] || !has_property(end, property::word)) ? end : 0;
    }

    // The same, whatever follows. Case is ignored as in Python's `re`, which treats ı as i and ſ as s.
    std::size_t folds_to(std::size_t i, Bytes word) const {
        for (char letter : word) {
            if (i >= end_) return 0;
            const char* p = text_.data() + i;
            char32_t c = read_character(p);
            if (c == U'ı' || c == U'İ') c = U'i';
            if (c == U'ſ') c = U's';
            if ((c - U'A' < 26 ? c + 32 : c) != static_cast<char32_t>(letter)) return 0;
            i = p - text_.data();
        }
        return i;
    }

    bool is_word_before(std::size_t i) const {
        if (i == begin_) return false;
        do --i;
        while (continues(text_[i]));
        return has_property(i, property::word);
    }
    bool is_white(std::size_t i) const { return gaps_[i] || has_property(i, property::space); }
    bool has_property(std::size_t i, std::uint16_t properties) const {
        const char* p = text_.data() + i;
        return is(read_character(p), properties);
    }

    void copy_spaced(const Text& from, Text& to) const {
        std::size_t done = 0;
        for (std::size_t i = next_gap(0); i < text_.size(); i = next_gap(i + 1)) {
            to.append_copy(from, done, i);
            done = i;
            // The source of the new blank is empty, so a mark after it keeps its own source.
            to.append(U' ', from.tracked ? Span{from.sources[i].start, from.sources[i].start} : Span{});
            if (!(gaps_[i] & (opening | closing))) continue;
            done = i + (text_[i] == '"' ? 1 : 2);
            const char32_t half = gaps_[i] & opening ? U'`' : U'\'';
            for (int n = 0; n < 2; ++n) to.append(half, from.source(i, done));
        }
        to.append_copy(from, done, text_.size());
    }

    std::size_t next_gap(std::size_t i) const {
        for (; i < text_.size(); i += 8)
            if (const std::uint64_t eight = load64(reinterpret_cast<const char*>(gaps_.data()) + i)) return i + std::countr_zero(eight) / 8;
        return i;
    }

    Bytes text_;
    TreebankPlaces places_;
    std::size_t begin_ = 0, end_ = 0;  // of the sentence
    std::vector<std::uint8_t> gaps_;
    std::vector<std::size_t> apostrophes_;
    std::vector<Word> tis_, twas_;  // including the apostrophe before them
};

}  // namespace tercet

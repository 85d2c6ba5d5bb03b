// Text → the same text with a blank between any two tokens of the Penn Treebank. reference/treebank.py has the rules in words.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "digits.hpp"
#include "normalize.hpp"
#include "runs.hpp"
#include "sentences.hpp"

namespace tercet {

// Writes the text anew: see Normalizer::run.
class TreebankSpacing {
  public:
    bool operator()(const Text& from, Text& to) {
        to.clear();
        each_sentence(from.bytes, [&](std::size_t begin, std::size_t end) {
            sentence_ = Bytes(from.bytes).substr(begin, end - begin);
            mark_gaps();
            to.append(U' ', empty_source(from, begin));
            write(from, begin, to);
        });
        return true;
    }

  private:
    // Bits of a place in the sentence: a gap before it, early or late; a quote that becomes `` or ''.
    enum Gap : std::uint8_t { early = 1, late = 2, opening = 4, closing = 8 };
    enum class Mark : std::uint8_t { none, early, late, quote, apostrophe, comma, tick, stop, dash };
    struct Word {
        std::size_t begin, end;
        std::uint64_t key;
    };

    static constexpr std::array<Mark, 256> marks = [] {
        std::array<Mark, 256> table{};
        for (unsigned char c : std::string_view(";@#$%&?!")) table[c] = Mark::early;
        for (unsigned char c : std::string_view("[](){}<>")) table[c] = Mark::late;
        table['"'] = Mark::quote;
        table['\''] = Mark::apostrophe;
        table[','] = table[':'] = Mark::comma;
        table['`'] = Mark::tick;
        table['.'] = Mark::stop;
        table['-'] = Mark::dash;
        return table;
    }();

    static constexpr std::uint64_t pack(Bytes word) {
        std::uint64_t key = 0;
        for (char c : word) key = key << 8 | static_cast<unsigned char>(c);
        return key;
    }

    static Mark mark_of(char c) { return marks[static_cast<unsigned char>(c)]; }
    std::size_t size() const { return sentence_.size(); }
    bool has(std::size_t i, Bytes part) const { return sentence_.substr(i, part.size()) == part; }

    void mark_gaps() {
        gaps_.assign(size() + 8, 0);  // read by eights
        apostrophes_.clear();
        mark_punctuation();
        mark_final_stop();
        gaps_[size()] |= late;
        mark_apostrophes();
        mark_contractions();
    }

    std::size_t isolate(std::size_t begin, std::size_t end, Gap level) {
        gaps_[begin] |= level;
        gaps_[end] |= level;
        return end;
    }

    void mark_punctuation() {
        std::size_t ticks_end = 0;  // no quote at the start asks for it
        for (std::size_t i = 0; i < size();) {
            switch (mark_of(sentence_[i])) {
                case Mark::none: ++i; break;
                case Mark::early: i = isolate(i, i + 1, early); break;
                case Mark::late: i = isolate(i, i + 1, late); break;
                case Mark::quote:
                case Mark::apostrophe: i = mark_quote(i, ticks_end); break;
                case Mark::comma: i = mark_comma(i); break;
                case Mark::tick: i = has(i, "``") ? ticks_end = isolate(i, i + 2, early) : i + 1; break;
                case Mark::stop: i = has(i, "...") ? isolate(i, i + 3, early) : i + 1; break;
                case Mark::dash: i = has(i, "--") ? isolate(i, i + 2, late) : i + 1; break;
            }
        }
    }

    std::size_t mark_quote(std::size_t i, std::size_t ticks_end) {
        const bool single = sentence_[i] == '\'';
        if (single && !has(i, "''")) {
            apostrophes_.push_back(i);
            return i + 1;
        }
        const auto opens_after = [](char c) { return c == ' ' || c == '(' || c == '[' || c == '{' || c == '<'; };
        const bool opens = i == 0 ? !single : opens_after(sentence_[i - 1]) || ticks_end == i || (i == 1 && sentence_[0] == '"');
        gaps_[i] |= opens ? opening : closing;
        return isolate(i, i + 1 + single, opens ? early : late);
    }

    std::size_t mark_comma(std::size_t i) {
        if (i + 1 == size()) return isolate(i, i + 1, early);
        const char* next = sentence_.data() + i + 1;
        const bool pair = mark_of(*next) == Mark::comma;
        if (is_digit(read_character(next))) return i + 1;
        isolate(i, i + 1, early);
        if (!pair) return i + 1;
        return i + 2 < size() ? i + 2 : isolate(i + 1, i + 2, early);
    }

    void mark_final_stop() {
        const std::size_t i = sentence_.find_last_not_of("])}>\"'");
        if (i != Bytes::npos && i > 0 && sentence_[i] == '.' && sentence_[i - 1] != '.') gaps_[i] |= early;
    }

    bool is_blank(std::size_t i, std::uint8_t level = early | late) const { return (i < size() && sentence_[i] == ' ') || gaps_[i] & level; }

    // In three rounds: what one puts in, only the next may see.
    void mark_apostrophes() {
        for (std::size_t i : apostrophes_)
            if (is_blank(i + 1, early)) gaps_[i] |= late;
        for (std::size_t i : apostrophes_)
            if (is_blank(i + 1) || (is_clitic(sentence_[i + 1]) && is_blank(i + 2))) gaps_[i] |= late;
        for (std::size_t i : apostrophes_) {
            if (is_long_clitic(sentence_.substr(i + 1, 2)) && is_blank(i + 3)) gaps_[i] |= late;
            else if (i > 1 && (has(i - 1, "n't") || has(i - 1, "N'T")) && sentence_[i - 2] != '\'' && is_blank(i + 2)) gaps_[i - 1] |= late;
        }
    }
    static bool is_clitic(char c) { return c == 's' || c == 'S' || c == 'm' || c == 'M' || c == 'd' || c == 'D'; }
    static bool is_long_clitic(Bytes s) { return s == "ll" || s == "LL" || s == "re" || s == "RE" || s == "ve" || s == "VE"; }

    void mark_contractions() {
        after_apostrophes_.clear();
        Word last{0, 0, 0};
        each_word([&](const Word& word) {
            mark_contraction(last, word);
            last = word;
        });
        for (const std::uint64_t key : {pack("tis"), pack("twas")})
            for (auto word = after_apostrophes_.rbegin(); word != after_apostrophes_.rend(); ++word)
                if (word->key == key && is_after_apostrophe(word->begin)) split(word->begin - 1, word->begin + 1, word->end);
    }

    void mark_contraction(const Word& last, const Word& word) {
        const bool joined = word.begin == last.end + 1 && sentence_[last.end] == '\'';
        switch (word.key) {
            case pack("cannot"):
            case pack("gonna"):
            case pack("gotta"):
            case pack("lemme"): return split(word.begin, word.begin + 3, word.end);
            case pack("gimme"): return split(word.begin, word.end - 2, word.end);  // its i may be of two bytes
            case pack("wanna"):
                if (is_followed_by_white(word.end)) split(word.begin, word.begin + 3, word.end);
                return;
            case pack("ye"):
                if (joined && last.key == pack("d")) split(last.begin, last.end, word.end);
                return;
            case pack("n"):
                if (joined && last.key == pack("more")) split(last.begin, last.end, word.end);
                return;
            case pack("tis"):
            case pack("twas"): return after_apostrophes_.push_back(word);
        }
    }

    void split(std::size_t first, std::size_t second, std::size_t third) {
        for (std::size_t i : {first, second, third}) gaps_[i] |= late;
    }

    bool is_followed_by_white(std::size_t i) const {
        if (gaps_[i]) return true;
        const char* p = sentence_.data() + i;
        return is(read_character(p), property::space);
    }

    bool is_after_apostrophe(std::size_t i) const {
        if (i == 0 || sentence_[i - 1] != '\'' || gaps_[i]) return false;
        return i == 1 || sentence_[i - 2] == ' ' || gaps_[i - 1];
    }

    // The runs of \w that may be part of a contraction, and perhaps others.
    template <class UseWord>
    void each_word(UseWord use) const {
        each_run(sentence_, ascii_class::word, [&](std::size_t begin, std::size_t end) {
            if (end - begin > 7 && ascii_prefix(sentence_.substr(begin, end - begin)) == end - begin) return;
            while (begin < end) {
                std::size_t word_end = begin;
                while (word_end < end && is_word(word_end)) word_end += character_size(sentence_[word_end]);
                if (word_end == begin) begin += character_size(sentence_[begin]);
                else use(make_word(begin, word_end));
                begin = std::max(begin, word_end);
            }
        });
    }

    bool is_word(std::size_t i) const {
        const char* p = sentence_.data() + i;
        const char32_t c = read_character(p);
        return c < 0x80 || is(c, property::word);  // what is ASCII in a run is one
    }

    Word make_word(std::size_t begin, std::size_t end) const {
        if (end - 1 > begin && gaps_[end - 1]) --end;  // the n of n't is gone
        constexpr std::size_t longest = 8;             // bytes of "cannot", and some more
        return {begin, end, end - begin <= longest ? fold(begin, end) : 0};
    }

    // The word without case, as Python's `re` ignores it; 0 when it is none of ours.
    std::uint64_t fold(std::size_t begin, std::size_t end) const {
        std::uint64_t key = 0;
        for (const char *p = sentence_.data() + begin, *last = sentence_.data() + end; p < last;) {
            char32_t c = read_character(p);
            if (c == U'ı' || c == U'İ') c = U'i';
            if (c == U'ſ') c = U's';
            if (c >= 0x80) return 0;
            key = key << 8 | (c - U'A' < 26 ? c + 32 : c);
        }
        return key;
    }

    void write(const Text& from, std::size_t base, Text& to) const {
        std::size_t done = 0;
        for (std::size_t i = next_gap(0); i < size(); i = next_gap(i + 1)) {
            to.append_copy(from, base + done, base + i);
            done = i;
            to.append(U' ', empty_source(from, base + i));
            if (!(gaps_[i] & (opening | closing))) continue;
            done = i + (sentence_[i] == '"' ? 1 : 2);
            const char32_t half = gaps_[i] & opening ? U'`' : U'\'';
            for (int n = 0; n < 2; ++n) to.append(half, from.source(base + i, base + done));
        }
        to.append_copy(from, base + done, base + size());
    }

    std::size_t next_gap(std::size_t i) const {
        for (; i + 8 <= size(); i += 8)
            if (const std::uint64_t eight = load64(reinterpret_cast<const char*>(gaps_.data()) + i)) return i + std::countr_zero(eight) / 8;
        while (i < size() && !gaps_[i]) ++i;
        return i;
    }

    static Span empty_source(const Text& from, std::size_t i) {
        return from.tracked ? Span{from.sources[i].start, from.sources[i].start} : Span{};
    }

    Bytes sentence_;
    std::vector<std::uint8_t> gaps_;
    std::vector<std::size_t> apostrophes_;
    std::vector<Word> after_apostrophes_;
};

}  // namespace tercet

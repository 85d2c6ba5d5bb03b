// Text → its character n-grams: of the whole text, of its words, or of their bytes.
#pragma once
#include <numeric>
#include <vector>

#include "base/hash_table.hpp"
#include "terms/kinds.hpp"
#include "terms/tally.hpp"
#include "text/text.hpp"
#include "text/tokenize.hpp"

namespace tercet {

class CharacterNgrams {
  public:
    // The prefix is written before each n-gram. It must live as long as this object.
    CharacterNgrams(const Recipe& recipe, bool tracked, Bytes prefix) : recipe_(recipe), prefix_(prefix) {
        collapsed_.tracked = padded_.tracked = form_.tracked = tracked;
    }

    // Count the character n-grams of a text. `Terms` is described in analysis.hpp.
    template <class Terms>
    void run(const Text& text, Terms& terms) {
        const auto count = [&](Id id) { terms.count(Kind::character, id); };
        switch (recipe_.char_ngrams_over) {
            case Over::words: case Over::word_bytes: return padded_characters(text, terms);
            case Over::text: collapse(text); break;
            case Over::marked_text: mark_blanks(text); break;
            case Over::bytes:
                find_byte_starts(text);
                return all_characters(text, count, terms);
        }
        find_starts(collapsed_);
        all_characters(collapsed_, count, terms);
    }

  private:
    // Replace each run of two or more white characters with one blank, as scikit-learn does.
    void collapse(const Text& text) {
        collapsed_.clear();
        Scanner scan(text.bytes);
        while (!scan.done()) {
            const std::size_t begin = scan.position();
            const std::size_t n_white = scan.skip(property::space);
            if (n_white > 1) {
                collapsed_.append(U' ', text.source(begin, scan.position()));
                continue;
            }
            if (n_white == 0) scan.skip_character();
            collapsed_.append_copy(text, begin, scan.position());
        }
    }

    // Replace each run of white characters with ~, and put ~ at both ends, as b4msa does.
    void mark_blanks(const Text& text) {
        collapsed_.clear();
        collapsed_.append(U'~', Span{});
        Scanner scan(text.bytes);
        bool after_mark = true;
        while (!scan.done()) {
            const std::size_t begin = scan.position();
            const bool white = scan.at(property::space) || text.bytes[begin] == '~';
            scan.skip_character();
            if (!white) collapsed_.append_copy(text, begin, scan.position());
            else if (!after_mark) collapsed_.append(U'~', text.source(begin, scan.position()));
            after_mark = white;
        }
        const std::size_t end = text.sources.empty() ? 0 : text.sources.back().end;
        if (!after_mark) collapsed_.append(U'~', {end, end});
        else if (collapsed_.bytes.size() == 1) collapsed_.clear();
    }

    template <class Terms>
    void padded_characters(const Text& text, Terms& terms) {
        const auto split = [&](const Token& token, auto count) {
            padded_.clear();
            const Span source = text.source(token.begin, token.end);
            padded_.append(U' ', {source.start, source.start});
            padded_.append_copy(text, token.begin, token.end);
            padded_.append(U' ', {source.end, source.end});
            padded_.pad();
            recipe_.char_ngrams_over == Over::word_bytes ? find_byte_starts(padded_) : find_starts(padded_);
            all_characters(padded_, count, terms, true);
        };
        const auto count = [&](Id id) { terms.count(Kind::character, id); };
        const auto emit = [&](const Token& token) {
            if constexpr (Terms::repeats) {
                // The n-grams of a word depend only on the word, so they are remembered. Long words rarely occur twice.
                constexpr std::size_t max_remembered = 32;
                if (token.end - token.begin <= max_remembered) {
                    const Id word = remember(text.part(token.begin, token.end), [&](auto keep) { split(token, keep); });
                    return Terms::groups ? met_.count(word) : count_word(word, 1, terms);
                }
                count_met(terms);  // first the words before it: terms are in the order of their first occurrences
            }
            split(token, count);
        };
        Tokenizer(text.bytes, 1, emit).whitespace();
        count_met(terms);
        constexpr std::size_t max_words = 1 << 18;  // a limit, because a server gets new words for ever
        if (words_.size() < max_words) return;
        words_ = {};
        word_ends_.clear();
        word_characters_.clear();
    }

    // The number of a word whose n-grams are remembered. split(keep) calls keep(id) for each of them.
    template <class Split>
    Id remember(Bytes word, Split split) {
        const Id known = words_.intern(word, key_of_padded(word));
        if (known == word_ends_.size()) {
            split([&](Id id) { word_characters_.push_back(id); });
            word_ends_.push_back(word_characters_.size());
        }
        return known;
    }

    template <class Terms>
    void count_word(Id word, std::uint32_t times, Terms& terms) {
        constexpr std::size_t ahead = 8;
        const std::size_t end = word_ends_[word];
        for (std::size_t i = word ? word_ends_[word - 1] : 0; i < end; ++i) {
            if (i + ahead < end && word_characters_[i + ahead] != unmet) terms.prefetch_count(Kind::character, word_characters_[i + ahead]);
            terms.count(Kind::character, word_characters_[i], times);
        }
    }

    // Count the words of the document so far, each once with its number of occurrences.
    template <class Terms>
    void count_met(Terms& terms) {
        for (Id word : met_.met()) count_word(word, met_[word], terms);
        met_.next_document();
    }

    template <class Count, class Terms>
    void all_characters(const Text& text, Count count, Terms& terms, bool short_once = false) {
        const std::size_t n_characters = starts_.size() - 1;
        const auto emit = [&](std::size_t first, std::size_t last) { count(number(text, starts_[first], starts_[last], terms)); };
        const Lengths& lengths = recipe_.char_ngrams;
        for (std::size_t n = lengths.low; n <= static_cast<std::size_t>(lengths.high); ++n) {
            if (!lengths.has(static_cast<int>(n))) continue;
            if (n >= n_characters && short_once) return emit(0, n_characters);  // a short word is counted once, as a whole
            if (n > n_characters) return;
            for (std::size_t i = 0; i + n <= n_characters; ++i) emit(i, i + n);
        }
    }

    template <class Terms>
    Id number(const Text& text, std::size_t begin, std::size_t end, Terms& terms) {
        if (prefix_.empty()) return terms.character(text, begin, end);
        const Span source = text.source(begin, end);
        form_.clear();
        for (Bytes part : {prefix_, text.part(begin, end)}) form_.append(part, source);
        form_.pad();
        return terms.character(form_, 0, form_.bytes.size());
    }

    void find_starts(Text& text) {
        text.pad();
        starts_.clear();
        for (std::size_t i = 0; i < text.bytes.size(); ++i)
            if (!continues(text.bytes[i])) starts_.push_back(i);
        starts_.push_back(text.bytes.size());
    }

    void find_byte_starts(const Text& text) {
        starts_.resize(text.bytes.size() + 1);
        std::iota(starts_.begin(), starts_.end(), 0);
    }

    const Recipe& recipe_;
    Bytes prefix_;
    Text collapsed_, padded_, form_;
    std::vector<std::size_t> starts_;
    // The words so far, and the character n-grams of each.
    StringTable words_;
    std::vector<std::size_t> word_ends_;
    std::vector<Id> word_characters_;
    Tally met_;  // the words of the document that are not counted yet
};

}  // namespace tercet

// One document → its terms. What becomes of a term is the business of `Terms`, which must offer
//   Id word(text, token), Id character(text, begin, end)      the number of a spelling, or `unmet`
//   Id ngram(parent, token)                                   the number of a word n-gram, with ngram_bit, or `unmet`
//   void count(Kind, Id)                                      a term occurs; its number may be `unmet`
//   void expect_ngram(parent, token), expect_count(Kind, Id)  the same is about to be asked: memory may be fetched
//   static constexpr bool repeats                             whether equal spellings have equal numbers
#pragma once
#include <vector>

#include "hash_table.hpp"
#include "normalize.hpp"
#include "tokenize.hpp"
#include "treebank.hpp"

namespace tercet {

enum class Kind { word, ngram, character };
inline constexpr int n_kinds = 3;
inline constexpr Id ngram_bit = 0x80000000;
inline constexpr Id unmet = 0xFFFFFFFE;  // a term that nobody has numbered

class Analysis {
  public:
    explicit Analysis(const Recipe& recipe, bool tracked = false) : recipe_(recipe), normalizer_(recipe, tracked) {
        collapsed_.tracked = padded_.tracked = tracked;
    }
    Analysis(const Analysis&) = delete;

    std::string& input() { return normalizer_.input(); }

    template <class Terms>
    void run(Terms& terms) {
        const bool spaced = recipe_.word_ngrams && recipe_.tokens == Tokens::treebank;
        if (spaced) spaced_terms(terms);
        if (spaced && !recipe_.char_ngrams) return;
        const Text& text = normalizer_.run();
        if (recipe_.word_ngrams && !spaced) word_terms(text, terms);
        if (!recipe_.char_ngrams) return;
        switch (recipe_.char_ngrams_over) {
            case Over::text: return text_characters(text, terms);
            case Over::words: return padded_characters(text, terms);
            case Over::bytes: return byte_characters(text, terms);
        }
    }

  private:
    // The words of a text that is rewritten for them; character n-grams are of the text as it was.
    template <class Terms>
    void spaced_terms(Terms& terms) {
        if (recipe_.char_ngrams) given_ = normalizer_.given();
        word_terms(normalizer_.run(treebank_), terms);
        if (recipe_.char_ngrams) input() = given_;
    }

    template <class Terms>
    void word_terms(const Text& text, Terms& terms) {
        const Lengths lengths = recipe_.word_ngrams;
        tokens_.clear();
        each_token(recipe_, text.bytes, [&](const Token& token) {
            const Id id = terms.word(text, token);
            if (lengths.low == 1) terms.count(Kind::word, id);
            tokens_.push_back(token.alone ? none : id);
        });
        nodes_ = tokens_;
        for (int n = 2; n <= lengths.high && static_cast<std::size_t>(n) <= tokens_.size(); ++n) extend_ngrams(n, terms);
    }

    // nodes_[i] goes from the n-gram of n - 1 tokens that begins at i to the one of n.
    template <class Terms>
    void extend_ngrams(int n, Terms& terms) {
        constexpr std::size_t ahead = 12;
        const std::size_t size = tokens_.size() - n + 1;
        for (std::size_t i = 0; i < size; ++i) {
            if (i + ahead < size) terms.expect_ngram(nodes_[i + ahead], tokens_[i + ahead + n - 1]);
            nodes_[i] = join(nodes_[i], tokens_[i + n - 1], terms);
        }
        if (n < recipe_.word_ngrams.low) return;
        const auto number = [&](std::size_t i) { return nodes_[i] == unmet ? unmet : nodes_[i] & ~ngram_bit; };
        for (std::size_t i = 0; i < size; ++i) {
            if (i + ahead < size && nodes_[i + ahead] < unmet) terms.expect_count(Kind::ngram, number(i + ahead));
            if (nodes_[i] != none) terms.count(Kind::ngram, number(i));
        }
    }

    template <class Terms>
    static Id join(Id parent, Id token, Terms& terms) {
        if (parent == none || token == none) return none;
        return parent == unmet || token == unmet ? unmet : terms.ngram(parent, token);
    }

    // Runs of two or more white characters become one blank first, as scikit-learn does it.
    template <class Terms>
    void text_characters(const Text& text, Terms& terms) {
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
        find_starts(collapsed_);
        all_characters(collapsed_, [&](Id id) { terms.count(Kind::character, id); }, terms);
    }

    template <class Terms>
    void byte_characters(const Text& text, Terms& terms) {
        starts_.clear();
        for (std::size_t i = 0; i <= text.bytes.size(); ++i) starts_.push_back(i);
        all_characters(text, [&](Id id) { terms.count(Kind::character, id); }, terms);
    }

    template <class Terms>
    void padded_characters(const Text& text, Terms& terms) {
        const auto split = [&](const Token& token, auto count) {
            padded_.clear();
            const Span source = text.source(token.begin, token.end);
            padded_.append(U' ', {source.start, source.start});
            padded_.append_copy(text, token.begin, token.end);
            padded_.append(U' ', {source.end, source.end});
            find_starts(padded_);
            all_characters(padded_, count, terms, true);
        };
        const auto count = [&](Id id) { terms.count(Kind::character, id); };
        const auto emit = [&](const Token& token) {
            if constexpr (Terms::repeats) {
                // The n-grams of a word depend on the word alone. Long words are rarely met twice.
                constexpr std::size_t max_remembered = 32;
                if (token.end - token.begin <= max_remembered) {
                    const Bytes word = text.part(token.begin, token.end);
                    const Id known = words_.intern(word, key_of_padded(word));
                    if (known == word_ends_.size()) {
                        split(token, [&](Id id) { word_characters_.push_back(id); });
                        word_ends_.push_back(word_characters_.size());
                    }
                    for (std::size_t i = known ? word_ends_[known - 1] : 0; i < word_ends_[known]; ++i) count(word_characters_[i]);
                    return;
                }
            }
            split(token, count);
        };
        each_token(white_words_, text.bytes, emit);
    }

    template <class Count, class Terms>
    void all_characters(const Text& text, Count count, Terms& terms, bool short_once = false) {
        const std::size_t n_characters = starts_.size() - 1;
        const auto emit = [&](std::size_t first, std::size_t last) { count(terms.character(text, starts_[first], starts_[last])); };
        for (std::size_t n = recipe_.char_ngrams.low; n <= static_cast<std::size_t>(recipe_.char_ngrams.high); ++n) {
            if (n >= n_characters && short_once) return emit(0, n_characters);  // a short word counts once, whole
            if (n > n_characters) return;
            for (std::size_t i = 0; i + n <= n_characters; ++i) emit(i, i + n);
        }
    }

    void find_starts(Text& text) {
        text.pad();
        starts_.clear();
        for (std::size_t i = 0; i < text.bytes.size(); ++i)
            if (!continues(text.bytes[i])) starts_.push_back(i);
        starts_.push_back(text.bytes.size());
    }

    const Recipe& recipe_;
    const Recipe white_words_{.tokens = Tokens::whitespace};
    Normalizer normalizer_;
    TreebankSpacing treebank_;
    std::string given_;
    std::vector<Id> tokens_, nodes_;
    Text collapsed_, padded_;
    std::vector<std::size_t> starts_;
    // Words met so far, and the character n-grams of each.
    StringTable words_;
    std::vector<std::size_t> word_ends_;
    std::vector<Id> word_characters_;
};

}  // namespace tercet

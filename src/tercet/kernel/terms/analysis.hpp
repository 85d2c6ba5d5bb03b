// One document → its terms. The template parameter `Terms` decides what happens to a term. It must have these members:
//   Id word(text, token), Id character(text, begin, end)      the number of a spelling, or `unmet`
//   Id feature(name, span)
//   Id ngram(parent, token)                                   the number of a word n-gram, with ngram_bit, or `unmet`
//   void count(Kind, Id, times = 1)                           a term occurs; its number may be `unmet`
//   static constexpr bool groups                              whether occurrences may be counted together, out of order
//   void prefetch_ngram(parent, token), prefetch_count(Kind, Id)   hints that the same call with these arguments comes soon
//   static constexpr bool repeats                             whether equal spellings have equal numbers
//   static constexpr bool remembers                           whether `word` gives numbers of its own memory. Then there are also
//     void each_vocabulary(words, tokens, use)                for each vocabulary: write the numbers that these words have there, and
//                                                             call use(terms, whether they are the main ones), for ngram and count
#pragma once
#include <optional>
#include <vector>

#include "terms/character_ngrams.hpp"
#include "text/columns.hpp"
#include "base/hash_table.hpp"
#include "text/header_fields.hpp"
#include "text/neutral.hpp"
#include "terms/kinds.hpp"
#include "text/normalize.hpp"
#include "terms/token_rules.hpp"
#include "text/tokenize.hpp"

namespace tercet {

class Analysis {
  public:
    // With `tracked`, terms know their place in the original text.
    explicit Analysis(const Recipe& recipe, bool tracked = false);
    Analysis(const Analysis&) = delete;

    std::string& input() { return normalizer_.input(); }

    // The place in the last part, as it was given, of a place in its text with placeholders for neutral words.
    Span locate(Span span) const { return neutralizer_ ? neutralizer_->locate(span) : span; }

    // The terms of the text in input(). Each column is analysed on its own, after enter(its first byte).
    template <class Terms, class Enter>
    void run(Terms& terms, Enter enter) {
        if (recipe_.columns.empty()) return run_part(columns_[0], terms);
        joined_ = normalizer_.given();
        each_part(joined_, columns_.size(), [&](std::size_t column, std::size_t begin, Bytes part) {
            enter(begin);
            input().assign(part);
            run_part(columns_[column], terms);
        });
    }
    template <class Terms>
    void run(Terms& terms) {
        run(terms, [](std::size_t) {});
    }

    // Whether it is faster to read many texts at a time: then one call asks for the word forms of all of them.
    bool reads_ahead() const { return static_cast<bool>(rules_.find_forms); }

    // Read n texts, which load(i, input) writes. After that, run_ahead(i) gives the terms of text i.
    template <class Load>
    void read_ahead(std::size_t n, Load load) {
        for (OfColumn& own : columns_) own.meanings.forget_many();
        const std::size_t n_columns = columns_.size();
        if (ahead_.size() < n * n_columns) ahead_.resize(n * n_columns);
        for (std::size_t i = 0; i < n; ++i) {
            load(i, input());
            if (recipe_.columns.empty()) {
                prepare(columns_[0], ahead_[i]);
                continue;
            }
            joined_ = normalizer_.given();
            each_part(joined_, n_columns, [&](std::size_t column, std::size_t, Bytes part) {
                input().assign(part);
                prepare(columns_[column], ahead_[i * n_columns + column]);
            });
        }
        for (OfColumn& own : columns_) own.meanings.resolve();
    }
    template <class Terms>
    void run_ahead(std::size_t i, Terms& terms) {
        for (std::size_t column = 0; column < columns_.size(); ++column) emit(columns_[column], ahead_[i * columns_.size() + column], terms);
    }

  private:
    using Hit = Marks::Hit;

    struct Met {
        Token token;
        Id id;  // number among the meanings of its column
        bool negated = false;
    };
    // A column, and what is remembered of its tokens: with a prefix they are other terms than those of another column.
    struct OfColumn {
        Bytes prefix;
        bool is_category;
        Meanings meanings;
        CharacterNgrams characters;
    };
    // A part of a text that has been split into tokens.
    struct Prepared {
        std::string given{};  // only if it is a category, or the character n-grams need it again
        Text text{};
        Header header{};
        Marks marks{};
        std::vector<Met> met{};
    };

    // The terms of the part in input().
    template <class Terms>
    void run_part(OfColumn& own, Terms& terms) {
        if (!is_plain_ || own.is_category) {
            prepare(own, single_);
            own.meanings.resolve();
            emit(own, single_, terms);
            return own.meanings.forget_many();
        }
        replace_neutral(own);
        if (recipe_.marker) single_.marks = (*recipe_.marker)(normalizer_.given());
        normalizer_.prepare(tracked_, 0);
        const bool spaced = recipe_.has_words() && recipe_.tokens == Tokens::treebank;
        if (spaced && recipe_.char_ngrams) single_.given = normalizer_.given();
        const Text& text = normalizer_.run(spaced);
        if (recipe_.has_words()) {
            word_terms(terms, [&](auto take) {
                each_token(recipe_, text.bytes, [&](const Token& token) { take(terms.word(text, token), token.alone); });
            });
        }
        if (spaced && recipe_.char_ngrams) input() = single_.given;
        if (recipe_.char_ngrams) own.characters.run(spaced ? normalizer_.run() : text, terms);
        for (const Hit& hit : single_.marks.hits) count_feature("", recipe_.features.at(hit.feature), hit.span, terms);
    }

    template <class Terms>
    void count_feature(Bytes prefix, Bytes name, Span span, Terms& terms) {
        name_.assign(prefix).append(name);
        terms.count(Kind::feature, terms.feature(name_, span));
    }

    // Treebank tokens need blanks in the text. Character n-grams are counted in the text without these blanks.
    bool is_spaced() const { return recipe_.tokens == Tokens::treebank; }

    void replace_neutral(const OfColumn& own);
    void prepare(OfColumn& own, Prepared& prepared);
    void prepare_normalizer(const Prepared& prepared);
    void mark_negated(OfColumn& own, Prepared& prepared);
    void find_in_lexicon(OfColumn& own, const Prepared& prepared);

    template <class Terms>
    void emit(OfColumn& own, Prepared& prepared, Terms& terms) {
        if (own.is_category) {
            if (!prepared.given.empty()) count_feature(own.prefix, prepared.given, {0, count_characters(prepared.given)}, terms);
            return;
        }
        if (rules_.negation) mark_negated(own, prepared);
        lexicon_hits_.clear();
        if (rules_.n_lists) find_in_lexicon(own, prepared);
        if (recipe_.has_words()) word_terms(terms, [&](auto take) { each_ruled_token(own, prepared, terms, take); });
        if (recipe_.char_ngrams && is_spaced()) {
            input() = prepared.given;
            prepare_normalizer(prepared);
            own.characters.run(normalizer_.run(), terms);
        } else if (recipe_.char_ngrams) {
            own.characters.run(prepared.text, terms);
        }
        for (const auto* hits : {&lexicon_hits_, &prepared.marks.hits})
            for (const Hit& hit : *hits) count_feature(own.prefix, recipe_.features.at(hit.feature), hit.span, terms);
    }

    // Count words, n-grams and skip-grams. each(take) must call take(number, alone) for each token.
    template <class Terms, class Each>
    void word_terms(Terms& terms, Each each) {
        std::vector<Id>& words = Terms::remembers ? words_ : tokens_;
        words.clear();
        const bool counts_words = recipe_.word_ngrams.has(1);
        each([&](Id id, bool alone) {
            if (counts_words) terms.count(Kind::word, id);
            words.push_back(alone ? none : id);
        });
        if (recipe_.word_ngrams.high < 2 && recipe_.skip_grams.empty()) return;
        if constexpr (Terms::remembers) {
            terms.each_vocabulary(words_, tokens_, [&](auto& own, bool is_main) { joined_terms(own, is_main); });
        } else {
            joined_terms(terms, true);
        }
    }

    // Count the n-grams of tokens_, and their skip-grams, which only the main vocabulary has.
    template <class Terms>
    void joined_terms(Terms& terms, bool is_main) {
        nodes_ = tokens_;
        for (int n = 2; n <= recipe_.word_ngrams.high && static_cast<std::size_t>(n) <= tokens_.size(); ++n) extend_ngrams(n, terms);
        if (!is_main) return;
        for (const SkipGram& skip_gram : recipe_.skip_grams) skip_terms(skip_gram, terms);
    }

    // Call take(number, alone) for each token that the rules keep, in its final form, with the prefix of its column.
    template <class Terms, class Take>
    void each_ruled_token(OfColumn& own, const Prepared& prepared, Terms& terms, Take take) {
        const Text& text = prepared.text;
        FieldOfPlace fields(prepared.header.fields);
        MarkedPlaces marked(prepared.marks.kept);
        for (const Met& met : prepared.met) {
            Meaning& meaning = own.meanings[met.id];
            const Span source = text.source(met.token.begin, met.token.end);
            fields.go_to(source.start);
            if (meaning.left_out || (recipe_.keeps_marked && !marked.has(source.start))) continue;
            Id once = none;
            Id& word = Terms::repeats && fields.name().empty() ? (met.negated ? meaning.negated_word : meaning.word) : once;
            if (word == none) {
                form_.clear();
                const Bytes negation = met.negated ? "NOT_" : "";
                for (Bytes part : {own.prefix, fields.name(), negation, own.meanings.form(met.id)}) form_.append(part, source);
                form_.pad();
                word = terms.word(form_, Token{0, form_.bytes.size()});
            }
            take(word, met.token.alone);
        }
    }

    // Extend nodes_[i], the n-gram of n - 1 tokens that begins at token i, by one token.
    template <class Terms>
    void extend_ngrams(int n, Terms& terms) {
        constexpr std::size_t ahead = 12;
        const std::size_t size = tokens_.size() - n + 1;
        for (std::size_t i = 0; i < size; ++i) {
            if (i + ahead < size) terms.prefetch_ngram(nodes_[i + ahead], tokens_[i + ahead + n - 1]);
            nodes_[i] = join(nodes_[i], tokens_[i + n - 1], terms);
        }
        if (!recipe_.word_ngrams.has(n)) return;
        for (std::size_t i = 0; i < size; ++i) {
            if (i + ahead < size && nodes_[i + ahead] < unmet) terms.prefetch_count(Kind::ngram, number_of(nodes_[i + ahead]));
            if (nodes_[i] != none) terms.count(Kind::ngram, number_of(nodes_[i]));
        }
    }

    // A skip-gram is counted as the n-gram of its words.
    template <class Terms>
    void skip_terms(const SkipGram& skip_gram, Terms& terms) {
        const std::size_t step = std::size_t{1} + skip_gram.gap, reach = (skip_gram.size - 1) * step;
        for (std::size_t i = 0; i + reach < tokens_.size(); ++i) {
            Id node = tokens_[i];
            for (std::size_t k = step; k <= reach; k += step) node = join(node, tokens_[i + k], terms);
            if (node != none) terms.count(Kind::ngram, number_of(node));
        }
    }

    static Id number_of(Id node) { return node == unmet ? unmet : node & ~ngram_bit; }

    template <class Terms>
    static Id join(Id parent, Id token, Terms& terms) {
        if (parent == none || token == none) return none;
        return parent == unmet || token == unmet ? unmet : terms.ngram(parent, token);
    }

    const Recipe& recipe_;
    bool tracked_;
    const TokenRules& rules_;
    Normalizer normalizer_;
    std::optional<Neutralizer> neutralizer_;
    std::vector<OfColumn> columns_;  // of the recipe, or one without a prefix
    bool is_plain_;
    Prepared single_;
    std::vector<Prepared> ahead_;
    std::vector<Hit> lexicon_hits_;
    std::vector<Id> words_, tokens_, nodes_;
    Text form_;
    std::string joined_, name_;
};

}  // namespace tercet

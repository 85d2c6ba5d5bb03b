// One document → its terms. What becomes of a term is the business of `Terms`, which must offer
//   Id word(text, token), Id character(text, begin, end),     the number of a spelling, or `unmet`
//   Id feature(name, span)
//   Id ngram(parent, token)                                   the number of a word n-gram, with ngram_bit, or `unmet`
//   void count(Kind, Id)                                      a term occurs; its number may be `unmet`
//   void expect_ngram(parent, token), expect_count(Kind, Id)  the same is about to be asked: memory may be fetched
//   static constexpr bool repeats                             whether equal spellings have equal numbers
#pragma once
#include <vector>

#include "terms/character_ngrams.hpp"
#include "base/hash_table.hpp"
#include "text/header_fields.hpp"
#include "terms/kinds.hpp"
#include "text/normalize.hpp"
#include "terms/token_rules.hpp"
#include "text/tokenize.hpp"
#include "text/treebank.hpp"

namespace tercet {

class Analysis {
  public:
    explicit Analysis(const Recipe& recipe, bool tracked = false)
        : recipe_(recipe), tracked_(tracked), rules_(recipe.rules ? *recipe.rules : no_rules()), normalizer_(recipe),
          meanings_(rules_, static_cast<std::size_t>(recipe.min_token_length)), characters_(recipe, tracked) {
        form_.tracked = tracked;
        is_plain_ = !recipe.rules && !recipe.keeps_marked && !recipe.header_fields;
    }
    Analysis(const Analysis&) = delete;

    std::string& input() { return normalizer_.input(); }

    // The terms of the text in input().
    template <class Terms>
    void run(Terms& terms) {
        if (!is_plain_) {
            prepare(single_);
            meanings_.resolve();
            emit(single_, terms);
            return meanings_.forget_many();
        }
        if (recipe_.marker) single_.marks = (*recipe_.marker)(normalizer_.given());
        normalizer_.prepare(tracked_, 0);
        const bool spaced = recipe_.has_words() && recipe_.tokens == Tokens::treebank;
        if (spaced && recipe_.char_ngrams) single_.given = normalizer_.given();
        const Text& text = spaced ? normalizer_.run(treebank_) : normalizer_.run();
        if (recipe_.has_words()) {
            word_terms(terms, [&](auto take) {
                each_token(recipe_, text.bytes, [&](const Token& token) { take(terms.word(text, token), token.alone); });
            });
        }
        if (spaced && recipe_.char_ngrams) input() = single_.given;
        if (recipe_.char_ngrams) characters_.run(spaced ? normalizer_.run() : text, terms);
        for (const Hit& hit : single_.marks.hits) count_feature(hit, terms);
    }

    // Whether texts are better read many at a time: who is asked for word forms takes longer to hear than to answer.
    bool reads_ahead() const { return static_cast<bool>(rules_.find_forms); }

    // Read n texts; load(i, input) gives each. Then run_ahead gives the terms of any of them.
    template <class Load>
    void read_ahead(std::size_t n, Load load) {
        meanings_.forget_many();
        if (ahead_.size() < n) ahead_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            load(i, input());
            prepare(ahead_[i]);
        }
        meanings_.resolve();
    }
    template <class Terms>
    void run_ahead(std::size_t i, Terms& terms) {
        emit(ahead_[i], terms);
    }

  private:
    using Hit = Marks::Hit;

    static const TokenRules& no_rules() {
        static const TokenRules rules;
        return rules;
    }

    struct Met {
        Token token;
        Id id;  // in meanings_
        bool negated = false;
    };
    // A text up to its tokens.
    struct Prepared {
        std::string given{};  // only where characters need it again
        Text text{};
        Header header{};
        Marks marks{};
        std::vector<Met> met{};
    };

    template <class Terms>
    void count_feature(const Hit& hit, Terms& terms) {
        terms.count(Kind::feature, terms.feature(recipe_.features.at(hit.feature), hit.span));
    }

    // Treebank tokens need a text that is rewritten for them; character n-grams are of the text as it was.
    bool is_spaced() const { return recipe_.tokens == Tokens::treebank; }

    void prepare(Prepared& prepared) {
        if (recipe_.marker) prepared.marks = (*recipe_.marker)(normalizer_.given());
        if (recipe_.header_fields) prepared.header = HeaderReader::read(normalizer_.given());
        prepare_normalizer(prepared);
        if (is_spaced() && recipe_.char_ngrams) prepared.given = normalizer_.given();
        is_spaced() ? normalizer_.run(treebank_) : normalizer_.run();
        normalizer_.swap(prepared.text);
        prepared.met.clear();
        const auto meet = [&](const Token& token) {
            prepared.met.push_back({token, meanings_.intern(prepared.text.part(token.begin, token.end))});
        };
        each_token(recipe_, prepared.text.bytes, meet, 1);  // short ones may negate, and stand in phrases
    }

    void prepare_normalizer(const Prepared& prepared) {
        normalizer_.prepare(tracked_ || recipe_.keeps_marked || prepared.header.size, prepared.header.size);
    }

    template <class Terms>
    void emit(Prepared& prepared, Terms& terms) {
        if (rules_.negation) mark_negated(prepared);
        lexicon_hits_.clear();
        if (rules_.n_lists) find_in_lexicon(prepared);
        if (recipe_.has_words()) word_terms(terms, [&](auto take) { each_ruled_token(prepared, terms, take); });
        if (recipe_.char_ngrams && is_spaced()) {
            input() = prepared.given;
            prepare_normalizer(prepared);
            characters_.run(normalizer_.run(), terms);
        } else if (recipe_.char_ngrams) {
            characters_.run(prepared.text, terms);
        }
        for (const Hit& hit : lexicon_hits_) count_feature(hit, terms);
        for (const Hit& hit : prepared.marks.hits) count_feature(hit, terms);
    }

    // each(take) calls take(number, alone) for each token.
    template <class Terms, class Each>
    void word_terms(Terms& terms, Each each) {
        const Lengths& lengths = recipe_.word_ngrams;
        tokens_.clear();
        const bool counts_words = lengths.has(1);
        each([&](Id id, bool alone) {
            if (counts_words) terms.count(Kind::word, id);
            tokens_.push_back(alone ? none : id);
        });
        nodes_ = tokens_;
        for (int n = 2; n <= lengths.high && static_cast<std::size_t>(n) <= tokens_.size(); ++n) extend_ngrams(n, terms);
        for (const SkipGram& skip_gram : recipe_.skip_grams) skip_terms(skip_gram, terms);
    }

    // Call take(number, alone) for each token that the rules leave, in the form they give it.
    template <class Terms, class Take>
    void each_ruled_token(const Prepared& prepared, Terms& terms, Take take) {
        const Text& text = prepared.text;
        FieldOfPlace fields(prepared.header.fields);
        MarkedPlaces marked(prepared.marks.kept);
        for (const Met& met : prepared.met) {
            Meaning& meaning = meanings_[met.id];
            const Span source = text.source(met.token.begin, met.token.end);
            fields.go_to(source.start);
            if (meaning.left_out || (recipe_.keeps_marked && !marked.has(source.start))) continue;
            Id once = none;
            Id& word = Terms::repeats && fields.name().empty() ? (met.negated ? meaning.negated_word : meaning.word) : once;
            if (word == none) {
                form_.clear();
                for (Bytes part : {fields.name(), met.negated ? Bytes("NOT_") : Bytes(), meanings_.form(met.id)}) form_.append(part, source);
                form_.pad();
                word = terms.word(form_, Token{0, form_.bytes.size()});
            }
            take(word, met.token.alone);
        }
    }

    void mark_negated(Prepared& prepared) {
        const Text& text = prepared.text;
        NegationScope scope(text.bytes, rules_.nt_negates);
        FieldOfPlace fields(prepared.header.fields);
        for (Met& met : prepared.met) {
            const std::size_t last_field = fields.number();
            fields.go_to(text.source(met.token.begin, met.token.end).start);
            if (fields.number() != last_field) scope.leave();
            met.negated = scope.next(met.token, meanings_[met.id].negates);
        }
    }

    void find_in_lexicon(const Prepared& prepared) {
        const Text& text = prepared.text;
        Lexicon::Search search(rules_.lexicon);
        for (std::size_t i = 0; i < prepared.met.size(); ++i) {
            const Id word = meanings_[prepared.met[i].id].in_lexicon;
            if (word == none && !search.is_open()) continue;
            const Token& token = prepared.met[i].token;
            const std::size_t gap = search.is_open() ? prepared.met[i - 1].token.end : token.begin;
            if (gap < token.begin && has_border(text.part(gap, token.begin))) search.close();
            search.next(word, i, [&](Id list, std::size_t first) {
                const std::size_t feature = prepared.met[first].negated ? rules_.n_lists + list : list;
                lexicon_hits_.push_back({feature, text.source(prepared.met[first].token.begin, token.end)});
            });
        }
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
        if (!recipe_.word_ngrams.has(n)) return;
        for (std::size_t i = 0; i < size; ++i) {
            if (i + ahead < size && nodes_[i + ahead] < unmet) terms.expect_count(Kind::ngram, number_of(nodes_[i + ahead]));
            if (nodes_[i] != none) terms.count(Kind::ngram, number_of(nodes_[i]));
        }
    }

    // A skip-gram is the n-gram of its words.
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
    bool is_plain_;
    Meanings meanings_;
    Prepared single_;
    std::vector<Prepared> ahead_;
    std::vector<Hit> lexicon_hits_;
    TreebankSpacing treebank_;
    std::vector<Id> tokens_, nodes_;
    Text form_;
    CharacterNgrams characters_;
};

}  // namespace tercet

// A vocabulary → arrays for a file. The arrays can be used as a vocabulary without a copy.
#pragma once
#include "terms/spelling.hpp"

namespace tercet {

struct FrozenKind {
    std::string bytes{};
    std::vector<std::uint64_t> ends{0};
    std::vector<Pair> pairs{};
    HashSeed seed{};
    std::vector<FrozenSlot> slots{};
    std::vector<Id> columns{};  // of each word, n-gram …; `none` if it is only a part of terms

    void add(Bytes spelling, Id column) {
        bytes.append(spelling);
        ends.push_back(bytes.size());
        columns.push_back(column);
    }
    void add(Pair pair, Id column) {
        pairs.push_back(pair);
        columns.push_back(column);
    }
};

// The terms get the columns in new_columns, which must be in canonical order. Words and n-grams are numbered in this order.
class Freezing {
  public:
    Freezing(const Vocabulary& vocabulary, const std::vector<Id>& new_columns, Id n_columns)
        : vocabulary_(vocabulary), new_columns_(new_columns), n_columns_(n_columns), needed_(vocabulary.find_needed(new_columns)) {
        freeze_words();
        freeze_ngrams();
        for (Kind kind : {Kind::character, Kind::feature}) freeze_spellings(kind);
        for (Kind kind : {Kind::word, Kind::character, Kind::feature}) {
            FrozenKind& frozen = (*this)[kind];
            frozen.seed = seed_of(frozen.bytes);
            frozen.slots = FrozenStrings::make_slots(frozen.bytes, frozen.ends);
        }
    }

    const FrozenKind& operator[](Kind kind) const { return kinds_[static_cast<int>(kind)]; }

  private:
    FrozenKind& operator[](Kind kind) { return kinds_[static_cast<int>(kind)]; }
    const TermTables& tables() const { return vocabulary_.tables; }
    Id column_of(Kind kind, Id id) const {
        const Id old = vocabulary_.columns[kind][id];
        return old == none ? none : new_columns_[old];
    }

    void freeze_words() {
        new_words_.assign(tables().words.size(), none);
        for (Id id : sort_spellings(tables().words)) {
            if (!needed_.words[id]) continue;
            new_words_[id] = static_cast<Id>((*this)[Kind::word].columns.size());
            (*this)[Kind::word].add(tables().words.spelling(id), column_of(Kind::word, id));
        }
    }

    void freeze_ngrams() {
        const PairTable& ngrams = tables().ngrams;
        FrozenKind& frozen = (*this)[Kind::ngram];
        std::vector<Id> new_ngrams(ngrams.size(), none);
        for (Id id : order_ngrams()) {
            const Id first = ngrams.first(id);
            const Id parent = first & ngram_bit ? new_ngrams[first & ~ngram_bit] | ngram_bit : new_words_[first];
            new_ngrams[id] = static_cast<Id>(frozen.pairs.size());
            frozen.add(Pair{parent, new_words_[ngrams.second(id)]}, column_of(Kind::ngram, id));
        }
        frozen.seed = FrozenPairs::seed_of_pairs(frozen.pairs);
        frozen.slots = FrozenPairs::make_slots(frozen.pairs);
    }

    // Sorted by the first term that begins with each n-gram. A beginning comes before its longer n-grams, because its number is lower.
    std::vector<Id> order_ngrams() const {
        const PairTable& ngrams = tables().ngrams;
        std::vector<Id> first_term(ngrams.size(), none);
        std::vector<Id> starts(std::size_t{n_columns_} + 1);
        for (Id id = ngrams.size(); id-- > 0;) {
            if (!needed_.ngrams[id]) continue;
            first_term[id] = std::min(first_term[id], column_of(Kind::ngram, id));
            ++starts[first_term[id] + std::size_t{1}];
            const Id parent = ngrams.first(id);
            if (parent & ngram_bit) {
                Id& of_parent = first_term[parent & ~ngram_bit];
                of_parent = std::min(of_parent, first_term[id]);
            }
        }
        for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
        std::vector<Id> order(starts.back());
        for (Id id = 0; id < ngrams.size(); ++id)
            if (needed_.ngrams[id]) order[starts[first_term[id]]++] = id;
        return order;
    }

    void freeze_spellings(Kind kind) {
        std::vector<Id> of_column(n_columns_, none);
        for (Id id = 0; id < tables().size(kind); ++id)
            if (const Id column = column_of(kind, id); column != none) of_column[column] = id;
        for (Id column = 0; column < n_columns_; ++column)
            if (of_column[column] != none) (*this)[kind].add(tables().spellings(kind).spelling(of_column[column]), column);
    }

    const Vocabulary& vocabulary_;
    const std::vector<Id>& new_columns_;
    Id n_columns_;
    Vocabulary::Needed needed_;
    std::vector<Id> new_words_;
    std::array<FrozenKind, n_kinds> kinds_{};
};

// Whether each n-gram has its parts, and is no longer than the recipe makes them: a long one takes long to spell.
inline bool has_sound_ngrams(const Recipe& recipe, const TermTables& tables) {
    std::size_t longest = recipe.word_ngrams.high;
    for (const SkipGram& skip_gram : recipe.skip_grams) longest = std::max<std::size_t>(longest, skip_gram.size);
    std::vector<std::uint32_t> lengths(tables.ngrams.size());
    for (Id id = 0; id < tables.ngrams.size(); ++id) {
        const Id parent = tables.ngrams.first(id);
        const bool has_parent = parent & ngram_bit ? (parent & ~ngram_bit) < id : parent < tables.words.size();
        if (!has_parent || tables.ngrams.second(id) >= tables.words.size()) return false;
        lengths[id] = parent & ngram_bit ? lengths[parent & ~ngram_bit] + 1 : 2;
        if (lengths[id] > longest) return false;
    }
    return tables.ngrams.is_sound();
}

// Whether tables from a file are valid. Looking up a term is safe without this check; everything else needs it.
inline bool is_sound(const Recipe& recipe, const TermTables& tables) {
    for (Kind kind : {Kind::word, Kind::character, Kind::feature}) {
        const StringTable& spellings = tables.spellings(kind);
        if (!spellings.is_sound()) return false;
        for (Id id = 0; id < spellings.size() && !is_raw(recipe, kind); ++id)
            if (!is_text(spellings.spelling(id))) return false;
    }
    return has_sound_ngrams(recipe, tables);
}

}  // namespace tercet

// The canonical order of terms: first words and word n-grams, token by token and each token by its bytes; then character n-grams, then
// features, by their bytes. It depends only on the terms, not on the order in which they arrived.
#pragma once
#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "base/hash_table.hpp"
#include "terms/kinds.hpp"
#include "text/recipe.hpp"

namespace tercet {

struct TermTables {
    StringTable words;
    PairTable ngrams;  // (parent, token). The parent is a word, or an n-gram with ngram_bit set
    StringTable characters;
    StringTable features;

    const StringTable& spellings(Kind kind) const { return kind == Kind::word ? words : kind == Kind::character ? characters : features; }
    Id size(Kind kind) const { return kind == Kind::ngram ? ngrams.size() : spellings(kind).size(); }
    std::uint64_t size() const { return std::uint64_t{words.size()} + ngrams.size() + characters.size() + features.size(); }
    void thaw() {
        words.thaw();
        ngrams.thaw();
        characters.thaw();
        features.thaw();
    }
};

// Which n-grams are terms, if some are only the beginning of a term.
using CountedNgrams = std::vector<bool>;

// The column of each term; `none` for words and n-grams that are only the beginning of a term.
struct Columns {
    std::array<std::vector<Id>, n_kinds> of_kind;
    Id n = 0;

    std::vector<Id>& operator[](Kind kind) { return of_kind[static_cast<int>(kind)]; }
    const std::vector<Id>& operator[](Kind kind) const { return of_kind[static_cast<int>(kind)]; }
};

inline std::vector<Id> sort_spellings(const StringTable& table) {
    // The first eight bytes decide most comparisons.
    struct Key {
        std::uint64_t prefix;
        Id id;
    };
    std::vector<Key> keys(table.size());
    for (Id id = 0; id < table.size(); ++id) {
        std::uint64_t prefix = 0;
        const Bytes text = table.spelling(id);
        for (std::size_t i = 0; i < 8; ++i) prefix = prefix << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
        keys[id] = {prefix, id};
    }
    std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
        return a.prefix != b.prefix ? a.prefix < b.prefix : table.spelling(a.id) < table.spelling(b.id);
    });
    std::vector<Id> order(keys.size());
    std::transform(keys.begin(), keys.end(), order.begin(), [](const Key& key) { return key.id; });
    return order;
}

class WordOrder {
  public:
    WordOrder(const TermTables& tables, const Recipe& recipe, const CountedNgrams* counted, Columns& columns)
        : tables_(tables), recipe_(recipe), counted_(counted), columns_(columns), n_words_(tables.words.size()) {}

    void assign() {
        columns_[Kind::word].assign(n_words_, none);
        columns_[Kind::ngram].assign(tables_.ngrams.size(), none);
        const std::vector<Id> order = sort_spellings(tables_.words);
        group_children(order);
        for (Id word : order) {
            if (recipe_.word_ngrams.has(1)) columns_[Kind::word][word] = columns_.n++;
            visit_children(word);
        }
    }

  private:
    // Nodes of the tree: first the words, then the n-grams.
    Id node_of(Id parent) const { return parent & ngram_bit ? n_words_ + (parent & ~ngram_bit) : parent; }

    // Fill children_ with the n-grams. The n-grams of one parent are neighbours, sorted by their last token.
    void group_children(const std::vector<Id>& order) {
        const Id n_ngrams = tables_.ngrams.size();
        std::vector<Id> rank(n_words_), by_token(n_ngrams);
        for (Id i = 0; i < n_words_; ++i) rank[order[i]] = i;
        std::vector<Id> starts(n_words_ + 1);
        counting_sort(n_ngrams, starts, by_token, [](Id i) { return i; }, [&](Id g) { return rank[tables_.ngrams.second(g)]; });
        first_child_.assign(std::size_t{n_words_} + n_ngrams + 1, 0);
        children_.resize(n_ngrams);
        counting_sort(n_ngrams, first_child_, children_, [&](Id i) { return by_token[i]; },
                      [&](Id g) { return node_of(tables_.ngrams.first(g)); });
    }

    template <class Item, class Bucket>
    static void counting_sort(Id n, std::vector<Id>& starts, std::vector<Id>& sorted, Item item, Bucket bucket) {
        for (Id i = 0; i < n; ++i) ++starts[bucket(item(i)) + std::size_t{1}];
        for (std::size_t b = 1; b < starts.size(); ++b) starts[b] += starts[b - 1];
        std::vector<Id> next(starts.begin(), starts.end() - 1);
        for (Id i = 0; i < n; ++i) sorted[next[bucket(item(i))]++] = item(i);
    }

    bool is_term(Id ngram, int length) const {
        if (recipe_.has_silent_beginnings()) return !counted_ || (*counted_)[ngram];
        return length >= recipe_.word_ngrams.low;
    }

    void visit_children(Id word) {
        auto& levels = levels_;
        levels.assign(1, {first_child_[word], first_child_[word + std::size_t{1}]});
        while (!levels.empty()) {
            if (levels.back().next == levels.back().end) {
                levels.pop_back();
                continue;
            }
            const Id ngram = children_[levels.back().next++];
            if (is_term(ngram, static_cast<int>(levels.size()) + 1)) columns_[Kind::ngram][ngram] = columns_.n++;
            const std::size_t node = std::size_t{n_words_} + ngram;
            levels.push_back({first_child_[node], first_child_[node + 1]});
        }
    }

    struct Level {
        Id next, end;
    };
    const TermTables& tables_;
    const Recipe& recipe_;
    const CountedNgrams* counted_;
    Columns& columns_;
    Id n_words_;
    std::vector<Id> first_child_, children_;
    std::vector<Level> levels_;
};

// Without `counted`, n-grams that are only the beginning of others may also get columns.
inline Columns canonical_columns(const TermTables& tables, const Recipe& recipe, const CountedNgrams* counted = nullptr) {
    if (tables.size() >= max_ids) throw std::length_error("more than 2 billion distinct terms");
    Columns columns;
    WordOrder(tables, recipe, counted, columns).assign();
    for (Kind kind : {Kind::character, Kind::feature}) {
        columns[kind].resize(tables.size(kind));
        for (Id id : sort_spellings(tables.spellings(kind))) columns[kind][id] = columns.n++;
    }
    return columns;
}

}  // namespace tercet

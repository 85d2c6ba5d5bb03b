// A table of labelled documents: a vocabulary, the counts of its terms under each label, and the lengths of the documents of each label.
// Tables can be added and subtracted.
#pragma once
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "counts/counts.hpp"
#include "terms/vocabulary.hpp"

namespace tercet {

// Terms are numbered in the order in which they arrive. The canonical order is computed when it is needed.
struct Table {
    Vocabulary vocabulary{};
    Counts counts{};
    std::map<std::pair<Id, std::uint32_t>, Units> lengths{};  // (label, words in a document) → documents

    // The number of a term. A new term gets the next number.
    Id number(Kind kind, Id id) {
        std::vector<Id>& columns = vocabulary.columns[kind];
        if (id >= columns.size()) columns.resize(std::max<std::size_t>(id + 1, columns.size() * 3 / 2), none);
        if (columns[id] == none) {
            columns[id] = vocabulary.columns.n++;
            counts.grow_terms(vocabulary.columns.n);
        }
        return columns[id];
    }

    // Add another table. The result has, for each of its terms, the number here.
    std::vector<Id> add(const Table& other) {
        counts.check_room(other.counts);
        vocabulary.tables.thaw();  // a damaged file is refused before anything changes
        const Columns numbers = intern_terms(other.vocabulary.tables, vocabulary.tables);
        for (Kind kind : kinds)
            vocabulary.columns[kind].resize(vocabulary.tables.size(kind), none);
        std::vector<Id> terms = map_terms(other.vocabulary, [&](Kind kind, Id id) { return number(kind, numbers[kind][id]); });
        counts.add(other.counts, terms);
        for (const auto& [key, weight] : other.lengths) lengths[key] += weight;
        return terms;
    }

    // Subtract another table. If a number would become negative, nothing changes and the result is false. With `possible`, also if no
    // documents could have the counts that would be left.
    bool subtract(const Table& other, bool possible = false) {
        const std::vector<Id> terms = find_terms(other.vocabulary);
        if (!counts.covers(other.counts, terms) || (possible && !counts.stays_possible(other.counts, terms))) return false;
        for (const auto& [key, weight] : other.lengths) {
            const auto here = lengths.find(key);
            if (here == lengths.end() || here->second < weight) return false;
        }
        counts.subtract(other.counts, terms);
        for (const auto& [key, weight] : other.lengths) {
            const auto here = lengths.find(key);
            if ((here->second -= weight) == 0) lengths.erase(here);
        }
        return true;
    }

    // As Counts::rename_labels.
    void rename_labels(const std::vector<Id>& places, Id n_labels) {
        counts.rename_labels(places, n_labels);
        place_lengths(places);
    }

    // For each term 1 if it is a character n-gram, else 0.
    std::vector<std::uint8_t> character_flags() const {
        std::vector<std::uint8_t> flags(vocabulary.columns.n);
        for (const Id column : vocabulary.columns[Kind::character])
            if (column != none) flags[column] = 1;
        return flags;
    }

    // The number of each term of another vocabulary; `none` for a term that this table does not have.
    std::vector<Id> find_terms(const Vocabulary& other) const {
        const Columns numbers = find_spellings(other.tables);
        return map_terms(other, [&](Kind kind, Id id) {
            const Id number = numbers[kind][id];
            return number < vocabulary.columns[kind].size() ? vocabulary.columns[kind][number] : none;
        });
    }

    // These terms in canonical order. For more than a few terms `canonical_order` takes less time.
    std::vector<Id> sort_terms(const std::vector<Id>& terms) const {
        const auto known = vocabulary.list_terms();
        std::vector<std::tuple<Kind, std::vector<Bytes>, Id>> keys;
        for (Id term : terms) {
            const auto [kind, id] = known[term];
            keys.emplace_back(kind == Kind::ngram ? Kind::word : kind, vocabulary.split(kind, id), term);
        }
        std::sort(keys.begin(), keys.end());
        std::vector<Id> sorted;
        for (const auto& key : keys) sorted.push_back(std::get<Id>(key));
        return sorted;
    }

    // The numbers of all terms in canonical order, including forgotten terms; of one kind, or of all kinds.
    std::vector<Id> canonical_order(const Recipe& recipe, std::optional<Kind> wanted = {}) const {
        const Columns canonical = canonical_columns(vocabulary.tables, recipe);
        std::vector<Id> order(canonical.n, none);
        for (int kind = 0; kind < n_kinds; ++kind) {
            if (wanted && static_cast<Kind>(kind) != *wanted) continue;
            const auto& columns = vocabulary.columns.of_kind[kind];
            for (Id id = 0; id < vocabulary.tables.size(static_cast<Kind>(kind)); ++id)
                if (canonical.of_kind[kind][id] != none && id < columns.size() && columns[id] != none)
                    order[canonical.of_kind[kind][id]] = columns[id];
        }
        std::erase(order, none);
        return order;
    }

  private:
    void place_lengths(const std::vector<Id>& places) {
        std::map<std::pair<Id, std::uint32_t>, Units> placed;
        for (const auto& [key, weight] : lengths)
            if (places[key.first] != none) placed[{places[key.first], key.second}] = weight;
        lengths = std::move(placed);
    }

    // For each term of the other vocabulary, the result of `number`.
    template <class Number>
    static std::vector<Id> map_terms(const Vocabulary& other, Number number) {
        std::vector<Id> terms(other.columns.n, none);
        for (Kind kind : kinds) {
            const auto& columns = other.columns[kind];
            for (Id id = 0; id < other.tables.size(kind) && id < columns.size(); ++id)
                if (columns[id] != none) terms[columns[id]] = number(kind, id);
        }
        return terms;
    }

    // For each spelling of other tables, its number here, or `none`.
    Columns find_spellings(const TermTables& other) const {
        Columns numbers;
        auto& words = numbers[Kind::word];
        auto& ngrams = numbers[Kind::ngram];
        const auto find = [](const StringTable& table, Bytes spelling) { return table.find(spelling); };
        for (Id id = 0; id < other.words.size(); ++id) words.push_back(find(vocabulary.tables.words, other.words.spelling(id)));
        for (Id id = 0; id < other.ngrams.size(); ++id) {
            const Id first = other.ngrams.first(id), token = words[other.ngrams.second(id)];
            Id parent = first & ngram_bit ? ngrams[first & ~ngram_bit] : words[first];
            if (parent == none || token == none) {
                ngrams.push_back(none);
                continue;
            }
            if (first & ngram_bit) parent |= ngram_bit;
            ngrams.push_back(vocabulary.tables.ngrams.find(parent, token));
        }
        for (Id id = 0; id < other.characters.size(); ++id)
            numbers[Kind::character].push_back(find(vocabulary.tables.characters, other.characters.spelling(id)));
        for (Id id = 0; id < other.features.size(); ++id)
            numbers[Kind::feature].push_back(find(vocabulary.tables.features, other.features.spelling(id)));
        return numbers;
    }
};

// The kind of terms that the length of a document counts: words. If words are not terms: n-grams, else character n-grams, else features.
inline Kind kind_of_length(const Recipe& recipe) {
    if (recipe.has_words()) return recipe.word_ngrams.has(1) ? Kind::word : Kind::ngram;
    return recipe.char_ngrams ? Kind::character : Kind::feature;
}

}  // namespace tercet

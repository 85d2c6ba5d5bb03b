// A table → shards. A shard has the terms whose hash falls in it, with their counts. Terms that no document has are left out.
#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/fingerprint.hpp"
#include "counts/table.hpp"
#include "terms/frozen_vocabulary.hpp"

namespace tercet {

// The vocabulary and the cells of some terms, which are numbered 0, 1, 2 … here. It has no hash tables.
struct Shard {
    std::array<FrozenKind, n_kinds> vocabulary{};
    std::vector<Units> sizes{}, labels{}, occurrences{}, documents{};

    FrozenKind& operator[](Kind kind) { return vocabulary[static_cast<int>(kind)]; }
};

// Shard (hash / stride) mod n has a term. The hash depends only on the spelling, so a term is in the same shard of every table.
class Sharding {
  public:
    Sharding(const Table& table, std::uint64_t n, std::uint64_t stride) : table_(table), known_(table.vocabulary.list_terms()) {
        std::vector<Id> shard_of(known_.size(), none);
        starts_.assign(n + 1, 0);
        std::string spelling;
        for (Id term = 0; term < known_.size(); ++term) {
            if (known_[term].second == none || !std::ranges::any_of(table.counts.row(term), is_filled)) continue;
            spelling.clear();
            table.vocabulary.spell(known_[term].first, known_[term].second, spelling);
            shard_of[term] = static_cast<Id>(Fingerprinter::of(spelling)[0] / stride % n);
            ++starts_[shard_of[term] + std::size_t{1}];
        }
        for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
        std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
        terms_.resize(starts_.back());
        for (Id term = 0; term < known_.size(); ++term)
            if (shard_of[term] != none) terms_[next[shard_of[term]]++] = term;
        words_.resize(table.vocabulary.tables.words.size());
        ngrams_.resize(table.vocabulary.tables.ngrams.size());
    }

    // A shard. Its time depends only on its own terms.
    Shard make(std::size_t number) {
        ++made_;
        Shard shard;
        for (std::size_t i = starts_[number]; i < starts_[number + 1]; ++i) {
            const auto [kind, id] = known_[terms_[i]];
            const Id column = static_cast<Id>(shard.sizes.size());
            if (kind == Kind::word) shard[kind].columns[place_word(shard, id)] = column;
            else if (kind == Kind::ngram) shard[kind].columns[place_ngram(shard, id)] = column;
            else shard[kind].add(table_.vocabulary.tables.spellings(kind).spelling(id), column);
            const std::size_t before = shard.labels.size();
            for (const Cell& cell : table_.counts.row(terms_[i])) {
                if (!is_filled(cell)) continue;
                shard.labels.push_back(cell.label);
                shard.occurrences.push_back(cell.occurrences);
                shard.documents.push_back(cell.documents);
            }
            shard.sizes.push_back(static_cast<Units>(shard.labels.size() - before));
        }
        return shard;
    }

  private:
    struct Place {
        std::size_t made = 0;  // the shard that the number is for, counted from 1
        Id number = 0;
    };

    static bool is_filled(const Cell& cell) { return cell.occurrences || cell.documents; }

    Id place_word(Shard& shard, Id id) {
        if (words_[id].made != made_) {
            words_[id] = {made_, static_cast<Id>(shard[Kind::word].columns.size())};
            shard[Kind::word].add(table_.vocabulary.tables.words.spelling(id), none);
        }
        return words_[id].number;
    }
    // An n-gram comes after the shorter n-gram that it begins with.
    Id place_ngram(Shard& shard, Id id) {
        if (ngrams_[id].made != made_) {
            const PairTable& pairs = table_.vocabulary.tables.ngrams;
            const Id first = pairs.first(id);
            const Id parent = first & ngram_bit ? place_ngram(shard, first & ~ngram_bit) | ngram_bit : place_word(shard, first);
            const Pair pair{parent, place_word(shard, pairs.second(id))};
            ngrams_[id] = {made_, static_cast<Id>(shard[Kind::ngram].columns.size())};
            shard[Kind::ngram].add(pair, none);
        }
        return ngrams_[id].number;
    }

    const Table& table_;
    std::vector<std::pair<Kind, Id>> known_;
    std::vector<std::size_t> starts_;  // the terms of shard k are terms_[starts_[k]] … terms_[starts_[k + 1]]
    std::vector<Id> terms_;
    std::vector<Place> words_, ngrams_;
    std::size_t made_ = 0;
};

}  // namespace tercet

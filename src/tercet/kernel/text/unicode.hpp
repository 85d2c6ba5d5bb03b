// Properties of characters (word, space, mark …), lower case and decompositions, of one fixed Unicode version.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <vector>

#include "text/unicode_tables.hpp"

namespace tercet {

namespace property = unicode_tables;
using CharacterRecord = unicode_tables::Record;

namespace hangul {
inline constexpr char32_t syllables = 0xAC00, leads = 0x1100, vowels = 0x1161, trails = 0x11A7;
inline constexpr char32_t n_leads = 19, n_vowels = 21, n_trails = 28, n_syllables = n_leads * n_vowels * n_trails;
}  // namespace hangul

class UnicodeDatabase {
  public:
    static const UnicodeDatabase& get() {
        static const UnicodeDatabase& database = *new UnicodeDatabase;  // never destroyed: threads may use it at exit
        return database;
    }

    const CharacterRecord& record(char32_t c) const {
        if (c < near_end) return unicode_tables::records[near_[c]];
        const auto after = std::upper_bound(std::begin(unicode_tables::ranges), std::end(unicode_tables::ranges), c,
                                            [](char32_t code, const auto& range) { return code < range.first; });
        return unicode_tables::records[std::prev(after)->record];
    }

    bool is(char32_t c, std::uint16_t properties) const { return record(c).properties & properties; }

    // Append the full decomposition of c.
    void decompose(char32_t c, bool compatible, std::vector<char32_t>& out) const {
        using namespace hangul;
        if (!is(c, property::decomposes)) return out.push_back(c);
        if (c - syllables < n_syllables) {
            const char32_t index = c - syllables;
            out.push_back(leads + index / (n_vowels * n_trails));
            out.push_back(vowels + index % (n_vowels * n_trails) / n_trails);
            if (index % n_trails) out.push_back(trails + index % n_trails);
            return;
        }
        const std::uint32_t* parts = nullptr;
        if (compatible) parts = find(compatible_, c);
        if (!parts) parts = find(canonical_, c);
        if (!parts) return out.push_back(c);  // it decomposes only in the compatibility forms
        out.insert(out.end(), parts + 1, parts + 1 + parts[0]);
    }

    // The composition of two characters, or 0.
    char32_t compose(char32_t first, char32_t second) const {
        using namespace hangul;
        if (first - leads < n_leads && second - vowels < n_vowels)
            return syllables + ((first - leads) * n_vowels + (second - vowels)) * n_trails;
        if (first - syllables < n_syllables && (first - syllables) % n_trails == 0 && second > trails && second < trails + n_trails)
            return first + (second - trails);
        const auto found = compositions_.find(std::uint64_t{first} << 32 | second);
        return found == compositions_.end() ? 0 : found->second;
    }

  private:
    using Decompositions = std::unordered_map<char32_t, const std::uint32_t*>;
    // Nearly all letters are below this. The few ranges above it are found by binary search.
    static constexpr char32_t near_end = 0x32400;

    UnicodeDatabase() : near_(near_end) {
        const auto* range = std::begin(unicode_tables::ranges);
        for (char32_t c = 0; c < near_end; ++c) {
            if (std::next(range) != std::end(unicode_tables::ranges) && std::next(range)->first == c) ++range;
            near_[c] = range->record;
        }
        index(unicode_tables::canonical, std::size(unicode_tables::canonical), canonical_);
        index(unicode_tables::compatible, std::size(unicode_tables::compatible), compatible_);
        for (const auto* t = std::begin(unicode_tables::compositions); t != std::end(unicode_tables::compositions); t += 3)
            compositions_.emplace(std::uint64_t{t[0]} << 32 | t[1], t[2]);
    }

    static void index(const std::uint32_t* table, std::size_t size, Decompositions& out) {
        for (const auto* row = table; row != table + size; row += 2 + row[1]) out.emplace(row[0], row + 1);
    }

    static const std::uint32_t* find(const Decompositions& table, char32_t c) {
        const auto found = table.find(c);
        return found == table.end() ? nullptr : found->second;
    }

    std::vector<std::uint16_t> near_;
    Decompositions canonical_, compatible_;
    std::unordered_map<std::uint64_t, char32_t> compositions_;
};

inline bool is(char32_t c, std::uint16_t properties) { return UnicodeDatabase::get().is(c, properties); }

}  // namespace tercet

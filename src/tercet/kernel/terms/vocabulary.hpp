// A set of terms and the column of each.
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "terms/order.hpp"
#include "terms/tally.hpp"
#include "text/tokenize.hpp"

namespace tercet {

struct Vocabulary {
    TermTables tables;
    Columns columns;

    // A vocabulary with only the terms whose new column is not `none`, and the parts of their n-grams.
    Vocabulary select(const std::vector<Id>& new_columns) const {
        const auto column = [&](Kind kind, Id id) {
            const Id old = columns[kind][id];
            return old == none ? none : new_columns[old];
        };
        const auto [words, ngrams] = find_needed(new_columns);
        Vocabulary result;
        std::vector<Id> new_words(tables.words.size()), new_ngrams(tables.ngrams.size());
        for (Id id = 0; id < tables.words.size(); ++id) {
            if (!words[id]) continue;
            new_words[id] = result.add_word(tables.words.spelling(id));
            result.set_column(Kind::word, new_words[id], column(Kind::word, id));
        }
        for (Id id = 0; id < tables.ngrams.size(); ++id) {
            if (!ngrams[id]) continue;
            const Id parent = tables.ngrams.first(id);
            const Id new_parent = parent & ngram_bit ? new_ngrams[parent & ~ngram_bit] | ngram_bit : new_words[parent];
            new_ngrams[id] = result.add_ngram(new_parent, new_words[tables.ngrams.second(id)]) & ~ngram_bit;
            result.set_column(Kind::ngram, new_ngrams[id], column(Kind::ngram, id));
        }
        for (Kind kind : {Kind::character, Kind::feature})
            for (Id id = 0; id < tables.size(kind); ++id)
                if (column(kind, id) != none) result.add_spelling(kind, tables.spellings(kind).spelling(id), column(kind, id));
        return result;
    }

    // The words and n-grams whose new column is not `none`, and the parts of such n-grams.
    struct Needed {
        std::vector<bool> words, ngrams;
    };
    Needed find_needed(const std::vector<Id>& new_columns) const {
        const auto is_term = [&](Kind kind, Id id) { return columns[kind][id] != none && new_columns[columns[kind][id]] != none; };
        Needed needed{std::vector<bool>(tables.words.size()), std::vector<bool>(tables.ngrams.size())};
        for (Id id = 0; id < tables.words.size(); ++id) needed.words[id] = is_term(Kind::word, id);
        for (Id id = tables.ngrams.size(); id-- > 0;) {  // backwards: the number of a parent is lower than the numbers of its children
            if (is_term(Kind::ngram, id)) needed.ngrams[id] = true;
            if (!needed.ngrams[id]) continue;
            const Id parent = tables.ngrams.first(id);
            (parent & ngram_bit ? needed.ngrams[parent & ~ngram_bit] : needed.words[parent]) = true;
            needed.words[tables.ngrams.second(id)] = true;
        }
        return needed;
    }

    Id add_word(Bytes spelling) { return grow(Kind::word, tables.words.intern(spelling)); }
    Id add_ngram(Id parent, Id token) { return grow(Kind::ngram, tables.ngrams.intern(parent, token)) | ngram_bit; }
    // Add a character n-gram or a feature.
    void add_spelling(Kind kind, Bytes spelling, Id column) {
        set_column(kind, grow(kind, (kind == Kind::character ? tables.characters : tables.features).intern(spelling)), column);
    }
    void set_column(Kind kind, Id id, Id column) {
        columns[kind][id] = column;
        if (column != none) columns.n = std::max(columns.n, column + 1);
    }

    // The tokens of a term. A character n-gram or a feature is one token.
    std::vector<Bytes> split(Kind kind, Id id) const {
        if (kind != Kind::ngram) return {tables.spellings(kind).spelling(id)};
        std::vector<Bytes> tokens;
        for (; kind == Kind::ngram; id = tables.ngrams.first(id)) {
            id &= ~ngram_bit;
            tokens.push_back(tables.words.spelling(tables.ngrams.second(id)));
            if (!(tables.ngrams.first(id) & ngram_bit)) kind = Kind::word;
        }
        tokens.push_back(tables.words.spelling(id));
        std::reverse(tokens.begin(), tokens.end());
        return tokens;
    }

    // Append the spelling of a term. An n-gram is spelled as its tokens with one blank between them.
    void spell(Kind kind, Id id, std::string& out) const {
        if (kind != Kind::ngram) return void(out.append(tables.spellings(kind).spelling(id)));
        bool is_first = true;
        for (Bytes token : split(kind, id)) {
            if (!is_first) out.append(" ");
            out.append(token);
            is_first = false;
        }
    }

    // The term of each column. It is `none` if a column does not have a term.
    std::vector<std::pair<Kind, Id>> list_terms() const {
        std::vector<std::pair<Kind, Id>> terms(columns.n, {Kind::word, none});
        for (Kind kind : kinds)
            for (Id id = 0; id < columns[kind].size(); ++id)
                if (columns[kind][id] != none) terms[columns[kind][id]] = {kind, id};
        return terms;
    }

  private:
    Id grow(Kind kind, Id id) {
        if (id == columns[kind].size()) columns[kind].push_back(none);
        return id;
    }
};

// Add all terms of `part` to `sum`. The result has, for each term of `part`, its number in `sum`.
inline Columns intern_terms(const TermTables& part, TermTables& sum) {
    Columns numbers;
    auto& words = numbers[Kind::word];
    auto& ngrams = numbers[Kind::ngram];
    for (Id id = 0; id < part.words.size(); ++id) words.push_back(sum.words.intern(part.words.spelling(id)));
    const auto parent_of = [&](Id id) {
        const Id parent = part.ngrams.first(id);
        return parent & ngram_bit ? ngrams[parent & ~ngram_bit] | ngram_bit : words[parent];
    };
    ngrams.reserve(part.ngrams.size());
    sum.ngrams.reserve(sum.ngrams.size() + part.ngrams.size() / 2);  // usually about half of them are new
    for (Id id = 0; id < part.ngrams.size(); ++id) {
        const Id soon = id + 12;
        if (soon < part.ngrams.size() && !(part.ngrams.first(soon) & ngram_bit))
            sum.ngrams.prefetch(parent_of(soon), words[part.ngrams.second(soon)]);
        ngrams.push_back(sum.ngrams.intern(parent_of(id), words[part.ngrams.second(id)]));
    }
    for (Id id = 0; id < part.characters.size(); ++id)
        numbers[Kind::character].push_back(sum.characters.intern(part.characters.spelling(id)));
    for (Id id = 0; id < part.features.size(); ++id) numbers[Kind::feature].push_back(sum.features.intern(part.features.spelling(id)));
    return numbers;
}

// Looks up the terms of a document, for Analysis. `found` has the column of each occurrence, in order; `none` for unknown terms.
struct Lookup {
    static constexpr bool repeats = true, groups = false;
    const Vocabulary& vocabulary;
    std::vector<Id> found{};

    Id word(const Text& text, const Token& token) const { return find(vocabulary.tables.words, text.part(token.begin, token.end)); }
    Id character(const Text& text, std::size_t begin, std::size_t end) const {
        return find(vocabulary.tables.characters, text.part(begin, end));
    }
    Id feature(Bytes name, Span) const {
        const Id id = vocabulary.tables.features.find(name);
        return id == none ? unmet : id;
    }
    Id ngram(Id parent, Id token) const {
        const Id id = vocabulary.tables.ngrams.find(parent, token);
        return id == none ? unmet : id | ngram_bit;
    }
    void prefetch_ngram(Id parent, Id token) const { vocabulary.tables.ngrams.prefetch(parent, token); }
    void prefetch_count(Kind kind, Id id) const { fetch(&vocabulary.columns[kind][id]); }
    void count(Kind kind, Id id, std::uint32_t = 1) { found.push_back(column_of(kind, id)); }

  protected:
    Id column_of(Kind kind, Id id) const { return id == unmet ? none : vocabulary.columns[kind][id]; }

  private:
    static Id find(const StringTable& table, Bytes spelling) {
        const Id id = table.find_padded(spelling);
        return id == none ? unmet : id;
    }
};

// The same, with the counts of the columns instead.
struct CountingLookup : Lookup {
    static constexpr bool groups = true;
    Tally tally{};
    std::uint64_t n_unknown = 0;

    void count(Kind kind, Id id, std::uint32_t times = 1) {
        const Id column = column_of(kind, id);
        column == none ? void(n_unknown += times) : tally.count(column, times);
    }
};

}  // namespace tercet

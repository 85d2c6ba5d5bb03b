// A fixed set of terms with their columns: what a fitted counter looks words up in.
#pragma once
#include <algorithm>
#include <vector>

#include "terms/order.hpp"

namespace tercet {

struct Vocabulary {
    TermTables tables;
    Columns columns;

    // Only the terms whose new column is not `none`, and the words that their n-grams begin with.
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

    // The words and n-grams whose new column is not `none`, and those that such n-grams are made of.
    struct Needed {
        std::vector<bool> words, ngrams;
    };
    Needed find_needed(const std::vector<Id>& new_columns) const {
        const auto is_term = [&](Kind kind, Id id) { return columns[kind][id] != none && new_columns[columns[kind][id]] != none; };
        Needed needed{std::vector<bool>(tables.words.size()), std::vector<bool>(tables.ngrams.size())};
        for (Id id = 0; id < tables.words.size(); ++id) needed.words[id] = is_term(Kind::word, id);
        for (Id id = tables.ngrams.size(); id-- > 0;) {  // backwards: a parent's number is below its children's
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
    // Of characters, or the name of a feature.
    void add_spelling(Kind kind, Bytes spelling, Id column) {
        set_column(kind, grow(kind, (kind == Kind::character ? tables.characters : tables.features).intern(spelling)), column);
    }
    void set_column(Kind kind, Id id, Id column) {
        columns[kind][id] = column;
        if (column != none) columns.n = std::max(columns.n, column + 1);
    }

    // Append the spelling of a term: that of an n-gram is its tokens with one blank between them.
    void spell(Kind kind, Id id, std::string& out) const {
        if (kind == Kind::character || kind == Kind::feature) return void(out.append(tables.spellings(kind).spelling(id)));
        std::vector<Id> tokens;  // backwards
        for (; kind == Kind::ngram; id = tables.ngrams.first(id)) {
            id &= ~ngram_bit;
            tokens.push_back(tables.ngrams.second(id));
            if (!(tables.ngrams.first(id) & ngram_bit)) kind = Kind::word;
        }
        out.append(tables.words.spelling(id));
        for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) out.append(" ").append(tables.words.spelling(*token));
    }

  private:
    Id grow(Kind kind, Id id) {
        if (id == columns[kind].size()) columns[kind].push_back(none);
        return id;
    }
};

// Looks the terms of a document up. `found` has a column for each occurrence, in order, `none` for an unknown term.
struct Lookup {
    static constexpr bool repeats = true;
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
    void expect_ngram(Id parent, Id token) const { vocabulary.tables.ngrams.prefetch(parent, token); }
    void expect_count(Kind kind, Id id) const { fetch(&vocabulary.columns[kind][id]); }
    void count(Kind kind, Id id) { found.push_back(id == unmet ? none : vocabulary.columns[kind][id]); }

  private:
    static Id find(const StringTable& table, Bytes spelling) {
        const Id id = table.find_padded(spelling);
        return id == none ? unmet : id;
    }
};

}  // namespace tercet

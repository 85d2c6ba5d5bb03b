// A set of terms and the column of each.
#pragma once
#include <algorithm>
#include <optional>
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

// The words, or the features, that a reader has met, with the number and the column of each in a vocabulary, and in a second one. A
// spelling is looked up once in each of them, and then found here.
class TermMemory {
  public:
    struct Known {
        Id id = unmet, column = none;
    };
    struct Both {
        Known own, added;
    };

    TermMemory(Kind kind, const Vocabulary& vocabulary, const Vocabulary* added) : kind_(kind), vocabulary_(vocabulary), added_(added) {}

    Id intern(Bytes spelling) { return intern(spelling, key_of(spelling)); }
    // Eight bytes from spelling.data() on must be readable.
    Id intern_padded(Bytes spelling) { return intern(spelling, key_of_padded(spelling)); }
    const Both& operator[](Id id) const { return terms_[id]; }
    // Whether to begin again, because a server gets new words for ever.
    bool is_full() const { return terms_.size() >= max_remembered || spellings_.n_bytes() >= max_bytes; }

  private:
    static constexpr std::size_t max_remembered = 1 << 18, max_bytes = 1 << 22;

    Id intern(Bytes spelling, std::uint64_t key) {
        const Id id = spellings_.intern(spelling, key);
        if (id == terms_.size()) terms_.push_back({find(vocabulary_, spelling), added_ ? find(*added_, spelling) : Known{}});
        return id;
    }
    Known find(const Vocabulary& vocabulary, Bytes spelling) const {
        const Id id = vocabulary.tables.spellings(kind_).find(spelling);
        return id == none ? Known{} : Known{id, vocabulary.columns[kind_][id]};
    }

    Kind kind_;
    const Vocabulary& vocabulary_;
    const Vocabulary* added_;
    StringTable spellings_;
    std::vector<Both> terms_;
};

// The columns of all occurrences, in order; `none` for unknown terms.
struct FoundColumns {
    static constexpr bool groups = false;
    std::vector<Id> columns{};

    void add(Id column, std::uint32_t) { columns.push_back(column); }
};

// The counts of the columns instead.
struct CountedColumns {
    static constexpr bool groups = true;
    Tally tally{};
    std::uint64_t n_unknown = 0;

    void add(Id column, std::uint32_t times) { column == none ? void(n_unknown += times) : tally.count(column, times); }
};

// Looks up n-grams in a vocabulary. `Found` takes the column of each occurrence of a term.
template <class Found>
struct NgramLookup {
    const Vocabulary& vocabulary;
    Found found{};

    Id ngram(Id parent, Id token) const {
        const Id id = vocabulary.tables.ngrams.find(parent, token);
        return id == none ? unmet : id | ngram_bit;
    }
    void prefetch_ngram(Id parent, Id token) const { vocabulary.tables.ngrams.prefetch(parent, token); }
    void prefetch_count(Kind kind, Id id) const { fetch(&vocabulary.columns[kind][id]); }
    void count(Kind kind, Id id, std::uint32_t times = 1) { found.add(id == unmet ? none : vocabulary.columns[kind][id], times); }
};

// What a reader remembers of the terms of texts.
struct TermMemories {
    TermMemory words, features;

    TermMemories(const Vocabulary& vocabulary, const Vocabulary* added)
        : words(Kind::word, vocabulary, added), features(Kind::feature, vocabulary, added) {}
    bool is_full() const { return words.is_full() || features.is_full(); }
};

// Looks up the terms of a document, for Analysis. All but character n-grams are also looked up in a second vocabulary, if there is one.
template <class Found>
struct Lookup : NgramLookup<Found> {
    static constexpr bool repeats = true, remembers = true, groups = Found::groups;
    TermMemories& met;
    std::optional<NgramLookup<Found>> added{};

    Lookup(TermMemories& memories, const Vocabulary& vocabulary, const Vocabulary* second) : NgramLookup<Found>{vocabulary}, met(memories) {
        if (second) added.emplace(NgramLookup<Found>{*second});
    }

    Id word(const Text& text, const Token& token) { return met.words.intern_padded(text.part(token.begin, token.end)); }
    Id feature(Bytes name, Span) { return met.features.intern(name); }
    Id character(const Text& text, std::size_t begin, std::size_t end) const {
        const Id id = this->vocabulary.tables.characters.find_padded(text.part(begin, end));
        return id == none ? unmet : id;
    }
    void count(Kind kind, Id id, std::uint32_t times = 1) {
        if (kind == Kind::ngram || kind == Kind::character) return NgramLookup<Found>::count(kind, id, times);
        const TermMemory::Both& term = (kind == Kind::word ? met.words : met.features)[id];
        this->found.add(term.own.column, times);
        if (added) added->found.add(term.added.column, times);
    }

    template <class Use>
    void each_vocabulary(const std::vector<Id>& words, std::vector<Id>& tokens, Use use) {
        tokens.resize(words.size());
        const auto number = [&](TermMemory::Known TermMemory::Both::*known) {
            for (std::size_t i = 0; i < words.size(); ++i) tokens[i] = words[i] == none ? none : (met.words[words[i]].*known).id;
        };
        if (added && added->vocabulary.tables.ngrams.size()) {
            number(&TermMemory::Both::added);
            use(*added, false);
        }
        number(&TermMemory::Both::own);
        use(static_cast<NgramLookup<Found>&>(*this), true);
    }
};

}  // namespace tercet

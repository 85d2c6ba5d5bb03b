// Terms as people read and write them. A recipe with words and characters writes the kind before each term, so that the word `the` and
// the characters `the` are two terms: word:the, char:the.
#pragma once
#include <algorithm>
#include <optional>
#include <string>

#include "terms/vocabulary.hpp"

namespace tercet {

// Whether a term of this kind may have bytes that are not valid UTF-8.
inline bool is_raw(const Recipe& recipe, Kind kind) {
    if (kind == Kind::character) return recipe.char_ngrams_over == Over::bytes || recipe.char_ngrams_over == Over::word_bytes;
    return kind != Kind::feature && recipe.tokens == Tokens::bytes;
}

inline Bytes kind_prefix(const Recipe& recipe, Kind kind) {
    return kind == Kind::feature ? "" : kind != Kind::character ? "word:" : is_raw(recipe, kind) ? "byte:" : "char:";
}

inline bool has_kind(const Recipe& recipe, Kind kind) {
    if (kind == Kind::feature) {
        const auto is_category = [](const Column& column) { return column.is_category; };
        return !recipe.features.empty() || std::any_of(recipe.columns.begin(), recipe.columns.end(), is_category);
    }
    return kind == Kind::character ? static_cast<bool>(recipe.char_ngrams) : recipe.has_words();
}

inline bool is_feature(const Recipe& recipe, Bytes written) {
    const auto is_named = [&](Bytes name) { return std::find(recipe.features.begin(), recipe.features.end(), name) != recipe.features.end(); };
    const auto is_of = [&](const Column& column) {
        const Bytes prefix = column.prefix;
        return written.starts_with(prefix) && (column.is_category || is_named(written.substr(prefix.size())));
    };
    return recipe.columns.empty() ? is_named(written) : std::any_of(recipe.columns.begin(), recipe.columns.end(), is_of);
}

// A recipe with features writes the kind only before terms that could be mistaken for something else.
inline bool needs_prefix(const Recipe& recipe, Kind kind, Bytes written) {
    if (kind == Kind::feature) return false;
    if (recipe.has_words() && recipe.char_ngrams) return true;
    return has_kind(recipe, Kind::feature) && (is_feature(recipe, written) || written.starts_with(kind_prefix(recipe, kind)));
}

// Write bytes that may not be valid UTF-8. An invalid byte becomes \xNN, and a backslash is doubled.
inline void append_escaped(std::string& out, Bytes raw) {
    static constexpr char digits[] = "0123456789abcdef";
    while (!raw.empty()) {
        const std::size_t n = first_invalid(raw);
        for (char byte : raw.substr(0, n)) out.append(byte == '\\' ? 2 : 1, byte);
        raw.remove_prefix(n);
        if (raw.empty()) return;
        const auto byte = static_cast<unsigned char>(raw[0]);
        out.append({'\\', 'x', digits[byte >> 4], digits[byte & 15]});
        raw.remove_prefix(1);
    }
}

// The bytes that were escaped. Nothing if this is not the result of append_escaped.
inline std::optional<std::string> unescape(Bytes text) {
    const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
    std::string raw;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            raw.push_back(text[i]);
        } else if (i + 1 < text.size() && text[i + 1] == '\\') {
            raw.push_back(text[++i]);
        } else if (i + 3 < text.size() && text[i + 1] == 'x' && digit(text[i + 2]) >= 0 && digit(text[i + 3]) >= 0) {
            raw.push_back(static_cast<char>(digit(text[i + 2]) << 4 | digit(text[i + 3])));
            i += 3;
        } else {
            return std::nullopt;
        }
    }
    return raw;
}

// Append a term as it is written. `spell` appends its bytes.
template <class Spell>
void append_term(std::string& out, const Recipe& recipe, Kind kind, Spell spell) {
    const std::size_t begin = out.size();
    if (is_raw(recipe, kind)) {
        std::string raw;
        spell(raw);
        append_escaped(out, raw);
    } else {
        spell(out);
    }
    if (needs_prefix(recipe, kind, Bytes(out).substr(begin))) out.insert(begin, kind_prefix(recipe, kind));
}

inline std::string write_term(const Recipe& recipe, Kind kind, Bytes raw) {
    std::string out;
    append_term(out, recipe, kind, [&](std::string& bytes) { bytes.append(raw); });
    return out;
}

// Append the written form of a term of a vocabulary. `none` is written as nothing.
inline void append_term(std::string& out, const Recipe& recipe, const Vocabulary& vocabulary, Kind kind, Id id) {
    append_term(out, recipe, kind, [&](std::string& bytes) {
        if (id != none) vocabulary.spell(kind, id, bytes);
    });
}

// Add a written term to a vocabulary. If the recipe cannot make such a term, its column stays empty.
inline void read_term(const Recipe& recipe, Bytes written, Id column, Vocabulary& vocabulary) {
    vocabulary.columns.n = std::max(vocabulary.columns.n, column + 1);
    if (is_feature(recipe, written)) return vocabulary.add_spelling(Kind::feature, written, column);
    for (const Kind kind : {Kind::word, Kind::character}) {
        if (!has_kind(recipe, kind)) continue;
        Bytes prefix = kind_prefix(recipe, kind);
        if (!written.starts_with(prefix) || !needs_prefix(recipe, kind, written.substr(prefix.size()))) {
            if (needs_prefix(recipe, kind, written)) continue;
            prefix = "";
        }
        std::string raw(written.substr(prefix.size()));
        if (is_raw(recipe, kind)) {
            const auto bytes = unescape(raw);
            if (!bytes) return;
            raw = *bytes;
        }
        if (kind == Kind::character) return vocabulary.add_spelling(kind, raw, column);
        std::size_t begin = 0;
        Id node = none;
        // A blank separates two tokens. If a token is itself a blank, another blank follows it.
        while (true) {
            std::size_t end = raw.find(' ', begin + (recipe.tokens == Tokens::bytes));
            end = std::min(end, raw.size());
            const Id token = vocabulary.add_word(Bytes(raw).substr(begin, end - begin));
            node = node == none ? token : vocabulary.add_ngram(node, token);
            if (end == raw.size()) break;
            begin = end + 1;
        }
        return vocabulary.set_column(node & ngram_bit ? Kind::ngram : Kind::word, node & ~ngram_bit, column);
    }
}

}  // namespace tercet

// The scope of a negation: from the negation word to the next punctuation mark, or to the end of the paragraph.
#pragma once
#include <algorithm>

#include "base/utf8.hpp"
#include "text/tokenize.hpp"
#include "text/unicode.hpp"

namespace tercet {

// , . ; : ! ? … ( ) [ ] { } " ` and similar marks of other scripts. They end a clause also at the edge of a token; ' - / & * # @ may belong
// to the token.
inline bool ends_clause(char32_t c) {
    switch (c) {
        case ',': case '.': case ';': case ':': case '!': case '?': case '(': case ')': case '[': case ']': case '{': case '}':
        case '"': case '`': case U'…': case U'–': case U'—': case U'“': case U'”': case U'„': case U'«': case U'»': case U'¿': case U'¡':
        case U'،': case U'؛': case U'؟': case U'۔': case U'।': case U'॥': case U'。': case U'、': case U'，': case U'！': case U'？':
        case U'；': case U'：': case U'（': case U'）': case U'「': case U'」':
            return true;
        default: return false;
    }
}

// Whether a token ends in n't: didn't, didn’t, DIDN'T.
inline bool ends_in_nt(Bytes token) {
    if (token.size() < 3 || (token.back() | 0x20) != 't') return false;
    token.remove_suffix(1);
    const bool straight = token.back() == '\'', curly = token.ends_with("’");
    if (!straight && !curly) return false;
    token.remove_suffix(straight ? 1 : 3);
    return !token.empty() && (token.back() | 0x20) == 'n';
}

// Whether a clause ends in this part of a text.
inline bool has_border(Bytes part) {
    int n_lines = 0;
    for (const char* p = part.data(); p < part.data() + part.size();) {
        const char32_t c = read_character(p);
        if (ends_clause(c) || (n_lines += c == U'\n') == 2) return true;
    }
    return false;
}

// Whether a negation ends in the gap between two tokens: at a punctuation mark. An apostrophe or a hyphen alone joins two words.
inline bool ends_negation(Bytes gap) {
    const char* p = gap.data();
    const char* end = p + gap.size();
    const char32_t first = read_character(p);
    const bool joins = is_apostrophe(first) || first == U'-' || first == U'\u2010' || first == U'\u2011';
    if (joins && p == end) return false;
    int n_lines = 0;
    for (p = gap.data(); p < end;) {
        const char32_t c = read_character(p);
        if (is(c, property::punctuation) || (n_lines += c == U'\n') == 2) return true;
    }
    return false;
}

class NegationScope {
  public:
    NegationScope(Bytes text, bool nt_negates) : text_(text), nt_negates_(nt_negates) {}

    void leave() { inside_ = false; }

    // Whether the next token is negated. `negates` says whether it is itself a negation word.
    bool next(const Token& token, bool negates) {
        if (inside_ && (begins_clause(token) || (at_ < token.begin && ends_negation(text_.substr(at_, token.begin - at_))))) inside_ = false;
        at_ = std::max(at_, token.end);
        const bool is_t = nt_negates_ && completes_nt(token), negated = inside_ && !is_t;
        if (negates || is_t) inside_ = true;
        else if (inside_ && ends_clause(last_character(token))) inside_ = false;
        return negated;
    }

  private:
    // Whether a token begins with a mark that ends a clause, or is nothing but punctuation marks.
    bool begins_clause(const Token& token) const {
        const char* p = text_.data() + token.begin;
        const char* end = text_.data() + token.end;
        char32_t c = read_character(p);
        if (ends_clause(c)) return true;
        while (is(c, property::punctuation) && p < end) c = read_character(p);
        return p == end && is(c, property::punctuation);
    }
    char32_t last_character(const Token& token) const {
        std::size_t i = token.end - 1;
        while (i > token.begin && continues(text_[i])) --i;
        const char* p = text_.data() + i;
        return read_character(p);
    }
    // Whether this is the `t` of didn't, for tokenizers that split words at an apostrophe.
    bool completes_nt(const Token& token) const {
        if (token.end - token.begin != 1 || (text_[token.begin] | 0x20) != 't') return false;
        const Bytes before = text_.substr(0, token.begin);
        const std::size_t n = before.ends_with('\'') ? 1 : before.ends_with("’") ? 3 : 0;
        return n && before.size() > n && (before[before.size() - n - 1] | 0x20) == 'n';
    }

    Bytes text_;
    bool nt_negates_;
    std::size_t at_ = 0;
    bool inside_ = false;
};

}  // namespace tercet

// The terms of a vocabulary as Python strings.
#pragma once
#include <string>

#include "bridge/texts.hpp"
#include "terms/spelling.hpp"

namespace tercet {

// The spelling of the term of each column, in order. It is empty if a column does not have a term.
inline Strings spell_terms(const Recipe& recipe, const Vocabulary& vocabulary) {
    Strings result;
    std::string term;
    for (const auto& [kind, id] : vocabulary.list_terms()) {
        term.clear();
        append_term(term, recipe, vocabulary, kind, id);
        result.append(make_str(term));
    }
    return result;
}

}  // namespace tercet

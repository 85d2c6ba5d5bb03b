// The terms of a vocabulary as Python strings.
#pragma once
#include "bridge/texts.hpp"
#include "terms/spelling.hpp"

namespace tercet {

// The spelling of the term of each column, in order. It is empty if a column does not have a term.
inline Strings spell_terms(const Recipe& recipe, const Vocabulary& vocabulary) {
    Strings result;
    for (const auto& [kind, id] : vocabulary.list_terms()) result.append(make_str(spell_term(recipe, vocabulary, kind, id)));
    return result;
}

}  // namespace tercet

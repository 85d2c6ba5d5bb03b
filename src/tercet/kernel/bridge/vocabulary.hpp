// The terms of a vocabulary as Python strings.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "bridge/texts.hpp"
#include "terms/spelling.hpp"

namespace tercet {

// The spelling of the term of each column, in order. It is empty if a column does not have a term.
inline Strings spell_terms(const Recipe& recipe, const Vocabulary& vocabulary) {
    std::vector<std::pair<Kind, Id>> of_column(vocabulary.columns.n, {Kind::word, none});
    for (int kind = 0; kind < n_kinds; ++kind) {
        const auto& columns = vocabulary.columns.of_kind[kind];
        for (Id id = 0; id < columns.size(); ++id)
            if (columns[id] != none) of_column[columns[id]] = {static_cast<Kind>(kind), id};
    }
    Strings result;
    std::string raw;
    for (const auto& [kind, id] : of_column) {
        raw.clear();
        if (id != none) vocabulary.spell(kind, id, raw);
        result.append(make_str(write_term(recipe, kind, raw)));
    }
    return result;
}

}  // namespace tercet

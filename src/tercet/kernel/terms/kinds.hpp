// The kinds of terms, and the numbers they go by.
#pragma once
#include "base/hash_table.hpp"

namespace tercet {

enum class Kind { word, ngram, character, feature };
inline constexpr Kind kinds[] = {Kind::word, Kind::ngram, Kind::character, Kind::feature};
inline constexpr int n_kinds = 4;
inline constexpr Id ngram_bit = 0x80000000;
inline constexpr Id unmet = 0xFFFFFFFE;  // a term that nobody has numbered

}  // namespace tercet

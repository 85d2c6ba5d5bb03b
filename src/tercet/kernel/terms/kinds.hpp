// The kinds of terms, and special numbers of terms.
#pragma once
#include "base/hashing.hpp"

namespace tercet {

enum class Kind { word, ngram, character, feature };
inline constexpr Kind kinds[] = {Kind::word, Kind::ngram, Kind::character, Kind::feature};
inline constexpr int n_kinds = 4;
inline constexpr Id ngram_bit = 0x80000000;  // marks the number of an n-gram, not of a word
inline constexpr Id unmet = 0xFFFFFFFE;  // a term that does not have a number

}  // namespace tercet

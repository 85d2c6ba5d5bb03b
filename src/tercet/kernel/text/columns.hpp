// The columns of a text that joins several: where each part begins and ends.
#pragma once
#include <algorithm>

#include "base/utf8.hpp"

namespace tercet {

inline constexpr char separator = '\x1f';  // U+001F, the unit separator: no text needs it

// Call take(column, begin, part) for each of the n parts of a text. `begin` is in bytes. Missing parts are empty, and the last part has
// all further separators.
template <class Take>
void each_part(Bytes text, std::size_t n, Take take) {
    std::size_t begin = 0;
    for (std::size_t column = 0; column < n; ++column) {
        const std::size_t end = column + 1 < n ? std::min(text.find(separator, begin), text.size()) : text.size();
        take(column, begin, text.substr(begin, end - begin));
        begin = std::min(end + 1, text.size());
    }
}

}  // namespace tercet

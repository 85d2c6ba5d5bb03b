// Sums of squared weights as arrays: a row (high, low) for each sum, which is high · 2⁶⁴ + low in units of 2⁻⁴⁰.
#pragma once
#include <span>
#include <utility>

#include "base/square_sum.hpp"
#include "bridge/arrays.hpp"

namespace tercet {

using Squares = InputTable<std::uint64_t>;
using SquareArray = Output<std::uint64_t>;

inline SquareArray copy_squares(std::span<const SquareSum> sums) {
    std::unique_ptr<std::uint64_t[]> words(new std::uint64_t[sums.size() * 2]);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        words[i * 2] = sums[i].high;
        words[i * 2 + 1] = sums[i].low;
    }
    return take_array(std::move(words), {sums.size(), std::size_t{2}});
}

}  // namespace tercet

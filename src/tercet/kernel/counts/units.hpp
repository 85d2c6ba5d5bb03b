// Counts and weights as integers in units of 2⁻²⁰, so that sums of weighted documents are exact.
#pragma once
#include <cmath>
#include <cstdint>

namespace tercet {

using Units = std::int64_t;
inline constexpr Units one = Units{1} << 20;

constexpr Units max_units = Units{1} << 62;  // sums stay below this

inline double to_number(Units units) { return static_cast<double>(units) / static_cast<double>(one); }

// A count times a weight, in units. A whole weight gives the same as that number of copies. Learning a document and leaving it out
// use the same units.
inline Units to_units(double count, Units weight) {
    if (count == 1) return weight;
    const Units units = std::llround(count * static_cast<double>(one));
    return units * (weight / one) + std::llround(static_cast<double>(units) * static_cast<double>(weight % one) / static_cast<double>(one));
}

}  // namespace tercet

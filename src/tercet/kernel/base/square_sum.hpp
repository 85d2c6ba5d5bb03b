// Exact sums of squared weights. A weight has units of 2⁻²⁰, so its square has units of 2⁻⁴⁰ and needs up to 124 bits. Not every compiler
// has an integer type of 128 bits.
#pragma once
#include <compare>
#include <cstdint>

namespace tercet {

struct SquareSum {
    std::uint64_t high = 0, low = 0;  // high · 2⁶⁴ + low

    static constexpr SquareSum product(std::uint64_t a, std::uint64_t b) {
        constexpr std::uint64_t half = 0xFFFFFFFF;
        const std::uint64_t a_low = a & half, a_high = a >> 32, b_low = b & half, b_high = b >> 32;
        const std::uint64_t lows = a_low * b_low, across = a_low * b_high, back = a_high * b_low;
        const std::uint64_t middle = (lows >> 32) + (across & half) + (back & half);
        return {a_high * b_high + (across >> 32) + (back >> 32) + (middle >> 32), (middle << 32) | (lows & half)};
    }
    static constexpr SquareSum square(std::int64_t weight) {
        const auto size = static_cast<std::uint64_t>(weight < 0 ? -weight : weight);
        return product(size, size);
    }

    constexpr SquareSum& operator+=(const SquareSum& other) {
        const SquareSum added = other;  // it may be this sum itself
        low += added.low;
        high += added.high + (low < added.low);
        return *this;
    }
    constexpr SquareSum& operator-=(const SquareSum& other) {
        high -= other.high + (low < other.low);
        low -= other.low;
        return *this;
    }
    constexpr auto operator<=>(const SquareSum&) const = default;

    constexpr double to_number() const { return (static_cast<double>(high) * 0x1p64 + static_cast<double>(low)) * 0x1p-40; }

    // Whether weights, each at least one unit, can have this sum of squares and the sum `total`.
    constexpr bool fits(std::int64_t total) const {
        const auto sum = static_cast<std::uint64_t>(total);
        return total >= 0 && *this >= product(sum, 1) && *this <= product(sum, sum);
    }
};

}  // namespace tercet

// Random orders that are the same on every machine.
#pragma once
#include <cstdint>
#include <span>
#include <utility>

namespace tercet {

inline std::uint64_t scramble(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

// The order belongs to the three numbers alone, and to the order before.
template <class T>
void shuffle(std::span<T> items, std::uint64_t seed, std::uint64_t problem, std::uint64_t epoch) {
    std::uint64_t state = scramble(scramble(scramble(seed) + problem) + epoch);
    for (std::size_t n = items.size(); n > 1; --n) {
        state += 0x9E3779B97F4A7C15;
        std::swap(items[n - 1], items[scramble(state) % n]);
    }
}

}  // namespace tercet

// Sort small records by a number. For long rows of a matrix this is faster than sorting by comparison.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace tercet {

// Sort by key(item), which is below `limit`. `scratch` is memory that can be reused.
template <class Item, class Key>
void radix_sort(std::vector<Item>& items, std::vector<Item>& scratch, std::uint64_t limit, Key key) {
    constexpr int digit_bits = 8;
    if (items.size() < 64) {
        std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return key(a) < key(b); });
        return;
    }
    scratch.resize(items.size());
    for (int shift = 0; shift < static_cast<int>(std::bit_width(limit)); shift += digit_bits) {
        const auto digit = [&](const Item& item) { return key(item) >> shift & ((1 << digit_bits) - 1); };
        std::array<std::uint32_t, 1 << digit_bits> next{};
        for (const Item& item : items) ++next[digit(item)];
        std::uint32_t start = 0;
        for (std::uint32_t& n : next) start += std::exchange(n, start);
        for (const Item& item : items) scratch[next[digit(item)]++] = item;
        items.swap(scratch);
    }
}

}  // namespace tercet

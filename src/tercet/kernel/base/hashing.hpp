// Numbers (ids) of terms, labels and columns, and the keys of hash tables.
#pragma once
#include <cstdint>
#include <cstring>
#include <random>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

#include "base/utf8.hpp"

namespace tercet {

using Id = std::uint32_t;
inline constexpr Id none = 0xFFFFFFFF;
// The top bit distinguishes n-grams from words, so there can be 2³¹ of each.
inline constexpr Id max_ids = 0x7FFFFFF0;

// Load memory that will be read soon into the cache.
inline void fetch(const void* p) {
#if defined(__GNUC__)
    __builtin_prefetch(p);
#else
    (void)p;
#endif
}

// The exclusive or of the two halves of a 128-bit product.
inline std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) {
#if defined(_MSC_VER) && defined(_M_X64)
    std::uint64_t high;
    const std::uint64_t low = _umul128(a, b, &high);
    return low ^ high;
#elif defined(_MSC_VER)
    return (a * b) ^ __umulh(a, b);
#else
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#endif
}

// A random seed for each process, so that nobody can write a text whose words all have the same slot. No result depends on it: ids are
// given in the order of arrival, and terms are sorted at the end.
struct HashSeed {
    std::uint64_t a, b;
    bool operator==(const HashSeed&) const = default;
    static const HashSeed& get() {
        static const HashSeed seed = [] {
            std::random_device device;
            const auto draw = [&] { return std::uint64_t{device()} << 32 | device(); };
            return HashSeed{draw(), draw() | 1};
        }();
        return seed;
    }
};

// Up to seven bytes are their own key. Longer texts are hashed, and the top bit is set.
inline bool is_exact(std::uint64_t key) { return !(key >> 63); }

inline std::uint64_t hash_of(Bytes text, const HashSeed& seed) {
    const auto [a, b] = seed;
    const char* p = text.data();
    std::uint64_t h = a ^ text.size();
    for (std::size_t left = text.size(); left > 8; left -= 8, p += 8) h = fold_product(h ^ load64(p), b);
    h = fold_product(h ^ load64(text.data() + text.size() - 8), b);
    return h | std::uint64_t{1} << 63;
}

// Eight bytes from text.data() on must be readable, whatever its size.
inline std::uint64_t key_of_padded(Bytes text, const HashSeed& seed = HashSeed::get()) {
    if (text.size() >= 8) return hash_of(text, seed);
    const std::uint64_t mask = (std::uint64_t{1} << (8 * text.size())) - 1;
    return (load64(text.data()) & mask) | std::uint64_t{text.size()} << 56;
}

inline std::uint64_t key_of(Bytes text, const HashSeed& seed = HashSeed::get()) {
    if (text.size() >= 8) return hash_of(text, seed);
    char padded[8] = {};
    std::memcpy(padded, text.data(), text.size());
    return key_of_padded(Bytes(padded, text.size()));
}

inline std::uint64_t key_of(Id first, Id second) { return std::uint64_t{first} << 32 | second; }

// The slot of a key, before it is reduced to the size of the table.
inline std::uint64_t spread(std::uint64_t key, const HashSeed& seed) { return fold_product(key ^ seed.a, seed.b); }

}  // namespace tercet

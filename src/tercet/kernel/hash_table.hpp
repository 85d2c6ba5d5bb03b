// Hash tables that number their keys 0, 1, 2 … in the order of arrival: strings, and pairs of numbers.
#pragma once
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

#include "large_vector.hpp"
#include "utf8.hpp"

namespace tercet {

using Id = std::uint32_t;
inline constexpr Id none = 0xFFFFFFFF;
// The top bit tells n-grams from words, so either has room for 2³¹.
inline constexpr Id max_ids = 0x7FFFFFF0;

// Memory that is about to be read.
inline void fetch(const void* p) {
#if defined(__GNUC__)
    __builtin_prefetch(p);
#else
    (void)p;
#endif
}

// The two halves of a product of 128 bits, one folded over the other.
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

// Drawn anew in each process, so that nobody can write a text whose words all fall on one slot. Numbers are given in the
// order of arrival and terms are sorted in the end: no result depends on it.
struct HashSeed {
    std::uint64_t a, b;
    static const HashSeed& get() {
        static const HashSeed seed = [] {
            std::random_device device;
            const auto draw = [&] { return std::uint64_t{device()} << 32 | device(); };
            return HashSeed{draw(), draw() | 1};
        }();
        return seed;
    }
};

// Open addressing over 64-bit keys. `same(id)` settles whether an equal key is really the same thing.
class Slots {
  public:
    Slots() { resize(64); }

    template <class Same>
    Id find(std::uint64_t key, Same same) const {
        for (std::size_t i = home(key);; i = (i + 1) & mask_) {
            const Slot& slot = slots_[i];
            if (slot.id == none || (slot.key == key && same(slot.id))) return slot.id;
        }
    }

    // The id of the key; `next_id` is taken when it is new.
    template <class Same>
    Id intern(std::uint64_t key, Id next_id, Same same) {
        for (std::size_t i = home(key);; i = (i + 1) & mask_) {
            Slot& slot = slots_[i];
            if (slot.id == none) {
                if (next_id >= max_ids) throw std::length_error("more than 2 billion distinct terms");
                slot = {key, next_id};
                if (++used_ * 2 > slots_.size()) resize(slots_.size() * 2);
                return next_id;
            }
            if (slot.key == key && same(slot.id)) return slot.id;
        }
    }

    void prefetch(std::uint64_t key) const { fetch(&slots_[home(key)]); }

    // Room for so many keys.
    void reserve(std::size_t n) {
        std::size_t size = slots_.size();
        while (n * 2 > size) size *= 2;
        if (size > slots_.size()) resize(size);
    }

  private:
    struct Slot {
        std::uint64_t key = 0;
        Id id = none;
    };

    std::size_t home(std::uint64_t key) const { return fold_product(key ^ seed_.a, seed_.b) & mask_; }

    void resize(std::size_t size) {
        LargeVector<Slot> old(size);
        old.swap(slots_);
        mask_ = size - 1;
        for (const Slot& slot : old) {
            if (slot.id == none) continue;
            std::size_t i = home(slot.key);
            while (slots_[i].id != none) i = (i + 1) & mask_;
            slots_[i] = slot;
        }
    }

    HashSeed seed_ = HashSeed::get();
    LargeVector<Slot> slots_;
    std::size_t mask_ = 0, used_ = 0;
};

// Up to seven bytes are their own key; longer ones are hashed, with the top bit set.
inline bool is_exact(std::uint64_t key) { return !(key >> 63); }

inline std::uint64_t hash_of(Bytes text) {
    const auto [a, b] = HashSeed::get();
    const char* p = text.data();
    std::uint64_t h = a ^ text.size();
    for (std::size_t left = text.size(); left > 8; left -= 8, p += 8) h = fold_product(h ^ load64(p), b);
    h = fold_product(h ^ load64(text.data() + text.size() - 8), b);
    return h | std::uint64_t{1} << 63;
}

// Eight bytes from text.data() on must be readable, whatever its size.
inline std::uint64_t key_of_padded(Bytes text) {
    if (text.size() >= 8) return hash_of(text);
    const std::uint64_t mask = (std::uint64_t{1} << (8 * text.size())) - 1;
    return (load64(text.data()) & mask) | std::uint64_t{text.size()} << 56;
}

inline std::uint64_t key_of(Bytes text) {
    if (text.size() >= 8) return hash_of(text);
    char padded[8] = {};
    std::memcpy(padded, text.data(), text.size());
    return key_of_padded(Bytes(padded, text.size()));
}

class StringTable {
  public:
    StringTable() : ends_{0} {}

    Id intern(Bytes text) { return intern(text, key_of(text)); }

    // For a key that is known already.
    Id intern(Bytes text, std::uint64_t key) {
        const Id id = slots_.intern(key, size(), [&](Id i) { return is_exact(key) || is_same(i, text); });
        if (id == size()) {
            bytes_.append(text);
            ends_.push_back(bytes_.size());
        }
        return id;
    }
    Id find(Bytes text, std::uint64_t key) const {
        return slots_.find(key, [&](Id i) { return is_exact(key) || is_same(i, text); });
    }

    Bytes spelling(Id id) const { return Bytes(bytes_).substr(ends_[id], ends_[id + 1] - ends_[id]); }
    Id size() const { return static_cast<Id>(ends_.size() - 1); }
    std::size_t n_bytes() const { return bytes_.size(); }

  private:
    // Both have eight bytes or more.
    bool is_same(Id id, Bytes text) const {
        const char *a = bytes_.data() + ends_[id], *b = text.data();
        std::size_t left = text.size();
        if (ends_[id + 1] - ends_[id] != left) return false;
        for (; left > 8; left -= 8, a += 8, b += 8)
            if (load64(a) != load64(b)) return false;
        return load64(a + left - 8) == load64(b + left - 8);
    }

    Slots slots_;
    std::string bytes_;
    std::vector<std::uint64_t> ends_;
};

class PairTable {
  public:
    Id intern(Id first, Id second) {
        const std::uint64_t key = key_of(first, second);
        const Id id = slots_.intern(key, size(), [](Id) { return true; });
        if (id == size()) pairs_.push_back({first, second});
        return id;
    }
    Id find(Id first, Id second) const {
        return slots_.find(key_of(first, second), [](Id) { return true; });
    }
    void prefetch(Id first, Id second) const { slots_.prefetch(key_of(first, second)); }
    void reserve(std::size_t n) {
        slots_.reserve(n);
        pairs_.reserve(n);
    }
    Id first(Id id) const { return pairs_[id].first; }
    Id second(Id id) const { return pairs_[id].second; }
    Id size() const { return static_cast<Id>(pairs_.size()); }

  private:
    struct Pair {
        Id first, second;
    };
    static std::uint64_t key_of(Id first, Id second) { return std::uint64_t{first} << 32 | second; }

    Slots slots_;
    std::vector<Pair> pairs_;
};

}  // namespace tercet

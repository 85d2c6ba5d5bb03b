// Hash tables inside a file. They are read in place, without a copy, and every number in them is checked before it is used.
// They depend only on their content, so equal contents give equal bytes.
#pragma once
#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <vector>

#include "base/fingerprint.hpp"

namespace tercet {

struct Pair {
    Id first, second;
    bool operator==(const Pair&) const = default;
};

struct FrozenSlot {
    Id id = none;
    std::uint32_t tag = 0;  // the other half of the hash
};

// The seed is computed from the content. Someone who searches for words with equal slots changes the seed with every attempt.
inline HashSeed seed_of(Bytes content) {
    const Fingerprint print = Fingerprinter::of(content);
    return {print[0], print[1] | 1};
}

class FrozenSlots {
  public:
    FrozenSlots() = default;
    FrozenSlots(std::span<const FrozenSlot> slots, HashSeed seed) : slots_(slots), mask_(slots.size() - 1), seed_(seed) {}

    // Slots for these hashes, which are in the order of their numbers. At least a quarter of the slots stays free.
    static std::vector<FrozenSlot> make(std::span<const std::uint64_t> hashes) {
        std::vector<FrozenSlot> slots(std::bit_ceil(hashes.size() + hashes.size() / 3 + 1));
        for (std::size_t id = 0; id < hashes.size(); ++id) {
            std::size_t i = hashes[id] & (slots.size() - 1);
            while (slots[i].id != none) i = (i + 1) & (slots.size() - 1);
            slots[i] = {static_cast<Id>(id), static_cast<std::uint32_t>(hashes[id] >> 32)};
        }
        return slots;
    }

    template <class Same>
    Id find(std::uint64_t key, Same same) const {
        const std::uint64_t hash = spread(key, seed_);
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        for (std::size_t i = hash & mask_, n = 0; n <= mask_; i = (i + 1) & mask_, ++n) {
            const FrozenSlot& slot = slots_[i];
            if (slot.id == none) return none;
            if (slot.tag == tag && same(slot.id)) return slot.id;
        }
        return none;
    }
    void prefetch(std::uint64_t key) const { fetch(&slots_[spread(key, seed_) & mask_]); }

    // Whether these are the slots that `make` gives for n keys with this seed, and no key is there twice. The time is linear in n,
    // because each search ends at the first slot that `make` would not have passed.
    template <class KeyOf, class Same>
    bool is_sound(std::size_t n, const HashSeed& seed, KeyOf key_of, Same same) const {
        if (seed != seed_ || slots_.size() != std::bit_ceil(n + n / 3 + 1)) return false;
        const auto is_free = [](const FrozenSlot& slot) { return slot.id == none && slot.tag == 0; };
        if (slots_.size() - static_cast<std::size_t>(std::count_if(slots_.begin(), slots_.end(), is_free)) != n) return false;
        for (Id id = 0; id < n; ++id) {
            const std::uint64_t hash = spread(key_of(id), seed_);
            const auto tag = static_cast<std::uint32_t>(hash >> 32);
            std::size_t i = hash & mask_;
            for (; slots_[i].id < id; i = (i + 1) & mask_)
                if (slots_[i].tag == tag && same(slots_[i].id, id)) return false;
            if (slots_[i].id != id || slots_[i].tag != tag) return false;
        }
        return true;
    }
    const HashSeed& seed() const { return seed_; }
    bool is_missing() const { return slots_.empty(); }

  private:
    std::span<const FrozenSlot> slots_{};  // the size is a power of two, or 0
    std::size_t mask_ = 0;
    HashSeed seed_{};
};

class FrozenStrings {
  public:
    // ends begin with 0: string i is bytes[ends[i]] … bytes[ends[i + 1]].
    FrozenStrings(Bytes bytes, std::span<const std::uint64_t> ends, FrozenSlots slots) : bytes_(bytes), ends_(ends), slots_(slots) {}

    static std::vector<FrozenSlot> make_slots(Bytes bytes, std::span<const std::uint64_t> ends) {
        const HashSeed seed = seed_of(bytes);
        std::vector<std::uint64_t> hashes;
        for (std::size_t i = 0; i + 1 < ends.size(); ++i)
            hashes.push_back(spread(key_of(bytes.substr(ends[i], ends[i + 1] - ends[i]), seed), seed));
        return FrozenSlots::make(hashes);
    }

    const HashSeed& seed() const { return slots_.seed(); }
    bool has_slots() const { return !slots_.is_missing(); }
    Id find(Bytes text, std::uint64_t key) const {
        return slots_.find(key, [&](Id id) { return id < size() && spelling(id) == text; });
    }
    Id size() const { return static_cast<Id>(ends_.size() - 1); }
    Bytes spelling(Id id) const {
        const std::uint64_t begin = ends_[id], end = ends_[id + 1];
        return begin <= end && end <= bytes_.size() ? bytes_.substr(begin, end - begin) : Bytes();
    }
    bool is_sound() const {
        if (ends_.front() != 0 || !std::is_sorted(ends_.begin(), ends_.end()) || ends_.back() != bytes_.size()) return false;
        if (!has_slots()) return true;
        const HashSeed seed = seed_of(bytes_);
        const auto same = [&](Id a, Id b) { return spelling(a) == spelling(b); };
        return slots_.is_sound(size(), seed, [&](Id id) { return key_of(spelling(id), seed); }, same);
    }

  private:
    Bytes bytes_;
    std::span<const std::uint64_t> ends_;
    FrozenSlots slots_;
};

class FrozenPairs {
  public:
    FrozenPairs(std::span<const Pair> pairs, FrozenSlots slots) : pairs_(pairs), slots_(slots) {}

    static HashSeed seed_of_pairs(std::span<const Pair> pairs) {
        return seed_of(Bytes(reinterpret_cast<const char*>(pairs.data()), pairs.size_bytes()));
    }
    static std::vector<FrozenSlot> make_slots(std::span<const Pair> pairs) {
        const HashSeed seed = seed_of_pairs(pairs);
        std::vector<std::uint64_t> hashes;
        hashes.reserve(pairs.size());
        for (const Pair& pair : pairs) hashes.push_back(spread(key_of(pair.first, pair.second), seed));
        return FrozenSlots::make(hashes);
    }

    Id find(const Pair& pair) const {
        return slots_.find(key_of(pair.first, pair.second), [&](Id id) { return id < size() && pairs_[id] == pair; });
    }
    bool has_slots() const { return !slots_.is_missing(); }
    void prefetch(const Pair& pair) const { slots_.prefetch(key_of(pair.first, pair.second)); }
    Id size() const { return static_cast<Id>(pairs_.size()); }
    const Pair& operator[](Id id) const { return pairs_[id]; }
    bool is_sound() const {
        if (!has_slots()) return true;
        const auto key = [&](Id id) { return key_of(pairs_[id].first, pairs_[id].second); };
        return slots_.is_sound(size(), seed_of_pairs(pairs_), key, [&](Id a, Id b) { return pairs_[a] == pairs_[b]; });
    }

  private:
    std::span<const Pair> pairs_;
    FrozenSlots slots_;
};

}  // namespace tercet

// Hash tables that number their keys 0, 1, 2 … in the order in which they arrive: strings, and pairs of numbers. A table can start as
// one inside a file (frozen). It is copied (thawed) when the first new key arrives.
#pragma once
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/frozen.hpp"
#include "base/large_vector.hpp"

namespace tercet {

// Open addressing over 64-bit keys. Keys that differ may have equal 64 bits: `same(id)` says whether it is the same key.
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

    // The number of the key. A new key gets the number `next_id`.
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

    // Make room for n keys.
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

    std::size_t home(std::uint64_t key) const { return spread(key, seed_) & mask_; }

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

class StringTable {
  public:
    StringTable() : ends_{0} {}
    explicit StringTable(const FrozenStrings& frozen) : ends_{0}, frozen_(frozen) {
        if (frozen.has_slots()) return;
        if (!frozen.is_sound()) throw std::invalid_argument("the vocabulary is damaged");
        thaw();
    }

    Id intern(Bytes text) { return intern(text, key_of(text)); }

    // The same if the hash key is known already.
    Id intern(Bytes text, std::uint64_t key) {
        if (frozen_) [[unlikely]] thaw();
        return intern_own(text, key);
    }

    Id find(Bytes text) const { return frozen_ ? frozen_->find(text, key_of(text, frozen_->seed())) : find(text, key_of(text)); }
    // Eight bytes from text.data() on must be readable.
    Id find_padded(Bytes text) const {
        return frozen_ ? frozen_->find(text, key_of_padded(text, frozen_->seed())) : find(text, key_of_padded(text));
    }

    Bytes spelling(Id id) const {
        return frozen_ ? frozen_->spelling(id) : Bytes(bytes_).substr(ends_[id], ends_[id + 1] - ends_[id]);
    }
    Id size() const { return frozen_ ? frozen_->size() : static_cast<Id>(ends_.size() - 1); }
    std::size_t n_bytes() const { return bytes_.size(); }
    bool is_sound() const { return !frozen_ || frozen_->is_sound(); }

    // Copy a frozen table, so that new keys can be added. If the frozen table is damaged, this throws and changes nothing.
    void thaw() {
        if (!frozen_) return;
        StringTable thawed;
        for (Id id = 0; id < frozen_->size(); ++id)
            if (thawed.intern_own(frozen_->spelling(id), key_of(frozen_->spelling(id))) != id) throw std::invalid_argument("a spelling is there twice");
        *this = std::move(thawed);
    }

  private:
    Id intern_own(Bytes text, std::uint64_t key) {
        const Id next = static_cast<Id>(ends_.size() - 1);
        const Id id = slots_.intern(key, next, [&](Id i) { return is_exact(key) || is_same(i, text); });
        if (id == next) {
            bytes_.append(text);
            ends_.push_back(bytes_.size());
        }
        return id;
    }
    Id find(Bytes text, std::uint64_t key) const {
        return slots_.find(key, [&](Id i) { return is_exact(key) || is_same(i, text); });
    }

    // Both must have eight bytes or more.
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
    std::optional<FrozenStrings> frozen_;
};

class PairTable {
  public:
    PairTable() = default;
    explicit PairTable(const FrozenPairs& frozen) : frozen_(frozen) {
        if (!frozen.has_slots()) thaw();
    }

    Id intern(Id first, Id second) {
        if (frozen_) [[unlikely]] thaw();
        return intern_own(first, second);
    }
    Id find(Id first, Id second) const {
        return frozen_ ? frozen_->find({first, second}) : slots_.find(key_of(first, second), [](Id) { return true; });
    }
    void prefetch(Id first, Id second) const {
        frozen_ ? frozen_->prefetch({first, second}) : slots_.prefetch(key_of(first, second));
    }
    void reserve(std::size_t n) {
        thaw();
        slots_.reserve(n);
        if (n > pairs_.capacity()) pairs_.reserve(std::max(n, pairs_.capacity() * 3 / 2));  // so that many small steps do not copy often
    }
    Id first(Id id) const { return pair(id).first; }
    Id second(Id id) const { return pair(id).second; }
    bool is_sound() const { return !frozen_ || frozen_->is_sound(); }
    Id size() const { return frozen_ ? frozen_->size() : static_cast<Id>(pairs_.size()); }

    // As in StringTable.
    void thaw() {
        if (!frozen_) return;
        PairTable thawed;
        thawed.reserve(frozen_->size());
        for (Id id = 0; id < frozen_->size(); ++id)
            if (thawed.intern_own((*frozen_)[id].first, (*frozen_)[id].second) != id) throw std::invalid_argument("an n-gram is there twice");
        *this = std::move(thawed);
    }

  private:
    Id intern_own(Id first, Id second) {
        const Id next = static_cast<Id>(pairs_.size());
        const Id id = slots_.intern(key_of(first, second), next, [](Id) { return true; });
        if (id == next) pairs_.push_back({first, second});
        return id;
    }
    const Pair& pair(Id id) const { return frozen_ ? (*frozen_)[id] : pairs_[id]; }

    Slots slots_;
    std::vector<Pair> pairs_;
    std::optional<FrozenPairs> frozen_;
};

}  // namespace tercet

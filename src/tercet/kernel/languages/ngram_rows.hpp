// Words → costs of languages: for each letter, the row of the longest known n-gram that ends there is added.
//
// An n-gram is an integer of at most 40 bits, its last symbol lowest. The row has a cost for each label, 0 for the best one, and the
// surprise is the cost of that one. A letter that is in no known n-gram, alone or not, counts for nothing.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/large_vector.hpp"
#include "languages/letters.hpp"

namespace tercet {

// What was added up for one text, or for a part of it.
struct LanguageCosts {
    std::vector<std::uint32_t> costs{};  // of each label of the system, and zeros up to the stride of its rows
    std::uint64_t surprise = 0;
    std::uint32_t n_events = 0;  // letters and ends of words that a row was found for

    void clear(std::size_t stride) {
        costs.assign(stride, 0);
        surprise = n_events = 0;
    }
};

class NgramTable {
  public:
    static constexpr std::uint64_t boundary = 1;
    static constexpr std::size_t lanes = 16;

    NgramTable(unsigned n_bits, unsigned order, std::size_t n_labels, std::span<const std::uint64_t> keys, const std::uint8_t* costs,
               const std::uint8_t* surprise)
        : n_bits_(n_bits), order_(order), n_labels_(n_labels), stride_((n_labels + lanes - 1) / lanes * lanes) {
        if (!n_bits || n_bits > 16 || !order || n_bits * order > 40) throw std::invalid_argument("the n-grams are too long");
        if (keys.size() >= 1 << 24) throw std::invalid_argument("there are too many n-grams");
        const unsigned log_size = std::bit_width(keys.size() + keys.size() / 2 + 1);
        slots_.assign(std::size_t{1} << log_size, 0);
        shift_ = 64 - log_size;
        rows_.assign(keys.size() * stride_, 0);
        surprise_.assign(surprise, surprise + keys.size());
        for (std::size_t row = 0; row < keys.size(); ++row) {
            if (!keys[row] || keys[row] >> (n_bits * order) || (row && keys[row] <= keys[row - 1]))
                throw std::invalid_argument("the n-grams are not in order");
            std::copy_n(costs + row * n_labels, n_labels, rows_.data() + row * stride_);
            std::size_t slot = place(keys[row]);
            while (slots_[slot]) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = keys[row] << 24 | row;
        }
    }

    std::size_t n_labels() const { return n_labels_; }
    std::size_t stride() const { return stride_; }

    // Add a word: its letters, without the 0 after it.
    void add(std::span<const Letter> word, LanguageCosts& sum) const {
        const std::uint64_t mask = (std::uint64_t{1} << (n_bits_ * order_)) - 1;
        std::uint64_t key = boundary;
        unsigned length = 1;
        for (const Letter letter : word) {
            key = (key << n_bits_ | symbol_of(letter)) & mask;
            if (length < order_) ++length;
            add_row(key, length, sum);
        }
        add_row((key << n_bits_ | boundary) & mask, std::min(length + 1, order_), sum);
    }

  private:
    std::size_t place(std::uint64_t key) const { return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15 >> shift_); }

    std::int64_t find(std::uint64_t key) const {
        for (std::size_t slot = place(key); slots_[slot]; slot = (slot + 1) & (slots_.size() - 1))
            if (slots_[slot] >> 24 == key) return static_cast<std::int64_t>(slots_[slot] & 0xFFFFFF);
        return -1;
    }

    void add_row(std::uint64_t key, unsigned length, LanguageCosts& sum) const {
        for (; length; --length, key &= (std::uint64_t{1} << (n_bits_ * length)) - 1) {
            const std::int64_t row = find(key);
            if (row < 0) continue;
            const std::uint8_t* const costs = rows_.data() + static_cast<std::size_t>(row) * stride_;
            for (std::size_t i = 0; i < stride_; i += lanes)
                for (std::size_t k = 0; k < lanes; ++k) sum.costs[i + k] += costs[i + k];
            sum.surprise += surprise_[static_cast<std::size_t>(row)];
            ++sum.n_events;
            return;
        }
    }

    unsigned n_bits_, order_, shift_;
    std::size_t n_labels_, stride_;
    LargeVector<std::uint64_t> slots_;  // key << 24 | row; 0 is empty
    LargeVector<std::uint8_t> rows_;
    std::vector<std::uint8_t> surprise_;
};

}  // namespace tercet

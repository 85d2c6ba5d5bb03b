// Words → costs of languages: for each letter, the row of the longest known n-gram that ends there is added.
//
// An n-gram is an integer of at most 40 bits, its last symbol lowest. The row has a cost for each label, 0 for the best one, and the
// surprise is the cost of that one. A letter that is in no known n-gram, alone or not, counts for nothing.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/large_vector.hpp"
#include "base/prefetch.hpp"
#include "languages/letters.hpp"

namespace tercet {

// What was added up for one text, or for a part of it.
struct LanguageCosts {
    std::vector<std::uint64_t> costs{};  // of each label of the system, then the surprise, then zeros
    std::uint64_t n_events = 0;          // letters and ends of words that a row was found for
};

class NgramTable {
  public:
    using Row = std::uint32_t;
    static constexpr std::uint64_t boundary = 1;

    NgramTable(unsigned n_bits, unsigned order, std::size_t n_labels, std::span<const std::uint64_t> keys, const std::uint8_t* costs,
               const std::uint8_t* surprise)
        : n_bits_(n_bits), order_(order), n_labels_(n_labels), stride_((n_labels + lanes) / lanes * lanes) {
        if (!n_bits || n_bits > 16 || !order || order > 40 || n_bits * order > 40) throw std::invalid_argument("the n-grams are too long");
        if (keys.size() >= 1 << 24) throw std::invalid_argument("there are too many n-grams");
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (!keys[i] || keys[i] >> (n_bits * order) || (i && keys[i] <= keys[i - 1])) throw std::invalid_argument("the n-grams are not in order");
        // An n-gram is in the bucket of its last symbols, the longest first. Its place among all n-grams is that of its row.
        bucket_shift_ = 64 - static_cast<unsigned>(std::bit_width(keys.size() + 1));
        std::vector<Row> ordered(keys.size());
        std::iota(ordered.begin(), ordered.end(), 0);
        std::ranges::sort(ordered, {}, [&](Row i) { return std::pair(find_bucket(cut(keys[i], n_shared)), ~keys[i]); });
        starts_.assign((std::size_t{1} << (64 - bucket_shift_)) + 1, 0);
        for (const std::uint64_t key : keys) ++starts_[find_bucket(cut(key, n_shared)) + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        entries_.resize(keys.size());
        rows_.assign(keys.size() * stride_, 0);
        for (std::size_t row = 0; row < ordered.size(); ++row) {
            const std::size_t i = ordered[row];
            const auto length = (static_cast<unsigned>(std::bit_width(keys[i])) + n_bits - 1) / n_bits;
            entries_[row] = keys[i] << 8 | n_bits * (order - length);
            std::copy_n(costs + i * n_labels, n_labels, rows_.data() + row * stride_);
            rows_[row * stride_ + n_labels] = surprise[i];
        }
    }

    std::size_t n_labels() const { return n_labels_; }
    unsigned n_bits() const { return n_bits_; }

    // What is found on the way from the letters of a text to its rows.
    struct Search {
        std::vector<std::uint64_t> keys{};  // the longest n-gram that ends at each letter
        std::vector<Row> rows{};
        std::size_t n_keys = 0, n_rows = 0;

        // Room for the n-grams of so many letters and ends of words. What was found before is forgotten.
        void begin(std::size_t n) {
            if (keys.size() < n) keys.resize(n), rows.resize(n);
            n_keys = n_rows = 0;
        }
    };

    // Note the n-grams of a word: its letters, without the 0 after it.
    void add_keys(std::span<const Letter> word, Search& search) const {
        const std::uint64_t mask = (std::uint64_t{1} << (n_bits_ * order_)) - 1;
        std::uint64_t key = boundary;
        const auto add = [&](std::uint64_t symbol) {
            search.keys[search.n_keys++] = key = (key << n_bits_ | symbol) & mask;
            prefetch(starts_.data() + find_bucket(cut(key, n_shared)));
        };
        for (const Letter letter : word) add(symbol_of(letter));
        add(boundary);
    }

    // Find the row of the longest known end of each n-gram, in any order. An n-gram that has no known end of so many symbols is searched
    // again with one symbol less.
    void find_rows(Search& search) const {
        for (unsigned n = std::min(n_shared, order_); n && search.n_keys; --n) find_rows(search, n);
    }

    // Add up rows.
    void sum(std::span<const Row> rows, LanguageCosts& out) const {
        out.costs.assign(stride_, 0);
        out.n_events = rows.size();
        constexpr std::size_t block = 256;  // so many costs fit into 16 bits
        for (std::size_t begin = 0; begin < rows.size(); begin += block) {
            const std::span<const Row> some = rows.subspan(begin, std::min(block, rows.size() - begin));
            for (std::size_t first = 0; first < stride_; first += lanes) sum_lanes(some, first, out.costs.data() + first);
        }
    }

  private:
    using Entry = std::uint64_t;  // the n-gram << 8 | bits by which it is shorter than the longest n-grams
    static constexpr std::size_t lanes = 16;
    static constexpr Row none = UINT32_MAX;
    static constexpr unsigned n_shared = 4;  // symbols that all n-grams of a bucket have in common, if they have so many

    // The last n symbols.
    std::uint64_t cut(std::uint64_t key, unsigned n) const { return n >= order_ ? key : key & ((std::uint64_t{1} << (n_bits_ * n)) - 1); }
    std::size_t find_bucket(std::uint64_t shared) const { return static_cast<std::size_t>(shared * 0x9E3779B97F4A7C15 >> bucket_shift_); }

    void prefetch_bucket(std::size_t bucket) const {
        prefetch(entries_.data() + starts_[bucket]);
        prefetch(entries_.data() + starts_[bucket + 1]);
    }

    // Find the rows of n-grams with a known end of at least n symbols. Keep the other n-grams. The memory that one n-gram needs is asked
    // for while others are searched.
    void find_rows(Search& search, unsigned n) const {
        constexpr std::size_t ahead = 12;
        const std::size_t n_keys = search.n_keys, stride = stride_;
        std::uint64_t* const keys = search.keys.data();
        Row* const rows = search.rows.data();
        std::size_t n_kept = 0, n_rows = search.n_rows;
        for (std::size_t i = 0; i < n_keys + ahead; ++i) {
            if (i < n_keys) prefetch_bucket(find_bucket(cut(keys[i], n)));
            if (i < ahead) continue;
            const std::uint64_t key = keys[i - ahead];
            const Row row = find_row(key, n);
            if (row == none) {
                keys[n_kept++] = key;
                prefetch(starts_.data() + find_bucket(cut(key, n - 1)));
            } else {
                for (std::size_t line = 0; line < stride; line += 64) prefetch(rows_.data() + row * stride + line);
                rows[n_rows++] = row;
            }
        }
        search.n_keys = n_kept;
        search.n_rows = n_rows;
    }

    Row find_row(std::uint64_t key, unsigned n) const {
        const std::uint64_t longest = (std::uint64_t{1} << (n_bits_ * order_)) - 1;
        const Entry most_missing = n_bits_ * (order_ - n);  // a shorter n-gram may be in the bucket by chance
        const std::size_t bucket = find_bucket(cut(key, n));
        const Entry* const entries = entries_.data();
        const Row end = starts_[bucket + 1];
        for (Row row = starts_[bucket]; row < end; ++row) {
            const Entry missing = entries[row] & 0xFF, known = entries[row] >> 8;
            if ((key & longest >> missing) == known && (missing <= most_missing || known == key)) return row;
        }
        return none;
    }

    void sum_lanes(std::span<const Row> rows, std::size_t first, std::uint64_t* out) const {
        std::uint16_t sums[lanes] = {};
        for (const Row row : rows) {
            const std::uint8_t* const costs = rows_.data() + row * stride_ + first;
            for (std::size_t k = 0; k < lanes; ++k) sums[k] = static_cast<std::uint16_t>(sums[k] + costs[k]);
        }
        for (std::size_t k = 0; k < lanes; ++k) out[k] += sums[k];
    }

    unsigned n_bits_, order_, bucket_shift_;
    std::size_t n_labels_, stride_;
    std::vector<Row> starts_;  // of the buckets
    LargeVector<Entry> entries_;
    LargeVector<std::uint8_t> rows_;
};

}  // namespace tercet

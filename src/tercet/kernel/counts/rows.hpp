// Documents as rows of (term, count). Scores are sums over rows.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "base/hashing.hpp"
#include "base/large_vector.hpp"

namespace tercet {

struct Entry {
    Id term;
    double count;
};

struct Row {
    std::span<const Entry> entries;
    double n_unknown;  // occurrences of terms that are not in the vocabulary
};

class Rows {
  public:
    Rows() = default;
    // Room for rows of these sizes. The caller fills them with terms below `n_columns`.
    Rows(std::span<const std::size_t> sizes, Id n_columns) : n_unknown_(sizes.size()), n_columns_(n_columns) {
        for (std::size_t size : sizes) starts_.push_back(starts_.back() + size);
        entries_.resize(starts_.back());
    }
    std::span<Entry> room(std::size_t i) { return std::span(entries_).subspan(starts_[i], starts_[i + 1] - starts_[i]); }

    std::size_t size() const { return n_unknown_.size(); }
    Row operator[](std::size_t i) const {
        return {std::span(entries_).subspan(starts_[i], starts_[i + 1] - starts_[i]), n_unknown_[i]};
    }
    void append(std::span<const Entry> entries, double n_unknown) {
        entries_.insert(entries_.end(), entries.begin(), entries.end());
        for (const Entry& entry : entries) n_columns_ = std::max(n_columns_, entry.term + 1);
        starts_.push_back(entries_.size());
        n_unknown_.push_back(n_unknown);
    }
    void append(const Rows& other) {
        for (std::size_t i = 0; i < other.size(); ++i) append(other[i].entries, other[i].n_unknown);
    }
    void reserve(std::size_t n_rows, std::size_t n_entries) {
        starts_.reserve(n_rows + 1);
        n_unknown_.reserve(n_rows);
        entries_.reserve(n_entries);
    }
    std::size_t n_entries() const { return entries_.size(); }
    Id n_columns() const { return n_columns_; }  // all term numbers are below this

  private:
    std::vector<std::size_t> starts_{0};
    LargeVector<Entry> entries_;
    std::vector<double> n_unknown_;
    Id n_columns_ = 0;
};

}  // namespace tercet

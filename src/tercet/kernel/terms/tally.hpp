// Counts of the terms of one document.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/hashing.hpp"
#include "base/large_vector.hpp"

namespace tercet {

// How often each term of one kind occurs in the current document.
class Tally {
  public:
    void count(Id id, std::uint32_t times = 1) {
        if (id >= cells_.size()) cells_.resize(std::max<std::size_t>(id + 1, cells_.size() * 3 / 2));
        Cell& cell = cells_[id];
        if (cell.document != document_) {
            cell = {document_, 0};
            met_.push_back(id);
        }
        cell.count += times;
    }
    void prefetch(Id id) const {
        if (id < cells_.size()) fetch(&cells_[id]);
    }
    const std::vector<Id>& met() const { return met_; }
    std::uint32_t operator[](Id id) const { return cells_[id].count; }
    void next_document() {
        met_.clear();
        if (++document_ == 0) {  // all 2³² document numbers are used: start again
            std::fill(cells_.begin(), cells_.end(), Cell{});
            document_ = 1;
        }
    }

  private:
    struct Cell {
        std::uint32_t document = 0, count = 0;
    };
    LargeVector<Cell> cells_;
    std::vector<Id> met_;
    std::uint32_t document_ = 1;
};

}  // namespace tercet

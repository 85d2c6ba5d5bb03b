// Rows of counts as they were before they changed.
#pragma once
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "counts/cell_rows.hpp"

namespace tercet {

class Counts;

// Counts tell it before they change. Nobody may read it meanwhile.
class PastRows {
  public:
    explicit PastRows(Id n_terms) : n_terms_(n_terms) {}

    // A row is about to change. Only its first change matters; terms that came later do not.
    void keep(Id term, std::span<const Cell> row) {
        if (is_needed_ && term < n_terms_) rows_.try_emplace(term, row.begin(), row.end());
    }
    // All rows are about to change: these counts have them as they were.
    void keep_all(std::shared_ptr<const Counts> before) { before_ = std::move(before); }
    // From now on nothing needs to be kept.
    void close() { is_needed_ = false; }

    Id n_terms() const { return n_terms_; }
    const Counts* before() const { return before_.get(); }
    // The row as it was; nullptr if it has not changed.
    const std::vector<Cell>* find(Id term) const {
        if (rows_.empty()) return nullptr;
        const auto found = rows_.find(term);
        return found == rows_.end() ? nullptr : &found->second;
    }

  private:
    Id n_terms_;
    std::unordered_map<Id, std::vector<Cell>> rows_;
    std::shared_ptr<const Counts> before_;
    bool is_needed_ = true;
};

}  // namespace tercet

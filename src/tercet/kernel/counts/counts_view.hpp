// Counts as they were at one moment, without a copy. A row that changes later is copied before.
#pragma once
#include <span>

#include "counts/counts.hpp"

namespace tercet {

// Many threads may read it, but not while the counts change. The counts must live longer.
class CountsView {
  public:
    explicit CountsView(Counts& counts) : counts_(counts), past_(counts.n_terms()) { counts_.watch(past_); }
    ~CountsView() { counts_.unwatch(past_); }
    CountsView(const CountsView&) = delete;
    CountsView& operator=(const CountsView&) = delete;

    bool is_of(const Counts& counts) const { return &counts == &counts_; }
    Id n_terms() const { return past_.n_terms(); }
    std::span<const Cell> row(Id term) const {
        if (const std::vector<Cell>* past = past_.find(term)) return *past;
        return now().row(term);
    }
    void prefetch(Id term) const { now().prefetch(term); }
    void prefetch_cells(Id term) const { now().prefetch_cells(term); }

    // The view is not read any more, so the counts need not keep anything for it.
    void close() { past_.close(); }

  private:
    const Counts& now() const { return past_.before() ? *past_.before() : counts_; }

    Counts& counts_;
    PastRows past_;
};

}  // namespace tercet

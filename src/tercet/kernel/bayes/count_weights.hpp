// Scores by weights that are computed from the counts when they are needed. The scores are those of Weights, to the last bit: both add
// the same numbers in the same order. It is slower, and ready at once.
#pragma once
#include <atomic>
#include <cstddef>
#include <span>
#include <utility>

#include "bayes/term_weigher.hpp"
#include "counts/counts_view.hpp"

namespace tercet {

class CountWeights : public LabelParts {
  public:
    // The model must know every term that some document has. Model and counts must live longer.
    CountWeights(Counts& counts, const Model& model) : CountWeights(counts, TermWeigher::from_totals(counts, model)) {}

    Id n_terms() const { return view_.n_terms(); }
    const TermWeigher& weigher() const { return weigher_; }
    const CountsView& view() const { return view_; }
    CountsView& view() { return view_; }
    // How many cells were read so far.
    std::size_t n_read() const { return n_read_.load(std::memory_order_relaxed); }

    struct Sum : LabelParts::Sum {
        std::size_t n_read = 0;
    };
    void begin(Sum& sum, double* scores) const {
        LabelParts::begin(sum, scores);
        sum.n_read = 0;
    }
    void add(Sum& sum, Id term, double count) const {
        const auto row = view_.row(term);
        const TermWeigher::Term opened = weigher_.open(term, row);
        sum.n_read += row.size() + 1;  // reading an empty row takes time, too
        if (opened.state == TermWeigher::State::unknown) return void(sum.n_unknown += count);
        if (opened.state == TermWeigher::State::silent) return;
        sum.common += count * opened.of_term;
        sum.n_counted += count;
        sum.n_strict += formula.is_strict();
        for (const Cell& cell : row) {
            if (!weigher_.has(cell)) continue;
            sum.scores[cell.label] += count * weigher_.value(opened, cell);
            if (!formula.is_strict()) continue;
            ++sum.n_met[cell.label];
            sum.n_always[cell.label] += weigher_.is_always(cell);
        }
    }
    void finish(Sum& sum) const {
        LabelParts::finish(sum);
        n_read_.fetch_add(sum.n_read, std::memory_order_relaxed);
    }
    bool knows(Id term) const { return weigher_.open(term, view_.row(term)).state != TermWeigher::State::unknown; }
    // As Weights::explain.
    void explain(Id term, double* values) const {
        const auto row = term == none ? std::span<const Cell>() : view_.row(term);
        const TermWeigher::Term opened = weigher_.open(term, row);
        n_read_.fetch_add(row.size() + 1, std::memory_order_relaxed);
        if (opened.state != TermWeigher::State::known || formula.is_strict()) return score_alone(*this, term, values);
        for (Id label = 0; label < n_labels(); ++label) values[label] = opened.of_term + of_label[label];
        for (const Cell& cell : row)
            if (weigher_.has(cell)) values[cell.label] += weigher_.value(opened, cell);
    }
    void prefetch(Id term) const { view_.prefetch(term); }
    void prefetch_values(Id term) const { view_.prefetch_cells(term); }

  private:
    CountWeights(Counts& counts, TermWeigher weigher) : LabelParts(weigher.parts()), weigher_(std::move(weigher)), view_(counts) {}

    TermWeigher weigher_;
    CountsView view_;
    mutable std::atomic<std::size_t> n_read_ = 0;
};

}  // namespace tercet

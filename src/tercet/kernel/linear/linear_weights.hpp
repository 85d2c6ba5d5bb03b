// Trained weights. A score is a sum over the weighted counts of a document.
#pragma once
#include <algorithm>
#include <span>
#include <utility>

#include "base/large_vector.hpp"
#include "counts/rows.hpp"
#include "linear/weighting.hpp"

namespace tercet {

class LinearWeights {
  public:
    // A row has a factor and values. Two labels have one value, for the second label; more labels have one value each.
    // `rows` has the row of each term, because many terms may share a row. If it is empty, term t has row t.
    // A term whose factor is 0 is not known.
    LinearWeights(Damping damping, Norm norm, Id n_labels, LargeVector<float> factors, LargeVector<float> values, LargeVector<Id> rows = {})
        : damping_(damping), norm_(norm), n_labels_(n_labels), n_values_(n_labels == 2 ? 1 : n_labels), factors_(std::move(factors)),
          values_(std::move(values)), rows_(std::move(rows)) {}

    Id n_labels() const { return n_labels_; }
    Id n_terms() const { return static_cast<Id>(rows_.empty() ? factors_.size() : rows_.size()); }
    bool clips() const { return damping_ == Damping::binary; }
    static constexpr bool needs_rows() { return true; }  // the sum needs counts, not single occurrences
    bool knows(Id term) const { return factors_[row_of(term)] != 0; }
    void prefetch(Id term) const { rows_.empty() ? fetch_row(term) : fetch(&rows_[term]); }
    // The second step of prefetching: the row that the first step has found.
    void prefetch_values(Id term) const {
        if (!rows_.empty()) fetch_row(rows_[term]);
    }

    struct Sum {
        double* scores = nullptr;
        double norm = 0, n_unknown = 0;
    };
    void begin(Sum& sum, double* scores) const {
        sum.scores = scores;
        sum.norm = sum.n_unknown = 0;
        std::fill_n(scores, n_labels_, 0.0);
    }
    void add(Sum& sum, Id term, double count) const {
        const std::size_t row = row_of(term);
        const double x = weigh(row, count);
        sum.norm += part_of_norm(norm_, x);
        const float* values = values_of(row);
        for (Id k = 0; k < n_values_; ++k) sum.scores[k] += x * values[k];
    }
    void finish(Sum& sum) const {
        const double norm = finish_norm(norm_, sum.norm);
        for (Id k = 0; k < n_values_; ++k) sum.scores[k] /= norm;
        if (n_labels_ == 2) spread(sum.scores, sum.scores[0]);
    }

    // The score that each of these distinct terms adds to a document with these counts, as terms × labels.
    void share(std::span<const std::int64_t> terms, std::span<const double> counts, double* shares) const {
        double total = 0;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const double x = terms[i] < 0 ? 0 : weigh(row_of(static_cast<Id>(terms[i])), counts[i]);
            total += part_of_norm(norm_, x);
        }
        const double norm = finish_norm(norm_, total);
        for (std::size_t i = 0; i < terms.size(); ++i) {
            double* out = shares + i * n_labels_;
            std::fill_n(out, n_labels_, 0.0);
            if (terms[i] < 0) continue;
            const std::size_t row = row_of(static_cast<Id>(terms[i]));
            const double x = weigh(row, counts[i]) / norm;
            const float* values = values_of(row);
            for (Id k = 0; k < n_values_; ++k) out[k] = x * values[k];
            if (n_labels_ == 2) spread(out, out[0]);
        }
    }

    // The score that one occurrence of a term adds, before the division by the norm.
    void explain(Id term, double* out) const {
        const std::size_t row = row_of(term);
        for (Id k = 0; k < n_values_; ++k) out[k] = double{factors_[row]} * values_of(row)[k];
        if (n_labels_ == 2) spread(out, out[0]);
    }

  private:
    std::size_t row_of(Id term) const { return rows_.empty() ? term : rows_[term]; }
    const float* values_of(std::size_t row) const { return values_.data() + row * n_values_; }
    double weigh(std::size_t row, double count) const { return factors_[row] == 0 ? 0 : damp(damping_, count) * factors_[row]; }
    void fetch_row(std::size_t row) const {
        fetch(&factors_[row]);
        fetch(values_of(row));
    }
    static void spread(double* scores, double margin) {
        scores[0] = -margin / 2;
        scores[1] = margin / 2;
    }

    Damping damping_;
    Norm norm_;
    Id n_labels_, n_values_;
    LargeVector<float> factors_, values_;
    LargeVector<Id> rows_;
};

}  // namespace tercet

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
    // Two labels have one value per term, for the second label; more labels have one value each.
    // A term whose factor is 0 is not known.
    LinearWeights(Damping damping, Norm norm, Id n_labels, LargeVector<float> factors, LargeVector<float> values)
        : damping_(damping), norm_(norm), n_labels_(n_labels), n_values_(n_labels == 2 ? 1 : n_labels), factors_(std::move(factors)),
          values_(std::move(values)) {}

    Id n_labels() const { return n_labels_; }
    Id n_terms() const { return static_cast<Id>(factors_.size()); }
    bool clips() const { return damping_ == Damping::binary; }
    static constexpr bool needs_rows() { return true; }  // the sum needs counts, not single occurrences
    bool knows(Id term) const { return factors_[term] != 0; }
    void prefetch(Id term) const {
        fetch(&factors_[term]);
        fetch(&values_[std::size_t{term} * n_values_]);
    }
    void prefetch_values(Id) const {}

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
        const double x = weigh(term, count);
        sum.norm += part_of_norm(norm_, x);
        const float* values = &values_[std::size_t{term} * n_values_];
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
            const double x = terms[i] < 0 ? 0 : weigh(static_cast<Id>(terms[i]), counts[i]);
            total += part_of_norm(norm_, x);
        }
        const double norm = finish_norm(norm_, total);
        for (std::size_t i = 0; i < terms.size(); ++i) {
            double* out = shares + i * n_labels_;
            std::fill_n(out, n_labels_, 0.0);
            if (terms[i] < 0) continue;
            const double x = weigh(static_cast<Id>(terms[i]), counts[i]) / norm;
            const float* values = &values_[static_cast<std::size_t>(terms[i]) * n_values_];
            for (Id k = 0; k < n_values_; ++k) out[k] = x * values[k];
            if (n_labels_ == 2) spread(out, out[0]);
        }
    }

    // The score that one occurrence of a term adds, before the division by the norm.
    void explain(Id term, double* out) const {
        const float* values = &values_[std::size_t{term} * n_values_];
        for (Id k = 0; k < n_values_; ++k) out[k] = double{factors_[term]} * values[k];
        if (n_labels_ == 2) spread(out, out[0]);
    }

  private:
    double weigh(Id term, double count) const { return factors_[term] == 0 ? 0 : damp(damping_, count) * factors_[term]; }
    static void spread(double* scores, double margin) {
        scores[0] = -margin / 2;
        scores[1] = margin / 2;
    }

    Damping damping_;
    Norm norm_;
    Id n_labels_, n_values_;
    LargeVector<float> factors_, values_;
};

}  // namespace tercet

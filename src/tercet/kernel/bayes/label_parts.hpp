// The parts of a score that depend on the label alone, and the sums of one document that they complete.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hashing.hpp"
#include "base/numbers.hpp"
#include "bayes/smoothing.hpp"

namespace tercet {

struct LabelParts {
    Formula formula;
    bool unknown_term;
    double of_unknown = 0;
    std::vector<double> of_label, offset;
    std::vector<std::uint32_t> n_always;  // the number of terms in every document of a label, if the smoothing is 0

    LabelParts(const Formula& formula, bool unknown_term, std::vector<double> of_label, std::vector<double> offset)
        : formula(formula), unknown_term(unknown_term), of_label(std::move(of_label)), offset(std::move(offset)),
          n_always(this->of_label.size()) {}

    Id n_labels() const { return static_cast<Id>(of_label.size()); }
    // Whether a repeated term counts once.
    bool clips() const { return formula.counts_documents(); }
    bool needs_rows() const { return clips(); }

    // The sums of one document.
    struct Sum {
        double* scores = nullptr;
        double common = 0, n_counted = 0, n_unknown = 0;
        std::uint32_t n_strict = 0;
        std::vector<std::uint32_t> n_met{}, n_always{};
    };

    void begin(Sum& sum, double* scores) const {
        sum.scores = scores;
        sum.common = sum.n_counted = sum.n_unknown = 0;
        sum.n_strict = 0;
        std::fill_n(scores, n_labels(), 0.0);
        if (!formula.is_strict()) return;
        sum.n_met.assign(n_labels(), 0);
        sum.n_always.assign(n_labels(), 0);
    }

    // log P(document | label), without the prior. A document without known terms scores 0, or for Bernoulli the absence of all terms.
    void finish(Sum& sum) const {
        if (unknown_term && sum.n_unknown > 0) {
            const double count = clips() ? 1 : sum.n_unknown;
            sum.common += count * of_unknown;
            sum.n_counted += count;
        }
        for (Id label = 0; label < n_labels(); ++label) {
            double& score = sum.scores[label];
            if (sum.n_counted > 0) score += sum.common + sum.n_counted * of_label[label];
            score += offset[label];
            if (formula.is_strict() && (sum.n_met[label] < sum.n_strict || sum.n_always[label] < n_always[label])) score = -infinity;
        }
    }
};

// The score of a document that has only this term, or an unknown term, without the score of the absence of others.
template <class W>
void score_alone(const W& weights, Id term, double* values) {
    typename W::Sum sum;
    weights.begin(sum, values);
    if (weights.formula.is_strict()) sum.n_always = weights.n_always;  // so that the absence of other terms does not count
    if (term == none) ++sum.n_unknown;
    else weights.add(sum, term, 1);
    weights.finish(sum);
    for (Id label = 0; label < weights.n_labels(); ++label) values[label] -= weights.offset[label];
}

}  // namespace tercet

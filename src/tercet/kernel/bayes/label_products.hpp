// Σ log (1 + x F) over the terms of a document, for each label and for many formulas at once. Formulas of one family differ only in F, so
// a cell needs only a few multiplications.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bayes/left_out.hpp"

namespace tercet {

// Formulas with the same x for a cell.
class LabelProducts {
  public:
    // Multinomial and binary likelihoods, unless the smoothing is 0, tiny, or a discount.
    static bool suits(const Formula& formula) {
        const bool is_plain = formula.likelihood == Likelihood::multinomial || formula.likelihood == Likelihood::binary;
        return is_plain && !formula.is_strict() && !formula.is_tiny() && !formula.is_discount();
    }
    static bool are_alike(const Formula& a, const Formula& b) {
        return suits(a) && suits(b) && (a.method == Smoothing::additive) == (b.method == Smoothing::additive);
    }

    explicit LabelProducts(std::vector<Formula> formulas) : formulas_(std::move(formulas)) {}
    std::size_t size() const { return formulas_.size(); }

    // False if a factor may be too large. Then each formula must be computed alone.
    bool run(const LeftDocument& left, bool unknown_term) {
        if (!prepare(left)) return false;
        n_counted_ = 0;
        std::uint32_t i = 0;
        for (const LeftDocument::Term& term : left.terms) {
            if (formulas_[0].needs_seen() && term.in_all <= 0) {
                i = term.end;
                continue;
            }
            n_counted_ += term.count;
            for (; i < term.end; ++i)
                if (left.cells[i].left > 0) multiply(left.cells[i].label, find_x(left.cells[i].left, term.in_all), term.count);
        }
        if (unknown_term && left.n_unknown > 0) n_counted_ += formulas_[0].counts_documents() ? 1 : left.n_unknown;
        return true;
    }

    // log P(document | label) of a formula, without a part that is the same for all labels.
    double score(std::size_t formula, Id label) const {
        const std::size_t place = label * size() + formula;
        return sums_[place] + std::log(products_[place]) + (n_counted_ > 0 ? n_counted_ * of_label_[place] : 0);
    }

  private:
    static constexpr double limit = 1e100, largest = 1e13;
    static constexpr std::uint8_t often = 8;  // this many factors of at most 2⁴² · largest do not overflow

    bool prepare(const LeftDocument& left) {
        const AllTotals all{to_number(left.counted), static_cast<double>(left.n_terms)};
        const std::size_t n = left.labels.size() * size();
        factors_.resize(n);
        of_label_.resize(n);
        products_.assign(n, 1);
        sums_.assign(n, 0);
        n_open_.assign(left.labels.size(), 0);
        for (std::size_t label = 0; label < left.labels.size(); ++label) {
            const LabelTotals own = left.labels[label].totals();
            for (std::size_t f = 0; f < size(); ++f) {
                factors_[label * size() + f] = formulas_[f].factors(own, all).factor;
                of_label_[label * size() + f] = formulas_[f].of_label(own, all);
                if (own.occurrences > 0 && !(factors_[label * size() + f] <= largest)) return false;
            }
        }
        return true;
    }

    double find_x(double in_label, double in_all) const {
        return formulas_[0].method == Smoothing::additive ? in_label : in_label / in_all;
    }

    void multiply(Id label, double x, double count) {
        const double* factors = factors_.data() + label * size();
        double* products = products_.data() + label * size();
        if (count == 1) {
            for (std::size_t f = 0; f < size(); ++f) products[f] *= 1 + x * factors[f];
            if (++n_open_[label] == often) close(label);
            return;
        }
        double* sums = sums_.data() + label * size();
        for (std::size_t f = 0; f < size(); ++f) sums[f] += count * std::log(1 + x * factors[f]);
    }
    void close(Id label) {
        n_open_[label] = 0;
        for (std::size_t place = label * size(); place < (label + 1) * size(); ++place) {
            if (products_[place] < limit) continue;
            sums_[place] += std::log(products_[place]);
            products_[place] = 1;
        }
    }

    std::vector<Formula> formulas_;
    double n_counted_ = 0;
    std::vector<double> factors_{}, of_label_{}, products_{}, sums_{};  // labels × formulas
    std::vector<std::uint8_t> n_open_{};
};

}  // namespace tercet

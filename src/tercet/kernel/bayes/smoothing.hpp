// log P(term | label) for each kind of naive Bayes and each smoothing, as a sum of three parts:
//   of_term    the same for all labels
//   of_label   the same for all terms
//   of_cell    not 0 only if the label has the term
// So a row of weights needs room only for the labels that have the term.
#pragma once
#include <algorithm>
#include <cmath>

namespace tercet {

enum class Smoothing { additive, jelinek_mercer, dirichlet, absolute_discount };
enum class Likelihood { multinomial, binary, bernoulli, complement };

struct LabelTotals {
    double documents = 0, occurrences = 0, distinct = 0;
    double document_weight = 1;  // Σ w² / Σ w of the documents: the weight w of a document, as an average over all weight
    double n_low = 0, low = 0;   // how many of the distinct terms have a count below the discount, and the sum of these counts
};
struct AllTotals {
    double occurrences = 0, terms = 0;
    double pseudo_counts = 0;  // their sum, if each term has its own
};

// What the weight of a cell needs of its label, computed once.
struct LabelFactors {
    double factor = 0, discount = 0;
};

struct Formula {
    Likelihood likelihood;
    Smoothing method;
    double value;  // ε, λ, μ or δ

    // The formula of a term that has its own pseudo-count.
    Formula with_value(double own) const { return {likelihood, method, own}; }
    // For Bernoulli, log (D + ε) depends on the label and on ε, so that a term's own ε does not fit into three parts.
    bool takes_own_values() const { return method == Smoothing::additive && likelihood != Likelihood::bernoulli && value > 0; }
    // Σ ε over all terms
    double sum_values(const AllTotals& all) const { return all.pseudo_counts > 0 ? all.pseudo_counts : value * all.terms; }

    // With ε = 0, a label without one of the terms has the score -infinity.
    bool is_strict() const { return method == Smoothing::additive && value == 0; }
    // Smoothing with the share in the collection says nothing about terms that do not occur.
    bool needs_seen() const { return method != Smoothing::additive; }
    bool is_discount() const { return method == Smoothing::absolute_discount; }
    bool counts_documents() const { return likelihood == Likelihood::binary || likelihood == Likelihood::bernoulli; }

    double of_term(double in_all, const AllTotals& all) const {
        return likelihood == Likelihood::complement ? -std::log(in_all + value) : std::log(term_factor(in_all, all));
    }

    // exp(of_term)
    double term_factor(double in_all, const AllTotals& all) const {
        if (likelihood == Likelihood::complement) return 1 / (in_all + value);
        if (likelihood == Likelihood::bernoulli) return 1;
        const double share = in_all / all.occurrences;
        switch (method) {
            case Smoothing::additive: return is_strict() ? 1 : value;
            case Smoothing::jelinek_mercer: return value * share;
            case Smoothing::dirichlet: return value * share;
            default: return share;
        }
    }

    double of_label(const LabelTotals& label, const AllTotals& all) const {
        if (likelihood == Likelihood::complement) return std::log(all.occurrences - label.occurrences + sum_values(all));
        if (likelihood == Likelihood::bernoulli)
            return (is_strict() ? 0 : std::log(value)) - std::log(label.documents + value);
        switch (method) {
            case Smoothing::additive: return -std::log(label.occurrences + sum_values(all));
            case Smoothing::jelinek_mercer: return 0;
            case Smoothing::dirichlet: return -std::log(label.occurrences + value);
            default: return label.occurrences > 0 ? std::log(discounted(label) / label.occurrences) : 0;
        }
    }

    // δ is for documents of weight 1. It grows with their weight, so that the scale of the weights does not matter.
    double discount(const LabelTotals& label) const { return value * label.document_weight; }
    // What is subtracted from all counts of the label together: Σ min(n, δ).
    double discounted(const LabelTotals& label) const { return discount(label) * (label.distinct - label.n_low) + label.low; }

    LabelFactors factors(const LabelTotals& label, const AllTotals& all) const {
        if (likelihood == Likelihood::complement) return {};
        if (likelihood == Likelihood::bernoulli) return {label.documents};
        switch (method) {
            case Smoothing::additive: return {1 / value};
            case Smoothing::jelinek_mercer: return {(1 - value) / value * all.occurrences / label.occurrences};
            case Smoothing::dirichlet: return {all.occurrences / value};
            default: return {all.occurrences / discounted(label), discount(label)};
        }
    }

    double of_cell(double in_label, double in_all, const LabelFactors& label) const {
        return is_tiny() ? tiny_of_cell(in_label, in_all, label.factor) : std::log(cell_factor(in_label, in_all, label));
    }
    // The reciprocal of such a small pseudo-count would not be finite.
    bool is_tiny() const { return method == Smoothing::additive && value > 0 && value < 1e-100; }

    double tiny_of_cell(double in_label, double in_all, double n_documents) const {
        if (likelihood == Likelihood::complement) return std::log(in_all + value) - std::log(in_all - in_label + value);
        const double present = std::log(in_label + value) - std::log(value);
        return likelihood == Likelihood::bernoulli ? present + std::log(n_documents + value) - std::log(n_documents - in_label + value) : present;
    }

    // exp(of_cell), for in_label > 0
    double cell_factor(double in_label, double in_all, const LabelFactors& label) const {
        if (likelihood == Likelihood::complement) return (in_all + value) / (in_all - in_label + value);
        if (likelihood == Likelihood::bernoulli)
            return (is_strict() ? in_label : 1 + in_label / value) * ((label.factor + value) / (label.factor - in_label + value));
        switch (method) {
            case Smoothing::additive: return is_strict() ? in_label : 1 + in_label * label.factor;
            case Smoothing::absolute_discount: return 1 + std::max(in_label - label.discount, 0.0) * label.factor / in_all;
            default: return 1 + in_label * label.factor / in_all;
        }
    }
};

// Σ n log x with one logarithm for many factors. A product is cheaper, as long as it neither overflows nor underflows.
class LogProduct {
  public:
    void add(double count, double x) {
        if (count != 1 || x > limit || x < 1 / limit) {
            sum_ += count * std::log(x);
            return;
        }
        product_ *= x;
        if (product_ > limit || product_ < 1 / limit) {
            sum_ += std::log(product_);
            product_ = 1;
        }
    }
    void add_log(double log) { sum_ += log; }
    double sum() const { return sum_ + std::log(product_); }

  private:
    static constexpr double limit = 1e100;
    double sum_ = 0, product_ = 1;
};

}  // namespace tercet

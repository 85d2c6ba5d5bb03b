// The counts of one term → its weights: a part that all labels share, and a part for each label that has the term.
#pragma once
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "bayes/label_parts.hpp"
#include "bayes/model.hpp"

namespace tercet {

// It has everything that the weights of all terms share. The model must live longer; the counts need not.
class TermWeigher {
  public:
    TermWeigher(const Counts& counts, const Model& model)
        : TermWeigher(counts, model, Sums(counts, model), [&] { return list_frequencies(counts, model); }) {}

    // The same without going through all terms, if the model knows every term that some document has.
    static TermWeigher from_totals(Counts& counts, const Model& model) {
        const bool of_documents = model.formula.counts_documents();
        return TermWeigher(counts, model, Sums(counts, model, counts.totals(of_documents)), [&] {
            std::vector<Frequencies> frequencies;
            for (const Histogram& histogram : counts.histograms(of_documents)) frequencies.emplace_back(histogram.begin(), histogram.end());
            return frequencies;
        });
    }

    const LabelParts& parts() const { return parts_; }

    enum class State { known, unknown, silent };  // a silent term is known, but does not change a score
    struct Term {
        State state;
        bool is_single = false;  // it occurs only once
        double in_all = 0, of_term = 0;
        Formula formula{};
        LabelFactors own_factors{};
    };
    Term open(Id term, std::span<const Cell> row) const {
        const TermSums sums = model_.sum(row);
        if (!model_.knows(term, sums, n_needed_)) return {State::unknown};
        if (parts_.formula.needs_seen() && sums.counted == 0) return {State::silent};
        const bool has_own = model_.has_own_counts();
        Term opened{State::known, sums.counted == one && !has_own, to_number(sums.counted), of_single_, model_.formula_of(term)};
        if (!opened.is_single) opened.of_term = opened.formula.of_term(opened.in_all, all_);
        if (has_own) opened.own_factors = opened.formula.factors({}, all_);
        return opened;
    }

    // Whether the label of the cell has the term. Only then the cell has a value.
    bool has(const Cell& cell) const { return model_.counted(cell) > 0; }
    // Whether the smoothing is 0 and every document of the label has the term.
    bool is_always(const Cell& cell) const { return parts_.formula.is_strict() && cell.documents >= n_documents_[cell.label]; }
    double value(const Term& term, const Cell& cell) const {
        const double in_label = to_number(model_.counted(cell));
        if (is_always(cell) && parts_.formula.likelihood == Likelihood::bernoulli) return std::log(in_label);
        if (term.is_single && model_.counted(cell) == one) return singles_[cell.label];
        return term.formula.of_cell(in_label, term.in_all, model_.has_own_counts() ? term.own_factors : factors_[cell.label]);
    }

  private:
    TermWeigher(const Counts& counts, const Model& model, const Sums& sums, const std::function<std::vector<Frequencies>()>& list)
        : model_(model),
          parts_(model.formula, model.unknown_term, std::vector<double>(counts.n_labels()), std::vector<double>(counts.n_labels())),
          n_needed_(model.n_needed(counts)), n_documents_(counts.n_documents()), all_(sums.all()) {
        const Formula& formula = parts_.formula;
        const LowCounts low(sums, list);
        for (Id label = 0; label < counts.n_labels(); ++label) {
            LabelTotals totals = sums.labels[label].totals();
            if (formula.is_discount()) low.find(label, formula.discount(totals)).put_into(totals);
            parts_.of_label[label] = formula.of_label(totals, all_);
            factors_.push_back(formula.factors(totals, all_));
            // Most terms occur only once, so their weights are computed once for all of them.
            singles_.push_back(formula.of_cell(1, 1, factors_[label]));
        }
        of_single_ = formula.of_term(1, all_);
        if (parts_.unknown_term) parts_.of_unknown = formula.of_term(0, all_);
        if (formula.likelihood == Likelihood::bernoulli) sum_absent(AbsentTerms(list(), sums), static_cast<double>(sums.terms));
    }

    void sum_absent(const AbsentTerms& absent, double n_terms) {
        const Formula& formula = parts_.formula;
        for (Id label = 0; label < parts_.n_labels(); ++label) {
            const Units n_documents = n_documents_[label];
            if (formula.is_strict()) parts_.n_always[label] = static_cast<std::uint32_t>(absent.n_always(label, n_documents));
            const double n_possible = n_terms - parts_.n_always[label];
            const double total = std::log(to_number(n_documents) + 2 * formula.value);
            if (formula.is_strict() && n_documents == 0) {  // no document is possible
                parts_.offset[label] = -infinity;
                continue;
            }
            parts_.offset[label] = n_possible > 0 ? absent.sum(label, n_documents, formula.value) - n_possible * total : 0;
        }
    }

    const Model& model_;
    LabelParts parts_;
    Id n_needed_;
    std::vector<Units> n_documents_;
    AllTotals all_;
    std::vector<LabelFactors> factors_{};
    double of_single_ = 0;
    std::vector<double> singles_{};
};

}  // namespace tercet

// The options of naive Bayes, which terms it knows, and the sums over these terms.
#pragma once
#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/precise_sum.hpp"
#include "counts/counts.hpp"
#include "bayes/smoothing.hpp"

namespace tercet {

struct TermSums {
    Units counted = 0, documents = 0;
    Id n_labels = 0;  // number of labels that have the term
};

struct Model {
    Formula formula;
    bool open;                         // a term without documents is not known. A matrix is not open: it keeps all its columns
    bool shared;                       // only terms that every label has
    bool unknown_term;                 // add one term that represents all unknown terms
    Units min_documents;
    std::vector<std::uint8_t> kept{};  // one flag per term; empty keeps all terms
    std::vector<double> pseudo_counts{};  // one per term; empty: each term has that of the formula

    bool has_own_counts() const { return !pseudo_counts.empty(); }
    Formula formula_of(Id term) const { return has_own_counts() ? formula.with_value(pseudo_counts[term]) : formula; }

    Units counted(const Cell& cell) const { return formula.counts_documents() ? cell.documents : cell.occurrences; }
    double counted(double count) const { return formula.counts_documents() ? 1 : count; }

    TermSums sum(std::span<const Cell> row) const {
        TermSums sums;
        for (const Cell& cell : row) {
            sums.counted += counted(cell);
            sums.documents += cell.documents;
            sums.n_labels += counted(cell) > 0;
        }
        return sums;
    }

    // The number of labels that must have a term. In an open vocabulary labels without documents are ignored.
    Id n_needed(const Counts& counts) const {
        if (!shared) return 0;
        const auto& documents = counts.n_documents();
        return open ? static_cast<Id>(std::count_if(documents.begin(), documents.end(), [](Units n) { return n > 0; })) : counts.n_labels();
    }

    void expect_fit(const Counts& counts) const {
        if (!kept.empty() && kept.size() != counts.n_terms()) throw std::invalid_argument("each term is kept or not");
        if (!has_own_counts()) return;
        if (pseudo_counts.size() != counts.n_terms()) throw std::invalid_argument("each term needs a pseudo-count");
    }

    bool knows(Id term, const TermSums& sums, Id n_needed) const {
        if ((open && sums.counted == 0) || sums.n_labels < n_needed) return false;
        return sums.documents >= min_documents && (kept.empty() || kept[term]);
    }
};

// Sums over the known terms. They are integers, so that a document can be subtracted exactly.
struct Sums {
    struct Label {
        Units documents = 0, counted = 0;
        std::int64_t distinct = 0;
        SquareSum squares{};
        LabelTotals totals() const {
            const double n = to_number(documents);
            return {n, to_number(counted), static_cast<double>(distinct), documents > 0 ? squares.to_number() / n : 1};
        }
    };
    std::vector<Label> labels;
    std::vector<Units> smallest;  // the smallest count of a term under each label
    Units counted = 0;
    std::int64_t terms = 0;
    PreciseSum pseudo_counts{};  // of all terms, if each has its own

    // `known`, if given, must have room for each term. It is set to 1 for the terms that the model knows.
    Sums(const Counts& counts, const Model& model, std::vector<std::uint8_t>* known = nullptr)
        : labels(counts.n_labels()), smallest(counts.n_labels(), max_units), terms(model.unknown_term) {
        const Id n_needed = model.n_needed(counts);
        std::vector<double> own;
        if (model.has_own_counts() && model.unknown_term) own.push_back(model.formula.value);
        for (Id label = 0; label < counts.n_labels(); ++label) {
            labels[label].documents = counts.n_documents()[label];
            labels[label].squares = counts.squares()[label];
        }
        for (Id term = 0; term < counts.n_terms(); ++term) {
            const auto row = counts.row(term);
            const TermSums sums = model.sum(row);
            if (!model.knows(term, sums, n_needed)) continue;
            if (known) (*known)[term] = 1;
            if (model.has_own_counts()) own.push_back(model.pseudo_counts[term]);
            ++terms;
            counted += sums.counted;
            for (const Cell& cell : row) {
                if (model.counted(cell) <= 0) continue;
                labels[cell.label].counted += model.counted(cell);
                ++labels[cell.label].distinct;
                smallest[cell.label] = std::min(smallest[cell.label], model.counted(cell));
            }
        }
        std::sort(own.begin(), own.end());  // so that the sum does not depend on the numbers of the terms
        for (double count : own) pseudo_counts.add(count);
    }

    AllTotals all() const { return {to_number(counted), static_cast<double>(terms), pseudo_counts.to_number()}; }
};

// The counts of a label that are below the discount: how many they are, and their sum.
struct Low {
    std::int64_t n = 0;
    Units sum = 0;
    static bool is_low(Units count, double discount) { return to_number(count) < discount; }
    // A term's count changes.
    void replace(Units before, Units after, double discount) {
        if (before > 0 && is_low(before, discount)) {
            --n;
            sum -= before;
        }
        if (after > 0 && is_low(after, discount)) {
            ++n;
            sum += after;
        }
    }
    void put_into(LabelTotals& totals) const {
        totals.n_low = static_cast<double>(n);
        totals.low = to_number(sum);
    }
};

// Finds the low counts of a label. Without weights no count is low, because each is at least 1. Only if a count may be low, all counts
// are sorted, once. The counts must not change meanwhile.
class LowCounts {
  public:
    LowCounts(const Counts& counts, const Model& model, const Sums& sums) : counts_(counts), model_(model), sums_(sums) {}

    Low find(Id label, double discount) const {
        if (!Low::is_low(sums_.smallest[label], discount)) return {};
        std::call_once(sorted_, [&] { sort(); });
        const auto& [sorted, running] = of_label_[label];
        const auto end = std::partition_point(sorted.begin(), sorted.end(), [&](Units n) { return Low::is_low(n, discount); });
        const std::ptrdiff_t n = end - sorted.begin();
        return {n, n ? running[n - 1] : 0};
    }

  private:
    struct OfLabel {
        std::vector<Units> sorted{}, running{};  // the counts, and their running sums
    };

    void sort() const {
        of_label_.resize(counts_.n_labels());
        const Id n_needed = model_.n_needed(counts_);
        for (Id term = 0; term < counts_.n_terms(); ++term) {
            const auto row = counts_.row(term);
            if (!model_.knows(term, model_.sum(row), n_needed)) continue;
            for (const Cell& cell : row)
                if (model_.counted(cell) > 0) of_label_[cell.label].sorted.push_back(model_.counted(cell));
        }
        for (OfLabel& own : of_label_) {
            std::sort(own.sorted.begin(), own.sorted.end());
            own.running.resize(own.sorted.size());
            std::partial_sum(own.sorted.begin(), own.sorted.end(), own.running.begin());
        }
    }

    const Counts& counts_;
    const Model& model_;
    const Sums& sums_;
    mutable std::once_flag sorted_;
    mutable std::vector<OfLabel> of_label_{};
};

// The part of absent terms in Bernoulli naive Bayes: the sum of log (D - d + ε) over the known terms of each label. The order of the sum
// does not depend on the numbers of the terms.
class AbsentTerms {
  public:
    AbsentTerms(const Counts& counts, const Model& model, const Sums& sums) : of_label_(counts.n_labels()) {
        const Id n_needed = model.n_needed(counts);
        for (Id term = 0; term < counts.n_terms(); ++term) {
            const auto row = counts.row(term);
            if (!model.knows(term, model.sum(row), n_needed)) continue;
            for (const Cell& cell : row)
                if (cell.documents > 0) of_label_[cell.label].push_back(cell.documents);
        }
        for (auto& documents : of_label_) std::sort(documents.begin(), documents.end());
        n_terms_ = static_cast<double>(sums.terms);
    }

    // The sum if the label had n_documents. Terms that occur in more documents are left out.
    double sum(Id label, Units n_documents, double value) const {
        const auto& documents = of_label_[label];
        double total = 0;
        for (auto first = documents.begin(); first != documents.end() && *first <= n_documents;) {
            const auto last = std::upper_bound(first, documents.end(), *first);
            if (value > 0 || *first < n_documents)
                total += static_cast<double>(last - first) * std::log(to_number(n_documents - *first) + value);
            first = last;
        }
        const double n_missing = n_terms_ - static_cast<double>(documents.size());
        return total + (n_missing > 0 ? n_missing * std::log(to_number(n_documents) + value) : 0);
    }

    // The number of terms that occur in every document of a label.
    std::size_t n_always(Id label, Units n_documents) const {
        const auto& documents = of_label_[label];
        return documents.end() - std::lower_bound(documents.begin(), documents.end(), n_documents);
    }

  private:
    double n_terms_ = 0;
    std::vector<std::vector<Units>> of_label_;
};

}  // namespace tercet

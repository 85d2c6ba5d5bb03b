// The options of naive Bayes, which terms it knows, and the sums over these terms.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <mutex>
#include <span>
#include <stdexcept>
#include <utility>
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

    // Whether it knows every term that some document has.
    bool knows_all() const { return open && !shared && min_documents <= 0 && kept.empty() && !has_own_counts(); }

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
    std::vector<Units> smallest;  // no count of a term under the label is smaller
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

    // The same from totals over all terms, if the model knows all terms that some document has.
    Sums(const Counts& counts, const Model& model, const CountTotals& totals)
        : labels(counts.n_labels()), smallest(counts.n_labels()), terms(totals.n_terms + model.unknown_term) {
        for (Id label = 0; label < counts.n_labels(); ++label) {
            const CountTotals::Label& own = totals.labels[label];
            labels[label] = {counts.n_documents()[label], own.counted, own.distinct, counts.squares()[label]};
            smallest[label] = own.smallest;
            counted += own.counted;
        }
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

// For each label, how many of its known terms have each count.
inline std::vector<Frequencies> list_frequencies(const Counts& counts, const Model& model) {
    const Id n_needed = model.n_needed(counts);
    std::vector<FrequencyCounter> counters(counts.n_labels());
    for (Id term = 0; term < counts.n_terms(); ++term) {
        const auto row = counts.row(term);
        if (!model.knows(term, model.sum(row), n_needed)) continue;
        for (const Cell& cell : row)
            if (model.counted(cell) > 0) counters[cell.label].add(model.counted(cell));
    }
    std::vector<Frequencies> frequencies;
    for (FrequencyCounter& counter : counters) frequencies.push_back(counter.take());
    return frequencies;
}

// Finds the low counts of a label. Without weights no count is low, because each is at least 1. Only if a count may be low,
// `list` is called, once, for the frequencies of all counts. They must not change meanwhile.
class LowCounts {
  public:
    LowCounts(const Sums& sums, std::function<std::vector<Frequencies>()> list) : smallest_(sums.smallest), list_(std::move(list)) {}

    Low find(Id label, double discount) const {
        if (!Low::is_low(smallest_[label], discount)) return {};
        std::call_once(listed_, [&] { sum_up(); });
        const std::vector<Running>& running = of_label_[label];
        const auto is_low = [&](const Running& each) { return Low::is_low(each.count, discount); };
        const auto end = std::partition_point(running.begin(), running.end(), is_low);
        return end == running.begin() ? Low{} : std::prev(end)->low;
    }

  private:
    struct Running {
        Units count;
        Low low;  // of all terms with at most this count
    };

    void sum_up() const {
        for (const Frequencies& frequencies : list_()) {
            std::vector<Running>& running = of_label_.emplace_back();
            Low low;
            for (const auto& [count, n] : frequencies) {
                low.n += n;
                low.sum += n * count;
                running.push_back({count, low});
            }
        }
    }

    std::vector<Units> smallest_;
    std::function<std::vector<Frequencies>()> list_;
    mutable std::once_flag listed_;
    mutable std::vector<std::vector<Running>> of_label_{};
};

// The part of absent terms in Bernoulli naive Bayes: the sum of log (D - d + ε) over the known terms of each label. The order of the sum
// does not depend on the numbers of the terms.
class AbsentTerms {
  public:
    // `of_label` has the frequencies of the known terms of each label.
    AbsentTerms(std::vector<Frequencies> of_label, const Sums& sums)
        : n_terms_(static_cast<double>(sums.terms)), of_label_(std::move(of_label)) {}

    // The sum if the label had n_documents. Terms that occur in more documents are left out.
    double sum(Id label, Units n_documents, double value) const {
        double total = 0, n_met = 0;
        for (const auto& [documents, n] : of_label_[label]) {
            n_met += static_cast<double>(n);
            if (documents < n_documents || (documents == n_documents && value > 0))
                total += static_cast<double>(n) * std::log(to_number(n_documents - documents) + value);
        }
        const double n_missing = n_terms_ - n_met;
        return total + (n_missing > 0 ? n_missing * std::log(to_number(n_documents) + value) : 0);
    }

    // The number of terms that occur in every document of a label.
    std::int64_t n_always(Id label, Units n_documents) const {
        std::int64_t n_terms = 0;
        for (const auto& [documents, n] : of_label_[label]) n_terms += documents >= n_documents ? n : 0;
        return n_terms;
    }

  private:
    double n_terms_;
    std::vector<Frequencies> of_label_;
};

}  // namespace tercet

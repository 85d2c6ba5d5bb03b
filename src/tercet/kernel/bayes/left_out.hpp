// The scores of training documents with the counts of all other documents. The document is subtracted from the counts; nothing is learned
// again. Only the counts of the document's own terms change, so this takes about as long as scoring the documents.
#pragma once
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "bayes/weights.hpp"

namespace tercet {

// What is subtracted from a label with a document: its own weight, or the sum of the weights of all its copies, and the sum of their
// squares. Each label occurs once.
struct Taken {
    Id label;
    Units weight;
    SquareSum squares;
    static Taken one(Id label, Units weight) { return {label, weight, SquareSum::square(weight)}; }
};

// A document, and the counts of its terms without it. The memory can be reused for the next document.
struct LeftDocument {
    struct Term {
        double count, in_all;  // in the document, and under all labels
        std::uint32_t end;     // of its cells
        Id id;
    };
    struct LeftCell {
        Id label;
        double before, left;
    };
    std::vector<Sums::Label> labels{};
    Units counted = 0;
    std::int64_t n_terms = 0;
    PreciseSum pseudo_counts{};
    double n_unknown = 0;  // occurrences of terms that are not known without the document
    std::vector<Term> terms{};
    std::vector<LeftCell> cells{};
    std::vector<LeftCell> gone{};  // cells of terms that are no longer known without the document
    double n_gone = 0;
    // For the scores:
    std::vector<Units> taken{};
    std::vector<LabelTotals> totals{};
    std::vector<Low> low{};
    std::vector<double> of_label{};
    std::vector<LabelFactors> factors{};
    std::vector<LogProduct> sums{};
    std::vector<std::uint32_t> n_met{};
    std::map<std::tuple<Id, Units, double>, double> absent{};
};

class LeftOut {
  public:
    LeftOut(const Counts& counts, const Model& model)
        : counts_(counts), model_(model), n_needed_(model.n_needed(counts)), known_(counts.n_terms()), sums_(counts, model, &known_),
          low_(sums_, [this] { return list_frequencies(counts_, model_); }) {
        if (model.formula.likelihood == Likelihood::bernoulli) absent_.emplace(list_frequencies(counts, model), sums_);
    }

    Id n_labels() const { return static_cast<Id>(sums_.labels.size()); }
    Id n_terms() const { return static_cast<Id>(known_.size()); }
    bool has_unknown_term() const { return model_.unknown_term; }

    // Subtract a document from all sums. A term that is then no longer known is removed with all its occurrences.
    void take(const Row& row, std::span<const Taken> taken, LeftDocument& left) const {
        left.labels = sums_.labels;
        left.taken.assign(n_labels(), 0);
        left.counted = sums_.counted;
        left.n_terms = sums_.terms;
        left.pseudo_counts = sums_.pseudo_counts;
        left.n_unknown = row.n_unknown;
        left.n_gone = 0;
        left.terms.clear();
        left.cells.clear();
        left.gone.clear();
        for (const Taken& t : taken) {
            left.taken[t.label] = t.weight;
            left.labels[t.label].documents -= t.weight;
            left.labels[t.label].squares -= t.squares;
        }
        constexpr std::size_t ahead = 24;
        const auto entries = row.entries;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (i + 2 * ahead < entries.size()) {
                counts_.prefetch(entries[i + 2 * ahead].term);
                fetch(&known_[entries[i + 2 * ahead].term]);
            }
            if (i + ahead < entries.size()) counts_.prefetch_cells(entries[i + ahead].term);
            take_term(entries[i].term, entries[i].count, left);
        }
    }

    // log P(document | label), without the prior.
    void score(const Formula& formula, LeftDocument& left, double* scores) const {
        if (formula.likelihood == Likelihood::bernoulli) return score_bernoulli(formula, left, scores);
        const AllTotals all{to_number(left.counted), static_cast<double>(left.n_terms), left.pseudo_counts.to_number()};
        const bool has_own = model_.has_own_counts();
        sum_labels(formula, left);
        left.of_label.resize(n_labels());
        left.factors.resize(n_labels());
        for (Id label = 0; label < n_labels(); ++label) {
            left.of_label[label] = formula.of_label(left.totals[label], all);
            left.factors[label] = formula.factors(left.totals[label], all);
        }
        left.sums.assign(n_labels(), {});
        if (formula.is_strict()) left.n_met.assign(n_labels(), 0);
        LogProduct common;
        double n_counted = 0;
        std::uint32_t n_strict = 0, i = 0;
        for (const LeftDocument::Term& term : left.terms) {
            if (formula.needs_seen() && term.in_all <= 0) {
                i = term.end;
                continue;
            }
            const Formula own = has_own ? model_.formula_of(term.id) : formula;
            const LabelFactors own_factors = has_own ? own.factors({}, all) : LabelFactors{};
            if (own.is_tiny()) common.add_log(term.count * own.of_term(term.in_all, all));
            else common.add(term.count, own.term_factor(term.in_all, all));
            n_counted += term.count;
            ++n_strict;
            for (; i < term.end; ++i) {
                const LeftDocument::LeftCell& cell = left.cells[i];
                if (cell.left <= 0) continue;
                const LabelFactors& factors = has_own ? own_factors : left.factors[cell.label];
                if (own.is_tiny()) left.sums[cell.label].add_log(term.count * own.of_cell(cell.left, term.in_all, factors));
                else left.sums[cell.label].add(term.count, own.cell_factor(cell.left, term.in_all, factors));
                if (formula.is_strict()) ++left.n_met[cell.label];
            }
        }
        if (model_.unknown_term && left.n_unknown > 0) {
            const double count = formula.counts_documents() ? 1 : left.n_unknown;
            common.add(count, formula.term_factor(0, all));
            n_counted += count;
        }
        for (Id label = 0; label < n_labels(); ++label) {
            scores[label] = left.sums[label].sum();
            if (n_counted > 0) scores[label] += common.sum() + n_counted * left.of_label[label];
            if (formula.is_strict() && left.n_met[label] < n_strict) scores[label] = -infinity;
        }
    }

    // Σ n log P(term | label) over all occurrences, each scored with the counts without it. An occurrence that is the only one of its
    // term is skipped. The sum is an integer, so that the order of the terms does not matter.
    double occurrence_likelihood(const Formula& formula) const {
        const AllTotals all{to_number(sums_.counted - one), static_cast<double>(sums_.terms)};
        std::int64_t total = 0;
        for (const auto& [cell, n] : repeated_cells()) {
            const auto& [label, here, in_all] = cell;
            const LabelTotals own = sum_without_one(formula, label, here);
            double value = formula.of_term(to_number(in_all - one), all) + formula.of_label(own, all);
            if (here > one) value += formula.of_cell(to_number(here - one), to_number(in_all - one), formula.factors(own, all));
            total += n * std::llround(to_number(here) * value * static_cast<double>(one));
        }
        return to_number(total);
    }

  private:
    // The totals of each label without the document.
    void sum_labels(const Formula& formula, LeftDocument& left) const {
        left.totals.resize(n_labels());
        for (Id label = 0; label < n_labels(); ++label) left.totals[label] = left.labels[label].totals();
        if (!formula.is_discount()) return;
        const auto discount = [&](Id label) { return formula.discount(left.totals[label]); };
        left.low.resize(n_labels());
        for (Id label = 0; label < n_labels(); ++label) left.low[label] = low_.find(label, discount(label));
        for (const auto& cell : left.cells) left.low[cell.label].replace(units(cell.before), units(cell.left), discount(cell.label));
        for (const auto& cell : left.gone) left.low[cell.label].replace(units(cell.before), 0, discount(cell.label));
        for (Id label = 0; label < n_labels(); ++label) left.low[label].put_into(left.totals[label]);
    }
    static Units units(double number) { return static_cast<Units>(number * static_cast<double>(one)); }

    // The totals of a label without one occurrence of a term that occurs `here` times under it.
    LabelTotals sum_without_one(const Formula& formula, Id label, Units here) const {
        Sums::Label left = sums_.labels[label];
        left.counted -= one;
        left.distinct -= here == one;
        LabelTotals totals = left.totals();
        if (!formula.is_discount()) return totals;
        Low low = low_.find(label, formula.discount(totals));
        low.replace(here, here - one, formula.discount(totals));
        low.put_into(totals);
        return totals;
    }

    // (label, count under the label, count under all labels) of terms that occur more than once → number of such terms.
    using Repeated = std::map<std::tuple<Id, Units, Units>, std::int64_t>;
    const Repeated& repeated_cells() const {
        std::call_once(counted_, [&] {
            for (Id term = 0; term < counts_.n_terms(); ++term) {
                const Units in_all = known_[term] ? model_.sum(counts_.row(term)).counted : 0;
                if (in_all <= one) continue;
                for (const Cell& cell : counts_.row(term))
                    if (model_.counted(cell) >= one) ++repeated_[{cell.label, model_.counted(cell), in_all}];
            }
        });
        return repeated_;
    }

    void take_term(Id term, double raw, LeftDocument& left) const {
        if (!known_[term]) {
            left.n_unknown += raw;
            return;
        }
        const double count = model_.counted(raw);
        const std::size_t begin = left.cells.size();
        Units before = 0;
        TermSums after;
        for (const Cell& cell : counts_.row(term)) {
            const Units here = model_.counted(cell), weight = left.taken[cell.label];
            const Units taken = weight ? to_units(count, weight) : 0;
            before += here;
            after.counted += here - taken;
            after.documents += cell.documents - weight;
            after.n_labels += here > taken;
            if (here <= 0) continue;
            left.cells.push_back({cell.label, to_number(here), to_number(here - taken)});
            left.labels[cell.label].counted -= taken;
            left.labels[cell.label].distinct -= here <= taken;
        }
        const bool stays = model_.knows(term, after, n_needed_);
        left.counted -= before - (stays ? after.counted : 0);
        if (stays) {
            left.terms.push_back({count, to_number(after.counted), static_cast<std::uint32_t>(left.cells.size()), term});
            return;
        }
        for (const LeftDocument::LeftCell& cell : std::span(left.cells).subspan(begin)) {
            left.labels[cell.label].counted -= units(cell.left);
            left.labels[cell.label].distinct -= cell.left > 0;
        }
        left.gone.insert(left.gone.end(), left.cells.begin() + static_cast<std::ptrdiff_t>(begin), left.cells.end());
        left.cells.resize(begin);
        left.n_unknown += raw;
        --left.n_terms;
        if (model_.has_own_counts()) left.pseudo_counts.add(-model_.pseudo_counts[term]);
        ++left.n_gone;
    }

    // First the score as if the label had none of the document's terms. Then the changes by the terms that it has.
    void score_bernoulli(const Formula& formula, LeftDocument& left, double* scores) const {
        const double value = formula.value, n_left = static_cast<double>(left.terms.size());
        const auto log = [&](double documents) { return std::log(documents + value); };
        for (Id label = 0; label < n_labels(); ++label) {
            const Units units = left.labels[label].documents;
            const double n_documents = to_number(units);
            const auto [absent, is_new] = left.absent.try_emplace({label, units, value});
            if (is_new) absent->second = absent_->sum(label, units, value);
            scores[label] = absent->second - (n_left + left.n_gone) * log(n_documents) + n_left * std::log(value) -
                            static_cast<double>(left.n_terms) * std::log(n_documents + 2 * value);
        }
        const auto add_absent = [&](const LeftDocument::LeftCell& cell) {
            const double n_documents = to_number(left.labels[cell.label].documents);
            scores[cell.label] += log(n_documents);
            if (cell.before <= n_documents) scores[cell.label] -= log(n_documents - cell.before);
        };
        for (const LeftDocument::LeftCell& cell : left.gone) add_absent(cell);
        for (const LeftDocument::LeftCell& cell : left.cells) {
            add_absent(cell);
            scores[cell.label] += log(cell.left) - std::log(value);
        }
    }

    const Counts& counts_;
    Model model_;
    Id n_needed_;
    std::vector<std::uint8_t> known_;  // for each term
    Sums sums_;
    LowCounts low_;
    std::optional<AbsentTerms> absent_;
    mutable std::once_flag counted_;
    mutable Repeated repeated_;
};

}  // namespace tercet

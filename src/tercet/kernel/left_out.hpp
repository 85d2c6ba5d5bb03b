// The scores of training documents by the counts without them: by subtraction, not by learning again. Only what a
// document itself had changes, so all of them together cost about as much as scoring them.
#pragma once
#include <map>

#include "weights.hpp"

namespace tercet {

// What is taken out with a document: its own weight under its label, or that of all its copies.
struct Taken {
    Id label;
    Units weight;
};

class LeftOut {
  public:
    LeftOut(const Counts& counts, const Model& model)
        : counts_(counts), model_(model), n_needed_(model.n_needed(counts)), sums_(counts, model),
          terms_(counts.n_terms()) {
        for (Id term = 0; term < counts.n_terms(); ++term) {
            terms_[term].sums = model.sum(counts.row(term));
            terms_[term].known = model.knows(term, terms_[term].sums, n_needed_);
        }
        if (model.formula.likelihood == Likelihood::bernoulli) absent_.emplace(counts, model, sums_);
    }

    Id n_labels() const { return counts_.n_labels(); }

    // Room that documents share, one for each thread.
    struct Scratch {
        std::vector<Sums::Label> labels{};
        std::vector<Units> taken{};
        std::vector<double> of_label{}, factors{};
        std::vector<std::uint32_t> n_met{};
        std::vector<TermSums> left{};  // of each entry, and `gone` where it is not known any more
        std::map<std::pair<Id, Units>, double> absent{};
    };

    // log P(document | label) without what is taken; the prior is not in it.
    void score(const Row& row, std::span<const Taken> taken, Scratch& scratch, double* scores) const {
        scratch.labels = sums_.labels;
        scratch.taken.assign(n_labels(), 0);
        for (const Taken& t : taken) {
            scratch.taken[t.label] += t.weight;
            scratch.labels[t.label].documents -= t.weight;
        }
        const AllUnits all = take_terms(row, taken, scratch);
        if (model_.formula.likelihood == Likelihood::bernoulli) return score_bernoulli(row, all, scratch, scores);
        const AllTotals totals{to_number(all.counted), static_cast<double>(all.terms)};
        scratch.of_label.resize(n_labels());
        scratch.factors.resize(n_labels());
        for (Id label = 0; label < n_labels(); ++label) {
            const LabelTotals own = scratch.labels[label].totals();
            scratch.of_label[label] = model_.formula.of_label(own, totals);
            scratch.factors[label] = model_.formula.factor(own, totals);
        }
        score_present(row, totals, all.n_unknown, scratch, scores);
    }

    // Σ n log P(term | label) over all occurrences, each scored by the counts without it. An occurrence that is the
    // only one of its term is passed over. Sums of integers, so that the order of the terms does not matter.
    double occurrence_likelihood() const {
        const Formula& formula = model_.formula;
        const AllTotals all{to_number(sums_.counted - one), static_cast<double>(sums_.terms)};
        std::array<std::vector<double>, 2> of_label, factors;  // where the label keeps the term, and where it loses it
        for (int loses = 0; loses < 2; ++loses) {
            for (Sums::Label label : sums_.labels) {
                label.counted -= one;
                label.distinct -= loses;
                of_label[loses].push_back(formula.of_label(label.totals(), all));
                factors[loses].push_back(formula.factor(label.totals(), all));
            }
        }
        std::int64_t total = 0;
        for (Id term = 0; term < counts_.n_terms(); ++term) {
            const TermSums sums = model_.sum(counts_.row(term));
            if (!model_.knows(term, sums, n_needed_) || sums.counted <= one) continue;
            const double in_all = to_number(sums.counted - one), of_term = formula.of_term(in_all, all);
            for (const Cell& cell : counts_.row(term)) {
                const Units here = model_.counted(cell);
                if (here < one) continue;
                const int loses = here == one;
                double value = of_term + of_label[loses][cell.label];
                if (!loses) value += formula.of_cell(to_number(here - one), in_all, factors[0][cell.label]);
                total += std::llround(to_number(here) * value * static_cast<double>(one));
            }
        }
        return to_number(total);
    }

  private:
    struct AllUnits {
        Units counted;
        std::int64_t terms;
        double n_unknown;  // of the document's terms, once it is gone
    };

    Units taken_of(const Cell& cell, double count, const Scratch& scratch) const {
        return to_units(model_.counted(count), scratch.taken[cell.label]);
    }

    // Take the document's terms out of the sums. A term that is no longer known goes with all its occurrences.
    AllUnits take_terms(const Row& row, std::span<const Taken> taken, Scratch& scratch) const {
        AllUnits all{sums_.counted, sums_.terms, row.n_unknown};
        scratch.left.clear();
        for (const auto& [term, count] : row.entries) {
            const auto& [before, known] = terms_[term];
            TermSums after = before;
            for (const Taken& t : taken) take_label(term, count, t.label, scratch, after);
            const bool stays = known && model_.knows(term, after, n_needed_);
            scratch.left.push_back(stays ? after : gone);
            if (!stays) all.n_unknown += count;
            if (!known) continue;
            all.counted -= before.counted - (stays ? after.counted : 0);
            all.terms -= !stays;
            if (stays) {
                for (const Taken& t : taken) take_cell(counts_.find(term, t.label), count, scratch);
            } else {
                for (const Cell& cell : counts_.row(term)) {
                    scratch.labels[cell.label].counted -= model_.counted(cell);
                    scratch.labels[cell.label].distinct -= model_.counted(cell) > 0;
                }
            }
        }
        return all;
    }

    void take_label(Id term, double count, Id label, const Scratch& scratch, TermSums& sums) const {
        const Cell* cell = counts_.find(term, label);
        if (!cell) return;
        const Units taken = taken_of(*cell, count, scratch);
        sums.counted -= taken;
        sums.documents -= scratch.taken[label];
        sums.n_labels -= model_.counted(*cell) > 0 && model_.counted(*cell) <= taken;
    }

    void take_cell(const Cell* cell, double count, Scratch& scratch) const {
        if (!cell) return;
        const Units taken = taken_of(*cell, count, scratch);
        scratch.labels[cell->label].counted -= taken;
        scratch.labels[cell->label].distinct -= model_.counted(*cell) > 0 && model_.counted(*cell) <= taken;
    }

    void score_present(const Row& row, const AllTotals& all, double n_unknown, Scratch& scratch, double* scores) const {
        const Formula& formula = model_.formula;
        double common = 0, n_counted = 0;
        std::uint32_t n_strict = 0;
        std::fill_n(scores, n_labels(), 0.0);
        if (formula.is_strict()) scratch.n_met.assign(n_labels(), 0);
        for (std::size_t i = 0; i < row.entries.size(); ++i) {
            const auto& [term, raw] = row.entries[i];
            const TermSums& left = scratch.left[i];
            if (is_gone(left) || (formula.needs_seen() && left.counted <= 0)) continue;
            const double in_all = to_number(left.counted), count = model_.counted(raw);
            common += count * formula.of_term(in_all, all);
            n_counted += count;
            ++n_strict;
            for (const Cell& cell : counts_.row(term)) {
                const Units in_label = model_.counted(cell) - taken_of(cell, raw, scratch);
                if (in_label <= 0) continue;
                scores[cell.label] += count * formula.of_cell(to_number(in_label), in_all, scratch.factors[cell.label]);
                if (formula.is_strict()) ++scratch.n_met[cell.label];
            }
        }
        if (model_.unknown_term && n_unknown > 0) {
            const double count = formula.counts_documents() ? 1 : n_unknown;
            common += count * formula.of_term(0, all);
            n_counted += count;
        }
        for (Id label = 0; label < n_labels(); ++label) {
            if (n_counted > 0) scores[label] += common + n_counted * scratch.of_label[label];
            if (formula.is_strict() && scratch.n_met[label] < n_strict) scores[label] = -infinity;
        }
    }

    // First as if the label had none of the document's terms, then what those change that it has.
    void score_bernoulli(const Row& row, const AllUnits& all, Scratch& scratch, double* scores) const {
        const double value = model_.formula.value, log_value = std::log(value);
        double n_before = 0, n_after = 0;
        for (std::size_t i = 0; i < row.entries.size(); ++i) {
            n_before += terms_[row.entries[i].term].known;
            n_after += !is_gone(scratch.left[i]);
        }
        for (Id label = 0; label < n_labels(); ++label) {
            const Units n_documents = scratch.labels[label].documents;
            const auto [absent, is_new] = scratch.absent.try_emplace({label, n_documents});
            if (is_new) absent->second = absent_->sum(label, n_documents);
            scores[label] = absent->second - n_before * absent_->log(n_documents) + n_after * log_value -
                            static_cast<double>(all.terms) * std::log(to_number(n_documents) + 2 * value);
        }
        for (std::size_t i = 0; i < row.entries.size(); ++i) {
            const Id term = row.entries[i].term;
            if (!terms_[term].known) continue;
            for (const Cell& cell : counts_.row(term)) {
                if (cell.documents <= 0) continue;
                const Units n_documents = scratch.labels[cell.label].documents, left = cell.documents - scratch.taken[cell.label];
                double change = absent_->log(n_documents);
                if (cell.documents <= n_documents) change -= absent_->log(n_documents - cell.documents);
                if (!is_gone(scratch.left[i])) change += absent_->log(left) - log_value;
                scores[cell.label] += change;
            }
        }
    }

    static constexpr TermSums gone{-1, -1, 0};
    static bool is_gone(const TermSums& sums) { return sums.counted < 0; }

    struct KnownTerm {
        TermSums sums;
        bool known;
    };
    const Counts& counts_;
    Model model_;
    Id n_needed_;
    Sums sums_;
    std::vector<KnownTerm> terms_;
    std::optional<AbsentTerms> absent_;
};

}  // namespace tercet

// Counts → the weights of each term under each label, computed once. A score is a sum over the terms of a document.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/large_vector.hpp"
#include "base/numbers.hpp"
#include "base/threads.hpp"
#include "bayes/model.hpp"
#include "counts/rows.hpp"

namespace tercet {

class Weights {
  public:
    Weights(const Counts& counts, const Model& model, std::size_t n_threads = 1)
        : formula_(model.formula), unknown_term_(model.unknown_term), of_label_(counts.n_labels()), offset_(counts.n_labels()),
          n_always_(counts.n_labels()), rows_(counts.n_terms()) {
        const Sums sums(counts, model);
        const LowCounts low(counts, model, sums);
        const AllTotals all = sums.all();
        std::vector<LabelFactors> factors(n_labels());
        for (Id label = 0; label < n_labels(); ++label) {
            LabelTotals totals = sums.labels[label].totals();
            if (formula_.is_discount()) low.find(label, formula_.discount(totals)).put_into(totals);
            of_label_[label] = formula_.of_label(totals, all);
            factors[label] = formula_.factors(totals, all);
        }
        if (formula_.likelihood == Likelihood::bernoulli) sum_absent(counts, model, sums);
        if (unknown_term_) of_unknown_ = formula_.of_term(0, all);
        // Most terms occur only once, so their weights are computed once for all of them.
        const double of_single = formula_.of_term(1, all);
        std::vector<double> singles(n_labels());
        for (Id label = 0; label < n_labels(); ++label) singles[label] = formula_.of_cell(1, 1, factors[label]);
        const Id n_needed = model.n_needed(counts);
        const auto work_out = [&](Id term, Room& room) {
            const auto row = counts.row(term);
            const TermSums term_sums = model.sum(row);
            if (!model.knows(term, term_sums, n_needed)) return;
            if (formula_.needs_seen() && term_sums.counted == 0) {
                rows_[term].size = silent;
                return;
            }
            const double in_all = to_number(term_sums.counted);
            const Formula formula = model.formula_of(term);
            const bool has_own = model.has_own_counts(), single = term_sums.counted == one && !has_own, fills = is_full(row.size());
            const LabelFactors own_factors = has_own ? formula.factors({}, all) : LabelFactors{};
            const std::size_t begin = fills ? room.full : room.cell;
            rows_[term] = {single ? of_single : formula.of_term(in_all, all), static_cast<std::uint32_t>(begin), fills ? full : 0};
            if (fills) std::fill_n(full_.begin() + static_cast<std::ptrdiff_t>(begin), n_labels(), 0.0);
            for (const Cell& cell : row) {
                if (model.counted(cell) <= 0) continue;
                const bool always = formula_.is_strict() && cell.documents >= counts.n_documents()[cell.label];
                const double in_label = to_number(model.counted(cell));
                const double value = always && formula_.likelihood == Likelihood::bernoulli ? std::log(in_label)
                                     : single && model.counted(cell) == one ? singles[cell.label]
                                     : formula.of_cell(in_label, in_all, has_own ? own_factors : factors[cell.label]);
                if (fills) full_[begin + cell.label] = value;
                else cells_[begin + rows_[term].size++] = {cell.label, always, value};
            }
            (fills ? room.full : room.cell) += fills ? n_labels() : row.size();
        };
        std::vector<Room> rooms = share_rooms(counts, n_threads);
        share_out(n_threads, rooms.size(), [&](std::size_t, std::size_t b) {
            for (Id term = rooms[b].first; term < rooms[b].last; ++term) work_out(term, rooms[b]);
        });
    }

    // Weights that were computed before, as `pack` gives them.
    struct Packed {
        std::vector<double> of_label, offset;
        std::vector<float> of_term, values;
        std::vector<std::int64_t> starts, labels;  // the cells of term t are starts[t] … starts[t + 1]
    };
    Weights(const Model& model, const Packed& packed)
        : formula_(model.formula), unknown_term_(model.unknown_term), of_label_(packed.of_label), offset_(packed.offset),
          n_always_(packed.of_label.size()), rows_(packed.of_term.size()) {
        if (unknown_term_) of_unknown_ = formula_.of_term(0, {});
        for (Id term = 0; term < n_terms(); ++term) {
            rows_[term] = {packed.of_term[term], static_cast<std::uint32_t>(cells_.size()), 0};
            for (std::int64_t i = packed.starts[term]; i < packed.starts[term + 1]; ++i) {
                cells_.push_back({static_cast<Id>(packed.labels[i]), 0, packed.values[i]});
                ++rows_[term].size;
            }
            fill_row(rows_[term]);
        }
    }

    // Weights from given probabilities, terms × labels. For Bernoulli: that a document of the label has the term. The model has smoothing
    // 0, so that a document with a term of probability 0 is impossible.
    Weights(const Model& model, Id n_labels, std::span<const double> probabilities)
        : formula_(model.formula), unknown_term_(false), of_label_(n_labels), offset_(n_labels), n_always_(n_labels),
          rows_(n_labels ? probabilities.size() / n_labels : 0) {
        const bool uses_absent = formula_.likelihood == Likelihood::bernoulli;
        for (Id term = 0; term < n_terms(); ++term) {
            rows_[term] = {0, static_cast<std::uint32_t>(cells_.size()), 0};
            for (Id label = 0; label < n_labels; ++label) {
                const double p = probabilities[std::size_t{term} * n_labels + label];
                const bool always = uses_absent && p == 1;
                const double absent = uses_absent && !always ? std::log1p(-p) : 0;
                n_always_[label] += always;
                offset_[label] += absent;
                if (p == 0) continue;
                cells_.push_back({label, always, std::log(p) - absent});
                ++rows_[term].size;
            }
        }
    }

    // The weights of these terms in single precision. They do not say which terms a label must have with smoothing 0.
    Packed pack(std::span<const std::int64_t> terms) const {
        Packed packed{of_label_, offset_, {}, {}, {0}, {}};
        for (std::int64_t term : terms) {
            const TermWeights& row = rows_[term];
            packed.of_term.push_back(static_cast<float>(row.of_term));
            const auto put = [&](Id label, double value) {
                if (value == 0) return;
                packed.labels.push_back(label);
                packed.values.push_back(static_cast<float>(value));
            };
            if (row.size == full)
                for (Id label = 0; label < n_labels(); ++label) put(label, full_[row.begin + label]);
            else if (row.size < full)
                for (std::uint32_t i = 0; i < row.size; ++i) put(cells_[row.begin + i].label, cells_[row.begin + i].value);
            packed.starts.push_back(static_cast<std::int64_t>(packed.labels.size()));
        }
        return packed;
    }

    Id n_labels() const { return static_cast<Id>(of_label_.size()); }
    Id n_terms() const { return static_cast<Id>(rows_.size()); }
    // Whether a repeated term counts once.
    bool clips() const { return formula_.counts_documents(); }
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
        if (!formula_.is_strict()) return;
        sum.n_met.assign(n_labels(), 0);
        sum.n_always.assign(n_labels(), 0);
    }

    void add(Sum& sum, Id term, double count) const {
        const TermWeights& row = rows_[term];
        if (row.size == unknown) return void(sum.n_unknown += count);
        if (row.size == silent) return;
        sum.common += count * row.of_term;
        sum.n_counted += count;
        if (row.size == full) {
            const double* values = full_.data() + row.begin;
            for (Id label = 0; label < n_labels(); ++label) sum.scores[label] += count * values[label];
            return;
        }
        const WeightCell* cells = cells_.data() + row.begin;
        for (std::uint32_t i = 0; i < row.size; ++i) sum.scores[cells[i].label] += count * cells[i].value;
        if (!formula_.is_strict()) return;
        ++sum.n_strict;
        for (std::uint32_t i = 0; i < row.size; ++i) {
            ++sum.n_met[cells[i].label];
            sum.n_always[cells[i].label] += cells[i].always;
        }
    }
    void prefetch(Id term) const { fetch(&rows_[term]); }
    // The second step of prefetching: the values that the row points to.
    void prefetch_values(Id term) const {
        const TermWeights& row = rows_[term];
        row.size == full ? fetch(full_.data() + row.begin) : fetch(cells_.data() + row.begin);
    }

    // log P(document | label), without the prior. A document without known terms scores 0, or for Bernoulli the absence of all terms.
    void finish(Sum& sum) const {
        if (unknown_term_ && sum.n_unknown > 0) {
            const double count = clips() ? 1 : sum.n_unknown;
            sum.common += count * of_unknown_;
            sum.n_counted += count;
        }
        for (Id label = 0; label < n_labels(); ++label) {
            double& score = sum.scores[label];
            if (sum.n_counted > 0) score += sum.common + sum.n_counted * of_label_[label];
            score += offset_[label];
            if (formula_.is_strict() && (sum.n_met[label] < sum.n_strict || sum.n_always[label] < n_always_[label])) score = -infinity;
        }
    }

    // log P(term | label) for all labels. For Bernoulli, the score that the presence of the term adds. Zeros if the term is not known.
    void explain(Id term, double* values) const {
        if (term != none && rows_[term].size < silent && !formula_.is_strict()) return explain_known(rows_[term], values);
        Sum sum;
        begin(sum, values);
        if (formula_.is_strict()) sum.n_always = n_always_;  // so that the absence of other terms does not count
        if (term == none) ++sum.n_unknown;
        else add(sum, term, 1);
        finish(sum);
        for (Id label = 0; label < n_labels(); ++label) values[label] -= offset_[label];
    }
    bool knows(Id term) const { return rows_[term].size != unknown; }
    // The number of occurrences that the score of a document sums over.
    double n_counted(const Row& row) const {
        double total = 0, n_unknown = row.n_unknown;
        for (const auto& [term, count] : row.entries) {
            if (term >= n_terms() || rows_[term].size == unknown) n_unknown += count;
            else if (rows_[term].size != silent) total += clips() ? 1 : count;
        }
        return unknown_term_ ? total + (clips() ? std::min(n_unknown, 1.0) : n_unknown) : total;
    }
    const std::vector<double>& offset() const { return offset_; }

  private:
    // Sizes with a special meaning: the term is not known; it is skipped; its row has a value for every label.
    static constexpr std::uint32_t unknown = 0xFFFFFFFF, silent = 0xFFFFFFFE, full = 0xFFFFFFFD;
    struct TermWeights {
        double of_term = 0;
        std::uint32_t begin = 0, size = unknown;
    };
    struct WeightCell {
        Id label;
        std::uint32_t always;
        double value;
    };

    // A range of terms, and the places of their rows.
    struct Room {
        Id first, last;
        std::size_t full = 0, cell = 0;
    };

    // Make room for all rows, and give each thread a part of it.
    std::vector<Room> share_rooms(const Counts& counts, std::size_t n_threads) {
        const Id n = counts.n_terms(), size = static_cast<Id>(std::max<std::size_t>(4096, n / std::max<std::size_t>(n_threads, 1) + 1));
        std::vector<Room> rooms;
        for (Id first = 0; first < n; first += std::min(size, n - first)) rooms.push_back({first, first + std::min(size, n - first)});
        share_out(n_threads, rooms.size(), [&](std::size_t, std::size_t b) {
            for (Id term = rooms[b].first; term < rooms[b].last; ++term) {
                const std::size_t n_cells = counts.row(term).size();
                is_full(n_cells) ? rooms[b].full += n_labels() : rooms[b].cell += n_cells;
            }
        });
        std::size_t n_full = 0, n_cells = 0;
        for (Room& room : rooms) {
            n_full += std::exchange(room.full, n_full);
            n_cells += std::exchange(room.cell, n_cells);
        }
        full_.resize(n_full);
        cells_.resize(n_cells);
        return rooms;
    }

    // The same in less time, if every label may have the term.
    void explain_known(const TermWeights& row, double* values) const {
        for (Id label = 0; label < n_labels(); ++label) values[label] = row.of_term + of_label_[label];
        if (row.size == full)
            for (Id label = 0; label < n_labels(); ++label) values[label] = full_[row.begin + label] + values[label];
        else
            for (std::uint32_t i = 0; i < row.size; ++i) values[cells_[row.begin + i].label] += cells_[row.begin + i].value;
    }

    bool is_full(std::size_t size) const { return !formula_.is_strict() && size * 2 >= n_labels(); }

    // If at least half of the labels have the term, a row with a value for every label takes less memory and time.
    void fill_row(TermWeights& row) {
        if (!is_full(row.size)) return;
        const std::size_t begin = full_.size();
        full_.resize(begin + n_labels(), 0.0);
        for (std::size_t i = row.begin; i < cells_.size(); ++i) full_[begin + cells_[i].label] = cells_[i].value;
        cells_.resize(row.begin);
        row.begin = static_cast<std::uint32_t>(begin);
        row.size = full;
    }

    void sum_absent(const Counts& counts, const Model& model, const Sums& sums) {
        const AbsentTerms absent(counts, model, sums);
        for (Id label = 0; label < n_labels(); ++label) {
            const Units n_documents = counts.n_documents()[label];
            if (formula_.is_strict()) n_always_[label] = static_cast<std::uint32_t>(absent.n_always(label, n_documents));
            const double n_possible = static_cast<double>(sums.terms) - n_always_[label];
            const double total = std::log(to_number(n_documents) + 2 * formula_.value);
            if (formula_.is_strict() && n_documents == 0) {  // no document is possible
                offset_[label] = -infinity;
                continue;
            }
            offset_[label] = n_possible > 0 ? absent.sum(label, n_documents, formula_.value) - n_possible * total : 0;
        }
    }

    Formula formula_;
    bool unknown_term_;
    double of_unknown_ = 0;
    std::vector<double> of_label_, offset_;
    std::vector<std::uint32_t> n_always_;  // the number of terms in every document of a label, if the smoothing is 0
    LargeVector<TermWeights> rows_;
    LargeVector<WeightCell> cells_;
    LargeVector<double> full_;
};

}  // namespace tercet

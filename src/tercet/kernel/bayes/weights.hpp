// Counts → the weights of each term under each label, computed once. A score is a sum over the terms of a document.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/large_vector.hpp"
#include "base/threads.hpp"
#include "bayes/term_weigher.hpp"
#include "counts/rows.hpp"

namespace tercet {

class Weights : public LabelParts {
  public:
    Weights(const Counts& counts, const Model& model, std::size_t n_threads = 1)
        : Weights(TermWeigher(counts, model), counts.n_terms(), [&](Id term) { return counts.row(term); }, n_threads) {}

    // row_of(term) must be the counts that the weigher was made for.
    template <class RowOf>
    Weights(const TermWeigher& weigher, Id n_terms, RowOf row_of, std::size_t n_threads) : LabelParts(weigher.parts()), rows_(n_terms) {
        const auto work_out = [&](Id term, Room& room) {
            const auto row = row_of(term);
            const TermWeigher::Term opened = weigher.open(term, row);
            if (opened.state == TermWeigher::State::unknown) return;
            if (opened.state == TermWeigher::State::silent) {
                rows_[term].size = silent;
                return;
            }
            const bool fills = is_full(row.size());
            const std::size_t begin = fills ? room.full : room.cell;
            rows_[term] = {opened.of_term, static_cast<std::uint32_t>(begin), fills ? full : 0};
            if (fills) std::fill_n(full_.begin() + static_cast<std::ptrdiff_t>(begin), n_labels(), 0.0);
            for (const Cell& cell : row) {
                if (!weigher.has(cell)) continue;
                const double value = weigher.value(opened, cell);
                if (fills) full_[begin + cell.label] = value;
                else cells_[begin + rows_[term].size++] = {cell.label, weigher.is_always(cell), value};
            }
            (fills ? room.full : room.cell) += fills ? n_labels() : row.size();
        };
        std::vector<Room> rooms = share_rooms(row_of, n_threads);
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
        : LabelParts(model.formula, model.unknown_term, packed.of_label, packed.offset), rows_(packed.of_term.size()) {
        if (unknown_term) of_unknown = formula.of_term(0, {});
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
        : LabelParts(model.formula, false, std::vector<double>(n_labels), std::vector<double>(n_labels)),
          rows_(n_labels ? probabilities.size() / n_labels : 0) {
        const bool uses_absent = formula.likelihood == Likelihood::bernoulli;
        for (Id term = 0; term < n_terms(); ++term) {
            rows_[term] = {0, static_cast<std::uint32_t>(cells_.size()), 0};
            for (Id label = 0; label < n_labels; ++label) {
                const double p = probabilities[std::size_t{term} * n_labels + label];
                const bool always = uses_absent && p == 1;
                const double absent = uses_absent && !always ? std::log1p(-p) : 0;
                n_always[label] += always;
                offset[label] += absent;
                if (p == 0) continue;
                cells_.push_back({label, always, std::log(p) - absent});
                ++rows_[term].size;
            }
        }
    }

    // The weights of these terms in single precision. They do not say which terms a label must have with smoothing 0.
    Packed pack(std::span<const std::int64_t> terms) const {
        Packed packed{of_label, offset, {}, {}, {0}, {}};
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

    Id n_terms() const { return static_cast<Id>(rows_.size()); }

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
        if (!formula.is_strict()) return;
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

    // log P(term | label) for all labels. For Bernoulli, the score that the presence of the term adds. Zeros if the term is not known.
    void explain(Id term, double* values) const {
        const bool is_plain = term != none && rows_[term].size < silent && !formula.is_strict();
        is_plain ? explain_known(rows_[term], values) : score_alone(*this, term, values);
    }
    bool knows(Id term) const { return rows_[term].size != unknown; }
    // The number of occurrences that the score of a document sums over.
    double n_counted(const Row& row) const {
        double total = 0, n_unknown = row.n_unknown;
        for (const auto& [term, count] : row.entries) {
            if (term >= n_terms() || rows_[term].size == unknown) n_unknown += count;
            else if (rows_[term].size != silent) total += clips() ? 1 : count;
        }
        return unknown_term ? total + (clips() ? std::min(n_unknown, 1.0) : n_unknown) : total;
    }

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
    template <class RowOf>
    std::vector<Room> share_rooms(RowOf row_of, std::size_t n_threads) {
        const Id n = n_terms(), size = static_cast<Id>(std::max<std::size_t>(4096, n / std::max<std::size_t>(n_threads, 1) + 1));
        std::vector<Room> rooms;
        for (Id first = 0; first < n; first += std::min(size, n - first)) rooms.push_back({first, first + std::min(size, n - first)});
        share_out(n_threads, rooms.size(), [&](std::size_t, std::size_t b) {
            for (Id term = rooms[b].first; term < rooms[b].last; ++term) {
                const std::size_t n_cells = row_of(term).size();
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
        for (Id label = 0; label < n_labels(); ++label) values[label] = row.of_term + of_label[label];
        if (row.size == full)
            for (Id label = 0; label < n_labels(); ++label) values[label] = full_[row.begin + label] + values[label];
        else
            for (std::uint32_t i = 0; i < row.size; ++i) values[cells_[row.begin + i].label] += cells_[row.begin + i].value;
    }

    bool is_full(std::size_t size) const { return !formula.is_strict() && size * 2 >= n_labels(); }

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

    LargeVector<TermWeights> rows_;
    LargeVector<WeightCell> cells_;
    LargeVector<double> full_;
};

}  // namespace tercet

// How often each term occurs under each label, and in how many documents. Terms and labels can be added at any time.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/square_sum.hpp"
#include "counts/cell_rows.hpp"
#include "counts/count_totals.hpp"
#include "counts/past_rows.hpp"

namespace tercet {

class Counts {
  public:
    explicit Counts(Id n_labels = 0, Id n_terms = 0) : n_documents_(n_labels), n_occurrences_(n_labels), squares_(n_labels) { rows_.resize(n_terms); }

    Id n_labels() const { return static_cast<Id>(n_documents_.size()); }
    Id n_terms() const { return rows_.size(); }
    const std::vector<Units>& n_documents() const { return n_documents_; }
    // For each label, the sum of the squared weights of its documents.
    const std::vector<SquareSum>& squares() const { return squares_; }
    std::span<const Cell> row(Id term) const { return rows_[term]; }
    const Cell* find(Id term, Id label) const { return rows_.find(term, label); }

    // The terms that occur in a document. From the first call on they follow the changes, as the totals below do.
    const MetTerms& met() {
        if (met_) return *met_;
        met_.emplace(n_terms());
        for (Id term = 0; term < n_terms(); ++term)
            if (std::ranges::any_of(row(term), is_met)) met_->flip(term);
        return *met_;
    }
    // Totals over all terms, by documents or by occurrences.
    const CountTotals& totals(bool of_documents) {
        std::optional<CountTotals>& totals = totals_[of_documents];
        if (totals) return *totals;
        totals.emplace().labels.resize(n_labels());
        for (Id term = 0; term < n_terms(); ++term) {
            bool has = false;
            for (const Cell& cell : row(term)) {
                const Units count = counted(cell, of_documents);
                if (count <= 0) continue;
                has = true;
                totals->replace(cell.label, 0, count);
            }
            totals->n_terms += has;
        }
        return *totals;
    }
    // For each label, how many terms have each count.
    const std::vector<Histogram>& histograms(bool of_documents) {
        totals(of_documents);
        std::vector<Histogram>& histograms = totals_[of_documents]->histograms;
        if (!histograms.empty()) return histograms;
        std::vector<FrequencyCounter> counters(n_labels());
        for (Id term = 0; term < n_terms(); ++term)
            for (const Cell& cell : row(term))
                if (counted(cell, of_documents) > 0) counters[cell.label].add(counted(cell, of_documents));
        for (FrequencyCounter& counter : counters) {
            const Frequencies frequencies = counter.take();
            histograms.emplace_back(frequencies.begin(), frequencies.end());
        }
        return histograms;
    }

    // `past` gets every row before it changes, until `unwatch`.
    void watch(PastRows& past) { watchers_.list.push_back(&past); }
    void unwatch(PastRows& past) { std::erase(watchers_.list, &past); }
    bool is_watched() const { return !watchers_.list.empty(); }

    void grow_terms(Id n_terms) {
        if (n_terms <= rows_.size()) return;
        rows_.resize(n_terms);
        if (met_) met_->resize(n_terms);
    }
    void grow_labels(Id n_labels) {
        if (n_labels <= this->n_labels()) return;
        n_documents_.resize(n_labels);
        n_occurrences_.resize(n_labels);
        squares_.resize(n_labels);
        for (std::optional<CountTotals>& totals : totals_) {
            if (!totals) continue;
            totals->labels.resize(n_labels);
            if (!totals->histograms.empty()) totals->histograms.resize(n_labels);
        }
    }
    void prefetch(Id term) const { rows_.prefetch(term); }
    // The second step of prefetching: the cells that the row points to.
    void prefetch_cells(Id term) const { rows_.prefetch_cells(term); }
    // Throws if a sum with the other counts would be too large.
    void check_room(const Counts& other) const {
        double occurrences = 0, documents = 0;
        for (const Counts* counts : {this, &other}) {
            for (Units n : counts->n_occurrences_) occurrences += static_cast<double>(n);
            for (Units n : counts->n_documents_) documents += static_cast<double>(n);
        }
        if (std::max(occurrences, documents) > static_cast<double>(max_units)) throw std::overflow_error("the sums are too large");
    }
    // A negative weight removes the document.
    void add_document(Id label, Units weight) {
        n_documents_[label] += weight;
        weight < 0 ? squares_[label] -= SquareSum::square(weight) : squares_[label] += SquareSum::square(weight);
    }
    // `total` is the sum of the weights of the documents.
    void add_documents(Id label, Units total, const SquareSum& squares) {
        n_documents_[label] += total;
        squares_[label] += squares;
    }
    // `settle` must be called after the last call.
    void add(Id term, Id label, Units occurrences, Units documents) {
        for (PastRows* past : watchers_.list) past->keep(term, row(term));
        Cell& cell = rows_.at(term, label);
        const Cell before = cell;
        cell.occurrences += occurrences;
        cell.documents += documents;
        n_occurrences_[label] += occurrences;
        if (is_tracked()) follow(term, before, cell);
    }
    void settle() { rows_.settle(); }
    // The cells of a term whose row is empty, with labels in rising order. Totals must not have been asked for.
    template <class CellOf>
    void fill_row(Id term, std::uint32_t size, CellOf cell_of) {
        std::uint32_t i = 0;
        for (Cell& cell : rows_.make_row(term, size)) {
            cell = cell_of(i++);
            n_occurrences_[cell.label] += cell.occurrences;
        }
    }

    // terms[i] is the number here of term i of the other counts. If it is `none`, its row must be empty.
    void add(const Counts& other, const std::vector<Id>& terms) {
        for (Id label = 0; label < other.n_labels(); ++label) add_documents(label, other.n_documents_[label], other.squares_[label]);
        constexpr Id ahead = 8;
        for (Id term = 0; term < other.n_terms(); ++term) {
            if (term + 2 * ahead < other.n_terms() && terms[term + 2 * ahead] != none) rows_.prefetch(terms[term + 2 * ahead]);
            if (term + ahead < other.n_terms() && terms[term + ahead] != none) rows_.prefetch_cells(terms[term + ahead]);
            for (const Cell& cell : other.row(term)) add(terms[term], cell.label, cell.occurrences, cell.documents);
        }
        settle();
    }

    // `covers` must be true.
    void subtract(const Counts& other, const std::vector<Id>& terms) {
        for (Id label = 0; label < other.n_labels(); ++label) {
            n_documents_[label] -= other.n_documents_[label];
            squares_[label] -= other.squares_[label];
        }
        for (Id term = 0; term < other.n_terms(); ++term)
            for (const Cell& cell : other.row(term))
                if (terms[term] != none) add(terms[term], cell.label, -cell.occurrences, -cell.documents);
        settle();  // the other counts may have empty cells that are missing here
    }

    // Whether the other counts can be subtracted: no number becomes negative, no term keeps occurrences without documents, and some
    // documents can have the weights that are left.
    bool covers(const Counts& other, const std::vector<Id>& terms) const {
        for (Id label = 0; label < other.n_labels(); ++label) {
            const Units documents = n_documents_[label] - other.n_documents_[label];
            const Units occurrences = n_occurrences_[label] - other.n_occurrences_[label];
            if (documents < 0 || occurrences < 0 || (documents == 0 && occurrences > 0)) return false;
            SquareSum squares = squares_[label];
            if (squares < other.squares_[label] || !(squares -= other.squares_[label]).fits(documents)) return false;
        }
        for (Id term = 0; term < other.n_terms(); ++term) {
            for (const Cell& cell : other.row(term)) {
                if (cell.occurrences == 0 && cell.documents == 0) continue;
                const Cell* here = terms[term] == none ? nullptr : find(terms[term], cell.label);
                if (!here) return false;
                const Units occurrences = here->occurrences - cell.occurrences, documents = here->documents - cell.documents;
                if (occurrences < 0 || documents < 0 || (documents == 0 && occurrences > 0)) return false;
            }
        }
        return true;
    }

    // Whether documents could have the counts that are left after a subtraction, if documents have these counts: no term is in more
    // documents than it has occurrences, or than there are. `covers` must be true.
    bool stays_possible(const Counts& other, const std::vector<Id>& terms) {
        std::vector<std::int64_t> n_falling(n_labels());  // terms of the other counts that are now in more documents than will be left
        const auto left = [&](Id label) { return n_documents_[label] - other.n_documents_[label]; };
        for (Id term = 0; term < other.n_terms(); ++term) {
            for (const Cell& cell : other.row(term)) {
                const Cell* here = terms[term] == none ? nullptr : find(terms[term], cell.label);
                if (!here) continue;
                const Units documents = here->documents - cell.documents;
                if (documents > here->occurrences - cell.occurrences || documents > left(cell.label)) return false;
                n_falling[cell.label] += here->documents > left(cell.label);
            }
        }
        for (Id label = 0; label < n_labels(); ++label) {
            if (other.n_documents_[label] == 0) continue;
            const Histogram& histogram = histograms(true)[label];
            std::int64_t n_above = 0;
            for (auto each = histogram.rbegin(); each != histogram.rend() && each->first > left(label); ++each) n_above += each->second;
            if (n_above > n_falling[label]) return false;  // a term that the other counts do not have is in too many documents
        }
        return true;
    }

    // Counts in which label l has the number places[l]. Labels with `none` are left out. The order must stay the same.
    Counts place_labels(const std::vector<Id>& places, Id n_labels) const {
        Counts result(n_labels, n_terms());
        for (Id label = 0; label < places.size(); ++label)
            if (places[label] != none) result.add_documents(places[label], n_documents_[label], squares_[label]);
        for (Id term = 0; term < n_terms(); ++term)
            for (const Cell& cell : row(term))
                if (places[cell.label] != none && (cell.occurrences || cell.documents))
                    result.add(term, places[cell.label], cell.occurrences, cell.documents);
        return result;
    }

    // The same in place, and in any order. No two labels may have the same number.
    void rename_labels(const std::vector<Id>& places, Id n_labels) {
        if (is_start(places)) return grow_labels(n_labels);
        if (is_watched()) return copy_renamed(places, n_labels);
        rows_.rename(places);
        totals_ = {};
        met_.reset();
        const auto place = [&](auto& sums) {
            std::remove_reference_t<decltype(sums)> placed(n_labels);
            for (Id label = 0; label < places.size(); ++label)
                if (places[label] != none) placed[places[label]] = sums[label];
            sums = std::move(placed);
        };
        place(n_documents_);
        place(n_occurrences_);
        place(squares_);
    }

  private:
    // A copy of counts has no watchers, and who watches counts goes on to do so when they are assigned.
    struct Watchers {
        std::vector<PastRows*> list{};
        Watchers() = default;
        Watchers(const Watchers&) {}
        Watchers& operator=(const Watchers&) { return *this; }
    };

    static bool is_met(const Cell& cell) { return cell.occurrences || cell.documents; }
    static Units counted(const Cell& cell, bool of_documents) { return of_documents ? cell.documents : cell.occurrences; }
    bool is_tracked() const { return met_ || totals_[0] || totals_[1]; }

    // A cell has changed.
    void follow(Id term, const Cell& before, const Cell& after) {
        // Whether this cell alone decides about the term. If another label has the term, it was and stays one.
        const auto decides = [&](auto has) {
            if (has(before) == has(after)) return false;
            return std::ranges::none_of(row(term), [&](const Cell& cell) { return &cell != &after && has(cell); });
        };
        for (const bool of_documents : {false, true}) {
            std::optional<CountTotals>& totals = totals_[of_documents];
            if (!totals) continue;
            const Units n_before = counted(before, of_documents), n_after = counted(after, of_documents);
            if (n_before == n_after) continue;
            totals->replace(after.label, n_before, n_after);
            if (decides([&](const Cell& cell) { return counted(cell, of_documents) > 0; })) totals->n_terms += n_after > 0 ? 1 : -1;
        }
        if (met_ && decides(is_met)) met_->flip(term);
    }

    // Whether every label keeps its number.
    static bool is_start(const std::vector<Id>& places) {
        for (Id label = 0; label < places.size(); ++label)
            if (places[label] != label) return false;
        return true;
    }

    // Rename labels in new counts, and leave the old ones to those who watch them.
    void copy_renamed(const std::vector<Id>& places, Id n_labels) {
        Counts renamed = place_labels(places, n_labels);
        renamed.settle();
        const auto before = std::make_shared<const Counts>(std::move(*this));
        for (PastRows* past : watchers_.list) past->keep_all(before);
        watchers_.list.clear();
        *this = std::move(renamed);
    }

    CellRows rows_;
    std::vector<Units> n_documents_, n_occurrences_;  // of each label
    std::vector<SquareSum> squares_;
    std::array<std::optional<CountTotals>, 2> totals_{};  // by occurrences, and by documents
    std::optional<MetTerms> met_{};
    Watchers watchers_{};
};

// The numbers of the terms of other counts, if they are the same as here.
inline std::vector<Id> same_terms(const Counts& counts) {
    std::vector<Id> terms(counts.n_terms());
    for (Id term = 0; term < terms.size(); ++term) terms[term] = term;
    return terms;
}

}  // namespace tercet

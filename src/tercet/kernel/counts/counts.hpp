// How often each term occurs under each label, and in how many documents. Terms and labels can be added at any time.
// Numbers are integers in units of 2⁻²⁰, so that sums of weighted documents are exact.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/hashing.hpp"
#include "base/large_vector.hpp"
#include "base/square_sum.hpp"

namespace tercet {

using Units = std::int64_t;
inline constexpr Units one = Units{1} << 20;

constexpr Units max_units = Units{1} << 62;  // sums stay below this

inline double to_number(Units units) { return static_cast<double>(units) / static_cast<double>(one); }

// A count times a weight, in units. A whole weight gives the same as that number of copies. Learning a document and leaving it out
// use the same units.
inline Units to_units(double count, Units weight) {
    if (count == 1) return weight;
    const Units units = std::llround(count * static_cast<double>(one));
    return units * (weight / one) + std::llround(static_cast<double>(units) * static_cast<double>(weight % one) / static_cast<double>(one));
}

struct Cell {
    Id label;
    Units occurrences, documents;
};

// Rows of cells. The cells are in blocks of memory that never move. A row that grows moves to room of twice the size; its old room is
// used for other rows.
class CellRows {
  public:
    CellRows() = default;
    CellRows(CellRows&&) = default;
    CellRows& operator=(CellRows&&) = default;
    CellRows(const CellRows& other) : rows_(other.rows_.size()) {
        for (Id term = 0; term < rows_.size(); ++term)
            for (const Cell& cell : other[term]) at(term, cell.label) = cell;
    }

    Id size() const { return static_cast<Id>(rows_.size()); }
    void resize(Id n_terms) {
        if (n_terms > rows_.capacity()) rows_.reserve(std::max<std::size_t>(n_terms, rows_.capacity() * 3 / 2));
        rows_.resize(n_terms);
    }
    std::span<const Cell> operator[](Id term) const { return {rows_[term].cells, rows_[term].size}; }
    std::span<Cell> operator[](Id term) { return {rows_[term].cells, rows_[term].size}; }

    void prefetch(Id term) const { fetch(&rows_[term]); }
    void prefetch_cells(Id term) const { fetch(rows_[term].cells); }

    // The cell of a label. It is made if it is missing. A row is one sorted run of cells, or two such runs until `settle` is called.
    // `settle` must be called before rows are read.
    Cell& at(Id term, Id label) {
        Row& row = rows_[term];
        const bool is_sorted = row.n_sorted == row.size, comes_last = row.size == 0 || row.cells[row.size - 1].label < label;
        if (!comes_last || !is_sorted)
            if (Cell* cell = find_in(row, label)) return *cell;
        if (!comes_last) {
            if (!is_sorted) merge(row);
            unsettled_.push_back(term);
        } else if (is_sorted) {
            ++row.n_sorted;
        }
        return append(row, {label, 0, 0});
    }

    // Room for all cells of a row that is empty. The caller must fill in labels in rising order.
    std::span<Cell> make_row(Id term, std::uint32_t size) {
        rows_[term] = {size ? take_room(std::bit_ceil(size)) : nullptr, size, size};
        return {rows_[term].cells, size};
    }

    void settle() {
        for (Id term : unsettled_) merge(rows_[term]);
        unsettled_.clear();
    }

    const Cell* find(Id term, Id label) const { return find_in(rows_[term], label); }

    // Give label l the number places[l]. Cells of labels with `none` are removed. The order may change.
    void rename(const std::vector<Id>& places) {
        for (Row& row : rows_) {
            Cell* end = row.cells;
            for (const Cell& cell : std::span(row.cells, row.size))
                if (places[cell.label] != none) *end++ = {places[cell.label], cell.occurrences, cell.documents};
            row.size = row.n_sorted = static_cast<std::uint32_t>(end - row.cells);
            if (!std::is_sorted(row.cells, end, comes_before)) std::sort(row.cells, end, comes_before);
        }
    }

  private:
    struct Row {
        Cell* cells = nullptr;
        std::uint32_t size = 0, n_sorted = 0;  // the capacity is the next power of two
    };

    static bool comes_before(const Cell& a, const Cell& b) { return a.label < b.label; }

    static void merge(Row& row) {
        std::inplace_merge(row.cells, row.cells + row.n_sorted, row.cells + row.size, comes_before);
        row.n_sorted = row.size;
    }

    static Cell* find_in(const Row& row, Id label) {
        const auto search = [&](Cell* begin, Cell* end) {
            Cell* place = std::lower_bound(begin, end, Cell{label, 0, 0}, comes_before);
            return place != end && place->label == label ? place : nullptr;
        };
        if (row.size && row.cells[row.size - 1].label == label) return &row.cells[row.size - 1];  // labels usually come in order
        Cell* found = search(row.cells, row.cells + row.n_sorted);
        return found || row.n_sorted == row.size ? found : search(row.cells + row.n_sorted, row.cells + row.size);
    }

    Cell& append(Row& row, const Cell& cell) {
        if (row.size == 0 || std::has_single_bit(row.size)) {  // the room is full
            Cell* room = take_room(row.size ? row.size * 2 : 1);
            std::copy_n(row.cells, row.size, room);
            if (row.size) free_[std::bit_width(row.size)].push_back(row.cells);
            row.cells = room;
        }
        return row.cells[row.size++] = cell;
    }

    Cell* take_room(std::uint32_t capacity) {
        std::vector<Cell*>& free = free_[std::bit_width(capacity)];
        if (!free.empty()) {
            Cell* room = free.back();
            free.pop_back();
            return room;
        }
        if (capacity > left_) {
            left_ = std::max<std::size_t>(capacity, std::min<std::size_t>(1 << 18, rows_.size() + 64));
            blocks_.emplace_back(left_);
            next_ = blocks_.back().data();
        }
        Cell* room = next_;
        next_ += capacity;
        left_ -= capacity;
        return room;
    }

    LargeVector<Row> rows_;
    std::vector<LargeVector<Cell>> blocks_;
    Cell* next_ = nullptr;
    std::size_t left_ = 0;
    std::array<std::vector<Cell*>, 34> free_{};  // entry n has rooms for 2ⁿ⁻¹ cells
    std::vector<Id> unsettled_;
};

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

    // The number of terms that occur in a document. Forgotten terms do not count.
    std::size_t n_met() const {
        std::size_t n = 0;
        for (Id term = 0; term < n_terms(); ++term)
            n += std::ranges::any_of(row(term), [](const Cell& cell) { return cell.occurrences || cell.documents; });
        return n;
    }

    void grow_terms(Id n_terms) {
        if (n_terms > rows_.size()) rows_.resize(n_terms);
    }
    void grow_labels(Id n_labels) {
        if (n_labels <= this->n_labels()) return;
        n_documents_.resize(n_labels);
        n_occurrences_.resize(n_labels);
        squares_.resize(n_labels);
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
        Cell& cell = rows_.at(term, label);
        cell.occurrences += occurrences;
        cell.documents += documents;
        n_occurrences_[label] += occurrences;
    }
    void settle() { rows_.settle(); }
    // The cells of a term whose row is empty, with labels in rising order.
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
        rows_.rename(places);
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
    CellRows rows_;
    std::vector<Units> n_documents_, n_occurrences_;  // of each label
    std::vector<SquareSum> squares_;
};

// The numbers of the terms of other counts, if they are the same as here.
inline std::vector<Id> same_terms(const Counts& counts) {
    std::vector<Id> terms(counts.n_terms());
    for (Id term = 0; term < terms.size(); ++term) terms[term] = term;
    return terms;
}

}  // namespace tercet

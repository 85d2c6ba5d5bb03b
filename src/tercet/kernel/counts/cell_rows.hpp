// Rows of cells: for each term, the labels that have it, with its counts.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hashing.hpp"
#include "base/large_vector.hpp"
#include "counts/units.hpp"

namespace tercet {

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

}  // namespace tercet

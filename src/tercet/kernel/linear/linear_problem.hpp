// Documents as rows of numbers, prepared for coordinate descent. The memory that its random steps use is kept small.
#pragma once
#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/hashing.hpp"
#include "base/large_vector.hpp"

namespace tercet {

// Rows of a sparse matrix. Without values, all values are 1.
struct SparseRows {
    std::vector<std::size_t> ends{0};
    LargeVector<Id> columns;
    LargeVector<double> values;

    // Call visit(column, value) for each entry of a row.
    template <class Visit>
    void visit(std::size_t i, Visit visit) const {
        const std::size_t end = ends[i + 1];
        if (values.empty())
            for (std::size_t k = ends[i]; k < end; ++k) visit(columns[k], 1.0);
        else
            for (std::size_t k = ends[i]; k < end; ++k) visit(columns[k], values[k]);
    }
    void resize(std::size_t n, bool has_values) {
        columns.resize(n);
        if (has_values) values.resize(n);
    }
};

// Views of the arrays of a CSR matrix.
struct MatrixView {
    std::span<const std::int64_t> ends;
    std::span<const std::int32_t> columns;
    std::span<const double> values;  // empty: all values are 1
    Id n_columns;
};

// If only one document has a column, the weight of the column follows from this document. So such columns are stored separately. The
// other columns are numbered by the number of documents that have them, so frequent columns are neighbours in memory.
class LinearProblem {
  public:
    explicit LinearProblem(const MatrixView& matrix) : n_columns_(matrix.n_columns) {
        const LargeVector<Id> numbers = number_columns(matrix);
        const bool has_values = !matrix.values.empty();
        const std::size_t n_own = static_cast<std::size_t>(std::count(numbers.begin(), numbers.end(), alone));
        shared_.resize(matrix.columns.size() - n_own + 1, has_values);  // one more entry: see place_row
        own_.resize(n_own + 1, has_values);
        for (std::size_t i = 0; i + 1 < matrix.ends.size(); ++i)
            has_values ? place_row<true>(matrix, i, numbers) : place_row<false>(matrix, i, numbers);
    }

    std::size_t n_documents() const { return shared_.ends.size() - 1; }
    Id n_columns() const { return n_columns_; }
    const SparseRows& shared() const { return shared_; }
    const SparseRows& own() const { return own_; }                      // columns of one document
    std::span<const Id> shared_columns() const { return of_number_; }  // the column of each number

  private:
    static constexpr Id alone = none - 1;  // number of a column that only one document has
    static constexpr std::size_t ahead = 16;

    // Each entry is written to both places, and one of them is overwritten by the next. A branch would often be predicted wrongly.
    template <bool has_values>
    void place_row(const MatrixView& matrix, std::size_t i, const LargeVector<Id>& numbers) {
        std::size_t n_shared = shared_.ends.back(), n_own = own_.ends.back();
        for (auto k = static_cast<std::size_t>(matrix.ends[i]); k < static_cast<std::size_t>(matrix.ends[i + 1]); ++k) {
            if (k + ahead < matrix.columns.size()) fetch(&numbers[static_cast<Id>(matrix.columns[k + ahead])]);
            const Id column = static_cast<Id>(matrix.columns[k]), number = numbers[column];
            shared_.columns[n_shared] = number;
            own_.columns[n_own] = column;
            if constexpr (has_values) shared_.values[n_shared] = own_.values[n_own] = matrix.values[k];
            n_shared += number != alone;
            n_own += number == alone;
        }
        shared_.ends.push_back(n_shared);
        own_.ends.push_back(n_own);
    }

    // The number of documents that have each column.
    LargeVector<Id> count_documents(const MatrixView& matrix) const {
        struct Seen {
            Id documents = 0, last = 0;  // the last document, counted from 1
        };
        LargeVector<Seen> seen(n_columns_);
        std::fill(seen.begin(), seen.end(), Seen{});
        for (std::size_t i = 0; i + 1 < matrix.ends.size(); ++i) {
            for (auto k = static_cast<std::size_t>(matrix.ends[i]); k < static_cast<std::size_t>(matrix.ends[i + 1]); ++k) {
                if (k + ahead < matrix.columns.size()) fetch(&seen[static_cast<Id>(matrix.columns[k + ahead])]);
                Seen& column = seen[static_cast<Id>(matrix.columns[k])];
                if (column.last == i + 1) throw std::invalid_argument("a document has a column twice");
                column = {column.documents + 1, static_cast<Id>(i + 1)};
            }
        }
        LargeVector<Id> counts(n_columns_);
        std::transform(seen.begin(), seen.end(), counts.begin(), [](const Seen& column) { return column.documents; });
        return counts;
    }

    LargeVector<Id> number_columns(const MatrixView& matrix) {
        LargeVector<Id> numbers = count_documents(matrix);
        constexpr Id many = 1 << 12;  // columns with more documents are not sorted further
        std::vector<Id> starts(many + 2);
        for (Id n : numbers) ++starts[many - std::min(n, many) + 1];
        for (Id k = 1; k <= many; ++k) starts[k] += starts[k - 1];
        of_number_.resize(starts[many - 1]);  // columns with two or more documents
        for (Id column = 0; column < n_columns_; ++column) {
            const Id n = numbers[column];
            numbers[column] = n == 0 ? none : n == 1 ? alone : starts[many - std::min(n, many)]++;
            if (n > 1) of_number_[numbers[column]] = column;
        }
        return numbers;
    }

    Id n_columns_;
    SparseRows shared_{}, own_{};
    std::vector<Id> of_number_{};
};

}  // namespace tercet

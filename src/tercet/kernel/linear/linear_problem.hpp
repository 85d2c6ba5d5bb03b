// Documents as rows of numbers, made ready for coordinate descent: what its random steps touch is kept small.
#pragma once
#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/hashing.hpp"
#include "base/large_vector.hpp"

namespace tercet {

// Rows of a sparse matrix; without values all of them are 1.
struct SparseRows {
    std::vector<std::size_t> ends{0};
    LargeVector<Id> columns;
    LargeVector<double> values;

    // Call with each column of a row and its value.
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

// A matrix as it comes: views of its arrays.
struct MatrixView {
    std::span<const std::int64_t> ends;
    std::span<const std::int32_t> columns;
    std::span<const double> values;  // or none: all are 1
    Id n_columns;
};

// The weight of a column that only one document has follows from that document alone. So these columns are set apart, and
// the rest are numbered by how many documents have them: the frequent ones lie together.
class LinearProblem {
  public:
    explicit LinearProblem(const MatrixView& matrix) : n_columns_(matrix.n_columns) {
        const LargeVector<Id> numbers = number_columns(matrix);
        const bool has_values = !matrix.values.empty();
        const std::size_t n_own = static_cast<std::size_t>(std::count(numbers.begin(), numbers.end(), alone));
        shared_.resize(matrix.columns.size() - n_own + 1, has_values);  // one more: see place_row
        own_.resize(n_own + 1, has_values);
        for (std::size_t i = 0; i + 1 < matrix.ends.size(); ++i)
            has_values ? place_row<true>(matrix, i, numbers) : place_row<false>(matrix, i, numbers);
    }

    std::size_t n_documents() const { return shared_.ends.size() - 1; }
    Id n_columns() const { return n_columns_; }
    const SparseRows& shared() const { return shared_; }
    const SparseRows& own() const { return own_; }                      // columns that no other document has
    std::span<const Id> shared_columns() const { return of_number_; }  // the column of each number

  private:
    static constexpr Id alone = none - 1;  // the number of columns that one document has
    static constexpr std::size_t ahead = 16;

    // Each entry is written to both places and stays in one: a branch would often be guessed wrong.
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

    // How many documents have each column.
    LargeVector<Id> count_documents(const MatrixView& matrix) const {
        struct Seen {
            Id documents = 0, last = 0;  // counted from 1
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
        constexpr Id many = 1 << 12;  // beyond that all are frequent alike
        std::vector<Id> starts(many + 2);
        for (Id n : numbers) ++starts[many - std::min(n, many) + 1];
        for (Id k = 1; k <= many; ++k) starts[k] += starts[k - 1];
        of_number_.resize(starts[many - 1]);  // those of two documents or more
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

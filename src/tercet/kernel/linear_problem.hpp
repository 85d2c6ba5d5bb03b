// Documents as rows of numbers, made ready for coordinate descent: what its random steps touch is kept small.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "hashing.hpp"
#include "large_vector.hpp"

namespace tercet {

// Rows of a sparse matrix; without values all of them are 1.
struct SparseRows {
    std::vector<std::size_t> ends{0};
    LargeVector<Id> columns;
    LargeVector<double> values;

    std::size_t size() const { return ends.size() - 1; }
    std::span<const Id> row(std::size_t i) const { return std::span(columns).subspan(ends[i], ends[i + 1] - ends[i]); }
    const double* values_of(std::size_t i) const { return values.empty() ? nullptr : values.data() + ends[i]; }
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
        number_columns(matrix);
        shared_.columns.reserve(matrix.columns.size());
        for (std::size_t i = 0; i + 1 < matrix.ends.size(); ++i) {
            for (auto k = static_cast<std::size_t>(matrix.ends[i]); k < static_cast<std::size_t>(matrix.ends[i + 1]); ++k) {
                const Id column = static_cast<Id>(matrix.columns[k]), number = numbers_[column];
                SparseRows& rows = number == none ? own_ : shared_;
                rows.columns.push_back(number == none ? column : number);
                if (!matrix.values.empty()) rows.values.push_back(matrix.values[k]);
            }
            shared_.ends.push_back(shared_.columns.size());
            own_.ends.push_back(own_.columns.size());
        }
        numbers_ = {};
    }

    std::size_t n_documents() const { return shared_.size(); }
    Id n_columns() const { return n_columns_; }
    const SparseRows& shared() const { return shared_; }
    const SparseRows& own() const { return own_; }                      // columns that no other document has
    std::span<const Id> shared_columns() const { return of_number_; }  // the column of each number

  private:
    void number_columns(const MatrixView& matrix) {
        std::vector<Id> n_documents(n_columns_);
        for (std::int32_t column : matrix.columns) ++n_documents[static_cast<Id>(column)];
        constexpr Id many = 1 << 12;  // beyond that all are frequent alike
        std::vector<Id> starts(many + 2);
        for (Id n : n_documents) ++starts[many - std::min(n, many) + 1];
        for (Id k = 1; k <= many; ++k) starts[k] += starts[k - 1];
        const Id n_shared = starts[many - 1];  // two documents or more
        of_number_.resize(n_shared);
        numbers_.assign(n_columns_, none);
        for (Id column = 0; column < n_columns_; ++column) {
            if (n_documents[column] < 2) continue;
            const Id number = starts[many - std::min(n_documents[column], many)]++;
            numbers_[column] = number;
            of_number_[number] = column;
        }
    }

    Id n_columns_;
    SparseRows shared_{}, own_{};
    std::vector<Id> of_number_{};
    LargeVector<Id> numbers_{};  // of each column, while the rows are made
};

}  // namespace tercet

// One binary problem on the rows of a matrix, for coordinate descent: its sides, its costs and its weights.
#pragma once
#include <array>
#include <span>
#include <type_traits>
#include <vector>

#include "base/large_vector.hpp"
#include "linear/descent.hpp"
#include "linear/linear_problem.hpp"

namespace tercet {

struct BinaryTask {
    std::span<const std::uint8_t> positive;
    std::span<const double> costs;
    const double* scale;  // a factor for the values of each column, or null
    std::uint64_t number;
};

// With scaled columns, the weight is u = scale · w, so that the values need not be multiplied. A step changes u by scale².
struct ScaledWeight {
    double value, square;
};
struct PlainWeight {
    double value;
    static constexpr double square = 1;
};

template <class Weight>
class MatrixVectors {
  public:
    static constexpr std::size_t lanes = 1;
    using Lanes = std::array<double, 1>;

    MatrixVectors(const LinearProblem& problem, const BinaryTask& task)
        : problem_(problem), rows_(problem.shared()), task_(task), weights_(problem.shared_columns().size()) {
        for (std::size_t k = 0; k < weights_.size(); ++k) {
            weights_[k].value = 0;
            if constexpr (is_scaled) weights_[k].square = square_of(problem.shared_columns()[k]);
        }
        for (std::size_t i = 0; i < problem.n_documents(); ++i) {
            double own = 0, shared = 0;
            problem.own().visit(i, [&](Id column, double value) { own += value * value * square_of(column); });
            rows_.visit(i, [&](Id column, double value) { shared += value * value * weights_[column].square; });
            squares_.push_back({own, own + shared});
        }
    }

    std::size_t size() const { return squares_.size(); }
    LaneMask used(std::size_t i) const { return task_.costs[i] > 0; }  // the lanes in which the document has a cost
    std::size_t work(std::size_t i) const { return rows_.ends[i + 1] - rows_.ends[i]; }
    double side(std::size_t i, std::size_t) const { return task_.positive[i] ? 1 : -1; }
    double cost(std::size_t i, std::size_t) const { return task_.costs[i]; }
    double own(std::size_t i, std::size_t) const { return squares_[i].own; }
    double square(std::size_t i, std::size_t) const { return squares_[i].all; }

    // Four sums at a time: with one sum, each addition would wait for the one before.
    Lanes sum(std::size_t i) const {
        const Id* const columns = rows_.columns.data() + rows_.ends[i];
        const std::size_t n = work(i);
        double sums[4] = {};
        std::size_t k = 0;
        if (rows_.values.empty()) {
            for (; k + 4 <= n; k += 4)
                for (int j = 0; j < 4; ++j) sums[j] += weights_[columns[k + j]].value;
            for (; k < n; ++k) sums[0] += weights_[columns[k]].value;
        } else {
            const double* const values = rows_.values.data() + rows_.ends[i];
            for (; k + 4 <= n; k += 4)
                for (int j = 0; j < 4; ++j) sums[j] += values[k + j] * weights_[columns[k + j]].value;
            for (; k < n; ++k) sums[0] += values[k] * weights_[columns[k]].value;
        }
        return {(sums[0] + sums[1]) + (sums[2] + sums[3])};
    }

    void move(std::size_t i, const Lanes& by) {
        rows_.visit(i, [&](Id column, double value) { weights_[column].value += by[0] * value * weights_[column].square; });
    }

    // `duals` has the factor of each document in the weights.
    template <class Duals>
    void write(Duals duals, double* coefficients) const {
        for (std::size_t k = 0; k < weights_.size(); ++k) coefficients[problem_.shared_columns()[k]] = weights_[k].value;
        for (std::size_t i = 0; i < size(); ++i) {
            const double by = duals(i);
            problem_.own().visit(i, [&](Id column, double value) { coefficients[column] = by * value * square_of(column); });
        }
    }

  private:
    static constexpr bool is_scaled = std::is_same_v<Weight, ScaledWeight>;

    struct Squares {
        double own, all;  // of the columns that no other document has, and of all columns
    };

    double square_of(Id column) const {
        if constexpr (is_scaled) return task_.scale[column] * task_.scale[column];
        return (void)column, 1;
    }

    const LinearProblem& problem_;
    const SparseRows& rows_;
    BinaryTask task_;
    LargeVector<Weight> weights_;
    std::vector<Squares> squares_{};
};

}  // namespace tercet

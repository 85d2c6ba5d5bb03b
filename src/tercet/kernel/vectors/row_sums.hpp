// Sums of rows of a float32 matrix, Σ share · row, equal in every bit on every machine.
//
// Each number is one sum in float64 over the entries in their order, with no fused multiply-add.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "vectors/float_matrix.hpp"

namespace tercet {

// The sum of these rows with these shares, which has the width of the matrix.
inline void add_up(std::span<const std::int64_t> rows, const double* shares, const MatrixView& matrix, double* sums) {
    std::fill_n(sums, matrix.n_columns, 0.0);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const float* const row = matrix.values + static_cast<std::size_t>(rows[k]) * matrix.n_columns;
        for (std::size_t j = 0; j < matrix.n_columns; ++j) sums[j] += shares[k] * static_cast<double>(row[j]);
    }
}

}  // namespace tercet

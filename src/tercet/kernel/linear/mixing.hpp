// The weights of several linear models → the weights of their sum.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "base/threads.hpp"

namespace tercet {

// The values of one model, rows × margins, and its part of the sum: a factor and, for more than two labels, a matrix that is added to it.
struct MixedValues {
    float* values;
    double weight;
    const double* mix;  // margins × margins, or null
};

// Write the sum into the values of the first model.
inline void mix_values(std::span<const MixedValues> models, std::size_t n_rows, std::size_t n_margins, std::size_t n_threads) {
    constexpr std::size_t block = 1 << 12;
    share_out(n_threads, (n_rows + block - 1) / block, [&](std::size_t, std::size_t b) {
        std::vector<double> sums(n_margins);
        for (std::size_t row = b * block; row < std::min(n_rows, (b + 1) * block); ++row) {
            std::fill(sums.begin(), sums.end(), 0.0);
            for (const MixedValues& model : models) {
                const float* const values = model.values + row * n_margins;
                for (std::size_t i = 0; i < n_margins; ++i) {
                    if (values[i] == 0) continue;
                    sums[i] += model.weight * values[i];
                    if (model.mix)
                        for (std::size_t j = 0; j < n_margins; ++j) sums[j] += double{values[i]} * model.mix[i * n_margins + j];
                }
            }
            float* const out = models[0].values + row * n_margins;
            for (std::size_t j = 0; j < n_margins; ++j) out[j] = static_cast<float>(sums[j]);
        }
    });
}

}  // namespace tercet

// The vector space model: counts are damped, multiplied by a factor per term, and divided by the norm of the document.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hashing.hpp"

namespace tercet {

enum class Damping { raw, log, binary };
enum class Norm { none, l1, l2 };

// 1 + log(count). The logarithms of small counts are known: most counts of a text are small.
inline double damp_by_log(double count) {
    static constexpr std::size_t n_known = 16;
    static const std::array<double, n_known> known = [] {
        std::array<double, n_known> logs{};
        for (std::size_t n = 1; n < n_known; ++n) logs[n] = std::log(static_cast<double>(n));
        return logs;
    }();
    const std::size_t whole = count >= 1 && count < n_known ? static_cast<std::size_t>(count) : 0;
    return 1 + (whole > 0 && static_cast<double>(whole) == count ? known[whole] : std::log(count));
}

// The damped count, before it is multiplied by the factor of its term.
inline double damp(Damping damping, double count) {
    if (count == 1) return 1;
    return damping == Damping::raw ? count : damping == Damping::log ? damp_by_log(count) : 1;
}

// What a weight adds to the norm of its document.
inline double part_of_norm(Norm norm, double weight) {
    return norm == Norm::l2 ? weight * weight : norm == Norm::l1 ? std::abs(weight) : 0;
}
// An empty document is divided by 1.
inline double finish_norm(Norm norm, double total) {
    return norm == Norm::none || total == 0 ? 1 : norm == Norm::l2 ? std::sqrt(total) : total;
}

struct Weighting {
    Damping damping;
    Norm norm;
    std::span<const double> factors;       // one per column; empty: all factors are 1
    std::span<const std::uint8_t> blocks;  // of each column; empty: all columns are in one block. Each block has its own norm
    std::size_t n_blocks = 1;

    // The weights of one document.
    void weigh(std::span<const std::int32_t> columns, std::span<const double> counts, double* weights) const {
        constexpr std::size_t ahead = 16;
        static thread_local std::vector<double> kept;
        std::vector<double>& norms = kept;
        norms.assign(n_blocks, 0.0);
        for (std::size_t k = 0; k < columns.size(); ++k) {
            if (!factors.empty() && k + ahead < columns.size()) fetch(&factors[static_cast<std::size_t>(columns[k + ahead])]);
            const double factor = factors.empty() ? 1 : factors[static_cast<std::size_t>(columns[k])];
            weights[k] = counts[k] == 0 ? 0 : damp(damping, counts[k]) * factor;
            norms[block_of(columns[k])] += part_of_norm(norm, weights[k]);
        }
        for (double& each : norms) each = finish_norm(norm, each);
        for (std::size_t k = 0; k < columns.size(); ++k) weights[k] /= norms[block_of(columns[k])];
    }

  private:
    std::size_t block_of(std::int32_t column) const { return blocks.empty() ? 0 : blocks[static_cast<std::size_t>(column)]; }
};

}  // namespace tercet

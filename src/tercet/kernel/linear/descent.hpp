// The outer loop of coordinate descent: pass over the documents, in a random order, until the duality gap is small enough.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace tercet {

struct DescentOptions {
    double bias;  // the value of the constant column
    double tol;   // the duality gap that is allowed, as a share of the objective
    std::int64_t max_epochs;
    std::uint64_t seed;
};

struct DescentResult {
    double gap = 0;  // as a share of the objective
    std::int64_t epochs = 0;
};

// Sums over documents: the duality gap and the objective.
struct Progress {
    double gap = 0, objective = 0;
};

// Problems that are solved together, as bits. They have the same rows, so one visit of a document serves them all.
using LaneMask = std::uint32_t;

// A pass estimates the progress at no extra cost: each document adds its part before its own step. The exact progress, with the same
// weights for all documents, takes as long as a pass. So it is measured only when the estimate is small, and only it ends a problem. If
// other problems need more passes, a measurement waits until their passes have taken twice as long as the measurement will take.
template <class Descent>
std::array<DescentResult, Descent::lanes> descend(Descent& descent, const DescentOptions& options, LaneMask running) {
    constexpr double tiny = std::numeric_limits<double>::min();
    std::array<DescentResult, Descent::lanes> results{};
    std::array<double, Descent::lanes> true_shares;  // exact gap divided by the estimate of a pass
    true_shares.fill(0.5);
    double waited = 0;
    for (std::int64_t epoch = 1; running != 0 && epoch <= options.max_epochs; ++epoch) {
        const auto seen = descent.pass(epoch - 1, running);
        LaneMask ready = 0;
        for (std::size_t k = 0; k < Descent::lanes; ++k)
            if ((running >> k & 1) && !(true_shares[k] * seen[k].gap > options.tol * seen[k].objective)) ready |= LaneMask{1} << k;
        waited += descent.share_of_pass();
        if (epoch == options.max_epochs) ready = running;
        if (ready == 0 || (ready != running && waited < 2)) continue;
        const auto all = descent.measure();
        waited = 0;
        for (std::size_t k = 0; k < Descent::lanes; ++k) {
            if (!(ready >> k & 1)) continue;
            results[k] = {std::max(all[k].gap, 0.0) / std::max(all[k].objective, tiny), epoch};
            true_shares[k] = std::min(1.0, all[k].gap / std::max(seen[k].gap, tiny));
            if (results[k].gap <= options.tol) running &= ~(LaneMask{1} << k);
        }
        descent.activate(ready & running);
    }
    return results;
}

// A hash of 64 bits.
inline std::uint64_t scramble(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

// Shuffle in place, the same on every machine. The result depends only on the three numbers and on the order before.
template <class T>
void shuffle(std::span<T> items, std::uint64_t seed, std::uint64_t problem, std::uint64_t epoch) {
    std::uint64_t state = scramble(scramble(scramble(seed) + problem) + epoch);
    for (std::size_t n = items.size(); n > 1; --n) {
        state += 0x9E3779B97F4A7C15;
        std::swap(items[n - 1], items[scramble(state) % n]);
    }
}

}  // namespace tercet

// The outer loop of coordinate descent: pass over the documents, in a random order, until the duality gap is small enough.
#pragma once
#include <algorithm>
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

// A pass estimates the progress at no extra cost: each document adds its part before its own step. The exact progress, with the same
// weights for all documents, takes as long as a pass. So it is measured only when the estimate is small, and only it ends the loop.
template <class Descent>
DescentResult descend(Descent& descent, const DescentOptions& options) {
    constexpr double tiny = std::numeric_limits<double>::min();
    DescentResult result;
    double true_share = 0.5;  // exact gap divided by the estimate of a pass
    while (result.epochs < options.max_epochs) {
        const Progress seen = descent.pass(result.epochs++);
        if (true_share * seen.gap > options.tol * seen.objective && result.epochs < options.max_epochs) continue;
        const Progress all = descent.measure();
        result.gap = std::max(all.gap, 0.0) / std::max(all.objective, tiny);
        if (result.gap <= options.tol) break;
        true_share = std::min(1.0, all.gap / std::max(seen.gap, tiny));
        descent.activate_all();
    }
    return result;
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

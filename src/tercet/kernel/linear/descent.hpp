// The outer loop of coordinate descent: pass over the documents until the duality gap is closed.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

namespace tercet {

struct DescentOptions {
    double bias, tol;  // the constant column that each document has; the share of the objective that may be missing
    std::int64_t max_epochs;
    std::uint64_t seed;
};

struct DescentResult {
    double gap = 0;  // as a share of the objective
    std::int64_t epochs = 0;
};

// Sums over documents: how far they are from their best, and the objective.
struct Progress {
    double gap = 0, objective = 0;
};

// A pass tells the progress that each document saw before its own step, for nothing; the true one, of all documents at one
// time, takes as long as a pass. So it is asked for only when the end seems near, and it alone decides.
template <class Descent>
DescentResult descend(Descent& descent, const DescentOptions& options) {
    constexpr double tiny = std::numeric_limits<double>::min();
    DescentResult result;
    double true_share = 0.5;  // of the gap that a pass tells
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

}  // namespace tercet

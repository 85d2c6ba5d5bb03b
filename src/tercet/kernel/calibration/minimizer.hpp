// The minimum of a smooth function inside bounds, by L-BFGS with projected steps.
//
// A parameter at a bound is fixed while the function falls towards the outside. The others move along the direction of L-BFGS, and
// each step is cut at the bounds. Everything is computed in a fixed order by one thread, so equal input gives equal bits.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace tercet {

struct Bounds {
    std::vector<double> lower, upper;
};

struct MinimizerOptions {
    double tol;  // the largest derivative that is allowed at the minimum
    int max_steps;
};

inline double dot(std::span<const double> a, std::span<const double> b, const std::vector<char>& is_free) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (is_free[i]) sum += a[i] * b[i];
    return sum;
}

// The last steps, and how they changed the gradient. They tell the curvature of the function.
class StepMemory {
  public:
    void add(std::vector<double> step, std::vector<double> change) {
        if (steps_.size() == size) steps_.pop_front();
        steps_.push_back({std::move(step), std::move(change)});
    }
    void clear() { steps_.clear(); }
    bool empty() const { return steps_.empty(); }

    // Minus the gradient divided by the curvature, for the free parameters; 0 for the others.
    std::vector<double> find_direction(std::span<const double> gradient, const std::vector<char>& is_free) const {
        std::vector<double> direction(gradient.size(), 0.0), shares(steps_.size(), 0.0), curvatures(steps_.size(), 0.0);
        for (std::size_t i = 0; i < gradient.size(); ++i)
            if (is_free[i]) direction[i] = -gradient[i];
        double scale = 1;
        for (std::size_t s = steps_.size(); s-- > 0;) {
            const auto& [step, change] = steps_[s];
            const double square = dot(change, change, is_free);
            curvatures[s] = dot(step, change, is_free);
            if (!(curvatures[s] > 1e-12 * square)) continue;  // seen from the free parameters, the function does not curve upwards
            if (scale == 1) scale = curvatures[s] / square;
            shares[s] = dot(step, direction, is_free) / curvatures[s];
            move(direction, -shares[s], change, is_free);
        }
        for (double& each : direction) each *= scale;
        for (std::size_t s = 0; s < steps_.size(); ++s) {
            const auto& [step, change] = steps_[s];
            if (shares[s] == 0) continue;
            move(direction, shares[s] - dot(change, direction, is_free) / curvatures[s], step, is_free);
        }
        return direction;
    }

  private:
    static constexpr std::size_t size = 12;
    struct Step {
        std::vector<double> step, change;
    };

    static void move(std::vector<double>& at, double by, const std::vector<double>& along, const std::vector<char>& is_free) {
        for (std::size_t i = 0; i < at.size(); ++i)
            if (is_free[i]) at[i] += by * along[i];
    }

    std::deque<Step> steps_{};
};

// `loss(at, gradient)` returns the value and writes its derivatives. `at` is the start, and becomes the minimum. Returns its value.
template <class Loss>
double minimize(const Loss& loss, const Bounds& bounds, std::vector<double>& at, const MinimizerOptions& options) {
    const std::size_t n = at.size();
    std::vector<double> gradient(n), next(n), next_gradient(n);
    std::vector<char> is_free(n);
    StepMemory memory;
    for (std::size_t i = 0; i < n; ++i) at[i] = std::clamp(at[i], bounds.lower[i], bounds.upper[i]);
    double value = loss(at, gradient);

    for (int n_steps = 0; n_steps < options.max_steps; ++n_steps) {
        double steepest = 0;
        for (std::size_t i = 0; i < n; ++i) {
            is_free[i] = gradient[i] > 0 ? at[i] > bounds.lower[i] : at[i] < bounds.upper[i];
            if (is_free[i]) steepest = std::max(steepest, std::abs(gradient[i]));
        }
        if (!(steepest > options.tol)) break;
        std::vector<double> direction = memory.find_direction(gradient, is_free);
        double length = memory.empty() ? std::min(1.0, 1 / steepest) : 1.0;

        // Shorten the step until the value falls enough. If that fails, the memory misleads: try once more without it.
        bool is_lower = false;
        for (int n_tries = 0; n_tries < 40; ++n_tries) {
            double slope = 0;
            for (std::size_t i = 0; i < n; ++i) {
                next[i] = std::clamp(at[i] + length * direction[i], bounds.lower[i], bounds.upper[i]);
                slope += gradient[i] * (next[i] - at[i]);
            }
            if (!(slope < 0)) break;
            const double found = loss(next, next_gradient);
            is_lower = found <= value + 1e-4 * slope;
            if (is_lower) {
                value = found;
                break;
            }
            const double best = slope / (2 * (slope + value - found));  // of the parabola through both values, in parts of this step
            length *= std::isfinite(best) ? std::clamp(best, 0.1, 0.5) : 0.1;
        }
        if (!is_lower) {
            if (memory.empty()) break;
            memory.clear();
            continue;
        }
        std::vector<double> step(n), change(n);
        for (std::size_t i = 0; i < n; ++i) {
            step[i] = next[i] - at[i];
            change[i] = next_gradient[i] - gradient[i];
        }
        memory.add(std::move(step), std::move(change));
        at.swap(next);
        gradient.swap(next_gradient);
    }
    return value;
}

}  // namespace tercet

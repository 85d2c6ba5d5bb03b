// Binary linear models by coordinate descent in the dual: one document after another gets its best α while the others do not
// change (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008; logistic: Yu, Huang and Lin 2011).
//
// The losses: the loss of a document with margin m and cost C, and its part of the dual problem.
//
//   primal   min ½ ‖w‖² + Σ loss(mᵢ, Cᵢ),        mᵢ = ± w · xᵢ
//   dual     max −½ ‖w‖² − Σ conjugate(sᵢ, Cᵢ),  w = Σ ± αᵢ xᵢ,  αᵢ = dual(sᵢ, Cᵢ)
//
// The state s is the number that is stored for a document. `step` finds the best state while the others do not change.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "base/hashing.hpp"
#include "base/numbers.hpp"
#include "linear/descent.hpp"

namespace tercet {

struct Hinge {
    static constexpr bool shrinks = true;
    static constexpr double start = 0;
    static double dual(double alpha, double) { return alpha; }
    static double loss(double margin, double cost) { return cost * std::max(0.0, 1 - margin); }
    static double conjugate(double alpha, double) { return -alpha; }
    static double slope(double, double margin, double) { return margin - 1; }
    static double highest(double cost) { return cost; }
    static double step(double alpha, double margin, double square, double cost) {
        if (square == 0) return margin < 1 ? cost : 0;
        return std::clamp(alpha - (margin - 1) / square, 0.0, cost);
    }
};

struct SquaredHinge {
    static constexpr bool shrinks = true;
    static constexpr double start = 0;
    static double dual(double alpha, double) { return alpha; }
    static double loss(double margin, double cost) { return cost * std::max(0.0, 1 - margin) * std::max(0.0, 1 - margin); }
    static double conjugate(double alpha, double cost) { return alpha * (alpha / (4 * cost) - 1); }
    static double slope(double alpha, double margin, double cost) { return margin - 1 + alpha / (2 * cost); }
    static double highest(double) { return infinity; }
    static double step(double alpha, double margin, double square, double cost) {
        return std::max(0.0, alpha - slope(alpha, margin, cost) / (square + 1 / (2 * cost)));
    }
};

// The state is z = log(α / (C − α)), because α alone loses precision near 0 and near C.
struct Logistic {
    static constexpr bool shrinks = false;
    static constexpr double start = -infinity;
    static double slope(double, double, double) { return 0; }
    static double highest(double) { return infinity; }
    static double share(double z) { return z < 0 ? std::exp(z) / (1 + std::exp(z)) : 1 / (1 + std::exp(-z)); }
    static double soft_plus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }
    static double dual(double z, double cost) { return cost * share(z); }
    static double loss(double margin, double cost) { return cost * soft_plus(-margin); }
    static double conjugate(double z, double cost) {
        if (std::isinf(z)) return 0;
        return -cost * (share(z) * soft_plus(-z) + share(-z) * soft_plus(z));
    }
    // The root of z + m + square · (C share(z) − α), which rises with z: Newton's method inside a bracket.
    static double step(double z, double margin, double square, double cost) {
        const double alpha = dual(z, cost);
        double low = -margin - square * (cost - alpha), high = -margin + square * alpha;
        z = std::clamp(z, low, high);
        for (int i = 0; i < 100; ++i) {
            const double p = share(z), value = z + margin + square * (cost * p - alpha);
            (value > 0 ? high : low) = z;
            const double next = z - value / (1 + square * cost * p * (1 - p));
            if (std::abs(next - z) <= 1e-12 * (1 + std::abs(z))) return std::clamp(next, low, high);
            z = next > low && next < high ? next : (low + high) / 2;
        }
        return z;
    }
};

// Several problems with the same rows, the lanes. `Vectors` has the rows and the weights of the columns that several documents have: see
// MatrixVectors and TextVectors.
template <class Loss, class Vectors>
class DualDescent {
  public:
    static constexpr std::size_t lanes = Vectors::lanes;
    using Lanes = std::array<double, lanes>;

    // Without `start`, all states are Loss::start; otherwise it has the state of each document in each lane, or nan for Loss::start.
    DualDescent(Vectors& vectors, std::uint64_t number, const DescentOptions& options, std::span<const double> start = {})
        : vectors_(vectors), number_(number), options_(options), states_(vectors.size() * lanes, Loss::start), settled_(vectors.size()) {
        for (std::size_t i = 0; i < vectors.size(); ++i) total_work_ += vectors.used(i) ? static_cast<double>(vectors.work(i)) : 0;
        for (std::size_t k = 0; k < start.size(); ++k)
            if (!std::isnan(start[k])) states_[k] = start[k];
        for (std::size_t i = 0; i < (start.empty() ? 0 : vectors.size()); ++i) {
            Lanes by;
            for (std::size_t k = 0; k < lanes; ++k) {
                double& state = states_[i * lanes + k];
                state = is_used(i, k) ? std::min(state, Loss::highest(vectors.cost(i, k))) : Loss::start;
                by[k] = signed_dual(i, k);
            }
            move(i, by);
        }
        activate(~LaneMask{0});
    }

    // Make the best step for each active document.
    std::array<Progress, lanes> pass(std::int64_t epoch, LaneMask running) {
        shuffle(std::span(active_), options_.seed, number_, static_cast<std::uint64_t>(epoch));
        std::array<Progress, lanes> seen;
        std::array<Slopes, lanes> slopes;
        for (std::size_t k = 0; k < lanes; ++k) seen[k] = {0, dropped_[k]}, slopes[k] = {-infinity, infinity};
        work_ = 0;
        for (std::size_t a = 0; a < active_.size(); ++a) {
            const std::size_t i = active_[a];
            LaneMask open = running & ~settled_[i];
            if (open != 0) open = step(i, open, seen, slopes);
            if (open == 0) {
                active_[a--] = active_.back();
                active_.pop_back();
            }
        }
        for (std::size_t k = 0; k < lanes; ++k)
            beyond_[k] = {slopes[k].highest > 0 ? slopes[k].highest : infinity, slopes[k].lowest < 0 ? slopes[k].lowest : -infinity};
        return seen;
    }
    // The work of the last pass, as a share of the work for all documents.
    double share_of_pass() const { return total_work_ > 0 ? work_ / total_work_ : 1; }

    std::array<Progress, lanes> measure() const {
        std::array<Progress, lanes> all{};
        for (std::size_t i = 0; i < vectors_.size(); ++i) {
            if (vectors_.used(i) == 0) continue;
            const Lanes sums = vectors_.sum(i);
            for (std::size_t k = 0; k < lanes; ++k)
                if (is_used(i, k)) add(i, k, find_margin(i, k, sums[k]), all[k]);
        }
        return all;
    }

    // Forget which documents are settled in these lanes.
    void activate(LaneMask of) {
        if (of == 0) return;
        active_.clear();
        for (std::size_t i = 0; i < vectors_.size(); ++i) {
            settled_[i] = (settled_[i] & ~of) | ~vectors_.used(i);
            if (vectors_.used(i) != 0) active_.push_back(static_cast<Id>(i));
        }
        for (std::size_t k = 0; k < lanes; ++k)
            if (of >> k & 1) beyond_[k] = {infinity, -infinity}, dropped_[k] = 0;
    }

    double intercept(std::size_t lane) const { return options_.bias * bias_weights_[lane]; }
    double state(std::size_t i, std::size_t lane) const { return states_[i * lanes + lane]; }
    // The factor of the document in the weights.
    double signed_dual(std::size_t i, std::size_t lane) const {
        return is_used(i, lane) ? Loss::dual(state(i, lane), vectors_.cost(i, lane)) * vectors_.side(i, lane) : 0;
    }

    // The weights once more, from the states alone: they do not depend on the rounding errors of the steps.
    void sum_again() {
        vectors_.clear();
        bias_weights_ = {};
        for (std::size_t i = 0; i < vectors_.size(); ++i) {
            Lanes by;
            for (std::size_t k = 0; k < lanes; ++k) by[k] = signed_dual(i, k);
            move(i, by);
        }
    }

  private:
    struct Slopes {
        double highest, lowest;
    };

    bool is_used(std::size_t i, std::size_t lane) const { return vectors_.used(i) >> lane & 1; }

    // The best step of one document in these lanes. Returns the lanes in which it is not settled.
    LaneMask step(std::size_t i, LaneMask open, std::array<Progress, lanes>& seen, std::array<Slopes, lanes>& slopes) {
        const Lanes sums = vectors_.sum(i);
        work_ += static_cast<double>(vectors_.work(i));
        Lanes by{};
        for (std::size_t k = 0; k < lanes; ++k) {
            if (!(open >> k & 1)) continue;
            double& state = states_[i * lanes + k];
            const double cost = vectors_.cost(i, k), alpha = Loss::dual(state, cost), margin = find_margin(i, k, sums[k]);
            const double objective = add(i, k, margin, seen[k]);
            if (Loss::shrinks && is_settled(state, cost, Loss::slope(state, margin, cost), slopes[k], beyond_[k])) {
                dropped_[k] += objective;
                settled_[i] |= LaneMask{1} << k;
                open &= ~(LaneMask{1} << k);
                continue;
            }
            state = Loss::step(state, margin, vectors_.square(i, k) + options_.bias * options_.bias, cost);
            by[k] = (Loss::dual(state, cost) - alpha) * vectors_.side(i, k);
        }
        move(i, by);
        return open;
    }

    // The document's part of the objective. ‖w‖² = Σ α m.
    double add(std::size_t i, std::size_t k, double margin, Progress& progress) const {
        const double cost = vectors_.cost(i, k), state = states_[i * lanes + k], alpha = Loss::dual(state, cost);
        const double loss = Loss::loss(margin, cost), objective = loss + alpha * margin / 2;
        progress.gap += loss + Loss::conjugate(state, cost) + alpha * margin;
        progress.objective += objective;
        return objective;
    }

    // Whether the document is at its bound and its slope is steeper than every slope of the pass before.
    static bool is_settled(double state, double cost, double slope, Slopes& slopes, const Slopes& beyond) {
        const bool at_low = state == 0, at_high = state == Loss::highest(cost);
        if ((at_low && slope > beyond.highest) || (at_high && slope < beyond.lowest)) return true;
        const double open = at_low ? std::min(slope, 0.0) : at_high ? std::max(slope, 0.0) : slope;
        slopes = {std::max(slopes.highest, open), std::min(slopes.lowest, open)};
        return false;
    }

    double find_margin(std::size_t i, std::size_t k, double sum) const {
        const double alpha = Loss::dual(states_[i * lanes + k], vectors_.cost(i, k));
        return vectors_.side(i, k) * (sum + options_.bias * bias_weights_[k]) + alpha * vectors_.own(i, k);
    }

    void move(std::size_t i, const Lanes& by) {
        if (std::all_of(by.begin(), by.end(), [](double one) { return one == 0; })) return;
        for (std::size_t k = 0; k < lanes; ++k) bias_weights_[k] += by[k] * options_.bias;
        vectors_.move(i, by);
    }

    Vectors& vectors_;
    std::uint64_t number_;
    DescentOptions options_;
    Lanes bias_weights_{};
    std::vector<double> states_;     // documents × lanes
    std::vector<LaneMask> settled_;  // of each document
    std::vector<Id> active_{};
    std::array<Slopes, lanes> beyond_{};
    Lanes dropped_{};  // the part of the objective from settled documents, at the time they were dropped
    double work_ = 0, total_work_ = 0;
};

}  // namespace tercet

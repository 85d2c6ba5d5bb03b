// The losses of binary problems: what each asks of a document with margin m and cost C, and its part of the dual problem.
//
//   primal   min ½ ‖w‖² + Σ loss(mᵢ, Cᵢ),        mᵢ = ± w · xᵢ
//   dual     max −½ ‖w‖² − Σ conjugate(sᵢ, Cᵢ),  w = Σ ± αᵢ xᵢ,  αᵢ = dual(sᵢ, Cᵢ)
//
// A state s is what is kept of a document; step finds the best one while the others stay as they are.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace tercet {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

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

// The state is z = log(α / (C − α)): near both ends α alone would lose what is left.
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
    // The root of z + m + square · (C share(z) − α), which rises with z: Newton's steps, kept between the ends.
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

}  // namespace tercet

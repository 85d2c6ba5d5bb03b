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
#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "base/large_vector.hpp"
#include "base/numbers.hpp"
#include "linear/descent.hpp"
#include "linear/linear_problem.hpp"

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

// One binary problem.
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

template <class Loss, class Weight>
class DualDescent {
  public:
    DualDescent(const LinearProblem& problem, const BinaryTask& task, const DescentOptions& options)
        : problem_(problem), rows_(problem.shared()), task_(task), options_(options), weights_(problem.shared_columns().size()),
          documents_(problem.n_documents()) {
        for (std::size_t k = 0; k < weights_.size(); ++k) {
            weights_[k].value = 0;
            if constexpr (is_scaled) weights_[k].square = square_of(problem.shared_columns()[k]);
        }
        for (std::size_t i = 0; i < documents_.size(); ++i) {
            double own = 0, shared = 0;
            problem.own().visit(i, [&](Id column, double value) { own += value * value * square_of(column); });
            rows_.visit(i, [&](Id column, double value) { shared += value * value * weights_[column].square; });
            const double all = own + shared + options.bias * options.bias;
            documents_[i] = {Loss::start, task.costs[i], own, all, task.positive[i] ? 1.0 : -1.0};
        }
        activate_all();
    }

    // Make the best step for each active document.
    Progress pass(std::int64_t epoch) {
        shuffle(std::span(active_), options_.seed, task_.number, static_cast<std::uint64_t>(epoch));
        Progress seen{0, dropped_};
        Slopes slopes{-infinity, infinity};
        for (std::size_t k = 0; k < active_.size(); ++k) {
            Document& document = documents_[active_[k]];
            const double alpha = Loss::dual(document.state, document.cost), margin = find_margin(active_[k], alpha);
            const double objective = add(document, alpha, margin, seen);
            if (Loss::shrinks && is_settled(document, Loss::slope(document.state, margin, document.cost), slopes)) {
                dropped_ += objective;
                active_[k--] = active_.back();
                active_.pop_back();
                continue;
            }
            document.state = Loss::step(document.state, margin, document.square, document.cost);
            move(active_[k], (Loss::dual(document.state, document.cost) - alpha) * document.side);
        }
        beyond_ = {slopes.highest > 0 ? slopes.highest : infinity, slopes.lowest < 0 ? slopes.lowest : -infinity};
        return seen;
    }

    Progress measure() const {
        Progress all;
        for (std::size_t i = 0; i < documents_.size(); ++i) {
            const double alpha = Loss::dual(documents_[i].state, documents_[i].cost);
            if (documents_[i].cost > 0) add(documents_[i], alpha, find_margin(i, alpha), all);
        }
        return all;
    }

    void activate_all() {
        active_.clear();
        for (std::size_t i = 0; i < documents_.size(); ++i)
            if (documents_[i].cost > 0) active_.push_back(static_cast<Id>(i));
        beyond_ = {infinity, -infinity};
        dropped_ = 0;
    }

    double intercept() const { return options_.bias * bias_weight_; }

    void write(double* coefficients) const {
        for (std::size_t k = 0; k < weights_.size(); ++k) coefficients[problem_.shared_columns()[k]] = weights_[k].value;
        for (std::size_t i = 0; i < documents_.size(); ++i) {
            const double by = Loss::dual(documents_[i].state, documents_[i].cost) * documents_[i].side;
            problem_.own().visit(i, [&](Id column, double value) { coefficients[column] = by * value * square_of(column); });
        }
    }

  private:
    static constexpr bool is_scaled = std::is_same_v<Weight, ScaledWeight>;

    struct Document {
        double state, cost, own, square, side;  // sums of squares: of its own columns, of all columns
    };
    struct Slopes {
        double highest, lowest;
    };

    // The document's part of the objective. ‖w‖² = Σ α m.
    static double add(const Document& document, double alpha, double margin, Progress& progress) {
        const double loss = Loss::loss(margin, document.cost), objective = loss + alpha * margin / 2;
        progress.gap += loss + Loss::conjugate(document.state, document.cost) + alpha * margin;
        progress.objective += objective;
        return objective;
    }

    // Whether the document is at its bound and its slope is steeper than every slope of the pass before.
    bool is_settled(const Document& document, double slope, Slopes& slopes) const {
        const bool at_low = document.state == 0, at_high = document.state == Loss::highest(document.cost);
        if ((at_low && slope > beyond_.highest) || (at_high && slope < beyond_.lowest)) return true;
        const double open = at_low ? std::min(slope, 0.0) : at_high ? std::max(slope, 0.0) : slope;
        slopes = {std::max(slopes.highest, open), std::min(slopes.lowest, open)};
        return false;
    }

    double find_margin(std::size_t i, double alpha) const {
        const Document& document = documents_[i];
        return document.side * (sum_row(i) + options_.bias * bias_weight_) + alpha * document.own;
    }

    // Four sums at a time: with one sum, each addition would wait for the one before.
    double sum_row(std::size_t i) const {
        const Id* const columns = rows_.columns.data() + rows_.ends[i];
        const std::size_t n = rows_.ends[i + 1] - rows_.ends[i];
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
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    void move(std::size_t i, double by) {
        if (by == 0) return;
        bias_weight_ += by * options_.bias;
        rows_.visit(i, [&](Id column, double value) { weights_[column].value += by * value * weights_[column].square; });
    }

    double square_of(Id column) const {
        if constexpr (is_scaled) return task_.scale[column] * task_.scale[column];
        return (void)column, 1;
    }

    const LinearProblem& problem_;
    const SparseRows& rows_;
    BinaryTask task_;
    DescentOptions options_;
    LargeVector<Weight> weights_;
    double bias_weight_ = 0;
    std::vector<Document> documents_;
    std::vector<Id> active_{};
    Slopes beyond_{infinity, -infinity};
    double dropped_ = 0;  // the part of the objective from settled documents, at the time they were dropped
};

}  // namespace tercet

// Linear models for all labels at once, by coordinate descent in the dual: one document after another gets its best β for all labels
// while the others do not change.
//
// The losses: the loss of a document with scores s and cost C, and its part of the dual problem. A document has β ≥ 0 with
// Σ β = C. At the start β is C at the label of the document.
//
//   primal   min ½ Σ ‖wₖ‖² + Σ loss(sᵢ),         sᵢₖ = wₖ · xᵢ
//   dual     max −½ Σ ‖wₖ‖² − Σ conjugate(βᵢ),   wₖ = Σ αᵢₖ xᵢ,  αᵢₖ = Cᵢ [k is its label] − βᵢₖ
//
// `step` finds the best β of a document: the minimum of ½ x² ‖β‖² − Σ βₖ tₖ + conjugate(β), where t = s + x² β.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "base/large_vector.hpp"
#include "linear/descent.hpp"
#include "linear/linear_problem.hpp"

namespace tercet {

using Scores = std::span<const double>;

// The score of the best other label should be at least 1 below the score of the right label (Crammer and Singer 2001; the step:
// Keerthi and others 2008).
struct CrammerSinger {
    static double loss(Scores scores, std::size_t label, double cost) {
        double most = 0;
        for (std::size_t k = 0; k < scores.size(); ++k) most = std::max(most, scores[k] - scores[label] + (k != label));
        return cost * most;
    }
    static double conjugate(Scores betas, std::size_t label, double) {
        return betas[label] - std::accumulate(betas.begin(), betas.end(), 0.0);
    }
    // The point of the simplex nearest to t / x²: the part of each target above a common line.
    static void step(std::span<double> betas, std::span<double> targets, std::size_t label, double square, double cost) {
        for (std::size_t k = 0; k < targets.size(); ++k) targets[k] += k != label;
        if (!std::all_of(targets.begin(), targets.end(), [](double target) { return std::isfinite(target); })) return;  // cannot be sorted
        if (square == 0) {
            const auto best = std::max_element(targets.begin(), targets.end()) - targets.begin();
            std::fill(betas.begin(), betas.end(), 0.0);
            betas[static_cast<std::size_t>(best)] = cost;
            return;
        }
        std::copy(targets.begin(), targets.end(), betas.begin());
        std::sort(betas.begin(), betas.end(), std::greater<>());
        double sum = -square * cost, line = 0;
        for (std::size_t k = 0; k < betas.size() && (k == 0 || betas[k] > line); ++k) {
            sum += betas[k];
            line = sum / static_cast<double>(k + 1);
        }
        for (std::size_t k = 0; k < betas.size(); ++k) betas[k] = std::max(0.0, targets[k] - line) / square;
    }
};

// −log of the probability of the label. Probabilities are proportional to exp(score).
struct Softmax {
    static double log_sum(Scores scores) {
        const double most = *std::max_element(scores.begin(), scores.end());
        double sum = 0;
        for (double score : scores) sum += std::exp(score - most);
        return most + std::log(sum);
    }
    static double loss(Scores scores, std::size_t label, double cost) { return cost * (log_sum(scores) - scores[label]); }
    static double conjugate(Scores betas, std::size_t, double cost) {
        double sum = 0;
        for (double beta : betas) sum += beta > 0 ? beta * std::log(beta / cost) : 0;
        return sum;
    }
    // The λ for which x² βₖ + log βₖ = tₖ − λ gives Σ β = C: Newton's method for log Σ β, which falls, inside a bracket.
    static void step(std::span<double> betas, std::span<double> targets, std::size_t, double square, double cost) {
        const double most = *std::max_element(targets.begin(), targets.end());
        double low = most - square * cost - std::log(cost), high = log_sum(targets) - std::log(cost), line = high, sum = 0;
        for (int i = 0; i < 100; ++i) {
            double fall = 0;
            sum = 0;
            for (std::size_t k = 0; k < betas.size(); ++k) {
                betas[k] = find_beta(targets[k] - line, square);
                sum += betas[k];
                fall += betas[k] / (1 + square * betas[k]);
            }
            (sum > cost ? low : high) = line;
            const double by = std::log(sum / cost) * sum / fall;
            if (!(std::abs(by) > 1e-12 * (1 + std::abs(line)))) break;
            line = line + by > low && line + by < high ? line + by : (low + high) / 2;
        }
        for (double& beta : betas) beta *= cost / sum;
    }
    // The root of x² β + log β = height: Newton's method for y + exp(y) with y = log(x² β), from above.
    static double find_beta(double height, double square) {
        if (square == 0) return std::exp(height);
        const double wanted = height + std::log(square);
        double y = wanted <= 1 ? wanted : std::log(wanted);
        for (int i = 0; i < 50; ++i) {
            const double power = std::exp(y), by = (y + power - wanted) / (1 + power);
            y -= by;
            if (!(std::abs(by) > 1e-8)) break;  // the next step would be smaller than the rounding error
        }
        return std::exp(y) / square;
    }
};

struct JointTask {
    std::span<const std::int64_t> codes;
    std::span<const double> costs;
    std::size_t n_labels;
};

template <class Loss>
class JointDescent {
  public:
    static constexpr std::size_t lanes = 1;

    JointDescent(const LinearProblem& problem, const JointTask& task, const DescentOptions& options)
        : problem_(problem), rows_(problem.shared()), task_(task), options_(options), n_labels_(task.n_labels),
          weights_(problem.shared_columns().size() * n_labels_), bias_weights_(n_labels_), betas_(problem.n_documents() * n_labels_),
          scores_(n_labels_), before_(n_labels_) {
        std::fill(weights_.begin(), weights_.end(), 0.0);
        for (std::size_t i = 0; i < problem.n_documents(); ++i) {
            double own = 0, shared = 0;
            problem.own().visit(i, [&](Id, double value) { own += value * value; });
            rows_.visit(i, [&](Id, double value) { shared += value * value; });
            squares_.push_back({own, own + shared + options.bias * options.bias});
            betas_[i * n_labels_ + label_of(i)] = task.costs[i];
            if (task.costs[i] > 0) order_.push_back(static_cast<Id>(i));
        }
    }

    std::array<Progress, 1> pass(std::int64_t epoch, LaneMask) {
        shuffle(std::span(order_), options_.seed, 0, static_cast<std::uint64_t>(epoch));
        Progress seen;
        for (std::size_t i : order_) {
            find_scores(i);
            add(i, seen);
            const std::span<double> betas(&betas_[i * n_labels_], n_labels_);
            std::copy(betas.begin(), betas.end(), before_.begin());
            for (std::size_t k = 0; k < n_labels_; ++k) scores_[k] += squares_[i].all * betas[k];
            Loss::step(betas, scores_, label_of(i), squares_[i].all, task_.costs[i]);
            move(i, betas);
        }
        return {seen};
    }

    double share_of_pass() const { return 1; }

    std::array<Progress, 1> measure() {
        Progress all;
        for (std::size_t i : order_) {
            find_scores(i);
            add(i, all);
        }
        return {all};
    }

    void activate(LaneMask) {}  // no document is ever dropped

    // Coefficients as labels × columns.
    void write(double* coefficients, double* intercepts) const {
        const std::size_t n_columns = problem_.n_columns();
        for (std::size_t k = 0; k < n_labels_; ++k) {
            intercepts[k] = options_.bias * bias_weights_[k];
            for (std::size_t j = 0; j < problem_.shared_columns().size(); ++j)
                coefficients[k * n_columns + problem_.shared_columns()[j]] = weights_[j * n_labels_ + k];
            for (std::size_t i = 0; i < squares_.size(); ++i)
                problem_.own().visit(i, [&](Id column, double value) { coefficients[k * n_columns + column] = alpha(i, k) * value; });
        }
    }

  private:
    struct Squares {
        double own, all;
    };

    std::size_t label_of(std::size_t i) const { return static_cast<std::size_t>(task_.codes[i]); }
    double alpha(std::size_t i, std::size_t k) const { return (k == label_of(i) ? task_.costs[i] : 0) - betas_[i * n_labels_ + k]; }

    void find_scores(std::size_t i) {
        for (std::size_t k = 0; k < n_labels_; ++k) scores_[k] = options_.bias * bias_weights_[k] + alpha(i, k) * squares_[i].own;
        rows_.visit(i, [&](Id column, double value) {
            const double* const weights = &weights_[column * n_labels_];
            for (std::size_t k = 0; k < n_labels_; ++k) scores_[k] += value * weights[k];
        });
    }

    // Σ ‖wₖ‖² = Σ α s.
    void add(std::size_t i, Progress& progress) const {
        double product = 0;
        for (std::size_t k = 0; k < n_labels_; ++k) product += alpha(i, k) * scores_[k];
        const double loss = Loss::loss(scores_, label_of(i), task_.costs[i]);
        progress.gap += loss + Loss::conjugate({&betas_[i * n_labels_], n_labels_}, label_of(i), task_.costs[i]) + product;
        progress.objective += loss + product / 2;
    }

    void move(std::size_t i, std::span<const double> betas) {
        for (std::size_t k = 0; k < n_labels_; ++k) before_[k] -= betas[k];
        if (std::all_of(before_.begin(), before_.end(), [](double by) { return by == 0; })) return;
        for (std::size_t k = 0; k < n_labels_; ++k) bias_weights_[k] += options_.bias * before_[k];
        rows_.visit(i, [&](Id column, double value) {
            double* const weights = &weights_[column * n_labels_];
            for (std::size_t k = 0; k < n_labels_; ++k) weights[k] += value * before_[k];
        });
    }

    const LinearProblem& problem_;
    const SparseRows& rows_;
    JointTask task_;
    DescentOptions options_;
    std::size_t n_labels_;
    LargeVector<double> weights_;  // columns × labels
    std::vector<double> bias_weights_, betas_, scores_, before_;
    std::vector<Squares> squares_{};
    std::vector<Id> order_{};
};

}  // namespace tercet

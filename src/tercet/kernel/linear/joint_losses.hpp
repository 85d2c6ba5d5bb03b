// The losses of problems that decide between all labels at once: what each asks of a document with scores s and cost C, and
// its part of the dual problem. A document has β ≥ 0 with Σ β = C, which starts as C at its own label.
//
//   primal   min ½ Σ ‖wₖ‖² + Σ loss(sᵢ),         sᵢₖ = wₖ · xᵢ
//   dual     max −½ Σ ‖wₖ‖² − Σ conjugate(βᵢ),   wₖ = Σ αᵢₖ xᵢ,  αᵢₖ = Cᵢ [k is its label] − βᵢₖ
//
// step finds the best β of a document while the others stay: of ½ x² ‖β‖² − Σ βₖ tₖ + conjugate(β), where t = s + x² β.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace tercet {

using Scores = std::span<const double>;

// The best other label must stay 1 below (Crammer and Singer 2001; the step: Keerthi and others 2008).
struct CrammerSinger {
    static double loss(Scores scores, std::size_t label, double cost) {
        double most = 0;
        for (std::size_t k = 0; k < scores.size(); ++k) most = std::max(most, scores[k] - scores[label] + (k != label));
        return cost * most;
    }
    static double conjugate(Scores betas, std::size_t label, double) {
        return betas[label] - std::accumulate(betas.begin(), betas.end(), 0.0);
    }
    // The point of the simplex that is nearest to t / x²: all above a line, cut at it.
    static void step(std::span<double> betas, std::span<double> targets, std::size_t label, double square, double cost) {
        for (std::size_t k = 0; k < targets.size(); ++k) targets[k] += k != label;
        if (!std::all_of(targets.begin(), targets.end(), [](double target) { return std::isfinite(target); })) return;  // no order
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

// −log of the probability of the label, where probabilities are as exp(score).
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
    // The line λ at which x² βₖ + log βₖ = tₖ − λ gives Σ β = C: Newton's steps on log Σ β, which falls, kept between the ends.
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
    // The root of x² β + log β = height: with y = log(x² β) that of y + exp(y), from above.
    static double find_beta(double height, double square) {
        if (square == 0) return std::exp(height);
        const double wanted = height + std::log(square);
        double y = wanted <= 1 ? wanted : std::log(wanted);
        for (int i = 0; i < 50; ++i) {
            const double power = std::exp(y), by = (y + power - wanted) / (1 + power);
            y -= by;
            if (!(std::abs(by) > 1e-8)) break;  // then the next would be below rounding
        }
        return std::exp(y) / square;
    }
};

}  // namespace tercet

// Calibration by length: P(label) = (1 − doubt) · softmax(score / (1 + rate · length ^ growth) + offset) + doubt / labels.
//
// The length of a document is |its best score|, which grows with the number of its terms.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/numbers.hpp"
#include "calibration/minimizer.hpp"
#include "calibration/softmax.hpp"

namespace tercet {

// The mean of −log P(own label), with a pull of the offsets to 0. The parameters are the logarithm of the rate at the mean length, the
// growth, the log-odds of the doubt, and the offsets.
class LengthLoss {
  public:
    explicit LengthLoss(const HeldScores& held) : held_(held), rows_(shift_scores(held)) {
        for (std::size_t i = 0; i < held.n_documents(); ++i) {
            const auto row = held.row(0, i);
            lengths_.push_back(std::log(std::max(std::abs(*std::max_element(row.begin(), row.end())), 1e-9)));
            middle_ += lengths_.back();
            total_ += held.weights[i];
        }
        middle_ /= static_cast<double>(held.n_documents());
        for (double& length : lengths_) length -= middle_;
    }

    double middle() const { return middle_; }
    std::size_t n_parameters() const { return 3 + held_.n_labels; }

    double operator()(std::span<const double> at, std::span<double> gradient) const {
        const std::size_t n_labels = held_.n_labels;
        const double doubt = 1 / (1 + std::exp(-at[2])), even = 1 / static_cast<double>(n_labels);
        const std::span<const double> offsets = at.subspan(3);
        std::fill(gradient.begin(), gradient.end(), 0.0);
        std::vector<double> softened(n_labels), shares(n_labels);
        double loss = 0;
        for (std::size_t i = 0; i < held_.n_documents(); ++i) {
            const double hardness = std::exp(at[0] + at[1] * lengths_[i]), factor = 1 / (1 + hardness);
            const double* const row = rows_.data() + i * n_labels;
            double most = -infinity, power = 0;
            for (std::size_t k = 0; k < n_labels; ++k) {
                softened[k] = row[k] * factor;
                most = std::max(most, softened[k] + offsets[k]);
            }
            for (std::size_t k = 0; k < n_labels; ++k) {
                shares[k] = std::exp(softened[k] + offsets[k] - most);
                power += shares[k];
            }
            const auto label = static_cast<std::size_t>(held_.codes[i]);
            const double own = shares[label] / power, given = (1 - doubt) * own + doubt * even;
            loss -= held_.weights[i] * std::log(given);
            // Derivatives of the loss by the softened scores.
            const double by = held_.weights[i] * (1 - doubt) * own / given;
            double along = 0;
            for (std::size_t k = 0; k < n_labels; ++k) {
                const double slope = by * (shares[k] / power - (k == label ? 1.0 : 0.0));
                along += slope * softened[k];
                gradient[3 + k] += slope;
            }
            const double by_hardness = -along * (1 - factor);
            gradient[0] += by_hardness;
            gradient[1] += by_hardness * lengths_[i];
            gradient[2] -= held_.weights[i] * (even - own) / given * doubt * (1 - doubt);
        }
        for (double& each : gradient) each /= total_;
        const double pull = 1 / static_cast<double>(held_.n_documents());
        double penalty = 0;
        for (std::size_t k = 0; k < n_labels; ++k) {
            penalty += pull * offsets[k] * offsets[k];
            gradient[3 + k] += 2 * pull * offsets[k];
        }
        return loss / total_ + penalty;
    }

  private:
    HeldScores held_;
    std::vector<double> rows_, lengths_{};
    double middle_ = 0, total_ = 0;
};

struct LengthFit {
    double rate, growth, doubt;
    std::vector<double> offsets;
};

// Scores of the labels → their log-probabilities. A label whose score is −∞ stays impossible.
inline void calibrate_by_length(std::span<double> row, double rate, double growth, double doubt, std::span<const double> offsets) {
    const double best = *std::max_element(row.begin(), row.end());
    const double hardness = std::min(1 + rate * std::pow(std::abs(best), growth), std::numeric_limits<double>::max());
    std::size_t n_possible = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
        n_possible += std::isfinite(row[k]);
        row[k] = (row[k] - best) / hardness + offsets[k];
    }
    normalize_scores(row);
    if (doubt == 0) return;
    const double even = doubt / static_cast<double>(n_possible);
    for (double& score : row)
        if (score != -infinity) score = std::log((1 - doubt) * std::exp(score) + even);
}

// If the offsets gain less than chance would, by the Bayesian information criterion, they are all 0.
inline LengthFit fit_length(const HeldScores& held) {
    constexpr MinimizerOptions options{1e-6, 500};
    const LengthLoss loss(held);
    Bounds bounds{std::vector<double>(loss.n_parameters(), 0.0), std::vector<double>(loss.n_parameters(), 0.0)};
    const double lowest[] = {-30, 0, -20}, highest[] = {30, 3, 0};
    std::copy(lowest, lowest + 3, bounds.lower.begin());
    std::copy(highest, highest + 3, bounds.upper.begin());
    std::vector<double> plain(loss.n_parameters(), 0.0);
    plain[0] = 2;
    plain[1] = 0.8;
    plain[2] = -5;
    const double plain_loss = minimize(loss, bounds, plain, options);
    std::fill(bounds.lower.begin() + 3, bounds.lower.end(), -infinity);
    std::fill(bounds.upper.begin() + 3, bounds.upper.end(), infinity);
    std::vector<double> shifted = plain;
    const double shifted_loss = minimize(loss, bounds, shifted, options);

    const auto n = static_cast<double>(held.n_documents()), n_labels = static_cast<double>(held.n_labels);
    const std::vector<double>& best = n * (plain_loss - shifted_loss) > (n_labels - 1) * std::log(n) / 2 ? shifted : plain;
    LengthFit fit{std::exp(best[0] - best[1] * loss.middle()), best[1], 1 / (1 + std::exp(-best[2])), {best.begin() + 3, best.end()}};
    centre(fit.offsets);
    return fit;
}

}  // namespace tercet

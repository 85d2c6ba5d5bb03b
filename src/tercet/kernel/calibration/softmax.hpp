// The softmax of weighted scores: P(label k) ∝ exp(Σ aₘ Sₘₖ + Σ Sₘⱼ Dₘⱼₖ + bₖ), where member m gives a document the scores Sₘ.
//
// With one member it is Platt scaling, and without b it is one temperature. With several members it is a stack.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/numbers.hpp"
#include "calibration/minimizer.hpp"

namespace tercet {

// Scores of the labels → their log-probabilities. They are shifted first: exp(−1200) alone would be 0.
inline void normalize_scores(std::span<double> row) {
    const double most = *std::max_element(row.begin(), row.end());
    double power = 0;
    for (double& score : row) {
        score -= most;
        power += std::exp(score);
    }
    const double total = std::log(power);
    for (double& score : row) score -= total;
}

// Held-out documents: scores as members × documents × labels, and the label and the weight of each document.
struct HeldScores {
    const double* scores;
    std::size_t n_members, n_labels;
    std::span<const std::int64_t> codes;
    std::span<const double> weights;

    std::size_t n_documents() const { return codes.size(); }
    std::span<const double> row(std::size_t member, std::size_t document) const {
        return {scores + (member * n_documents() + document) * n_labels, n_labels};
    }
};

// Penalties, in parts of the mean loss. They keep every number finite, and make the minimum unique.
struct Pulls {
    double spread = 0;   // · Σ (aₘ − mean a)²
    double total = 0;    // · (Σ a)²
    double factor = 0;   // · log(a / even)², for one member
    double even = 1;
    double offsets = 0;  // · ‖b‖²
    double mix = 0;      // · ‖D‖²
};

class SoftmaxLoss {
  public:
    // `rows` are documents × members × labels. `targets` has the probability that a document of each label should get for it; the
    // other labels share the rest.
    SoftmaxLoss(const HeldScores& held, std::vector<double> rows, std::vector<double> targets, const Pulls& pulls, bool has_mix)
        : held_(held), rows_(std::move(rows)), targets_(std::move(targets)), pulls_(pulls), has_mix_(has_mix) {
        for (double weight : held.weights) total_ += weight;
    }

    std::size_t n_parameters() const {
        const std::size_t n_scores = held_.n_members * held_.n_labels;
        return held_.n_members + held_.n_labels + (has_mix_ ? n_scores * held_.n_labels : 0);
    }

    // The parameters are a, b and, if there is a mix, D as members × labels × labels.
    double operator()(std::span<const double> at, std::span<double> gradient) const {
        const std::size_t n_members = held_.n_members, n_labels = held_.n_labels, n_scores = n_members * n_labels;
        const double* const factors = at.data();
        const double* const offsets = factors + n_members;
        const double* const mix = offsets + n_labels;
        std::fill(gradient.begin(), gradient.end(), 0.0);
        double* const by_offsets = gradient.data() + n_members;
        double* const by_mix = by_offsets + n_labels;
        std::vector<double> sums(n_labels), slopes(n_labels);
        double loss = 0;
        for (std::size_t i = 0; i < held_.n_documents(); ++i) {
            const double weight = held_.weights[i];
            if (weight == 0) continue;
            const double* const row = rows_.data() + i * n_scores;
            std::copy(offsets, offsets + n_labels, sums.begin());
            for (std::size_t m = 0; m < n_members; ++m)
                for (std::size_t k = 0; k < n_labels; ++k) sums[k] += factors[m] * row[m * n_labels + k];
            if (has_mix_)
                for (std::size_t j = 0; j < n_scores; ++j) add(sums.data(), row[j], mix + j * n_labels);
            loss += weight * find_slopes(static_cast<std::size_t>(held_.codes[i]), sums, slopes);
            for (std::size_t k = 0; k < n_labels; ++k) slopes[k] *= weight;
            for (std::size_t m = 0; m < n_members; ++m)
                for (std::size_t k = 0; k < n_labels; ++k) gradient[m] += slopes[k] * row[m * n_labels + k];
            add(by_offsets, 1.0, slopes.data());
            if (has_mix_)
                for (std::size_t j = 0; j < n_scores; ++j) add(by_mix + j * n_labels, row[j], slopes.data());
        }
        for (double& each : gradient) each /= total_;
        return loss / total_ + pull(at, gradient);
    }

  private:
    void add(double* __restrict to, double by, const double* __restrict values) const {
        for (std::size_t k = 0; k < held_.n_labels; ++k) to[k] += by * values[k];
    }

    // −Σ target · log P, and its derivatives by the sums: P − target.
    double find_slopes(std::size_t own, const std::vector<double>& sums, std::vector<double>& slopes) const {
        const std::size_t n_labels = sums.size();
        const double most = *std::max_element(sums.begin(), sums.end());
        double power = 0;
        for (std::size_t k = 0; k < n_labels; ++k) {
            slopes[k] = std::exp(sums[k] - most);
            power += slopes[k];
        }
        const double log_sum = most + std::log(power), rest = n_labels > 1 ? (1 - targets_[own]) / static_cast<double>(n_labels - 1) : 0;
        double wanted = targets_[own] * sums[own];
        for (std::size_t k = 0; k < n_labels; ++k) {
            slopes[k] = slopes[k] / power - (k == own ? targets_[own] : rest);
            if (rest != 0 && k != own) wanted += rest * sums[k];
        }
        return log_sum - wanted;
    }

    double pull(std::span<const double> at, std::span<double> gradient) const {
        const std::size_t n_members = held_.n_members;
        double value = 0, total = 0;
        for (std::size_t m = 0; m < n_members; ++m) total += at[m];
        for (std::size_t m = 0; m < n_members; ++m) {
            const double beside = at[m] - total / static_cast<double>(n_members);
            value += pulls_.spread * beside * beside;
            gradient[m] += 2 * pulls_.spread * beside + 2 * pulls_.total * total;
        }
        value += pulls_.total * total * total;
        if (pulls_.factor != 0) {
            const double size = std::log(at[0] / pulls_.even);
            value += pulls_.factor * size * size;
            gradient[0] += 2 * pulls_.factor * size / at[0];
        }
        for (std::size_t p = n_members; p < at.size(); ++p) {
            const double by = p < n_members + held_.n_labels ? pulls_.offsets : pulls_.mix;
            value += by * at[p] * at[p];
            gradient[p] += 2 * by * at[p];
        }
        return value;
    }

    HeldScores held_;
    std::vector<double> rows_, targets_;
    Pulls pulls_;
    bool has_mix_;
    double total_ = 0;
};

struct SoftmaxFit {
    std::vector<double> factors, offsets, mix;  // the mix is empty if it was not asked for
};

inline SoftmaxFit split_parameters(const HeldScores& held, const std::vector<double>& found) {
    const auto offsets = found.begin() + static_cast<std::ptrdiff_t>(held.n_members), mix = offsets + static_cast<std::ptrdiff_t>(held.n_labels);
    return {{found.begin(), offsets}, {offsets, mix}, {mix, found.end()}};
}

// The number of documents that count.
inline double count_weighted(const HeldScores& held) {
    return static_cast<double>(std::count_if(held.weights.begin(), held.weights.end(), [](double weight) { return weight > 0; }));
}

// Scores of one member, documents × labels: the best score of each document is 0, and no score is below −10⁶.
inline std::vector<double> shift_scores(const HeldScores& held) {
    std::vector<double> rows;
    rows.reserve(held.n_documents() * held.n_labels);
    for (std::size_t i = 0; i < held.n_documents(); ++i) {
        const auto row = held.row(0, i);
        const double best = *std::max_element(row.begin(), row.end());
        for (double score : row) rows.push_back(std::max(score - best, -1e6));
    }
    return rows;
}

// Divides the scores by their mean distance from the best score, so that factor and offsets have similar sizes. Returns this distance.
inline double scale_scores(std::vector<double>& rows) {
    double spread = 0;
    for (double score : rows) spread -= score;
    spread /= static_cast<double>(rows.size());
    if (!(spread > 1e-9)) spread = 1;
    for (double& score : rows) score /= spread;
    return spread;
}

// Subtracts the mean. It changes no probability.
inline void centre(std::vector<double>& offsets) {
    double mean = 0;
    for (double offset : offsets) mean += offset / static_cast<double>(offsets.size());
    for (double& offset : offsets) offset -= mean;
}

inline constexpr MinimizerOptions precise{1e-9, 500};

// The factor of all scores with the best likelihood, with a weak pull to 1: it prevents extreme factors if documents are few.
inline double fit_temperature(const HeldScores& held) {
    std::vector<double> rows = shift_scores(held);
    const double scale = scale_scores(rows);
    const Pulls pulls{.factor = 0.5 / std::max(count_weighted(held), 1.0), .even = scale};
    const SoftmaxLoss loss(held, std::move(rows), std::vector<double>(held.n_labels, 1.0), pulls, false);
    Bounds bounds{std::vector<double>(loss.n_parameters(), 0.0), std::vector<double>(loss.n_parameters(), 0.0)};
    bounds.lower[0] = 1e-6 * scale;
    bounds.upper[0] = 100 * scale;
    std::vector<double> at(loss.n_parameters(), 0.0);
    at[0] = 1;
    minimize(loss, bounds, at, precise);
    return at[0] / scale;
}

// Platt scaling: a factor above 0 and offsets with the mean 0. The target of a label that n documents have is (n + 1) / (n + 2).
inline SoftmaxFit fit_platt(const HeldScores& held) {
    std::vector<double> targets(held.n_labels, 0.0);
    for (std::size_t i = 0; i < held.n_documents(); ++i) targets[static_cast<std::size_t>(held.codes[i])] += held.weights[i];
    for (double& target : targets) target = held.n_labels > 1 ? (target + 1) / (target + 2) : 1;
    std::vector<double> rows = shift_scores(held);
    const double scale = scale_scores(rows);
    const SoftmaxLoss loss(held, std::move(rows), std::move(targets), {}, false);
    Bounds bounds{std::vector<double>(loss.n_parameters(), -infinity), std::vector<double>(loss.n_parameters(), infinity)};
    bounds.lower[0] = 1e-6;
    std::vector<double> at(loss.n_parameters(), 0.0);
    at[0] = 1;
    minimize(loss, bounds, at, precise);
    SoftmaxFit fit = split_parameters(held, at);
    fit.factors[0] /= scale;
    centre(fit.offsets);
    return fit;
}

// Scores of a stack, documents × members × labels: each document has the mean 0. A score of −inf counts as the lowest finite score of
// the document by this member, minus 1. The scores of each member are divided by their standard deviation, which is also returned.
inline std::pair<std::vector<double>, std::vector<double>> standardize_scores(const HeldScores& held) {
    const std::size_t n_labels = held.n_labels, n_scores = held.n_members * n_labels;
    std::vector<double> rows(held.n_documents() * n_scores), deviations(held.n_members, 0.0);
    for (std::size_t m = 0; m < held.n_members; ++m) {
        double squares = 0, total = 0;
        for (std::size_t i = 0; i < held.n_documents(); ++i) {
            const auto scores = held.row(m, i);
            double lowest = infinity, mean = 0, own_squares = 0;
            for (double score : scores)
                if (score != -infinity) lowest = std::min(lowest, score);
            if (lowest == infinity) lowest = 1;  // no label is possible: all scores are equal
            double* const row = rows.data() + i * n_scores + m * n_labels;
            for (std::size_t k = 0; k < n_labels; ++k) {
                row[k] = scores[k] == -infinity ? lowest - 1 : scores[k];
                mean += row[k] / static_cast<double>(n_labels);
            }
            for (std::size_t k = 0; k < n_labels; ++k) {
                row[k] -= mean;
                own_squares += row[k] * row[k];
            }
            squares += held.weights[i] * own_squares;
            total += held.weights[i];
        }
        deviations[m] = std::max(std::sqrt(squares / (total * static_cast<double>(n_labels))), 1e-9);
        for (std::size_t i = 0; i < held.n_documents(); ++i)
            for (std::size_t k = 0; k < n_labels; ++k) rows[i * n_scores + m * n_labels + k] /= deviations[m];
    }
    return {std::move(rows), std::move(deviations)};
}

// The weights a ≥ 0 of the members, the offsets b of the labels and, with a mix, D, at the minimum of the mean log-loss. Fewer than a
// hundred documents tell little about single members and labels, so these are pulled together more strongly.
inline SoftmaxFit fit_stack(const HeldScores& held, bool has_mix) {
    auto [rows, deviations] = standardize_scores(held);
    const double n = std::max(count_weighted(held), 1.0), n_members = static_cast<double>(held.n_members);
    const double ridge = 1e-3 + 100 / (n * n);
    const Pulls pulls{.spread = ridge, .total = 0.05 / n, .offsets = ridge, .mix = 30 / n};
    const SoftmaxLoss loss(held, std::move(rows), std::vector<double>(held.n_labels, 1.0), pulls, has_mix);
    Bounds bounds{std::vector<double>(loss.n_parameters(), -infinity), std::vector<double>(loss.n_parameters(), infinity)};
    std::vector<double> at(loss.n_parameters(), 0.0);
    for (std::size_t m = 0; m < held.n_members; ++m) {
        bounds.lower[m] = 0;
        at[m] = 2 / n_members;
    }
    minimize(loss, bounds, at, has_mix ? MinimizerOptions{1e-5, 200} : MinimizerOptions{1e-7, 500});
    SoftmaxFit fit = split_parameters(held, at);
    for (std::size_t m = 0; m < held.n_members; ++m) {
        fit.factors[m] /= deviations[m];
        const std::size_t n_own = has_mix ? held.n_labels * held.n_labels : 0;
        for (std::size_t d = 0; d < n_own; ++d) fit.mix[m * n_own + d] /= deviations[m];
    }
    return fit;
}

}  // namespace tercet

// The likelihood of the labels of training documents for many formulas. The smoothing is chosen by it.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "bayes/label_products.hpp"

namespace tercet {

// For each formula the log likelihood of the labels of documents, each scored without itself: a sum for each factor and each label, so
// that the caller can weigh labels. The probabilities of naive Bayes are too extreme, and how much depends on the formula. So the scores
// are multiplied by several factors, and the caller takes the best of them.
class LabelLikelihood {
  public:
    LabelLikelihood(const LeftOut& left_out, std::span<const Formula> formulas, const Counts& counts, const double* prior)
        : left_out_(left_out), formulas_(formulas), counts_(counts), prior_(prior),
          sums_(formulas.size() * n_factors * counts.n_labels()) {
        for (Units n : counts.n_documents()) log_documents_.push_back(std::log(to_number(n)));
        for (std::size_t f = 0; f < formulas.size(); ++f) {
            const auto is_like = [&](const Family& family) { return LabelProducts::are_alike(formulas[family.places[0]], formulas[f]); };
            const auto found = LabelProducts::suits(formulas[f]) ? std::find_if(families_.begin(), families_.end(), is_like) : families_.end();
            found != families_.end() ? found->places.push_back(f) : void(families_.push_back({{f}, LabelProducts({})}));
        }
        for (Family& family : families_) {
            std::vector<Formula> members;
            for (std::size_t f : family.places) members.push_back(formulas[f]);
            family.products = LabelProducts(std::move(members));
        }
    }

    // A document that is the only one of its label is skipped.
    void add(const Row& row, const Taken& own, LeftDocument& left) {
        const Units of_label = counts_.n_documents()[own.label];
        if (of_label <= own.weight) return;
        left_out_.take(row, {&own, 1}, left);
        scores_.resize(left_out_.n_labels());
        for (Family& family : families_) {
            const bool together = LabelProducts::suits(formulas_[family.places[0]]) && family.products.run(left, left_out_.has_unknown_term());
            for (std::size_t k = 0; k < family.places.size(); ++k) {
                const std::size_t f = family.places[k];
                if (!together) left_out_.score(formulas_[f], left, scores_.data());
                for (Id label = 0; together && label < scores_.size(); ++label) scores_[label] = family.products.score(k, label);
                add_left_prior(own, scores_);
                add_probabilities(own, scores_, f);
            }
        }
    }

    // Formulas × factors × labels: Σ weight · log P(own label) over the documents of the label.
    template <class Function>
    void each_sum(Function&& take) const {
        for (std::int64_t sum : sums_) take(to_number(sum));
    }
    void add(const LabelLikelihood& other) {
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
    }

    static constexpr int n_factors = 17;  // from 1/256 to 1, each √2 times the one before

  private:
    // Formulas that are computed together.
    struct Family {
        std::vector<std::size_t> places;  // indexes of the formulas
        LabelProducts products;
    };

    // log P(own label) for each factor.
    void add_probabilities(const Taken& own, std::vector<double>& scores, std::size_t f) {
        const double best = *std::max_element(scores.begin(), scores.end());
        std::array<double, n_factors> totals{};
        for (double score : scores) {
            if ((score - best) * factor_of(0) < -50) continue;  // too small to change the sum
            for (int series = 0; series < 2; ++series) {
                // exp(2 x) = exp(x)², so two exponentials are enough for all factors.
                double power = std::exp((score - best) * factor_of(series));
                for (int step = series; step < n_factors; step += 2, power *= power) totals[step] += power;
            }
        }
        for (int step = 0; step < n_factors; ++step) {
            // A label with the prior probability 0 must not make all sums infinite.
            const double log_probability = std::max(factor_of(step) * (scores[own.label] - best) - std::log(totals[step]), -1e6);
            const std::size_t place = (f * n_factors + step) * counts_.n_labels() + own.label;
            sums_[place] += std::llround(to_number(own.weight) * log_probability * static_cast<double>(one));
        }
    }
    static double factor_of(int step) {
        static const auto factors = [] {
            std::array<double, n_factors> all{};
            for (int i = 0; i < n_factors; ++i) all[i] = std::exp2(0.5 * (i - n_factors + 1));
            return all;
        }();
        return factors[step];
    }

    void add_left_prior(const Taken& own, std::vector<double>& scores) const {
        for (std::size_t label = 0; label < scores.size(); ++label) scores[label] += prior_ ? prior_[label] : log_documents_[label];
        if (!prior_) scores[own.label] += std::log(to_number(counts_.n_documents()[own.label] - own.weight)) - log_documents_[own.label];
    }

    const LeftOut& left_out_;
    std::span<const Formula> formulas_;
    const Counts& counts_;
    const double* prior_;  // null: the share of the remaining documents
    std::vector<double> log_documents_;
    std::vector<double> scores_{};
    std::vector<Family> families_{};
    std::vector<std::int64_t> sums_;  // integers, so that the order of the documents does not matter
};

}  // namespace tercet

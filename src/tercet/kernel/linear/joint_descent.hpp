// Linear models that decide between all labels at once, by coordinate descent in the dual: one document after another gets
// its best β for all labels while the others stay.
#pragma once
#include "linear/descent.hpp"
#include "linear/joint_losses.hpp"
#include "linear/linear_problem.hpp"
#include "linear/shuffle.hpp"

namespace tercet {

struct JointTask {
    std::span<const std::int64_t> codes;
    std::span<const double> costs;
    std::size_t n_labels;
};

template <class Loss>
class JointDescent {
  public:
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

    Progress pass(std::int64_t epoch) {
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
        return seen;
    }

    Progress measure() {
        Progress all;
        for (std::size_t i : order_) {
            find_scores(i);
            add(i, all);
        }
        return all;
    }

    void activate_all() {}  // none is ever dropped

    // Labels × columns.
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

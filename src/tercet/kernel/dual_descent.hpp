// Linear models of two sides, by coordinate descent in the dual: one document after another gets its best α while the
// others stay (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008; logistic: Yu, Huang and Lin 2011).
#pragma once
#include "dual_losses.hpp"
#include "linear_problem.hpp"
#include "shuffle.hpp"

namespace tercet {

struct DescentOptions {
    double bias, tol;  // the constant column that each document has; the share of the objective that may be missing
    std::int64_t max_epochs;
    std::uint64_t seed;
};

struct DescentResult {
    double intercept = 0, gap = 0;
    std::int64_t epochs = 0;
};

// One side against the other.
struct BinaryTask {
    std::span<const std::uint8_t> positive;
    std::span<const double> costs;
    const double* scale;  // of each column, or none: document i has value · scale there
    std::uint64_t number;
};

template <class Loss>
class DualDescent {
  public:
    DualDescent(const LinearProblem& problem, const BinaryTask& task, const DescentOptions& options)
        : problem_(problem), rows_(problem.shared()), task_(task), options_(options), weights_(problem.shared_columns().size()),
          documents_(problem.n_documents()) {
        for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] = {0, square_of(problem.shared_columns()[k])};
        for (std::size_t i = 0; i < documents_.size(); ++i) {
            documents_[i] = {Loss::start, task.costs[i], sum_own(i), 0, task.positive[i] ? 1.0 : -1.0};
            documents_[i].square = sum_squares(i) + documents_[i].own + options.bias * options.bias;
        }
    }

    DescentResult run(double* coefficients) {
        DescentResult result;
        activate_all();
        while (result.epochs < options_.max_epochs) {
            const Progress seen = pass(result.epochs++);
            const bool is_last = result.epochs == options_.max_epochs;
            if (seen.gap * measured_share_ > options_.tol * seen.objective && !is_last) continue;
            const Progress all = measure();
            result.gap = all.gap / std::max(all.objective, tiny);
            if (result.gap <= options_.tol) break;
            measured_share_ = std::min(1.0, all.gap / std::max(seen.gap, tiny));
            if (active_.size() < n_costly_) activate_all();
        }
        result.intercept = options_.bias * bias_weight_;
        write(coefficients);
        return result;
    }

  private:
    static constexpr double tiny = 1e-300;

    // In terms of the values as they are: u = scale · w, so a step moves it by scale².
    struct Weight {
        double value, square;
    };
    struct Document {
        double state, cost, own, square, side;
    };
    // Sums over documents: how far they are from their best, and the objective.
    struct Progress {
        double gap = 0, objective = 0;
    };

    // Each active document gets its best step. The progress is that of each before its own step: an estimate.
    Progress pass(std::int64_t epoch) {
        shuffle(std::span(active_), options_.seed, task_.number, static_cast<std::uint64_t>(epoch));
        Progress seen{0, dropped_loss_};
        double highest = -infinity, lowest = infinity;
        for (std::size_t k = 0; k < active_.size(); ++k) {
            if (k + 1 < active_.size()) fetch_weights(active_[k + 1]);
            const std::size_t i = active_[k];
            Document& document = documents_[i];
            const double alpha = Loss::dual(document.state, document.cost);
            const double margin = find_margin(i, alpha);
            add(document, alpha, margin, seen);
            if constexpr (Loss::shrinks) {
                const double slope = Loss::slope(document.state, margin, document.cost);
                const bool at_low = document.state == 0, at_high = document.state == Loss::highest(document.cost);
                if ((at_low && slope > drop_above_) || (at_high && slope < drop_below_)) {
                    dropped_loss_ += Loss::loss(margin, document.cost) + margin * alpha / 2;
                    active_[k--] = active_.back();
                    active_.pop_back();
                    continue;
                }
                const double open = at_low ? std::min(slope, 0.0) : at_high ? std::max(slope, 0.0) : slope;
                highest = std::max(highest, open);
                lowest = std::min(lowest, open);
            }
            document.state = Loss::step(document.state, margin, document.square, document.cost);
            move(i, (Loss::dual(document.state, document.cost) - alpha) * document.side);
        }
        drop_above_ = highest > 0 ? highest : infinity;
        drop_below_ = lowest < 0 ? lowest : -infinity;
        return seen;
    }

    // The true progress: of all documents at one time.
    Progress measure() const {
        Progress all;
        for (std::size_t i = 0; i < documents_.size(); ++i) {
            if (documents_[i].cost == 0) continue;
            const double alpha = Loss::dual(documents_[i].state, documents_[i].cost);
            add(documents_[i], alpha, find_margin(i, alpha), all);
        }
        return all;
    }

    static void add(const Document& document, double alpha, double margin, Progress& progress) {
        const double loss = Loss::loss(margin, document.cost);
        progress.gap += loss + Loss::conjugate(document.state, document.cost) + alpha * margin;
        progress.objective += loss + alpha * margin / 2;  // ‖w‖² = Σ α m
    }

    void activate_all() {
        active_.clear();
        for (std::size_t i = 0; i < documents_.size(); ++i)
            if (documents_[i].cost > 0) active_.push_back(static_cast<Id>(i));
        n_costly_ = active_.size();
        drop_above_ = infinity, drop_below_ = -infinity, dropped_loss_ = 0;
    }

    double find_margin(std::size_t i, double alpha) const {
        const Document& document = documents_[i];
        return document.side * (sum_row(i) + options_.bias * bias_weight_) + alpha * document.own;
    }

    // Four sums at a time: one would have to wait for itself.
    double sum_row(std::size_t i) const {
        const auto row = rows_.row(i);
        const double* values = rows_.values_of(i);
        double sums[4] = {};
        std::size_t k = 0;
        if (values) {
            for (; k + 4 <= row.size(); k += 4)
                for (int j = 0; j < 4; ++j) sums[j] += values[k + j] * weights_[row[k + j]].value;
            for (; k < row.size(); ++k) sums[0] += values[k] * weights_[row[k]].value;
        } else {
            for (; k + 4 <= row.size(); k += 4)
                for (int j = 0; j < 4; ++j) sums[j] += weights_[row[k + j]].value;
            for (; k < row.size(); ++k) sums[0] += weights_[row[k]].value;
        }
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    void move(std::size_t i, double by) {
        if (by == 0) return;
        bias_weight_ += by * options_.bias;
        const auto row = rows_.row(i);
        const double* values = rows_.values_of(i);
        if (values)
            for (std::size_t k = 0; k < row.size(); ++k) weights_[row[k]].value += by * values[k] * weights_[row[k]].square;
        else
            for (Id column : row) weights_[column].value += by * weights_[column].square;
    }

    void fetch_weights(std::size_t i) const {
        for (Id column : rows_.row(i)) fetch(&weights_[column]);
    }

    double square_of(Id column) const { return task_.scale ? task_.scale[column] * task_.scale[column] : 1; }

    double sum_squares(std::size_t i) const {
        const auto row = rows_.row(i);
        const double* values = rows_.values_of(i);
        double sum = 0;
        for (std::size_t k = 0; k < row.size(); ++k) sum += (values ? values[k] * values[k] : 1) * weights_[row[k]].square;
        return sum;
    }
    double sum_own(std::size_t i) const {
        const auto row = problem_.own().row(i);
        const double* values = problem_.own().values_of(i);
        double sum = 0;
        for (std::size_t k = 0; k < row.size(); ++k) sum += (values ? values[k] * values[k] : 1) * square_of(row[k]);
        return sum;
    }

    void write(double* coefficients) const {
        for (std::size_t k = 0; k < weights_.size(); ++k) coefficients[problem_.shared_columns()[k]] = weights_[k].value;
        for (std::size_t i = 0; i < documents_.size(); ++i) {
            const double by = Loss::dual(documents_[i].state, documents_[i].cost) * documents_[i].side;
            const auto row = problem_.own().row(i);
            const double* values = problem_.own().values_of(i);
            for (std::size_t k = 0; k < row.size(); ++k) coefficients[row[k]] = by * (values ? values[k] : 1) * square_of(row[k]);
        }
    }

    const LinearProblem& problem_;
    const SparseRows& rows_;
    BinaryTask task_;
    DescentOptions options_;
    LargeVector<Weight> weights_;
    double bias_weight_ = 0;
    std::vector<Document> documents_;
    std::vector<Id> active_{};
    std::size_t n_costly_ = 0;
    double drop_above_ = infinity, drop_below_ = -infinity;
    double dropped_loss_ = 0;      // their part of the objective when they were dropped
    double measured_share_ = 0.5;  // of an estimated gap
};

}  // namespace tercet

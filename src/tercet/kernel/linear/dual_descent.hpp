// Linear models of two sides, by coordinate descent in the dual: one document after another gets its best α while the
// others stay (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008; logistic: Yu, Huang and Lin 2011).
#pragma once
#include <type_traits>

#include "linear/descent.hpp"
#include "linear/dual_losses.hpp"
#include "linear/linear_problem.hpp"
#include "linear/shuffle.hpp"

namespace tercet {

// One side against the other.
struct BinaryTask {
    std::span<const std::uint8_t> positive;
    std::span<const double> costs;
    const double* scale;  // of each column, or none: a document has value · scale there
    std::uint64_t number;
};

// Where columns are scaled, u = scale · w is kept, so that the values can stay as they are; a step moves it by scale².
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

    // Each active document gets its best step.
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
        double state, cost, own, square, side;  // squares: of its own columns, of all
    };
    struct Slopes {
        double highest, lowest;
    };

    // Its part of the objective; ‖w‖² = Σ α m.
    static double add(const Document& document, double alpha, double margin, Progress& progress) {
        const double loss = Loss::loss(margin, document.cost), objective = loss + alpha * margin / 2;
        progress.gap += loss + Loss::conjugate(document.state, document.cost) + alpha * margin;
        progress.objective += objective;
        return objective;
    }

    // At its bound, and pulled there by more than any document was pulled elsewhere in the pass before.
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

    // Four sums at a time: one would have to wait for itself.
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
    double dropped_ = 0;  // the part of the objective that settled documents had when they were dropped
};

}  // namespace tercet

// Documents as vectors for coordinate descent, made from TextRows. The value of an entry is damp(count) · factor(term) / norm(document,
// block). The rows stay as they are: a run has the value damp(count) / norm, and the weight of a column is u = factor · w, so that a step
// changes u by factor².
//
// Several labels, each against the others, are the lanes: the weights of a column in all lanes are neighbours in memory, and one visit of
// a document serves all lanes.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "base/large_vector.hpp"
#include "linear/descent.hpp"
#include "linear/text_rows.hpp"
#include "linear/weighting.hpp"

namespace tercet {

// Documents with labels. A document of weight 0 is not used.
struct LabelledRows {
    std::span<const std::int64_t> codes;
    std::span<const double> weights;
    std::span<const double> label_weights;  // a factor for the cost of the documents of each label
    double cost;

    bool has_two() const { return label_weights.size() == 2; }
    std::size_t n_margins() const { return has_two() ? 1 : label_weights.size(); }
    // The label on the positive side of a margin.
    std::int64_t label_of(std::size_t margin) const { return static_cast<std::int64_t>(margin + has_two()); }
    bool is_positive(std::size_t i, std::size_t margin) const { return codes[i] == label_of(margin); }
    // With more than two labels, the weight of a label counts only in its own problem, as in liblinear.
    double cost_of(std::size_t i, std::size_t margin) const {
        const auto label = static_cast<std::size_t>(codes[i]);
        return weights[i] == 0 ? 0 : cost * weights[i] * (has_two() || is_positive(i, margin) ? label_weights[label] : 1);
    }
};

struct RowWeighting {
    Damping damping;
    Norm norm;
    bool by_block;         // each block of a document has its own norm
    std::size_t n_blocks;  // only the first blocks are used
    std::span<const float> factors;  // one for each term; 0: the term is not used
};

// Values that all lanes share.
template <class Number>
struct WeighedRows {
    struct Squares {
        Number own = 0, all = 0;  // of the terms that no other document has, and of all terms
    };

    WeighedRows(const TextRows& text_rows, const RowWeighting& row_weighting, std::size_t n_threads)
        : rows(text_rows), weighting(row_weighting), factors(text_rows.shared_terms().size()), values(text_rows.n_runs()),
          squares(text_rows.size()) {
        for (std::size_t k = 0; k < factors.size(); ++k) factors[k] = weighting.factors[rows.shared_terms()[k]];
        share_out_blocks(n_threads, rows.size(), 64, [&](std::size_t, std::size_t i) { weigh(i); });
    }

    const TextRows& rows;
    RowWeighting weighting;
    LargeVector<Number> factors;  // of each column
    LargeVector<Number> values;   // of each run
    std::vector<Squares> squares;

  private:
    void weigh(std::size_t i) {
        const Id* entry = rows.entries(i);
        const std::size_t step = weighting.by_block ? 1 : weighting.n_blocks;
        double own_square = 0, all_square = 0;
        for (std::size_t block = step; block <= weighting.n_blocks; block += step) {
            const std::size_t begin = rows.end_run(i, block - step), end = rows.end_run(i, block);
            double total = 0, own = 0, all = 0;
            for (std::size_t r = begin; r < end; ++r) {
                const TextRows::Run& run = rows.run(r);
                const double damped = damp(weighting.damping, run.count);
                double run_all = 0, run_own = 0, run_norm = 0;
                for (const Id* last = entry + run.n_shared; entry < last; ++entry) add(factors[*entry], damped, run_all, run_norm);
                for (const Id* last = entry + run.n_own; entry < last; ++entry) add(weighting.factors[*entry], damped, run_own, run_norm);
                total += run_norm;
                own += damped * damped * run_own;
                all += damped * damped * (run_own + run_all);
            }
            const double norm = finish_norm(weighting.norm, total);
            for (std::size_t r = begin; r < end; ++r) values[r] = static_cast<Number>(damp(weighting.damping, rows.run(r).count) / norm);
            own_square += own / (norm * norm);
            all_square += all / (norm * norm);
        }
        squares[i] = {static_cast<Number>(own_square), static_cast<Number>(all_square)};
    }

    void add(double factor, double damped, double& square, double& norm) const {
        square += factor * factor;
        norm += part_of_norm(weighting.norm, damped * factor);
    }
};

// How the factors of NB-SVM are found and used: log-count ratios, which differ from label to label.
struct Ratios {
    double smoothing, beta;
    std::span<const double> documents;  // the total weight of the documents that have each term
};

template <class Number, std::size_t n_lanes, bool by_label>
class TextVectors {
  public:
    static constexpr std::size_t lanes = n_lanes;
    using Lanes = std::array<double, lanes>;

    // The margins from `first` on. With `by_label`, the factor of a term that is used is its log-count ratio for each label.
    TextVectors(const WeighedRows<Number>& weighed, const LabelledRows& labelled, std::size_t first, const Ratios& ratios)
        : weighed_(weighed), rows_(weighed.rows), labelled_(labelled), first_(first), ratios_(ratios),
          used_(std::min(lanes, labelled.n_margins() - first)), weights_(weighed.factors.size() * lanes, Number{0}) {
        if constexpr (by_label) {
            find_ratios();
            squares_.resize(rows_.size());
            for (std::size_t i = 0; i < rows_.size(); ++i)
                if (labelled.weights[i] > 0) squares_[i] = find_squares(i);
        }
    }

    std::size_t size() const { return rows_.size(); }
    LaneMask all_used() const { return (LaneMask{1} << used_) - 1; }
    // The lanes in which the document has a cost.
    LaneMask used(std::size_t i) const {
        LaneMask mask = 0;
        for (std::size_t k = 0; k < used_; ++k) mask |= LaneMask{cost(i, k) > 0} << k;
        return mask;
    }
    std::size_t work(std::size_t i) const {
        std::size_t n = 0;
        for (std::size_t r = rows_.first_run(i); r < rows_.end_run(i, weighed_.weighting.n_blocks); ++r) n += rows_.run(r).n_shared;
        return n;
    }
    double side(std::size_t i, std::size_t k) const { return labelled_.is_positive(i, first_ + k) ? 1 : -1; }
    double cost(std::size_t i, std::size_t k) const { return labelled_.cost_of(i, first_ + k); }
    double own(std::size_t i, std::size_t k) const {
        if constexpr (by_label) return squares_[i].own[k];
        else return weighed_.squares[i].own;
    }
    double square(std::size_t i, std::size_t k) const {
        if constexpr (by_label) return squares_[i].all[k];
        else return weighed_.squares[i].all;
    }

    // Several sums at a time: with one sum, each addition would wait for the one before.
    Lanes sum(std::size_t i) const {
        constexpr std::size_t at_once = lanes == 1 ? 8 : 2;
        const Number* const weights = weights_.data();
        std::array<Number, lanes> total{};
        visit(i, [&](std::size_t r, std::span<const Id> columns, std::span<const Id>) {
            std::array<std::array<Number, lanes>, at_once> sums{};
            std::size_t c = 0;
            for (; c + at_once <= columns.size(); c += at_once) {
                if (lanes > 1 && c + ahead < columns.size()) fetch(weights + columns[c + ahead] * lanes), fetch(weights + columns[c + ahead - 1] * lanes);
                for (std::size_t j = 0; j < at_once; ++j) {
                    const Number* const own = weights + columns[c + j] * lanes;
                    for (std::size_t k = 0; k < lanes; ++k) sums[j][k] += own[k];
                }
            }
            for (; c < columns.size(); ++c)
                for (std::size_t k = 0; k < lanes; ++k) sums[0][k] += weights[columns[c] * lanes + k];
            for (std::size_t j = 1; j < at_once; ++j)
                for (std::size_t k = 0; k < lanes; ++k) sums[0][k] += sums[j][k];
            for (std::size_t k = 0; k < lanes; ++k) total[k] += weighed_.values[r] * sums[0][k];
        });
        Lanes result;
        std::copy(total.begin(), total.end(), result.begin());
        return result;
    }

    void move(std::size_t i, const Lanes& by) {
        Number* const weights = weights_.data();
        visit(i, [&](std::size_t r, std::span<const Id> columns, std::span<const Id>) {
            std::array<Number, lanes> step;
            for (std::size_t k = 0; k < lanes; ++k) step[k] = static_cast<Number>(by[k]) * weighed_.values[r];
            for (Id column : columns) {
                Number* const own = weights + column * lanes;
                if constexpr (by_label) {
                    const Number* const ratios = factors_.data() + column * lanes;
                    for (std::size_t k = 0; k < lanes; ++k) own[k] += step[k] * (ratios[k] * ratios[k]);
                } else {
                    const Number square = weighed_.factors[column] * weighed_.factors[column];
                    for (std::size_t k = 0; k < lanes; ++k) own[k] += step[k] * square;
                }
            }
        });
    }

    void clear() { std::fill(weights_.begin(), weights_.end(), Number{0}); }

    // The values of all terms for decisions, terms × margins. `duals(i, lane)` is the factor of a document in the weights.
    template <class Duals>
    void write(Duals duals, float* values) const {
        const std::size_t n_margins = labelled_.n_margins();
        for (std::size_t c = 0; c < weighed_.factors.size(); ++c) {
            float* const out = values + std::size_t{rows_.shared_terms()[c]} * n_margins + first_;
            for (std::size_t k = 0; k < used_; ++k) out[k] = static_cast<float>(value_of(c, k));
        }
        for (std::size_t i = 0; i < size(); ++i) {
            if (labelled_.weights[i] == 0) continue;
            Lanes by{};
            for (std::size_t k = 0; k < used_; ++k) by[k] = duals(i, k);
            visit(i, [&](std::size_t r, std::span<const Id>, std::span<const Id> own) {
                for (Id term : own) {
                    const double factor = weighed_.weighting.factors[term];
                    if (factor == 0) continue;
                    float* const out = values + std::size_t{term} * n_margins + first_;
                    for (std::size_t k = 0; k < used_; ++k) out[k] = static_cast<float>(own_value(i, k, by[k] * weighed_.values[r] * factor));
                }
            });
        }
    }

    // NB-SVM: r · ((1 − beta) · mean |w| + beta · w) instead of r · w, where the mean is over all terms.
    template <class Duals>
    void interpolate(Duals duals) {
        for (std::size_t k = 0; k < used_; ++k) {
            double total = 0, n = 0;
            for (std::size_t c = 0; c < weighed_.factors.size(); ++c)
                if (factors_[c * lanes + k] != 0) total += std::abs(double{weights_[c * lanes + k]} / double{factors_[c * lanes + k]}), n += 1;
            for (std::size_t i = 0; i < size(); ++i) {
                if (labelled_.weights[i] == 0 || own_ratio(i, k) == 0) continue;
                const double by = std::abs(duals(i, k) * own_ratio(i, k));
                visit(i, [&](std::size_t r, std::span<const Id>, std::span<const Id> own) {
                    for (Id term : own)
                        if (weighed_.weighting.factors[term] != 0) total += by * weighed_.values[r], n += 1;
                });
            }
            means_[k] = (1 - ratios_.beta) * total / std::max(n, 1.0);
            for (std::size_t c = 0; c < weighed_.factors.size(); ++c) {
                Number& weight = weights_[c * lanes + k];
                weight = static_cast<Number>(ratios_.beta * weight + means_[k] * factors_[c * lanes + k]);
            }
        }
    }

  private:
    static constexpr std::size_t ahead = 12;

    struct LaneSquares {
        std::array<Number, lanes> own{}, all{};
    };

    template <class Visit>
    void visit(std::size_t i, Visit visit) const {
        rows_.visit(i, weighed_.weighting.n_blocks, visit);
    }

    double value_of(std::size_t column, std::size_t k) const {
        const double weight = weights_[column * lanes + k];
        if constexpr (by_label) return weight;
        return weighed_.factors[column] == 0 ? 0 : weight / weighed_.factors[column];
    }
    // The value of a term that only this document has, from w without the ratio.
    double own_value(std::size_t i, std::size_t k, double weight) const {
        if constexpr (!by_label) return weight;
        const double ratio = own_ratio(i, k);
        return ratio * (ratios_.beta * ratio * weight + means_[k]);
    }

    double ratio(double inside, double outside, std::size_t k) const {
        return std::log((inside + ratios_.smoothing) / (outside + ratios_.smoothing)) + shifts_[k];
    }
    double own_ratio(std::size_t i, std::size_t k) const {
        return labelled_.is_positive(i, first_ + k) ? ratio(labelled_.weights[i], 0, k) : ratio(0, labelled_.weights[i], k);
    }

    // The sums are exact, because weights are multiples of 2⁻²⁰.
    void find_ratios() {
        double n_known = 0, all = 0;
        for (std::size_t t = 0; t < rows_.n_terms(); ++t)
            if (weighed_.weighting.factors[t] != 0) all += ratios_.documents[t], n_known += 1;
        factors_.resize(weighed_.factors.size() * lanes);
        std::fill(factors_.begin(), factors_.end(), Number{0});
        LargeVector<double> counts(weighed_.factors.size());
        for (std::size_t k = 0; k < used_; ++k) {
            std::fill(counts.begin(), counts.end(), 0.0);
            double inside = 0;
            for (std::size_t i = 0; i < size(); ++i)
                if (labelled_.is_positive(i, first_ + k) && labelled_.weights[i] > 0) inside += count(i, counts);
            shifts_[k] = n_known == 0 ? 0 : std::log((all - inside + n_known * ratios_.smoothing) / (inside + n_known * ratios_.smoothing));
            for (std::size_t c = 0; c < counts.size(); ++c)
                if (weighed_.factors[c] != 0)
                    factors_[c * lanes + k] = static_cast<Number>(ratio(counts[c], ratios_.documents[rows_.shared_terms()[c]] - counts[c], k));
        }
    }
    double count(std::size_t i, LargeVector<double>& counts) const {
        const double weight = labelled_.weights[i];
        std::size_t n = 0;
        visit(i, [&](std::size_t, std::span<const Id> columns, std::span<const Id> own) {
            for (Id column : columns) counts[column] += weight, n += weighed_.factors[column] != 0;
            for (Id term : own) n += weighed_.weighting.factors[term] != 0;
        });
        return weight * static_cast<double>(n);
    }

    LaneSquares find_squares(std::size_t i) const {
        LaneSquares squares;
        std::array<double, lanes> all{};
        double own_values = 0;
        visit(i, [&](std::size_t r, std::span<const Id> columns, std::span<const Id> own) {
            const double value = weighed_.values[r];
            for (Id column : columns)
                for (std::size_t k = 0; k < lanes; ++k) all[k] += value * value * factors_[column * lanes + k] * factors_[column * lanes + k];
            for (Id term : own) own_values += weighed_.weighting.factors[term] != 0 ? value * value : 0;
        });
        for (std::size_t k = 0; k < used_; ++k) {
            const double own = own_values * own_ratio(i, k) * own_ratio(i, k);
            squares.own[k] = static_cast<Number>(own);
            squares.all[k] = static_cast<Number>(own + all[k]);
        }
        return squares;
    }

    const WeighedRows<Number>& weighed_;
    const TextRows& rows_;
    LabelledRows labelled_;
    std::size_t first_;
    Ratios ratios_;
    std::size_t used_;                   // lanes
    LargeVector<Number> weights_;        // columns × lanes
    LargeVector<Number> factors_{};      // ratios, columns × lanes
    std::vector<LaneSquares> squares_{};
    std::array<double, lanes> shifts_{}, means_{};
};

}  // namespace tercet

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
        : rows(text_rows), weighting(row_weighting), factors(text_rows.shared_terms(row_weighting.n_blocks).size()), values(text_rows.n_runs()),
          squares(text_rows.size()) {
        for (std::size_t k = 0; k < factors.size(); ++k) factors[k] = weighting.factors[terms()[k]];
        share_out_blocks(n_threads, rows.size(), 64, [&](std::size_t, std::size_t i) { weigh(i); });
    }

    std::span<const Id> terms() const { return rows.shared_terms(weighting.n_blocks); }  // of the columns

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

// The weights of a column, and what a step multiplies, are neighbours in memory: with `by_label` the ratios of all lanes, otherwise the
// square of the factor. The numbers of lanes are such that they fill lines of the cache.
template <class Number, std::size_t n_lanes, bool by_label>
class TextVectors {
  public:
    static constexpr std::size_t lanes = n_lanes;
    using Lanes = std::array<double, lanes>;

    // The margins from `first` to `end`. With `by_label`, the factor of a term that is used is its log-count ratio for each label.
    TextVectors(const WeighedRows<Number>& weighed, const LabelledRows& labelled, std::size_t first, std::size_t end, const Ratios& ratios)
        : weighed_(weighed), rows_(weighed.rows), labelled_(labelled), first_(first), ratios_(ratios), used_(end - first),
          columns_(weighed.factors.size() * stride, Number{0}) {
        if constexpr (by_label) {
            find_ratios();
            squares_.resize(rows_.size());
            for (std::size_t i = 0; i < rows_.size(); ++i)
                if (labelled.weights[i] > 0) squares_[i] = find_squares(i);
        } else {
            for (std::size_t c = 0; c < weighed.factors.size(); ++c) columns_[c * stride + lanes] = weighed.factors[c] * weighed.factors[c];
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
        const Number* const all = columns_.data();
        std::array<Number, width> total{};
        visit(i, [&](std::size_t r, std::span<const Id> columns, std::span<const Id>) {
            std::array<std::array<Number, width>, at_once> sums{};
            std::size_t c = 0;
            for (; c + at_once <= columns.size(); c += at_once) {
                if (lanes > 1 && c + ahead < columns.size())
                    for (std::size_t j = 0; j < at_once; ++j) fetch(all + columns[c + ahead - j] * stride);
                for (std::size_t j = 0; j < at_once; ++j) {
                    const Number* const own = all + columns[c + j] * stride;
                    for (std::size_t k = 0; k < width; ++k) sums[j][k] += own[k];
                }
            }
            for (; c < columns.size(); ++c)
                for (std::size_t k = 0; k < width; ++k) sums[0][k] += all[columns[c] * stride + k];
            for (std::size_t j = 1; j < at_once; ++j)
                for (std::size_t k = 0; k < width; ++k) sums[0][k] += sums[j][k];
            for (std::size_t k = 0; k < width; ++k) total[k] += weighed_.values[r] * sums[0][k];
        });
        Lanes result;
        std::copy_n(total.begin(), lanes, result.begin());
        return result;
    }

    void move(std::size_t i, const Lanes& by) {
        Number* const all = columns_.data();
        visit(i, [&](std::size_t r, std::span<const Id> columns, std::span<const Id>) {
            Number step[width] = {};
            for (std::size_t k = 0; k < lanes; ++k) step[k] = static_cast<Number>(by[k]) * weighed_.values[r];
            for (Id column : columns) step_column(all + column * stride, step);
        });
    }

    // The values of all terms for decisions, terms × margins. `duals(i, lane)` is the factor of a document in the weights.
    template <class Duals>
    void write(Duals duals, float* values) const {
        const std::size_t n_margins = labelled_.n_margins();
        for (std::size_t c = 0; c < weighed_.factors.size(); ++c) {
            float* const out = values + std::size_t{weighed_.terms()[c]} * n_margins + first_;
            for (std::size_t k = 0; k < used_; ++k) out[k] = static_cast<float>(value_of(c, k));
        }
        for (std::size_t i = 0; i < size(); ++i) {
            if (labelled_.weights[i] == 0) continue;
            Lanes by{}, ratios{};
            for (std::size_t k = 0; k < used_; ++k) by[k] = duals(i, k), ratios[k] = by_label ? own_ratio(i, k) : 0;
            visit(i, [&](std::size_t r, std::span<const Id>, std::span<const Id> own) {
                for (Id term : own) {
                    const double factor = weighed_.weighting.factors[term];
                    if (factor == 0) continue;
                    float* const out = values + std::size_t{term} * n_margins + first_;
                    for (std::size_t k = 0; k < used_; ++k) out[k] = static_cast<float>(own_value(k, ratios[k], by[k] * weighed_.values[r] * factor));
                }
            });
        }
    }

    // What the terms that only this document has add to its score. `dual` is the factor of the document in the weights.
    double own_score(std::size_t i, std::size_t k, double dual) const {
        if constexpr (!by_label) return dual * own(i, k);
        double total = 0;
        visit(i, [&](std::size_t r, std::span<const Id>, std::span<const Id> own) {
            for (Id term : own) total += weighed_.weighting.factors[term] != 0 ? double{weighed_.values[r]} : 0;
        });
        return total == 0 ? 0 : ratios_.beta * dual * own(i, k) + means_[k] * own_ratio(i, k) * total;
    }

    // NB-SVM: r · ((1 − beta) · mean |w| + beta · w) instead of r · w, where the mean is over all terms.
    template <class Duals>
    void interpolate(Duals duals) {
        Lanes totals{}, numbers{};
        for (std::size_t c = 0; c < weighed_.factors.size(); ++c)
            for (std::size_t k = 0; k < used_; ++k)
                if (ratio_of(c, k) != 0) totals[k] += std::abs(weight_of(c, k) / ratio_of(c, k)), numbers[k] += 1;
        for (std::size_t i = 0; i < size(); ++i) {
            if (labelled_.weights[i] == 0) continue;
            double n = 0, total = 0;
            visit(i, [&](std::size_t r, std::span<const Id>, std::span<const Id> own) {
                for (Id term : own)
                    if (weighed_.weighting.factors[term] != 0) total += weighed_.values[r], n += 1;
            });
            for (std::size_t k = 0; k < (n > 0 ? used_ : 0); ++k) {
                const double ratio = own_ratio(i, k);
                if (ratio != 0) totals[k] += std::abs(duals(i, k) * ratio) * total, numbers[k] += n;
            }
        }
        for (std::size_t k = 0; k < used_; ++k) means_[k] = (1 - ratios_.beta) * totals[k] / std::max(numbers[k], 1.0);
        for (std::size_t c = 0; c < weighed_.factors.size(); ++c)
            for (std::size_t k = 0; k < used_; ++k)
                columns_[c * stride + k] = static_cast<Number>(ratios_.beta * weight_of(c, k) + means_[k] * ratio_of(c, k));
    }

  private:
    static constexpr std::size_t stride = by_label ? 2 * lanes : lanes + 1;               // numbers of a column
    static constexpr std::size_t width = by_label || lanes == 1 ? lanes : lanes + 1;  // with the square the loop over lanes has a round number
    static constexpr std::size_t ahead = 12;

    struct LaneSquares {
        std::array<Number, lanes> own{}, all{};
    };

    template <class Visit>
    void visit(std::size_t i, Visit visit) const {
        rows_.visit(i, weighed_.weighting.n_blocks, visit);
    }

    static void step_column(Number* __restrict own, const Number* __restrict step) {
        if constexpr (by_label) {
            for (std::size_t k = 0; k < lanes; ++k) own[k] += step[k] * (own[lanes + k] * own[lanes + k]);
        } else {
            const Number square = own[lanes];
            for (std::size_t k = 0; k < width; ++k) own[k] += step[k] * square;  // the step of the square itself is 0
        }
    }

    double weight_of(std::size_t column, std::size_t k) const { return columns_[column * stride + k]; }
    double ratio_of(std::size_t column, std::size_t k) const { return columns_[column * stride + lanes + k]; }
    double value_of(std::size_t column, std::size_t k) const {
        if constexpr (by_label) return weight_of(column, k);
        return weighed_.factors[column] == 0 ? 0 : weight_of(column, k) / weighed_.factors[column];
    }
    // The value of a term that only this document has, from w without the ratio.
    double own_value(std::size_t k, double ratio, double weight) const {
        if constexpr (!by_label) return weight;
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
        LargeVector<double> counts(weighed_.factors.size() * used_, 0.0);
        Lanes inside{};
        for (std::size_t i = 0; i < size(); ++i)
            for (std::size_t k = 0; k < (labelled_.weights[i] > 0 ? used_ : 0); ++k)
                if (labelled_.is_positive(i, first_ + k)) inside[k] += count(i, k, counts);
        for (std::size_t k = 0; k < used_; ++k) {
            const double p = inside[k] + n_known * ratios_.smoothing, q = all - inside[k] + n_known * ratios_.smoothing;
            shifts_[k] = n_known == 0 ? 0 : std::log(q / p);
        }
        for (std::size_t c = 0; c < weighed_.factors.size(); ++c) {
            if (weighed_.factors[c] == 0) continue;
            for (std::size_t k = 0; k < used_; ++k) {
                const double own = counts[c * used_ + k];
                columns_[c * stride + lanes + k] = static_cast<Number>(ratio(own, ratios_.documents[weighed_.terms()[c]] - own, k));
            }
        }
    }
    double count(std::size_t i, std::size_t k, LargeVector<double>& counts) const {
        const double weight = labelled_.weights[i];
        std::size_t n = 0;
        visit(i, [&](std::size_t, std::span<const Id> columns, std::span<const Id> own) {
            for (Id column : columns) counts[column * used_ + k] += weight, n += weighed_.factors[column] != 0;
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
                for (std::size_t k = 0; k < lanes; ++k) all[k] += value * value * ratio_of(column, k) * ratio_of(column, k);
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
    std::size_t used_;  // lanes
    LargeVector<Number> columns_;
    std::vector<LaneSquares> squares_{};
    std::array<double, lanes> shifts_{}, means_{};
};

}  // namespace tercet

// Trained weights. A score is a sum over the weighted counts of a document.
//
// Weights have one or more layers. A layer weighs counts in its own way: it damps them, multiplies them by a factor for each term, and
// divides them by a norm. Models that weigh counts alike share a layer. Terms may be in blocks (words, characters): a layer has a norm for
// each block.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/large_vector.hpp"
#include "counts/count_totals.hpp"
#include "counts/rows.hpp"
#include "linear/weighting.hpp"

namespace tercet {

struct Layer {
    Damping damping;
    Norm norm;
};

class LinearWeights {
  public:
    // A row has, for each layer, a factor and values. Two labels have one value, for the second label; more labels have one value each.
    // `rows` has the row of each term, because many terms may share a row. If it is empty, term t has row t.
    // `blocks` has the block of each term. If it is empty, all terms are in one block. A term whose factors are all 0 is not known.
    LinearWeights(std::vector<Layer> layers, Id n_labels, LargeVector<float> values, LargeVector<Id> rows = {},
                  LargeVector<std::uint8_t> blocks = {})
        : layers_(std::move(layers)), n_labels_(n_labels), n_values_(n_labels == 2 ? 1 : n_labels), stride_(layers_.size() * (1 + n_values_)),
          n_blocks_(blocks.empty() ? 1 : std::size_t{1} + *std::max_element(blocks.begin(), blocks.end())), nothing_(stride_),
          arrays_(std::make_shared<const Arrays>(std::move(values), std::move(rows), std::move(blocks))) {}

    // The same weights if only some of the terms are left: the others are not known. The arrays are not copied.
    LinearWeights keep_only(MetTerms terms) const {
        LinearWeights some = *this;
        some.left_ = std::move(terms);
        return some;
    }

    Id n_labels() const { return n_labels_; }
    Id n_terms() const { return static_cast<Id>(rows().empty() ? values().size() / stride_ : rows().size()); }
    bool clips() const {
        return std::all_of(layers_.begin(), layers_.end(), [](const Layer& layer) { return layer.damping == Damping::binary; });
    }
    static constexpr bool needs_rows() { return true; }  // the sum needs counts, not single occurrences
    bool knows(Id term) const {
        const float* row = row_of(term);
        for (std::size_t l = 0; l < layers_.size(); ++l)
            if (row[l * (1 + n_values_)] != 0) return true;
        return false;
    }
    void prefetch(Id term) const {
        if (!blocks().empty()) fetch(&blocks()[term]);
        rows().empty() ? fetch_row(term) : fetch(&rows()[term]);
    }
    // The second step of prefetching: the row that the first step has found.
    void prefetch_values(Id term) const {
        if (!rows().empty()) fetch_row(rows()[term]);
    }

    // A sum and a norm for each layer and block.
    struct Sum {
        double* scores = nullptr;
        double n_unknown = 0;
        std::vector<double> values{}, norms{};
    };
    void begin(Sum& sum, double* scores) const {
        sum.scores = scores;
        sum.n_unknown = 0;
        sum.norms.assign(layers_.size() * n_blocks_, 0.0);
        sum.values.assign(sum.norms.size() * n_values_, 0.0);
    }
    void add(Sum& sum, Id term, double count) const {
        const std::size_t block = block_of(term), n_values = n_values_;
        const float* row = row_of(term);
        double *norm = sum.norms.data() + block, *sums = sum.values.data() + block * n_values;
        for (const Layer& layer : layers_) {
            if (row[0] != 0) {
                const double x = damp(layer.damping, count) * row[0];
                *norm += part_of_norm(layer.norm, x);
                for (std::size_t k = 0; k < n_values; ++k) sums[k] += x * row[1 + k];
            }
            row += 1 + n_values;
            norm += n_blocks_;
            sums += n_blocks_ * n_values;
        }
    }
    void finish(Sum& sum) const {
        std::fill_n(sum.scores, n_labels_, 0.0);
        for (std::size_t slot = 0; slot < sum.norms.size(); ++slot) {
            const double norm = finish_norm(layers_[slot / n_blocks_].norm, sum.norms[slot]);
            for (Id k = 0; k < n_values_; ++k) sum.scores[k] += sum.values[slot * n_values_ + k] / norm;
        }
        if (n_labels_ == 2) spread(sum.scores, sum.scores[0]);
    }

    // The score that each of these distinct terms adds to a document with these counts, as terms × labels.
    void share(std::span<const std::int64_t> terms, std::span<const double> counts, double* shares) const {
        std::vector<double> norms(layers_.size() * n_blocks_);
        std::fill_n(shares, terms.size() * n_labels_, 0.0);
        const auto visit = [&](auto use) {
            for (std::size_t i = 0; i < terms.size(); ++i) {
                if (terms[i] < 0) continue;
                const Id term = static_cast<Id>(terms[i]);
                const float* row = row_of(term);
                for (std::size_t l = 0; l < layers_.size(); ++l, row += 1 + n_values_)
                    use(i, l, l * n_blocks_ + block_of(term), weigh(layers_[l], row[0], counts[i]), row + 1);
            }
        };
        visit([&](std::size_t, std::size_t l, std::size_t slot, double x, const float*) { norms[slot] += part_of_norm(layers_[l].norm, x); });
        for (std::size_t slot = 0; slot < norms.size(); ++slot) norms[slot] = finish_norm(layers_[slot / n_blocks_].norm, norms[slot]);
        visit([&](std::size_t i, std::size_t, std::size_t slot, double x, const float* values) {
            for (Id k = 0; k < n_values_; ++k) shares[i * n_labels_ + k] += x / norms[slot] * values[k];
        });
        for (std::size_t i = 0; n_labels_ == 2 && i < terms.size(); ++i) spread(shares + i * 2, shares[i * 2]);
    }

    // The score that one occurrence of a term adds, before the division by norms.
    void explain(Id term, double* out) const {
        std::fill_n(out, n_labels_, 0.0);
        const float* row = row_of(term);
        for (std::size_t l = 0; l < layers_.size(); ++l, row += 1 + n_values_)
            for (Id k = 0; k < n_values_; ++k) out[k] += double{row[0]} * row[1 + k];
        if (n_labels_ == 2) spread(out, out[0]);
    }

  private:
    struct Arrays {
        LargeVector<float> values;
        LargeVector<Id> rows;
        LargeVector<std::uint8_t> blocks;
        Arrays(LargeVector<float> values, LargeVector<Id> rows, LargeVector<std::uint8_t> blocks)
            : values(std::move(values)), rows(std::move(rows)), blocks(std::move(blocks)) {}
    };
    const LargeVector<float>& values() const { return arrays_->values; }
    const LargeVector<Id>& rows() const { return arrays_->rows; }
    const LargeVector<std::uint8_t>& blocks() const { return arrays_->blocks; }

    bool is_gone(Id term) const { return left_ && !left_->has(term); }
    const float* row_of(Id term) const {
        return is_gone(term) ? nothing_.data() : values().data() + (rows().empty() ? term : rows()[term]) * stride_;
    }
    std::size_t block_of(Id term) const { return blocks().empty() || is_gone(term) ? 0 : blocks()[term]; }
    static double weigh(const Layer& layer, float factor, double count) { return factor == 0 ? 0 : damp(layer.damping, count) * factor; }
    void fetch_row(std::size_t row) const {
        const float* begin = values().data() + row * stride_;
        constexpr std::size_t line = 16;  // numbers in a cache line
        for (std::size_t k = 0; k < stride_; k += line) fetch(begin + k);
    }
    static void spread(double* scores, double margin) {
        scores[0] = -margin / 2;
        scores[1] = margin / 2;
    }

    std::vector<Layer> layers_;
    Id n_labels_, n_values_;
    std::size_t stride_, n_blocks_;
    std::vector<float> nothing_;  // the row of a term that is gone
    std::shared_ptr<const Arrays> arrays_;
    std::optional<MetTerms> left_{};  // the terms that are left, if some are gone
};

}  // namespace tercet

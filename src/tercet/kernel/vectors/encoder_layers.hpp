// The layers of a sentence encoder: pieces, norms, windows of tokens, residual blocks, and the way to int8.
//
// All is float32 in one fixed order: products as in `FloatMatrix`, windows from the first place to the last. Means and variances are
// float64: eight sums, of every eighth number, are added from the first to the last.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "vectors/float_matrix.hpp"

namespace tercet {

inline void expect_fit(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

// Rows of floats of one length.
class FloatRows {
  public:
    FloatRows(std::size_t n_rows, std::size_t width) : n_rows_(n_rows), width_(width), values_(n_rows * width) {}
    FloatRows(std::size_t n_rows, std::span<const float> each) : FloatRows(n_rows, each.size()) {
        for (std::size_t row = 0; row < n_rows; ++row) std::copy(each.begin(), each.end(), (*this)[row].begin());
    }

    std::size_t size() const { return n_rows_; }
    std::span<float> operator[](std::size_t row) { return {values_.data() + row * width_, width_}; }
    std::span<const float> operator[](std::size_t row) const { return {values_.data() + row * width_, width_}; }
    std::span<float> all() { return values_; }

  private:
    std::size_t n_rows_, width_;
    std::vector<float> values_;
};

// sums[i] += rows[i] · matrix.
inline void add_products(const FloatMatrix& matrix, const FloatRows& rows, FloatRows& sums) {
    std::vector<const float*> inputs(rows.size());
    std::vector<float*> outputs(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        inputs[i] = rows[i].data();
        outputs[i] = sums[i].data();
    }
    matrix.add_products(inputs, outputs);
}

// relu: 0 for negative numbers.
inline float cut_negative(float number) { return number > 0 ? number : 0; }

// tanh by + - * / alone, because the tanh of C libraries differs between machines: tanh(x / 8) is a convergent of Lambert's continued
// fraction, and tanh(2 x) = 2 t / (1 + t²), three times.
inline float compute_tanh(float number) {
    const double x = std::clamp(static_cast<double>(number), -10.0, 10.0) / 8, square = x * x;
    const double above = 135135 + square * (17325 + square * (378 + square));
    const double below = 135135 + square * (62370 + square * (3150 + square * 28));
    double tangent = x * above / below;
    for (int i = 0; i < 3; ++i) tangent = 2 * tangent / (1 + tangent * tangent);
    return static_cast<float>(tangent);
}

// round(127 · x / max |x|), or zeros if a number is not finite or all are 0.
inline void round_to_bytes(std::span<const float> row, std::int8_t* bytes) {
    constexpr double shift = 6755399441055744.0;  // 1.5 · 2⁵²: a sum with it is rounded to a whole number, halves to the even one
    float most = 0;
    bool is_finite = true;
    for (const float number : row) {
        most = std::max(most, std::abs(number));
        is_finite &= std::abs(number) <= 1;  // false for nan
    }
    for (std::size_t j = 0; j < row.size(); ++j)
        bytes[j] = is_finite && most > 0 ? static_cast<std::int8_t>(static_cast<double>(row[j]) * 127 / most + shift - shift) : 0;
}

// gain · (x - mean) / √(variance + epsilon) + bias.
struct RowNorm {
    std::vector<float> gain, bias;
    double epsilon;

    void apply(std::span<float> row) const {
        const double n = static_cast<double>(row.size());
        const float mean = static_cast<float>(add_lanes(row, [](double number) { return number; }) / n);
        for (float& number : row) number -= mean;
        const double variance = add_lanes(row, [](double number) { return number * number; }) / n;
        const float factor = static_cast<float>(1.0 / std::sqrt(variance + epsilon));
        for (std::size_t j = 0; j < row.size(); ++j) row[j] = row[j] * factor * gain[j] + bias[j];
    }

  private:
    template <class Term>
    static double add_lanes(std::span<const float> row, Term term) {
        constexpr std::size_t n_sums = 8;
        std::array<double, n_sums> lanes{};
        const std::size_t n_whole = row.size() / n_sums * n_sums;
        for (std::size_t j = 0; j < n_whole; j += n_sums)
            for (std::size_t lane = 0; lane < n_sums; ++lane) lanes[lane] += term(row[j + lane]);
        for (std::size_t j = n_whole; j < row.size(); ++j) lanes[j - n_whole] += term(row[j]);
        double sum = 0;
        for (const double lane : lanes) sum += lane;
        return sum;
    }
};

// One layer of a branch: the matrices of the places of a window, and how many of them are left of its token.
struct EncoderWindow {
    std::size_t left;
    std::vector<FloatMatrix> matrices{};
    std::vector<float> bias;

    EncoderWindow(std::size_t left, const MatrixView& weights, std::span<const float> bias) : left(left), bias(bias.begin(), bias.end()) {
        const std::size_t n = weights.n_columns;
        expect_fit(n && weights.n_rows && weights.n_rows % n == 0, "a window needs a square matrix for each of its places");
        expect_fit(bias.size() == n, "a window needs a bias for each column");
        expect_fit(left < weights.n_rows / n, "a window must contain its token");
        for (std::size_t row = 0; row < weights.n_rows; row += n) matrices.emplace_back(MatrixView{weights.values + row * n, n, n});
    }

    std::size_t width() const { return bias.size(); }
    std::size_t right() const { return matrices.size() - 1 - left; }
};

struct EncoderBranch {
    EncoderWindow first, second;
};

// y · shortcut + relu(y · inner) · outer.
struct ResidualBlock {
    FloatMatrix inner, outer, shortcut;

    ResidualBlock(const MatrixView& inner, const MatrixView& outer, const MatrixView& shortcut) : inner(inner), outer(outer), shortcut(shortcut) {
        const bool fits = inner.n_rows == shortcut.n_rows && inner.n_columns == outer.n_rows && outer.n_columns == shortcut.n_columns;
        expect_fit(fits, "the matrices of a block do not fit each other");
    }

    FloatRows apply(const FloatRows& rows) const {
        FloatRows hidden(rows.size(), inner.n_columns()), direct(rows.size(), shortcut.n_columns()), added(rows.size(), shortcut.n_columns());
        add_products(inner, rows, hidden);
        for (float& number : hidden.all()) number = cut_negative(number);
        add_products(shortcut, rows, direct);
        add_products(outer, hidden, added);
        for (std::size_t j = 0; j < direct.all().size(); ++j) direct.all()[j] += added.all()[j];
        return direct;
    }
};

// The codes are not copied: there are many.
struct PieceTable {
    const std::uint8_t* codes;
    std::size_t n_pieces, width;
    std::vector<float> scale, low;  // of each chunk: piece p is in chunk p mod n

    void read(std::int64_t piece, std::span<float> row) const {
        const std::size_t chunk = static_cast<std::size_t>(piece) % scale.size();
        const std::uint8_t* const own = codes + static_cast<std::size_t>(piece) * width;
        for (std::size_t j = 0; j < width; ++j) row[j] = static_cast<float>(own[j]) * scale[chunk] + low[chunk];
    }
};

}  // namespace tercet

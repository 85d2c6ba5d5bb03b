// Products of rows with a matrix, as float32, equal in every bit on every machine.
//
// Each number of a product is one sum Σ xₖ wₖⱼ over rising k, with no fused multiply-add. Processors with wider registers add more
// columns and rows at a time, never more terms of one sum.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

namespace tercet {

// Rows × columns, row by row.
struct MatrixView {
    const float* values;
    std::size_t n_rows, n_columns;
};

namespace float_products {

constexpr std::size_t n_lanes = 16;  // columns that are added up together
constexpr std::size_t most_rows = 4;

// The sums of `n_rows` rows with one panel, which has n_lanes columns of the matrix: n_rows × n_lanes numbers. It is compiled once
// for each kind of processor, with a type of the width of its registers: compilers do not find this loop by themselves.
#define TERCET_MULTIPLY_PANEL(name, target, Lanes)                                                                        \
    template <std::size_t n_rows>                                                                                         \
    target void name(const float* const* rows, const float* panel, std::size_t n_inputs, float* products) {               \
        constexpr std::size_t n_parts = n_lanes * sizeof(float) / sizeof(Lanes);                                          \
        Lanes sums[n_rows][n_parts] = {};                                                                                 \
        for (std::size_t k = 0; k < n_inputs; ++k) {                                                                      \
            const Lanes* const weights = reinterpret_cast<const Lanes*>(panel + k * n_lanes);                             \
            for (std::size_t r = 0; r < n_rows; ++r)                                                                      \
                for (std::size_t part = 0; part < n_parts; ++part) sums[r][part] += rows[r][k] * weights[part];           \
        }                                                                                                                 \
        std::memcpy(products, sums, sizeof sums);                                                                         \
    }

#if defined(__GNUC__)
typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));
TERCET_MULTIPLY_PANEL(multiply_panel, , FourFloats)
#else
TERCET_MULTIPLY_PANEL(multiply_panel, , float)
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#define TERCET_HAS_AVX2
typedef float EightFloats __attribute__((vector_size(32), aligned(4), may_alias));
TERCET_MULTIPLY_PANEL(multiply_panel_avx2, __attribute__((target("avx2"))), EightFloats)
#endif
#undef TERCET_MULTIPLY_PANEL

using Multiply = void (*)(const float* const* rows, const float* panel, std::size_t n_inputs, float* products);
using Kernels = std::array<Multiply, most_rows>;  // for 1, 2, … rows

constexpr Kernels plain{multiply_panel<1>, multiply_panel<2>, multiply_panel<3>, multiply_panel<4>};

#if defined(TERCET_HAS_AVX2)
constexpr Kernels avx2{multiply_panel_avx2<1>, multiply_panel_avx2<2>, multiply_panel_avx2<3>, multiply_panel_avx2<4>};
inline bool has_avx2() { return __builtin_cpu_supports("avx2"); }
inline const Kernels& choose() {
    static const Kernels& chosen = has_avx2() ? avx2 : plain;
    return chosen;
}
#else
inline const Kernels& choose() { return plain; }
#endif

}  // namespace float_products

class FloatMatrix {
  public:
    // The numbers are copied panel by panel, in the order in which they are used. The last panel is filled up with zeros.
    explicit FloatMatrix(const MatrixView& view) : n_rows_(view.n_rows), n_columns_(view.n_columns) {
        if (!n_rows_ || !n_columns_) throw std::invalid_argument("a matrix of the encoder is empty");
        panels_.resize(n_panels() * n_rows_ * n_lanes);
        for (std::size_t row = 0; row < n_rows_; ++row)
            for (std::size_t column = 0; column < n_columns_; ++column)
                panels_[(column / n_lanes * n_rows_ + row) * n_lanes + column % n_lanes] = view.values[row * n_columns_ + column];
    }

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_columns() const { return n_columns_; }

    // sums[i] += inputs[i] · matrix, for each i.
    void add_products(std::span<const float* const> inputs, std::span<float* const> sums,
                      const float_products::Kernels& kernels = float_products::choose()) const {
        float products[float_products::most_rows * n_lanes];
        for (std::size_t panel = 0; panel < n_panels(); ++panel) {
            const std::size_t first = panel * n_lanes, n_used = std::min(n_lanes, n_columns_ - first);
            for (std::size_t i = 0; i < inputs.size();) {
                const std::size_t n = std::min(float_products::most_rows, inputs.size() - i);
                kernels[n - 1](inputs.data() + i, panels_.data() + first * n_rows_, n_rows_, products);
                for (std::size_t r = 0; r < n; ++r, ++i)
                    for (std::size_t j = 0; j < n_used; ++j) sums[i][first + j] += products[r * n_lanes + j];
            }
        }
    }

  private:
    static constexpr std::size_t n_lanes = float_products::n_lanes;
    std::size_t n_panels() const { return (n_columns_ + n_lanes - 1) / n_lanes; }

    std::size_t n_rows_, n_columns_;
    std::vector<float> panels_;
};

}  // namespace tercet

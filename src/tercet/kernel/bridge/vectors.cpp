// SentenceEncoder, products of matrices, and sums of rows.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "base/threads.hpp"
#include "bridge/arrays.hpp"
#include "bridge/gil.hpp"
#include "bridge/module.hpp"
#include "vectors/row_sums.hpp"
#include "vectors/sentence_encoder.hpp"

namespace tercet {

namespace {

using Row = Input<float>;
using Matrix = InputTable<float>;
using Norm = std::pair<Row, Row>;                                // gain, bias
using Branch = std::tuple<std::size_t, Matrix, Row, Matrix, Row>;  // left; matrix and bias of the first layer; those of the second
using Block = std::tuple<Matrix, Matrix, Matrix>;                // inner, outer, shortcut

MatrixView view(const Matrix& matrix) { return {matrix.data(), matrix.shape(0), matrix.shape(1)}; }
std::span<const float> view(const Row& row) { return {row.data(), row.size()}; }
std::vector<float> copy(const Row& row) { return {row.data(), row.data() + row.size()}; }

std::vector<EncoderBranch> read_branches(const std::vector<Branch>& given) {
    std::vector<EncoderBranch> branches;
    for (const auto& [left, first, first_bias, second, second_bias] : given)
        branches.push_back({{left, view(first), view(first_bias)}, {left, view(second), view(second_bias)}});
    return branches;
}

std::vector<ResidualBlock> read_blocks(const std::vector<Block>& given) {
    std::vector<ResidualBlock> blocks;
    for (const auto& [inner, outer, shortcut] : given) blocks.emplace_back(view(inner), view(outer), view(shortcut));
    return blocks;
}

// The ranges between these starts are neighbours, and cover everything from 0 to `size`.
void expect_ranges(Numbers starts, std::size_t size) {
    const std::size_t n = starts.size();
    bool fits = n > 0 && starts(0) == 0 && static_cast<std::uint64_t>(starts(n - 1)) == size;
    for (std::size_t i = 0; i + 1 < n; ++i) fits = fits && starts(i) <= starts(i + 1);
    expect(fits, "the starts must go from 0 to the end, in order");
}

// An encoder, and the array of its codes.
struct BoundEncoder {
    InputTable<std::uint8_t> pieces;
    SentenceEncoder encoder;

    Output<std::int8_t> encode(Numbers ids, Numbers starts, std::size_t threads) const {
        expect_ranges(starts, ids.size());
        const std::size_t n = starts.size();
        expect_below(ids, encoder.n_pieces(), "there is no such piece");
        LargeVector<std::int8_t> vectors((n - 1) * encoder.dimension());
        {
            const GilReleased unlocked;
            encoder.encode({ids.data(), ids.size()}, {starts.data(), n}, threads, vectors.data());
        }
        return take_array(std::move(vectors), {n - 1, encoder.dimension()});
    }
};

// rows · matrix.
Output<float> multiply_rows(Matrix rows, Matrix matrix, std::size_t threads) {
    expect(rows.shape(1) == matrix.shape(0), "the matrix does not fit the rows");
    const std::size_t n = rows.shape(0), n_inputs = rows.shape(1), n_columns = matrix.shape(1);
    constexpr std::size_t at_a_time = 256;
    LargeVector<float> products(n * n_columns);
    {
        const GilReleased unlocked;
        const FloatMatrix weights(view(matrix));
        std::fill(products.begin(), products.end(), 0.0f);
        share_out(threads, (n + at_a_time - 1) / at_a_time, [&](std::size_t, std::size_t part) {
            std::vector<const float*> inputs;
            std::vector<float*> sums;
            for (std::size_t i = part * at_a_time; i < std::min(n, (part + 1) * at_a_time); ++i) {
                inputs.push_back(rows.data() + i * n_inputs);
                sums.push_back(products.data() + i * n_columns);
            }
            weights.add_products(inputs, sums);
        });
    }
    return take_array(std::move(products), {n, n_columns});
}

// For each i the sum over k from starts[i] to starts[i + 1] of shares[k] · matrix[rows[k]].
Floats sum_rows(Numbers starts, Numbers rows, Input<double> shares, Matrix matrix, std::size_t threads) {
    expect_ranges(starts, rows.size());
    expect(shares.size() == rows.size(), "each row needs a share");
    expect_below(rows, matrix.shape(0), "there is no such row");
    const std::size_t n = starts.size() - 1, n_columns = matrix.shape(1);
    constexpr std::size_t at_a_time = 64;
    LargeVector<double> sums(n * n_columns);
    {
        const GilReleased unlocked;
        share_out(threads, (n + at_a_time - 1) / at_a_time, [&](std::size_t, std::size_t part) {
            for (std::size_t i = part * at_a_time; i < std::min(n, (part + 1) * at_a_time); ++i) {
                const auto begin = static_cast<std::size_t>(starts(i)), end = static_cast<std::size_t>(starts(i + 1));
                add_up({rows.data() + begin, end - begin}, shares.data() + begin, view(matrix), sums.data() + i * n_columns);
            }
        });
    }
    return take_array(std::move(sums), {n, n_columns});
}

}  // namespace

void bind_vectors(nb::module_& m) {
    m.def("multiply_rows", &multiply_rows, "rows"_a, "matrix"_a, "threads"_a = 1);
    m.def("sum_rows", &sum_rows, "starts"_a, "rows"_a, "shares"_a, "matrix"_a, "threads"_a = 1);
    nb::class_<BoundEncoder>(m, "SentenceEncoder")
        .def("__init__", [](BoundEncoder* self, InputTable<std::uint8_t> pieces, Row scale, Row low, Matrix projection, Row projection_bias,
                            const Norm& projection_norm, const std::vector<Branch>& branches, const Norm& feature_norm, Matrix output,
                            Row output_bias, const std::vector<Block>& blocks, double epsilon) {
            const auto norm = [&](const Norm& given) { return RowNorm{copy(given.first), copy(given.second), epsilon}; };
            new (self) BoundEncoder{pieces, SentenceEncoder({{pieces.data(), pieces.shape(0), pieces.shape(1), copy(scale), copy(low)},
                                                             FloatMatrix(view(projection)), copy(projection_bias), norm(projection_norm),
                                                             read_branches(branches), norm(feature_norm), FloatMatrix(view(output)),
                                                             copy(output_bias), read_blocks(blocks)})};
        }, "pieces"_a, "scale"_a, "low"_a, "projection"_a, "projection_bias"_a, "projection_norm"_a, "branches"_a, "feature_norm"_a,
           "output"_a, "output_bias"_a, "blocks"_a, "epsilon"_a)
        .def_prop_ro("dimension", [](const BoundEncoder& self) { return self.encoder.dimension(); })
        .def("encode", &BoundEncoder::encode, "ids"_a, "starts"_a, "threads"_a = 1);
}

}  // namespace tercet

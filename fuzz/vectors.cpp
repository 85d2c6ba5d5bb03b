// Any bytes as the weights and pieces of a sentence encoder, under sanitizers: nothing may crash, and a text has the same bytes alone,
// among others, and on every kind of processor.
//   make fuzz                         runs it for a minute, after fuzz/linear.cpp
#include <bit>
#include <cstring>
#include <optional>

#include "require.hpp"
#include "vectors/sentence_encoder.hpp"

using namespace tercet;

namespace {

// Zeros where the input has ended.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}
    std::uint8_t take() { return next_ < bytes_.size() ? bytes_[next_++] : 0; }
    std::size_t below(std::size_t n) { return take() % n; }
    // Any float, or a tame one.
    float number() {
        if (!is_wild) return (static_cast<float>(take()) - 128) / 64;
        std::uint32_t bits = 0;
        for (int k = 0; k < 4; ++k) bits = bits * 256 + take();
        return std::bit_cast<float>(bits);
    }
    std::vector<float> numbers(std::size_t n) {
        std::vector<float> drawn(n);
        for (float& each : drawn) each = number();
        return drawn;
    }
    bool is_wild = false;

  private:
    std::span<const std::uint8_t> bytes_;
    std::size_t next_ = 0;
};

// Matrices with the memory of their numbers.
class Matrices {
  public:
    explicit Matrices(Input& input) : input_(input) {}
    MatrixView draw(std::size_t n_rows, std::size_t n_columns) {
        kept_.push_back(input_.numbers(n_rows * n_columns));
        return {kept_.back().data(), n_rows, n_columns};
    }

  private:
    Input& input_;
    std::vector<std::vector<float>> kept_{};
};

// Sizes mostly fit each other. If they do not, the encoder must say so.
std::optional<SentenceEncoder> draw_encoder(Input& input, const std::vector<std::uint8_t>& codes, std::size_t n_pieces, std::size_t width) {
    Matrices matrices(input);
    const std::size_t n_branches = 1 + input.below(3), n = 1 + input.below(18), bad = input.below(8) == 0;
    const std::size_t projected = n_branches * n, n_features = width + projected + bad, output = 1 + input.below(4), last = 1 + input.below(18);
    const auto norm = [&](std::size_t size) { return RowNorm{input.numbers(size), input.numbers(size), 1e-6}; };
    try {
        std::vector<EncoderBranch> branches;
        for (std::size_t b = 0; b < n_branches; ++b) {
            const std::size_t places = 1 + input.below(4), left = input.below(places);
            const auto window = [&] { return EncoderWindow(left, matrices.draw(places * n, n), input.numbers(n)); };
            EncoderWindow first = window();
            branches.push_back({std::move(first), window()});
        }
        std::vector<ResidualBlock> blocks;
        blocks.emplace_back(matrices.draw(output, 3), matrices.draw(3, last), matrices.draw(output, last));
        return SentenceEncoder({{codes.data(), n_pieces, width, input.numbers(2), input.numbers(2)}, FloatMatrix(matrices.draw(width, projected)),
                                input.numbers(projected), norm(projected), std::move(branches), norm(n_features),
                                FloatMatrix(matrices.draw(n_features, output)), input.numbers(output), std::move(blocks)});
    } catch (const std::invalid_argument&) {
        require(bad, "sizes that fit are taken");
        return {};
    }
}

void check_encoder(Input& input) {
    const std::size_t n_pieces = 1 + input.below(6), width = 1 + input.below(18);
    std::vector<std::uint8_t> codes(n_pieces * width);
    for (std::uint8_t& code : codes) code = input.take();
    const std::optional<SentenceEncoder> encoder = draw_encoder(input, codes, n_pieces, width);
    if (!encoder) return;
    std::vector<std::int64_t> ids, starts{0};
    for (std::size_t i = input.below(5); i > 0; --i) {
        const std::size_t n_tokens = input.below(8) ? input.below(6) : 250 + input.below(20);
        for (std::size_t t = 0; t < n_tokens; ++t) ids.push_back(static_cast<std::int64_t>(input.below(n_pieces)));
        starts.push_back(static_cast<std::int64_t>(ids.size()));
    }
    const std::size_t n_texts = starts.size() - 1, n = encoder->dimension();
    std::vector<std::int8_t> together(n_texts * n), alone(n);
    encoder->encode(ids, starts, 1, together.data());
    for (std::size_t i = 0; i < n_texts; ++i) {
        const std::int64_t own[] = {0, starts[i + 1] - starts[i]};
        encoder->encode(std::span(ids).subspan(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(own[1])), own, 1, alone.data());
        require(std::equal(alone.begin(), alone.end(), together.begin() + static_cast<std::ptrdiff_t>(i * n)), "a text has the same bytes alone");
    }
}

// Products with the kernels of all processors.
void check_products(Input& input) {
    Matrices matrices(input);
    const std::size_t n_inputs = 1 + input.below(20), n_outputs = 1 + input.below(40), n_rows = input.below(10);
    const FloatMatrix matrix(matrices.draw(n_inputs, n_outputs));
    const MatrixView rows = matrices.draw(n_rows, n_inputs);
    const auto multiply = [&](const float_products::Kernels& kernels) {
        std::vector<float> sums(n_rows * n_outputs);
        std::vector<const float*> inputs;
        std::vector<float*> outputs;
        for (std::size_t i = 0; i < n_rows; ++i) {
            inputs.push_back(rows.values + i * n_inputs);
            outputs.push_back(sums.data() + i * n_outputs);
        }
        matrix.add_products(inputs, outputs, kernels);
        return sums;
    };
    const std::vector<float> sums = multiply(float_products::plain);
#if defined(TERCET_HAS_AVX2)
    if (!float_products::has_avx2()) return;
    const std::vector<float> wide = multiply(float_products::avx2);
    for (std::size_t j = 0; j < sums.size(); ++j)
        require(std::bit_cast<std::uint32_t>(sums[j]) == std::bit_cast<std::uint32_t>(wide[j]) || (std::isnan(sums[j]) && std::isnan(wide[j])),
                "products are equal on all processors");
#endif
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    input.is_wild = input.below(2);
    input.below(3) ? check_encoder(input) : check_products(input);
    return 0;
}

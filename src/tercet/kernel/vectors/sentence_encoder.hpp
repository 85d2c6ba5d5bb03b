// Pieces of words → a vector of int8: the network of the Universal Sentence Encoder (Yang et al. 2020), of any size.
//
//     e = scale · code + low                         a piece is its row of codes; scale and low are those of its chunk
//     x = norm(e · projection + bias)                in as many parts as there are branches
//     h = relu(bias + Σ x[t + i - left] · Wᵢ) + x    in each branch, over a window of tokens; places outside the text are left out
//     c = relu(bias + Σ h[t + i - left] · Wᵢ) + h
//     s = Σ norm([e, c of all branches])             over the tokens of the text
//     y = (s · output + n · bias) / √n               for n tokens
//     y = relu(y · shortcut + relu(y · inner) · outer)    for each block; tanh instead of the outer relu in the last block
//     q = round(127 · y / max |y|)                   halves go to the even number
//
// All sums have one fixed order (see `encoder_layers.hpp`), tokens from the first to the last. So a text has the same bytes alone and
// among others, on any processor and with any number of threads. A text without tokens has the vector 0, and so has a text whose
// numbers overflow.
//
// What depends on a piece alone, up to its products in the first windows, is done once for all its places in a batch.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "vectors/encoder_layers.hpp"

namespace tercet {

struct EncoderLayers {
    PieceTable pieces;
    FloatMatrix projection;
    std::vector<float> projection_bias;
    RowNorm projection_norm;
    std::vector<EncoderBranch> branches;
    RowNorm feature_norm;
    FloatMatrix output;
    std::vector<float> output_bias;
    std::vector<ResidualBlock> blocks;
};

class SentenceEncoder {
  public:
    explicit SentenceEncoder(EncoderLayers layers) : layers_(std::move(layers)) {
        check_pieces();
        check_branches();
        check_blocks();
        for (const EncoderBranch& branch : layers_.branches) {
            left_ = std::max(left_, branch.first.left + branch.second.left);
            right_ = std::max(right_, branch.first.right() + branch.second.right());
        }
    }

    std::size_t n_pieces() const { return layers_.pieces.n_pieces; }
    std::size_t dimension() const { return layers_.blocks.back().shortcut.n_columns(); }

    // The vectors of the texts, as texts × dimension. Text i has the pieces ids[starts[i]] … ids[starts[i + 1]].
    void encode(std::span<const std::int64_t> ids, std::span<const std::int64_t> starts, std::size_t n_threads, std::int8_t* vectors) const {
        const std::vector<std::size_t> firsts = split_texts(starts);
        share_out(n_threads, firsts.size() - 1, [&](std::size_t, std::size_t b) {
            const std::size_t first = firsts[b], n = firsts[b + 1] - first;
            encode_texts(ids, starts.subspan(first, n + 1), vectors + first * dimension());
        });
    }

  private:
    static constexpr std::size_t batch_size = 256;  // tokens that are encoded together, and the most texts

    // Rows of a batch from `begin` to `end` are neighbours in a text. Those from `first` to `last` are added up for the text, the others
    // are only seen by their windows.
    struct Stretch {
        std::size_t text, begin, end, first, last;
    };

    struct Batch {
        std::vector<std::int64_t> ids{};
        std::vector<Stretch> stretches{};
    };

    void check_pieces() const {
        const PieceTable& pieces = layers_.pieces;
        expect_fit(pieces.n_pieces && pieces.width, "there are no pieces");
        expect_fit(!pieces.scale.empty() && pieces.scale.size() == pieces.low.size(), "each chunk needs a scale and a low");
        expect_fit(layers_.projection.n_rows() == pieces.width, "the projection does not fit the pieces");
        expect_fit(layers_.projection_bias.size() == layers_.projection.n_columns(), "the projection needs a bias for each column");
        check_norm(layers_.projection_norm, layers_.projection.n_columns());
    }

    void check_branches() const {
        const std::size_t n = layers_.projection.n_columns(), n_branches = layers_.branches.size();
        for (const EncoderBranch& branch : layers_.branches)
            for (const EncoderWindow* window : {&branch.first, &branch.second})
                expect_fit(n % n_branches == 0 && window->width() == n / n_branches, "the branches do not fit the projection");
        expect_fit(n_branches > 0, "the branches do not fit the projection");
    }

    void check_blocks() const {
        const std::size_t n_features = layers_.pieces.width + layers_.projection.n_columns();
        check_norm(layers_.feature_norm, n_features);
        expect_fit(layers_.output.n_rows() == n_features, "the output does not fit the features");
        expect_fit(layers_.output_bias.size() == layers_.output.n_columns(), "the output needs a bias for each column");
        expect_fit(!layers_.blocks.empty(), "there are no blocks");
        std::size_t width = layers_.output.n_columns();
        for (const ResidualBlock& block : layers_.blocks) {
            expect_fit(block.inner.n_rows() == width, "a block does not fit the one before");
            width = block.shortcut.n_columns();
        }
    }

    static void check_norm(const RowNorm& norm, std::size_t n) {
        expect_fit(norm.gain.size() == n && norm.bias.size() == n, "a norm needs a gain and a bias for each column");
    }

    // The first text of each group that is encoded together, and the number of texts. A text that is longer than a batch stands alone.
    static std::vector<std::size_t> split_texts(std::span<const std::int64_t> starts) {
        std::vector<std::size_t> firsts{0};
        const std::size_t n_texts = starts.size() - 1;
        for (std::size_t i = 1; i < n_texts; ++i) {
            const auto n_tokens = static_cast<std::size_t>(starts[i + 1] - starts[firsts.back()]);
            if (n_tokens > batch_size || i - firsts.back() >= batch_size) firsts.push_back(i);
        }
        if (n_texts > 0) firsts.push_back(n_texts);
        return firsts;
    }

    void encode_texts(std::span<const std::int64_t> ids, std::span<const std::int64_t> starts, std::int8_t* vectors) const {
        const std::size_t n_texts = starts.size() - 1;
        FloatRows sums(n_texts, layers_.output.n_rows());
        Batch batch;
        for (std::size_t i = 0; i < n_texts; ++i) {
            const auto begin = static_cast<std::size_t>(starts[i]), end = static_cast<std::size_t>(starts[i + 1]);
            for (std::size_t first = begin; first < end; first += batch_size) {
                const std::size_t last = std::min(end, first + batch_size);
                add_stretch(ids, i, {begin, end}, {first, last}, batch);
                if (last == end) continue;
                add_features(batch, sums);
                batch = {};
            }
        }
        add_features(batch, sums);
        finish(sums, starts, vectors);
    }

    struct Range {
        std::size_t begin, end;
    };

    // Add the tokens of `own`, and so many around them as their windows see.
    void add_stretch(std::span<const std::int64_t> ids, std::size_t text, Range whole, Range own, Batch& batch) const {
        const std::size_t begin = own.begin - std::min(left_, own.begin - whole.begin), end = own.end + std::min(right_, whole.end - own.end);
        const std::size_t n = batch.ids.size();
        batch.stretches.push_back({text, n, n + end - begin, n + own.begin - begin, n + own.end - begin});
        batch.ids.insert(batch.ids.end(), ids.begin() + static_cast<std::ptrdiff_t>(begin), ids.begin() + static_cast<std::ptrdiff_t>(end));
    }

    // Add the features of the tokens of a batch to the sums of their texts.
    void add_features(const Batch& batch, FloatRows& sums) const {
        std::vector<std::int64_t> pieces = batch.ids;  // each once
        std::sort(pieces.begin(), pieces.end());
        pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
        std::vector<std::size_t> places(batch.ids.size());
        for (std::size_t t = 0; t < places.size(); ++t)
            places[t] = static_cast<std::size_t>(std::lower_bound(pieces.begin(), pieces.end(), batch.ids[t]) - pieces.begin());

        const std::size_t width = layers_.pieces.width;
        FloatRows embedded(pieces.size(), width), projected(pieces.size(), layers_.projection_bias);
        for (std::size_t p = 0; p < pieces.size(); ++p) layers_.pieces.read(pieces[p], embedded[p]);
        add_products(layers_.projection, embedded, projected);
        for (std::size_t p = 0; p < pieces.size(); ++p) layers_.projection_norm.apply(projected[p]);

        FloatRows features(places.size(), layers_.output.n_rows());
        for (std::size_t t = 0; t < places.size(); ++t) std::ranges::copy(embedded[places[t]], features[t].begin());
        for (std::size_t b = 0, first = 0; b < layers_.branches.size(); ++b) {
            const EncoderBranch& branch = layers_.branches[b];
            const FloatRows hidden = read_pieces(branch.first, projected, first, places, batch.stretches);
            read_tokens(branch.second, hidden, batch.stretches, features, width + first);
            first += branch.first.width();
        }
        for (const Stretch& stretch : batch.stretches)
            for (std::size_t t = stretch.first; t < stretch.last; ++t) {
                layers_.feature_norm.apply(features[t]);
                const std::span<float> sum = sums[stretch.text];
                for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += features[t][j];
            }
    }

    // Call visit(t, s) for each token t of a stretch whose window has the token s at this place.
    template <class Visit>
    static void visit_place(const EncoderWindow& window, std::size_t place, std::span<const Stretch> stretches, Visit visit) {
        for (const Stretch& stretch : stretches) {
            const std::size_t n = stretch.end - stretch.begin;
            for (std::size_t t = window.left > place ? window.left - place : 0; t < n && t + place < n + window.left; ++t)
                visit(stretch.begin + t, stretch.begin + t + place - window.left);
        }
    }

    // The first layer of a branch: a row for each token. The products are worked out once for each piece, from the columns of `inputs`
    // that begin with `first`.
    static FloatRows read_pieces(const EncoderWindow& window, const FloatRows& inputs, std::size_t first, std::span<const std::size_t> places,
                                 std::span<const Stretch> stretches) {
        FloatRows own(inputs.size(), window.width()), rows(places.size(), window.bias);
        for (std::size_t p = 0; p < inputs.size(); ++p) std::ranges::copy(inputs[p].subspan(first, window.width()), own[p].begin());
        for (std::size_t place = 0; place < window.matrices.size(); ++place) {
            FloatRows products(inputs.size(), window.width());
            add_products(window.matrices[place], own, products);
            visit_place(window, place, stretches, [&](std::size_t t, std::size_t source) {
                const std::span<float> row = rows[t];
                const std::span<const float> product = std::as_const(products)[places[source]];
                for (std::size_t j = 0; j < row.size(); ++j) row[j] += product[j];
            });
        }
        for (std::size_t t = 0; t < places.size(); ++t)
            for (std::size_t j = 0; j < window.width(); ++j) rows[t][j] = cut_negative(rows[t][j]) + own[places[t]][j];
        return rows;
    }

    // The second layer of a branch, written to the columns of `features` that begin with `first`.
    static void read_tokens(const EncoderWindow& window, const FloatRows& hidden, std::span<const Stretch> stretches, FloatRows& features,
                            std::size_t first) {
        for (std::size_t t = 0; t < hidden.size(); ++t) std::ranges::copy(window.bias, features[t].subspan(first).begin());
        std::vector<const float*> inputs;
        std::vector<float*> sums;
        for (std::size_t place = 0; place < window.matrices.size(); ++place) {
            inputs.clear();
            sums.clear();
            visit_place(window, place, stretches, [&](std::size_t t, std::size_t source) {
                inputs.push_back(hidden[source].data());
                sums.push_back(features[t].data() + first);
            });
            window.matrices[place].add_products(inputs, sums);
        }
        for (std::size_t t = 0; t < hidden.size(); ++t)
            for (std::size_t j = 0; j < window.width(); ++j) features[t][first + j] = cut_negative(features[t][first + j]) + hidden[t][j];
    }

    // From the sums of the features to the vectors.
    void finish(const FloatRows& sums, std::span<const std::int64_t> starts, std::int8_t* vectors) const {
        FloatRows rows(sums.size(), layers_.output_bias);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (float& number : rows[i]) number *= static_cast<float>(starts[i + 1] - starts[i]);
        add_products(layers_.output, sums, rows);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (float& number : rows[i]) number /= std::sqrt(static_cast<float>(starts[i + 1] - starts[i]));
        for (std::size_t b = 0; b < layers_.blocks.size(); ++b) {
            rows = layers_.blocks[b].apply(rows);
            const bool is_last = b + 1 == layers_.blocks.size();
            for (float& number : rows.all()) number = is_last ? compute_tanh(number) : cut_negative(number);
        }
        for (std::size_t i = 0; i < rows.size(); ++i) round_to_bytes(std::as_const(rows)[i], vectors + i * dimension());
    }

    EncoderLayers layers_;
    std::size_t left_ = 0, right_ = 0;
};

}  // namespace tercet

// Any bytes as matrices, costs and weights of linear models, under sanitizers: nothing may crash, and every duality gap must be true.
//   make fuzz                         runs it for a minute, after fuzz/kernel.cpp
#include <bit>

#include "linear/dual_descent.hpp"
#include "linear/joint_descent.hpp"
#include "linear/linear_weights.hpp"
#include "linear/matrix_vectors.hpp"
#include "linear/text_vectors.hpp"
#include "require.hpp"

using namespace tercet;

namespace {

// Zeros where the input has ended.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}
    std::uint64_t take(std::size_t n_bytes) {
        std::uint64_t number = 0;
        for (std::size_t k = 0; k < n_bytes; ++k) number = number * 256 + (next_ < bytes_.size() ? bytes_[next_++] : 0);
        return number;
    }
    std::size_t below(std::size_t n) { return take(1) % n; }
    // Any that is finite, or a tame one.
    double number(bool wild) {
        if (!wild) return (static_cast<double>(take(1)) - 128) / 32;
        const double any = std::bit_cast<double>(take(8));
        return std::isfinite(any) ? any : 1e308;
    }

  private:
    std::span<const std::uint8_t> bytes_;
    std::size_t next_ = 0;
};

struct Problem {
    bool wild;
    std::vector<std::int64_t> ends{0}, codes{};
    std::vector<std::int32_t> columns{};
    std::vector<double> values{}, costs{}, scale{};
    std::size_t n_columns, n_labels;
    DescentOptions options;

    explicit Problem(Input& input) : wild(input.below(2)), n_columns(1 + input.below(6)), n_labels(1 + input.below(4)) {
        options = {std::abs(input.number(wild)), input.below(2) ? 1e-2 : 1e-9, 1 + static_cast<std::int64_t>(input.below(60)), input.take(8)};
        for (std::size_t i = input.below(9); i > 0; --i) {
            const std::size_t has = input.take(1);
            for (std::size_t c = 0; c < n_columns; ++c) {
                if (!(has >> c & 1)) continue;
                columns.push_back(static_cast<std::int32_t>(c));
                values.push_back(input.number(wild));
            }
            ends.push_back(static_cast<std::int64_t>(columns.size()));
            codes.push_back(static_cast<std::int64_t>(input.below(n_labels)));
            costs.push_back(std::abs(input.number(wild)));
        }
        for (std::size_t c = 0; c < n_columns; ++c) scale.push_back(input.number(wild));
    }

    double visit(std::size_t i, const double* weights) const {
        double sum = 0;
        for (auto k = ends[i]; k < ends[i + 1]; ++k) sum += values[static_cast<std::size_t>(k)] * weights[columns[static_cast<std::size_t>(k)]];
        return sum;
    }
};

// ‖w‖² of the columns and of the constant one, whose coefficient is the intercept over the bias.
double square_norm(std::span<const double> weights, double intercept, double bias) {
    double sum = bias > 0 ? intercept / bias * (intercept / bias) : 0;
    for (double weight : weights) sum += weight * weight;
    return sum;
}

// No weights beside these may be better than the gap allows: with none at all, with each a little smaller or larger.
template <class Objective>
void check_gap(double gap, double tol, std::vector<double> all, Objective find) {
    if (!(gap <= tol)) return;
    const double reached = find(all);
    const auto compare = [&](const std::vector<double>& other) {
        require(reached * (1 - tol) <= find(other) * (1 + 1e-9) + 1e-12, "weights are as good as the gap says");
    };
    compare(std::vector<double>(all.size()));
    for (double factor : {0.9, 1.1}) {
        for (std::size_t k = 0; k < all.size(); ++k) {
            std::vector<double> other = all;
            other[k] = other[k] * factor + (factor - 1) / 10;
            compare(other);
        }
    }
}

template <class Loss, class Weight>
void check_binary(const Problem& given, const LinearProblem& problem, const BinaryTask& task) {
    MatrixVectors<Weight> vectors(problem, task);
    DualDescent<Loss, MatrixVectors<Weight>> descent(vectors, task.number, given.options);
    const DescentResult result = descend(descent, given.options, 1)[0];
    require(result.epochs <= given.options.max_epochs, "it stops");
    std::vector<double> all(given.n_columns + 1);
    vectors.write([&](std::size_t i) { return descent.signed_dual(i, 0); }, all.data());
    all.back() = descent.intercept(0);
    if (given.wild || task.scale) return;
    check_gap(result.gap, given.options.tol, all, [&](const std::vector<double>& weights) {
        const double intercept = given.options.bias > 0 ? weights.back() : 0;
        double sum = square_norm({weights.data(), given.n_columns}, intercept, given.options.bias) / 2;
        for (std::size_t i = 0; i < given.costs.size(); ++i)
            sum += Loss::loss((task.positive[i] ? 1 : -1) * (given.visit(i, weights.data()) + intercept), given.costs[i]);
        return sum;
    });
}

template <class Loss>
void check_joint(const Problem& given, const LinearProblem& problem) {
    const std::size_t n = given.n_columns, n_labels = given.n_labels;
    JointDescent<Loss> descent(problem, {given.codes, given.costs, n_labels}, given.options);
    const DescentResult result = descend(descent, given.options, 1)[0];
    require(result.epochs <= given.options.max_epochs, "it stops");
    std::vector<double> all(n_labels * (n + 1));
    descent.write(all.data(), all.data() + n_labels * n);
    if (given.wild) return;
    check_gap(result.gap, given.options.tol, all, [&](const std::vector<double>& weights) {
        double sum = 0;
        std::vector<double> scores(n_labels), intercepts(weights.end() - static_cast<std::ptrdiff_t>(n_labels), weights.end());
        if (given.options.bias == 0) std::fill(intercepts.begin(), intercepts.end(), 0.0);
        for (std::size_t k = 0; k < n_labels; ++k) sum += square_norm({&weights[k * n], n}, intercepts[k], given.options.bias) / 2;
        for (std::size_t i = 0; i < given.costs.size(); ++i) {
            for (std::size_t k = 0; k < n_labels; ++k) scores[k] = given.visit(i, &weights[k * n]) + intercepts[k];
            sum += Loss::loss(scores, static_cast<std::size_t>(given.codes[i]), given.costs[i]);
        }
        return sum;
    });
}

void check_descents(const Problem& given, Input& input) {
    const bool has_values = !given.values.empty();
    const LinearProblem problem({given.ends, given.columns, has_values ? std::span<const double>(given.values) : std::span<const double>(),
                                 static_cast<Id>(given.n_columns)});
    std::vector<std::uint8_t> positive(given.costs.size());
    for (std::size_t i = 0; i < positive.size(); ++i) positive[i] = given.codes[i] == 0;
    const BinaryTask plain{positive, given.costs, nullptr, input.take(1)}, scaled{positive, given.costs, given.scale.data(), 0};
    check_binary<Hinge, PlainWeight>(given, problem, plain);
    check_binary<SquaredHinge, PlainWeight>(given, problem, plain);
    check_binary<Logistic, PlainWeight>(given, problem, plain);
    check_binary<SquaredHinge, ScaledWeight>(given, problem, scaled);
    check_joint<CrammerSinger>(given, problem);
    check_joint<Softmax>(given, problem);
}

void check_weights(Input& input) {
    const bool wild = input.below(2);
    const Id n_labels = static_cast<Id>(2 + input.below(3)), n_terms = static_cast<Id>(1 + input.below(8)), n_values = n_labels == 2 ? 1 : n_labels;
    const auto draw = [&](std::size_t n) {
        LargeVector<float> numbers(n);
        for (float& number : numbers) number = wild ? std::bit_cast<float>(static_cast<std::uint32_t>(input.take(4))) : static_cast<float>(input.number(false));
        return numbers;
    };
    std::vector<Layer> layers(1 + input.below(3));
    for (Layer& layer : layers) layer = {static_cast<Damping>(input.below(3)), static_cast<Norm>(input.below(3))};
    LargeVector<float> values = draw(n_terms * layers.size() * (1 + n_values));
    LargeVector<std::uint8_t> blocks(input.below(2) ? n_terms : 0);
    for (std::uint8_t& block : blocks) block = static_cast<std::uint8_t>(input.below(3));
    LargeVector<Id> rows(input.below(2) ? n_terms : 0);
    for (Id& row : rows) row = static_cast<Id>(input.below(n_terms));
    const LinearWeights weights(layers, n_labels, values, rows, blocks);
    std::vector<std::int64_t> terms;
    std::vector<double> counts, scores(n_labels), summed(n_labels);
    for (Id term = 0; term < n_terms; ++term) {
        if (input.below(2)) continue;
        terms.push_back(term);
        counts.push_back(static_cast<double>(1 + input.below(5)) / 2);
    }
    LinearWeights::Sum sum;
    weights.begin(sum, scores.data());
    for (std::size_t i = 0; i < terms.size(); ++i) weights.add(sum, static_cast<Id>(terms[i]), counts[i]);
    weights.finish(sum);
    std::vector<double> shares(terms.size() * n_labels);
    weights.share(terms, counts, shares.data());
    if (wild) return;
    for (std::size_t i = 0; i < shares.size(); ++i) summed[i % n_labels] += shares[i];
    for (Id k = 0; k < n_labels; ++k) require(std::abs(summed[k] - scores[k]) <= 1e-9, "a score is the sum of its shares");
}

// Documents as the training of margins keeps them, with what is needed to add up their scores term by term.
struct TextProblem {
    Id n_terms;
    std::size_t n_labels;
    std::vector<std::uint8_t> blocks;
    std::vector<std::vector<Entry>> documents{};  // in the order of training
    std::vector<std::int64_t> codes{};
    std::vector<double> weights{};
    TextRows rows;

    explicit TextProblem(Input& input)
        : n_terms(static_cast<Id>(1 + input.below(7))), n_labels(2 + input.below(2)), blocks(draw_blocks(input)), rows(n_terms, blocks) {
        const std::size_t n = 1 + input.below(7), shift = input.below(n), n_first = input.below(n);
        std::vector<std::vector<Entry>> arrived(n);
        std::array<Rows, 2> parts;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t has = input.take(1);
            for (Id term = 0; term < n_terms; ++term)
                if (has >> term & 1) arrived[i].push_back({term, static_cast<double>(1 + input.below(6)) / 2});
            parts[i >= n_first].append(arrived[i], 0);
        }
        for (const Rows& part : parts) rows.append(part, 1);
        std::vector<std::int64_t> order(n);
        for (std::size_t i = 0; i < n; ++i) {
            order[i] = static_cast<std::int64_t>((i + shift) % n);
            documents.push_back(arrived[(i + shift) % n]);
            codes.push_back(static_cast<std::int64_t>(input.below(n_labels)));
            weights.push_back(static_cast<double>(input.below(3)));
        }
        rows.finish(order);
    }

    std::vector<std::uint8_t> draw_blocks(Input& input) const {
        std::vector<std::uint8_t> drawn(input.below(2) ? n_terms : 0);
        for (std::uint8_t& block : drawn) block = static_cast<std::uint8_t>(input.below(3));
        return drawn;
    }
    std::size_t block_of(Id term) const { return blocks.empty() ? 0 : blocks[term]; }

    // Call visit(term, value) for each entry of a document that is used.
    template <class Visit>
    void weigh(std::size_t i, const RowWeighting& weighting, Visit visit) const {
        std::array<double, 3> totals{};
        const auto group = [&](Id term) { return weighting.by_block ? block_of(term) : 0; };
        const auto value = [&](const Entry& entry) { return damp(weighting.damping, entry.count) * weighting.factors[entry.term]; };
        for (const Entry& entry : documents[i])
            if (block_of(entry.term) < weighting.n_blocks) totals[group(entry.term)] += part_of_norm(weighting.norm, value(entry));
        for (const Entry& entry : documents[i])
            if (block_of(entry.term) < weighting.n_blocks) visit(entry.term, value(entry) / finish_norm(weighting.norm, totals[group(entry.term)]));
    }
};

template <bool by_label>
void check_margins(const TextProblem& given, const RowWeighting& weighting, const Ratios& ratios, const DescentOptions& options) {
    constexpr std::size_t lanes = 4;
    using Vectors = TextVectors<double, lanes, by_label>;
    const std::vector<double> label_weights(given.n_labels, 1.0);
    const LabelledRows labelled{given.codes, given.weights, label_weights, 1.0};
    const WeighedRows<double> weighed(given.rows, weighting, 1);
    const std::size_t n_margins = labelled.n_margins();
    Vectors vectors(weighed, labelled, 0, n_margins, ratios);
    DualDescent<SquaredHinge, Vectors> descent(vectors, 0, options);
    for (const DescentResult& result : descend(descent, options, vectors.all_used())) require(result.epochs <= options.max_epochs, "it stops");
    const auto duals = [&](std::size_t i, std::size_t k) { return descent.signed_dual(i, k); };
    if constexpr (by_label) vectors.interpolate(duals);
    std::vector<float> values(given.n_terms * n_margins);
    vectors.write(duals, values.data());
    for (std::size_t i = 0; i < given.documents.size(); ++i) {
        const auto sums = vectors.sum(i);
        for (std::size_t k = 0; k < n_margins; ++k) {
            double expected = 0, size = 0;
            given.weigh(i, weighting, [&](Id term, double value) {
                expected += value * values[term * n_margins + k];
                size += std::abs(value * values[term * n_margins + k]);
            });
            require(std::abs(sums[k] + vectors.own_score(i, k, duals(i, k)) - expected) <= 1e-5 * size + 1e-9, "a score is the sum of its terms");
        }
    }
}

void check_text_rows(Input& input) {
    const TextProblem given(input);
    std::vector<double> expected(given.n_terms);
    for (std::size_t i = 0; i < given.documents.size(); ++i)
        for (const Entry& entry : given.documents[i]) expected[entry.term] += given.weights[i];
    const LargeVector<double> frequencies = given.rows.count_documents(given.weights);
    require(std::equal(expected.begin(), expected.end(), frequencies.begin()), "each document counts for its terms");
    // Terms that no document has are not used, as in training.
    std::vector<float> factors(given.n_terms), flags(given.n_terms);
    for (Id term = 0; term < given.n_terms; ++term) {
        flags[term] = frequencies[term] > 0 && input.below(4) > 0;
        factors[term] = flags[term] * static_cast<float>(1 + input.below(3)) / 2;
    }
    const DescentOptions options{static_cast<double>(input.below(2)), 1e-6, 1 + static_cast<std::int64_t>(input.below(60)), input.take(2)};
    RowWeighting weighting{static_cast<Damping>(input.below(3)), static_cast<Norm>(input.below(3)), input.below(2) == 1,
                           1 + input.below(given.rows.n_blocks()), factors};
    check_margins<false>(given, weighting, {}, options);
    weighting.factors = flags;
    check_margins<true>(given, weighting, {1.0, static_cast<double>(input.below(5)) / 4, {frequencies.data(), frequencies.size()}}, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    switch (input.below(4)) {
        case 0: check_weights(input); break;
        case 1: check_text_rows(input); break;
        default: check_descents(Problem(input), input);
    }
    return 0;
}

// Any bytes as matrices, costs and weights of linear models, under sanitizers: nothing may crash, and every duality gap must be true.
//   make fuzz                         runs it for a minute, after fuzz/kernel.cpp
#include <bit>

#include "linear/dual_descent.hpp"
#include "linear/joint_descent.hpp"
#include "linear/linear_weights.hpp"
#include "linear/matrix_vectors.hpp"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    if (input.below(4) == 0) check_weights(input);
    else check_descents(Problem(input), input);
    return 0;
}

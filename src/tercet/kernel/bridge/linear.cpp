// Linear models: a matrix that is prepared once, the problems that are solved on it, and scores by the trained weights.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "base/choices.hpp"
#include "base/threads.hpp"
#include "bridge/gil.hpp"
#include "bridge/linear.hpp"
#include "bridge/module.hpp"
#include "bridge/weights.hpp"
#include "counts/counts.hpp"
#include "linear/dual_descent.hpp"
#include "linear/joint_descent.hpp"
#include "linear/linear_weights.hpp"
#include "linear/mixing.hpp"
#include "linear/matrix_vectors.hpp"

namespace tercet {

namespace {

using Fitted = std::tuple<Floats, Floats, Integers, Floats>;  // coefficients, intercepts, epochs, gaps

void expect_finite(const double* values, std::size_t n, const char* what) {
    expect(std::all_of(values, values + n, [](double value) { return std::isfinite(value); }), what);
}

void expect_costs(const double* costs, std::size_t n) {
    expect(std::all_of(costs, costs + n, [](double cost) { return std::isfinite(cost) && cost >= 0; }), "costs must be finite and >= 0");
}

MatrixView view_matrix(Numbers ends, Input<std::int32_t> columns, const std::optional<Input<double>>& values, std::int64_t n_columns) {
    expect(n_columns >= 0 && n_columns < std::int64_t{max_ids}, "so many columns have no numbers");
    expect(ends.size() > 0 && ends.size() <= max_ids && ends(0) == 0, "no CSR matrix");
    expect(static_cast<std::uint64_t>(ends(ends.size() - 1)) == columns.size(), "no CSR matrix");
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) expect(ends(i) <= ends(i + 1), "no CSR matrix");
    for (std::size_t k = 0; k < columns.size(); ++k)
        if (columns(k) < 0 || columns(k) >= n_columns) throw nb::index_error("no such column");
    const std::span all(columns.data(), columns.size());
    if (values) {
        expect(values->size() == columns.size(), "each column needs a value");
        expect_finite(values->data(), values->size(), "values must be finite");
    }
    const std::span<const double> numbers = values ? std::span(values->data(), values->size()) : std::span<const double>();
    return {{ends.data(), ends.size()}, all, numbers, static_cast<Id>(n_columns)};
}

// The weights that replace the counts of a CSR matrix.
Floats weigh_counts(Numbers ends, Input<std::int32_t> columns, Input<double> counts, const std::optional<Input<double>>& factors,
                    const std::string& damping, const std::string& norm, const std::optional<Input<std::uint8_t>>& blocks, std::size_t threads) {
    std::int64_t n_columns = std::int64_t{max_ids} - 1;
    if (factors) n_columns = std::min(n_columns, static_cast<std::int64_t>(factors->size()));
    if (blocks) n_columns = std::min(n_columns, static_cast<std::int64_t>(blocks->size()));
    const MatrixView matrix = view_matrix(ends, columns, counts, n_columns);
    Weighting weighting{choose(dampings, damping), choose(norms, norm), {}, {}};
    if (factors) weighting.factors = {factors->data(), factors->size()};
    if (blocks && blocks->size() > 0) {
        weighting.blocks = {blocks->data(), blocks->size()};
        weighting.n_blocks = std::size_t{1} + *std::max_element(weighting.blocks.begin(), weighting.blocks.end());
    }
    LargeVector<double> weights(columns.size());
    {
        const GilReleased unlocked;
        share_out_blocks(threads, matrix.ends.size() - 1, 256, [&](std::size_t, std::size_t i) {
            const auto begin = static_cast<std::size_t>(matrix.ends[i]), size = static_cast<std::size_t>(matrix.ends[i + 1]) - begin;
            weighting.weigh(matrix.columns.subspan(begin, size), matrix.values.subspan(begin, size), weights.data() + begin);
        });
    }
    return take_array(std::move(weights), {columns.size()});
}

using LayerArrays = std::tuple<InputTable<float>, Input<float>, std::string, std::string>;  // values, factors, damping, norm

LinearWeights* make_linear_weights(const std::vector<LayerArrays>& arrays, std::size_t n_labels, const std::optional<Input<std::uint32_t>>& rows,
                                   const std::optional<Input<std::uint8_t>>& blocks) {
    expect(!arrays.empty() && n_labels > 1 && n_labels < max_ids, "no weights");
    const std::size_t n_values = n_labels == 2 ? 1 : n_labels, n_rows = std::get<1>(arrays[0]).size(), stride = arrays.size() * (1 + n_values);
    expect(n_rows < max_ids, "no weights");
    std::vector<Layer> layers;
    LargeVector<float> together(n_rows * stride);
    for (std::size_t l = 0; l < arrays.size(); ++l) {
        const auto& [values, factors, damping, norm] = arrays[l];
        expect(factors.size() == n_rows && values.shape(0) == n_rows && values.shape(1) == n_values, "no weights");
        layers.push_back({choose(dampings, damping), choose(norms, norm)});
        for (std::size_t row = 0; row < n_rows; ++row) {
            float* const out = together.data() + row * stride + l * (1 + n_values);
            out[0] = factors(row);
            std::copy_n(values.data() + row * n_values, n_values, out + 1);
        }
    }
    if (rows) {
        expect(rows->size() < max_ids && (rows->size() > 0 || n_rows == 0), "rows without terms");
        for (std::size_t i = 0; i < rows->size(); ++i)
            if ((*rows)(i) >= n_rows) throw nb::index_error("no such row");
    }
    expect(!blocks || blocks->size() == (rows ? rows->size() : n_rows), "each term needs a block");
    return new LinearWeights(std::move(layers), static_cast<Id>(n_labels), std::move(together),
                             rows ? LargeVector<Id>(rows->data(), rows->data() + rows->size()) : LargeVector<Id>(),
                             blocks ? LargeVector<std::uint8_t>(blocks->data(), blocks->data() + blocks->size()) : LargeVector<std::uint8_t>());
}

using WrittenTable = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void mix_tables(const std::vector<WrittenTable>& models, Input<double> weights, const std::optional<std::vector<InputTable<double>>>& mixes,
                std::size_t threads) {
    expect(!models.empty() && models.size() == weights.size(), "each model needs a weight");
    expect(!mixes || mixes->size() == models.size(), "each model needs a mix");
    const std::size_t n_rows = models[0].shape(0), n_margins = models[0].shape(1);
    std::vector<MixedValues> mixed;
    for (std::size_t m = 0; m < models.size(); ++m) {
        expect(models[m].shape(0) == n_rows && models[m].shape(1) == n_margins, "the models have different shapes");
        expect(!mixes || ((*mixes)[m].shape(0) == n_margins && (*mixes)[m].shape(1) == n_margins), "each model needs a mix");
        mixed.push_back({models[m].data(), weights(m), mixes ? (*mixes)[m].data() : nullptr});
    }
    const GilReleased unlocked;
    mix_values(mixed, n_rows, n_margins, threads);
}

Floats share_score(const LinearWeights& weights, Numbers terms, Input<double> counts) {
    expect(terms.size() == counts.size(), "each term needs a count");
    for (std::size_t i = 0; i < terms.size(); ++i) expect(terms(i) < std::int64_t{weights.n_terms()}, "no such term");
    std::unique_ptr<double[]> shares(new double[terms.size() * weights.n_labels()]);
    weights.share({terms.data(), terms.size()}, {counts.data(), counts.size()}, shares.get());
    return take_array(std::move(shares), {terms.size(), std::size_t{weights.n_labels()}});
}

struct FittedArrays {
    std::size_t n_rows, n_columns, n_results;
    LargeVector<double> coefficients = LargeVector<double>(n_rows * n_columns, 0.0);
    std::unique_ptr<double[]> intercepts{new double[n_rows]()}, gaps{new double[n_results]()};
    std::unique_ptr<std::int64_t[]> epochs{new std::int64_t[n_results]()};

    void keep(std::size_t number, const DescentResult& result) {
        epochs[number] = result.epochs;
        gaps[number] = result.gap;
    }
    Fitted take() {
        return {take_array(std::move(coefficients), {n_rows, n_columns}), take_array(std::move(intercepts), {n_rows}),
                take_array(std::move(epochs), {n_results}), take_array(std::move(gaps), {n_results})};
    }
};

using SolveBinary = void (*)(const LinearProblem&, const BinaryTask&, const DescentOptions&, FittedArrays&);

template <class Loss, class Weight>
void solve_with(const LinearProblem& problem, const BinaryTask& task, const DescentOptions& options, FittedArrays& fitted) {
    MatrixVectors<Weight> vectors(problem, task);
    DualDescent<Loss, MatrixVectors<Weight>> descent(vectors, task.number, options);
    fitted.keep(task.number, descend(descent, options, 1)[0]);
    vectors.write([&](std::size_t i) { return descent.signed_dual(i, 0); }, fitted.coefficients.data() + task.number * fitted.n_columns);
    fitted.intercepts[task.number] = descent.intercept(0);
}

template <class Loss>
void solve_binary(const LinearProblem& problem, const BinaryTask& task, const DescentOptions& options, FittedArrays& fitted) {
    (task.scale ? solve_with<Loss, ScaledWeight> : solve_with<Loss, PlainWeight>)(problem, task, options, fitted);
}

const std::map<std::string, SolveBinary> binary_losses{
    {"hinge", solve_binary<Hinge>}, {"squared_hinge", solve_binary<SquaredHinge>}, {"logistic", solve_binary<Logistic>}};

// Each problem is solved by one thread, so the number of threads does not change the result.
Fitted fit_binary(const LinearProblem& problem, InputTable<std::uint8_t> positive, InputTable<double> costs, const std::optional<InputTable<double>>& scale,
                  const std::string& loss, double bias, double tol, std::int64_t max_epochs, std::int64_t seed, std::size_t threads) {
    const std::size_t n_problems = positive.shape(0), n = problem.n_documents(), n_columns = problem.n_columns();
    expect(positive.shape(1) == n && costs.shape(0) == n_problems && costs.shape(1) == n, "each document needs a side and a cost");
    expect(!scale || (scale->shape(0) == n_problems && scale->shape(1) == n_columns), "each column needs a scale");
    expect_costs(costs.data(), costs.size());
    if (scale) expect_finite(scale->data(), scale->size(), "scales must be finite");
    const DescentOptions options = read_options(bias, tol, max_epochs, seed);
    const SolveBinary solve = choose(binary_losses, loss);
    FittedArrays fitted{n_problems, n_columns, n_problems};
    {
        const GilReleased unlocked;
        share_out(threads, n_problems, [&](std::size_t, std::size_t p) {
            const double* const own_scale = scale ? scale->data() + p * n_columns : nullptr;
            solve(problem, {{positive.data() + p * n, n}, {costs.data() + p * n, n}, own_scale, p}, options, fitted);
        });
    }
    return fitted.take();
}

using SolveJoint = void (*)(const LinearProblem&, const JointTask&, const DescentOptions&, FittedArrays&);

template <class Loss>
void solve_joint(const LinearProblem& problem, const JointTask& task, const DescentOptions& options, FittedArrays& fitted) {
    JointDescent<Loss> descent(problem, task, options);
    fitted.keep(0, descend(descent, options, 1)[0]);
    descent.write(fitted.coefficients.data(), fitted.intercepts.get());
}

const std::map<std::string, SolveJoint> joint_losses{{"crammer_singer", solve_joint<CrammerSinger>}, {"softmax", solve_joint<Softmax>}};

Fitted fit_joint(const LinearProblem& problem, Numbers codes, std::int64_t n_labels, Input<double> costs, const std::string& loss, double bias,
                 double tol, std::int64_t max_epochs, std::int64_t seed) {
    const std::size_t n = problem.n_documents();
    expect(codes.size() == n && costs.size() == n, "each document needs a label and a cost");
    expect(n_labels >= 1 && n_labels < std::int64_t{max_ids}, "there must be labels");
    expect_below(codes, static_cast<std::size_t>(n_labels), "no such label");
    expect_costs(costs.data(), costs.size());
    const DescentOptions options = read_options(bias, tol, max_epochs, seed);
    const SolveJoint solve = choose(joint_losses, loss);
    FittedArrays fitted{static_cast<std::size_t>(n_labels), problem.n_columns(), 1};
    {
        const GilReleased unlocked;
        solve(problem, {{codes.data(), n}, {costs.data(), n}, fitted.n_rows}, options, fitted);
    }
    return fitted.take();
}

}  // namespace

void bind_linear(nb::module_& m) {
    m.def("mix_values", &mix_tables, "models"_a, "weights"_a, "mixes"_a.none(), "threads"_a = 1);
    m.def("weigh_counts", &weigh_counts, "ends"_a, "columns"_a, "counts"_a, "factors"_a.none(), "damping"_a, "norm"_a,
          "blocks"_a = nb::none(), "threads"_a = 1);

    nb::class_<LinearProblem>(m, "LinearProblem")
        .def("__init__", [](LinearProblem* self, Numbers ends, Input<std::int32_t> columns, const std::optional<Input<double>>& values,
                            std::int64_t n_columns) {
            const MatrixView matrix = view_matrix(ends, columns, values, n_columns);
            const GilReleased unlocked;
            new (self) LinearProblem(matrix);
        }, "ends"_a, "columns"_a, "values"_a.none(), "n_columns"_a)
        .def("fit_binary", &fit_binary, "positive"_a, "costs"_a, "scale"_a.none(), "loss"_a, "bias"_a, "tol"_a, "max_epochs"_a, "seed"_a,
             "threads"_a = 1)
        .def("fit_joint", &fit_joint, "codes"_a, "n_labels"_a, "costs"_a, "loss"_a, "bias"_a, "tol"_a, "max_epochs"_a, "seed"_a);

    nb::class_<LinearWeights>(m, "LinearWeights")
        .def(nb::new_(&make_linear_weights), "layers"_a, "n_labels"_a, "rows"_a = nb::none(), "blocks"_a = nb::none())
        .def_prop_ro("n_terms", &LinearWeights::n_terms)
        .def_prop_ro("n_labels", &LinearWeights::n_labels)
        .def("without_forgotten", [](const LinearWeights& weights, Counts& counts) {
            return counts.met().size() == counts.n_terms() ? weights : weights.keep_only(counts.met());
        }, "counts"_a)
        .def("knows", &know_terms<LinearWeights>, "terms"_a)
        .def("score", &score_documents<LinearWeights>, "rows"_a, "documents"_a, "threads"_a = 1)
        .def("share", &share_score, "terms"_a, "counts"_a)
        .def("values", [](const LinearWeights& weights, Numbers terms) {
            expect_below(terms, weights.n_terms(), "no such term");
            std::unique_ptr<double[]> values(new double[terms.size() * weights.n_labels()]);
            for (std::size_t i = 0; i < terms.size(); ++i) weights.explain(static_cast<Id>(terms(i)), values.get() + i * weights.n_labels());
            return take_array(std::move(values), {terms.size(), std::size_t{weights.n_labels()}});
        }, "terms"_a);
}

}  // namespace tercet

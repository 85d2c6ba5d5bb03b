// Rows of documents for linear models, and the margins that are trained on them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <optional>

#include "base/choices.hpp"
#include "bridge/gil.hpp"
#include "bridge/linear.hpp"
#include "bridge/module.hpp"
#include "linear/dual_descent.hpp"
#include "linear/text_vectors.hpp"

namespace tercet {

namespace {

// Values of terms, intercepts, states of documents, passes, gaps, and scores of the documents that were asked for.
using Margins = std::tuple<Output<float>, Floats, Floats, Integers, Floats, Floats>;

// A problem, and the arrays for its solution.
struct TextTask {
    const TextRows& rows;
    RowWeighting weighting;
    LabelledRows labelled;
    std::optional<Ratios> ratios;
    DescentOptions options;
    std::optional<InputTable<double>> start;
    std::span<const std::int64_t> scored;  // rows whose scores are wanted
    bool wants_values;
    std::size_t threads;

    std::size_t n_margins = labelled.n_margins();
    LargeVector<float> values = LargeVector<float>(wants_values ? rows.n_terms() * n_margins : 0, 0.0f);
    std::vector<double> intercepts = std::vector<double>(n_margins), gaps = std::vector<double>(n_margins);
    std::vector<std::int64_t> epochs = std::vector<std::int64_t>(n_margins);
    LargeVector<double> states = LargeVector<double>(rows.size() * n_margins), scores = LargeVector<double>(scored.size() * n_margins);

    Margins take() {
        return {take_array(std::move(values), {wants_values ? rows.n_terms() : 0, n_margins}), copy_array<double>(intercepts),
                take_array(std::move(states), {rows.size(), n_margins}), copy_array<std::int64_t>(epochs), copy_array<double>(gaps),
                take_array(std::move(scores), {scored.size(), n_margins})};
    }
};

// The margins from `first` on, as many as there are lanes.
template <class Loss, class Number, std::size_t lanes, bool by_label>
void solve_lanes(TextTask& task, const WeighedRows<Number>& weighed, std::size_t first) {
    using Vectors = TextVectors<Number, lanes, by_label>;
    Vectors vectors(weighed, task.labelled, first, task.ratios.value_or(Ratios{}));
    const std::size_t n = std::min(lanes, task.n_margins - first);
    std::vector<double> start(task.start ? vectors.size() * lanes : 0, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < (task.start ? vectors.size() : 0); ++i)
        for (std::size_t k = 0; k < n; ++k) start[i * lanes + k] = (*task.start)(i, first + k);
    DualDescent<Loss, Vectors> descent(vectors, first, task.options, start);
    const auto results = descend(descent, task.options, vectors.all_used());
    descent.sum_again();
    const auto duals = [&](std::size_t i, std::size_t k) { return descent.signed_dual(i, k); };
    if constexpr (by_label) vectors.interpolate(duals);
    for (std::size_t k = 0; k < n; ++k) {
        task.intercepts[first + k] = descent.intercept(k) * (by_label ? task.ratios->beta : 1);
        task.epochs[first + k] = results[k].epochs;
        task.gaps[first + k] = results[k].gap;
        for (std::size_t i = 0; i < vectors.size(); ++i) task.states[i * task.n_margins + first + k] = descent.state(i, k);
    }
    if (task.wants_values) vectors.write(duals, task.values.data());
    for (std::size_t s = 0; s < task.scored.size(); ++s) {
        const auto sums = vectors.sum(static_cast<std::size_t>(task.scored[s]));
        for (std::size_t k = 0; k < n; ++k) task.scores[s * task.n_margins + first + k] = task.intercepts[first + k] + sums[k];
    }
}

// The lanes do not depend on the number of threads, so the result does not depend on it.
template <class Loss, class Number, std::size_t lanes, bool by_label>
void solve_all(TextTask& task) {
    const WeighedRows<Number> weighed(task.rows, task.weighting, task.threads);
    share_out(task.threads, (task.n_margins + lanes - 1) / lanes, [&](std::size_t, std::size_t group) {
        solve_lanes<Loss, Number, lanes, by_label>(task, weighed, group * lanes);
    });
}

template <class Loss, class Number, std::size_t lanes>
void solve_with(TextTask& task) {
    task.ratios ? solve_all<Loss, Number, lanes, true>(task) : solve_all<Loss, Number, lanes, false>(task);
}

// Numbers of 32 bits are exact enough for a gap of 10⁻⁵.
template <class Loss>
void solve(TextTask& task) {
    if (task.options.tol < 1e-5) solve_with<Loss, double, 1>(task);
    else if (task.n_margins == 1) solve_with<Loss, float, 1>(task);
    else if (task.n_margins <= 4) solve_with<Loss, float, 4>(task);
    else solve_with<Loss, float, 8>(task);
}

using Solve = void (*)(TextTask&);
const std::map<std::string, Solve> solvers{{"hinge", solve<Hinge>}, {"squared_hinge", solve<SquaredHinge>}, {"logistic", solve<Logistic>}};

void expect_weights(Input<double> weights, const char* what) {
    for (std::size_t i = 0; i < weights.size(); ++i) expect(std::isfinite(weights(i)) && weights(i) >= 0, what);
}

using WeighingOptions = std::tuple<Input<float>, std::string, std::string, bool, std::size_t>;  // factors, damping, norm, by block, number of blocks
using RatioOptions = std::tuple<Input<double>, double, double>;                                 // documents of each term, smoothing, beta
using PassOptions = std::tuple<double, double, std::int64_t, std::int64_t>;                     // bias, tol, max_epochs, seed

RowWeighting read_weighting(const TextRows& rows, const WeighingOptions& options) {
    const auto& [factors, damping, norm, by_block, n_blocks] = options;
    expect(factors.size() == rows.n_terms(), "each term needs a factor");
    for (std::size_t t = 0; t < factors.size(); ++t) expect(std::isfinite(factors(t)), "factors must be finite");
    expect(n_blocks >= 1 && n_blocks <= rows.n_blocks(), "no such block");
    return {choose(dampings, damping), choose(norms, norm), by_block, n_blocks, {factors.data(), factors.size()}};
}

std::optional<Ratios> read_ratios(const std::optional<RatioOptions>& options, std::span<const float> factors) {
    if (!options) return std::nullopt;
    const auto& [documents, smoothing, beta] = *options;
    expect(documents.size() == factors.size(), "each term needs a number of documents");
    expect_weights(documents, "numbers of documents must be finite and >= 0");
    expect(std::isfinite(smoothing) && smoothing > 0 && beta >= 0 && beta <= 1, "no smoothing or beta");
    expect(std::all_of(factors.begin(), factors.end(), [](float factor) { return factor == 0 || factor == 1; }), "with ratios, factors are 0 or 1");
    return Ratios{smoothing, beta, {documents.data(), documents.size()}};
}

Margins fit_margins(const TextRows& rows, Numbers codes, Input<double> weights, Input<double> label_weights, double cost,
                    const WeighingOptions& weighing, const std::optional<RatioOptions>& ratios, const std::string& loss, const PassOptions& passes,
                    const std::optional<InputTable<double>>& start, Numbers scored, bool wants_values, std::size_t threads) {
    expect(codes.size() == rows.size() && weights.size() == rows.size(), "each document needs a label and a weight");
    expect(label_weights.size() >= 2 && label_weights.size() < max_ids, "there must be labels");
    expect_below(codes, label_weights.size(), "no such label");
    expect_weights(weights, "weights must be finite and >= 0");
    expect_weights(label_weights, "weights must be finite and >= 0");
    expect(std::isfinite(cost) && cost > 0, "costs must be finite and > 0");
    const LabelledRows labelled{{codes.data(), codes.size()}, {weights.data(), weights.size()}, {label_weights.data(), label_weights.size()}, cost};
    expect(!start || (start->shape(0) == rows.size() && start->shape(1) == labelled.n_margins()), "each document needs a start");
    expect_below(scored, rows.size(), "no such document");
    const RowWeighting weighting = read_weighting(rows, weighing);
    TextTask task{rows, weighting, labelled, read_ratios(ratios, weighting.factors), std::apply(read_options, passes), start,
                  {scored.data(), scored.size()}, wants_values, threads};
    const Solve solve = choose(solvers, loss);
    {
        const GilReleased unlocked;
        solve(task);
    }
    return task.take();
}

// A CSR matrix of the rows: ends, terms and weighted values. Terms whose factor is 0 are left out.
std::tuple<Integers, Output<std::int32_t>, Floats> make_matrix(const TextRows& rows, Numbers documents, const WeighingOptions& weighing,
                                                               std::size_t threads) {
    expect_below(documents, rows.size(), "no such document");
    const RowWeighting weighting = read_weighting(rows, weighing);
    std::vector<std::int64_t> ends{0};
    LargeVector<std::int32_t> terms;
    LargeVector<double> values;
    {
        const GilReleased unlocked;
        const WeighedRows<double> weighed(rows, weighting, threads);
        for (std::size_t d = 0; d < documents.size(); ++d) {
            rows.visit(static_cast<std::size_t>(documents(d)), weighting.n_blocks, [&](std::size_t r, std::span<const Id> columns, std::span<const Id> own) {
                const auto add = [&](Id term) {
                    if (weighting.factors[term] == 0) return;
                    terms.push_back(static_cast<std::int32_t>(term));
                    values.push_back(weighed.values[r] * weighting.factors[term]);
                };
                for (Id column : columns) add(rows.shared_terms()[column]);
                for (Id term : own) add(term);
            });
            ends.push_back(static_cast<std::int64_t>(terms.size()));
        }
    }
    const std::size_t n = terms.size();
    return {copy_array<std::int64_t>(ends), take_array(std::move(terms), {n}), take_array(std::move(values), {n})};
}

}  // namespace

void bind_text_rows(nb::module_& m) {
    nb::class_<TextRows>(m, "TextRows")
        .def("__init__", [](TextRows* self, std::int64_t n_terms, const std::optional<Input<std::uint8_t>>& blocks) {
            expect(n_terms >= 0 && n_terms < std::int64_t{max_ids}, "so many terms have no numbers");
            expect(!blocks || blocks->size() == static_cast<std::size_t>(n_terms), "each term needs a block");
            std::vector<std::uint8_t> of_terms;
            if (blocks) of_terms.assign(blocks->data(), blocks->data() + blocks->size());
            new (self) TextRows(static_cast<Id>(n_terms), std::move(of_terms));
        }, "n_terms"_a, "blocks"_a.none())
        .def("append", [](TextRows& self, const Rows& rows, std::size_t threads) {
            const GilReleased unlocked;
            self.append(rows, threads);
        }, "rows"_a, "threads"_a = 1)
        .def("finish", [](TextRows& self, Numbers order) {
            expect(order.size() == self.n_appended(), "each row needs a place");
            expect_below(order, self.n_appended(), "no such row");
            const GilReleased unlocked;
            self.finish({order.data(), order.size()});
        }, "order"_a)
        .def("__len__", &TextRows::size)
        .def_prop_ro("n_blocks", &TextRows::n_blocks)
        .def("count_documents", [](const TextRows& self, Input<double> weights) {
            expect(weights.size() == self.size(), "each document needs a weight");
            LargeVector<double> counts;
            {
                const GilReleased unlocked;
                counts = self.count_documents({weights.data(), weights.size()});
            }
            return take_array(std::move(counts), {std::size_t{self.n_terms()}});
        }, "weights"_a)
        .def("fit_margins", &fit_margins, "codes"_a, "weights"_a, "label_weights"_a, "cost"_a, "weighing"_a, "ratios"_a.none(), "loss"_a, "passes"_a,
             "start"_a.none(), "scored"_a, "wants_values"_a, "threads"_a = 1)
        .def("matrix", &make_matrix, "documents"_a, "weighing"_a, "threads"_a = 1);
}

}  // namespace tercet

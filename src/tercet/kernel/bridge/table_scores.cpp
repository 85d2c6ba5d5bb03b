// Scores of texts by a table and weights: Table.weigh, Table.log_joint and Table.predict.
#include <nanobind/stl/pair.h>

#include <atomic>

#include "bayes/lazy_weights.hpp"
#include "bridge/table.hpp"
#include "counts/scoring.hpp"
#include "linear/linear_weights.hpp"

namespace tercet {

namespace {

// Weights for the present counts. Changes of the table do not change them. They are derived when it is worth it, see LazyWeights.
LazyWeights* weigh(TableObject& table, const Model& model, std::size_t threads) {
    model.expect_fit(table.counts());
    if (!model.knows_all()) return new LazyWeights(Weights(table.counts(), model, threads));
    return new LazyWeights(table.counts(), model, threads);
}

// Called with the GIL, before documents are scored.
void prepare(const TableObject& table, const LazyWeights& weights, Documents documents) {
    if (!weights.reads_only(table.counts())) weights.derive();  // the lock of this table does not protect other counts
    std::size_t n_bytes = 0;
    for (const Document& document : documents) n_bytes += document.memory();
    weights.announce(n_bytes);
}
void prepare(const TableObject&, const LinearWeights&, Documents) {}

// Scores as texts × labels, and the number of texts for which every label has the score -infinity.
template <class W>
std::pair<Floats, std::size_t> log_joint(TableObject& table, const W& weights, const Texts& texts, Input<double> prior,
                                         std::size_t threads) {
    const std::size_t n = texts.get().size(), n_labels = weights.n_labels();
    expect(prior.size() == n_labels, "each label needs a prior");
    prepare(table, weights, texts.get());
    std::unique_ptr<double[]> scores(new double[n * n_labels]);
    std::atomic<std::size_t> n_lost = 0;
    table.read(texts, threads, [&](Reader& reader, std::size_t i) {
        double* out = scores.get() + i * n_labels;
        score_document(weights, reader, texts.get()[i], out);
        n_lost += !add_prior({out, n_labels}, prior.data());
    });
    return {take_array(std::move(scores), {n, n_labels}), n_lost.load()};
}

// The label with the highest score; ties go to the first label.
template <class W>
std::pair<Integers, std::size_t> predict(TableObject& table, const W& weights, const Texts& texts, Input<double> prior,
                                         std::size_t threads) {
    const std::size_t n = texts.get().size(), n_labels = weights.n_labels();
    expect(prior.size() == n_labels, "each label needs a prior");
    prepare(table, weights, texts.get());
    std::unique_ptr<std::int64_t[]> best(new std::int64_t[n]);
    std::atomic<std::size_t> n_lost = 0;
    table.read(texts, threads, [&](Reader& reader, std::size_t i) {
        static thread_local std::vector<double> scores;
        scores.resize(n_labels);
        score_document(weights, reader, texts.get()[i], scores.data());
        n_lost += !add_prior(scores, prior.data());
        best[i] = std::max_element(scores.begin(), scores.end()) - scores.begin();
    });
    return {take_array(std::move(best), {n}), n_lost.load()};
}

}  // namespace

void bind_table_scores(nb::class_<TableObject>& table) {
    table.def("weigh", &weigh, nb::keep_alive<0, 1>(), "model"_a, "threads"_a = 1)
        .def("log_joint", &log_joint<LazyWeights>, "weights"_a, "texts"_a, "prior"_a, "threads"_a = 1)
        .def("log_joint", &log_joint<LinearWeights>, "weights"_a, "texts"_a, "prior"_a, "threads"_a = 1)
        .def("predict", &predict<LazyWeights>, "weights"_a, "texts"_a, "prior"_a, "threads"_a = 1)
        .def("predict", &predict<LinearWeights>, "weights"_a, "texts"_a, "prior"_a, "threads"_a = 1);
}

}  // namespace tercet

// Scores of texts by a table and weights, or by two tables: `weigh`, `log_joint` and `predict`.
#include <nanobind/stl/pair.h>

#include <atomic>
#include <shared_mutex>

#include "bayes/lazy_weights.hpp"
#include "bridge/gil.hpp"
#include "bridge/table.hpp"
#include "counts/scoring.hpp"

namespace tercet {

TablePair::TablePair(TableObject& table, TableObject& added, const LinearWeights& weights)
    : table_(table), added_(added), weights_(weights),
      readers_({table.recipe_, table.table_.vocabulary, &added.table_.vocabulary}) {
    expect(&table != &added, "two tables are needed");
}

void TablePair::read(const Texts& texts, std::size_t threads, const std::function<void(Reader&, std::size_t)>& work) {
    const GilReleased unlocked;
    const std::shared_lock lock(table_.mutex_), of_added(added_.mutex_);
    readers_.read(texts.get(), threads, work);
}

void TablePair::add_scores(const Reader& reader, std::span<double> scores) const {
    static thread_local LinearWeights::Sum sum;
    static thread_local std::vector<double> own;
    own.resize(scores.size());
    score_row(weights_, reader.added(), sum, own.data());
    for (std::size_t label = 0; label < scores.size(); ++label) scores[label] += own[label];
}

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
void prepare(const TablePair& pair, const LinearWeights& weights, Documents) {
    expect(weights.n_labels() == pair.n_labels(), "both tables need weights of the same labels");
}

void add_second(const TableObject&, const Reader&, std::span<double>) {}
void add_second(const TablePair& pair, const Reader& reader, std::span<double> scores) { pair.add_scores(reader, scores); }

// Scores as texts × labels, and the number of texts for which every label has the score -infinity.
template <class Tables, class W>
std::pair<Floats, std::size_t> log_joint(Tables& tables, const W& weights, const Texts& texts, Input<double> prior,
                                         std::size_t threads) {
    const std::size_t n = texts.get().size(), n_labels = weights.n_labels();
    expect(prior.size() == n_labels, "each label needs a prior");
    prepare(tables, weights, texts.get());
    std::unique_ptr<double[]> scores(new double[n * n_labels]);
    std::atomic<std::size_t> n_lost = 0;
    tables.read(texts, threads, [&](Reader& reader, std::size_t i) {
        double* out = scores.get() + i * n_labels;
        score_document(weights, reader, texts.get()[i], out);
        n_lost += !add_prior({out, n_labels}, prior.data());
        add_second(tables, reader, {out, n_labels});
    });
    return {take_array(std::move(scores), {n, n_labels}), n_lost.load()};
}

// The label with the highest score; ties go to the first label.
template <class Tables, class W>
std::pair<Integers, std::size_t> predict(Tables& tables, const W& weights, const Texts& texts, Input<double> prior,
                                         std::size_t threads) {
    const std::size_t n = texts.get().size(), n_labels = weights.n_labels();
    expect(prior.size() == n_labels, "each label needs a prior");
    prepare(tables, weights, texts.get());
    std::unique_ptr<std::int64_t[]> best(new std::int64_t[n]);
    std::atomic<std::size_t> n_lost = 0;
    tables.read(texts, threads, [&](Reader& reader, std::size_t i) {
        static thread_local std::vector<double> scores;
        scores.resize(n_labels);
        score_document(weights, reader, texts.get()[i], scores.data());
        n_lost += !add_prior(scores, prior.data());
        add_second(tables, reader, scores);
        best[i] = std::max_element(scores.begin(), scores.end()) - scores.begin();
    });
    return {take_array(std::move(best), {n}), n_lost.load()};
}

}  // namespace

void bind_table_scores(nb::module_& m, nb::class_<TableObject>& table) {
    table.def("weigh", &weigh, nb::keep_alive<0, 1>(), "model"_a, "threads"_a = 1)
        .def("log_joint", &log_joint<TableObject, LazyWeights>, "weights"_a, "texts"_a, "prior"_a, "threads"_a = 1)
        .def("log_joint", &log_joint<TableObject, LinearWeights>, "weights"_a, "texts"_a, "prior"_a, "threads"_a = 1)
        .def("predict", &predict<TableObject, LazyWeights>, "weights"_a, "texts"_a, "prior"_a, "threads"_a = 1)
        .def("predict", &predict<TableObject, LinearWeights>, "weights"_a, "texts"_a, "prior"_a, "threads"_a = 1);

    nb::class_<TablePair>(m, "TablePair")
        .def(nb::init<TableObject&, TableObject&, const LinearWeights&>(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             nb::keep_alive<1, 4>(), "table"_a, "added"_a, "weights"_a)
        .def("log_joint", &log_joint<TablePair, LinearWeights>, "weights"_a, "texts"_a, "prior"_a, "threads"_a = 1)
        .def("predict", &predict<TablePair, LinearWeights>, "weights"_a, "texts"_a, "prior"_a, "threads"_a = 1);
}

}  // namespace tercet

// Naive Bayes: Model and Weights.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <span>

#include "base/choices.hpp"
#include "bayes/lazy_weights.hpp"
#include "bridge/module.hpp"
#include "bridge/weights.hpp"

namespace tercet {

namespace {

const std::map<std::string, Likelihood> likelihoods{{"multinomial", Likelihood::multinomial},
                                                    {"binary", Likelihood::binary},
                                                    {"bernoulli", Likelihood::bernoulli},
                                                    {"complement", Likelihood::complement}};
const std::map<std::string, Smoothing> smoothings{{"additive", Smoothing::additive},
                                                  {"jelinek_mercer", Smoothing::jelinek_mercer},
                                                  {"dirichlet", Smoothing::dirichlet},
                                                  {"absolute_discount", Smoothing::absolute_discount}};

using PackedArrays = std::tuple<Floats, Floats, Output<float>, Integers, Integers, Output<float>>;

PackedArrays pack_weights(const LazyWeights& weights, Numbers terms) {
    expect_below(terms, weights.n_terms(), "no such term");
    const Weights::Packed packed = weights.derive().pack({terms.data(), terms.size()});
    return {copy_array<double>(packed.of_label),      copy_array<double>(packed.offset),       copy_array<float>(packed.of_term),
            copy_array<std::int64_t>(packed.starts), copy_array<std::int64_t>(packed.labels), copy_array<float>(packed.values)};
}

LazyWeights* unpack_weights(const Model& model, Input<double> of_label, Input<double> offset, Input<float> of_term, Numbers starts,
                       Numbers labels, Input<float> values) {
    expect(of_label.size() == offset.size() && starts.size() == of_term.size() + 1 && labels.size() == values.size(), "no weights");
    expect(starts(0) == 0 && static_cast<std::uint64_t>(starts(of_term.size())) == labels.size(), "no weights");
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) expect(starts(i) <= starts(i + 1), "no weights");
    expect_below(labels, of_label.size(), "no such label");
    const auto list = [](auto array) { return std::vector(array.data(), array.data() + array.size()); };
    return new LazyWeights(Weights(model, {list(of_label), list(offset), list(of_term), list(values), list(starts), list(labels)}));
}

LazyWeights* weigh_probabilities(const Model& model, InputTable<double> probabilities) {
    expect(model.formula.is_strict() && model.formula.likelihood != Likelihood::complement && !model.unknown_term, "no given probabilities");
    const std::size_t n_terms = probabilities.shape(0), n_labels = probabilities.shape(1);
    expect(n_labels < max_ids && n_terms < max_ids, "too many labels or terms");
    const std::span values(probabilities.data(), n_terms * n_labels);
    expect(std::all_of(values.begin(), values.end(), [](double p) { return 0 <= p && p <= 1; }), "no probabilities");
    return new LazyWeights(Weights(model, static_cast<Id>(n_labels), values));
}

}  // namespace

void bind_bayes(nb::module_& m) {
    nb::class_<Model>(m, "Model")
        .def("__init__",
             [](Model* self, const std::string& likelihood, const std::string& smoothing, double value, bool open, bool shared,
                bool unknown_term, std::int64_t min_documents, const std::optional<Input<std::uint8_t>>& kept,
                const std::optional<Input<double>>& pseudo_counts) {
                 Model model{{choose(likelihoods, likelihood), choose(smoothings, smoothing), value},
                             open, shared, unknown_term, min_documents};
                 if (kept) model.kept.assign(kept->data(), kept->data() + kept->size());
                 if (pseudo_counts) {
                     expect(model.formula.takes_own_values(), "no pseudo-counts of terms here");
                     model.pseudo_counts.assign(pseudo_counts->data(), pseudo_counts->data() + pseudo_counts->size());
                     for (double count : model.pseudo_counts) expect(std::isfinite(count) && count > 0, "a pseudo-count is a number above 0");
                 }
                 new (self) Model(std::move(model));
             },
             nb::kw_only(), "likelihood"_a, "smoothing"_a, "value"_a, "open"_a, "shared"_a, "unknown_term"_a, "min_documents"_a,
             "kept"_a.none(), "pseudo_counts"_a.none() = nb::none());

    nb::class_<LazyWeights>(m, "Weights")
        .def("__init__",
             [](LazyWeights* self, const Counts& counts, const Model& model, std::size_t threads) {
                 model.expect_fit(counts);
                 new (self) LazyWeights(Weights(counts, model, threads));
             },
             "counts"_a, "model"_a, "threads"_a = 1)
        .def("score", [](const LazyWeights& weights, const Rows& rows, Numbers documents, std::size_t threads) {
            return score_documents(weights.derive(), rows, documents, threads);
        }, "rows"_a, "documents"_a, "threads"_a = 1)
        .def_static("unpack", &unpack_weights, "model"_a, "of_label"_a, "offset"_a, "of_term"_a, "starts"_a, "labels"_a, "values"_a)
        .def_static("from_probabilities", &weigh_probabilities, "model"_a, "probabilities"_a)
        .def("pack", &pack_weights, "terms"_a)
        .def("n_counted", [](const LazyWeights& weights, const Rows& rows) {
            std::vector<double> counted;
            const Weights& derived = weights.derive();
            for (std::size_t i = 0; i < rows.size(); ++i) counted.push_back(derived.n_counted(rows[i]));
            return copy_array<double>(counted);
        }, "rows"_a)
        .def("offset", [](const LazyWeights& weights) { return copy_array<double>(weights.parts().offset); })
        .def_prop_ro("is_derived", &LazyWeights::is_derived)
        .def_prop_ro("n_labels", &LazyWeights::n_labels)
        .def_prop_ro("n_terms", &LazyWeights::n_terms)
        .def("knows", [](const LazyWeights& weights, Numbers terms) {
            return weights.use_for(terms.size(), [&](const auto& used) { return know_terms(used, terms); });
        }, "terms"_a)
        .def("log_probabilities", [](const LazyWeights& weights, Numbers terms) {
            const std::size_t n_labels = weights.n_labels();
            std::unique_ptr<double[]> values(new double[terms.size() * n_labels]);
            for (std::size_t i = 0; i < terms.size(); ++i) expect(terms(i) < std::int64_t{weights.n_terms()}, "no such term");
            weights.use_for(terms.size(), [&](const auto& used) {
                for (std::size_t i = 0; i < terms.size(); ++i)
                    used.explain(terms(i) < 0 ? none : static_cast<Id>(terms(i)), values.get() + i * n_labels);
            });
            return take_array(std::move(values), {terms.size(), n_labels});
        }, "terms"_a);
}

}  // namespace tercet

// Calibrations and stacks: held-out scores in, their best numbers out. One thread computes each, in the order of the documents.
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <memory>
#include <span>
#include <tuple>

#include "bridge/arrays.hpp"
#include "bridge/gil.hpp"
#include "bridge/module.hpp"
#include "calibration/isotonic.hpp"
#include "calibration/length.hpp"
#include "calibration/softmax.hpp"

namespace tercet {

namespace {

using InputBlock = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Fitted = std::tuple<Floats, Floats, Floats>;  // factors, offsets, mix

HeldScores view_scores(const double* scores, std::size_t n_members, std::size_t n_documents, std::size_t n_labels, Numbers codes,
                       Input<double> weights) {
    expect(n_members > 0 && n_documents > 0 && n_labels > 0, "no scores");
    expect(codes.size() == n_documents && weights.size() == n_documents, "each document needs a label and a weight");
    expect_below(codes, n_labels, "no such label");
    double total = 0;
    for (std::size_t i = 0; i < n_documents; ++i) {
        expect(std::isfinite(weights(i)) && weights(i) >= 0, "weights must be finite and >= 0");
        total += weights(i);
    }
    expect(total > 0 && std::isfinite(total), "no document has a weight");
    for (std::size_t i = 0; i < n_members * n_documents * n_labels; ++i) expect(scores[i] < infinity, "scores must be numbers below infinity");
    return {scores, n_members, n_labels, {codes.data(), n_documents}, {weights.data(), n_documents}};
}

// Calls a function of one model's scores, documents × labels, without the GIL.
template <class Fit>
auto fit_scores(const InputTable<double>& scores, Numbers codes, Input<double> weights, Fit fit) {
    const HeldScores held = view_scores(scores.data(), 1, scores.shape(0), scores.shape(1), codes, weights);
    const GilReleased unlocked;
    return fit(held);
}

// A copy of scores, documents × labels, each row of which is changed by a function, without the GIL if there are many.
template <class Change>
Floats change_rows(const InputTable<double>& scores, Change change) {
    const std::size_t n = scores.shape(0), n_labels = scores.shape(1);
    expect(n_labels > 0, "no labels");
    std::unique_ptr<double[]> changed(new double[n * n_labels]);
    std::copy(scores.data(), scores.data() + n * n_labels, changed.get());
    const auto change_all = [&] {
        for (std::size_t i = 0; i < n; ++i) change(std::span(changed.get() + i * n_labels, n_labels));
    };
    if (n == 1) {
        change_all();
    } else {
        const GilReleased unlocked;
        change_all();
    }
    return take_array(std::move(changed), {n, n_labels});
}

}  // namespace

void bind_calibration(nb::module_& m) {
    m.def("normalize_scores", [](InputTable<double> scores) { return change_rows(scores, normalize_scores); }, "scores"_a);
    m.def("calibrate_by_length", [](InputTable<double> scores, double rate, double growth, double doubt, Input<double> offsets) {
        expect(offsets.size() == scores.shape(1), "each label needs an offset");
        return change_rows(scores, [&](std::span<double> row) {
            calibrate_by_length(row, rate, growth, doubt, {offsets.data(), offsets.size()});
        });
    }, "scores"_a, "rate"_a, "growth"_a, "doubt"_a, "offsets"_a);
    m.def("fit_stack", [](InputBlock scores, Numbers codes, Input<double> weights, bool has_mix) -> Fitted {
        const HeldScores held = view_scores(scores.data(), scores.shape(0), scores.shape(1), scores.shape(2), codes, weights);
        SoftmaxFit fit;
        {
            const GilReleased unlocked;
            fit = fit_stack(held, has_mix);
        }
        return {copy_array<double>(fit.factors), copy_array<double>(fit.offsets), copy_array<double>(fit.mix)};
    }, "scores"_a, "codes"_a, "weights"_a, "has_mix"_a);
    m.def("fit_temperature", [](InputTable<double> scores, Numbers codes, Input<double> weights) {
        return fit_scores(scores, codes, weights, fit_temperature);
    }, "scores"_a, "codes"_a, "weights"_a);
    m.def("fit_platt", [](InputTable<double> scores, Numbers codes, Input<double> weights) -> std::tuple<double, Floats> {
        const SoftmaxFit fit = fit_scores(scores, codes, weights, fit_platt);
        return {fit.factors[0], copy_array<double>(fit.offsets)};
    }, "scores"_a, "codes"_a, "weights"_a);
    m.def("fit_length", [](InputTable<double> scores, Numbers codes, Input<double> weights) -> std::tuple<double, double, double, Floats> {
        const LengthFit fit = fit_scores(scores, codes, weights, fit_length);
        return {fit.rate, fit.growth, fit.doubt, copy_array<double>(fit.offsets)};
    }, "scores"_a, "codes"_a, "weights"_a);
    m.def("fit_steps", [](Input<double> leads, Input<std::uint8_t> has_label, Input<double> weights, double unseen) -> std::tuple<Floats, Floats> {
        const std::size_t n = leads.size();
        expect(n > 0 && has_label.size() == n && weights.size() == n, "each document needs a label and a weight");
        expect(std::isfinite(unseen) && unseen >= 0, "leads must be finite");
        for (std::size_t i = 0; i < n; ++i) {
            expect(std::isfinite(leads(i)), "leads must be finite");
            expect(std::isfinite(weights(i)) && weights(i) > 0, "weights must be finite and > 0");
        }
        Steps steps;
        {
            const GilReleased unlocked;
            steps = fit_steps({leads.data(), n}, {has_label.data(), n}, {weights.data(), n}, unseen);
        }
        return {copy_array<double>(steps.leads), copy_array<double>(steps.shares)};
    }, "leads"_a, "has_label"_a, "weights"_a, "unseen"_a);
}

}  // namespace tercet

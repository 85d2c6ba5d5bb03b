// Calibrations and stacks: held-out scores in, their best numbers out. One thread computes each, in the order of the documents.
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <tuple>

#include "bridge/arrays.hpp"
#include "bridge/gil.hpp"
#include "bridge/module.hpp"
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

HeldScores view_table(const InputTable<double>& scores, Numbers codes, Input<double> weights) {
    return view_scores(scores.data(), 1, scores.shape(0), scores.shape(1), codes, weights);
}

}  // namespace

void bind_calibration(nb::module_& m) {
    m.def("fit_stack", [](InputBlock scores, Numbers codes, Input<double> weights, bool has_mix) -> Fitted {
        const HeldScores held = view_scores(scores.data(), scores.shape(0), scores.shape(1), scores.shape(2), codes, weights);
        SoftmaxFit fit;
        {
            const GilReleased unlocked;
            fit = fit_stack(held, has_mix);
        }
        return {copy_array<double>(fit.factors), copy_array<double>(fit.offsets), copy_array<double>(fit.mix)};
    }, "scores"_a, "codes"_a, "weights"_a, "has_mix"_a);
}

}  // namespace tercet

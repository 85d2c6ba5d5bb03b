// NearCopyFinder.
#include <nanobind/stl/pair.h>

#include "bridge/arrays.hpp"
#include "bridge/gil.hpp"
#include "bridge/module.hpp"
#include "bridge/texts.hpp"
#include "duplicates/near_copies.hpp"

namespace tercet {

namespace {

std::pair<Integers, Floats> export_pairs(const NearCopyFinder& finder, std::size_t threads) {
    std::vector<NearCopyFinder::Pair> pairs;
    {
        const GilReleased unlocked;
        pairs = finder.pairs(threads);
    }
    LargeVector<std::int64_t> positions(2 * pairs.size());
    LargeVector<double> similarity(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        positions[2 * k] = pairs[k].first;
        positions[2 * k + 1] = pairs[k].second;
        similarity[k] = pairs[k].similarity;
    }
    return {take_array(std::move(positions), {pairs.size(), 2}), take_array(std::move(similarity), {pairs.size()})};
}

}  // namespace

void bind_duplicates(nb::module_& m) {
    nb::class_<NearCopyFinder>(m, "NearCopyFinder")
        .def(nb::init<>())
        .def("add", [](NearCopyFinder& finder, const Texts& texts, std::size_t threads) {
            const GilReleased unlocked;
            finder.add(texts.get(), threads);
        }, "texts"_a, "threads"_a = 1)
        .def("compare", [](NearCopyFinder& finder, std::uint64_t band, double threshold, std::size_t threads) {
            const GilReleased unlocked;
            finder.compare(band, threshold, threads);
        }, "band"_a, "threshold"_a, "threads"_a = 1)
        .def("firsts", [](const NearCopyFinder& finder) { return copy_array<std::int64_t>(finder.firsts()); })
        .def("pairs", &export_pairs, "threads"_a = 1);
}

}  // namespace tercet

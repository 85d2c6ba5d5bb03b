// NearCopyFinder.
#include <nanobind/stl/pair.h>

#include <tuple>

#include "bridge/arrays.hpp"
#include "bridge/gil.hpp"
#include "bridge/module.hpp"
#include "bridge/texts.hpp"
#include "duplicates/near_copies.hpp"

namespace tercet {

namespace {

std::pair<Integers, Floats> export_pairs(const NearCopyFinder& finder, std::size_t threads) {
    LargeVector<std::int64_t> positions;
    LargeVector<double> similarity;
    {
        const GilReleased unlocked;
        const std::vector<NearCopyFinder::Link> pairs = finder.list_pairs();
        positions.resize(2 * pairs.size());
        similarity.resize(pairs.size());
        share_out_blocks(threads, pairs.size(), 64, [&](std::size_t, std::size_t k) {
            std::tie(positions[2 * k], positions[2 * k + 1]) = NearCopyFinder::ends_of(pairs[k]);
            similarity[k] = finder.similarity(pairs[k]);
        });
    }
    const std::size_t n = similarity.size();
    return {take_array(std::move(positions), {n, 2}), take_array(std::move(similarity), {n})};
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

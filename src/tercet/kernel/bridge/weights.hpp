// What may be asked of weights, whether they come from counts or were trained.
#pragma once
#include "bridge/arrays.hpp"
#include "counts/rows.hpp"

namespace tercet {

// log P(document | label) of these documents, or what margins say of them.
template <class W>
Floats score_documents(const W& weights, const Rows& rows, Numbers documents, std::size_t threads) {
    expect_below(documents, rows.size(), "no such document");
    const std::size_t n_labels = weights.n_labels();
    std::unique_ptr<double[]> scores(new double[documents.size() * n_labels]);
    {
        const nb::gil_scoped_release unlocked;
        constexpr std::size_t block = 64;
        share_out(threads, (documents.size() + block - 1) / block, [&](std::size_t, std::size_t b) {
            typename W::Sum sum;
            for (std::size_t k = b * block; k < std::min(documents.size(), (b + 1) * block); ++k) {
                const Row row = rows[documents(k)];
                weights.begin(sum, scores.get() + k * n_labels);
                for (const auto& [term, count] : row.entries) add_term(weights, sum, term, weights.clips() ? 1 : count);
                sum.n_unknown += row.n_unknown;
                weights.finish(sum);
            }
        });
    }
    return take_array(std::move(scores), {documents.size(), n_labels});
}

template <class W>
Output<bool> know_terms(const W& weights, Numbers terms) {
    expect_below(terms, weights.n_terms(), "no such term");
    std::unique_ptr<bool[]> known(new bool[terms.size()]);
    for (std::size_t i = 0; i < terms.size(); ++i) known[i] = weights.knows(static_cast<Id>(terms(i)));
    return take_array(std::move(known), {terms.size()});
}

}  // namespace tercet

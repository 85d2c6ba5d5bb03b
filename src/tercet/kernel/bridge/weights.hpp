// Functions that Weights and LinearWeights share.
#pragma once
#include <algorithm>
#include <memory>

#include "base/threads.hpp"
#include "bridge/arrays.hpp"
#include "bridge/gil.hpp"
#include "counts/rows.hpp"
#include "counts/scoring.hpp"

namespace tercet {

// The scores of these documents as documents × labels, without the prior.
template <class W>
Floats score_documents(const W& weights, const Rows& rows, Numbers documents, std::size_t threads) {
    expect_below(documents, rows.size(), "no such document");
    const std::size_t n_labels = weights.n_labels();
    std::unique_ptr<double[]> scores(new double[documents.size() * n_labels]);
    {
        const GilReleased unlocked;
        constexpr std::size_t block = 64;
        share_out(threads, (documents.size() + block - 1) / block, [&](std::size_t, std::size_t b) {
            typename W::Sum sum;  // local, so that the compiler can keep it in registers
            for (std::size_t k = b * block; k < std::min(documents.size(), (b + 1) * block); ++k)
                score_row(weights, rows[documents(k)], sum, scores.get() + k * n_labels);
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

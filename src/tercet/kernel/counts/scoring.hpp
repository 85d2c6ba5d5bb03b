// Scores of documents by weights: `W` is Weights (naive Bayes) or LinearWeights (trained).
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "base/numbers.hpp"
#include "counts/reader.hpp"
#include "counts/rows.hpp"

namespace tercet {

// Add a term to the score of a document. The term may be newer than the weights: then it counts as unknown.
template <class W>
void add_term(const W& weights, typename W::Sum& sum, Id term, double count) {
    if (term < weights.n_terms()) weights.add(sum, term, count);
    else sum.n_unknown += count;
}

// Call add(term, count) for each item. Memory of the items that come next is fetched ahead.
template <class W, class Items, class TermOf, class Add>
void add_ahead(const W& weights, const Items& items, TermOf term_of, Add add) {
    constexpr std::size_t ahead = 8;
    const auto is_coming = [&](std::size_t i) { return i < items.size() && term_of(items[i]) < weights.n_terms(); };
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (is_coming(i + 2 * ahead)) weights.prefetch(term_of(items[i + 2 * ahead]));
        if (is_coming(i + ahead)) weights.prefetch_values(term_of(items[i + ahead]));
        add(items[i]);
    }
}

// The scores of a document that is a row.
template <class W>
void score_row(const W& weights, const Row& row, typename W::Sum& sum, double* scores) {
    weights.begin(sum, scores);
    const bool clips = weights.clips();
    add_ahead(weights, row.entries, [](const Entry& entry) { return entry.term; }, [&](const Entry& entry) {
        add_term(weights, sum, entry.term, clips ? 1 : entry.count);
    });
    sum.n_unknown += row.n_unknown;
    weights.finish(sum);
}

// The scores of a document that is a text.
template <class W>
void score_document(const W& weights, Reader& reader, const Document& document, double* scores) {
    static thread_local typename W::Sum kept;
    typename W::Sum& sum = kept;  // a reference: each use of `kept` inside a lambda would find the thread's variable again
    if (weights.needs_rows()) return score_row(weights, reader.read(document), sum, scores);
    weights.begin(sum, scores);
    add_ahead(weights, reader.find(document), [](Id term) { return term; }, [&](Id term) { add_term(weights, sum, term, 1); });
    weights.finish(sum);
}

// Add the prior. If every label then has the score -infinity, the scores become the prior, and the result is false.
inline bool add_prior(std::span<double> scores, const double* prior) {
    bool possible = false;
    for (std::size_t label = 0; label < scores.size(); ++label) {
        scores[label] += prior[label];
        possible = possible || scores[label] != -infinity;
    }
    if (!possible) std::copy_n(prior, scores.size(), scores.begin());
    return possible;
}

}  // namespace tercet

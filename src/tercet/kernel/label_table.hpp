// Labelled documents → how often each term occurs under each label, and in how many of its documents.
#pragma once
#include <optional>

#include "counter.hpp"

namespace tercet {

class LabelCounter {
  public:
    LabelCounter(const Recipe& recipe, std::size_t n_labels, std::size_t n_threads)
        : n_labels_(n_labels), learners_(recipe, n_threads), rows_(std::max<std::size_t>(n_threads, 1)) {
        if (n_labels > max_labels) throw std::length_error("more than a million labels");
    }

    // labels[i] < n_labels is the label of documents[i].
    void add(Documents documents, const std::int64_t* labels) {
        if (terms_) throw std::logic_error("add texts before finish");
        learners_.learn(documents, split_documents(documents), [&](std::size_t w, std::size_t, std::size_t i, Learner& learner) {
            for (int kind = 0; kind < n_kinds; ++kind) {
                const Tally& tally = learner.tallies[kind];
                std::vector<Cell>& rows = rows_[w][kind];
                const std::size_t needed = std::size_t{learner.tables.size(static_cast<Kind>(kind))} * n_labels_;
                if (needed > rows.size()) rows.resize(std::max(needed, rows.size() * 3 / 2));
                for (Id id : tally.met()) {
                    Cell& cell = rows[id * n_labels_ + labels[i]];
                    cell.occurrences += tally[id];
                    ++cell.documents;
                }
            }
        });
    }

    // No more documents; from now on every term has its column.
    void finish() {
        if (terms_) throw std::logic_error("finish once");
        terms_.emplace(learners_.merge());
    }
    Vocabulary& vocabulary() { return terms_->vocabulary; }

    // Add the sums to tables of terms × labels that hold zeros.
    void write(std::int64_t* occurrences, std::int64_t* documents) const {
        for (std::size_t w = 0; w < rows_.size(); ++w) {
            for (int kind = 0; kind < n_kinds; ++kind) {
                const std::vector<Id>& columns = terms_->columns_of(w).of_kind[kind];
                for (Id id = 0; id < columns.size(); ++id) {
                    if (columns[id] == none || (id + std::size_t{1}) * n_labels_ > rows_[w][kind].size()) continue;
                    for (std::size_t label = 0; label < n_labels_; ++label) {
                        const Cell& cell = rows_[w][kind][id * n_labels_ + label];
                        occurrences[columns[id] * n_labels_ + label] += cell.occurrences;
                        documents[columns[id] * n_labels_ + label] += cell.documents;
                    }
                }
            }
        }
    }

  private:
    static constexpr std::size_t max_labels = 1'000'000;
    struct Cell {
        std::int64_t occurrences = 0, documents = 0;
    };
    std::size_t n_labels_;
    Learners learners_;
    std::vector<std::array<std::vector<Cell>, n_kinds>> rows_;
    std::optional<MergedTerms> terms_;
};

}  // namespace tercet

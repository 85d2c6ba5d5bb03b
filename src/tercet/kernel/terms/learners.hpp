// Documents → a vocabulary that grows, and counts. Every thread has its own tables. They are merged at the end, and the canonical
// order makes the result the same for any number of threads.
#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/documents.hpp"
#include "base/threads.hpp"
#include "terms/analysis.hpp"
#include "terms/tally.hpp"
#include "terms/vocabulary.hpp"

namespace tercet {

// Gives a number to every new term.
struct Numbering {
    static constexpr bool repeats = true, remembers = false, groups = true;
    TermTables tables{};

    Id word(const Text& text, const Token& token) {
        return tables.words.intern(text.part(token.begin, token.end), key_of_padded(text.part(token.begin, token.end)));
    }
    Id character(const Text& text, std::size_t begin, std::size_t end) {
        return tables.characters.intern(text.part(begin, end), key_of_padded(text.part(begin, end)));
    }
    Id feature(Bytes name, Span) { return tables.features.intern(name); }
    Id ngram(Id parent, Id token) { return tables.ngrams.intern(parent, token) | ngram_bit; }
    void prefetch_ngram(Id parent, Id token) const { tables.ngrams.prefetch(parent, token); }
};

// Also counts the terms of one document.
struct DocumentLearner : Numbering {
    std::array<Tally, n_kinds> tallies{};

    void prefetch_count(Kind kind, Id id) const { tallies[static_cast<int>(kind)].prefetch(id); }
    void count(Kind kind, Id id, std::uint32_t times = 1) { tallies[static_cast<int>(kind)].count(id, times); }
};

// The terms of all threads in one vocabulary, and the new number of each term of each thread.
class MergedTerms {
  public:
    // `counted` says for each part which n-grams are terms, if the recipe also has n-grams that are not terms.
    MergedTerms(std::vector<TermTables> parts, const Recipe& recipe, const std::vector<CountedNgrams>& counted) : columns_of_(parts.size()) {
        base_ = std::max_element(parts.begin(), parts.end(), fewer_terms) - parts.begin();
        TermTables& tables = vocabulary.tables = std::move(parts[base_]);
        for (std::size_t w = 0; w < parts.size(); ++w) {
            if (w == base_) continue;
            columns_of_[w] = intern_terms(parts[w], tables);
            parts[w] = {};
        }
        const CountedNgrams merged = merge(counted);
        vocabulary.columns = canonical_columns(tables, recipe, &merged);
        for (Columns& part : columns_of_)
            for (int kind = 0; kind < n_kinds; ++kind)
                for (Id& id : part.of_kind[kind]) id = vocabulary.columns.of_kind[kind][id];
    }

    const Columns& columns_of(std::size_t worker) const { return worker == base_ ? vocabulary.columns : columns_of_[worker]; }

    Vocabulary vocabulary;

  private:
    CountedNgrams merge(const std::vector<CountedNgrams>& counted) const {
        CountedNgrams merged(vocabulary.tables.ngrams.size());
        for (std::size_t w = 0; w < counted.size(); ++w)
            for (Id id = 0; id < counted[w].size(); ++id)
                if (counted[w][id]) merged[w == base_ ? id : columns_of_[w][Kind::ngram][id]] = true;
        return merged;
    }

    static bool fewer_terms(const TermTables& a, const TermTables& b) {
        return a.size() < b.size();
    }

    std::size_t base_;
    std::vector<Columns> columns_of_;
};

// A learner for each thread.
template <class Learner>
class Learners {
  public:
    Learners(const Recipe& recipe, std::size_t n_threads) : recipe_(recipe), workers_(std::max<std::size_t>(n_threads, 1)) {}
    Learners(const Learners&) = delete;

    // Call read(worker, range, document, learner, analyze) for each document. analyze() gives its terms to the learner.
    template <class Read>
    void learn(Documents documents, const std::vector<Range>& ranges, Read read) {
        share_out(workers_.size(), ranges.size(), [&](std::size_t w, std::size_t r) {
            if (!workers_[w]) workers_[w] = std::make_unique<Worker>(recipe_);
            Worker& worker = *workers_[w];
            const Range range = ranges[r];
            const bool ahead = worker.analysis.reads_ahead();
            if (ahead) {
                worker.analysis.read_ahead(range.end - range.begin,
                                           [&](std::size_t i, std::string& input) { documents[range.begin + i].append_to(input); });
            }
            for (std::size_t i = range.begin; i < range.end; ++i)
                read(w, r, i, worker.learner, [&] {
                    if (ahead) return worker.analysis.run_ahead(i - range.begin, worker.learner);
                    documents[i].append_to(worker.analysis.input());
                    worker.analysis.run(worker.learner);
                });
        });
    }

    // The learners of all threads. No more documents can be learned.
    std::vector<Learner> take() {
        std::vector<Learner> learners;
        for (auto& worker : workers_) {
            learners.push_back(worker ? std::move(worker->learner) : Learner{});
            worker.reset();
        }
        return learners;
    }

  private:
    struct Worker {
        explicit Worker(const Recipe& recipe) : analysis(recipe) {}
        Analysis analysis;
        Learner learner;
    };
    Recipe recipe_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace tercet

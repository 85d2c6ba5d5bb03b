// Documents → a vocabulary that grows, with the counts of each document or of each label. Every thread has tables
// of its own; they are added up at the end, and the canonical order makes the result the same for any number of threads.
#pragma once
#include <memory>
#include <vector>

#include "base/documents.hpp"
#include "terms/vocabulary.hpp"

namespace tercet {

// How often each term of one kind occurs in the document at hand.
class Tally {
  public:
    void count(Id id) {
        if (id >= cells_.size()) cells_.resize(std::max<std::size_t>(id + 1, cells_.size() * 3 / 2));
        Cell& cell = cells_[id];
        if (cell.document != document_) {
            cell = {document_, 0};
            met_.push_back(id);
        }
        ++cell.count;
    }
    void expect(Id id) const {
        if (id < cells_.size()) fetch(&cells_[id]);
    }
    const std::vector<Id>& met() const { return met_; }
    std::uint32_t operator[](Id id) const { return cells_[id].count; }
    void next_document() {
        met_.clear();
        if (++document_ == 0) {  // after 2³² documents the marks are used up: begin anew
            std::fill(cells_.begin(), cells_.end(), Cell{});
            document_ = 1;
        }
    }

  private:
    struct Cell {
        std::uint32_t document = 0, count = 0;
    };
    LargeVector<Cell> cells_;
    std::vector<Id> met_;
    std::uint32_t document_ = 1;
};

// Numbers every term it meets.
struct Numbering {
    static constexpr bool repeats = true;
    TermTables tables{};

    Id word(const Text& text, const Token& token) {
        return tables.words.intern(text.part(token.begin, token.end), key_of_padded(text.part(token.begin, token.end)));
    }
    Id character(const Text& text, std::size_t begin, std::size_t end) {
        return tables.characters.intern(text.part(begin, end), key_of_padded(text.part(begin, end)));
    }
    Id feature(Bytes name, Span) { return tables.features.intern(name); }
    Id ngram(Id parent, Id token) { return tables.ngrams.intern(parent, token) | ngram_bit; }
    void expect_ngram(Id parent, Id token) const { tables.ngrams.prefetch(parent, token); }
};

// And counts those of one document.
struct DocumentLearner : Numbering {
    std::array<Tally, n_kinds> tallies{};

    void expect_count(Kind kind, Id id) const { tallies[static_cast<int>(kind)].expect(id); }
    void count(Kind kind, Id id) { tallies[static_cast<int>(kind)].count(id); }
};

// Number all terms of `part` in `sum`, too; the result has for each its number there.
inline Columns intern_terms(const TermTables& part, TermTables& sum) {
    Columns numbers;
    auto& words = numbers[Kind::word];
    auto& ngrams = numbers[Kind::ngram];
    for (Id id = 0; id < part.words.size(); ++id) words.push_back(sum.words.intern(part.words.spelling(id)));
    const auto parent_of = [&](Id id) {
        const Id parent = part.ngrams.first(id);
        return parent & ngram_bit ? ngrams[parent & ~ngram_bit] | ngram_bit : words[parent];
    };
    ngrams.reserve(part.ngrams.size());
    sum.ngrams.reserve(sum.ngrams.size() + part.ngrams.size() / 2);  // about half of them are new, as texts go
    for (Id id = 0; id < part.ngrams.size(); ++id) {
        const Id soon = id + 12;
        if (soon < part.ngrams.size() && !(part.ngrams.first(soon) & ngram_bit))
            sum.ngrams.prefetch(parent_of(soon), words[part.ngrams.second(soon)]);
        ngrams.push_back(sum.ngrams.intern(parent_of(id), words[part.ngrams.second(id)]));
    }
    for (Id id = 0; id < part.characters.size(); ++id)
        numbers[Kind::character].push_back(sum.characters.intern(part.characters.spelling(id)));
    for (Id id = 0; id < part.features.size(); ++id) numbers[Kind::feature].push_back(sum.features.intern(part.features.spelling(id)));
    return numbers;
}

// All terms that the threads met, in one vocabulary, and where the terms of each thread went.
class MergedTerms {
  public:
    // `counted` has for each part which of its n-grams are terms, where the recipe has others.
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

    // Call read(worker, range, document, learner, analyze) for each document; analyze() lets the learner meet its terms.
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

    // What each has learned. The learners are used up.
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

// Documents → rows of the terms in a vocabulary that is known.
#pragma once
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "base/documents.hpp"
#include "base/fork.hpp"
#include "base/threads.hpp"
#include "counts/rows.hpp"
#include "terms/tally.hpp"

namespace tercet {

struct Recipe;
struct Vocabulary;

// What a reader needs: a recipe, a vocabulary, and perhaps a second one that has no character n-grams.
struct Reading {
    const Recipe& recipe;
    const Vocabulary& vocabulary;
    const Vocabulary* added = nullptr;
};

// Reads documents one after another. The entries of a row are in the order of the first occurrences, so that sums over them do not
// depend on the numbers of the terms.
class Reader {
  public:
    explicit Reader(const Reading& reading);
    ~Reader();


    // The columns of all occurrences, in order; `none` for unknown terms. Valid until the next call; the caller may change it.
    std::vector<Id>& find(const Document& document);

    // The row of a document. Valid until the next call.
    Row read(const Document& document);

    // Its row in the second vocabulary.
    Row added() const { return {added_entries_, 0}; }

  private:
    // Whether what it remembers is true of the vocabularies, which only grow, and is not too much.
    bool is_current() const;
    // Begin again. The tallies are kept: each has room for every term.
    void renew();
    Row count_few(const Document& document);
    Row count_many(const Document& document);

    struct State;
    std::unique_ptr<State> state_;
    std::vector<Entry> entries_, added_entries_;
};

// Readers that are kept for later calls: making one takes longer than reading a short text.
class Readers {
  public:
    explicit Readers(const Reading& reading) : reading_(reading) {}

    // Call work(reader, document number) for each document.
    template <class Work>
    void read(Documents documents, std::size_t n_threads, Work work) {
        const auto ranges = split_documents(documents);
        std::vector<std::unique_ptr<Reader>> readers(std::max<std::size_t>(1, std::min(n_threads, ranges.size())));
        share_out(readers.size(), ranges.size(), [&](std::size_t w, std::size_t r) {
            if (!readers[w]) readers[w] = take();
            for (std::size_t i = ranges[r].begin; i < ranges[r].end; ++i) work(*readers[w], i);
        });
        for (auto& reader : readers)
            if (reader) give_back(std::move(reader));
    }

    Rows read_rows(Documents documents, std::size_t n_threads);

  private:
    std::unique_ptr<Reader> take();
    void give_back(std::unique_ptr<Reader> reader);

    Reading reading_;
    BriefMutex mutex_;
    std::vector<std::unique_ptr<Reader>> idle_;
};

}  // namespace tercet

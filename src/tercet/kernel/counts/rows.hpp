// Documents as the terms that each has and how often: what scores are summed over.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "terms/counter.hpp"

namespace tercet {

struct Entry {
    Id term;
    double count;
};

struct Row {
    std::span<const Entry> entries;
    double n_unknown;  // occurrences of terms that are not in the vocabulary
};

// To the sum of a document. A table that has learned on has terms that these weights do not know yet.
template <class W>
void add_term(const W& weights, typename W::Sum& sum, Id term, double count) {
    if (term < weights.n_terms()) weights.add(sum, term, count);
    else sum.n_unknown += count;
}

class Rows {
  public:
    Rows() = default;
    // Room for rows of these sizes, to be filled with terms below `n_columns`.
    Rows(std::span<const std::size_t> sizes, Id n_columns) : n_unknown_(sizes.size()), n_columns_(n_columns) {
        for (std::size_t size : sizes) starts_.push_back(starts_.back() + size);
        entries_.resize(starts_.back());
    }
    std::span<Entry> room(std::size_t i) { return std::span(entries_).subspan(starts_[i], starts_[i + 1] - starts_[i]); }

    std::size_t size() const { return n_unknown_.size(); }
    Row operator[](std::size_t i) const {
        return {std::span(entries_).subspan(starts_[i], starts_[i + 1] - starts_[i]), n_unknown_[i]};
    }
    void append(std::span<const Entry> entries, double n_unknown) {
        entries_.insert(entries_.end(), entries.begin(), entries.end());
        for (const Entry& entry : entries) n_columns_ = std::max(n_columns_, entry.term + 1);
        starts_.push_back(entries_.size());
        n_unknown_.push_back(n_unknown);
    }
    void append(const Rows& other) {
        for (std::size_t i = 0; i < other.size(); ++i) append(other[i].entries, other[i].n_unknown);
    }
    void reserve(std::size_t n_rows, std::size_t n_entries) {
        starts_.reserve(n_rows + 1);
        n_unknown_.reserve(n_rows);
        entries_.reserve(n_entries);
    }
    std::size_t n_entries() const { return entries_.size(); }
    Id n_columns() const { return n_columns_; }  // all terms are below

  private:
    std::vector<std::size_t> starts_{0};
    LargeVector<Entry> entries_;
    std::vector<double> n_unknown_;
    Id n_columns_ = 0;
};

// Reads documents under a vocabulary. The order of the entries is that of the first occurrences, so that sums over them
// do not depend on how the vocabulary came to its numbers.
class Reader {
  public:
    Reader(const Recipe& recipe, const Vocabulary& vocabulary) : analysis_(recipe), lookup_{vocabulary} {}

    // The columns of all occurrences, in order; `none` for unknown terms.
    const std::vector<Id>& find(const Document& document) {
        lookup_.found.clear();
        document.append_to(analysis_.input());
        analysis_.run(lookup_);
        return lookup_.found;
    }

    Row read(const Document& document) {
        const std::vector<Id>& found = find(document);
        entries_.clear();
        found.size() <= few ? count_few(found) : count_many(found);
        return {entries_, static_cast<double>(std::count(found.begin(), found.end(), none))};
    }

  private:
    static constexpr std::size_t few = 32;

    // A short text needs no tally, which has room for every term of the vocabulary.
    void count_few(const std::vector<Id>& found) {
        for (Id column : found) {
            if (column == none) continue;
            const auto known = std::ranges::find(entries_, column, &Entry::term);
            known == entries_.end() ? entries_.push_back({column, 1}) : void(++known->count);
        }
    }

    void count_many(const std::vector<Id>& found) {
        constexpr std::size_t ahead = 12;
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (i + ahead < found.size() && found[i + ahead] != none) tally_.expect(found[i + ahead]);
            if (found[i] != none) tally_.count(found[i]);
        }
        for (Id column : tally_.met()) entries_.push_back({column, static_cast<double>(tally_[column])});
        tally_.next_document();
    }

    Analysis analysis_;
    Lookup lookup_;
    Tally tally_;
    std::vector<Entry> entries_;
};

// Readers that wait for work: to make one takes longer than to read a short text. A vocabulary that has changed needs others.
class Readers {
  public:
    Readers(const Recipe& recipe, const Vocabulary& vocabulary) : recipe_(recipe), vocabulary_(vocabulary) {}

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

    Rows read_rows(Documents documents, std::size_t n_threads) {
        const auto ranges = split_documents(documents);
        std::vector<Rows> parts(ranges.size());
        share_out(n_threads, ranges.size(), [&](std::size_t, std::size_t r) {
            auto reader = take();
            for (std::size_t i = ranges[r].begin; i < ranges[r].end; ++i) {
                const Row row = reader->read(documents[i]);
                parts[r].append(row.entries, row.n_unknown);
            }
            give_back(std::move(reader));
        });
        Rows rows;
        std::size_t n_entries = 0;
        for (const Rows& part : parts) n_entries += part.n_entries();
        rows.reserve(documents.size(), n_entries);
        for (Rows& part : parts) {
            rows.append(part);
            part = {};
        }
        return rows;
    }

  private:
    std::unique_ptr<Reader> take() {
        {
            const std::lock_guard lock(mutex_);
            if (!idle_.empty()) {
                auto reader = std::move(idle_.back());
                idle_.pop_back();
                return reader;
            }
        }
        return std::make_unique<Reader>(recipe_, vocabulary_);
    }
    void give_back(std::unique_ptr<Reader> reader) {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(reader));
    }

    const Recipe& recipe_;
    const Vocabulary& vocabulary_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Reader>> idle_;
};

}  // namespace tercet

// Documents → a sparse matrix of counts: how often each term occurs in each document.
#pragma once
#include <memory>
#include <optional>

#include "base/radix_sort.hpp"
#include "counts/reader.hpp"
#include "terms/learners.hpp"

namespace tercet {

// Rows of neighbouring documents, packed: the number of entries, then (code, count) for each. The column of a code is known only when all
// documents are read. Packed entries take a third of the memory of the final ones.
struct PackedRows {
    std::size_t worker = 0;
    std::size_t n_rows = 0;
    std::size_t n_entries = 0;
    std::vector<std::uint8_t> bytes;

    void put_row(std::size_t n) {
        ++n_rows;
        n_entries += n;
        put(n);
    }

    void put(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
        bytes.push_back(static_cast<std::uint8_t>(value));
    }
};

class PackedReader {
  public:
    explicit PackedReader(const PackedRows& rows) : p_(rows.bytes.data()) {}
    std::uint64_t get() {
        std::uint64_t value = *p_ & 0x7F;
        for (int shift = 7; *p_++ & 0x80; shift += 7) value |= std::uint64_t{*p_ & 0x7Fu} << shift;
        return value;
    }

  private:
    const std::uint8_t* p_;
};

// Turns packed rows into the arrays of a CSR matrix. `resolve(worker, code)` gives a column below n_columns, or `none` if the entry is
// left out. `complete` says that no entry is left out, which saves a pass that counts the entries.
template <class Resolve>
class RowWriter {
  public:
    RowWriter(std::vector<PackedRows>& parts, std::size_t n_columns, std::size_t n_threads, bool complete, Resolve resolve)
        : parts_(parts), n_columns_(n_columns), n_threads_(n_threads), resolve_(resolve), starts_{0}, entry_starts_{0} {
        if (!complete) share_out(n_threads, parts.size(), [&](std::size_t, std::size_t i) {
            std::size_t n = 0;
            each_row(parts_[i], [&](std::size_t, const auto& row) { n += row.size(); });
            parts_[i].n_entries = n;
        });
        for (const PackedRows& part : parts) {
            starts_.push_back(starts_.back() + part.n_rows);
            entry_starts_.push_back(entry_starts_.back() + part.n_entries);
        }
    }

    std::size_t n_rows() const { return starts_.back(); }
    std::size_t n_entries() const { return entry_starts_.back(); }

    // Fill the arrays of a CSR matrix, with sorted columns. The packed rows are deleted.
    template <class Index>
    void write(Index* row_ends, Index* columns, std::int64_t* counts, bool binary) {
        *row_ends++ = 0;
        share_out(n_threads_, parts_.size(), [&](std::size_t, std::size_t i) {
            std::size_t entry = entry_starts_[i];
            std::vector<Entry> scratch;
            each_row(parts_[i], [&](std::size_t r, std::vector<Entry>& row) {
                radix_sort(row, scratch, n_columns_, [](const Entry& e) { return e.column; });
                for (const auto& [column, count] : row) {
                    columns[entry] = static_cast<Index>(column);
                    counts[entry++] = binary ? 1 : count;
                }
                row_ends[starts_[i] + r] = static_cast<Index>(entry);
            });
            parts_[i] = {};
        });
    }

  private:
    struct Entry {
        Id column;
        std::uint32_t count;
    };

    template <class Use>
    void each_row(const PackedRows& part, Use use) const {
        PackedReader reader(part);
        std::vector<Entry> row;
        for (std::size_t r = 0; r < part.n_rows; ++r) {
            row.clear();
            for (std::uint64_t n = reader.get(); n > 0; --n) {
                const Id column = resolve_(part.worker, reader.get());
                const auto count = static_cast<std::uint32_t>(reader.get());
                if (column != none) row.push_back({column, count});
            }
            use(r, row);
        }
    }

    std::vector<PackedRows>& parts_;
    std::size_t n_columns_, n_threads_;
    Resolve resolve_;
    std::vector<std::size_t> starts_, entry_starts_;
};

// Counts documents when the vocabulary is not known yet.
class MatrixCounter {
  public:
    MatrixCounter(const Recipe& recipe, std::size_t n_threads) : recipe_(recipe), n_threads_(n_threads), learners_(recipe, n_threads) {}

    void add(Documents documents) {
        expect(!terms_, "add texts before finish");
        const auto ranges = split_documents(documents);
        const std::size_t first = parts_.size();
        parts_.resize(first + ranges.size());
        learners_.learn(documents, ranges, [&](std::size_t worker, std::size_t range, std::size_t, DocumentLearner& learner, auto analyze) {
            analyze();
            PackedRows& part = parts_[first + range];
            part.worker = worker;
            std::size_t n = 0;
            for (const Tally& tally : learner.tallies) n += tally.met().size();
            part.put_row(n);
            for (int kind = 0; kind < n_kinds; ++kind) {
                for (Id id : learner.tallies[kind].met()) {
                    part.put(std::uint64_t{id} * n_kinds + kind);
                    part.put(learner.tallies[kind][id]);
                }
                learner.tallies[kind].next_document();
            }
        });
    }

    // End of the documents. After this every term has its column.
    void finish() {
        expect(!terms_, "finish once");
        std::vector<TermTables> parts;
        for (DocumentLearner& learner : learners_.take()) parts.push_back(std::move(learner.tables));
        const std::vector<CountedNgrams> counted = find_counted(parts);
        terms_.emplace(std::move(parts), recipe_, counted);
    }

    std::size_t n_terms() const {
        expect(terms_ && !taken_, "call finish first, and take the vocabulary last");
        return terms_->vocabulary.columns.n;
    }

    // The number of documents that have each term, and the number of its occurrences.
    void sum_columns(std::int64_t* documents, std::int64_t* occurrences) const {
        for (const PackedRows& part : parts_) {
            PackedReader reader(part);
            for (std::size_t r = 0; r < part.n_rows; ++r) {
                for (std::uint64_t n = reader.get(); n > 0; --n) {
                    const Id column = old_column(part.worker, reader.get());
                    ++documents[column];
                    occurrences[column] += static_cast<std::int64_t>(reader.get());
                }
            }
        }
    }

    // Keep only the terms whose new column is not `none`.
    void select(std::vector<Id> new_columns) {
        expect(terms_ && new_columns.size() == n_terms(), "one new column for each term");
        selected_.emplace(terms_->vocabulary.select(new_columns));
        new_columns_ = std::move(new_columns);
    }

    auto rows() {
        expect(terms_ && !written_, "write the matrix once");
        written_ = true;
        return RowWriter(parts_, n_terms(), n_threads_, new_columns_.empty(), [this](std::size_t worker, std::uint64_t code) {
            const Id column = old_column(worker, code);
            return new_columns_.empty() ? column : new_columns_[column];
        });
    }

    // The counter cannot be used after this.
    Vocabulary take_vocabulary() {
        n_terms();
        taken_ = true;
        return selected_ ? std::move(*selected_) : std::move(terms_->vocabulary);
    }

  private:
    static void expect(bool in_order, const char* order) {
        if (!in_order) throw std::logic_error(order);
    }

    // For each worker, the n-grams that are terms. Empty if all n-grams are terms.
    std::vector<CountedNgrams> find_counted(const std::vector<TermTables>& tables) const {
        if (!recipe_.has_silent_beginnings()) return {};
        std::vector<CountedNgrams> counted;
        for (const TermTables& part : tables) counted.emplace_back(part.ngrams.size());
        for (const PackedRows& part : parts_) {
            PackedReader reader(part);
            for (std::size_t r = 0; r < part.n_rows; ++r) {
                for (std::uint64_t n = reader.get(); n > 0; --n) {
                    const std::uint64_t code = reader.get();
                    reader.get();
                    if (static_cast<Kind>(code % n_kinds) == Kind::ngram) counted[part.worker][code / n_kinds] = true;
                }
            }
        }
        return counted;
    }

    Id old_column(std::size_t worker, std::uint64_t code) const {
        return terms_->columns_of(worker).of_kind[code % n_kinds][code / n_kinds];
    }

    Recipe recipe_;
    std::size_t n_threads_;
    Learners<DocumentLearner> learners_;
    std::vector<PackedRows> parts_;
    std::optional<MergedTerms> terms_;
    std::optional<Vocabulary> selected_;
    std::vector<Id> new_columns_;
    bool written_ = false, taken_ = false;
};

// Rows of documents with a known vocabulary. Here a code is a column.
inline std::vector<PackedRows> look_up(const Vocabulary& vocabulary, const Recipe& recipe, Documents documents, std::size_t n_threads) {
    const auto ranges = split_documents(documents);
    std::vector<PackedRows> parts(ranges.size());
    std::vector<std::unique_ptr<Reader>> readers(std::min(n_threads, std::max<std::size_t>(ranges.size(), 1)));
    std::vector<std::vector<Id>> scratch(readers.size());
    share_out(readers.size(), ranges.size(), [&](std::size_t w, std::size_t r) {
        if (!readers[w]) readers[w] = std::make_unique<Reader>(Reading{recipe, vocabulary});
        PackedRows& part = parts[r];
        for (std::size_t i = ranges[r].begin; i < ranges[r].end; ++i) {
            std::vector<Id>& found = readers[w]->find(documents[i]);
            std::erase(found, none);
            radix_sort(found, scratch[w], vocabulary.columns.n, [](Id id) { return id; });
            std::size_t n = 0;
            for (std::size_t k = 0; k < found.size(); ++k) n += k == 0 || found[k] != found[k - 1];
            part.put_row(n);
            for (auto first = found.begin(); first != found.end();) {
                const auto last = std::find_if(first, found.end(), [&](Id id) { return id != *first; });
                part.put(*first);
                part.put(last - first);
                first = last;
            }
        }
    });
    return parts;
}

}  // namespace tercet

// The rows of documents, kept compactly for linear models. The same rows serve every model and every part of the documents.
//
// A row has its entries by block (a kind of terms), then by count, then in the order of the row. Entries of the same block and count are a
// run, so no count is stored for an entry. This order is a function of the document.
#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/hashing.hpp"
#include "base/large_vector.hpp"
#include "base/threads.hpp"
#include "counts/rows.hpp"

namespace tercet {

class TextRows {
  public:
    // Entries with the same count. First the columns that other documents have, too; then the terms that only this document has.
    struct Run {
        double count;
        Id n_shared, n_own;
    };

    // `blocks` has the block of each term; if it is empty, there is one block.
    TextRows(Id n_terms, std::vector<std::uint8_t> blocks) : n_terms_(n_terms), blocks_(std::move(blocks)) {
        if (!blocks_.empty()) n_blocks_ = std::size_t{*std::max_element(blocks_.begin(), blocks_.end())} + 1;
    }

    void append(const Rows& rows, std::size_t n_threads) {
        if (is_finished_) throw std::logic_error("append rows before finish");
        if (rows.n_columns() > n_terms_) throw std::out_of_range("no such term");
        std::vector<std::size_t> starts{0};
        for (std::size_t i = 0; i < rows.size(); ++i) starts.push_back(starts.back() + rows[i].entries.size());
        LargeVector<Id>& part = parts_.emplace_back(starts.back());
        struct Packed {
            std::vector<Run> runs{};
            std::vector<Id> n_runs{};  // for each row and block
        };
        constexpr std::size_t at_once = 64;
        std::vector<Packed> packed((rows.size() + at_once - 1) / at_once);
        share_out(n_threads, packed.size(), [&](std::size_t, std::size_t b) {
            Sorter sorter;
            for (std::size_t i = b * at_once; i < std::min(rows.size(), (b + 1) * at_once); ++i)
                sorter.pack(*this, rows[i].entries, part.data() + starts[i], packed[b].runs, packed[b].n_runs);
        });
        for (std::size_t i = 0; i < rows.size(); ++i) first_entries_.push_back(part.data() + starts[i]);
        for (const Packed& some : packed) {
            for (Id n : some.n_runs) run_ends_.push_back(run_ends_.back() + n);
            runs_.insert(runs_.end(), some.runs.begin(), some.runs.end());
        }
    }

    // All rows are here. `order` has the place of each row in the order of the documents that does not depend on their arrival. Columns
    // are numbered by the number of their documents, so frequent columns are neighbours in memory, and then in this order.
    void finish(std::span<const std::int64_t> order) {
        if (is_finished_) throw std::logic_error("finish once");
        is_finished_ = true;
        order_.assign(order.begin(), order.end());
        LargeVector<Id> numbers = count_rows();
        const std::vector<Id> starts = find_starts(numbers);
        of_number_.resize(starts[many - 1]);
        // A number is not given yet if it has the top bit.
        for (Id& n : numbers) n = n <= 1 ? alone : unknown | std::min(n, many);
        std::vector<Id> next = starts;
        std::vector<Id> own;
        for (std::size_t i = 0; i < size(); ++i) {
            Id* entry = first_entries_[order_[i]];
            for (std::size_t r = first_run(i); r < end_run(i, n_blocks_); ++r) {
                own.clear();
                const Id* const end = entry + runs_[r].n_shared;
                Id* kept = entry;
                for (; entry < end; ++entry) {
                    if (entry + ahead < end) fetch(&numbers[entry[ahead]]);
                    const Id term = *entry;
                    Id& number = numbers[term];
                    if (number == alone) {
                        own.push_back(term);
                        continue;
                    }
                    if (number & unknown) {
                        number = next[many - (number & ~unknown)]++;
                        of_number_[number] = term;
                    }
                    *kept++ = number;
                }
                std::copy(own.begin(), own.end(), kept);
                runs_[r].n_shared -= static_cast<Id>(own.size());
                runs_[r].n_own = static_cast<Id>(own.size());
            }
        }
    }

    std::size_t n_appended() const { return first_entries_.size(); }
    std::size_t size() const { return order_.size(); }  // 0 before finish
    Id n_terms() const { return n_terms_; }
    std::size_t n_blocks() const { return n_blocks_; }
    std::size_t n_runs() const { return runs_.size(); }
    std::span<const Id> shared_terms() const { return of_number_; }  // the term of each column
    const Run& run(std::size_t r) const { return runs_[r]; }

    // Rows are in the canonical order here. Their runs are neighbours; a row begins with the runs of the first blocks.
    std::size_t first_run(std::size_t i) const { return run_ends_[order_[i] * n_blocks_]; }
    std::size_t end_run(std::size_t i, std::size_t n_blocks) const { return run_ends_[order_[i] * n_blocks_ + n_blocks]; }
    const Id* entries(std::size_t i) const { return first_entries_[order_[i]]; }

    // Call visit(run, columns, own terms) for each run of the first blocks of a row.
    template <class Visit>
    void visit(std::size_t i, std::size_t n_blocks, Visit visit) const {
        const Id* entry = entries(i);
        for (std::size_t r = first_run(i), end = end_run(i, n_blocks); r < end; ++r) {
            const Run& run = runs_[r];
            visit(r, std::span(entry, run.n_shared), std::span(entry + run.n_shared, run.n_own));
            entry += run.n_shared + run.n_own;
        }
    }

    // The total weight of the documents that have each term.
    LargeVector<double> count_documents(std::span<const double> weights) const {
        LargeVector<double> counts(n_terms_, 0.0);
        LargeVector<double> shared(of_number_.size(), 0.0);
        for (std::size_t i = 0; i < size(); ++i) {
            if (weights[i] == 0) continue;
            visit(i, n_blocks_, [&](std::size_t, std::span<const Id> columns, std::span<const Id> own) {
                for (Id column : columns) shared[column] += weights[i];
                for (Id term : own) counts[term] += weights[i];
            });
        }
        for (std::size_t k = 0; k < shared.size(); ++k) counts[of_number_[k]] = shared[k];
        return counts;
    }

  private:
    static constexpr Id many = 1 << 12;  // columns with more documents are not sorted further
    static constexpr Id alone = none - 1, unknown = 0x80000000;
    static constexpr std::size_t ahead = 16;

    // Sorts the entries of rows by block and count. Most counts are small, so they are sorted by counting.
    class Sorter {
      public:
        void pack(const TextRows& all, std::span<const Entry> entries, Id* out, std::vector<Run>& runs, std::vector<Id>& n_runs) {
            if (all.blocks_.empty()) {
                pack_block(entries, out, runs, n_runs);
                return;
            }
            for (std::size_t block = 0; block < all.n_blocks_; ++block) {
                block_.clear();
                for (const Entry& entry : entries)
                    if (all.blocks_[entry.term] == block) block_.push_back(entry);
                pack_block(block_, out, runs, n_runs);
                out += block_.size();
            }
        }

      private:
        static constexpr std::size_t n_small = 32;

        void pack_block(std::span<const Entry> entries, Id* out, std::vector<Run>& runs, std::vector<Id>& n_runs) {
            const std::size_t first = runs.size();
            std::array<Id, n_small + 1> starts{};
            for (const Entry& entry : entries) ++starts[key(entry)];
            Id total = 0;
            for (std::size_t k = 0; k <= n_small; ++k) {
                const Id n = starts[k];
                if (n > 0 && k < n_small) runs.push_back({static_cast<double>(k), n, 0});
                starts[k] = total;
                total += n;
            }
            large_.clear();
            for (const Entry& entry : entries) {
                const std::size_t k = key(entry);
                if (k == n_small) large_.push_back(entry);
                else out[starts[k]++] = entry.term;
            }
            std::stable_sort(large_.begin(), large_.end(), [](const Entry& a, const Entry& b) { return a.count < b.count; });
            out += entries.size() - large_.size();
            for (std::size_t k = 0; k < large_.size(); ++k) {
                if (k == 0 || large_[k].count != large_[k - 1].count) runs.push_back({large_[k].count, 0, 0});
                ++runs.back().n_shared;
                out[k] = large_[k].term;
            }
            n_runs.push_back(static_cast<Id>(runs.size() - first));
        }

        // Any other count is large, also a fraction.
        static std::size_t key(const Entry& entry) {
            const auto k = static_cast<std::size_t>(entry.count);
            return entry.count < static_cast<double>(n_small) && static_cast<double>(k) == entry.count ? k : n_small;
        }

        std::vector<Entry> block_{}, large_{};
    };

    LargeVector<Id> count_rows() const {
        LargeVector<Id> counts(n_terms_, Id{0});
        for (const LargeVector<Id>& part : parts_) {
            for (std::size_t k = 0; k < part.size(); ++k) {
                if (k + ahead < part.size()) fetch(&counts[part[k + ahead]]);
                ++counts[part[k]];
            }
        }
        return counts;
    }

    // The first column of each number of documents, many first.
    static std::vector<Id> find_starts(const LargeVector<Id>& counts) {
        std::vector<Id> starts(many + 2);
        for (Id n : counts) ++starts[many - std::min(n, many) + 1];
        for (Id k = 1; k <= many; ++k) starts[k] += starts[k - 1];
        return starts;
    }

    Id n_terms_;
    std::vector<std::uint8_t> blocks_;
    std::size_t n_blocks_ = 1;
    bool is_finished_ = false;
    std::vector<LargeVector<Id>> parts_{};
    std::vector<Id*> first_entries_{};         // in the order of arrival
    std::vector<std::size_t> run_ends_{0};     // for each row and block, in the order of arrival
    std::vector<Run> runs_{};
    std::vector<std::size_t> order_{};
    std::vector<Id> of_number_{};
};

}  // namespace tercet

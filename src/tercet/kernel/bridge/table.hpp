// A table for Python. Many threads may read it while one thread changes it.
#pragma once
#include <nanobind/nanobind.h>

#include <functional>
#include <mutex>
#include <span>
#include <tuple>

#include "base/fair_mutex.hpp"
#include "bridge/arrays.hpp"
#include "bridge/texts.hpp"
#include "counts/reader.hpp"
#include "counts/table.hpp"
#include "linear/linear_weights.hpp"

namespace tercet {

using Arrays = nb::typed<nb::dict, nb::str, nb::any>;

// A table with the readers that use it.
class TableObject {
  public:
    TableObject(const Recipe& recipe, Table table);
    TableObject(const Recipe& recipe, std::size_t n_labels);
    // A table whose vocabulary is in these arrays. They may come from any file, so they are checked before the first use that needs it.
    TableObject(const Recipe& recipe, Table table, const Arrays& arrays);

    const Counts& counts() const { return table_.counts; }
    Counts& counts() { return table_.counts; }
    std::size_t size() const { return table_.vocabulary.columns.n; }

    // An error if the vocabulary is from a file and not sound. Everything but looking up terms makes this check.
    void check() const;
    void add(const TableObject& other);
    bool subtract(const TableObject& other, bool possible);
    void place_labels(Numbers places, std::size_t n_labels);

    // With `of_length`, only the terms that count for the length of a document.
    Integers order(bool of_length) const;
    Strings terms() const;
    // (ends, bytes) of these terms in UTF-8: term i is bytes[ends[i]] … bytes[ends[i + 1]]. Lone surrogates are encoded, too.
    std::tuple<Integers, Output<std::uint8_t>> spell(Numbers terms) const;
    // The number of each of these distinct spellings. Unknown terms are -1.
    Integers look_up(const Strings& terms) const;
    // These terms in canonical order.
    Integers sort(Numbers terms) const;
    // For each term 1 if it is a character n-gram, else 0.
    Output<std::uint8_t> character_flags() const;
    // The vocabulary of these terms as arrays for `open`. The terms must be in canonical order.
    Arrays freeze(Numbers terms) const;
    std::tuple<Integers, Integers, Integers> lengths() const;
    // (number, arrays) of each of n shards that has a term. The arrays are the vocabulary for `open`, without hash tables, and the cells
    // for `Counts.from_cells`.
    nb::typed<nb::list, nb::tuple> split(std::size_t n, std::size_t stride) const;

    Rows rows(const Texts& texts, std::size_t threads);
    // The term number of each occurrence, in the order in which the recipe lists them. Unknown terms are -1.
    Integers find(const Texts& texts);
    // Call work(reader, number) for each text, in several threads and without the GIL.
    void read(const Texts& texts, std::size_t threads, const std::function<void(Reader&, std::size_t)>& work);

  private:
    friend class TablePair;
    std::unique_lock<FairMutex> lock_alone();
    void expect_fit(const TableObject& other) const;

    Recipe recipe_;
    Table table_;
    Readers readers_;
    mutable FairMutex mutex_;
    nb::list owners_{};
    mutable bool is_checked_ = true;
};

// A table, and a second one that is read in the same pass. The recipe of the second table makes the same words and categories, and the same
// n-grams or none. Terms that only the first recipe makes are terms of the first table alone.
class TablePair {
  public:
    TablePair(TableObject& table, TableObject& added, const LinearWeights& weights);

    // As TableObject::read.
    void read(const Texts& texts, std::size_t threads, const std::function<void(Reader&, std::size_t)>& work);
    // Add to the scores of a text, which the reader has just read, those of its terms in the second table.
    void add_scores(const Reader& reader, std::span<double> scores) const;
    std::size_t n_labels() const { return weights_.n_labels(); }

  private:
    TableObject &table_, &added_;
    const LinearWeights& weights_;
    Readers readers_;
};

void bind_table_scores(nb::module_& m, nb::class_<TableObject>& table);  // weigh, log_joint and predict

}  // namespace tercet

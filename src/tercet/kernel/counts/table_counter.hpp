// Labelled documents, batch by batch → a table. The rows of the documents can be kept.
#pragma once
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "counts/kept_rows.hpp"
#include "counts/table.hpp"
#include "terms/learners.hpp"

namespace tercet {

// Counts neighbouring documents with the same label and weight in small records, one per term. They are added to the table only when the
// label or the weight changes.
class LabelLearner : public Numbering {
  public:
    void prefetch_count(Kind kind, Id id) const {
        const LargeVector<Open>& open = kinds_[static_cast<int>(kind)].open;
        if (id < open.size()) fetch(&open[id]);
    }
    void count(Kind kind, Id id, std::uint32_t times = 1) {
        OpenKind& own = kinds_[static_cast<int>(kind)];
        if (id >= own.open.size()) own.open.resize(std::max<std::size_t>(id + 1, own.open.size() * 3 / 2));
        Open& cell = own.open[id];
        if (cell.document != document_) {
            if (cell.documents == 0) own.met.push_back(id);
            cell.document = document_;
            cell.before = cell.occurrences;
            ++cell.documents;
            if (keeps_) own.row.push_back(id);
        }
        cell.occurrences += times;
        own.n_counted += times;
    }

    // Start a document. With `keeps`, put_row will be called for it.
    void begin(Id label, Units weight, bool keeps) {
        table_.counts.grow_labels(label + 1);
        keeps_ = keeps;
        if (label != label_ || weight != weight_ || n_open_ > max_open) close();
        label_ = label;
        weight_ = weight;
        if (++document_ == 0) {  // all 2³² document numbers are used: start again
            close();
            for (OpenKind& own : kinds_) own.open.assign(own.open.size(), {});
            document_ = 1;
        }
        for (OpenKind& own : kinds_) {
            own.n_counted = 0;
            own.row.clear();
        }
    }
    void end(Kind length_kind) {
        for (const OpenKind& own : kinds_) n_open_ += own.n_counted;
        ++n_documents_;
        table_.lengths[{label_, kinds_[static_cast<int>(length_kind)].n_counted}] += weight_;
    }

    // Write the row of the document that has just ended.
    void put_row(std::size_t document, KeptPart& part) {
        std::size_t n_entries = 0;
        for (const OpenKind& own : kinds_) n_entries += own.row.size();
        const std::size_t most = (n_entries + n_kinds) * longest_entry;
        if (packed_.size() < most) packed_.resize(most);
        char* p = packed_.data();
        for (const OpenKind& own : kinds_) {
            p = write_number(p, own.row.size());
            for (Id id : own.row) p = write_entry(p, id, own.open[id].occurrences - own.open[id].before);
        }
        part.put_row(document, n_entries, Bytes(packed_.data(), static_cast<std::size_t>(p - packed_.data())));
    }

    bool is_large() const { return tables.size() > 1 << 14; }

    // The table. The learner cannot be used after this.
    Table take(Id n_labels) {
        close();
        kinds_ = {};
        table_.counts.grow_labels(n_labels);
        table_.counts.settle();
        table_.vocabulary.tables = std::move(tables);
        for (Kind kind : kinds)
            table_.vocabulary.columns[kind].resize(table_.vocabulary.tables.size(kind), none);
        return std::move(table_);
    }

  private:
    static constexpr std::uint64_t max_open = std::uint64_t{1} << 31;  // a document has fewer terms, so no count exceeds 32 bits
    struct Open {
        std::uint32_t document = 0, occurrences = 0, documents = 0;
        std::uint32_t before = 0;  // occurrences before the current document
    };
    struct OpenKind {
        LargeVector<Open> open{};
        std::vector<Id> met{};
        std::vector<Id> row{};        // terms of the current document, if rows are kept
        std::uint32_t n_counted = 0;  // occurrences in the current document
    };

    void close() {
        n_occurrences_ += static_cast<double>(n_open_) * static_cast<double>(weight_);
        if (n_occurrences_ > static_cast<double>(max_units)) throw std::overflow_error("the sums are too large");
        for (Kind kind : kinds) {
            OpenKind& own = kinds_[static_cast<int>(kind)];
            for (Id id : own.met) {
                Open& cell = own.open[id];
                table_.counts.add(table_.number(kind, id), label_, cell.occurrences * weight_, cell.documents * weight_);
                cell.occurrences = cell.documents = 0;
            }
            own.met.clear();
        }
        if (n_documents_) table_.counts.add_documents(label_, n_documents_ * weight_, SquareSum::product(n_documents_ * weight_, weight_));
        n_open_ = 0;
        n_documents_ = 0;
    }

    Table table_{};
    std::array<OpenKind, n_kinds> kinds_{};
    std::uint32_t document_ = 0;
    bool keeps_ = false;
    std::vector<char> packed_{};  // room for a row
    Id label_ = none;
    Units weight_ = 0, n_documents_ = 0;
    std::uint64_t n_open_ = 0;
    double n_occurrences_ = 0;
};

// Counts documents into one table per thread, and adds the tables at the end.
class TableCounter {
  public:
    TableCounter(const Recipe& recipe, Id n_labels, std::size_t n_threads, bool keeps = false)
        : length_kind_(kind_of_length(recipe)), n_labels_(0), keeps_(keeps), learners_(recipe, n_threads) {
        grow_labels(n_labels);
    }

    Id n_labels() const { return n_labels_; }
    void grow_labels(Id n_labels) {
        if (n_labels > max_labels) throw std::length_error("more than a million labels");
        n_labels_ = std::max(n_labels_, n_labels);
    }

    // labels[i] < n_labels is the label of documents[i], and weights[i] its weight. Without weights each document has the weight 1. The
    // result has the rows of the documents, if they are kept, for KeptTerms.
    std::string add(Documents documents, const std::int64_t* labels, const Units* weights) {
        std::vector<std::size_t> order(documents.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return labels[a] != labels[b] ? labels[a] < labels[b] : weights && weights[a] < weights[b];
        });
        std::vector<Document> sorted;
        sorted.reserve(documents.size());
        for (std::size_t i : order) sorted.push_back(documents[i]);
        const std::vector<Range> ranges = split_documents(sorted);
        std::vector<KeptPart> parts(ranges.size());
        learners_.learn(sorted, ranges, [&](std::size_t worker, std::size_t range, std::size_t i, LabelLearner& learner, auto analyze) {
            const Units weight = weights ? weights[order[i]] : one;
            parts[range].worker = worker;
            if (weight == 0) return parts[range].put_row(order[i], 0, {});  // the same as no document
            learner.begin(static_cast<Id>(labels[order[i]]), weight, keeps_);
            analyze();
            learner.end(length_kind_);
            if (keeps_) learner.put_row(order[i], parts[range]);
        });
        return keeps_ ? join_parts(parts, documents.size()) : std::string();
    }

    // The table. With `places`, label l gets the number places[l], as in Counts::rename_labels. The counter cannot be used after this.
    Table take(const std::vector<Id>& places = {}, Id n_placed = 0) {
        std::vector<LabelLearner> learners = learners_.take();
        std::vector<Table> tables(learners.size());
        // Starting a thread takes longer than the tables of a few documents.
        const std::size_t n_threads = std::ranges::any_of(learners, &LabelLearner::is_large) ? learners.size() : 1;
        share_out(n_threads, learners.size(), [&](std::size_t, std::size_t w) {
            tables[w] = learners[w].take(n_labels_);
            if (!places.empty()) tables[w].rename_labels(places, n_placed);
        });
        const auto fewer = [](const Table& a, const Table& b) { return a.vocabulary.tables.size() < b.vocabulary.tables.size(); };
        const std::size_t base = std::max_element(tables.begin(), tables.end(), fewer) - tables.begin();
        if (keeps_) numbers_.resize(tables.size());
        for (std::size_t w = 0; w < tables.size(); ++w) {
            if (w == base) continue;
            const std::vector<Id> terms = tables[base].add(tables[w]);
            if (keeps_) numbers_[w] = renumber(std::move(tables[w].vocabulary.columns), terms);
            tables[w] = {};
        }
        if (keeps_) numbers_[base] = tables[base].vocabulary.columns;
        return std::move(tables[base]);
    }

    // A reader of the kept rows, with the term numbers of the table that was taken.
    KeptTerms take_terms(Id n_terms) { return {std::move(numbers_), n_terms}; }

  private:
    static Columns renumber(Columns columns, const std::vector<Id>& terms) {
        for (std::vector<Id>& numbers : columns.of_kind)
            for (Id& number : numbers)
                if (number != none) number = terms[number];
        return columns;
    }

    static constexpr Id max_labels = 1'000'000;
    Kind length_kind_;
    Id n_labels_;
    bool keeps_;
    Learners<LabelLearner> learners_;
    std::vector<Columns> numbers_;
};

}  // namespace tercet
